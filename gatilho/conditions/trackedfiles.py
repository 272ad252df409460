"""Whether a command changed what git tracks: by what it left in the overlay, else by looking before and after."""

import os
from itertools import zip_longest

from gatilho import bounded
from gatilho.git import query
from gatilho.model import Value

# Seconds; a repository of a million files is listed in two.
_PATIENCE = 30
_OPAQUE = ("user.overlay.opaque", "trusted.overlay.opaque")


class TrackedFiles(Value):
    """What git tracked at one moment: its index as text, and the stamp of each tracked file."""

    index: bytes
    stamps: dict[str, str]


def snapshot(root: str) -> TrackedFiles:
    """Return the tracked files as they are now; none where git cannot say."""
    index = _git_files(root)
    return TrackedFiles(index, {name: _stamp(f"{root}/{name}") for name in staged_names(index)})


def changed_names(before: TrackedFiles, after: TrackedFiles) -> list[str]:
    """Return what differs between two looks: names of files, or "git's index"."""
    names = [name for name in before.stamps if after.stamps.get(name) != before.stamps[name]]
    return names or (["git's index"] if before.index != after.index else [])


def changes_in(upper: str, root: str) -> list[str]:
    """Return the tracked files of the repository that a command changed or removed in the overlay's upper folder."""
    tracked = set(staged_names(_git_files(root)))
    found: list[str] = []
    for folder, subfolders, names in os.walk(upper):
        inner = folder[len(upper) + 1 :]
        if not inner and ".git" in subfolders:
            subfolders.remove(".git")
        if inner in tracked:  # a folder in the place of a file
            found.append(inner)
        if inner and _is_opaque(folder):
            found += _below(inner, tracked)
        for name in names:
            path = f"{inner}/{name}" if inner else name
            if path in tracked and _differs(f"{folder}/{name}", f"{root}/{path}"):
                found.append(path)
            elif path not in tracked:
                found += _below(path, tracked)  # a folder that was removed, or replaced by a file
    return sorted(set(found))


def staged_names(index: bytes) -> list[str]:
    """Return the names in what `git ls-files --stage -z` prints."""
    return [query.decoded(part.split(b"\t", 1)[1]) for part in index.split(b"\0") if b"\t" in part]


def _git_files(root: str) -> bytes:
    return query.ask(root, "ls-files", "--stage", "-z", seconds=_PATIENCE) or b""


def _stamp(path: str) -> str:
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return "-"
    return f"{found.st_mtime_ns} {found.st_size} {found.st_ino} {found.st_mode}"


def _below(folder: str, tracked: set[str]) -> list[str]:
    return [name for name in tracked if name.startswith(folder + "/")]


def _is_opaque(folder: str) -> bool:
    for name in _OPAQUE:
        try:
            if os.getxattr(folder, name) == b"y":
                return True
        except (OSError, AttributeError):
            continue
    return False


def _differs(new: str, old: str) -> bool:
    """Return whether two regular files, or links, differ; a file that was only opened for writing does not."""
    try:
        if os.path.islink(new) and os.path.islink(old):
            return os.readlink(new) != os.readlink(old)
        if os.path.islink(new) or not os.path.isfile(new) or not os.path.isfile(old):
            return True
        return any(one != other for one, other in zip_longest(bounded.pieces(new), bounded.pieces(old)))
    except OSError:
        return True
