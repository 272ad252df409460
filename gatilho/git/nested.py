"""Nested stores: folders below the root that have a `docs/gatilhos` of their own, as git's files show them."""

import os
from itertools import islice

from gatilho import tables
from gatilho.git import query
from gatilho.git.root import find_repository
from gatilho.model import STORE, subtree_of

_SECONDS = 10  # for git to name the files of stores
_LISTED = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", f":(glob)**/{STORE}/**")
_NEVER = "/node_modules/"


def nested_stores(root: str) -> list[str] | None:
    """Return the folders with a store of their own, each with a slash at the end, sorted; None where git cannot say.

    Of files that git tracks or would track; a repository of its own within this one keeps its own. One more than are
    read shows that there are too many.
    """
    names = query.ask_names(root, *_LISTED, seconds=_SECONDS)
    if names is None:
        return None
    folders = sorted({subtree_of(name) for name in names} - {""})
    return list(islice((subtree for subtree in folders if is_nested(root, subtree)), tables.MOST_NESTED + 1))


def listed_stores(root: str) -> list[tables.Store]:
    """Return the folders of the repository's own store, the one below its root first, then its nested stores."""
    return tables.own_stores(root, (nested_stores(root) or [])[: tables.MOST_NESTED])


def is_ignored(root: str, subtree: str) -> bool:
    """Return whether git ignores the store of a folder; not where it has no answer."""
    literal = f":(literal){subtree}{STORE}"
    names = query.ask_names(root, *_LISTED[:-1], literal, seconds=_SECONDS)
    return names is not None and not names


def is_nested(root: str, subtree: str) -> bool:
    """Return whether the store of a folder is a real folder of this working tree, which no link leads to."""
    folder = f"{root}/{subtree}{STORE}"
    if _NEVER in f"/{subtree}" or os.path.realpath(folder) != f"{os.path.realpath(root)}/{subtree}{STORE}":
        return False
    found = find_repository(folder) if os.path.isdir(folder) else None
    return found is not None and os.path.realpath(found.root) == os.path.realpath(root)
