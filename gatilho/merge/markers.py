"""Conflict markers: a file as git leaves it, in merge, diff3 or zdiff3 style, taken apart into the sides."""

from gatilho.errors import DocumentError
from gatilho.model import Value

# Git's default. Merged bases and the attribute `conflict-marker-size` give longer ones, hence a size per conflict.
_SMALLEST = 7
_OPEN, _BASE, _MIDDLE, _CLOSE = b"<|=>"
_NOT_OF_BASE = b"gatilho: what stood here is not known"


class Conflict(Value):
    """One conflict. base: None where its style shows none, or where it is a conflict itself. line: of its beginning."""

    line: int
    ours: bytes
    base: bytes | None
    theirs: bytes
    labels: tuple[str, str, str]


class Sides(Value):
    """Whole documents: what each side says, and what was before.

    In base a line of its own stands for each hunk whose base is not known, so that neither side equals it. ours and
    theirs hold markers again where a conflict is within a conflict.
    """

    ours: bytes
    base: bytes
    theirs: bytes
    hunks: list[Conflict]

    @property
    def knows_base(self) -> bool:
        return all(hunk.base is not None for hunk in self.hunks)


def has_markers(data: bytes) -> bool:
    """Return whether a line opens or closes a conflict."""
    if b"<" * _SMALLEST not in data and b">" * _SMALLEST not in data:
        return False
    # Equal signs alone underline a heading of Markdown, and bars alone may be a row: neither shows a conflict.
    return any(_marker(line)[0] in (_OPEN, _CLOSE) for line in data.splitlines())


def split_sides(data: bytes) -> Sides:
    """Take a file with conflict markers apart; raises DocumentError where a conflict has no end."""
    ours, base, theirs, hunks = [], [], [], []
    ending = b"\r\n" if data.count(b"\r\n") == data.count(b"\n") else b"\n"
    for part in split_conflicts(data):
        if isinstance(part, Conflict):
            hunks.append(part)
            ours.append(part.ours)
            base.append(part.base if part.base is not None else b"%b %d%b" % (_NOT_OF_BASE, part.line, ending))
            theirs.append(part.theirs)
        else:
            for side in (ours, base, theirs):
                side.append(part)
    return Sides(b"".join(ours), b"".join(base), b"".join(theirs), hunks)


def without_conflicts(data: bytes) -> bytes:
    """Return what is outside of all conflicts."""
    return b"".join(part for part in split_conflicts(data) if isinstance(part, bytes))


def lines_of_both(data: bytes) -> list[bytes]:
    """Return the lines of ours and of theirs in their order, conflicts within conflicts too, without any marker."""
    lines: list[bytes] = []
    for part in split_conflicts(data):
        if isinstance(part, Conflict):
            lines += lines_of_both(part.ours) + lines_of_both(part.theirs)
        else:
            lines += part.splitlines(keepends=True)
    return lines


def split_conflicts(data: bytes) -> list[bytes | Conflict]:
    """Return a file in its order: bytes that no conflict holds, and the conflicts; raises DocumentError for no end."""
    lines = data.splitlines(keepends=True)
    parts: list[bytes | Conflict] = []
    plain: list[bytes] = []
    position = 0
    while position < len(lines):
        letter, size = _marker(lines[position])
        if letter != _OPEN:
            plain.append(lines[position])
            position += 1
            continue
        parts.append(b"".join(plain))
        plain = []
        hunk, position = _read_hunk(lines, position, size)
        parts.append(hunk)
    return [part for part in (*parts, b"".join(plain)) if part]


def end_of(lines: list[bytes], first: int) -> int:
    """Return the number of the line after the conflict that opens in that line (from 0)."""
    return _read_hunk(lines, first, _marker(lines[first])[1])[1]


def _read_hunk(lines: list[bytes], first: int, size: int) -> tuple[Conflict, int]:
    """Return the conflict that opens in that line (from 0), and the number of the line after it."""
    sections: dict[int, list[bytes]] = {_OPEN: []}
    labels = {_OPEN: _label(lines[first], size)}
    nested: set[int] = set()
    current, position = _OPEN, first + 1
    while position < len(lines):
        letter, found = _marker(lines[position])
        if letter == _OPEN:
            end = _read_hunk(lines, position, found)[1]
            sections[current] += lines[position:end]
            nested.add(current)
            position = end
            continue
        # A closing marker of another size, or one before the middle, is text: a section may quote a conflict.
        if found == size and letter == _CLOSE and _MIDDLE in sections:
            labels[_CLOSE] = _label(lines[position], size)
            # A base that holds a conflict is git's merge of two bases: no single text was there before both sides.
            base = None if _BASE not in sections or _BASE in nested else b"".join(sections[_BASE])
            named = (labels[_OPEN] or "ours", labels.get(_BASE) or "base", labels[_CLOSE] or "theirs")
            ours, theirs = b"".join(sections[_OPEN]), b"".join(sections[_MIDDLE])
            return Conflict(first + 1, ours, base, theirs, named), position + 1
        if found == size and letter in _follows(current):
            current = letter
            sections[letter] = []
            labels[letter] = _label(lines[position], size)
        else:
            sections[current].append(lines[position])
        position += 1
    raise DocumentError(f"the conflict that begins in line {first + 1} has no end: fix its markers by hand.")


def _follows(section: int) -> tuple[int, ...]:
    """Return the markers that may end a section; in the last one a line of equal signs is text."""
    return {_OPEN: (_BASE, _MIDDLE), _BASE: (_MIDDLE,)}.get(section, ())


def _marker(line: bytes) -> tuple[int, int]:
    """Return the letter of the marker that a line is and how often it is there; (0, 0) for other lines."""
    letter = line[:1]
    if not letter or letter not in b"<|=>" or line[:_SMALLEST] != letter * _SMALLEST:
        return 0, 0
    rest = line.lstrip(letter)
    size = len(line) - len(rest)
    rest = rest.rstrip(b"\r\n")
    # Git writes nothing after equal signs, and a blank before a label: whatever else begins like this is text.
    if rest and (letter == b"=" or not rest.startswith(b" ")):
        return 0, 0
    return letter[0], size


def _label(line: bytes, size: int) -> str:
    return line[size:].strip().decode("utf-8", "surrogateescape")
