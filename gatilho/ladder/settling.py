"""The close of a turn: what was written is paid or gets its ride. Late or in time, the same function."""

from gatilho.ladder import payments, recording, sessions, speech
from gatilho.ladder.decide import Match, to_charge
from gatilho.ladder.recheck import paid_by_program
from gatilho.ladder.scene import Scene
from gatilho.store.change import CHARGE, Change, Result


def settle(scene: Scene, session: sessions.Session) -> list[Match]:
    """Close the session's open turn: queue payments, payments taken back, rides, and the lines that waited for it.

    File conditions are looked at for every debt that the session was told of, whatever was written: a payment may have
    come by another way. Commands are not run here: the debts whose anchor was written and that wait for one are
    returned, and keep their written mark.
    """
    awaiting: list[Match] = []
    written = session.written()
    charged = session.charged()
    _take_back(scene, session)
    for key in sorted(session.was_delivered()):
        found = scene.match_of(key)
        if found is None:
            continue
        match, indexed = found
        match.written = written.get(key, "")
        if match.row.owed and match.row.conditions and not match.row.shared:
            verdict = payments.look(scene, match, indexed)
            if verdict.state == payments.PAID:
                _queue(scene, session, match, "pay", verdict.evidence)
                session.pay(key)
                continue
            if verdict.state == payments.HOLDS_ALREADY:
                payments.tell_holds_already(scene, match)
                continue
            if match.written and payments.awaits_command(scene, match):
                awaiting.append(match)
                continue
        if to_charge(match, True, key in charged):
            session.charge(key)
            _queue(scene, session, match, CHARGE, match.written)
    _queue_lines(scene, session)
    session.settle(set(written).difference(match.key for match in awaiting))
    return awaiting


def _take_back(scene: Scene, session: sessions.Session) -> None:
    """A payment of this turn whose conditions no longer hold at its close is none."""
    for key in sorted(session.paid_this_turn()):
        found = scene.match_of(key)
        if found is None or not found[0].row.struck:
            continue
        outcome = payments.outcome_of(scene, found[0])
        if not outcome.holds and not outcome.undecided:
            _queue(scene, session, found[0], "regress", f"paid in this turn, and at its close {outcome.reason}")


def _queue(scene: Scene, session: sessions.Session, match: Match, action: str, evidence: str) -> None:
    change = Change(match.row, action, match.header, evidence=evidence, session=scene.session_hash(session))
    recording.queue(scene, change)


def _queue_lines(scene: Scene, session: sessions.Session) -> None:
    """Questions and answers of the turn go into its ledger file."""
    for store, row_id, event, _, evidence in session.take_lines():
        found = scene.match_of((store, row_id))
        if found is not None:
            _queue(scene, session, found[0], event, evidence)


def settle_others(scene: Scene) -> None:
    """At a session's start: close what former generations of it and long silent sessions of this tree left open."""
    for session in sessions.unsettled(scene.db, scene.session, scene.repository.root, scene.clock):
        settle(scene, session)


def reinstate_what_came_back(scene: Scene) -> None:
    """Look again at the file conditions of the debts that the program paid lately; what fails is owed again."""
    weeks = scene.config.conditions.recheck_weeks
    for found in paid_by_program(scene.index, scene.days_ago(weeks * 7)):
        match = Match(found.row, found.row.rides or 0, path=found.path, header=found.header)
        outcome = payments.outcome_of(scene, match)
        if not outcome.holds and not outcome.undecided:
            _queue(scene, scene.session, match, "regress", outcome.reason)
            scene.person.append(f"{match.row.id} is owed again: {outcome.reason} ({match.row.place}).")


def told(results: list[Result], scene: Scene) -> list[str]:
    """What the writing of a turn's close means for the person, a line for each row."""
    lines = []
    for result in results:
        line = _told(result, scene)
        if line:
            lines.append(line)
    return lines


def _told(result: Result, scene: Scene) -> str:
    change = result.change
    row = change.row
    if result.may_wait:
        return f"{row.id}: {result.reason}; it is written by the first hook afterwards."
    if not result.is_well:
        return f"{row.id}: not written, {result.reason}."
    if change.action == "pay" and result.new_count is not None:
        return f"{row.id} is paid ({row.file})."
    if change.action == "regress":
        return f"{row.id} is owed again: {change.evidence} ({row.file})."
    if change.action == CHARGE and row.is_debt and result.new_count != result.old_count:
        return f"{row.id} was touched and left unpaid: {speech.rides(result.new_count or 0)} now ({row.file})."
    return ""
