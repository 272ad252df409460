"""Which rows of a table HEAD does not have: what no one has reviewed yet."""

from gatilho.git import state as git_state
from gatilho.index import database
from gatilho.index.index import Index
from gatilho.model import Row

_UNIT = "\x1f"
EVERY_ROW = "*"
# In front of the id of a row that HEAD has with another line.
_CHANGED = "\x1e"
# Commits that changed a row's line, the newest first, and seconds to find them.
_COMMITS_LOOKED_AT = 50
_SECONDS = 3.0


def uncommitted(index: Index, file_number: int) -> set[str]:
    """Return the ids in a table that HEAD's version of the file does not have; {"*"} when HEAD lacks the file.

    With a mark in front also those whose line is another there: ask `is_committed` and `has_conditions`.

    Asked of git once for each state of the file and HEAD; the answer is kept in the index.
    """
    repository = index.repository
    path, stamp, known_at, known = index.connection.execute(
        "SELECT path, stamp, head, uncommitted FROM file WHERE number = ?", (file_number,)
    ).fetchone()
    path, stamp, known_at = map(database.text_of_value, (path, stamp, known_at))
    commit = git_state.head_commit(repository)
    at = f"{commit} {stamp}"
    if known_at != at:
        known = _UNIT.join(sorted(_compare(repository.root, commit, path)))
        index.connection.execute("UPDATE file SET head = ?, uncommitted = ? WHERE number = ?", (at, known, file_number))
    return set(known.split(_UNIT)) if known else set()


def keep_known(index: Index) -> None:
    """Ask again of the tables that were asked about before and have changed since."""
    for (number,) in index.connection.execute("SELECT number FROM file WHERE head != ''").fetchall():
        uncommitted(index, number)


def is_committed(ids: set[str], row_id: str) -> bool:
    """Return whether a row is not among the uncommitted ids."""
    return row_id not in ids and EVERY_ROW not in ids


def has_conditions(index: Index, file_number: int, row: Row) -> bool:
    """Return whether HEAD's version of the table has the row with the conditions that it has now."""
    ids = uncommitted(index, file_number)
    if not is_committed(ids, row.id):
        return False
    if _CHANGED + row.id not in ids:
        return True
    from gatilho.document.rows import read_rows

    root = index.repository.root
    (path,) = index.connection.execute("SELECT path FROM file WHERE number = ?", (file_number,)).fetchone()
    path = database.text_of_value(path)
    old = read_rows(blob_at_head(root, path[len(root) + 1 :]) or b"", row.file)[0]
    return any(before.id == row.id and before.conditions == row.conditions for before in old)


def condition_changed(index: Index, row: Row) -> bool:
    """Return whether the row had other conditions in the history of its table until a commit wrote those of now.

    It counts as changed, too, where a condition of several was removed. Asked only where a debt would be paid whose
    condition was never seen to fail here. A history that cannot be read within its time says nothing.
    """
    from gatilho.document.table import cell_texts, code_spans, read_id
    from gatilho.git.query import ask

    texts = [condition.text for condition in row.conditions]
    like = "".join(letter if letter.isalnum() else "." for letter in row.id)
    said = ask(
        index.repository.root, "log", f"-{_COMMITS_LOOKED_AT}", "--format=", "--patch", "--unified=0", "--no-ext-diff",
        "--no-textconv", "--no-color", f"-G{like}", "--", row.file, seconds=_SECONDS,
    )  # fmt: skip
    before = [cell_texts(line[1:]) for line in (said or b"").splitlines() if line[:1] == b"-"]
    older = [cells for cells in before if row.id in (read_id(cell)[2] for cell in cells)]
    return any(not any(code_spans(cell) == texts for cell in cells) for cells in older)


def _compare(root: str, commit: str, path: str) -> set[str]:
    old = blob_at_head(root, path[len(root) + 1 :]) if commit and path.startswith(root + "/") else None
    if old is None:
        return {EVERY_ROW}
    from gatilho.half_saved import read_saved_bytes

    try:
        new = read_saved_bytes(path)
    except OSError:  # an editor has just moved it away
        return {EVERY_ROW}
    if new.replace(b"\r\n", b"\n") == old.replace(b"\r\n", b"\n"):
        return set()
    old_lines, new_lines = set(old.splitlines()), set(new.splitlines())
    before, after = _ids(old_lines - new_lines), _ids(new_lines - old_lines)
    return (after - before) | {_CHANGED + row_id for row_id in after & before}


def _ids(lines: set[bytes]) -> set[str]:
    """Return what may be an id in those lines: every cell, without its strike; a cell too many is never asked for."""
    from gatilho.document.table import cell_text, read_id, split_cells

    found = set()
    for line in lines:
        for start, end in split_cells(line):
            found.add(read_id(cell_text(line[start:end]))[2])
    return found


def blob_at_head(root: str, name: str) -> bytes | None:
    """Return the bytes of a file in HEAD, None where it has none. Reads objects only: it takes none of git's locks."""
    from gatilho.git.query import ask

    return ask(root, "cat-file", "blob", f"HEAD:{name}")
