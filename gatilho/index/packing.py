"""The texts in which the index keeps triggers and conditions, and the fields that triggers are filed under."""

from gatilho.model import Condition, Trigger

FIELDS = {"path": 0, "glob": 0, "write": 0, "read": 0, "mark": 0, "cmd": 1, "prompt": 2, "start": 3}
# Where a trigger is filed that promises no three bytes: it is looked at for every text of its field.
NO_NEEDLE = -1
# Which rows speak. Compared one by one: a list of three is a table to SQLite.
IN_FORCE = "struck = 0 AND state != 'superseded' AND state != 'revoked' AND state != 'expired'"
_UNIT, _FIELD, _ESCAPE = "\x1f", "\x1e", "\x1d"


def triggers_in(text: str, subtree: str = "") -> tuple[Trigger, ...]:
    """Return the triggers that `triggers_text` wrote. subtree: the folder that their store is about."""
    parts = (part.partition(":") for part in text.split(_UNIT) if part)
    return tuple(Trigger(kind, pattern, subtree) for kind, _, pattern in parts)


def triggers_text(triggers: tuple[Trigger, ...]) -> str:
    """Return the triggers as one text for the database."""
    return _UNIT.join([f"{trigger.kind}:{trigger.pattern}" for trigger in triggers])


def conditions_in(text: str) -> tuple[Condition, ...]:
    """Return the conditions that `conditions_text` wrote."""
    if not text:
        return ()
    return tuple(Condition(*map(_unescaped, part.split(_FIELD))) for part in text.split(_UNIT) if part)


def packed_conditions(conditions: tuple[Condition, ...]) -> str:
    """Return conditions as one text for the database, from which they are had back without their grammar."""
    if not conditions:  # as in most cells
        return ""
    return _UNIT.join([_FIELD.join(map(_escaped, one.as_tuple())) for one in conditions])  # type: ignore[arg-type]


def conditions_text(conditions: tuple[Condition, ...]) -> str:
    """Return conditions as one text, by which they are known again."""
    return _UNIT.join(condition.text for condition in conditions)


def _escaped(text: str) -> str:
    """Return the text without the marks between texts: a cell may hold any character."""
    if text.isprintable():
        return text
    return text.replace(_ESCAPE, _ESCAPE + "d").replace(_FIELD, _ESCAPE + "e").replace(_UNIT, _ESCAPE + "f")


def _unescaped(text: str) -> str:
    if _ESCAPE not in text:
        return text
    return text.replace(_ESCAPE + "f", _UNIT).replace(_ESCAPE + "e", _FIELD).replace(_ESCAPE + "d", _ESCAPE)
