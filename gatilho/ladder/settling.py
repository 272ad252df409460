"""The close of a turn: what was written is paid or gets its ride. Late or in time, the same function."""

from gatilho.dates import days_before
from gatilho.hosts.event import TURN_CLOSE
from gatilho.ladder import later, payments, recording, sessions
from gatilho.ladder.decide import Match, paid_by_program, to_charge
from gatilho.ladder.event_context import EventContext
from gatilho.ladder.session import RowKey, Session
from gatilho.ladder.violations import note_violation
from gatilho.lifecycle.state_cell import left_of
from gatilho.store.change import CHARGE, PROGRESS, Change

# A debt that only a command keeps from being looked at.
_AWAITS_COMMAND = "awaits a command"
# Who wrote a line that waited for the turn's close.
_BEHIND = {"asked": "program", "allowed": "person", "passed anyway": "agent"}


def settle_own(context: EventContext) -> None:
    """Close the session's open turn, and what it left open before it fell silent for so long that it is a new one.

    The close of a turn closes that turn alone: what is older waits for the next prompt, start or end.
    """
    former = [] if context.event.kind == TURN_CLOSE else sessions.former_turns(context.db, context.session)
    for session in [*former, context.session]:
        context.awaiting = settle_turn(context, session)


def settle_others(context: EventContext) -> None:
    """Close at a session's start what long silent sessions left open in this working tree."""
    for session in sessions.others_turns(context.db, context.session):
        folders = [context.repository.shared_state, session.origin]
        last_sign = max(session.seen, *(sessions.last_sign_of(folder, session.id) for folder in folders if folder))
        if context.clock - last_sign > sessions.SETTLED_BY_OTHERS_AFTER:
            settle_turn(context, session)


def settle_turn(context: EventContext, session: Session) -> list[Match]:
    """Close a session's turn in this tree: queue payments, payments taken back, rides, and the lines that waited.

    File conditions are looked at for every debt delivered in the session, whatever was written: a payment may have
    come by another way. Commands are not run here: the debts whose anchor was written and that wait for one are
    returned, and keep their written mark.
    """
    awaiting: list[Match] = []
    written = session.written()
    charged = session.charged()
    # Before everything else: what is taken back is an owed row for the rest of this close.
    taken_back = _take_back(context, session)
    paid = session.paid_this_turn() - taken_back
    unseen: set[RowKey] = set()
    for key in sorted(session.was_delivered()):
        match = context.match_of(key)
        if match is None:
            unseen.add(key)
            continue
        match = match.replace(written=written.get(key, ""))
        if key in taken_back:
            match = match.replace(row=match.row.replace(struck=False, state="owed"))
        state = _settle_payment(context, session, match)
        if state == _AWAITS_COMMAND:
            awaiting.append(match)
        elif state == payments.OWED:
            _settle_unpaid(context, session, match, is_paid=key in paid, charged=key in charged)
    _queue_lines(context, session)
    # A row may be missing only because its table is being saved: then it keeps its written mark.
    if unseen.isdisjoint(written) or not context.index.is_being_saved():
        unseen.clear()
    elif context.event.kind == TURN_CLOSE:
        _settle_later(context)
    session.forget_written({match.key for match in awaiting} | unseen)
    return awaiting


def _settle_payment(context: EventContext, session: Session, match: Match) -> str:
    """Queue the payment of a debt whose conditions hold; return what became of it, OWED for a row without any."""
    if not (match.row.owed and match.row.conditions) or match.row.shared:
        return payments.OWED
    verdict = payments.evaluate_payment(context, match)
    if verdict.state == payments.PAID:
        _note_outcome(context, session, match, True)
        session.pay(match.key)
        recording.queue_for(context, match, "pay", verdict.evidence, session)
    # No ride either: the work may be done, and only a person can say whether the condition is wrong.
    elif verdict.state == payments.HOLDS_ALREADY:
        payments.tell_holds_already(context, match)
    else:
        # In the other mode hooks write no table at all, and the ledger has no event for it.
        if verdict.left and context.config.rides_in == "table":
            _queue_progress(context, session, match, verdict.left)
        if match.written and payments.awaits_command(context, match):
            return _AWAITS_COMMAND
    return verdict.state


def _settle_unpaid(context: EventContext, session: Session, match: Match, is_paid: bool, charged: bool) -> None:
    """Note what came of the warning, and give the row its ride. is_paid: by an earlier event of this turn."""
    _note_heeded(context, session, match, is_paid)
    if match.written and match.row.violated_when:
        _note_outcome(context, session, match, not note_violation(context, session, match))
    if to_charge(match, True, charged):
        session.charge(match.key)
        recording.queue_for(context, match, CHARGE, match.written, session)


def _settle_later(context: EventContext) -> None:
    """Leave the turn's close to the next event, of whatever session: a table that it is about is being saved."""
    if later.keep(context.repository, context.event):
        context.tell_person_once(
            "being saved",
            "A table is being saved by another process, so this turn's rides are not written yet. "
            "The next hook writes them.",
        )


def _note_heeded(context: EventContext, session: Session, match: Match, is_paid: bool) -> None:
    """Note whether a warning was heeded: its anchor was written, and what the row asks for is so, or is not."""
    row = match.row
    if not match.written:
        return
    if is_paid or (row.owed and row.conditions):
        _note_outcome(context, session, match, is_paid)
    elif row.holds_while and row.in_force:
        outcome = payments.still_holds(context, match)
        if outcome is not None and not outcome.undecided:
            _note_outcome(context, session, match, outcome.holds)


def _note_outcome(context: EventContext, session: Session, match: Match, heeded: bool) -> None:
    if match.written:
        session.note_outcome(match.key, "warning", "heeded" if heeded else "ignored", context.today)


def _queue_progress(context: EventContext, session: Session, match: Match, left: int) -> None:
    """Queue what is left of a debt that is worked off bit by bit, where its cell says more or nothing."""
    said = left_of(match.row.state_text)
    # Only downwards: a rise would be hidden, and `check` reports it.
    if said is None or left < said:
        recording.queue_for(context, match, PROGRESS, session=session, number=left)


def _take_back(context: EventContext, session: Session) -> set[RowKey]:
    """Take back the payments of this turn that no longer hold; return the rows that are owed again."""
    found = set()
    for key in sorted(session.paid_this_turn()):
        match = context.match_of(key)
        if match is None or not match.row.struck:
            continue
        outcome = context.outcome_of(match.row)
        if not outcome.holds and not outcome.undecided:
            recording.queue_for(context, match, "regress", f"paid in this turn, but {outcome.reason}", session)
            found.add(key)
    return found


def _queue_lines(context: EventContext, session: Session) -> None:
    """Queue the turn's questions and answers for its ledger file, each with its own time."""
    for store, row_id, event, occurred, evidence in session.take_lines():
        match = context.match_of((store, row_id))
        if match is not None:
            by = f"{_BEHIND[event]} {context.event.host}"
            session_hash = context.session_hash(session)
            recording.queue(
                context, Change(match.row, event, evidence=evidence, session=session_hash, by=by, when=occurred)
            )


def reinstate_what_came_back(context: EventContext) -> None:
    """Look again at the file conditions of the debts that the program paid lately; what fails is owed again."""
    weeks = context.config.conditions.recheck_weeks
    for found in paid_by_program(context.index, days_before(weeks * 7, context.clock)):
        match = context.match(found)
        outcome = context.outcome_of(match.row)
        if not outcome.holds and not outcome.undecided:
            recording.queue_for(context, match, "regress", outcome.reason)
