"""How the story looks: titles, who says what, diffs and ledger lines; in colour on a terminal, plain in a pipe."""

import sys
import textwrap

from rich.text import Text

from gatilho.render import console

WIDEST = 112
LABEL = 14  # columns in which it is who speaks

STYLES = {"agent reads": "cyan", "person reads": "yellow", "host asks": "bold magenta", "host refuses": "bold red"}


class Page:
    """What is printed from top to bottom, and how many things were checked on the way."""

    def __init__(self) -> None:
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
        self._out = console()
        self._width = max(60, min(self._out.width, WIDEST))
        self._acts = 0
        self.checked = 0

    def act(self, title: str, about: str) -> None:
        """Begin a part of the story."""
        self._acts += 1
        heading = f"{self._acts}. {title}"
        self._print("")
        self._print(heading, "bold")
        self._print("=" * len(heading), "bold")
        self._print(textwrap.fill(about, self._width))
        self._print("")

    def say(self, label: str, text: str) -> None:
        """A text with the one who says or reads it in front; its own line ends stay."""
        style = STYLES.get(label, "")
        for line in text.split("\n"):
            for part in textwrap.wrap(line, self._width - LABEL, subsequent_indent="  ", break_on_hyphens=False) or [
                ""
            ]:
                self._line(label, part, style)
                label = ""

    def command(self, text: str, output: str) -> None:
        """A command as it is typed, and what it prints."""
        self._print(f"  $ {text}", "bold")
        for line in output.rstrip().split("\n"):
            self._print(f"    {line}".rstrip())

    def verbatim(self, label: str, lines: list[str]) -> None:
        """Lines as they are in a file, never wrapped; those of a diff in its colours."""
        for line in lines:
            self._line(label, line, {"+": "green", "-": "red"}.get(line[:1], ""))
            label = ""

    def check(self, what: str) -> None:
        """Note something that was found to be as written."""
        self.checked += 1
        self._line("checked", what, "dim")

    def _line(self, label: str, text: str, style: str) -> None:
        self._out.print(Text(f"  {label:<{LABEL}}", "bold"), Text(text, style), sep="", soft_wrap=True)

    def _print(self, text: str, style: str = "") -> None:
        self._out.print(Text(text, style), soft_wrap=True)
