"""Which row of one side is which row of the other: by id, through renames, by likeness where rows share an id."""

from gatilho.compare.snapshot import Snapshot
from gatilho.model import Row, Value


class Pair(Value):
    """The same row on both sides; None on the side that does not have it."""

    before: Row | None
    after: Row | None

    @property
    def row(self) -> Row:
        """The row as it is, or as it was where it is no more."""
        row = self.after or self.before
        assert row is not None
        return row


def pair(before: Snapshot, after: Snapshot) -> list[Pair]:
    """Every row of either side, once."""
    renamed = _renames(before, after)
    pairs: list[Pair] = []
    for row_id, rows in after.rows_by_id.items():
        pairs += _match(before.rows_by_id.get(renamed.get(row_id, row_id), []), rows)
    seen = set(after.rows_by_id) | set(renamed.values())
    for row_id, rows in before.rows_by_id.items():
        if row_id not in seen:
            pairs += [Pair(row, None) for row in rows]
    return pairs


def _renames(before: Snapshot, after: Snapshot) -> dict[str, str]:
    """New id -> old id, where the ledger says so and only one side has each."""
    names: dict[str, str] = {}
    for entry in after.entries:
        if entry.event == "renamed" and entry.evidence:
            names[entry.id] = entry.evidence
    found: dict[str, str] = {}
    for old in names:
        new = _last_name(names, old)
        if _only_in(before, after, old) and _only_in(after, before, new):
            found[new] = old
    return found


def _last_name(names: dict[str, str], old: str) -> str:
    """Where a chain of renames ends; one that runs in a circle ends anywhere."""
    seen = {old}
    new = names[old]
    while new in names and new not in seen:
        seen.add(new)
        new = names[new]
    return new


def _only_in(one: Snapshot, other: Snapshot, row_id: str) -> bool:
    return row_id in one.rows_by_id and row_id not in other.rows_by_id


def _match(before: list[Row], after: list[Row]) -> list[Pair]:
    """Rows of one id on both sides, the most alike first."""
    if len(before) == len(after) == 1:
        return [Pair(before[0], after[0])]
    order = sorted((-_likeness(old, new), i, j) for i, old in enumerate(before) for j, new in enumerate(after))
    partner: dict[int, int] = {}
    taken: set[int] = set()
    for _, i, j in order:
        if i not in taken and j not in partner:
            partner[j] = i
            taken.add(i)
    pairs = [Pair(before[partner[j]] if j in partner else None, row) for j, row in enumerate(after)]
    return pairs + [Pair(row, None) for i, row in enumerate(before) if i not in taken]


def _likeness(old: Row, new: Row) -> int:
    same_cells = sum(
        bool(getattr(old, name) == getattr(new, name))
        for name in ("note", "triggers", "conditions", "rides", "state_text")
    )
    return 2 * same_cells + int(old.file == new.file)
