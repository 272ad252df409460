"""Git's pathspecs: which tracked files `.`, `:/x`, `*.py` or `:(glob)src/**` mean in a folder."""

from gatilho.shell.wildcards import has_wildcard, matches

_MOST = 20_000
_LETTERS = {"/": "top", "!": "exclude", "^": "exclude"}


def selected(specs: tuple[str, ...], folder: str, names: list[str]) -> list[str]:
    """Return the tracked files that pathspecs mean; folder: where they are given, relative to the root."""
    parsed = [_parsed(spec, folder) for spec in specs]
    wanted = [(magic, pattern) for magic, pattern in parsed if "exclude" not in magic]
    unwanted = [(magic, pattern) for magic, pattern in parsed if "exclude" in magic]
    return [
        name
        for name in names[:_MOST]
        if (not wanted or any(_means(*spec, name) for spec in wanted))
        and not any(_means(*spec, name) for spec in unwanted)
    ]


def _parsed(spec: str, folder: str) -> tuple[frozenset[str], str]:
    """Return the magic words of a pathspec, and its pattern relative to the root."""
    magic: set[str] = set()
    if spec.startswith(":("):
        words, _, spec = spec[2:].partition(")")
        magic.update(word.partition(":")[0] for word in words.split(","))
    elif spec.startswith(":"):
        spec = spec[1:]
        while spec[:1] in _LETTERS:
            magic.add(_LETTERS[spec[0]])
            spec = spec[1:]
        spec = spec.removeprefix(":")
    parts = [] if "top" in magic else [part for part in folder.split("/") if part]
    for part in spec.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in ("", ".", ".."):
            parts.append(part)
    return frozenset(magic), "/".join(parts)


def _means(magic: frozenset[str], pattern: str, name: str) -> bool:
    if "icase" in magic:
        pattern, name = pattern.lower(), name.lower()
    if not pattern or name == pattern or name.startswith(pattern + "/"):
        return True
    if "literal" in magic or not has_wildcard(pattern):
        return False
    if "glob" in magic:
        return _through_folders(pattern.split("/"), name.split("/"))
    return matches("_" + pattern, "_" + name)  # a star goes through slashes, and hidden names are like any other


def _through_folders(patterns: list[str], parts: list[str]) -> bool:
    """Return whether the parts of a pattern match those of a name, or of a folder above it; `**` is any folders."""
    reached = {0}
    for at, pattern in enumerate(patterns):
        if pattern == "**":
            reached = set(range(min(reached), len(parts) + (at == len(patterns) - 1)))
        else:
            reached = {
                place + 1 for place in reached if place < len(parts) and matches("_" + pattern, "_" + parts[place])
            }
        if not reached:
            return False
    return True
