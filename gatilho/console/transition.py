"""What `pay`, `reinstate`, `set` and their like share: a person's word, one row, one record, and what it changed."""

import argparse
import sys
from collections.abc import Callable, Iterable

from gatilho import dates, render
from gatilho.console import command_options, lookup, terminal_guard
from gatilho.errors import ConflictError, GatilhoError, UsageError
from gatilho.index.index import Index, IndexedRow, open_index
from gatilho.ladder.decide import is_past
from gatilho.plain import shell_word
from gatilho.store import command_context, record, typed
from gatilho.store.change import Change, Result, Status
from gatilho.tables import PERSONAL
from gatilho.workspace.sources import Sources


def transition_parser(name: str, summary: str, *examples: str, why: str = "needed") -> argparse.ArgumentParser:
    """Return the parser of a command that settles one row. why: a reason is "needed", "possible" or not asked ("")."""
    made = command_options.parser(name, summary, *examples)
    made.add_argument("id", metavar="ID", help="the row's id")
    if why:
        made.add_argument("--why", metavar="TEXT", required=why == "needed", help="the reason, which the ledger keeps")
    return made


def run_transition(
    name: str,
    given: argparse.Namespace,
    refuse: Callable[[Index, IndexedRow], None] | None = None,
    **wish: object,
) -> int:
    """Make the transition of that name and say what changed; raises GatilhoError where it may not be made.

    refuse: raises what the row's surroundings have against it. wish: further fields of the change.
    """
    why = getattr(given, "why", None)
    if why is not None and not why.strip():
        raise UsageError(f"{name} {given.id}: give a reason, as in --why 'fixed in the release branch'.")
    with open_index(command_options.repository_of(given.root)) as index:
        by = _who(name, given, index)
        found = lookup.row_called(index, given.id)
        if refuse is not None:
            refuse(index, found)
        change = Change(found.row, name, found.header, evidence=(why or "").strip(), **wish)  # type: ignore[arg-type]
        return _record(index, found, change, by)


def _record(index: Index, found: IndexedRow, change: Change, by: str) -> int:
    before = Sources().cells(found)
    result = record.record_changes(index.repository.root, [change], command_context.context(index, by))[0]
    if result.status == Status.NOTHING:
        render.line(result.reason)
        return 0
    raise_unless_recorded(result)
    typed.note_typed(index.repository, found.row.id, change.action, sys.stdin.isatty())
    index.renew()
    _tell(index, found, before, result)
    return 0


def ledger_files_of(results: Iterable[Result]) -> list[str]:
    """Return the names of the files that the ledger got, sorted."""
    return sorted({one.ledger_file for one in results if one.ledger_file})


def tell_ledger(results: Iterable[Result]) -> None:
    """Name the files that the ledger got, which belong into one commit with the tables, a person's own apart."""
    for name, store in sorted({(one.ledger_file, one.change.row.store) for one in results if one.ledger_file}):
        render.line(f"{name}  written{'' if store == PERSONAL else '; commit it together with the table'}")


def why_not(result: Result) -> str:
    """Return why a change was not recorded, and what a person does about it."""
    return f"{result.reason} Finish or abort it, then try again." if result.status == Status.BUSY else result.reason


def _who(name: str, given: argparse.Namespace, index: Index) -> str:
    """Return who makes the transition: a person, or an agent that `unattended = "record"` lets waive."""
    if name == "waive" and index.config.unattended == "record":
        agent = terminal_guard.acting_agent()
        if agent and not given.until:
            raise UsageError(f"waive {given.id}: an agent may only waive until a date: add --until YYYY-MM-DD.")
        return agent or "person"
    terminal_guard.require(_as_typed(name, given))
    return "person"


def _as_typed(name: str, given: argparse.Namespace) -> str:
    """Return the command as its owner would type it."""
    further = (getattr(given, key, None) for key in ("number", "new"))
    words = [name, *(shell_word(str(one)) for one in (given.id, *further) if one not in (None, ""))]
    words += [f"--until {given.until}"] if getattr(given, "until", None) else []
    return " ".join(["gatilho", *words, *(["--why TEXT"] if hasattr(given, "why") else [])])


def raise_unless_recorded(result: Result) -> None:
    """Raise GatilhoError with the reason where a change was not recorded whole."""
    if result.is_well:
        return
    if result.ledger_file:
        raise ConflictError(
            f"{result.reason} The ledger has it ({result.ledger_file}), and the table follows when the row is next "
            "written."
        )
    raise ConflictError(why_not(result)) if result.may_wait else GatilhoError(result.reason)


def _tell(index: Index, found: IndexedRow, before: dict[str, str], result: Result) -> None:
    """Print the cells that changed, the count where it did, and the ledger's file."""
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
    if result.change.action == "reinstate" and is_past(now.row, dates.today()):
        render.line(f"{place}  it is not delivered: its date, {now.row.expires}, is past. Change that too.")
    tell_ledger([result])
