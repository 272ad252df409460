"""Events that could not be remembered when they came: each in a file of its own, until the next event takes it in."""

import os
import time

from gatilho import bounded, files
from gatilho.git.root import Repository
from gatilho.hosts.event import AFTER, PROMPT, TURN_CLOSE, Event
from gatilho.index import database
from gatilho.store import hook_log

_FOLDER = "/later"
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Handler = Callable[[Event, Repository], list[str]]

# Events whose loss would cost a ride, a payment or an owner's answer.
_KINDS = (AFTER, PROMPT, TURN_CLOSE)
# The most that one event takes in, so that it does not outlast its host's patience.
_AT_ONCE = 100
# Seconds for which an event waits for those that another process is handling.
_LONGEST_WAIT = 0.5
_TAKEN = ".taken"
# In the name of an event's file, once for each failure of its handling; with the last of these it is dropped.
_FAILED = "+"
_MOST_FAILURES = 10
_UNREAD_TEXT = (
    "the machine refused to read or write while an event was handled (is the disk full?), or broke what was noted: "
    "a note, a question, a ride or an answer may be missing."
)


def keep(repository: Repository, event: Event) -> bool:
    """Keep an event for the next one; whether that could be done. An event that nothing hangs on is not kept.

    One that waited here before keeps its turn among the others.
    """
    if event.kind not in _KINDS:
        return True
    import json

    folder = repository.shared_state + _FOLDER
    try:
        if event.waited_in.startswith(folder + "/"):
            os.rename(event.waited_in + _TAKEN, event.waited_in)  # needs no room on the disk
        else:
            data = json.dumps(event.as_dict()).encode("ascii")
            os.makedirs(folder, exist_ok=True)
            files.create(f"{folder}/{time.time_ns():020d}-{os.getpid()}.json", data)
        mark_waiting(repository)
    except (OSError, TypeError, ValueError):
        return False
    return True


def mark_waiting(repository: Repository) -> None:
    """Let the next event see that something waits, also one that matches no row."""
    os.makedirs(repository.own_state, exist_ok=True)
    files.append_bytes(repository.waiting_mark, b"")


def take_unread(repository: Repository, person: list[str]) -> None:
    """Report to the person, once, that an event was lost before it could be read."""
    try:
        os.unlink(repository.unread_mark)
        person.append(_UNREAD_TEXT)
    except OSError:
        pass  # another process was faster


def is_kept(repository: Repository) -> bool:
    """Return whether an event waits to be taken in."""
    return bool(_names(repository.shared_state + _FOLDER))


def take_later(repository: Repository, handle: "Handler", person: list[str]) -> bool:
    """Handle the events that wait, oldest first and each once; return whether all could be.

    One process does so at a time, for a turn must not close before its writes are noted. handle: returns what is to be
    said to the person, which is added to `person`, as is what was lost.
    """
    folder = repository.shared_state + _FOLDER
    if not _names(folder, "") or not (lock := files.held_lock(f"{folder}.lock", _LONGEST_WAIT)):
        return not _names(folder, "")
    try:
        for name in _names(folder, _TAKEN):  # of a process that was killed, perhaps because of it
            _put_back(repository, f"{folder}/{name.removesuffix(_TAKEN)}", person)
        for name in _names(folder)[:_AT_ONCE]:
            if not _take(f"{folder}/{name}", repository, handle, person):
                return False
        return not _names(folder)
    finally:
        lock.release()


def _take(path: str, repository: Repository, handle: "Handler", person: list[str]) -> bool:
    """Handle one event; return False where it goes on waiting, because of a fault or a database that is held."""
    try:
        os.rename(path, path + _TAKEN)
        person += handle(_event_in(path), repository)
    except Exception as fault:
        is_held = isinstance(fault, database.OperationalError) and database.is_held(fault)
        if not is_held:
            hook_log.write_fault(repository, "an event that waited", fault)
        _put_back(repository, path, person, has_failed=not is_held)
        return False
    bounded.remove_quietly(path + _TAKEN)
    return not os.path.exists(path)


def _put_back(repository: Repository, path: str, person: list[str], has_failed: bool = True) -> None:
    """Let an event that was taken wait on in its turn; drop one that failed too often, and report it."""
    if path.rpartition("/")[2].count(_FAILED) + has_failed >= _MOST_FAILURES:
        bounded.remove_quietly(path + _TAKEN)
        log = repository.shared_state + hook_log.FILE
        person.append(
            f"an event failed {_MOST_FAILURES} times and was dropped: a ride may be missing; details in {log}"
        )
        return
    stem = path.removesuffix(".json")
    try:
        os.rename(path + _TAKEN, f"{stem}{_FAILED * has_failed}.json")
        mark_waiting(repository)
    except OSError:
        pass  # it was put back before, or goes on waiting as one that was taken


def _names(folder: str, end: str = ".json") -> list[str]:
    """Return the names of events that wait, oldest first."""
    return sorted(name for name in bounded.folder_names(folder) if name[0] != "." and name.endswith(end))


def _event_in(path: str) -> Event:
    """Return the event of a file that was taken; raises OSError, or ValueError or TypeError where it is damaged."""
    import json

    said: dict[str, Any] = json.loads(bounded.read(path + _TAKEN))
    fields: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in said.items()}
    return Event(**{**fields, "waited_in": path})
