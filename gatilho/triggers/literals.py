"""Needles: text that every match of a pattern must contain, so that most patterns are ruled out without an engine.

Sound for the `regex` package in its default version: where a construct leaves any doubt, nothing is promised.
"""

from gatilho.triggers.paths import normalise
from gatilho.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.model import Trigger

_SPECIAL = frozenset("()|?*+{^$.[\\")
_ALNUM = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
# In front of a plain glob, which decides its trigger.
GLOB = "glob:"
_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


class Analysis(Value):
    """What can be promised about a pattern.

    needle: text that every match contains, "" when none can be promised; the longest of `pieces`, all such texts.
    plain: "is", "starts", "ends" or "has" when the needle alone decides a search without flags (`holds`), else "".
    folded: needle and pieces are in small letters and meant for text lowered by `lower_ascii`.
    """

    needle: str = ""
    plain: str = ""
    folded: bool = False
    pieces: tuple[str, ...] = ()


def analyse(pattern: str) -> Analysis:
    """Say what every match of the pattern must contain; an invalid pattern promises nothing."""
    return _analyse_plain(pattern) or _analyse_parsed(pattern)


def searched_pattern(trigger: "Trigger") -> str | None:
    """Return a trigger's search pattern, with globs translated and letters composed; None for an invalid glob.

    Whatever the translation of one glob runs into costs its trigger, and never the index of the others.
    """
    pattern = normalise(trigger.pattern)
    if trigger.kind != "glob":
        return pattern
    from gatilho.triggers.globs import glob_to_regex

    try:
        return glob_to_regex(pattern)
    except Exception:
        return None


def lower_ascii(text: str) -> str:
    """Return the text with A to Z lowered and every other character kept, as folded needles want it."""
    return text.lower() if text.isascii() else text.translate(_LOWER)


def holds(plain: str, needle: str, text: str) -> bool:
    """Decide a plain pattern as the engine would; `is` and `ends` also match before one final newline.

    `glob` and what is written after its colon decide a plain glob.
    """
    if plain == "has":
        return needle in text
    if plain == "starts":
        return text.startswith(needle)
    if plain == "is":
        return text == needle or text == needle + "\n"
    if plain == "ends":
        return text.endswith((needle, needle + "\n"))
    if plain.startswith(GLOB):
        from gatilho.triggers.plain_globs import parts_of, takes

        parts = parts_of(plain[len(GLOB) :])
        return parts is not None and takes(parts, text)
    raise AssertionError(f"not a way to decide a plain pattern: {plain!r}")


def _analyse_plain(pattern: str) -> Analysis | None:
    """Read a pattern of characters, escaped punctuation and outer anchors; None when there is more to it."""
    folded = pattern.startswith("(?i)")
    body = pattern[4:] if folded else pattern
    # Cutting at backslashes, as below, would take the second of two for the start of an escape.
    if "\\\\" in body:
        return None
    at_start = body.startswith("^")
    at_end = body.endswith("$") and not body.endswith("\\$")
    body = body[at_start : len(body) - at_end]
    if "\\" in body:
        first, *rest = body.split("\\")
        for part in rest:
            if not part or part[0] in _ALNUM:
                return None
        # Without the escaped marks, so that only those with a meaning are looked for below.
        unescaped = first + "".join([part[1:] for part in rest])
        text = first + "".join(rest)
    else:
        unescaped = text = body
    if not text or not _SPECIAL.isdisjoint(unescaped):
        return None
    if folded:
        from gatilho.triggers.runs import CASED_BEYOND_ASCII

        if not text.isascii() or not CASED_BEYOND_ASCII.isdisjoint(text):
            return None
        text = text.lower()
    plain = ("is" if at_end else "starts") if at_start else ("ends" if at_end else "has")
    return Analysis(text, plain, folded, (text,))


def _analyse_parsed(pattern: str) -> Analysis:
    # Who decides plain patterns reads none.
    from gatilho.triggers.pattern_reader import InDoubt, read_runs

    try:
        runs, folded = read_runs(pattern)
    except InDoubt:
        return Analysis()
    # One part that ignores case makes all of it be compared in small letters: less exact, and never wrong.
    pieces = tuple(dict.fromkeys([lower_ascii(run) if folded else run for run in runs if run]))
    return Analysis(max(pieces, key=len, default=""), "", folded and bool(pieces), pieces)
