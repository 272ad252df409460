"""Globs: gitignore-style patterns of paths, turned into regexes by pathspec, as git itself would match them."""

from gatilho.errors import DocumentError
from gatilho.triggers.patterns import normalise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.model import Trigger

# pathspec marks where a directory ends with a named group, which a search has no use for, and ends with a `$`, which
# also matches before a final newline; names may hold newlines anywhere.
_RESPELLED = {"(?:(?P<ps_d>/)|$)": r"(?:/|\Z)", "(?P<ps_d>/)": "/"}
_DOT_TAKES_NEWLINES = "(?s)"
# Stand-ins for sets on their way through pathspec, which takes them over as a regex understands them, not as git does.
_FIRST_STAND_IN = 0xE000

_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": r"\ \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": r"\x21-\x7e",
    "lower": "a-z",
    "print": r"\x20-\x7e",
    "punct": r"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
    "space": r"\ \t\n\r\f\v",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}


def to_regex(glob: str) -> str:
    """Translate a glob into a regex for a search in a repo-relative path; raise DocumentError when it means nothing.

    As in a .gitignore file, `*`, `?` and sets stop at slashes, a glob without a slash before its end matches at any
    depth, and what matches a directory matches all below it: `docs/` is every file below a `docs`. Unlike there, a `?`
    and a set take one character beyond ASCII too, where git takes one byte.
    """
    problem = _find_problem(glob)
    if problem:
        raise DocumentError(f"the glob `{glob}` {problem}")
    from pathspec.patterns.gitignore.base import GitIgnorePatternError
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    text, sets = _take_sets(glob)
    try:
        regex, _ = GitIgnoreSpecPattern.pattern_to_regex(text)
    except GitIgnorePatternError:
        regex = None
    if regex is None:
        raise DocumentError(f"the glob `{glob}` cannot match any path; look at its slashes and escapes")
    # The sets come last, since their text is the author's.
    for old, new in {**_RESPELLED, **sets}.items():
        regex = regex.replace(old, new)
    return f"{_DOT_TAKES_NEWLINES}{regex}"


def searched_pattern(trigger: "Trigger") -> str | None:
    """Return a trigger's search pattern, with globs translated and letters composed; None for an invalid glob.

    Whatever the translation of one glob runs into costs its trigger, and never the index of the others.
    """
    pattern = normalise(trigger.pattern)
    if trigger.kind != "glob":
        return pattern
    try:
        return to_regex(pattern)
    except Exception:
        return None


def _find_problem(glob: str) -> str:
    """Return what keeps a glob from naming paths, as the rest of a sentence; "" when nothing does."""
    if not glob.strip():
        return "is empty"
    if glob.startswith("!"):
        return "begins with `!`, but a row cannot take paths out again; write `\\!` for a name that begins so"
    if glob.startswith("#"):
        return "is a comment in a .gitignore file; write `\\#` for a name that begins so"
    if "\n" in glob or "\r" in glob:
        return "has more than one line"
    return ""


def _take_sets(glob: str) -> tuple[str, dict[str, str]]:
    """Put a stand-in where each set is; also return what each stand-in means as a regex."""
    parts: list[str] = []
    sets: dict[str, str] = {}
    position = 0
    while position < len(glob):
        character = glob[position]
        if character == "[":
            spelled, end = _read_set(glob, position + 1)
            stand_in = _free_character(glob, len(sets))
            sets[stand_in] = spelled
            parts.append(stand_in)
        else:
            end = position + (2 if character == "\\" else 1)
            parts.append(glob[position:end])
        position = end
    return "".join(parts), sets


def _free_character(glob: str, number: int) -> str:
    """Return the character of private use with that number among those that the glob does not hold."""
    candidates = (chr(code) for code in range(_FIRST_STAND_IN, _FIRST_STAND_IN + len(glob) + number + 1))
    return [candidate for candidate in candidates if candidate not in glob][number]


def _read_set(glob: str, start: int) -> tuple[str, int]:
    """Return the set after the bracket at `start` as a regex that takes no slash, and where it ends."""
    position = start
    negated = glob.startswith(("!", "^"), position)
    position += negated
    members: list[str] = []
    while not members or not glob.startswith("]", position):
        member, position = _read_member(glob, position)
        members.append(member)
    return f"(?!/)[{'^' if negated else ''}{''.join(members)}]", position + 1


def _read_member(glob: str, position: int) -> tuple[str, int]:
    """Return one member of a set, a class, a range or a character, spelled for a regex; and where it ends."""
    if glob.startswith("[:", position):
        end = glob.find(":]", position)
        name = glob[position + 2 : end]
        if end < 0 or name not in _CLASSES:
            raise DocumentError(f"the glob `{glob}` names no known class after `[:`; one is `[[:alnum:]]`")
        return _CLASSES[name], end + 2
    low, position = _read_character(glob, position)
    if not glob.startswith("-", position) or glob.startswith("-]", position):
        return _spell(low), position
    high, position = _read_character(glob, position + 1)
    # Of a range that runs backwards git takes the first character.
    return (f"{_spell(low)}-{_spell(high)}" if low <= high else _spell(low)), position


def _read_character(glob: str, position: int) -> tuple[str, int]:
    position += glob.startswith("\\", position)
    if position >= len(glob):
        raise DocumentError(f"the glob `{glob}` has an open `[`; close it, or write `\\[` for the character")
    if glob[position] == "/":
        raise DocumentError(f"the glob `{glob}` has a slash in a set; a set matches within one part of a path")
    return glob[position], position + 1


def _spell(character: str) -> str:
    return character if character.isalnum() else f"\\{character}"
