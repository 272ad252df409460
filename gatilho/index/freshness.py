"""Whether the index still says what the files say, and the configuration that it keeps; reading again is `refresh`."""

from gatilho.config import Conditions, Config, Corrections
from gatilho.git.root import Repository
from gatilho.hosts.wire import decode
from gatilho.index import database, signature


def bring_up_to_date(connection: database.Connection, repository: Repository, now: int) -> Config:
    """Make the database say what the files say; `now` in nanoseconds. Returns the configuration in force."""
    where = signature.whereabouts(repository.root)
    if not _is_fresh(connection, where):
        connection.begin()
        try:
            if not _is_fresh(connection, where):  # another process may have been faster
                from gatilho.index.refresh import Refresh

                Refresh(connection, repository, where, now).run()
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
    return config_of(meta(connection, "config"))


def _is_fresh(connection: database.Connection, where: str) -> bool:
    stamp = meta(connection, "stamp")
    if not stamp or meta(connection, "unsure"):
        return False
    return stamp == signature.stamp_of(signature.names_in(stamp), where)


def meta(connection: database.Connection, key: str) -> str:
    """What the index keeps under a key, "" for nothing."""
    found = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return database.text(found[0]) if found else ""


def config_of(text: str) -> Config:
    """The configuration that `refresh` kept as one line, so that the hook need not read TOML."""
    values = decode(text.encode())
    named = dict(zip(Config.__slots__, values))  # type: ignore[call-overload]
    named["stores"] = tuple(named["stores"])
    named["conditions"] = Conditions(*named["conditions"])
    named["corrections"] = Corrections(*named["corrections"])
    named["kinds"] = {kind: tuple(days) for kind, days in named["kinds"].items()}
    return Config(**named)
