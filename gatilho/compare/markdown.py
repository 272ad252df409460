"""A comparison as Markdown for a pull-request comment: other people's text stays text, and no one is called by it."""

from gatilho.compare.facts import CODE, Fact, Quote, Words
from gatilho.compare.output import summary
from gatilho.compare.row_changes import ComparedFile, Comparison, RowChange
from gatilho.note_html import code_span, note_to_comment

# By this a comment is found again; HTML comments are not shown.
MARKER = "<!-- gatilho diff -->"
# A comment may have 65,536 characters, and the page around it wants some.
_MOST = 60_000
_HEADINGS = ("Needs a reason", "Worth a look", "Also changed")
_FOLDED_FROM = 10  # rows of the last group
_MARKS = {"error": "\u274c ", "warning": "\u26a0\ufe0f ", "note": ""}


def markdown(comparison: Comparison, before: str, after: str, most: int = _MOST) -> str:
    """Return the whole text, of at most `most` characters. before, after: what the sides are called."""
    lines = [
        MARKER,
        "### gatilho: rows in this change",
        "",
        f"{code_span(before)} .. {code_span(after)}. {summary(comparison)}",
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
    """Return as many whole items as there is room for; one that is too long makes way for those after it."""
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
    place = f"in {code_span(row.place)}" if change.after is not None else f"was in {code_span(row.file)}"
    head = f"- **{code_span(row.id)}** {place}"
    return "\n".join([head, *(f"  - {_fact(fact)}" for fact in change.facts)])


def _file_item(change: ComparedFile) -> str:
    return f"- {_fact(change.fact)}"


def _fact(fact: Fact) -> str:
    remedy = f". To do: {_words(fact.remedy)}" if fact.remedy else ""
    return _MARKS[fact.severity] + _words(fact.words) + remedy


def _words(words: Words) -> str:
    return "".join(_quoted(one) if isinstance(one, Quote) else one for one in words)


def _quoted(quote: Quote) -> str:
    return code_span(quote.text) if quote.form == CODE else note_to_comment(quote.text)
