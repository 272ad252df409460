"""The table that a new row belongs into, and the document with the row in it."""

import os

from gatilho import bounded
from gatilho.config import Config
from gatilho.document import edit
from gatilho.document.columns import NAMES, Columns
from gatilho.document.document import Document, TableSpan
from gatilho.document.draft import Draft
from gatilho.document.rows import iter_rows
from gatilho.errors import ConflictError, GatilhoError, UsageError
from gatilho.git.nested import listed_stores
from gatilho.model import Row, Value, subtree_of
from gatilho.tables import FOLDER, documents_by_name, may_hold_tables, name_in_store

# The columns of a table that is made for a row; those that the author filled come after them.
_STANDARD = NAMES[:7]
_OPTIONAL = NAMES[7:]


class InsertionPlace(Value):
    """A table for new rows. name: of its file, relative to the root. data: the file's bytes, None for a new file.

    header_line, last_line: of the table, from 1.
    """

    name: str
    data: bytes | None
    header_line: int
    last_line: int
    columns: Columns

    def with_row(self, draft: Draft) -> bytes:
        """Return the document with the row after the table's last one."""
        data = self.data if self.data is not None else _new_table(self.columns)
        return edit.append_row(data, self.header_line, self.last_line, draft.cells(self.columns.written))


def choose(root: str, config: Config, draft: Draft, file: str = "") -> InsertionPlace:
    """Return the table that fits a draft best; raises GatilhoError that says what is missing where none fits.

    file: the only one to look in, as `backlog.md` or with its folder; a file that is not there is made.
    """
    wanted = name_below(root, file) if file else ""
    if wanted and not os.path.lexists(f"{root}/{wanted}"):
        return new_place(wanted, draft)
    tables = [one for one in _tables(root, config, subtree_of(wanted)) if wanted in ("", one.place.name)]
    fitting = [one for one in tables if not one.missing(draft)]
    if fitting:
        return max(fitting, key=lambda one: one.rank(draft)).place
    if not tables:
        where = wanted or FOLDER
        hint = "" if wanted else " `gatilho check` explains why one is not read."
        raise GatilhoError(f"{where} has no table of rows, so nothing was written.{hint}")
    nearest = max(tables, key=lambda one: (-len(one.missing(draft)), one.rank(draft)))
    raise GatilhoError(_nothing_fits(root, nearest, draft))


def name_below(root: str, file: str) -> str:
    """Return the name of a file of the store, relative to the root; raises UsageError where it may hold no table."""
    full = os.path.abspath(os.path.join(root, file if "/" in file.replace("\\", "/") else f"{FOLDER}/{file}"))
    name = os.path.relpath(full, root).replace("\\", "/")
    inner = name_in_store(name)
    if not inner or inner.startswith("ledger/") or not may_hold_tables(os.path.basename(name)):
        raise UsageError(f"--file {file}: rows are kept in Markdown files below {FOLDER}, outside its ledger.")
    return name


def new_place(name: str, draft: Draft) -> InsertionPlace:
    """Return the table of a file that is not there yet, with the columns that the draft fills."""
    filled = draft.contents
    names = [one for one in _STANDARD if one != "paid when" or draft.lifecycle == "debt"]
    columns = Columns({one: at for at, one in enumerate([*names, *(one for one in _OPTIONAL if one in filled)])})
    columns.count = len(columns)
    columns.written = {one: one for one in columns}
    return InsertionPlace(name, None, 3, 4, columns)


def _new_table(columns: Columns) -> bytes:
    rule = ["---:" if name == "rides" else "---" for name in columns]
    return f"# Rows\n\n| {' | '.join(columns)} |\n| {' | '.join(rule)} |\n".encode()


class _Table(Value):
    """A table of rows with what its rows are. default: the lifecycle of rows without that column."""

    place: InsertionPlace
    default: str
    counts: dict[str, int]

    def missing(self, draft: Draft) -> list[str]:
        """Return the columns that a draft needs and the table lacks."""
        needed = [name for name in draft.contents if name != "added"]
        if self.default != draft.lifecycle:
            needed.insert(0, "lifecycle")
        return [name for name in needed if name not in self.place.columns]

    def rank(self, draft: Draft) -> tuple[int, bool, int]:
        """Return how well it suits: by the rows that are there, then by whether it asks for a payment."""
        other = "rule" if draft.lifecycle == "debt" else "debt"
        surplus = self.counts.get(draft.lifecycle, 0) - self.counts.get(other, 0)
        empty = [name for name in _OPTIONAL if name in self.place.columns and name not in ("added", *draft.contents)]
        return surplus, ("paid when" in self.place.columns) == (draft.lifecycle == "debt"), -len(empty)


def _tables(root: str, config: Config, subtree: str) -> list[_Table]:
    """Return the tables of the store that is about a folder; those of all nested ones where the root's has no file."""
    by_store = {store.subtree: documents_by_name([store]) for store in listed_stores(root)}
    others = {name: path for found in by_store.values() for name, path in found.items()}
    documents = by_store.get(subtree) or others
    found = []
    for name, path in documents.items():
        data = bounded.read_quietly(path)
        document = Document(data)
        spans = [table for table in document.tables if table.columns.of_rows]
        if document.has_markers or not spans:
            continue
        default = config.sources.get(name_in_store(name), "rule")
        rows = [read.row for read in iter_rows(document, name, default) if read.row is not None]
        found += [_Table(_place(name, data, span), default, _counts(rows, span)) for span in spans]
    return found


def _place(name: str, data: bytes, span: TableSpan) -> InsertionPlace:
    return InsertionPlace(name, data, span.header_line, span.last_line, span.columns)


def _counts(rows: list[Row], span: TableSpan) -> dict[str, int]:
    counts: dict[str, int] = {}
    for row in rows:
        if span.header_line < row.line <= span.last_line:
            counts[row.lifecycle] = counts.get(row.lifecycle, 0) + 1
    return counts


def _nothing_fits(root: str, nearest: _Table, draft: Draft) -> str:
    place = nearest.place
    missing = ", ".join(f"`{name}`" for name in nearest.missing(draft))
    names = ("more.md", *(f"more-{number}.md" for number in range(2, 100)))
    free = next((name for name in names if not os.path.lexists(f"{root}/{FOLDER}/{name}")), "NAME.md")
    return (
        f"No table has all columns that this {draft.lifecycle} needs. {place.name}:{place.header_line} comes nearest "
        f"and lacks {missing}. Name a new file, as in `--file {free}`, or add the column to that table."
    )


def refuse_markers(data: bytes, name: str) -> None:
    """Raise ConflictError where a document holds conflict markers."""
    if Document(data).has_markers:
        raise ConflictError(f"{name} holds conflict markers: resolve them first. Nothing was written.")
