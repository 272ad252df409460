"""What each session remembers: which rows it was told, what it wrote, what it was charged for and asked about.

One database for all working trees of a repository; its transactions carry the promise "once per session". Losing it
costs what was said in open sessions and nothing else.
"""

import os

from gatilho.model import Value
from gatilho.store import database
from gatilho.store.root import Repository

VERSION = 1
SCHEMA = """
CREATE TABLE session(key TEXT PRIMARY KEY, id TEXT, generation INTEGER, host TEXT, worktree TEXT, started REAL,
  seen REAL, turn INTEGER, turn_id TEXT, unsettled INTEGER);
CREATE INDEX session_id ON session(id);
CREATE TABLE delivered(session TEXT, agent TEXT, store TEXT, row TEXT, armed INTEGER,
  UNIQUE(session, agent, store, row));
CREATE TABLE spoken_for(session TEXT, store TEXT, row TEXT, path TEXT, UNIQUE(session, store, row, path));
CREATE TABLE held(session TEXT, agent TEXT, store TEXT, row TEXT, turn INTEGER, UNIQUE(session, agent, store, row));
CREATE TABLE written(session TEXT, store TEXT, row TEXT, what TEXT, UNIQUE(session, store, row, what));
CREATE TABLE charged(session TEXT, store TEXT, row TEXT, UNIQUE(session, store, row));
CREATE TABLE asked(session TEXT, store TEXT, row TEXT, question TEXT, decision TEXT, mode TEXT, answer TEXT,
  UNIQUE(session, store, row));
CREATE TABLE paid(session TEXT, store TEXT, row TEXT, turn INTEGER, UNIQUE(session, store, row));
CREATE TABLE call(id TEXT PRIMARY KEY, session TEXT);
CREATE TABLE compared(session TEXT, call TEXT, path TEXT, stamp TEXT, head TEXT);
CREATE TABLE elsewhere(session TEXT, root TEXT, UNIQUE(session, root));
CREATE TABLE failing(store TEXT, row TEXT, condition TEXT, UNIQUE(store, row, condition));
CREATE TABLE told(session TEXT, what TEXT, UNIQUE(session, what));
CREATE TABLE pending_line(session TEXT, store TEXT, row TEXT, event TEXT, occurred TEXT, evidence TEXT);
CREATE TABLE waiting(number INTEGER PRIMARY KEY, worktree TEXT, what TEXT, goal TEXT)
"""
# A session that is resumed after this silence counts as a new one for warn, charge and ask (seconds).
NEW_AFTER = 12 * 3600
# A turn of another session that was silent this long may be settled by somebody else's start (seconds).
SETTLED_BY_OTHERS_AFTER = 3600
# Old sessions are dropped after this (seconds).
FORGOTTEN_AFTER = 30 * 86400
_BY_SESSION = (
    "delivered",
    "spoken_for",
    "held",
    "written",
    "charged",
    "asked",
    "paid",
    "compared",
    "elsewhere",
    "told",
)

RowKey = tuple[str, str]  # (label of the store, id)


def open_sessions(repository: Repository) -> database.Connection:
    """The database of a repository's sessions; nothing is remembered where the git directory is read-only."""
    database.make_folder(repository.shared_state)
    try:
        return database.connect(repository.shared_state + "/sessions.db", SCHEMA, VERSION)
    except database.OperationalError:
        return _forgetful()


def begin(connection: database.Connection) -> database.Connection:
    """Begin a transaction. While a stuck process holds the file, in another connection, which forgets all it is told.

    So rows are still said, if need be again; what was written or answered in this event is not remembered.
    """
    try:
        connection.begin()
    except database.OperationalError:
        connection = _forgetful()
        connection.begin()
    return connection


def _forgetful() -> database.Connection:
    return database.connect(":memory:", SCHEMA, VERSION)


class Asked(Value):
    """A question about a row: the decision ("ask", "deny", "pass"), the mode, and the answer ("" until given)."""

    __slots__ = ("store", "row", "question", "decision", "mode", "answer")

    def __init__(self, store: str, row: str, question: str, decision: str, mode: str, answer: str) -> None:
        self.store = store
        self.row = row
        self.question = question
        self.decision = decision
        self.mode = mode
        self.answer = answer


class Session:
    """One session, within a transaction of the caller's."""

    def __init__(self, connection: database.Connection, key: str, session_id: str, generation: int, turn: int) -> None:
        self._db = connection
        self.key = key
        self.id = session_id
        self.generation = generation
        self.turn = turn

    # What the agent was told.

    def was_told(self, agent: str) -> set[RowKey]:
        """The rows that this agent need not hear again."""
        query = "SELECT store, row FROM delivered WHERE session = ? AND agent = ? AND armed = 0"
        return set(self._db.execute(query, (self.key, agent)).fetchall())

    def was_delivered(self) -> set[RowKey]:
        """The rows that were delivered to any agent of the session, whether or not they may be said again."""
        return set(self._db.execute("SELECT store, row FROM delivered WHERE session = ?", (self.key,)).fetchall())

    def deliver(self, agent: str, row: RowKey) -> None:
        """Note that the row reached the agent."""
        values = (self.key, agent, *row)
        self._db.execute("INSERT OR REPLACE INTO delivered VALUES (?, ?, ?, ?, 0)", values)
        self._db.execute("DELETE FROM held WHERE session = ? AND agent = ? AND store = ? AND row = ?", values)

    def speaks_for(self, row: RowKey, path: str) -> None:
        """Note a path through which a delivered row spoke: it is compared around shell commands."""
        self._db.execute("INSERT OR IGNORE INTO spoken_for VALUES (?, ?, ?, ?)", (self.key, *row, path))

    def spoken_paths(self) -> list[tuple[str, str, str]]:
        """(store, row, path) of what delivered rows spoke for."""
        found = self._db.execute("SELECT store, row, path FROM spoken_for WHERE session = ?", (self.key,))
        return [(store, row, database.text(path)) for store, row, path in found]

    def rearm(self, agent: str) -> None:
        """After a compaction: this agent may hear everything again."""
        self._db.execute("UPDATE delivered SET armed = 1 WHERE session = ? AND agent = ?", (self.key, agent))
        self._db.execute("DELETE FROM held WHERE session = ? AND agent = ?", (self.key, agent))

    def hold(self, agent: str, row: RowKey) -> None:
        """Keep a row that the budget cut for the next turn."""
        values = (self.key, agent, *row, self.turn)
        self._db.execute("INSERT OR REPLACE INTO held VALUES (?, ?, ?, ?, ?)", values)

    def held_now(self, agent: str) -> set[RowKey]:
        """The rows that the budget cut in this turn."""
        query = "SELECT store, row FROM held WHERE session = ? AND agent = ? AND turn = ?"
        return set(self._db.execute(query, (self.key, agent, self.turn)).fetchall())

    def tell_once(self, what: str) -> bool:
        """Whether this is the first time in the session that `what` is told."""
        return bool(self._db.execute("INSERT OR IGNORE INTO told VALUES (?, ?)", (self.key, what)).rowcount == 1)

    # What it wrote and was charged for.

    def write(self, row: RowKey, what: str) -> None:
        """Note a write of the row's anchor (a path, or "a command") in this turn; it opens a closed turn again."""
        self._db.execute("INSERT OR IGNORE INTO written VALUES (?, ?, ?, ?)", (self.key, *row, what))
        self._db.execute("UPDATE session SET unsettled = 1 WHERE key = ?", (self.key,))

    def written(self) -> dict[RowKey, str]:
        """The rows whose anchor was written and not yet settled, each with the first thing written."""
        found: dict[RowKey, str] = {}
        for store, row, what in self._db.execute(
            "SELECT store, row, what FROM written WHERE session = ? ORDER BY rowid", (self.key,)
        ):
            found.setdefault((store, row), database.text(what))
        return found

    def charged(self) -> set[RowKey]:
        """The rows that this session gave a ride."""
        return set(self._db.execute("SELECT store, row FROM charged WHERE session = ?", (self.key,)).fetchall())

    def charge(self, row: RowKey) -> None:
        """Note that the row has its ride of this session."""
        self._db.execute("INSERT OR IGNORE INTO charged VALUES (?, ?, ?)", (self.key, *row))

    def settle(self, rows: "set[RowKey] | None" = None) -> None:
        """Forget the written marks (of those rows, or all): the turn is closed."""
        for row in self.written() if rows is None else rows:
            self._db.execute("DELETE FROM written WHERE session = ? AND store = ? AND row = ?", (self.key, *row))
        self._db.execute("UPDATE session SET unsettled = 0 WHERE key = ?", (self.key,))

    def pay(self, row: RowKey) -> None:
        """Note a payment of this turn, to be looked at once more when the turn closes."""
        self._db.execute("INSERT OR REPLACE INTO paid VALUES (?, ?, ?, ?)", (self.key, *row, self.turn))

    def paid_this_turn(self) -> set[RowKey]:
        """The rows whose payment the program recorded in this turn."""
        query = "SELECT store, row FROM paid WHERE session = ? AND turn = ?"
        return set(self._db.execute(query, (self.key, self.turn)).fetchall())

    def is_new_call(self, call: str) -> bool:
        """Whether a tool call is seen writing for the first time, in whatever session a host repeats it under."""
        if not call:
            return True
        self._db.execute("INSERT OR IGNORE INTO call VALUES (?, ?)", (call, self.key))
        return bool(self._db.execute("SELECT session FROM call WHERE id = ?", (call,)).fetchone()[0] == self.key)

    # What the owner was asked.

    def ask(self, row: RowKey, question: str, decision: str, mode: str) -> bool:
        """Note a question about a row; whether it is the session's first about it."""
        first = not self._db.execute(
            "SELECT 1 FROM asked WHERE session = ? AND store = ? AND row = ?", (self.key, *row)
        ).fetchone()
        self._db.execute(
            "INSERT INTO asked VALUES (?, ?, ?, ?, ?, ?, '') ON CONFLICT DO UPDATE SET question = excluded.question, "
            "decision = excluded.decision, mode = excluded.mode",
            (self.key, *row, question, decision, mode),
        )
        return first

    def asked(self) -> list[Asked]:
        """The questions of the session."""
        query = "SELECT store, row, question, decision, mode, answer FROM asked WHERE session = ?"
        return [Asked(*record) for record in self._db.execute(query, (self.key,))]

    def answer(self, question: str, answer: str) -> None:
        """Note the owner's answer to all that a question counted."""
        query = "UPDATE asked SET answer = ? WHERE session = ? AND question = ?"
        self._db.execute(query, (answer, self.key, question))

    # Comparing files around a shell command.

    def remember_stamps(self, call: str, stamps: dict[str, str], head: str) -> None:
        """Keep what the files looked like before a command."""
        self._db.execute("DELETE FROM compared WHERE session = ? AND call = ?", (self.key, call))
        for path, stamp in stamps.items():
            self._db.execute("INSERT INTO compared VALUES (?, ?, ?, ?, ?)", (self.key, call, path, stamp, head))

    def take_stamps(self, call: str) -> tuple[dict[str, str], str]:
        """What was kept before the command of that call (path -> stamp) and HEAD then; forgotten by this."""
        query = "SELECT path, stamp, head FROM compared WHERE session = ? AND call = ?"
        found = self._db.execute(query, (self.key, call)).fetchall()
        self._db.execute("DELETE FROM compared WHERE session = ? AND call = ?", (self.key, call))
        return {database.text(path): stamp for path, stamp, _ in found}, found[0][2] if found else ""

    # Lines that the ledger gets when the turn closes.

    def add_line(self, row: RowKey, event: str, occurred: str, evidence: str) -> None:
        """Keep a line ("asked", "allowed", ...) until the turn's ledger file is written."""
        values = (self.key, *row, event, occurred, evidence)
        self._db.execute("INSERT INTO pending_line VALUES (?, ?, ?, ?, ?, ?)", values)
        self._db.execute("UPDATE session SET unsettled = 1 WHERE key = ?", (self.key,))

    def take_lines(self) -> list[tuple[str, str, str, str, str]]:
        """The kept lines as (store, row, event, occurred, evidence); forgotten by this."""
        query = "SELECT store, row, event, occurred, evidence FROM pending_line WHERE session = ? ORDER BY rowid"
        found = self._db.execute(query, (self.key,)).fetchall()
        self._db.execute("DELETE FROM pending_line WHERE session = ?", (self.key,))
        return [(*known, database.text(evidence)) for *known, evidence in found]

    # Other repositories.

    def note_elsewhere(self, root: str) -> None:
        """Note that the session touched another repository, whose turn is closed with this one's."""
        self._db.execute("INSERT OR IGNORE INTO elsewhere VALUES (?, ?)", (self.key, root))

    def elsewhere(self) -> list[str]:
        """The roots of the other repositories that the session touched."""
        query = "SELECT root FROM elsewhere WHERE session = ?"
        return [database.text(root) for (root,) in self._db.execute(query, (self.key,))]

    def next_turn(self, turn_id: str) -> None:
        """Open a new turn."""
        self.turn += 1
        self._db.execute("UPDATE session SET turn = ?, turn_id = ? WHERE key = ?", (self.turn, turn_id, self.key))


def enter(connection: database.Connection, session_id: str, host: str, worktree: str, now: float) -> Session:
    """The session of that id, begun now if it is new or was silent for too long; `now` in seconds."""
    found = connection.execute(
        "SELECT key, generation, seen, turn FROM session WHERE id = ? ORDER BY generation DESC LIMIT 1", (session_id,)
    ).fetchone()
    if found and now - found[2] < NEW_AFTER:
        connection.execute("UPDATE session SET seen = max(seen, ?) WHERE key = ?", (now, found[0]))
        return Session(connection, found[0], session_id, found[1], found[3])
    generation = found[1] + 1 if found else 0
    key = f"{session_id}#{generation}"
    values = (key, session_id, generation, host, worktree, now, now)
    connection.execute("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?, 1, '', 0)", values)
    return Session(connection, key, session_id, generation, 1)


def unsettled(connection: database.Connection, session: Session, worktree: str, now: float) -> list[Session]:
    """Whose turns are settled when a session starts: its former generations' and the tree's silent sessions'."""
    found = connection.execute(
        "SELECT key, id, generation, turn FROM session WHERE unsettled = 1 AND "
        "((id = ? AND key != ?) OR (id != ? AND worktree = ? AND seen < ?))",
        (session.id, session.key, session.id, worktree, now - SETTLED_BY_OTHERS_AFTER),
    ).fetchall()
    return [Session(connection, *record) for record in found]


def forget_old(connection: database.Connection, now: float) -> list[str]:
    """Drop the settled sessions that were silent for long; returns their ids."""
    old = connection.execute(
        "SELECT key, id FROM session WHERE unsettled = 0 AND seen < ?", (now - FORGOTTEN_AFTER,)
    ).fetchall()
    for key, _ in old:
        for table in _BY_SESSION:
            connection.execute(f"DELETE FROM {table} WHERE session = ?", (key,))
        connection.execute("DELETE FROM call WHERE session = ?", (key,))
        connection.execute("DELETE FROM session WHERE key = ?", (key,))
    return [session_id for _, session_id in old]


def saw_failing(connection: database.Connection, row: RowKey, condition: str) -> None:
    """Note that a row's condition was seen to fail here, so that it may be believed when it holds."""
    connection.execute("INSERT OR IGNORE INTO failing VALUES (?, ?, ?)", (*row, condition))


def was_seen_failing(connection: database.Connection, row: RowKey, condition: str) -> bool:
    """Whether it was."""
    query = "SELECT 1 FROM failing WHERE store = ? AND row = ? AND condition = ?"
    return connection.execute(query, (*row, condition)).fetchone() is not None


def stamps_of(paths: list[str]) -> dict[str, str]:
    """What each file looks like now: it changes when the file is written, replaced, made or removed."""
    found = {}
    for path in paths:
        try:
            status = os.stat(path)
            found[path] = f"{status.st_mtime_ns} {status.st_size} {status.st_ino}"
        except (OSError, ValueError):
            found[path] = "-"
    return found
