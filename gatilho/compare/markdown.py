"""A comparison as Markdown for a pull-request comment: other people's text stays text, and no one is called by it."""

from collections.abc import Iterator
from urllib.parse import quote as quote_address

from gatilho.compare.cell_facts import condition_words
from gatilho.compare.facts import PROSE, Fact, Quote, Words, unfolded
from gatilho.compare.output import summary
from gatilho.compare.row_changes import ComparedFile, Comparison, RowChange
from gatilho.model import Row
from gatilho.note_html import code_span, note_to_comment

# By this a comment is found again; HTML comments are not shown.
MARKER = "<!-- gatilho diff -->"
# A comment may have 65,536 characters, and the page around it wants some.
_MOST = 60_000
_FIRST = "What this change does to debts"
_HEADINGS = ("Needs a reason", "Worth a look", "Also changed")
_FOLDED_FROM = 10  # rows of the last group
# Facts that show the note, or what pays the debt.
_WITH_NOTE = {"added", "removed", "removed owed", "reworded"}
_WITH_CONDITION = {"added", "condition", "pays", "condition holds"}
_MARKS = {"error": "\u274c ", "warning": "\u26a0\ufe0f ", "note": ""}


def markdown(comparison: Comparison, before: str, after: str, most: int = _MOST, links: str = "") -> str:
    """Return the whole text, of at most `most` characters.

    before, after: what the sides are called. links: the address below which the files of the later side can be read.
    """
    lines = [
        MARKER,
        "### gatilho: rows in this change",
        "",
        f"{code_span(before)} .. {code_span(after)}. {summary(comparison)}",
    ]
    room = most - sum(len(line) + 1 for line in lines) - 400
    left_out = 0
    for heading, changes, others in _groups(comparison):
        items = [*(_row_item(change, links) for change in changes), *(f"- {_fact(one.fact)}" for one in others)]
        kept = _fitting(items, room)
        room -= sum(len(item) + 1 for item in kept)
        left_out += len(items) - len(kept)
        if kept:
            lines += _group(heading, kept, folded=heading == _HEADINGS[-1] and len(kept) > _FOLDED_FROM)
    if left_out:
        lines += ["", f"{left_out} more did not fit here: run `gatilho diff` in a checkout."]
    return "\n".join(lines) + "\n"


def _groups(comparison: Comparison) -> Iterator[tuple[str, list[RowChange], list[ComparedFile]]]:
    """Yield the headings with what comes below them: what the change does to debts, then edits, the worst first."""
    yield _FIRST, [change for change in comparison.rows if change.is_judged], []
    worst = 0 if any(one.fact.severity == "error" for one in comparison.files) else 2
    for weight, heading in enumerate(_HEADINGS):
        changes = [change for change in comparison.rows if change.weight == weight and not change.is_judged]
        yield heading, changes, list(comparison.files) if weight == worst else []


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


def _row_item(change: RowChange, links: str) -> str:
    row = change.row
    place = f"in {_place(row, links)}" if change.after is not None else f"was in {code_span(row.file)}"
    lines = [f"- **{code_span(row.id)}** {place}{f': {change.rides}' if change.rides else ''}"]
    kinds = {fact.kind for fact in change.facts}
    if row.note and not kinds & _WITH_NOTE:
        lines.append(f"  > {note_to_comment(row.note)}")
    lines += [f"  - {_fact(fact)}" for fact in change.facts]
    if row.owed and change.after is not None and not kinds & _WITH_CONDITION:
        lines.append(f"  - {_words(condition_words(row.conditions))}")
    return "\n".join(lines)


def _place(row: Row, links: str) -> str:
    """Return where the row is, as a link to its line where there is an address."""
    if not links or row.file.startswith("/"):
        return code_span(row.place)
    name = quote_address(row.file.encode("utf-8", "surrogateescape"))
    return f"[{code_span(row.place)}]({links.rstrip('/')}/{name}?plain=1#L{row.line})"


def _fact(fact: Fact) -> str:
    remedy = f". To do: {_words(fact.remedy)}" if fact.remedy else ""
    return _MARKS[fact.severity] + _words(fact.words) + remedy


def _words(words: Words) -> str:
    return "".join(_quoted(one) if isinstance(one, Quote) else one for one in unfolded(words, briefly=True))


def _quoted(quote: Quote) -> str:
    return note_to_comment(quote.text) if quote.form == PROSE else code_span(quote.text)
