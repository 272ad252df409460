"""A row in words and as JSON, the same in every command that shows rows."""

from typing import Any

from gatilho.index.index import Index, IndexedRow
from gatilho.ladder.decide import Match, is_due, may_speak
from gatilho.lifecycle.state_cell import waived_until
from gatilho.lifecycle.transitions import is_waived, state_of
from gatilho.tables import FOLDER, documents_of, stores_of
from gatilho.workspace.sources import Sources
from gatilho.workspace.tracked import store_left_out

# What only some tables have a column for.
OPTIONAL = ("kind", "key", "owner", "added", "expires", "not_before", "ask_after")


def match_of(index: Index, found: IndexedRow) -> Match:
    """Return the row with its rides in force."""
    return Match(found.row, index.count(found.row), path=found.path, header=found.header)


def no_rows(root: str) -> str:
    """Return why a repository has no rows, and what to do."""
    left_out = store_left_out(root)
    if left_out:
        return left_out
    documents = [path.removeprefix(root + "/") for path in documents_of(stores_of(root)[0])[0]]
    if not documents:
        return "No tables yet. `gatilho init` writes the first ones and registers the hooks."
    first = f"{FOLDER}/backlog.md" if f"{FOLDER}/backlog.md" in documents else documents[0]
    return f"No rows yet. Write the first one, as in {first}. `gatilho check` explains why a row is not read."


def rides(match: Match) -> str:
    """Return the rides in force, with the cell where it says something else."""
    cell = match.row.rides
    if cell == match.count:
        return str(match.count)
    return f"{match.count} (cell: {'no number' if cell is None else cell})"


def state(match: Match, index: Index, day: str) -> str:
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
    return f"{word}, due" if is_due(match, index.config, day) else word


def as_json(match: Match, index: Index, day: str, sources: Sources) -> dict[str, Any]:
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
        "columns": sources.own_cells(match.path, row.line, match.header),
        "store": row.store,
        "file": row.file,
        "line": row.line,
    }
