"""The past of rows: their courses, all from one pass over the commits, and what is said of each."""

import os
from collections.abc import Callable, Sequence

from gatilho.backtest.course import Course, course_of
from gatilho.backtest.past_tree import PastTree
from gatilho.backtest.verdicts import Verdicts, verdicts_of
from gatilho.conditions.file_conditions import together
from gatilho.git import query
from gatilho.git.root import Repository
from gatilho.index.marks import marks_in
from gatilho.model import Row, Value
from gatilho.plain import counted
from gatilho.triggers.budget import Budget
from gatilho.verbs import Outcome, verb_of
from gatilho.workspace.past import Past

# How many commits are looked at where it is not said.
COMMITS = 500
# What leaves a trace in a commit.
WRITTEN_KINDS = ("path", "glob", "write")
# Seconds for the searches of all conditions.
_CONDITION_SECONDS = 60.0
_SHORT = 7


class Figures(Value):
    """What a page shows of one row: numbers of commits, and commits by their ids ("" for none).

    commits: of how many. paid: (commit, the commit that broke it or "") of each payment. further: what is said besides
    how often it spoke.
    """

    commits: int
    spoke: int
    asked: int
    asked_since: str
    rides: int
    paid: tuple[tuple[str, str], ...]
    further: str

    def in_words(self, since: str = "") -> str:
        """Say it on one line, such as "spoke on 37 of the last 500 commits; asked since 3f2a91c; never paid".

        since: the revision after which these commits are, "" where they are the last ones.
        """
        commits = counted(self.commits, "commit")
        of = f"the {commits} since {since}" if since else f"the last {commits}"
        return "; ".join(part for part in (f"spoke on {self.spoke} of {of}", self.further) if part)


def courses_of(
    repository: Repository, past: Past, rows: Sequence[Row], ask_after: int,
    tick: Callable[[int], None] = lambda number: None,
) -> list[Course]:  # fmt: skip
    """Return the course of each row through the commits of the past. tick: called with the number of each commit."""
    wanted = dict.fromkeys(one for row in rows for one in row.conditions if not verb_of(one).runs_command)
    marks = {mark for row in rows for mark in _marks_of(row)}
    verdicts: Verdicts = {}
    marked = _Marked({}, {})
    if wanted or marks:
        objects = query.Objects(repository.root, dict(os.environ))
        try:
            if marks:
                marked = _Marked(past.commits_that_wrote_marks(marks, objects.read), marks_in(repository.root))
            tree = PastTree(repository, past, objects.read)
            verdicts = verdicts_of(wanted, past, tree, Budget(_CONDITION_SECONDS), tick)
        finally:
            objects.close()
    return [_course(past, row, verdicts, marked, ask_after) for row in rows]


class _Marked(Value):
    """The commits that wrote a file with each mark, by number, and the files that hold it today."""

    commits: dict[str, set[int]]
    files: dict[str, list[str]]


def _marks_of(row: Row) -> list[str]:
    return [one.pattern.strip() for one in row.triggers if one.kind == "mark"]


def _course(past: Past, row: Row, verdicts: Verdicts, marked: _Marked, ask_after: int) -> Course:
    names = {name for one in row.triggers if one.kind in WRITTEN_KINDS for name in past.reach.matches(one)}
    unseen = [str(one) for one in row.triggers if one.kind not in (*WRITTEN_KINDS, "mark")]
    unseen += [one.text for one in row.conditions if verb_of(one).runs_command]
    written = set(past.commits_that_wrote(names))
    for mark in _marks_of(row):
        written |= marked.commits.get(mark, set())
        names = names.union(marked.files.get(mark, ()))
    files = len(names & past.now.keys())
    outcomes = _outcomes(row, verdicts)
    return course_of(row, sorted(written), outcomes, row.asked_from(ask_after), files, tuple(unseen))


def _outcomes(row: Row, verdicts: Verdicts) -> dict[int, Outcome]:
    """Return what all conditions of a row come to together, by the commits after which one of them may have changed."""
    if any(one not in verdicts for one in row.conditions):
        return {}  # one of them runs a command
    latest: dict[object, Outcome] = {}
    found: dict[int, Outcome] = {}
    for number in sorted({number for one in row.conditions for number in verdicts[one]}):
        latest.update({one: verdicts[one][number] for one in row.conditions if number in verdicts[one]})
        found[number] = together(list(latest.values()))
    return found


def figures_of(course: Course, past: Past) -> Figures:
    """Return the course of a row as numbers and ids of commits."""

    def commit(number: int | None) -> str:
        return "" if number is None else past.commits[number].id

    since = commit(course.asked[0]) if course.asked else ""
    paid = tuple((commit(one.at), commit(one.until)) for one in course.payments)
    further = [f"asked since {since[:_SHORT]}" if since else "never asked", _paid_in_words(course, paid)]
    return Figures(
        len(past.commits), len(course.spoke), len(course.asked), since, course.rides, paid,
        "; ".join(part for part in further if part) if course.row.is_debt else "",
    )  # fmt: skip


def past_in_words(course: Course, past: Past) -> str:
    """Say a course on one line."""
    return figures_of(course, past).in_words(past.since)


def _paid_in_words(course: Course, paid: tuple[tuple[str, str], ...]) -> str:
    if not course.row.conditions:
        return "a person declares it paid"
    if course.outcome is None:
        return ""  # it waits for a command
    if not paid:
        return "its condition held from the start" if course.held_before else "never paid"
    at, until = paid[-1]
    times = f"paid {len(paid)} times, last" if len(paid) > 1 else "paid"
    last = course.payments[-1]
    if last.until is None:
        return f"{times} in {at[:_SHORT]}, which lasts"
    lasted = last.until - last.at
    return f"{times} in {at[:_SHORT]} for {counted(lasted, 'commit')}, until {until[:_SHORT]}"
