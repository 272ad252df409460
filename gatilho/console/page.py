"""Prose for a person: titles and indented lines, wrapped on a terminal and whole in a pipe."""

import textwrap

from gatilho import render
from gatilho.render import clean_line

# Longer lines are hard to read, shorter ones are no lines.
_WIDEST = 110
_NARROWEST = 30


class Page:
    """What one command prints from top to bottom; every text is cleaned."""

    def __init__(self) -> None:
        self.out = render.console()
        self._width = max(min(self.out.width, _WIDEST), _NARROWEST) if self.out.is_terminal else 0

    def title(self, text: str) -> None:
        """Add a heading."""
        self._print(text, 0, 4, "bold")

    def line(self, text: str, indent: int = 0) -> None:
        """Add a line, its continuation two blanks further in."""
        self._print(text, indent, 2)

    def gap(self) -> None:
        """Add an empty line."""
        self.out.print()

    def _print(self, text: str, indent: int, hanging: int, style: str = "") -> None:
        if not text:
            return  # a row may have no note
        for line in self._wrapped(" " * indent + clean_line(text), " " * (indent + hanging)):
            self.out.print(line, style=style or None, soft_wrap=True)

    def _wrapped(self, text: str, hanging: str) -> list[str]:
        if not self._width or len(text) <= self._width:
            return [text]
        # Places and patterns are copied: they are not cut at their hyphens.
        return textwrap.wrap(text, self._width, subsequent_indent=hanging, break_on_hyphens=False)
