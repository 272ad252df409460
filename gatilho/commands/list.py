"""`gatilho list` (Reading): list the rows in force, or those that are due, paid, of a kind."""

import argparse

from gatilho import dates, render
from gatilho.console import command_options, row_view
from gatilho.console.row_view import Page, aligned, width_of
from gatilho.errors import UsageError
from gatilho.index.index import Index, open_index
from gatilho.ladder.decide import Match, in_order, is_due, is_past
from gatilho.ladder.messages import rides_in_words
from gatilho.lifecycle.transitions import state_of
from gatilho.nearest import nearest
from gatilho.workspace.sources import Sources

STATES = ("owed", "waived", "rule", "paid", "struck", "superseded", "revoked", "expired")
HEADERS = ("id", "lifecycle", "rides", "state", "note", "place")
_NOTE = HEADERS.index("note")
_LONGEST_NOTE = 80
_SHORTEST_NOTE = 24


def main(argv: list[str]) -> int:
    """Print the rows that are asked for."""
    given = _parser().parse_args(argv)
    with open_index(command_options.repository_of(given.root)) as index:
        return _list(index, given)


def _list(index: Index, given: argparse.Namespace) -> int:
    day = dates.today()
    rows = [row_view.match_of(index, found) for found in index.rows()]
    _know_kind(given.kind, rows, index)
    shown = in_order([match for match in rows if _is_wanted(match, given, index, day)], index.config, day)
    if given.json:
        sources = Sources()
        found = [row_view.row_as_json(match, index, day, sources) for match in shown]
        render.print_json({"rows": found, "not_shown": len(rows) - len(shown)})
    elif shown:
        _print(shown, index, day)
        _print_rest(given, len(rows) - len(shown))
    else:
        render.line(_nothing(given, bool(rows), index.repository.root))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = command_options.parser(
        "list",
        "List the rows in force: due debts first, then the other debts by rides, then rules.",
        "gatilho list --due",
        "gatilho list --state superseded --state revoked --json",
    )
    parser.add_argument("--due", action="store_true", help="only debts that are asked about before the next write")
    parser.add_argument("--kind", action="append", metavar="KIND", help="only rows of that kind, repeatable")
    parser.add_argument(
        "--state",
        action="append",
        choices=STATES,
        metavar="STATE",
        help=f"only rows in that state, repeatable: {', '.join(STATES)}",
    )
    parser.add_argument("--paid", action="store_true", help="only paid debts, the same as --state paid")
    parser.add_argument("--all", action="store_true", help="rows that ended too, and those past their own date")
    command_options.add_json(parser)
    return parser


def _know_kind(kinds: list[str] | None, rows: list[Match], index: Index) -> None:
    """Refuse a kind that no one knows: its list would always be empty."""
    known = {*index.config.kinds, *(match.row.kind for match in rows)}
    for kind in kinds or ():
        if kind.casefold() not in known:
            close = nearest(kind, known)
            meant = f"Did you mean {close}?" if close else f"There are {', '.join(sorted(filter(None, known)))}."
            raise UsageError(f"--kind {kind}: there is no such kind. {meant}")


def _is_wanted(match: Match, given: argparse.Namespace, index: Index, day: str) -> bool:
    row = match.row
    if given.kind and row.kind not in [kind.casefold() for kind in given.kind]:
        return False
    if given.due and not is_due(match, index.config, day):
        return False
    if row.in_force and is_past(row, day) and not given.all:
        return False
    states = [*(given.state or ()), *(["paid"] if given.paid else [])]
    return state_of(row) in states if states else given.all or row.in_force


def _print(shown: list[Match], index: Index, day: str) -> None:
    page = Page()
    rows = [
        [
            m.row.id,
            m.row.lifecycle,
            row_view.rides_in_force(m),
            row_view.state_in_words(m, index, day),
            m.row.note,
            m.row.place,
        ]
        for m in shown
    ]
    others = (cells for number, cells in enumerate(zip(HEADERS, *rows)) if number != _NOTE)
    room = page.out.width - sum(max(map(width_of, cells)) + 2 for cells in others)
    # A pipe has no width, whatever COLUMNS says of the terminal of whoever made it.
    if room < _SHORTEST_NOTE and page.out.is_terminal:
        _print_in_pairs(shown, index, day)
        return
    for cells in rows if page.out.is_terminal else ():
        cells[_NOTE] = render.first_cells(render.clean_output_line(cells[_NOTE]), min(room, _LONGEST_NOTE))
    headers, *lines = aligned([HEADERS, *rows], right=(HEADERS.index("rides"),))
    page.out.print(headers, style="bold", soft_wrap=True)
    render.line("\n".join(lines))


def _print_in_pairs(shown: list[Match], index: Index, day: str) -> None:
    """Print two lines for each row, where a terminal is too narrow for columns."""
    page = Page()
    for match in shown:
        row = match.row
        page.title(
            f"{row.id}  {row_view.state_in_words(match, index, day)}, {rides_in_words(match.count)}  {row.place}"
        )
        page.line(render.first_cells(render.clean_output_line(row.note), max(page.out.width - 4, _SHORTEST_NOTE)), 4)


def _print_rest(given: argparse.Namespace, hidden: int) -> None:
    """Say that ended rows exist, where no one asked for a part."""
    if hidden and not (given.due or given.kind or given.state or given.paid):
        rows, them = ("1 row that ended is", "it") if hidden == 1 else (f"{hidden} rows that ended are", "them")
        page = Page()
        page.gap()
        page.line(f"{rows} not shown; `gatilho list --all` shows {them}.")


def _nothing(given: argparse.Namespace, any_rows: bool, root: str) -> str:
    if not any_rows:
        return row_view.no_rows(root)
    return "Nothing is due." if given.due else "No matching rows."
