"""Events that could not be remembered when they came: each in a file of its own, until the next event takes it in."""

import os
import time

from gatilho import bounded, files
from gatilho.errors import ConflictError
from gatilho.git.root import Repository
from gatilho.hosts.event import AFTER, PROMPT, TURN_CLOSE, Event
from gatilho.index import database

_FOLDER = "/later"
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# Events whose loss would cost a ride, a payment or an owner's answer.
_KINDS = (AFTER, PROMPT, TURN_CLOSE)
# The most that one event takes in, so that it does not outlast its host's patience.
_AT_ONCE = 100
# Seconds for which an event waits for those that another process is handling.
_LONGEST_WAIT = 0.5
_TAKEN = ".taken"


def keep(repository: Repository, event: Event) -> bool:
    """Keep an event for the next one; whether that could be done. An event that nothing hangs on is not kept.

    One that waited here before keeps its turn among the others.
    """
    if event.kind not in _KINDS:
        return True
    import json

    folder = repository.shared_state + _FOLDER
    try:
        data = json.dumps(dict(zip(Event.__fields__, event.as_tuple()))).encode("ascii")
        os.makedirs(folder, exist_ok=True)
        place = event.waited_in if event.waited_in.startswith(folder + "/") else ""
        files.create(place or f"{folder}/{time.time_ns():020d}-{os.getpid()}.json", data)
        os.makedirs(repository.own_state, exist_ok=True)
        os.close(os.open(repository.waiting_mark, os.O_WRONLY | os.O_CREAT, 0o666))
    except (OSError, TypeError, ValueError):
        return False
    return True


def is_kept(repository: Repository) -> bool:
    """Return whether an event waits to be taken in."""
    return bool(_names(repository.shared_state + _FOLDER))


def take_later(repository: Repository, handle: "Callable[[Event, Repository], object]") -> bool:
    """Handle the events that wait, oldest first and each once; return whether all could be.

    One process does so at a time, for a turn must not close before its writes are noted.
    """
    folder = repository.shared_state + _FOLDER
    if not _names(folder, "") or not (lock := _locked(f"{folder}.lock")):
        return not _names(folder, "")
    try:
        for name in _names(folder, _TAKEN):  # of a process that was killed, perhaps because of it
            bounded.remove_quietly(f"{folder}/{name}")
        for name in _names(folder)[:_AT_ONCE]:
            if not _take(f"{folder}/{name}", repository, handle):
                return False
        return not _names(folder)
    finally:
        lock.release()


def _locked(path: str) -> "files.Lock | None":
    lock = files.lock(path, _LONGEST_WAIT)
    try:
        lock.acquire()
    except (ConflictError, OSError):
        return None
    return lock


def _take(path: str, repository: Repository, handle: "Callable[[Event, Repository], object]") -> bool:
    """Handle one event; return False where it goes on waiting, because somebody else holds the database."""
    taken = path + _TAKEN
    event = _claim(path, taken)
    try:
        if event is not None:
            handle(event, repository)
    except database.OperationalError as error:
        if not database.is_held(error):
            raise
        os.replace(taken, path)
        return False
    finally:
        bounded.remove_quietly(taken)
    return not os.path.exists(path)


def _names(folder: str, end: str = ".json") -> list[str]:
    """Return the names of events that wait, oldest first."""
    try:
        return sorted(name for name in os.listdir(folder) if name[0] != "." and name.endswith(end))
    except OSError:
        return []


def _claim(path: str, taken: str) -> Event | None:
    import json

    try:
        os.rename(path, taken)
        data = bounded.read(taken)
        said: dict[str, Any] = json.loads(data)
        fields: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in said.items()}
        return Event(**{**fields, "waited_in": path})
    except (OSError, TypeError, ValueError):
        return None
