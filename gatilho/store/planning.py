"""What a change does to a row: its new cells and its new ledger entries. Pure; nothing is read or written here."""

from gatilho.ledger import lines as ledger
from gatilho.lifecycle import transitions
from gatilho.lifecycle.state_cell import left_of, with_left
from gatilho.lifecycle.states import read_state
from gatilho.model import Row, Value
from gatilho.store.change import CHARGE, FOLD, PROGRESS, Change, Context, Status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from gatilho.ledger.lines import Entry, Tally

PLANNED = "planned"


class Step(Value):
    """A planned change. status: PLANNED, NOTHING or REFUSED; row: the row afterwards; entries: what the ledger gets."""

    status: str
    reason: str
    old_count: int | None
    new_count: int | None
    row: Row
    entries: "tuple[Entry, ...]" = ()


def plan_change(change: Change, row: Row, cells: "Collection[str]", recorded: "list[Entry]", context: Context) -> Step:
    """Plan a charge, a fold or a transition of a row as it is now.

    cells: the columns that its line has a cell for. recorded: the row's entries, those planned before it too.
    """
    tally = ledger.tally_of(recorded, row.rides)
    if change.action == CHARGE:
        return _charge(change, row, cells, tally, context)
    if change.action == FOLD:
        return _raise(row, cells, tally, change.number or 0)
    if change.action == PROGRESS:
        return _progress(row, cells, tally.count, change.number or 0)
    return _transition(change, row, cells, tally, context)


def _progress(row: Row, cells: "Collection[str]", count: int, left: int) -> Step:
    """Write a smaller number left into the state cell; it never rises here, for a rise is for people to see."""
    said = left_of(row.state_text)
    text = with_left(row.state_text, left)
    if not row.owed or "state" not in cells or text == row.state_text or (said is not None and said <= left):
        return Step(Status.NOTHING, f"The state of {row.id} says as much already.", count, count, row)
    return Step(PLANNED, "", count, count, row.replace(state_text=text, state=read_state(text)))


def plan_note(change: Change, recorded: "list[Entry]", context: Context) -> Step:
    """Plan an entry that changes no row: asked, allowed, passed anyway, corrected (whose id is a key, not a row)."""
    tally = ledger.tally_of(recorded, change.row.rides)
    count = None if change.action == "corrected" else tally.count
    when = ledger.moment(change.when) if change.when else _after(context, tally.latest)
    entry = _entry(change, context, change.row.id, change.action, count, None, when)
    by_hand = _by_hand(change.row, tally, context, change.by) if change.unrecorded else ()
    return Step(PLANNED, "", count, count, change.row, (*by_hand, entry))


def _charge(change: Change, row: Row, cells: "Collection[str]", tally: "Tally", context: Context) -> Step:
    count = tally.count
    if not row.in_force:
        return Step(Status.NOTHING, f"{row.id} is {transitions.state_of(row)}.", count, count, row)
    if row.rides is None:
        return _no_number(row, count)
    in_table = context.rides_in == "table"
    # A rule's rides have no line in the ledger: the cell alone is their count.
    if in_table and not row.is_debt:
        if "rides" not in cells:
            return _no_cell(row, count)
        return Step(PLANNED, "", count, count + 1, row.replace(rides=count + 1))
    if tally.charged(change.session or context.session):
        # The write before may have stopped after its line, so the cell is raised all the same.
        again = _raise(row, cells, tally) if in_table else Step(Status.NOTHING, "", count, count, row)
        return again.replace(reason=f"This session has charged {row.id} already.")
    base, rides = tally.next_charge(row.rides)
    by_hand = _by_hand(row, tally, context)
    by_hand += _raised_by_hand(row, tally, context, by_hand[-1].when if by_hand else tally.latest)
    # A charge counts only if it is later than the `set` in force: a slow clock must not date it before that.
    marks = (entry.when for entry in (tally.set, tally.state, *by_hand) if entry)
    when = _after(context, max(map(ledger.moment, marks), default=""))
    charge = _entry(change, context, row.id, "charged", rides, base, when)
    return Step(PLANNED, "", count, rides, row.replace(rides=rides) if in_table else row, (*by_hand, charge))


def _raise(row: Row, cells: "Collection[str]", tally: "Tally", further: int = 0) -> Step:
    """Raise the cell to the count in force, where it lags; further: rides that were counted elsewhere."""
    before, count = tally.count, tally.count + further
    if row.rides is None:
        return _no_number(row, count)
    if row.rides < count and "rides" not in cells:
        return _no_cell(row, count)
    if row.rides >= count:
        return Step(Status.NOTHING, f"The rides of {row.id} are {count} already.", count, count, row)
    return Step(PLANNED, "", before, count, row.replace(rides=count))


def _no_number(row: Row, count: int) -> Step:
    reason = f"The rides of {row.id} are not a number: correct the cell at {row.place}."
    return Step(Status.REFUSED, reason, count, count, row)


def _no_cell(row: Row, count: int) -> Step:
    reason = f"{row.id} has no rides cell at {row.place}: add one to have its rides shown."
    return Step(Status.NOTHING, reason, count, count, row)


def _transition(change: Change, row: Row, cells: "Collection[str]", tally: "Tally", context: Context) -> Step:
    count = tally.count
    plan = transitions.plan_transition(change.action, row, _wish(change, context), _told(tally, context))
    if plan.verdict != transitions.CHANGE:
        status = Status.NOTHING if plan.verdict == transitions.NOTHING else Status.REFUSED
        return Step(status, plan.reason, count, count, row)
    if transitions.needs_state_column(change.action) and "state" not in cells:
        reason = f"{row.id} has no state cell at {row.place}: give its table a state column, or its line that cell."
        return Step(Status.REFUSED, reason, count, count, row)
    if _has_its_line(plan.event, change, tally, context):
        return Step(PLANNED, "", count, count, _planned(row, plan))
    by_hand = _by_hand(row, tally, context)
    latest = by_hand[-1].when if by_hand else tally.latest
    # The base of a `set` is what its revert goes back to, where the ledger has no other line of the row.
    rides, base = plan.rides if plan.rides is not None else count, tally.base_of_next(row.rides)
    entry = _entry(change, context, row.id, plan.event, rides, base, _after(context, latest), plan.id or "")
    return Step(PLANNED, "", count, rides, _planned(row, plan), (*by_hand, entry))


def _told(tally: "Tally", context: Context) -> int:
    """Return the count that a `set` of this very commit gives, -1 where none does: then a `set` writes its line.

    Another branch may have another count, or another trigger, and there the line is the reason for the change.
    """
    told = tally.set is not None and not tally.charges and tally.set.commit == context.commit
    return tally.ledger_count if told else -1


def _has_its_line(event: str, change: Change, tally: "Tally", context: Context) -> bool:
    """Return whether the ledger has the line already: its writer stopped there, and only the cells are missing."""
    last = tally.state
    if last is None or last.event != event:
        return False
    session = change.session or context.session
    return bool(session) and last.session == session and last.evidence == ledger.as_read(change.evidence)


def _wish(change: Change, context: Context) -> transitions.Request:
    return transitions.Request(
        by=change.by or context.by,
        evidence=change.evidence,
        today=context.today or context.now[:10],
        until=change.until,
        successor=change.successor,
        number=change.number,
        new_id=change.new_id,
    )


def _planned(row: Row, plan: transitions.Plan) -> Row:
    """Return the row as the plan's cells will make it."""
    text = row.state_text if plan.state is None else plan.state
    return row.replace(
        id=plan.id or row.id,
        struck=row.struck if plan.struck is None else plan.struck,
        rides=row.rides if plan.rides is None else plan.rides,
        state_text=text,
        state=read_state(text),
    )


def _by_hand(row: Row, tally: "Tally", context: Context, by: str = "person") -> "tuple[Entry, ...]":
    """Return the line that an edit of the state did not write: a person's, unless a hook saw a command do it."""
    event = transitions.unrecorded(row, tally)
    if not event:
        return ()
    base = tally.base_of_next(row.rides)
    return (_line_by_hand(row, event, tally.count, base, _after(context, tally.latest), context, by),)


def _raised_by_hand(row: Row, tally: "Tally", context: Context, latest: str) -> "tuple[Entry, ...]":
    """Return the line of a count that a person raised after a `set`, of which no base knows; else the base does."""
    cell = row.rides or 0
    if tally.set is None or cell <= tally.ledger_count:
        return ()
    return (_line_by_hand(row, "set", cell, cell, _after(context, latest), context),)


def _line_by_hand(
    row: Row, event: str, rides: int, base: int, when: str, context: Context, by: str = "person"
) -> "Entry":
    return ledger.Entry(when, row.id, event, rides, base, "", context.commit, by, "by hand, in the table")


def _after(context: Context, floor: str) -> str:
    """Return the present time, or just after the floor: a slow clock must not undo what it has seen."""
    now, floor = ledger.moment(context.now), ledger.moment(floor)
    return now if now > floor else ledger.just_after(floor)


def _entry(
    change: Change, context: Context, row_id: str, event: str, rides: int | None, base: int | None, when: str,
    evidence: str = "",
) -> "Entry":  # fmt: skip
    session, by = change.session or context.session, change.by or context.by
    return ledger.Entry(when, row_id, event, rides, base, session, context.commit, by, evidence or change.evidence)
