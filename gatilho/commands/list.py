"""`gatilho list` (Reading): list the rows in force, or those that are due, paid, of a kind."""

import argparse
import os
from collections.abc import Iterable

from gatilho import dates, render
from gatilho.console import command_options, row_table, row_view
from gatilho.console.row_view import Page
from gatilho.errors import UsageError
from gatilho.index.index import Index, open_index
from gatilho.ladder.decide import Match, in_order, is_due, is_past
from gatilho.ladder.matching import SEARCH_SECONDS, find_matches, path_subjects
from gatilho.ladder.messages import scope_of
from gatilho.lifecycle.transitions import state_of
from gatilho.model import Touch
from gatilho.nearest import suggestion
from gatilho.triggers.patterns import Budget
from gatilho.workspace import tracked
from gatilho.workspace.sources import Sources

_STATES = ("owed", "waived", "rule", "paid", "struck", "superseded", "revoked", "expired")
# The value of a filter for rows that have none.
NONE = "none"
_SPECIAL = {
    "kind": "`none` for rows without one",
    "owner": "`none` for rows without one",
    "scope": "`repository`, `personal`, a store as the configuration names it, or the folder of a nested store",
}


def main(argv: list[str]) -> int:
    """Print the rows that are asked for."""
    given = _parser().parse_args(argv)
    with open_index(command_options.repository_of(given.root)) as index:
        return _list(index, given)


def _list(index: Index, given: argparse.Namespace) -> int:
    row_view.report_left_out(index)
    day = dates.today()
    rows = row_view.counted_rows(index, index.rows())
    _know("kind", given.kind, {*index.config.kinds, *(match.row.kind for match in rows)} - {""})
    _know("owner", given.owner, {match.row.owner.casefold() for match in rows} - {""})
    _know("scope", given.scope, {"repository", *(scope_of(match.row) for match in rows)})
    about = _about_paths(given, index)
    wanted = [match for match in rows if _is_wanted(match, given, index, day)]
    shown = in_order([match for match in wanted if about is None or match.row.place in about], index.config, day)
    if given.json:
        sources = Sources()
        found = [row_view.row_as_json(match, index, day, sources) for match in shown]
        render.print_json({"rows": found, "not_shown": len(rows) - len(shown)})
        return 0
    if shown:
        row_table.print_rows(shown, index, day)
    else:
        render.line(_nothing(given, bool(rows), index.repository.root))
    _print_rest(given, len(rows) - len(shown))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = command_options.parser(
        "list",
        "List the rows in force: due debts first, then the other debts by rides, then rules.",
        "gatilho list --due",
        "gatilho list --state superseded --state revoked --json",
    )
    parser.add_argument("--due", action="store_true", help="only debts that are asked about before the next write")
    parser.add_argument(
        "--path",
        action="append",
        metavar="PATH",
        help="only rows about that file, or a file below that folder, repeatable",
    )
    for name, what in (("kind", "of that kind"), ("owner", "of that owner"), ("scope", "of that store")):
        parser.add_argument(
            f"--{name}", action="append", metavar=name.upper(), help=f"only rows {what}, repeatable; {_SPECIAL[name]}"
        )
    parser.add_argument("--lifecycle", choices=("rule", "debt"), help="only rules, or only debts")
    parser.add_argument(
        "--state",
        action="append",
        choices=_STATES,
        metavar="STATE",
        help=f"only rows in that state, repeatable: {', '.join(_STATES)}",
    )
    parser.add_argument("--paid", action="store_true", help="only paid debts, the same as --state paid")
    parser.add_argument("--all", action="store_true", help="rows that ended too, and those past their own date")
    command_options.add_json(parser)
    return parser


def _know(option: str, given: list[str] | None, known: set[str]) -> None:
    """Refuse a value that no row can have: its list would always be empty."""
    for value in given or ():
        if value.casefold() not in {*(one.casefold() for one in known), NONE}:
            there = f"Known here: {', '.join(sorted(known))}." if known else f"No row has an {option}."
            raise UsageError(f"--{option} {value}: there is no such {option}. {suggestion(value, known, there)}")


def _about_paths(given: argparse.Namespace, index: Index) -> set[str] | None:
    """Return the places of the rows that a file named by `--path`, or one below it, makes speak; None without it."""
    if not given.path:
        return None
    root, folder = index.repository.root, command_options.folder_of(given.root)
    touches: list[Touch] = []
    for name in given.path:
        full = os.path.normpath(os.path.join(folder, name)).replace("\\", "/")
        if full != root and not full.startswith(f"{root}/"):
            raise UsageError(f"--path {name} is outside of {root}.")
        below = [f"{root}/{one}" for one in _files_below(root, full)] if os.path.isdir(full) else [full]
        touches += [Touch(kind, path) for path in below for kind in ("read", "write")]
    found = find_matches(index, path_subjects(touches, root), Budget(SEARCH_SECONDS))
    return {match.row.place for match in found}


def _files_below(root: str, folder: str) -> Iterable[str]:
    prefix = folder[len(root) + 1 :] + "/" if folder != root else ""
    names = [*tracked.tracked_names(root), *tracked.untracked_names(root)]
    return [name for name in names if name.startswith(prefix)]


def _is_wanted(match: Match, given: argparse.Namespace, index: Index, day: str) -> bool:
    row = match.row
    if not (
        _is_among(row.kind, given.kind) and _is_among(row.owner, given.owner) and _is_among(scope_of(row), given.scope)
    ):
        return False
    if given.lifecycle and row.lifecycle != given.lifecycle:
        return False
    if given.due and not is_due(match, index.config, day):
        return False
    if row.in_force and is_past(row, day) and not given.all:
        return False
    states = [*(given.state or ()), *(["paid"] if given.paid else [])]
    return state_of(row) in states if states else given.all or row.in_force


def _is_among(value: str, wanted: list[str] | None) -> bool:
    return wanted is None or (value.casefold() or NONE) in {one.casefold() for one in wanted}


def _print_rest(given: argparse.Namespace, hidden: int) -> None:
    """Say that ended rows exist, where no one asked for a part."""
    parts = (given.due, given.kind, given.state, given.paid, given.path, given.owner, given.scope, given.lifecycle)
    if hidden and not any(parts):
        rows, them = ("1 row that ended is", "it") if hidden == 1 else (f"{hidden} rows that ended are", "them")
        page = Page()
        page.gap()
        page.line(f"{rows} not shown; `gatilho list --all` shows {them}.")


def _nothing(given: argparse.Namespace, any_rows: bool, root: str) -> str:
    if not any_rows:
        return row_view.no_rows(root)
    return "Nothing is due." if given.due else "No matching rows."
