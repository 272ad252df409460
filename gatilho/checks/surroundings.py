"""What keeps stores from being read or merged: a sparse checkout, a driver that merges no rows, a wrong name."""

import os
from collections.abc import Iterator
from shlex import quote

from gatilho.configfile import problem_at
from gatilho.model import Problem, ProblemKind, subtree_of
from gatilho.nearest import nearest
from gatilho.plain import counted
from gatilho.tables import FOLDER, PACK, documents_of, is_barred_store, named_stores, pack_stores
from gatilho.workspace import tracked
from gatilho.workspace.workspace import Workspace, problem_of_file

LEFT_OUT = ProblemKind("GT241", "warning", "the store is outside the sparse checkout")
UNMERGED = ProblemKind("GT242", "warning", "git does not merge the rows of a store file")
NO_TABLES = ProblemKind("GT243", "note", "there are no tables")
UNREAD = ProblemKind("GT244", "warning", "a store of the configuration is not read")
UNWATCHED = ProblemKind("GT245", "warning", "a flag makes git ignore changes of a store file")
NO_PACK = ProblemKind("GT246", "warning", "a pack has not been fetched")
NO_SOURCE = ProblemKind("GT247", "warning", "a file in `sources` of the configuration is not there")
IGNORED = ProblemKind("GT248", "note", "git ignores a store file")
KINDS = (LEFT_OUT, UNMERGED, NO_TABLES, UNREAD, UNWATCHED, NO_PACK, NO_SOURCE, IGNORED)
QUICK = True

# What becomes of rows by git's attributes. A macro of git's is called by what it stands for.
_UNMERGED = "-merge"
_WHOLE = "a change on both sides is a conflict of the whole file, without the rows of the other side"
_DOES = {"merge=union": "removed rows come back, changed ones double", _UNMERGED: _WHOLE, "merge=binary": _WHOLE}


def find_problems(workspace: Workspace) -> Iterator[Problem]:
    """Yield what keeps the repository's own store from being read, or from being merged without harm."""
    yield from _left_out(workspace)
    yield from ignored_tables(workspace)
    yield from _merged_otherwise(workspace)
    yield from _unwatched(workspace)
    yield from _unread(workspace)
    yield from _unknown_sources(workspace)
    yield from _not_fetched(workspace)


def ignored_tables(workspace: Workspace) -> Iterator[Problem]:
    """Yield one problem for all tables of the repository's own store that git ignores."""
    found = sorted(workspace.ignored(workspace.own_documents))
    if found:
        more = f", as it does {counted(len(found) - 1, 'more table')}" if found[1:] else ""
        message = f"git ignores this file{more}: no commit has its rows, and they speak on this machine only"
        name = quote(found[0])
        remedy = f"remove the line that `git check-ignore -v {name}` names, or run `git add --force {name}`"
        yield problem_of_file(IGNORED, found[0], message, remedy)


def _left_out(workspace: Workspace) -> Iterator[Problem]:
    left_out = tracked.names_left_out(workspace.root, workspace.tagged_in_stores)
    if left_out:
        count = counted(len(left_out), "tracked file")
        some = "a part of the store" if workspace.own_documents else "the store"
        message = f"{some} is outside the sparse checkout: {count}, whose rows do not speak here"
        folder = f"{subtree_of(left_out[0])}{FOLDER}"
        yield problem_of_file(LEFT_OUT, left_out[0], message, f"git sparse-checkout add {folder}")
    elif not workspace.own_documents and not is_barred_store(workspace.root, workspace.stores[0]):
        yield problem_of_file(NO_TABLES, FOLDER, *tracked.no_tables(workspace.root))


def _merged_otherwise(workspace: Workspace) -> Iterator[Problem]:
    for name, attribute in tracked.merged_otherwise(workspace.root, workspace.own_documents).items():
        does = _DOES.get(attribute, "what its driver does is not known here, and it may drop the rows of one side")
        message = f"git merges this file by another driver (attribute {attribute}): {does}"
        also = " or `binary`" if attribute == _UNMERGED else ""
        yield problem_of_file(UNMERGED, name, message, f"take `{attribute}`{also} for it out of .gitattributes")


def _unwatched(workspace: Workspace) -> Iterator[Problem]:
    for name, flag in tracked.names_unwatched(workspace.root, workspace.tagged_in_stores):
        message = f"this file has git's flag {flag}: what is written into it is in no `git status`, diff or commit"
        yield problem_of_file(UNWATCHED, name, message, f"run `git update-index --no-{flag} {quote(name)}`")


def _not_fetched(workspace: Workspace) -> Iterator[Problem]:
    """Yield the packs whose pinned copy is not on this machine."""
    for store in pack_stores(workspace.repository.shared_state, workspace.index.config.packs):
        if not os.path.isdir(store.folder):
            message = f"the {store.label} has not been fetched at its pinned commit, so its rows do not speak"
            remedy = "run `gatilho packs update --pinned`"
            yield problem_at(workspace.root, NO_PACK, ("packs", store.label.removeprefix(PACK)), message, remedy)


def _unread(workspace: Workspace) -> Iterator[Problem]:
    """Yield the stores that the configuration names and that give no rows."""
    folders = {store.label: store.folder for store in named_stores(workspace.root, workspace.index.config.stores)}
    for name in workspace.index.config.stores:
        if name not in folders:
            message = f"the store {name} lies within another one or around it, and is not read a second time"
            yield problem_at(workspace.root, UNREAD, ("stores",), message, "take it out of `stores`")
        elif not os.path.isdir(folders[name]):
            message = f"the store {name} is not here, so its rows do not speak"
            yield problem_at(workspace.root, UNREAD, ("stores",), message, "check it out, or take it out of `stores`")


def _unknown_sources(workspace: Workspace) -> Iterator[Problem]:
    """Yield the files whose rows the configuration gives a lifecycle, and that no store has."""
    config = workspace.index.config
    here = {store.label for store in workspace.stores if os.path.isdir(store.folder)}
    if not config.sources or not here.issuperset(config.stores):
        return  # a file of a store that is not here, or not allowed, may well be there
    names = {path[len(store.folder) + 1 :] for store in workspace.stores for path in documents_of(store)}
    for name in sorted(config.sources.keys() - names):
        message = f"no store has a file {name}, so this lifecycle is of no row"
        close = nearest(name, names)
        remedy = f"did you mean `{close}`?" if close else f"name a file from {FOLDER}/ on, or take it out"
        yield problem_at(workspace.root, NO_SOURCE, ("sources", name), message, remedy)
