"""What the ladder decides, as functions of values: who speaks, in which order, who is due, who is charged."""

from gatilho.dates import days_between
from gatilho.model import Row, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.config import Config


class Match(Value):
    """A row that an event concerns.

    count: its rides in force. names: what it matched in the repository (paths, or the text of a command or prompt).
    written: what of it was written ("" for a mere read): a path, or "a command".
    files: the absolute paths among what it matched. path: the table it stands in, absolute; header: the line of that
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
        """What a session remembers the row by (see `key_of`)."""
        return key_of(self.row)


def key_of(row: Row) -> tuple[str, str]:
    """The label of the store and the id; of rows that share an id also the place, for each of them speaks."""
    return (row.store, f"{row.id} at {row.place}" if row.shared else row.id)


def may_speak(row: Row, today: str) -> bool:
    """Whether a row is delivered on that day (ISO): in force, begun, and not past its own date."""
    if not row.in_force or (row.not_before and today < row.not_before):
        return False
    return not is_past(row, today)


def is_past(row: Row, today: str) -> bool:
    """Whether the last day that a row names for itself is over."""
    return bool(row.expires) and today > row.expires


def is_due(match: Match, config: "Config", today: str) -> bool:
    """Whether a debt is to be asked about: owed, with enough rides, and not waived on that day.

    A row whose count cannot be read never escalates.
    """
    row = match.row
    if not row.owed or row.rides is None or not may_speak(row, today):
        return False
    if row.state == "waived":
        from gatilho.ladder.lifecycle import is_waived

        if is_waived(row, today):
            return False
    return match.count >= (config.ask_after if row.ask_after is None else row.ask_after)


def in_order(matches: list[Match], config: "Config", today: str) -> list[Match]:
    """The matches as they compete: due debts by rides, other debts by rides, rules; then kind, decay, added, id."""
    kinds = list(config.kinds)

    def key(match: Match) -> tuple[object, ...]:
        row = match.row
        rank = 0 if is_due(match, config, today) else 1 if row.is_debt else 2
        kind = kinds.index(row.kind) if row.kind in kinds else len(kinds)
        rides = -match.count if row.is_debt else 0
        newer = tuple(-ord(letter) for letter in row.added)
        return (rank, rides, kind, -decay(row, config, today), not row.added, newer, row.id, row.store)

    return sorted(matches, key=key)


def decay(row: Row, config: "Config", today: str) -> float:
    """`0.5 ** (age / half-life)`, computed fresh; 1.0 for a row without a date, of the future, exempt, or a task."""
    half_life = config.kinds.get(row.kind, (None, None))[0]
    if half_life is None or row.kind == "task":
        return 1.0
    age = days_between(row.added, today)
    return 1.0 if age is None or age <= 0 else 0.5 ** (age / half_life)


def to_charge(match: Match, delivered: bool, charged: bool) -> bool:
    """Whether a turn close gives the row a ride: delivered, its anchor written, none yet in this session."""
    row = match.row
    if not (delivered and match.written and not charged) or row.shared or row.rides is None:
        return False
    return row.in_force and bool(row.triggers)
