"""Finds a row again, by its id, in the bytes that are on disk now, and puts changed cells into those bytes.

Where the row was known to be is tried first: reading one line takes microseconds, and all lines of a large table a
third of a second.
"""

import os

from gatilho import bounded, tables
from gatilho.document import edit, rows, table
from gatilho.document.document import Document
from gatilho.errors import DocumentError
from gatilho.half_saved import is_back, read_saved_bytes
from gatilho.model import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gatilho.document.edit import CellEdit
    from gatilho.ledger.lines import Entry
    from gatilho.model import Problem
    from gatilho.tables import Store


class Target:
    """A row that changes: as it was read, as it will be, the cells it has, and the ledger's new entries about it.

    cut: why no one can say which cell belongs to which column, "" where that is plain.
    """

    def __init__(
        self, file: "TableFile", row: Row, header_line: int, columns: dict[str, int], shared: bool, cut: str = ""
    ) -> None:
        self.file = file
        self.original = row
        self.row = row
        self.header_line = header_line
        self.columns = columns
        self.shared = shared
        self.cut = cut
        self.entries: list[Entry] = []
        self.broken = ""

    def is_cut_off(self, new: Row) -> bool:
        """Return whether the row could only become the new one by a write into a cell that may be another column's."""
        old = self.row
        # An id in the first column is in front of every pipe that may be too many.
        moved_id = (new.id, new.struck) != (old.id, old.struck) and self.columns["id"] > 0
        return bool(self.cut) and (moved_id or (new.rides, new.state_text) != (old.rides, old.state_text))

    def edits(self) -> "list[CellEdit]":
        """Return the cells in which the row will differ, as far as its line has them."""
        new, old, line = self.row, self.original, self.original.line
        found = []
        if (new.id, new.struck) != (old.id, old.struck):
            found.append(edit.CellEdit(line, "id", self._id_cell()))
        if new.rides != old.rides and "rides" in self.columns:
            found.append(edit.CellEdit(line, "rides", str(new.rides)))
        if new.state_text != old.state_text and "state" in self.columns:
            found.append(edit.CellEdit(line, "state", edit.escape_cell(new.state_text)))
        return found

    def _id_cell(self) -> str:
        """Return the id's cell with all that wraps the id kept, and the strike put on or taken off."""
        document, number = self.file.document, self.original.line
        start, end = document.cells(number, self.header_line)["id"]
        raw = document.line(number)[start:end]
        if self.row.id != self.original.id:
            if self.original.id.encode() not in raw:
                raise DocumentError(f"the id {self.original.id} is spelt with escapes: rename it by hand")
            raw = raw.replace(self.original.id.encode(), self.row.id.encode(), 1)
        if self.row.struck != self.original.struck:
            raw = edit.strike(raw) if self.row.struck else edit.unstrike(raw)
        return raw.decode("utf-8", "surrogateescape")


class TableFile:
    """A file of tables: its path, how messages call it, its document on disk and, after `apply`, its new bytes."""

    def __init__(self, path: str, shown: str, data: bytes) -> None:
        self.path = path
        self.shown = shown
        self.data = data
        self.new = data
        self.document = Document(data)
        self._read: dict[tuple[str, str], dict[str, list[tuple[Row, int, list[Problem]]]]] = {}

    def row_at(self, row: Row, header_line: int) -> Target | None:
        """Return the row, where it still is on its line below that header."""
        # Both numbers come from an index that may be older than these bytes.
        if not 0 < header_line < row.line <= len(self.document.lines):
            return None
        columns = self.document.columns(header_line)
        # This look reads no other row, so it must not miss a second one with the same id.
        if not columns.of_rows or self.id_cells(row.id) != 1:
            return None
        line = self.document.line(row.line)
        found, wrong = rows.read_row(line, columns, self.shown, row.line, row.lifecycle, row.store)
        return self._target(found, header_line, wrong, False) if found is not None and found.id == row.id else None

    def find(self, row: Row) -> Target | None:
        """Return the row, wherever it is in the document's tables."""
        found = self._rows(row.lifecycle, row.store).get(row.id)
        return self._target(*found[0], len(found) > 1) if found else None

    def id_cells(self, row_id: str) -> int:
        """Return how many lines have a cell, of whatever column, that reads as that id."""
        needle = row_id.encode()
        return sum(
            any(table.read_id(table.cell_text(line[start:end]))[2] == row_id for start, end in table.split_cells(line))
            for line in self.document.lines
            if needle in line
        )

    def apply(self, targets: list[Target], whole_document: bool) -> None:
        """Put the targets' changed cells into the new bytes; a row that cannot be edited is broken, no other is."""
        try:
            self.new = _spliced(self.data, targets, whole_document)
        except DocumentError:
            # One after the other, so that only a row that cannot be edited is left out.
            for target in targets:
                try:
                    self.new = _spliced(self.new, [target], whole_document)
                except DocumentError as error:
                    target.broken = str(error)

    def _rows(self, default_lifecycle: str, store: str) -> "dict[str, list[tuple[Row, int, list[Problem]]]]":
        """Return all rows by id, each with its table's header line and its problems; read once for all changes."""
        key = (default_lifecycle, store)
        if key not in self._read:
            by_id = self._read.setdefault(key, {})
            for read in rows.iter_rows(self.document, self.shown, default_lifecycle, store):
                if read.row is not None:
                    by_id.setdefault(read.row.id, []).append((read.row, read.header_line, read.problems))
        return self._read[key]

    def _target(self, row: Row, header_line: int, problems: "list[Problem]", shared: bool) -> Target:
        columns = self.document.columns(header_line)
        there = {name: columns[name] for name in self.document.cells(row.line, header_line)}
        return Target(self, row, header_line, there, shared, _cut(row, "state" in columns, problems))


def _cut(row: Row, has_state: bool, problems: "list[Problem]") -> str:
    """Return why the cells of a row may not be those of their columns: a bare pipe makes two of one.

    Surplus cells are ignored, unless they have moved the count to where the state is looked for, or beyond.
    """
    misplaced = has_state and not row.state and (not row.state_text or row.state_text.isdecimal())
    shifted = row.rides is None or misplaced
    for one in problems:
        place = f"{one.place}:{one.place.column}, {one.code}"
        if one.code == "GT106":
            return f"{row.id} is cut by a pipe ({place}): put a backslash before it first."
        if one.code == "GT105" and shifted:
            return (
                f"{row.id} has more cells than its header ({place}): remove the extra cells first, or put a backslash "
                "before the pipe that is text."
            )
    return ""


def find_target(store: "Store", row: Row, header_line: int, files: dict[str, TableFile]) -> Target | str | None:
    """Return the row as it is on disk: in its file, else in another of its store's.

    The name of a file where conflict markers are in the way; None where the row is gone. files: what was read before.
    """
    own = os.path.join(store.base, row.file)
    for path in _paths(store, own):
        file = _read(store, path, files, row.line if path == own else 0)
        if file is None or (path != own and row.id.encode() not in file.data):
            continue
        if file.document.has_markers:
            return file.shown
        found = (file.row_at(row, header_line) if path == own else None) or file.find(row)
        if found is not None:
            return found
    return None


def _paths(store: "Store", own: str) -> "Iterator[str]":
    """Yield where a row may be: its own file, and only if it is not there, the other files of its store."""
    yield own
    yield from (path for path in tables.documents_of(store) if path != own)


def _read(store: "Store", path: str, files: dict[str, TableFile], lines: int) -> TableFile | None:
    """Return the file at a path, read once; None where no regular file can be read there. lines: how many it had."""
    if path not in files:
        try:
            if not (is_back(path) and os.path.isfile(path)):
                return None
            files[path] = TableFile(path, store.shown(path), read_saved_bytes(path, lines))
        except OSError as error:
            if bounded.is_of_machine(error):
                raise  # what is to be written waits
            return None
    return files[path]


def _spliced(data: bytes, targets: list[Target], whole_document: bool) -> bytes:
    by_header: dict[int, list[CellEdit]] = {}
    for target in targets:
        by_header.setdefault(target.header_line, []).extend(target.edits())
    for header_line, edits in by_header.items():
        if edits:
            data = edit.apply(data, header_line, edits, whole_document)
    return data
