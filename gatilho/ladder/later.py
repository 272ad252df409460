"""Events that could not be remembered when they came: each in a file of its own, until the next event takes it in."""

import os

from gatilho import bounded, files
from gatilho.git.root import Repository
from gatilho.hosts.event import AFTER, PROMPT, TURN_CLOSE, Event

_FOLDER = "/later"
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Events whose loss would cost a ride, a payment or an owner's answer.
_KINDS = (AFTER, PROMPT, TURN_CLOSE)
# The most that one event takes in, so that it does not outlast its host's patience.
_AT_ONCE = 100


def keep(repository: Repository, event: Event) -> bool:
    """Keep an event for the next one; whether that could be done. An event that nothing hangs on is not kept."""
    if event.kind not in _KINDS:
        return True
    import json
    import time

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
    try:
        return any(name.endswith(".json") for name in os.listdir(repository.shared_state + _FOLDER))
    except OSError:
        return False


def take_later(repository: Repository) -> list[Event]:
    """Return the events that wait, oldest first; each is given to one process alone."""
    folder = repository.shared_state + _FOLDER
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except OSError:
        return []
    return [event for name in names[:_AT_ONCE] if (event := _claim(f"{folder}/{name}")) is not None]


def _claim(path: str) -> Event | None:
    import json

    claimed = f"{path}.{os.getpid()}"
    try:
        os.rename(path, claimed)  # the second process to try finds nothing
        data = bounded.read(claimed)
        os.unlink(claimed)
        said: dict[str, Any] = json.loads(data)
        fields: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in said.items()}
        return Event(**fields)
    except (OSError, TypeError, ValueError):
        return None
