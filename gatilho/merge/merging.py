"""The merge of three documents: rows by id, cells by column, and the prose around the tables line by line."""

from codecs import BOM_UTF8
from collections.abc import Callable, Iterable

from gatilho.document.table import split_cells
from gatilho.errors import DocumentError
from gatilho.merge import markers
from gatilho.merge.aligned import merge_aligned
from gatilho.merge.cell_merge import Merged, changed, merge_line, move_line
from gatilho.merge.match import Group, match_tables
from gatilho.merge.parts import (
    CannotMergeRows,
    Line,
    LineEndings,
    Parts,
    Table,
    contents_of,
    line_endings_of,
    take_apart,
)
from gatilho.merge.text import Style, merge_text
from gatilho.model import Value

# In a base it is a cell whose text is not known, so that neither side has it.
_UNKNOWN = b"gatilho: not known"
# Git joins conflicts that are at most three lines apart; a longer stand-in is never drawn into one.
_STAND_IN_LINES = 5


class MergedDocument(Value):
    """What a merge gave. conflicts: how many it holds; doubt: why git's merge of the text was taken, "" by rows."""

    data: bytes
    conflicts: int
    doubt: str = ""

    @property
    def by_rows(self) -> bool:
        return not self.doubt


class Options(Value):
    """How to merge. lifecycle: of rows whose table has no such column.

    uncertain: lines that one side has and the other may have removed, which no one knows: each is a conflict.
    """

    style: Style = Style()
    lifecycle: str = "rule"
    uncertain: frozenset[bytes] = frozenset()


def merge(base: bytes, ours: bytes, theirs: bytes, options: Options | None = None) -> MergedDocument:
    """Merge two documents that come from one; base is empty where there was none."""
    options = options or Options()
    if ours == theirs or theirs == base:
        return MergedDocument(ours, 0)
    if ours == base:
        return MergedDocument(theirs, 0)
    try:
        return _Merge(base, ours, theirs, options).run()
    except (CannotMergeRows, DocumentError) as doubt:
        data, conflicts = merge_text(base, ours, theirs, options.style)
        return MergedDocument(data, conflicts, str(doubt).rstrip("."))


def settle_base(base: bytes, lifecycle: str) -> bytes:
    """Return a base without conflicts: one that git made of two bases, of branches merged crosswise, may hold some.

    Counts in conflict come to the larger one, for too small a base would hide that one side took a ride back. Raises
    DocumentError where a conflict has no end.
    """
    if not markers.has_markers(base):
        return base
    sides = markers.split_sides(base)
    texts = [settle_base(side, lifecycle) for side in (sides.base, sides.ours, sides.theirs)]
    parts = markers.split_conflicts(merge(texts[0], texts[1], texts[2], Options(lifecycle=lifecycle)).data)
    return b"".join(part if isinstance(part, bytes) else _agreed(part) for part in parts)


def _agreed(conflict: markers.Conflict) -> bytes:
    """Return the one row that a conflict is about with the cells that both sides have; nothing for any other."""
    lines = [side.splitlines(keepends=True) for side in (conflict.ours, conflict.theirs)]
    if [len(side) for side in lines] != [1, 1]:
        return b""
    one, other = lines[0][0], lines[1][0]
    spans, contents = split_cells(one), contents_of(other)
    if len(spans) != len(contents):
        return b""
    for (start, end), content in reversed(list(zip(spans, contents))):
        if one[start:end] != content:
            one = one[:start] + _UNKNOWN + one[end:]
    return one


class _Merge:
    """One merge by rows; any method may raise CannotMergeRows."""

    def __init__(self, base: bytes, ours: bytes, theirs: bytes, options: Options) -> None:
        if markers.has_markers(ours) or markers.has_markers(theirs):
            raise CannotMergeRows("a side holds conflict markers")
        self.options = options
        self.style = options.style
        self.frame, self.texts = _framed(settle_base(base, options.lifecycle), ours, theirs)
        self.conflicts = 0

    def run(self) -> MergedDocument:
        """Return the merge: line by line where only rows that are in the same places differ, else of the whole."""
        sides = [text.split(b"\n") for text in self.texts]
        found = merge_aligned(sides, self.options.lifecycle)
        if found is None:
            return self.run_whole()
        lines = sides[0]
        # From the last one up: a conflict takes more lines than it replaces, and the numbers above it stay right.
        for one in reversed(found):
            lines[one.number : one.number + 1] = _Block([], [one.merged]).lines(self.style)
        conflicts = sum(one.merged.is_conflict for one in found)
        return MergedDocument(_unframed(b"\n".join(lines), self.frame), conflicts)

    def run_whole(self) -> MergedDocument:
        """Return the merge of whole documents: tables, rows and the prose around them."""
        self.ids: dict[int, dict[bytes, str]] = {}
        self.base, self.ours, self.theirs = (take_apart(text, self.frame, self.ids) for text in self.texts)
        self._refuse_duplicates()
        self.groups = match_tables(self.base, self.ours, self.theirs)
        self.group_of = {
            (side, table.number): number
            for number, group in enumerate(self.groups)
            for side, table in enumerate(group.sides)
            if table is not None
        }
        targets = self._target_tables()
        tables = [self._table(group, targets.get(number, set())) for number, group in enumerate(self.groups)]
        prose, conflicts = self._prose()
        lines = self._put_in(prose, tables)
        self._check(lines, tables)
        data = b"".join(line + b"\n" for line in lines)
        return MergedDocument(_unframed(data, self.frame), self.conflicts + conflicts)

    def _refuse_duplicates(self) -> None:
        """Refuse an id that two rows have; in base that matters only where the sides differ."""
        duplicate_ids = self.ours.duplicate_ids | self.theirs.duplicate_ids
        for key in self.base.duplicate_ids:
            one, other = self.ours.by_key.get(key), self.theirs.by_key.get(key)
            if one is None or other is None or one.text != other.text:
                duplicate_ids = duplicate_ids | {key}
        if duplicate_ids:
            raise CannotMergeRows(f"two rows share the id {min(duplicate_ids)}")
        without_id = [
            {key for key in side.by_key if key.startswith("\0")} for side in (self.base, self.ours, self.theirs)
        ]
        # An edited line without an id cannot be paired with its old text, so at most one side may change such lines.
        if without_id[0] != without_id[1] != without_id[2] != without_id[0]:
            raise CannotMergeRows("both sides changed lines without an id")

    def _target_tables(self) -> dict[int, set[str]]:
        """Return the keys of each group of tables that the merged document keeps."""
        targets: dict[int, set[str]] = {}
        base, ours, theirs = (side.by_key for side in (self.base, self.ours, self.theirs))
        for key in dict.fromkeys((*ours, *theirs)):
            was, one, other = base.get(key), ours.get(key), theirs.get(key)
            if was and one and other and len(self.groups) == 1:
                targets.setdefault(0, set()).add(key)  # where there is one table, nothing has moved
                continue
            if was is not None and not (one and other):
                left = one or other
                assert left is not None
                if not changed(was, left):
                    continue  # removed on the other side
            places = [self._group(number, line) for number, line in enumerate((was, one, other))]
            target = places[2] if places[1] in (None, places[0]) and places[2] is not None else places[1]
            assert target is not None
            targets.setdefault(target, set()).add(key)
        return targets

    def _group(self, side: int, line: Line | None) -> int | None:
        return None if line is None else self.group_of[side, line.table.number]

    def _table(self, group: Group, kept: set[str]) -> "_Block":
        """Return the lines of a merged table."""
        header, delimiter, columns = _merge_header(group)
        if not columns:
            return _Block([], [])
        orders = [table.keys if table is not None else [] for table in group.sides]
        keys = merge_order(orders[0], orders[1], orders[2], kept)
        if set(keys) != kept:
            # A row that one side moved here is in that side's table, so this is a row that both moved apart.
            raise CannotMergeRows("rows were moved to different tables")
        merged = [self._line(key, columns) for key in keys]
        self.conflicts += sum(line.is_conflict for line in merged)
        return _Block([header, delimiter], merged)

    def _line(self, key: str, columns: list[str]) -> Merged:
        """Return a row's merged line; one that moved away from a column it has a cell in is a conflict, as it is."""
        was, one, other = self.base.by_key.get(key), self.ours.by_key.get(key), self.theirs.by_key.get(key)
        try:
            if one and other:
                return merge_line(was, one, other, columns, self.options.lifecycle)
            left = one or other
            assert left is not None
            text = move_line(was, left, columns)
            before = move_line(was, was, columns) if was else None
        except CannotMergeRows:
            if not (one and other) or self._group(1, one) == self._group(2, other):
                raise  # the columns themselves are uncertain, and only the text around them shows that
            return Merged(one.text, was.text if was else None, other.text)
        if was is None and left.text not in self.options.uncertain:
            return Merged(text, None, text)
        return Merged(text if one else None, before, text if other else None)

    def _prose(self) -> tuple[list[bytes], int]:
        """Return the prose with stand-ins for the tables, merged by git."""
        self.token = _unused_token(self.base, self.ours, self.theirs)
        texts = []
        for number, side in enumerate((self.base, self.ours, self.theirs)):
            lines: list[bytes] = []
            for part in side.prose:
                lines += self._stand_in(self.group_of[number, part]) if isinstance(part, int) else [part]
            texts.append(b"".join(line + b"\n" for line in lines))
        data, conflicts = merge_text(texts[0], texts[1], texts[2], self.style)
        return data.split(b"\n")[:-1], conflicts

    def _stand_in(self, group: int) -> list[bytes]:
        return [b"%b %d %d" % (self.token, group, line) for line in range(_STAND_IN_LINES)]

    def _put_in(self, prose: list[bytes], tables: "list[_Block]") -> list[bytes]:
        """Return the merged lines of the document, each table in the place of its stand-in."""
        firsts = {self._stand_in(number)[0]: number for number in range(len(tables))}
        lines: list[bytes] = []
        placed: list[int] = []
        position = 0
        while position < len(prose):
            number = firsts.get(prose[position])
            if number is None:
                lines.append(prose[position])
                position += 1
                continue
            # A stand-in that is not whole was cut by a conflict of the prose: the table has no certain place.
            if prose[position : position + _STAND_IN_LINES] != self._stand_in(number):
                raise CannotMergeRows("the prose around a table cannot be merged apart from it")
            lines += tables[number].lines(self.style)
            placed.append(number)
            position += _STAND_IN_LINES
        # A table without rows may go with the prose around it; one with rows has to be placed exactly once.
        needed = [number for number, table in enumerate(tables) if table.merged or number in placed]
        if sorted(placed) != needed or any(line.startswith(self.token) for line in lines):
            raise CannotMergeRows("a table was removed on one side and changed on the other, or moved on both")
        return lines

    def _check(self, lines: list[bytes], tables: "list[_Block]") -> None:
        """Read the result as each side again: every row is in it, as it was meant."""
        data = b"".join(line + b"\n" for line in lines)
        conflicted = markers.has_markers(data)
        sides = markers.split_sides(data) if conflicted else None
        texts = [sides.ours, sides.theirs] if sides else [data]
        # A fence or an HTML comment in the merged prose may swallow a table, which the merge of rows cannot see.
        found = {line.text for text in texts for line in take_apart(text, self.frame, self.ids).by_key.values()}
        for block in tables:
            for merged in block.merged:
                if not {merged.ours, merged.theirs} - {None} <= found:
                    raise CannotMergeRows("a merged row would be read differently")


class _Block(Value):
    """A merged table: its head, and its lines as each side has them."""

    head: list[bytes]
    merged: list[Merged]

    def lines(self, style: Style) -> list[bytes]:
        lines = list(self.head)
        for one in self.merged:
            sides = [[text] if text is not None else [] for text in (one.ours, one.base, one.theirs)]
            if not one.is_conflict:
                lines += sides[0]
                continue
            ending = b"\r" if any(text.endswith(b"\r") for side in sides for text in side) else b""
            lines += style.conflict(sides, ending)
        return lines


def _merge_header(group: Group) -> tuple[bytes, bytes, list[str]]:
    """Return header, delimiter row and columns of a merged table; no columns where no side has it any more."""
    base, ours, theirs = group.sides
    if ours is None or theirs is None:
        left = ours or theirs
        return (left.header, left.delimiter, left.columns) if left else (b"", b"", [])
    heads = [(table.header, table.delimiter) if table is not None else None for table in group.sides]
    if heads[1] == heads[2] or heads[2] == heads[0]:
        return ours.header, ours.delimiter, ours.columns
    if heads[1] == heads[0]:
        return theirs.header, theirs.delimiter, theirs.columns
    columns = _merge_columns(base, ours, theirs)
    header = [_pick_cell(group, name, _header_cells) for name in columns]
    delimiter = [_pick_cell(group, name, _delimiter_cells) for name in columns]
    for table in (ours, theirs):
        cells = _header_cells(table), _delimiter_cells(table)
        if table.columns == columns and ([*cells[0].values()], [*cells[1].values()]) == (header, delimiter):
            return table.header, table.delimiter, columns
    ending = b"\r" if ours.header.endswith(b"\r") else b""
    return _row_of(header) + ending, _row_of(delimiter) + ending, columns


def _merge_columns(base: Table | None, ours: Table, theirs: Table) -> list[str]:
    was = base.columns if base is not None else []
    kept = {name for name in (*ours.columns, *theirs.columns) if name not in was}
    kept |= {name for name in was if name in ours.columns and name in theirs.columns}
    return merge_order(was, ours.columns, theirs.columns, kept)


def _pick_cell(group: Group, name: str, cells_of: Callable[[Table], dict[str, bytes]]) -> bytes:
    """Return a cell of the head: what one side changed; ours where both did, for only the words differ."""
    was, one, other = (cells_of(table).get(name) if table is not None else None for table in group.sides)
    if one is None or one == was:
        return other if other is not None else one or b""
    return one


def _header_cells(table: Table) -> dict[str, bytes]:
    return dict(zip(table.columns, contents_of(table.header)))


def _delimiter_cells(table: Table) -> dict[str, bytes]:
    return dict(zip(table.columns, contents_of(table.delimiter)))


def _row_of(contents: Iterable[bytes]) -> bytes:
    return b"| " + b" | ".join(contents) + b" |"


def _framed(*texts: bytes) -> tuple[LineEndings, list[bytes]]:
    """Return the frame of the merged document, and the three texts without theirs.

    Line endings that all documents use throughout are taken off and put on again; mixed ones stay part of their lines.
    """
    frames = [line_endings_of(text) for text in texts]
    mixed = any(frame.ending == "mixed" for frame in frames)
    endings = [frame.ending for frame in frames]
    ending = "mixed" if mixed else _three_way(endings[0], endings[1], endings[2], "")
    bare = [text.removeprefix(BOM_UTF8) for text in texts]
    # An empty text has neither a last line end nor a mark: it must not outvote the other two.
    final = [frame.final if text else None for frame, text in zip(frames, bare)]
    bom = [frame.bom if text else None for frame, text in zip(frames, bare)]
    frame = LineEndings(
        bool(_three_way(bom[0], bom[1], bom[2])), str(ending), _three_way(final[0], final[1], final[2]) is not False
    )
    return frame, [_ended(text if mixed else text.replace(b"\r\n", b"\n")) for text in bare]


def _three_way(base: object, ours: object, theirs: object, empty: object = None) -> object:
    """Return what one side changed, ours where both did; `empty` where a document does not show it."""
    if ours in (empty, base):
        return theirs if theirs != empty else ours
    return ours


def _ended(text: bytes) -> bytes:
    return text if not text or text.endswith(b"\n") else text + b"\n"


def _unframed(data: bytes, frame: LineEndings) -> bytes:
    if not frame.final and not markers.has_markers(data[-200:]):
        data = data.removesuffix(b"\n")
    if frame.ending == "CRLF":
        data = data.replace(b"\n", b"\r\n")
    return BOM_UTF8 + data if frame.bom else data


def _unused_token(*documents: Parts) -> bytes:
    """Return the beginning of a line that is in none of the documents."""
    number = 0
    lines = {line for document in documents for line in document.prose if isinstance(line, bytes)}
    while any(line.startswith(b"gatilho stands in for table %d" % number) for line in lines):
        number += 1
    return b"gatilho stands in for table %d" % number


def merge_order(base: list[str], ours: list[str], theirs: list[str], kept: set[str]) -> list[str]:
    """Return all kept keys, each of which is in ours or theirs, in one order.

    The side that reordered what was in base leads, ours when both did or neither; what only the other has follows the
    key that it follows there, after what the leading side added at the same place, and at the end what is last there.
    """
    base, ours, theirs = ([key for key in keys if key in kept] for keys in (base, ours, theirs))
    if ours == theirs:
        return ours
    lead, other = (ours, theirs) if _is_reordered(base, ours) or not _is_reordered(base, theirs) else (theirs, ours)
    anchors = set(other) | set(base)
    behind, last = _behind(lead, other)
    merged: list[str] = []
    waiting = behind.get("", [])
    for key in lead:
        if key in anchors:
            merged += waiting
            waiting = []
        merged.append(key)
        waiting = waiting + behind.get(key, [])
    return merged + waiting + last


def _is_reordered(base: list[str], side: list[str]) -> bool:
    """Return whether the keys that base and a side share are in another order there."""
    in_base, in_side = set(base), set(side)
    return [key for key in base if key in in_side] != [key for key in side if key in in_base]


def _behind(lead: list[str], other: list[str]) -> tuple[dict[str, list[str]], list[str]]:
    """Return what only the other side has, by the leading side's key that it follows ("" for none), and the last."""
    leading = set(lead)
    found: dict[str, list[str]] = {}
    followed = ""
    for key in other:
        if key in leading:
            followed = key
        else:
            found.setdefault(followed, []).append(key)
    last = found.pop(followed, []) if other and other[-1] not in leading else []
    return found, last
