"""Rows that no one would see: tables and rows that GitHub does not render as such, though they look like it."""

from codecs import BOM_UTF8

from gatilho.document.columns import read_columns, slips
from gatilho.document.problems import LineProblems, problem_of_line
from gatilho.document.table import split_cells

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.document.blocks import Block
    from gatilho.document.document import Document
    from gatilho.model import Problem

SLIP = "GT291"
_NEEDED = frozenset(("id", "trigger", "note"))
# A line with fewer cells may well be prose that happens to begin with a pipe.
_FEWEST_CELLS = 3
_MOVE_UP = "move it up to its table, without a blank line, comment or quote between, or write a header above it"
# What a line of a quote or of a list begins with; another line only continues their last text.
_OF_CONTAINERS = b" \t>-+*0123456789"


def find_misplaced(document: "Document", file: str, blocks: "list[Block]", rows_before: bool) -> "list[Problem]":
    """Look through what is no table for headers of rows, and for rows where the document has a table of rows.

    rows_before: the document has such a table. Of lines that follow each other only the first is reported.
    """
    problems: list[Problem] = []
    last_row = 0
    for block in blocks:
        numbers = range(block.first_line, block.last_line + 1)
        inside = [(number, document.line(number)) for number in numbers]
        if block.kind in ("fence", "comment", "html"):
            problems += _hidden_table(block.kind, inside, file)
        else:
            found, last_row = _stray_lines(block.kind, inside, file, rows_before, last_row)
            problems += found
    return problems


def _hidden_table(kind: str, lines: list[tuple[int, bytes]], file: str) -> "list[Problem]":
    header = next((number for number, raw in lines if b"|" in raw and read_columns(raw).of_rows), 0)
    if not header or not lines:
        return []
    number, raw = lines[0]
    hides = f"hides the table in line {header}: its rows are not read"
    if kind == "html":
        message = f"the HTML that starts here {hides}"
        return problem_of_line(raw, file, number, "GT127", message, "put a blank line before the table")
    message = f"the {kind} that starts here is never closed and {hides}"
    closing = "the same fence" if kind == "fence" else "its end, such as -->,"
    remedy = f"write {closing} on a line of its own before the table"
    return problem_of_line(raw, file, number, "GT126", message, remedy)


def _stray_lines(
    kind: str, lines: list[tuple[int, bytes]], file: str, rows_before: bool, last_row: int
) -> "tuple[list[Problem], int]":
    problems: list[Problem] = []
    for index, (number, raw) in enumerate(lines):
        if b"|" not in raw or (kind == "container" and raw[:1] in _OF_CONTAINERS):
            continue
        find = _OF_HEADERS.get(kind)
        if find and read_columns(raw).of_rows:
            problems += find(lines, index, file)
            return problems, lines[-1][0]
        looks_like_row = raw.lstrip(b" \t")[:1] == b"|" and len(split_cells(raw)) >= _FEWEST_CELLS
        if rows_before and looks_like_row:
            if number != last_row + 1:
                message = "this looks like a row, but is outside every table: it is not read"
                problems += problem_of_line(raw, file, number, "GT129", message, _MOVE_UP)
            last_row = number
    return problems, last_row


def _no_delimiter(lines: list[tuple[int, bytes]], index: int, file: str) -> "list[Problem]":
    number, raw = lines[index]
    cells = len(split_cells(raw))
    below = lines[index + 1] if index + 1 < len(lines) else None
    message = f"the header in line {number} has no delimiter row of {cells} cells below it: this is not a table"
    remedy = f"write |{'---|' * cells} below the header, with plain blanks only"
    if below and not below[1].strip(b"|:- \t") and len(split_cells(below[1])) == cells:
        message = f"GitHub looks for a table once in a text, so the header in line {number} begins none"
        remedy = f"put a blank line before line {number}"
    if number > 1 and raw.startswith(BOM_UTF8):
        remedy = f"remove the byte order mark, which no editor shows, from the start of line {number}"
    at, raw = below or (number, raw)
    return problem_of_line(raw, file, at, "GT128", message, remedy)


def _taken_by_container(lines: list[tuple[int, bytes]], index: int, file: str) -> "list[Problem]":
    number, raw = lines[index]
    message = "the quote or list above this header goes on here and hides the table: its rows are not read"
    return problem_of_line(raw, file, number, "GT127", message, "put a blank line before the table")


def _indented(lines: list[tuple[int, bytes]], index: int, file: str) -> "list[Problem]":
    number, raw = lines[index]
    message = "four blanks or a tab before this header make it code, not a table: its rows are not read"
    remedy = "remove the blanks from the start of each of its lines"
    return problem_of_line(raw, file, number, "GT127", message, remedy)


_OF_HEADERS = {"text": _no_delimiter, "container": _taken_by_container, "code": _indented}


def find_slips(document: "Document", file: str) -> "list[Problem]":
    """Return the header cells of tables by which a column that is not there was probably meant."""
    problems: list[Problem] = []
    for number, raw in enumerate(document.lines[1:], 1):
        if not raw.strip(b"|:- \t\v\f"):
            found = _slips_in(document.line(number), file, number)
            if found and any(table.header_line == number for table in document.tables):
                problems += found
    return problems


def _slips_in(raw: bytes, file: str, number: int) -> "list[Problem]":
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
        line.add_problem(SLIP, message, f"did you mean `{slip.meant}`?", slip.cell)
    return line.problems
