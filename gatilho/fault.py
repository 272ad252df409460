"""What becomes of a fault in the hook: a log entry, one line for the person in a session, and never a stopped agent."""

import os

from gatilho.hosts import wire
from gatilho.hosts.event import Reply
from gatilho.quiet import home_of, live_mark
from gatilho.store import log
from gatilho.store.root import Repository, find_repository


def answer(fault: Exception, data: bytes, host: str = "") -> str:
    """The answer to an event whose handling failed: "" or a line for the person, the first time in a session.

    host: as the registered command names it, "" where it does not.
    """
    try:
        return _answer(fault, data, host)
    except Exception:
        return ""


def _answer(fault: Exception, data: bytes, host: str) -> str:
    from gatilho.hook import adapter_of
    from gatilho.hosts.detect import host_of

    payload = wire.decode(data)
    if not isinstance(payload, dict):
        return ""
    adapter = adapter_of(host or host_of(payload))
    event = adapter.read(payload)
    repository = find_repository(home_of(event))
    if repository is None:
        return ""
    log.write_fault(repository, event.name, fault)
    if not _first_in_session(repository, event.session):
        return ""
    where = repository.shared_state + log.FILE
    text = f"gatilho: {type(fault).__name__}: {fault}. The notes did not speak on this event; details in {where}"
    out = adapter.answer(event, Reply(person=_printable(text)))
    return wire.encode(out) if out else ""


def _first_in_session(repository: Repository, session: str) -> bool:
    mark = live_mark(repository.shared_state, session).replace("/live/", "/faults/")
    try:
        os.makedirs(os.path.dirname(mark), exist_ok=True)
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except FileExistsError:
        return False
    except OSError:
        pass  # nothing can be remembered here
    return True


def _printable(text: str) -> str:
    from gatilho.plain import clean_line

    return clean_line(text)[:500]
