"""Whether the index still says what the files say, and the configuration that it keeps; reading again is `refresh`."""

from gatilho.config import Conditions, Config, Corrections
from gatilho.index import database, signature
from gatilho.wire import decode


def fresh_stamp(connection: database.Connection, where: str) -> tuple[str, str]:
    """Return the stamp and the configuration that are kept; "" for the stamp where the files say something else."""
    found = connection.execute("SELECT key, value FROM meta WHERE key IN ('stamp', 'unsure', 'config')").fetchall()
    kept = {key: database.text_of_value(value) for key, value in found}
    stamp = kept.get("stamp", "")
    if not stamp or kept.get("unsure") or stamp != signature.stamp_of(signature.stamped_names(stamp), where):
        return "", ""
    return stamp, kept["config"]


def meta(connection: database.Connection, key: str) -> str:
    """Return what the index keeps under a key, "" for nothing."""
    found = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return database.text_of_value(found[0]) if found else ""


def config_of(text: str) -> Config:
    """Return the configuration that `refresh` kept as one line, so that the hook need not read TOML."""
    values = decode(text.encode())
    named = dict(zip(Config.__fields__, values))  # type: ignore[call-overload]
    named["stores"] = tuple(named["stores"])
    named["packs"] = tuple(map(tuple, named["packs"]))
    named["conditions"] = Conditions(*named["conditions"])
    named["corrections"] = Corrections(*named["corrections"])
    named["kinds"] = {kind: tuple(days) for kind, days in named["kinds"].items()}
    named["tools"] = {tool: (does, tuple(paths)) for tool, (does, paths) in named.get("tools", {}).items()}
    return Config(**named)
