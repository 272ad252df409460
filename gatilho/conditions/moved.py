"""Where a file went that a condition names: what git knows of renames, proposed to a person and never acted upon."""

from gatilho.git import query

_LONGEST_CHAIN = 10


def new_path(root: str, path: str) -> str:
    """Return the name that git follows a file to which is not there any more; "" where it knows none, and for a glob.

    `git log --follow` goes from the new name to the old one; this goes the other way, by the commit that removed it.
    """
    if any(mark in path for mark in "*?["):
        return ""
    found = path
    for _ in range(_LONGEST_CHAIN):
        following = _staged(root, found) or _committed(root, found)
        if not following or following == path:
            break
        found = following
        if query.ask_names(root, "ls-files", "-z", "--", f":(literal,top){found}"):
            break
    return "" if found == path else found


def _staged(root: str, path: str) -> str:
    """Return the new name in what is added to git's index and not committed yet."""
    return _renamed(query.ask_names(root, "diff", "--cached", "--find-renames", "--name-status", "-z") or [], path)


def _committed(root: str, path: str) -> str:
    """Return the new name in the last commit that removed the path."""
    removed = query.ask_names(root, "log", "-1", "--format=%H", "--diff-filter=D", "--", f":(literal,top){path}")
    if not removed:
        return ""
    options = ("--no-commit-id", "-r", "--find-renames", "--name-status", "-z")
    return _renamed(query.ask_names(root, "diff-tree", *options, removed[0].strip()) or [], path)


def _renamed(fields: list[str], path: str) -> str:
    """Return the new name of the path among the fields that `--name-status -z` prints."""
    for number, field in enumerate(fields[:-2]):
        if field[:1] == "R" and field[1:].isdigit() and fields[number + 1] == path:
            return fields[number + 2]
    return ""
