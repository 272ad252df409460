"""Which repository holds a path, found by walking up without a process and without `os.path`; its state's marks."""

from gatilho import bounded
from gatilho import system as os
from gatilho.bounded import is_there
from gatilho.value import Value
from gatilho.wire import checksum

_STORE = "docs/gatilhos"
# What lies in a store has no store of its own.
_OWN, _INNER = (".git/", f"{_STORE}/"), f"/{_STORE}/"
_HEX = frozenset("0123456789abcdef")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_UNREAD, _WAITING = "/unread", "/waiting"
# A session that is resumed after this silence counts as a new one for warn, charge and ask (seconds).
NEW_AFTER = 12 * 3600
# Bytes of a session's mark that are read: paths for which rows spoke, about 4,000 of them.
_LARGEST_MARK = 1 << 18


class Repository(Value):
    """A working tree and its two git directories (equal but in a linked worktree); absolute paths with `/`."""

    root: str
    git_dir: str
    common_dir: str

    @property
    def own_state(self) -> str:
        """Return the folder of this working tree's index."""
        return self.git_dir + "/gatilho"

    @property
    def shared_state(self) -> str:
        """Return the folder of the sessions, one for all working trees."""
        return self.common_dir + "/gatilho"

    @property
    def waiting_mark(self) -> str:
        """Return the file that exists while something waits to be written in the working tree."""
        return self.own_state + _WAITING

    @property
    def unread_mark(self) -> str:
        """Return the link that exists while the person has not heard of an event that was lost."""
        return self.shared_state + _UNREAD

    @property
    def typed_mark(self) -> str:
        """Return the file that names what was changed on the command line since a hook last looked."""
        return self.own_state + "/typed"

    @property
    def agent_rows(self) -> str:
        """Return the file that names the rows that agents added by a command, and the commits that they made."""
        return self.shared_state + "/agent-rows"


def leave_unread(shared: str, own: str = "") -> None:
    """Leave links by which the person hears at the next event that one was lost: they need no file to be written.

    shared, own: folders of state; without the second, events that match no row do not look.
    """
    for mark in (shared + _UNREAD, *([own + _WAITING] if own else [])):
        try:
            os.symlink(".", mark)
        except OSError:
            pass  # it is there, or nothing at all can be left


def live_mark(state: str, session: str) -> str:
    """Return the file in a state folder that is there while rows have been delivered in a session.

    It has a line for each path for which a row spoke.
    """
    return f"{state}/live/{checksum(session.encode('utf-8', 'surrogatepass'))}"


def lines_of_mark(mark: str) -> list[str]:
    """Return the paths in a session's mark, none where there is none; raises OSError where the machine refuses it."""
    try:
        text = bounded.head(mark, _LARGEST_MARK)
    except OSError as error:
        if bounded.is_of_machine(error):
            raise
        return []
    return text[: text.rfind(b"\n") + 1].decode("utf-8", "surrogateescape").split("\n")[:-1]


def stores_above(root: str, names: "Iterable[str]") -> list[str]:
    """Return the folders above the names that seem to have a store of their own, each with a slash at the end.

    names: relative to the root, of folders with a slash at the end. One look at the disk for each folder.
    """
    seen: dict[str, bool] = {"": False}
    for name in names:
        end = name.find("/")
        while end >= 0 and (folder := name[: end + 1]) not in _OWN:
            if folder not in seen:
                seen[folder] = is_there(f"{root}/{folder}{_STORE}/")  # a file of that name is no store
            end = -1 if folder.endswith(_INNER) else name.find("/", end + 1)
    return [folder for folder, has_store in seen.items() if has_store]


def find_repository(path: str) -> Repository | None:
    """Return the repository that holds an absolute path, which need not exist; None where there is none."""
    # As named first, which resolves no link: that is the usual case, and every hook pays for it.
    found = _walk_up(path)
    if found is None:
        from gatilho.triggers.paths import resolved

        real = resolved(path)
        found = _walk_up(real) if real not in (None, path) else None
    if found is None and not path.isascii():
        found = _walk_up_respelled(path)
    return found


def _walk_up_respelled(path: str) -> Repository | None:
    """Look once more with letters composed, then decomposed: not every host spells a folder as the disk does."""
    from unicodedata import normalize

    for form in ("NFC", "NFD"):
        respelled = normalize(form, path)
        if respelled != path and (found := _walk_up(respelled)) is not None:
            return found
    return None


def _walk_up(path: str) -> Repository | None:
    folder = path.rstrip("/")
    while True:
        found = repository_at(folder)
        if found is not None:
            return found
        if "/" not in folder:
            return None
        folder = folder[: folder.rindex("/")]


def repository_at(folder: str) -> Repository | None:
    """Return the repository whose root is the folder: `.git` is a git directory, or a file that names one.

    Only what git accepts is a git directory: it has objects, refs and a HEAD that names a ref or a commit. A HEAD that
    a crash broke is one, though git refuses it until it is repaired: the rows go on.
    """
    entry = folder + "/.git"
    if _has_head(entry):
        return Repository(folder or "/", entry, entry) if _has_objects(entry) else None
    named = first_line(entry)
    if not named.startswith("gitdir:"):
        return None
    git_dir = _joined(folder, named[7:].strip())
    common = first_line(git_dir + "/commondir")
    common_dir = _joined(git_dir, common) if common else git_dir
    if not (_has_head(git_dir) and _has_objects(common_dir)):
        return None
    return Repository(folder or "/", git_dir, common_dir)


def _has_objects(common_dir: str) -> bool:
    # With the slash a plain file of that name does not count.
    return is_there(common_dir + "/objects/") and is_there(common_dir + "/refs/")


def _has_head(git_dir: str) -> bool:
    # Old versions of git made it a link to a ref, which need not be there yet.
    if not is_there(git_dir + "/HEAD", follows=False):
        return False
    line = first_line(git_dir + "/HEAD")
    if line[:4] == "ref:":
        return line[4:].lstrip().startswith("refs/")
    is_broken = not (line.isascii() and line.isprintable()) or not line
    return is_broken or (len(line) >= 40 and _HEX.issuperset(line))


def _joined(folder: str, name: str) -> str:
    """Return the name against the folder, `..` resolved by its letters."""
    if not (name.startswith("/") or name[1:3] in (":/", ":\\")):
        name = folder + "/" + name
    parts: list[str] = []
    for part in name.replace("\\", "/").split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in ("", ".", ".."):
            parts.append(part)
    return ("/" if name.startswith("/") else "") + "/".join(parts)


def first_line(path: str) -> str:
    """Return the first line of a small file, "" where it cannot be read; OSError where the machine refuses it."""
    try:
        return bounded.head(path, 4096).split(b"\n", 1)[0].decode("utf-8", "surrogateescape").strip()
    except OSError as error:
        if bounded.is_of_machine(error):
            raise
        return ""
