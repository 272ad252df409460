"""What keeps stores from being read or merged: a sparse checkout, a driver that keeps both sides, a wrong name."""

import os
from collections.abc import Iterator

from gatilho.config import FILE, PYPROJECT
from gatilho.model import Problem, ProblemKind
from gatilho.tables import FOLDER, documents_of
from gatilho.workspace import tracked
from gatilho.workspace.workspace import Workspace, problem_of_file

LEFT_OUT = ProblemKind("GT241", "warning", "the store is outside the sparse checkout")
UNION = ProblemKind("GT242", "warning", "git merges a store file by union")
NO_TABLES = ProblemKind("GT243", "note", "there are no tables")
UNREAD = ProblemKind("GT244", "warning", "a store of the configuration is not read")
KINDS = (LEFT_OUT, UNION, NO_TABLES, UNREAD)
QUICK = True


def find_problems(scope: Workspace) -> Iterator[Problem]:
    """Yield what keeps the repository's own store from being read, or from being merged without harm."""
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
        yield problem_of_file(NO_TABLES, FOLDER, message, "run `gatilho init`, which writes the first ones")
    for name in tracked.merged_by_union(scope.root, names):
        message = "git merges this file by union (attribute merge=union): removed rows come back, changed ones double"
        yield problem_of_file(UNION, name, message, "take `merge=union` for it out of .gitattributes")
    yield from _unread(scope)


def _unread(scope: Workspace) -> Iterator[Problem]:
    """Yield the stores that the configuration names and that give no rows."""
    folders = {store.label: store.folder for store in scope.stores}
    file = FILE if os.path.exists(f"{scope.root}/{FILE}") else PYPROJECT
    for name in scope.index.config.stores:
        if name not in folders:
            message = f"the store {name} lies within another one or around it, and is not read a second time"
            yield problem_of_file(UNREAD, file, message, "take it out of `stores`")
        elif not os.path.isdir(folders[name]):
            message = f"the store {name} is not here, so its rows do not speak"
            yield problem_of_file(UNREAD, file, message, "check it out, or take it out of `stores`")
