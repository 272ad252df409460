"""Marks in code that name no row, and rows whose mark is in no file."""

from collections.abc import Iterator

from gatilho import bounded
from gatilho.index.marks import find_mark
from gatilho.model import Place, Problem, ProblemKind
from gatilho.plain import first_of
from gatilho.workspace.workspace import Workspace

NO_MARK = ProblemKind("GT229", "warning", "the mark of a trigger is in no tracked file")
NO_ROW = ProblemKind("GT230", "warning", "a mark in code names no row")
KINDS = (NO_MARK, NO_ROW)


def find_problems(workspace: Workspace) -> Iterator[Problem]:
    """Yield rows without their mark, and marks without their row."""
    for found in workspace.own_rows:
        for trigger in found.row.triggers if found.row.in_force else ():
            mark = trigger.pattern.strip()
            if trigger.kind == "mark" and mark not in workspace.marks:
                message = f"no tracked file has `gatilho: {mark}` in a comment, so {found.row.id} is silent"
                owed = "; a mark that is gone does not pay it" if found.row.is_debt else ""
                remedy = f"write the mark where the code is now, or end the row{owed}"
                yield workspace.problem(NO_MARK, found, "trigger", message, remedy, trigger.pattern)
    known = {found.row.id for found in workspace.rows}
    known |= {
        trigger.pattern.strip() for found in workspace.rows for trigger in found.row.triggers if trigger.kind == "mark"
    }
    for mark, names in workspace.marks.items():
        if mark not in known and _looks_like_id(mark):
            yield _without_row(workspace.root, mark, names)


def _without_row(root: str, mark: str, names: list[str]) -> Problem:
    message = f"`gatilho: {mark}` in {first_of(names, 1)} names no row"
    number, line = find_mark(bounded.read_quietly(f"{root}/{names[0]}"), mark)  # it may be gone since git searched it
    place = Place(names[0], number, line.find(mark) + 1 or 1)
    remedy = "correct the id, or remove the comment"
    return Problem(NO_ROW.code, NO_ROW.severity, place, message, remedy, line.rstrip("\r"), len(mark))


def _looks_like_id(mark: str) -> bool:
    """Return whether a word can only be meant as an id: a sentence may begin like a mark."""
    head, hyphen, rest = mark.partition("-")
    return bool(hyphen and head.isupper() and rest.isalnum())
