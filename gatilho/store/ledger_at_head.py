"""Which ledger files a commit left out: the table with their rides is in HEAD, and they are not."""

from gatilho.git import state as git_state
from gatilho.index import database
from gatilho.index.index import Index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.ledger.lines import Entry

_KNOWN = "left_out"
_UNIT = "\x1f"
# Files that git is asked about by their names.
_FEW = 50
_PACK_NAME = len("2026-01-0123456789abcdef.md")


def left_out(index: Index, busy: str) -> list[str]:
    """Return the names of the ledger files of the repository's own store that were left out of a commit, sorted.

    busy: what git is in the middle of, as a git hook or a merge. Those in its index are then about to be committed.
    """
    names = _missing_at_head(index)
    if not names or not busy:
        return names
    from gatilho.git.query import ask_names

    staged = ask_names(index.repository.root, "ls-files", "-z", "--", *names) or []
    return [name for name in names if name not in staged]


def ignored(index: Index, names: list[str]) -> set[str]:
    """Return which of these files git ignores: `git add` refuses them."""
    from gatilho.git.query import ask_names

    given = "".join(f"{name}\0" for name in names).encode("utf-8", "surrogateescape")
    return set(ask_names(index.repository.root, "check-ignore", "--stdin", "-z", given=given) or [])


def _missing_at_head(index: Index) -> list[str]:
    """Return the names of the files that HEAD lacks while it has their rides, sorted.

    An entry names the commit at which it was written. Only where HEAD is another one by now can it have been left out,
    so git is asked when HEAD or the set of such files changed, and the answer is kept in the index.
    """
    repository = index.repository
    head = git_state.head_commit(repository)
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
        missing = _asked_about_new_ones(index, known, key)
        known = [key, *(_asked_of_git(index, head) if missing is None else missing)]
        try:
            index.connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_KNOWN, _UNIT.join(known)))
        except database.OperationalError:
            pass  # another process is writing; git is asked again
    return known[1:]


def _asked_about_new_ones(index: Index, known: list[str], key: str) -> list[str] | None:
    """Return the same where HEAD is as it was and files only came: git is asked about those alone. None elsewhere.

    known: what was found the last time, with its key in front; key: of now.
    """
    head, _, last, count = (*known[0].split(" "), "", "", "")[:4]
    if not last or head != key.split(" ")[0]:
        return None
    found = _written_elsewhere(index, head, int(last))
    more = index.connection.execute("SELECT count(*) FROM ledger_file WHERE number > ?", (int(last),)).fetchone()[0]
    # Sums that differ show a pack or a removal: then git is asked about all files.
    is_more = int(count) + int(more) == int(key.split(" ")[3])
    if not is_more or len(found) > _FEW or any(_is_pack(name) for _, name in found):
        return None
    committed = _names_at(index, head, [name for _, name in found]) if found else set()
    return None if committed is None else sorted([*known[1:], *_noticed(index, found, committed)])


def _asked_of_git(index: Index, head: str) -> list[str]:
    committed = _names_at(index, head, [])
    if committed is None:
        return []
    found = _written_elsewhere(index, head)
    here = {name for _, name in found}
    # A pack waits to be committed together with the removal of what it packed: HEAD has that still.
    packing = {_month_of(name) for name in committed if name not in here}
    waiting = {name for name in here if _is_pack(name) and _month_of(name) in packing}
    return _noticed(index, found, committed | waiting)


def _month_of(name: str) -> str:
    """Return the folder and the month of a ledger file."""
    return name[: name.rfind("/") + 8]


def _is_pack(name: str) -> bool:
    own = name.rpartition("/")[2]
    return own[7:8] == "-" and len(own) == _PACK_NAME


def _names_at(index: Index, head: str, names: list[str]) -> set[str] | None:
    """Return the ledger files that a commit has, of those names or of all; None where git cannot say."""
    from gatilho.git.query import ask_names

    wanted = names or [f"{store.shown(store.ledger)}/" for store in index.own_stores]
    found = ask_names(index.repository.root, "ls-tree", "-z", "--name-only", "--full-tree", head, "--", *wanted)
    return None if found is None else set(found)


def _written_elsewhere(index: Index, head: str, after: int = 0) -> "list[tuple[int, str]]":
    """Return (number, name) of the files with an entry that was written at another commit, from a number on."""
    query = (
        "SELECT DISTINCT number, name FROM ledger_file JOIN entry ON ledger_file = number "
        "WHERE ledger_file.store = '' AND commit_id != ? AND number > ? ORDER BY name"
    )
    return list(index.connection.execute(query, (head, after)).fetchall())


def _noticed(index: Index, found: "list[tuple[int, str]]", committed: set[str]) -> list[str]:
    """Return the files of those that the commit lacks while its tables have what they record."""
    missing = [(number, name) for number, name in found if name not in committed]
    if not missing:
        return []
    tables = _TablesAtHead(index)
    return [name for number, name in missing if any(map(tables.have, _entries(index, number)))]


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
