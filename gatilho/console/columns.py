"""Columns of text, aligned by the cells that a terminal gives to each character."""

from collections.abc import Sequence
from unicodedata import combining, east_asian_width

from gatilho.render import clean_line

_GAP = "  "


def width_of(text: str) -> int:
    """Return how many cells a terminal takes for a line of text."""
    if text.isascii():
        return len(text)
    return sum(2 if east_asian_width(c) in "WF" else 0 if combining(c) else 1 for c in text)


def aligned(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Return the rows as lines whose columns begin below one another.

    The columns of those numbers end below one another.
    """
    cleaned = [[clean_line(cell) for cell in row] for row in rows]
    widths = [max(map(width_of, column)) for column in zip(*cleaned)]
    return [_line(row, widths, right) for row in cleaned]


def _line(row: list[str], widths: list[int], right: Sequence[int]) -> str:
    cells = []
    for number, (cell, width) in enumerate(zip(row, widths)):
        blanks = " " * (width - width_of(cell))
        cells.append(blanks + cell if number in right else cell + blanks)
    return _GAP.join(cells).rstrip()
