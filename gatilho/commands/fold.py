"""`gatilho fold` (Reviewing): bring the counts in force into the tables."""

import argparse
from typing import Any

from gatilho import render
from gatilho.console import command_options, terminal_guard
from gatilho.console.transition import tell_ledger, why_not
from gatilho.errors import ExitStatus
from gatilho.index.index import Index, open_index
from gatilho.store import folding
from gatilho.store.change import Change, Result, Status
from gatilho.workspace.tracked import store_left_out


def main(argv: list[str]) -> int:
    """Bring the counts into the tables; 1 where one could not be written."""
    given = _parser().parse_args(argv)
    if not given.dry_run:
        terminal_guard.require("gatilho fold", of_row=False)
    with open_index(command_options.repository_of(given.root)) as index:
        return _fold(index, given)


def _fold(index: Index, given: argparse.Namespace) -> int:
    results: list[Result] = []
    if given.dry_run:
        changes = folding.lagging(index)
    else:
        changes, results = folding.raise_cells(index)
    if given.json:
        render.print_json({"rows": [_as_json(index, change) for change in changes], "failed": _failed(results)})
    else:
        _tell(index, changes, results)
    return ExitStatus.PROBLEMS if _failed(results) else ExitStatus.FINE


def _parser() -> argparse.ArgumentParser:
    parser = command_options.parser(
        "fold",
        "Raise the rides in the tables to the counts in force: those of the ledger, and the rides of rules that were\n"
        'counted on this machine (`rule_rides = "local"`). Nothing is ever lowered. For a job on the main branch.',
        "gatilho fold",
        "gatilho fold --dry-run --json",
    )
    parser.add_argument("--dry-run", action="store_true", help="print what would be raised, write nothing")
    command_options.add_json(parser)
    return parser


def _tell(index: Index, changes: list[Change], results: list[Result]) -> None:
    failed = {id(result.change): result for result in results if result.status != Status.WRITTEN}
    for change in changes:
        row = change.row
        found = failed.get(id(change))
        said = f"not written: {why_not(found)}" if found else f"{row.rides} -> {folding.raised_to(index, change)}"
        render.line(f"{row.place}  {row.id}  rides: {said}")
    tell_ledger(results)
    if not changes:
        outside = store_left_out(index.repository.root)
        render.line(outside or "Every count in the tables is the one in force.")


def _failed(results: list[Result]) -> list[dict[str, str]]:
    return [
        {"id": result.change.row.id, "status": result.status, "reason": result.reason}
        for result in results
        if not result.is_well
    ]


def _as_json(index: Index, change: Change) -> dict[str, Any]:
    row, rides = change.row, folding.raised_to(index, change)
    return {"id": row.id, "file": row.file, "line": row.line, "cell": row.rides, "rides": rides}
