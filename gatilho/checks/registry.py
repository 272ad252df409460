"""All checks of a store, by family, and the kinds of problems that they find."""

from collections.abc import Callable, Iterator

from gatilho.checks import conditions, ids, ledgers, patterns, surroundings, texts, triggers
from gatilho.model import Problem, ProblemKind
from gatilho.workspace.workspace import Scope

Family = Callable[[Scope], Iterator[Problem]]

# What reading the documents and the configuration shows is found by the index already.
FAMILIES: dict[str, Family] = {
    "documents": lambda scope: iter(scope.index.problems()),
    "ids": ids.find_problems,
    "patterns": patterns.find_problems,
    "triggers": triggers.find_problems,
    "conditions": conditions.find_problems,
    "surroundings": surroundings.find_problems,
    "texts": texts.find_problems,
    "ledgers": ledgers.find_problems,
}
# What takes no time in the largest store: no pattern is compiled, no file but the tables is looked at.
QUICK = ("documents", "ids", "surroundings")
KINDS: tuple[ProblemKind, ...] = tuple(
    kind for family in (ids, patterns, triggers, conditions, surroundings, texts, ledgers) for kind in family.KINDS
)


def find_problems(scope: Scope, families: tuple[str, ...] = tuple(FAMILIES)) -> list[Problem]:
    """Every problem of the working tree's stores and configuration, in the order of files and lines."""
    found = [problem for name in families for problem in FAMILIES[name](scope)]
    return sorted(found, key=place_of)


def place_of(problem: Problem) -> tuple[str, int, int, str]:
    """By what problems are sorted."""
    return (problem.place.file, problem.place.line, problem.place.column, problem.code)
