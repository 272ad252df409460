"""What checks look at: one working tree's rows, files and git, each fetched once and only when a check asks for it."""

import os
from functools import cached_property

from gatilho import dates
from gatilho.conditions.file_conditions import Outcome, Tree, evaluate
from gatilho.git import state as git_state
from gatilho.index.index import Index, IndexedRow
from gatilho.index.marks import marks_in
from gatilho.index.packing import conditions_text
from gatilho.ladder import sessions
from gatilho.model import Condition, Place, Problem, ProblemKind
from gatilho.store.head import is_committed, uncommitted
from gatilho.store.ledger_at_head import ignored, left_out
from gatilho.tables import Store, documents_by_name, is_below_store
from gatilho.triggers.patterns import Budget
from gatilho.workspace import tracked
from gatilho.workspace.past import Past, load_past
from gatilho.workspace.reach import Reach
from gatilho.workspace.renames import Renames
from gatilho.workspace.sources import Sources

# Seconds for the searches of all conditions of a store.
_CONDITION_SECONDS = 5.0
# The past that checks look at: enough to see what is touched all the time, and listed in a moment.
_PAST_COMMITS = 200
_PAST_SECONDS = 3
FEWEST_COMMITS = 20


def problem_of_file(kind: ProblemKind, file: str, message: str, remedy: str, line: int = 1, row: str = "") -> Problem:
    """Return a problem with a file as a whole, or with one line of it."""
    return Problem(kind.code, kind.severity, Place(file, line), message, remedy, row=row)


class Workspace:
    """One working tree, as the checks see it."""

    def __init__(self, index: Index, new_ids: frozenset[str] | None = None) -> None:
        """Take new_ids, the rows of the repository's own store that count as new; None: those that HEAD lacks."""
        self.index = index
        self.new_ids = new_ids
        self.repository = index.repository
        self.root = index.repository.root
        self.today = dates.today()
        self.sources = Sources()
        self.budget = Budget(_CONDITION_SECONDS)
        self._outcomes: dict[Condition, Outcome] = {}
        self._uncommitted: dict[int, set[str]] = {}  # ids by the number of their file

    @cached_property
    def rows(self) -> list[IndexedRow]:
        """Return all rows, of all stores."""
        return self.index.rows()

    @cached_property
    def own_rows(self) -> list[IndexedRow]:
        """Return the rows of the repository's own store."""
        return [found for found in self.rows if not found.row.store]

    @property
    def rows_in_force(self) -> list[IndexedRow]:
        """Return the rows that may speak, of all stores: what ended is no longer worth fixing."""
        return [found for found in self.rows if found.row.in_force]

    def document_problems(self) -> list[Problem]:
        """Return what is wrong in the documents and the configuration, as far as reading them shows."""
        return self.index.problems()

    @cached_property
    def stores(self) -> list[Store]:
        """Return the stores that speak here, the repository's own first."""
        return self.index.stores

    @cached_property
    def documents(self) -> dict[str, str]:
        """Return the paths of the files of all stores that may hold tables, by the names that people see."""
        return documents_by_name(self.stores)

    @cached_property
    def own_documents(self) -> list[str]:
        """Return the names of those that are in the repository's own stores."""
        return list(documents_by_name(self.index.own_stores))

    @cached_property
    def reach(self) -> Reach:
        """Return the names of the tracked files."""
        return Reach([name for _, name in self._tagged])

    @cached_property
    def _tagged(self) -> list[tuple[str, str]]:
        return tracked.tagged_names(self.root)

    @cached_property
    def tagged_in_stores(self) -> list[tuple[str, str]]:
        """Return the tracked files of all stores, each with what git knows of it (see `tracked.tagged_names`)."""
        return [one for one in self._tagged if is_below_store(one[1])]

    @cached_property
    def renames(self) -> Renames:
        """Return the renames in git's history."""
        return Renames(self.root)

    def moved_to(self, name: str) -> str:
        """Return the tracked file that a name of old has become, "" where there is none."""
        return self.renames.now(name, self.reach.known)

    @cached_property
    def renamed(self) -> Reach:
        """Return the names that files had before they were renamed, newest first."""
        return Reach([old for old, _ in self.renames.pairs])

    @cached_property
    def past(self) -> Past | None:
        """Return the last commits, None where there are too few to say how often a row speaks, or git takes long."""
        found = load_past(self.repository, _PAST_COMMITS, seconds=_PAST_SECONDS)
        return found if found is not None and len(found.commits) >= FEWEST_COMMITS else None

    @cached_property
    def marks(self) -> dict[str, list[str]]:
        """Return the tracked files that hold each mark."""
        return marks_in(self.root)

    @cached_property
    def untracked(self) -> Reach:
        """Return the names of the files that git could track and does not yet."""
        return Reach(tracked.untracked_names(self.root))

    @cached_property
    def tree(self) -> Tree:
        """Return the files, as conditions look at them."""
        return Tree(self.root)

    def outcome(self, condition: Condition) -> Outcome:
        """Return what a condition comes to in the files; each text is evaluated once."""
        if condition not in self._outcomes:
            self._outcomes[condition] = evaluate(condition, self._still_tree, self.budget)
        return self._outcomes[condition]

    @cached_property
    def _still_tree(self) -> Tree:
        return Tree(self.root, lookups={})  # of rows with one glob, only the first one walks through the folders

    def is_new(self, found: IndexedRow) -> bool:
        """Return whether HEAD, or what is compared with, lacks the row; never for one of another store."""
        if found.row.store:
            return False
        if self.new_ids is not None:
            return found.row.id in self.new_ids
        if found.file_number not in self._uncommitted:
            self._uncommitted[found.file_number] = uncommitted(self.index, found.file_number)
        return not is_committed(self._uncommitted[found.file_number], found.row.id)

    def was_seen_failing(self, found: IndexedRow) -> bool:
        """Return whether a session here saw that the row's conditions did not hold."""
        return (found.row.store, found.row.id, conditions_text(found.row.conditions)) in self._seen_failing

    def problem(
        self,
        kind: ProblemKind,
        found: IndexedRow,
        column: str,
        message: str,
        remedy: str,
        part: str = "",
        skip: int = 0,
    ) -> Problem:
        """Return a problem with a part of one cell of a row (see `Sources.underlined`)."""
        marked = self.sources.underlined(found, column, part, skip)
        return Problem(kind.code, kind.severity, marked.place, message, remedy, marked.text, marked.width, found.row.id)

    @cached_property
    def uncommitted_ledger_files(self) -> list[str]:
        """Return the names of the ledger files that a commit left out, sorted."""
        return left_out(self.index, git_state.busy(self.repository.git_dir, os.environ))

    def ignored(self, names: list[str]) -> set[str]:
        """Return which of these files git ignores."""
        return ignored(self.index, names) if names else set()

    @cached_property
    def _seen_failing(self) -> frozenset[tuple[str, ...]]:
        if not os.path.exists(self.repository.shared_state + "/sessions.db"):
            return frozenset()
        return sessions.seen_failing(self.repository.shared_state)
