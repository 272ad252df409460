"""What each session remembers: which rows it read, what it wrote, what it was charged for and asked about.

One database for all working trees of a repository; its transactions carry the promise "once per session". Losing it
costs what was said in open sessions and nothing else.
"""

from gatilho import system as os
from gatilho.dates import today
from gatilho.git.root import NEW_AFTER, Repository, leave_unread, lines_of_mark, live_mark
from gatilho.index import database
from gatilho.ladder.session import RowKey, Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gatilho.memory.metrics import SessionRecord

VERSION = 7
SCHEMA = """
CREATE TABLE session(key TEXT PRIMARY KEY, id TEXT, generation INTEGER, host TEXT, started REAL, seen REAL,
  turn INTEGER, turn_id TEXT, origin TEXT);
CREATE INDEX session_id ON session(id);
CREATE TABLE delivered(session TEXT, agent TEXT, store TEXT, row TEXT, armed INTEGER,
  UNIQUE(session, agent, store, row));
CREATE TABLE spoken_for(session TEXT, store TEXT, row TEXT, path TEXT, UNIQUE(session, store, row, path));
CREATE TABLE held(session TEXT, agent TEXT, store TEXT, row TEXT, turn INTEGER, UNIQUE(session, agent, store, row));
CREATE TABLE written(session TEXT, worktree TEXT, store TEXT, row TEXT, what TEXT,
  UNIQUE(session, worktree, store, row, what));
CREATE TABLE charged(session TEXT, store TEXT, row TEXT, UNIQUE(session, store, row));
CREATE TABLE asked(session TEXT, store TEXT, row TEXT, question TEXT, decision TEXT, mode TEXT, answer TEXT,
  UNIQUE(session, store, row, question));
CREATE TABLE paid(session TEXT, worktree TEXT, store TEXT, row TEXT, turn INTEGER,
  UNIQUE(session, worktree, store, row));
CREATE TABLE call(id TEXT, session TEXT, input TEXT, seen REAL, UNIQUE(id, session));
CREATE TABLE elsewhere(session TEXT, root TEXT, UNIQUE(session, root));
CREATE TABLE failing(store TEXT, row TEXT, condition TEXT, UNIQUE(store, row, condition));
CREATE TABLE doubted(store TEXT, row TEXT, condition TEXT, UNIQUE(store, row, condition));
CREATE TABLE told(session TEXT, what TEXT, UNIQUE(session, what));
CREATE TABLE outcome(session TEXT, store TEXT, row TEXT, about TEXT, result TEXT, day TEXT,
  UNIQUE(session, store, row, about));
CREATE TABLE transcript(session TEXT PRIMARY KEY, path TEXT);
CREATE TABLE pending_line(session TEXT, worktree TEXT, store TEXT, row TEXT, event TEXT, occurred TEXT, evidence TEXT);
CREATE TABLE waiting(number INTEGER PRIMARY KEY, worktree TEXT, what TEXT, goal TEXT)
"""
# What is noted of conditions: one that was seen to fail here may be believed when it holds; one that is doubted is
# believed only then, also where HEAD has it.
FAILING, DOUBTED = "failing", "doubted"
# A turn of another session that was silent this long may be settled by somebody else's start (seconds).
SETTLED_BY_OTHERS_AFTER = 3600
# How long another process may hold the sessions before this one goes on without them (seconds).
_WAIT = 1.2
# What a session does is noted so often (seconds): a call that only asks need not write, and the limits are hours.
_SEEN_AFTER = 20
# Old sessions and their marks are dropped after this (seconds), at the start of a session; marks once a day.
FORGOTTEN_AFTER = 7 * 86400
_SWEPT_EVERY = 86400
_AT_ONCE = getattr(os, "O_NONBLOCK", 0)  # no one waits for a reader of a FIFO
_BY_SESSION = (
    "delivered", "spoken_for", "held", "written", "charged", "asked", "paid", "call", "elsewhere", "told",
    "pending_line", "outcome", "transcript",
)  # fmt: skip
_IS_OPEN = (
    "key IN (SELECT session FROM written WHERE worktree = ? UNION SELECT session FROM pending_line WHERE worktree = ?)"
)


def open_in(folder: str) -> database.Connection:
    """Return the database in a folder, which is made if it can be; nothing is remembered where it cannot be written."""
    database.make_folder(folder)
    try:
        connection = database.connect(folder + "/sessions.db", SCHEMA, VERSION, _WAIT)
        if connection.replaces_broken:
            leave_unread(folder)  # what the open turns wrote is lost
        return connection
    except database.OperationalError as error:
        return _forgetful(error)


class Transaction:
    """A transaction of the sessions in a folder; used in a `with` block, which closes the database as well."""

    def __init__(self, folder: str) -> None:
        self._connection = open_in(folder)

    def __enter__(self) -> database.Connection:
        self._connection = begin(self._connection)
        return self._connection

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            self._connection.execute("ROLLBACK" if kind else "COMMIT")
        finally:
            self._connection.close()


def begin(connection: database.Connection) -> database.Connection:
    """Begin a transaction. While a stuck process holds the file, in another connection, which forgets everything.

    So rows are still said, if need be again; what was written or answered in this event is not remembered.
    """
    try:
        connection.begin()
    except database.OperationalError as error:
        connection.close()
        connection = _forgetful(error)
        connection.begin()
    return connection


def _forgetful(error: Exception) -> database.Connection:
    connection = database.connect(database.MEMORY, SCHEMA, VERSION)
    connection.fault = "" if database.is_held(error) else str(error)
    return connection


def enter(
    connection: database.Connection, session_id: str, host: str, worktree: str, now: float, last_sign: float = 0.0
) -> Session:
    """Return the session of that id, begun now if it is new or was silent for too long.

    now: seconds. last_sign: when it last did something that concerned no row, 0 where that is unknown.
    """
    found = connection.execute(
        "SELECT key, generation, turn, seen FROM session WHERE id = ? ORDER BY generation DESC LIMIT 1", (session_id,)
    ).fetchone()
    if found and now - max(found[3], last_sign) < NEW_AFTER:
        if now - found[3] > _SEEN_AFTER:
            connection.execute("UPDATE session SET seen = max(seen, ?) WHERE key = ?", (now, found[0]))
        return Session(connection, found[0], session_id, found[1], found[2], now, worktree)
    generation = found[1] + 1 if found else 0
    key = f"{session_id}#{generation}"
    values = (key, session_id, generation, host, now, now)
    connection.execute("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, 1, '', '')", values)
    return Session(connection, key, session_id, generation, 1, now, worktree)


def last_sign_of(folder: str, session_id: str) -> float:
    """Return when a session last did something that concerned no row (seconds; 0 where that is unknown)."""
    try:
        return os.stat(live_mark(folder, session_id)).st_mtime
    except (OSError, ValueError):
        return 0.0


def renew_sign(folder: str, session_id: str) -> None:
    """Let a session's mark, if there is one, say that it goes on at this moment."""
    try:
        os.utime(live_mark(folder, session_id))
    except (OSError, ValueError):
        pass


def mark_live(folder: str, session_id: str, spoken_for: "Iterable[str]" = ()) -> None:
    """Note in a state folder that rows were delivered in the session, for which paths, and that it goes on now."""
    mark = live_mark(folder, session_id)
    known = frozenset(lines_of_mark(mark))
    lines = "".join(f"{path}\n" for path in dict.fromkeys(spoken_for) if path not in known and "\n" not in path)
    try:
        database.make_folder(mark.rpartition("/")[0])
        handle = os.open(mark, os.O_WRONLY | os.O_CREAT | os.O_APPEND | _AT_ONCE, 0o666)
        try:
            os.write(handle, lines.encode("utf-8", "surrogateescape"))
        finally:
            os.close(handle)
        os.utime(mark)
    except (OSError, ValueError):
        pass  # a read-only git directory: nothing is remembered there


def former_turns(connection: database.Connection, session: Session) -> list[Session]:
    """Return what the session left open in the working tree before the silence after which it counts as a new one."""
    return _open_turns(connection, session, "id = ? AND key != ?", (session.id, session.key))


def others_turns(connection: database.Connection, session: Session) -> list[Session]:
    """Return what other sessions left open in the working tree."""
    return _open_turns(connection, session, "id != ?", (session.id,))


def _open_turns(
    connection: database.Connection, session: Session, whose: str, values: tuple[str, ...]
) -> list[Session]:
    query = f"SELECT key, id, generation, turn, seen, origin FROM session WHERE {whose} AND {_IS_OPEN}"
    found = connection.execute(query, (*values, session.worktree, session.worktree)).fetchall()
    return [
        Session(connection, key, session_id, generation, turn, seen, session.worktree, database.text_of_value(origin))
        for key, session_id, generation, turn, seen, origin in found
    ]


def roots_elsewhere(connection: database.Connection, session_id: str) -> list[str]:
    """Return the roots of the other repositories that a session touched."""
    query = "SELECT DISTINCT root FROM elsewhere WHERE session IN (SELECT key FROM session WHERE id = ?)"
    return [database.text_of_value(root) for (root,) in connection.execute(query, (session_id,)).fetchall()]


def abandoned_roots(connection: database.Connection, now: float) -> list[str]:
    """Return the roots of those that sessions touched which are silent since; forgotten by this."""
    values = (now - SETTLED_BY_OTHERS_AFTER,)
    of_silent = "session IN (SELECT key FROM session WHERE seen < ?)"
    found = connection.execute(f"SELECT DISTINCT root FROM elsewhere WHERE {of_silent}", values).fetchall()
    connection.execute(f"DELETE FROM elsewhere WHERE {of_silent}", values)
    return [database.text_of_value(root) for (root,) in found]


def forget_old(connection: database.Connection, now: float) -> "tuple[list[str], list[SessionRecord]]":
    """Drop the sessions that were silent for long and left nothing open; return their ids and what figures need."""
    is_open = "key IN (SELECT session FROM written UNION SELECT session FROM pending_line)"
    query = f"SELECT key, id FROM session WHERE seen < ? AND NOT {is_open}"
    old = connection.execute(query, (now - FORGOTTEN_AFTER,)).fetchall()
    records = session_records(connection, [key for key, _ in old]) if old else []
    for key, _ in old:
        for table in _BY_SESSION:
            connection.execute(f"DELETE FROM {table} WHERE session = ?", (key,))
        connection.execute("DELETE FROM session WHERE key = ?", (key,))
    return [session_id for _, session_id in old], records


def session_records(connection: database.Connection, keys: "list[str] | None" = None) -> "list[SessionRecord]":
    """Return what figures need of sessions (None: of all)."""
    from gatilho.ledger.lines import session_hash
    from gatilho.memory.metrics import RowOutcome, SessionRecord

    found = []
    query = "SELECT key, id, generation, host, started FROM session ORDER BY started"
    for key, session_id, generation, host, started in connection.execute(query).fetchall():
        if keys is not None and key not in keys:
            continue
        heard = connection.execute("SELECT DISTINCT store, row FROM delivered WHERE session = ?", (key,)).fetchall()
        said = "SELECT store, row, about, result, day FROM outcome WHERE session = ?"
        outcomes = connection.execute(said, (key,)).fetchall()
        path = connection.execute("SELECT path FROM transcript WHERE session = ?", (key,)).fetchone()
        record = SessionRecord(
            session_hash(session_id, generation), host, today(started), tuple(map(tuple, heard)),
            tuple(RowOutcome(*one) for one in outcomes), database.text_of_value(path[0]) if path else "",
        )  # fmt: skip
        found.append(record)
    return found


def live_records(folder: str) -> "list[SessionRecord]":
    """Return what figures need of the sessions that a folder remembers."""
    connection = open_in(folder)
    try:
        return session_records(connection)
    finally:
        connection.close()


def sweep_marks(repository: Repository, now: float) -> None:
    """Remove what sessions that fell silent long ago left in files, whether or not the database still knows them.

    At most once a day, for every file is looked at.
    """
    from gatilho.index import watched

    stamp = f"{repository.own_state}/swept"
    try:
        if now - os.stat(stamp).st_mtime < _SWEPT_EVERY:
            return
    except OSError:
        pass
    try:
        os.close(os.open(stamp, os.O_WRONLY | os.O_CREAT | _AT_ONCE, 0o666))
        os.utime(stamp)
    except OSError:
        return  # a read-only git directory
    for folder in (f"{repository.shared_state}/live", repository.own_state + watched.FOLDER):
        try:
            with os.scandir(folder) as marks:
                for mark in marks:
                    if now - mark.stat().st_mtime > FORGOTTEN_AFTER:
                        os.unlink(mark.path)
        except OSError:
            pass  # there are none, or another process removes them


def note_condition(connection: database.Connection, table: str, row: RowKey, condition: str) -> None:
    """Note of a row's condition that it was seen FAILING or is DOUBTED: the tables of these names say what follows."""
    connection.execute(f"INSERT OR IGNORE INTO {table} VALUES (?, ?, ?)", (*row, condition))


def is_condition_noted(connection: database.Connection, table: str, row: RowKey, condition: str) -> bool:
    """Return whether that was noted of a row's condition."""
    query = f"SELECT 1 FROM {table} WHERE store = ? AND row = ? AND condition = ?"
    return connection.execute(query, (*row, condition)).fetchone() is not None


def seen_failing(folder: str) -> "frozenset[tuple[str, ...]]":
    """Return the conditions that were noted as FAILING in a folder, as (store, id, condition)."""
    connection = open_in(folder)
    try:
        found = connection.execute("SELECT store, row, condition FROM failing").fetchall()
        return frozenset(tuple(map(database.text_of_value, one)) for one in found)
    finally:
        connection.close()
