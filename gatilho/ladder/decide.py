"""What the ladder decides, as functions of values: who speaks, in which order, who is due, and what expires."""

from gatilho.dates import days_between
from gatilho.index.index import Index, IndexedRow
from gatilho.model import Row, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Protocol, TypeVar

    from gatilho.config import Config

    class _Found(Protocol):
        @property
        def row(self) -> Row: ...

    _F = TypeVar("_F", bound=_Found)


class Match(Value):
    """A row that an event concerns.

    count: its rides in force. names: what it matched in the repository (paths, or the text of a command or prompt).
    written: what of it was written ("" for a mere read): a path, or "a command".
    files: the absolute paths among what it matched. path: the table it is in, absolute; header: the line of that
    table's header; file_number: the table's in the index.
    """

    row: Row
    count: int
    names: tuple[str, ...] = ()
    written: str = ""
    files: tuple[str, ...] = ()
    path: str = ""
    header: int = 0
    file_number: int = 0

    @property
    def key(self) -> tuple[str, str]:
        """Return what a session remembers the row by (see `key_of`)."""
        return key_of(self.row)


def key_of(row: Row) -> tuple[str, str]:
    """Return the label of the store and the id; of rows that share an id also the place, for each of them speaks."""
    return (row.store, f"{row.id} at {row.place}" if row.shared else row.id)


def may_speak(row: Row, today: str) -> bool:
    """Return whether a row is delivered on that day (ISO): in force, begun, and not past its own date."""
    if not row.in_force or (row.not_before and today < row.not_before):
        return False
    return not is_past(row, today)


def is_past(row: Row, today: str) -> bool:
    """Return whether the last day that a row names for itself is over."""
    return bool(row.expires) and today > row.expires


def is_due(match: Match, config: "Config", today: str) -> bool:
    """Return whether a debt is to be asked about: owed, with enough rides, and not waived on that day.

    A row whose count cannot be read never escalates.
    """
    row = match.row
    if not row.owed or row.rides is None or not may_speak(row, today):
        return False
    if row.state == "waived":
        from gatilho.lifecycle.transitions import is_waived  # few rows are, and every hook loads this module

        if is_waived(row, today):
            return False
    return match.count >= row.asked_from(config.ask_after)


def in_order(matches: list[Match], config: "Config", today: str) -> list[Match]:
    """Return the matches as they compete: due debts by rides, other debts by rides, rules.

    Of each, those of the store that is nearest to what it is about come first. Then kind, decay, added, id.
    """
    kinds = list(config.kinds)

    def key(match: Match) -> tuple[object, ...]:
        row = match.row
        rank = 0 if is_due(match, config, today) else 1 if row.is_debt else 2
        kind = kinds.index(row.kind) if row.kind in kinds else len(kinds)
        rides = -match.count if row.is_debt else 0
        # Newest first inside an ascending sort, and rows without a date after them.
        newer = tuple(-ord(letter) for letter in row.added)
        nearness = -row.subtree.count("/")
        return (rank, nearness, rides, kind, -decay(row, config, today), not row.added, newer, row.id, row.store)

    return sorted(matches, key=key)


def decay(row: Row, config: "Config", today: str) -> float:
    """Return `0.5 ** (age / half-life)`, or 1.0 for a row without a date, of the future, exempt, or a task."""
    half_life = config.kinds.get(row.kind, (None, None))[0]
    if half_life is None or row.kind == "task":
        return 1.0
    # A date ahead of today must not lift a row above those of today.
    age = days_between(row.added, today)
    return 1.0 if age is None or age <= 0 else 0.5 ** (age / half_life)


def to_charge(match: Match, delivered: bool, charged: bool) -> bool:
    """Return whether a turn close gives the row a ride: delivered, its anchor written, none yet in this session."""
    row = match.row
    # Of two rows with one id neither is written, and a cell that is no number cannot be raised.
    if not (delivered and match.written and not charged) or row.shared or row.rides is None:
        return False
    return row.in_force and bool(row.triggers)


def paired(old: list[Row], new: list[Row]) -> "Iterator[tuple[Row, Row | None]]":
    """Yield each old row with the new one of its id, rather one in the same file; None where it is gone.

    Each new row is taken once: of two rows with one id, one must not account for both.
    """
    left: dict[str, list[Row]] = {}
    for row in new:
        left.setdefault(row.id, []).append(row)
    for row in old:
        rest = left.get(row.id, [])
        same = next((one for one in rest if one.file == row.file), rest[0] if rest else None)
        if same is not None:
            rest.remove(same)
        yield row, same


def owners_changes(row: Row, now: Row) -> list[str]:
    """Return what changed of a row that only its owner may change, the gravest first."""
    # A raised count holds at once, so only a fall is the owner's to decide; and no trigger of a rule stops anything.
    times = [(one.ask_after, one.expires, one.not_before) for one in (row, now)]
    changes = {
        "strike": row.struck != now.struck,
        "state": row.state_text != now.state_text,
        "rides": row.rides is not None and (now.rides is None or now.rides < row.rides),
        "lifecycle": row.lifecycle != now.lifecycle,
        "trigger": row.owed and row.triggers != now.triggers,
        "condition": row.owed and row.conditions != now.conditions,
        "times": row.is_debt and times[0] != times[1],
    }
    return [what for what, has_changed in changes.items() if has_changed]


def paid_by_program(index: Index, since: str) -> list[IndexedRow]:
    """Return the debts that the program paid on that day (ISO) or later, and that no one touched since."""
    found = []
    for store, row_id in index.rows_with_event("paid", since):
        for one in index.rows_with_id(row_id):
            row = one.row
            if row.store != store or row.shared or not (row.is_debt and row.struck):
                continue
            # The index finds every payment of these days, but a later entry may have changed the state since.
            last = index.tally(row).state
            if last is not None and last.event == "paid" and last.by.startswith("program"):
                found.append(one)
    return found


def reason_to_expire(row: Row, config: "Config", today: str, ttl_days: int | None = None) -> str:
    """Return why a row in force is over on that day (ISO), else "". ttl_days replaces its kind's time to live.

    A kind without a time to live is exempt, whatever ttl_days says; so is a row of an unknown kind, without a kind,
    or without the date on which it was added. A date of its own is a person's word.
    """
    if not row.in_force:
        return ""
    if row.expires and today > row.expires:
        return f"its own date, {row.expires}, is past"
    if row.kind not in config.kinds:
        return ""
    of_kind = config.kinds[row.kind][1]
    age = days_between(row.added, today)
    if of_kind is None or age is None:
        return ""
    limit = of_kind if ttl_days is None else ttl_days
    if age <= limit:
        return ""
    from gatilho.plain import with_article

    return f"added {row.added}, and {with_article(row.kind)} lives {limit} days"


def contradictions(found: "Iterable[_F]") -> "list[list[_F]]":
    """Return the groups that contradict themselves, in the given order.

    What comes in has a `row` and may speak today.
    """
    by_key: dict[str, list[_F]] = {}
    for one in found:
        if one.row.key:
            by_key.setdefault(one.row.key.casefold(), []).append(one)
    return [group for group in by_key.values() if len({one.row.note for one in group}) > 1]
