"""Whether the index still says what the files say, and the configuration that it keeps; reading again is `refresh`."""

from gatilho.config import Conditions, Config, Corrections
from gatilho.hosts.wire import decode
from gatilho.store import database, signature


def is_fresh(connection: database.Connection, where: str) -> bool:
    """Return whether the database says what the files say, by their stamp."""
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
