"""What the last run of a command came to and the end of what it wrote: kept in the git directory, for `show`."""

import os
import time
from hashlib import sha256

from gatilho import dates
from gatilho.conditions.files import Outcome
from gatilho.git.root import Repository
from gatilho.model import Value

# Lines that are shown, and days after which a run is forgotten.
SHOWN = 20
_FORGOTTEN_AFTER = 90


class LastRun(Value):
    """The last run of a command: when (UTC), what it came to in words, its sandbox, the last lines of its output."""

    when: str
    said: str
    sandbox: str
    lines: tuple[str, ...]


def keep(repository: Repository, text: str, outcome: Outcome, sandbox: str, output: bytes) -> None:
    """Keep a run; a git directory that cannot be written keeps nothing."""
    folder = _folder(repository)
    when = dates.utc_time()
    said = f"holds ({outcome.evidence})" if outcome.holds else f"does not hold ({outcome.reason})"
    head = "\n".join(line.replace("\n", " ") for line in (when, said, sandbox))
    try:
        os.makedirs(folder, exist_ok=True)
        with open(_path(repository, text), "wb") as file:
            file.write(head.encode("utf-8", "replace") + b"\n" + output)
        _forget(folder)
    except OSError:
        pass


def read(repository: Repository, text: str) -> LastRun | None:
    """The last run of a command in this working tree, None where there was none."""
    try:
        with open(_path(repository, text), "rb") as file:
            lines = file.read().decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    except OSError:
        return None
    if len(lines) < 3:
        return None
    output = [line for line in "\n".join(lines[3:]).strip("\n").split("\n") if line.strip()]
    return LastRun(lines[0], lines[1], lines[2], tuple(output[-SHOWN:]))


def _folder(repository: Repository) -> str:
    return repository.own_state + "/runs"


def _path(repository: Repository, text: str) -> str:
    return f"{_folder(repository)}/{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _forget(folder: str) -> None:
    oldest = time.time() - _FORGOTTEN_AFTER * 86400
    for entry in os.scandir(folder):
        if entry.stat().st_mtime < oldest:
            os.unlink(entry.path)
