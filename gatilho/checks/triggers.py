"""Triggers that can be read and yet do not do what a row of their kind is for."""

from collections.abc import Iterator

from gatilho.index.index import IndexedRow
from gatilho.index.signature import grams
from gatilho.model import Problem, ProblemKind, Trigger
from gatilho.triggers import literals, patterns, suspicions
from gatilho.triggers.globs import searched_pattern
from gatilho.workspace.reach import PATH_KINDS
from gatilho.workspace.workspace import Scope

NEVER_CHARGED = ProblemKind("GT221", "note", "a debt has no trigger that can be written, so it is never charged")
NO_FILE = ProblemKind("GT222", "note", "a trigger matches no tracked file")
NO_NEEDLE = ProblemKind("GT223", "note", "triggers promise no text, so they are looked at on every call")
KINDS = (NEVER_CHARGED, NO_FILE, NO_NEEDLE)

_WITHOUT_ANCHOR = ("prompt", "start")
_NAMED = 5


def find_problems(scope: Scope) -> Iterator[Problem]:
    """What the triggers of rows in force will never do."""
    for found in scope.rows_in_force:
        if found.row.is_debt and found.row.triggers and all(t.kind in _WITHOUT_ANCHOR for t in found.row.triggers):
            message = (
                f"{found.row.id} has only `prompt:` or `start` triggers: nothing is ever written, so it gets no ride"
            )
            remedy = "add a trigger for the files or the command that it is about, or make it a rule"
            yield scope.problem(NEVER_CHARGED, found, "trigger", message, remedy)
        yield from _without_file(scope, found)
    yield from _without_needle(scope)


def _without_file(scope: Scope, found: IndexedRow) -> Iterator[Problem]:
    """Triggers whose files are gone, of rows that are not new: a new row may be about a file yet to come."""
    if found.row.store or not scope.reach.names:
        return
    for trigger in found.row.triggers:
        if trigger.kind in PATH_KINDS and not scope.reach.matches(trigger, 1) and _can_match(trigger):
            if scope.is_new(found):
                return
            message = f"`{trigger}` matches no tracked file: {found.row.id} may have outlived what it is about"
            remedy = "correct the trigger, or say that the row is over: strike, supersede or revoke it"
            yield scope.problem(NO_FILE, found, "trigger", message, remedy, trigger.pattern)


def _can_match(trigger: Trigger) -> bool:
    """Whether the pattern is one at all and meant as one; what is not is told elsewhere."""
    pattern = searched_pattern(trigger)
    if pattern is None or patterns.compile_problem(pattern):
        return False
    return trigger.kind == "glob" or not suspicions.looks_like_glob(pattern)


def _without_needle(scope: Scope) -> Iterator[Problem]:
    """One note for all rows that cost every call some time; the first of them is its place."""
    slow = [(found, trigger) for found in scope.rows_in_force for trigger in found.row.triggers if _has_none(trigger)]
    if not slow:
        return
    ids = list(dict.fromkeys(found.row.id for found, _ in slow))
    named = ", ".join(ids[:_NAMED]) + (f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else "")
    subject = "1 row has a trigger that promises" if len(ids) == 1 else f"{len(ids)} rows have a trigger that promises"
    message = f"{subject} no three characters in a row, so it is looked at on every call: {named}"
    remedy = "spell out a part of the path or command where you can; there is nothing wrong with a few such rows"
    yield scope.problem(NO_NEEDLE, slow[0][0], "trigger", message, remedy, slow[0][1].pattern)


def _has_none(trigger: Trigger) -> bool:
    if trigger.kind in ("start", "prompt"):
        return False
    pattern = searched_pattern(trigger)
    if pattern is None or any(grams(piece) for piece in literals.analyse(pattern).pieces):
        return False
    return not patterns.compile_problem(pattern)
