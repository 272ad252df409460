"""Ids that more than one row bears."""

from collections.abc import Iterator

from gatilho.checks.scope import Scope
from gatilho.ladder.lifecycle import state_of
from gatilho.model import Problem, ProblemKind
from gatilho.store.index import IndexedRow

SHARED = ProblemKind("GT201", "error", "two rows share an id")
ELSEWHERE = ProblemKind("GT202", "note", "a row of another store has the same id")
KINDS = (SHARED, ELSEWHERE)


def find_problems(scope: Scope) -> Iterator[Problem]:
    """Every row whose id another row bears too; blanks around an id that nobody can see do not tell two apart."""
    by_id: dict[str, list[IndexedRow]] = {}
    for found in scope.rows:
        by_id.setdefault(found.row.id.strip(), []).append(found)
    for bearers in by_id.values():
        if len(bearers) > 1:
            yield from (_problem(scope, found, bearers) for found in bearers)


def _problem(scope: Scope, found: IndexedRow, bearers: list[IndexedRow]) -> Problem:
    others = [other for other in bearers if other is not found]
    twins = [other for other in others if other.row.store == found.row.store]
    places = ", ".join(other.row.place for other in twins or others)
    if not twins:
        message = f"{found.row.id} is also the id of a row in another store: {places}"
        return scope.problem(ELSEWHERE, found, "id", message, "commands that take an id need it to name one row")
    message = f"{found.row.id} is also the id of {places}: both rows speak, and neither is written"
    states = {state_of(other.row) for other in (found, *twins)}
    if len(states) > 1:
        message += f". They contradict each other: {' and '.join(sorted(states))}"
    remedy = "give one of them another id; where a merge doubled the row, keep the line that is right"
    return scope.problem(SHARED, found, "id", message, remedy)
