"""The briefing at a session's start: what is in force, what is due, what is wrong, within one budget."""

from gatilho.dates import days_before
from gatilho.git import state as git_state
from gatilho.index import competing
from gatilho.ladder import messages, payments
from gatilho.ladder.decide import Match, contradictions, in_order, is_due, may_speak
from gatilho.ladder.event_context import MOST_CHARACTERS, EventContext
from gatilho.ladder.matching import Subject, find_matches, path_subjects, start_subjects
from gatilho.model import Touch, Value
from gatilho.plain import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.git.root import Repository

# Days for which a decision is new.
NEW_DECISIONS = 30
# Kinds that are said where the branch works.
_OF_THE_AREA = ("convention", "pitfall")
_ROOM_FOR_REST = 60
_RUNS = "The hooks run; a note is shown when its files are touched."
# Hardly a line about a row is shorter: rows that cannot fit are counted and not read (characters).
_SHORTEST_LINE = 45
# Lines about due debts for the person.
_MOST_DUE = 5
# What a branch may have left, the first that there is.
_DEFAULT_BRANCHES = ("refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master")
# Seconds for each question to git.
_PATIENCE = 5
_MOST_FILES = 500


class Briefing(Value):
    """What a session's start says.

    text: for the agent, "" when there is no row at all. said: the rows that are in it whole. due: the first of the due
    debts, for the person; due_count: how many there are.
    """

    text: str = ""
    said: tuple[Match, ...] = ()
    due: tuple[Match, ...] = ()
    due_count: int = 0


class _Section(Value):
    """The rows under one heading in their order, as far as they can fit, and how many more there are."""

    title: str
    matches: list[Match]
    more: int = 0


def compose(context: EventContext, restarted: bool) -> Briefing:
    """Return the briefing; debts that turn out to be paid are recorded and not said.

    restarted: only what is said again after a compaction (due debts, `start` rows, directives), without the counts.
    """
    context.index.leave_out_others(context.nested)
    rules, debts = context.index.count_in_force(context.today)
    elsewhere = _elsewhere(context.index.count_left_out(context.today))
    if not rules + debts:
        return Briefing(f"Notes kept in docs/gatilhos: no rows in force. {elsewhere}{_RUNS}" if elsewhere else "")
    paid = _Paid(context)
    due, due_count = _due(context)
    for_person = _owed_still(due, paid, _MOST_DUE)
    told = _Told(context, paid, len(_headline(rules, debts, due_count, elsewhere)))
    told.add(_Section("Contradictions (same key, different notes):", _contradicting(context)))
    told.add(_Section("Due debts, asked about before the next write:", due, due_count - len(due)))
    told.add(_at_start(context, told.most))
    if not restarted:
        told.add(_Section("Paid, but owed again:", _regressed(context)))
        told.add(_Section("In the area of this branch:", _in_the_area(context) if told.most else []))
        told.add(_of_kind(context, "state", told.most, "States:"))
        since = days_before(NEW_DECISIONS, context.clock)
        told.add(_of_kind(context, "decision", told.most, "Recent decisions:", since))
    counted = due_count - sum(paid.knows(match) for match in due)
    return Briefing(
        told.text(_headline(rules, debts - paid.count, counted, elsewhere)),
        tuple(told.said.values()),
        tuple(for_person),
        counted,
    )


class _Paid:
    """Which debts are paid by the files as they are: each is looked at once, and its payment recorded."""

    def __init__(self, context: EventContext) -> None:
        self._context = context
        self._known: dict[tuple[str, str], bool] = {}

    @property
    def count(self) -> int:
        return sum(self._known.values())

    def knows(self, match: Match) -> bool:
        """Return whether the debt was seen to be paid."""
        return self._known.get(match.key, False)

    def sees(self, match: Match) -> bool:
        """Return whether the row is a debt that is paid, and record it."""
        if not (match.row.owed and match.row.conditions):
            return False
        if match.key not in self._known:
            self._known[match.key] = not payments.is_owed_still(self._context, match)
        return self._known[match.key]


def _owed_still(matches: list[Match], paid: _Paid, most: int) -> list[Match]:
    found: list[Match] = []
    for match in matches:
        if len(found) == most:
            break
        if not paid.sees(match):
            found.append(match)
    return found


def _due(context: EventContext) -> tuple[list[Match], int]:
    """Return the first of the due debts, the most ridden first, and how many there are."""
    ask_after, today = context.config.ask_after, context.today
    first = competing.first_due(context.index, ask_after, today, context.config.kinds, _most(_room(context)))
    waived = map(context.match, competing.waived_with_rides(context.index, ask_after, today))
    over = [match for match in waived if is_due(match, context.config, today)]
    due = in_order([*map(context.match, first.rows), *over], context.config, today)
    return due, first.count + len(over)


def _at_start(context: EventContext, most: int) -> _Section:
    directives = _of_kind(context, "directive", most)
    speaking = _speaking(context, start_subjects(context.folders))
    return _Section("At every start:", speaking + directives.matches, directives.more)


def _speaking(context: EventContext, subjects: list[Subject]) -> list[Match]:
    """Return the rows that one of the subjects makes speak today, with all of their rides, which lines show."""
    found = find_matches(context.index, subjects, context.budget)
    return [context.with_waiting(match) for match in found if may_speak(match.row, context.today)]


def _of_kind(context: EventContext, kind: str, most: int, title: str = "", since: str = "") -> _Section:
    first = competing.first_of_kind(context.index, kind, context.today, most, since)
    return _Section(title, [context.match(found) for found in first.rows], first.count - len(first.rows))


def _contradicting(context: EventContext) -> list[Match]:
    found = [context.match(one) for one in competing.rows_that_contradict(context.index, context.today)]
    return [match for group in contradictions(found) for match in group]


def _elsewhere(counts: "dict[str, int]") -> str:
    """Say how many rows are kept about other folders of a monorepo, as far as the index knows their stores."""
    if not counts:
        return ""
    about = next(iter(counts)) if len(counts) == 1 else counted(len(counts), "other folder")
    return f"{counted(sum(counts.values()), 'more row')} about {about}. "


def _headline(rules: int, debts: int, due: int, elsewhere: str) -> str:
    due_words = f", {due} of them due" if due else ""
    kinds = [counted(count, word) for count, word in ((rules, "rule"), (debts, "debt")) if count]
    return (
        f"Notes kept in docs/gatilhos: {counted(rules + debts, 'row')} in force ({', '.join(kinds)}{due_words}). "
        f"{elsewhere}{_RUNS}"
    )


def _room(context: EventContext) -> int:
    return min(context.config.briefing or 2000, MOST_CHARACTERS)


def _most(room: int) -> int:
    """Return how many rows may fit into that many characters."""
    return max(room - _ROOM_FOR_REST, 0) // _SHORTEST_LINE


class _Told:
    """The lines after the headline, whole rows within the budget, each row once."""

    def __init__(self, context: EventContext, paid: _Paid, headline: int) -> None:
        self._context = context
        self._paid = paid
        self._left = _room(context) - headline
        self._lines: list[str] = []
        self._cut: set[tuple[str, str]] = set()
        self._more = 0
        self.said: dict[tuple[str, str], Match] = {}

    @property
    def most(self) -> int:
        """Return how many more rows may fit."""
        return _most(self._left)

    def add(self, section: _Section) -> None:
        """Add the rows of a section that fit and are not paid; the rest is counted."""
        shown, self._more = 0, self._more + section.more
        fresh = {match.key: match for match in section.matches if match.key not in self.said}
        for equal in messages.equal_notes(in_order(list(fresh.values()), self._context.config, self._context.today)):
            group = [match for match in equal if not self._paid.knows(match)]
            if group and self._fits(_needed(group, section, shown)):  # only what fits is looked at
                group = [match for match in group if not self._paid.sees(match)]
            needed = _needed(group, section, shown) if group else 0
            if not self._fits(needed):
                self._cut.update(match.key for match in group)
            elif group:
                self._lines += ([] if shown else [section.title]) + [messages.note_line(group, {})]
                self._left -= needed
                shown += 1
                self.said.update((match.key, match) for match in group)

    def _fits(self, needed: int) -> bool:
        return needed <= self._left - _ROOM_FOR_REST

    def text(self, headline: str) -> str:
        """Return all of it, with the number of rows that were left out."""
        left = self._more + len(self._cut - set(self.said))
        return "\n".join([headline, *self._lines, *([f"({left} more: gatilho list)"] if left else [])])


def _needed(group: list[Match], section: _Section, shown: int) -> int:
    """Return the characters that a line takes, with the heading before the first one."""
    return len(messages.note_line(group, {})) + 1 + (0 if shown else len(section.title) + 1)


def _regressed(context: EventContext) -> list[Match]:
    """Return the debts that are owed because a payment of theirs did not last."""
    found = [context.match_of(key) for key in context.index.rows_with_event("regressed", "")]
    return [
        match
        for match in found
        if match is not None
        and match.row.owed
        and match.row.subtree in ("", *context.nested)
        and may_speak(match.row, context.today)
        and context.index.tally(match.row).state_event == "regressed"
    ]


def _in_the_area(context: EventContext) -> list[Match]:
    """Return conventions and pitfalls whose triggers match a file that this branch or the working tree changed."""
    if not competing.has_kinds(context.index, *_OF_THE_AREA):
        return []
    root = context.repository.root
    touches = [Touch("write", f"{root}/{name}") for name in changed_files(context.repository)]
    return [match for match in _speaking(context, path_subjects(touches, root)) if match.row.kind in _OF_THE_AREA]


def changed_files(repository: "Repository") -> list[str]:
    """Return the files that are new or changed in the working tree, or on this branch since it left the default one.

    500. Where HEAD is what the default branch is, git is not asked about the branch: each question is a process.
    """
    from gatilho.git import query

    status = ("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all")
    changed = query.ask_names_of_tree(repository.root, *status, seconds=_PATIENCE) or []
    names = [line[3:] for line in changed]
    base = _left_behind(repository)
    if base:
        listing = ("diff", "--name-only", "-z", f"{base}...HEAD")
        names += query.ask_names(repository.root, *listing, seconds=_PATIENCE) or []
    return sorted(set(names))[:_MOST_FILES]


def _left_behind(repository: "Repository") -> str:
    """Return the default branch, where HEAD is another commit than it, else ""."""
    head = git_state.head_commit(repository)
    for name in _DEFAULT_BRANCHES if head else ():
        commit = git_state.commit_of(repository, name)
        if commit:
            return name if commit != head else ""
    return ""
