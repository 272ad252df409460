"""What git is in the middle of, and the commit that HEAD names: read from git's files, without a process."""

from gatilho import bounded
from gatilho.bounded import is_there

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gatilho.git.root import Repository

# In this order: a stopped rebase also has a CHERRY_PICK_HEAD, and it is the rebase that a person has to finish.
_SIGNS = (
    ("rebase-merge", "a rebase"),
    ("rebase-apply/applying", "git am"),
    ("rebase-apply", "a rebase"),
    ("MERGE_HEAD", "a merge"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("BISECT_LOG", "a bisect"),
    ("sequencer", "a cherry-pick or revert of several commits"),
)
_LONGEST_CHAIN = 5
# How the reftable format shows older readers that the refs are elsewhere.
_ELSEWHERE = "refs/heads/.invalid"


def busy(git_dir: str, environ: "Mapping[str, str]") -> str:
    """Return in words what git has begun and not finished there (git_dir may be ""); "" for nothing.

    A git hook is known by GIT_INDEX_FILE. pre-commit sets unstaged changes aside while its hooks run, with or without
    git around it, and says so by PRE_COMMIT.
    """
    if environ.get("GIT_INDEX_FILE"):
        return "a git hook"
    if environ.get("PRE_COMMIT") == "1":
        return "a pre-commit run"
    if git_dir:
        for name, words in _SIGNS:
            if is_there(f"{git_dir}/{name}", follows=False):
                return words
    return ""


def head_commit(repository: "Repository") -> str:
    """Return the commit that HEAD names, as hex digits; "" where there is none yet, or no git."""
    return commit_of(repository, "HEAD") if repository.git_dir else ""


def commit_of(repository: "Repository", ref: str) -> str:
    """Return the commit that a ref names, given whole (`refs/heads/main`); "" where there is none."""
    git_dir, common_dir = repository.git_dir, repository.common_dir
    text = _text(f"{git_dir}/{ref}") or _text(f"{common_dir}/{ref}")
    text = text.strip() or _packed(common_dir, ref)
    if not text and _text(git_dir + "/HEAD").strip() == f"ref: {_ELSEWHERE}":
        return _asked_of_git(git_dir, ref)
    for _ in range(_LONGEST_CHAIN):
        if not text.startswith("ref:"):
            return text if _is_hash(text) else ""
        name = text[4:].strip()
        if name == _ELSEWHERE:
            return _asked_of_git(git_dir, "HEAD")
        loose = _text(f"{git_dir}/{name}") or _text(f"{common_dir}/{name}")
        text = loose.strip() or _packed(common_dir, name)
    return ""


def _text(path: str) -> str:
    return bounded.read_quietly(path).decode("utf-8", "surrogateescape")


def _packed(common_dir: str, name: str) -> str:
    """Return the hash of a ref in packed-refs, found without splitting its lines, of which there may be 100,000."""
    data = b"\n" + bounded.read_quietly(common_dir + "/packed-refs").rstrip() + b"\n"
    end = data.find(b" " + name.encode("utf-8", "surrogateescape") + b"\n")
    text = data[data.rfind(b"\n", 0, end) + 1 : end].decode("ascii", "replace") if end > 0 else ""
    return text if _is_hash(text) else ""


def _is_hash(text: str) -> bool:
    return len(text) in (40, 64) and all(letter in "0123456789abcdef" for letter in text)


def _asked_of_git(git_dir: str, ref: str) -> str:
    from gatilho.git.query import ask_text

    text = ask_text(git_dir, f"--git-dir={git_dir}", "rev-parse", "--verify", "--quiet", ref + "^{commit}", seconds=5)
    return text if _is_hash(text) else ""
