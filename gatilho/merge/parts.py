"""A document as the merge sees it: prose in lines, and tables of rows whose lines are known by their ids."""

from gatilho.errors import DocumentError
from gatilho.model import Value
from gatilho.store import edit
from gatilho.store.columns import canonical, read_columns
from gatilho.store.document import find_tables
from gatilho.store.table import cell_text, split_cells, struck

BOM = b"\xef\xbb\xbf"
STRIKE = "strike"
_STRUCK = b"~~"
_SURPLUS = "+"


class Doubt(Exception):
    """Rows cannot be merged with certainty: git's merge of the text decides. The message says why, for a person."""


class Frame(Value):
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
        """The contents by column; the strike is a cell of its own, cells behind the last column are `+1` and so on."""
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
        """The contents of a line of this table; raises Doubt where the strike cannot be told from the id."""
        contents = contents_of(text)
        cells = dict.fromkeys(self.columns, b"")
        cells.update(zip(self.columns, contents))
        cells.update({f"{_SURPLUS}{n}": content for n, content in enumerate(contents[len(self.columns) :], 1)})
        whole = struck(cell_text(cells["id"]))[0]
        cells[STRIKE] = _STRUCK if whole else b""
        if whole:
            try:
                cells["id"] = edit.unstrike(cells["id"])
            except DocumentError as error:
                raise Doubt(str(error)) from error
        return cells


class Document:
    """A document in parts. prose: its lines, with the number of a table where that table stands."""

    __slots__ = ("frame", "prose", "tables", "by_key", "twice", "_unnamed")

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.prose: list[bytes | int] = []
        self.tables: list[Table] = []
        self.by_key: dict[str, Line] = {}
        self.twice: set[str] = set()
        self._unnamed: dict[bytes, int] = {}

    def key_of(self, row_id: str, text: bytes) -> str:
        """What a line is known by: its id, or else its bytes and how often they stood in the document so far."""
        if row_id:
            return row_id
        count = self._unnamed[text] = self._unnamed.get(text, 0) + 1
        return f"\0{count}\0{text.decode('latin-1')}"


def frame_of(data: bytes) -> Frame:
    """The byte order mark, the line endings and the final line end of a document."""
    pairs, feeds = data.count(b"\r\n"), data.count(b"\n")
    if data.count(b"\r") != pairs:
        raise Doubt("a line ends in a lone carriage return")
    ending = "" if not feeds else "CRLF" if pairs == feeds else "mixed" if pairs else "LF"
    return Frame(data.startswith(BOM), ending, data.endswith(b"\n"))


def read(data: bytes, frame: Frame) -> Document:
    """Take a document apart. data: without byte order mark, every line ended by a line feed."""
    document = Document(frame)
    lines = data.split(b"\n")[:-1]
    position = 0
    for span in find_tables(data):
        header = lines[span.header_line - 1]
        if not read_columns(header).of_rows:
            continue
        document.prose += lines[position : span.header_line - 1]
        before = next((line for line in reversed(document.prose) if isinstance(line, bytes) and line.strip()), b"")
        table = Table(len(document.tables), header, lines[span.header_line], before)
        document.prose.append(table.number)
        document.tables.append(table)
        for text in lines[span.header_line + 1 : span.last_line]:
            _add_line(document, table, text)
        position = span.last_line
    document.prose += lines[position:]
    return document


def _add_line(document: Document, table: Table, text: bytes) -> None:
    contents, place = contents_of(text), table.columns.index("id")
    row_id = struck(cell_text(contents[place]))[2] if place < len(contents) else ""
    key = document.key_of(row_id, text)
    if key in document.by_key:
        document.twice.add(key)
    line = Line(key, text, table)
    table.lines.append(line)
    document.by_key[key] = line


def contents_of(text: bytes) -> list[bytes]:
    """The contents of the cells of a line, without the blanks around them."""
    return [text[start:end] for start, end in split_cells(text)]


def column_names(header: bytes) -> list[str]:
    """A name for each column: the canonical one, else the header's words; a second one of a name is told apart."""
    names: list[str] = []
    for content in contents_of(header):
        text = cell_text(content)
        name = canonical(text) or "?" + " ".join(text.casefold().split())
        while name in names:
            name += "?"
        names.append(name)
    return names
