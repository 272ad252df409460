"""What keeps stores from being read or merged: a sparse checkout, a driver that keeps both sides, a wrong name."""

import os
from collections.abc import Iterator
from shlex import quote

from gatilho.config import FILE, PYPROJECT
from gatilho.model import Problem, ProblemKind, subtree_of
from gatilho.plain import counted
from gatilho.tables import FOLDER, documents_of, is_barred_store, named_stores, pack_stores
from gatilho.workspace import tracked
from gatilho.workspace.workspace import Workspace, problem_of_file

LEFT_OUT = ProblemKind("GT241", "warning", "the store is outside the sparse checkout")
UNION = ProblemKind("GT242", "warning", "git merges a store file by union")
NO_TABLES = ProblemKind("GT243", "note", "there are no tables")
UNREAD = ProblemKind("GT244", "warning", "a store of the configuration is not read")
UNWATCHED = ProblemKind("GT245", "warning", "a flag makes git ignore changes of a store file")
NO_PACK = ProblemKind("GT246", "warning", "a pack has not been fetched")
KINDS = (LEFT_OUT, UNION, NO_TABLES, UNREAD, UNWATCHED, NO_PACK)
QUICK = True


def find_problems(scope: Workspace) -> Iterator[Problem]:
    """Yield what keeps the repository's own store from being read, or from being merged without harm."""
    names = [store.shown(path) for store in scope.index.own_stores for path in documents_of(store)[0]]
    yield from _left_out(scope, names)
    yield from _merged_by_union(scope, names)
    yield from _unwatched(scope)
    yield from _unread(scope)
    yield from _not_fetched(scope)


def _left_out(scope: Workspace, names: list[str]) -> Iterator[Problem]:
    left_out = tracked.names_left_out(scope.root, tracked.ALL_STORES)
    if left_out:
        count = counted(len(left_out), "tracked file")
        some = "a part of the store" if names else "the store"
        message = f"{some} is outside the sparse checkout: {count}, whose rows do not speak here"
        folder = f"{subtree_of(left_out[0])}{FOLDER}"
        yield problem_of_file(LEFT_OUT, left_out[0], message, f"git sparse-checkout add {folder}")
    elif not names and not is_barred_store(scope.root, scope.stores[0]):
        yield problem_of_file(NO_TABLES, FOLDER, *tracked.no_tables(scope.root))


def _merged_by_union(scope: Workspace, names: list[str]) -> Iterator[Problem]:
    for name in tracked.merged_by_union(scope.root, names):
        message = "git merges this file by union (attribute merge=union): removed rows come back, changed ones double"
        yield problem_of_file(UNION, name, message, "take `merge=union` for it out of .gitattributes")


def _unwatched(scope: Workspace) -> Iterator[Problem]:
    for name, flag in tracked.names_unwatched(scope.root, tracked.ALL_STORES):
        message = f"this file has git's flag {flag}: what is written into it is in no `git status`, diff or commit"
        yield problem_of_file(UNWATCHED, name, message, f"run `git update-index --no-{flag} {quote(name)}`")


def _not_fetched(scope: Workspace) -> Iterator[Problem]:
    """Yield the packs whose pinned copy is not on this machine."""
    file = FILE if os.path.exists(f"{scope.root}/{FILE}") else PYPROJECT
    for store in pack_stores(scope.repository.shared_state, scope.index.config.packs):
        if not os.path.isdir(store.folder):
            message = f"the {store.label} has not been fetched at its pinned commit, so its rows do not speak"
            yield problem_of_file(NO_PACK, file, message, "run `gatilho packs update --pinned`")


def _unread(scope: Workspace) -> Iterator[Problem]:
    """Yield the stores that the configuration names and that give no rows."""
    folders = {store.label: store.folder for store in named_stores(scope.root, scope.index.config.stores)}
    file = FILE if os.path.exists(f"{scope.root}/{FILE}") else PYPROJECT
    for name in scope.index.config.stores:
        if name not in folders:
            message = f"the store {name} lies within another one or around it, and is not read a second time"
            yield problem_of_file(UNREAD, file, message, "take it out of `stores`")
        elif not os.path.isdir(folders[name]):
            message = f"the store {name} is not here, so its rows do not speak"
            yield problem_of_file(UNREAD, file, message, "check it out, or take it out of `stores`")
