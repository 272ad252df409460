"""`gatilho show` (Reading): show everything about one row."""

import argparse
from typing import Any

from gatilho import render
from gatilho.conditions import lastrun
from gatilho.conditions.allowed import is_allowed
from gatilho.conditions.file_conditions import evaluate
from gatilho.console import command_options, lookup, row_view
from gatilho.console.row_sheet import RowSheet
from gatilho.console.row_view import Page
from gatilho.index.index import IndexedRow, open_index
from gatilho.model import Condition, Row
from gatilho.verbs import verb_of
from gatilho.workspace.reach import PATH_KINDS
from gatilho.workspace.workspace import Workspace


def main(argv: list[str]) -> int:
    """Print one row, or all that bear the id."""
    parser = command_options.parser(
        "show",
        "Show one row: its note, triggers, conditions and whether they hold now, its rides and its life in the ledger.",
        "gatilho show D-7f3k",
    )
    parser.add_argument("id", metavar="ID", help="the row's id")
    command_options.add_json(parser)
    given = parser.parse_args(argv)
    with open_index(command_options.repository_of(given.root)) as index:
        _show(Workspace(index), given)
    return 0


def _show(workspace: Workspace, given: argparse.Namespace) -> None:
    row_view.report_left_out(workspace.index)
    found = lookup.rows_called(workspace.index, given.id)
    if given.json:
        render.print_json({"rows": [_as_json(one, workspace) for one in found]})
        return
    for number, one in enumerate(found):
        _print(Page(), RowSheet(workspace, one), apart=number > 0)
    if len(found) > 1:
        render.line(
            f"\n{len(found)} rows have this id: both speak, and neither is written. Give one of them another id."
        )


def _print(page: Page, sheet: RowSheet, apart: bool) -> None:
    if apart:
        page.gap()
    page.title(sheet.title)
    page.line(sheet.place)
    page.line(sheet.row.note, 2)
    for title, lines in sheet.sections():
        page.gap()
        page.title(title)
        for line in lines:
            page.line(line, 2)


def _as_json(found: IndexedRow, workspace: Workspace) -> dict[str, Any]:
    row = found.row
    match = row_view.match_of(workspace.index, found)
    entries = workspace.index.entries(row.id, row.store)
    return {
        **row_view.row_as_json(match, workspace.index, workspace.today, workspace.sources),
        "committed": not workspace.is_new(found),
        "shared": row.shared,
        "conditions": [_condition_as_json(one, workspace) for one in row.conditions],
        "reach": _reach(row, workspace),
        "ledger": [entry.as_dict() for entry in entries],
    }


def _condition_as_json(condition: Condition, workspace: Workspace) -> dict[str, Any]:
    outcome = evaluate(condition, workspace.tree, workspace.budget)
    command = condition.argument if verb_of(condition).runs_command else ""
    last = lastrun.last_run_of(workspace.repository, command) if command else None
    return {
        "text": condition.text,
        **({"allowed": is_allowed(workspace.repository, command)} if command else {}),
        **({"last_run": last.as_dict()} if last else {}),
        **({"moved_to": workspace.moved_to(condition.argument)} if outcome.gone else {}),
        "holds": outcome.holds,
        "evidence": outcome.evidence,
        "reason": outcome.reason,
        "undecided": outcome.undecided,
        "gone": outcome.gone,
    }


def _reach(row: Row, workspace: Workspace) -> list[dict[str, Any]]:
    """Return how many tracked files each path trigger matches."""
    if row.store:
        return []
    return [
        {"trigger": str(trigger), "files": len(workspace.reach.matches(trigger))}
        for trigger in row.triggers
        if trigger.kind in PATH_KINDS
    ]
