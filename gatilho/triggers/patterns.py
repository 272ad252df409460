"""Patterns as the `regex` engine runs them: bounded in size and in time, and never louder than a note in a budget."""

import sys
from time import process_time

from gatilho.triggers.budget import Budget

__all__ = [
    "Budget", "compile_problem", "count_matches_in", "counts_of", "search_each", "first_match", "matches_empty",
    "search", "tokens",
]  # fmt: skip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    import regex

# Compiling cannot be interrupted: 4,000 characters take up to 50 ms, and the engine writes counted repeats out.
LONGEST_PATTERN = 4_000
LARGEST_EXPANSION = 20_000
_MOST_COMPILED = 1_000
_COMPILED: "dict[tuple[str, bool, bool], regex.Pattern[Any]]" = {}
_SHORTEST_SEARCH = 0.001
# A group that calls itself for ever takes a megabyte each millisecond, and is given no more time than that allows.
_LONGEST_CALL = 0.02

# The engine's own messages name what is wrong, but not always so that a reader of a table knows it.
_FAULTS = {
    RecursionError: "groups are nested too deeply",
    MemoryError: "it needs too much memory",
}


def search(pattern: str, text: str, budget: Budget) -> bool:
    """Say whether the pattern is found in the text; a search without time and an invalid pattern find nothing."""
    return first_match(pattern, text, budget) is not None


def first_match(pattern: str, text: str | bytes, budget: Budget, multiline: bool = False) -> tuple[int, int] | None:
    """Find the first match as (start, end); with `multiline`, `^` and `$` are those of each line.

    Bytes are searched with the UTF-8 bytes of the pattern, and ASCII's idea of letters and digits.
    """
    if budget.left <= 0:
        _note(budget.skipped, pattern)
        return None
    try:
        return _find(pattern, text, budget, budget.left, multiline)
    except TimeoutError:
        _note(budget.timed_out, pattern)
        return None


def count_matches_in(pattern: str, text: str | bytes, budget: Budget) -> int | None:
    """Return how often a valid pattern is found, with `^` and `$` for each line; None where the time is over."""
    started = process_time()
    try:
        compiled = _compile(pattern, True, isinstance(text, bytes))
        return sum(1 for _ in compiled.finditer(text, timeout=max(budget.left, _SHORTEST_SEARCH)))  # type: ignore[arg-type]
    except TimeoutError:
        _note(budget.timed_out, pattern)
        return None
    finally:
        budget.left -= process_time() - started


def search_each(pairs: "Sequence[tuple[str, str]]", budget: Budget) -> list[bool]:
    """Search each pattern in its text, so that a runaway pattern never costs another its answer.

    The first round may spend half of the budget in equal parts, which is plenty for ordinary patterns; those that ran
    out share the rest. Pairs that `needles.holds` decides need no engine and do not belong here.
    """
    answers = [False] * len(pairs)
    waiting = list(range(len(pairs)))
    for share in (0.5, 1.0):
        waiting = _decide_round(pairs, waiting, share, budget, answers)
    for number in waiting:
        _note(budget.timed_out, pairs[number][0])
    return answers


def compile_problem(pattern: str) -> tuple[str, int] | None:
    """Say why the pattern cannot be used, as (message, column from 1); None when it can."""
    try:
        _compile(pattern, False)
    except Exception as error:
        return _explain(error), _column(error)
    return None


def matches_empty(pattern: str) -> bool:
    """Say whether the pattern matches the empty text, and so says nothing about any text."""
    return search(pattern, "", Budget(0.1))


def tokens(pattern: str) -> "Iterator[str]":
    """Cut a pattern into escapes (two characters), sets, counted quantifiers and single characters."""
    position = 0
    while position < len(pattern):
        end = position + 1
        character = pattern[position]
        if character == "\\":
            end += 1
        elif character == "[":
            end = _set_end(pattern, position)
        elif character == "{":
            closing = pattern.find("}", end)
            if counts_of(pattern[position : closing + 1]):
                end = closing + 1
        yield pattern[position:end]
        position = end


def counts_of(token: str) -> tuple[int, int | None] | None:
    """Return the least and the most of a quantifier's token (None for no limit); None when it is no quantifier."""
    if token in ("?", "*", "+"):
        return (1 if token == "+" else 0), (1 if token == "?" else None)
    # Verbose mode allows blanks between the digits.
    counts = "".join(token.split())
    least, comma, most = counts[1:-1].partition(",")
    bare = counts == "{,}" or (least + most).isdecimal()
    if not bare or len(counts) < 3 or counts[0] != "{" or counts[-1] != "}":
        return None
    return int(least or 0), int(most) if most else (None if comma else int(least))


def _decide_round(
    pairs: "Sequence[tuple[str, str]]", waiting: list[int], share: float, budget: Budget, answers: list[bool]
) -> list[int]:
    """Search what waits within a share of the time left; what ran out of its part is handed back."""
    still_waiting: list[int] = []
    reserve = budget.left * (1.0 - share)
    for done, number in enumerate(waiting):
        if budget.left <= 0:
            return [*still_waiting, *waiting[done:]]
        pattern, text = pairs[number]
        part = (budget.left - reserve) / (len(waiting) - done)
        try:
            answers[number] = _find(pattern, text, budget, part, False) is not None
        except TimeoutError:
            still_waiting.append(number)
    return still_waiting


def _find(pattern: str, text: str | bytes, budget: Budget, seconds: float, multiline: bool) -> tuple[int, int] | None:
    """Search for at most `seconds`, charged to the budget; raise TimeoutError when they are over."""
    if budget.is_invalid(pattern):
        return None
    _engine()  # whose import takes 20 ms, which are not the pattern's
    # As the engine measures its limit: a busy machine, where others run in between, costs no pattern its turn.
    started = process_time()
    try:
        compiled = _compile(pattern, multiline, isinstance(text, bytes))
        if _calls_a_group(pattern):
            seconds = min(seconds, _LONGEST_CALL)
        match = compiled.search(text, timeout=max(seconds, _SHORTEST_SEARCH))
    except TimeoutError:
        raise
    except Exception as error:
        budget.invalid.append((pattern, _explain(error)))
        return None
    finally:
        budget.left -= process_time() - started
    return match.span() if match else None


def _engine() -> "Any":
    """Return the `regex` package, imported without five modules that take half of its time.

    It wants four constants of `string`, which brings `re`; a lock of `threading`; a dictionary of `collections`; a
    class of `enum` for its flags, which are numbers; and the name of the locale's encoding, which is a part of its
    cache's keys. Where a version of it wants more, the ordinary import follows.
    """
    if "regex" not in sys.modules:
        for finder in list(sys.meta_path):  # before the stand-ins are there: to find it may run code of others
            if finder.find_spec("regex", None):
                break
        stand_ins = {name: module for name, module in _stand_ins().items() if name not in sys.modules}
        sys.modules.update(stand_ins)
        try:
            import regex
        except Exception:
            for name in [name for name in sys.modules if name.partition(".")[0] == "regex"]:
                del sys.modules[name]
        finally:
            for name in stand_ins:
                del sys.modules[name]
    import regex

    return regex


def _stand_ins() -> "dict[str, Any]":
    from _collections import defaultdict  # type: ignore[import-not-found]
    from _thread import RLock

    new = type(sys)
    collections: Any = new("collections")
    enum: Any = new("enum")
    string: Any = new("string")
    threading: Any = new("threading")
    locale: Any = new("locale")
    small, string.digits = "abcdefghijklmnopqrstuvwxyz", "0123456789"
    string.ascii_letters, string.octdigits = small + small.upper(), "01234567"
    string.hexdigits = string.digits + "abcdefABCDEF"
    threading.RLock, collections.defaultdict, enum.IntFlag = RLock, defaultdict, int
    locale.getpreferredencoding = lambda do_setlocale=True: "utf-8"
    return {"collections": collections, "enum": enum, "string": string, "threading": threading, "locale": locale}


def _compile(pattern: str, multiline: bool, as_bytes: bool = False) -> "regex.Pattern[str]":
    """Return a pattern of a bounded size, compiled: the engine's own cache takes 20 µs to say so."""
    key = (pattern, multiline, as_bytes)
    if key not in _COMPILED:
        if len(_COMPILED) >= _MOST_COMPILED:
            _COMPILED.clear()
        _COMPILED[key] = _compile_anew(pattern, multiline, as_bytes)
    return _COMPILED[key]


def _compile_anew(pattern: str, multiline: bool, as_bytes: bool) -> "regex.Pattern[str]":
    regex = _engine()
    if len(pattern) > LONGEST_PATTERN:
        raise ValueError(f"it is longer than {LONGEST_PATTERN:,} characters; divide it among several rows")
    if _expansion(pattern) > LARGEST_EXPANSION:
        raise ValueError(f"its counted repeats demand more than {LARGEST_EXPANSION:,} characters; lower the counts")
    flags = regex.MULTILINE if multiline else 0
    return regex.compile(pattern.encode("utf-8", "surrogatepass") if as_bytes else pattern, flags)


def _expansion(pattern: str) -> int:
    """Return how many elements the pattern has once each `{n}` and `{n,}` is written out n times, at most."""
    most = len(pattern)
    for part in pattern.split("{")[1:]:
        least = part.partition("}")[0].partition(",")[0]
        most *= max(int("".join(filter(str.isdecimal, least)) or 1), 1)
    # Comments and named classes may hold brackets that bind nothing; who counts them wrongly fills the memory.
    if most <= LARGEST_EXPANSION or "(?#" in pattern or "[:" in pattern:
        return most
    return _count_expansion(pattern)


def _count_expansion(pattern: str) -> int:
    # One [total, size of the last element] for each open group.
    open_groups = [[0, 0]]
    for token in tokens(pattern):
        group = open_groups[-1]
        counts = counts_of(token) if token[0] == "{" else None
        if counts:
            added = group[1] * max(counts[0] - 1, 0)
            group[:] = [group[0] + added, group[1] + added]
        elif token == "(":
            open_groups.append([0, 0])
        elif token == ")" and len(open_groups) > 1:
            size = open_groups.pop()[0] + 1
            open_groups[-1][:] = [open_groups[-1][0] + size, size]
        else:
            group[:] = [group[0] + 1, 1]
    return sum(total for total, _ in open_groups)


def _calls_a_group(pattern: str) -> bool:
    """Return whether the pattern may hold `(?R)`, `(?1)`, `(?+1)`, `(?&name)` or `(?P>name)`."""
    openings = [part[:2] for part in pattern.split("(?")[1:]]
    return any(
        opening[:1].isdecimal() or opening[:1] in ("R", "&") or opening in ("P>", "P&") or opening[1:].isdecimal()
        for opening in openings
    )


def _set_end(pattern: str, start: int) -> int:
    """Return where the set that opens at `start` is closed; the end of the pattern when it never is."""
    position = start + 1
    if pattern.startswith("^", position):
        position += 1
    first = position
    while position < len(pattern):
        if pattern[position] == "]" and position > first:
            return position + 1
        if pattern.startswith("[:", position) and ":]" in pattern[position:]:
            position = pattern.index(":]", position) + 2
        else:
            position += 2 if pattern[position] == "\\" else 1
    return len(pattern)


def refusal(column: str, pattern: str, message: str) -> tuple[str, str]:
    """Return what is said of an invalid pattern in a column, and what to do: to who writes it and by `check`."""
    effect = "this trigger never matches" if column == "trigger" else "this condition never holds"
    text = f"`{pattern}` is not a regular expression: {message}. Until it is corrected, {effect}"
    return text, "correct it; a backslash before a mark makes it mean itself"


def _explain(error: Exception) -> str:
    """Return what the engine has against a pattern, without the position, which is beside it."""
    return _FAULTS.get(type(error)) or str(getattr(error, "msg", error)) or type(error).__name__


def _column(error: Exception) -> int:
    position = getattr(error, "pos", None)
    return position + 1 if isinstance(position, int) else 1


def _note(patterns: list[str], pattern: str) -> None:
    if pattern not in patterns:
        patterns.append(pattern)
