"""What reaches the agent: which rows speak, within the budget, and what the session remembers of it."""

from gatilho.bounded import is_there
from gatilho.hosts.event import Reply
from gatilho.ladder import messages, sessions
from gatilho.ladder.decide import Match, in_order, is_due, may_speak
from gatilho.ladder.event_context import EventContext
from gatilho.ladder.tool_call import files_of_matches, what_was_touched
from gatilho.plain import shell_word


def speak(context: EventContext, matches: list[Match], about: str = "", see: str = "") -> Reply:
    """Say what the event's agent has not heard; debts that turn out to be paid are recorded and say nothing.

    about: what it is about, where that is not what the rows matched. see: the command that shows what the budget cuts.
    """
    agent = context.event.agent
    told = context.session.was_told(agent) | context.session.held_now(agent)
    speaking = []
    for match in matches:
        if not may_speak(match.row, context.today):
            continue
        if match.row.owed and match.row.conditions:
            from gatilho.ladder import payments

            if not payments.is_owed_still(context, match):
                continue
        if match.key not in told:
            speaking.append(match)
    for match in speaking:
        if is_due(match, context.config, context.today):
            tell_due(context, match)
    return _deliver(context, in_order(speaking, context.config, context.today), about, see)


def _review_of(context: EventContext, match: Match) -> str:
    """Return who has not reviewed a row, in words: no one, or no person; "" where a person's commit has it."""
    is_committed = context.is_committed(match)
    if not match.row.store and is_there(context.repository.agent_rows):
        from gatilho.store import agent_rows

        if agent_rows.is_of_agent(context.repository, match.row, is_committed):
            return f"added by an agent, {'in no commit of a person' if is_committed else 'not committed'} yet"
    return "" if is_committed else "not committed yet"


def tell_due(context: EventContext, match: Match) -> None:
    """Report a due debt to the person, at its first touch in the session."""
    context.tell_person_once(f"due {match.key}", messages.due_line(match))


def _deliver(context: EventContext, matches: list[Match], about: str, see: str) -> Reply:
    """Return the rows for the event's agent, as far as the budget goes.

    What was said and what was cut is remembered.
    """
    if not matches:
        return Reply()
    matches = [context.with_waiting(match) for match in matches]
    remarks = {match.key: _remarks_on(context, match) for match in matches}
    root = context.repository.root
    files = files_of_matches(matches, root)
    see = see or f"gatilho why {shell_word(files[0]) if files else '--command TEXT'}"
    spoken = messages.notes(matches, about or what_was_touched(matches, root), context.answer_budget, remarks, see)
    if context.adapter.carries_context(context.event):
        remember(context, spoken.said)
        for match in spoken.cut:
            context.session.hold(context.event.agent, match.key)
    return Reply(context=spoken.text)


def remember(context: EventContext, said: list[Match]) -> None:
    """Remember that these rows reached the event's agent, and through which paths."""
    for match in said:
        context.session.deliver(context.event.agent, match.key)
        for path in match.files:
            context.session.speaks_for(match.key, path)
    if said:
        files = [path for match in said for path in match.files]
        sessions.mark_live(context.repository.shared_state, context.event.session, files)


def _remarks_on(context: EventContext, match: Match) -> list[str]:
    """Return what else the agent should know of a row: that no one reviewed it, that it may be stale."""
    remarks = [remark] if (remark := _review_of(context, match)) else []
    if match.row.holds_while:
        from gatilho.ladder import payments

        outcome = payments.still_holds(context, match)
        if outcome is not None and not outcome.holds:
            remarks.append(f"possibly stale: {outcome.reason}")
    return remarks
