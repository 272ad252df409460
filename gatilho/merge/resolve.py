"""Resolves the conflicts in a file that holds markers, as far as rows and cells decide; the others stay."""

from codecs import BOM_UTF8

from gatilho.errors import DocumentError
from gatilho.merge import markers, merging
from gatilho.merge.cell_merge import merge_line
from gatilho.merge.parts import CannotMergeRows, Line, line_endings_of, take_apart
from gatilho.merge.text import Style, merge_text
from gatilho.model import Value


class Resolved(Value):
    """What became of a file. conflicts: how many are left; reason: why nothing was resolved, "" where it was tried.

    one_sided: ids of rows that only one side has, where no one knows whether the other removed them; they were kept.
    moved_to: the files to which rows had moved, and that were changed too.
    """

    data: bytes
    conflicts: int
    reason: str = ""
    one_sided: tuple[str, ...] = ()
    moved_to: tuple[str, ...] = ()


class Whole(Value):
    """A file as each side has it, whole, as git keeps it until a merge is finished."""

    ours: bytes
    theirs: bytes


def resolve_conflicts(
    data: bytes,
    base: bytes | None = None,
    style: Style | None = None,
    lifecycle: str = "rule",
    whole: Whole | None = None,
) -> Resolved:
    """Merge the sides of a file with conflict markers by rows.

    base: the file before both sides, where somebody knows it; the markers may show it as well. whole: the sides of a
    merge with that base; what git merged of them by lines is then merged by rows too, unless somebody edited it since.
    Raises DocumentError where the markers cannot be read.
    """
    sides = markers.split_sides(data)
    if not sides.hunks:
        return Resolved(data, 0)
    if base is not None and whole is not None and _is_untouched(data, base, whole, sides.hunks[0]):
        return _resolve_whole(data, base, whole, sides.hunks, style, lifecycle)
    base = None if base is None else merging.settle_base(base, lifecycle)
    # Inner conflicts first: the merge by rows refuses a side that holds markers.
    ours, theirs = (resolve_conflicts(side, base, style, lifecycle) for side in (sides.ours, sides.theirs))
    inner = ours.reason or theirs.reason
    if inner or ours.conflicts or theirs.conflicts:
        reason = inner or "a conflict is inside another: resolve the inner one by hand first"
        return Resolved(data, len(sides.hunks), reason)
    known = sides.knows_base or base is not None
    if not sides.knows_base and base is not None:
        sides = sides.replace(base=base)
    if whole is not None:
        sides = sides.replace(base=_without_moved(sides.base, whole, sides))
    style = style or Style()
    shown = style.replace(labels=sides.hunks[0].labels)
    options = merging.Options(shown, lifecycle, frozenset() if known else _uncertain(sides.hunks))
    merged = merging.merge(sides.base, ours.data, theirs.data, options)
    if not merged.by_rows:
        return Resolved(data, len(sides.hunks), merged.doubt)
    one_sided = () if known else _one_sided(sides.base, ours.data, theirs.data, merged.data)
    return Resolved(merged.data, merged.conflicts, "", one_sided)


def follow_moved(
    data: bytes, base: bytes | None, others: dict[str, bytes], lifecycle: str = "rule"
) -> tuple[bytes, dict[str, bytes]]:
    """Settle conflicts of rows that one side moved to another file: what the other side did to them is done there.

    base: the file before both sides. others: the store's other files by name, as they are now. Returns the file
    without the conflicts that this settled, and the files that changed.
    """
    try:
        known = _lines_by_id(merging.settle_base(base, lifecycle)) if base is not None else {}
        places = {row_id: (name, line) for name, text in others.items() for row_id, line in _lines_by_id(text).items()}
        sides = [_lines_by_id(side) for side in markers.split_sides(data).as_tuple()[:3:2]]  # type: ignore[arg-type]
    except (CannotMergeRows, DocumentError):
        return data, {}
    changed: dict[str, bytes] = {}
    kept: list[bytes] = []
    for part in markers.split_conflicts(data):
        # A row that moved away is missing on exactly one side; a conflict with text on both is of another kind.
        if isinstance(part, bytes) or bool(part.ours.strip()) == bool(part.theirs.strip()):
            kept.append(part if isinstance(part, bytes) else _unchanged(data, part))
            continue
        rows = sides[0] if part.ours.strip() else sides[1]
        texts = (part.ours + part.theirs).splitlines()
        ids = [row_id for row_id, line in rows.items() if line.text in texts]
        merged = {
            row_id: _merged_there(known.get(row_id), places.get(row_id), rows[row_id], lifecycle) for row_id in ids
        }
        # All lines of a conflict or none: what is left of half a conflict would need markers of its own.
        if len(ids) != len(texts) or None in merged.values():
            kept.append(_unchanged(data, part))
            continue
        for row_id, text in merged.items():
            name, line = places[row_id]
            assert text is not None
            changed[name] = changed.get(name, others[name]).replace(line.text, text, 1)
    return b"".join(kept), changed


def join_doubled(files: dict[str, bytes], old_places: set[tuple[str, str]]) -> tuple[dict[str, bytes], list[str]]:
    """Make one of each row that git's merge of the text left in two places, with the larger of the counts.

    Only where nothing but the rides differs. old_places: (file, id) of rows as they were before both sides; of two
    places the one that is not among them is kept, else the first. Returns the changed files, and the ids.
    """
    places: dict[str, list[tuple[str, Line]]] = {}
    for name, data in files.items():
        try:
            for line in _lines(data):
                places.setdefault(line.key, []).append((name, line))
        except (CannotMergeRows, DocumentError):
            continue
    changed: dict[str, bytes] = {}
    joined: list[str] = []
    for row_id, found in places.items():
        if len(found) != 2 or not _differ_in_rides(found[0][1], found[1][1]):
            continue
        moved = (found[0][0], row_id) in old_places and (found[1][0], row_id) not in old_places
        (name, kept), (other, gone) = reversed(found) if moved else found
        text = merge_line(None, kept, gone, kept.table.columns).ours
        assert text is not None
        changed[name] = changed.get(name, files[name]).replace(kept.text, text, 1)
        # The last such line goes: in one file both places may have the same bytes, and the first is the one kept.
        before, _, after = changed.get(other, files[other]).rpartition(gone.text + b"\n")
        changed[other] = before + after
        joined.append(row_id)
    return changed, joined


def _lines(data: bytes) -> list[Line]:
    """Return all lines of rows with an id, those that share one too."""
    parts = take_apart(data.removeprefix(BOM_UTF8), line_endings_of(data)) if data.endswith(b"\n") else None
    return [line for table in parts.tables for line in table.lines if line.has_id] if parts else []


def _differ_in_rides(one: Line, other: Line) -> bool:
    names = set(one.cells) | set(other.cells)
    return all(one.cells.get(name, b"") == other.cells.get(name, b"") for name in names - {"rides"})


def _merged_there(was: Line | None, place: tuple[str, Line] | None, line: Line, lifecycle: str) -> bytes | None:
    """Return a moved row's line with what the other side changed, None where a person has to decide."""
    if place is None or was is None:
        return None
    there = place[1]
    try:
        merged = merge_line(was, there, line, there.table.columns, lifecycle)
    except CannotMergeRows:
        return None
    return None if merged.is_conflict else merged.ours


def _lines_by_id(data: bytes) -> dict[str, Line]:
    text = data.removeprefix(BOM_UTF8)
    lines = take_apart(text if text.endswith(b"\n") else text + b"\n", line_endings_of(data)).by_key
    return {key: line for key, line in lines.items() if line.has_id}


def _unchanged(data: bytes, hunk: markers.Conflict) -> bytes:
    """Return the bytes of a conflict in its file."""
    lines = data.splitlines(keepends=True)
    end = markers.end_of(lines, hunk.line - 1)
    return b"".join(lines[hunk.line - 1 : end])


def resolve_ledger(data: bytes) -> Resolved:
    """Return a ledger file with the lines of both sides of its conflicts, each once: none of them is ever changed.

    Raises DocumentError where the markers cannot be read.
    """
    if not markers.has_markers(data):
        return Resolved(data, 0)
    kept: dict[bytes, None] = {}
    comments: dict[bytes, None] = {}
    for line in markers.lines_of_both(data):
        of_table = b"|" in line
        if line.strip():
            (kept if of_table else comments)[line.rstrip(b"\r\n") + b"\n"] = None
    # Comments go last: a line without a bar between rows would end the table.
    return Resolved(b"".join(kept) + b"".join(b"\n" + line for line in comments), 0)


def _is_untouched(data: bytes, base: bytes, whole: Whole, hunk: markers.Conflict) -> bool:
    """Return whether the file is what git makes of the sides by lines; line endings may be those of the checkout."""
    marker = data.split(b"\n")[hunk.line - 1]
    size = len(marker) - len(marker.lstrip(b"<"))
    before, ours, theirs = (_unix(text) for text in (base, whole.ours, whole.theirs))
    # Git's own result once more, to the byte: what a person resolved since must not be merged away.
    # Markers with a base do not show which of the two styles wrote them, so both are tried.
    return any(
        merge_text(before, ours, theirs, Style(name, size, hunk.labels))[0] == _unix(data)
        for name in (("merge",) if hunk.base is None else ("diff3", "zdiff3"))
    )


def _resolve_whole(
    data: bytes, base: bytes, whole: Whole, hunks: list[markers.Conflict], style: Style | None, lifecycle: str
) -> Resolved:
    ours, theirs = whole.ours, whole.theirs
    if data.count(b"\r\n") == data.count(b"\n"):
        base, ours, theirs = (_unix(text).replace(b"\n", b"\r\n") for text in (base, ours, theirs))
    options = merging.Options((style or Style()).replace(labels=hunks[0].labels), lifecycle)
    merged = merging.merge(base, ours, theirs, options)
    return Resolved(merged.data, merged.conflicts) if merged.by_rows else Resolved(data, len(hunks), merged.doubt)


def _without_moved(base: bytes, whole: Whole, sides: markers.Sides) -> bytes:
    """Return the base without rows that a conflict seems to remove and both sides have: they only moved."""
    try:
        kept = _rows(whole.ours).keys() & _rows(whole.theirs).keys()
        moved = kept - (_rows(sides.ours).keys() & _rows(sides.theirs).keys())
        found = _rows(base)
    except (CannotMergeRows, DocumentError):
        return base
    # Left in, each of them would count as removed by the side whose part of the conflict lacks it.
    gone = {found[row_id] for row_id in moved if row_id in found}
    return b"".join(line for line in base.splitlines(keepends=True) if line.rstrip(b"\r\n") not in gone)


def _uncertain(hunks: list[markers.Conflict]) -> frozenset[bytes]:
    """Return the lines of hunks with an empty side: no addition makes such a conflict, so that side removed them."""
    lines: set[bytes] = set()
    for hunk in hunks:
        if hunk.base is None and not (hunk.ours.strip() and hunk.theirs.strip()):
            lines |= {line.rstrip(b"\r\n") for line in (hunk.ours + hunk.theirs).splitlines()}
    return frozenset(lines)


def _one_sided(base: bytes, ours: bytes, theirs: bytes, merged: bytes) -> tuple[str, ...]:
    """Return the ids that one side alone has, of rows that were merged without a conflict."""
    try:
        before, one, other = (_rows(data).keys() for data in (base, ours, theirs))
        kept = _rows(markers.without_conflicts(merged))
    except (CannotMergeRows, DocumentError):
        return ()
    return tuple(row_id for row_id in kept if row_id in (one ^ other) - before)


def _rows(data: bytes) -> dict[str, bytes]:
    """Return the lines of rows by their ids."""
    return {row_id: line.text for row_id, line in _lines_by_id(_unix(data)).items()}


def _unix(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")
