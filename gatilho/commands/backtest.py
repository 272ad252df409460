"""`gatilho backtest` (Reviewing): show what rows would have done in the last commits."""

import argparse
import sys
from typing import Any

from gatilho import render
from gatilho.backtest.course import Course
from gatilho.backtest.replayed import COMMITS, courses_of, past_in_words
from gatilho.compare.history import bars
from gatilho.compare.revisions import Revisions
from gatilho.console import command_options, lookup
from gatilho.console.row_view import Page
from gatilho.dates import utc_day
from gatilho.document.cells import read_trigger
from gatilho.document.condition_grammar import parse_conditions
from gatilho.errors import UsageError
from gatilho.index.index import Index, open_index
from gatilho.model import Row
from gatilho.plain import counted, first_of
from gatilho.workspace.past import Past, read_past
from gatilho.writing import form

_SHORT = 7
_NAMED = 5  # commits of one kind
_COLUMNS = 50
_UNWRITTEN = "(not written)"


def main(argv: list[str]) -> int:
    """Print the course of each row."""
    given = _parser().parse_args(argv)
    drafted = _drafted(given)
    with open_index(command_options.repository_of(given.root)) as index:
        rows = [drafted] if drafted else _rows(index, given.ids)
        with render.waiting("reading the last commits") as say:
            past = _past(index, given)
            total = len(past.commits)
            courses = courses_of(
                index.repository, past, rows, index.config.ask_after,
                lambda number: say(f"commit {number + 1:,} of {total:,}"),
            )  # fmt: skip
        if given.json:
            render.print_json(_as_json(past, courses))
        else:
            _print(past, courses, in_full=bool(drafted or given.ids))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = command_options.parser(
        "backtest",
        "Show what rows would have done in the last commits, had they been in their tables: when they would have\n"
        "spoken and been asked about, when their conditions would have paid them and for how long. A merge counts\n"
        "as one commit. Without an ID: all rows that are in force. Reads git's objects, runs no command.",
        "gatilho backtest D-7f3k",
        "gatilho backtest --trigger 'glob: src/**/*.py' --paid-when 'missing src/legacy.py' --commits 1000",
    )
    parser.add_argument("ids", nargs="*", metavar="ID", help="a row; also one that ended")
    parser.add_argument("--trigger", metavar="TRIGGER", action="append", default=[],
                        help="of a row that is not written yet; repeatable")  # fmt: skip
    parser.add_argument("--paid-when", metavar="CONDITION", action="append", default=[],
                        help="what would pay that row; repeatable, all must hold")  # fmt: skip
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--commits", metavar="N", type=command_options.number_of("commits", 1_000_000), default=COMMITS,
                       help=f"how many commits (default: {COMMITS})")  # fmt: skip
    limit.add_argument("--since", metavar="REV", default="", help="all commits that this revision does not have")
    command_options.add_json(parser)
    return parser


def _drafted(given: argparse.Namespace) -> Row | None:
    """Return the row of the options, None where there is none; raises UsageError for what cannot be read."""
    if not given.trigger:
        if given.paid_when:
            raise UsageError("--paid-when belongs to a row that is not written yet: give its --trigger as well.")
        return None
    if given.ids:
        raise UsageError("name rows or give the --trigger of a new one, not both.")
    faults = [f"--trigger {text}: {fault}" for text in given.trigger if (fault := form.trigger_fault(text))]
    conditions, messages = parse_conditions(given.paid_when)
    if faults or messages:
        raise UsageError("; ".join([*faults, *(f"--paid-when {message}" for message in messages)]) + ".")
    triggers = tuple(trigger for trigger, _ in map(read_trigger, given.trigger) if trigger is not None)
    return Row(_UNWRITTEN, "debt" if conditions else "rule", triggers, conditions=conditions)


def _rows(index: Index, ids: list[str]) -> list[Row]:
    """Return the rows with the ids, or all of the repository's own that are in force."""
    if ids:
        return [found.row for name in dict.fromkeys(ids) for found in lookup.rows_called(index, name)]
    return [found.row for found in index.rows() if found.row.in_force and not found.row.store]


def _past(index: Index, given: argparse.Namespace) -> Past:
    """Return the commits that are asked for; raises UsageError where there is none."""
    with Revisions(index.repository) as opened:
        if given.since:
            opened.side(given.since)  # which knows what was meant
        if not opened.find("HEAD"):
            raise UsageError("there is no commit yet, so there is no past to try rows on.")
        try:
            past = read_past(index.repository, 0 if given.since else given.commits, given.since)
        except OSError as error:
            late = "git cannot list the last commits within 2 minutes. Try fewer with --commits N."
            raise UsageError(opened.what_is_lacking(str(error)) or late) from error
        shallow = opened.boundaries()
    if not past.commits and shallow:
        raise UsageError("this clone is shallow: `git fetch --unshallow` brings the commits to try rows on.")
    if not past.commits:
        none = "the last commit changes too many files to be tried."
        raise UsageError(f"there is no commit since {given.since}." if given.since else none)
    return past


def _print(past: Past, courses: list[Course], in_full: bool) -> None:
    page = Page()
    page.title(f"{counted(len(past.commits), 'commit')}, {_commit(past, 0)} to {_commit(past, -1)}")
    if not courses:
        page.line("No row is in force.")
    for course in courses:
        page.gap()
        row = course.row
        place = f"  ({row.place})" if row.file else ""
        unjudged = all(str(one) in course.unseen for one in row.triggers)
        files = "" if unjudged else f", matches {counted(course.files, 'file')} today"
        page.title(f"{row.id}  {row.lifecycle}{files}{place}")
        page.line(row.note, 2)
        if not unjudged:
            page.line(past_in_words(course, past), 2)
        for line in _chart(course, past):
            page.line(line, 2)
        for line in _details(course, past) if in_full else ():
            page.line(line, 2)
        if course.unseen:
            page.line(f"Not in git's history, so not judged: {', '.join(f'`{one}`' for one in course.unseen)}", 2)


def _details(course: Course, past: Past) -> list[str]:
    lines = [_listed("Spoke in", course.spoke, past), _listed("Asked in", course.asked, past)]
    for payment in course.payments:
        until = "" if payment.until is None else f", until {_commit(past, payment.until)}"
        lines.append(f"Paid in {_commit(past, payment.at)}{until}")
    outcome = course.outcome
    if outcome is not None:
        said = f"holds ({outcome.evidence})" if outcome.holds else f"does not hold ({outcome.reason})"
        lines.append(f"After the last commit its condition {said}")
    return [line for line in lines if line]


def _listed(words: str, numbers: tuple[int, ...], past: Past) -> str:
    """Return the first commits of those numbers as a line, "" for none."""
    if not numbers:
        return ""
    return f"{words} {first_of([_commit(past, number) for number in numbers], _NAMED)}"


def _chart(course: Course, past: Past) -> list[str]:
    """Return the bars of the commits that it spoke in, oldest first; nothing where it never did."""
    if not course.spoke:
        return []
    width = -(-len(past.commits) // _COLUMNS)
    columns = [0] * -(-len(past.commits) // width)
    for number in course.spoke:
        columns[number // width] += 1
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    one = counted(width, "commit")
    return [f"{bars(columns, max(columns), encoding)}  one column is {one}"]


def _commit(past: Past, number: int) -> str:
    commit = past.commits[number]
    return f"{commit.id[:_SHORT]} ({utc_day(commit.when)})"


def _as_json(past: Past, courses: list[Course]) -> dict[str, Any]:
    return {
        "commits": len(past.commits),
        "first": _commit_as_json(past, 0),
        "last": _commit_as_json(past, len(past.commits) - 1),
        "rows": [_course_as_json(course, past) for course in courses],
    }


def _course_as_json(course: Course, past: Past) -> dict[str, Any]:
    def ids(numbers: tuple[int, ...]) -> list[str]:
        return [past.commits[number].id for number in numbers]

    return {
        "id": None if course.row.id == _UNWRITTEN else course.row.id,
        "lifecycle": course.row.lifecycle,
        "summary": past_in_words(course, past),
        "files": course.files,
        "written": ids(course.written),
        "spoke": ids(course.spoke),
        "asked": ids(course.asked),
        "rides": course.rides,
        "payments": [
            {
                "commit": past.commits[one.at].id,
                "until": None if one.until is None else past.commits[one.until].id,
                "commits": (len(past.commits) if one.until is None else one.until) - one.at,
            }
            for one in course.payments
        ],
        "held_before": course.held_before,
        "holds": None if course.outcome is None else course.outcome.holds,
        "not_judged": list(course.unseen),
    }


def _commit_as_json(past: Past, number: int) -> dict[str, Any]:
    commit = past.commits[number]
    return {"id": commit.id, "when": commit.when}
