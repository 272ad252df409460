"""The header of a table of rows: which cell of a row holds what."""

from codecs import BOM_UTF8

from gatilho.document.table import cell_text, cell_texts, split_cells
from gatilho.value import Value

NAMES = (
    "id", "lifecycle", "trigger", "note", "paid when", "rides", "state",
    "kind", "key", "owner", "added", "expires", "not before", "ask after", "holds while", "examples", "violated when",
)  # fmt: skip

# What a header may say, by canonical name. The same letters may be written composed or decomposed.
_ACCEPTED = {
    "ciclo": "lifecycle",
    "gatilho": "trigger",
    "sentence": "note",
    "nota": "note",
    "frase": "note",
    "item": "note",
    "lembrete": "note",
    "paga quando": "paid when",
    "pago quando": "paid when",
    "condition": "paid when",
    "condição": "paid when",
    "condic\u0327a\u0303o": "paid when",
    "caronas": "rides",
    "estado": "state",
    "tipo": "kind",
    "chave": "key",
    "dono": "owner",
    "expira": "expires",
    "exemplos": "examples",
    "violada quando": "violated when",
}
_ACCEPTED.update({name: name for name in NAMES})


# A header with one of these may be a link or a tag around a name; a longer one is no name.
_MARKUP = frozenset("[<\\")
_LONGEST_HEADER = 400
_LONGEST_SLIP = 40
# They only describe a row: `owners` or `example` may well be a column of people's own.
_DESCRIBING = frozenset(("kind", "key", "owner", "added", "examples"))


class Columns(dict[str, int]):
    """Canonical column names and the numbers of their cells (from 0); of two equal columns the first counts.

    count: how many cells the header has. twice: the names that appear again, with the number of that cell.
    written: the header's own words by canonical name, for messages. unknown: the words of people's own columns.
    """

    __slots__ = ("count", "twice", "unknown", "written")

    def __init__(self, *arguments: dict[str, int]) -> None:
        super().__init__(*arguments)
        self.count = 0
        self.twice: list[tuple[str, int]] = []
        self.unknown: list[str] = []
        self.written: dict[str, str] = {}

    def called(self, name: str) -> str:
        """Return the words by which the header has a column; the canonical name where it has no such column."""
        return self.written.get(name, name)

    @property
    def of_rows(self) -> bool:
        """Return whether the table is one of rows: it has an id, a trigger and a note."""
        return "id" in self and "trigger" in self and "note" in self


def read_columns(header_line: bytes) -> Columns:
    """Find the columns of a header line by their words, in any order, in English or Portuguese."""
    columns = Columns()
    header_line = header_line.removeprefix(BOM_UTF8)
    spans = split_cells(header_line)
    columns.count = len(spans)
    for number, (start, end) in enumerate(spans):
        words = cell_text(header_line[start:end])
        name = canonical(words)
        if not name:
            columns.unknown.append(words)
            continue
        if name in columns:
            columns.twice.append((name, number))
        else:
            columns[name] = number
            columns.written[name] = words
    return columns


class Slip(Value):
    """A header cell that nearly says a column which its table lacks. meant: the header's word; name: the column's."""

    cell: int
    words: str
    meant: str
    name: str


def slips(header_line: bytes) -> list[Slip]:
    """Return the unknown header cells that were probably meant to be one of the columns that are not there."""
    from gatilho.nearest import misspelt

    header_line = header_line.removeprefix(BOM_UTF8)
    known = read_columns(header_line)
    missing = {word: name for word, name in _ACCEPTED.items() if name not in known and name not in _DESCRIBING}
    found = []
    for cell, words in enumerate(cell_texts(header_line)):
        if words and len(words) <= _LONGEST_SLIP and not canonical(words):
            meant = misspelt(words, missing)
            if meant:
                found.append(Slip(cell, words, meant, missing[meant]))
                missing = {word: name for word, name in missing.items() if name != missing[meant]}
    return found


def lacks_by_slip(columns: Columns, name: str) -> bool:
    """Return whether a column is not there because its header is mistyped, which is reported at the header."""
    from gatilho.nearest import misspelt

    known = [word for word, column in _ACCEPTED.items() if column == name]
    return name not in columns and any(misspelt(one, known) for one in columns.unknown)


def canonical(header: str) -> str:
    """Return the canonical name of a column by its header cell; "" for an unknown one."""
    name = _ACCEPTED.get(header)
    if name is None:
        if len(header) <= _LONGEST_HEADER and not _MARKUP.isdisjoint(header):
            from gatilho.document.inline import read_inline

            header = read_inline(header).text
        name = _ACCEPTED.get(" ".join(header.split()).strip("*_`~ ").casefold(), "")
    return name
