"""Globs: gitignore-style patterns of paths, turned into regexes by pathspec, as git itself would match them."""

from gatilho.errors import DocumentError
from gatilho.triggers import plain_globs
from gatilho.triggers.glob_sets import read_set

# pathspec marks where a directory ends with a named group, which a search has no use for, and ends with a `$`, which
# also matches before a final newline; names may hold newlines anywhere.
_RESPELLED = {"(?:(?P<ps_d>/)|$)": r"(?:/|\Z)", "(?P<ps_d>/)": "/"}
_DOT_TAKES_NEWLINES = "(?s)"
# Stand-ins for sets on their way through pathspec, which takes them over as a regex understands them, not as git does.
_FIRST_STAND_IN = 0xE000


def glob_to_regex(glob: str) -> str:
    """Translate a glob into a regex for a search in a repo-relative path; raise DocumentError when it means nothing.

    As in a .gitignore file, `*`, `?` and sets stop at slashes, a glob without a slash before its end matches at any
    depth, and what matches a directory matches all below it: `docs/` is every file below a `docs`. Unlike there, a `?`
    and a set take one character beyond ASCII too, where git takes one byte.
    """
    problem = _find_problem(glob)
    if problem:
        raise DocumentError(f"the glob `{glob}` {problem}")
    parts = plain_globs.parts_of(glob)
    if parts is not None:
        return _DOT_TAKES_NEWLINES + plain_globs.plain_to_regex(parts)
    return _translated(glob)


def _translated(glob: str) -> str:
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
            members, end = read_set(glob, position + 1)
            stand_in = _free_character(glob, len(sets))
            sets[stand_in] = members.as_regex()
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
