"""The one way by which rides and transitions get into a store: a ledger file first, then the tables, under one lock.

What is written is computed from the bytes that are read under the lock, never from what somebody read before.
"""

import os

from gatilho import bounded, files, half_saved, tables
from gatilho.errors import ConflictError
from gatilho.git import state as git_state
from gatilho.ledger import lines as ledger
from gatilho.store import planning
from gatilho.store.change import CHARGE, FOLD, NOTES, Change, Context, Result, Status
from gatilho.store.locate import TableFile, Target, find_target
from gatilho.store.planning import PLANNED, Step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gatilho.ledger.lines import Entry
    from gatilho.model import Row

__all__ = ["CHARGE", "FOLD", "NOTES", "Change", "Context", "Result", "Status", "record_changes"]


def record_changes(root: str, changes: "Sequence[Change]", context: Context) -> list[Result]:
    """Record the changes in the stores of the repository: one result for each, in their order.

    Nothing that is expected is raised: what could not be written is in the results, with the reason.
    """
    # A table that changes in the middle of a rebase or a merge gets in the way of git's next step.
    busy = git_state.busy(context.git_dir, os.environ)
    if busy:
        reason = f"Git is in the middle of {busy}: nothing was written."
        return [Result(change, Status.BUSY, reason) for change in changes]
    lock = files.Lock(context.lock, context.wait)
    try:
        lock.acquire()
    except ConflictError as error:
        return [Result(change, Status.LOCKED, str(error)) for change in changes]
    except OSError as error:
        reason = f"{context.lock} cannot be locked: {_words(error)}."
        return [Result(change, Status.READ_ONLY, reason) for change in changes]
    try:
        return _write_all(root, changes, context)
    finally:
        lock.release()


def _write_all(root: str, changes: "Sequence[Change]", context: Context) -> list[Result]:
    stores = list(context.stores) or tables.stores_of(root)[:1]
    results: dict[int, Result] = {}
    for store in stores:
        place = store.label, store.subtree
        numbers = [number for number, change in enumerate(changes) if (change.row.store, change.row.subtree) == place]
        if numbers:
            written = _Writing(store, stores, context).run([changes[number] for number in numbers])
            results.update(zip(numbers, written))
    return [
        results.get(number)
        or Result(change, Status.OUTSIDE, f"{change.row.place} belongs to no store that is written here.")
        for number, change in enumerate(changes)
    ]


class _Writing:
    """One write to one store: all changes are planned, then the ledger file is written, then the tables."""

    def __init__(self, store: tables.Store, stores: "Sequence[tables.Store]", context: Context) -> None:
        self.store = store
        self.folders = [os.path.realpath(one.folder) for one in stores]
        self.stores = [one for one in stores if one.label == store.label]
        self.context = context
        self.files: dict[str, TableFile] = {}
        self.targets: dict[str, Target] = {}
        self.entries: list[Entry] = []
        self.all_entries: dict[str, list[Entry]] | None = None

    def run(self, changes: list[Change]) -> list[Result]:
        planned = [(change, *self._plan(change)) for change in changes]
        self._apply()
        # Ledger first: killed in between, a cell lags and can be raised again; a cell without its line has no reason.
        name, failure = self._write_ledger()
        failures = {} if failure else self._write_tables()
        return [self._result(change, step, target, name, failure, failures) for change, step, target in planned]

    def _plan(self, change: Change) -> "tuple[Step | Result, Target | None]":
        """Plan one change on top of those before it."""
        if change.action in NOTES:
            return self._plan_note(change), None
        target = self._target(change)
        if isinstance(target, Result):
            return target, None
        if change.action == CHARGE and self.context.local and not target.row.is_debt:
            return self._count_here(change, target), None
        recorded = self._recorded(target.original.id) + target.entries
        step = planning.plan_change(self._as_written(change), target.row, target.columns, recorded, self.context)
        # A row cut by a bare pipe may get lines in the ledger, but no cell: it could be another column's.
        if target.cut and (step.status == Status.REFUSED or target.is_cut_off(step.row)):
            return Result(change, Status.REFUSED, target.cut, file=target.row.file), None
        if step.row.id != target.row.id:
            taken = self._is_taken(step.row, recorded)
            if taken:
                return Result(change, Status.REFUSED, taken, file=target.row.file), None
        target.row = step.row
        target.entries += step.entries
        return step, target

    def _count_here(self, change: Change, target: Target) -> Result:
        """Count a rule's ride on this machine, in no table and no ledger."""
        from gatilho.store import local_rides

        row = target.row
        if not row.in_force:
            return Result(change, Status.NOTHING, f"{row.id} is out of service.", file=row.file)
        try:
            local_rides.add(self.context.local, row.id, self.store.label)
        except OSError as error:
            return Result(change, Status.READ_ONLY, f"{self.context.local} cannot be written: {_words(error)}.")
        return Result(change, Status.RECORDED, file=row.file)

    def _plan_note(self, change: Change) -> "Step | Result":
        if not os.path.isdir(self.store.folder):
            return Result(change, Status.GONE, f"There is no {self.store.folder}.")
        step = planning.plan_note(self._as_written(change), self._recorded(change.row.id), self.context)
        self.entries += step.entries
        return step

    def _as_written(self, change: Change) -> Change:
        """Return a change with the names in the program's own evidence as the rows of a nested store see them."""
        subtree = self.store.subtree
        if not subtree or not (change.by or self.context.by).startswith("program"):
            return change
        first, *rest = f" {change.evidence}".split(subtree)
        for text in rest:
            before = first[-1:]
            first += text if not (before.isalnum() or before in "_-./") else subtree + text
        return change.replace(evidence=first[1:])

    def _target(self, change: Change) -> "Target | Result":
        """Return the row as it is in the bytes on disk, or why it is not written."""
        row = change.row
        if row.id in self.targets:
            return self.targets[row.id]
        found = None if row.shared else find_target(self.store, row, change.header_line, self.files)
        if isinstance(found, str):
            return Result(change, Status.MARKERS, f"{found} holds conflict markers: resolve them first.", file=found)
        status, reason = self._why_not_written(row, found)
        if status or found is None:
            return Result(change, status, reason, file=row.file)
        self.targets[row.id] = found
        return found

    def _why_not_written(self, row: "Row", found: Target | None) -> tuple[str, str]:
        """Return the status and the reason of a row that is not written, both "" for one that may be."""
        if row.shared or (found is not None and found.shared):
            reason = f"Two rows share the id {row.id}, so neither is written: give one of them another id."
            return Status.SHARED, reason
        being_written = f"{row.file} is being written by another process."
        if found is None:
            # One that moved is tried again later and one that is gone is dropped: an editor's save must cost no ride.
            if self._is_being_saved(os.path.join(self.store.base, row.file)):
                return Status.MOVED, being_written
            return Status.GONE, f"{row.id} is in no table of {self.store.folder} any more."
        path, data = found.file.path, found.file.data
        # What another process adds must not be lost.
        if half_saved.is_cut(path, data, 0) and not _is_at_head(path, data):
            return Status.MOVED, being_written
        if not self._is_inside(path):
            return Status.OUTSIDE, f"{row.file} leads out of the stores: it is not written."
        return "", ""

    def _is_being_saved(self, path: str) -> bool:
        """Return whether a file changed since it was read here, or has no end yet: a row may be back in a moment."""
        read = self.files.get(path)
        if not os.path.isfile(path):
            return half_saved.was_moved_away(path)
        try:
            return half_saved.is_half_written(path) or read is None or read.data != bounded.read(path)
        except OSError:
            return False

    def _is_inside(self, path: str) -> bool:
        # A link committed into the store must not make a hook write anywhere else.
        real = os.path.realpath(path)
        return any(real == folder or real.startswith(folder + os.sep) for folder in self.folders)

    def _is_taken(self, row: "Row", own: "list[Entry]") -> str:
        """Return why a renamed row cannot have its new id; own: its entries under the names that it had."""
        if any(find_target(store, row, 0, self.files) is not None for store in self.stores):
            return f"{row.id} is the id of another row."
        if any(entry not in own for entry in self._recorded(row.id)):
            return f"{row.id} was the id of another row, whose ledger would be joined with this one's: choose another."
        return ""

    def _recorded(self, row_id: str) -> "list[Entry]":
        if self.context.entries_of is not None:
            return list(self.context.entries_of(row_id, self.store.label))
        if self.all_entries is None:
            self.all_entries = ledger.by_row(ledger.read_folder(self.store.ledger)[0])
        return self.all_entries.get(row_id, [])

    def _apply(self) -> None:
        """Put the planned cells into the documents' bytes, in memory; a row that cannot be edited records nothing."""
        for file in self.files.values():
            file.apply([t for t in self.targets.values() if t.file is file], self.context.whole_document)
        for target in self.targets.values():
            if not target.broken:
                self.entries += target.entries

    def _write_ledger(self) -> tuple[str, tuple[str, str] | None]:
        """Write one ledger file with all new entries: its name, and a status and a reason where that failed."""
        if not self.entries:
            return "", None
        folder = self.store.ledger
        if not self._is_inside(folder):
            return "", (Status.OUTSIDE, f"{folder} leads out of the stores: nothing was written.")
        try:
            os.makedirs(folder, exist_ok=True)
            return self.store.shown(self._create(folder, ledger.ledger_bytes(self.entries))), None
        except OSError as error:
            return "", (Status.READ_ONLY, f"{folder} cannot be written: {_words(error)}. Nothing was written.")

    def _create(self, folder: str, data: bytes) -> str:
        while True:
            path = f"{folder}/{ledger.file_name(self.context.now, os.urandom(4))}"
            try:
                files.create(path, data)
            except FileExistsError:
                continue
            return path

    def _write_tables(self) -> dict[str, tuple[str, str]]:
        """Replace the files of the changed tables: a status and a reason for each that failed, by path."""
        failures = {}
        for file in self.files.values():
            if file.new != file.data:
                try:
                    # Compared with the bytes of the plan once more: editors and git do not take our lock.
                    files.replace_bytes(file.path, file.data, file.new)
                except ConflictError as error:
                    failures[file.path] = (Status.MOVED, str(error))
                except OSError as error:
                    failures[file.path] = (Status.READ_ONLY, f"{file.shown} cannot be written: {_words(error)}.")
        return failures

    def _result(
        self,
        change: Change,
        step: "Step | Result",
        target: Target | None,
        name: str,
        failure: tuple[str, str] | None,
        failures: dict[str, tuple[str, str]],
    ) -> Result:
        """Return what became of a planned change, after the writing."""
        if isinstance(step, Result):
            return step
        file = target.file.shown if target else ""
        if step.status != PLANNED:
            return Result(change, step.status, step.reason, step.old_count, step.new_count, file)
        if target and target.broken:
            return Result(change, Status.BROKEN, target.broken, step.old_count, step.old_count, file)
        if failure:
            return Result(change, *failure, step.old_count, step.old_count, file)
        ledger_file = name if step.entries else ""
        status, reason = Status.RECORDED, step.reason
        if target and target.edits():
            status, reason = failures.get(target.file.path, (Status.WRITTEN, step.reason))
        # A ride whose line is written counts, also where its table could not be replaced.
        safe = status in (Status.WRITTEN, Status.RECORDED) or bool(ledger_file)
        return Result(
            change, status, reason, step.old_count, step.new_count if safe else step.old_count, file, ledger_file
        )


def _is_at_head(path: str, data: bytes) -> bool:
    """Return whether HEAD has a file with these bytes, which then are all of it."""
    from gatilho.store.head import blob_at_head

    folder, name = os.path.split(path)
    return blob_at_head(folder, f"./{name}") == data


def _words(error: OSError) -> str:
    return error.strerror or str(error)
