"""Reads again only the table lines that changed: rows edited in place, rows added to a table or taken from it.

No Markdown is parsed for it. A line that begins with a pipe and is directly below a row, or below a table's
delimiter, is a row of that table whatever its cells say; so as long as every line that is no row is what it was, the
document has the tables that it had.
"""

from itertools import islice

from gatilho.document.document import Document
from gatilho.index import database
from gatilho.index.filing import Filing, add_problems, unfiled_lines
from gatilho.value import Value
from gatilho.wire import checksum

# Beyond this many lines, to read all of the document takes less.
_MOST_LINES = 1000


class Splice(Value):
    """Old lines `first` to `last_old` gave way to new lines `first` to `last_new`; either range may be empty."""

    first: int
    last_old: int
    last_new: int

    @property
    def size(self) -> int:
        """Return how many lines are dropped and read."""
        return self.last_old + self.last_new - 2 * self.first + 2

    @property
    def shift(self) -> int:
        """Return by how much the lines below it moved."""
        return self.last_new - self.last_old


def patch_rows(connection: database.Connection, number: int, data: bytes, lifecycle: str) -> bool:
    """Bring the rows of a file up to date with its new bytes; False when more changed, so that all must be read."""
    patch = _Patch(connection, number, data)
    splices = patch.splices()
    if sum(splice.size for splice in splices) > _MOST_LINES or not all(
        patch.is_within_a_table(splice) for splice in splices
    ):
        return False
    # Only while every line that is no row is as it was does each table begin and end where it did.
    if unfiled_lines(patch.document, patch.rows_after(splices)) != (patch.count, patch.frame):
        return False
    for splice in splices:
        patch.apply(splice, lifecycle)
    return patch.finish()


class _Patch:
    """The rows that the index knows of a file, beside the lines that the file has now."""

    def __init__(self, connection: database.Connection, number: int, data: bytes) -> None:
        self.connection = connection
        self.number = number
        self.document = Document(data)
        self.lines, self.frame, self.shown, self.label = connection.execute(
            "SELECT lines, frame, shown, store FROM file WHERE number = ?", (number,)
        ).fetchone()
        self.shown = database.text_of_value(self.shown)
        query = "SELECT line, checksum, header FROM row WHERE file = ?"
        found = connection.execute(query, (number,)).fetchall()
        self.checksums: dict[int, str] = {line: digest for line, digest, _ in found}
        self.headers: dict[int, int] = {line: header for line, _, header in found}
        self.delimiters: set[int] = {header + 1 for header in self.headers.values()}
        self.filing = Filing(connection, number)
        self.is_sound = True

    @property
    def count(self) -> int:
        return len(self.document.lines)

    def splices(self) -> list[Splice]:
        """Return where the file changed: of more than are patched, only as many as show it."""
        # As many lines as before: the rows that changed, however far apart they are.
        if self.count == self.lines:
            changed = (line for line in self.checksums if not self._is_same(line, line))
            return _in_place(sorted(islice(changed, _MOST_LINES)))
        most = min(self.lines, self.count)
        above = 0
        while above < most and self._is_same(above + 1, above + 1):
            above += 1
        below = 0
        while below < most - above and self._is_same(self.lines - below, self.count - below):
            below += 1
        return [Splice(above + 1, self.lines - below, self.count - below)]

    def _is_same(self, old: int, new: int) -> bool:
        """Return whether an old line may be that new one: a row by its checksum.

        Of the others the frame decides later.
        """
        text = self.document.line(new)
        if old in self.checksums:
            return checksum(text) == self.checksums[old]
        return not text.startswith(b"|") or old in self.delimiters or old + 1 in self.delimiters

    def is_within_a_table(self, splice: Splice) -> bool:
        """Return whether rows gave way to rows, below a row or a delimiter."""
        above = splice.first - 1
        return (
            (above in self.checksums or above in self.delimiters)
            and all(line in self.checksums for line in range(splice.first, splice.last_old + 1))
            and all(self.document.line(line).startswith(b"|") for line in range(splice.first, splice.last_new + 1))
        )

    def rows_after(self, splices: list[Splice]) -> set[int]:
        """Return the lines that are rows now."""
        rows = set(self.checksums)
        for splice in splices:
            if splice.shift or splice.first not in rows:
                rows = {
                    line + splice.shift if line > splice.last_old else line
                    for line in rows
                    if not _inside(splice, line)
                }
                rows.update(range(splice.first, splice.last_new + 1))
        return rows

    def apply(self, splice: Splice, lifecycle: str) -> None:
        """Drop the old rows, move those below, and read the new ones."""
        # Right below a delimiter there is no row above to ask, and the header is two lines up.
        header = self.headers.get(splice.first - 1, splice.first - 2)
        header = self.headers.get(splice.first, header)
        self._drop(splice)
        if splice.shift:
            self._move(splice)
        # After the move, which would take along what is added here.
        for line in range(splice.first, splice.last_new + 1):
            self._read(line, header, lifecycle)

    def _drop(self, splice: Splice) -> None:
        place, where = (self.number, splice.first, splice.last_old), "file = ? AND line BETWEEN ? AND ?"
        self.connection.execute(f"DELETE FROM trigger WHERE row IN (SELECT number FROM row WHERE {where})", place)
        self.connection.execute(f"DELETE FROM row WHERE {where}", place)
        self.connection.execute(f"DELETE FROM problem WHERE {where}", place)

    def _move(self, splice: Splice) -> None:
        below = f"file = {self.number} AND line > {splice.last_old}"
        for table in ("row", "problem"):
            self.connection.execute(f"UPDATE {table} SET line = line + {splice.shift} WHERE {below}")
        self.connection.execute(
            f"UPDATE row SET header = header + {splice.shift} WHERE file = {self.number} AND header > {splice.last_old}"
        )

    def _read(self, line: int, header: int, lifecycle: str) -> None:
        from gatilho.document.rows import read_row

        text = self.document.line(line)
        columns = self.document.columns(header)
        row, problems = read_row(text, columns, self.shown, line, lifecycle, self.label)
        add_problems(self.connection, self.number, problems)
        if row is None:
            self.is_sound = False
        else:
            self.filing.add(row, header, checksum(text))

    def finish(self) -> bool:
        """Write what was read; False when a line turned out to be no row, so that all must be read after all."""
        if self.is_sound:
            self.filing.finish()
            query = "UPDATE file SET lines = ? WHERE number = ?"
            self.connection.execute(query, (self.count, self.number))
        return self.is_sound


def _in_place(lines: list[int]) -> list[Splice]:
    """Return a splice for each stretch of changed lines."""
    found: list[Splice] = []
    for line in lines:
        first = found.pop().first if found and found[-1].last_old == line - 1 else line
        found.append(Splice(first, line, line))
    return found


def _inside(splice: Splice, line: int) -> bool:
    return splice.first <= line <= splice.last_old
