"""Rides of rules that are counted on this machine only, a line for each, until `gatilho fold` brings them in."""

import os

from gatilho import bounded, files
from gatilho.store.change import LOCAL_RIDES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gatilho.model import Row

_TAKEN = ".folding"


def add(path: str, row_id: str, store: str) -> None:
    """Count one ride of a rule; raises OSError where the file cannot be written."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    files.append_bytes(path, f"{row_id}\t{store}\n".encode("utf-8", "surrogatepass"))


def take_local_rides(path: str) -> dict[tuple[str, str], int]:
    """Return the rides by (id, store), put aside until `keep_rides`; what a fold left undone is among them."""
    if os.path.exists(path):
        rest = _read(path + _TAKEN)
        os.replace(path, path + _TAKEN)
        files.append_bytes(path + _TAKEN, rest)
    return _counted(_read(path + _TAKEN))


def keep_rides(path: str, counts: dict[tuple[str, str], int]) -> None:
    """Keep only these of the rides that were taken: the others are in the tables now."""
    left = "".join(f"{row_id}\t{store}\n" * count for (row_id, store), count in counts.items())
    if left:
        with open(path + _TAKEN + ".new", "wb") as stream:
            stream.write(left.encode("utf-8", "surrogatepass"))
        os.replace(path + _TAKEN + ".new", path + _TAKEN)
    elif os.path.exists(path + _TAKEN):
        os.unlink(path + _TAKEN)


def pending(shared_state: str) -> dict[tuple[str, str], int]:
    """Return the rides that wait in a repository's folder of state, by (id, store)."""
    path = shared_state + LOCAL_RIDES
    return _counted(_read(path + _TAKEN) + _read(path))


def seen(shared_state: str) -> dict[tuple[str, str], int]:
    """Return the same, none where they cannot be read: no note or list is lost over that; `gatilho fold` says it."""
    try:
        return pending(shared_state)
    except OSError:
        return {}


def waiting_rides(shared_state: str) -> "Callable[[Row], int]":
    """Return what says how many rides of a row wait on this machine: they are in force, and in no table or ledger."""
    counts = seen(shared_state)
    return lambda row: counts.get((row.id, row.store), 0)


def _read(path: str) -> bytes:
    try:
        return bounded.read(path)
    except (FileNotFoundError, NotADirectoryError):
        return b""


def _counted(data: bytes) -> dict[tuple[str, str], int]:
    counts: dict[tuple[str, str], int] = {}
    for line in data.split(b"\n")[:-1]:
        row_id, tab, store = line.decode("utf-8", "replace").partition("\t")  # a disk may have lost a part
        if tab:
            counts[row_id, store] = counts.get((row_id, store), 0) + 1
    return counts
