"""What people see on a terminal or in a pipe: lines, problems, tables, diffs and JSON; the only user of rich."""

import json
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from gatilho import plain
from gatilho.model import Problem
from gatilho.secret_shapes import masked

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod
    from rich.text import Text

# A pipe has no width, and a program that reads it wants each row on one line.
_PIPE_WIDTH = 100_000
_NARROWEST = 20
_ANY_HEIGHT = 25
# Raised when a key of the output of `--json` goes or changes its meaning; new keys leave it as it is.
SCHEMA_VERSION = 1
_SEVERITY_STYLES = {"error": "bold red", "warning": "yellow", "note": "cyan"}


def clean_output(text: str) -> str:
    """Return a text as people and logs may see it: nothing acts on a terminal, no secret is shown."""
    return masked(plain.clean(text))


def clean_output_line(text: str) -> str:
    """Return the same on one line."""
    return masked(plain.clean_line(text))


def console(stream: IO[str] | None = None, width: int | None = None) -> "Console":
    """Return a console on the stream (standard output unless given) that takes every text as it is.

    Colour goes to terminals only, and not where NO_COLOR is set. width: columns, else the terminal's or COLUMNS.
    """
    from rich.console import Console

    stream = stream if stream is not None else sys.stdout
    if width is None:
        width = asked_width() or (_terminal_width(stream) if stream.isatty() else _PIPE_WIDTH)

    class Plain(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # the command line knows what to do; rich would leave with status 1

    # On a terminal that calls itself dumb rich takes a width only together with a height.
    height = None if width is None else _ANY_HEIGHT
    return Plain(file=stream, width=width, height=height, markup=False, emoji=False, highlight=False, soft_wrap=False)


def _terminal_width(stream: IO[str]) -> int | None:
    """Return the columns of a terminal; None where it does not say, or has 0. Rich asks no terminal that is dumb."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or None
    except (OSError, ValueError):
        return None


def asked_width() -> int:
    """Return the columns that COLUMNS asks for, 0 where it does not say."""
    asked = os.environ.get("COLUMNS", "")
    return min(int(asked), _PIPE_WIDTH) if asked.isascii() and asked.isdigit() and len(asked) < 10 else 0


def line(text: str, stream: IO[str] | None = None) -> None:
    """Print a sentence on a line, or several; on a terminal that has no room, what follows is two blanks further in."""
    stream = stream if stream is not None else sys.stdout
    lines = clean_output(text).split("\n")
    if stream.isatty() and (width := asked_width() or _terminal_width(stream)):
        lines = [part for one in lines for part in _hanging(one, max(width, _NARROWEST))]
    print("\n".join(lines), file=stream)


def verbatim(text: str) -> None:
    """Print text that is copied or piped on as it is: code, a table, the words of a completion."""
    print(clean_output(text))


def print_markdown(text: str) -> None:
    """Print Markdown whose quoted texts are clean already: the zero-width blanks in it keep names from being called."""
    print(masked(text))


def error(text: str) -> None:
    """Say on standard error what went wrong."""
    line(f"gatilho: {text}", sys.stderr)


def print_json(value: "dict[str, Any] | list[dict[str, Any]]") -> None:
    """Print a value as JSON in ASCII, so that nothing in it acts on a terminal and no encoding matters.

    It begins with the version of our own forms; a published one (SARIF, and any list) is printed as it is.
    """
    if isinstance(value, dict) and "$schema" not in value:
        value = {"schema_version": SCHEMA_VERSION, **value}
    # A runner finds `##[command]` anywhere in a line; in JSON a number sign is only ever in a text.
    print(json.dumps(masked_value(value), indent=2).replace("##", "\\u0023#"))


def masked_value(value: Any) -> Any:
    """Return a value of JSON with no secret in its texts."""
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, dict):
        return {key: masked_value(one) for key, one in value.items()}
    return [masked_value(one) for one in value] if isinstance(value, list | tuple) else value


def problem_as_json(problem: Problem) -> dict[str, Any]:
    """Return all that is known of a problem."""
    place = problem.place
    return {
        "code": problem.code,
        "severity": problem.severity,
        "file": place.file,
        "line": place.line,
        "column": place.column,
        "width": problem.width,
        "message": problem.message,
        "remedy": problem.remedy,
        "text": problem.text,
        "row": problem.row,
    }


def print_problems(found: Iterable[Problem], out: "Console | None" = None) -> None:
    """Print problems: place, severity, code and message; then the line with a caret, and what to do."""
    out = out or console()
    for problem in found:
        _problem(problem, out)


def print_table(
    headers: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[str] = (), out: "Console | None" = None
) -> None:
    """Print a table; the columns named in `right` are aligned to the right. Cells wrap where the terminal is narrow."""
    from rich.table import Table
    from rich.text import Text

    out = out or console()
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", show_edge=False)
    for header in headers:
        justify: JustifyMethod = "right" if header in right else "left"
        made.add_column(Text(clean_output_line(header)), justify=justify, overflow="fold")
    for row in rows:
        made.add_row(*(Text(clean_output_line(cell)) for cell in row))
    _print_trimmed(out, made)


@contextmanager
def waiting(text: str) -> Iterator[Callable[[str], None]]:
    """Show on a terminal, while the block runs, what is waited for and for how long, from the first second on.

    The block gets a function that changes the text.
    """
    shown = [clean_output_line(text)]

    def say(other: str) -> None:
        shown[0] = clean_output_line(other)

    if not sys.stderr.isatty():
        yield say
        return
    done = threading.Event()
    ticking = threading.Thread(target=_tick, args=(shown, done), daemon=True)
    ticking.start()
    try:
        yield say
    finally:
        done.set()
        ticking.join()


def _tick(shown: list[str], done: threading.Event) -> None:
    started = time.monotonic()
    if done.wait(1.0):
        return
    while not done.is_set():
        sys.stderr.write(f"\r\x1b[K{shown[0]} {time.monotonic() - started:.0f} s")
        sys.stderr.flush()
        done.wait(0.5)
    sys.stderr.write("\r\x1b[K")
    sys.stderr.flush()


def print_diff(text: str, out: "Console | None" = None) -> None:
    """Print a unified diff, in colour on a terminal."""
    from rich.text import Text

    out = out or console()
    styles = {"+++": "bold", "---": "bold", "@@": "cyan", "+": "green", "-": "red"}
    for one in text.split("\n")[:-1]:
        if not out.is_terminal:
            out.file.write(f"{clean_output(one)}{chr(13) * one.endswith(chr(13))}\n")  # for `git apply`
            continue
        style = next((style for mark, style in styles.items() if one.startswith(mark)), "")
        out.print(Text(clean_output(one), style=style), soft_wrap=True)


def _problem(problem: Problem, out: "Console") -> None:
    from rich.text import Text

    place = problem.place
    head = Text(f"{clean_output_line(place.file)}:{place.line}:{place.column}: ", style="bold")
    head.append(problem.severity, style=_SEVERITY_STYLES.get(problem.severity, ""))
    head.append(f" {problem.code} {clean_output_line(problem.message)}", style="not bold")
    _print_hanging(head, out)
    if problem.text:
        shown, caret = caret_lines(problem.text, place.column, problem.width, max(out.width, _NARROWEST) - 4)
        out.print(Text(f"    {shown}"), soft_wrap=True)
        out.print(Text(f"    {caret}", style=_SEVERITY_STYLES.get(problem.severity, "")), soft_wrap=True)
    if problem.remedy:
        _print_hanging(Text(f"    {clean_output_line(problem.remedy)}"), out)


def _print_hanging(text: "Text", out: "Console") -> None:
    """Print a line; on a terminal that has no room for it, what follows is four blanks in, like its remedy."""
    if out.is_terminal:
        # Nothing in the text is more than one blank but what is before it, so each part is found again.
        at = 0
        for part in wrapped(text.plain, max(out.width, _NARROWEST), "    "):
            at = text.plain.index(part.strip(), at)
            shown = text[at : at + len(part.strip())]
            shown.pad_left(len(part) - len(part.lstrip()))
            at += len(part.strip())
            out.print(shown, soft_wrap=True)
        return
    out.print(text, soft_wrap=True)


def _hanging(text: str, width: int) -> list[str]:
    indent = len(text) - len(text.lstrip(" "))
    return wrapped(text, width, " " * min(indent + 2, width // 2))


def wrapped(text: str, width: int, hanging: str) -> list[str]:
    """Return a text as lines of at most `width` cells, broken at blanks; each but the first begins with `hanging`.

    A word that is wider is cut between characters of two cells, as text without blanks is set; any other stays whole,
    for places and patterns are copied.
    """
    if width_of(text) <= width:
        return [text]
    lines, current = [], text[: len(text) - len(text.lstrip())]
    room = width - width_of(current)
    for blanks, word in re.findall(r"( *)([^ ]+)", text):
        for piece, glue in _pieces_of(word, blanks):
            needed = width_of(piece) + len(glue if current.strip() else "")
            if current.strip() and needed > room:
                lines.append(current)
                current, room = hanging, width - len(hanging)
            added = (glue if current.strip() else "") + piece
            current, room = current + added, room - width_of(added)
    return [*lines, current]


def _pieces_of(word: str, blanks: str) -> "Iterator[tuple[str, str]]":
    """Yield the parts of a word that a line may end after, each with what joins it to the part before."""
    piece, glue = "", blanks
    for letter in word:
        if piece and width_of(letter) == 2:
            yield piece, glue
            piece, glue = "", ""
        piece += letter
    yield piece, glue


def caret_lines(text: str, column: int, width: int, room: int) -> tuple[str, str]:
    """Return the line and the carets below it, both cut to `room` cells around the caret.

    column: from 1, in characters of the text as it is; wide characters take two cells.
    """
    before = clean_output_line(text[: column - 1])
    marked = clean_output_line(text[column - 1 : column - 1 + max(width, 1)])
    after = clean_output_line(text[column - 1 + max(width, 1) :]).rstrip()
    before = _last_cells(before, room * 2 // 3)
    marked = first_cells(marked, room - width_of(before))
    after = first_cells(after, room - width_of(before) - width_of(marked))
    return before + marked + after, " " * width_of(before) + "^" * max(width_of(marked), 1)


def width_of(text: str) -> int:
    """Return how many cells a terminal takes for a line of text."""
    if text.isascii() and text.isprintable():
        return len(text)  # most lines: rich is not imported for them
    from rich.cells import cell_len

    return cell_len(text)


def first_cells(text: str, room: int) -> str:
    """Return as much of the beginning as fits, with an ellipsis where something is left out."""
    if len(text) <= room and width_of(text) <= room:
        return text
    kept = text[: max(room - 1, 0)]
    while width_of(kept) > room - 1 > 0:
        kept = kept[:-1]
    return kept + "…" if room > 0 else ""


def _last_cells(text: str, room: int) -> str:
    if len(text) <= room and width_of(text) <= room:
        return text
    kept = text[-(room - 1) :] if room > 1 else ""
    while width_of(kept) > room - 1 > 0:
        kept = kept[1:]
    return "…" + kept


def _print_trimmed(out: "Console", what: Any) -> None:
    """Print without the blanks that fill the last column, which a pipe and a diff would carry along."""
    from rich.segment import Segment, Segments

    for segments in out.render_lines(what, pad=False):
        while segments and not segments[-1].text.strip():
            segments.pop()
        if segments:
            last = segments[-1]
            segments[-1] = Segment(last.text.rstrip(), last.style, last.control)
        out.print(Segments([*segments, Segment("\n")]), end="", soft_wrap=True)
