"""Which tables of the three documents are one: by the ids that they share, else by their columns and their place."""

from collections.abc import Callable

from gatilho.merge.parts import Parts, Table
from gatilho.model import Value


class Group(Value):
    """One table as base, ours and theirs have it; None where a document does not."""

    base: Table | None
    ours: Table | None
    theirs: Table | None

    @property
    def sides(self) -> tuple[Table | None, Table | None, Table | None]:
        return self.base, self.ours, self.theirs


def match_tables(base: Parts, ours: Parts, theirs: Parts) -> list[Group]:
    """Return the tables of three documents, each in one group."""
    in_ours = _pairs(base.tables, ours.tables, _same_columns)
    in_theirs = _pairs(base.tables, theirs.tables, _same_columns)
    groups = [Group(table, in_ours.get(table.number), in_theirs.get(table.number)) for table in base.tables]
    new_in_ours = _without(ours.tables, in_ours)
    new_in_theirs = _without(theirs.tables, in_theirs)
    both = _pairs(new_in_ours, new_in_theirs, _same_place)
    groups += [Group(None, table, both.get(table.number)) for table in new_in_ours]
    return groups + [Group(None, None, table) for table in _without(new_in_theirs, both)]


def _without(tables: list[Table], pairs: dict[int, Table]) -> list[Table]:
    taken = {table.number for table in pairs.values()}
    return [table for table in tables if table.number not in taken]


def _pairs(left: list[Table], right: list[Table], otherwise: Callable[[Table, Table], bool]) -> dict[int, Table]:
    """Return the table on the right for each number on the left.

    Those that share no id are paired in order where `otherwise` holds, first where the same line is above both.
    """
    pairs: dict[int, Table] = {}
    keys = {id(table): set(table.keys) for table in (*left, *right)}
    shared = [(len(keys[id(one)] & keys[id(other)]), one, other) for one in left for other in right]
    # Most shared ids first: one row that moved between two tables must not make them the same table.
    for count, one, other in sorted(shared, key=lambda found: (-found[0], found[1].number, found[2].number)):
        if count and one.number not in pairs and other in _without(right, pairs):
            pairs[one.number] = other
    # A table that lost all its rows, or got new ones only, shares no id with what it was.
    for holds in (_same_place, otherwise):
        for one in left:
            if one.number not in pairs:
                free = [table for table in _without(right, pairs) if holds(one, table)]
                if free:
                    pairs[one.number] = free[0]
    return pairs


def _same_columns(one: Table, other: Table) -> bool:
    return one.columns == other.columns


def _same_place(one: Table, other: Table) -> bool:
    return one.columns == other.columns and one.before == other.before
