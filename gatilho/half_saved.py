"""Tables as editors save them: emptied or moved away for a moment, or cut in the middle of a line."""

import time

from gatilho import bounded
from gatilho import system as os
from gatilho.bounded import is_there

# Seconds for which a file without an end counts as being saved, and for which a reader waits for what an empty one
# will hold: many editors cut a file to nothing before they write it.
_SAVED_WITHIN = 5.0
_LONGEST_WAIT = 0.1
# The same for a file that holds something but no end of a line: some people's files never do.
_WRITTEN_WITHIN = 0.2
# Seconds for which the rows of a table go on speaking that was moved away, or cut in the middle of a line.
_SPEAKS_WITHIN = 1.0
_PAUSE = 0.002


def read_saved_bytes(path: str, lines: int = 0) -> bytes:
    """Return the bytes of a file; where an editor is just writing it, those that it has written within a moment.

    lines: how many it had, where that is known; with fewer it is waited for as well.
    """
    data = _read_back(path)
    until = time.monotonic() + _LONGEST_WAIT
    while (not data.endswith((b"\n", b"\r")) or data.count(b"\n") < lines) and time.monotonic() < until:
        if not _is_fresh(path, _WRITTEN_WITHIN if data else _SAVED_WITHIN):
            break
        time.sleep(_PAUSE)
        data = _read_back(path)
    return data


def _read_back(path: str) -> bytes:
    is_back(path)
    try:
        return bounded.read(path)
    except FileNotFoundError:  # moved away once more
        if not is_back(path):
            raise
        return bounded.read(path)


def is_back(path: str) -> bool:
    """Return whether a file is there, or appears within a moment: some editors move the old one away first."""
    until = time.monotonic() + _LONGEST_WAIT
    while not is_there(path):
        if time.monotonic() > until or not was_moved_away(path):
            return is_there(path)  # it may have come back between these looks
        time.sleep(_PAUSE)
    return True


def was_moved_away(path: str) -> bool:
    """Return whether a file is missing from a folder that changed just now."""
    return not is_there(path, follows=False) and has_just_changed(path.rpartition("/")[0])


def may_come_back(path: str) -> bool:
    """Return whether a file is missing for so short a time that what it said still holds."""
    return was_moved_away(path) and has_just_changed(path.rpartition("/")[0], _SPEAKS_WITHIN)


def is_cut(path: str, data: bytes, lines: int) -> bool:
    """Return whether a table with that number of lines was cut a moment ago and has no end yet.

    Some people's files never end in a line ending: then the last row has as many pipes as the line above it.
    """
    if data.endswith((b"\n", b"\r")):
        return False
    above, _, last = data.rpartition(b"\n")
    whole = data.count(b"\n") >= lines and last.count(b"|") >= above.rpartition(b"\n")[2].count(b"|")
    return not whole and has_just_changed(path, _SPEAKS_WITHIN)


def has_just_changed(path: str, seconds: float = _SAVED_WITHIN) -> bool:
    """Return whether a file or folder is there and changed just now."""
    try:
        return _is_fresh(path, seconds)
    except OSError:
        return False


def is_half_written(path: str) -> bool:
    """Return whether a file looks like one that is being saved: changed just now, and empty or without its end."""
    try:
        return _is_fresh(path) and not bounded.read(path).endswith((b"\n", b"\r"))
    except OSError:
        return False


def _is_fresh(path: str, seconds: float = _SAVED_WITHIN) -> bool:
    return abs(time.time() - os.stat(path).st_mtime) < seconds
