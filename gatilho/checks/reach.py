"""Which tracked files a path trigger matches."""

from gatilho.errors import DocumentError
from gatilho.model import Trigger
from gatilho.triggers import needles, patterns

PATH_KINDS = ("path", "glob", "write", "read")
# Seconds for one pattern over all names; what has not matched by then is taken to match nothing so far.
_PATIENCE = 1.0


def searched_pattern(trigger: Trigger) -> str | None:
    """The pattern that the hook searches for: globs translated, letters composed. None for a glob that is none."""
    if trigger.kind != "glob":
        return patterns.normalise(trigger.pattern)
    from gatilho.triggers.globs import to_regex

    try:
        return to_regex(patterns.normalise(trigger.pattern))
    except DocumentError:
        return None


class Reach:
    """The names of a working tree's tracked files, ready to be searched by many patterns."""

    def __init__(self, names: list[str]) -> None:
        self.names = [patterns.normalise(name) for name in names]
        self._all = "\0".join(self.names)
        self._all_lowered = needles.lower_ascii(self._all)

    def matches(self, trigger: Trigger, most: int | None = None) -> list[str]:
        """The names that the trigger matches, at most so many."""
        pattern = searched_pattern(trigger)
        if pattern is None:
            return []
        analysis = needles.analyse(pattern)
        # One search in all names at once rules out most dead triggers.
        if analysis.needle not in (self._all_lowered if analysis.folded else self._all):
            return []
        found: list[str] = []
        budget = patterns.Budget(_PATIENCE)
        for name in self.names:
            if len(found) == most or budget.timed_out or budget.invalid:
                break
            if _matches(pattern, analysis, name, budget):
                found.append(name)
        return found


def _matches(pattern: str, analysis: needles.Analysis, name: str, budget: patterns.Budget) -> bool:
    seen = needles.lower_ascii(name) if analysis.folded else name
    if analysis.plain:
        return needles.holds(analysis.plain, analysis.needle, seen)
    return analysis.needle in seen and patterns.search(pattern, name, budget)
