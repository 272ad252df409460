"""What one file of git's attributes says of how git merges files."""

from gatilho.errors import DocumentError
from gatilho.triggers import paths
from gatilho.triggers.budget import Budget

FILE = ".gitattributes"
# What `git check-attr` answers for `merge` and `-merge`, and for a file without the attribute.
SET, UNSET, UNSPECIFIED = "set", "unset", "unspecified"


def merge_in(data: bytes, name: str, budget: Budget) -> str | None:
    """Return how a file is merged by the last line that says so, None where none does; name: from the file's folder.

    The value of the attribute, or one of the three words above.
    """
    from gatilho.triggers import globs, patterns

    found = None
    macros = {"binary": UNSET}
    for line in data.decode("utf-8", "surrogateescape").splitlines():
        pattern, words = _parted(line.strip())
        value = next((value for word in reversed(words) if (value := _merge(word, macros)) is not None), None)
        if value is None:
            continue
        if pattern.startswith("[attr]"):
            macros[pattern.removeprefix("[attr]")] = value
            continue
        try:
            if patterns.search(globs.glob_to_regex(pattern), paths.normalise(name), budget):
                found = value
        except DocumentError:
            pass  # a pattern that matches no path
    return found


def _parted(line: str) -> tuple[str, list[str]]:
    """Return the pattern of a line, which may be in quotes, and its attributes."""
    if line.startswith("#"):
        return "", []
    if line.startswith('"'):
        pattern, _, rest = line[1:].partition('" ')
        return pattern, rest.split()
    words = line.split()
    return (words[0], words[1:]) if words else ("", [])


def _merge(word: str, macros: dict[str, str]) -> str | None:
    """Return what an attribute says of merging, None for nothing."""
    if word.startswith("merge="):
        return word.removeprefix("merge=")
    return {"merge": SET, "-merge": UNSET, "!merge": UNSPECIFIED}.get(word, macros.get(word))
