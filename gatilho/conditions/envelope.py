"""The `apply_patch` envelope: which files a patch adds, deletes, updates and moves, and what its hunks leave."""

from gatilho.patch_text import ADD, BEGIN, DELETE, END, MOVE, UPDATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_END_OF_FILE = "*** End of File"
_MOST_COMPARISONS = 20_000_000  # hunks times lines


class PatchHunk:
    """Lines to find, after the anchors in their order or at the end of the file, and what takes their place."""

    def __init__(self) -> None:
        self.anchors: list[str] = []
        self.old: list[str] = []
        self.new: list[str] = []
        self.at_end = False


class FilePatch:
    """What a patch does to one file: "add" it with a content, "delete" it, or "update" it, perhaps with a new path."""

    def __init__(self, kind: str, path: str) -> None:
        self.kind = kind
        self.path = path
        self.move = ""
        self.content = ""
        self.hunks: list[PatchHunk] = []


def read_patch(text: str) -> list[FilePatch] | None:
    """Return the changes of an envelope in their order, or None for a patch that its tool would refuse."""
    lines = [line.removesuffix("\r") for line in text.strip().split("\n")]
    if len(lines) < 2 or lines[0].strip() != BEGIN or lines[-1].strip() != END:
        return None
    changes: list[FilePatch] = []
    for line in lines[1:-1]:
        started = _start(line.strip())
        if started:
            changes.append(started)
        elif not changes or not _continue(changes[-1], line):
            return None
    complete = all(hunk.old or hunk.new for change in changes for hunk in change.hunks)
    moved_or_changed = all(change.hunks or change.move for change in changes if change.kind == "update")
    return changes if changes and complete and moved_or_changed else None


def apply_hunks(data: bytes, hunks: list[PatchHunk]) -> bytes | None:
    """Return what the hunks leave of a file, or None where one does not fit, or fits in several places.

    Lines are compared as they are and then without trailing blanks, as the tools do; what is put into a CRLF file gets
    CRLF, and the file ends with a newline.
    """
    text = data.decode("utf-8", "surrogateescape")
    ending = "\r" if "\r\n" in text else ""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    if len(lines) * len(hunks) > _MOST_COMPARISONS:
        return None
    done: list[str] = []
    for hunk in hunks:
        at = _place(lines, hunk)
        if at is None:
            return None
        done += lines[:at]
        done += [line + ending for line in hunk.new]
        lines = lines[at + len(hunk.old) :]
    return "".join(line + "\n" for line in done + lines).encode("utf-8", "surrogateescape")


def _start(line: str) -> FilePatch | None:
    for kind, head in (("add", ADD), ("delete", DELETE), ("update", UPDATE)):
        if line.startswith(head):
            return FilePatch(kind, line[len(head) :].strip())
    return None


def _continue(change: FilePatch, line: str) -> bool:
    """Take one more line into a change; False when it does not belong there."""
    if change.kind == "add" and line.startswith("+"):
        change.content += line[1:] + "\n"
        return True
    if change.kind != "update":
        return not line.strip()
    if line.startswith(MOVE) and not change.hunks:
        change.move = line[len(MOVE) :].strip()
        return True
    return _continue_update(change.hunks, line)


def _continue_update(hunks: list[PatchHunk], line: str) -> bool:
    if line.startswith("@@"):
        # Several `@@` lines in a row lead to one place, such as a class and then a method in it.
        if not hunks or hunks[-1].old or hunks[-1].new:
            hunks.append(PatchHunk())
        anchor = line[2:].strip().removesuffix("@@").strip()
        hunks[-1].anchors += [anchor] if anchor else []
        return True
    if not hunks:
        hunks.append(PatchHunk())
    if line.strip() == _END_OF_FILE:
        hunks[-1].at_end = True
        return True
    # An empty line of context often comes without its leading blank.
    mark, rest = (line[0], line[1:]) if line else (" ", "")
    if mark not in " -+":
        return False
    hunks[-1].old += [rest] if mark != "+" else []
    hunks[-1].new += [rest] if mark != "-" else []
    return True


def _place(lines: list[str], hunk: PatchHunk) -> int | None:
    """Return the line, from 0, at which a hunk applies; None where there is none, or no telling which."""
    start = 0
    for anchor in hunk.anchors:
        passed = next((at for at in range(start, len(lines)) if lines[at].strip() == anchor), None)
        if passed is None:
            return None
        start = passed + 1
    if not hunk.old:
        return start if hunk.anchors else len(lines)
    trimmed = [line.rstrip() for line in lines], [line.rstrip() for line in hunk.old]
    for haystack, old in ((lines, hunk.old), trimmed):
        positions = _positions(haystack, old, start)
        if hunk.at_end:
            positions = (at for at in positions if at + len(old) == len(lines))
        first = next(positions, None)
        if first is not None:
            # Without an anchor a second place leaves open which is meant: no prediction is better than a wrong one.
            return first if hunk.anchors or next(positions, None) is None else None
    return None


def _positions(lines: list[str], old: list[str], start: int) -> "Iterator[int]":
    while True:
        try:
            start = lines.index(old[0], start)
        except ValueError:
            return
        if lines[start : start + len(old)] == old:
            yield start
        start += 1
