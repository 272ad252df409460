"""What `init --team` adds: hooks that write the ledger only, and a workflow that brings the counts into the tables."""

import os
import re
import tomllib
from codecs import BOM_UTF8
from typing import Any

from gatilho import __version__
from gatilho.config import FILE, PYPROJECT
from gatilho.errors import GatilhoError
from gatilho.git import query
from gatilho.git.branches import default_branch
from gatilho.git.root import Repository
from gatilho.setup import dispatcher, file_changes
from gatilho.setup.file_changes import FileChange

WORKFLOW = ".github/workflows/gatilho.yml"
SETTINGS = {"rides_in": "ledger", "rule_rides": "local"}
SUGGESTION = (
    "several people committed in the last 90 days. With the rides in the tables, their pull requests conflict on "
    "hosting services; `gatilho init --team` keeps them apart"
)
# Text in a long string or a list may look like a header: that is why `_is_so` parses the result again.
_HEADER = re.compile(rb"^[ \t]*\[", re.MULTILINE)
# TOML allows blanks around the dots of a header, and a comment after it.
_OURS = re.compile(rb"^[ \t]*\[[ \t]*tool[ \t]*\.[ \t]*gatilho[ \t]*\][^\n]*(?:\n|\Z)", re.MULTILINE)


def plan_team(repository: Repository) -> list[FileChange]:
    """Return the configuration and the workflow as they will be; a workflow that is there stays as it is."""
    root = repository.root
    old = file_changes.read_planned_file(root, WORKFLOW)
    workflow = old if old is not None else _workflow(default_branch(repository) or "main")
    return [_configuration(root), FileChange(WORKFLOW, old, workflow)]


def has_several_people(root: str) -> bool:
    """Return whether more than one person committed in the last 90 days, by their addresses."""
    said = query.ask(root, "log", "--since=90.days", "--max-count=2000", "--format=%aE", "HEAD") or b""
    people = {line for line in said.lower().splitlines() if line and b"[bot]" not in line}
    return len(people) > 1


def wants_team(repository: Repository, rides_in: str, rule_rides: str) -> bool:
    """Return whether the settings of a team would serve a repository that lacks one of them."""
    lacking = {"rides_in": rides_in, "rule_rides": rule_rides} != SETTINGS
    return lacking and has_several_people(repository.root)


def _workflow(branch: str) -> bytes:
    folder = os.path.join(dispatcher.package_folder(), "starter")
    text = (file_changes.read_planned_file(folder, "team.yml") or b"").decode()
    safe = branch.replace("\\", "\\\\").replace('"', '\\"')
    return text.replace("@BRANCH@", safe).replace("@VERSION@", __version__).encode()


def _configuration(root: str) -> FileChange:
    """Return the change of the file that configures the repository, a new `gatilho.toml` where none does."""
    own = file_changes.read_planned_file(root, FILE)
    project = file_changes.read_planned_file(root, PYPROJECT)
    if own is None and project is not None and _table(project, PYPROJECT, ("tool", "gatilho")) is not None:
        return FileChange(PYPROJECT, project, with_settings(project, PYPROJECT, ("tool", "gatilho")))
    return FileChange(FILE, own, with_settings(own or b"", FILE, ()))


def with_settings(data: bytes, name: str, table: tuple[str, ...]) -> bytes:
    """Return the file with the settings of a team and every other byte as it was.

    table: the keys of ours in it. Raises GatilhoError where that cannot be done.
    """
    before = _table(data, name, table) or {}
    wanted = {key: value for key, value in SETTINGS.items() if before.get(key) != value}
    new, missing = data, []
    for key, value in wanted.items():
        replaced = _replaced(new, table, key, value)
        missing += [f'{key} = "{value}"'.encode()] if replaced is None else []
        new = new if replaced is None else replaced
    new = _with_lines(new, table, missing) if missing else new
    if wanted and not _is_so(new, data, name, table):
        lines = ", ".join(f'{key} = "{value}"' for key, value in SETTINGS.items())
        raise GatilhoError(f"{name} cannot be changed safely; nothing was written. Write {lines} into it yourself.")
    return new


def _is_so(new: bytes, old: bytes, name: str, table: tuple[str, ...]) -> bool:
    """Return whether the new file says the same except for the settings."""
    try:
        found = _document(new, name)
    except GatilhoError:
        return False
    expected = _document(old, name)
    inner: Any = expected
    for key in table:
        inner = inner.setdefault(key, {})
    inner.update(SETTINGS)
    return found == expected


def _replaced(data: bytes, table: tuple[str, ...], key: str, value: str) -> bytes | None:
    """Return the file with another value in the key's own line, None where it has none."""
    start, end = _region(data, table)
    assignment = rb"^[ \t]*" + key.encode() + rb"[ \t]*=[ \t]*(\"[^\"\r\n]*\"|'[^'\r\n]*')"
    there = re.search(assignment, data[start:end], re.MULTILINE) if start >= 0 else None
    if there is None:
        return None
    return data[: start + there.start(1)] + f'"{value}"'.encode() + data[start + there.end(1) :]


def _with_lines(data: bytes, table: tuple[str, ...], lines: list[bytes]) -> bytes:
    """Return the file with new lines: after the header of our table, or at the end of the keys before any header."""
    end_of_line = b"\r\n" if b"\r\n" in data else b"\n"
    start, end = _region(data, table)
    if start < 0:
        head = b"" if not data or data.endswith(b"\n") else end_of_line
        data += head + b"[" + ".".join(table).encode() + b"]" + end_of_line
        start = end = len(data)
    text = end_of_line.join(lines)
    if table or not data[start:end].strip():
        return data[:start] + text + end_of_line + data[start:]
    at = start + len(data[start:end].rstrip())
    return data[:at] + end_of_line + text + (data[at:] or end_of_line)


def _region(data: bytes, table: tuple[str, ...]) -> tuple[int, int]:
    """Return where our own keys begin and end; (-1, -1) where there is no header for them."""
    start = len(BOM_UTF8) if data.startswith(BOM_UTF8) else 0
    if table:
        header = _OURS.search(data)
        if header is None:
            return -1, -1
        start = header.end()
    following = _HEADER.search(data, start)
    return start, following.start() if following else len(data)


def _table(data: bytes, name: str, table: tuple[str, ...]) -> "dict[str, object] | None":
    found = _document(data, name)
    for key in table:
        inner = found.get(key)
        if not isinstance(inner, dict):
            return None
        found = inner
    return found


def _document(data: bytes, name: str) -> "dict[str, object]":
    try:
        return tomllib.loads(data.removeprefix(BOM_UTF8).decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise GatilhoError(f"{name} is not valid TOML ({error}); nothing was written. Correct it first.") from None
