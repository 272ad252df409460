"""The start and end of sessions and turns: what was written is settled, the owner heard, the agent briefed."""

import os
import time

from gatilho.event_places import session_repository, stores_around
from gatilho.git.root import Repository
from gatilho.hosts import Host
from gatilho.hosts.event import COMPACTION, PROMPT, SESSION_END, SESSION_START, TURN_CLOSE, Event, Reply
from gatilho.ladder import briefing, delivery, messages, other_repositories, recording, reporting, sessions, settling
from gatilho.ladder.decide import may_speak
from gatilho.ladder.event_context import EventContext, UntilClosed
from gatilho.ladder.matching import find_matches, names_of_folder, prompt_subjects
from gatilho.plain import counted
from gatilho.store.ledger_at_head import ignored, left_out
from gatilho.wire import checksum

# Seconds within which the same start of a session is another copy of it.
_MOMENT = 10


def handle_turn_event(event: Event, adapter: Host, cwd: str) -> tuple[list[Reply], list[str]]:
    """Return what is said to the agent and to the person on an event that is no tool call.

    cwd: the folder it speaks from.
    """
    repository = session_repository(event, cwd)
    began = time.monotonic()
    person = [] if _is_restart(event) else other_repositories.settle_elsewhere(event, adapter, repository, began)
    if repository is None:
        return [], _about_no_git(event, cwd) + person
    with UntilClosed(EventContext(event, adapter, repository, nested=stores_around(repository, cwd))) as context:
        context.folders = names_of_folder(cwd, repository.root)
        return [_in_transaction(context, began)], context.person + person


def settle_late(event: Event, adapter: Host, repository: Repository) -> list[str]:
    """Settle a turn whose close could not be remembered when it came; return what is said of it to the person."""
    with UntilClosed(EventContext(event, adapter, repository)) as context:
        with context:
            settling.settle_own(context)
        _write(context)
        return context.person


def _in_transaction(context: EventContext, began: float) -> Reply:
    event = context.event
    if event.kind == SESSION_START and not _is_restart(event):
        _catch_up(context)
    with context:
        reply = _HANDLERS[event.kind](context)
    if context.approved:
        from gatilho.ladder import remembering

        remembering.apply_approved(context)
    if event.kind == TURN_CLOSE:
        from gatilho.ladder import closing

        # Outside the transaction: a command may take long, and other sessions use the database meanwhile.
        closing.run_awaited(context, closing.deadline_of(context, began))
    _write(context)
    if event.kind == TURN_CLOSE:
        context.index.renew_marks()  # what the turn wrote may have moved one
    return reply


def _write(context: EventContext) -> None:
    """Write what the turn left, and leave the next event no more to do than any event has."""
    if any(result.is_well for result in recording.flush(context)) and context.event.kind == TURN_CLOSE:
        recording.leave_fresh(context)


def _is_restart(event: Event) -> bool:
    """Return whether the event is a compaction: the session and its turn go on."""
    return event.kind == COMPACTION or (event.kind == SESSION_START and event.source == "compact")


def _about_no_git(event: Event, cwd: str) -> list[str]:
    if event.kind != SESSION_START or not os.path.exists(cwd + "/docs/gatilhos"):
        return []
    return [f"{cwd} has docs/gatilhos but is not a git repository, so its rows are silent. Run `git init` there."]


def _catch_up(context: EventContext) -> None:
    """Write what others left open and what is owed again, before a session's briefing that reports it."""
    with context:
        settling.settle_own(context)
        settling.settle_others(context)
        settling.reinstate_what_came_back(context)
        forgotten, records = sessions.forget_old(context.db, context.clock)
        recording.drop_marks(context, forgotten)
        if records:
            from gatilho.memory.metrics import session_line
            from gatilho.store import session_log

            session_log.append_lines(context.repository.shared_state, [session_line(one) for one in records])
    sessions.sweep_marks(context.repository, context.clock)
    _write(context)
    context.index.forget_ignored()
    context.index.renew_marks()


def _session_start(context: EventContext) -> Reply:
    restarted = _is_restart(context.event)
    composed = briefing.compose(context, restarted)
    if composed.text and _is_copy(context, composed.text):
        return Reply()
    if restarted:
        context.session.rearm(context.event.agent)
    if not restarted:
        if context.event.transcript:
            context.session.note_transcript(context.event.transcript)
        _tell_due(context, composed)
        _report_uncommitted(context)
    if context.adapter.carries_context(context.event):
        _remember_said(context, composed)
    else:
        _owe_briefing(context, restarted)
    reporting.tell_problems(context)
    return Reply(context=composed.text)


def _remember_said(context: EventContext, composed: briefing.Briefing) -> None:
    """Remember the `start` rows as read; one with another trigger is said once more where it matters."""
    said = [match for match in composed.said if any(trigger.kind == "start" for trigger in match.row.triggers)]
    delivery.remember(context, said)


def _owe_briefing(context: EventContext, restarted: bool) -> None:
    """Keep the briefing for the next prompt, where text reaches the agent there and not on this event."""
    if context.adapter.event_of(PROMPT) in context.adapter.context:
        context.session.owe_briefing(context.event.agent, restarted)


def _owed_briefing(context: EventContext) -> str:
    if not context.adapter.carries_context(context.event):
        return ""
    owed = context.session.take_briefing(context.event.agent)
    if owed is None:
        return ""
    composed = briefing.compose(context, owed)
    _remember_said(context, composed)
    return composed.text


def _is_copy(context: EventContext, text: str) -> bool:
    """Return whether this start was answered for another registration: the same text, moments ago."""
    moment = int(context.clock / _MOMENT)
    what = f"start {context.event.source} {context.event.agent} {checksum(text.encode('utf-8', 'backslashreplace'))}"
    # Two copies a second apart may fall into two moments, and the later one may come to its answer first.
    beside = any(context.session.was_person_told(f"{what} {moment + one}") for one in (-1, 1))
    return not context.session.tell_once(f"{what} {moment}") or beside


def _compaction(context: EventContext) -> Reply:
    context.session.rearm(context.event.agent)
    if not context.adapter.restarts:
        _owe_briefing(context, restarted=True)
    return Reply()


def _tell_due(context: EventContext, composed: briefing.Briefing) -> None:
    for match in composed.due:
        context.person.append(messages.due_line(match))
    more = composed.due_count - len(composed.due)
    if more > 0:
        context.person.append(f"{counted(more, 'more debt')} {'is' if more == 1 else 'are'} due: gatilho list --due")


def _report_uncommitted(context: EventContext) -> None:
    """Show the person the ledger files that a commit left out, once a session while they are the same."""
    names = left_out(context.index, context.git_is_busy())
    if names:
        from shlex import quote

        folders = " ".join(sorted({quote(name.rpartition("/")[0]) for name in names}))
        first = f"{names[0]} is" if len(names) == 1 else f"{names[0]} and {len(names) - 1} more are"
        hidden = sorted(ignored(context.index, names))
        allow = f"Remove the line that `git check-ignore -v {quote(hidden[0])}` names, then " if hidden else ""
        context.tell_person_once(
            f"left out {len(names)} {names[-1]}",
            f"{first} not committed, but the rides in {'it' if len(names) == 1 else 'them'} are: a clone counts them "
            f"wrong. {allow}`git add {folders}` and commit.",
        )


def _prompt(context: EventContext) -> Reply:
    event, session = context.event, context.session
    if not event.agent:
        # A turn that a person interrupted may have had no close: it is settled before the next one begins.
        settling.settle_own(context)
        session.next_turn(event.turn)
    if event.person:
        from gatilho.ladder import answers

        answers.record_answers(context)
    reporting.tell_problems(context)
    briefed = _owed_briefing(context)
    matches = find_matches(context.index, prompt_subjects(event.prompt, context.folders), context.budget)
    for match in matches:
        if may_speak(match.row, context.today):
            context.session.note_outcome(match.key, "prompt", "answered", context.today)
    reply = delivery.speak(context, matches, "this prompt", "gatilho why --prompt TEXT")
    return reply.replace(context="\n".join(filter(None, (briefed, reply.context))))


def _turn_close(context: EventContext) -> Reply:
    settling.settle_own(context)
    _report_uncommitted(context)
    return Reply()


_HANDLERS = {
    SESSION_START: _session_start,
    PROMPT: _prompt,
    TURN_CLOSE: _turn_close,
    SESSION_END: _turn_close,
    COMPACTION: _compaction,
}
