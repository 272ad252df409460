"""Which tracked files a path trigger matches."""

from collections.abc import Iterator
from functools import cached_property

from gatilho.model import Trigger
from gatilho.triggers import literals, paths, patterns
from gatilho.triggers.literals import searched_pattern

PATH_KINDS = ("path", "glob", "write", "read")
# Seconds for one pattern over all names; what has not matched by then is taken to match nothing so far.
_PATIENCE = 1.0
# And for all triggers of one command.
_PATIENCE_OF_ALL = 5.0


def seen_from(subtree: str) -> str:
    """Return what is to be said of paths in a nested store that are written from the repository's root on."""
    return f"paths in this store are as seen from {subtree.rstrip('/')}"


class Reach:
    """The names of a working tree's tracked files, ready to be searched by many patterns."""

    def __init__(self, names: list[str]) -> None:
        self.names = [paths.normalise(name) for name in names]
        self.known = frozenset(self.names)
        self._seconds_left = _PATIENCE_OF_ALL
        # No name holds a NUL, so one search in this text is a search in all names at once.
        self._all = "\0" + "\0".join(self.names) + "\0"
        self._all_lowered = literals.lower_ascii(self._all)

    @property
    def is_spent(self) -> bool:
        """Return whether the time for all triggers is over, so that what more are said to match is too little."""
        return self._seconds_left <= 0

    @cached_property
    def spellings(self) -> list[str]:
        """Return what a pattern may spell: the names, their folders with and without a slash, their last parts."""
        found: dict[str, None] = {}
        for name in self.names:
            parts = name.split("/")
            folders = ["/".join(parts[:end]) for end in range(1, len(parts))]
            found.update(dict.fromkeys((name, *(f"{folder}/" for folder in folders), *folders, parts[-1])))
        return list(found)

    def only_one_below(self, path: str) -> str:
        """Return the one name that is this path below some folder, "" where there is none or more than one."""
        found = [name for name in self.names if name.endswith(f"/{path}")]
        return found[0] if len(found) == 1 else ""

    def renew(self) -> None:
        """Give the triggers of another command the whole time."""
        self._seconds_left = _PATIENCE_OF_ALL

    def below(self, subtree: str) -> int:
        """Return how many of the names lie below a folder, of all where it is ""."""
        return sum(name.startswith(subtree) for name in self.names) if subtree else len(self.names)

    def matches(self, trigger: Trigger, most: int | None = None) -> list[str]:
        """Return the names that the trigger matches, at most `most`; whole, whatever folder it is about."""
        pattern = searched_pattern(trigger)
        if pattern is None:
            return []
        analysis = literals.analyse(pattern)
        subtree = paths.normalise(trigger.subtree)
        if analysis.plain == "is" and not analysis.folded:
            return [name] if (name := subtree + analysis.needle) in self.known else []
        found: list[str] = []
        budget = patterns.Budget(min(_PATIENCE, self._seconds_left))
        before = budget.left
        for name in self._with_needle(analysis):
            if len(found) == most or budget.timed_out or budget.invalid:
                break
            if _matches(pattern, analysis, name, budget, subtree):
                found.append(name)
        self._seconds_left -= before - budget.left
        return found

    def _with_needle(self, analysis: literals.Analysis) -> Iterator[str]:
        """Yield the names that hold the text which every match needs, in their order."""
        if not analysis.needle:
            yield from self.names
            return
        text = self._all_lowered if analysis.folded else self._all
        at = text.find(analysis.needle)
        while at >= 0:
            start, end = text.rfind("\0", 0, at) + 1, text.find("\0", at)
            yield self._all[start:end]
            at = text.find(analysis.needle, end)


def _matches(pattern: str, analysis: literals.Analysis, name: str, budget: patterns.Budget, subtree: str) -> bool:
    """Return whether a name matches, as seen from the folder that the trigger is about."""
    if not name.startswith(subtree):
        return False
    name = name[len(subtree) :]
    if analysis.plain:
        seen = literals.lower_ascii(name) if analysis.folded else name
        return literals.holds(analysis.plain, analysis.needle, seen)
    return patterns.search(pattern, name, budget)
