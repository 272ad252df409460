"""The other repositories that a session touches: noted with its own, and settled with its turns."""

import os
import time

from gatilho.event_places import homeless_state
from gatilho.git.root import Repository, find_repository
from gatilho.hosts import Host
from gatilho.hosts.event import PROMPT, SESSION_START, TURN_CLOSE, Event
from gatilho.ladder import recording, sessions, settling
from gatilho.ladder.event_context import EventContext, UntilClosed, session_id_of


def note_other(event: Event, own: Repository | None, root: str) -> None:
    """Remember with the session's own repository that its turns are to be closed in another one as well."""
    with sessions.Transaction(_folder(own)) as connection:
        last_sign = sessions.last_sign_of(_folder(own), event.session)
        session = sessions.enter(connection, _session_id(event, own), event.host, _root(own), time.time(), last_sign)
        session.note_elsewhere(root)
        sessions.mark_live(_folder(own), event.session)


def settle_elsewhere(event: Event, adapter: Host, own: Repository | None, began: float) -> list[str]:
    """Settle what the session left open in other repositories; returns lines for the person.

    At a session's start also what silent sessions left there that began in the same place. began: when the event came,
    on the monotonic clock.
    """
    if not os.path.exists(_folder(own) + "/sessions.db"):
        return []
    with sessions.Transaction(_folder(own)) as connection:
        roots = sessions.roots_elsewhere(connection, _session_id(event, own))
        if event.kind == SESSION_START:
            roots += sessions.abandoned_roots(connection, time.time())
    lines: list[str] = []
    roots = list(dict.fromkeys(roots))
    for number, root in enumerate(roots):
        repository = find_repository(root)
        if repository is not None and repository.root == root:
            shares = len(roots) - number + (own is not None)
            with UntilClosed(EventContext(event, adapter, repository)) as context:
                lines += _settle_in(context, own, began, shares)
    return lines


def _settle_in(context: EventContext, own: Repository | None, began: float, shares: int) -> list[str]:
    event = context.event
    with context:
        settling.settle_own(context)
        if event.kind == SESSION_START:
            settling.settle_others(context)
        if event.kind == PROMPT:
            if own is None or context.repository.shared_state != own.shared_state:  # else the turn is counted there
                context.session.next_turn(event.turn)
            if event.person:
                from gatilho.ladder import answers

                answers.record_answers(context)
    if event.kind == TURN_CLOSE:
        from gatilho.ladder import closing

        closing.run_awaited(context, closing.deadline_of(context, began, shares))
    recording.flush(context)
    return context.person


def _folder(own: Repository | None) -> str:
    return own.shared_state if own is not None else homeless_state()


def _root(own: Repository | None) -> str:
    return own.root if own is not None else ""


def _session_id(event: Event, own: Repository | None) -> str:
    return session_id_of(event, _root(own))
