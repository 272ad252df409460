"""A document: its bytes, its lines, its tables with their columns, and the cells of a line as spans of bytes."""

from codecs import BOM_UTF8

from gatilho.document.columns import Columns, read_columns
from gatilho.document.table import MARKERS, cell_texts, split_cells
from gatilho.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.document.blocks import Blocks


class TableSpan(Value):
    """A table by its lines, counted from 1: the header, below it the delimiter row, then the rows to last_line."""

    header_line: int
    last_line: int
    columns: Columns

    @property
    def row_lines(self) -> range:
        return range(self.header_line + 2, self.last_line + 1)


class Document:
    r"""A Markdown document. lines: without their endings (`\n`, `\r\n` or `\r`) and without a byte order mark."""

    __slots__ = ("data", "lines", "_starts", "_blocks", "_tables", "_columns")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.lines = data.splitlines()
        if data.startswith(BOM_UTF8):
            self.lines[0] = self.lines[0][len(BOM_UTF8) :]
        self._starts: list[int] = []
        self._blocks: Blocks | None = None
        self._tables: list[TableSpan] | None = None
        self._columns: dict[int, Columns] = {}

    @property
    def has_markers(self) -> bool:
        """Return whether a line looks like one that git puts around a conflict, wherever it is."""
        return any(marker in self.data and any(line.startswith(marker) for line in self.lines) for marker in MARKERS)

    @property
    def blocks(self) -> "Blocks":
        """Return the blocks at the top level, parsed when they are first asked for."""
        if self._blocks is None:
            from gatilho.document.blocks import parse_blocks

            self._blocks = parse_blocks(self.lines)
        return self._blocks

    @property
    def tables(self) -> list[TableSpan]:
        """Return the tables at the top level, exactly those that GitHub renders."""
        if self._tables is None:
            self._tables = [
                TableSpan(block.first_line, block.last_line, self.columns(block.first_line))
                for block in self.blocks.tables
            ]
        return self._tables

    def line(self, number: int) -> bytes:
        """Return the line of that number (from 1), b"" where the document has none."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else b""

    def span(self, number: int) -> tuple[int, int]:
        """Return where a line is in the bytes: its start, and its end without the line ending."""
        if not self._starts:
            self._starts = _starts(self.data)
        start = self._starts[number - 1]
        return start, start + len(self.lines[number - 1])

    def columns(self, header_line: int) -> Columns:
        """Return the columns of the table whose header is in that line; no block is parsed for it."""
        if header_line not in self._columns:
            self._columns[header_line] = read_columns(self.line(header_line))
        return self._columns[header_line]

    def cells(self, number: int, header_line: int) -> dict[str, tuple[int, int]]:
        """Return where the cells of a row are in its line, by canonical column; those that it lacks are missing."""
        spans = split_cells(self.line(number))
        return {name: spans[cell] for name, cell in self.columns(header_line).items() if cell < len(spans)}

    def own_cells(self, number: int, header_line: int) -> dict[str, str]:
        """Return the texts of a row's cells in columns of people's own, by the header's words as they are written."""
        header = self.line(header_line)
        known = set(self.columns(header_line).values())
        words, texts = (cell_texts(line) for line in (header.removeprefix(BOM_UTF8), self.line(number)))
        own = ((word, texts[cell]) for cell, word in enumerate(words) if cell not in known and cell < len(texts))
        return {word: text for word, text in own if word}

    def table_of(self, number: int) -> TableSpan | None:
        """Return the table that has a row in that line."""
        return next((table for table in self.tables if number in table.row_lines), None)


def _starts(data: bytes) -> list[int]:
    at = len(BOM_UTF8) if data.startswith(BOM_UTF8) else 0
    starts = [at]
    for line in data[at:].splitlines(keepends=True):
        at += len(line)
        starts.append(at)
    return starts
