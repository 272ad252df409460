"""Plain globs: made of text, `*`, `?` and `**`, decided part by part and translated without pathspec.

What they mean is what pathspec makes of them, which a test holds; a glob with sets or escapes is not plain.
"""

_ANYTHING, _BELOW_A_FOLDER = ["."], ["/"]
_SPECIAL = {ord(mark): "\\" + mark for mark in "()[]{}?*+-|^$\\.&~# \t\v\f"}


def parts_of(glob: str) -> list[str] | None:
    """Return the parts of a plain glob, `**` for any number of folders; None for any other glob.

    A `**` in front lets it begin anywhere, one at the end stands for all below. ["."] takes every path, ["/"] every
    path in a folder: neither is a part of any glob.
    """
    if "[" in glob or "\\" in glob or "//" in glob or glob[:1] in ("", "!", "#", " ") or glob == "/":
        return None
    if glob != glob.rstrip() or "\n" in glob or "\r" in glob:
        return None
    is_folder = glob.endswith("/")
    found = glob.rstrip("/").removeprefix("/").split("/") + ["**"] * is_folder
    if "/" not in glob.rstrip("/"):
        found.insert(0, "**")
    parts = [part for at, part in enumerate(found) if part != "**" or found[at - 1 : at] != ["**"]]
    if parts == ["**"]:
        return _BELOW_A_FOLDER if is_folder else _ANYTHING
    if parts == ["**", "*"]:
        return _ANYTHING
    return _BELOW_A_FOLDER if parts == ["**", "*", "**"] else parts


def takes(parts: list[str], path: str) -> bool:
    """Return whether a plain glob matches a path relative to the root, or a folder above it."""
    if parts in (_ANYTHING, _BELOW_A_FOLDER):
        return bool(path) and (parts == _ANYTHING or "/" in path)
    names = path.split("/")
    at = here = resume = 0
    star = -1
    while at < len(parts):
        if parts[at] == "**":
            if at == len(parts) - 1:
                return here < len(names)
            star, resume = at, here
            at += 1
        elif here < len(names) and _takes_name(parts[at], names[here]):
            at, here = at + 1, here + 1
        else:  # let the last `**` take one folder more: what an earlier one took need not change
            resume += 1
            if star < 0 or resume >= len(names):
                return False
            at, here = star + 1, resume
    return True


def plain_to_regex(parts: list[str]) -> str:
    """Return what pathspec translates the glob to, as `globs.to_regex` respells it."""
    if parts in (_ANYTHING, _BELOW_A_FOLDER):
        return parts[0]
    regex, last = "" if parts[0] == "**" else "^", len(parts) - 1
    for at, part in enumerate(parts):
        if part == "**":
            regex += "^(?:.+/)?" if at == 0 else "/" if at == last else "(?:/.+)?"
        else:
            regex += "/" if at and (at > 1 or parts[0] != "**") else ""
            regex += "[^/]+" if part == "*" else part.translate(_WILDCARDS)
            regex += r"(?:/|\Z)" if at == last else ""
    return regex


_WILDCARDS = {**_SPECIAL, ord("*"): "[^/]*", ord("?"): "[^/]"}


def _takes_name(part: str, name: str) -> bool:
    if "*" not in part and "?" not in part:
        return part == name
    if part == "*":
        return bool(name)
    at = here = resume = 0
    star = -1
    while here < len(name):
        if at < len(part) and part[at] == "*":
            star, resume = at, here
            at += 1
        elif at < len(part) and part[at] in ("?", name[here]):
            at, here = at + 1, here + 1
        elif star < 0:
            return False
        else:
            resume += 1
            at, here = star + 1, resume
    return not part[at:].strip("*")
