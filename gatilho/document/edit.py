"""Changes single cells in the bytes of a document, so that every byte beside them stays.

Cells are found, spliced and read again; nothing is ever laid out anew.
"""

from gatilho.document.columns import Columns, read_columns
from gatilho.document.document import Document
from gatilho.document.table import read_id, split_cells, struck
from gatilho.errors import DocumentError
from gatilho.model import Value

_BLANKS = b" \t\v\f"

# A line that begins like this goes on being a row whatever follows; anything else is looked at in its document.
_STARTS_NO_BLOCK = frozenset(b"|ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz(\\$%&'\",./:;?@^{}")


class CellEdit(Value):
    """The new content of one cell. line: from 1; column: its canonical name; text: the content, escaped."""

    line: int
    column: str
    text: str


def escape_cell(text: str) -> str:
    """Write a text so that a cell shows it: pipes get a backslash, line endings become blanks."""
    one_line = text.replace("\r\n", " ").replace("\n", " ").replace("\r", " ")
    return one_line.strip(" \t").replace("|", "\\|")


def apply(data: bytes, header_line: int, edits: list[CellEdit], whole_document: bool) -> bytes:
    """Put new contents into cells of one table; returns the new bytes of the document.

    header_line: the line of the table's header. A wider number takes a padding blank where there is one. The edited
    lines are read again, with whole_document all of it; DocumentError when anything else changed, and when a row has no
    such cell or the table no such column.
    """
    by_line: dict[int, list[CellEdit]] = {}
    for edit in edits:
        by_line.setdefault(edit.line, []).append(edit)
    document = Document(data)
    columns = read_columns(_line_of(document, header_line))
    right = _right_aligned(_line_of(document, header_line + 1))
    new = data
    # From the bottom up: places come from the old document, and those above a change stay true.
    for number in sorted(by_line, reverse=True):
        if number <= header_line + 1:
            raise DocumentError(f"line {number} is no row of the table whose header is in line {header_line}")
        line = _line_of(document, number)
        changed = _edit_line(line, number, by_line[number], columns, right)
        _check_line(line, changed, number, by_line[number], columns)
        start, end = document.span(number)
        new = new[:start] + changed + new[end:]
        whole_document = whole_document or not _goes_on_as_row(changed)
    if whole_document:
        _check_document(document, Document(new), set(by_line))
    return new


def _cell_of(columns: Columns, name: str) -> int:
    """Return the number of the cell in a column; raises DocumentError where the table has no such column."""
    if name not in columns:
        raise DocumentError(f"the table has no column `{name}`: add it to the header to write there")
    return columns[name]


def _line_of(document: Document, number: int) -> bytes:
    if number > len(document.lines):
        raise DocumentError(f"the document has no line {number}: it has changed since it was read")
    return document.line(number)


def _right_aligned(delimiter: bytes) -> list[bool]:
    cells = [delimiter[start:end] for start, end in split_cells(delimiter)]
    return [cell.endswith(b":") and not cell.startswith(b":") for cell in cells]


def _edit_line(line: bytes, number: int, edits: list[CellEdit], columns: Columns, right: list[bool]) -> bytes:
    spans = split_cells(line)
    placed = []
    for edit in edits:
        cell = _cell_of(columns, edit.column)
        if cell >= len(spans):
            raise DocumentError(f"the row in line {number} has no `{edit.column}` cell: add the missing cells")
        placed.append((cell, edit.text.strip()))
    # From the right, so that the spans further left stay true.
    for cell, text in sorted(placed, reverse=True):
        start, end = spans[cell]
        aligned_right = cell < len(right) and right[cell]
        line = _edit_cell(line, start, end, text.encode("utf-8", "surrogateescape"), aligned_right)
    return line


def _edit_cell(line: bytes, start: int, end: int, new: bytes, aligned_right: bool) -> bytes:
    first, last = _borders(line, start, end)
    start, end = _core(line, start, end)
    before, old, behind = line[first:start], line[start:end], line[end:last]
    closed = last < len(line)
    if not old:
        before, behind = _fill(before + behind, len(new.decode("utf-8", "replace")), aligned_right)
    elif not new:
        before, behind = _clear(before, len(old.decode("utf-8", "replace")), behind)
    elif closed and old.isdigit() and new.isdigit():
        before, behind = _pad(before, behind, len(new) - len(old), movable=line[first - 1 : first] == b"|")
    # Directly before the pipe it would escape it, and two cells would become one.
    if new.endswith(b"\\") and closed and not behind:
        behind = b" "
    return line[:first] + before + new + behind + line[last:]


def _borders(line: bytes, start: int, end: int) -> tuple[int, int]:
    """Return the places after the cell's opening pipe and before its closing one, or the ends of the line."""
    while start and line[start - 1] in _BLANKS:
        start -= 1
    while end < len(line) and line[end] in _BLANKS:
        end += 1
    return start, end


def _core(line: bytes, start: int, end: int) -> tuple[int, int]:
    """Return the content without blanks that Markdown counts as content, such as the no-break space."""
    before, core, _ = _unwrap_blanks(line[start:end])
    start += len(before.encode("utf-8", "surrogateescape"))
    return start, start + len(core.encode("utf-8", "surrogateescape"))


def _fill(blanks: bytes, width: int, aligned_right: bool) -> tuple[bytes, bytes]:
    """Return the blanks around a content that comes into an empty cell; one that is wide enough keeps its width."""
    if blanks.strip(b" "):
        return blanks, b""
    room = len(blanks) - width
    if room < 2:
        return (b" ", b" ") if blanks else (b"", b"")
    wide, narrow = b" " * (room - 1), b" "
    return (wide, narrow) if aligned_right else (narrow, wide)


def _clear(before: bytes, width: int, behind: bytes) -> tuple[bytes, bytes]:
    """Return the blanks of a cell that loses its content; a padded one keeps its width."""
    if before == behind == b" ":
        return b" ", b""
    padded = before.endswith(b"  ") or behind.startswith(b"  ")
    return before, (b" " * width if padded else b"") + behind


def _pad(before: bytes, behind: bytes, growth: int, movable: bool) -> tuple[bytes, bytes]:
    """Take the growth of a content from the wider padding, and give it back where a padded one shrinks."""
    left = len(before) - len(before.rstrip(b" ")) if movable else 0
    right = len(behind) - len(behind.lstrip(b" "))
    while growth > 0 and max(left, right) > 1:
        growth -= 1
        if left >= right:
            left, before = left - 1, before[:-1]
        else:
            right, behind = right - 1, behind[1:]
    if growth < 0 and max(left, right) > 1:
        if left >= right:
            before += b" " * -growth
        else:
            behind = b" " * -growth + behind
    return before, behind


def _check_line(old: bytes, new: bytes, number: int, edits: list[CellEdit], columns: Columns) -> None:
    """Read the edited line again: the cells that were meant say what was meant, and no other changed."""
    meant = {columns[edit.column]: edit.text.strip() for edit in edits}
    old_spans, new_spans = split_cells(old), split_cells(new)
    same = len(old_spans) == len(new_spans) and b"\n" not in new and b"\r" not in new
    for cell, (was, now) in enumerate(zip(old_spans, new_spans)):
        if cell in meant:
            start, end = _core(new, *now)
            same = same and new[start:end].decode("utf-8", "surrogateescape") == meant[cell]
        else:
            same = same and old[slice(*was)] == new[slice(*now)]
    if not same:
        raise _bug(f"line {number} would not read as meant")


def _goes_on_as_row(line: bytes) -> bool:
    """Return whether a line cannot be anything but a row, so that its document need not be parsed again."""
    body = line.lstrip(b" ")
    return body[:1] != b"" and (body[0] in _STARTS_NO_BLOCK or (body[:1] == b"~" and body[:3] != b"~~~"))


def _check_document(old: Document, new: Document, edited: set[int]) -> None:
    """Parse the whole document again: the same tables in the same lines, and no other line changed."""
    if old.blocks.tables != new.blocks.tables:
        raise _bug("the document's tables would change")
    kept = all(was == now or number in edited for number, (was, now) in enumerate(zip(old.lines, new.lines), 1))
    endings = all(old.data.count(ending) == new.data.count(ending) for ending in (b"\n", b"\r"))
    if not kept or not endings:
        raise _bug("lines that were not meant would change")


def _bug(what: str) -> DocumentError:
    return DocumentError(f"this is a bug in gatilho, nothing was written: {what}")


def append_row(data: bytes, header_line: int, last_line: int, cells: dict[str, str]) -> bytes:
    """Add a row after a table's last line, with the spacing of the row above; returns the document's new bytes.

    cells: contents by canonical column name, escaped; columns that are not named stay empty. A missing final newline
    goes on missing. DocumentError where the table has no such column.
    """
    document = Document(data)
    columns = read_columns(_line_of(document, header_line))
    contents = [""] * columns.count
    for name, text in cells.items():
        contents[_cell_of(columns, name)] = text
    above = _line_of(document, last_line)
    # No row above, or one with missing cells, shows no spacing; the header has all cells.
    if last_line <= header_line + 1 or len(split_cells(above)) < columns.count:
        above = document.line(header_line)
    row = _lay_out(above, contents, _right_aligned(_line_of(document, header_line + 1)))
    read = [row[start:end].decode() for start, end in split_cells(row)]
    if read + [""] * (len(contents) - len(read)) != [content.strip() for content in contents]:
        raise _bug("the row would not read as meant")
    end = document.span(last_line)[1]
    # The table's last line may end the file without a line ending; its header never does.
    ending = _ending(data, end) or _ending(data, document.span(header_line)[1]) or b"\n"
    new = data[:end] + ending + row + data[end:]
    _check_appended(document, Document(new), header_line, last_line)
    return new


def _ending(data: bytes, end: int) -> bytes:
    if data[end : end + 2] == b"\r\n":
        return b"\r\n"
    return data[end : end + 1]


def _lay_out(above: bytes, contents: list[str], right: list[bool]) -> bytes:
    """Return a row with the outer pipes and the padding of the line above."""
    spans = split_cells(above)[: len(contents)]
    pieces = []
    for cell, content in enumerate(contents):
        start, end = spans[cell]
        first, last = _borders(above, start, end)
        before, behind = above[first:start], above[end:last]
        aligned_right = cell < len(right) and right[cell]
        if start == end:
            before, behind = _fill(before + behind, _columns_of(content.encode()), aligned_right)
        elif not content:
            before, behind = _clear(before, _columns_of(above[start:end]), behind)
        elif last < len(above):
            growth = _columns_of(content.encode()) - _columns_of(above[start:end])
            before, behind = _pad(before, behind, growth, movable=True)
        pieces.append(before + content.encode() + behind)
    lead = above[: _borders(above, *spans[0])[0]]
    if not contents[0] and not lead.endswith(b"|"):
        # Without a pipe before it an empty first cell would not be there.
        lead += b"|"
    close = b"|" if _borders(above, *spans[-1])[1] < len(above) else b""
    return lead + b"|".join(pieces) + close


def _columns_of(content: bytes) -> int:
    """Return how wide a content looks: East Asian wide letters take two columns."""
    text = content.decode("utf-8", "replace")
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(letter) else 1 + (east_asian_width(letter) in "WF") for letter in text)


def _check_appended(old: Document, new: Document, header_line: int, last_line: int) -> None:
    from gatilho.document.blocks import Block

    expected = [
        Block(
            "table",
            table.first_line + (table.first_line > header_line),
            table.last_line + (table.first_line >= header_line),
        )
        for table in old.blocks.tables
    ]
    if new.blocks.tables != expected:
        raise _bug(f"the row after line {last_line} would not be one of its table")


def strike(raw: bytes) -> bytes:
    """Strike the id in a cell's bytes, with all that wraps it kept; an id that is struck stays as it is.

    DocumentError where it is struck in part, and where no strike would hold.
    """
    before, core, behind = _unwrap_blanks(raw)
    whole, _, id = struck(_shown(core))
    if whole:
        return raw
    if read_id(_shown(core))[1]:
        raise DocumentError(f"the id {id} is struck in part: strike all of it, or none of it, by hand")
    for mark in ("~~", "~"):
        marked = f"{mark}{core}{mark}"
        if struck(_shown(marked)) == (True, False, id):
            return (before + marked + behind).encode("utf-8", "surrogateescape")
    raise DocumentError(f"the id {id or '(empty)'} cannot be struck: write it as one word of letters and digits")


def unstrike(raw: bytes) -> bytes:
    """Take every strike off the id in a cell's bytes, with all else that wraps it kept."""
    before, core, behind = _unwrap_blanks(raw)
    whole, partly, id = struck(_shown(core))
    if not whole and not partly:
        return raw
    from gatilho.document.inline import read_inline

    places = [(at, length) for opener, closer, length in read_inline(core).strikes for at in (opener, closer)]
    for at, length in sorted(places, reverse=True):
        core = core[:at] + core[at + length :]
    if struck(_shown(core)) != (False, False, id):
        raise DocumentError(f"the strike of {id} cannot be removed: do it by hand")
    return (before + core + behind).encode("utf-8", "surrogateescape")


def _unwrap_blanks(raw: bytes) -> tuple[str, str, str]:
    text = raw.decode("utf-8", "surrogateescape")
    core = text.strip()
    lead = text[: len(text) - len(text.lstrip())]
    return lead, core, text[len(lead) + len(core) :]


def _shown(core: str) -> str:
    return core.replace("\\|", "|")
