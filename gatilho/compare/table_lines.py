"""Rows from single lines of old tables: each is read by the header of the table that it was in."""

from gatilho.compare.git_log import FileDiff
from gatilho.compare.revisions import Revisions
from gatilho.config import Config
from gatilho.document.columns import Columns, read_columns
from gatilho.document.document import Document, TableSpan
from gatilho.document.rows import read_row
from gatilho.model import Row
from gatilho.tables import is_store_file, name_in_store


class TableLines:
    """Reads the rows that commits removed and added."""

    def __init__(self, opened: Revisions, config: Config) -> None:
        self._opened = opened
        self._config = config
        self._tables: dict[str, list[TableSpan]] = {}

    def rows(self, diff: FileDiff, ids: frozenset[str] | None) -> tuple[list[Row], list[Row]]:
        """Return the rows among the removed and among the added lines; ids: only these."""
        removed = [line for line in diff.removed if _may_hold(line[1], ids)]
        added = [line for line in diff.added if _may_hold(line[1], ids)]
        columns: dict[int, Columns] = {}
        self._carry_over(diff)
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
        tables = self._tables_in(blob)
        found: list[Row] = []
        for number, line in lines:
            table = next((one for one in tables if number in one.row_lines), None)
            if table is None:
                continue
            columns[table.header_line] = table.columns
            row = self._row(line, table.columns, name, number)
            found += [row] if row else []
        return found

    def _tables_in(self, blob: str) -> list[TableSpan]:
        if blob not in self._tables:
            # git counts lines by their line feeds alone.
            data = self._opened.blob(blob).replace(b"\r\n", b"\n").replace(b"\r", b" ")
            self._tables[blob] = Document(data).tables
        return self._tables[blob]

    def _carry_over(self, diff: FileDiff) -> None:
        """Find the tables of a file's new bytes by those of the old ones: a parse for each commit takes minutes."""
        if diff.whole and diff.old_blob in self._tables and diff.new_blob not in self._tables:
            carried = carried_over(self._tables[diff.old_blob], diff.removed, diff.added)
            if carried is not None:
                self._tables[diff.new_blob] = carried

    def _row(self, line: bytes, columns: Columns, name: str, number: int) -> Row | None:
        if not columns.of_rows:
            return None
        lifecycle = self._config.sources.get(name_in_store(name), "rule")
        return read_row(line.rstrip(b"\r"), columns, name, number, lifecycle)[0]


def carried_over(
    tables: list[TableSpan], removed: list[tuple[int, bytes]], added: list[tuple[int, bytes]]
) -> list[TableSpan] | None:
    """Return where tables are after a change of their rows; None where the change may be of anything else.

    A line that begins with a pipe goes on with the table that it follows, whatever is in it.
    """
    if not all(line.startswith(b"|") for _, line in (*removed, *added)):
        return None
    found: list[TableSpan] = []
    taken = at = shift = 0
    for table in tables:
        gone = sum(number in table.row_lines for number, _ in removed)
        header, last = table.header_line + shift, table.last_line + shift - gone
        while at < len(added) and header + 2 <= added[at][0] <= last + 1:
            at += 1
            last += 1
        found.append(TableSpan(header, last, table.columns))
        shift = last - table.last_line
        taken += gone
    return found if taken == len(removed) and at == len(added) else None


def _may_hold(line: bytes, ids: frozenset[str] | None) -> bool:
    return b"|" in line and (ids is None or any(row_id.encode("utf-8", "surrogateescape") in line for row_id in ids))


def _is_header(line: bytes) -> bool:
    return read_columns(line).of_rows
