"""One row, merged cell by cell: what only one side changed counts, counts are added up, the rest is a conflict."""

from gatilho.document import edit
from gatilho.document.cells import read_lifecycle, read_number
from gatilho.document.table import cell_text, split_cells
from gatilho.errors import DocumentError
from gatilho.lifecycle.state_cell import left_of, with_left
from gatilho.merge.parts import STRIKE, CannotMergeRows, Line, contents_of
from gatilho.model import Value


class Merged(Value):
    """A merged line: what it says for ours, base and theirs; ours and theirs are equal unless it is a conflict.

    None: that side has no such line.
    """

    ours: bytes | None
    base: bytes | None
    theirs: bytes | None

    @property
    def is_conflict(self) -> bool:
        return self.ours != self.theirs


def merge_line(
    base: Line | None, ours: Line, theirs: Line, columns: list[str], default_lifecycle: str = "rule"
) -> Merged:
    """Merge a line that both sides have; columns: those of the table that it comes to be in.

    Raises CannotMergeRows where a cell would be lost.
    """
    # A line is taken whole only where its columns are those of the merged table: else cells change their columns.
    if ours.text == theirs.text and _fits(ours, columns) and _fits(theirs, columns):
        return Merged(ours.text, None, theirs.text)
    if base and base.text == ours.text and _fits(theirs, columns) and ours.table.columns == base.table.columns:
        return Merged(theirs.text, None, theirs.text)
    if base and base.text == theirs.text and _fits(ours, columns) and theirs.table.columns == base.table.columns:
        return Merged(ours.text, None, ours.text)
    _refuse_losses(base, ours, theirs, columns)
    # The side that was edited lends its bytes, so that padding and escapes stay as its author wrote them.
    lead = [theirs, ours] if base and ours.text == base.text else [ours, theirs]
    values, conflicts = _merge_cells(base, ours, theirs, columns, default_lifecycle)
    if not conflicts:
        text = _assemble(values, columns, lead)
        return Merged(text, None, text)
    was = {name: base.cells.get(name, b"") for name in conflicts} if base else None
    return Merged(
        _assemble({**values, **{name: value for name, (value, _) in conflicts.items()}}, columns, [ours, theirs]),
        _assemble({**values, **was}, columns, [base, ours, theirs]) if base and was is not None else None,
        _assemble({**values, **{name: value for name, (_, value) in conflicts.items()}}, columns, [theirs, ours]),
    )


def move_line(base: Line | None, line: Line, columns: list[str]) -> bytes:
    """Return the text of a line that only one side has, in a table of these columns."""
    if _fits(line, columns):
        return line.text
    _refuse_losses(base, line, line, columns)
    return _assemble({name: line.cells.get(name, b"") for name in (*columns, STRIKE)}, columns, [line])


def merged_rides(base: int | None, ours: int, theirs: int, is_debt: bool) -> int:
    """Return the count that a merge gives: the larger one where neither side fell, else base with both changes.

    What one side alone changed holds. base: None where the row is new on both sides.
    """
    if base is None:
        return max(ours, theirs)
    if theirs == base:
        return ours
    if ours == base:
        return theirs
    # Not the sum: the ledger files of both sides come along, and a debt's count comes from them where that is more.
    if not is_debt or (ours >= base and theirs >= base):
        return max(ours, theirs)
    # A fall is a revert or a correction: the larger number would bring back the rides that one side took out.
    return max(0, ours + theirs - base)


def changed(base: Line, line: Line) -> bool:
    """Return whether a line says something else than in base, beside blanks, removed columns and empty new ones."""
    if base.text == line.text and base.table.columns == line.table.columns:
        return False
    return any(content != base.cells.get(name, b"") for name, content in line.cells.items())


def _fits(line: Line, columns: list[str]) -> bool:
    return line.table.columns == columns


def _refuse_losses(base: Line | None, ours: Line, theirs: Line, columns: list[str]) -> None:
    """Raise CannotMergeRows where a cell that one side wrote has no place in the merged table."""
    if ours.surplus != theirs.surplus or (ours.surplus and not _fits(ours, columns)):
        raise CannotMergeRows(f"{_name(ours)} has more cells than its table has columns")
    for side in (ours, theirs):
        for name, value in side.cells.items():
            gone = name not in columns and name != STRIKE and not name.startswith("+")
            if gone and value and value != (base.cells.get(name, b"") if base else b""):
                raise CannotMergeRows(f"{_name(side)} says something in a column that the other side removed")


def _merge_cells(
    base: Line | None, ours: Line, theirs: Line, columns: list[str], default_lifecycle: str
) -> tuple[dict[str, bytes], dict[str, tuple[bytes, bytes]]]:
    """Return the merged contents by column, and those that both sides changed, as (ours, theirs)."""
    values: dict[str, bytes] = {}
    conflicts: dict[str, tuple[bytes, bytes]] = {}
    for name in (*columns, STRIKE):
        was, one, other = _three(base, ours, theirs, name)
        if one == other or other == was:
            values[name] = one
        elif one == was:
            values[name] = other
        else:
            conflicts[name] = (one, other)
    if "state" in conflicts:
        _merge_progress(values, conflicts, _three(base, ours, theirs, "state"))
    if "rides" in columns:
        lifecycle = values.get("lifecycle", ours.cells.get("lifecycle", b""))
        known = read_lifecycle(cell_text(lifecycle)) if "lifecycle" in columns else default_lifecycle
        _count(values, conflicts, _three(base, ours, theirs, "rides"), known == "debt")
    return values, conflicts


def _three(base: Line | None, ours: Line, theirs: Line, name: str) -> tuple[bytes | None, bytes, bytes]:
    """Return the contents in base, ours and theirs; a side without the column did not change it."""
    was = base.cells.get(name, b"") if base else None
    one, other = ours.cells.get(name), theirs.cells.get(name)
    unchanged = was if was is not None else (one if one is not None else other) or b""
    return was, unchanged if one is None else one, unchanged if other is None else other


def _count(
    values: dict[str, bytes],
    conflicts: dict[str, tuple[bytes, bytes]],
    three: tuple[bytes | None, bytes, bytes],
    is_debt: bool,
) -> None:
    """Merge the counts as numbers, where all are numbers."""
    was, one, other = three
    numbers = [None if content is None else read_number(cell_text(content)) for content in three]
    if numbers[1] is None or numbers[2] is None or (was is not None and numbers[0] is None):
        return
    count = merged_rides(numbers[0], numbers[1], numbers[2], is_debt)
    conflicts.pop("rides", None)
    # As the side that has it wrote it, such as 007: a merge is no formatter.
    spelt = {numbers[2]: other, numbers[1]: one}
    values["rides"] = spelt.get(count, str(count).encode())


def _merge_progress(
    values: dict[str, bytes], conflicts: dict[str, tuple[bytes, bytes]], three: tuple[bytes | None, bytes, bytes]
) -> None:
    """Merge what is left of a debt: the smaller number, which the next look at the files may lower or `check` refute.

    A state that only differs in its number gives way to any other change.
    """
    was, one, other = (None if content is None else cell_text(content) for content in three)
    assert one is not None
    assert other is not None
    bare = [None if text is None else with_left(text, None) for text in (was, one, other)]
    left, left_there = left_of(one), left_of(other)
    if bare[1] == bare[2]:
        chosen = three[2] if left is None or (left_there is not None and left_there < left) else three[1]
    elif bare[0] == bare[1]:
        chosen = three[2]
    elif bare[0] == bare[2]:
        chosen = three[1]
    else:
        return
    values["state"] = chosen
    conflicts.pop("state")


def _assemble(values: dict[str, bytes], columns: list[str], lead: list[Line]) -> bytes:
    """Return a line with these values: the first line of those columns with some cells exchanged, or a new one."""
    wanted = [values[name] for name in columns]
    wanted[columns.index("id")] = _id_content(values, lead)
    template = next((line for line in lead if _fits(line, columns)), None)
    text = _exchange(template.text, wanted) if template else None
    if text is None:
        if lead[0].surplus:
            raise CannotMergeRows(f"{_name(lead[0])} has more cells than its table has columns")
        ending = b"\r" if lead[0].text.endswith(b"\r") else b""
        text = b"|" + b"".join(b" " + (content + b" " if content else b"") + b"|" for content in wanted) + ending
    # Read again before it is believed: an exchanged cell must not move the bars of another one.
    contents = contents_of(text)[: len(columns)]
    if contents + [b""] * (len(columns) - len(contents)) != wanted:
        raise CannotMergeRows(f"{_name(lead[0])} cannot be put together from its cells")
    return text


def _id_content(values: dict[str, bytes], lead: list[Line]) -> bytes:
    """Return the id with its strike on or off, as one of the sides wrote it if one did."""
    for line in lead:
        if (line.cells["id"], line.cells[STRIKE]) == (values["id"], values[STRIKE]):
            return contents_of(line.text)[line.table.columns.index("id")]
    if not values[STRIKE]:
        return values["id"]
    try:
        return edit.strike(values["id"])
    except DocumentError as error:
        raise CannotMergeRows(str(error)) from error


def _exchange(text: bytes, wanted: list[bytes]) -> bytes | None:
    """Return the line with other contents in its cells, None where it has too few of them."""
    spans = split_cells(text)
    filled = len(wanted)
    while filled > len(spans) and not wanted[filled - 1]:
        filled -= 1
    if filled > len(spans):
        return None
    # From the right, so that the spans further left stay true.
    for (start, end), content in reversed(list(zip(spans, wanted))):
        if text[start:end] != content:
            text = _put(text, start, end, content)
    return text


def _put(text: bytes, start: int, end: int, content: bytes) -> bytes:
    """Exchange one content; a number takes a padding blank where there are several."""
    before, behind = text[:start], text[end:]
    if start == end:
        return before.rstrip(b" \t") + b" " + content + b" " + behind.lstrip(b" \t")
    growth = len(content) - (end - start)
    if content.isdigit() and growth > 0:
        for _ in range(growth):
            if behind.startswith(b"  "):
                behind = behind[1:]
            elif before.endswith(b"  "):
                before = before[:-1]
    return before + content + behind


def _name(line: Line) -> str:
    return line.key if line.has_id else "a line without an id"
