"""What changed in rows, on a terminal: the same for a branch and for a pack."""

from gatilho.compare.facts import Fact, in_plain_text
from gatilho.compare.output import summary
from gatilho.compare.row_changes import Comparison
from gatilho.console.row_view import Page


def print_comparison(page: Page, compared: Comparison, title: str, hints: list[str]) -> None:
    """Print a summary, the hints, and what changed by row and by file."""
    page.title(title)
    page.line(summary(compared))
    for hint in hints:
        page.line(hint)
    for change in compared.rows:
        page.gap()
        was = "" if change.after is not None else "was in "
        page.title(f"{change.row.id}  {was}{change.row.place if change.after else change.row.file}")
        for fact in change.facts:
            _print_fact(page, fact)
    if compared.files:
        page.gap()
        for one in compared.files:
            _print_fact(page, one.fact, 0)


def _print_fact(page: Page, fact: Fact, indent: int = 2) -> None:
    mark = "" if fact.severity == "note" else f"{fact.severity}: "
    page.line(mark + in_plain_text(fact.words), indent)
    if fact.remedy:
        page.line(in_plain_text(fact.remedy), indent + 2)
