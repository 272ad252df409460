"""Resolves the conflicts in a file that holds markers, as far as rows and cells can tell; the others stay."""

from gatilho.errors import DocumentError
from gatilho.merge import markers, merging
from gatilho.merge.parts import BOM, Doubt, frame_of, read
from gatilho.merge.text import Style, merge_text
from gatilho.model import Value


class Resolved(Value):
    """What became of a file. conflicts: how many are left; reason: why nothing was resolved, "" where it was tried.

    one_sided: ids of rows that only one side has, where nobody knows whether the other removed them; they were kept.
    """

    data: bytes
    conflicts: int
    reason: str = ""
    one_sided: tuple[str, ...] = ()


class Whole(Value):
    """A file as each side has it, whole, as git keeps it until a merge is finished."""

    ours: bytes
    theirs: bytes


def resolve(
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
    sides = markers.read(data)
    if not sides.hunks:
        return Resolved(data, 0)
    if base is not None and whole is not None and _is_untouched(data, base, whole, sides.hunks[0]):
        return _resolve_whole(data, base, whole, sides.hunks, style, lifecycle)
    ours, theirs = (resolve(side, base, style, lifecycle) for side in (sides.ours, sides.theirs))
    inner = ours.reason or theirs.reason
    if inner or ours.conflicts or theirs.conflicts:
        reason = inner or "a conflict stands within a conflict: resolve the inner one by hand first"
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


def _is_untouched(data: bytes, base: bytes, whole: Whole, hunk: markers.Hunk) -> bool:
    """Whether the file is what git makes of the sides by lines; line endings may be those of the checkout."""
    marker = data.split(b"\n")[hunk.line - 1]
    size = len(marker) - len(marker.lstrip(b"<"))
    before, ours, theirs = (_unix(text) for text in (base, whole.ours, whole.theirs))
    return any(
        merge_text(before, ours, theirs, Style(name, size, hunk.labels))[0] == _unix(data)
        for name in (("merge",) if hunk.base is None else ("diff3", "zdiff3"))
    )


def _resolve_whole(
    data: bytes, base: bytes, whole: Whole, hunks: list[markers.Hunk], style: Style | None, lifecycle: str
) -> Resolved:
    ours, theirs = whole.ours, whole.theirs
    if data.count(b"\r\n") == data.count(b"\n"):
        base, ours, theirs = (_unix(text).replace(b"\n", b"\r\n") for text in (base, ours, theirs))
    options = merging.Options((style or Style()).replace(labels=hunks[0].labels), lifecycle)
    merged = merging.merge(base, ours, theirs, options)
    return Resolved(merged.data, merged.conflicts) if merged.by_rows else Resolved(data, len(hunks), merged.doubt)


def _without_moved(base: bytes, whole: Whole, sides: markers.Sides) -> bytes:
    """The base without the rows that a conflict seems to remove, though both sides have them: they only moved."""
    try:
        kept = set(_ids(whole.ours)) & set(_ids(whole.theirs))
        moved = kept - (set(_ids(sides.ours)) & set(_ids(sides.theirs)))
        found = _rows(base)
    except (Doubt, DocumentError):
        return base
    gone = {found[row_id] for row_id in moved if row_id in found}
    return b"".join(line for line in base.splitlines(keepends=True) if line.rstrip(b"\r\n") not in gone)


def _uncertain(hunks: list[markers.Hunk]) -> frozenset[bytes]:
    """The lines of hunks in which one side is empty: no addition makes such a conflict, so that side removed them."""
    lines: set[bytes] = set()
    for hunk in hunks:
        if hunk.base is None and not (hunk.ours.strip() and hunk.theirs.strip()):
            lines |= {line.rstrip(b"\r\n") for line in (hunk.ours + hunk.theirs).splitlines()}
    return frozenset(lines)


def _one_sided(base: bytes, ours: bytes, theirs: bytes, merged: bytes) -> tuple[str, ...]:
    """The ids that one side alone has, of rows that were merged without a conflict."""
    try:
        before, one, other = (set(_ids(data)) for data in (base, ours, theirs))
        kept = _ids(markers.without_conflicts(merged))
    except (Doubt, DocumentError):
        return ()
    return tuple(row_id for row_id in kept if row_id in (one ^ other) - before)


def _ids(data: bytes) -> list[str]:
    return list(_rows(data))


def _rows(data: bytes) -> dict[str, bytes]:
    """The lines of rows by their ids."""
    frame = frame_of(data)
    text = _unix(data)
    text = text if text.endswith(b"\n") else text + b"\n"
    lines = read(text.removeprefix(BOM), frame).by_key
    return {key: line.text for key, line in lines.items() if line.has_id}


def _unix(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")
