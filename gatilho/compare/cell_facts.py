"""What is different in the cells that people write: notes, triggers, conditions and the rest."""

from collections.abc import Callable, Iterator

from gatilho.compare.facts import PROSE, Fact, Quote, Words, listed, quoted
from gatilho.model import Condition, Row, Trigger
from gatilho.plain import counted

# How many tracked files some triggers match; None where none of them is about paths, or no file is tracked.
Count = Callable[[tuple[Trigger, ...]], int | None]

_DECLARED = "a person strikes its id"
_OTHER = ("kind", "key", "owner", "added", "expires", "not_before", "ask_after", "holds_while", "violated_when")


def uncounted(triggers: tuple[Trigger, ...]) -> None:
    """Count nothing, for where the number is not read."""


def cell_facts(before: Row, after: Row, count_before: Count, count_after: Count) -> Iterator[Fact]:
    """Yield the differences between two versions of a row except its rides and its state."""
    if before.id != after.id:
        yield Fact("renamed", ("renamed from ", Quote(before.id)), before=before.id, after=after.id)
    if before.lifecycle != after.lifecycle:
        text = f"{before.lifecycle} -> {after.lifecycle}{': it never asks again' if before.is_debt else ''}"
        yield Fact("lifecycle", (text,), before=before.lifecycle, after=after.lifecycle)
    if before.note != after.note:
        words: Words = ("note reworded: ", quoted(before.note, PROSE), " -> ", quoted(after.note, PROSE))
        yield Fact("reworded", words, before=before.note, after=after.note)
    if before.triggers != after.triggers:
        yield from _trigger_fact(before, after, count_before, count_after)
    if [one.text for one in before.conditions] != [one.text for one in after.conditions]:
        words = ("paid when: ", *_conditions(before.conditions), " -> ", *_conditions(after.conditions))
        yield Fact("condition", words, before=_joined(before.conditions), after=_joined(after.conditions))
    yield from _other_facts(before, after)
    if before.file != after.file:
        yield Fact("moved", ("moved from ", Quote(before.file)), before=before.file, after=after.file)


def trigger_words(triggers: tuple[Trigger, ...], count: Count) -> Words:
    """Return the triggers, and how many tracked files they match."""
    if not triggers:
        return ("no trigger",)
    matched = count(triggers)
    files = "" if matched is None else f" ({counted(matched, 'tracked file')})"
    return (*listed([str(trigger) for trigger in triggers]), files)


def condition_words(conditions: tuple[Condition, ...]) -> Words:
    """Return what pays the debt."""
    return ("paid when: ", *_conditions(conditions))


def _trigger_fact(before: Row, after: Row, count_before: Count, count_after: Count) -> Iterator[Fact]:
    """Yield a change of triggers, in another store too, where they may match fewer files by the same text."""
    old, new = trigger_words(before.triggers, count_before), trigger_words(after.triggers, count_after)
    if old == new:
        return
    lost = bool(count_before(before.triggers)) and not count_after(after.triggers)
    yield Fact(
        "trigger", ("trigger: ", *old, " -> ", *new), before=_joined(before.triggers), after=_joined(after.triggers),
        own_severity="warning" if lost else "",
    )  # fmt: skip


def _other_facts(before: Row, after: Row) -> Iterator[Fact]:
    for name in _OTHER:
        old, new = (_text(getattr(row, name)) for row in (before, after))
        if old != new:
            words = (f"{name.replace('_', ' ')}: ", quoted(old), " -> ", quoted(new))
            yield Fact("cell", words, before=old, after=new)


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return _joined(value)
    return "" if value is None else str(value)


def _joined(parts: tuple[object, ...]) -> str:
    return " ".join(f"`{part}`" for part in parts)


def _conditions(conditions: tuple[Condition, ...]) -> Words:
    return listed([condition.text for condition in conditions]) if conditions else (_DECLARED,)
