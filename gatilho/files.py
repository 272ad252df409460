"""The one door to files that are written: read bytes, replace or create them atomically, hold a lock.

A write goes to a temporary file beside its target and is renamed over it, so that a reader sees the old bytes or the
new ones, and a process that is killed leaves the old ones.
"""

import os
import time

from gatilho import bounded
from gatilho.errors import ConflictError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

_BYTES_AT_ONCE = getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
_PREFIX = ".gatilho-"
_SUFFIX = ".tmp"
# A temporary file older than this (seconds) was left by a process that is no more: a write takes milliseconds.
_LEFT_BEHIND = 60.0
_FIRST_PAUSE = 0.002
_LONGEST_PAUSE = 0.02


def replace_bytes(path: str, old: bytes | None, new: bytes) -> None:
    """Replace the content `old` by `new` atomically; mode bits stay, and of a symbolic link the target is written.

    old: None where it does not matter what is replaced.

    Raises ConflictError when the bytes on disk are no longer `old`, OSError when they cannot be written; in both cases
    the file is as it was.
    """
    target = os.path.realpath(path)
    found = os.stat(target)
    if is_read_only(target):
        raise PermissionError(13, "The file is read-only", path)
    _refuse_moved(target, path, old)
    temporary = _write_beside(target, new)
    try:
        _take_over_rights(temporary, found)
        # Once more: editors take no lock, and writing the temporary file takes much longer than the rename.
        _refuse_moved(target, path, old)
        os.replace(temporary, target)
    except BaseException:
        bounded.remove_quietly(temporary)
        raise
    _sweep(os.path.dirname(target))


def is_read_only(path: str) -> bool:
    """Return whether a file that is there may not be written, be it by its mode alone, which does not stop root."""
    return os.path.exists(path) and not (os.stat(path).st_mode & 0o222 and os.access(path, os.W_OK))


def create(path: str, data: bytes) -> None:
    """Write a new file, whole or not at all; raises FileExistsError where one is, OSError when it cannot be written."""
    temporary = _write_beside(path, data)
    try:
        # By a link, which fails where the name is taken; a rename would replace what is there.
        _name_exclusively(temporary, path)
    finally:
        bounded.remove_quietly(temporary)
    _sweep(os.path.dirname(path))


def write_bytes(path: str, data: bytes) -> None:
    """Write a file, whole or not at all, whatever was there; raises OSError when it cannot be written."""
    if os.path.lexists(path):
        replace_bytes(path, None, data)
    else:
        create(path, data)


def append_bytes(path: str, data: bytes, mode: int = 0o666) -> None:
    """Add to the end of a file in one piece, for others append as well; raises OSError. mode: of a new file.

    It waits for no one who would read a FIFO.
    """
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _BYTES_AT_ONCE, mode)
    try:
        os.write(handle, data)
    finally:
        os.close(handle)


def held_lock(path: str, wait_seconds: float) -> "Lock | None":
    """Return a lock that is held now, None where another process keeps it for so long or it cannot be made."""
    held = Lock(path, wait_seconds)
    try:
        held.acquire()
    except (ConflictError, OSError):
        return None
    return held


class Lock:
    """A lock that the system takes off when its owner dies, so no one has to judge whether it is stale.

    As a context manager it holds the file; entering raises ConflictError when the wait is over.
    """

    def __init__(self, path: str, wait_seconds: float) -> None:
        self.path = path
        self.wait_seconds = wait_seconds
        self._handle = -1

    def acquire(self) -> None:
        """Get the lock; raises ConflictError when the wait is over, OSError when the file cannot be opened."""
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        deadline = time.monotonic() + self.wait_seconds
        pause = _FIRST_PAUSE
        while not self._try():
            if time.monotonic() >= deadline:
                raise ConflictError(
                    f"{self.path} was held by another gatilho for {self.wait_seconds:g} s: nothing was written. "
                    "Try again when it is done."
                )
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    def release(self) -> None:
        """Let others have the lock."""
        os.close(self._handle)
        self._handle = -1

    def __enter__(self) -> "Lock":
        self.acquire()
        return self

    def __exit__(
        self, kind: "type[BaseException] | None", error: "BaseException | None", trace: "TracebackType | None"
    ) -> None:
        self.release()

    def _try(self) -> bool:
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            # Someone may have removed the folder since the file was opened: such a lock excludes no one.
            if _hold(handle) and _is_still_there(handle, self.path):
                self._handle = handle
                return True
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
        return False


def _hold(handle: int) -> bool:
    """Return whether the lock on an open file could be had at once."""
    try:
        import fcntl
    except ImportError:
        return _hold_on_windows(handle)
    try:
        # Not `lockf`: such a lock is lost when the process closes any other handle of the file.
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _hold_on_windows(handle: int) -> bool:
    import msvcrt

    try:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    except OSError:
        return False
    return True


def _is_still_there(handle: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False


def _refuse_moved(target: str, path: str, old: bytes | None) -> None:
    if old is not None and bounded.read(target) != old:
        raise ConflictError(f"{path} was changed by another process: nothing was written to it. Try again.")


def _write_beside(path: str, data: bytes) -> str:
    """Write the bytes to a new temporary file in the same folder; its name."""
    temporary = os.path.join(os.path.dirname(path), f"{_PREFIX}{os.getpid()}-{os.urandom(4).hex()}{_SUFFIX}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with open(handle, "wb", buffering=0) as stream:
            rest = memoryview(data)
            while rest:
                rest = rest[stream.write(rest) :]
    except BaseException:
        bounded.remove_quietly(temporary)
        raise
    return temporary


def _take_over_rights(temporary: str, found: os.stat_result) -> None:
    """Give the temporary file the mode bits of the file it will replace and, where that is allowed, its owner."""
    own = os.stat(temporary)
    if (own.st_uid, own.st_gid) != (found.st_uid, found.st_gid):
        try:
            os.chown(temporary, found.st_uid, found.st_gid)
        except OSError:
            pass
    # Last, because a change of the owner takes the set-id bits off.
    os.chmod(temporary, found.st_mode & 0o7777)


def _name_exclusively(temporary: str, path: str) -> None:
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:
        # A file system without hard links: the look before the rename leaves a gap that random names make harmless.
        if os.path.lexists(path):
            raise FileExistsError(17, "File exists", path) from None
        os.rename(temporary, path)


def _sweep(folder: str) -> None:
    """Remove temporary files that a killed process left in the folder."""
    oldest = time.time() - _LEFT_BEHIND
    try:
        for name in os.listdir(folder or "."):
            path = os.path.join(folder, name)
            if name.startswith(_PREFIX) and name.endswith(_SUFFIX) and os.lstat(path).st_mtime < oldest:
                os.unlink(path)
    except OSError:
        pass
