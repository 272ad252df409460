"""`gatilho fold`: raises the cells to the counts in force, for a main branch whose hooks write the ledger alone."""

import argparse
from typing import Any

from gatilho import render
from gatilho.console import options
from gatilho.console.transition import context, tell_ledger, why_not
from gatilho.errors import ExitStatus
from gatilho.index.index import Index, open_index
from gatilho.store import local_rides, record
from gatilho.store.change import FOLD, LOCAL_RIDES, Change, Result, Status


def main(argv: list[str]) -> int:
    """Bring the counts into the tables; 1 where one could not be written."""
    given = _parser().parse_args(argv)
    index = open_index(options.repository_of(given.root))
    results: list[Result] = []
    if given.dry_run:
        changes = _changes(index, local_rides.pending(index.repository.shared_state + LOCAL_RIDES))
    else:
        changes, results = raise_cells(index)
    if given.json:
        render.as_json({"rows": [_as_json(index, change) for change in changes], "failed": _failed(results)})
    else:
        _tell(index, changes, results)
    return ExitStatus.PROBLEMS if _failed(results) else ExitStatus.FINE


def raise_cells(index: Index) -> tuple[list[Change], list[Result]]:
    """Raise every cell that is below the count in force: what was to be raised, and what became of it."""
    path = index.repository.shared_state + LOCAL_RIDES
    further = local_rides.take(path)
    changes = _changes(index, further)
    results = record.write(index.repository.root, changes, context(index, "program"))
    written = {(result.change.row.id, result.change.row.store) for result in results if result.status == Status.WRITTEN}
    local_rides.keep(path, {key: count for key, count in further.items() if key not in written})
    return changes, results


def _parser() -> argparse.ArgumentParser:
    parser = options.parser(
        "fold",
        "Raise the rides in the tables to the counts in force: those of the ledger, and the rides of rules that were\n"
        'counted on this machine (`rule_rides = "local"`). Nothing is ever lowered. For a job on the main branch.',
        "gatilho fold",
        "gatilho fold --dry-run --json",
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would be raised, write nothing")
    options.add_json(parser)
    return parser


def _changes(index: Index, further: dict[tuple[str, str], int]) -> list[Change]:
    """What is to be raised; rows that bear one id twice are left to their ids' problem."""
    changes = []
    for found in index.rows():
        row = found.row
        more = further.get((row.id, row.store), 0)
        if row.rides is not None and not row.shared and index.standing(row).count + more > row.rides:
            # No hint of the line: with one each row would be looked for in all lines, without it they are read once.
            changes.append(Change(row, FOLD, number=more))
    return changes


def _in_force(index: Index, change: Change) -> int:
    return index.standing(change.row).count + (change.number or 0)


def _tell(index: Index, changes: list[Change], results: list[Result]) -> None:
    failed = {id(result.change): result for result in results if result.status != Status.WRITTEN}
    for change in changes:
        row = change.row
        found = failed.get(id(change))
        said = f"not written: {why_not(found)}" if found else f"{row.rides} -> {_in_force(index, change)}"
        render.line(f"{row.place}  {row.id}  rides: {said}")
    tell_ledger(results)
    if not changes:
        render.line("Every count in the tables is the one in force.")


def _failed(results: list[Result]) -> list[dict[str, str]]:
    return [
        {"id": result.change.row.id, "status": result.status, "reason": result.reason}
        for result in results
        if not result.is_well
    ]


def _as_json(index: Index, change: Change) -> dict[str, Any]:
    row = change.row
    return {"id": row.id, "file": row.file, "line": row.line, "cell": row.rides, "rides": _in_force(index, change)}
