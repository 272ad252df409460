"""What a store holds on one side of a comparison: rows, ledger, configuration, and what of it cannot be read."""

from functools import cached_property

from gatilho.config import Config
from gatilho.configfile import configuration_in
from gatilho.document.rows import read_rows
from gatilho.ladder.decide import Match, is_due
from gatilho.ledger import lines as ledger
from gatilho.ledger.lines import Entry, Tally, by_row, tally_of
from gatilho.model import Problem, Row
from gatilho.tables import is_ledger_file, is_store_file, name_in_store

# Problems that hide whole rows, so that rows which are not seen need not be gone.
_HIDING = frozenset(("GT122", "GT123", "GT126", "GT127", "GT128", "GT129", "GT132"))


class Snapshot:
    """The store of one side, read from the bytes of its files (names relative to the root)."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.config: Config = configuration_in(files.get("gatilho.toml"), files.get("pyproject.toml"))[0]
        self.rows: list[Row] = []
        self.problems: list[Problem] = []
        for name in sorted(name for name in files if is_store_file(name) and not is_ledger_file(name)):
            lifecycle = self.config.sources.get(name_in_store(name), "rule")
            rows, problems = read_rows(files[name], name, lifecycle)
            self.rows += rows
            self.problems += problems

    @cached_property
    def rows_by_id(self) -> dict[str, list[Row]]:
        """Return the rows by their ids, in the order of files and lines."""
        found: dict[str, list[Row]] = {}
        for row in self.rows:
            found.setdefault(row.id, []).append(row)
        return found

    @cached_property
    def entries_by_file(self) -> dict[str, list[Entry]]:
        """Return what each ledger file says."""
        return {
            name: ledger.parse_ledger(self.files[name], name)[0] for name in sorted(filter(is_ledger_file, self.files))
        }

    @cached_property
    def entries(self) -> list[Entry]:
        """Return the ledger."""
        return [entry for entries in self.entries_by_file.values() for entry in entries]

    @cached_property
    def _groups(self) -> dict[str, list[Entry]]:
        return by_row(entry for entry in self.entries if entry.event != "corrected")

    def entries_of(self, row_id: str) -> list[Entry]:
        """Return the ledger's entries of a row, under every name that it ever had."""
        return self._groups.get(row_id, [])

    def tally(self, row: Row) -> Tally:
        """Return what the ledger and the cell of a row come to."""
        return tally_of(self.entries_of(row.id), row.rides)

    def is_due(self, row: Row, today: str) -> bool:
        """Return whether a write of what the row is about would be asked about on that day."""
        return is_due(Match(row, self.tally(row).count), self.config, today)

    def hidden_by(self, file: str) -> Problem | None:
        """Return what keeps rows of a file from being read here, if anything does."""
        return next((one for one in self.problems if one.place.file == file and one.code in _HIDING), None)
