"""The rows that a new one repeats or contradicts: its author decides which of them is right."""

from collections.abc import Iterable

from gatilho.index.index import IndexedRow
from gatilho.memory.similarity import most_similar
from gatilho.model import Row, Value


class Relative(Value):
    """A row in force that says the same as a new one, or something else of the same key ("contradiction").

    score: from 0 to 100, of a near-duplicate; 0 for a contradiction.
    """

    found: IndexedRow
    kind: str
    score: int = 0


CONTRADICTION, DUPLICATE = "contradiction", "near-duplicate"


def find_relatives(row: Row, others: Iterable[IndexedRow]) -> list[Relative]:
    """Return what the row contradicts, then what it nearly repeats, the most similar first."""
    there = [one for one in others if one.row.in_force and one.row.id != row.id]
    found = [Relative(one, CONTRADICTION) for one in there if contradicts(row, one.row)]
    places = {one.found.row.place for one in found}
    by_place = {one.row.place: one for one in there if one.row.place not in places}
    similar = most_similar(row, [one.row for one in by_place.values()])
    return found + [Relative(by_place[other.place], DUPLICATE, score) for other, score in similar]


def contradicts(row: Row, other: Row) -> bool:
    """Return whether two rows have the same key and different notes."""
    return bool(row.key) and row.key.casefold() == other.key.casefold() and row.note != other.note


def relatives_in_words(relative: Relative, row: Row) -> str:
    """Say what the author has to decide about."""
    other = relative.found.row
    if relative.kind == CONTRADICTION:
        return (
            f"Contradiction on the key {other.key}: {other.id} says {other.note} ({dated(other)}, {other.place}); "
            f"this row says {row.note} ({dated(row) if row.added else 'today'}, the newer one)."
        )
    return f"{other.id} ({other.place}, {dated(other)}) says nearly the same (score {relative.score}): {other.note}"


def dated(row: Row) -> str:
    """Return the day on which a row was added, in words."""
    return f"added {row.added}" if row.added else "no date"
