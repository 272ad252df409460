"""Which rows of a table HEAD does not have: what nobody has reviewed yet."""

from gatilho.store import database, gitstate
from gatilho.store.index import Index
from gatilho.store.table import cell_text, iter_lines, split_cells, struck

_UNIT = "\x1f"
EVERY_ROW = "*"


def uncommitted(index: Index, file_number: int) -> set[str]:
    """The ids in a table of the repository that HEAD's version of it does not have; {"*"} when HEAD lacks the file.

    Asked of git once for each state of the file and HEAD; the answer is kept in the index.
    """
    repository = index.repository
    path, stamp, known_at, known = index.connection.execute(
        "SELECT path, stamp, head, uncommitted FROM file WHERE number = ?", (file_number,)
    ).fetchone()
    path, stamp, known_at = map(database.text, (path, stamp, known_at))
    commit = gitstate.head(repository.git_dir, repository.common_dir)
    at = f"{commit} {stamp}"
    if known_at != at:
        known = _UNIT.join(sorted(_compare(repository.root, commit, path)))
        index.connection.execute("UPDATE file SET head = ?, uncommitted = ? WHERE number = ?", (at, known, file_number))
    return set(known.split(_UNIT)) if known else set()


def is_committed(ids: set[str], row_id: str) -> bool:
    """Whether a row is not among the uncommitted ids."""
    return row_id not in ids and EVERY_ROW not in ids


def _compare(root: str, commit: str, path: str) -> set[str]:
    old = blob_at_head(root, path[len(root) + 1 :]) if commit and path.startswith(root + "/") else None
    if old is None:
        return {EVERY_ROW}
    with open(path, "rb") as file:
        new = file.read()
    if new.replace(b"\r\n", b"\n") == old.replace(b"\r\n", b"\n"):
        return set()
    old_lines, new_lines = _lines(old), _lines(new)
    before = _ids(old_lines - new_lines)
    return _ids(new_lines - old_lines) - before


def _lines(data: bytes) -> set[bytes]:
    return {data[start:end] for _, start, end in iter_lines(data)}


def _ids(lines: set[bytes]) -> set[str]:
    """What may be an id in those lines: every cell, without its strike; a cell too many is never asked for."""
    found = set()
    for line in lines:
        for start, end in split_cells(line):
            found.add(struck(cell_text(line[start:end]))[2])
    return found


def blob_at_head(root: str, name: str) -> bytes | None:
    """The bytes of a file in HEAD, None where it has none. Reads objects only: it takes none of git's locks."""
    import subprocess

    command = ["git", "-C", root, "cat-file", "blob", f"HEAD:{name}"]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
