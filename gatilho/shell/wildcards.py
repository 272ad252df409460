"""Wildcards of a shell pattern, expanded against the real folders."""

from gatilho import system
from gatilho.bounded import is_there
from gatilho.shell.quotes import unescape

_MOST_ENTRIES = 5_000
_MOST_FOUND = 500
_PASSED_OVER = (".git", "node_modules", "__pycache__")


class Search:
    """One budget of folder entries for all patterns of a command."""

    def __init__(self, entries: int = _MOST_ENTRIES) -> None:
        self.left = entries

    def expand(self, pattern: str, hidden: bool = False) -> list[str]:
        """Return at most 500 existing paths that an absolute pattern matches; a backslash makes a character literal.

        `**` goes through folders of any depth, as in zsh. A name with a leading dot wants a dot in the pattern, unless
        it is one of a command that lists them; of these, as many are returned as the budget lasts.
        """
        found = ["/"]
        parts = [part for part in pattern.split("/") if part not in ("", ".")]
        for at, part in enumerate(parts, 1):
            if part == "**" and at < len(parts):
                found = [path for folder in found for path in (folder, *self.below(folder, folders_only=True))]
            elif has_wildcard(part):
                mark = "_" if hidden else ""
                found = [
                    _join(folder, name)
                    for folder in found
                    for name in self._names(folder)
                    if matches(mark + part, mark + name)
                ]
            else:
                found = [_join(folder, unescape(part)) for folder in found]
            found = found[: None if hidden else _MOST_FOUND]
        return sorted(path for path in found if is_there(path, follows=False))

    def below(self, folder: str, folders_only: bool = False) -> list[str]:
        """Return every path below a folder, links not followed, as far as the budget goes."""
        found: list[str] = []
        waiting = [folder]
        while waiting and self.left > 0:
            here = waiting.pop()
            for name, is_folder in self._entries(here):
                path = _join(here, name)
                # What git and others keep there would use up the budget of entries.
                if is_folder and name not in _PASSED_OVER:
                    waiting.append(path)
                if is_folder or not folders_only:
                    found.append(path)
        return found

    def _names(self, folder: str) -> list[str]:
        return [name for name, _ in self._entries(folder)]

    def _entries(self, folder: str) -> list[tuple[str, bool]]:
        entries: list[tuple[str, bool]] = []
        try:
            with system.scandir(folder) as listing:
                for entry in listing:
                    if self.left <= 0:
                        break
                    self.left -= 1
                    entries.append((entry.name, entry.is_dir(follow_symlinks=False)))
        except (OSError, ValueError):
            pass
        return entries


def has_wildcard(part: str) -> bool:
    """Return whether a pattern holds a wildcard that no backslash makes literal."""
    at = 0
    while at < len(part):
        if part[at] == "\\":
            at += 1
        elif part[at] in "*?[":
            return True
        at += 1
    return False


def matches(pattern: str, name: str) -> bool:
    """Return whether one part of a pattern matches a file's whole name.

    Goes back only to the last `*`: at most length².
    """
    if name.startswith(".") and not pattern.startswith((".", "\\.")):
        return False
    at = here = 0
    star, resume = -1, 0
    while here < len(name):
        if at < len(pattern) and pattern[at] == "*":
            star, resume = at, here
            at += 1
            continue
        fits, behind = _fits(pattern, at, name[here]) if at < len(pattern) else (False, at)
        if fits:
            at, here = behind, here + 1
        elif star >= 0:
            resume += 1
            at, here = star + 1, resume
        else:
            return False
    return not pattern[at:].strip("*")


def _fits(pattern: str, at: int, char: str) -> tuple[bool, int]:
    """Return whether the piece of the pattern at `at` matches one character, and the place after that piece."""
    piece = pattern[at]
    if piece == "?":
        return True, at + 1
    if piece == "\\" and at + 1 < len(pattern):
        return pattern[at + 1] == char, at + 2
    if piece == "[":
        # In the first place a `]` is a member of the set, and one after `:` ends the name of a class in it.
        end = pattern.find("]", at + 3 if pattern[at + 1 : at + 2] in ("!", "^") else at + 2)
        while end > 0 and pattern[end - 1] == ":" and "[:" in pattern[at + 1 : end - 1]:
            end = pattern.find("]", end + 1)
        if end > 0:
            return _in_class(pattern[at + 1 : end], char), end + 1
    return piece == char, at + 1


def _in_class(text: str, char: str) -> bool:
    negated = text[:1] in ("!", "^")
    text = text[1:] if negated else text
    at, found = 0, False
    while at < len(text):
        name, closed, _ = text[at + 2 :].partition(":]") if text.startswith("[:", at) else ("", "", "")
        if closed:
            found = found or _is_of(name, char)
            at += len(name) + 4
            continue
        if text[at + 1 : at + 2] == "-" and at + 2 < len(text):
            found = found or text[at] <= char <= text[at + 2]
            at += 3
        else:
            found = found or text[at] == char
            at += 1
    return found != negated


def _is_of(name: str, char: str) -> bool:
    """Return whether a character is of a class of that name."""
    test = {"alpha": str.isalpha, "digit": str.isdigit, "upper": str.isupper, "lower": str.islower}.get(name)
    return char.isalnum() if name == "alnum" else test(char) if test else name == "punct" and not char.isalnum()


def _join(folder: str, name: str) -> str:
    return f"{folder.rstrip('/')}/{name}"
