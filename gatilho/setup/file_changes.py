"""File changes that are planned first, shown as a diff or made: nothing is written before all of them are known."""

import os
from collections.abc import Callable, Iterable
from difflib import unified_diff

from gatilho import bounded, files
from gatilho.errors import GatilhoError
from gatilho.model import Value


class FileChange(Value):
    """What one file becomes. name: relative to the repository. old, new: its bytes, None where it is not there.

    executable: a new file can be started.
    """

    name: str
    old: bytes | None
    new: bytes | None
    executable: bool = False

    @property
    def changes(self) -> bool:
        return self.old != self.new

    @property
    def verb(self) -> str:
        """Return what is said of it."""
        if self.new is None:
            return "removed"
        return "created" if self.old is None else "changed"


def read_planned_file(root: str, name: str) -> bytes | None:
    """Return the bytes of a file of the repository, None where it is not there.

    Raises GatilhoError when it cannot be read.
    """
    try:
        return bounded.read(f"{root}/{name}")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise GatilhoError(f"{name} cannot be read ({error.strerror or error}); nothing was written.") from error


def edited(
    root: str, name: str, edit: Callable[[bytes | None, bytes], bytes | None], lines: Iterable[bytes]
) -> FileChange:
    """Return what a file of the repository becomes by an edit that adds or removes one line, made for each of these."""
    old = new = read_planned_file(root, name)
    for line in lines:
        new = edit(new, line)
    return FileChange(name, old, new)


def diff_of_changes(planned: Iterable[FileChange]) -> str:
    """Return all changes as one unified diff."""
    return "".join(_diff_of(one) for one in planned if one.changes)


def summary_of_changes(planned: Iterable[FileChange]) -> list[str]:
    """Return a line for each change: the file, and how many lines it gains and loses."""
    return [f"would be {one.verb}  {one.name}  ({_size_of(one)})" for one in planned if one.changes]


def _size_of(one: FileChange) -> str:
    lines = _diff_of(one).split("\n")[2:]
    gained, lost = (sum(line.startswith(sign) for line in lines) for sign in "+-")
    return f"+{gained} -{lost}"


def make(root: str, planned: Iterable[FileChange]) -> None:
    """Write what is planned, nothing of it where one file cannot be; raises GatilhoError that names the file."""
    planned = list(planned)
    for one in planned:
        if one.changes and one.new is not None and files.is_read_only(f"{root}/{one.name}"):
            raise GatilhoError(f"{one.name} is read-only; nothing was written. Make it writable and try again.")
        if one.old is None and one.new is not None and os.path.islink(f"{root}/{one.name}"):
            raise GatilhoError(f"{one.name} is a link to a missing file; nothing was written. Remove the link.")
    for one in planned:
        if not one.changes:
            continue
        try:
            _make_one(f"{root}/{one.name}", one)
            if one.new is None:
                _remove_empty_folders(root, os.path.dirname(one.name))
        except OSError as error:
            raise GatilhoError(f"{one.name} cannot be written ({error.strerror or error}).") from error


def _make_one(path: str, one: FileChange) -> None:
    if one.new is None:
        os.unlink(path)
    elif one.old is None:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        files.create(path, one.new)
        if one.executable:
            os.chmod(path, 0o755)
    else:
        files.replace_bytes(path, one.old, one.new)


def _remove_empty_folders(root: str, folder: str) -> None:
    try:
        while folder:
            os.rmdir(f"{root}/{folder}")
            folder = os.path.dirname(folder)
    except OSError:
        pass  # others live there


def _diff_of(one: FileChange) -> str:
    before = f"a/{one.name}" if one.old is not None else "/dev/null"
    after = f"b/{one.name}" if one.new is not None else "/dev/null"
    lines = unified_diff(_lines(one.old), _lines(one.new), before, after)
    return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines)


def _lines(data: bytes | None) -> list[str]:
    """Return the lines with their line feeds; only the last may lack one."""
    lines = (data or b"").decode("utf-8", "replace").split("\n")
    return [line + "\n" for line in lines[:-1]] + [line for line in lines[-1:] if line]
