"""How prose and columns look on a terminal of a given width, and in a pipe."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

import pytest
from builders import CHECKOUT, Repo, row

from gatilho.console.row_view import aligned
from gatilho.render import width_of


def on_terminal(repo: Repo, columns: int, *arguments: str, **environ: str) -> str:
    """What a command writes to a terminal that is so wide."""
    terminal, program = pty.openpty()
    fcntl.ioctl(program, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    env = {**os.environ, "PYTHONPATH": str(CHECKOUT), "TERM": "xterm-256color", **environ}
    del env["COLUMNS"]
    command = [sys.executable, "-m", "gatilho", *arguments]
    started = subprocess.Popen(command, cwd=repo.root, env=env, stdin=program, stdout=program, stderr=program)
    os.close(program)
    parts = []
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # how Linux says that nobody writes any more
            break
        if not part:
            break
        parts.append(part)
    os.close(terminal)
    assert started.wait(60) == 0
    return b"".join(parts).decode().replace("\r\n", "\n")


def test_lines_wrap_at_words_with_the_rest_further_in(repo: Repo) -> None:
    repo.table(row("R-1", "path: README", "one two three four five six seven eight nine ten eleven", lifecycle="rule"))
    shown = on_terminal(repo, 40, "why", "README.md", NO_COLOR="1")
    assert max(map(len, shown.replace("\x1b[1m", "").replace("\x1b[0m", "").split("\n"))) <= 40
    assert "\n    one two three four five six seven\n      eight nine ten eleven\n" in shown


def test_titles_are_bold_on_a_terminal_only(repo: Repo) -> None:
    repo.table(row("R-1", "path: README", lifecycle="rule"))
    assert "\x1b[1mR-1  rule, in force\x1b[0m\n" in on_terminal(repo, 80, "show", "R-1")


def test_a_wide_terminal_has_columns_and_a_narrow_one_pairs_of_lines(repo: Repo) -> None:
    repo.table(row("D-1", r"path: ^README\.md$", "a note " * 30))
    wide = on_terminal(repo, 120, "list").split("\n")
    assert len(wide[1]) <= 120
    assert wide[1].startswith("D-1  debt       ○○○ 0  owed   a note a note")
    narrow = on_terminal(repo, 60, "list").split("\n")
    assert narrow[1] == "    a note a note a note a note a note a note a note a note…"


@pytest.mark.parametrize(
    ("text", "cells"), [("abc", 3), ("日本", 4), ("e\u0301", 1), ("é", 1), ("", 0), ("ａ", 2)]
)  # fmt: skip
def test_cells_of_a_text(text: str, cells: int) -> None:
    assert width_of(text) == cells


def test_columns_are_aligned_by_cells_and_cleaned() -> None:
    rows = [["id", "n", "note"], ["日本", "14", "x\x1b[2J"], ["a", "3", ""]]
    assert aligned(rows, right=[1]) == ["id     n  note", "日本  14  x", "a      3"]
