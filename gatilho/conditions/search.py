"""Find a condition's pattern in the bytes of a file, whatever encoding and line endings these have."""

from codecs import BOM_UTF8

from gatilho.conditions.tree import Unreadable
from gatilho.triggers.literals import analyse

UNMARKED = "looks like UTF-16 without a byte order mark, so that it cannot be searched"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gatilho.triggers.budget import Budget
    from gatilho.triggers.literals import Analysis

_WIDE_MARKS = (
    (b"\xff\xfe\0\0", "utf-32"),
    (b"\0\0\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
# Seconds that one pattern may take of the time that all share.
_LONGEST_SEARCH = 1.0
_SAMPLE = 4096  # bytes that are looked at for UTF-16 without a mark
_MOST_ANALYSES = 1_000
_ANALYSES: "dict[str, Analysis]" = {}


def line_of_match(pattern: str, data: bytes, budget: "Budget") -> int:
    """Return the line, from 1, on which the first match of the pattern (MULTILINE) begins; 0 where it is not found.

    UTF-8 and marked UTF-16 and UTF-32 are searched as text, all else as bytes. What has CRLF line endings is searched
    as it is and with plain ones, so that `$` is the end of a line there too. Raises Unreadable for no answer.
    """
    analysis = _analysis(pattern)
    for text in _readings(data, pattern):
        # in bytes an escape such as \xe9 is one byte, and the needle that it promises as text is two
        needle = analysis.needle if isinstance(text, str) or analysis.needle.isascii() else ""
        searched = _lowered(text) if analysis.folded else text
        if needle and not _has(searched, needle):
            continue
        if needle and analysis.plain:
            start = _find_plain(searched, needle, analysis.plain)
        else:
            searched = text
            start = _find_with_engine(text, pattern, budget)
        if start >= 0:
            return _line_at(searched, start)
    return 0


def count_matches(pattern: str, data: bytes, budget: "Budget") -> int:
    """Return how often the pattern (MULTILINE) is found, without overlaps. Raises Unreadable for no answer."""
    from gatilho.triggers import patterns

    text = _readings(data, pattern)[-1]  # with plain line endings, where it has others
    analysis = _analysis(pattern)
    if analysis.plain == "has" and not analysis.folded and (isinstance(text, str) or analysis.needle.isascii()):
        return text.count(analysis.needle) if isinstance(text, str) else text.count(analysis.needle.encode())
    if _find_with_engine(text, pattern, budget) < 0:
        return 0
    found = patterns.count_matches_in(pattern, text, budget)
    if found is None:
        raise Unreadable("took too long to search")
    return found


def has_no_match(pattern: str) -> "Callable[[bytes], bool]":
    """Return a quick test of bytes that is true only where the pattern is not found, for many files and one pattern."""
    analysis = _analysis(pattern)
    needle = analysis.needle
    if not needle or analysis.folded or not needle.isascii() or "\n" in needle:
        return lambda _: False  # case and line endings are for the search itself
    wanted = needle.encode()
    marks = tuple(mark for mark, _ in _WIDE_MARKS)
    return lambda data: wanted not in data and not data.startswith(marks) and b"\0" not in data[:_SAMPLE]


def _analysis(pattern: str) -> "Analysis":
    """Return what every match of a pattern contains, read once for all the files that one pattern is searched in."""
    if pattern not in _ANALYSES:
        if len(_ANALYSES) >= _MOST_ANALYSES:
            _ANALYSES.clear()
        _ANALYSES[pattern] = analyse(pattern)
    return _ANALYSES[pattern]


def _readings(data: bytes, pattern: str) -> "list[str | bytes]":
    readings: list[str | bytes] = [_as_text(data)]
    if isinstance(readings[0], bytes) and not pattern.isascii():
        readings.append(data.decode("latin-1"))  # an accent in the pattern is to be found in a legacy file
    for reading in readings[:]:
        if isinstance(reading, bytes) and b"\r\n" in reading:
            readings.append(reading.replace(b"\r\n", b"\n"))
        elif isinstance(reading, str) and "\r\n" in reading:
            readings.append(reading.replace("\r\n", "\n"))
    return readings


def _as_text(data: bytes) -> "str | bytes":
    for mark, encoding in _WIDE_MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    if _looks_wide(data[:_SAMPLE]):
        raise Unreadable(UNMARKED)
    try:
        return data.removeprefix(BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError:
        return data


def _looks_wide(sample: bytes) -> bool:
    """Return whether most bytes at even or at odd places are NUL and none at the others: Latin text in 16 bits."""
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    return min(even, odd) == 0 and max(even, odd) > 0.3 * len(sample)


def _lowered(text: "str | bytes") -> bytes:
    """Return the UTF-8 text with A to Z lowered: fast, and all line breaks are kept."""
    return text.lower() if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass").lower()


def _has(text: "str | bytes", needle: str) -> bool:
    return needle in text if isinstance(text, str) else needle.encode("utf-8", "surrogatepass") in text


def _find_plain(text: "str | bytes", needle: str, plain: str) -> int:
    """Return where plain text with its anchors first is, -1 for nowhere; the anchors are those of lines."""
    before, behind = "\n" * (plain in ("starts", "is")), "\n" * (plain in ("ends", "is"))
    wanted = before + needle + behind
    if isinstance(text, str):
        found = f"\n{text}\n".find(wanted)
    else:
        found = (b"\n" + text + b"\n").find(wanted.encode())
    return found - 1 + len(before) if found >= 0 else -1


def _find_with_engine(text: "str | bytes", pattern: str, budget: "Budget") -> int:
    from gatilho.triggers import patterns

    if patterns.matches_empty(pattern):
        raise Unreadable("cannot be searched: the pattern matches the empty text")
    if pattern in budget.timed_out:
        raise Unreadable("took too long to search")  # once is enough: all conditions share the time
    # an answer of its own: what other searches noted in the budget says nothing about this one
    own = patterns.Budget(min(budget.left, _LONGEST_SEARCH))
    found = patterns.first_match(pattern, text, own, multiline=True)
    budget.left -= min(budget.left, _LONGEST_SEARCH) - own.left
    if own.invalid and isinstance(text, bytes):
        return _find_with_engine(text.decode("latin-1"), pattern, budget)  # such as \u20ac, which bytes cannot hold
    if own.timed_out or own.skipped:
        budget.timed_out += [pattern] if pattern not in budget.timed_out else []
        raise Unreadable("took too long to search")
    if own.invalid:
        budget.invalid += own.invalid if not budget.is_invalid(pattern) else []
        raise Unreadable("cannot be searched: the pattern is not valid")
    return found[0] if found else -1


def _line_at(text: "str | bytes", start: int) -> int:
    """Return the line of an offset; lines end at CRLF, LF and CR only."""
    before = text[:start] if isinstance(text, str) else text[:start].decode("latin-1")
    within_crlf = before.endswith("\r") and text[start : start + 1] in ("\n", b"\n")
    return 1 + before.count("\n") + before.count("\r") - before.count("\r\n") - within_crlf
