"""Files the rows of one document: each trigger under the rarest trigram that every match of it must contain."""

from gatilho.model import Row, Trigger
from gatilho.store import database, signature


class Filing:
    """Gathers the rows of one file and writes them to the index at the end.

    Rarity is counted within the file, so that a changed file does not move the rows of any other.
    """

    def __init__(self, connection: database.Connection, file_number: int) -> None:
        from gatilho.triggers.needles import analyse

        self._analyse = analyse
        self._connection = connection
        self._file = file_number
        self._next = (connection.execute("SELECT max(number) FROM row").fetchone()[0] or 0) + 1
        self._rows: list[tuple[object, ...]] = []
        self._triggers: list[tuple[int, Trigger, object, frozenset[int]]] = []
        self._frequency: dict[int, int] = {}

    def add(self, row: Row, header: int) -> None:
        """Take in a row whose table's header stands on that line."""
        number = self._next + len(self._rows)
        self._rows.append(self.record(row, header, number, self._file))
        if row.in_force:
            for trigger in row.triggers:
                self._add_trigger(number, trigger)

    @staticmethod
    def record(row: Row, header: int, number: int, file_number: int) -> tuple[object, ...]:
        """The row as the database keeps it."""
        from gatilho.store.index import conditions_text, triggers_text

        texts = (
            row.note,
            row.state_text,
            row.key,
            row.owner,
            triggers_text(row.triggers),
            conditions_text(row.conditions),
        )
        note, state_text, key, owner, triggers, conditions = (_sound(text) for text in texts)
        return (
            number, file_number, header, row.line, _sound(row.id), row.store, row.lifecycle, triggers, note, conditions,
            None if row.rides is None else str(row.rides),
            row.state, state_text, int(row.struck), row.kind, key, owner, row.added, row.expires, row.not_before, row.ask_after,
            _sound(conditions_text(row.holds_while)),
        )  # fmt: skip

    def _add_trigger(self, number: int, trigger: Trigger) -> None:
        pattern = _searched(trigger)
        if pattern is None:
            return
        analysis = self._analyse(pattern)
        numbers: set[int] = set()
        for piece in analysis.pieces:
            numbers |= signature.grams(piece)
        for gram in numbers:
            self._frequency[gram] = self._frequency.get(gram, 0) + 1
        filed = Trigger(trigger.kind, pattern)
        self._triggers.append((number, filed, analysis, frozenset(numbers)))

    def finish(self) -> None:
        """Write what was gathered."""
        from gatilho.store.index import FIELDS

        self._connection.executemany(f"INSERT INTO row VALUES ({','.join('?' * 22)})", self._rows)
        self._connection.executemany(
            "INSERT INTO trigger VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (number, FIELDS[t.kind], self._rarest(numbers), t.kind, t.pattern, a.needle, a.plain, int(a.folded))  # type: ignore[attr-defined]
                for number, t, a, numbers in self._triggers
            ),
        )

    def _rarest(self, numbers: frozenset[int]) -> int:
        return min(numbers, key=lambda gram: (self._frequency[gram], gram), default=-1)


def _searched(trigger: Trigger) -> str | None:
    """The pattern that is searched for, in the form that names are compared in; None for a glob that is none."""
    from gatilho.triggers.patterns import normalise

    if trigger.kind != "glob":
        return normalise(trigger.pattern)
    from gatilho.triggers.globs import to_regex

    try:
        return to_regex(normalise(trigger.pattern))
    except Exception:
        return None


def _sound(text: str) -> str:
    """Text that SQLite takes: lone surrogates have no UTF-8."""
    return text.encode("utf-8", "replace").decode() if not text.isascii() else text
