"""A comparison as Markdown for a pull-request comment: other people's text stays text, and nobody is called by it."""

import re

from gatilho.compare.changes import Comparison, FileChange, RowChange
from gatilho.compare.facts import CODE, Fact, Quote, Words
from gatilho.compare.findings import summary
from gatilho.plain import clean_line

# By this a comment is found again; HTML comments are not shown.
MARKER = "<!-- gatilho diff -->"
# A comment may have 65,536 characters, and the page around it wants some.
_MOST = 60_000
_HEADINGS = ("Needs a word", "Worth a look", "Also changed")
_FOLDED_FROM = 10  # rows of the last group
_MARKS = {"error": "\u274c ", "warning": "\u26a0\ufe0f ", "note": ""}
_SPECIAL = frozenset(r"\`*_{}[]<>()#+-.!|~&$@:^=/'\"")
_APART = "\u200b"
_LINKED_WORD = re.compile(r"\b(w(?=ww\\\.)|g(?=h\\-))", re.IGNORECASE)


def markdown(comparison: Comparison, before: str, after: str, most: int = _MOST) -> str:
    """The whole text, at most so many characters. before, after: what the sides are called."""
    lines = [
        MARKER,
        "### gatilho: rows in this change",
        "",
        f"{_code(before)} .. {_code(after)}. {summary(comparison)}",
    ]
    room = most - sum(len(line) + 1 for line in lines) - 400
    left_out = 0
    files = [_file_item(one) for one in comparison.files]
    for weight, heading in enumerate(_HEADINGS):
        items = [_row_item(change) for change in comparison.rows if change.weight == weight]
        items += files if weight == (0 if any(one.fact.severity == "error" for one in comparison.files) else 2) else []
        kept = _fitting(items, room)
        room -= sum(len(item) + 1 for item in kept)
        left_out += len(items) - len(kept)
        if kept:
            lines += _group(heading, kept, folded=weight == 2 and len(kept) > _FOLDED_FROM)
    if left_out:
        lines += ["", f"{left_out} more did not fit here: run `gatilho diff` in a checkout."]
    return "\n".join(lines) + "\n"


def _fitting(items: list[str], room: int) -> list[str]:
    """As many whole items as there is room for; one that is too long makes way for those behind it."""
    kept: list[str] = []
    for item in items:
        if len(item) < room:
            kept.append(item)
            room -= len(item) + 1
    return kept


def _group(heading: str, items: list[str], folded: bool) -> list[str]:
    if not folded:
        return ["", f"**{heading}**", "", *items]
    return ["", f"<details><summary>{heading} ({len(items)})</summary>", "", *items, "", "</details>"]


def _row_item(change: RowChange) -> str:
    row = change.row
    place = f"in {_code(row.place)}" if change.after is not None else f"was in {_code(row.file)}"
    head = f"- **{_code(row.id)}** {place}"
    return "\n".join([head, *(f"  - {_fact(fact)}" for fact in change.facts)])


def _file_item(change: FileChange) -> str:
    return f"- {_fact(change.fact)}"


def _fact(fact: Fact) -> str:
    remedy = f". To do: {_words(fact.remedy)}" if fact.remedy else ""
    return _MARKS[fact.severity] + _words(fact.words) + remedy


def _words(words: Words) -> str:
    return "".join(_quoted(one) if isinstance(one, Quote) else one for one in words)


def _quoted(quote: Quote) -> str:
    return _code(quote.text) if quote.form == CODE else escape(quote.text)


def escape(text: str) -> str:
    """Text that Markdown shows as it is, and in which no name, number or address becomes a link.

    GitHub looks for these behind the escapes, so a zero-width blank goes into them.
    """
    escaped = "".join("\\" + letter if letter in _SPECIAL else letter for letter in clean_line(text))
    for sign in ("@", "#", ":"):
        escaped = escaped.replace("\\" + sign, "\\" + sign + _APART)
    return _LINKED_WORD.sub(rf"\1{_APART}", escaped)


def _code(text: str) -> str:
    """A code span, in which nothing means anything."""
    text = clean_line(text)
    if not text.strip():
        return "(empty)"
    fence = "`"
    while fence in text:
        fence += "`"
    blank = " " if text[0] in "` " or text[-1] in "` " else ""
    return f"{fence}{blank}{text}{blank}{fence}"
