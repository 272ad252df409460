"""The lives of all rows, kept in the git directory so that only what is new is read; deleting it loses time only."""

import gc
import json
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

from gatilho import __version__
from gatilho.compare.facts import in_plain_text
from gatilho.compare.git_log import Commit, FileDiff, read_log
from gatilho.compare.history import Chains, Happening, LifeStep, history, steps_of
from gatilho.compare.revisions import Revisions
from gatilho.compare.table_lines import TableLines
from gatilho.index import database
from gatilho.index.index import Index, IndexedRow
from gatilho.ledger.lines import Entry, by_row, tally_of
from gatilho.model import Condition, Row, Trigger, Value
from gatilho.report.summary import LifeEvent

_VERSION = 6
_SCHEMA = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE step(number INTEGER PRIMARY KEY, row TEXT, record TEXT);
CREATE INDEX step_row ON step(row);
CREATE TABLE life(row TEXT PRIMARY KEY, stamp TEXT, events TEXT);
CREATE TABLE figure(name TEXT PRIMARY KEY, stamp TEXT, value TEXT);
CREATE TABLE fragment(row TEXT PRIMARY KEY, stamp TEXT, cells TEXT, item TEXT, page TEXT)
"""
# Seconds for git's history in one run; what is older is read by the next one.
PATIENCE = 12.0
_SHORT = 10
# The fields of a row that are lists, and what is in each.
_LISTS: "dict[str, type[Trigger] | type[Condition]]" = {
    name: Trigger if name == "triggers" else Condition
    for name in Row.__fields__
    if isinstance(getattr(Row, name, None), tuple)
}


class Lives(Value):
    """What happened to each row, by its last name. stamps: texts that differ where the events do. entries: by ids.

    unread: whether git has older history that was not read yet.
    """

    events: dict[str, tuple[LifeEvent, ...]]
    stamps: dict[str, str]
    chains: Chains
    entries: dict[str, list[Entry]]
    unread: bool

    def count(self, row: Row) -> int:
        """Return the rides of a row in force."""
        entries = self.entries.get(row.id)
        return tally_of(entries, row.rides).count if entries else row.rides or 0

    def of(self, row_id: str) -> tuple[tuple[LifeEvent, ...], str]:
        """Return the events of a row under all its names, oldest first, and a text that changes with them."""
        name = self.chains.of(row_id)
        return self.events.get(name, ()), self.stamps.get(name, "")

    def without(self, ids: Iterable[str]) -> list[str]:
        """Return one name of each of the other rows: those that no table has any more."""
        known = {self.chains.of(one) for one in ids}
        return [name for name in self.events if name not in known]


class Kept:
    """What earlier reports found, in a database that is held while one is made; use it in a `with`."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._database = _open_kept(index)
        self._collects = True

    def __enter__(self) -> "Kept":
        # A report makes a million objects that all stay until it is written: looking for unused ones is a third of it.
        self._collects = gc.isenabled()
        gc.disable()
        return self

    def __exit__(self, *_: object) -> None:
        if self._collects:
            gc.freeze()  # else the first look would go through all of them once more
            gc.enable()
        self._database.execute("COMMIT")
        self._database.close()

    def keep(self, name: str, stamp: object, compute: Callable[[], Any]) -> Any:
        """Return what was kept under a name while the stamp is the same, else what the function returns."""
        stamp = digest_of(__version__, stamp)
        known = self.recall(name, stamp)
        if known is None:
            known = compute()
            self.remember(name, known, stamp)
        return known

    def recall(self, name: str, stamp: str = "") -> Any:
        """Return what was kept under a name with that stamp, None for nothing."""
        found = self._database.execute("SELECT stamp, value FROM figure WHERE name = ?", (name,)).fetchone()
        return json.loads(found[1]) if found and found[0] == stamp else None

    def remember(self, name: str, value: object, stamp: str = "") -> None:
        """Keep a value that is JSON."""
        self._database.execute("INSERT OR REPLACE INTO figure VALUES (?, ?, ?)", (name, stamp, json.dumps(value)))

    def fragments(self, row: str, facts: object, make: Callable[[], Sequence[str]]) -> Sequence[str]:
        """Return the three pieces of a page that show a row, made anew where the facts are not those last shown."""
        stamp = digest_of(__version__, facts)
        known = self._fragments.get(row)
        if known and known[0] == stamp:
            return known[1:]
        made = make()
        self._database.execute("INSERT OR REPLACE INTO fragment VALUES (?, ?, ?, ?, ?)", (row, stamp, *made))
        return made

    @cached_property
    def _fragments(self) -> dict[str, tuple[str, ...]]:
        found = self._database.execute("SELECT row, stamp, cells, item, page FROM fragment").fetchall()
        return {row: (stamp, *map(database.text_of_value, pieces)) for row, stamp, *pieces in found}

    def lives(
        self, opened: Revisions, count: Callable[[int], None] = lambda _: None, patience: float = PATIENCE
    ) -> Lives:
        """Return the lives of the own store's rows. count: called with each commit's number; patience: seconds."""
        entries = ledger_entries(self._index)
        chains = Chains(entries)
        reading = _Reading(opened, self._index, entries, chains, self._database)
        complete = reading.run(count, time.monotonic() + patience)
        events, stamps = _events(self._database, entries, chains, opened.boundaries(), reading.fresh)
        return Lives(events, stamps, chains, by_row(entries), not complete)


def ledger_entries(index: Index) -> list[Entry]:
    """Return what the repository's own ledger says of rows, oldest first."""
    return [entry for store, entry in index.all_entries() if not store and entry.event != "corrected"]


def _open_kept(index: Index) -> database.Connection:
    """Return the database of lives, in a transaction; one in memory where another process is at it, or it fails."""
    database.make_folder(index.repository.own_state)
    for path in (index.repository.own_state + "/report.db", database.MEMORY):
        try:
            kept = database.connect(path, _SCHEMA, _VERSION)
            kept.begin()
            return kept
        except database.DatabaseError:
            continue
    raise AssertionError("a database in memory cannot be held by another process")


class _Reading:
    """Adds to the kept steps what git's history has beyond them: first the new commits, then the older ones.

    Its state: head, up to which all newer steps are kept; base, the commit from which on `seen` of the older ones are;
    first and last, the numbers of the steps.
    """

    def __init__(
        self, opened: Revisions, index: Index, entries: list[Entry], chains: Chains, kept: database.Connection
    ) -> None:
        self._opened = opened
        self._lines = TableLines(opened, index.config)
        self._chains = chains
        self._kept = kept
        self._key = digest_of(
            __version__,
            sorted((one.id, one.evidence) for one in entries if one.event == "renamed"),
            sorted(opened.boundaries()),
            bool(opened.nested),
            sorted(index.config.sources.items()),
        )
        self._read = 0
        self._cut = False  # whether the time was over before the last log was
        self.fresh: dict[str, list[LifeStep]] = {}  # by row, the steps that this run read

    def run(self, count: Callable[[int], None], until: float) -> bool:
        """Read until that moment (in monotonic seconds) at most; return whether all was read."""
        self._count, self._until = count, until
        head = self._opened.find("HEAD")
        if not head:
            return True
        state = self._state(head)
        if state["head"] != head:
            new = list(self._taken(read_log(self._opened, after=state["head"], head=head)))
            if self._cut:
                state = self._anew(head)
            else:
                steps = list(steps_of(new, self._lines, None, self._chains))
                self._write(steps, state["last"] + 1)
                state["last"] += len(steps)
                state["head"] = head
        if not state["complete"]:
            older = list(self._taken(read_log(self._opened, head=state["base"], skip=state["seen"])))
            steps = list(steps_of(older, self._lines, None, self._chains))
            state["first"] -= len(steps)
            newer, self.fresh = self.fresh, {}
            self._write(steps, state["first"] + 1)
            for name, found in newer.items():
                self.fresh.setdefault(name, []).extend(found)
            state["seen"] += len(older)
            state["complete"] = not self._cut
        self._kept.execute("INSERT OR REPLACE INTO meta VALUES ('state', ?)", (json.dumps(state),))
        return bool(state["complete"])

    def _state(self, head: str) -> dict[str, Any]:
        found = self._kept.execute("SELECT value FROM meta WHERE key = 'state'").fetchone()
        state: dict[str, Any] = json.loads(found[0]) if found else {}
        if state.get("key") != self._key:
            return self._anew(head)
        known = state["head"]
        return state if known == head or self._opened.merge_base(known, head) == known else self._anew(head)

    def _anew(self, head: str) -> dict[str, Any]:
        self._kept.execute("DELETE FROM step")
        self._kept.execute("DELETE FROM life")
        self._kept.execute("DELETE FROM fragment")  # which is known by the number of steps, too
        self.fresh = {}
        return {"key": self._key, "head": head, "base": head, "seen": 0, "complete": False, "first": 0, "last": 0}

    def _write(self, steps: list[LifeStep], first: int) -> None:
        records = []
        for number, step in enumerate(steps, first):
            name = self._name(step)
            self.fresh.setdefault(name, []).append(step)
            records.append((number, name, _packed(step)))
        self._kept.executemany("INSERT INTO step VALUES (?, ?, ?)", records)

    def _name(self, step: LifeStep) -> str:
        row = step.after or step.before
        assert row is not None
        return self._chains.of(row.id)

    def _taken(self, log: Iterator[tuple[Commit, list[FileDiff]]]) -> Iterator[tuple[Commit, list[FileDiff]]]:
        self._cut = False
        for one in log:
            yield one
            self._read += 1
            self._count(self._read)
            if time.monotonic() > self._until:
                self._cut = True
                return


def _events(
    kept: database.Connection,
    entries: list[Entry],
    chains: Chains,
    boundaries: frozenset[str],
    fresh: dict[str, list[LifeStep]],
) -> tuple[dict[str, tuple[LifeEvent, ...]], dict[str, str]]:
    """Return the events and the stamp of each row; only those of rows with new steps or entries are found again."""
    of_row: dict[str, list[Entry]] = {}
    for entry in entries:
        of_row.setdefault(chains.of(entry.id), []).append(entry)
    steps = dict(kept.execute("SELECT row, count(*) FROM step GROUP BY row").fetchall())
    known = {row: (stamp, events) for row, stamp, events in kept.execute("SELECT row, stamp, events FROM life")}
    stamps = {}
    for name in (*steps, *(name for name in of_row if name not in steps)):
        own, count = of_row.get(name), steps.get(name, 0)
        stamps[name] = digest_of(count, [entry.as_tuple() for entry in own]) if own else str(count)
    unchanged = [name for name, stamp in stamps.items() if known.get(name, ("", ""))[0] == stamp]
    lists = json.loads(f"[{','.join([known[name][1] for name in unchanged])}]")  # sooner read than 10,000 texts
    found = {name: tuple([LifeEvent(*one) for one in events]) for name, events in zip(unchanged, lists)}
    for name, stamp in stamps.items():
        if name in found:
            continue
        own_steps = fresh.get(name, [])
        if len(own_steps) != steps.get(name, 0):
            records = kept.execute("SELECT record FROM step WHERE row = ? ORDER BY number", (name,)).fetchall()
            own_steps = [_unpacked(one) for (one,) in records]
        happened = history(own_steps, of_row.get(name, []), boundaries, chains)
        found[name] = tuple(map(_life_event, happened))
        text = json.dumps([one.as_tuple() for one in found[name]])
        kept.execute("INSERT OR REPLACE INTO life VALUES (?, ?, ?)", (name, stamp, text))
    return {name: found[name] for name in stamps}, stamps


def _life_event(one: Happening) -> LifeEvent:
    entry, commit = one.entry, one.commit
    return LifeEvent(
        one.when,
        one.row,
        entry.event if entry else one.kind,
        in_plain_text(one.words),
        one.rides,
        commit.id[:_SHORT] if commit else "",
        commit.author if commit else "",
        one.at_least,
        one.state,
        entry.session if entry else "",
        entry.by if entry else "",
        entry.evidence if entry else "",
    )


def _packed(step: LifeStep) -> str:
    commit = step.commit
    rows = [row and {name: _plain(value) for name, value in row.as_dict().items()} for row in (step.before, step.after)]
    return json.dumps([[commit.id, commit.parents, commit.author, commit.when, commit.subject], *rows])


def _plain(value: object) -> object:
    return [one.as_tuple() for one in value] if isinstance(value, tuple) else value


def _unpacked(text: str) -> LifeStep:
    (id, parents, author, when, subject), before, after = json.loads(text)
    return LifeStep(Commit(id, tuple(parents), author, when, subject), _row(before), _row(after))


def _row(fields: dict[str, Any] | None) -> Row | None:
    if fields is None:
        return None
    lists = {name: tuple(made(*one) for one in fields[name]) for name, made in _LISTS.items()}
    return Row(**{**fields, **lists})


def content_stamps(rows: Sequence[IndexedRow]) -> dict[str, str]:
    """Return by each row's place a text that is another one once the row says something else; rides do not count."""
    return {found.row.place: _content_of(found.row) for found in rows}


def _content_of(row: Row) -> str:
    lists = [list(map(str, one)) for one in (row.triggers, row.conditions, row.holds_while, row.violated_when)]
    cells = (row.lifecycle, row.note, row.state_text, row.struck, row.kind, row.key, row.owner, row.added, row.expires,
             row.not_before, row.ask_after)  # fmt: skip
    return f"{row.id} {digest_of(row.subtree, cells, lists)}"


def digest_of(*of: object) -> str:
    """Return a short text that differs where the values differ."""
    text = repr(of)
    return f"{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}{len(text):x}"
