"""What happens on each event: tool calls in each repository that they touch, all else in the session's own."""

from gatilho.bounded import is_there
from gatilho.event_places import has_store, homeless_state, session_repository
from gatilho.fast_path import read_call
from gatilho.git.root import Repository
from gatilho.hosts import Host, host_named
from gatilho.hosts.event import AFTER, BEFORE, TURN_CLOSE, Event, Reply
from gatilho.index import database
from gatilho.ladder import reporting
from gatilho.ladder.event_context import EventContext, UntilClosed
from gatilho.ladder.tool_call import RepositoryCall
from gatilho.model import Touch
from gatilho.triggers.paths import names_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.fast_path import ToolCall
    from gatilho.ladder.unasked import Witness


def handle_event(event: Event, adapter: Host, call: "ToolCall") -> Reply:
    """Return what is to be said on an event, after all that it changes has been recorded. call: as it was read.

    A database that fails in between makes this one event forgetful: it is handled once more, with nothing remembered.
    """
    person: list[str] = []
    try:
        # What could not be remembered happened before this event, and counts before it.
        _take_in(event, call, person)
        return _handle(event, adapter, call, person)
    except (database.DatabaseError, OSError) as fault:
        with database.InMemory(fault):
            return _handle(event, adapter, call, person)


def _handle(event: Event, adapter: Host, call: "ToolCall", taken_in: list[str]) -> Reply:
    if event.kind in (BEFORE, AFTER):
        replies, person = _tool(event, adapter, call)
    else:
        from gatilho.ladder import turn_events

        replies, person = turn_events.handle_turn_event(event, adapter, call.cwd)
    return _joined(replies, taken_in + person)


def _take_in(event: Event, call: "ToolCall", person: list[str]) -> None:
    """Handle what could not be remembered when it came; add what is to be said of it to the person.

    What it said to its own agent was said then.
    """
    own = session_repository(event, call.cwd)
    for repository in {*call.touches, *([own] if own is not None else [])}:
        if is_there(repository.unread_mark, follows=False):
            from gatilho.ladder import later

            later.take_unread(repository, person)
        if is_there(repository.shared_state + "/later"):
            from gatilho.ladder import later

            is_done = later.take_later(repository, _handle_late, person)
            if not is_done and event.kind == TURN_CLOSE:
                later.keep(repository, event)  # closed once more, when the writes of this turn are noted


def _handle_late(event: Event, repository: Repository) -> list[str]:
    caller, call = host_named(event.host), read_call(event)
    if event.kind == AFTER:
        return _tool(event, caller, call)[1]
    from gatilho.ladder import turn_events

    if event.kind == TURN_CLOSE:  # without the commands, which wait for a close of their own
        return turn_events.settle_late(event, caller, repository)
    return turn_events.handle_turn_event(event, caller, call.cwd)[1]


def _tool(event: Event, adapter: Host, call: "ToolCall") -> tuple[list[Reply], list[str]]:
    """Return what is said before or after a tool in each repository that it touches: the answers, and to the person."""
    replies: list[Reply] = []
    person: list[str] = []
    own = session_repository(event, call.cwd)
    for repository, inside in _guarded_too(call, own).items():
        names = [name for touch in inside for name in names_in(touch.path, repository.root)]
        nested = call.nested(repository, names)
        if not (nested or has_store(repository)):
            continue
        witness = _witness_of(event, call, repository)
        made = EventContext(event, adapter, repository, witness, nested, bool(call.command))
        with UntilClosed(made) as context:
            replies.append(_in_transaction(context, _reading(call, inside), own, witness))
            person += context.person
        if event.kind == AFTER and call.command and not context.is_kept:
            from gatilho.index import watched

            watched.forget_stamps(repository, event)
        if own != repository:
            from gatilho.ladder import other_repositories

            other_repositories.note_other(event, own, repository.root)
    return replies, person


def _guarded_too(call: "ToolCall", own: Repository | None) -> dict[Repository, list[Touch]]:
    """Return the touches by repository; the session's own guards what people decided outside of all of them."""
    if own is None or not (outside := call.outside()):
        return call.touches
    return {**call.touches, own: [*call.touches.get(own, ()), *outside]}


def _reading(call: "ToolCall", touches: list[Touch]) -> RepositoryCall:
    of_command = call.calls, call.cwd, call.shell, call.folders
    return RepositoryCall(call.command, call.line, call.simple, tuple(touches), *of_command)


def _witness_of(event: Event, call: "ToolCall", repository: Repository) -> "Witness | None":
    """Return who sees what the index takes in after a command."""
    if event.kind != AFTER or not call.command:
        return None
    from gatilho.ladder.unasked import Witness

    return Witness(repository)


def _in_transaction(
    context: EventContext, reading: RepositoryCall, own: Repository | None, witness: "Witness | None"
) -> Reply:
    tables: list[str] = []
    with context:
        if witness is not None and (witness.changed or is_there(context.repository.typed_mark)):
            from gatilho.ladder import unasked

            unasked.report(context, witness)
            tables = unasked.tables_written(context, witness)
        if context.event.kind == BEFORE and is_there(context.repository.typed_mark):
            from gatilho.store import typed

            typed.take_typed(context.repository)  # before this command: a person's own
        from gatilho.ladder import tool_events

        is_before = context.event.kind == BEFORE
        reply = tool_events.before(context, reading) if is_before else tool_events.after(context, reading, tables)
        reporting.tell_problems(context)
        if own != context.repository:
            context.session.began_in(own.shared_state if own is not None else homeless_state())
    if context.has_waiting():
        from gatilho.ladder import recording

        recording.flush(context)
    return reply


def _joined(replies: list[Reply], person: list[str]) -> Reply:
    """Return one answer out of several: the strictest decision wins, texts are joined."""
    if not person and all(reply.empty for reply in replies):
        return Reply()
    from gatilho.ladder import messages

    decisions = [reply.decision for reply in replies]
    decision = "deny" if "deny" in decisions else "ask" if "ask" in decisions else ""
    return Reply(
        context=_shown("\n".join(reply.context for reply in replies if reply.context)),
        person=_shown(messages.for_person(person)),
        decision=decision,
        reason=_shown("\n".join(reply.reason for reply in replies if reply.reason)),
    )


def _shown(text: str) -> str:
    """Return the text as it may leave the tool; what looks like a secret is masked, as wherever a row is shown."""
    from gatilho.plain import for_agent
    from gatilho.secret_shapes import masked

    return masked(for_agent(text))
