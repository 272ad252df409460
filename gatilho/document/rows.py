"""Rows: the lines of the tables as the program understands them, and every problem in them.

A bad cell costs what it says, a bad row costs that row, and neither is ever silent.
"""

from gatilho.config import KIND_ALIASES
from gatilho.document.cells import read_lifecycle, read_number, read_triggers
from gatilho.document.columns import Columns, read_columns, written
from gatilho.document.document import Document
from gatilho.document.problems import (
    LineProblems,
    add_bytes_problem,
    add_count_problem,
    add_cut_code_problem,
    add_gap_problem,
    add_lifecycle_problem,
    add_state_problem,
    add_trigger_pipe_problem,
    add_waiver_problem,
    drop_followers,
    find_cut_code,
    find_gap,
    find_markers,
    has_pipe_in_trigger,
    is_row,
    states_differ,
)
from gatilho.document.table import cell_texts, code_spans, read_id
from gatilho.lifecycle.states import read_state
from gatilho.model import Condition, Problem, Row, Trigger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

__all__ = ["CODES", "Columns", "ParsedLine", "iter_rows", "read_columns", "read_row", "read_rows"]

CODES = {
    "GT101": "a row has no id",
    "GT102": "a line of prose is part of the table above it",
    "GT103": "an id is struck in part",
    "GT104": "a row has too few cells",
    "GT105": "a row has too many cells",
    "GT106": "an unescaped pipe cuts a code span",
    "GT107": "rides is not a whole number",
    "GT108": "the lifecycle is unknown",
    "GT109": "the state contradicts the strike",
    "GT110": "a struck rule does not say superseded or revoked",
    "GT111": "a row has no trigger",
    "GT112": "a trigger is not in a code span",
    "GT113": "a trigger has an unknown prefix",
    "GT114": "a trigger has no pattern",
    "GT115": "an entity is inside code",
    "GT116": "two backslashes are before a pipe",
    "GT117": "a condition cannot be understood",
    "GT118": "a condition is not in a code span",
    "GT119": "ask after is not a whole number",
    "GT120": "a date is not a date",
    "GT121": "a note is empty",
    "GT122": "the file has a conflict marker",
    "GT123": "a header is among the rows",
    "GT124": "a column appears twice",
    "GT125": "a line is not UTF-8",
    "GT126": "an unclosed fence or comment hides a table",
    "GT127": "an HTML block, a quote, a list or an indentation hides a table",
    "GT128": "a header has no delimiter row below it",
    "GT129": "a row is outside every table",
    "GT130": "the state belongs to the other lifecycle",
    "GT131": "an id has blanks in it, or begins with a hyphen",
    "GT132": "a table with an id and a trigger has no note",
}

_OPTIONAL = frozenset(
    ("kind", "key", "owner", "added", "expires", "not before", "ask after", "holds while", "violated when")
)
_DATES = ("added", "expires", "not before")


class ParsedLine:
    """A line of a table of rows, as `iter_rows` finds it.

    row: None where the line is no row. raw: the line without its ending. header_line: the number of its table's header.
    """

    __slots__ = ("row", "raw", "header_line", "problems")

    def __init__(self, row: Row | None, raw: bytes, header_line: int, problems: list[Problem]) -> None:
        self.row = row
        self.raw = raw
        self.header_line = header_line
        self.problems = problems


def read_rows(
    data: bytes, file: str, default_lifecycle: str = "rule", store: str = ""
) -> tuple[list[Row], list[Problem]]:
    """Read every row of every table in a document, in order, and all problems, by line."""
    rows: list[Row] = []
    problems: list[Problem] = []
    for found in iter_rows(Document(data), file, default_lifecycle, store):
        if found.row is not None:
            rows.append(found.row)
        problems += found.problems
    problems.sort(key=lambda problem: problem.place.line)
    return rows, problems


def iter_rows(
    document: Document, file: str, default_lifecycle: str = "rule", store: str = ""
) -> "Iterator[ParsedLine]":
    """Yield the lines of a document that hold a row or a problem, one at a time; what concerns no table comes last.

    default_lifecycle: of the rows whose table has no such column.
    """
    if b"|" not in document.data:
        return
    from gatilho.document.misplaced import find_misplaced

    parsed = _over_markers(document)
    of_rows = marked = False
    for table in parsed.tables:
        columns, header = table.columns, document.line(table.header_line)
        problems = _header_problems(header, columns, file, table.header_line)
        if problems:
            yield ParsedLine(None, header, table.header_line, problems)
        if not columns.of_rows:
            continue
        of_rows = True
        for number in table.row_lines:
            raw = document.lines[number - 1]
            row, problems = read_row(raw, columns, file, number, default_lifecycle, store)
            if row is not None or problems:
                yield ParsedLine(row, raw, table.header_line, problems)
            if problems and not marked:
                marked = any(problem.code == "GT122" for problem in problems)
    problems = find_misplaced(document, file, parsed.blocks.others, of_rows)
    if of_rows and not marked:
        problems += find_markers(document, file)
    if problems:
        yield ParsedLine(None, b"", 0, problems)


def _over_markers(document: Document) -> Document:
    """Return the document with the markers that end a conflict made lines of the table around them.

    For Markdown they begin a quote, which would silence every row after the conflict until it is resolved.
    """
    data = document.data
    if b"<<<<<<< " not in data or b">>>>>>> " not in data:
        return document
    # One byte for one byte, so that every place in the file stays what it is.
    for ending in (b"\n", b"\r"):
        data = data.replace(ending + b">>>>>>> ", ending + b"|>>>>>> ")
    return Document(data)


def _header_problems(raw: bytes, columns: Columns, file: str, number: int) -> list[Problem]:
    line = LineProblems(raw, file, number)
    if columns.of_rows:
        for name, cell in columns.twice:
            line.add_problem(
                "GT124", f"the column {name} appears twice: this one is ignored", "rename or remove it", cell
            )
    elif "id" in columns and "trigger" in columns:
        message = "this table has an id and a trigger, but no note: it is read as prose"
        line.add_problem("GT132", message, _without_note(raw))
    return line.problems


def _without_note(header: bytes) -> str:
    from gatilho.document.columns import slips

    meant = next(
        (f"did you mean `{slip.meant}` by `{slip.words}`?" for slip in slips(header) if slip.name == "note"), ""
    )
    return meant or "add a column `note`, or rename the one that is meant"


def read_row(
    line: bytes,
    columns: dict[str, int],
    file: str,
    line_number: int,
    default_lifecycle: str = "rule",
    store: str = "",
) -> tuple[Row | None, list[Problem]]:
    """Read one line below a header: its row and its problems. None where the line is no row.

    columns is what `read_columns` found in the header. default_lifecycle counts where there is no such column.
    """
    reading = LineProblems(line, file, line_number)
    get = columns.get
    texts = cell_texts(line)
    there = len(texts)
    count = getattr(columns, "count", there)
    # One more than there are columns, for every column that this table does not have.
    texts += [""] * (count + 1 - there) if there <= count else [""]
    id_cell, trigger_cell, note_cell = get("id", -1), get("trigger", -1), get("note", -1)
    whole, partly, id = read_id(texts[id_cell])
    if not is_row(reading, columns, texts, id):
        return None, reading.problems
    reading.row_id = id
    there, readable = _check_cells(reading, columns, texts, there, count)
    if partly or " " in id or id[0] == "-":
        _add_id_problems(reading, id, partly, id_cell)
    triggers = _triggers(reading, texts[trigger_cell], trigger_cell) if trigger_cell < there else ()
    note = texts[note_cell]
    if not note and note_cell < there:
        reading.add_problem("GT121", "the note is empty: there is nothing to say", "write one sentence", note_cell)
    lifecycle = _lifecycle(reading, columns, texts, default_lifecycle)
    rides = _number(reading, columns, texts, "rides", get("rides", -1)) if readable else None
    state_text = texts[get("state", -1)]
    state = read_state(state_text)
    is_known = not any(one.code == "GT108" for one in reading.problems)
    if is_known and (whole or state) and states_differ(lifecycle, whole, state):
        add_state_problem(reading, columns, lifecycle, whole, state, get("state", -1))
    elif state == "waived":
        add_waiver_problem(reading, state_text, get("state", -1))
    conditions = _conditions(reading, texts, get("paid when", -1))
    optional: dict[str, Any] = {} if _OPTIONAL.isdisjoint(columns) else _read_optional(reading, columns, texts)
    row = Row(
        id, lifecycle, triggers, note, conditions, rides, state, state_text, whole,
        store=store, file=file, line=line_number, **optional,
    )  # fmt: skip
    if reading.problems:
        row = _explained(reading, columns, row, count)
    if row.subtree:
        row = _placed(row, row.subtree)
    if b"\\\\|" in line or (not line.isascii() and any("\ufffd" in text for text in texts)):
        add_bytes_problem(reading)
    return row, reading.problems


def _explained(line: LineProblems, columns: dict[str, int], row: Row, count: int) -> Row:
    """Report the one cause of shifted cells in place of what these seem to have; what is of other columns is left out.

    A row whose last cells alone are missing has no cell in the wrong column.
    """
    texts = cell_texts(line.raw)
    shifts = len(texts) < count and any(one.code != "GT104" for one in line.problems)
    gap = find_gap(columns, texts) if shifts and columns else ""
    if gap:
        add_gap_problem(line, columns, gap, len(texts), count)
        first = columns[gap]
    elif has_pipe_in_trigger(line, columns):
        add_trigger_pipe_problem(line, columns)
        first = columns["trigger"]
    else:
        drop_followers(line, columns)
        return row
    fields = (("trigger", "triggers", ()), ("paid when", "conditions", ()), ("rides", "rides", None))
    return row.replace(**{field: empty for name, field, empty in fields if columns.get(name, -1) >= first})


def _placed(row: Row, subtree: str) -> Row:
    """Return a row of a nested store, which sees paths from its folder on, as the repository sees it."""
    from gatilho.document.condition_grammar import placed

    cells = {name: getattr(row, name) for name in ("conditions", "holds_while", "violated_when")}
    return row.replace(
        triggers=tuple(trigger.replace(subtree=subtree) for trigger in row.triggers),
        **{name: tuple(placed(one, subtree) for one in found) for name, found in cells.items() if found},
    )


def _check_cells(
    line: LineProblems, columns: dict[str, int], texts: list[str], there: int, count: int
) -> tuple[int, bool]:
    """Report a wrong number of cells, empty those after a cut span; return how many are left, and if all is whole."""
    # A cut code span adds a cell, which can hide that another one is missing: the right number proves little.
    if there == count and (line.raw.count(b"`") < 2 or not _may_be_cut(texts)):
        return there, True
    cut = find_cut_code(texts)
    if cut is None:
        if there != count:
            add_count_problem(line, columns, there, count)
        return there, True
    add_cut_code_problem(line, cut)
    # Off by one, each of them would be taken for its neighbour.
    texts[cut:] = [""] * (len(texts) - cut)
    return cut, False


def _may_be_cut(texts: list[str]) -> bool:
    """Return whether a code span may begin in one cell and end in another: backticks odd in number, or in runs."""
    return any("`" in text and (text.count("`") % 2 or "``" in text) for text in texts)


def _add_id_problems(line: LineProblems, id: str, partly: bool, cell: int) -> None:
    if partly:
        message = f"GitHub strikes only a part of the id {id}, or nothing of it: it counts as not struck"
        line.add_problem("GT103", message, f"write `~~{id}~~` to say that it is paid, else `{id}`", cell)
    if " " in id:
        line.add_problem("GT131", f"the id has blanks in it: {id}", "write it as one word: commands name it", cell)
    elif id[0] == "-":
        message = f"the id {id} begins with a hyphen: a command takes it for an option"
        line.add_problem("GT131", message, "begin it with a letter, such as D-7f3k", cell)


def _triggers(line: LineProblems, text: str, number: int) -> tuple[Trigger, ...]:
    triggers, wrong = read_triggers(text)
    for code, message, remedy in wrong:
        line.add_problem(code, message, remedy, number)
    if not triggers and not wrong:
        line.add_problem("GT111", "the row has no trigger, so it never speaks", "write one in a code span", number)
    return triggers


def _lifecycle(line: LineProblems, columns: dict[str, int], texts: list[str], default: str) -> str:
    number = columns.get("lifecycle", -1)
    if number < 0:
        return default
    lifecycle = read_lifecycle(texts[number])
    # What is not plainly called a debt is a rule, which is never asked about.
    if lifecycle or not texts[number]:
        return lifecycle or "rule"
    add_lifecycle_problem(line, columns, texts[number], number)
    return "rule"


_WRONG_NUMBER = {
    "rides": ("GT107", "the row never escalates, and its count is not written"),
    "ask after": ("GT119", "the setting of the configuration holds"),
}


def _number(line: LineProblems, columns: dict[str, int], texts: list[str], name: str, cell: int) -> int | None:
    number = read_number(texts[cell])
    if number is None:
        code, consequence = _WRONG_NUMBER[name]
        message = f"{written(columns, name)} is not a whole number: {texts[cell]}. So {consequence}"
        line.add_problem(code, message, "write plain digits, or leave the cell empty", cell)
    return number


def _conditions(
    line: LineProblems, texts: list[str], number: int, without: str = "payment is declared by a person"
) -> tuple[Condition, ...]:
    """Read a cell of conditions; without: what follows where it holds words and none of them is a condition."""
    if number < 0 or not texts[number]:
        return ()
    spans = code_spans(texts[number])
    if not spans:
        message = f"no condition in a code span: {without}"
        line.add_problem("GT118", message, "put a condition in backticks, such as `exists PATH`", number)
        return ()
    from gatilho.document.condition_grammar import forms, parse_conditions  # many documents have no condition

    conditions, messages = parse_conditions(spans)
    for message in messages:
        line.add_problem("GT117", message, f"write one of {forms()}", number)
    return conditions


def _runs_command(condition: Condition) -> bool:
    from gatilho.verbs import verb_of

    return verb_of(condition).runs_command


# The columns with conditions about files: what a bad one leaves undone, why it runs no command, and a good one.
_OF_RULES = {
    "holds while": (
        "the row is never reported as stale",
        "when a row is delivered, so this one is not looked at",
        "exists PATH",
    ),
    "violated when": (
        "no one counts how often it is broken",
        "to see whether a rule was broken",
        "contains PATH REGEX",
    ),
}


def _read_optional(line: LineProblems, columns: dict[str, int], texts: list[str]) -> "dict[str, Any]":
    """Return the fields that only some tables have a column for."""
    from gatilho.dates import is_date

    get = columns.get
    kind = texts[get("kind", -1)].strip().casefold()
    found: dict[str, Any] = {
        "kind": KIND_ALIASES.get(kind, kind), "key": texts[get("key", -1)], "owner": texts[get("owner", -1)],
    }  # fmt: skip
    for name in _DATES:
        text = texts[get(name, -1)].strip()
        if text and not is_date(text):
            line.add_problem(
                "GT120", f"{name} is not a date: {text}", "write it as 2026-12-24, or leave it empty", get(name)
            )
        elif text:
            found[name.replace(" ", "_")] = text
    if texts[get("ask after", -1)]:
        found["ask_after"] = _number(line, columns, texts, "ask after", columns["ask after"])
    for name, (consequence, why, example) in _OF_RULES.items():
        if name in columns:
            number = columns[name]
            found[name.replace(" ", "_")] = conditions = _conditions(line, texts, number, consequence)
            for condition in filter(_runs_command, conditions):
                remedy = f"write a condition about files, such as `{example}`"
                line.add_problem("GT117", f"`{condition.text}`: no command is run {why}", remedy, number)
    return found
