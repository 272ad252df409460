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
from gatilho.shell.outputs import split_folder

_STAND_IN = """#!/bin/sh
echo "${0##*/}" >>"${0%/*}/.called"
echo "/bin/sh: 1: ${0##*/}: not found" >&2
exit 127
"""
# In the folder of the notes: the file that they are in. No program is called so.
CALLED = ".called"
# The shell's own line, for a name that only the run makes known.
_SAID = re.compile(r"^/bin/sh: (?:\S+ )?\d+: (.+?): (?:command )?not found$", re.MULTILINE)
# They say whether a program is there, so a text that asks them has an answer of its own.
_ASKING = frozenset(("type", "which", "hash", "whence", "test", "[", "[["))
# They run the file that they are given first, after options of these letters.
_OF_SHELLS, _OF_PYTHON = frozenset("aefhilnruvx"), frozenset("BEIOPSbiqsuv")
_INTERPRETERS = {
    **dict.fromkeys(("sh", "bash", "dash", "zsh", "ksh"), _OF_SHELLS),
    **dict.fromkeys(("python", "python3"), _OF_PYTHON),
    **dict.fromkeys((".", "source", "perl", "ruby", "php", "Rscript", "lua"), frozenset[str]()),
}
_SOURCING = (".", "source")
# They run the command in their arguments here; others do so in a container, or on another machine.
_WRAPPERS = frozenset(
    ("command", "env", "exec", "nice", "nohup", "setsid", "stdbuf", "sudo", "time", "timeout", "xargs")
)
_UNKNOWN = "\0"
_QUOTES = dict.fromkeys(map(ord, "'\"\\"))
# Bytes of notes that are read.
_MOST_NOTES = 100_000


class Absent:
    """What one command needs and does not find. folder: a new one; environ: of the command, whose PATH may gain it."""

    def __init__(self, text: str, folder: str, environ: dict[str, str]) -> None:
        self.called = f"{folder}/{CALLED}"
        self._text = text
        self._reading = read_command(text)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with open(self.called, "w", encoding="ascii"):
            pass
        self._home = environ.get("HOME", "")
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
        said = [*self._notes().split("\n"), *_SAID.findall(output.decode("utf-8", "replace"))]
        text = self._text.translate(_QUOTES)
        named = (name for name in said if name and re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w./-])", text))
        return str(next(named, ""))

    def missing_file(self, roots: "Sequence[str]") -> str:
        """Return a file that the text runs and that none of the roots has, "" for none.

        What another of its commands names may be made by it, or removed.
        """
        folders = [self._place(folder) for places in self._reading.folders for folder in places or (None,)]
        written = {self._place(path) for kind, path in self._reading.words if kind.startswith("write")}
        for call in self._reading.calls:
            name, is_run_by = _file_run_by(call)
            others = (one[1:] for one in self._reading.calls if one != call and not _wraps(one, call))
            path = self._place(name)
            if not path or any(name in words for words in others) or (path[0] != "/" and None in folders):
                continue
            spots = {os.path.normpath(os.path.join(folder or "", path)) for folder in (*folders, "")}
            places = [os.path.join(root, spot) for root in roots for spot in spots]
            if spots.isdisjoint(written) and not any(
                os.path.exists(place) if is_run_by else _can_run(place) for place in places
            ):
                return path
        return ""

    def _place(self, text: "str | None") -> str | None:
        """Return a path as the command's own, None for one that the text alone does not show."""
        what, rest = split_folder(text or "") or ("", text or "")
        if what[:1] == "$":
            what = self._home if what == "$HOME" else _UNKNOWN
        return what + rest if text is not None and (what + rest).isprintable() else None

    def _notes(self) -> str:
        try:
            return bounded.head(self.called, _MOST_NOTES).decode("utf-8", "replace")
        except OSError:
            return ""


def _names(reading: CommandLine) -> list[str]:
    """Return the programs that a text calls by name alone, without those that it asks for by itself."""
    asking = [
        call for call in reading.calls if call[0] in _ASKING or call[:2] in (("command", "-v"), ("command", "-V"))
    ]
    left = {"", ".", "..", CALLED, *(word for call in asking for word in call[1:])}
    names = dict.fromkeys(call[0] for call in reading.calls)
    return [name for name in names if name.isprintable() and "/" not in name and name not in left]


def _file_run_by(call: tuple[str, ...]) -> tuple[str, bool]:
    """Return the file that a simple command runs by its path, and whether an interpreter runs it; "" for none."""
    letters = _INTERPRETERS.get(call[0].rpartition("/")[2])
    name = call[0]
    if letters is not None:
        name = next((word for word in call[1:] if word[:1] != "-" or not letters.issuperset(word[1:])), "")
    is_file = ("/" in name or (letters is not None and call[0] not in _SOURCING)) and name[:1] not in ("-", "~", "")
    return ("" if not is_file or set(name) & set("*?[" + _UNKNOWN) else name), letters is not None


def _wraps(outer: tuple[str, ...], call: tuple[str, ...]) -> bool:
    return outer[0] in _WRAPPERS and outer[-len(call) :] == call


def _can_run(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


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
