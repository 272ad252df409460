"""`gatilho expire` (Settling): expire rows older than their kind's time to live."""

import argparse
import sys
from itertools import zip_longest
from typing import IO, Any

from gatilho import dates, render
from gatilho.console import command_options, lookup, terminal_guard, transition
from gatilho.errors import UsageError
from gatilho.index.index import Index, open_index
from gatilho.ladder.decide import reason_to_expire
from gatilho.lifecycle.transitions import state_of
from gatilho.store import command_context, record
from gatilho.store.change import Change, Result


def main(argv: list[str]) -> int:
    """Expire what is over; 1 where something could not be recorded."""
    parser = command_options.parser(
        "expire",
        "Give the state `expired` to rows older than their kind's time to live, and to rows past their own date.\n"
        "Nothing is deleted: `gatilho reinstate ID --why TEXT` brings a row back. Nothing expires unless this is run.\n"
        "A directive does not expire by its age, and a row without a kind or an `added` date does not either.",
        "gatilho expire --dry-run --json",
        "gatilho expire --kind state --ttl-days 14",
    )
    days = command_options.number_of("days", 999_999)
    parser.add_argument("--ttl-days", metavar="N", type=days, help="instead of each kind's time to live")
    parser.add_argument("--kind", action="append", metavar="KIND", help="only rows of that kind, repeatable")
    parser.add_argument("--dry-run", action="store_true", help="show what would expire and write nothing")
    command_options.add_json(parser)
    given = parser.parse_args(argv)
    with open_index(command_options.repository_of(given.root)) as index:
        return _expire(index, given)


def _expire(index: Index, given: argparse.Namespace) -> int:
    if not given.dry_run:
        terminal_guard.require("gatilho expire")
    _refuse_unknown_kinds(index, given.kind or ())
    _name_unknown_kinds(index, sys.stderr if given.json else None)
    changes = _over(index, given)
    results: list[Result] = []
    if changes and not given.dry_run:
        context = command_context.context(index, "person")
        results = record.record_changes(index.repository.root, changes, context)
    if given.json:
        said = [_as_json(change, result) for change, result in zip_longest(changes, results)]
        render.print_json({"rows": said, "ledger": transition.ledger_files_of(results)})
    else:
        _tell(changes, results)
    return int(not all(result.is_well for result in results))


def _over(index: Index, given: argparse.Namespace) -> list[Change]:
    """Return a change for each row that is over; other stores are their own repositories' to expire."""
    kinds = {kind.casefold() for kind in given.kind or ()}
    day = dates.today()
    found = []
    for one in index.rows():
        row = one.row
        if row.store or (kinds and row.kind not in kinds) or state_of(row) not in ("owed", "waived", "rule"):
            continue
        reason = reason_to_expire(row, index.config, day, given.ttl_days)
        if reason:
            found.append(Change(row, "expire", one.header, evidence=reason))
    return found


def _tell(changes: list[Change], results: list[Result]) -> None:
    for change, result in zip_longest(changes, results):
        row = change.row
        if result is None:
            render.line(f"{row.place}  {row.id} would expire: {change.evidence}")
        elif result.is_well:
            render.line(f"{row.place}  {row.id} expired: {change.evidence}")
        else:
            render.line(f"{row.place}  {row.id}: not written: {transition.why_not(result)}")
    if not changes:
        render.line("Nothing expires.")
    transition.tell_ledger(results)


def _as_json(change: Change, result: Result | None) -> dict[str, Any]:
    row = change.row
    said = {"id": row.id, "file": row.file, "line": row.line, "why": change.evidence, "written": False}
    if result is not None:
        said |= {"written": True} if result.is_well else {"reason": transition.why_not(result)}
    return said


def _refuse_unknown_kinds(index: Index, named: "list[str] | tuple[str, ...]") -> None:
    """Raise UsageError for an unknown kind, or a configuration with problems: a default would end rows unasked."""
    lookup.refuse_broken_configuration(index)
    known = index.config.kinds
    for kind in named:
        if kind.casefold() not in known:
            raise UsageError(f"--kind {kind}: there is no such kind. Known here: {', '.join(known)}.")


def _name_unknown_kinds(index: Index, stream: IO[str] | None) -> None:
    """Say which rows stay, whatever their age, because no one knows how long their kind lives."""
    for one in index.rows():
        row = one.row
        if row.in_force and row.kind and row.kind not in index.config.kinds and not row.store:
            render.line(
                f"{row.place}  {row.id} does not expire by its age: the kind {row.kind} is unknown; "
                "`gatilho check` explains what to do",
                stream,
            )
