"""Where a quote or a list ends: the lines that belong to it, lazy ones included, by CommonMark's rules.

mistune takes a container's text apart but misjudges its end where a paragraph inside goes on without the container's
prefix. Only the end matters here, so the lines are walked once and nothing is built.
"""

from gatilho.document.table import split_cells

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable

_QUOTE = -1
_LONGEST_FENCE = 255

# GitHub's parser opens no more lists on one line.
_DEEPEST_LIST = 100


class Leaf:
    """The innermost open block. kind: paragraph, fence, html, code or table."""

    __slots__ = ("kind", "lines", "no_table", "ends")

    def __init__(self, kind: str, line: str = "", ends: "Callable[[str], bool] | None" = None) -> None:
        self.kind = kind
        self.lines = [line]
        self.no_table = False
        self.ends = ends


class Starts:
    """How lines are classified, with the patterns of the block parser that reads the document.

    block: matches the start of a heading, fence, tag, underline or break at the start of a text without its indent.
    item: a list marker. delimiter: a table's delimiter row. html_end: whether a line of that kind of block ends it.
    definitions: whether a paragraph is nothing but link definitions.
    """

    def __init__(
        self,
        block: "re.Pattern[str]",
        item: "re.Pattern[str]",
        delimiter: "re.Pattern[str]",
        html_end: "Callable[[re.Match[str], str], bool]",
        definitions: "Callable[[str], bool]",
    ) -> None:
        self.block = block
        self.item = item
        self.delimiter = delimiter
        self.html_end = html_end
        self.definitions = definitions


class _Line:
    """What is left of a line: its text, and the column it starts at (tabs count to the next multiple of four)."""

    __slots__ = ("text", "column", "indent", "body")

    def __init__(self, text: str) -> None:
        self.text = text
        self.column = 0
        self._measure()

    def _measure(self) -> None:
        self.body = self.text.lstrip(" \t")
        column = self.column
        for character in self.text[: len(self.text) - len(self.body)]:
            column += 4 - column % 4 if character == "\t" else 1
        self.indent = column - self.column

    @property
    def blank(self) -> bool:
        return not self.body

    def drop(self, columns: int) -> None:
        """Take columns off the left; what remains of a cut tab stays as blanks."""
        text, column, target = self.text, self.column, self.column + columns
        place = 0
        while column < target and place < len(text):
            column += 4 - column % 4 if text[place] == "\t" else 1
            place += 1
        self.text = " " * (column - target) + text[place:]
        self.column = min(column, target)
        self._measure()

    def drop_one_blank(self) -> None:
        if self.text[:1] in (" ", "\t"):
            self.drop(1)


class _Box:
    """An open quote or list item. width: the columns that its later lines are indented by, _QUOTE for a quote."""

    __slots__ = ("width", "filled")

    def __init__(self, width: int) -> None:
        self.width = width
        self.filled = False

    def takes(self, line: _Line) -> bool:
        """Whether a line goes on in this box; takes the box's prefix off the line if it does."""
        if self.width == _QUOTE:
            if line.indent > 3 or line.body[:1] != ">":
                return False
            line.drop(line.indent + 1)
            line.drop_one_blank()
            return True
        if line.indent >= self.width:
            line.drop(self.width)
            return True
        if line.blank and self.filled:
            line.drop(line.indent)
            return True
        return False


class _Walk:
    """The open boxes and the innermost open block, line by line."""

    def __init__(self, starts: Starts) -> None:
        self.starts = starts
        self.boxes: list[_Box] = []
        self.leaf: Leaf | None = None

    def take(self, text: str) -> bool:
        """Take one more line; False if it no longer belongs to the outermost box."""
        line = _Line(text)
        matched = 0
        while matched < len(self.boxes) and self.boxes[matched].takes(line):
            matched += 1
        inside = matched == len(self.boxes)
        if inside and self.leaf and self._leaf_takes(line):
            return True
        lazy = self.leaf is not None and self.leaf.kind == "paragraph"
        if not inside and not matched and not lazy:
            return False
        container = self.leaf if inside else None
        if lazy and not inside and not line.blank and not self._starts_block(line):
            assert self.leaf is not None
            self.leaf.lines.append(line.text)
            return True
        if not matched and self.boxes:
            return False
        if not inside:
            del self.boxes[matched:]
            self.leaf = None
        self._open(line, container, lazy)
        return True

    def _leaf_takes(self, line: _Line) -> bool:
        """Whether the innermost block swallows the line unseen; closes the block where the line ends it."""
        leaf = self.leaf
        assert leaf is not None
        if leaf.kind in ("paragraph", "table"):
            if line.blank or (leaf.kind == "table" and not split_cells(line.body.encode("latin-1"))):
                self.leaf = None
            return False
        if leaf.kind == "code":
            if line.indent >= 4 or line.blank:
                return True
            self.leaf = None
            return False
        assert leaf.ends is not None
        if leaf.kind == "fence":
            if line.indent <= 3 and leaf.ends(line.body):
                self.leaf = None
            return True
        if leaf.lines[0] and line.blank:
            self.leaf = None
            return False
        if leaf.ends(line.body):
            self.leaf = None
        return True

    def _starts_block(self, line: _Line) -> bool:
        """Whether an unprefixed line starts something of its own instead of going on in an open paragraph."""
        if line.indent > 3:
            return False
        if line.body[0] == ">" or self.starts.item.match(line.body):
            return True
        found = self.starts.block.match(line.body)
        # A row of `=` or of two `-` underlines nothing here: its paragraph lies further in.
        return found is not None and found.lastgroup != "setex_heading"

    def _open(self, line: _Line, container: Leaf | None, lazy: bool) -> None:
        """Open the blocks that a line starts, and put the rest of it where it belongs."""
        depth = 0
        while line.indent <= 3 and not line.blank:
            depth += 1
            if line.body[0] == ">":
                line.drop(line.indent + 1)
                line.drop_one_blank()
                self._push(_Box(_QUOTE))
            elif self._open_leaf(line, container):
                return
            elif depth >= _DEEPEST_LIST or not self._open_item(line, container):
                break
            container, lazy = None, False
        if line.indent > 3 and not lazy and not line.blank:
            self._put(Leaf("code"))
        elif not line.blank:
            self._add_text(line, container)

    def _push(self, box: _Box) -> None:
        self._put(None)
        self.boxes.append(box)

    def _put(self, leaf: Leaf | None) -> None:
        if self.boxes:
            self.boxes[-1].filled = True
        self.leaf = leaf

    def _open_leaf(self, line: _Line, container: Leaf | None) -> bool:
        in_paragraph = container is not None and container.kind == "paragraph"
        found = self.starts.block.match(line.body)
        kind = found.lastgroup if found else None
        if found is None or (kind == "html_tag" and in_paragraph):
            return False
        if kind == "setex_heading":
            if not in_paragraph or container is None:
                return False
            if self.starts.definitions("\n".join(container.lines) + "\n"):
                container.lines = [line.body]
                return True
            self._put(None)
        elif kind == "fenced_code":
            self._put(Leaf("fence", ends=_fence_end(found.group("fenced_2"))))
        elif kind in ("raw_html", "html_tag"):
            self._put(self._html(found, line.body))
        else:
            self._put(None)
        return True

    def _html(self, found: "re.Match[str]", body: str) -> Leaf | None:
        ends = self.starts.html_end
        if ends(found, body):
            return None
        until_blank = found.lastgroup == "html_tag" or found.group("html_block") is not None
        return Leaf("html", "blank" if until_blank else "", lambda text: ends(found, text))

    def _open_item(self, line: _Line, container: Leaf | None) -> bool:
        found = self.starts.item.match(line.body)
        if not found:
            return False
        marker = found.group()
        if container is not None and container.kind == "paragraph":
            number = marker[:-1]
            if not line.body[len(marker) :].strip(" \t") or (number and int(number) != 1):
                return False
        width = line.indent + len(marker)
        line.drop(width)
        if line.blank or not 1 <= line.indent <= 4:
            line.drop_one_blank()
            width += 1
        else:
            width += line.indent
            line.drop(line.indent)
        self._push(_Box(width))
        return True

    def _add_text(self, line: _Line, container: Leaf | None) -> None:
        if container is None or container.kind not in ("paragraph", "table"):
            self._put(Leaf("paragraph", line.body))
            return
        if container.kind == "table":
            return
        if not container.no_table and line.indent <= 3 and self.starts.delimiter.match(line.body):
            if same_width(container.lines[-1], line.body):
                self._put(Leaf("table"))
                return
            container.no_table = True
        container.lines.append(line.body)


def same_width(header: str, delimiter: str) -> bool:
    """Whether a header and a delimiter row have equally many cells, and any at all."""
    cells = len(split_cells(header.encode("latin-1")))
    if header[:1] in (" ", "\t") and header.lstrip(" \t")[:1] == "|":
        # Only a lazy line keeps its indent; in front of a pipe GitHub's parser counts that as a cell.
        cells += 1
    return 0 < cells == len(split_cells(delimiter.encode("latin-1")))


def _fence_end(opener: str) -> "Callable[[str], bool]":
    character, least = opener[0], min(len(opener), _LONGEST_FENCE)

    def ends(body: str) -> bool:
        run = body.rstrip(" \t")
        return len(run) >= least and run == character * len(run)

    return ends


def container_end(text: str, start: int, starts: Starts) -> int:
    """Find where the quote or list that starts at that place ends: the start of the first line outside it."""
    walk = _Walk(starts)
    place = start
    while place < len(text):
        end = text.find("\n", place)
        if end < 0:
            end = len(text)
        if not walk.take(text[place:end]):
            return place
        place = min(end + 1, len(text))
    return place
