"""A working tree whose tables are those that an editor holds, saved or not."""

from collections import Counter
from collections.abc import Mapping
from functools import cached_property

from gatilho.checks import registry
from gatilho.document.document import Document
from gatilho.document.rows import ParsedLine, iter_rows
from gatilho.index.index import Index, IndexedRow
from gatilho.model import Problem
from gatilho.workspace.workspace import Workspace


class TypedWorkspace(Workspace):
    """A working tree in which some tables of its own store have other bytes than on disk."""

    def __init__(self, index: Index, texts: Mapping[str, bytes]) -> None:
        """Take texts: the bytes of tables by their absolute paths."""
        super().__init__(index)
        self._lines = {path: self._read(path, data) for path, data in texts.items()}
        self._saved = index.rows()

    @cached_property
    def rows(self) -> list[IndexedRow]:
        """Return all rows, of all stores; those of an edited table as they are typed."""
        saved = [found for found in self._saved if found.path not in self._lines]
        numbers = {found.path: found.file_number for found in self._saved}
        typed = [
            IndexedRow(line.row, path, line.header_line, numbers.get(path, 0))
            for path, lines in self._lines.items()
            for line in lines
            if line.row is not None
        ]
        return self._with_shared_ids(
            sorted([*saved, *typed], key=lambda one: (one.row.store, one.row.file, one.row.line))
        )

    def document_problems(self) -> list[Problem]:
        """Return what is wrong in the documents; of an edited table what its text shows."""
        names = {self.stores[0].shown(path) for path in self._lines}
        saved = [one for one in super().document_problems() if one.place.file not in names]
        return saved + [problem for lines in self._lines.values() for line in lines for problem in line.problems]

    def is_new(self, found: IndexedRow) -> bool:
        """Return whether HEAD does not have the row: one that is only typed is new."""
        if found.path in self._lines and (found.path, found.row.id) not in self._saved_ids:
            return True
        return super().is_new(found)

    @cached_property
    def _saved_ids(self) -> set[tuple[str, str]]:
        return {(found.path, found.row.id) for found in self._saved}

    def _read(self, path: str, data: bytes) -> list[ParsedLine]:
        document, store = Document(data), self.stores[0]
        self.sources.put(path, document)
        lifecycle = self.index.config.sources.get(path[len(store.folder) + 1 :], "rule")
        return list(iter_rows(document, store.shown(path), lifecycle))

    def _with_shared_ids(self, rows: list[IndexedRow]) -> list[IndexedRow]:
        """Return the rows, each knowing whether another one bears its id; the two sides of a conflict are one row."""
        marked = {one.place.file for one in self.document_problems() if one.code == "GT122"}
        places = {
            (one.row.store, one.row.id, one.row.file, one.row.file not in marked and one.row.line) for one in rows
        }
        count = Counter(place[:2] for place in places)
        return [_sharing(one, count[one.row.store, one.row.id] > 1) for one in rows]


def _place_of(found: IndexedRow) -> tuple[str, str, int]:
    return found.row.store, found.row.file, found.row.line


def _sharing(found: IndexedRow, shared: bool) -> IndexedRow:
    return found if found.row.shared == shared else found.replace(row=found.row.replace(shared=shared))


def problems_in(scope: TypedWorkspace, path: str) -> list[Problem]:
    """Return what `gatilho check` would find in one edited table, by line."""
    name = scope.stores[0].shown(path)
    return [problem for problem in registry.find_problems(scope) if problem.place.file == name]
