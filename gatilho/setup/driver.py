"""The merge driver in git's configuration and attributes: which command, which line, whether they are there."""

import os
import shlex
import site
import sys

from gatilho import bounded
from gatilho.errors import ExitStatus, GatilhoError
from gatilho.git import query
from gatilho.git.root import Repository
from gatilho.setup.dispatcher import package_folder

NAME = "gatilho"
KEY = f"merge.{NAME}.driver"
TITLE = "rows of gatilho's tables, by id"
ATTRIBUTES = ".gitattributes"
LINE = b"**/docs/gatilhos/**/*.md merge=gatilho"
# As it was before there were nested stores; it does for a repository without any.
_OF_ROOT = LINE.removeprefix(b"**/")
# What the driver answers for a conflict. Git takes any status up to 128 for one; a shell or an interpreter that cannot
# run the driver answers 1, 126 or 127, and then git's merge of the text has to take its place.
CONFLICT = ExitStatus.NEEDS_A_PERSON


def command() -> str:
    """Return the command that git runs for one file, for this interpreter; where that fails, git merges the text."""
    interpreter = shlex.quote(sys.executable.replace("\\", "/"))
    folder = os.path.dirname(package_folder()).replace("\\", "/")
    if _is_installed(folder):
        ours = f"{interpreter} -I -m gatilho"
    else:
        ours = f"PYTHONPATH={shlex.quote(folder)} {interpreter} -P -m gatilho"
    merge_file = "git merge-file -q --marker-size=%L -L ours -L base -L theirs %A %O %B"
    return (
        f"{ours} merge-driver %O %A %B %P --marker-size %L; s=$?; case $s in 0|{CONFLICT}) exit $s;; esac; {merge_file}"
    )


def _is_installed(folder: str) -> bool:
    """Return whether the interpreter finds the package there by itself, in isolated mode too."""
    places = [*site.getsitepackages(), os.path.join(sys.prefix, "lib")]
    return os.path.realpath(folder) in {os.path.realpath(place) for place in places}


def registered(root: str, *scope: str) -> str:
    """Return the command that is registered for the repository, in one of git's scopes or any, "" for none."""
    return query.decoded(query.ask(root, "config", *scope, "--get", KEY) or b"").rstrip("\n")


def register_driver(root: str) -> None:
    """Put the driver into the repository's own configuration; raises GatilhoError where git refuses."""
    # The command first: git refuses to merge at all with a driver that has a name alone.
    for key, value in ((KEY, command()), (f"merge.{NAME}.name", TITLE)):
        done = query.run(root, "config", "--local", key, value)
        if done.status:
            raise GatilhoError(f"git could not set {key}: {done.said.strip()}")


def introduce_driver(repository: Repository) -> None:
    """Register the driver in a clone whose attributes name it and whose configuration does not have it yet."""
    try:
        attributes = bounded.read(f"{repository.root}/{ATTRIBUTES}")
        if {LINE, _OF_ROOT}.intersection(attributes.splitlines()) and not registered(repository.root):
            register_driver(repository.root)
    except (OSError, GatilhoError):
        pass  # without it git merges the text; `gatilho doctor` says so


def unregister_driver(root: str) -> bool:
    """Take the driver out of the repository's own configuration; whether it was there."""
    return query.run(root, "config", "--local", "--remove-section", f"merge.{NAME}").status == 0


def names_driver(root: str, path: str) -> bool:
    """Return whether the attributes of a path say that the driver merges it."""
    said = query.ask(root, "check-attr", "-z", "merge", "--", path) or b""
    return said.split(b"\0")[2:3] == [NAME.encode()]


def conflict_style(root: str) -> str:
    """Return how the person wants conflicts to be shown: merge, diff3 or zdiff3."""
    return query.ask_text(root, "config", "--get", "merge.conflictStyle") or "merge"


def with_line(data: bytes | None, wanted: bytes = LINE) -> bytes:
    """Return the attributes with the line that names the driver, or another file with another line.

    Where the last line had no ending, the new one has none.
    """
    data = data or b""
    if has_line(data, wanted):
        return data
    if wanted == LINE and has_line(data, _OF_ROOT):
        lines = data.splitlines(keepends=True)
        return b"".join(line.replace(_OF_ROOT, LINE) if line.strip() == _OF_ROOT else line for line in lines)
    ending = b"\r\n" if b"\r\n" in data else b"\n"
    return data + ending + wanted if data and not data.endswith(b"\n") else data + wanted + ending


def without_line(data: bytes | None, wanted: bytes = LINE) -> bytes | None:
    """Return the attributes without that line; None where nothing else is left."""
    if data is not None and wanted == LINE and not has_line(data, wanted):
        wanted = _OF_ROOT
    if data is None or not has_line(data, wanted):
        return data
    left = b"".join(line for line in data.splitlines(keepends=True) if line.strip() != wanted)
    if data.endswith(wanted):  # `with_line` found no ending before it
        left = left.removesuffix(b"\n").removesuffix(b"\r")
    return left if left.strip() else None


def has_line(data: bytes, wanted: bytes = LINE) -> bool:
    """Return whether the attributes have the line that names the driver."""
    return any(line.strip() == wanted for line in data.splitlines())
