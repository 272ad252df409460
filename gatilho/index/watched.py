"""What a shell command changed, seen from outside: stamps of files, taken before and compared after.

They are of the files that rows name, and of those for which rows spoke in the session. Each call has a small file of
its own, since a host runs several at once; it is gone when the call is over. Loaded for every shell command, so it
imports little: what is built in, and what every hook loads.
"""

from gatilho import bounded
from gatilho import system as os
from gatilho.git.root import leave_unread
from gatilho.wire import checksum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gatilho.git.root import Repository
    from gatilho.hosts.event import Event

FOLDER = "/stamps"
_LONGEST = 1 << 23  # stamps of as many files as one command can name
# How git's log of HEAD begins its lines for commits; and what else it says of one that was made, not only gone to.
_COMMITS = ("commit: ", "commit (amend)", "commit (initial)")
_MADE = ("commit", "cherry-pick", "revert", "rebase (", "am: ")
_MERGED = "Merge made"
# Files and folders below the folders that rows name, all together; what no person wrote is passed over.
_MOST_BELOW = 256
_TABLES = "/docs/gatilhos"
# The first line of the file of a call in which a row spoke.
_SPOKE = "spoke\n"
_NOT_WRITTEN = ("__pycache__", "node_modules", "target", "dist", "build")


def note_stamps(
    repository: "Repository", event: "Event", anchors: "Iterable[str]", further: "Iterable[str]", spoke: bool
) -> None:
    """Note what files look like before a command: those that rows name, and further ones, by absolute names.

    anchors: the first, as `Signature` has them. spoke: the event after the command concerns the ladder whatever the
    files look like then.
    """
    names = [f"{repository.root}/{name}" for name in anchors if name[-1] != "/"]
    names += _below([f"{repository.root}/{name}" for name in anchors if name[-1] == "/"])
    names = [*_moves_of_head(repository), *names, *further]
    lines = [f"{file_stamp(name)}\t{name}\n" for name in dict.fromkeys(names) if "\n" not in name]
    text = "".join([_SPOKE if spoke else "\n", *lines]).encode("utf-8", "surrogateescape")
    path = _file(repository, event, event.call)
    try:
        handle = _opened(path)
        try:
            os.write(handle, text)
        finally:
            os.close(handle)
    except OSError as error:
        if bounded.is_of_machine(error):  # else it is a read-only git directory: nothing is remembered there
            leave_unread(repository.shared_state, repository.own_state)


def _opened(path: str) -> int:
    try:
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    except FileNotFoundError:
        try:
            os.mkdir(path.rpartition("/")[0])
        except FileExistsError:
            pass  # by the hook of a call that begins at the same time
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)


def stamps_before(repository: "Repository", event: "Event") -> dict[str, str]:
    """Return the stamps (path -> stamp) noted before the command; none where it was not seen to begin."""
    return _parsed(_noted(repository, event))


def _parsed(text: bytes) -> dict[str, str]:
    whole = text[: text.rfind(b"\n") + 1]  # the disk may have been full
    lines = whole.decode("utf-8", "surrogateescape").split("\n")
    return {path: stamp for stamp, _, path in (line.partition("\t") for line in lines[1:]) if path}


def concerns_ladder(repository: "Repository", event: "Event") -> bool:
    """Return whether a file is not as it was before the command, or a row spoke then."""
    text = _noted(repository, event)
    if text.startswith(_SPOKE.encode()):
        return True
    return any(file_stamp(path) != stamp for path, stamp in _parsed(text).items())


def forget_stamps(repository: "Repository", event: "Event") -> None:
    """Forget what was noted before a command that is over."""
    for call in (event.call, ""):
        bounded.remove_quietly(_file(repository, event, call))


def made_since(stamps: dict[str, str]) -> list[str]:
    """Return the files that are new in the folders that were looked at before the command."""
    changed = [path for path, stamp in stamps.items() if path[-1] == "/" and file_stamp(path) != stamp]
    return [path for path in _below(changed) if path not in stamps and path[-1] != "/"] if changed else []


def _below(folders: list[str]) -> list[str]:
    """Return the folders and what lies in them, folders with a slash at the end; a bounded number.

    A folder is left out of which not all is among it: what is new there later could not be known.
    """
    found: dict[str, None] = {}
    cut: list[str] = []
    folders = list(folders)
    for folder in folders:  # grows while it is gone through
        if folder in found:
            continue
        if len(found) >= _MOST_BELOW:
            cut.append(folder)
            continue
        found[folder] = None
        try:
            with os.scandir(folder) as listing:
                entries = [entry for _, entry in zip(range(_MOST_BELOW + 1), listing)]
        except OSError as error:
            if bounded.is_of_machine(error):
                raise
            continue
        for entry in entries:
            if entry.name[0] == "." or entry.name in _NOT_WRITTEN or f"{folder}{entry.name}".endswith(_TABLES):
                continue
            if entry.is_dir(follow_symlinks=False):
                folders.append(f"{folder}{entry.name}/")
            elif len(found) < _MOST_BELOW:
                found[folder + entry.name] = None
        if len(entries) > _MOST_BELOW or len(found) >= _MOST_BELOW:
            cut.append(folder)
    return [path for path in found if path[-1] != "/" or not any(one.startswith(path) for one in cut)]


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
    moved, pairs = _moved_unlogged(repository, stamps), []
    for old, new, what in head_moves(repository, stamps):
        if what.startswith(_COMMITS):
            pairs.append((old, new))
        else:
            moved = True
    return moved, pairs


def _moved_unlogged(repository: "Repository", stamps: dict[str, str]) -> bool:
    log, *others = _moves_of_head(repository)
    return stamps.get(log) == "-" and any(stamps[name] != file_stamp(name) for name in others if name in stamps)


def commits_made(repository: "Repository", stamps: dict[str, str]) -> list[str]:
    """Return the commits that were made since then, by merging, picking and rebasing, too; not those gone to."""
    return [new for _, new, what in head_moves(repository, stamps) if what.startswith(_MADE) or _MERGED in what]


def head_moves(repository: "Repository", stamps: dict[str, str]) -> "list[tuple[str, str, str]]":
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


def _moves_of_head(repository: "Repository") -> tuple[str, str, str]:
    """Return the files by which one sees that HEAD moved; the last two where git keeps no log of it.

    Of these a checkout writes the first, a merge and a reset the second, and a commit none.
    """
    return _log(repository), repository.git_dir + "/HEAD", repository.git_dir + "/ORIG_HEAD"


def _noted(repository: "Repository", event: "Event") -> bytes:
    """Return what was noted before a call; where only one of its events has an id, it is found by its command."""
    return _read(_file(repository, event, event.call)) or _read(_file(repository, event, ""))


def _file(repository: "Repository", event: "Event", call: str) -> str:
    """Return the file of a call by its id; "" where the host gives none: then by its command."""
    key = checksum(f"{event.session}\n{call or event.said}".encode("utf-8", "surrogatepass"))
    return f"{repository.own_state}{FOLDER}/{key}"


def _read(path: str, start: int = 0) -> bytes:
    try:
        return bounded.head(path, _LONGEST, start)
    except OSError as error:
        if bounded.is_of_machine(error):
            raise
        return b""
