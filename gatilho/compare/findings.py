"""Changes as problems with a place, the form that SARIF, annotations and `check` share; and changes counted."""

from collections.abc import Iterable

from gatilho.compare.changes import Comparison
from gatilho.compare.facts import KINDS, Fact, plain
from gatilho.model import Place, Problem

_ORDER = ("error", "warning", "note")
TITLES = {kind.code: kind.title for kind in KINDS.values()}


def findings(comparison: Comparison, kinds: Iterable[str] = KINDS) -> list[Problem]:
    """Every fact of those kinds as a problem, errors first; what there is to say of a new row is one."""
    wanted = frozenset(kinds)
    found = [
        _problem(fact, Place(change.row.file, change.row.line), change.row.id)
        for change in comparison.rows
        for fact in _joined(change.facts)
        if fact.kind in wanted
    ]
    found += [_problem(one.fact, Place(one.file, 1), "") for one in comparison.files if one.fact.kind in wanted]
    return sorted(found, key=lambda problem: _ORDER.index(problem.severity))


def count_by_severity(facts: Iterable[Fact]) -> dict[str, int]:
    """How many errors, warnings and notes there are."""
    severities = [fact.severity for fact in facts]
    return {severity: severities.count(severity) for severity in _ORDER}


def summary(comparison: Comparison) -> str:
    """How many rows changed, and what of it wants somebody, in one sentence."""
    added = sum(change.before is None for change in comparison.rows)
    removed = sum(change.after is None for change in comparison.rows)
    changed = len(comparison.rows) - added - removed
    moved = sum(len(one.rows) for one in comparison.files)
    counted = ((changed, "changed"), (added, "added"), (removed, "removed"), (moved, "moved"))
    parts = [f"{count} {word}" for count, word in counted if count]
    if parts:
        number, word = parts[0].split(" ")
        parts[0] = f"{number} {'row' if number == '1' else 'rows'} {word}"
    text = f"{', '.join(parts)}." if parts else "No row changed."
    wrong = count_by_severity(comparison.facts)["error"]
    return text + (f" {wrong} {'thing needs' if wrong == 1 else 'things need'} a word." if wrong else "")


def message_of(problem: Problem) -> str:
    """What is wrong and what to do, in one text, for where there is room for one only."""
    said = problem.message.removesuffix(".")
    return f"{said}. To do: {problem.remedy}" if problem.remedy else said


def _joined(facts: tuple[Fact, ...]) -> list[Fact]:
    """The facts with all that is said of a new row in one."""
    added = [fact for fact in facts if fact.kind == "added"]
    if len(added) < 2:
        return list(facts)
    words = [word for number, fact in enumerate(added) for word in (*((", ",) if number else ()), *fact.words)]
    return [added[0].replace(words=tuple(words)), *(fact for fact in facts if fact.kind != "added")]


def _problem(fact: Fact, place: Place, row_id: str) -> Problem:
    message = plain(fact.words)
    said = f"{row_id.strip()}: {message}" if row_id else message
    return Problem(fact.code, fact.severity, place, said, plain(fact.remedy), row=row_id)
