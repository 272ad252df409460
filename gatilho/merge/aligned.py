"""The merge of documents that differ in rows alone, line by line in the same places: the counts that sessions raise.

Most merges of large tables are of this kind. What it does not cover, the merge of whole documents does.
"""

from gatilho.document.document import Document
from gatilho.merge.cell_merge import Merged, merge_line
from gatilho.merge.parts import CannotMergeRows, Line, Table, id_in
from gatilho.model import Value

# In front of and after a plain id: blanks and a strike.
_AROUND = b" \t~"


class ChangedLine(Value):
    """A line that is not the same in the three documents, and what it merges to. number: from 0."""

    number: int
    merged: Merged


def merge_aligned(sides: list[list[bytes]], lifecycle: str) -> list[ChangedLine] | None:
    """Return the merged lines that differ among base, ours and theirs; None where more than rows in place differ.

    sides: the lines of each. lifecycle: of rows whose table has no such column.
    """
    base, ours, theirs = sides
    if not len(base) == len(ours) == len(theirs):
        return None
    numbers = [number for number, (was, one, other) in enumerate(zip(*sides)) if not was == one == other]
    if not all(_is_row_anywhere(side[number]) for side in sides for number in numbers):
        return None
    try:
        return _merged(sides, numbers, lifecycle)
    except CannotMergeRows:
        return None


def _merged(sides: list[list[bytes]], numbers: list[int], lifecycle: str) -> list[ChangedLine] | None:
    base = sides[0]
    spans = [span for span in Document(b"\n".join(base)).tables if span.columns.of_rows]
    places = {number - 1: at for at, span in enumerate(spans) for number in span.row_lines}
    if not places.keys() >= set(numbers):
        return None
    tables = [Table(at, base[one.header_line - 1], base[one.header_line], b"") for at, one in enumerate(spans)]
    columns = [span.columns["id"] for span in spans]
    # Which of two rows with one id, or of two without any, was changed is for the merge of whole documents to refuse.
    ids = [_plain_id(base[number], columns[at]) for number, at in places.items()]
    if len(set(ids)) < len(ids):
        return None
    found = []
    for number in numbers:
        table, column = tables[places[number]], columns[places[number]]
        lines = [Line(id_in(side[number], column), side[number], table) for side in sides]
        keys = {line.key for line in lines}
        if len(keys) > 1 or "" in keys:
            return None
        found.append(ChangedLine(number, merge_line(lines[0], lines[1], lines[2], table.columns, lifecycle)))
    return found


def _is_row_anywhere(line: bytes) -> bool:
    """Return whether a line below a table's head is a row, whatever is around it: it begins with a pipe and more."""
    return line.startswith(b"|") and bool(line[1:3].strip(b" \t\v\f"))


def _plain_id(line: bytes, column: int) -> str:
    """Return the id in a line; two lines without one count as two of one id."""
    if not column and line.startswith(b"|"):
        cell = line[1 : line.find(b"|", 1)].strip(_AROUND)
        if cell.replace(b"-", b"").isalnum():
            return cell.decode()
    return id_in(line, column)
