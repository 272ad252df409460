"""What happens on each event: the shell of the ladder, one function for each kind."""

import os
import time

from gatilho.hosts.event import (
    AFTER,
    BEFORE,
    COMPACTION,
    PROMPT,
    SESSION_END,
    SESSION_START,
    TURN_CLOSE,
    Event,
    Reply,
)
from gatilho.hosts.tools import tool_call
from gatilho.ladder import (
    answers,
    briefing,
    closing,
    delivery,
    elsewhere,
    recording,
    sessions,
    settling,
    speech,
    touching,
)
from gatilho.ladder.matching import find_matches, prompt_subjects
from gatilho.ladder.reading import Reading
from gatilho.ladder.scene import Scene
from gatilho.model import Touch
from gatilho.quiet import has_store, home_of, session_repository
from gatilho.store.root import Repository, find_repository
from gatilho.triggers import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.hosts.event import Adapter


def handle(event: Event, adapter: "Adapter") -> Reply:
    """What is to be said on an event, after all that it changes has been recorded."""
    home = home_of(event)
    if event.kind in (BEFORE, AFTER):
        return _tool(event, adapter, home)
    repository = session_repository(event, home)
    began = time.monotonic()
    person = [] if _is_restart(event) else elsewhere.settle(event, adapter, repository, began)
    if repository is None:
        return _joined([], _about_no_git(event, home) + person)
    scene = Scene(event, adapter, repository)
    if event.kind == SESSION_START and not _is_restart(event):
        _catch_up(scene)
    with scene:
        reply = _HANDLERS[event.kind](scene)
    if event.kind == TURN_CLOSE:
        closing.run_awaited(scene, closing.deadline_of(scene, began))
    settling.tell(scene, recording.flush(scene))
    return _joined([reply], scene.person + person)


def _is_restart(event: Event) -> bool:
    """Whether the event is a compaction: the session and its turn go on."""
    return event.kind == COMPACTION or (event.kind == SESSION_START and event.source == "compact")


def _about_no_git(event: Event, home: str) -> list[str]:
    if event.kind != SESSION_START or not os.path.exists(home + "/docs/gatilhos"):
        return []
    return [f"{home} has docs/gatilhos but is no git repository, so its rows do not speak. Run `git init` there."]


def _tool(event: Event, adapter: "Adapter", home: str) -> Reply:
    """Before or after a tool, in each repository that the call touches; the answers are joined into one."""
    call = tool_call(event.tool, event.input)
    simple, touches = _read(call.command, call.paths, home)
    replies, person = [], []
    own = session_repository(event, home)
    for repository, inside in _by_repository(touches, home if call.command else "").items():
        if not has_store(repository):
            continue
        scene = Scene(event, adapter, repository)
        with scene:
            reading = Reading(call.command, simple, tuple(inside))
            replies.append((touching.before if event.kind == BEFORE else touching.after)(scene, reading))
            _tell_problems(scene)
        settling.tell(scene, recording.flush(scene))
        person += scene.person
        if own != repository:
            elsewhere.note(event, own, repository.root)
    return _joined(replies, person)


def _read(command: str, named: "tuple[tuple[str, str], ...]", home: str) -> "tuple[tuple[str, ...], list[Touch]]":
    if command:
        from gatilho.triggers.touches import of_command

        simple, touches = of_command(command, home)
        return simple, list(touches)
    found = []
    for kind, given in named:
        path = paths.absolute(given, home)
        if path:
            found.append(Touch(kind, path, given))
    return (), found


def _by_repository(touches: list[Touch], home: str) -> dict[Repository, list[Touch]]:
    found: dict[Repository, list[Touch]] = {}
    own = find_repository(home) if home else None
    if own is not None:
        found[own] = []
    for touch in touches:
        repository = find_repository(touch.path)
        if repository is not None:
            found.setdefault(repository, []).append(touch)
    return found


def _catch_up(scene: Scene) -> None:
    """Before a session's briefing, write what others left open and what is owed again: the briefing tells of it."""
    with scene:
        settling.settle_own(scene)
        settling.settle_others(scene)
        settling.reinstate_what_came_back(scene)
        recording.drop_marks(scene, sessions.forget_old(scene.db, scene.clock))
    settling.tell(scene, recording.flush(scene))


def _session_start(scene: Scene) -> Reply:
    restarted = _is_restart(scene.event)
    if restarted:
        scene.session.rearm(scene.event.agent)
    else:
        _tell_due(scene)
    text, said = briefing.compose(scene, restarted)
    delivery.remember(scene, [m for m in said if any(trigger.kind == "start" for trigger in m.row.triggers)])
    _tell_problems(scene)
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


def _tell_problems(scene: Scene) -> None:
    """Rows that cannot be read, and searches that ran out of time, are said out loud once a session."""
    for pattern in scene.budget.timed_out:
        text = f"the pattern `{pattern}` took too long and counted as no match. Run `gatilho check`."
        scene.tell_person_once(f"timeout {pattern}", text)
    errors = [problem for problem in scene.index.problems() if problem.severity == "error"]
    if errors:
        first = errors[0]
        more = f" and {len(errors) - 1} more" if len(errors) > 1 else ""
        scene.tell_person_once("problems", f"{first.place}: {first.message}{more}. Run `gatilho check`.")


def _prompt(scene: Scene) -> Reply:
    event, session = scene.event, scene.session
    if not event.agent:
        settling.settle_own(scene)
        session.next_turn(event.turn)
    if event.person:
        answers.record(scene)
    _tell_problems(scene)
    matches = find_matches(scene.index, prompt_subjects(event.prompt), scene.budget)
    return delivery.speak(scene, matches, "this prompt", "gatilho why --prompt TEXT")


def _turn_close(scene: Scene) -> Reply:
    settling.settle_own(scene)
    return Reply()


def _joined(replies: list[Reply], person: list[str]) -> Reply:
    """One answer out of several: the strictest decision wins, texts are joined."""
    from gatilho.plain import clean

    decisions = [reply.decision for reply in replies]
    decision = "deny" if "deny" in decisions else "ask" if "ask" in decisions else ""
    return Reply(
        context=clean("\n".join(reply.context for reply in replies if reply.context)),
        person=clean(speech.for_person(person)),
        decision=decision,
        reason=clean("\n".join(reply.reason for reply in replies if reply.reason)),
    )


_HANDLERS = {
    SESSION_START: _session_start,
    PROMPT: _prompt,
    TURN_CLOSE: _turn_close,
    SESSION_END: _turn_close,
    COMPACTION: _compaction,
}
