"""The lines and cells of store files as they are on disk, so that a problem can point into them."""

from gatilho import bounded
from gatilho.document.document import Document
from gatilho.document.table import raw_text
from gatilho.index.index import IndexedRow
from gatilho.model import Place, Value


class Underlined(Value):
    """A part of one line. text: the whole line; width: how many characters of it are meant."""

    place: Place
    text: str
    width: int


class Sources:
    """Files of the stores, each read once."""

    def __init__(self) -> None:
        self._documents: dict[str, Document] = {}
        self._own_columns: dict[tuple[str, int], bool] = {}  # whether a table has any, by its file and header

    def document(self, path: str) -> Document:
        """Return a file's document; an empty one where it cannot be read."""
        if path not in self._documents:
            self._documents[path] = Document(bounded.read_quietly(path))
        return self._documents[path]

    def put(self, path: str, document: Document) -> None:
        """Take a document for the file at that path, which may not be written yet."""
        self._documents[path] = document

    def cells(self, found: IndexedRow) -> dict[str, str]:
        """Return the row's cells by canonical column, as they are written; those that its line lacks are missing."""
        document = self.document(found.path)
        raw = document.line(found.row.line)
        spans = document.cells(found.row.line, found.header)
        return {name: raw_text(raw[start:end]) for name, (start, end) in spans.items()}

    def own_cells(self, path: str, line: int, header: int) -> dict[str, str]:
        """Return the texts of a row in columns of people's own, by the words of the header."""
        document = self.document(path)
        if (path, header) not in self._own_columns:
            columns = document.columns(header)
            self._own_columns[path, header] = columns.count > len(columns)
        return document.own_cells(line, header) if self._own_columns[path, header] else {}

    def underlined(self, found: IndexedRow, column: str, part: str = "", skip: int = 0) -> Underlined:
        """Return where in the row's cell of that column a part of its text is, from its character `skip` on.

        The whole cell where no part is given or found, the whole line where there is no such cell.
        """
        document = self.document(found.path)
        raw = document.line(found.row.line)
        text = raw_text(raw)
        start, end = document.cells(found.row.line, found.header).get(column, (0, len(raw)))
        first, width = len(raw_text(raw[:start])), len(raw_text(raw[start:end]))
        at = _position(text, _escaped(part), first, first + width) if part else -1
        if at >= 0:
            first, width = at + len(_escaped(part[:skip])), len(_escaped(part[skip:]))
        return Underlined(Place(found.row.file, found.row.line, first + 1), text, max(width, 1))


def _position(text: str, part: str, start: int, end: int) -> int:
    """Return where the part ends a code span, else where it is at all; -1 where it does not."""
    at = first = text.find(part, start, end)
    while at >= 0:
        if text[at - 1] in "`: \t" and text[at + len(part) : at + len(part) + 1] == "`":
            return at
        at = text.find(part, at + 1, end)
    return first


def _escaped(text: str) -> str:
    """Return the text as it is in a cell."""
    return text.replace("|", "\\|")
