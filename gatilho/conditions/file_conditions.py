"""Whether conditions hold in a tree, with the evidence for it or the reason why not."""

from gatilho.conditions.search import count_matches, has_no_match, line_of_match
from gatilho.conditions.tree import Lookup, Tree, Unreadable
from gatilho.document.condition_grammar import is_glob
from gatilho.model import Condition, Value
from gatilho.verbs import Outcome, verb_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gatilho.triggers.budget import Budget

    # Looks at the bytes of a file: None where what is looked for is not in it, else where it is (`:12`, "" for all).
    Test = Callable[[bytes], str | None]

__all__ = ["Outcome", "View", "Tree", "evaluate", "evaluate_all"]

MOST_BYTES = 100_000_000  # read for one glob


def evaluate(
    condition: Condition, tree: Tree, budget: "Budget", commands: "Mapping[str, Outcome] | None" = None
) -> Outcome:
    """Look at one condition; commands: what those came to that were run before, by text. None is run here."""
    return verb_of(condition).evaluate(condition, View(tree, budget, commands or {}))


def evaluate_all(
    conditions: tuple[Condition, ...], tree: Tree, budget: "Budget", commands: "Mapping[str, Outcome] | None" = None
) -> Outcome:
    """Look at the conditions of one cell, all of which must hold; without any, payment is declared by a person."""
    if not conditions:
        return Outcome(False, reason="declared by a person", undecided=True)
    return together([evaluate(condition, tree, budget, commands) for condition in conditions])


def together(outcomes: "list[Outcome]") -> Outcome:
    """Return what the outcomes of one cell's conditions come to, all of which must hold."""
    failing = [outcome for outcome in outcomes if not outcome.holds]
    if not failing:
        return Outcome(True, evidence=", ".join(outcome.evidence for outcome in outcomes))
    # One condition that surely fails decides the cell, whatever could not be looked at.
    undecided = all(outcome.undecided for outcome in failing)
    gone = undecided and any(outcome.gone for outcome in failing)
    left = sum(outcome.left for outcome in failing)
    return Outcome(False, "", "; ".join(outcome.reason for outcome in failing), gone, undecided, left)


class Searched(Value):
    """What a test of files came to.

    at: the first file that passes it, with the place in it; "" for none. unanswered: the outcome where a file could
    not be looked at and none passes, or where there is no file. looked_at: the path, with the number of a glob's files.
    """

    at: str = ""
    unanswered: Outcome | None = None
    looked_at: str = ""


class View:
    """What a verb may look at: the files of a tree, within a budget, and what commands came to that were run before."""

    def __init__(self, tree: Tree, budget: "Budget", commands: "Mapping[str, Outcome]") -> None:
        self.tree = tree
        self.budget = budget
        self.commands = commands

    def find(self, path: str) -> Lookup:
        """Look up a path or a glob. A file that is called just so is meant, even `app/[id]/page.tsx`."""
        spot = self.tree.locate(path)
        if not spot.is_missing or not is_glob(path):
            return Lookup(path, [spot])
        known = self.tree.lookups
        if known is not None and path in known:
            return known[path]
        from gatilho.conditions.walk import expand_glob

        found = expand_glob(self.tree, path)
        if known is not None:
            known[path] = found
        return found

    def has_match(self, pattern: str) -> "Test":
        """Return the test whether a pattern is found, and on which line."""

        excluded = has_no_match(pattern)  # most files of a glob do not have the text that every match contains

        def test(data: bytes) -> str | None:
            line = 0 if excluded(data) else line_of_match(pattern, data, self.budget)
            return f":{line}" if line else None

        return test

    def matches(self, pattern: str) -> "Callable[[bytes], int]":
        """Return the count of a pattern's matches in bytes."""
        excluded = has_no_match(pattern)
        return lambda data: 0 if excluded(data) else count_matches(pattern, data, self.budget)

    def count(self, path: str, pattern: str) -> "tuple[int, Searched]":
        """Count the matches of a pattern in all files of a path or a glob."""
        numbers: list[int] = []
        counted = self.matches(pattern)

        def test(data: bytes) -> None:
            numbers.append(counted(data))

        searched = self.search(path, test)
        return sum(numbers), searched

    def search(self, path: str, test: "Test") -> Searched:
        """Find the first file of a path or a glob that passes a test."""
        found = self.find(path)
        spots = [spot for spot in found.spots if spot.is_file or not found.by_glob]
        faults = [f"{found.path} {found.fault}"] if found.fault else []
        gone = not faults
        left = MOST_BYTES
        for spot in spots:
            try:
                data = self.tree.read(spot)
                left -= len(data)
                if left < 0:
                    raise Unreadable(f"is not searched: the files before it hold {MOST_BYTES // 1_000_000} MB")
                where = test(data)
            except Unreadable as unseen:
                faults.append(f"{found.name(spot)} {unseen}")
                # Only if all files are gone: one that is there but cannot be read may still have what is searched for.
                gone = gone and unseen.is_gone
                if left < 0:
                    break
                continue
            gone = False
            if where is not None:
                return Searched(at=f"{found.name(spot)}{where}")
        if faults or not spots:
            more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
            reason = faults[0] + more if faults else found.why_nothing()
            return Searched(unanswered=Outcome(False, reason=reason, gone=gone, undecided=True))
        if not found.by_glob:
            return Searched(looked_at=found.path)
        from gatilho.plain import counted  # no other condition at a call needs it

        return Searched(looked_at=f"{found.path} ({counted(len(spots), 'file')})")
