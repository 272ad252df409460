"""Examples of rows that are not true, and spans of their column that are no examples."""

from collections.abc import Iterator

from gatilho.checks.trigger_checks import followed_triggers
from gatilho.document.examples import FORMS, Example
from gatilho.index.index import IndexedRow
from gatilho.model import Problem, ProblemKind, Respelling, Trigger
from gatilho.workspace.row_examples import examples_of, is_true, renamed_example
from gatilho.workspace.workspace import Workspace

UNTRUE = ProblemKind("GT227", "warning", "an example of a row is not true")
NO_EXAMPLE = ProblemKind("GT228", "warning", "an example cannot be understood")
KINDS = (UNTRUE, NO_EXAMPLE)
BY_ROW = True


def find_problems(workspace: Workspace) -> Iterator[Problem]:
    """Yield what is wrong with the examples of rows in force."""
    for found in workspace.rows_in_force:
        examples, others = examples_of(workspace.sources, found)
        for span in others:
            message = f"`{span}` is no example"
            yield workspace.problem(NO_EXAMPLE, found, "examples", message, f"write {FORMS}, each in a code span", span)
        followed = followed_triggers(workspace, found) if examples else ()
        for example in examples:
            yield from _untrue(workspace, found, example, followed)


def _untrue(
    workspace: Workspace, found: IndexedRow, example: Example, followed: tuple[Trigger, ...]
) -> Iterator[Problem]:
    """Yield a problem where an example is not true, or would not be once the row's triggers follow renamed files."""
    triggers = found.row.triggers
    holds_now = is_true(example, triggers, workspace)
    if holds_now and (followed == triggers or is_true(example, followed, workspace)):
        return
    renamed = renamed_example(example, workspace.renames, workspace.reach.known, found.row.subtree)
    if renamed is not None and is_true(renamed, followed, workspace):
        message = f"the example `{example.span}` names a file that was renamed to {renamed.text}"
        problem = workspace.problem(UNTRUE, found, "examples", message, f"write `{renamed.span}`", example.span)
        yield problem.replace(respelling=Respelling("examples", example.text, (renamed.text,)))
    elif not holds_now:
        does = "none of its triggers matches" if example.speaks else "one of its triggers matches"
        message = f"the example `{example.span}` is not true of {found.row.id}: {does}"
        yield workspace.problem(UNTRUE, found, "examples", message, "correct the trigger or the example", example.span)
