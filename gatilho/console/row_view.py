"""Rows for people and as JSON, and prose in pages: the same in every command that shows rows."""

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from gatilho import render
from gatilho.git.nested import listed_stores
from gatilho.index.index import Index, IndexedRow
from gatilho.index.refresh import TOO_MUCH
from gatilho.ladder.decide import Match, is_due, may_speak
from gatilho.lifecycle.state_cell import waived_until
from gatilho.lifecycle.transitions import is_waived, state_of
from gatilho.render import clean_output_line, width_of
from gatilho.store import local_rides
from gatilho.tables import FOLDER, documents_by_name
from gatilho.workspace.row_examples import example_spans
from gatilho.workspace.sources import Sources
from gatilho.workspace.tracked import no_tables, store_left_out

# What only some tables have a column for.
OPTIONAL = ("kind", "key", "owner", "added", "expires", "not_before", "ask_after")


def counted_rows(index: Index, rows: Iterable[IndexedRow]) -> list[Match]:
    """Return the rows with their rides in force: those of rules that wait on this machine for `fold` are among them."""
    waiting = local_rides.waiting_rides(index.repository.shared_state)
    counts = ((one, index.count(one.row) + waiting(one.row)) for one in rows)
    return [Match(one.row, count, path=one.path, header=one.header) for one, count in counts]


def match_of(index: Index, found: IndexedRow) -> Match:
    """Return one row with its rides in force."""
    return counted_rows(index, [found])[0]


def report_left_out(index: Index) -> None:
    """Say on standard error which folders and files of the stores are not read, so that no row of theirs is missed."""
    for one in index.problems():
        if one.code == TOO_MUCH:
            render.error(f"{one.message}; `gatilho check` explains it.")


def no_rows(root: str) -> str:
    """Return why a repository has no rows, and what to do."""
    documents = list(documents_by_name(listed_stores(root)))
    left_out = store_left_out(root)
    if left_out or not documents:
        message, remedy = no_tables(root)
        return left_out or f"{message[0].upper()}{message[1:]}. {remedy[0].upper()}{remedy[1:]}."
    first = f"{FOLDER}/backlog.md" if f"{FOLDER}/backlog.md" in documents else documents[0]
    return f"No rows yet. Write the first one, as in {first}. `gatilho check` explains why a row is not read."


def rides_in_force(match: Match) -> str:
    """Return the rides in force, with the cell where it says something else."""
    cell = match.row.rides
    if cell == match.count:
        return str(match.count)
    return f"{match.count} (cell: {'no number' if cell is None else cell})"


def rides_as_bar(match: Match, index: Index) -> str:
    """Return how far a debt is on its way to being asked about, such as `●●○`; "" for a rule."""
    limit = match.row.asked_from(index.config.ask_after)
    if not match.row.owed or not 0 < limit <= _LONGEST_BAR:
        return ""
    full, empty = ("●", "○") if _can_print("●○") else ("#", "-")
    ridden = min(match.count, limit)
    return full * ridden + empty * (limit - ridden)


def _can_print(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def state_in_words(match: Match, index: Index, day: str) -> str:
    """Return the state in words, with what holds the row back or makes it urgent today."""
    row = match.row
    word = state_of(row)
    if word == "waived":
        until = waived_until(row.state_text)
        word += f" until {until}" if until else ""
        return word if is_waived(row, day) else f"{word}, over"
    if row.in_force and not may_speak(row, day):
        held_back = bool(row.not_before) and day < row.not_before
        return f"{word}, not before {row.not_before}" if held_back else f"{word}, past {row.expires}"
    if row.violated_when and row.in_force and match.count:
        return f"{word}, heeded {max(match.count - index.violations(row), 0)} of {match.count}"
    return f"{word}, due" if is_due(match, index.config, day) else word


def row_as_json(match: Match, index: Index, day: str, sources: Sources) -> dict[str, Any]:
    """Return everything that the table says of a row, and what is in force. columns: those of people's own."""
    row = match.row
    return {
        "id": row.id,
        "lifecycle": row.lifecycle,
        "state": state_of(row),
        "state_text": row.state_text,
        "in_force": row.in_force,
        "due": is_due(match, index.config, day),
        "rides": match.count,
        "rides_cell": row.rides,
        "note": row.note,
        "triggers": [{"kind": trigger.kind, "pattern": trigger.pattern} for trigger in row.triggers],
        "paid_when": [condition.text for condition in row.conditions],
        "holds_while": [condition.text for condition in row.holds_while],
        **{name: getattr(row, name) for name in OPTIONAL},
        "violated_when": [condition.text for condition in row.violated_when],
        "violated": index.violations(row),
        "examples": example_spans(sources, IndexedRow(row, match.path, match.header, match.file_number)),
        "columns": sources.own_cells(match.path, row.line, match.header),
        "store": row.scope,
        "file": row.file,
        "line": row.line,
    }


# Circles of a progress bar; a row that is asked about later than that says its numbers instead.
_LONGEST_BAR = 6
_GAP = "  "


def aligned(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Return the rows as lines with columns below one another; those of the numbers `right` end there."""
    cleaned = [[clean_output_line(cell) for cell in row] for row in rows]
    widths = [max(map(width_of, column)) for column in zip(*cleaned)]
    return [_line(row, widths, right) for row in cleaned]


def _line(row: list[str], widths: list[int], right: Sequence[int]) -> str:
    cells = []
    for number, (cell, width) in enumerate(zip(row, widths)):
        blanks = " " * (width - width_of(cell))
        cells.append(blanks + cell if number in right else cell + blanks)
    return _GAP.join(cells).rstrip()


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
        for line in self._wrapped(" " * indent + clean_output_line(text), " " * (indent + hanging)):
            self.out.print(line, style=style or None, soft_wrap=True)

    def _wrapped(self, text: str, hanging: str) -> list[str]:
        return render.wrapped(text, self._width, hanging) if self._width else [text]
