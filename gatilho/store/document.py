"""Where the tables of a document are: mistune's block parser, with the block rules that GitHub renders differently.

The document is read as Latin-1, one character for each byte: GitHub's parser knows only ASCII blanks, and places in the
text are then places in the bytes. Line endings count as `\\n` throughout.
"""

from gatilho.model import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mistune.block_parser import BlockParser

    from gatilho.store.blocks import Rule

_BOM = b"\xef\xbb\xbf"


class TableSpan(Value):
    """A table by its lines, counted from 1: the header, behind it the delimiter row, then the rows to last_line."""

    header_line: int
    last_line: int


class Region(Value):
    """Lines that GitHub does not show as a table. kind: text, container, code, fence, comment or html.

    fence and comment: only those that are never closed. html: up to its blank line.
    """

    kind: str
    first_line: int
    last_line: int


class Survey(Value):
    """The tables of a document, and the other regions in which a pipe stands."""

    tables: list[TableSpan]
    regions: list[Region]


def find_tables(data: bytes) -> list[TableSpan]:
    """List the tables at the top level of a document, exactly those that GitHub renders."""
    return survey(data).tables


def survey(data: bytes) -> Survey:
    """Read a document's blocks: its top-level tables, and where a table may have been meant and is none."""
    text = _normalise(data)
    lines = _LineNumbers(text)
    tables: list[TableSpan] = []
    regions: list[Region] = []
    for kind, start, end in _joined(_parse(text)):
        first = lines.at(start)
        last = first + text.count("\n", start, end) - 1
        if kind == "table":
            tables.append(TableSpan(first, last))
        elif "|" in text[start:end]:
            regions.append(Region(kind, first, last))
    return Survey(tables, regions)


def _joined(spans: list[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    """The spans by their places; what the parser took a line at a time is one."""
    joined: list[tuple[str, int, int]] = []
    for kind, start, end in sorted(spans, key=lambda span: span[1]):
        if joined and kind in ("text", "code") and joined[-1][0] == kind and joined[-1][2] == start:
            joined[-1] = (kind, joined[-1][1], end)
        else:
            joined.append((kind, start, end))
    return joined


def _normalise(data: bytes) -> str:
    text = data[3:].decode("latin-1") if data.startswith(_BOM) else data.decode("latin-1")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text if text.endswith("\n") else text + "\n"


class _LineNumbers:
    """Line numbers of places that are asked for in rising order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0
        self._number = 1

    def at(self, place: int) -> int:
        self._number += self._text.count("\n", self._place, place)
        self._place = place
        return self._number


def _parse(text: str) -> list[tuple[str, int, int]]:
    """Run the block parser over a text; returns the spans that matter, as (kind, start, end)."""
    from mistune.core import BlockState

    class PlaceState(BlockState):
        """Keeps where a paragraph starts instead of what it says."""

        def add_paragraph(self, text: str) -> None:
            last = self.last_token()
            if not last or last["type"] != "paragraph":
                self.tokens.append({"type": "paragraph", "start": self.cursor, "no_table": False})
            self.env["spans"].append(("text", self.cursor, self.cursor + len(text)))

        def append_paragraph(self) -> int | None:
            last = self.last_token()
            if not last or last["type"] != "paragraph":
                return None
            end = self.find_line_end()
            self.add_paragraph(self.get_text(end))
            return end

    state = PlaceState()
    state.env["spans"] = []
    state.process(text)
    _block_parser().parse(state)
    spans: list[tuple[str, int, int]] = state.env["spans"]
    return spans


def _block_parser() -> "BlockParser":
    """mistune's block parser with GitHub's order of rules; fences, headings and breaks are its own."""
    from mistune.block_parser import BlockParser

    from gatilho.store.blocks import RULES, SPECIFICATION

    block = BlockParser()
    block.rules = []
    block.specification.update(SPECIFICATION)
    for name, rule in RULES.items():
        block.register(name, block.specification[name], rule or _mistunes(name))
    return block


def _mistunes(name: str) -> "Rule":
    """mistune's own method for a rule, to be registered in our order."""
    return lambda block, match, state: getattr(block, f"parse_{name}")(match, state)
