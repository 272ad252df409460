"""What GitHub's own parser makes of a document: its top-level tables, cell by cell, and what is struck in them."""

from html.parser import HTMLParser

import cmarkgfm
from cmarkgfm.cmark import Options

_VOID = {"br", "hr", "img", "input"}


class Cell:
    """The text of a cell, for each character whether it is struck, and the code spans in it."""

    def __init__(self) -> None:
        self.text = ""
        self.marks: list[bool] = []
        self.code: list[str] = []

    @property
    def struck_text(self) -> str:
        return "".join(letter for letter, mark in zip(self.text, self.marks) if mark)


class _Tables(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tables: list[list[tuple[int, list[Cell]]]] = []
        self.cell: Cell | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VOID:
            return
        self.open.append(tag)
        if self.open[0] != "table":
            return
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            line = int((dict(attrs)["data-sourcepos"] or "").split(":")[0])
            self.tables[-1].append((line, []))
        elif tag in ("td", "th"):
            self.cell = Cell()
            self.tables[-1][-1][1].append(self.cell)
        elif tag == "code" and self.cell:
            self.cell.code.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID:
            return
        if tag in ("td", "th"):
            self.cell = None
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.cell is None:
            return
        self.cell.text += data
        self.cell.marks += ["del" in self.open] * len(data)
        if "code" in self.open:
            self.cell.code[-1] += data


def github_tables(text: str) -> list[list[tuple[int, list[Cell]]]]:
    """The top-level tables of a document: (line, cells) of the header and each row.

    The line of a header is only right where no text stands directly above it.
    """
    html = cmarkgfm.markdown_to_html_with_extensions(
        text, options=Options.CMARK_OPT_SOURCEPOS, extensions=["table", "strikethrough"]
    )
    parser = _Tables()
    parser.feed(html)
    return parser.tables


def github_cell(raw: str) -> Cell:
    """One cell as GitHub shows it."""
    return github_tables(f"| a |\n| --- |\n| {raw} |\n")[0][1][1][0]
