"""What the last run of each command came to and what it wrote: kept in the git directory, for people and for turns."""

import json
import os
import time
from hashlib import sha256

from gatilho import bounded, dates
from gatilho.git.root import Repository
from gatilho.model import Value
from gatilho.plain import shortened
from gatilho.verbs import Outcome

# Lines that `show` prints, lines and characters of one where there is less room; days after which a run is forgotten.
SHOWN = 20
FEW, _LONGEST_LINE = 3, 160
_FORGOTTEN_AFTER = 90
_LOG, _WAITING = ".log", ".waiting"


class LastRun(Value):
    """The last run of a command: when (UTC), what it came to in words, its sandbox, the last lines of its output.

    log: the file with its whole output, "" where there is none.
    """

    when: str
    said: str
    sandbox: str
    lines: tuple[str, ...]
    log: str = ""

    def last_lines(self, most: int = FEW) -> list[str]:
        """Return the last lines of output, short enough for a message."""
        return [shortened(line, _LONGEST_LINE) for line in self.lines[-most:]]


class History(Value):
    """What decides whose turn it is. seconds: of the last run, 0.0 for none.

    waiting: since when (epoch) the command waits for time, 0.0 for not at all. was_cut: it was started, and its share
    of the time was too short.
    """

    waiting: float
    was_cut: bool
    seconds: float

    @property
    def is_waiting(self) -> bool:
        """Return whether the last turn's end had too little time for it."""
        return self.waiting > 0

    @property
    def rank(self) -> tuple[int, float]:
        """Return the order of commands at a turn's end: not reached, cut short, then what was quickest."""
        if not self.is_waiting:
            return 2, self.seconds
        return int(self.was_cut), self.waiting


def keep_run(repository: Repository, text: str, outcome: Outcome, sandbox: str, seconds: float, output: bytes) -> None:
    """Keep a run; a git directory that cannot be written keeps nothing."""
    said = f"holds ({outcome.evidence})" if outcome.holds else f"does not hold ({outcome.reason})"
    head = {"when": dates.utc_time(), "said": said, "sandbox": sandbox, "seconds": seconds}
    try:
        os.makedirs(_folder(repository), exist_ok=True)
        with open(_path(repository, text), "wb") as file:
            file.write(json.dumps(head).encode() + b"\n" + output)
        _forget(_folder(repository))
        # Last of all: where nothing waited this fails, and the rest is done by then.
        os.unlink(_path(repository, text) + _WAITING)
    except OSError:
        pass


def keep_waiting(repository: Repository, text: str, was_cut: bool) -> None:
    """Remember that the time was over before a command, or while it ran; since when it waits is not forgotten."""
    try:
        os.makedirs(_folder(repository), exist_ok=True)
        with open(_path(repository, text) + _WAITING, "x", encoding="ascii") as file:
            file.write(f"{time.time()!r} {'cut' if was_cut else 'unreached'}")
    except OSError:
        pass


def run_history(repository: Repository, text: str) -> History:
    """Return whether a command waits since an earlier close, and how long its last run took."""
    head, _ = _read(repository, text)
    try:
        since, how = bounded.head(_path(repository, text) + _WAITING, 60).decode("ascii").split()
        waiting, was_cut = float(since), how == "cut"
    except (OSError, ValueError):
        waiting, was_cut = 0.0, False
    return History(waiting, was_cut, float(head["seconds"]) if head else 0.0)


def last_run_of(repository: Repository, text: str) -> LastRun | None:
    """Return the last run of a command in this working tree, None where there was none."""
    head, body = _read(repository, text)
    if not head:
        return None
    output = [line for line in body.replace("\r\n", "\n").strip("\n").split("\n") if line.strip()]
    log = log_path(repository, text, make=False)
    has_log = bool(output) and os.path.isfile(log)
    return LastRun(head["when"], head["said"], head["sandbox"], tuple(output[-SHOWN:]), log if has_log else "")


def log_path(repository: Repository, text: str, make: bool = True) -> str:
    """Return the file for a command's whole output; its folder is made, if it can be."""
    if make:
        try:
            os.makedirs(_folder(repository), exist_ok=True)
        except OSError:
            pass
    return _path(repository, text) + _LOG


def _read(repository: Repository, text: str) -> "tuple[dict[str, str], str]":
    """Return the head of a kept run and the end of its output; an empty head for none, or for an older form."""
    try:
        line, _, body = bounded.read(_path(repository, text)).partition(b"\n")
        head = json.loads(line)
        return {name: head[name] for name in ("when", "said", "sandbox", "seconds")}, body.decode("utf-8", "replace")
    except (OSError, ValueError, KeyError, TypeError):
        return {}, ""


def _folder(repository: Repository) -> str:
    return repository.own_state + "/runs"


def _path(repository: Repository, text: str) -> str:
    return f"{_folder(repository)}/{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _forget(folder: str) -> None:
    oldest = time.time() - _FORGOTTEN_AFTER * 86400
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.stat().st_mtime < oldest:
                os.unlink(entry.path)
