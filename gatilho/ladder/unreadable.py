"""The rows that an agent has just written and that cannot be read: it hears of them in the answer to that very call."""

from gatilho import bounded
from gatilho.document.document import Document
from gatilho.document.misplaced import find_slips
from gatilho.errors import DocumentError
from gatilho.ladder.event_context import EventContext
from gatilho.ladder.tool_call import RepositoryCall
from gatilho.model import Place, Problem, Row
from gatilho.plain import clean_line, to_do
from gatilho.store.head import uncommitted
from gatilho.tables import is_ledger_file, is_store_file
from gatilho.triggers import literals, paths, patterns, suspicions
from gatilho.triggers.globs import glob_to_regex

# Patterns are compiled for no more rows than these, and for rows alone that HEAD does not have as they are.
_MOST_ROWS = 200
_MOST_LINES = 5


def problems_for_agent(context: EventContext, reading: RepositoryCall, unnamed: list[str]) -> str:
    """Return what is wrong in the tables that the call wrote, "" for nothing that is new to the agent.

    unnamed: tables that changed while a command ran that may not name them.
    """
    root = context.repository.root
    written = [name for t in reading.touches if t.kind == "write" for name in paths.names_in(t.path, root)]
    tables = [name for name in dict.fromkeys(written + unnamed) if is_store_file(name) and not is_ledger_file(name)]
    if not tables or not context.adapter.carries_context(context.event):
        return ""
    problems = [one for one in context.index.problems() if one.place.file in tables]
    found = [one for one in problems if one.severity == "error"]
    for name in tables:
        changed = _changed_rows(context, name)
        of_changed = {row.line for row in changed}
        found += [
            one
            for one in problems
            if one.severity == "warning" and one.place.file == name and one.place.line in of_changed
        ]
        found += [problem for row in changed for problem in _problems_of(context, row)]
        found += _of_headers(root, name)
    agent = context.event.agent
    # Known by the text of its line: a problem that only moved is not reported again.
    new = [
        one for one in found if context.session.tell_once(f"unreadable {agent} {one.code} {one.place.file} {one.text}")
    ]
    if not new:
        return ""
    lines = [
        f"- {one.place}:{one.place.column}: {one.code} {clean_line(one.message)}. {to_do(clean_line(one.remedy))}"
        for one in new
    ]
    more = [f"({len(lines) - _MOST_LINES} more: gatilho check)"] if len(lines) > _MOST_LINES else []
    return "\n".join(["What you wrote is not read as it is meant:", *lines[:_MOST_LINES], *more])


def _of_headers(root: str, name: str) -> list[Problem]:
    return find_slips(Document(bounded.read_quietly(f"{root}/{name}")), name)


def _changed_rows(context: EventContext, name: str) -> list[Row]:
    """Return the rows of a table that HEAD does not have as they are."""
    rows = [found for found in context.index.rows() if not found.row.store and found.row.file == name]
    if not rows:
        return []
    ids = {one.lstrip("\x1e") for one in uncommitted(context.index, rows[0].file_number)}
    return [one.row for one in rows if one.row.id in ids or "*" in ids][:_MOST_ROWS]


def _problems_of(context: EventContext, row: Row) -> list[Problem]:
    listed = [("trigger", trigger.pattern) for trigger in row.triggers if trigger.kind not in ("glob", "start")]
    listed += [("paid when", condition.pattern) for condition in row.conditions if condition.pattern]
    found = _of_id(context, row) + _of_globs(context, row)
    for column, pattern in listed:
        refused = None if literals.analyse(pattern).plain else patterns.compile_problem(paths.normalise(pattern))
        if refused:
            text, remedy = patterns.refusal(column, pattern, refused[0])
            found.append(
                Problem("GT211", "error", _place(context, row, pattern, refused[1]), text, remedy, _whose(row))
            )
        else:
            found += _suspect(context, row, column, pattern)
    return found


def _whose(row: Row) -> str:
    return f"{row.id} {row.note}"


def _of_id(context: EventContext, row: Row) -> list[Problem]:
    """Return that another row bears the id."""
    if not row.shared:
        return []
    others = [str(one.row.place) for one in context.index.rows_with_id(row.id) if one.row.place != row.place]
    message = f"{row.id} is also the id of {', '.join(others)}: both rows speak, and neither is written"
    return [Problem("GT201", "error", _place(context, row, row.id, 1), message, "give it another id", _whose(row))]


def _of_globs(context: EventContext, row: Row) -> list[Problem]:
    """Return the globs of triggers that match nothing, whatever there is."""
    found = []
    for trigger in row.triggers:
        if trigger.kind == "glob":
            try:
                glob_to_regex(paths.normalise(trigger.pattern))
            except DocumentError as error:
                place = _place(context, row, trigger.pattern, 1)
                message, remedy = f"{error}: the row does not speak through it", "correct it, as in `glob: src/**/*.py`"
                found.append(Problem("GT216", "error", place, message, remedy, _whose(row)))
    return found


def _suspect(context: EventContext, row: Row, column: str, pattern: str) -> list[Problem]:
    """Return what is wrong with a pattern that is valid: it matches everything, or may take without end."""
    place = _place(context, row, pattern, 1)
    said = suspicions.matches_everything(column, pattern)
    if said[0]:
        code, severity = ("GT212", "warning") if column == "trigger" else ("GT217", "error")
        return [Problem(code, severity, place, *said, _whose(row))]
    how = suspicions.runs_away(pattern)
    return [Problem("GT213", "warning", place, *suspicions.slow_words(pattern, how), _whose(row))] if how else []


def _place(context: EventContext, row: Row, pattern: str, at: int) -> Place:
    """Return where in the table the fault of a pattern is; a pipe in a cell has a backslash before it."""
    try:
        lines = bounded.read(f"{context.repository.root}/{row.file}").decode("utf-8", "replace").splitlines()
        column = lines[row.line - 1].find(pattern.replace("|", "\\|"))
    except (OSError, IndexError):
        column = -1
    return Place(row.file, row.line, column + at if column >= 0 else 1)
