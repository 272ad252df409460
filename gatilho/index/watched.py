"""What a shell command changed, seen from outside: stamps of the files that rows name, taken before and compared after.

One small file for each working tree holds those of the session whose command came last. Loaded for every shell command,
so it imports little: what is built in, and the bounded reader.
"""

try:
    import posix as os
except ImportError:  # Windows
    import os  # type: ignore[no-redef]

from gatilho import bounded
from gatilho.wire import checksum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.git.root import Repository
    from gatilho.index.signature import Signature

FILE = "/watched"
_LONGEST = 1 << 16
# How git's log of HEAD begins its lines for commits; and what else it says of one that was made, not only gone to.
_COMMITS = ("commit: ", "commit (amend)", "commit (initial)")
_MADE = ("commit", "cherry-pick", "revert", "rebase (", "am: ")
_MERGED = "Merge made"
# Files and folders below the folders that rows name, all together; what no person wrote is passed over.
_MOST_BELOW = 256
_TABLES = "/docs/gatilhos"
_NOT_WRITTEN = ("__pycache__", "node_modules", "target", "dist", "build")


def note_stamps(repository: "Repository", session: str, signature: "Signature") -> None:
    """Note what the watched files look like before a command; nothing is written where they are as they were noted."""
    names = [f"{repository.root}/{name}" for name in signature.anchors if name[-1] != "/"]
    names += _below([f"{repository.root}/{name}" for name in signature.anchors if name[-1] == "/"])
    text = _rendered(session, {name: file_stamp(name) for name in [_log(repository), *names]})
    path = repository.own_state + FILE
    if _read(path) == text:
        return
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        try:
            os.write(handle, text)
        finally:
            os.close(handle)
    except OSError:
        pass  # a read-only git directory: nothing is remembered there


def stamps_before(repository: "Repository", session: str) -> dict[str, str]:
    """Return the stamps (path -> stamp) noted before the session's command; none where another's came in between."""
    text = _read(repository.own_state + FILE)
    key = _key(session)
    if not text.startswith(key) or not text.endswith(b"\n"):
        return {}
    lines = text[len(key) :].decode("utf-8", "surrogateescape").split("\n")
    return {path: stamp for stamp, _, path in (line.partition("\t") for line in lines) if path}


def has_changed(repository: "Repository", session: str) -> bool:
    """Return whether a watched file is not as it was before the session's command."""
    return any(file_stamp(path) != stamp for path, stamp in stamps_before(repository, session).items())


def made_since(stamps: dict[str, str]) -> list[str]:
    """Return the files that are new in the folders that were looked at before the command."""
    changed = [path for path, stamp in stamps.items() if path[-1] == "/" and file_stamp(path) != stamp]
    return [path for path in _below(changed) if path not in stamps and path[-1] != "/"] if changed else []


def _below(folders: list[str]) -> list[str]:
    """Return the folders and what lies in them, folders with a slash at the end; a bounded number."""
    found: dict[str, None] = {}
    folders = list(folders)
    for folder in folders:  # grows while it is gone through
        if folder in found or len(found) >= _MOST_BELOW:
            continue
        found[folder] = None
        try:
            entries = list(os.scandir(folder))[:_MOST_BELOW]
        except OSError:
            continue
        for entry in entries:
            if entry.name[0] == "." or entry.name in _NOT_WRITTEN or f"{folder}{entry.name}".endswith(_TABLES):
                continue
            if entry.is_dir(follow_symlinks=False):
                folders.append(f"{folder}{entry.name}/")
            elif len(found) < _MOST_BELOW:
                found[folder + entry.name] = None
    return list(found)


def file_stamp(path: str) -> str:
    """Return what a file looks like now: it changes when the file is written, replaced, made or removed."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return "-"
    return f"{status.st_mtime_ns} {status.st_size} {status.st_ino}"


def committed(repository: "Repository", stamps: dict[str, str]) -> tuple[bool, list[tuple[str, str]]]:
    """Return whether HEAD moved since then by anything but commits, and the (old, new) pair of each commit.

    The reflog says which: lines are only ever added to it.
    """
    moved, pairs = False, []
    for old, new, what in _moves(repository, stamps):
        if what.startswith(_COMMITS):
            pairs.append((old, new))
        else:
            moved = True
    return moved, pairs


def commits_made(repository: "Repository", stamps: dict[str, str]) -> list[str]:
    """Return the commits that were made since then, by merging, picking and rebasing, too; not those gone to."""
    return [new for _, new, what in _moves(repository, stamps) if what.startswith(_MADE) or _MERGED in what]


def _moves(repository: "Repository", stamps: dict[str, str]) -> "list[tuple[str, str, str]]":
    """Return how HEAD moved since then, as (old, new, what git says of it)."""
    stamp = stamps.get(_log(repository), "")
    if not stamp or stamp == file_stamp(_log(repository)):
        return []
    size = stamp.split(" ")[1] if " " in stamp else "0"
    moves = []
    for line in _read(_log(repository), int(size)).decode("utf-8", "replace").split("\n"):
        old, _, rest = line.partition(" ")
        new, what = rest.partition(" ")[0], line.partition("\t")[2]
        if what and old != new:
            moves.append((old, new, what))
    return moves


def _log(repository: "Repository") -> str:
    return repository.git_dir + "/logs/HEAD"


def _key(session: str) -> bytes:
    return checksum(session.encode("utf-8", "surrogatepass")).encode() + b"\n"


def _rendered(session: str, stamps: dict[str, str]) -> bytes:
    lines = "".join(f"{stamp}\t{path}\n" for path, stamp in stamps.items() if "\n" not in path)
    return _key(session) + lines.encode("utf-8", "surrogateescape")


def _read(path: str, start: int = 0) -> bytes:
    try:
        return bounded.head(path, _LONGEST, start)
    except OSError:
        return b""
