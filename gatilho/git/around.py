"""What is around a shell command that the reader of shell asks for: repositories, their tracked files, variables."""

from gatilho import system as os
from gatilho.git.root import find_repository
from gatilho.triggers.touches import Around

# Seconds; a command that names a whole folder waits no longer for git.
_PATIENCE = 3


class Surroundings(Around):
    """The machine as it is: repositories are found by walking up, and git is asked for the files that it tracks."""

    def root_of(self, folder: str) -> str:
        """Return the root of the repository that holds an absolute folder, "" for none."""
        found = find_repository(folder) if folder else None
        return "" if found is None else found.root

    def variable(self, name: str) -> str:
        """Return a variable of the environment, "" where it is not set; `posix.environ` holds bytes."""
        environ: dict[object, bytes | str] = os.environ  # type: ignore[assignment]
        found = environ.get(name.encode()) or environ.get(name) or ""
        return found.decode("utf-8", "surrogateescape") if isinstance(found, bytes) else found

    def tracked(self, root: str) -> list[str]:
        """Return the names of the tracked files; none where git cannot say."""
        from gatilho.git import query

        return query.ask_names(root, "ls-files", "-z", seconds=_PATIENCE) or []

    def changed(self, root: str) -> list[str]:
        """Return the names of the files that are not as HEAD has them; none where git cannot say."""
        from gatilho.git import query

        return query.ask_names_of_tree(root, "diff", "--name-only", "-z", "HEAD", seconds=_PATIENCE) or []

    def untracked(self, root: str) -> list[str]:
        """Return the names of the files that git does not know, the ignored ones too; none where git cannot say."""
        from gatilho.git import query

        return query.ask_names(root, "ls-files", "--others", "-z", seconds=_PATIENCE) or []

    def differing(self, root: str, revisions: list[str]) -> list[str]:
        """Return the names of the files there in which `git diff` with these revisions finds a difference."""
        from gatilho.git import query

        if any(one.startswith("-") for one in revisions):
            return []
        return query.ask_names_of_tree(root, "diff", "--name-only", "-z", *revisions, "--", seconds=_PATIENCE) or []
