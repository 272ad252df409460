"""Characters in rows that act on a terminal, reorder what is read, or that no one sees."""

from collections.abc import Iterator

from gatilho.index.index import IndexedRow
from gatilho.model import Place, Problem, ProblemKind
from gatilho.plain import clean, for_agent
from gatilho.workspace.workspace import Workspace

HIDDEN = ProblemKind(
    "GT251", "warning", "a row holds characters that act on a terminal, hide text or imitate a host's markup"
)
KINDS = (HIDDEN,)
BY_ROW = True


def find_problems(workspace: Workspace) -> Iterator[Problem]:
    """Yield every row whose line is not what is shown of it."""
    for found in workspace.rows:
        text = workspace.sources.document(found.path).line(found.row.line).decode("utf-8", "replace")
        at = _first_hidden(text)
        if at is not None:
            yield _hidden(found, text, at)
        elif for_agent(text) != text:
            yield _imitation(found, text)


def _hidden(found: IndexedRow, text: str, at: int) -> Problem:
    message = (
        f"U+{ord(text[at]):04X} acts on a terminal, reorders the text or hides it: it is left out wherever it is shown"
    )
    return _problem(found, text, at, message, "remove it; the row's own text can be seen with `cat -A`")


def _imitation(found: IndexedRow, text: str) -> Problem:
    shown = for_agent(text)
    at = next(at for at, letter in enumerate(text) if shown[at] != letter)
    message = (
        "this imitates the markup by which a host instructs an agent: its `<` is replaced before an agent reads it"
    )
    return _problem(found, text, at, message, "write it in other words")


def _problem(found: IndexedRow, text: str, at: int, message: str, remedy: str) -> Problem:
    place = Place(found.row.file, found.row.line, at + 1)
    return Problem(HIDDEN.code, HIDDEN.severity, place, message, remedy, text, 1, found.row.id)


def _first_hidden(text: str) -> int | None:
    shown = clean(text)
    return next((at for at, letter in enumerate(text) if shown[at : at + 1] != letter), None)
