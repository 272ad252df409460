"""The index: rows by what they must find in a text, and the ledger by row, in a database that can be thrown away.

A cache of the tables, the ledger and the configuration, one for each working tree. Whoever opens it gets it fresh.
"""

import time

from gatilho.git.root import Repository
from gatilho.index import database, freshness, signature
from gatilho.index.freshness import NOTHING, Sight, all_in_sight
from gatilho.index.packing import FIELDS, IN_FORCE, NO_NEEDLE, conditions_in, triggers_in
from gatilho.model import Problem, Row, Value, subtree_of
from gatilho.wire import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from gatilho.config import Config
    from gatilho.ledger.tally import Entry, Tally
    from gatilho.tables import Store

# "" comes before every date.
TODAY = "not_before <= :today AND (expires = '' OR expires >= :today)"
# In `row`, what all rows are searched by comes before the long texts. The number of a ledger file is never given again,
# for answers about a set of files are kept by it.
VERSION = 15
SCHEMA = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE file(number INTEGER PRIMARY KEY, store TEXT, shown TEXT, path TEXT UNIQUE, stamp TEXT, checksum TEXT,
  unsure INTEGER, lines INTEGER, frame TEXT, head TEXT DEFAULT '', uncommitted TEXT DEFAULT '');
CREATE TABLE row(number INTEGER PRIMARY KEY, file INTEGER, header INTEGER, line INTEGER, lifecycle TEXT, struck INTEGER,
  state TEXT, not_before TEXT, expires TEXT, rides TEXT, kind TEXT, added TEXT, ask_after INTEGER, id TEXT, store TEXT,
  triggers TEXT, note TEXT, conditions TEXT, state_text TEXT, key TEXT, owner TEXT, holds_while TEXT,
  violated_when TEXT, checksum TEXT);
CREATE TABLE trigger(row INTEGER, field INTEGER, gram INTEGER, kind TEXT, pattern TEXT, needle TEXT, plain TEXT,
  folded INTEGER, subtree TEXT DEFAULT '');
CREATE TABLE problem(file INTEGER, code TEXT, severity TEXT, shown TEXT, line INTEGER, column INTEGER, message TEXT,
  remedy TEXT, text TEXT, width INTEGER, row TEXT);
CREATE INDEX problem_place ON problem(file, line);
CREATE TABLE ledger_file(number INTEGER PRIMARY KEY AUTOINCREMENT, store TEXT, name TEXT);
CREATE TABLE entry(ledger_file INTEGER, store TEXT, row TEXT, occurred TEXT, event TEXT, rides TEXT, base TEXT,
  session TEXT, commit_id TEXT, by TEXT, evidence TEXT);
CREATE TABLE tally(store TEXT, row TEXT, count TEXT, UNIQUE(store, row));
CREATE INDEX ledger_name ON ledger_file(name);
CREATE INDEX entry_file ON entry(ledger_file);
CREATE INDEX entry_row ON entry(row);
CREATE INDEX entry_event ON entry(event, occurred);
CREATE INDEX entry_renamed ON entry(store) WHERE event = 'renamed'
"""
_ROW = (
    "number, file, header, line, lifecycle, struck, state, not_before, expires, rides, kind, added, ask_after, id, "
    "store, triggers, note, conditions, state_text, key, owner, holds_while, violated_when"
)
# How many rows bear the id of a row. In a file with conflict markers the two sides of a row are one.
_SAME_ID = (
    "(SELECT count(*) FROM row AS other WHERE other.id = row.id AND other.store = row.store AND (other.number = "
    "row.number OR other.file != row.file OR NOT EXISTS "
    "(SELECT 1 FROM problem WHERE problem.file = row.file AND code = 'GT122')))"
)
# By names: a file has its number from when it was first seen, so an index made anew would number it otherwise.
_IN_ORDER = "ORDER BY store, (SELECT shown FROM file WHERE file.number = row.file), line"
_AT_ONCE = 400  # values in one SQL list


class Candidate(Value):
    """A trigger whose needle is in sight: the number of its row, and what decides whether it matches."""

    row: int
    kind: str
    pattern: str
    needle: str
    plain: str
    folded: bool
    subtree: str = ""


class IndexedRow(Value):
    """A row and where its table's header is in the file (line numbers from 1); path is absolute."""

    row: Row
    path: str
    header: int
    file_number: int


class Index:
    """A fresh index of one working tree; whoever opened it closes it, by `with` or by `close`."""

    def __init__(
        self, repository: Repository, connection: database.Connection, known: "tuple[str, Config]", sight: Sight
    ) -> None:
        self.repository = repository
        self.connection = connection
        self._known = known
        self._sight = sight
        # Of a query for rows: which are in force, and by what the nearest come first; see `leave_out_others`.
        self.in_force = IN_FORCE
        self.nearness = ""
        # The files of nested stores that are left out, by number, each with the folder that it is about.
        self.left_out: dict[str, str] = {}

    @property
    def config(self) -> "Config":
        """Return the configuration in force."""
        return self._known[1]

    @property
    def nested(self) -> list[str]:
        """Return the folders with nested stores that are known, each with a slash at the end."""
        return [subtree for subtree, is_store in freshness.kept_nested(self.connection).items() if is_store]

    @property
    def own_stores(self) -> "list[Store]":
        """Return the folders of the repository's own store, the one below its root first."""
        from gatilho.tables import own_stores

        return own_stores(self.repository.root, self.nested)

    @property
    def stores(self) -> "list[Store]":
        """Return the stores that speak here, the repository's own first."""
        from gatilho.tables import stores_of

        return stores_of(self.repository.root, self.config.stores, self.nested)

    def leave_out_others(self, subtrees: "tuple[str, ...]") -> None:
        """Let rows in force be those alone that are of no other nested store than of these, the nearest first."""
        files = self.connection.execute("SELECT number, shown FROM file WHERE store = ''").fetchall()
        of = [(number, subtree_of(database.text_of_value(shown))) for number, shown in files]
        others = {str(number): subtree for number, subtree in of if subtree and subtree not in subtrees}
        self.in_force = f"{IN_FORCE} AND file NOT IN ({','.join(others)})" if others else IN_FORCE
        self.left_out = others
        near = " ".join(f"WHEN {number} THEN -{one.count('/')}" for number, one in of if one and one in subtrees)
        self.nearness = f"lifecycle, CASE file {near} ELSE 0 END, " if near else ""

    def config_text(self) -> str:
        """Return the configuration in force as the one line that is kept of it."""
        return freshness.meta(self.connection, "config")

    def __enter__(self) -> "Index":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self.connection.close()

    def renew(self, whole: bool = False) -> None:
        """Take in what changed since the index was opened; not while a stuck process holds it.

        whole: also in nested stores that are not in sight.
        """
        sight = self._sight.widened() if whole else self._sight
        try:
            self._known = bring_up_to_date(self.connection, self.repository, time.time_ns(), self._known, sight)
        except database.OperationalError:
            pass

    def renew_marks(self) -> None:
        """Take in marks in code that came, went or moved; the files of the store do not show it."""
        if not freshness.meta(self.connection, "marks"):
            return
        from gatilho.index.marks import have_changed

        if have_changed(self.connection, self.repository.root):
            try:
                self.connection.execute("UPDATE meta SET value = '' WHERE key = 'stamp'")
            except database.OperationalError:
                return  # another process holds it, and may be doing the same
            self.renew()

    def forget_ignored(self) -> None:
        """Let the next touch ask git anew whether it ignores a store that it ignored."""
        known = freshness.kept_nested(self.connection)
        if all(known.values()):
            return
        kept = encode({subtree: True for subtree, is_store in known.items() if is_store})
        try:
            self.connection.execute("UPDATE meta SET value = ? WHERE key = ?", (kept, freshness.NESTED))
            self.connection.execute("UPDATE meta SET value = '' WHERE key = 'stamp'")
        except database.OperationalError:
            return  # another process holds it
        self.renew()

    def candidates(self, field: str, texts: "list[str]") -> list[Candidate]:
        """Return the triggers of a field ("path", "cmd", "prompt", "start") that may match a text, in order of rows."""
        numbers = {NO_NEEDLE}
        for text in texts:
            numbers |= signature.grams(text)
        from gatilho.triggers.literals import lower_ascii

        wanted = sorted(numbers)
        lowered = [lower_ascii(text) for text in texts]
        said = "\n".join([*texts, *lowered])
        found: list[tuple[object, ...]] = []
        for start in range(0, len(wanted), _AT_ONCE):
            part = wanted[start : start + _AT_ONCE]
            found += self.connection.execute(
                "SELECT row, kind, pattern, needle, plain, folded, subtree FROM trigger WHERE field = ? AND gram IN "
                f"({','.join('?' * len(part))}) AND instr(?, needle)",
                (FIELDS[field], *part, said),
            ).fetchall()
        # A trigram in common says little: the whole needle has to be in one of the texts.
        return [
            Candidate(*record)  # type: ignore[arg-type]
            for record in sorted(found)
            if any(str(record[3]) in text for text in (lowered if record[5] else texts))
        ]

    def rows(self) -> list[IndexedRow]:
        """Return all rows, in order of files and lines."""
        return self.select_rows(_IN_ORDER, ())

    def numbered_rows(self, numbers: "list[int]") -> "list[tuple[int, IndexedRow]]":
        """Return the rows of those numbers, each with its number, in order of files and lines."""
        found: list[tuple[int, IndexedRow]] = []
        for start in range(0, len(numbers), _AT_ONCE):
            part = numbers[start : start + _AT_ONCE]
            where = f"WHERE number IN ({','.join('?' * len(part))})"
            records = _select(self.connection, where, tuple(part))
            found += zip([int(record[0]) for record in records], _read(self.connection, records))
        return sorted(found, key=lambda pair: (pair[1].row.store, pair[1].row.file, pair[1].row.line))

    def rows_with_id(self, row_id: str) -> list[IndexedRow]:
        """Return the rows that bear an id, over all stores."""
        return self.select_rows(f"WHERE id = ? {_IN_ORDER}", (row_id,))

    def ids_in_any_case(self, text: str) -> list[str]:
        """Return the different ids that equal the text as it is read, whatever the case of ASCII letters."""
        query = "SELECT DISTINCT id FROM row WHERE id = ? COLLATE NOCASE ORDER BY id"
        found = [str(record[0]) for record in self.connection.execute(query, (text,))]
        return found or self.ids_seen_as(text, any_case=True)

    def ids_seen_as(self, text: str, any_case: bool = False) -> list[str]:
        """Return the ids that are shown as the text and hold more: no-break spaces, signs without width."""
        from gatilho.plain import clean_line

        query = "SELECT DISTINCT id FROM row WHERE id GLOB '*[^ -~]*' ORDER BY id"
        ids = [str(record[0]) for record in self.connection.execute(query)]
        seen = [(one, clean_line(one).strip()) for one in ids]
        return [one for one, shown in seen if shown == text or (any_case and shown.lower() == text.lower())]

    def is_being_saved(self) -> bool:
        """Return whether another process seems to be writing one of the tables at this moment."""
        from gatilho.half_saved import has_just_changed, is_half_written
        from gatilho.tables import named_stores

        stores = named_stores(self.repository.root, self.config.stores, self.nested)
        if any(has_just_changed(store.folder) for store in stores):
            return True  # a table may have been moved away, for a new one to take its place
        paths = self.connection.execute("SELECT path FROM file").fetchall()
        return any(is_half_written(database.text_of_value(path)) for (path,) in paths)

    def all_ids(self) -> list[str]:
        """Return the different ids of all rows."""
        return [str(record[0]) for record in self.connection.execute("SELECT DISTINCT id FROM row ORDER BY id")]

    def has_like(self, text: str) -> bool:
        """Return whether the text may be meant as an id: one word that begins as some row's id does,
        up to the hyphen.
        """
        start, hyphen, _ = text.partition("-")
        if not (start and hyphen) or " " in text:
            return False
        query = "SELECT 1 FROM row WHERE substr(id, 1, ?) = ? COLLATE NOCASE LIMIT 1"
        return self.connection.execute(query, (len(start) + 1, start + hyphen)).fetchone() is not None

    def owed(self) -> list[IndexedRow]:
        """Return the debts that are owed."""
        return self._in_force("lifecycle = 'debt'", ())

    def count_in_force(self, today: str) -> tuple[int, int]:
        """Return how many rules and how many debts are in force on that day (ISO)."""
        counts = self._count("lifecycle", self.in_force, today)
        return counts.get("rule", 0), counts.get("debt", 0)

    def count_left_out(self, today: str) -> "dict[str, int]":
        """Return how many rows of the nested stores that are left out are in force, by the folder they are about."""
        where = f"{IN_FORCE} AND file IN ({','.join(self.left_out)})"
        counts: dict[str, int] = {}
        for file, rows in self._count("file", where, today).items() if self.left_out else ():
            subtree = self.left_out[str(file)]
            counts[subtree] = counts.get(subtree, 0) + rows
        return counts

    def _count(self, column: str, where: str, today: str) -> "dict[object, int]":
        """Return how many rows may speak on a day (ISO), by a column."""
        query = f"SELECT {column}, count(*) FROM row WHERE {where} AND {TODAY} GROUP BY {column}"
        return dict(self.connection.execute(query, {"today": today}).fetchall())  # type: ignore[arg-type]

    def rows_with_key(self) -> list[IndexedRow]:
        """Return the rows in force that have a key."""
        return self._in_force("key != ''", ())

    def select_rows(self, rest: str, values: "dict[str, object] | tuple[object, ...]") -> list[IndexedRow]:
        """Return the rows that the end of a query names, in its order."""
        return rows_in(self.connection, rest, values)

    def _in_force(self, condition: str, values: "tuple[object, ...]") -> list[IndexedRow]:
        return self.select_rows(f"WHERE {IN_FORCE} AND {condition} {_IN_ORDER}", values)

    def entries(self, row_id: str, store: str = "") -> "list[Entry]":
        """Return the ledger's entries of a row under every name that it ever had, in the order of their times."""
        names = self.names_of(row_id, store)
        where = f"WHERE row IN ({','.join('?' * len(names))}) AND store = ?"
        return [entry for _, entry in self._entries(where, (*names, store))]

    def all_entries(self) -> "list[tuple[str, Entry]]":
        """Return every entry of the ledgers with the label of its store, in the order of their times."""
        return self._entries("", ())

    def names_of(self, row_id: str, store: str = "") -> list[str]:
        """Return the names that the ledger joins with an id, itself first: a rename takes the ledger along."""
        query = "SELECT row, evidence FROM entry WHERE event = 'renamed' AND store = ?"
        renames = self.connection.execute(query, (store,)).fetchall()
        names = [row_id]
        # The list grows while it is gone through: a row may have been renamed more than once.
        for name in names:
            near = [other for pair in renames if name in pair for other in pair]
            names += [other for other in dict.fromkeys(near) if other and other not in names]
        return names

    def rows_with_event(self, event: str, since: str) -> "list[tuple[str, str]]":
        """Return (store, id) of the rows that have such an event in the ledger since that day (ISO)."""
        query = "SELECT DISTINCT store, row FROM entry WHERE event = ? AND occurred >= ? ORDER BY store, row"
        found = self.connection.execute(query, (event, since)).fetchall()
        return list(dict.fromkeys((store, name) for store, row in found for name in self.names_of(row, store)))

    def corrections(self) -> "list[Entry]":
        """Return the entries about corrected facts in the repository's own ledger; their ids are keys, not rows."""
        return [entry for _, entry in self._entries("WHERE event = 'corrected' AND store = ''", ())]

    def _entries(self, where: str, values: "tuple[object, ...]") -> "list[tuple[str, Entry]]":
        """Return the entries that a query finds with the labels of their stores, in the order of their times."""
        found = self.connection.execute(
            "SELECT store, occurred, row, event, rides, base, session, commit_id, by, evidence FROM entry "
            f"{where} ORDER BY occurred",
            values,
        ).fetchall()
        if not found:  # as for most rows, which then need no module of the ledger
            return []
        from gatilho.ledger.tally import Entry

        text = database.text_of_value
        return [
            (store, Entry(text(when), text(row), event, _number(rides), _number(base), *map(text, rest)))
            for store, when, row, event, rides, base, *rest in found
        ]

    def tally(self, row: Row) -> "Tally":
        """Return what the ledger and the cell of a row say together."""
        from gatilho.ledger.tally import tally_of

        return tally_of(self.entries(row.id, row.store), row.rides)

    def count(self, row: Row) -> int:
        """Return the rides of a row in force; what its entries come to is kept until the ledger's files change."""
        query = "SELECT count FROM tally WHERE store = ? AND row = ?"
        known = self.connection.execute(query, (row.store, row.id)).fetchone()
        if known is not None:
            return max(int(known[0]), row.rides or 0)
        entries = self.entries(row.id, row.store)
        if not entries:  # as of most rows
            return row.rides or 0
        from gatilho.ledger.tally import tally_of

        tally = tally_of(entries, row.rides)
        try:
            values = (row.store, row.id, str(tally.ledger_count))
            self.connection.execute("INSERT OR REPLACE INTO tally VALUES (?, ?, ?)", values)
        except database.OperationalError:
            pass  # another process is writing
        return tally.count

    def problems(self) -> list[Problem]:
        """Return what is wrong in the documents, as far as reading them shows."""
        from gatilho.model import Place

        found = self.connection.execute(
            "SELECT code, severity, shown, line, column, message, remedy, text, width, row FROM problem "
            "ORDER BY shown, line, column"
        )
        return [Problem(r[0], r[1], Place(database.text_of_value(r[2]), r[3], r[4]), *r[5:]) for r in found]

    def violations(self, row: Row) -> int:
        """Return how many sessions broke a rule, by the ledger."""
        return len({entry.session for entry in self.entries(row.id, row.store) if entry.event == "violated"})

    def size(self) -> int:
        """Return how many rows there are."""
        return int(self.connection.execute("SELECT count(*) FROM row").fetchone()[0])


def rows_in(
    connection: database.Connection, rest: str, values: "dict[str, object] | tuple[object, ...]"
) -> list[IndexedRow]:
    """Return the rows that the end of a query names in an index that may be older than the files, in its order."""
    return _read(connection, _select(connection, rest, values))


def _select(
    connection: database.Connection, rest: str, values: "dict[str, object] | tuple[object, ...]"
) -> "list[tuple[Any, ...]]":
    query = f"SELECT {_ROW}, {_SAME_ID} FROM row {rest}"
    return connection.execute(query, values).fetchall()  # type: ignore[arg-type]


def _read(connection: database.Connection, records: "list[tuple[Any, ...]]") -> list[IndexedRow]:
    text = database.text_of_value
    numbers = {record[1] for record in records}
    query = "SELECT number, shown, path FROM file" + (" WHERE number = ?" if len(numbers) == 1 else "")
    files = connection.execute(query, tuple(numbers) if len(numbers) == 1 else ()).fetchall()
    named = {number: (text(shown), text(path)) for number, shown, path in files}
    return [_row(record, *named[record[1]]) for record in records]


def _row(record: "tuple[Any, ...]", shown: str, path: str) -> IndexedRow:
    (_, file, header, line, lifecycle, struck, state, not_before, expires, rides, kind, added, ask_after, id, store,
     triggers, note, conditions, state_text, key, owner, holds_while, violated_when, same_id) = record  # fmt: skip
    below = "" if store else subtree_of(shown)
    row = Row(
        id, lifecycle, triggers_in(triggers, below), note, conditions_in(conditions), _number(rides), state, state_text,
        bool(struck), kind, key, owner, added, expires, not_before, ask_after, conditions_in(holds_while),
        conditions_in(violated_when), store, shown, line, same_id > 1,
    )  # fmt: skip
    return IndexedRow(row, path, header, file)


def _number(text: str | None) -> int | None:
    """Return a count, which is kept as text: a cell may hold more digits than SQLite's integers."""
    return None if text is None else int(text)


def open_index(
    repository: Repository,
    witness: "Callable[[database.Connection], None] | None" = None,
    sight: Sight | None = None,
) -> Index:
    """Return the index of a working tree, brought up to date with its tables, ledger and configuration.

    witness: called with the database before it takes in what changed. sight: the nested stores to take in, all that
    git finds unless given.
    """
    database.make_folder(repository.own_state)
    path = repository.own_state + "/index.db"
    sight = all_in_sight(repository.root) if sight is None else sight
    for attempt in (1, 2):
        try:
            return _opened(repository, path, sight, witness)
        except database.OperationalError:
            # Held by another process or out of reach, and maybe whole: done without, and not thrown away.
            return _opened(repository, path, sight, in_memory=True)
        except database.DatabaseError:
            database.discard(path)
            if attempt == 2:
                raise
    return _opened(repository, database.MEMORY, sight)


def _opened(
    repository: Repository,
    path: str,
    sight: Sight,
    witness: "Callable[[database.Connection], None] | None" = None,
    in_memory: bool = False,
) -> Index:
    connection = database.connect(database.MEMORY if in_memory else path, SCHEMA, VERSION)
    try:
        if connection.path == database.MEMORY:  # by what was known, a table that is just being saved goes on speaking
            database.copy_into(connection, path)
        if witness is not None:
            witness(connection)
        known = bring_up_to_date(connection, repository, time.time_ns(), sight=sight)
        return Index(repository, connection, known, sight)
    except BaseException:
        connection.close()
        raise


def bring_up_to_date(
    connection: database.Connection,
    repository: Repository,
    now: int,
    known: "tuple[str, Config] | None" = None,
    sight: Sight = NOTHING,
) -> "tuple[str, Config]":
    """Make the database say what the files say; `now` in nanoseconds.

    Returns the stamp of those files, and the configuration in force. known: both, as they were a moment ago. sight: the
    nested stores to take in.
    """
    where = signature.whereabouts(repository.root)
    stamp, config = freshness.fresh_stamp(connection, where, sight)
    if stamp and known is not None and stamp == known[0]:
        return known
    if not stamp:
        connection.begin()
        try:
            if not freshness.fresh_stamp(connection, where, sight)[0]:  # another process may have been faster
                from gatilho.index.refresh import Refresh

                Refresh(connection, repository, where, now, sight).run()
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        stamp, config = freshness.meta(connection, "stamp"), freshness.meta(connection, "config")
    return stamp, freshness.config_of(config)
