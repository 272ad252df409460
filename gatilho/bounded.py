"""The one reader of files: regular ones only, up to a limit, without waiting. What a clone holds is from many hands.

A device is not even opened, for opening one can have an effect, and neither is a FIFO, whose other end would notice.
Caches are removed here, too, for this module is loaded anyway.
"""

from gatilho import system as os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# No table, ledger file or list of refs that is used comes near it (bytes).
LARGEST = 64 << 20
_PIECE = 1 << 20
# It fails, has no memory, no more open files, is full; what a server had is gone; the person's share is used up.
_OF_MACHINE = frozenset((5, 12, 23, 24, 28, 116, 122))
_KIND, _REGULAR = 0o170000, 0o100000
_FLAGS = os.O_RDONLY
for _name in ("O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY"):
    _FLAGS |= getattr(os, _name, 0)


def read(path: str, most: int = LARGEST) -> bytes:
    """Return the bytes of a regular file, links followed; raises OSError, also where it is larger than `most`."""
    data = head(path, most + 1)
    if len(data) > most:
        raise OSError(27, f"larger than {most >> 20} MiB" if most >> 20 else f"larger than {most} bytes", path)
    return data


def read_quietly(path: str) -> bytes:
    """Return the same, b"" where there is no such file or it cannot be read."""
    try:
        return read(path)
    except OSError:
        return b""


def is_of_machine(error: OSError) -> bool:
    """Return whether the machine refused, which says nothing of a file: it may be there, and in order in a moment."""
    return error.errno in _OF_MACHINE


def remove_quietly(path: str) -> None:
    """Remove a file, if it is there and can be removed."""
    try:
        os.unlink(path)
    except OSError:
        pass


def is_there(path: str, follows: bool = True) -> bool:
    """Return whether something is at the path; follows: a link counts for what it leads to.

    Raises OSError where the machine refuses to look.
    """
    try:
        (os.stat if follows else os.lstat)(path)
    except OSError as error:
        if is_of_machine(error):
            raise
        return False
    except ValueError:
        return False
    return True


def folder_names(folder: str) -> list[str]:
    """Return the names in a folder, none where it cannot be listed; raises OSError where the machine refuses to."""
    try:
        return os.listdir(folder)
    except OSError as error:
        if is_of_machine(error):
            raise
        return []


def head(path: str, most: int, start: int = 0) -> bytes:
    """Return `most` bytes of a regular file, or fewer at its end; start: the byte to begin at. Raises OSError."""
    handle, size = _opened(path)
    return _part(handle, size - start, most, start)


def tail(path: str, most: int) -> bytes:
    """Return the last `most` bytes of a regular file, all of a shorter one; raises OSError."""
    handle, size = _opened(path)
    return _part(handle, min(size, most), most, max(0, size - most))


def _part(handle: int, left: int, most: int, start: int) -> bytes:
    """Read `most` bytes from there on. left: how many there are, by the file's size: memory for more costs more."""
    try:
        if start:
            os.lseek(handle, start, 0)
        pieces = []
        while most > 0 and (piece := os.read(handle, min(most, left + 1 if left > 0 else _PIECE, _PIECE))):
            pieces.append(piece)
            most -= len(piece)
            left -= len(piece)
            if not left:
                break
    finally:
        os.close(handle)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def pieces(path: str) -> "Iterator[bytes]":
    """Yield a regular file of any size in pieces of a mebibyte; raises OSError."""
    handle, _ = _opened(path)
    try:
        while piece := os.read(handle, _PIECE):
            yield piece
    finally:
        os.close(handle)


def _opened(path: str) -> tuple[int, int]:
    """Open a file once it is seen to be a regular one, and look again, for it may have been replaced in between.

    Returns its size, too.
    """
    try:
        if os.stat(path).st_mode & _KIND != _REGULAR:
            raise OSError(22, "not a regular file", path)
    except ValueError as error:  # a NUL in the name
        raise FileNotFoundError(2, str(error), path) from None
    handle = os.open(path, _FLAGS)
    found = os.fstat(handle)
    if found.st_mode & _KIND != _REGULAR:
        os.close(handle)
        raise OSError(22, "not a regular file", path)
    return handle, found.st_size
