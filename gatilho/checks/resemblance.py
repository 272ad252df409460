"""Rows that say what another row, or a file that every session reads, says already; and rows that say the opposite."""

import os
from collections.abc import Iterator

from gatilho import bounded
from gatilho.index.index import IndexedRow
from gatilho.ladder.decide import is_past
from gatilho.memory import directives, similarity
from gatilho.model import Problem, ProblemKind, Row
from gatilho.plain import first_of, shell_word
from gatilho.workspace.workspace import Workspace

SIMILAR = ProblemKind("GT261", "note", "rows say nearly the same")
OPPOSITE = ProblemKind("GT262", "note", "rows with the same trigger seem to ask for opposite things")
RESTATED = ProblemKind("GT263", "note", "a note restates a line of AGENTS.md or CLAUDE.md")
KINDS = (SIMILAR, OPPOSITE, RESTATED)

INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md")
# From this score on a note restates a line.
_RESTATED = 90
_NAMED = 5


def find_problems(workspace: Workspace) -> Iterator[Problem]:
    """Yield one problem for each group of similar rows, each pair of opposite ones, and each note said elsewhere."""
    found = [one for one in workspace.rows_in_force if not is_past(one.row, workspace.today)]
    rows = [one.row for one in found]
    opposites = [pair for pair in directives.find_opposites(rows) if _are_two(rows, *pair)]
    for first, second in opposites:
        yield _opposite(workspace, found[first], found[second])
    pairs = [
        pair
        for pair in similarity.find_pairs(rows)
        if (pair.first, pair.second) not in opposites and _are_two(rows, pair.first, pair.second)
    ]
    for group in similarity.groups_of(pairs):
        yield _similar(workspace, [found[number] for number in group])
    yield from _restated(workspace, found)


def _are_two(rows: list[Row], first: int, second: int) -> bool:
    """Return whether two rows have different ids: rows that share one are a problem of their own."""
    return rows[first].id.strip() != rows[second].id.strip()


def _similar(workspace: Workspace, group: list[IndexedRow]) -> Problem:
    """Report a group at its newest row: the last one that is not committed yet, else the last one."""
    newest = next((found for found in reversed(group) if workspace.is_new(found)), group[-1])
    others = [found for found in group if found is not newest]
    scores = [max(similarity.similarity(newest.row, other.row), 0) for other in others]
    named = [f"{other.row.id} ({other.row.place}, score {score})" for other, score in zip(others, scores)]
    message = f"{newest.row.id} says nearly the same as {first_of(named, _NAMED)}"
    remedy = (
        f"keep both if they are two; else end one: `gatilho supersede {shell_word(others[0].row.id)} "
        f"{shell_word(newest.row.id)}`. Nothing is merged for you"
    )
    return workspace.problem(SIMILAR, newest, "note", message, remedy)


def _opposite(workspace: Workspace, first: IndexedRow, second: IndexedRow) -> Problem:
    shared = next(str(one) for one in second.row.triggers if one in first.row.triggers)
    message = f"{second.row.id} and {first.row.id} ({first.row.place}) seem to ask for opposite things at `{shared}`"
    remedy = (
        f"if they do, end the one that no longer holds: `gatilho supersede {shell_word(first.row.id)} "
        f"{shell_word(second.row.id)}`; else reword one of them"
    )
    return workspace.problem(OPPOSITE, second, "note", message, remedy)


def _restated(workspace: Workspace, rows: list[IndexedRow]) -> Iterator[Problem]:
    """Yield the rows whose note a file for agents has as a line or a paragraph."""
    said = [one for name in _instruction_files(workspace) for one in _texts_of(workspace.root, name)]
    texts = [similarity.comparable(text) for _, _, text in said]
    for found in rows if said else ():
        closest = similarity.closest(found.row.note, texts, _RESTATED)
        if closest is not None:
            name, line, _ = said[closest[0]]
            message = f"{name}:{line} says the same as {found.row.id} (score {closest[1]}), in every session"
            remedy = f"keep one: take the line out of {name}, or revoke the row"
            yield workspace.problem(RESTATED, found, "note", message, remedy)


def _instruction_files(workspace: Workspace) -> list[str]:
    names = {name for name in workspace.reach.names if name.rpartition("/")[2] in INSTRUCTIONS}
    return sorted(names | {name for name in INSTRUCTIONS if os.path.isfile(f"{workspace.root}/{name}")})


def _texts_of(root: str, name: str) -> list[tuple[str, int, str]]:
    """Return the lines of a file and its paragraphs of several lines as (file, line, text), without list marks."""
    lines = bounded.read_quietly(f"{root}/{name}").decode("utf-8", "replace").split("\n")
    texts = [(name, number, _without_mark(line)) for number, line in enumerate(lines, 1) if line.strip()]
    paragraphs: list[tuple[str, int, str]] = []
    for number, line in enumerate(lines, 1):
        is_new = not paragraphs or not lines[number - 2].strip() or _without_mark(line) != line.strip()
        if line.strip() and not is_new:
            start, before = paragraphs[-1][1:]
            paragraphs[-1] = (name, start, f"{before} {line.strip()}")
        elif line.strip():
            paragraphs.append((name, number, _without_mark(line)))
    return list(dict.fromkeys((*texts, *paragraphs)))


def _without_mark(line: str) -> str:
    """Return a line without the mark of a heading, a quote or an item of a list."""
    text = line.strip()
    mark, blank, rest = text.partition(" ")
    is_mark = not mark.strip("#") or mark in ("-", "*", "+", ">") or (mark[:-1].isdigit() and mark[-1] in ".)")
    return rest.removeprefix("[ ] ").removeprefix("[x] ").strip() if blank and is_mark else text
