"""Events that could not be remembered when they came: each in a file of its own, until the next event takes it in."""

import os
import time

from gatilho import bounded, files
from gatilho.git.root import Repository
from gatilho.hosts.event import AFTER, PROMPT, TURN_CLOSE, Event

_FOLDER = "/later"
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

# Events whose loss would cost a ride, a payment or an owner's answer.
_KINDS = (AFTER, PROMPT, TURN_CLOSE)
# The most that one event takes in, so that it does not outlast its host's patience.
_AT_ONCE = 100
# Seconds for which an event waits for those that another process is handling, and that this takes at most.
_LONGEST_WAIT = 0.5
_LONGEST_HANDLING = 10
_PAUSE = 0.01


def keep(repository: Repository, event: Event) -> bool:
    """Keep an event for the next one; whether that could be done. An event that nothing hangs on is not kept."""
    if event.kind not in _KINDS:
        return True
    import json

    folder = repository.shared_state + _FOLDER
    try:
        data = json.dumps(dict(zip(Event.__fields__, event.as_tuple()))).encode("ascii")
        os.makedirs(folder, exist_ok=True)
        files.create(f"{folder}/{time.time_ns():020d}-{os.getpid()}.json", data)
        os.makedirs(repository.own_state, exist_ok=True)
        os.close(os.open(repository.waiting_mark, os.O_WRONLY | os.O_CREAT, 0o666))
    except (OSError, TypeError, ValueError):
        return False
    return True


def is_kept(repository: Repository) -> bool:
    """Return whether an event waits to be taken in."""
    return bool(_names(repository.shared_state + _FOLDER))


def take_later(repository: Repository) -> "Iterator[Event]":
    """Yield the events that wait, oldest first; each is given to one process alone, and gone when that asks for more.

    At the end it is waited for what other processes have taken: a turn must not close before its writes are noted.
    """
    folder = repository.shared_state + _FOLDER
    for name in _names(folder)[:_AT_ONCE]:
        claimed = f"{folder}/{name}.{os.getpid()}"
        event = _claim(f"{folder}/{name}", claimed)
        try:
            if event is not None:
                yield event
        finally:  # also where it cannot be handled: others wait while the file is there
            files.remove_quietly(claimed)
    until = time.monotonic() + _LONGEST_WAIT
    while any(_is_handled(folder, name) for name in _names(folder, ".json.")) and time.monotonic() < until:
        time.sleep(_PAUSE)


def _names(folder: str, part: str = ".json") -> list[str]:
    """Return the names of events that wait; with the part that follows on `.json`, of those that were taken."""
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return sorted(name for name in names if name[0] != "." and (part in name if part[5:] else name.endswith(part)))


def _is_handled(folder: str, name: str) -> bool:
    """Return whether a process still handles an event that it took; what one left that was killed is removed."""
    try:
        is_new = time.time() - os.stat(f"{folder}/{name}").st_ctime < _LONGEST_HANDLING
    except OSError:
        return False
    if not is_new:
        files.remove_quietly(f"{folder}/{name}")
    return is_new


def _claim(path: str, claimed: str) -> Event | None:
    import json

    try:
        os.rename(path, claimed)  # the second process to try finds nothing
        data = bounded.read(claimed)
        said: dict[str, Any] = json.loads(data)
        fields: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in said.items()}
        return Event(**fields)
    except (OSError, TypeError, ValueError):
        return None
