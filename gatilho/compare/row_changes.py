"""Rows, not lines: what was added, removed and changed between two sides of a store, and what explains it."""

import re
from collections.abc import Iterable, Iterator
from shlex import quote

from gatilho.compare.cell_facts import Count, cell_facts, condition_words, trigger_words
from gatilho.compare.facts import COMMAND, JUDGED, PROSE, Fact, Quote, Words
from gatilho.compare.judge import Judge
from gatilho.compare.life_facts import Version, cell_fell, life_facts, said, still_counted
from gatilho.compare.snapshot import Snapshot
from gatilho.ledger.lines import STATE_EVENTS, Entry, moment
from gatilho.lifecycle.transitions import is_waived, state_of, unrecorded
from gatilho.model import Row, Value
from gatilho.plain import counted


class Pair(Value):
    """The same row on both sides; None on the side that does not have it."""

    before: Row | None
    after: Row | None

    @property
    def row(self) -> Row:
        """Return the row as it is, or as it was where it is no more."""
        row = self.after or self.before
        assert row is not None
        return row


def pair(before: Snapshot, after: Snapshot) -> list[Pair]:
    """Return every row of either side, once."""
    renamed = _renames(before, after)
    pairs: list[Pair] = []
    for row_id, rows in after.rows_by_id.items():
        pairs += _match(before.rows_by_id.get(renamed.get(row_id, row_id), []), rows)
    seen = set(after.rows_by_id) | set(renamed.values())
    for row_id, rows in before.rows_by_id.items():
        if row_id not in seen:
            pairs += [Pair(row, None) for row in rows]
    return pairs


def _renames(before: Snapshot, after: Snapshot) -> dict[str, str]:
    """Return a map from the id on the later side to that on the earlier one, where the ledger says so and only one side
    has each: of rows that were renamed, and of those whose renaming was reverted.
    """
    found: dict[str, str] = {}
    for old, new in _names(after.entries).items():
        # Where a side has both ids, these are two rows, whatever the ledger says.
        if _only_in(before, after, old) and _only_in(after, before, new):
            found[new] = old
    kept = set(after.entries)
    for old, new in _names(entry for entry in before.entries if entry not in kept).items():
        if _only_in(after, before, old) and _only_in(before, after, new):
            found[old] = new
    return found


def _names(entries: Iterable[Entry]) -> dict[str, str]:
    """Return the last name of each row that was renamed, by each name that it had before."""
    names = {entry.id: entry.evidence for entry in entries if entry.event == "renamed" and entry.evidence}
    return {old: _last_name(names, old) for old in names}


def _last_name(names: dict[str, str], old: str) -> str:
    """Return where a chain of renames ends; one that runs in a circle ends anywhere."""
    seen = {old}
    new = names[old]
    while new in names and new not in seen:
        seen.add(new)
        new = names[new]
    return new


def _only_in(one: Snapshot, other: Snapshot, row_id: str) -> bool:
    return row_id in one.rows_by_id and row_id not in other.rows_by_id


def _match(before: list[Row], after: list[Row]) -> list[Pair]:
    """Return rows of one id on both sides, the most alike first."""
    if len(before) == len(after) == 1:
        return [Pair(before[0], after[0])]
    order = sorted((-_likeness(old, new), i, j) for i, old in enumerate(before) for j, new in enumerate(after))
    partner: dict[int, int] = {}
    taken: set[int] = set()
    for _, i, j in order:
        if i not in taken and j not in partner:
            partner[j] = i
            taken.add(i)
    pairs = [Pair(before[partner[j]] if j in partner else None, row) for j, row in enumerate(after)]
    return pairs + [Pair(row, None) for i, row in enumerate(before) if i not in taken]


def _likeness(old: Row, new: Row) -> int:
    same_cells = sum(
        bool(getattr(old, name) == getattr(new, name))
        for name in ("note", "triggers", "conditions", "rides", "state_text")
    )
    return 2 * same_cells + int(old.file == new.file)


_WEIGHT = {"error": 0, "warning": 1, "note": 2}


class RowChange(Pair):
    """A row that is different, and what there is to say.

    rides: of an owed debt how far it is from being asked about, in words.
    """

    facts: tuple[Fact, ...]
    rides: str = ""

    @property
    def weight(self) -> int:
        """Return 0 where something is wrong, 1 where something wants a look, else 2."""
        return min(_WEIGHT[fact.severity] for fact in self.facts)

    @property
    def is_new(self) -> bool:
        """Return whether the earlier side has no such row, under no name."""
        return any(fact.kind == "added" for fact in self.facts)

    @property
    def is_judged(self) -> bool:
        """Return whether something was found beside the edit of the row (see `judge`)."""
        return any(fact.kind in JUDGED for fact in self.facts)

    @property
    def only_judged(self) -> bool:
        """Return whether the row itself is the same on both sides."""
        return all(fact.kind in JUDGED for fact in self.facts)

    @property
    def only_moved(self) -> bool:
        """Return whether it is in another file and is the same otherwise."""
        return [fact.kind for fact in self.facts] == ["moved"]


class ComparedFile(Value):
    """Something that concerns a file and no single row: rows that only moved, ledger lines that are gone."""

    file: str
    fact: Fact
    rows: tuple[str, ...] = ()


class Comparison(Value):
    """All that is different: rows, what needs a reason first, then by file and line; and files."""

    rows: tuple[RowChange, ...]
    files: tuple[ComparedFile, ...]

    @property
    def facts(self) -> list[Fact]:
        return [fact for change in self.rows for fact in change.facts] + [change.fact for change in self.files]


def compare(
    before: Snapshot, after: Snapshot, count_before: Count, count_after: Count, today: str, judge: Judge | None = None
) -> Comparison:
    """Return what is different. count_*: see `cell_facts.Count`.

    today: the ISO day by which waivers and dates are read. judge: finds what the change of files does to the rows.
    """
    compared = _Comparing(before, after, count_before, count_after, today, judge)
    changes = [
        RowChange(one.before, one.after, facts, compared.rides(one.after))
        for one in pair(before, after)
        if (facts := compared.facts(one))
    ]
    moved = [change for change in changes if change.only_moved]
    rows = [change for change in changes if not change.only_moved]
    rows.sort(key=lambda change: (change.weight, change.row.file, change.row.line))
    return Comparison(tuple(rows), (*_lost_lines(before, after, compared), *_moves(moved)))


class _Comparing:
    def __init__(
        self, before: Snapshot, after: Snapshot, count_before: Count, count_after: Count, today: str,
        judge: Judge | None,
    ) -> None:  # fmt: skip
        self.judge = judge
        self.before = before
        self.after = after
        self.counts = count_before, count_after
        self.today = today
        self.known = set(before.entries)
        self.kept = set(after.entries)
        # Of files that are gone as a whole: a revert removes such, an edit of the ledger does not.
        self.reverted = {
            name: [entry for entry in entries if entry not in self.kept]
            for name, entries in before.entries_by_file.items()
            if name not in after.files
        }

    def rides(self, row: Row | None) -> str:
        """Return how far an owed debt is from being asked about, "" for any other row."""
        if row is None or not row.owed:
            return ""
        count, limit = self.after.tally(row).count, row.asked_from(self.after.config.ask_after)
        text = f"{count} of {counted(limit, 'ride')}"
        if is_waived(row, self.today):
            return f"{text}, waived"
        if count >= limit:
            return f"{text}: every session is asked"
        return f"{text}: the next session is asked" if count == limit - 1 else text

    def facts(self, one: Pair) -> tuple[Fact, ...]:
        if one.before is None:
            return tuple(self._added(one.row))
        return tuple(self._removed(one.row) if one.after is None else self._changed(one.before, one.after))

    def _changed(self, old: Row, new: Row) -> Iterator[Fact]:
        versions = Version(old, self.before.tally(old)), Version(new, self.after.tally(new))
        charged = self.before.entries_of(old.id)
        reverted = [one for entries in self.reverted.values() for one in entries if one in charged]
        if self.judge is not None:
            count = versions[1].tally.count
            yield from self.judge.facts(old, new, charged, self._new_entries(new.id), count)
        yield from life_facts(*versions, self._new_entries(new.id), reverted)
        # A file that is gone below a cell that did not fall is reported as such: see `took_back`.
        if self.after.config.rides_in == "ledger" or cell_fell(old, new):
            yield from still_counted(*versions, reverted)
        if self.after.is_due(new, self.today) and not self.before.is_due(old, self.today):
            yield self._due(new)
        yield from cell_facts(old, new, *self.counts)

    def _added(self, row: Row) -> Iterator[Fact]:
        if _is_hidden(self.before, row):
            yield Fact("readable", ("can be read again",))
            return
        old = self.before.entries_of(row.id)
        if old and row.id not in self.before.rows_by_id:  # else a second row of that id, as between conflict markers
            yield _old_id(row, old)
        count = self.after.tally(row).count
        with_rides = f" with {counted(count, 'ride')}" if count else ""
        state = "" if state_of(row) in ("owed", "rule") else f", {state_of(row)}"
        yield Fact("added", (f"new {row.lifecycle}{state}{with_rides}: ", Quote(row.note, PROSE)), after=row.note)
        yield Fact("added", ("trigger: ", *trigger_words(row.triggers, self.counts[1])))
        if row.is_debt:
            yield Fact("added", condition_words(row.conditions))
        if self.after.is_due(row, self.today):
            yield self._due(row)

    def _removed(self, row: Row) -> Iterator[Fact]:
        # A table that cannot be read hides its rows: no edit has removed them.
        cause = self.after.hidden_by(row.file) if _is_hidden(self.after, row) else None
        if cause:
            words: Words = ("cannot be read any more: ", Quote(str(cause.place)), " ", Quote(cause.message, PROSE))
            yield Fact("unreadable", words, (cause.remedy,))
            return
        ending = _ending(self._new_entries(row.id))
        if ending is not None:
            yield Fact("removed", (f"removed after it was {ending.event}", *said(ending)), event=ending.as_tuple())
        elif row.owed:
            with_rides = f'removed while still owed ({counted(self.before.tally(row).count, "ride")}): "'
            ways = [Quote(f"gatilho {name} {quote(row.id)} --why TEXT", COMMAND) for name in ("pay", "revoke")]
            remedy = ("put it back, and end it by ", ways[0], " or ", ways[1])
            yield Fact("removed owed", (with_rides, Quote(row.note, PROSE), '"'), remedy, before=row.note)
        else:
            yield Fact("removed", (f"removed, was {state_of(row)}: ", Quote(row.note, PROSE)), before=row.note)

    def took_back(self, name: str) -> bool:
        """Return whether a ledger file is gone together with all that the tables had of it."""
        return name in self.reverted and all(map(self._is_taken_back, self.reverted[name]))

    def _is_taken_back(self, entry: Entry) -> bool:
        row, old = self._row_of(self.after, entry), self._row_of(self.before, entry)
        if entry.event == "renamed":
            return entry.evidence not in self.after.rows_by_id
        if row is None:
            return old is None
        tally = self.after.tally(row)
        if entry.event in ("charged", "set"):
            # A revert changes the cell too; one that still counts the ride shows that only the file was deleted.
            change = (row.rides or 0) - (old.rides or 0) if old else 0
            is_undone = change != 0 if entry.event == "set" else change < 0 or (row.rides or 0) <= tally.ledger_count
            return is_undone or self.after.config.rides_in == "ledger"
        return not unrecorded(row, tally)

    def _row_of(self, side: Snapshot, entry: Entry) -> Row | None:
        """Return a side's row that an entry is about, under whatever name it has there by either ledger."""
        for one in (entry, *self.before.entries_of(entry.id), *self.after.entries_of(entry.id)):
            for name in (one.id, one.evidence if one.event == "renamed" else one.id):
                if name in side.rows_by_id:
                    return side.rows_by_id[name][0]
        return None

    def _due(self, row: Row) -> Fact:
        count, limit = counted(self.after.tally(row).count, "ride"), row.asked_from(self.after.config.ask_after)
        return Fact("due", (f"due now: {count}, and a write is asked about from {limit} on",))

    def _new_entries(self, row_id: str) -> list[Entry]:
        return [entry for entry in self.after.entries_of(row_id) if entry not in self.known]


def _is_hidden(side: Snapshot, row: Row) -> bool:
    """Return whether a side seems to have the row without being able to read it."""
    if side.hidden_by(row.file) is None:  # as in most files: a long one would be decoded for each of many rows
        return False
    # A hyphen belongs to an id, so a plain word boundary would find D-1 in D-1-2; an underscore may be markup.
    mention = rf"(?<![^\W_])(?<!-){re.escape(row.id)}(?!-)(?![^\W_])"
    return re.search(mention, side.files.get(row.file, b"").decode("utf-8", "surrogateescape")) is not None


def _old_id(row: Row, entries: list[Entry]) -> Fact:
    last = max(entries, key=lambda entry: moment(entry.when))
    lines = counted(len(entries), "line")
    said = f"reuses the id of a removed row: the ledger has {lines} about it, the last: {last.event} "
    remedy = "give it an id of its own; if a merge or a rebase brought the row back, remove it again or reinstate it"
    return Fact("old id", (said, Quote(last.when)), (remedy,))


def _ending(entries: list[Entry]) -> Entry | None:
    """Return the entry by which a row that is gone had ended, if the last word of the ledger is one."""
    words = [entry for entry in entries if entry.event in (*STATE_EVENTS, "set")]
    last = max(words, key=lambda entry: moment(entry.when), default=None)
    return last if last is not None and last.event not in ("reinstated", "regressed", "waived") else None


def _lost_lines(before: Snapshot, after: Snapshot, compared: _Comparing) -> Iterator[ComparedFile]:
    kept = compared.kept
    for name, entries in before.entries_by_file.items():
        lost = sum(entry not in kept for entry in entries)
        if lost and not compared.took_back(name):
            some = "1 line of the ledger is" if lost == 1 else f"{lost} lines of the ledger are"
            remedy = "ledger files are written once and never changed: restore this one from git"
            yield ComparedFile(name, Fact("ledger lost", (f"{some} gone from ", Quote(name)), (remedy,)))


def _moves(moved: list[RowChange]) -> Iterator[ComparedFile]:
    groups: dict[tuple[str, str], list[str]] = {}
    for change in moved:
        assert change.before is not None
        groups.setdefault((change.before.file, change.row.file), []).append(change.row.id)
    for (old, new), ids in groups.items():
        some = counted(len(ids), "row")
        words = (f"{some} moved from ", Quote(old), " to ", Quote(new))
        yield ComparedFile(new, Fact("moved", words, before=old, after=new), tuple(ids))
