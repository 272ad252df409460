"""The inline Markdown of one cell, as far as it decides what is shown, what is struck and what is code.

Follows GitHub's parser: backslash escapes, entities, code spans, tags, autolinks, links, emphasis and strikes. Brackets
count as those of a link even without an address, for one line cannot know whether the document defines it further down.
"""

from gatilho.document.entities import decode_entity
from gatilho.document.ticks import TickRuns, code_content, run_length
from gatilho.model import Value

_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_SPACES = frozenset(
    "\t\n\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)


class Inline(Value):
    """What a cell shows: its text, for each character whether it is struck, its code spans, its strikes.

    strikes: (start of the opening run, start of the closing run, their length), as positions in the text that was read.
    """

    text: str
    marks: list[bool]
    code: list[str]
    strikes: list[tuple[int, int, int]]


class _Run:
    """A run of `*`, `_` or `~` that may open or close something."""

    __slots__ = ("character", "piece", "at", "length", "left", "opens", "closes")

    def __init__(self, character: str, piece: int, at: int, length: int, opens: bool, closes: bool) -> None:
        self.character = character
        self.piece = piece
        self.at = at
        self.length = length
        self.left = length
        self.opens = opens
        self.closes = closes


class _Reader:
    """The state of one reading: the pieces shown so far, the open runs and the open brackets."""

    def __init__(self, text: str) -> None:
        self.source = text
        self.pieces: list[str] = []
        self.code: list[str] = []
        self.ticks = TickRuns(text)
        self.runs: list[_Run] = []
        self.brackets: list[tuple[int, int, bool]] = []
        self.strikes: list[tuple[_Run, _Run]] = []

    def read(self) -> Inline:
        at = 0
        while at < len(self.source):
            at = _READERS.get(self.source[at], _read_plain)(self, at)
        _pair_runs(self, 0)
        struck_pieces = [False] * len(self.pieces)
        for opener, closer in self.strikes:
            for piece in range(opener.piece, closer.piece):
                struck_pieces[piece] = True
        marks = [struck_pieces[index] for index, piece in enumerate(self.pieces) for _ in piece]
        strikes = [(opener.at, closer.at, opener.length) for opener, closer in self.strikes]
        return Inline("".join(self.pieces), marks, self.code, strikes)


def read_inline(text: str) -> Inline:
    """Read the inline Markdown of a cell's text."""
    return _Reader(text).read()


def _read_plain(reader: _Reader, at: int) -> int:
    reader.pieces.append(reader.source[at])
    return at + 1


def _read_escape(reader: _Reader, at: int) -> int:
    following = reader.source[at + 1 : at + 2]
    if following in _PUNCTUATION:
        reader.pieces.append(following)
        return at + 2
    return _read_plain(reader, at)


def _read_code(reader: _Reader, at: int) -> int:
    run = run_length(reader.source, at)
    close = reader.ticks.closing(at + run, run)
    if close < 0:
        reader.pieces.append("`" * run)
        return at + run
    reader.code.append(code_content(reader.source[at + run : close]))
    reader.pieces.append(reader.code[-1])
    return close + run


def _read_entity(reader: _Reader, at: int) -> int:
    # The longest name of an entity has 31 letters.
    end = reader.source.find(";", at, at + 40)
    decoded = decode_entity(reader.source[at : end + 1]) if end > 0 else None
    if decoded is None:
        return _read_plain(reader, at)
    reader.pieces.append(decoded)
    return end + 1


def _read_angle(reader: _Reader, at: int) -> int:
    """Return an autolink shows its address, a tag shows nothing."""
    # Such ids are rare, so only they pay for the import.
    import re

    rest = reader.source[at:]
    autolink = re.match(_AUTOLINK, rest)
    if autolink:
        reader.pieces.append(autolink.group()[1:-1])
        return at + autolink.end()
    tag = re.match(_TAG, rest, re.VERBOSE)
    if tag:
        return at + tag.end()
    return _read_plain(reader, at)


_AUTOLINK = r"<(?:[A-Za-z][A-Za-z0-9.+-]{1,31}:[^\x00-\x20<>]*|[\w.!#$%&'*+/=?^`{|}~-]+@[A-Za-z0-9][A-Za-z0-9.-]*)>"

_TAG = r"""
    <(?:
        [A-Za-z][A-Za-z0-9-]*
        (?:\s+[A-Za-z_:][\w:.-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*
        \s*/?>
    | /[A-Za-z][A-Za-z0-9-]*\s*>
    | !---->
    | !--(?:-?[^>-])(?:-?[^-])*-->
    | \?.*?\?>
    | ![A-Z]+\s+[^>]*>
    | !\[CDATA\[.*?\]\]>
    )
"""


def _read_run(reader: _Reader, at: int) -> int:
    source = reader.source
    character = source[at]
    length = run_length(source, at)
    before, after = _neighbours(source, at, at + length)
    space_before, space_after = before in _SPACES, after in _SPACES
    marked_before, marked_after = _is_punctuation(before), _is_punctuation(after)
    leads = not space_after and (not marked_after or space_before or marked_before)
    trails = not space_before and (not marked_before or space_after or marked_after)
    opens, closes = leads, trails
    # Within a word `_` is only a character, unlike `*`: snake_case is no emphasis.
    if character == "_":
        opens, closes = leads and (not trails or marked_before), trails and (not leads or marked_after)
    # Three tildes or more strike nothing.
    if (opens or closes) and (character != "~" or length <= 2):
        reader.runs.append(_Run(character, len(reader.pieces), at, length, opens, closes))
    reader.pieces.append(character * length)
    return at + length


def _neighbours(source: str, start: int, end: int) -> tuple[str, str]:
    """Return the characters around a run; GitHub's parser looks past tildes beside an emphasis run."""
    if source[start] != "~":
        while start and source[start - 1] == "~":
            start -= 1
        while end < len(source) and source[end] == "~":
            end += 1
    return source[start - 1] if start else "\n", source[end] if end < len(source) else "\n"


def _is_punctuation(character: str) -> bool:
    if character.isascii():
        return character in _PUNCTUATION
    from unicodedata import category

    return category(character).startswith("P")


def _read_bracket(reader: _Reader, at: int) -> int:
    picture = reader.source[at : at + 2] == "!["
    if not picture and reader.source[at] == "!":
        return _read_plain(reader, at)
    reader.brackets.append((len(reader.pieces), len(reader.runs), picture))
    reader.pieces.append("![" if picture else "[")
    return at + (2 if picture else 1)


def _read_closing_bracket(reader: _Reader, at: int) -> int:
    if not reader.brackets:
        return _read_plain(reader, at)
    opener, first_run, picture = reader.brackets.pop()
    end = _link_end(reader.source, at + 1)
    reader.pieces[opener] = ""
    if end > at + 1:
        _pair_runs(reader, first_run)
    if end > at + 1 and not picture:
        # A link holds no other link: brackets further out stay what they are.
        reader.brackets = [bracket for bracket in reader.brackets if bracket[2]]
    return end


def _link_end(source: str, at: int) -> int:
    """Return the end of `(address "title")` or `[label]` at that position, itself where neither is there."""
    import re

    found = re.compile(_TARGET, re.VERBOSE).match(source, at)
    return found.end() if found else at


_TARGET = r"""
    \( \s* (?: <(?:[^<>\n\\]|\\.)*> | (?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*\))* )
       (?: \s+ (?: "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' | \((?:[^()\\]|\\.)*\) ) )? \s* \)
    | \[ (?:[^\[\]\\]|\\.)* \]
"""


def _pair_runs(reader: _Reader, bottom: int) -> None:
    """Match closers with openers from that run on, as CommonMark does, and drop what was looked at."""
    runs = reader.runs[bottom:]
    del reader.runs[bottom:]
    # For each kind of closer, below which place no opener is: else many closers would take quadratic time.
    lowest: dict[tuple[str, int], int] = {}
    index = 0
    while index < len(runs):
        closer = runs[index]
        if not closer.closes:
            index += 1
            continue
        key = (closer.character, closer.length % 3)
        opener = _find_opener(runs, index, lowest.get(key, -1))
        if opener < 0:
            lowest[key] = closer.at
            if closer.opens:
                index += 1
            else:
                del runs[index]
            continue
        index = _close(reader, runs, opener, index)


def _find_opener(runs: list[_Run], index: int, lowest: int) -> int:
    closer = runs[index]
    for candidate in range(index - 1, -1, -1):
        opener = runs[candidate]
        if opener.at < lowest:
            break
        if opener.opens and opener.character == closer.character:
            # CommonMark's rule of three, which keeps `*a**b*` one emphasis.
            ambiguous = closer.opens or opener.closes
            if not ambiguous or closer.length % 3 == 0 or (opener.length + closer.length) % 3 != 0:
                return candidate
    return -1


def _close(reader: _Reader, runs: list[_Run], first: int, last: int) -> int:
    """Use up an opener and a closer; returns the index of the run to look at next."""
    opener, closer = runs[first], runs[last]
    # GitHub pairs tildes of equal length only, and looks at the others no more.
    if closer.character == "~":
        if opener.length == closer.length:
            reader.strikes.append((opener, closer))
            reader.pieces[opener.piece] = reader.pieces[closer.piece] = ""
        del runs[first : last + 1]
        return first
    used = 2 if opener.left >= 2 and closer.left >= 2 else 1
    for run in (opener, closer):
        run.left -= used
        reader.pieces[run.piece] = run.character * run.left
    del runs[first + 1 : last]
    closing = first + 1
    if not opener.left:
        del runs[first]
        closing -= 1
    if not closer.left:
        del runs[closing]
    return closing


_READERS = {
    "\\": _read_escape,
    "`": _read_code,
    "&": _read_entity,
    "<": _read_angle,
    "*": _read_run,
    "_": _read_run,
    "~": _read_run,
    "[": _read_bracket,
    "!": _read_bracket,
    "]": _read_closing_bracket,
}
