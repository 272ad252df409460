"""The texts in which the index keeps triggers and conditions, and the fields that triggers are filed under."""

from gatilho.model import Condition, Trigger

FIELDS = {"path": 0, "glob": 0, "write": 0, "read": 0, "cmd": 1, "prompt": 2, "start": 3}
# Where a trigger is filed that promises no three bytes: it is looked at for every text of its field.
NO_NEEDLE = -1
_UNIT = "\x1f"


def triggers_in(text: str) -> tuple[Trigger, ...]:
    """The triggers that `triggers_text` wrote."""
    return tuple(Trigger(*part.split(":", 1)) for part in text.split(_UNIT) if part)


def triggers_text(triggers: tuple[Trigger, ...]) -> str:
    """Triggers as one text for the database."""
    return _UNIT.join(f"{trigger.kind}:{trigger.pattern}" for trigger in triggers)


def conditions_in(text: str) -> tuple[Condition, ...]:
    """The conditions that `conditions_text` wrote."""
    if not text:
        return ()
    from gatilho.conditions.grammar import parse_conditions

    return parse_conditions(text.split(_UNIT))[0]


def conditions_text(conditions: tuple[Condition, ...]) -> str:
    """Conditions as one text for the database."""
    return _UNIT.join(condition.text for condition in conditions)
