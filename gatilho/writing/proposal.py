"""One row as it would be: the document with it, what `check` finds in it, and what its conditions come to now."""

from collections.abc import Iterator
from itertools import chain

from gatilho import bounded
from gatilho.backtest.replayed import courses_of, past_in_words
from gatilho.checks import registry
from gatilho.conditions.file_conditions import evaluate
from gatilho.document import edit
from gatilho.document.condition_grammar import in_words
from gatilho.document.document import Document
from gatilho.document.draft import Draft
from gatilho.document.rows import iter_rows
from gatilho.errors import DocumentError
from gatilho.index.index import Index, IndexedRow
from gatilho.model import Problem, Row, Value
from gatilho.plain import shell_word
from gatilho.setup.file_changes import FileChange
from gatilho.store import insertion
from gatilho.store.command_context import PATIENCE
from gatilho.store.placement import InsertionPlace, refuse_markers
from gatilho.verbs import Outcome, verb_of
from gatilho.workspace.past import load_past
from gatilho.workspace.workspace import FEWEST_COMMITS, Workspace

# Families that look at the store as a whole; what reading shows of the row is found here, in the new bytes.
_NOT_OF_ONE_ROW = ("documents", "ledgers", "surroundings")
# The past in which a new row is tried, and seconds to list it.
_PAST_COMMITS, _PAST_SECONDS = 500, 10


class Proposal(Value):
    """A row that is not written yet, the change of its file, and what reading it shows to be wrong."""

    change: FileChange
    row: Row
    header_line: int
    is_new: bool
    found: tuple[Problem, ...] = ()


def propose(root: str, place: InsertionPlace, draft: Draft) -> Proposal:
    """Return a new row in the table of that place."""
    change = FileChange(place.name, place.data, place.with_row(draft))
    return _read_again(root, change, draft.id, draft.lifecycle, is_new=True)


def propose_update(root: str, found: IndexedRow, draft: Draft) -> Proposal:
    """Return a row with the contents that the draft fills, all its other cells as they are."""
    row = found.row
    data = bounded.read(found.path)
    refuse_markers(data, row.file)
    document = Document(data)
    columns = document.columns(found.header)
    cells = {name: text for name, text in draft.contents.items() if name != "added" or name in columns}
    there = document.cells(row.line, found.header)
    edits = [edit.CellEdit(row.line, name, text) for name, text in cells.items() if name != "added" or name in there]
    change = FileChange(row.file, data, edit.apply(data, found.header, edits, whole_document=True))
    conditions_stay = not draft.conditions
    return _read_again(root, change, row.id, row.lifecycle, is_new=not conditions_stay)


def _read_again(root: str, change: FileChange, row_id: str, default: str, is_new: bool) -> Proposal:
    """Read the row in the new bytes, as the index will."""
    assert change.new is not None
    for read in iter_rows(Document(change.new), change.name, default):
        if read.row is not None and read.row.id == row_id:
            return Proposal(change, read.row, read.header_line, is_new, tuple(read.problems))
    raise DocumentError(f"this is a bug in gatilho, nothing was written: {row_id} would not be read from {change.name}")


class _OneRow(Workspace):
    """A working tree in which a row is written already that is not, and in which no other row is."""

    def __init__(self, index: Index, proposal: Proposal) -> None:
        super().__init__(index)
        assert proposal.change.new is not None
        path = f"{self.root}/{proposal.change.name}"
        self.sources.put(path, Document(proposal.change.new))
        self._proposal = proposal
        self._found = IndexedRow(proposal.row, path, proposal.header_line, 0)

    @property
    def rows(self) -> list[IndexedRow]:  # type: ignore[override]
        """Return the row that is proposed."""
        return [self._found]

    def is_new(self, found: IndexedRow) -> bool:
        """Return whether the row, or what pays it, is new."""
        return self._proposal.is_new


def find_problems(index: Index, proposal: Proposal) -> list[Problem]:
    """Return what `check` would find in the row once it is written."""
    families = tuple(name for name in registry.FAMILIES if name not in _NOT_OF_ONE_ROW)
    found = registry.find_problems(_OneRow(index, proposal), families)
    here = [one for one in found if (one.place.file, one.place.line) == (proposal.row.file, proposal.row.line)]
    return sorted([*proposal.found, *here], key=registry.place_of)


def evaluated(index: Index, row: Row) -> Iterator[tuple[str, str, Outcome | None]]:
    """Yield each condition of a row in words, what it comes to now in words, and its outcome; no command is run."""
    workspace = Workspace(index)
    for condition in chain(*row.conditions_by_column.values()):
        verb = verb_of(condition)
        if verb.runs_command:
            said = f"not run; `gatilho allow {shell_word(row.id)}` lets it run on this machine"
            yield in_words(condition), said, None
        else:
            outcome = evaluate(condition, workspace.tree, workspace.budget)
            yield in_words(condition), verb.result(outcome), outcome


def past_of(index: Index, row: Row) -> str:
    """Say what a row would have done in the last commits; "" where there are too few of them."""
    past = load_past(index.repository, _PAST_COMMITS, seconds=_PAST_SECONDS)
    if past is None or len(past.commits) < FEWEST_COMMITS:
        return ""
    (course,) = courses_of(index.repository, past, [row], index.config.ask_after)
    return past_in_words(course, past)


def write_proposals(index: Index, changes: list[FileChange]) -> None:
    """Write the files that change; raises GatilhoError where something is in the way."""
    edits = [(one.name, one.old, one.new) for one in changes if one.new is not None]
    insertion.write_insertion(index.repository, edits, PATIENCE)
    index.renew()
