"""What single cells mean: numbers, the words for lifecycle and state, triggers."""

from gatilho.document.table import code_spans
from gatilho.model import Trigger

PREFIXES = ("path", "glob", "write", "read", "cmd", "prompt", "mark")

_LIFECYCLES = {
    "rule": "rule",
    "regra": "rule",
    "debt": "debt",
    "dívida": "debt",
    "di\u0301vida": "debt",
    "divida": "debt",
}

# Python refuses to read longer numbers; no count has ever been that long.
_LONGEST_NUMBER = 1000

_MARKUP = "*_`~ "


def read_number(text: str) -> int | None:
    """Read plain ASCII digits; None for anything else that is not empty, 0 for an empty cell."""
    text = text.strip()
    if not text:
        return 0
    if text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER:
        return int(text)
    return None


def read_lifecycle(text: str) -> str:
    """Return the lifecycle that a cell names: "rule" or "debt", "" where the word is unknown."""
    word = text.strip(_MARKUP)
    return _LIFECYCLES.get(word) or _LIFECYCLES.get(word.strip().casefold(), "")


def read_triggers(text: str) -> tuple[tuple[Trigger, ...], list[tuple[str, str, str]]]:
    """Read a trigger cell: its triggers, and what is wrong as (code, message, remedy).

    A cell without a code span is one bare trigger; its entities are decoded, for GitHub shows them decoded.
    """
    spans = code_spans(text)
    wrong: list[tuple[str, str, str]] = []
    if not spans and text.strip():
        message = "the trigger is not in a code span: a formatter may drop or double its backslashes"
        wrong.append(("GT112", message, f"put it in backticks: `{text}`"))
        if "&" in text:
            from gatilho.document.entities import decode_entities

            text = decode_entities(text)
        spans = [text.strip()]
    triggers = []
    for span in spans:
        trigger, problem = read_trigger(span)
        if trigger:
            triggers.append(trigger)
        if problem:
            wrong.append(problem)
    return tuple(triggers), wrong


def read_trigger(span: str) -> tuple[Trigger | None, tuple[str, str, str] | None]:
    """Read one trigger; None with a problem where it has no pattern and so would match everything."""
    head, colon, rest = span.partition(":")
    if not colon:
        word = span.strip()
        if word.lower() == "start":
            return Trigger("start", ""), None
        if not word:
            return None, ("GT114", "the trigger has no pattern", "write a regular expression in the code span")
        return Trigger("path", span.lstrip()), _entity(span)
    kind = head.strip().lower()
    if kind in PREFIXES:
        pattern = rest.lstrip()
        if not pattern:
            message = f"the trigger `{span}` has no pattern and is left out: it would match everything"
            return None, ("GT114", message, f"write a pattern after `{kind}:`, or remove the trigger")
        return Trigger(kind, pattern, ""), _entity(pattern)  # a record with all its values is made in half the time
    if kind == "start" and not rest.strip():
        return Trigger("start", ""), None
    if len(kind) > 1 and kind.isalpha():
        known = ", ".join(f"`{prefix}:`" for prefix in PREFIXES)
        message = f"`{kind}:` is not a kind of trigger: the whole text is taken as a pattern for paths"
        remedy = f"begin with one of {known}, or write `path: {span.strip()}` if a path with a colon is meant"
        return Trigger("path", span.lstrip()), ("GT113", message, remedy)
    return Trigger("path", span.lstrip()), _entity(span)


def _entity(pattern: str) -> tuple[str, str, str] | None:
    """Return the problem of an entity in a pattern: a code span shows it as it is written."""
    if "&" not in pattern or ";" not in pattern:
        return None
    from gatilho.document.entities import entities_in

    for entity, char in entities_in(pattern):
        name, written = ("a pipe", "\\|") if char == "|" else (char, char)
        message = f"the entity {entity} is plain text inside code, not {name}"
        return "GT115", message, f"write {written} instead"
    return None
