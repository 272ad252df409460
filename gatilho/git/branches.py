"""The branch that is checked out, and the repository's default one."""

from gatilho.git import query
from gatilho.git.root import Repository

_COMMON_NAMES = ("main", "master", "trunk")


def current_branch(repository: Repository) -> str:
    """Return the branch of the working tree, "" where HEAD is detached."""
    return query.ask_text(repository.root, "symbolic-ref", "--quiet", "--short", "HEAD")


def default_branch(repository: Repository) -> str:
    """Return the default branch: the remote's, the configured one or one with a usual name; "" for none known."""
    remote = query.ask_text(repository.root, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
    if remote:
        return remote.partition("/")[2]
    configured = query.ask_text(repository.root, "config", "--get", "init.defaultBranch")
    for name in (configured, *_COMMON_NAMES):
        if name and query.ask_text(repository.root, "rev-parse", "--verify", "--quiet", f"refs/heads/{name}"):
            return name
    return ""
