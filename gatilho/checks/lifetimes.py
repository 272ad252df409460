"""Rows that should say until when they hold, and rows whose date is over or never comes."""

from collections.abc import Iterator

from gatilho.ladder.decide import is_past
from gatilho.model import Problem, ProblemKind
from gatilho.workspace.workspace import Workspace

NO_END = ProblemKind("GT281", "warning", "a row of the kind `state` has no `expires`")
PAST = ProblemKind("GT282", "note", "a row is past its `expires` and is not delivered")
NEVER = ProblemKind("GT283", "warning", "a row expires before it is delivered")
KINDS = (NO_END, PAST, NEVER)
QUICK = True


def find_problems(workspace: Workspace) -> Iterator[Problem]:
    """Yield the rows in force whose time is not limited although they describe a state, or is over, or never comes."""
    for found in workspace.rows_in_force:
        row = found.row
        if row.expires and row.not_before > row.expires:
            message = (
                f"{row.id} expires on {row.expires} and is held back until {row.not_before}: it is never delivered"
            )
            remedy = "correct the date under `not before`, or the one under `expires`"
            yield workspace.problem(NEVER, found, "not before", message, remedy)
        elif is_past(row, workspace.today):
            message = f"{row.id} is past its date, {row.expires}: it is not delivered"
            remedy = "give it a later date if it still holds; else write `expired` in its state"
            yield workspace.problem(PAST, found, "expires", message, remedy)
        elif row.kind == "state" and not row.expires:
            message = (
                f"{row.id} describes a state and has no `expires`: it goes on being delivered when that has changed"
            )
            remedy = "write the day after which it no longer holds in the column `expires`, as in 2026-12-24"
            yield workspace.problem(NO_END, found, "expires", message, remedy)
