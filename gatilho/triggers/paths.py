"""Paths of touches: made absolute by their text, and the names by which a repository's path triggers see them.

Runs on every event of a hook: imports the system calls and its like, not `os.path`, whose `realpath` also raises for a
name that holds half a surrogate pair.
"""

from gatilho import system
from gatilho.value import Value

_MOST_LINKS = 40  # what Linux follows before it answers ELOOP
_LONGEST = 4_096  # PATH_MAX on Linux: no call opens more, and each part of a path is looked up
_FILE_KIND = 0o170000
_LINK = 0o120000


class Touch(Value):
    """One path that a tool call reads or writes.

    kind: "read" or "write". path: absolute, normalised text. certain: it happens for all that the call says; a write of
    names that another command prints may happen or not, and the files show it. form_only: what the file says stays.
    """

    kind: str
    path: str
    certain: bool = True
    form_only: bool = False


def absolute(text: str, cwd: str) -> str | None:
    """Return the absolute path that a text names in a folder, with `.` and `..` resolved by text; else None.

    A path with a drive letter comes out as `C:/work/a.py`. A backslash is taken for a separator, unless a file of
    exactly that name exists. An address with `file:` in front is the path in it.
    None too for a text that is too long to be a path.
    """
    if text.startswith("file:/"):
        text = _path_of_address(text)
    if not text or "\0" in text or len(text) > _LONGEST:
        return None
    if "\\" in text:
        text = _slashes(text, cwd)
    if _has_drive(text):
        return text[0].upper() + ":" + _tidy(text[2:])
    if "\\" in cwd and (_has_drive(cwd) or cwd.startswith("\\\\")):
        cwd = cwd.replace("\\", "/")
    if text[0] != "/":
        if not cwd or (cwd[0] != "/" and not _has_drive(cwd)):
            return None
        text = f"{cwd}/{text}"
        return text[0].upper() + ":" + _tidy(text[2:]) if _has_drive(text) else _tidy(text)
    if _has_drive(cwd):
        # The shells of Windows spell C:/work as /c/work; any other leading slash means the drive one is on.
        of_shell = text[2:3] == "/" and text[1].isascii() and text[1].isalpha()
        return text[1].upper() + ":" + _tidy(text[2:]) if of_shell else cwd[0].upper() + ":" + _tidy(text)
    return _tidy(text)


def names_in(path: str, root: str) -> tuple[str, ...]:
    """Return the names, relative to a repository's root, by which its path triggers see an absolute path.

    As spelled and, where that is another name in the root, with symbolic links resolved; in NFC, with `/` between the
    parts. Empty for a path outside the root and for the root itself.
    """
    if _has_drive(root):
        root = absolute(root, "") or root
    root = root.rstrip("/")
    spelled = _below(path, root)
    if spelled is None and not (path.isascii() and root.isascii()):
        spelled = _below(composed(path), composed(root))
    if spelled is None:
        names = _names_through_links(path, root)
    else:
        names = [spelled]
        for name in {spelled, composed(spelled)}:  # on disk it may be spelled either way
            if _crosses_link(root, name):
                names += _names_through_links(f"{root}/{name}", root)[-1:]
    return tuple(dict.fromkeys(composed(name) for name in names if name))


def resolved(path: str) -> str | None:
    """Return an absolute path with its symbolic links resolved, as far as it exists; None where links go in circles."""
    return _resolve(path, "\0")[0]


def _has_drive(text: str) -> bool:
    return text[1:2] == ":" and text[2:3] in ("/", "\\") and text[0].isascii() and text[0].isalpha()


def _path_of_address(text: str) -> str:
    """Return the path in `file:///w/a%20b.py`, `file://localhost/w/a.py`, `file:/w/a.py` or `file:///c%3A/a.py`."""
    path = text[5:]
    if path.startswith("//"):
        path = path[2 + len(path[2:].partition("/")[0]) :]
    first, *escaped = path.split("%")
    data = first.encode("utf-8", "surrogatepass")
    for part in escaped:
        try:
            data += bytes.fromhex(part[:2]) + part[2:].encode("utf-8", "surrogatepass")
        except ValueError:
            data += b"%" + part.encode("utf-8", "surrogatepass")
    path = data.decode("utf-8", "surrogateescape")
    return path[1:] if _has_drive(path[1:]) else path


def _slashes(text: str, cwd: str) -> str:
    if text.startswith("\\\\?\\"):
        text = text[4:]
    if _has_drive(text) or _has_drive(cwd):
        return text.replace("\\", "/")
    here = text if text[0] == "/" else f"{cwd}/{text}"
    return text if _kind(here) is not None else text.replace("\\", "/")


def _tidy(text: str) -> str:
    """Return an absolute path without empty parts, `.` and `..`."""
    if "//" not in text and "/." not in text:
        return text.rstrip("/") or "/"
    parts: list[str] = []
    for part in text.split("/"):
        if part == "..":
            if parts:
                parts.pop()
        elif part and part != ".":
            parts.append(part)
    return "/" + "/".join(parts)


def composed(text: str) -> str:
    """Return the text with composed letters: some disks list them decomposed, and most people type them composed."""
    if text.isascii():
        return text
    from unicodedata import normalize  # a shared library of its own: only where it is needed

    return normalize("NFC", text)


def normalise(pattern: str) -> str:
    """Return the pattern in the composed form (NFC) in which paths are matched."""
    # A stroke through `<`, `=` or `>` would compose with the syntax of a group.
    return pattern if "\u0338" in pattern else composed(pattern)


def _below(path: str, root: str) -> str | None:
    """Return the path relative to the root, "" for the root itself, None outside."""
    if not path.startswith(root):
        return None
    rest = path[len(root) :]
    return rest[1:] if not rest or rest[0] == "/" else None


def _kind(path: str) -> int | None:
    """Return the file type bits of what is at a path, links not followed; None where nothing is or can be."""
    try:
        return system.lstat(path).st_mode & _FILE_KIND
    except (OSError, ValueError):
        return None


def _crosses_link(root: str, name: str) -> bool:
    path = root
    for part in name.split("/"):
        path = f"{path}/{part}"
        kind = _kind(path)
        if kind is None or kind == _LINK:
            return kind == _LINK
    return False


def _names_through_links(path: str, root: str) -> list[str]:
    """Return the names of a path that reaches the root through symbolic links: as spelled from there on, and resolved.

    Empty where it does not reach the root, and for links that go in circles.
    """
    real_root, _ = _resolve(root, "\0")
    if real_root is None:
        return []
    real, spelled = _resolve(path, real_root)
    resolved = _below(real, real_root) if real is not None else None
    return [name for name in (spelled, resolved) if resolved is not None and name]


def _resolve(path: str, landmark: str) -> tuple[str | None, str]:
    """Return the path without links (None: circles), and what of it was left when the landmark was first reached."""
    real = path[:2] if _has_drive(path) else ""
    waiting = path[len(real) :].split("/")[::-1]
    links, spelled, there = 0, "", True
    while waiting:
        part = waiting.pop()
        # From the target of a link: it means the parent of where that link really led.
        if part == "..":
            real = real.rpartition("/")[0]
            continue
        if not part or part == ".":
            continue
        here = f"{real}/{part}"
        # Below what does not exist there are no links, so the disk is not asked again.
        there = there and (kind := _kind(here)) is not None
        if not there or kind != _LINK:
            real = here
            if real == landmark and not spelled:
                spelled = "/".join(waiting[::-1])
            continue
        links += 1
        target = _read_link(here)
        if links > _MOST_LINKS or target is None:
            return None, ""
        if target.startswith("/") or _has_drive(target):
            real, target = (target[:2], target[2:]) if _has_drive(target) else ("", target)
        waiting.extend(target.split("/")[::-1])
    return real, spelled


def _read_link(path: str) -> str | None:
    try:
        target = system.readlink(path)
    except (OSError, ValueError):
        return None
    return _slashes(target, path) if "\\" in target and _has_drive(path) else target
