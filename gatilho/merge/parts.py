"""A document as the merge sees it: prose in lines, and tables of rows whose lines are known by their ids."""

from codecs import BOM_UTF8

from gatilho.document import edit
from gatilho.document.columns import canonical
from gatilho.document.document import Document
from gatilho.document.table import cell_text, read_id, split_cells
from gatilho.errors import DocumentError
from gatilho.model import Value

STRIKE = "strike"
_STRUCK = b"~~"
_SURPLUS = "+"


class CannotMergeRows(Exception):
    """Rows cannot be merged with certainty: git's merge of the text decides. The message says why, for a person."""


class LineEndings(Value):
    """What surrounds the lines of a document. ending: LF, CRLF, "mixed" or "" (none); final: a last line end."""

    bom: bool
    ending: str
    final: bool


class Line:
    """One line of a table below its delimiter row. key: its id, for a line without one its bytes; text: its bytes."""

    __slots__ = ("key", "text", "table", "_cells")

    def __init__(self, key: str, text: bytes, table: "Table") -> None:
        self.key = key
        self.text = text
        self.table = table
        self._cells: dict[str, bytes] | None = None

    @property
    def has_id(self) -> bool:
        return not self.key.startswith("\0")

    @property
    def cells(self) -> dict[str, bytes]:
        """Return the contents by column; the strike has one of its own, cells after the last are `+1` and so on."""
        if self._cells is None:
            self._cells = self.table.cells_of(self.text)
        return self._cells

    @property
    def surplus(self) -> tuple[bytes, ...]:
        return tuple(content for name, content in self.cells.items() if name.startswith(_SURPLUS))


class Table:
    """One table of rows. columns: a name for each cell of the header, no two equal. before: the prose line above it."""

    __slots__ = ("number", "header", "delimiter", "columns", "lines", "before")

    def __init__(self, number: int, header: bytes, delimiter: bytes, before: bytes) -> None:
        self.number = number
        self.header = header
        self.delimiter = delimiter
        self.columns = column_names(header)
        self.lines: list[Line] = []
        self.before = before

    @property
    def keys(self) -> list[str]:
        return [line.key for line in self.lines]

    def cells_of(self, text: bytes) -> dict[str, bytes]:
        """Return a line's contents; raises CannotMergeRows where strike and id cannot be distinguished."""
        contents = contents_of(text)
        cells = dict.fromkeys(self.columns, b"")
        cells.update(zip(self.columns, contents))
        cells.update({f"{_SURPLUS}{n}": content for n, content in enumerate(contents[len(self.columns) :], 1)})
        whole = read_id(cell_text(cells["id"]))[0]
        # Apart from the id, so that a strike on one side and other markup of the id on the other do not conflict.
        cells[STRIKE] = _STRUCK if whole else b""
        if whole:
            try:
                cells["id"] = edit.unstrike(cells["id"])
            except DocumentError as error:
                raise CannotMergeRows(str(error)) from error
        return cells


class Parts:
    """A document in parts. prose: its lines, with the number of a table where that table is."""

    __slots__ = ("frame", "prose", "tables", "by_key", "duplicate_ids", "_unnamed")

    def __init__(self, frame: LineEndings) -> None:
        self.frame = frame
        self.prose: list[bytes | int] = []
        self.tables: list[Table] = []
        self.by_key: dict[str, Line] = {}
        self.duplicate_ids: set[str] = set()
        self._unnamed: dict[bytes, int] = {}

    def key_of(self, row_id: str, text: bytes) -> str:
        """Return what a line is known by: its id, or else its bytes and how often they stood in the document so far."""
        if row_id:
            return row_id
        count = self._unnamed[text] = self._unnamed.get(text, 0) + 1
        # The NUL keeps such a key from being an id, and the count keeps equal lines apart.
        return f"\0{count}\0{text.decode('latin-1')}"


def line_endings_of(data: bytes) -> LineEndings:
    """Return the byte order mark, the line endings and the final line end of a document."""
    pairs, feeds = data.count(b"\r\n"), data.count(b"\n")
    if data.count(b"\r") != pairs:
        raise CannotMergeRows("a line ends in a lone carriage return")
    ending = "" if not feeds else "CRLF" if pairs == feeds else "mixed" if pairs else "LF"
    return LineEndings(data.startswith(BOM_UTF8), ending, data.endswith(b"\n"))


def take_apart(data: bytes, frame: LineEndings, ids: dict[int, dict[bytes, str]] | None = None) -> Parts:
    """Take a document apart. data: without byte order mark, every line ended by a line feed.

    ids: what was found in lines of other documents, for most lines of three sides are equal.
    """
    parts, document = Parts(frame), Document(data)
    ids = {} if ids is None else ids
    # Where line endings are mixed, each line keeps its carriage return.
    lines = data.split(b"\n")[:-1]
    position = 0
    for span in document.tables:
        if not span.columns.of_rows:
            continue
        header = lines[span.header_line - 1]
        parts.prose += lines[position : span.header_line - 1]
        before = next((line for line in reversed(parts.prose) if isinstance(line, bytes) and line.strip()), b"")
        table = Table(len(parts.tables), header, lines[span.header_line], before)
        parts.prose.append(table.number)
        parts.tables.append(table)
        _add_lines(parts, table, [lines[number - 1] for number in span.row_lines], ids)
        position = span.last_line
    parts.prose += lines[position:]
    return parts


def _add_lines(parts: Parts, table: Table, lines: list[bytes], ids: dict[int, dict[bytes, str]]) -> None:
    place = table.columns.index("id")
    known, by_key = ids.setdefault(place, {}), parts.by_key
    for text in lines:
        row_id = known.get(text)
        if row_id is None:
            row_id = known[text] = id_in(text, place)
        key = row_id or parts.key_of(row_id, text)
        # The later line wins here: a merge refuses two rows with one id that a side changed, and git merges the text.
        if key in by_key:
            parts.duplicate_ids.add(key)
        by_key[key] = line = Line(key, text, table)
        table.lines.append(line)


def id_in(text: bytes, place: int) -> str:
    """Return the id in the cell at that place of a line, "" where there is no such cell."""
    end = text.find(b"|", 1) if not place and text.startswith(b"|") else -1
    if end > 0 and text.find(b"\\", 0, end) < 0:  # the first cell of a plain line, without reading the others
        content = text[1:end].strip(b" \t")
        if content.replace(b"-", b"").isalnum():
            return content.decode("ascii")
    else:
        contents = contents_of(text)
        content = contents[place] if place < len(contents) else b""
    return read_id(cell_text(content))[2]


def contents_of(text: bytes) -> list[bytes]:
    """Return the contents of the cells of a line, without the blanks around them."""
    return [text[start:end] for start, end in split_cells(text)]


def column_names(header: bytes) -> list[str]:
    """Return a distinct name for each column: the canonical one, else the header's words."""
    names: list[str] = []
    for content in contents_of(header):
        text = cell_text(content)
        name = canonical(text) or "?" + " ".join(text.casefold().split())
        while name in names:
            name += "?"
        names.append(name)
    return names
