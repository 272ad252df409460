"""What happens on each event: tool calls in each repository that they touch, all else in the session's own."""

from gatilho.git.root import Repository, find_repository
from gatilho.hosts.event import AFTER, BEFORE, Event, Reply
from gatilho.hosts.tools import tool_call
from gatilho.ladder import news, recording, speech, tool_events
from gatilho.ladder.event_context import Scene
from gatilho.ladder.tool_call import Reading
from gatilho.model import Touch
from gatilho.quiet import has_store, home_of, homeless_state, session_repository
from gatilho.triggers import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.hosts.event import Adapter


def handle(event: Event, adapter: "Adapter") -> Reply:
    """What is to be said on an event, after all that it changes has been recorded."""
    home = home_of(event)
    if event.kind in (BEFORE, AFTER):
        return _joined(*_tool(event, adapter, home))
    from gatilho.ladder import turn_events

    return _joined(*turn_events.handle(event, adapter, home))


def _tool(event: Event, adapter: "Adapter", home: str) -> tuple[list[Reply], list[str]]:
    """Before or after a tool, in each repository that the call touches: what is said to the agent and to the person."""
    call = tool_call(event.tool, event.input)
    simple, touches = _read(call.command, call.paths, home)
    replies: list[Reply] = []
    person: list[str] = []
    own = session_repository(event, home)
    for repository, inside in _by_repository(touches, home if call.command else "", own).items():
        if not has_store(repository):
            continue
        scene = Scene(event, adapter, repository)
        with scene:
            reading = Reading(call.command, simple, tuple(inside))
            replies.append((tool_events.before if event.kind == BEFORE else tool_events.after)(scene, reading))
            news.tell_problems(scene)
            if own != repository:
                scene.session.began_in(own.shared_state if own is not None else homeless_state())
        news.tell_results(scene, recording.flush(scene))
        person += scene.person
        if own != repository:
            from gatilho.ladder import other_repositories

            other_repositories.note(event, own, repository.root)
    return replies, person


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


def _by_repository(touches: list[Touch], home: str, session: Repository | None) -> dict[Repository, list[Touch]]:
    """The touches by repository; the session's own guards what people decided outside of all of them."""
    found: dict[Repository, list[Touch]] = {}
    own = find_repository(home) if home else None
    if own is not None:
        found[own] = []
    for touch in touches:
        repository = find_repository(touch.path) or (session if "/gatilho" in touch.path else None)
        if repository is not None:
            found.setdefault(repository, []).append(touch)
    return found


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
