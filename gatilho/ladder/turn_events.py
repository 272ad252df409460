"""The start and end of sessions and turns: what was written is settled, the owner heard, the agent briefed."""

import os
import time

from gatilho.hosts.event import COMPACTION, PROMPT, SESSION_END, SESSION_START, TURN_CLOSE, Event, Reply
from gatilho.ladder import (
    answers,
    briefing,
    closing,
    delivery,
    news,
    other_repositories,
    recording,
    sessions,
    settling,
    speech,
)
from gatilho.ladder.event_context import Scene
from gatilho.ladder.matching import find_matches, prompt_subjects
from gatilho.quiet import session_repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.hosts.event import Adapter


def handle(event: Event, adapter: "Adapter", home: str) -> tuple[list[Reply], list[str]]:
    """What is said to the agent and to the person on an event that is no tool call; home: the folder it speaks from."""
    repository = session_repository(event, home)
    began = time.monotonic()
    person = [] if _is_restart(event) else other_repositories.settle(event, adapter, repository, began)
    if repository is None:
        return [], _about_no_git(event, home) + person
    scene = Scene(event, adapter, repository)
    if event.kind == SESSION_START and not _is_restart(event):
        _catch_up(scene)
    with scene:
        reply = _HANDLERS[event.kind](scene)
    if event.kind == TURN_CLOSE:
        closing.run_awaited(scene, closing.deadline_of(scene, began))
    news.tell_results(scene, recording.flush(scene))
    return [reply], scene.person + person


def _is_restart(event: Event) -> bool:
    """Whether the event is a compaction: the session and its turn go on."""
    return event.kind == COMPACTION or (event.kind == SESSION_START and event.source == "compact")


def _about_no_git(event: Event, home: str) -> list[str]:
    if event.kind != SESSION_START or not os.path.exists(home + "/docs/gatilhos"):
        return []
    return [f"{home} has docs/gatilhos but is no git repository, so its rows do not speak. Run `git init` there."]


def _catch_up(scene: Scene) -> None:
    """Before a session's briefing, write what others left open and what is owed again: the briefing tells of it."""
    with scene:
        settling.settle_own(scene)
        settling.settle_others(scene)
        settling.reinstate_what_came_back(scene)
        recording.drop_marks(scene, sessions.forget_old(scene.db, scene.clock))
    news.tell_results(scene, recording.flush(scene))


def _session_start(scene: Scene) -> Reply:
    restarted = _is_restart(scene.event)
    if restarted:
        scene.session.rearm(scene.event.agent)
    else:
        _tell_due(scene)
    text, said = briefing.compose(scene, restarted)
    if scene.adapter.carries_context(scene.event):
        delivery.remember(scene, [m for m in said if any(trigger.kind == "start" for trigger in m.row.triggers)])
    news.tell_problems(scene)
    return Reply(context=text)


def _compaction(scene: Scene) -> Reply:
    scene.session.rearm(scene.event.agent)
    return Reply()


def _tell_due(scene: Scene) -> None:
    due = briefing.due_debts(scene)
    for match in due[:5]:
        scene.person.append(speech.due_line(match))
    if len(due) > 5:
        scene.person.append(f"{len(due) - 5} more debts are due: gatilho list --due")


def _prompt(scene: Scene) -> Reply:
    event, session = scene.event, scene.session
    if not event.agent:
        settling.settle_own(scene)
        session.next_turn(event.turn)
    if event.person:
        answers.record(scene)
    news.tell_problems(scene)
    matches = find_matches(scene.index, prompt_subjects(event.prompt), scene.budget)
    return delivery.speak(scene, matches, "this prompt", "gatilho why --prompt TEXT")


def _turn_close(scene: Scene) -> Reply:
    settling.settle_own(scene)
    return Reply()


_HANDLERS = {
    SESSION_START: _session_start,
    PROMPT: _prompt,
    TURN_CLOSE: _turn_close,
    SESSION_END: _turn_close,
    COMPACTION: _compaction,
}
