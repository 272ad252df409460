"""Files the rows of one document: each trigger under the rarest trigram that every match of it must contain."""

from gatilho.document.document import Document
from gatilho.index import database, signature
from gatilho.index.packing import FIELDS, IN_FORCE, NO_NEEDLE, packed_conditions, triggers_text
from gatilho.model import Problem, Row, Trigger
from gatilho.tables import PACK
from gatilho.triggers.paths import normalise
from gatilho.wire import checksum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.triggers.literals import Analysis


def file_rows(
    connection: database.Connection, number: int, data: bytes, shown: str, lifecycle: str, label: str
) -> list[Problem]:
    """Write the rows of a document to the index under the file of that number; returns what is wrong in it."""
    from gatilho.document.rows import iter_rows

    filing = Filing(connection, number)
    problems: list[Problem] = []
    document = Document(data)
    for found in iter_rows(document, shown, lifecycle, label):
        is_guest = label.startswith(PACK)
        problems += [] if is_guest else found.problems  # they are for those who write the pack
        if found.row is not None:
            filing.add(_as_guest(found.row) if is_guest else found.row, found.header_line, checksum(found.raw))
    filing.finish()
    lines, frame = unfiled_lines(document, filing.lines)
    connection.execute("UPDATE file SET lines = ?, frame = ? WHERE number = ?", (lines, frame, number))
    return problems


def _as_guest(row: Row) -> Row:
    """Return a row of a pack as it speaks here: it warns, and nothing of it is evaluated, paid or counted."""
    return row.replace(lifecycle="rule", conditions=(), holds_while=(), violated_when=(), rides=0, ask_after=None)


def unfiled_lines(document: Document, rows: set[int]) -> tuple[int, str]:
    """Return how many lines a document has, and a checksum of those that are no rows, in their order."""
    frame = b"\n".join([line for number, line in enumerate(document.lines, 1) if number not in rows])
    return len(document.lines), checksum(frame)


def add_problems(connection: database.Connection, number: int, problems: list[Problem]) -> None:
    """Keep the problems of a file (0: the configuration) in the index."""
    query = f"INSERT INTO problem VALUES ({','.join('?' * 11)})"
    for p in problems:
        texts = (_sound(text) for text in (p.message, p.remedy, p.text))
        connection.execute(query, (number, p.code, p.severity, *p.place.as_tuple(), *texts, p.width, _sound(p.row)))


# What rows and triggers are found by. None is kept while most of them are written: to sort all of them afterwards takes
# less than to find the place of each.
_KEYS = {
    "row_speaks": f"row(lifecycle, state, not_before, expires) WHERE {IN_FORCE}",
    "row_place": "row(file, line)",
    "row_id": "row(id)",
    "row_kind": f"row(kind, not_before, expires, added) WHERE kind != '' AND {IN_FORCE}",
    "row_key": "row(key) WHERE key != ''",
    "trigger_gram": "trigger(field, gram, needle)",
    "trigger_row": "trigger(row)",
}


def make_keys(connection: database.Connection) -> None:
    """Make the keys that are not there; to ask for all of them at once takes less than to ask for each."""
    made = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'index'")}
    for name, columns in _KEYS.items():
        if name not in made:
            connection.execute(f"CREATE INDEX {name} ON {columns}")


def drop_keys(connection: database.Connection) -> None:
    """Drop the keys until `make_keys` makes them again."""
    for name in _KEYS:
        connection.execute(f"DROP INDEX IF EXISTS {name}")


# Rows that are held before they are written: enough to know which trigrams are rare. And trigrams of one text that
# compete for a trigger: enough that one of them is rare.
_AT_ONCE = 1000
_MOST_CHOICES = 8


class Filing:
    """Gathers the rows of one file and writes them to the index, a thousand at once.

    Rarity is counted within the file, as far as it was read: a changed file does not move the rows of any other.
    """

    def __init__(self, connection: database.Connection, file_number: int) -> None:
        from gatilho.triggers.literals import analyse, searched_pattern

        self._searched = searched_pattern
        self._analyse = analyse
        self._connection = connection
        self._file = file_number
        self._number = connection.execute("SELECT max(number) FROM row").fetchone()[0] or 0
        self.lines: set[int] = set()
        self._rows: list[tuple[object, ...]] = []
        self._triggers: list[tuple[int, int, list[int], tuple[object, ...]]] = []
        self._frequency: dict[int, int] = {}

    def add(self, row: Row, header: int, digest: str) -> None:
        """Take in a row whose table's header is on that line; digest: the checksum of the row's own line."""
        self._number += 1
        self.lines.add(row.line)
        self._rows.append(self._record(row, header, digest))
        if row.in_force:
            for trigger in row.triggers:
                self._add_trigger(trigger)
        if len(self._rows) >= _AT_ONCE:
            self.finish()

    def _record(self, row: Row, header: int, digest: str) -> tuple[object, ...]:
        """Return the row as the database keeps it."""
        packed = map(packed_conditions, (row.conditions, row.holds_while, row.violated_when))
        texts = [row.id, triggers_text(row.triggers), row.note, *packed, row.state_text, row.key, row.owner]
        if not "".join(texts).isascii():
            texts = list(map(_sound, texts))
        id, triggers, note, conditions, holds_while, violated_when, state_text, key, owner = texts
        rides = None if row.rides is None else str(row.rides)
        return (
            self._number, self._file, header, row.line, row.lifecycle, int(row.struck), row.state, row.not_before,
            row.expires, rides, row.kind, row.added, row.ask_after, id, row.store, triggers, note, conditions,
            state_text, key, owner, holds_while, violated_when, digest,
        )  # fmt: skip

    def _add_trigger(self, trigger: Trigger) -> None:
        pattern = None if trigger.kind == "mark" else self._searched(trigger)  # marks are filed by their files
        if pattern is None:
            return
        analysis = self._analyse(pattern)
        if trigger.kind == "glob":
            analysis = self._by_parts(trigger, analysis)
        numbers = [gram for piece in analysis.pieces for gram in signature.grams(piece, _MOST_CHOICES)]
        frequency = self._frequency
        for gram in numbers:
            frequency[gram] = frequency.get(gram, 0) + 1
        kind, needle, plain, folded = trigger.kind, analysis.needle, analysis.plain, int(analysis.folded)
        searched = (kind, pattern, needle, plain, folded, normalise(trigger.subtree))
        self._triggers.append((self._number, FIELDS[kind], numbers, searched))

    def _by_parts(self, trigger: Trigger, analysis: "Analysis") -> "Analysis":
        """Let a glob without sets and escapes be decided by its parts, and not by the engine."""
        from gatilho.triggers.literals import GLOB
        from gatilho.triggers.plain_globs import parts_of

        glob = normalise(trigger.pattern)
        return analysis if parts_of(glob) is None else analysis.replace(plain=GLOB + glob)

    def finish(self) -> None:
        """Write what was gathered."""
        rarity = self._frequency.__getitem__
        triggers = [
            (row, field, min(numbers, key=rarity, default=NO_NEEDLE), *searched)
            for row, field, numbers, searched in self._triggers
        ]
        self._connection.executemany(f"INSERT INTO row VALUES ({','.join('?' * 24)})", self._rows)
        self._connection.executemany(f"INSERT INTO trigger VALUES ({','.join('?' * 9)})", triggers)
        self._rows, self._triggers = [], []


def _sound(text: str) -> str:
    """Return the text without lone surrogates, which have no UTF-8, so that SQLite takes it."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
