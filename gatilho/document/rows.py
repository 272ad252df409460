"""Rows: the lines of the tables as the program understands them, and every problem in them.

A bad cell costs what it says, a bad row costs that row, and neither is ever silent.
"""

from gatilho.config import KIND_ALIASES
from gatilho.document.cells import read_lifecycle, read_number, read_triggers
from gatilho.document.columns import Columns, read_columns, slips
from gatilho.document.document import Document
from gatilho.document.problems import (
    LineProblems,
    RowLine,
    add_bytes_problem,
    add_gap_problem,
    add_lifecycle_problem,
    add_state_problem,
    add_trigger_pipe_problem,
    add_waiver_problem,
    check_cells,
    drop_followers,
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

# The fields that only some tables have a column for, in their order.
_EMPTY: "dict[str, Any]" = {
    "kind": "", "key": "", "owner": "", "added": "", "expires": "", "not_before": "", "ask_after": None,
    "holds_while": (), "violated_when": (),
}  # fmt: skip
_OPTIONAL = frozenset(field.replace("_", " ") for field in _EMPTY)
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
    meant = next(
        (f"did you mean `{slip.meant}` by `{slip.words}`?" for slip in slips(header) if slip.name == "note"), ""
    )
    return meant or "add a column `note`, or rename the one that is meant"


def read_row(
    line: bytes,
    columns: Columns,
    file: str,
    line_number: int,
    default_lifecycle: str = "rule",
    store: str = "",
) -> tuple[Row | None, list[Problem]]:
    """Read one line below a header: its row and its problems. None where the line is no row.

    columns is what `read_columns` found in the header. default_lifecycle counts where there is no such column.
    """
    reading = RowLine(line, file, line_number, columns)
    texts, get = reading.texts, columns.get  # each row of a large table is read here
    whole, partly, id = read_id(texts[get("id", -1)])
    if not is_row(reading, id):
        return None, reading.problems
    reading.row_id = id
    is_whole = check_cells(reading)
    if partly or " " in id or id[0] == "-":
        _add_id_problems(reading, id, partly)
    triggers = _triggers(reading)
    note = texts[get("note", -1)]
    if not note and get("note", -1) < reading.there:
        reading.add("GT121", "the note is empty: there is nothing to say", "write one sentence", "note")
    lifecycle = _lifecycle(reading, default_lifecycle)
    rides = _number(reading, "rides") if is_whole else None
    state_text = texts[get("state", -1)]
    state = read_state(state_text)
    _check_state(reading, lifecycle, whole, state)
    conditions = _conditions(reading, "paid when")
    optional = _EMPTY if _OPTIONAL.isdisjoint(columns) else _read_optional(reading)
    row = Row(  # type: ignore[call-arg]  # a record with all its values is made in half the time
        id, lifecycle, triggers, note, conditions, rides, state, state_text, whole,
        *optional.values(), store, file, line_number, False,
    )  # fmt: skip
    if reading.problems:
        row = _explained(reading, row)
    if row.subtree:
        row = _placed(row, row.subtree)
    if b"\\\\|" in line or (not line.isascii() and any("\ufffd" in text for text in texts)):
        add_bytes_problem(reading)
    return row, reading.problems


def _check_state(line: RowLine, lifecycle: str, whole: bool, state: str) -> None:
    differ = (whole or state) and states_differ(lifecycle, whole, state)
    if differ and not any(one.code == "GT108" for one in line.problems):
        add_state_problem(line, lifecycle, whole, state)
    elif state == "waived":
        add_waiver_problem(line)


def _explained(line: RowLine, row: Row) -> Row:
    """Report the one cause of shifted cells in place of what these seem to have; what is of other columns is left out.

    A row whose last cells alone are missing has no cell in the wrong column.
    """
    texts, columns = cell_texts(line.raw), line.columns
    shifts = len(texts) < line.count and any(one.code != "GT104" for one in line.problems)
    gap = find_gap(columns, texts) if shifts and columns else ""
    if gap:
        add_gap_problem(line, gap, len(texts))
        first = columns[gap]
    elif has_pipe_in_trigger(line):
        add_trigger_pipe_problem(line)
        first = columns["trigger"]
    else:
        drop_followers(line)
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


def _add_id_problems(line: RowLine, id: str, partly: bool) -> None:
    if partly:
        message = f"GitHub strikes only a part of the id {id}, or nothing of it: it counts as not struck"
        line.add("GT103", message, f"write `~~{id}~~` to say that it is paid, else `{id}`", "id")
    if " " in id:
        line.add("GT131", f"the id has blanks in it: {id}", "write it as one word: commands name it", "id")
    elif id[0] == "-":
        message = f"the id {id} begins with a hyphen: a command takes it for an option"
        line.add("GT131", message, "begin it with a letter, such as D-7f3k", "id")


def _triggers(line: RowLine) -> tuple[Trigger, ...]:
    if line.columns.get("trigger", -1) >= line.there:
        return ()
    triggers, wrong = read_triggers(line.text("trigger"))
    for code, message, remedy in wrong:
        line.add(code, message, remedy, "trigger")
    if not triggers and not wrong:
        line.add("GT111", "the row has no trigger, so it never speaks", "write one in a code span", "trigger")
    return triggers


def _lifecycle(line: RowLine, default: str) -> str:
    if "lifecycle" not in line.columns:
        return default
    text = line.text("lifecycle")
    lifecycle = read_lifecycle(text)
    if text and not lifecycle:
        add_lifecycle_problem(line)
    # What is not plainly called a debt is a rule, which is never asked about.
    return lifecycle or "rule"


_WRONG_NUMBER = {
    "rides": ("GT107", "the row never escalates, and its count is not written"),
    "ask after": ("GT119", "the setting of the configuration holds"),
}


def _number(line: RowLine, name: str) -> int | None:
    text = line.text(name)
    number = read_number(text)
    if number is None:
        code, consequence = _WRONG_NUMBER[name]
        message = f"{line.columns.called(name)} is not a whole number: {text}. So {consequence}"
        line.add(code, message, "write plain digits, or leave the cell empty", name)
    return number


def _conditions(line: RowLine, name: str, without: str = "payment is declared by a person") -> tuple[Condition, ...]:
    """Read a cell of conditions; without: what follows where it holds words and none of them is a condition."""
    text = line.text(name)
    if not text:
        return ()
    spans = code_spans(text)
    if not spans:
        message = f"no condition in a code span: {without}"
        line.add("GT118", message, "put a condition in backticks, such as `exists PATH`", name)
        return ()
    from gatilho.document.condition_grammar import forms, parse_conditions  # many documents have no condition

    conditions, messages = parse_conditions(spans)
    for message in messages:
        line.add("GT117", message, f"write one of {forms()}", name)
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


def _read_optional(line: RowLine) -> "dict[str, Any]":
    """Return the fields of `_EMPTY`, with what the row says of them."""
    from gatilho.dates import is_date

    kind = line.text("kind").strip().casefold()
    found = {**_EMPTY, "kind": KIND_ALIASES.get(kind, kind), "key": line.text("key"), "owner": line.text("owner")}
    for name in _DATES:
        text = line.text(name).strip()
        if text and not is_date(text):
            line.add("GT120", f"{name} is not a date: {text}", "write it as 2026-12-24, or leave it empty", name)
        elif text:
            found[name.replace(" ", "_")] = text
    if line.text("ask after"):
        found["ask_after"] = _number(line, "ask after")
    for name, (consequence, why, example) in _OF_RULES.items():
        if name in line.columns:
            found[name.replace(" ", "_")] = conditions = _conditions(line, name, consequence)
            for condition in filter(_runs_command, conditions):
                remedy = f"write a condition about files, such as `{example}`"
                line.add("GT117", f"`{condition.text}`: no command is run {why}", remedy, name)
    return found
