"""What git does to the store's files: left out of the checkout, merged by a driver that keeps both sides."""

from collections.abc import Iterator

from gatilho.checks import tracked
from gatilho.checks.scope import Scope, problem_of_file
from gatilho.model import Problem, ProblemKind
from gatilho.store.tables import FOLDER, documents_of

LEFT_OUT = ProblemKind("GT241", "warning", "the store is outside the sparse checkout")
UNION = ProblemKind("GT242", "warning", "git merges a store file by union")
NO_TABLES = ProblemKind("GT243", "note", "there are no tables")
KINDS = (LEFT_OUT, UNION, NO_TABLES)


def find_problems(scope: Scope) -> Iterator[Problem]:
    """What keeps the repository's own store from being read, or from being merged without harm."""
    store = scope.stores[0]
    names = [store.shown(path) for path in documents_of(store)[0]]
    left_out = tracked.names_left_out(scope.root, FOLDER)
    if left_out:
        count = "1 tracked file" if len(left_out) == 1 else f"{len(left_out)} tracked files"
        some = "a part of the store" if names else "the store"
        message = f"{some} is outside the sparse checkout: {count}, whose rows do not speak here"
        yield problem_of_file(LEFT_OUT, left_out[0], message, f"git sparse-checkout add {FOLDER}")
    elif not names:
        message = "there are no tables here"
        yield problem_of_file(NO_TABLES, FOLDER, message, "`gatilho init` writes the first")
    for name in tracked.merged_by_union(scope.root, names):
        message = "git merges this file by union (attribute merge=union): removed rows come back, changed ones double"
        yield problem_of_file(UNION, name, message, "take `merge=union` for it out of .gitattributes")
