"""What happens on each event: the shell of the ladder, one function for each kind."""

from gatilho.hosts.event import AFTER, BEFORE, PROMPT, SESSION_END, SESSION_START, TURN_CLOSE, Event, Reply
from gatilho.hosts.tools import tool_call
from gatilho.ladder import answers, briefing, closing, recording, sessions, settling, touching
from gatilho.ladder.matching import find_matches, prompt_subjects
from gatilho.ladder.scene import Scene
from gatilho.model import Touch
from gatilho.quiet import has_store, home_of, session_repository
from gatilho.store.root import Repository, find_repository
from gatilho.triggers import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.hosts.event import Adapter
    from gatilho.store.change import Result


def handle(event: Event, adapter: "Adapter") -> Reply:
    """What is to be said on an event, after all that it changes has been recorded."""
    home = home_of(event)
    if event.kind in (BEFORE, AFTER):
        return _tool(event, adapter, home)
    repository = session_repository(event, home)
    if repository is None:
        return Reply(person=_no_git(home) if event.kind == SESSION_START else "")
    scene = Scene(event, adapter, repository)
    with scene:
        reply = _HANDLERS[event.kind](scene)
        further = scene.session.elsewhere()
    deadline = closing.deadline_of(scene)
    if event.kind == TURN_CLOSE:
        closing.run_awaited(scene, deadline)
    results = recording.flush(scene)
    _tell(scene, results)
    if event.kind in (TURN_CLOSE, SESSION_END, PROMPT):
        for root in further:
            scene.person += _settle_elsewhere(event, adapter, root, deadline)
    return _joined([reply], scene.person)


def _no_git(home: str) -> str:
    return (
        f"gatilho: {home} has docs/gatilhos but is no git repository, so its rows do not speak. Run `git init` there."
    )


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
            is_home = own == repository
            reading = touching.Reading(call.command, simple, tuple(inside))
            replies.append((touching.before if event.kind == BEFORE else touching.after)(scene, reading))
            _tell_problems(scene)
        _tell(scene, recording.flush(scene))
        person += scene.person
        if own is not None and not is_home:
            _note_elsewhere(event, adapter, own, repository.root)
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


def _note_elsewhere(event: Event, adapter: "Adapter", own: Repository, root: str) -> None:
    """Remember with the session's own repository that its turns are to be closed in another one as well."""
    connection = sessions.begin(sessions.open_sessions(own))
    scene = Scene(event, adapter, own)
    session = sessions.enter(connection, scene.session_id, event.host, own.root, scene.clock)
    session.note_elsewhere(root)
    connection.execute("COMMIT")


def _settle_elsewhere(event: Event, adapter: "Adapter", root: str, deadline: float) -> list[str]:
    repository = find_repository(root)
    if repository is None or repository.root != root:
        return []
    scene = Scene(event, adapter, repository)
    with scene:
        scene.awaiting = settling.settle(scene, scene.session)
        if event.kind == PROMPT:
            scene.session.next_turn(event.turn)
    if event.kind == TURN_CLOSE:
        closing.run_awaited(scene, deadline)
    _tell(scene, recording.flush(scene))
    return scene.person


def _session_start(scene: Scene) -> Reply:
    event, session = scene.event, scene.session
    restarted = event.source == "compact"
    if restarted:
        session.rearm(event.agent)
    else:
        settling.settle(scene, session)
        settling.settle_others(scene)
        settling.reinstate_what_came_back(scene)
        recording.drop_marks(scene, sessions.forget_old(scene.db, scene.clock))
    text, said = briefing.compose(scene, restarted)
    for match in said:
        if any(trigger.kind == "start" for trigger in match.row.triggers):
            session.deliver(event.agent, match.key)
    _tell_due(scene)
    _tell_problems(scene)
    return Reply(context=text)


def _tell_due(scene: Scene) -> None:
    from gatilho.ladder import speech
    from gatilho.ladder.decide import Match, in_order, is_due

    owed = [Match(f.row, scene.index.standing(f.row).count) for f in scene.index.owed()]
    due = [match for match in owed if is_due(match, scene.config, scene.today)]
    for match in in_order(due, scene.config, scene.today)[:5]:
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
        settling.settle(scene, session)
        session.next_turn(event.turn)
    if event.person:
        answers.record(scene)
    _tell_problems(scene)
    matches = find_matches(scene.index, prompt_subjects(event.prompt), scene.budget)
    return touching.speak(scene, matches, "this prompt", "gatilho why --prompt TEXT")


def _turn_close(scene: Scene) -> Reply:
    scene.awaiting = settling.settle(scene, scene.session)
    return Reply()


def _tell(scene: Scene, results: "list[Result]") -> None:
    scene.person += settling.told(results, scene)


def _joined(replies: list[Reply], person: list[str]) -> Reply:
    """One answer out of several: the strictest decision wins, texts are joined."""
    from gatilho.plain import clean

    decisions = [reply.decision for reply in replies]
    decision = "deny" if "deny" in decisions else "ask" if "ask" in decisions else ""
    return Reply(
        context=clean("\n".join(reply.context for reply in replies if reply.context)),
        person=clean("\n".join(["gatilho: " + line for line in dict.fromkeys(person)])),
        decision=decision,
        reason=clean("\n".join(reply.reason for reply in replies if reply.reason)),
    )


_HANDLERS = {SESSION_START: _session_start, PROMPT: _prompt, TURN_CLOSE: _turn_close, SESSION_END: _turn_close}
