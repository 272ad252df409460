"""The lines and cells of store files as they stand on disk, so that a problem can point into them."""

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
        self._lines: dict[str, list[bytes]] = {}

    def lines(self, path: str) -> list[bytes]:
        """The lines of a file without their endings; none where it cannot be read."""
        if path not in self._lines:
            self._lines[path] = _lines_of(path)
        return self._lines[path]

    def cells(self, found: IndexedRow) -> dict[str, str]:
        """The row's cells by canonical column, as they are written; those that its line lacks are missing."""
        raw = self._line(found.path, found.row.line)
        return {name: _decode(raw[start:end]) for name, (start, end) in self._spans(found).items()}

    def underlined(self, found: IndexedRow, column: str, part: str = "", skip: int = 0) -> Underlined:
        """Where in the row's cell of that column a part of its text stands, from its character `skip` on.

        The whole cell where no part is given or found, the whole line where there is no such cell.
        """
        raw = self._line(found.path, found.row.line)
        text = _decode(raw)
        start, end = self._spans(found).get(column, (0, len(raw)))
        first, width = len(_decode(raw[:start])), len(_decode(raw[start:end]))
        at = _position(text, _escaped(part), first, first + width) if part else -1
        if at >= 0:
            first, width = at + len(_escaped(part[:skip])), len(_escaped(part[skip:]))
        return Underlined(Place(found.row.file, found.row.line, first + 1), text, max(width, 1))

    def _line(self, path: str, number: int) -> bytes:
        lines = self.lines(path)
        return lines[number - 1] if 0 < number <= len(lines) else b""

    def _spans(self, found: IndexedRow) -> dict[str, tuple[int, int]]:
        from gatilho.store.columns import read_columns
        from gatilho.store.table import split_cells

        columns = read_columns(self._line(found.path, found.header))
        spans = split_cells(self._line(found.path, found.row.line))
        return {name: spans[number] for name, number in columns.items() if number < len(spans)}


def _lines_of(path: str) -> list[bytes]:
    from gatilho import files
    from gatilho.store.table import iter_lines

    try:
        data = files.read(path)
    except OSError:
        return []
    return [data[start:end] for _, start, end in iter_lines(data)]


def _position(text: str, part: str, start: int, end: int) -> int:
    """Where the part ends a code span, else where it stands at all; -1 where it does not."""
    at = first = text.find(part, start, end)
    while at >= 0:
        if text[at - 1] in "`: \t" and text[at + len(part) : at + len(part) + 1] == "`":
            return at
        at = text.find(part, at + 1, end)
    return first


def _escaped(text: str) -> str:
    """The text as it stands in a cell."""
    return text.replace("|", "\\|")


def _decode(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
