"""The files of one repository as conditions see them: links followed but never out of it, store and .git left out."""

from gatilho import bounded, system
from gatilho.git.root import repository_at
from gatilho.model import STORE, Value

LARGEST = 5_000_000  # bytes of one file that a condition searches
MISSING = "is not there"
DANGLING = "is a link to nothing"

HIDDEN = "is in a place that conditions do not read"
LEFT_OUT = "is outside the sparse checkout"
LEADS_OUT = "leads out of the repository"
ENDLESS = "is a link that leads to itself"

_MOST_LINKS = 40  # on one path, as Linux itself follows
_GIT_SECONDS = 5
_KIND, _DIRECTORY, _REGULAR, _LINK = 0o170000, 0o040000, 0o100000, 0o120000
_KIND_WORDS = {_DIRECTORY: "a directory", 0o010000: "a FIFO", 0o140000: "a socket"}


class Unreadable(Exception):
    """Something that a condition cannot look at; the text is a predicate, such as "is not there"."""

    @property
    def is_gone(self) -> bool:
        return str(self) in (MISSING, DANGLING)


class TreeEntry(Value):
    """What a path leads to.

    real: the relative path with all links followed. kind: the format bits of its mode, 0 where nothing is seen.
    fault: why nothing is seen there, as a predicate; MISSING or DANGLING where there is nothing.
    """

    real: str
    kind: int
    fault: str = ""

    def child(self, name: str) -> str:
        """Return the real path of an entry of this directory."""
        return f"{self.real}/{name}" if self.real else name

    @property
    def is_directory(self) -> bool:
        return self.kind == _DIRECTORY

    @property
    def is_file(self) -> bool:
        return self.kind == _REGULAR

    @property
    def is_hidden(self) -> bool:
        return self.fault == HIDDEN

    @property
    def is_missing(self) -> bool:
        return self.fault == MISSING

    @property
    def is_gone(self) -> bool:
        return self.fault in (MISSING, DANGLING)


class Lookup(Value):
    """What a path or a glob names.

    spots: each real file once and sorted; for a path its one spot. fault: why a glob may name more than these.
    """

    path: str
    spots: list[TreeEntry]
    by_glob: bool = False
    fault: str = ""

    def name(self, spot: TreeEntry) -> str:
        """Return the path to show for one of the spots."""
        return spot.real if self.by_glob else self.path

    def why_nothing(self) -> str:
        """Say why there is no file to look at."""
        if self.fault or not self.by_glob:
            return f"{self.path} {self.fault or self.spots[0].fault}"
        if self.spots:
            return f"{self.name(self.spots[0])} {self.spots[0].fault or 'is not a file'}"
        return f"no file matches {self.path}"


class Tree:
    """Reads of one repository.

    root: its absolute path. overlay: real relative path -> the bytes that a write which has not happened yet will leave
    there (None: nothing). with_store: the store is seen too, which conditions never want. lookups: what globs named,
    where no file comes or goes meanwhile; None: they are followed anew each time.
    """

    def __init__(
        self,
        root: str,
        overlay: dict[str, bytes | None] | None = None,
        with_store: bool = False,
        lookups: dict[str, Lookup] | None = None,
    ) -> None:
        self.root = root.rstrip("/")
        self.lookups = lookups
        self.overlay = {} if overlay is None else overlay
        self._with_store = with_store
        self._ignored: frozenset[str] | None = None
        self._left_out: frozenset[str] | None = None

    def locate(self, path: str) -> TreeEntry:
        """Follow a relative path and its links; what cannot be seen is a spot with a fault."""
        spot = self._follow(path)
        if spot.fault == MISSING and not path.isascii():
            from unicodedata import normalize  # a name made on a Mac may be decomposed

            spellings = (normalize("NFC", path), normalize("NFD", path))
            spot = next((other for other in map(self._follow, spellings) if other.fault != MISSING), spot)
        return spot

    def locate_child(self, directory: TreeEntry, name: str) -> TreeEntry:
        """Locate an entry of a directory that was located before, and belongs to this repository."""
        real = directory.child(name)
        try:
            kind = self._kind(real, False)
        except Unreadable as unseen:
            return TreeEntry(real, 0, str(unseen))
        return self.locate(real) if kind == _LINK else TreeEntry(real, kind)

    def read(self, spot: TreeEntry) -> bytes:
        """Return the bytes of a regular file of at most LARGEST bytes, without waiting for any; raises Unreadable."""
        if spot.fault:
            raise Unreadable(spot.fault)
        if not spot.is_file:
            raise Unreadable(f"is {_KIND_WORDS.get(spot.kind, 'a device')}, not a file")
        data = self.overlay.get(spot.real)
        if data is None:
            data = self.content(spot.real)
        if len(data) > LARGEST:
            raise Unreadable(f"is over {LARGEST // 1_000_000} MB")
        return data

    def names(self, directory: str) -> list[str]:
        """Return the sorted names in a directory ("" or a real path), planned writes included; raises Unreadable."""
        prefix = directory + "/" if directory else ""
        planned = {path[len(prefix) :]: data for path, data in self.overlay.items() if path.startswith(prefix)}
        try:
            found = set(self.listing(directory))
        except OSError as error:
            if not planned:
                raise Unreadable(f"cannot be listed ({error.strerror})") from error
            found = set()
        found -= {path for path, data in planned.items() if data is None}
        found |= {path.split("/", 1)[0] for path, data in planned.items() if data is not None}
        return sorted(found)

    def is_nested(self, directory: TreeEntry) -> bool:
        """Return whether a directory below the root is a repository of its own: a submodule, a worktree, a clone."""
        return self.mode(directory.real + "/.git") is not None

    def mode(self, real: str) -> int | None:
        """Return the mode of a path, links not followed, None where nothing is; raises Unreadable if refused."""
        try:
            return system.lstat(self.disk_path(real)).st_mode
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return None
        except OSError as error:
            raise Unreadable(f"cannot be looked at ({error.strerror})") from error

    def content(self, real: str) -> bytes:
        """Return up to LARGEST + 1 bytes of a regular file; raises Unreadable."""
        try:
            return bounded.head(self.disk_path(real), LARGEST + 1)
        except FileNotFoundError:
            raise Unreadable(MISSING) from None
        except OSError as error:
            raise Unreadable(f"cannot be read ({error.strerror})") from error

    def listing(self, directory: str) -> list[str]:
        """Return the names in a directory as it is; raises OSError."""
        return system.listdir(self.disk_path(directory))

    def link(self, real: str) -> str:
        """Return what a link names; raises OSError."""
        return system.readlink(self.disk_path(real))

    @property
    def ignored(self) -> frozenset[str]:
        """Return the directories that git ignores, as git says (asked once); none where there is no git."""
        if self._ignored is None:
            names = _listed_by_git(self.root, "-o", "-i", "--exclude-standard", "--directory")
            self._ignored = frozenset(name[:-1] for name in names if name.endswith("/"))
        return self._ignored

    @property
    def left_out(self) -> frozenset[str]:
        """Return the tracked files that a sparse checkout keeps from the disk (asked once)."""
        if self._left_out is None:
            self._left_out = frozenset(_left_out_files(self.root))
        return self._left_out

    def disk_path(self, real: str) -> str:
        """Return the path of a real relative path for the operating system."""
        return f"{self.root}/{real}"

    def _follow(self, path: str) -> TreeEntry:
        done: list[str] = []
        todo = path.split("/")[::-1]
        kind = _DIRECTORY
        links = 0
        try:
            while todo:
                part = todo.pop()
                if part == ".." and not done:
                    raise Unreadable(LEADS_OUT)
                # `..` counts from where a link led, as for the system: what is done has no links any more.
                if part in ("", ".", ".."):
                    del done[len(done) - (part == "..") :]
                    continue
                done.append(part)
                kind = self._kind("/".join(done), bool(todo))
                if kind == _LINK:
                    links += 1
                    if links > _MOST_LINKS:
                        raise Unreadable(ENDLESS)
                    absolute, target = self._target("/".join(done))
                    del done[0 if absolute else -1 :]
                    todo.extend(target.split("/")[::-1])
                    kind = _DIRECTORY
        except Unreadable as unseen:
            real = "/".join([*done, *todo[::-1]])
            # Hidden before missing: a condition must not find out what such a place holds.
            if unseen.is_gone and self._is_hidden(real):
                return TreeEntry(real, 0, HIDDEN)
            if unseen.is_gone and self._is_left_out(real):
                return TreeEntry(real, 0, LEFT_OUT)
            return TreeEntry(real, 0, DANGLING if links and unseen.is_gone else str(unseen))
        return TreeEntry("/".join(done), kind)

    def _kind(self, real: str, on_the_way: bool) -> int:
        """Return the kind of file at a path with no link above it; raises Unreadable for hidden or missing ones."""
        if self._is_hidden(real):
            raise Unreadable(HIDDEN)
        kind = _REGULAR if self.overlay.get(real) is not None else self._kind_on_disk(real)
        if on_the_way and kind not in (_DIRECTORY, _LINK):
            raise Unreadable(MISSING)
        if on_the_way and kind == _DIRECTORY and self.mode(real + "/.git") is not None:
            raise Unreadable(f"belongs to another repository, {real}")
        return kind

    def _is_hidden(self, real: str) -> bool:
        """Return whether no condition looks there, in any case of letters: some file systems make no difference."""
        folded = f"/{real.lower()}/"
        return "/.git/" in folded or (f"/{STORE}/" in folded and not self._with_store)

    def _is_left_out(self, real: str) -> bool:
        return real in self.left_out or any(name.startswith(real + "/") for name in self.left_out)

    def _kind_on_disk(self, real: str) -> int:
        mode = None if real in self.overlay else self.mode(real)
        if mode is not None:
            return mode & _KIND
        below = real + "/"
        if any(path.startswith(below) and data is not None for path, data in self.overlay.items()):
            return _DIRECTORY
        raise Unreadable(MISSING)

    def _target(self, real: str) -> tuple[bool, str]:
        """Return where a link leads, seen from the root (True) or from its directory; raises Unreadable if outside."""
        try:
            target = self.link(real)
        except OSError as error:
            raise Unreadable(f"cannot be read ({error.strerror})") from error
        if not target.startswith("/"):
            return False, target
        from os.path import realpath  # an absolute link is rare, and the root itself may be reached through one

        for root in (self.root, realpath(self.root)):
            if (target + "/").startswith(root + "/"):
                return True, target[len(root) :]
        raise Unreadable(LEADS_OUT)


def _left_out_files(root: str) -> list[str]:
    repository = repository_at(root)
    if repository is None or not bounded.is_there(f"{repository.git_dir}/info/sparse-checkout"):
        return []
    return [line[2:] for line in _listed_by_git(root, "-t") if line.startswith("S ")]


def _listed_by_git(root: str, *options: str) -> list[str]:
    import os

    from gatilho.git.query import ask, decoded

    # inside a git hook these name another index or directory than the one of this tree
    elsewhere = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR")
    environ = {name: value for name, value in os.environ.items() if name not in elsewhere}
    listing = ask(root, "ls-files", "-z", *options, seconds=_GIT_SECONDS, environ=environ) or b""
    return [decoded(line) for line in listing.split(b"\0")]
