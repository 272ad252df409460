"""What happens on each event: tool calls in each repository that they touch, all else in the session's own."""

from gatilho.hosts.event import AFTER, BEFORE, Event, Reply
from gatilho.ladder import reporting, tool_events
from gatilho.ladder.event_context import EventContext
from gatilho.ladder.tool_call import RepositoryCall
from gatilho.places import has_store, homeless_state, session_repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.fast_path import ToolCall
    from gatilho.git.root import Repository
    from gatilho.hosts import Host
    from gatilho.triggers.paths import Touch


def handle_event(event: Event, adapter: "Host", call: "ToolCall") -> Reply:
    """Return what is to be said on an event, after all that it changes has been recorded. call: as it was read."""
    if event.kind in (BEFORE, AFTER):
        return _joined(*_tool(event, adapter, call))
    from gatilho.ladder import turn_events

    return _joined(*turn_events.handle_turn_event(event, adapter, call.home))


def _tool(event: Event, adapter: "Host", call: "ToolCall") -> tuple[list[Reply], list[str]]:
    """Return the answers before or after a tool, in each repository that the call touches:
    what is said to the agent and to the person.
    """
    replies: list[Reply] = []
    person: list[str] = []
    own = session_repository(event, call.home)
    for repository, inside in _guarded_too(call, own).items():
        if not has_store(repository):
            continue
        scene = EventContext(event, adapter, repository)
        try:
            replies.append(_in_scene(scene, RepositoryCall(call.command, call.simple, tuple(inside)), own))
            person += scene.person
        finally:
            scene.close()
        if own != repository:
            from gatilho.ladder import other_repositories

            other_repositories.note_other(event, own, repository.root)
    return replies, person


def _guarded_too(call: "ToolCall", own: "Repository | None") -> "dict[Repository, list[Touch]]":
    """Return the touches by repository; the session's own guards what people decided outside of all of them."""
    if own is None or not (outside := call.outside()):
        return call.touches
    return {**call.touches, own: [*call.touches.get(own, ()), *outside]}


def _in_scene(scene: EventContext, reading: RepositoryCall, own: "Repository | None") -> Reply:
    with scene:
        reply = (tool_events.before if scene.event.kind == BEFORE else tool_events.after)(scene, reading)
        reporting.tell_problems(scene)
        if own != scene.repository:
            scene.session.began_in(own.shared_state if own is not None else homeless_state())
    if scene.has_waiting():
        from gatilho.ladder import recording

        reporting.tell_results(scene, recording.flush(scene))
    return reply


def _joined(replies: list[Reply], person: list[str]) -> Reply:
    """Return one answer out of several: the strictest decision wins, texts are joined."""
    if not person and all(reply.empty for reply in replies):
        return Reply()
    from gatilho.ladder import messages
    from gatilho.plain import clean

    decisions = [reply.decision for reply in replies]
    decision = "deny" if "deny" in decisions else "ask" if "ask" in decisions else ""
    return Reply(
        context=clean("\n".join(reply.context for reply in replies if reply.context)),
        person=clean(messages.for_person(person)),
        decision=decision,
        reason=clean("\n".join(reply.reason for reply in replies if reply.reason)),
    )
