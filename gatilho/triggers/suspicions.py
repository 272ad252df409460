"""Suspicions: patterns that are valid and yet are hardly what their author meant, found for `check` and `add`."""

from time import monotonic

from gatilho.triggers import literals, patterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Only a repeated group, or a pattern that calls itself, can take so long.
_REPEATED_GROUPS = (")*", ")+", "){", "(?x", "(?R", "(?&", "(?P>", *(f"(?{digit}" for digit in range(10)))
# An exponential search takes hours on 48 letters, a quadratic one microseconds.
_PUMPED = 48
_SLOW_SEARCH = 0.02
_ALL_PROBES = 0.2
_USUAL_PUMPS = ("a", "0", "/", "_", "-", ".", " ", "A")
_MOST_PUMPS = 30
_MOST_SPLITS = 4


def looks_like_glob(pattern: str) -> str:
    """Say by what the pattern looks like a glob where a regex is meant; "" when it does not."""
    tokens = list(patterns.tokens(pattern))
    body = [token for token in tokens if token not in ("^", "$")]
    if body and body[0] in ("*", "?"):
        return f"it begins with `{body[0]}`"
    for number, token in enumerate(body[:-1]):
        following = body[number + 1]
        if token == "*" and following == "*":
            return "`**` repeats a repeat"
        if token == "/" and following == "*":
            return "`/*` means any number of slashes"
        if following == "*" and (token.isalnum() or token in "_-") and _ends_like_a_file_name(body[number + 2 :]):
            return f"`{token}*.` means any number of `{token}` and one more character"
    brace = _find_brace_list(pattern)
    return f"`{brace}` stands for these very characters" if brace else ""


def backslash_separator(pattern: str) -> bool:
    """Return whether every match must contain a backslash, which no path of a touch has."""
    return any("\\" in piece for piece in literals.analyse(pattern).pieces)


def matches_everything(column: str, pattern: str) -> tuple[str, str]:
    """Return what is wrong with a pattern that matches the empty text, and the remedy; ("", "") for any other."""
    if literals.analyse(pattern).needle or not patterns.matches_empty(pattern):
        return "", ""
    if column == "trigger":
        return (
            f"`{pattern}` matches the empty text, so it matches everything",
            "name the text that must be there, as in `^src/`",
        )
    return f"`{pattern}` matches the empty text, so it is found in every file", "name the text that must be there"


def runs_away(pattern: str) -> str:
    """Say on which text the pattern runs away, "" where it cannot or none is found."""
    return seems_catastrophic(pattern) if any(mark in pattern for mark in _REPEATED_GROUPS) else ""


def slow_words(pattern: str, how: str) -> tuple[str, str]:
    """Return what is wrong with a pattern that runs away, and the remedy."""
    remedy = "repeat no group that holds a repeat, and let alternatives begin differently"
    return f"`{pattern}` may backtrack without end: {how}", remedy


def seems_catastrophic(pattern: str) -> str:
    """Say on which text the pattern runs away; "" when no text tried within 0.2 s makes it.

    The texts repeat what the pattern speaks of between the texts that every match needs, and end in a way that makes
    it fail.
    """
    if patterns.compile_problem(pattern):
        return ""
    deadline = monotonic() + _ALL_PROBES
    for before, pump, behind in _attacks(pattern):
        if monotonic() > deadline:
            return ""
        text = before + pump * _PUMPED + behind
        # Asked twice, since a busy machine may be the reason the first time.
        if _is_slow(pattern, text) and _is_slow(pattern, text):
            return _describe(before, pump, behind)
    return ""


def _describe(before: str, pump: str, behind: str) -> str:
    parts = [f"{before!r}, then "] if before else []
    parts.append(f"{pump!r} {_PUMPED} times")
    if behind:
        parts.append(f", then {behind!r}")
    return f"it takes more than 20 ms on {''.join(parts)}, and more with each repeat"


def _is_slow(pattern: str, text: str) -> bool:
    budget = patterns.Budget(_SLOW_SEARCH)
    patterns.search(pattern, text, budget)
    return bool(budget.timed_out)


def _attacks(pattern: str) -> "Iterator[tuple[str, str, str]]":
    """Yield texts to try as (before, pumped, after)."""
    pieces = literals.analyse(pattern).pieces
    pumps = _pumps(pattern)
    for split in range(min(len(pieces), _MOST_SPLITS) + 1):
        before, behind = "".join(pieces[:split]), "".join(pieces[split:])
        # Only a search that fails tries every way: a mark that few patterns take, then one that hardly any does.
        for tail in ("!", "\x01", ""):
            for pump in pumps:
                yield before, pump, behind + tail


def _pumps(pattern: str) -> list[str]:
    """Return what the pattern's repeats may run over: its own words and characters first, then the usual ones."""
    words: list[str] = []
    members: list[str] = []
    word = ""
    for token in patterns.tokens(pattern):
        if token[0] == "[":
            members.extend(character for character in token if character not in "[]^\\")
        if len(token) == 1 and token not in "()|?*+{}^$.[\\":
            word += token
        else:
            words.append(word)
            word = token[1] if token[0] == "\\" and not token[1:].isalnum() else ""
    words.append(word)
    letters = [letter for word in words for letter in word[:2]]
    found = dict.fromkeys([*[word for word in words if len(word) < 9], *_USUAL_PUMPS, *letters, *members])
    return [pump for pump in found if pump][:_MOST_PUMPS]


def _ends_like_a_file_name(tokens: list[str]) -> bool:
    """Return whether what follows is a bare dot and an extension, up to the end."""
    return len(tokens) > 1 and tokens[0] == "." and all(token.isalnum() for token in tokens[1:])


def _find_brace_list(pattern: str) -> str:
    """Return a list of alternatives in braces, as shells have it; "" when there is none."""
    start = pattern.find("{")
    while start >= 0:
        end = pattern.find("}", start)
        inside = pattern[start + 1 : end] if end > 0 else ""
        if "," in inside and not inside.replace(",", "").isdecimal() and inside.replace(",", "").isalnum():
            return pattern[start : end + 1]
        start = pattern.find("{", start + 1)
    return ""
