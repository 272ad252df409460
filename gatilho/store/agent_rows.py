"""Which rows an agent added by a command here: agents read so until the row is committed.

One line an id, in the git directory; losing the file costs that remark.
"""

from gatilho.git.root import Repository

_FILE = "/agent-rows"
# Bytes; older ids are in commits by then.
_MOST = 64_000


def note(repository: Repository, row_id: str) -> None:
    """Remember that an agent added a row."""
    import os

    os.makedirs(repository.shared_state, exist_ok=True)
    with open(repository.shared_state + _FILE, "a", encoding="utf-8", errors="surrogateescape") as stream:
        stream.write(row_id + "\n")


def has(repository: Repository, row_id: str) -> bool:
    """Return whether an agent added the row of that id here."""
    try:
        with open(repository.shared_state + _FILE, "rb") as stream:
            stream.seek(0, 2)
            stream.seek(max(0, stream.tell() - _MOST))
            return row_id.encode("utf-8", "surrogateescape") in stream.read().split(b"\n")
    except OSError:
        return False
