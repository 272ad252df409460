"""Safe fixes: for a problem of a row, its line with some cells changed. Pure.

A fix never decides for a person: it changes how a row is written, or what no one can have meant. It is proved by
reading the document again. A new fix is one function in FIXES: from a line to the line that it should be, None where it
is not safe. A row that a merge doubled goes last, for the lines after it move up.
"""

from collections.abc import Callable, Iterable

from gatilho.document.cells import read_trigger
from gatilho.document.columns import Columns
from gatilho.document.document import Document
from gatilho.document.draft import draft_code_spans
from gatilho.document.entities import entities_in
from gatilho.document.problems import find_cut_span, find_gap
from gatilho.document.rows import read_row
from gatilho.document.table import cell_text, read_id, split_cells
from gatilho.model import Problem, Respelling, Row, Value
from gatilho.plain import clean

# Each pass may show what another problem hid.
_MOST_PASSES = 5
# What may be said of a cell that was missing.
_OF_EMPTY_CELLS = {"GT111", "GT121"}


class FaultyLine(Value):
    """A line of a table of rows that has a problem: its bytes, its number, its columns and the code of the problem.

    respellings: those of its problems of that code.
    """

    raw: bytes
    number: int
    columns: Columns
    code: str
    respellings: tuple[Respelling, ...] = ()

    @property
    def spans(self) -> list[tuple[int, int]]:
        return split_cells(self.raw)

    def with_cell(self, number: int, new: bytes) -> bytes:
        """Return the line with another content of one cell."""
        start, end = self.spans[number]
        return self.raw[:start] + new + self.raw[end:]


class Fix(Value):
    """A fix that was made: the problem's code, the line, the row's id, and what was done, in words."""

    code: str
    line: int
    row: str
    done: str


def _without_half_strike(line: FaultyLine) -> bytes | None:
    """Take the tildes off an id that is struck in part: it counts as not struck. Who wrote `paid` meant a strike."""
    cell = line.columns["id"]
    start, end = line.spans[cell]
    text = line.raw[start:end].decode("utf-8", "surrogateescape")
    state = line.columns.get("state", -1)
    is_paid = 0 <= state < len(line.spans) and cell_text(line.raw[slice(*line.spans[state])]).lower().startswith("pa")
    bare = text.replace("~", "")
    if is_paid or read_id(bare) != (False, False, read_id(text)[2]):
        return None
    return line.with_cell(cell, bare.encode("utf-8", "surrogateescape"))


def _with_missing_cells(line: FaultyLine) -> bytes | None:
    """Add empty cells at the end, unless it is another one that is missing."""
    missing = line.columns.count - len(line.spans)
    if find_gap(line.columns, [cell_text(line.raw[start:end]) for start, end in line.spans]):
        return None
    body = line.raw.rstrip(b" \t")
    is_closed = body.endswith(b"|") and not body.endswith(b"\\|")
    if missing <= 0:
        return None
    return body + (b"" if is_closed else b" |") + b" |" * missing + line.raw[len(body) :]


def _with_escaped_pipes(line: FaultyLine) -> bytes | None:
    """Put a backslash before each pipe that cuts a code span."""
    raw = line.raw
    while True:
        spans = split_cells(raw)
        texts = [cell_text(raw[start:end]) for start, end in spans]
        cut = find_cut_span(texts)
        if cut is None:
            return raw
        for number in range(cut[1], cut[0], -1):
            pipe = raw.index(b"|", spans[number - 1][1], spans[number][0] + 1)
            raw = raw[:pipe] + b"\\" + raw[pipe:]


def _in_code(line: FaultyLine) -> bytes | None:
    """Put a trigger into a code span."""
    cell = line.columns["trigger"]
    raw = line.raw[slice(*line.spans[cell])]
    return None if b"`" in raw or b"&" in raw else line.with_cell(cell, b"`" + raw + b"`")


def _without_entities(line: FaultyLine) -> bytes | None:
    """Write the characters, of which a pipe is escaped, for entities that code shows as they are written."""
    cell = line.columns["trigger"]
    raw = line.raw[slice(*line.spans[cell])]
    for entity, char in entities_in(raw.decode("utf-8", "replace")):
        raw = raw.replace(entity.encode(), b"\\|" if char == "|" else char.encode())
    return line.with_cell(cell, raw)


def _without_hidden(line: FaultyLine) -> bytes | None:
    """Remove the characters that act on a terminal, reorder text or hide it."""
    try:
        return clean(line.raw.decode("utf-8")).encode("utf-8")
    except UnicodeDecodeError:
        return None


def _respelled(line: FaultyLine) -> bytes | None:
    """Write what is meant in place of what matches nothing."""
    for one in line.respellings:
        changed = _with_respelling(line, one)
        if changed is None:
            return None
        line = line.replace(raw=changed)
    return line.raw


def _with_respelling(line: FaultyLine, respelling: Respelling) -> bytes | None:
    """Return the line with one code span respelled; None where no span, or more than one, has the old text."""
    cell = line.columns[respelling.column]
    parts = line.raw[slice(*line.spans[cell])].decode("utf-8", "surrogateescape").split("`")
    if len(parts) % 2 == 0 or "" in parts[1:-1]:
        return None  # a span in longer runs of backticks
    spans = [text.replace("\\|", "|") for text in parts[1::2]]
    is_trigger = respelling.column == "trigger"
    found = [at for at, text in enumerate(spans) if _has(text, respelling.old, is_trigger)]
    if len(found) != 1:
        return None
    before, _, after = spans[found[0]].rpartition(respelling.old)
    written = [before + new + after for new in respelling.new]
    if is_trigger and any(not _has(text, new, True) for text, new in zip(written, respelling.new, strict=True)):
        return None
    parts[2 * found[0] + 1] = draft_code_spans(written)[1:-1]
    return line.with_cell(cell, "`".join(parts).encode("utf-8", "surrogateescape"))


def _has(span: str, text: str, is_trigger: bool) -> bool:
    """Return whether a code span is a trigger with that pattern, or a condition with that text in it, once."""
    if not is_trigger:
        return span.count(text) == 1
    trigger, problem = read_trigger(span)
    return trigger is not None and problem is None and trigger.pattern.rstrip() == text.rstrip()


FIXES: dict[str, tuple[str, Callable[[FaultyLine], bytes | None]]] = {
    "GT103": ("took the half strike off the id: it counted as not struck", _without_half_strike),
    "GT104": ("added the missing cells, empty", _with_missing_cells),
    "GT106": ("put a backslash before the pipe in the code span", _with_escaped_pipes),
    "GT112": ("put the trigger into a code span", _in_code),
    "GT115": ("wrote the character for the entity in the code span", _without_entities),
    "GT218": ("wrote the glob as git reads it", _respelled),
    "GT226": ("wrote the new path of the renamed file into the trigger", _respelled),
    "GT227": ("wrote the new path of the renamed file into the example", _respelled),
    "GT251": ("removed invisible characters and escapes", _without_hidden),
}

# What removes a line, and is no function of that line alone.
_DOUBLED = "GT201"
FIXABLE = frozenset((*FIXES, _DOUBLED))


def fix_document(data: bytes, problems: Iterable[Problem]) -> tuple[bytes, list[Fix]]:
    """Return the document's bytes with the problems fixed that can be fixed safely, and what was done, by line.

    problems: those of this document. What another problem hid is fixed, too, where the line has been touched.
    """
    respellings: dict[tuple[int, str], tuple[Respelling, ...]] = {}
    problems = list(problems)
    for one in problems:
        if one.code in FIXES:
            own = () if one.respelling is None else (one.respelling,)
            key = (one.place.line, one.code)
            respellings[key] = (*respellings.get(key, ()), *own)
    wanted = set(respellings)
    lines = {line for line, _ in wanted}
    done: list[Fix] = []
    for _ in range(_MOST_PASSES):
        data, fixes = _one_pass(data, wanted, respellings)
        done += fixes
        found = {(one.line, code) for one in fixes for code in _codes_of(Document(data), one.line)}
        wanted = {one for one in found if one[0] in lines and one[1] in FIXES}
        if not fixes or not wanted:
            break
    data, removed = _without_doubles(data, {one.place.line for one in problems if one.code == _DOUBLED})
    done += removed
    return data, sorted(done, key=lambda fix: (fix.line, fix.code))


def _without_doubles(data: bytes, shared: set[int]) -> tuple[bytes, list[Fix]]:
    """Remove rows that a line above in their table equals, of those whose id is shared: a merge doubled them."""
    document, fixes = Document(data), []
    doubled: list[int] = []
    for table in document.tables:
        seen: set[bytes] = set()
        for number in sorted(shared.intersection(table.row_lines)) if table.columns.of_rows else ():
            line = document.line(number).strip()
            if line in seen:
                doubled.append(number)
            seen.add(line)
    new = data
    for number in reversed(doubled):
        start, end = document.span(number)
        is_last = number == len(document.lines)
        before = document.span(number - 1)[1]
        # With the last line of a file that does not end in a line ending, the one before it goes.
        attempt = new[:before] + new[end:] if is_last else new[:start] + new[document.span(number + 1)[0] :]
        if len(Document(attempt).blocks.tables) == len(document.blocks.tables):
            row = _read(data, number, document.table_of(number).columns)[0]  # type: ignore[union-attr]
            fixes.append(Fix(_DOUBLED, number, row.id if row else "", "removed the second of two equal lines"))
            new = attempt
    return new, fixes


def _one_pass(
    data: bytes, wanted: set[tuple[int, str]], respellings: dict[tuple[int, str], tuple[Respelling, ...]]
) -> tuple[bytes, list[Fix]]:
    document = Document(data)
    tables = {number: table for table in document.tables if table.columns.of_rows for number in table.row_lines}
    new, fixes = data, []
    for number, code in sorted(wanted, reverse=True):
        table = tables.get(number)
        if table is None:
            continue
        start, _ = document.span(number)
        raw = Document(new).line(number)
        words, function = FIXES[code]
        changed = function(FaultyLine(raw, number, table.columns, code, respellings.get((number, code), ())))
        if changed is None or changed == raw:
            continue
        attempt = new[:start] + changed + new[start + len(raw) :]
        if _is_better(new, attempt, number, table.columns, code):
            row = _read(attempt, number, table.columns)[0]
            new = attempt
            fixes.append(Fix(code, number, row.id if row else "", words))
    return new, fixes


def _is_better(old: bytes, new: bytes, number: int, columns: Columns, code: str) -> bool:
    """Return whether a line lost the problem, got no other, and still is the same row of the same table."""
    before, after = Document(old), Document(new)
    if before.blocks.tables != after.blocks.tables or len(before.lines) != len(after.lines):
        return False
    row, codes = _read(old, number, columns)
    fixed, left = _read(new, number, columns)
    if row is None or fixed is None or (fixed.struck, fixed.lifecycle) != (row.struck, row.lifecycle):
        return code == "GT251" and row is not None and fixed is not None
    # A cut code span and invisible characters hide what comes after them, so that may show now.
    return code not in left and (code in ("GT106", "GT251") or left - codes <= _OF_EMPTY_CELLS)


def _read(data: bytes, number: int, columns: Columns) -> tuple[Row | None, set[str]]:
    row, problems = read_row(Document(data).line(number), columns, "", number)
    return row, {one.code for one in problems}


def _codes_of(document: Document, number: int) -> set[str]:
    table = document.table_of(number)
    return _read(document.data, number, table.columns)[1] if table else set()
