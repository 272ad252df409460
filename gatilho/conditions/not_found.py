"""Programs that a command names and the machine does not have: without them its status says nothing.

The shell's own line about it may go to /dev/null, and `! rg -q OLD` is true without ripgrep. So the last folder on the
PATH of a command holds a program for each name that is not found before it, which notes that it was called.
"""

import os
import re
import shutil
from collections.abc import Sequence

from gatilho import bounded
from gatilho.shell.command_line import CommandLine, read_command

_STAND_IN = """#!/bin/sh
echo "${0##*/}" >>"${0%/*}/called"
echo "/bin/sh: 1: ${0##*/}: not found" >&2
exit 127
"""
# The shell's own line, for a name that only the run makes known.
_SAID = re.compile(r"^/bin/sh: (?:\S+ )?\d+: (.+?): (?:command )?not found$", re.MULTILINE)
# They say whether a program is there, so a text that asks them has an answer of its own.
_ASKING = frozenset(("command", "type", "which", "hash", "whence", "test", "[", "[["))
# They run the file that they are given first.
_INTERPRETERS = frozenset(
    ("sh", "bash", "dash", "zsh", "ksh", "python", "python3", "node", "perl", "ruby", "php", "Rscript", "lua")
)  # fmt: skip
_UNKNOWN = "\0"
# Bytes of notes that are read.
_MOST_NOTES = 100_000


class Absent:
    """What one command needs and does not find. folder: a new one; environ: of the command, whose PATH may gain it."""

    def __init__(self, text: str, folder: str, environ: dict[str, str]) -> None:
        self.called = f"{folder}/called"
        self._text = text
        self._reading = read_command(text)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with open(self.called, "w", encoding="ascii"):
            pass
        path = environ["PATH"]
        for name in _names(self._reading):
            if shutil.which(name, path=path) is None and _make_program(f"{folder}/{name}"):
                environ["PATH"] = f"{path}:{folder}"

    @property
    def has_begun(self) -> bool:
        """Return whether the shell of the command was started, which notes an empty line first."""
        return bool(self._notes())

    def starting(self) -> list[str]:
        """Return the command line that notes its beginning and becomes the shell of the command."""
        return ["/bin/sh", "-c", 'echo >>"$1" && exec /bin/sh -c "$2"', "sh", self.called, self._text]

    def missing(self, output: bytes) -> str:
        """Return a program of the text itself that the shell did not find; a Makefile may try what it likes."""
        said = _SAID.findall(output.decode("utf-8", "replace"))
        for name in [*self._notes().split("\n"), *said]:
            if name and re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w./-])", self._text):
                return str(name)
        return ""

    def missing_file(self, roots: "Sequence[str]") -> str:
        """Return a file that the text runs and that none of the roots has, "" for none."""
        folders = {folder for places in self._reading.folders for folder in places} | {""}
        for call in self._reading.calls:
            name, is_run_by = _file_run_by(call)
            if not name or any(name in one[2 if one is call and is_run_by else 1 :] for one in self._reading.calls):
                continue
            places = {os.path.join(root, folder, name) for root in roots for folder in folders}
            if not any(os.path.isfile(place) and (is_run_by or os.access(place, os.X_OK)) for place in places):
                return name
        return ""

    def _notes(self) -> str:
        try:
            return bounded.head(self.called, _MOST_NOTES).decode("utf-8", "replace")
        except OSError:
            return ""


def _names(reading: CommandLine) -> list[str]:
    """Return the programs that a text calls by name alone, without those that it asks for by itself."""
    asked = {word for call in reading.calls if call[0] in _ASKING for word in call[1:]}
    return [
        call[0]
        for call in reading.calls
        if call[0].isprintable() and "/" not in call[0] and call[0] not in (*asked, "", ".", "..", "called")
    ]


def _file_run_by(call: tuple[str, ...]) -> tuple[str, bool]:
    """Return the file that a simple command runs by its path, and whether an interpreter runs it; "" for none."""
    is_run_by = call[0].rpartition("/")[2] in _INTERPRETERS
    name = next(iter(call[1:2]), "") if is_run_by else call[0]
    is_file = ("/" in name or is_run_by) and name[:1] not in ("-", "~", "")
    return (name, is_run_by) if is_file and not set(name) & set("*?[" + _UNKNOWN) else ("", is_run_by)


def _make_program(path: str) -> bool:
    """Make the program that stands in for a missing one; whether it can be run."""
    try:
        with open(path, "x", encoding="ascii") as file:
            file.write(_STAND_IN)
        os.chmod(path, 0o700)
    except OSError:  # made before, or a name that is too long for a file
        pass
    # Not where the file system runs nothing; the shell's own line is read all the same.
    return os.access(path, os.X_OK)
