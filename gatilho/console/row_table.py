"""Rows as a table: a line for each, or two where a terminal is too narrow for columns."""

from gatilho import render
from gatilho.console import row_view
from gatilho.console.row_view import Page, aligned
from gatilho.index.index import Index
from gatilho.ladder.decide import Match, is_due
from gatilho.ladder.messages import scope_of
from gatilho.plain import counted
from gatilho.render import width_of

HEADERS = ("id", "lifecycle", "rides", "state", "scope", "note", "place")
_NOTE, _SCOPE, _RIDES = (HEADERS.index(name) for name in ("note", "scope", "rides"))
_LONGEST_NOTE = 80
_SHORTEST_NOTE = 24


def print_rows(shown: list[Match], index: Index, day: str) -> None:
    """Print rows in their order; the scope is a column where not all of them are of the repository's own store."""
    page = Page()
    table = [list(HEADERS), *(_cells_of(match, index, day) for match in shown)]
    others = [cells for number, cells in enumerate(zip(*table)) if number != _NOTE]
    if not any(match.row.scope for match in shown):
        del others[_SCOPE]
    room = page.out.width - sum(max(map(width_of, cells)) + 2 for cells in others)
    # A pipe has no width, whatever COLUMNS says of the terminal of whoever made it.
    if room < _SHORTEST_NOTE and page.out.is_terminal:
        _print_in_pairs(shown, index, day)
        return
    for cells in table[1:] if page.out.is_terminal else ():
        cells[_NOTE] = render.first_cells(render.clean_output_line(cells[_NOTE]), min(room, _LONGEST_NOTE))
    if not any(match.row.scope for match in shown):
        for cells in table:
            del cells[_SCOPE]
    headers, *lines = aligned(table, right=(_RIDES,))
    page.out.print(headers, style="bold", soft_wrap=True)
    if not page.out.is_terminal:  # thousands of rows take rich seconds
        render.line("\n".join(lines))
        return
    for match, line in zip(shown, lines):
        page.out.print(line, style=_style(match, index, day), soft_wrap=True)


def _cells_of(match: Match, index: Index, day: str) -> list[str]:
    row = match.row
    bar = row_view.rides_as_bar(match, index)
    rides = f"{bar} {row_view.rides_in_force(match)}".strip()
    state = row_view.state_in_words(match, index, day)
    return [row.id, row.lifecycle, rides, state, scope_of(row), row.note, row.place]


def _style(match: Match, index: Index, day: str) -> str | None:
    """Return how a line looks on a terminal: what is due is yellow, what ended is dim."""
    if is_due(match, index.config, day):
        return "yellow"
    return None if match.row.in_force else "dim"


def _print_in_pairs(shown: list[Match], index: Index, day: str) -> None:
    """Print two lines for each row, where a terminal is too narrow for columns."""
    page = Page()
    for match in shown:
        row = match.row
        bar = row_view.rides_as_bar(match, index)
        state = row_view.state_in_words(match, index, day)
        of_store = f", {scope_of(row)} store" if row.scope else ""
        page.title(
            f"{row.id}  {f'{bar} ' if bar else ''}{state}, {counted(match.count, 'ride')}{of_store}  {row.place}"
        )
        page.line(render.first_cells(render.clean_output_line(row.note), max(page.out.width - 4, _SHORTEST_NOTE)), 4)
