"""The start and end of sessions and turns: what was written is settled, the owner heard, the agent briefed."""

import os
import time

from gatilho.hosts.event import COMPACTION, PROMPT, SESSION_END, SESSION_START, TURN_CLOSE, Event, Reply
from gatilho.ladder import (
    answers,
    briefing,
    closing,
    delivery,
    messages,
    other_repositories,
    recording,
    reporting,
    sessions,
    settling,
)
from gatilho.ladder.decide import may_speak
from gatilho.ladder.event_context import EventContext
from gatilho.ladder.matching import find_matches, names_of_folder, prompt_subjects
from gatilho.places import session_repository, stores_around
from gatilho.store.ledger_at_head import left_out

# Seconds within which the same start of a session is another copy of it.
_MOMENT = 10

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.git.root import Repository
    from gatilho.hosts import Host


def handle_turn_event(event: Event, adapter: "Host", home: str) -> tuple[list[Reply], list[str]]:
    """Return what is said to the agent and to the person on an event that is no tool call.

    Home: the folder it speaks from.
    """
    repository = session_repository(event, home)
    began = time.monotonic()
    person = [] if _is_restart(event) else other_repositories.settle_elsewhere(event, adapter, repository, began)
    if repository is None:
        return [], _about_no_git(event, home) + person
    scene = EventContext(event, adapter, repository, nested=stores_around(repository, home))
    scene.folders = names_of_folder(home, repository.root)
    try:
        return [_in_scene(scene, began)], scene.person + person
    finally:
        scene.close()


def settle_late(event: Event, adapter: "Host", repository: "Repository") -> list[str]:
    """Settle a turn whose close could not be remembered when it came; return what is said of it to the person."""
    scene = EventContext(event, adapter, repository)
    try:
        with scene:
            settling.settle_own(scene)
        _write(scene)
        return scene.person
    finally:
        scene.close()


def _in_scene(scene: EventContext, began: float) -> Reply:
    event = scene.event
    if event.kind == SESSION_START and not _is_restart(event):
        _catch_up(scene)
    with scene:
        reply = _HANDLERS[event.kind](scene)
    if scene.approved:
        from gatilho.ladder import remembering

        remembering.apply_approved(scene)
    if event.kind == TURN_CLOSE:
        # Outside the transaction: a command may take long, and other sessions use the database meanwhile.
        closing.run_awaited(scene, closing.deadline_of(scene, began))
    _write(scene)
    if event.kind == TURN_CLOSE:
        scene.index.renew_marks()  # what the turn wrote may have moved one
    return reply


def _write(scene: EventContext) -> None:
    """Write what the turn left, and leave the next event no more to do than any event has."""
    results = recording.flush(scene)
    reporting.tell_results(scene, results)
    if any(result.is_well for result in results) and scene.event.kind == TURN_CLOSE:
        recording.leave_fresh(scene)


def _is_restart(event: Event) -> bool:
    """Return whether the event is a compaction: the session and its turn go on."""
    return event.kind == COMPACTION or (event.kind == SESSION_START and event.source == "compact")


def _about_no_git(event: Event, home: str) -> list[str]:
    if event.kind != SESSION_START or not os.path.exists(home + "/docs/gatilhos"):
        return []
    return [f"{home} has docs/gatilhos but is not a git repository, so its rows are silent. Run `git init` there."]


def _catch_up(scene: EventContext) -> None:
    """Write what others left open and what is owed again, before a session's briefing that reports it."""
    with scene:
        settling.settle_own(scene)
        settling.settle_others(scene)
        settling.reinstate_what_came_back(scene)
        forgotten, records = sessions.forget_old(scene.db, scene.clock)
        recording.drop_marks(scene, forgotten)
        if records:
            from gatilho.memory.metrics import session_line
            from gatilho.store import session_log

            session_log.append_lines(scene.repository.shared_state, [session_line(one) for one in records])
    sessions.sweep_marks(scene.repository, scene.clock)
    _write(scene)
    scene.index.forget_ignored()
    scene.index.renew_marks()


def _session_start(scene: EventContext) -> Reply:
    restarted = _is_restart(scene.event)
    composed = briefing.compose(scene, restarted)
    if composed.text and _is_copy(scene, composed.text):
        return Reply()
    if restarted:
        scene.session.rearm(scene.event.agent)
    if not restarted:
        if scene.event.transcript:
            scene.session.note_transcript(scene.event.transcript)
        _tell_due(scene, composed)
        _report_uncommitted(scene)
    if scene.adapter.carries_context(scene.event):
        _remember_said(scene, composed)
    else:
        _owe_briefing(scene, restarted)
    reporting.tell_problems(scene)
    return Reply(context=composed.text)


def _remember_said(scene: EventContext, composed: briefing.Briefing) -> None:
    """Remember the `start` rows as read; one with another trigger is said once more where it matters."""
    said = [match for match in composed.said if any(trigger.kind == "start" for trigger in match.row.triggers)]
    delivery.remember(scene, said)


def _owe_briefing(scene: EventContext, restarted: bool) -> None:
    """Keep the briefing for the next prompt, where text reaches the agent there and not on this event."""
    if scene.adapter.event_of(PROMPT) in scene.adapter.context:
        scene.session.owe_briefing(scene.event.agent, restarted)


def _owed_briefing(scene: EventContext) -> str:
    if not scene.adapter.carries_context(scene.event):
        return ""
    owed = scene.session.take_briefing(scene.event.agent)
    if owed is None:
        return ""
    composed = briefing.compose(scene, owed)
    _remember_said(scene, composed)
    return composed.text


def _is_copy(scene: EventContext, text: str) -> bool:
    """Return whether this start was answered for another registration: the same text, moments ago."""
    from zlib import crc32

    moment = int(scene.clock / _MOMENT)
    what = f"start {scene.event.source} {scene.event.agent} {crc32(text.encode('utf-8', 'backslashreplace'))}"
    # Two copies a second apart may fall into two moments.
    just_before = scene.session.was_person_told(f"{what} {moment - 1}")
    return not scene.session.tell_once(f"{what} {moment}") or just_before


def _compaction(scene: EventContext) -> Reply:
    scene.session.rearm(scene.event.agent)
    if not scene.adapter.restarts:
        _owe_briefing(scene, restarted=True)
    return Reply()


def _tell_due(scene: EventContext, composed: briefing.Briefing) -> None:
    for match in composed.due:
        scene.person.append(messages.due_line(match))
    more = composed.due_count - len(composed.due)
    if more > 0:
        scene.person.append(f"{more} more debts are due: gatilho list --due")


def _report_uncommitted(scene: EventContext) -> None:
    """Show the person the ledger files that a commit left out, once a session while they are the same."""
    names = left_out(scene.index, scene.git_is_busy())
    if names:
        first = f"{names[0]} is" if len(names) == 1 else f"{names[0]} and {len(names) - 1} more are"
        scene.tell_person_once(
            f"left out {len(names)} {names[-1]}",
            f"{first} not committed, but the rides in {'it' if len(names) == 1 else 'them'} are: a clone counts them "
            "wrong. `git add docs/gatilhos/ledger` and commit.",
        )


def _prompt(scene: EventContext) -> Reply:
    event, session = scene.event, scene.session
    if not event.agent:
        # A turn that a person interrupted may have had no close: it is settled before the next one begins.
        settling.settle_own(scene)
        session.next_turn(event.turn)
    if event.person:
        answers.record_answers(scene)
    reporting.tell_problems(scene)
    briefed = _owed_briefing(scene)
    matches = find_matches(scene.index, prompt_subjects(event.prompt, scene.folders), scene.budget)
    for match in matches:
        if may_speak(match.row, scene.today):
            scene.session.note_outcome(match.key, "prompt", "answered", scene.today)
    reply = delivery.speak(scene, matches, "this prompt", "gatilho why --prompt TEXT")
    return reply.replace(context="\n".join(filter(None, (briefed, reply.context))))


def _turn_close(scene: EventContext) -> Reply:
    settling.settle_own(scene)
    _report_uncommitted(scene)
    return Reply()


_HANDLERS = {
    SESSION_START: _session_start,
    PROMPT: _prompt,
    TURN_CLOSE: _turn_close,
    SESSION_END: _turn_close,
    COMPACTION: _compaction,
}
