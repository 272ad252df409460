"""Conditions whose outcome is already known: they hold from the start, or look at files that are not there."""

from collections.abc import Iterator

from gatilho.checks.scope import Kind, Scope
from gatilho.conditions.files import Outcome, evaluate, evaluate_all
from gatilho.model import Problem
from gatilho.store.index import IndexedRow

HOLDS_ALREADY = Kind("GT231", "error", "the conditions of a new debt hold already")
GONE = Kind("GT232", "warning", "the file that a debt waits to be rid of something is gone")
NO_FILE = Kind("GT233", "note", "a condition matches no file")
COMMAND = Kind("GT234", "note", "a condition names a command, and commands are not run")
KINDS = (HOLDS_ALREADY, GONE, NO_FILE, COMMAND)


def find_problems(scope: Scope) -> Iterator[Problem]:
    """What the conditions of owed debts come to in the files as they are; other stores have no files of their own."""
    for found in scope.own_rows:
        if found.row.owed and found.row.conditions:
            yield from _of_debt(scope, found)


def _of_debt(scope: Scope, found: IndexedRow) -> Iterator[Problem]:
    row = found.row
    outcome = evaluate_all(row.conditions, scope.tree, scope.budget)
    if outcome.holds and scope.is_new(found) and not scope.was_seen_failing(found):
        message = f"{row.id} is new, and what would pay it holds already ({outcome.evidence}): it is not paid by that"
        remedy = "strike its id if it is paid, or correct its condition so that it fails until the debt is paid"
        yield scope.problem(HOLDS_ALREADY, found, "paid when", message, remedy)
    for condition in row.conditions:
        if condition.kind == "passes":
            message = f"`{condition.text}` names a command, and commands are not run: only a person can pay {row.id}"
            remedy = "name what the files show when it is paid, or strike the id when it is"
            yield scope.problem(COMMAND, found, "paid when", message, remedy, condition.text)
        else:
            single = evaluate(condition, scope.tree, scope.budget)
            if single.gone:
                yield _gone(scope, found, condition.kind, condition.text, single)


def _gone(scope: Scope, found: IndexedRow, kind: str, text: str, outcome: Outcome) -> Problem:
    """A vanished file is no payment where something was to leave it; where something is to come, it may yet come."""
    if kind == "lacks":
        message = f"anchor gone: {outcome.reason}. That pays nothing, and a person has to settle {found.row.id}"
        remedy = f"pay it (`gatilho pay {found.row.id} --why TEXT`), or name the file where the code went"
        return scope.problem(GONE, found, "paid when", message, remedy, text)
    message = f"`{text}` matches no file yet: {outcome.reason}"
    return scope.problem(NO_FILE, found, "paid when", message, "correct the path if that is not meant", text)
