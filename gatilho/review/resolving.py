"""Resolves the conflicts in a file that holds markers, as far as rows and cells can tell; the others stay."""

from gatilho.errors import DocumentError
from gatilho.model import Value
from gatilho.review import markers, merging
from gatilho.review.parts import Doubt, frame_of, read
from gatilho.review.textmerge import Style


class Resolved(Value):
    """What became of a file. conflicts: how many are left; reason: why nothing was resolved, "" where it was tried.

    one_sided: ids of rows that only one side has, where nobody knows whether the other removed them; they were kept.
    """

    __slots__ = ("data", "conflicts", "reason", "one_sided")

    def __init__(self, data: bytes, conflicts: int, reason: str = "", one_sided: tuple[str, ...] = ()) -> None:
        self.data = data
        self.conflicts = conflicts
        self.reason = reason
        self.one_sided = one_sided


def resolve(data: bytes, base: bytes | None = None, style: Style | None = None, lifecycle: str = "rule") -> Resolved:
    """Merge the sides of a file with conflict markers by rows.

    base: the file before both sides, where somebody knows it; the markers may show it as well. Raises DocumentError
    where the markers cannot be read.
    """
    sides = markers.read(data)
    if not sides.hunks:
        return Resolved(data, 0)
    ours, theirs = (resolve(side, base, style, lifecycle) for side in (sides.ours, sides.theirs))
    inner = ours.reason or theirs.reason
    if inner or ours.conflicts or theirs.conflicts:
        reason = inner or "a conflict stands within a conflict: resolve the inner one by hand first"
        return Resolved(data, len(sides.hunks), reason)
    known = sides.knows_base or base is not None
    if not sides.knows_base and base is not None:
        sides = sides.replace(base=base)
    style = style or Style()
    shown = style.replace(labels=sides.hunks[0].labels)
    options = merging.Options(shown, lifecycle, frozenset() if known else _uncertain(sides.hunks))
    merged = merging.merge(sides.base, ours.data, theirs.data, options)
    if not merged.by_rows:
        return Resolved(data, len(sides.hunks), merged.doubt)
    one_sided = () if known else _one_sided(sides.base, ours.data, theirs.data, merged.data)
    return Resolved(merged.data, merged.conflicts, "", one_sided)


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
    frame = frame_of(data)
    text = data.replace(b"\r\n", b"\n")
    text = text if text.endswith(b"\n") else text + b"\n"
    return [key for key, line in read(text.removeprefix(b"\xef\xbb\xbf"), frame).by_key.items() if line.has_id]
