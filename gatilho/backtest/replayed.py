"""The past of rows: their courses, all from one pass over the commits, and what is said of each."""

from gatilho.backtest.course import Course, course_of
from gatilho.backtest.past_tree import PastTree
from gatilho.backtest.verdicts import Verdicts, verdicts_of
from gatilho.conditions.file_conditions import together
from gatilho.git import query
from gatilho.git.root import Repository
from gatilho.model import Row, Value
from gatilho.plain import counted
from gatilho.triggers.budget import Budget
from gatilho.verbs import Outcome, verb_of
from gatilho.workspace.past import Past

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# What leaves a trace in a commit.
WRITTEN_KINDS = ("path", "glob", "write")
# Seconds for the searches of all conditions.
_CONDITION_SECONDS = 60.0
_SHORT = 7


class Figures(Value):
    """What a page shows of one row: numbers of commits, and commits by their ids ("" for none).

    paid: (commit, the commit that broke it or "") of each payment.
    """

    id: str
    commits: int
    spoke: int
    asked: int
    asked_since: str
    rides: int
    paid: tuple[tuple[str, str], ...]
    files: int


def courses_of(
    repository: Repository, past: Past, rows: "Sequence[Row]", ask_after: int,
    tick: "Callable[[int], None]" = lambda number: None,
) -> list[Course]:  # fmt: skip
    """Return the course of each row through the commits of the past. tick: called with the number of each commit."""
    wanted = dict.fromkeys(one for row in rows for one in row.conditions if not verb_of(one).runs_command)
    verdicts: Verdicts = {}
    if wanted:
        objects = query.Objects(repository.root, _environment())
        try:
            tree = PastTree(repository, past, objects.read)
            verdicts = verdicts_of(wanted, past, tree, Budget(_CONDITION_SECONDS), tick)
        finally:
            objects.close()
    return [_course(past, row, verdicts, ask_after) for row in rows]


def _environment() -> dict[str, str]:
    import os

    return dict(os.environ)


def _course(past: Past, row: Row, verdicts: Verdicts, ask_after: int) -> Course:
    names = {name for one in row.triggers if one.kind in WRITTEN_KINDS for name in past.reach.matches(one)}
    unseen = [str(one) for one in row.triggers if one.kind not in WRITTEN_KINDS]
    unseen += [one.text for one in row.conditions if verb_of(one).runs_command]
    after = ask_after if row.ask_after is None else row.ask_after
    files = len(names & past.now.keys())
    return course_of(row, past.commits_that_wrote(names), _outcomes(row, verdicts), after, files, tuple(unseen))


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

    return Figures(
        course.row.id, len(past.commits), len(course.spoke), len(course.asked),
        commit(course.asked[0]) if course.asked else "", course.rides,
        tuple((commit(one.at), commit(one.until)) for one in course.payments), course.files,
    )  # fmt: skip


def past_in_words(course: Course, past: Past) -> str:
    """Say a course on one line, such as "spoke on 37 of the last 500 commits; asked since 3f2a91c; never paid"."""
    figures = figures_of(course, past)
    commits = counted(figures.commits, "commit")
    of = f"the {commits} since {past.since}" if past.since else f"the last {commits}"
    parts = [f"spoke on {figures.spoke} of {of}"]
    if course.row.is_debt:
        parts.append(f"asked since {figures.asked_since[:_SHORT]}" if figures.asked else "never asked")
        parts.append(_paid_in_words(course, figures, past))
    return "; ".join(part for part in parts if part)


def _paid_in_words(course: Course, figures: Figures, past: Past) -> str:
    if not course.row.conditions:
        return "a person declares it paid"
    if course.outcome is None:
        return ""  # it waits for a command
    if not figures.paid:
        return "its condition held from the start" if course.held_before else "never paid"
    at, until = figures.paid[-1]
    times = f"paid {len(figures.paid)} times, last" if len(figures.paid) > 1 else "paid"
    last = course.payments[-1]
    if last.until is None:
        return f"{times} in {at[:_SHORT]}, which lasts"
    lasted = last.until - last.at
    return f"{times} in {at[:_SHORT]} for {counted(lasted, 'commit')}, until {until[:_SHORT]}"
