"""A working tree whose tables are those that an editor holds, saved or not."""

import copy
import os
from collections import Counter
from collections.abc import Mapping
from functools import cached_property

from gatilho.checks import registry
from gatilho.document.document import Document
from gatilho.document.rows import ParsedLine, iter_rows
from gatilho.index.index import Index, IndexedRow
from gatilho.model import Place, Problem, Row, Value
from gatilho.tables import name_in_store
from gatilho.workspace.workspace import Workspace

# What git takes long to say, and what moves when it would say something else.
_OF_GIT = ("past", "renames")
_MOVED_WITH_GIT = ("HEAD", "index", "logs/HEAD")


class CheckedTable(Value):
    """A table that was checked completely. rows: by their lines."""

    data: bytes
    rows: Mapping[int, Row]
    problems: tuple[Problem, ...]


class GitFacts(Value):
    """What git said of a repository, and when: its files that a commit or `git add` changes."""

    when: tuple[object, ...]
    facts: Mapping[str, object]


class TypedWorkspace(Workspace):
    """A working tree in which some tables of its own store have other bytes than on disk."""

    def __init__(self, index: Index, texts: Mapping[str, bytes]) -> None:
        """Take texts: the bytes of tables by their absolute paths."""
        super().__init__(index)
        self._lines = {path: self._read(path, data) for path, data in texts.items()}
        self._saved = index.rows()

    def take(self, known: GitFacts) -> None:
        """Take what git said before, unless something was committed or added since."""
        if known.when == self._when:
            self.__dict__.update(known.facts)
            if self.past is not None:
                self.past.reach.renew()

    @property
    def git_facts(self) -> GitFacts:
        """Return what git said so far."""
        return GitFacts(self._when, {name: self.__dict__[name] for name in _OF_GIT if name in self.__dict__})

    @cached_property
    def _when(self) -> tuple[object, ...]:
        return tuple(_change_of(f"{self.repository.git_dir}/{name}") for name in _MOVED_WITH_GIT)

    def with_rows(self, rows: list[IndexedRow]) -> "TypedWorkspace":
        """Return the same working tree with these rows alone."""
        alone = copy.copy(self)
        alone.__dict__["rows"] = rows
        return alone

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
        lifecycle = self.index.config.sources.get(name_in_store(store.shown(path)), "rule")
        return list(iter_rows(document, store.shown(path), lifecycle))

    def _with_shared_ids(self, rows: list[IndexedRow]) -> list[IndexedRow]:
        """Return the rows, each knowing whether another one bears its id; the two sides of a conflict are one row."""
        marked = {one.place.file for one in self.document_problems() if one.code == "GT122"}
        places = {
            (one.row.store, one.row.id, one.row.file, one.row.file not in marked and one.row.line) for one in rows
        }
        count = Counter(place[:2] for place in places)
        return [_sharing(one, count[one.row.store, one.row.id] > 1) for one in rows]


def _sharing(found: IndexedRow, shared: bool) -> IndexedRow:
    return found if found.row.shared == shared else found.replace(row=found.row.replace(shared=shared))


def _change_of(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def problems_in(workspace: TypedWorkspace, path: str) -> list[Problem]:
    """Return what `gatilho check` would find in one edited table, by line."""
    name = workspace.stores[0].shown(path)
    return [problem for problem in registry.find_problems(workspace) if problem.place.file == name]


def checked_table(workspace: TypedWorkspace, path: str, data: bytes) -> CheckedTable:
    """Return an edited table with all that `gatilho check` would find in it."""
    return CheckedTable(
        data, {one.row.line: one.row for one in _rows_of(workspace, path)}, tuple(problems_in(workspace, path))
    )


def problems_since(workspace: TypedWorkspace, path: str, data: bytes, before: CheckedTable) -> list[Problem]:
    """Return what is wrong in an edited table, where only rows that changed since it was checked are looked at closely.

    What one changed row does to others is found where that takes no time, as a shared id is.
    """
    name = workspace.stores[0].shown(path)
    old, new = before.data.splitlines(), data.splitlines()
    start, end = equal_ends(old, new)
    added = len(new) - len(old)
    # Where each line that is as it was has come to; a changed header gives such lines another meaning.
    came_to = {
        line: line if line <= start else line + added for line in before.rows if line <= start or line > len(old) - end
    }
    known = {came_to[line]: row.replace(line=came_to[line]) for line, row in before.rows.items() if line in came_to}
    rows = _rows_of(workspace, path)
    changed = [one for one in rows if known.get(one.row.line) != one.row]
    same = {one.row.line for one in rows} - {one.row.line for one in changed}
    kept = [
        one.replace(place=Place(name, came_to[one.place.line], one.place.column))
        for one in before.problems
        if one.code in registry.SLOW_CODES and came_to.get(one.place.line) in same
    ]
    found = registry.find_problems(workspace, registry.QUICK)
    found += registry.find_problems(workspace.with_rows(changed), registry.BY_ROW)
    return sorted([*kept, *(one for one in found if one.place.file == name)], key=registry.place_of)


def equal_ends(old: list[bytes], new: list[bytes]) -> tuple[int, int]:
    """Return how many lines two texts have in common at their start, and then at their end."""
    most = min(len(old), len(new))
    start = next((at for at in range(most) if old[at] != new[at]), most)
    return start, next((at for at in range(most - start) if old[-1 - at] != new[-1 - at]), most - start)


def _rows_of(workspace: TypedWorkspace, path: str) -> list[IndexedRow]:
    return [one for one in workspace.rows if one.path == path]
