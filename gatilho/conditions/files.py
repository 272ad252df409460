"""Whether a condition about files holds in a tree, with the evidence for it or the reason why not."""

from gatilho.conditions.grammar import FILE_KINDS
from gatilho.conditions.search import first_line
from gatilho.conditions.tree import MISSING, Found, Spot, Tree, Unseen
from gatilho.model import Condition, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gatilho.triggers.patterns import Budget

__all__ = ["Outcome", "Tree", "anchors", "evaluate", "evaluate_all"]

MOST_BYTES = 100_000_000  # read for one glob


class Outcome(Value):
    """What became of a condition.

    evidence: what makes it hold, as paths and `path:line`, never text of a file. reason: why it does not hold.
    undecided: it does not hold because it could not be looked at, which is no sign that a paid debt is owed again.
    gone: undecided because a file that was to be searched is not there.
    """

    __slots__ = ("evidence", "gone", "holds", "reason", "undecided")

    def __init__(
        self, holds: bool, evidence: str = "", reason: str = "", gone: bool = False, undecided: bool = False
    ) -> None:
        self.holds = holds
        self.evidence = evidence
        self.reason = reason
        self.gone = gone
        self.undecided = undecided or gone


def evaluate(
    condition: Condition, tree: Tree, budget: "Budget", commands: "Mapping[str, Outcome] | None" = None
) -> Outcome:
    """Look at the files of one condition; one that is not understood does not hold.

    commands: what commands came to that were run before, by their text. None is ever run here.
    """
    if condition.kind == "passes":
        known = commands.get(condition.argument) if commands else None
        return known or Outcome(False, reason="commands are not run here", undecided=True)
    if condition.kind not in FILE_KINDS:
        return Outcome(False, reason=f"`{condition.text}` is not understood", undecided=True)
    found = tree.find(condition.argument)
    if condition.kind == "exists":
        return _exists(found)
    if condition.kind == "missing":
        return _missing(found)
    return _searched(condition, tree, found, budget)


def evaluate_all(
    conditions: tuple[Condition, ...], tree: Tree, budget: "Budget", commands: "Mapping[str, Outcome] | None" = None
) -> Outcome:
    """Look at the conditions of one cell, all of which must hold; without any, payment is declared by a person."""
    if not conditions:
        return Outcome(False, reason="declared by a person", undecided=True)
    outcomes = [evaluate(condition, tree, budget, commands) for condition in conditions]
    failing = [outcome for outcome in outcomes if not outcome.holds]
    if not failing:
        return Outcome(True, evidence=", ".join(outcome.evidence for outcome in outcomes))
    undecided = all(outcome.undecided for outcome in failing)
    gone = undecided and any(outcome.gone for outcome in failing)
    return Outcome(False, reason="; ".join(outcome.reason for outcome in failing), gone=gone, undecided=undecided)


def anchors(conditions: tuple[Condition, ...]) -> tuple[str, ...]:
    """Return the paths and globs that file conditions name, each once and in order."""
    return tuple(dict.fromkeys(condition.argument for condition in conditions if condition.kind in FILE_KINDS))


def _exists(found: Found) -> Outcome:
    there = [spot for spot in found.spots if not spot.fault]
    if there:
        return Outcome(True, evidence=found.name(there[0]))
    undecided = bool(found.fault) or any(not spot.is_gone for spot in found.spots)
    return Outcome(False, reason=_why_nothing(found), undecided=undecided)


def _missing(found: Found) -> Outcome:
    present = [spot for spot in found.spots if spot.fault != MISSING]
    if present:
        fault = present[0].fault
        return Outcome(False, reason=f"{found.name(present[0])} {fault or 'is there'}", undecided=bool(fault))
    if found.fault:
        return Outcome(False, reason=f"{found.path} {found.fault}", undecided=True)
    return Outcome(True, evidence=found.path)


def _searched(condition: Condition, tree: Tree, found: Found, budget: "Budget") -> Outcome:
    spots = [spot for spot in found.spots if spot.is_file or not found.by_glob]
    faults = [f"{found.path} {found.fault}"] if found.fault else []
    gone = not faults
    left = MOST_BYTES
    for spot in spots:
        try:
            data = tree.read(spot)
            left -= len(data)
            if left < 0:
                raise Unseen(f"is not searched: the files before it hold {MOST_BYTES // 1_000_000} MB")
            line = first_line(condition.pattern, data, budget)
        except Unseen as unseen:
            faults.append(f"{found.name(spot)} {unseen}")
            gone = gone and unseen.is_gone
            if left < 0:
                break
            continue
        gone = False
        if line and condition.kind == "contains":
            return Outcome(True, evidence=f"{found.name(spot)}:{line}")
        if line:
            return Outcome(False, reason=f"the pattern is at {found.name(spot)}:{line}")
    if faults or not spots:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        return Outcome(False, reason=faults[0] + more if faults else _why_nothing(found), gone=gone, undecided=True)
    if condition.kind == "contains":
        return Outcome(False, reason=f"the pattern is not in {found.path}")
    return Outcome(True, evidence=f"{found.path} ({_count(spots)})" if found.by_glob else found.path)


def _why_nothing(found: Found) -> str:
    if found.fault or not found.by_glob:
        return f"{found.path} {found.fault or found.spots[0].fault}"
    if found.spots:
        return f"{found.name(found.spots[0])} {found.spots[0].fault or 'is not a file'}"
    return f"no file matches {found.path}"


def _count(spots: list[Spot]) -> str:
    return "1 file" if len(spots) == 1 else f"{len(spots)} files"
