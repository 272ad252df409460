"""One line of a table: its cells as byte spans, their text, their code spans and the strike on an id.

The hook reads rows through here, so little is imported at the top and no regular expression is used.
"""

from gatilho.document.ticks import TickRuns, code_content, run_length

# A file with a line that begins like this holds a conflict, as git leaves it, and is not written.
MARKERS = (b"<<<<<<< ", b">>>>>>> ")

# GFM skips these four after a pipe, and trims only the first two at a cell's end.
_BLANKS_BEHIND_PIPE = b" \t\v\f"
_BLANKS = b" \t"

# Without one of these a cell holds no Markdown that could hide or strike a part of it.
_MARKUP = frozenset("~*_`[]<&\\!")

# The reader of inline Markdown is quadratic in the worst case: in longer text no tag is looked for, and it is no id.
_LONGEST_MARKUP = 4000
_LONGEST_ID = 400


def split_cells(line: bytes) -> list[tuple[int, int]]:
    r"""Cut one line into the byte spans of its cells, as GFM does.

    A pipe directly after a backslash never ends a cell, whatever is before the backslash. Outer pipes are
    optional. The spans leave out the blanks around the content (space and tab, not the no-break space).
    """
    parts = line.rstrip(b"\r\n").split(b"|")
    if b"\\|" in line:
        parts = _join_escaped(parts)
    cells: list[tuple[int, int]] = []
    position = 0
    last = len(parts) - 1
    for index, part in enumerate(parts):
        body = part.lstrip(_BLANKS_BEHIND_PIPE if index else _BLANKS)
        start = position + len(part) - len(body)
        # What is empty before the first pipe or after the last one is no cell.
        if body or (index and index < last):
            cells.append((start, start + len(body.rstrip(_BLANKS))))
        position += len(part) + 1
    return cells


def _join_escaped(parts: list[bytes]) -> list[bytes]:
    """Put together again what was cut at a pipe after a backslash."""
    joined: list[bytes] = []
    pending: list[bytes] = []
    for part in parts:
        pending.append(part)
        if not part.endswith(b"\\"):
            joined.append(b"|".join(pending))
            pending = []
    if pending:
        joined.append(b"|".join(pending))
    return joined


def raw_text(raw: bytes) -> str:
    """Return bytes of a line as text, with a sign in the place of what is not UTF-8."""
    return raw.decode("utf-8", "replace")


def cell_text(raw: bytes) -> str:
    """Decode the content of a cell; the one backslash before each pipe goes."""
    if b"\\|" in raw:
        raw = raw.replace(b"\\|", b"|")
    return raw.decode("utf-8", "replace")


def cell_texts(line: bytes) -> list[str]:
    """Return the texts of the cells of a line: `cell_text` of the spans of `split_cells`, five times as fast."""
    text = line.decode("utf-8", "replace")
    if "\\|" in text or not text.isprintable():
        return [cell_text(line[start:end]) for start, end in split_cells(line)]
    texts = list(map(str.strip, text.split("|")))  # the blank is the only printable space
    if len(texts) > 1 and not texts[-1]:
        texts.pop()
    return texts if texts[0] else texts[1:]


def code_spans(text: str) -> list[str]:
    """List the code spans of a cell by CommonMark's rules: equal runs of backticks, one blank off both ends."""
    ticks = text.count("`")
    if ticks == 2 and text[0] == "`" != text[1]:
        return [code_content(text[1 : text.index("`", 1)])]
    if not ticks:
        return []
    if "<" in text and len(text) <= _LONGEST_MARKUP:
        # A tag or an autolink may hold backticks, so the reader that knows them decides.
        from gatilho.document.inline import read_inline

        return read_inline(text).code
    runs = TickRuns(text)
    found: list[str] = []
    position = text.find("`")
    while position >= 0:
        if _escaped(text, position):
            position = text.find("`", position + 1)
            continue
        run = run_length(text, position)
        close = runs.closing(position + run, run)
        if close >= 0:
            found.append(code_content(text[position + run : close]))
        position = text.find("`", (close if close >= 0 else position) + run)
    return found


def _escaped(text: str, position: int) -> bool:
    """Return whether an odd number of backslashes is before that place."""
    first = position
    while first and text[first - 1] == "\\":
        first -= 1
    return (position - first) % 2 == 1


def struck(text: str) -> tuple[bool, bool, str]:
    """Return how GitHub strikes an id cell: (all of it, only a part, the id without strike, bold, code and link)."""
    plain = text.strip()
    if _MARKUP.isdisjoint(plain):
        return False, False, plain
    inner = plain[2:-2]
    if plain[:2] == "~~" == plain[-2:] and inner.replace("-", "").isalnum() and inner[0] != "-" != inner[-1]:
        return True, False, inner
    if len(plain) > _LONGEST_ID:
        return False, "~" in plain, plain
    from gatilho.document.inline import read_inline

    read = read_inline(plain)
    marks = [mark for character, mark in zip(read.text, read.marks) if not character.isspace()]
    whole = bool(marks) and all(marks)
    return whole, any(marks) and not whole, read.text.strip()


def read_id(text: str) -> tuple[bool, bool, str]:
    """Return how an id is struck, as `struck` does; tildes at its ends that strike nothing count as a part of a strike.

    They are no part of the id: whoever leaves out one end of a strike means the same row. Neither is what has no width,
    which no one sees and the ledger leaves out.
    """
    whole, partly, id = struck(text)
    if not (id.isascii() and id.isprintable()):
        from gatilho.plain import clean

        id = clean(id).strip()
    bare = id.strip("~ ") if "~" in id else id
    return (whole, partly, id) if whole or not bare or bare == id else (False, True, bare)
