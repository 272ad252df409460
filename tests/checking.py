"""What the tests of checks share: the problems of a repository, short enough to compare."""

from builders import Repo

from gatilho.checks import registry
from gatilho.git.root import find_repository
from gatilho.index.index import open_index
from gatilho.model import Problem
from gatilho.workspace.workspace import Workspace


def problems_of(repo: Repo) -> list[Problem]:
    """Everything that `check` finds."""
    repository = find_repository(str(repo.root))
    assert repository is not None
    with open_index(repository) as index:
        return registry.find_problems(Workspace(index))


def found(repo: Repo, *codes: str) -> list[tuple[str, str, str, str]]:
    """The problems as (code, severity, row, the text under the caret), only those of the codes if any are named."""
    return [(p.code, p.severity, p.row, marked(p)) for p in problems_of(repo) if not codes or p.code in codes]


def marked(problem: Problem) -> str:
    """What the caret underlines."""
    start = problem.place.column - 1
    return problem.text[start : start + problem.width]
