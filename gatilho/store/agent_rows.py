"""Which rows an agent added by a command here: agents read so until the row is committed.

One line an id, in the git directory; losing the file costs that remark.
"""

from gatilho import bounded
from gatilho.git.root import Repository

_FILE = "/agent-rows"
# Bytes; older ids are in commits by then.
_MOST = 64_000


def note_agent_row(repository: Repository, row_id: str) -> None:
    """Remember that an agent added a row."""
    import os

    os.makedirs(repository.shared_state, exist_ok=True)
    with open(repository.shared_state + _FILE, "ab") as stream:
        stream.write(f"{row_id}\n".encode("utf-8", "surrogateescape"))


def has(repository: Repository, row_id: str) -> bool:
    """Return whether an agent added the row of that id here."""
    try:
        ids = bounded.tail(repository.shared_state + _FILE, _MOST).split(b"\n")
        return row_id.encode("utf-8", "surrogateescape") in ids
    except OSError:
        return False
