"""All checks of a store, and the kinds of problems that they find: each module of this room with KINDS is a family.

A family has `KINDS` and `find_problems(workspace)`. QUICK = True: it takes no time in the largest store, because it
compiles no pattern and looks at no file except the tables. BY_ROW = True says that what it finds of a row in force
does not depend on other rows.
"""

from collections.abc import Callable, Iterator
from importlib import import_module
from pkgutil import iter_modules

from gatilho import checks
from gatilho.model import Problem, ProblemKind
from gatilho.workspace.workspace import Workspace

Family = Callable[[Workspace], Iterator[Problem]]

_THIS = __name__.rpartition(".")[2]
_MODULES = {
    one.name: import_module(f"{checks.__name__}.{one.name}")
    for one in iter_modules(checks.__path__)
    if one.name != _THIS
}
_FAMILIES = {name: module for name, module in _MODULES.items() if hasattr(module, "KINDS")}

# What reading the documents and the configuration shows is found by the index already.
FAMILIES: dict[str, Family] = {
    "documents": lambda workspace: iter(workspace.document_problems()),
    **{name: module.find_problems for name, module in _FAMILIES.items()},
}
QUICK = ("documents", *(name for name, module in _FAMILIES.items() if getattr(module, "QUICK", False)))
BY_ROW = tuple(name for name, module in _FAMILIES.items() if getattr(module, "BY_ROW", False))
SLOW_CODES = frozenset(kind.code for name, module in _FAMILIES.items() if name not in QUICK for kind in module.KINDS)
KINDS: tuple[ProblemKind, ...] = tuple(kind for module in _FAMILIES.values() for kind in module.KINDS)


def find_problems(workspace: Workspace, families: tuple[str, ...] = tuple(FAMILIES)) -> list[Problem]:
    """Return every problem of the working tree's stores and configuration, in the order of files and lines."""
    packs = f"{workspace.repository.shared_state}/packs/"  # problems in there are for those who write them
    found = [one for name in families for one in FAMILIES[name](workspace) if not one.place.file.startswith(packs)]
    return sorted(found, key=place_of)


def place_of(problem: Problem) -> tuple[str, int, int, str]:
    """Return the key by which problems are sorted."""
    return (problem.place.file, problem.place.line, problem.place.column, problem.code)
