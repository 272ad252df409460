"""Rows from single lines of old tables: each is read by the header of the table that it was in."""

from gatilho.compare.git_log import FileDiff
from gatilho.compare.revisions import Revisions
from gatilho.document.columns import Columns, read_columns
from gatilho.document.document import Document
from gatilho.document.rows import read_row
from gatilho.model import Row
from gatilho.tables import FOLDER, is_store_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.config import Config


class TableLines:
    """Reads the rows that commits removed and added."""

    def __init__(self, opened: Revisions, config: "Config") -> None:
        self._opened = opened
        self._config = config

    def rows(self, diff: FileDiff, ids: frozenset[str] | None) -> tuple[list[Row], list[Row]]:
        """Return the rows among the removed and among the added lines; ids: only these."""
        removed = [line for line in diff.removed if _may_hold(line[1], ids)]
        added = [line for line in diff.added if _may_hold(line[1], ids)]
        columns: dict[int, Columns] = {}
        new = self._rows(diff.new_name, diff.new_blob, added, columns)
        if diff.old_name == diff.new_name and columns and not any(_is_header(line) for _, line in diff.removed):
            # No header changed, so the old one need not be looked up, which halves the objects to be read.
            known = next(iter(columns.values()))
            old = [row for number, line in removed if (row := self._row(line, known, diff.old_name, number))]
        else:
            old = self._rows(diff.old_name, diff.old_blob, removed, {})
        return [row for row in old if ids is None or row.id in ids], [
            row for row in new if ids is None or row.id in ids
        ]

    def _rows(self, name: str, blob: str, lines: list[tuple[int, bytes]], columns: dict[int, Columns]) -> list[Row]:
        if not lines or not name or not is_store_file(name):
            return []
        # git counts lines by their line feeds alone.
        data = self._opened.blob(blob).replace(b"\r\n", b"\n").replace(b"\r", b" ")
        document = Document(data)
        found: list[Row] = []
        for number, line in lines:
            table = document.table_of(number)
            if table is None:
                continue
            columns[table.header_line] = table.columns
            row = self._row(line, table.columns, name, number)
            found += [row] if row else []
        return found

    def _row(self, line: bytes, columns: Columns, name: str, number: int) -> Row | None:
        if not columns.of_rows:
            return None
        lifecycle = self._config.sources.get(name.removeprefix(FOLDER + "/"), "rule")
        return read_row(line.rstrip(b"\r"), columns, name, number, lifecycle)[0]


def _may_hold(line: bytes, ids: frozenset[str] | None) -> bool:
    return b"|" in line and (ids is None or any(row_id.encode("utf-8", "surrogateescape") in line for row_id in ids))


def _is_header(line: bytes) -> bool:
    return read_columns(line).of_rows
