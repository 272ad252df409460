"""What `pay`, `reinstate`, `set` and their like share: a person's word, one row, one record, and what it changed."""

import argparse
import os
import sys
import time

from gatilho import render
from gatilho.checks.sources import Sources
from gatilho.commands import lookup, options, person
from gatilho.errors import ConflictError, GatilhoError, UsageError
from gatilho.store import gitstate, record
from gatilho.store.change import Change, Context, Result, Status
from gatilho.store.index import Index, IndexedRow, open_index
from gatilho.store.tables import stores_of

# Seconds that a person's command waits for hooks that are writing.
_PATIENCE = 10.0


def parser(name: str, summary: str, *examples: str) -> argparse.ArgumentParser:
    """The parser of a command that settles one row for a reason."""
    made = options.parser(name, summary, *examples)
    made.add_argument("id", metavar="ID", help="the row's id")
    made.add_argument("--why", metavar="TEXT", required=True, help="the reason, which the ledger keeps")
    return made


def run(name: str, given: argparse.Namespace, **wish: object) -> int:
    """Make the transition of that name and say what changed; raises GatilhoError where it may not be made."""
    if not given.why.strip():
        raise UsageError(f"{name} {given.id}: say why, as in --why 'fixed in the release branch'.")
    person.require(_as_typed(name, given), os.environ, sys.stdin.isatty())
    index = open_index(options.repository_of(given.root))
    found = lookup.row_called(index, given.id)
    before = Sources().cells(found)
    change = Change(found.row, name, found.header, evidence=given.why.strip(), **wish)  # type: ignore[arg-type]
    result = record.write(index.repository.root, [change], _context(index))[0]
    if result.status == Status.NOTHING:
        render.line(result.reason)
        return 0
    _raise_unless_recorded(result)
    index.renew()
    _tell(index, found, before, result)
    return 0


def _as_typed(name: str, given: argparse.Namespace) -> str:
    """The command as its owner would type it."""
    number = f" {given.number}" if name == "set" else ""
    return f"gatilho {name} {given.id}{number} --why TEXT"


def _context(index: Index) -> Context:
    repository = index.repository

    def entries_now(row_id: str, store: str):  # type: ignore[no-untyped-def]
        index.renew()
        return index.entries(row_id, store)

    return Context(
        now=time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime()),
        session="",
        commit=gitstate.head(repository.git_dir, repository.common_dir),
        by="person",
        lock=f"{repository.shared_state}/lock",
        git_dir=repository.git_dir,
        entries_of=entries_now,
        stores=stores_of(repository.root, index.config.stores),
        rides_in=index.config.rides_in,
        wait=_PATIENCE,
        whole_document=True,
    )


def _raise_unless_recorded(result: Result) -> None:
    if result.is_well:
        return
    if result.ledger_file:
        raise ConflictError(
            f"{result.reason} The ledger has it ({result.ledger_file}), and the table follows when the row is next "
            "written."
        )
    raise ConflictError(result.reason) if result.may_wait else GatilhoError(result.reason)


def _tell(index: Index, found: IndexedRow, before: dict[str, str], result: Result) -> None:
    """The cells that changed, the count where it did, and the ledger's file."""
    now = next((one for one in index.rows_with_id(found.row.id) if one.row.store == found.row.store), found)
    after = Sources().cells(now)
    place = now.row.place
    changed = [column for column, text in after.items() if before.get(column, "") != text]
    for column in changed:
        render.line(f"{place}  {column}: {before.get(column) or '(empty)'} -> {after[column] or '(empty)'}")
    if result.old_count != result.new_count and before.get("rides") != str(result.old_count):
        render.line(f"{place}  rides in force: {result.old_count} -> {result.new_count}")
    if not changed:
        render.line(f"{place}  no cell had to change")
    if result.ledger_file:
        render.line(f"{result.ledger_file}  written; commit it together with the table")
