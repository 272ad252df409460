"""Rows from single lines of old tables: the header is looked for above the line, no document is parsed."""

from gatilho.compare.git_log import FileDiff
from gatilho.compare.revisions import Revisions
from gatilho.model import Row
from gatilho.store.columns import Columns, read_columns
from gatilho.store.rows import read_row
from gatilho.store.table import split_cells
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
        """The rows among the removed and among the added lines; ids: only these."""
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
        all_lines = self._opened.blob(blob).removeprefix(b"\xef\xbb\xbf").split(b"\n")
        found: list[Row] = []
        for number, line in lines:
            header = _header_above(all_lines, number)
            if header and header not in columns:
                columns[header] = read_columns(all_lines[header - 1])
            row = self._row(line, columns[header], name, number) if header else None
            found += [row] if row else []
        return found

    def _row(self, line: bytes, columns: Columns, name: str, number: int) -> Row | None:
        if not columns.of_rows:
            return None
        lifecycle = self._config.sources.get(name.removeprefix(FOLDER + "/"), "rule")
        return read_row(line.rstrip(b"\r"), columns, name, number, lifecycle)[0]


def _may_hold(line: bytes, ids: frozenset[str] | None) -> bool:
    return b"|" in line and (ids is None or any(row_id.encode("utf-8", "surrogateescape") in line for row_id in ids))


def _header_above(lines: list[bytes], number: int) -> int:
    """The number of the header of the table in which a line stands, 0 where it stands in none."""
    for at in range(min(number, len(lines)) - 1, 0, -1):
        line = lines[at].strip()
        if not line:
            return 0
        if _is_delimiter(line):
            return at if at + 1 < number else 0
    return 0


def _is_delimiter(line: bytes) -> bool:
    if line.strip(b"|:- \t\r"):
        return False
    spans = split_cells(line)
    return bool(spans) and all(b"-" in line[start:end] for start, end in spans)


def _is_header(line: bytes) -> bool:
    return read_columns(line).of_rows
