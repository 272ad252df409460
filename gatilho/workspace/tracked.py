"""What git knows of the working tree's files: their names, those left out of a sparse checkout, their attributes."""

import os
from collections.abc import Iterable, Sequence

from gatilho import bounded
from gatilho.git import attributes, query
from gatilho.tables import FOLDER, is_barred_store, stores_of

# What git understands as the folders of all stores, the nested ones included.
ALL_STORES = f":(glob)**/{FOLDER}/**"
# Seconds; a repository of a million files is listed in two.
_PATIENCE = 30

# Values of git's attribute by which rows are merged, or lines at least; and how another one is written.
_MERGING = frozenset(("gatilho", "text", attributes.SET, attributes.UNSPECIFIED))
_ATTRIBUTES = {attributes.UNSET: "-merge"}


def tracked_names(root: str) -> list[str]:
    """Return the names of all tracked files; none where git cannot say."""
    return query.ask_names(root, "ls-files", "-z", seconds=_PATIENCE) or []


def untracked_names(root: str) -> list[str]:
    """Return the names of the files that git neither tracks nor ignores."""
    return query.ask_names(root, "ls-files", "-z", "--others", "--exclude-standard", seconds=_PATIENCE) or []


def tagged_names(root: str, *folders: str) -> list[tuple[str, str]]:
    """Return (tag, name) of the tracked files, of all or those below folders; the tags are those of `ls-files -v`."""
    listed = query.ask_names(root, "ls-files", "-z", "-v", "--", *folders, seconds=_PATIENCE) or []
    return [(line[:1], line[2:]) for line in listed]


def names_left_out(root: str, tagged: Iterable[tuple[str, str]]) -> list[str]:
    """Return those of the tracked files that a sparse checkout leaves out."""
    return [name for tag, name in tagged if tag in "Ss" and not os.path.lexists(f"{root}/{name}")]


def names_unwatched(root: str, tagged: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return those of the tracked files that are here and whose changes git ignores by a flag, with the flag."""
    flagged = [(tag, name) for tag, name in tagged if tag.islower() or tag == "S"]
    here = [(tag, name) for tag, name in flagged if os.path.lexists(f"{root}/{name}")]
    return [(name, "skip-worktree" if tag in "Ss" else "assume-unchanged") for tag, name in here]


def store_left_out(root: str) -> str:
    """Return what a person reads where a sparse checkout left the store or a part of it out, "" where it did not."""
    if not names_left_out(root, tagged_names(root, FOLDER)):
        return ""
    bring = f"`git sparse-checkout add {FOLDER}` brings them"
    return f"{FOLDER} is outside the sparse checkout, so its rows do not speak here: {bring}."


def no_tables(root: str) -> tuple[str, str]:
    """Return why a working tree has no table of its own, and what to do."""
    if is_barred_store(root, stores_of(root)[0]):
        message = f"the store {FOLDER} lies outside the repository, and its rows do not speak before you allow it here"
        return message, f"run `gatilho allow --store {FOLDER}` in your own terminal"
    if os.path.lexists(f"{root}/{FOLDER}") and not os.path.isdir(f"{root}/{FOLDER}"):
        return f"the store {FOLDER} is not a folder, so it holds no tables", "move it away, then run `gatilho init`"
    return "no tables yet", "`gatilho init` writes the first ones and registers the hooks"


def shallow_commits(common_dir: str) -> frozenset[str]:
    """Return the commits after which a shallow clone knows no history."""
    return frozenset(bounded.read_quietly(f"{common_dir}/shallow").decode("ascii", "replace").split())


def merged_otherwise(root: str, names: Sequence[str]) -> dict[str, str]:
    """Return the files whose rows git does not merge, nor their lines as text; with the attribute that says so."""
    given = b"".join(name.encode("utf-8", "surrogateescape") + b"\0" for name in names)
    parts = query.ask_names(root, "check-attr", "-z", "--stdin", "merge", seconds=_PATIENCE, given=given) or []
    values = {parts[at]: parts[at + 2] for at in range(0, len(parts) - 2, 3)}
    return {name: _ATTRIBUTES.get(value, f"merge={value}") for name, value in values.items() if value not in _MERGING}
