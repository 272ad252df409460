"""Raises the cells of a store to the counts in force: those of the ledger, and the rides counted on this machine."""

from collections.abc import Callable

from gatilho import bounded, files
from gatilho.document.document import Document
from gatilho.index.index import Index
from gatilho.store import local_rides, record
from gatilho.store.change import FOLD, LOCAL_RIDES, Change, Context, Result, Status
from gatilho.store.command_context import context


def raise_cells(index: Index, is_wanted: Callable[[str], bool] | None = None) -> tuple[list[Change], list[Result]]:
    """Raise every cell that is below the count in force; return what was to be raised, and what became of it.

    is_wanted: says whether cells of the file with that name are to be raised.
    """
    path, around = index.repository.shared_state + LOCAL_RIDES, context(index, "program")
    if not local_rides.pending(index.repository.shared_state):
        changes = _changes(index, {}, is_wanted)
        return changes, record.record_changes(index.repository.root, changes, around)
    with files.Lock(path + ".lock", around.wait):  # two folds at once would both bring in the same rides
        return _bring_in(index, path, around, is_wanted)


def _bring_in(
    index: Index, path: str, around: Context, is_wanted: Callable[[str], bool] | None
) -> tuple[list[Change], list[Result]]:
    """Raise cells as `raise_cells` does, by the rides counted on this machine too; those that were written are gone."""
    with files.Lock(around.lock, around.wait):  # whoever appends to the file holds it
        further = local_rides.take_local_rides(path)
    changes = _changes(index, further, is_wanted)
    results = record.record_changes(index.repository.root, changes, around)
    written = {(result.change.row.id, result.change.row.store) for result in results if result.status == Status.WRITTEN}
    local_rides.keep_rides(path, {key: count for key, count in further.items() if key not in written})
    return changes, results


def lagging(index: Index, is_wanted: Callable[[str], bool] | None = None) -> list[Change]:
    """Return what `raise_cells` would raise, and write nothing."""
    return _changes(index, local_rides.pending(index.repository.shared_state), is_wanted)


def raised_to(index: Index, change: Change) -> int:
    """Return the count to which a change raises its cell."""
    return index.tally(change.row).count + (change.number or 0)


def _changes(
    index: Index, further: dict[tuple[str, str], int], is_wanted: Callable[[str], bool] | None
) -> list[Change]:
    """Find what is to be raised; rows that share an id are left to that problem. A table may have no such column."""
    changes = []
    tables: dict[tuple[str, int], bool] = {}
    for found in index.rows():
        row = found.row
        if is_wanted is not None and not is_wanted(row.file):
            continue
        more = further.get((row.id, row.store), 0)
        lags = row.rides is not None and not row.shared and index.tally(row).count + more > row.rides
        if lags and _has_counts(found.path, found.header, tables):
            # No hint of the line: with one each row would be looked for in all lines, without it they are read once.
            changes.append(Change(row, FOLD, number=more))
    return changes


def _has_counts(path: str, header: int, known: dict[tuple[str, int], bool]) -> bool:
    if (path, header) not in known:
        known[path, header] = "rides" in Document(bounded.read(path)).columns(header)
    return known[path, header]
