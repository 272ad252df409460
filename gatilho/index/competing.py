"""The rows that compete for the first places of a briefing, chosen by SQLite: of 10,000 rows only those are
read that may fit.

The order is the one of `ladder.decide.in_order`, as far as SQL can say it; whoever shows the rows sorts them once more.
"""

from gatilho.index.index import Index, IndexedRow
from gatilho.model import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_IN_LEDGER = "SELECT row FROM entry UNION SELECT evidence FROM entry WHERE event = 'renamed'"
_TODAY = "(not_before = '' OR not_before <= :today) AND (expires = '' OR expires >= :today)"
_COUNT = (
    "max(CAST(rides AS INTEGER), coalesce((SELECT CAST(count AS INTEGER) FROM tally "
    "WHERE tally.store = row.store AND tally.row = row.id), 0))"
)
_DUE = f"lifecycle = 'debt' AND rides IS NOT NULL AND {_COUNT} >= coalesce(ask_after, :ask_after)"
_IS_DATE = "added GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'"
_BY_DECAY = f"CASE WHEN {_IS_DATE} AND added < :today THEN added ELSE :today END DESC, added = '', added DESC, id"


class First(Value):
    """The first rows of a section, and how many there are in all."""

    rows: tuple[IndexedRow, ...]
    count: int


def first_due(index: Index, ask_after: int, today: str, kinds: "Iterable[str]", most: int) -> First:
    """Return the debts with enough rides that no waiver's word is on, the nearest first and then the most ridden."""
    _count_all(index)
    known = {"ask_after": ask_after, "today": today}
    order = f"{index.nearness}, {_COUNT} DESC, {_by_kind(kinds)}, {_BY_DECAY}"
    return _first(index, f"{_speaks(index)} AND {_DUE} AND state != 'waived'", order, known, most)


def waived_with_rides(index: Index, ask_after: int, today: str) -> list[IndexedRow]:
    """Return the debts with enough rides whose waiver may be over."""
    where = f"WHERE {_speaks(index)} AND {_DUE} AND state = 'waived'"
    return index.select_rows(where, {"ask_after": ask_after, "today": today})


def first_of_kinds(
    index: Index, wanted: "Iterable[str]", today: str, kinds: "Iterable[str]", most: int, since: str = ""
) -> First:
    """Return the rows of those kinds that may speak today: debts first, then in the order in which they compete.

    since: the day (ISO) on which the oldest was added; "" for any age, and for rows without a date.
    """
    named = ", ".join(_quoted(kind) for kind in wanted)
    where = f"kind != '' AND {_speaks(index)} AND kind IN ({named})" + (
        f" AND {_IS_DATE} AND added >= :since" if since else ""
    )
    by_rides = f"CASE lifecycle WHEN 'debt' THEN -{_COUNT} END"
    order = f"lifecycle != 'debt', {index.nearness}, {by_rides}, {_by_kind(kinds)}, {_BY_DECAY}"
    return _first(index, where, order, {"today": today, "since": since}, most)


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
    return f"{index.in_force} AND {_TODAY}"


def _count_all(index: Index) -> None:
    """Let the table of counts know every debt that the ledger knows; what it knows stays until the ledger changes."""
    # The plus keeps SQLite from going through all debts instead of the few that the ledger knows.
    unknown = (
        f"WHERE {index.in_force} AND +lifecycle = 'debt' AND id IN ({_IN_LEDGER}) AND NOT EXISTS "
        "(SELECT 1 FROM tally WHERE tally.store = row.store AND tally.row = row.id)"
    )
    for found in index.select_rows(unknown, {}):
        index.count(found.row)


def _by_kind(kinds: "Iterable[str]") -> str:
    cases = " ".join(f"WHEN {_quoted(kind)} THEN {place}" for place, kind in enumerate(kinds))
    return f"CASE kind {cases} ELSE 1000 END"


def _quoted(text: str) -> str:
    return "'" + text.replace("\0", "").replace("'", "''") + "'"


def _first(index: Index, where: str, order: str, known: "dict[str, object]", most: int) -> First:
    # Numbers first: SQLite would sort whole rows.
    query = f"SELECT number FROM row WHERE {where} ORDER BY {order} LIMIT {most}"
    numbers = [int(number) for (number,) in index.connection.execute(query, known)]  # type: ignore[arg-type]
    found = dict(index.numbered_rows(numbers))
    count = len(numbers)
    if count == most:
        count = int(index.connection.execute(f"SELECT count(*) FROM row WHERE {where}", known).fetchone()[0])  # type: ignore[arg-type]
    return First(tuple(found[number] for number in numbers), count)
