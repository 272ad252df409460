"""What becomes of a fault in the hook: a log entry, one line for the person in a session, and never a stopped agent."""

import os
import sys

from gatilho import wire
from gatilho.event_places import event_folder, homeless_state
from gatilho.git.root import Repository, find_repository, live_mark
from gatilho.hosts.event import Reply
from gatilho.store import hook_log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gatilho.hosts import Host


def answer(fault: Exception, data: bytes, caller_of: "Callable[[dict[str, object]], Host]") -> str:
    """Return the answer to an event whose handling failed: "" or a line for the person, the first time in a session.

    caller_of: finds the record of the host that sent a payload.
    """
    payload = wire.decode(data)
    if not isinstance(payload, dict):
        return ""
    caller = caller_of(payload)
    event = caller.read(payload)
    repository = find_repository(event_folder(event))
    if repository is None:
        return ""
    hook_log.write_fault(repository, event.name, fault)
    if not is_first(repository, event.session):
        return ""
    text = _other_python() if isinstance(fault, ImportError) else ""
    if not text:
        where = repository.shared_state + hook_log.FILE
        text = f"{type(fault).__name__}: {fault}. The notes did not speak on this event; details in {where}"
    out = caller.answer(event, Reply(person=_printable(f"gatilho: {text}")))
    return out if isinstance(out, str) else wire.encode(out) if out else ""


def _other_python() -> str:
    """Return what to do where the compiled part of `regex` is for another Python than this one; else ""."""
    built, runs = _regex_is_built_for(), f"{sys.version_info[0]}.{sys.version_info[1]}"
    if built in ("", runs):
        return ""
    return (
        f"it is installed for Python {built}, and the hook runs Python {runs} ({sys.executable}), so no note speaks. "
        f"Run `gatilho init --local`, or put a python3 that is Python {built} first on the PATH."
    )


def _regex_is_built_for() -> str:
    """Return the Python version, as `3.11`, that the name of the compiled module bears; "" where there is none."""
    from importlib.util import find_spec

    found = find_spec("regex")
    for folder in (found.submodule_search_locations or ()) if found else ():
        for name in sorted(os.listdir(folder)):
            tag = name.split(".")[1].removeprefix("cpython-") if name.startswith("_regex.") else ""
            digits = tag.removeprefix("cp").split("-")[0]
            if digits.isdigit():
                return f"{digits[0]}.{digits[1:]}"
    return ""


def is_first(repository: Repository, session: str) -> bool:
    """Return whether no fault was reported to the person in the session before; from now on one was.

    Where the git directory cannot be written, the person's own state folder remembers it.
    """
    for state in (repository.shared_state, homeless_state()):
        mark = live_mark(state, session).replace("/live/", "/faults/")
        try:
            os.makedirs(os.path.dirname(mark), exist_ok=True)
            os.close(os.open(mark, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        except FileExistsError:
            return False
        except OSError:
            continue
        return True
    return True  # nothing can be remembered anywhere


def _printable(text: str) -> str:
    from gatilho.plain import clean_line

    return clean_line(text)[:500]
