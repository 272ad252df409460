"""What git knows of the working tree's files: their names, those left out of a sparse checkout, their attributes."""

import subprocess
from collections.abc import Sequence

# Seconds; a repository of a million files is listed in two.
_PATIENCE = 30


def tracked_names(root: str) -> list[str]:
    """The names of all tracked files; none where git cannot say."""
    return _names(root, ["ls-files", "-z"])


def names_left_out(root: str, folder: str) -> list[str]:
    """The tracked files below a folder that a sparse checkout leaves out."""
    return [name[2:] for name in _names(root, ["ls-files", "-z", "-t", "--", folder]) if name.startswith("S ")]


def merged_by_union(root: str, names: Sequence[str]) -> list[str]:
    """Those of the files that git merges by keeping the lines of both sides."""
    given = b"".join(name.encode("utf-8", "surrogateescape") + b"\0" for name in names)
    parts = _names(root, ["check-attr", "-z", "--stdin", "merge"], given)
    return [parts[at] for at in range(0, len(parts) - 2, 3) if parts[at + 2] == "union"]


def _names(root: str, arguments: list[str], given: bytes = b"") -> list[str]:
    command = ["git", "--no-optional-locks", "-C", root, *arguments]
    try:
        done = subprocess.run(command, input=given, capture_output=True, timeout=_PATIENCE, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    if done.returncode:
        return []
    return [name.decode("utf-8", "surrogateescape") for name in done.stdout.split(b"\0") if name]
