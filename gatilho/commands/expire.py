"""`gatilho expire` (Settling): expire rows older than their kind's time to live."""

import argparse

from gatilho import dates, render
from gatilho.config import FILE, PYPROJECT
from gatilho.console import command_options, terminal_guard, transition
from gatilho.errors import UsageError
from gatilho.index.index import Index, open_index
from gatilho.ladder.decide import reason_to_expire
from gatilho.lifecycle.transitions import state_of
from gatilho.store import command_context, record
from gatilho.store.change import Change


def main(argv: list[str]) -> int:
    """Expire what is over; 1 where something could not be recorded."""
    parser = command_options.parser(
        "expire",
        "Give the state `expired` to rows older than their kind's time to live, and to rows past their own date.\n"
        "Nothing is deleted: `gatilho reinstate ID --why TEXT` brings a row back. Nothing expires unless this is run.\n"
        "A directive does not expire by its age, and a row without a kind or an `added` date does not either.",
        "gatilho expire --dry-run",
        "gatilho expire --kind state --ttl-days 14",
    )
    days = command_options.number_of("days", 999_999)
    parser.add_argument("--ttl-days", metavar="N", type=days, help="instead of each kind's time to live")
    parser.add_argument("--kind", action="append", metavar="KIND", help="only rows of that kind, repeatable")
    parser.add_argument("--dry-run", action="store_true", help="show what would expire and write nothing")
    given = parser.parse_args(argv)
    with open_index(command_options.repository_of(given.root)) as index:
        return _expire(index, given)


def _expire(index: Index, given: argparse.Namespace) -> int:
    if not given.dry_run:
        terminal_guard.require("gatilho expire")
    _refuse_unknown_kinds(index, given.kind or ())
    _name_unknown_kinds(index)
    changes = _over(index, given)
    if not changes:
        render.line("Nothing expires.")
        return 0
    if given.dry_run:
        for change in changes:
            render.line(f"{change.row.place}  {change.row.id} would expire: {change.evidence}")
        return 0
    return _write(index, changes)


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


def _write(index: Index, changes: list[Change]) -> int:
    failed = False
    results = record.record_changes(index.repository.root, changes, command_context.context(index, "person"))
    for result in results:
        row = result.change.row
        if result.is_well:
            render.line(f"{row.place}  {row.id} expired: {result.change.evidence}")
        else:
            failed = True
            render.line(f"{row.place}  {row.id}: not written: {transition.why_not(result)}")
    transition.tell_ledger(results)
    return int(failed)


def _refuse_unknown_kinds(index: Index, named: "list[str] | tuple[str, ...]") -> None:
    """Raise UsageError for a configuration that cannot be read whole: a default in its place would end rows unasked."""
    wrong = next((problem for problem in index.problems() if problem.place.file in (FILE, PYPROJECT)), None)
    if wrong is not None:
        raise UsageError(f"{wrong.place}: {wrong.message}. {wrong.remedy} Nothing was written.")
    known = index.config.kinds
    for kind in named:
        if kind.casefold() not in known:
            raise UsageError(f"--kind {kind}: there is no such kind. Known here: {', '.join(known)}.")


def _name_unknown_kinds(index: Index) -> None:
    """Say which rows stay, whatever their age, because no one knows how long their kind lives."""
    for one in index.rows():
        row = one.row
        if row.in_force and row.kind and row.kind not in index.config.kinds and not row.store:
            render.line(
                f"{row.place}  {row.id} does not expire by its age: the kind {row.kind} is unknown; "
                "`gatilho check` explains what to do"
            )
