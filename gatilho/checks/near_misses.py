"""Words that are nearly known ones: a column that is ignored, a table that is not read, a state without effect."""

from collections.abc import Iterator

from gatilho.document.columns import read_columns, slips
from gatilho.document.problems import LineProblems
from gatilho.index.index import IndexedRow
from gatilho.lifecycle.states import STATES
from gatilho.model import Problem, ProblemKind
from gatilho.nearest import misspelt
from gatilho.tables import documents_of
from gatilho.workspace.workspace import Workspace

SLIP = ProblemKind("GT291", "warning", "a column or a state is nearly a known one")
KINDS = (SLIP,)
QUICK = True

_NEEDED = frozenset(("id", "trigger", "note"))
# An unknown state is one in force, so a slip of `owed` or `rule` changes nothing.
_ENDING = {word for word, state in STATES.items() if state not in ("owed", "rule")}


def find_problems(workspace: Workspace) -> Iterator[Problem]:
    """Yield the header cells, and the states of rows in force, by which another word was probably meant."""
    for store in workspace.stores:
        for path in documents_of(store)[0]:
            document = workspace.sources.document(path)
            for number in range(2, len(document.lines) + 1):
                if not document.line(number).strip(b"|:- \t\v\f"):
                    found = _of_header(document.line(number - 1), store.shown(path), number - 1)
                    if found and any(table.header_line == number - 1 for table in document.tables):
                        yield from found
    for row in workspace.rows_in_force:
        yield from _of_state(workspace, row)


def _of_header(raw: bytes, file: str, number: int) -> list[Problem]:
    columns = read_columns(raw)
    if len(columns) == columns.count or not columns:
        return []
    found = slips(raw)
    if not {*columns, *(slip.name for slip in found)} >= _NEEDED:
        return []  # one of people's own tables
    line = LineProblems(raw, file, number)
    for slip in found:
        if columns.of_rows or slip.name not in _NEEDED:
            message = f"column `{slip.words}` is not known, so it is ignored"
        elif "id" in columns and "trigger" in columns:
            continue  # a table without a note is reported by the reader
        else:
            message = f"column `{slip.words}` is not known, so no row of this table is read"
        line.add_problem(SLIP.code, message, f"did you mean `{slip.meant}`?", slip.cell)
    return line.problems


def _of_state(workspace: Workspace, found: IndexedRow) -> Iterator[Problem]:
    text = found.row.state_text
    if found.row.state or not text:
        return
    word = text.split()[0].strip("*_`~.,;:")
    meant = misspelt(word, _ENDING)
    if meant:
        message = f"the state {word} is not known, so {found.row.id} is still in force"
        yield workspace.problem(SLIP, found, "state", message, f"did you mean `{meant}`?", word)
