"""The blocks of a document as GitHub renders them: its tables, and where a table may have been meant.

The lines are walked once, from the top, by the rules of CommonMark in the order of GitHub's parser. Only what decides
where a table starts and ends is kept: the open quotes and list items, and the innermost open block.

Lines are read as Latin-1, one character for each byte: GitHub's parser knows only ASCII blanks. A hook that meets a
changed table loads this module, so `re` is imported only for the rare line that needs it.
"""

from gatilho.document.table import split_cells
from gatilho.document.ticks import run_length
from gatilho.value import Value

_BLANKS = " \t"
# A delimiter row and a tag may have these between their parts as well.
_WIDE_BLANKS = " \t\v\f"
_QUOTE = -1
# GitHub's parser keeps the length of a fence in one byte.
_LONGEST_FENCE = 255
# CommonMark's bound for the digits in the marker of a list item.
_LONGEST_NUMBER = 9
# GitHub's parser opens no more lists on one line.
_DEEPEST_LIST = 100

_RAW_TAGS = frozenset(("script", "pre", "style", "textarea"))
_BLOCK_TAGS = frozenset(
    (
        "address", "article", "aside", "base", "basefont", "blockquote", "body", "caption", "center", "col", "colgroup",
        "dd", "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form",
        "frame", "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html", "iframe", "legend",
        "li", "link", "main", "menu", "menuitem", "nav", "noframes", "ol", "optgroup", "option", "p", "param",
        "section", "source", "title", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "track", "ul",
    )
)  # fmt: skip

# Possessive repeats: a line that is no tag must not be tried in every way.
_VALUE = r"""(?:[^ \t\r\n\v\f"'=<>`]++|'[^'\n]*'|"[^"\n]*")"""
_ATTRIBUTE = rf"[ \t\v\f]++[a-zA-Z_:][a-zA-Z0-9:._-]*+(?:[ \t\v\f]*=[ \t\v\f]*{_VALUE})?"
_TAG = rf"(?:[A-Za-z][A-Za-z0-9-]*+(?:{_ATTRIBUTE})*[ \t\v\f]*/?|/[A-Za-z][A-Za-z0-9-]*+[ \t\v\f]*)"
_LONE_TAG = rf"<{_TAG}>[ \t\f]*$"

# CommonMark allows at most 999 characters in a label.
_DEFINITION = r"""
    \[ (?! [ \t\n]* \] ) (?: [^\\\[\]] | \\. ){1,999} \] :
    [ \t]*+ \n?+ [ \t]*+ (?: < (?: [^<>\\\n] | \\. )* > | (?! < ) [^ \t\n]+ )
    (?: (?: [ \t]++ \n?+ [ \t]*+ | \n [ \t]*+ )
        (?: " (?: [^"\\] | \\. )* " | ' (?: [^'\\] | \\. )* ' | \( (?: [^()\\] | \\. )* \) ) [ \t]* \n
    | [ \t]* \n )
"""


class Block(Value):
    """A block at the top level, by its lines (from 1). kind: table, text, container, code, fence, comment or html.

    table: the header, the delimiter row, then the rows. fence and comment: only those that are never closed. html: up
    to its blank line. container: a quote or a list item.
    """

    kind: str
    first_line: int
    last_line: int


class Blocks(Value):
    """The tables of a document, and the other blocks that have a pipe."""

    tables: list[Block]
    others: list[Block]


def parse_blocks(lines: list[bytes]) -> Blocks:
    """Find the tables that GitHub renders at the top level, and other blocks with a pipe; lines: without endings."""
    walk = _Walk()
    number = 0
    while number < len(lines):
        number += 1
        walk.take(number, lines[number - 1].decode("latin-1"))
        if walk.is_in_table:
            number = walk.skip_to(_last_piped(lines, number))
    tables = [block for block in walk.blocks if block.kind == "table"]
    others = [block for block in walk.blocks if block.kind != "table"]
    with_pipe = [one for one in others if any(b"|" in line for line in lines[one.first_line - 1 : one.last_line])]
    return Blocks(tables, with_pipe)


def _last_piped(lines: list[bytes], number: int) -> int:
    """Return the last of the lines below that begin with a pipe and more: each is a row, whatever follows."""
    count = len(lines)
    while number < count and lines[number][:1] == b"|" and lines[number][1:3].strip(b" \t\v\f"):
        number += 1
    return number


class _Leaf:
    """The innermost open block. kind: text, table, code, fence, comment or html.

    lines: of a text, what it says so far. closer: what ends a fence (its opener) or a comment (its texts).
    """

    __slots__ = ("kind", "lines", "closer", "is_no_header")

    def __init__(self, kind: str, line: str = "", closer: tuple[str, ...] = ()) -> None:
        self.kind = kind
        self.lines = [line]
        self.closer = closer
        self.is_no_header = False

    def is_closed_by(self, body: str) -> bool:
        if self.kind == "fence":
            run = body.rstrip(_BLANKS)
            opener = self.closer[0]
            return len(run) >= min(len(opener), _LONGEST_FENCE) and run == opener[0] * len(run)
        lowered = body.lower()
        return any(text in lowered for text in self.closer)


class _Line:
    """The rest of a line, after the prefixes of its quotes and lists.

    column: where the rest starts; tabs reach to the next multiple of four. cut: columns of a tab that is taken in part.
    first: the position of the first character that is no blank; indent: the columns up to it.
    """

    __slots__ = ("text", "at", "column", "cut", "first", "indent")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = self.column = self.cut = 0
        self._measure()

    def _measure(self) -> None:
        text, at = self.text, self.at
        column = self.column + self.cut
        while at < len(text) and text[at] in _BLANKS:
            column += 4 - column % 4 if text[at] == "\t" else 1
            at += 1
        self.first = at
        self.indent = column - self.column

    @property
    def is_blank(self) -> bool:
        return self.first == len(self.text)

    @property
    def head(self) -> str:
        """Return the first character that is no blank, "" where there is none."""
        return self.text[self.first : self.first + 1]

    @property
    def body(self) -> str:
        return self.text[self.first :]

    @property
    def rest(self) -> str:
        return " " * self.cut + self.text[self.at :]

    def drop(self, columns: int) -> None:
        """Take columns off the left; what remains of a cut tab stays as blanks."""
        target = self.column + columns
        column, at = self.column + self.cut, self.at
        while column < target and at < len(self.text):
            column += 4 - column % 4 if self.text[at] == "\t" else 1
            at += 1
        self.at = at
        self.column = min(column, target)
        self.cut = max(column - target, 0)
        self._measure()

    def drop_one_blank(self) -> None:
        if self.cut or self.text[self.at : self.at + 1] in (" ", "\t"):
            self.drop(1)


class _Box:
    """An open quote or list item. width: the columns that its later lines are indented by, _QUOTE for a quote."""

    __slots__ = ("width", "is_filled")

    kind = "container"

    def __init__(self, width: int) -> None:
        self.width = width
        self.is_filled = False

    def takes(self, line: _Line) -> bool:
        """Return whether a line goes on in this box; take the box's prefix off the line if it does."""
        if self.width == _QUOTE:
            if line.indent > 3 or line.head != ">":
                return False
            line.drop(line.indent + 1)
            line.drop_one_blank()
            return True
        if line.indent >= self.width:
            line.drop(self.width)
            return True
        # An item that begins with an empty line ends at the next one; one with content goes on.
        if line.is_blank and self.is_filled:
            line.drop(line.indent)
            return True
        return False


class _Walk:
    """The open boxes, the innermost open block, and the blocks at the top level so far."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._boxes: list[_Box] = []
        self._leaf: _Leaf | None = None
        self._outermost: _Box | _Leaf | None = None

    @property
    def is_in_table(self) -> bool:
        """Return whether a table at the top level is open."""
        return isinstance(self._outermost, _Leaf) and self._outermost.kind == "table"

    def skip_to(self, number: int) -> int:
        """Let the open block reach to that line; return the line."""
        last = self.blocks[-1]
        self.blocks[-1] = Block(last.kind, last.first_line, number)
        return number

    def take(self, number: int, text: str) -> None:
        """Take the next line."""
        line = _Line(text)
        self._place(line)
        outermost = self._boxes[0] if self._boxes else self._leaf
        if outermost is not None and outermost is not self._outermost:
            self._begin(outermost.kind, number)
        elif outermost is not None and not line.is_blank:
            self.skip_to(number)
        self._outermost = outermost

    def _begin(self, kind: str, number: int) -> None:
        if kind == "table":
            # The header is the last line of the text above, and now the table's.
            text = self.blocks.pop()
            if text.first_line < number - 1:
                self.blocks.append(Block("text", text.first_line, number - 2))
            number -= 1
        self.blocks.append(Block(kind, number, number + (kind == "table")))

    def _place(self, line: _Line) -> None:
        """Put a line into the open boxes and blocks, and open those that it starts."""
        matched = 0
        while matched < len(self._boxes) and self._boxes[matched].takes(line):
            matched += 1
        is_inside = matched == len(self._boxes)
        if is_inside and self._leaf and self._leaf_takes(line):
            return
        leaf = self._leaf
        is_text = leaf is not None and leaf.kind == "text"
        if leaf and is_text and not is_inside and not line.is_blank and not _interrupts(line):
            # A lazy line: the text goes on without the prefix of its quote or list.
            leaf.lines.append(line.rest)
            return
        if not is_inside:
            del self._boxes[matched:]
            self._leaf = leaf = None
        self._open(line, leaf, is_text)

    def _leaf_takes(self, line: _Line) -> bool:
        """Return whether the innermost block takes the whole line; close the block where the line ends it."""
        leaf = self._leaf
        assert leaf is not None
        # Neither takes a line at once: the line may start a block that ends it.
        if leaf.kind in ("text", "table"):
            if line.is_blank or (leaf.kind == "table" and not split_cells(line.body.encode("latin-1"))):
                self._leaf = None
            return False
        if leaf.kind in ("code", "html"):
            goes_on = not line.is_blank if leaf.kind == "html" else line.is_blank or line.indent >= 4
            if not goes_on:
                self._leaf = None
            return goes_on
        if leaf.is_closed_by(line.body) and (leaf.kind != "fence" or line.indent <= 3):
            self._leaf = None
            # Closed, it hides nothing; only one that stays open may have swallowed a table.
            if leaf is self._outermost:
                self.blocks.pop()
        return True

    def _open(self, line: _Line, container: _Leaf | None, is_text: bool) -> None:
        """Open the blocks that a line starts, and put the rest of it where it belongs.

        container: the open block that the line belongs to. is_text: the line may go on in an open text.
        """
        depth = 0
        while line.indent <= 3 and not line.is_blank:
            depth += 1
            if line.head == ">":
                line.drop(line.indent + 1)
                line.drop_one_blank()
                self._push(_Box(_QUOTE))
            # Before items: `* * *` is a break and no list.
            elif self._open_leaf(line, container):
                return
            elif depth >= _DEEPEST_LIST or not self._open_item(line, container):
                break
            container, is_text = None, False
        if line.is_blank:
            return
        # Four columns make code, but never in the middle of a text, which goes on.
        if line.indent > 3 and not is_text:
            self._put(_Leaf("code"))
        else:
            self._add_text(line, container)

    def _push(self, box: _Box) -> None:
        self._put(None)
        self._boxes.append(box)

    def _put(self, leaf: _Leaf | None) -> None:
        if self._boxes:
            self._boxes[-1].is_filled = True
        self._leaf = leaf

    def _open_leaf(self, line: _Line, container: _Leaf | None) -> bool:
        """Open the heading, fence, HTML or break that a line starts; False where it starts none of them."""
        head = line.head
        if head not in "#`~<=-_*":
            return False
        body = line.body
        text = container if container is not None and container.kind == "text" else None
        if head in "`~":
            opener = _fence_opener(body)
            if not opener:
                return False
            self._put(_Leaf("fence", closer=(opener,)))
        elif head == "<":
            html = _html_leaf(body, text is not None)
            if html is None:
                return False
            self._put(None if html.closer and html.is_closed_by(body) else html)
        elif text is not None and _is_underline(body):
            if _is_definitions(text.lines):
                # GitHub takes the definitions out first, and then there is nothing to underline.
                text.lines = [body]
            else:
                self._put(None)
        elif _is_heading(body) or _is_break(body):
            self._put(None)
        else:
            return False
        return True

    def _open_item(self, line: _Line, container: _Leaf | None) -> bool:
        marker = _item_marker(line)
        if not marker:
            return False
        if container is not None and container.kind == "text":
            # Only an item with some text, numbered 1 if at all, interrupts a text.
            number = marker[:-1]
            if not line.text[line.first + len(marker) :].strip(_BLANKS) or (number and int(number) != 1):
                return False
        width = line.indent + len(marker)
        line.drop(width)
        # With five or more, one blank is the marker's and the rest begins indented code.
        if line.is_blank or not 1 <= line.indent <= 4:
            line.drop_one_blank()
            width += 1
        else:
            width += line.indent
            line.drop(line.indent)
        self._push(_Box(width))
        return True

    def _add_text(self, line: _Line, container: _Leaf | None) -> None:
        if container is None or container.kind not in ("text", "table"):
            self._put(_Leaf("text", line.body))
            return
        if container.kind == "table":
            return
        if not container.is_no_header and line.indent <= 3 and _is_delimiter(line.body):
            if _have_same_width(container.lines[-1], line.body):
                self._put(_Leaf("table"))
                return
            # GitHub's parser tries once for each text.
            container.is_no_header = True
        container.lines.append(line.body)


def _interrupts(line: _Line) -> bool:
    """Return whether a line without its box's prefix starts something of its own, and so ends the text in the box."""
    if line.indent > 3:
        return False
    head, body = line.head, line.body
    if head in "`~":
        return bool(_fence_opener(body))
    if head == "<":
        return _html_leaf(body, False) is not None
    return head == ">" or bool(_item_marker(line)) or _is_heading(body) or _is_break(body)


def _is_heading(body: str) -> bool:
    marks = len(body) - len(body.lstrip("#"))
    return 1 <= marks <= 6 and (len(body) == marks or body[marks] in _BLANKS)


def _is_underline(body: str) -> bool:
    run = body.rstrip(_BLANKS)
    return run[:1] in ("=", "-") and run == run[0] * len(run)


def _is_break(body: str) -> bool:
    marks = body.replace(" ", "").replace("\t", "")
    return len(marks) >= 3 and marks[0] in "-_*" and marks == marks[0] * len(marks)


def _fence_opener(body: str) -> str:
    """Return the run of backticks or tildes that opens a fence, "" where the line opens none."""
    length = run_length(body, 0)
    is_opener = length >= 3 and (body[0] == "~" or "`" not in body[length:])
    return body[:length] if is_opener else ""


def _item_marker(line: _Line) -> str:
    """Return the marker of a list item, "" where the line starts none."""
    text, first = line.text, line.first
    end = first
    if text[first] in "*+-":
        end += 1
    else:
        while end < len(text) and "0" <= text[end] <= "9" and end - first <= _LONGEST_NUMBER:
            end += 1
        if not 1 <= end - first <= _LONGEST_NUMBER or text[end : end + 1] not in (".", ")"):
            return ""
        end += 1
    return text[first:end] if end == len(text) or text[end] in _BLANKS else ""


def _is_delimiter(body: str) -> bool:
    if "-" not in body or body.strip("|:- \t\v\f"):
        return False
    inner = body.rstrip(_WIDE_BLANKS).removeprefix("|").removesuffix("|")
    return all(_is_mark(part.strip(_WIDE_BLANKS)) for part in inner.split("|"))


def _is_mark(part: str) -> bool:
    dashes = part.removeprefix(":").removesuffix(":")
    return dashes != "" and dashes == "-" * len(dashes)


def _have_same_width(header: str, delimiter: str) -> bool:
    """Return whether a header and a delimiter row have equally many cells, and any at all."""
    cells = len(split_cells(header.encode("latin-1")))
    if header[:1] in (" ", "\t") and header.lstrip(_BLANKS)[:1] == "|":
        # Only a lazy line keeps its indent; in front of a pipe GitHub's parser counts that as a cell.
        cells += 1
    return 0 < cells == len(split_cells(delimiter.encode("latin-1")))


def _html_leaf(body: str, is_text: bool) -> _Leaf | None:
    """Return the block of HTML that a line starts, None where it starts none; is_text: it would interrupt a text."""
    for opener, closer in (("<!--", "-->"), ("<?", "?>")):
        if body.startswith(opener):
            return _Leaf("comment", closer=(closer,))
    if body[1:9].upper() == "![CDATA[":
        return _Leaf("comment", closer=("]]>",))
    if body[1:2] == "!" and "A" <= body[2:3] <= "Z":
        return _Leaf("comment", closer=(">",))
    name = _tag_name(body)
    behind = body[1 + len(name) :]
    if name in _RAW_TAGS and (not behind or behind[0] in " \t\v\f>"):
        # CommonMark: any of the four ends it, whichever began it.
        return _Leaf("comment", closer=tuple(f"</{tag}>" for tag in _RAW_TAGS))
    if name.removeprefix("/") in _BLOCK_TAGS and (not behind or behind[0] in " \t\v\f>" or behind[:2] == "/>"):
        return _Leaf("html")
    # The only kind of HTML that does not interrupt a text.
    return _Leaf("html") if not is_text and _is_lone_tag(body) else None


def _tag_name(body: str) -> str:
    """Return the name of a tag in small letters, with the slash before it."""
    end = 2 if body[1:2] == "/" else 1
    while end < len(body) and body[end].isascii() and body[end].isalnum():
        end += 1
    return body[1:end].lower()


def _is_lone_tag(body: str) -> bool:
    if ">" not in body:
        return False
    import re

    return re.match(_LONE_TAG, body) is not None


def _is_definitions(lines: list[str]) -> bool:
    """Return whether a text is nothing but link definitions."""
    if lines[0][:1] != "[":
        return False
    import re

    text = "".join(line.lstrip(_BLANKS) + "\n" for line in lines)
    definition = re.compile(_DEFINITION, re.VERBOSE)
    at = 0
    while at < len(text):
        found = definition.match(text, at)
        if not found:
            return False
        at = found.end()
    return True
