"""A row before it is in a table: its id, and its contents as the cells of Markdown. Pure."""

from gatilho.document.edit import escape_cell
from gatilho.document.ticks import in_code_span
from gatilho.lifecycle.states import PORTUGUESE
from gatilho.model import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# Base 32 without the letters that are read as digits.
LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"
_ID_LETTERS = 4
ID_PREFIXES = {"debt": "D", "rule": "R"}

# The words for new rows in a table whose header is Portuguese.
_PORTUGUESE = {**PORTUGUESE, "debt": "dívida"}
_PORTUGUESE_HEADERS = {"lifecycle": "ciclo", "state": "estado"}


class Draft(Value):
    """What an author says of a row; conditions, triggers, examples and their like as they are inside code spans."""

    lifecycle: str = "rule"
    triggers: tuple[str, ...] = ()
    note: str = ""
    conditions: tuple[str, ...] = ()
    kind: str = ""
    key: str = ""
    owner: str = ""
    added: str = ""
    expires: str = ""
    not_before: str = ""
    ask_after: str = ""
    holds_while: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    violated_when: tuple[str, ...] = ()
    id: str = ""

    @property
    def contents(self) -> dict[str, str]:
        """Return the cells that the author filled, by canonical column, written for a table."""
        spans = {
            "trigger": self.triggers,
            "paid when": self.conditions,
            "holds while": self.holds_while,
            "examples": self.examples,
            "violated when": self.violated_when,
        }
        texts = {
            "note": self.note, "kind": self.kind, "key": self.key, "owner": self.owner, "added": self.added,
            "expires": self.expires, "not before": self.not_before, "ask after": self.ask_after,
        }  # fmt: skip
        cells = {name: draft_code_spans(one) for name, one in spans.items()}
        cells.update((name, escape_cell(one)) for name, one in texts.items())
        return {name: text for name, text in cells.items() if text}

    def cells(self, headers: dict[str, str]) -> dict[str, str]:
        """Return the cells of a new row for a table; headers: its own words for its columns, by canonical name."""
        state = "owed" if self.lifecycle == "debt" else "rule"
        cells = {"id": self.id, "lifecycle": self.lifecycle, "rides": "0", "state": state, **self.contents}
        for name in _PORTUGUESE_HEADERS:
            cells[name] = in_words_of_table(cells[name], name, headers)
        return {name: text for name, text in cells.items() if name in headers}


def in_words_of_table(word: str, column: str, headers: dict[str, str]) -> str:
    """Return the word for a cell in the language of its column's header; headers: as for `Draft.cells`."""
    is_portuguese = headers.get(column, "").strip().casefold() == _PORTUGUESE_HEADERS[column]
    return _PORTUGUESE[word] if is_portuguese else word


def draft_code_spans(texts: "Iterable[str]") -> str:
    """Return the texts as code spans of one cell, with blanks between them."""
    return " ".join(draft_code_span(text) for text in texts)


def draft_code_span(text: str) -> str:
    """Return a text as a code span in a cell, from which GitHub and we read it back; a pipe gets a backslash."""
    return escape_cell(in_code_span(text))


def without_escaped_pipes(pattern: str) -> str:
    r"""Return the same pattern with each `\|` written `[|]`, or `|` inside brackets.

    In a cell it would need two backslashes before the pipe, at which other parsers than GitHub's end the cell.
    """
    if "\\|" not in pattern:
        return pattern
    out: list[str] = []
    at, in_class = 0, False
    while at < len(pattern):
        piece = pattern[at : at + 2] if pattern[at] == "\\" else pattern[at]
        if piece == "\\|":
            out.append("|" if in_class else "[|]")
        else:
            if not in_class and piece == "[":
                # A bracket right after the opening one, or after its `^`, is a letter of the class.
                end = at + 1 + pattern.startswith("^", at + 1)
                piece = pattern[at : end + pattern.startswith("]", end)]
                in_class = True
            elif in_class and piece == "]":
                in_class = False
            out.append(piece)
        at += len(piece)
    return "".join(out)


def mint(lifecycle: str, is_taken: "Callable[[str], bool]", draw: "Callable[[int], bytes]") -> str:
    """Return a new id: its prefix and letters, more of them as short ids get rare. draw: returns random bytes."""
    for attempt in range(1000):
        # A byte is any of 256 values, a multiple of 32: each letter is as likely as every other.
        letters = _ID_LETTERS + attempt // 50
        name = f"{ID_PREFIXES[lifecycle]}-{''.join(LETTERS[byte % len(LETTERS)] for byte in draw(letters))}"
        if not is_taken(name):
            return name
    raise AssertionError("no id is free")


def digest_letters(text: str, length: int = _ID_LETTERS) -> str:
    """Return letters that follow from a text, so that the same proposal has the same id in every run."""
    from hashlib import sha256

    return "".join(LETTERS[byte % len(LETTERS)] for byte in sha256(text.encode("utf-8", "replace")).digest()[:length])
