"""Small SQLite files that can be thrown away: opened, made anew when foreign or broken, never fatal.

The C module is used directly: its Python wrapper adds a third to the cost of the import and nothing needed here.
"""

import sys
import time

from gatilho import bounded, system

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3 as sqlite
    from collections.abc import Sequence
    from typing import Any


def _import_sqlite():  # type: ignore[no-untyped-def]
    """Import SQLite's C module, whose own import of `functools` would take longer than all else that a hook does.

    It wants nothing but `lru_cache` from there, and the C function after that is at hand. Where an interpreter is
    built otherwise, the ordinary import follows.
    """
    if "functools" in sys.modules:
        import _sqlite3

        return _sqlite3
    from _functools import _lru_cache_wrapper  # type: ignore[import-not-found]

    stand_in = type(sys)("functools")
    stand_in.lru_cache = lambda size: lambda call: _lru_cache_wrapper(call, size, False, tuple)  # type: ignore[attr-defined]
    sys.modules["functools"] = stand_in
    try:
        import _sqlite3
    finally:
        del sys.modules["functools"]
    return _sqlite3


if not TYPE_CHECKING:
    try:
        sqlite = _import_sqlite()
    except (ImportError, AttributeError):
        import sqlite3 as sqlite

DatabaseError = sqlite.DatabaseError
OperationalError = sqlite.OperationalError

# The path of a database that is kept nowhere.
MEMORY = ":memory:"
# Marks our files among all SQLite files ("gati" in ASCII).
_APPLICATION = 0x67617469
# Seconds that one process waits for another that holds the file, by default. In a crowd, where the
# file goes on changing, it waits longer: fifty writers at once each hold the file for some milliseconds.
_WAIT = 0.6
_LONGEST_WAIT = 10.0


class Connection(sqlite.Connection):
    """SQLite's own, which also keeps text that has no UTF-8, such as a file name in Latin-1; `text` reads it back.

    path: its file. fault: why it is one in memory that forgets, "" where it is not, or another process holds the file.
    replaces_broken: it was made anew, and what the old one held is lost.
    """

    path = ""
    fault = ""
    replaces_broken = False

    def execute(self, query: str, values: "Sequence[Any]" = ()) -> "sqlite.Cursor":  # type: ignore[override]
        try:
            return super().execute(query, values)
        except UnicodeEncodeError:
            return super().execute(query, _bound(values))

    def begin(self) -> None:
        """Begin a transaction that writes; raises OperationalError when whoever holds the file is stuck."""
        deadline = time.monotonic() + _LONGEST_WAIT
        while True:
            seen = self._changed()
            try:
                self.execute("BEGIN IMMEDIATE")
                return
            except OperationalError:
                if self._changed() == seen or time.monotonic() > deadline:
                    raise

    def _changed(self) -> int:
        try:
            return system.stat(self.path).st_mtime_ns
        except OSError:
            return 0


def text_of_value(value: "str | bytes") -> str:
    """Return a text as it was before it was kept."""
    return value if isinstance(value, str) else value.decode("utf-8", "surrogatepass")


def _bound(values: "Sequence[object]") -> "list[Any]":
    return [_kept(value) if isinstance(value, str) and not value.isascii() else value for value in values]


def _kept(value: str) -> "str | bytes":
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-8", "surrogatepass")
    return value


class _AnotherVersion(DatabaseError):
    """A database of another version, or of another program."""


class InMemory:
    """A block in which every database is one in memory: a fault that came in the middle of an event is not met twice.

    What SQLite calls malformed is removed, so that the next event begins anew.
    """

    fault = ""

    def __init__(self, fault: Exception) -> None:
        self._words = str(fault) or type(fault).__name__
        if isinstance(fault, DatabaseError) and not isinstance(fault, OperationalError):
            for path in _last_opened:
                if _is_malformed(path):
                    discard(path)

    def __enter__(self) -> None:
        InMemory.fault = self._words

    def __exit__(self, *_: object) -> None:
        InMemory.fault = ""


_last_opened: list[str] = []


def _is_malformed(path: str) -> bool:
    connection = sqlite.connect(path, timeout=_WAIT)
    try:
        return bool(connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",))
    except OperationalError:
        return False
    except DatabaseError:
        return True
    finally:
        connection.close()


def connect(path: str, schema: str, version: int, wait: float = _WAIT) -> Connection:
    """Return a connection in autocommit mode to a database of that schema and version, else to one in memory.

    wait: seconds until another process that holds the file, and leaves it as it is, counts as stuck.

    A file of another version, of another program or broken is removed and made anew. Raises OperationalError where it
    can be neither used nor called broken.
    """
    if InMemory.fault:
        connection = _opened(MEMORY, schema, version)
        connection.fault = InMemory.fault
        return connection
    is_broken = False
    try:
        return _opened(path, schema, version, wait)
    except OperationalError as error:
        if not _is_without_schema(error):
            raise  # it is held, full, read-only or out of reach, and may be whole: nothing is thrown away for that
    except _AnotherVersion:
        pass
    except DatabaseError:
        is_broken = True
    discard(path)
    try:
        connection = _opened(path, schema, version, wait)
        connection.replaces_broken = is_broken
        return connection
    except (DatabaseError, OSError):
        return _opened(MEMORY, schema, version)


def copy_into(connection: Connection, path: str) -> None:
    """Fill an empty database with what another of its schema and version holds, where that can be read now."""
    try:
        system.stat(path)
        source = sqlite.connect(path, timeout=_WAIT, isolation_level=None, factory=Connection)
    except (OSError, DatabaseError):
        return
    try:
        source.execute("BEGIN")  # a read, so that the copy has to wait for no one
        if (_application(source), _version(source)) == (_application(connection), _version(connection)):
            source.backup(connection)
    except DatabaseError:
        pass
    finally:
        source.close()


def make_folder(path: str) -> None:
    """Make the folder of a database; where that cannot be, the database will be made in memory, each time."""
    try:
        system.stat(path)
    except OSError:
        import os

        try:
            os.makedirs(path, exist_ok=True)
        except OSError:
            pass


def discard(path: str) -> None:
    """Remove a database and what SQLite keeps beside it; what cannot be removed stays."""
    for suffix in ("", "-journal", "-wal", "-shm"):
        bounded.remove_quietly(path + suffix)


def is_held(error: object) -> bool:
    """Return whether a fault, or its words, says that another process holds the file."""
    return "locked" in str(error) or "busy" in str(error)


def _is_without_schema(error: OperationalError) -> bool:
    return "no such" in str(error)


def _opened(path: str, schema: str, version: int, wait: float = _WAIT) -> Connection:
    connection = sqlite.connect(path, timeout=wait, isolation_level=None, factory=Connection)
    connection.path = path
    if path != MEMORY:
        _last_opened.append(path)
    try:
        _prepare(connection, schema, version)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: Connection, schema: str, version: int) -> None:
    # What a power cut loses here costs time and nothing else: all that counts is in the tables and the ledger.
    connection.execute("PRAGMA synchronous = OFF")
    found = connection.execute("PRAGMA application_id").fetchone()[0], _version(connection)
    if found == (_APPLICATION, version):
        return
    connection.begin()
    if _version(connection) == version and _application(connection) == _APPLICATION:  # another process was faster
        connection.execute("COMMIT")
        return
    if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise _AnotherVersion
    for statement in schema.split(";"):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute(f"PRAGMA user_version = {version}")
    connection.execute("COMMIT")


def _version(connection: Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _application(connection: Connection) -> int:
    return int(connection.execute("PRAGMA application_id").fetchone()[0])
