"""What people see: whole outputs, at fixed widths, and nothing of it acted upon."""

import io
import json
import os
import pty
import sys
import termios

import pytest
from rich.cells import cell_len
from rich.text import Text

from gatilho import render
from gatilho.model import Place, Problem

ROW = r"| D-7f3k | debt | `path: ^src/[abc]+\.py$` | Note the [bold]brackets[/bold] :smile:. | 2 | owed |"


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def shown_problems(*found: Problem, width: int | None = 100) -> str:
    stream = io.StringIO()
    render.print_problems(found, render.console(stream, width))
    return stream.getvalue()


def problem(**changes: object) -> Problem:
    made = Problem(
        "GT101", "error", Place("docs/gatilhos/backlog.md", 7, 19), "the pattern is wrong", "Correct it.", ROW, 24
    )
    return made.replace(**changes)  # type: ignore[no-any-return]


def test_a_problem_shows_its_place_its_row_a_caret_and_the_remedy() -> None:
    assert shown_problems(problem(), width=120) == (
        "docs/gatilhos/backlog.md:7:19: error GT101 the pattern is wrong\n"
        f"    {ROW}\n"
        f"    {' ' * 18}{'^' * 24}\n"
        "    Correct it.\n"
    )


def test_a_problem_without_a_row_or_a_remedy_is_one_line() -> None:
    assert shown_problems(problem(text="", remedy="", severity="warning")) == (
        "docs/gatilhos/backlog.md:7:19: warning GT101 the pattern is wrong\n"
    )


def test_nothing_that_a_document_says_reaches_the_terminal_as_an_order() -> None:
    hostile = "a\x1b[31m\x1b]8;;x\x07\u202eb\x9b1mc\nd"
    shown = shown_problems(problem(text=hostile, message=hostile, remedy=hostile, place=Place(hostile, 1)))
    assert shown.count("\n") == 4
    assert not set(shown) & set("\x1b\x07\x9b\u202e")


@pytest.mark.parametrize(
    ("text", "column", "width", "room", "expected"),
    [
        pytest.param("abcdef", 3, 2, 40, ("abcdef", "  ^^"), id="inside"),
        pytest.param("abc", 4, 1, 40, ("abc", "   ^"), id="behind the end"),
        pytest.param("abc", 9, 1, 40, ("abc", "   ^"), id="far behind the end"),
        pytest.param("a\tb\tc", 5, 1, 40, ("a b c", "    ^"), id="tabs are one blank"),
        pytest.param("表表x", 3, 1, 40, ("表表x", "    ^"), id="wide characters take two cells"),
        pytest.param("x表表", 2, 2, 40, ("x表表", " ^^^^"), id="wide characters below the caret"),
        pytest.param("abcdefghij" * 4, 21, 2, 12, ("…defghijabc…", "        ^^"), id="a window around the caret"),
        pytest.param("abcdefghij" * 4, 1, 40, 12, ("abcdefghija…", "^" * 12), id="a long span"),
        pytest.param("ab\x1b[31mcd", 8, 2, 40, ("abcd", "  ^^"), id="an escape before the caret"),
    ],
)
def test_the_caret_stands_below_its_text(
    text: str, column: int, width: int, room: int, expected: tuple[str, str]
) -> None:
    assert render.caret_lines(text, column, width, room) == expected


@pytest.mark.parametrize("room", [16, 30, 76])
def test_a_long_row_fits_the_terminal(room: int) -> None:
    line, caret = render.caret_lines("表a" * 300, 200, 9, room)
    from rich.cells import cell_len

    assert cell_len(line) <= room
    assert len(caret) <= room


ROWS = [("D-7f3k", "src/[abc].py :smile:", "12"), ("R-p04x", "a [red]note[/red]\x1b[31m\nof two lines", "3")]


def shown_table(width: int | None) -> str:
    stream = io.StringIO()
    render.print_table(("id", "note", "rides"), ROWS, right=("rides",), out=render.console(stream, width))
    return stream.getvalue()


def test_a_table_shows_cells_as_they_are() -> None:
    assert shown_table(60) == (
        "id      note                            rides\n"
        "D-7f3k  src/[abc].py :smile:               12\n"
        "R-p04x  a [red]note[/red] of two lines      3\n"
    )


def test_a_table_folds_in_a_narrow_terminal() -> None:
    shown = shown_table(30)
    assert max(map(len, shown.splitlines())) <= 30
    assert "smile" in shown
    assert "…" not in shown


def test_a_pipe_keeps_each_row_on_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    stream = io.StringIO()
    render.print_table(("id", "note"), [("D-1", "word " * 200)], out=render.console(stream))
    assert len(stream.getvalue().splitlines()) == 2


def test_colour_is_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    terminal, pipe = Terminal(), io.StringIO()
    for stream in (terminal, pipe):
        render.print_problems([problem()], render.console(stream, 100))
    assert "\x1b[1;31merror" in terminal.getvalue()
    assert "\x1b" not in pipe.getvalue()


def test_no_color_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", "1")
    terminal = Terminal()
    render.print_problems([problem()], render.console(terminal, 100))
    assert "\x1b[31" not in terminal.getvalue()
    assert ";31m" not in terminal.getvalue()


def test_a_diff_stays_a_diff(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-[old] " + "word " * 100 + "\n+new\x1b[2J\n"
    stream = io.StringIO()
    render.print_diff(text, render.console(stream, 40))
    assert stream.getvalue() == text.replace("\x1b[2J", "")


def test_json_is_ascii(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"note": "ação \u202e\x9b1m", "rides": 2}
    render.print_json(value)
    shown = capsys.readouterr().out
    assert shown.isascii()
    assert json.loads(shown) == {"schema_version": 1, **value}


def test_lines_and_errors_are_cleaned(capsys: pytest.CaptureFixture[str]) -> None:
    render.line("a\x1b[31mb\nc")
    render.error("wrong\x07")
    assert capsys.readouterr() == ("ab\nc\n", "gatilho: wrong\n")


@pytest.mark.parametrize("width", [40, 60])
def test_what_is_said_of_a_problem_hangs_in_a_narrow_terminal(width: int) -> None:
    terminal = Terminal()
    long = "a message that takes more room than a narrow terminal has on one line, and then some"
    found = Problem("GT211", "error", Place("a.md", 3, 1), long, f"do something about it, for {long}", "| text |")
    render.print_problems([found], render.console(terminal, width))
    lines = Text.from_ansi(terminal.getvalue()).plain.rstrip().split("\n")
    assert max(map(len, lines)) <= width
    assert [line[:4] for line in lines[1:]] == ["    "] * (len(lines) - 1)
    assert " ".join(" ".join(lines).split()).count(long) == 2


def test_a_sentence_hangs_in_a_narrow_terminal_and_code_is_printed_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    terminal, pipe = Terminal(), io.StringIO()
    text = "\nwrong   merging  the driver is another one\n        -> run `gatilho init` in this clone again"
    for stream in (terminal, pipe):
        render.line(text, stream)
    assert pipe.getvalue() == f"{text}\n"
    hung = text.replace("another one", "another\n  one").replace(
        "in this clone again", "in this\n          clone again"
    )
    assert terminal.getvalue() == f"{hung}\n"
    monkeypatch.setattr(sys, "stdout", copied := Terminal())
    render.verbatim(ROW)
    assert copied.getvalue() == f"{ROW}\n"


@pytest.mark.parametrize("width", [20, 40, 80])
@pytest.mark.parametrize(
    "text",
    [
        "注文の合計は税込みで計算する" * 6,
        "D-1  " + "注文の合計 は税込みで " * 9 + "(docs/gatilhos/backlog.md:3)",
        "  words that are short enough for any line, " * 4,
        "한국어로 쓴 메모는 넓은 글자이다 " * 5,
    ],
    ids=["no blanks", "mixed", "words", "korean"],
)
def test_lines_are_broken_by_cells_and_nothing_is_lost(text: str, width: int) -> None:
    lines = render.wrapped(text, width, "    ")
    words = [word for word in text.split() if word.isascii() and len(word) > width - 4]
    assert {cell_len(line) <= width for line in lines if not any(word in line for word in words)} <= {True}
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(line.startswith("    ") for line in lines[1:])


def test_a_path_is_not_broken() -> None:
    path = "docs/gatilhos/" + "long-name-" * 12 + "backlog.md:3"
    assert render.wrapped("7  all rows  gatilho list --all", 26, "    ") == ["7  all rows  gatilho list", "    --all"]
    assert path in render.wrapped(f"see {path} now", 40, "  ")[1]


@pytest.mark.skipif(sys.platform == "win32", reason="terminals of POSIX systems")
@pytest.mark.parametrize("name", ["dumb", "xterm"])
def test_a_terminal_is_as_wide_as_it_says_whatever_it_calls_itself(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", name)
    monkeypatch.delenv("COLUMNS", raising=False)
    keyboard, program = pty.openpty()
    termios.tcsetwinsize(program, (25, 40))
    with open(program, "w", encoding="utf-8") as stream:
        assert render.console(stream).width == 40
    os.close(keyboard)
