"""The life of rows: what git's history and the ledger hold, joined into one course of events, and drawn."""

import calendar
import time
from collections.abc import Iterable, Iterator

from gatilho.compare.cell_facts import cell_facts, uncounted
from gatilho.compare.facts import PROSE, Quote, Words
from gatilho.compare.git_log import Commit, FileDiff
from gatilho.compare.life_facts import said, who
from gatilho.compare.table_lines import TableLines
from gatilho.dates import utc_day
from gatilho.ledger.lines import Entry, by_row, moment, tally_of
from gatilho.lifecycle.transitions import state_of
from gatilho.model import Row, Value
from gatilho.plain import counted

_STATE_EVENTS = {
    "paid": ("paid",), "owed": ("reinstated", "regressed"), "rule": ("reinstated", "regressed"), "waived": ("waived",),
    "superseded": ("superseded",), "revoked": ("revoked",), "expired": ("expired",), "struck": ("revoked",),
}  # fmt: skip
_UNTOLD = " (not in the ledger)"


class Happening(Value):
    """One event in the life of a row.

    when: seconds since 1970, 0 where unknown. kind: "written", "removed", "edited", "rides" or an event of the ledger.
    rides: how many it added. commit: the commit that brought it into git, None where none is known; entry: the
    ledger's, None where only git has it. at_least: older than git knows, because the clone is shallow. state: what the
    row became, where the ledger does not say it.
    """

    when: int
    row: str
    kind: str
    words: Words
    rides: int = 0
    commit: Commit | None = None
    entry: Entry | None = None
    at_least: bool = False
    state: str = ""


class LifeStep(Value):
    """What one commit did to one row: its versions before and after, None where there was none."""

    commit: Commit
    before: Row | None
    after: Row | None


class Chains:
    """Which names belong to one row, by the renames in a ledger."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._groups = by_row(entries)

    def of(self, name: str) -> str:
        """Return one name that stands for all that the row ever had."""
        group = self._groups.get(name)
        return group[0].id if group else name


def steps_of(
    log: Iterable[tuple[Commit, list[FileDiff]]], lines: TableLines, ids: frozenset[str] | None, chains: Chains
) -> Iterator[LifeStep]:
    """Yield what each commit of a log, newest first, did to the rows with those ids (None: all), oldest first."""
    for commit, diffs in reversed(list(log)):
        removed: list[Row] = []
        added: list[Row] = []
        for diff in diffs:
            old, new = lines.rows(diff, ids)
            removed += old
            added += new
        yield from _paired(commit, removed, added, chains)


def _paired(commit: Commit, removed: list[Row], added: list[Row], chains: Chains) -> Iterator[LifeStep]:
    kept = {row.id for row in added}
    for row in added:
        same = [old for old in removed if old.id == row.id]
        same = same or [old for old in removed if old.id not in kept and chains.of(old.id) == chains.of(row.id)]
        before = next((old for old in same if old.file == row.file), same[0] if same else None)
        if before is not None:
            # A merge took the place of one version for each of its parents.
            taken = same if len(commit.parents) > 1 else [before]
            removed = [old for old in removed if not any(old is one for one in taken)]
        yield LifeStep(commit, before, row)
    for row in removed:
        yield LifeStep(commit, row, None)


def history(
    steps: Iterable[LifeStep], entries: Iterable[Entry], boundaries: frozenset[str], chains: Chains
) -> list[Happening]:
    """Return the events, oldest first, from steps in that order.

    boundaries: commits after which a shallow clone has no history. A change in git that the ledger explains is shown
    once: as the ledger's event, with the commit that brought it.
    """
    ledger = _Ledger(entries, chains)
    found: list[Happening] = []
    for step in steps:
        found += _of_step(step, ledger, step.commit.id in boundaries)
    found += ledger.happenings()
    return sorted(found, key=lambda one: (one.when, one.entry is not None))


class _Ledger:
    """The ledger's entries, and which commit brought each, as far as its row's cells show it."""

    def __init__(self, entries: Iterable[Entry], chains: Chains) -> None:
        self.chains = chains
        self.entries = sorted(entries, key=lambda entry: moment(entry.when))
        self.commits: dict[int, Commit] = {}
        # What each row's cell came to, on whatever branch.
        self._reached: dict[str, int] = {}
        # The entries by row, event and count (None: any).
        self._known: dict[tuple[str, str, int | None], list[int]] = {}
        for number, entry in enumerate(self.entries):
            for rides in {entry.rides, None}:
                self._known.setdefault((chains.of(entry.id), entry.event, rides), []).append(number)

    def claim(self, row_id: str, events: tuple[str, ...], commit: Commit, rides: int | None = None) -> bool:
        """Return whether there is such an entry; one that no commit brought yet is brought by this one.

        It is the one that was recorded on top of a parent of the commit, else the first. A cherry-pick shows a change
        once more that has one entry only.
        """
        row = self.chains.of(row_id)
        fitting = [self._known[key] for event in events if (key := (row, event, rides)) in self._known]
        left = sorted(number for numbers in fitting for number in numbers if number not in self.commits)
        if left:
            on_top = (number for number in left if self.entries[number].commit in commit.parents)
            self.commits[next(on_top, left[0])] = commit
        return bool(fitting)

    def reach(self, row_id: str, old: int, new: int) -> int:
        """Return from where on rides are new, where a cell went from one count to another; what is below another branch
        came to as well, or a pick brought from there, and a merge counts it once.
        """
        row = self.chains.of(row_id)
        reached = self._reached.get(row, 0)
        self._reached[row] = min(new, reached) if new < old else max(new, reached)
        return max(old, min(new, reached))

    def known_rides(self, row_id: str, old: int, new: int) -> int:
        """Return how many of the counts above the old one, up to the new one, a charge has."""
        row = self.chains.of(row_id)
        counts = range(old + 1, min(new, old + len(self.entries)) + 1)
        return sum((row, "charged", count) in self._known for count in counts)

    def explains(self, row_id: str, count: int) -> bool:
        """Return whether charges alone come to that count; a count that a person raised is the base of a later one."""
        row = self.chains.of(row_id)
        own = [entry for entry in self.entries if self.chains.of(entry.id) == row]
        return tally_of(own).ledger_count >= count and not any(entry.base == count for entry in own)

    def claim_renames(self, old: str, new: str, commit: Commit) -> None:
        """Record that this commit brought the renames from one name to the other."""
        name = old
        for number, entry in enumerate(self.entries):
            if name != new and (entry.event, entry.id) == ("renamed", name) and number not in self.commits:
                self.commits[number] = commit
                name = entry.evidence

    def happenings(self) -> Iterator[Happening]:
        for number, entry in enumerate(self.entries):
            charged = entry.event == "charged"
            yield Happening(
                seconds(entry.when), entry.id, entry.event, _entry_words(entry), int(charged),
                self.commits.get(number), entry,
            )  # fmt: skip


def _entry_words(entry: Entry) -> Words:
    count = "?" if entry.rides is None else str(entry.rides)
    if entry.event == "charged":
        wrote: Words = (" wrote ", Quote(entry.evidence)) if entry.evidence else ()
        return (f"ride {count}: session ", Quote(entry.session or "unknown"), *wrote, *who(entry.replace(session="")))
    if entry.event == "set":
        return (f"rides set to {count}", *said(entry))
    if entry.event == "renamed":
        return ("renamed to ", Quote(entry.evidence), *who(entry))
    return (entry.event, *said(entry))


def _of_step(step: LifeStep, ledger: _Ledger, at_least: bool) -> Iterator[Happening]:
    commit, before, after = step.commit, step.before, step.after
    if after is None:
        assert before is not None
        ledger.reach(before.id, before.rides or 0, 0)
        yield Happening(commit.when, before.id, "removed", (f"removed, was {state_of(before)}",), commit=commit)
        return
    if before is None:
        ledger.reach(after.id, 0, after.rides or 0)
        _claim_rides(ledger, after, 0, after.rides or 0, commit)
        with_rides = f" with {counted(after.rides, 'ride')}" if after.rides else ""
        words: Words = (f"written{with_rides}: ", Quote(after.note, PROSE))
        yield Happening(commit.when, after.id, "written", words, commit=commit, at_least=at_least)
        return
    if before.id != after.id:
        ledger.claim_renames(before.id, after.id, commit)
        before = before.replace(id=after.id)  # the ledger has the names
    yield from _rides(before, after, commit, ledger)
    was, now = state_of(before), state_of(after)
    if was != now and not ledger.claim(after.id, _STATE_EVENTS.get(now, ()), commit):
        yield Happening(commit.when, after.id, "edited", (f"{was} -> {now}{_UNTOLD}",), commit=commit, state=now)
    for fact in cell_facts(before, after, uncounted, uncounted):
        yield Happening(commit.when, after.id, "edited", fact.words, commit=commit)


def _rides(before: Row, after: Row, commit: Commit, ledger: _Ledger) -> Iterator[Happening]:
    """Yield the part of a count's change that no ride in the ledger explains."""
    old, new = before.rides or 0, after.rides or 0
    begin = ledger.reach(after.id, old, new)
    if not after.is_debt and old < new == begin:
        return
    known = ledger.known_rides(after.id, old, new)
    if old == new or (not known and ledger.claim(after.id, ("set",), commit, new)):
        return
    if old + known < new and ledger.explains(after.id, new):
        words: Words = (f"rides {old} -> {new}, raised to the ledger's count",)
        yield Happening(commit.when, after.id, "fold", words, commit=commit)
        return
    claimed = _claim_rides(ledger, after, old, new, commit)
    if claimed < new - old or new < old:
        untold = _UNTOLD if after.is_debt else ""  # a rule's rides never are there
        words = (f"rides {old} -> {new}{untold}",)
        yield Happening(commit.when, after.id, "rides", words, max(new - begin - claimed, 0), commit=commit)


def _claim_rides(ledger: _Ledger, row: Row, old: int, new: int, commit: Commit) -> int:
    """Return how many of the rides between two counts the ledger has; a merge may have brought several as one."""
    claimed = 0
    for count in range(old + 1, min(new, old + len(ledger.entries)) + 1):
        claimed += ledger.claim(row.id, ("charged",), commit, count)
    return claimed


def seconds(when: str) -> int:
    """Return a time of the ledger (UTC) in seconds since 1970, 0 where it is not one."""
    text = moment(when).split(".")[0]
    for form in ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d"):
        try:
            return calendar.timegm(time.strptime(text, form))
        except ValueError:
            continue
    return 0


_BARS = "▁▂▃▄▅▆▇█"
_PLAIN = ".123456789+"  # where the terminal's encoding has no bars: the number itself
_DAY = 86_400
# Days of one column, and its name.
_SPANS = ((1, "a day"), (7, "a week"), (30, "30 days"), (91, "a quarter"), (365, "a year"))


def chart(rides: Iterable[tuple[int, int]], until: int, room: int, encoding: str) -> list[str]:
    """Return two lines: what one column stands for, and the bars between the first and the last day.

    rides: (seconds since 1970, how many). until: where the bars end. room: columns of the terminal.
    """
    counted = [(when, count) for when, count in rides if when and count]
    if not counted:
        return []
    first = min(when for when, _ in counted)
    last = max(until, max(when for when, _ in counted))
    width = max(room - 24, 8)
    days, name = next((span for span in _SPANS if (last - first) // (span[0] * _DAY) < width), _SPANS[-1])
    columns = [0] * ((last - first) // (days * _DAY) + 1)
    for when, count in counted:
        columns[(when - first) // (days * _DAY)] += count
    most = max(columns)
    head = f"Rides over time: one column is {name}, the highest {most}"
    return [head, f"{utc_day(first)} {bars(columns[-width:], most, encoding)} {utc_day(last)}"]


def bars(columns: list[int], most: int, encoding: str) -> str:
    """Return a bar for each number, the highest for `most`; where the encoding has none, the numbers themselves."""
    try:
        _BARS.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return "".join(_PLAIN[min(count, len(_PLAIN) - 1)] for count in columns)
    return "".join(_BARS[_height(count, most)] for count in columns)


def _height(count: int, most: int) -> int:
    """Return the bar of a count: the lowest is for none, and one is never as low as none."""
    return 0 if not count else max(1, round(count / most * (len(_BARS) - 1)))
