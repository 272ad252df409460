"""Where in a table a cursor is: the row, the column, and the text of the cell before it."""

from gatilho.document.document import Document, TableSpan
from gatilho.document.table import raw_text, split_cells
from gatilho.model import Value


class CellPosition(Value):
    """A place in a row. column: its canonical name, "" for one of people's own. cell: the text of the whole cell.

    start: where the cell begins in its line, in characters. before: the text of the cell in front of the cursor.
    """

    column: str
    cell: str
    start: int
    before: str

    @property
    def span(self) -> str | None:
        """Return the text of the code span that the cursor is in, as far as the cursor; None outside of any."""
        return self.before.rpartition("`")[2] if self.before.count("`") % 2 else None


def table_at(document: Document, line: int) -> TableSpan | None:
    """Return the table of rows that a line (from 1) is a row of, or becomes one of: a lone pipe is no row yet."""
    begins = document.line(line).strip() == b"|"
    found = next((one for one in document.tables if begins and one.last_line == line - 1), document.table_of(line))
    return found if found is not None and found.columns.of_rows else None


def cell_at(document: Document, line: int, character: int) -> CellPosition | None:
    """Return the cell at a line (from 1) and a character (from 0), None outside of the rows of a table of rows."""
    table = table_at(document, line)
    if table is None:
        return None
    raw = document.line(line)
    end = len(raw_text(raw)[:character].encode("utf-8"))
    # A letter in the place of the cursor belongs to the cell that the cursor is in, empty or not.
    spans = split_cells(raw[:end] + b"x")
    number, start = len(spans) - 1, spans[-1][0]
    whole = split_cells(raw)
    closing = max(whole[number][1], end) if number < len(whole) else end
    return CellPosition(
        _name(table, number), raw_text(raw[start:closing]), len(raw_text(raw[:start])), raw_text(raw[start:end])
    )


def _name(table: TableSpan, number: int) -> str:
    return next((name for name, cell in table.columns.items() if cell == number), "")
