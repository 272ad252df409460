"""Small SQLite files that can be thrown away: opened, made anew when foreign or broken, never fatal.

The C module is used directly: its Python wrapper adds a third to the cost of the import and nothing needed here.
"""

try:
    import _sqlite3 as sqlite
except ImportError:
    import sqlite3 as sqlite  # type: ignore[no-redef]

DatabaseError = sqlite.DatabaseError
OperationalError = sqlite.OperationalError
Connection = sqlite.Connection

# Marks our files among all SQLite files ("gati" in ASCII).
_APPLICATION = 0x67617469
# How long one process waits for the others, in seconds: fifty writers at once each hold the file for some milliseconds.
_WAIT = 10.0


def connect(path: str, schema: str, version: int) -> Connection:
    """A connection in autocommit mode to a database of that schema and version; in memory where the file cannot be.

    A file of another version, of another program or broken is removed and made anew.
    """
    try:
        return _opened(path, schema, version)
    except DatabaseError as error:
        if isinstance(error, OperationalError) and not _is_unusable(error):
            raise
    discard(path)
    try:
        return _opened(path, schema, version)
    except (DatabaseError, OSError):
        return _opened(":memory:", schema, version)


def discard(path: str) -> None:
    """Remove a database and what SQLite keeps beside it; what cannot be removed stays."""
    import os

    for suffix in ("", "-journal", "-wal", "-shm"):
        try:
            os.unlink(path + suffix)
        except OSError:
            pass


def _is_unusable(error: OperationalError) -> bool:
    """Whether the file cannot be opened or written at all, as against being busy."""
    text = str(error)
    return "unable to open" in text or "readonly" in text or "disk I/O" in text or "no such" in text


def _opened(path: str, schema: str, version: int) -> Connection:
    connection = sqlite.connect(path, timeout=_WAIT, isolation_level=None)
    # What a power cut loses here costs time and nothing else: all that counts is in the tables and the ledger.
    connection.execute("PRAGMA synchronous = OFF")
    found = connection.execute("PRAGMA application_id").fetchone()[0], _version(connection)
    if found == (_APPLICATION, version):
        return connection
    connection.execute("BEGIN IMMEDIATE")
    if _version(connection) == version and _application(connection) == _APPLICATION:  # another process was faster
        connection.execute("COMMIT")
        return connection
    if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        connection.execute("ROLLBACK")
        connection.close()
        raise DatabaseError("a database of another version")
    for statement in schema.split(";"):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute(f"PRAGMA user_version = {version}")
    connection.execute("COMMIT")
    return connection


def _version(connection: Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _application(connection: Connection) -> int:
    return int(connection.execute("PRAGMA application_id").fetchone()[0])
