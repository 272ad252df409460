"""The touches of a shell command: what its words name in the real folders."""

try:
    import posix as system
except ImportError:  # Windows
    import os as system  # type: ignore[no-redef]

from gatilho.shell.command_line import read_command
from gatilho.triggers import paths
from gatilho.triggers.paths import Touch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.shell.wildcards import Search

_FILE_KIND = 0o170000
_FOLDER = 0o040000
_LONGEST_PATCH = 1_000_000


def touches_of_command(text: str, cwd: str) -> tuple[tuple[str, ...], tuple[Touch, ...]]:
    """Return the simple commands of a shell command that runs in a folder, and its touches with absolute paths.

    Wildcards are expanded, and whole folders that are removed or moved are listed, as the disk is at the moment of the
    call; patch files are read for their targets. What cannot be read gives no touch.
    """
    reading = read_command(text)
    found = _Found(cwd)
    for kind, word in reading.words:
        found.add_word(kind, word)
    for path in reading.patches:
        found.add("write", path)
    for file, folder, strip in reading.patch_files:
        found.add_patch(file, folder, strip)
    return reading.commands, tuple(found.touches.values())


class _Found:
    def __init__(self, cwd: str) -> None:
        self.cwd = cwd
        self.touches: dict[tuple[str, str], Touch] = {}
        self._search: Search | None = None

    @property
    def search(self) -> "Search":
        if self._search is None:
            from gatilho.shell.wildcards import Search  # few commands hold wildcards

            self._search = Search()
        return self._search

    def add(self, kind: str, text: str) -> None:
        path = paths.absolute(text, self.cwd)
        if path is not None and (kind, path) not in self.touches:
            self.touches[kind, path] = Touch(kind, path, text)

    def add_word(self, kind: str, text: str) -> None:
        if kind.endswith("*"):
            base = "" if text.startswith("/") else paths.absolute(self.cwd, "")
            if base is not None:
                for path in self.search.expand(f"{_literal(base)}/{text}"):
                    self._add_kind(kind[:-1], path)
        else:
            self._add_kind(kind, text)

    def _add_kind(self, kind: str, text: str) -> None:
        if kind == "maybe" and self._file_kind(text) is None:
            return
        if kind == "into" and self._file_kind(text.rpartition("/")[0] or ".") != _FOLDER:
            return
        self.add("read" if kind == "read" else "write", text)
        path = paths.absolute(text, self.cwd)
        if kind == "tree" and path is not None and self._file_kind(path) == _FOLDER:
            for below in self.search.below(path):
                self.add("write", below)

    def add_patch(self, file: str, folder: str, strip: int) -> None:
        from gatilho.patch_text import diff_paths

        for target in diff_paths(self._read(file), strip):
            self.add("write", f"{folder}/{target}" if folder else target)

    def _file_kind(self, text: str) -> int | None:
        path = paths.absolute(text, self.cwd)
        try:
            return None if path is None else system.stat(path).st_mode & _FILE_KIND
        except (OSError, ValueError):
            return None

    def _read(self, text: str) -> str:
        """Return the beginning of a regular file, "" where there is none."""
        path = paths.absolute(text, self.cwd)
        try:
            if path is None or system.stat(path).st_mode & _FILE_KIND != 0o100000:
                return ""
            descriptor = system.open(path, system.O_RDONLY)
        except (OSError, ValueError):
            return ""
        try:
            return system.read(descriptor, _LONGEST_PATCH).decode("utf-8", "surrogateescape")
        except OSError:
            return ""
        finally:
            system.close(descriptor)


def _literal(path: str) -> str:
    from gatilho.shell.arguments import literal_pattern

    return literal_pattern(path)
