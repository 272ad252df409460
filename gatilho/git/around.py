"""What is around a shell command that the reader of shell asks for: repositories, their tracked files, variables."""

from gatilho import system as os
from gatilho.git.root import find_repository
from gatilho.triggers.touches import Around

# Seconds; a command that names a whole folder waits no longer for git.
_PATIENCE = 3


class Surroundings(Around):
    """The machine as it is: repositories are found by walking up, and git is asked for the files that it tracks."""

    def root_of(self, folder: str) -> str:
        found = find_repository(folder) if folder else None
        return "" if found is None else found.root

    def variable(self, name: str) -> str:
        """Return a variable of the environment, "" where it is not set; `posix.environ` holds bytes."""
        environ: dict[object, bytes | str] = os.environ  # type: ignore[assignment]
        found = environ.get(name.encode()) or environ.get(name) or ""
        return found.decode("utf-8", "surrogateescape") if isinstance(found, bytes) else found

    def tracked(self, root: str) -> list[str]:
        return _names(root, "ls-files", "-z")

    def changed(self, root: str) -> list[str]:
        return _compared(root, "HEAD")

    def untracked(self, root: str) -> list[str]:
        return _names(root, "ls-files", "--others", "-z")

    def differing(self, root: str, revisions: list[str]) -> list[str]:
        return [] if any(one.startswith("-") for one in revisions) else _compared(root, *revisions, "--")


def _names(root: str, *arguments: str) -> list[str]:
    """Return the names that git prints; none where it cannot say."""
    from gatilho.git import query

    return query.ask_names(root, *arguments, seconds=_PATIENCE) or []


def _compared(root: str, *revisions: str) -> list[str]:
    """Return the names of the files in which git finds a difference; none where it cannot say."""
    from gatilho.git import query

    return query.ask_names_of_tree(root, "diff", "--name-only", "-z", *revisions, seconds=_PATIENCE) or []
