"""Words that are nearly known ones: a column that is ignored, a table that is not read, a state without effect."""

from collections.abc import Iterator

from gatilho.document.misplaced import SLIP as CODE
from gatilho.document.misplaced import find_slips
from gatilho.index.index import IndexedRow
from gatilho.lifecycle.states import STATES
from gatilho.model import Problem, ProblemKind
from gatilho.nearest import misspelt
from gatilho.workspace.workspace import Workspace

SLIP = ProblemKind(CODE, "warning", "a column or a state is nearly a known one")
KINDS = (SLIP,)
QUICK = True

# An unknown state is one in force, so a slip of `owed` or `rule` changes nothing.
_ENDING = {word for word, state in STATES.items() if state not in ("owed", "rule")}


def find_problems(workspace: Workspace) -> Iterator[Problem]:
    """Yield the header cells, and the states of rows in force, by which another word was probably meant."""
    for shown, path in workspace.documents.items():
        yield from find_slips(workspace.sources.document(path), shown)
    for row in workspace.rows_in_force:
        yield from _of_state(workspace, row)


def _of_state(workspace: Workspace, found: IndexedRow) -> Iterator[Problem]:
    text = found.row.state_text
    if found.row.state or not text:
        return
    word = text.split()[0].strip("*_`~.,;:")
    meant = misspelt(word, _ENDING)
    if meant:
        message = f"the state {word} is not known, so {found.row.id} is still in force"
        yield workspace.problem(SLIP, found, "state", message, f"did you mean `{meant}`?", word)
