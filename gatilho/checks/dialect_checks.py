"""Globs in another tool's dialect: braces, comma lists, quotes, a leading `./`, backslashes between folders."""

from collections.abc import Iterator

from gatilho.conditions.file_conditions import View
from gatilho.document.condition_grammar import is_glob
from gatilho.index.index import IndexedRow
from gatilho.model import Problem, ProblemKind, Respelling
from gatilho.triggers.dialects import Dialect, foreign_in
from gatilho.verbs import verb_of
from gatilho.workspace.workspace import Workspace

FOREIGN = ProblemKind("GT218", "warning", "a glob is in another tool's dialect")
KINDS = (FOREIGN,)
BY_ROW = True
# Of a longer list the spellings may be cut.
_MOST_SPANS = 7


def find_problems(workspace: Workspace) -> Iterator[Problem]:
    """Yield the globs of rows in force that mean something else elsewhere, unless they match a file as they are."""
    for found in workspace.rows_in_force:
        for trigger in found.row.triggers:
            foreign = foreign_in(trigger.pattern) if trigger.kind == "glob" else None
            if foreign is not None and not workspace.reach.matches(trigger, 1):
                yield _problem(workspace, found, "trigger", trigger.pattern, foreign, "glob: {}")
        for column, conditions in found.row.conditions_by_column.items():
            for condition in conditions:
                path = condition.argument if verb_of(condition).takes_path else ""
                foreign = foreign_in(path) if path and (is_glob(path) or "{" in path) else None
                if foreign is not None and not _finds_files(workspace, path):
                    yield _problem(workspace, found, column, path, foreign, "{}")


def _finds_files(workspace: Workspace, path: str) -> bool:
    """Return whether a condition finds something by a path or glob as it is: braces are alternatives there."""
    return any(not spot.is_missing for spot in View(workspace.tree, workspace.budget, {}).find(path).spots)


def _problem(workspace: Workspace, found: IndexedRow, column: str, glob: str, foreign: Dialect, form: str) -> Problem:
    message = f"`{glob}` is a glob of another tool: here {foreign.what}"
    spelled = " ".join(f"`{form.format(one)}`" for one in foreign.spellings)
    remedy = f"write {spelled}" if column == "trigger" else f"use one condition for each of {spelled}"
    if column != "trigger" and len(foreign.spellings) == 1:
        remedy = f"write {spelled}"
    problem = workspace.problem(FOREIGN, found, column, message, remedy, glob)
    # Several conditions have to hold together, while a list means any of them: a person has to say which.
    is_clear = 0 < len(foreign.spellings) <= (_MOST_SPANS if column == "trigger" else 1)
    return problem.replace(respelling=Respelling(column, glob, foreign.spellings)) if is_clear else problem
