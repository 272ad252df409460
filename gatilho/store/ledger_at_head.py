"""Which ledger files a commit left out: the table with their rides is in HEAD, and they are not."""

from gatilho.git import state as git_state
from gatilho.index import database
from gatilho.index.index import Index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.ledger.lines import Entry

_KNOWN = "left_out"
_UNIT = "\x1f"
_PACK_NAME = len("2026-01-0123456789abcdef.md")


def left_out(index: Index) -> list[str]:
    """Return the names of the ledger files of the repository's own store that were left out of a commit, sorted.

    An entry names the commit at which it was written. Only where HEAD is another one by now can it have been left out,
    so git is asked when HEAD or the set of such files changed, and the answer is kept in the index.
    """
    repository = index.repository
    head = git_state.head_commit(repository.git_dir, repository.common_dir)
    if not head:
        return []
    query = "SELECT count(DISTINCT ledger_file), max(ledger_file) FROM entry WHERE store = '' AND commit_id != ?"
    number, last = index.connection.execute(query, (head,)).fetchone()
    if not number:
        return []
    key = f"{head} {number} {last} {index.connection.execute('SELECT count(*) FROM ledger_file').fetchone()[0]}"
    found = index.connection.execute("SELECT value FROM meta WHERE key = ?", (_KNOWN,)).fetchone()
    known = database.text_of_value(found[0]).split(_UNIT) if found else [""]
    if known[0] != key:
        known = [key, *_asked_of_git(index, head)]
        try:
            index.connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_KNOWN, _UNIT.join(known)))
        except database.OperationalError:
            pass  # another process is writing; git is asked again
    return known[1:]


def _asked_of_git(index: Index, head: str) -> list[str]:
    from gatilho.git.query import ask_names
    from gatilho.tables import FOLDER

    folder = f"{FOLDER}/ledger/"
    committed = ask_names(index.repository.root, "ls-tree", "-z", "--name-only", "--full-tree", head, "--", folder)
    if committed is None:
        return []
    known = {name.removeprefix(folder) for name in committed}
    query = (
        "SELECT DISTINCT number, name FROM ledger_file JOIN entry ON ledger_file = number "
        "WHERE ledger_file.store = '' AND commit_id != ? ORDER BY name"
    )
    found = index.connection.execute(query, (head,)).fetchall()
    here = {name for _, name in found}
    # A pack waits to be committed together with the removal of what it packed: HEAD has that still.
    packing = {name[:7] for name in known if name not in here}
    missing = [
        (number, name)
        for number, name in found
        if name not in known and not (name[7:8] == "-" and len(name) == _PACK_NAME and name[:7] in packing)
    ]
    if not missing:
        return []
    tables = _TablesAtHead(index)
    return [f"{folder}{name}" for number, name in missing if any(map(tables.have, _entries(index, number)))]


def _entries(index: Index, number: int) -> "list[Entry]":
    from gatilho.ledger.lines import Entry

    query = "SELECT occurred, row, event, rides FROM entry WHERE ledger_file = ?"
    found = index.connection.execute(query, (number,)).fetchall()
    return [Entry(when, row, event, None if rides is None else int(rides)) for when, row, event, rides in found]


class _TablesAtHead:
    """The rows of the tables in HEAD: their rides, and whether they are struck."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.in_ledger = index.config.rides_in == "ledger"
        self._rows: dict[str, tuple[int, bool]] | None = None

    def have(self, entry: "Entry") -> bool:
        """Return whether the tables have what the entry records, or would if they counted rides."""
        if entry.event == "charged" and self.in_ledger:
            return True
        rides, struck = self._read().get(entry.id, (0, False))
        if entry.event == "charged":
            return entry.rides is not None and rides >= entry.rides
        return entry.event == "paid" and struck

    def _read(self) -> dict[str, tuple[int, bool]]:
        if self._rows is None:
            from gatilho.document.rows import read_rows
            from gatilho.store.head import blob_at_head

            self._rows = {}
            shown = self.index.connection.execute("SELECT shown FROM file WHERE store = ''").fetchall()
            for name in (database.text_of_value(one) for (one,) in shown):
                for row in read_rows(blob_at_head(self.index.repository.root, name) or b"", name)[0]:
                    self._rows[row.id] = (row.rides or 0, row.struck)
        return self._rows
