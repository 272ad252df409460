"""What reaches the agent: which rows speak, within the budget, and what the session remembers of it."""

from gatilho.git.root import is_there
from gatilho.hosts.event import Reply
from gatilho.ladder import messages, sessions
from gatilho.ladder.decide import Match, in_order, is_due, may_speak
from gatilho.ladder.event_context import EventContext
from gatilho.ladder.tool_call import files_of_matches, what_was_touched


def speak(scene: EventContext, matches: list[Match], about: str = "", see: str = "") -> Reply:
    """Say what the event's agent has not heard; debts that turn out to be paid are recorded and say nothing.

    about: what it is about, where that is not what the rows matched. see: the command that shows what the budget cuts.
    """
    agent = scene.event.agent
    told = scene.session.was_told(agent) | scene.session.held_now(agent)
    speaking = []
    for match in matches:
        if not may_speak(match.row, scene.today):
            continue
        if match.row.owed and match.row.conditions and not _is_owed_still(scene, match):
            continue
        if match.key not in told:
            speaking.append(match)
    for match in speaking:
        if is_due(match, scene.config, scene.today):
            tell_due(scene, match)
    return _deliver(scene, in_order(speaking, scene.config, scene.today), about, see)


def _review_of(scene: EventContext, match: Match) -> str:
    """Return who has not reviewed a row, in words: no one, or no person; "" where a person's commit has it."""
    is_committed = scene.is_committed(match)
    if not match.row.store and is_there(scene.repository.agent_rows):
        from gatilho.store import agent_rows

        if agent_rows.is_of_agent(scene.repository, match.row, is_committed):
            return f"added by an agent, {'in no commit of a person' if is_committed else 'not committed'} yet"
    return "" if is_committed else "not committed yet"


def _is_owed_still(scene: EventContext, match: Match) -> bool:
    from gatilho.ladder import payments

    return payments.is_owed_still(scene, match)


def tell_due(scene: EventContext, match: Match) -> None:
    """Report a due debt to the person, at its first touch in the session."""
    scene.tell_person_once(f"due {match.key}", messages.due_line(match))


def _deliver(scene: EventContext, matches: list[Match], about: str, see: str) -> Reply:
    """Return the rows for the event's agent, as far as the budget goes.

    What was said and what was cut is remembered.
    """
    if not matches:
        return Reply()
    remarks = {match.key: _remarks_on(scene, match) for match in matches}
    root = scene.repository.root
    see = see or f"gatilho why {(files_of_matches(matches, root) or ['--command TEXT'])[0]}"
    spoken = messages.notes(matches, about or what_was_touched(matches, root), scene.answer_budget, remarks, see)
    if scene.adapter.carries_context(scene.event):
        remember(scene, spoken.said)
        for match in spoken.cut:
            scene.session.hold(scene.event.agent, match.key)
    return Reply(context=spoken.text)


def remember(scene: EventContext, said: list[Match]) -> None:
    """Remember that these rows reached the event's agent, and through which paths."""
    for match in said:
        scene.session.deliver(scene.event.agent, match.key)
        for path in match.files:
            scene.session.speaks_for(match.key, path)
    if said:
        files = [path for match in said for path in match.files]
        sessions.mark_live(scene.repository.shared_state, scene.event.session, files)


def _remarks_on(scene: EventContext, match: Match) -> list[str]:
    """Return what else the agent should know of a row: that no one reviewed it, that it may be stale."""
    remarks = [remark] if (remark := _review_of(scene, match)) else []
    if match.row.holds_while:
        from gatilho.ladder import payments

        outcome = payments.still_holds(scene, match)
        if outcome is not None and not outcome.holds:
            remarks.append(f"possibly stale: {outcome.reason}")
    return remarks
