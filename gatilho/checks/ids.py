"""Ids that more than one row bears or that are long, keys of which rows say different things, and unknown kinds."""

from collections.abc import Iterator

from gatilho.config import FILE
from gatilho.index.index import IndexedRow
from gatilho.ladder.decide import contradictions, may_speak
from gatilho.lifecycle.transitions import state_of
from gatilho.model import Problem, ProblemKind
from gatilho.nearest import nearest
from gatilho.plain import clean_line, first_of
from gatilho.tables import PACK
from gatilho.workspace.workspace import Workspace

SHARED = ProblemKind("GT201", "error", "two rows share an id")
ELSEWHERE = ProblemKind("GT202", "warning", "a row of another store has the same id")
CONTRADICTION = ProblemKind("GT203", "error", "two rows in force share a key and contradict each other")
UNKNOWN_KIND = ProblemKind("GT204", "warning", "a row has a kind that is unknown")
LONG = ProblemKind("GT205", "warning", "an id has more than 100 characters")
KINDS = (SHARED, ELSEWHERE, CONTRADICTION, UNKNOWN_KIND, LONG)
QUICK = True
_LONGEST = 100
# Places that one problem names.
_NAMED = 3


def find_problems(workspace: Workspace) -> Iterator[Problem]:
    """Yield every row whose id is long or another row's too, that another one contradicts, or whose kind is unknown.

    Blanks around an id that no one can see do not distinguish two.
    """
    by_id: dict[str, list[IndexedRow]] = {}
    for found in workspace.rows:
        if found.row.store.startswith(PACK):
            continue  # no command changes a row of a pack, so none mistakes it for ours
        by_id.setdefault(clean_line(found.row.id).strip(), []).append(found)
    for bearers in by_id.values():
        if len(bearers) > 1:
            yield from (_problem(workspace, found, bearers) for found in bearers if not _are_sides(found, bearers))
    for group in contradictions(found for found in workspace.rows if may_speak(found.row, workspace.today)):
        yield from (_contradiction(workspace, found, group) for found in group)

    for found in workspace.rows_in_force:
        if len(found.row.id) > _LONGEST:
            message = f"the id has {len(found.row.id):,} characters: it takes the room of notes in what agents read"
            yield workspace.problem(LONG, found, "id", message, "write a short one, such as D-7f3k")
        if found.row.kind and found.row.kind not in workspace.index.config.kinds:
            yield _unknown_kind(workspace, found)


def _unknown_kind(workspace: Workspace, found: IndexedRow) -> Problem:
    kind, known = found.row.kind, workspace.index.config.kinds
    message = f"the kind {kind} is unknown, so {found.row.id} never expires by its age"
    close = nearest(kind, known)
    meant = f"did you mean {close}? Else write" if close else "write"
    remedy = f"{meant} one of {', '.join(known)}, or add [kinds.{kind}] with half_life_days and ttl_days to {FILE}"
    return workspace.problem(UNKNOWN_KIND, found, "kind", message, remedy)


def _are_sides(found: IndexedRow, bearers: list[IndexedRow]) -> bool:
    """Return whether the rows of that id are the sides of one conflict, whose markers are reported."""
    return not found.row.shared and all((one.path, one.row.id) == (found.path, found.row.id) for one in bearers)


def _problem(workspace: Workspace, found: IndexedRow, bearers: list[IndexedRow]) -> Problem:
    others = [other for other in bearers if other is not found]
    same_store = [other for other in others if other.row.store == found.row.store]
    named = same_store or others
    places = first_of([other.row.place for other in named], _NAMED)
    if not same_store:
        message = f"{found.row.id} is also the id of a row in another store: {places}"
        remedy = "write another id into one of the two tables: until then no command changes either row"
        return workspace.problem(ELSEWHERE, found, "id", message, remedy)
    two, more = "both rows speak, and neither is written", "all of them speak, and none of them is written"
    speak = two if len(same_store) == 1 else more
    message = f"{found.row.id} is also the id of {places}: {speak}"
    states = {state_of(other.row) for other in (found, *same_store)}
    if len(states) > 1:
        message += f". They contradict each other: {' and '.join(sorted(states))}"
    remedy = "give one of them another id; where a merge doubled the row, keep the line that is right"
    other = same_store[0].row
    if len(same_store) == 1 and (found.row.triggers, found.row.note) == (other.triggers, other.note):
        keeps = "`gatilho resolve` keeps one line of it"
        if _are_equal_lines(workspace, found, same_store[0]):
            keeps = "`gatilho check --fix` removes the second line, which equals the first"
        remedy = f"where a merge doubled the row, {keeps}; else give one another id"
    return workspace.problem(SHARED, found, "id", message, remedy)


def _are_equal_lines(workspace: Workspace, found: IndexedRow, other: IndexedRow) -> bool:
    """Return whether two rows of one table are the same line twice."""
    document = workspace.sources.document(found.path)
    in_one_table = (found.path, found.header) == (other.path, other.header)
    return in_one_table and document.line(found.row.line).strip() == document.line(other.row.line).strip()


def _contradiction(workspace: Workspace, found: IndexedRow, group: list[IndexedRow]) -> Problem:
    others = [f"{other.row.id} ({other.row.place})" for other in group if other.row.note != found.row.note]
    message = f"{found.row.id} has the key {found.row.key}, and contradicts {', '.join(others)}"
    remedy = "both are delivered: supersede the one that no longer applies, or give one of them another key"
    return workspace.problem(CONTRADICTION, found, "key", message, remedy)
