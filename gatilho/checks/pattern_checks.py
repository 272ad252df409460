"""Patterns of triggers and conditions: what the engine refuses, what says nothing, and what is hardly meant."""

from collections.abc import Iterator
from functools import cache

from gatilho.document.condition_grammar import is_glob
from gatilho.errors import DocumentError
from gatilho.index.index import IndexedRow
from gatilho.model import Condition, Problem, ProblemKind, Trigger
from gatilho.triggers import glob_sets, literals, paths, patterns, suspicions
from gatilho.triggers.globs import glob_to_regex
from gatilho.verbs import verb_of
from gatilho.workspace.workspace import Workspace

INVALID = ProblemKind("GT211", "error", "a pattern is invalid")
EMPTY = ProblemKind("GT212", "warning", "the pattern of a trigger matches the empty text, so it matches everything")
SLOW = ProblemKind("GT213", "warning", "a pattern may backtrack without end")
LIKE_A_GLOB = ProblemKind("GT214", "warning", "a regular expression looks like a glob")
BACKSLASH = ProblemKind("GT215", "warning", "a pattern for paths requires a backslash, which no path has")
NO_GLOB = ProblemKind("GT216", "error", "invalid glob")
EMPTY_CONDITION = ProblemKind("GT217", "error", "the pattern of a condition matches the empty text")
KINDS = (INVALID, EMPTY, SLOW, LIKE_A_GLOB, BACKSLASH, NO_GLOB, EMPTY_CONDITION)
BY_ROW = True

# Only a repeated group, or one that calls groups, takes exponential time; probing for it takes milliseconds a pattern.
_OF_PATHS = ("path", "write", "read")


def find_problems(workspace: Workspace) -> Iterator[Problem]:
    """Yield what is wrong with the patterns of rows in force."""
    for found in workspace.rows_in_force:
        for trigger in found.row.triggers:
            if trigger.kind == "glob":
                yield from _of_glob(workspace, found, trigger)
            elif trigger.kind not in ("start", "mark"):
                yield from _of_trigger(workspace, found, trigger)
        for column, conditions in found.row.conditions_by_column.items():
            for condition in conditions:
                if verb_of(condition).takes_path:
                    yield from _of_path(workspace, found, column, condition)
                if verb_of(condition).takes_regex:
                    yield from _of_condition(workspace, found, column, condition.pattern)


def _of_glob(workspace: Workspace, found: IndexedRow, trigger: Trigger) -> Iterator[Problem]:
    try:
        glob_to_regex(paths.normalise(trigger.pattern))
    except DocumentError as error:
        message, remedy = f"{error}: the row does not speak through it", "correct it, as in `glob: src/**/*.py`"
        yield workspace.problem(NO_GLOB, found, "trigger", message, remedy, trigger.pattern)


def _of_trigger(workspace: Workspace, found: IndexedRow, trigger: Trigger) -> Iterator[Problem]:
    pattern = trigger.pattern
    glob = _like_a_glob(pattern) if trigger.kind in _OF_PATHS else ""
    refused = _refused(pattern)
    if refused:
        yield _invalid(workspace, found, "trigger", pattern, refused, glob)
        return
    if glob:
        message = f"`{pattern}` looks like a glob, and a regular expression is expected: {glob}"
        yield workspace.problem(LIKE_A_GLOB, found, "trigger", message, _as_glob(pattern), pattern)
    elif (said := _matches_everything("trigger", pattern))[0]:
        yield workspace.problem(EMPTY, found, "trigger", *said, pattern)
    if trigger.kind in _OF_PATHS and _wants_backslash(pattern):
        message = f"`{pattern}` requires a backslash, but paths always use /"
        yield workspace.problem(BACKSLASH, found, "trigger", message, "write / instead, or [/\\\\] for either", pattern)
    yield from _slow(workspace, found, "trigger", pattern)


def _of_path(workspace: Workspace, found: IndexedRow, column: str, condition: Condition) -> Iterator[Problem]:
    """Find a glob that `glob:` would refuse for its sets; a bracket in the name of a file is not a glob."""
    problem = glob_sets.problem_in_sets(condition.argument) if is_glob(condition.argument) else ""
    if problem and workspace.tree.locate(condition.argument).is_missing:
        message, remedy = f"{problem}: no file matches it", "correct it, as in `src/[[:alpha:]]*.py`"
        yield workspace.problem(NO_GLOB, found, column, message, remedy, condition.text)


def _of_condition(workspace: Workspace, found: IndexedRow, column: str, pattern: str) -> Iterator[Problem]:
    refused = _refused(pattern)
    if refused:
        yield _invalid(workspace, found, column, pattern, refused, "")
    elif (said := _matches_everything(column, pattern))[0]:
        yield workspace.problem(EMPTY_CONDITION, found, column, *said, pattern)
    else:
        yield from _slow(workspace, found, column, pattern)


def _invalid(
    workspace: Workspace, found: IndexedRow, column: str, pattern: str, refused: tuple[str, int], glob: str
) -> Problem:
    message, at = refused
    text, remedy = patterns.refusal(column, pattern, message)
    remedy = _as_glob(pattern) if glob else remedy
    return workspace.problem(INVALID, found, column, text, remedy, pattern, min(at - 1, max(len(pattern) - 1, 0)))


def _slow(workspace: Workspace, found: IndexedRow, column: str, pattern: str) -> Iterator[Problem]:
    how = _runs_away(pattern) or (pattern in workspace.budget.timed_out and "a search of a file here was stopped")
    if how:
        yield workspace.problem(SLOW, found, column, *suspicions.slow_words(pattern, how), pattern)


def _as_glob(pattern: str) -> str:
    return f"write `glob: {pattern}`, or a regular expression: `.` is any character, `.*` any number of them"


# Many rows share a pattern, and each of these questions runs the engine.


@cache
def _refused(pattern: str) -> tuple[str, int] | None:
    if literals.analyse(pattern).plain:
        return None
    return patterns.compile_problem(paths.normalise(pattern))


_matches_everything = cache(suspicions.matches_everything)
_like_a_glob = cache(suspicions.looks_like_glob)
_wants_backslash = cache(suspicions.backslash_separator)
_runs_away = cache(suspicions.runs_away)
