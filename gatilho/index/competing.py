"""The rows that compete for the first places of a briefing, chosen by SQLite: of 10,000 rows only those are
read that may fit.

The order is the one of `ladder.decide.in_order`, as far as SQL can say it; whoever shows the rows sorts them once more.
"""

from gatilho.index.index import TODAY, Index, IndexedRow
from gatilho.model import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_IN_LEDGER = "SELECT row FROM entry UNION SELECT evidence FROM entry WHERE event = 'renamed'"
_COUNT = "max(CAST(rides AS INTEGER), coalesce(CAST(tally.count AS INTEGER), 0))"
_DUE = f"lifecycle = 'debt' AND rides IS NOT NULL AND {_COUNT} >= coalesce(ask_after, :ask_after)"
# A row without a date counts as one of today, after those.
_BY_DECAY = "CASE added WHEN '' THEN :today ELSE added END DESC, added = '', id"


class First(Value):
    """The first rows of a section, and how many there are in all."""

    rows: tuple[IndexedRow, ...]
    count: int


def first_due(index: Index, ask_after: int, today: str, kinds: "Iterable[str]", most: int) -> First:
    """Return the debts with enough rides that no waiver's word is on, the nearest first and then the most ridden."""
    _count_all(index)
    known = {"ask_after": ask_after, "today": today}
    cases = " ".join(f"WHEN {_quoted(kind)} THEN {place}" for place, kind in enumerate(kinds))
    order = f"{index.nearness}{_COUNT} DESC, CASE kind {cases} ELSE 1000 END, {_BY_DECAY}"
    # Not counted apart: what decides is in the rows, and looked up once.
    numbers = _numbers(index, f"{_speaks(index)} AND {_DUE} AND state != 'waived'", order, known)
    return First(_rows(index, numbers[:most]), len(numbers))


def waived_with_rides(index: Index, ask_after: int, today: str) -> list[IndexedRow]:
    """Return the debts with enough rides whose waiver may be over."""
    known = {"ask_after": ask_after, "today": today}
    return list(_rows(index, _numbers(index, f"{_speaks(index)} AND {_DUE} AND state = 'waived'", "id", known)))


def first_of_kind(index: Index, kind: str, today: str, most: int, since: str = "") -> First:
    """Return the rows of a kind that may speak today: debts first, then in the order in which they compete.

    since: the day (ISO) on which the oldest was added; "" for any age, and for rows without a date.
    """
    where = f"kind != '' AND {_speaks(index)} AND kind = :kind AND added >= :since"
    by_rides = f"CASE lifecycle WHEN 'debt' THEN -{_COUNT} ELSE 1 END"
    known: dict[str, object] = {"kind": kind, "today": today, "since": since}
    count = index.connection.execute(f"SELECT count(*) FROM row WHERE {where}", known).fetchone()[0]  # type: ignore[arg-type]
    numbers = _numbers(index, where, f"{index.nearness}{by_rides}, {_BY_DECAY} LIMIT {most}", known)
    return First(_rows(index, numbers), count)


def has_kinds(index: Index, *wanted: str) -> bool:
    """Return whether a row in force is of one of those kinds."""
    marks = ",".join("?" * len(wanted))
    query = f"SELECT 1 FROM row WHERE kind != '' AND {index.in_force} AND kind IN ({marks}) LIMIT 1"
    return index.connection.execute(query, wanted).fetchone() is not None


def rows_that_contradict(index: Index, today: str) -> list[IndexedRow]:
    """Return the rows that may speak today and whose key another one has with another note."""
    query = f"SELECT number, key, note FROM row WHERE key != '' AND {_speaks(index)}"
    notes: dict[str, set[str]] = {}
    numbers: dict[str, list[int]] = {}
    for number, key, note in index.connection.execute(query, {"today": today}).fetchall():  # type: ignore[arg-type]
        notes.setdefault(key.casefold(), set()).add(note)
        numbers.setdefault(key.casefold(), []).append(number)
    found = [number for key, said in notes.items() if len(said) > 1 for number in numbers[key]]
    return [row for _, row in index.numbered_rows(found)]


def _speaks(index: Index) -> str:
    return f"{index.in_force} AND {TODAY}"


def _count_all(index: Index) -> None:
    """Let the table of counts know every debt that the ledger knows; what it knows stays until the ledger changes."""
    # The plus keeps SQLite from going through all debts instead of the few that the ledger knows.
    unknown = (
        f"WHERE {index.in_force} AND +lifecycle = 'debt' AND id IN ({_IN_LEDGER}) AND NOT EXISTS "
        "(SELECT 1 FROM tally WHERE tally.store = row.store AND tally.row = row.id)"
    )
    for found in index.select_rows(unknown, {}):
        index.count(found.row)


def _quoted(text: str) -> str:
    return "'" + text.replace("\0", "").replace("'", "''") + "'"


def _numbers(index: Index, where: str, order: str, known: "dict[str, object]") -> list[int]:
    """Return the numbers of rows, in order: SQLite would sort whole rows."""
    joined = "row LEFT JOIN tally ON tally.store = row.store AND tally.row = row.id"
    query = f"SELECT number FROM {joined} WHERE {where} ORDER BY {order}"
    return [number for (number,) in index.connection.execute(query, known)]  # type: ignore[arg-type]


def _rows(index: Index, numbers: list[int]) -> tuple[IndexedRow, ...]:
    found = dict(index.numbered_rows(numbers))
    return tuple(found[number] for number in numbers)
