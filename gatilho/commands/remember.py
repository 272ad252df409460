"""`gatilho remember` (Writing): count a correction, and propose an edit where one fact is corrected again and again."""

import argparse
import os
import sys

from gatilho import dates, render
from gatilho.console import command_options, terminal_guard
from gatilho.console.row_view import no_rows
from gatilho.console.transition import raise_unless_recorded, tell_ledger
from gatilho.errors import ExitStatus, GatilhoError, UsageError
from gatilho.index.index import Index, open_index
from gatilho.ledger.lines import session_hash
from gatilho.memory import facts
from gatilho.memory.corrections import CorrectedFact, read_fact
from gatilho.model import Row
from gatilho.setup import file_changes
from gatilho.setup.file_changes import FileChange
from gatilho.store import command_context, record
from gatilho.store.change import Change, Context
from gatilho.tables import FOLDER
from gatilho.writing import form


def main(argv: list[str]) -> int:
    """Count one correction of a fact for a session; the edit is applied after a person's yes only."""
    given = _parser().parse_args(argv)
    fact = read_fact(given.fact)
    if fact is None:
        raise UsageError(f"remember: {given.fact!r} is no fact. Write `KEY: VALUE`, as in 'ORM: Prisma'.")
    if not (given.session or "").strip():
        raise UsageError("remember: name the session with --session ID; a correction counts once for each session.")
    with open_index(command_options.repository_of(given.root)) as index:
        return _remember(index, fact, session_hash(given.session.strip()))


def _parser() -> argparse.ArgumentParser:
    parser = command_options.parser(
        "remember",
        "Count one correction of a fact. After corrections in three sessions (`[corrections] threshold`) the edit is\n"
        "shown that makes them unnecessary, and applied after a person's yes. Without a terminal it is shown only,\n"
        "and the exit status is 3.",
        "gatilho remember 'ORM: Prisma (migrated 2026-03; no Sequelize models)' --session 4f1d",
    )
    parser.add_argument("fact", metavar="'KEY: VALUE'", help="what was corrected, and what is right")
    parser.add_argument("--session", metavar="ID", help="the session in which it was corrected (needed)")
    return parser


def _remember(index: Index, fact: CorrectedFact, session: str) -> int:
    if not os.path.isdir(f"{index.repository.root}/{FOLDER}"):
        raise GatilhoError(f"{no_rows(index.repository.root)} Nothing was counted.")
    by = terminal_guard.shell_of_agent() or "person"
    context = command_context.context(index, by).replace(session=session)
    facts.remember_fact(index.repository, fact)
    if session not in facts.sessions_that_corrected(index, fact.key):
        result = record.record_changes(index.repository.root, [Change(Row(fact.key), "corrected")], context)[0]
        raise_unless_recorded(result)
        index.renew()
        tell_ledger([result])
    else:
        render.line(f"{fact.key}: this session is counted already.")
    return _go_on(index, fact, context)


def _go_on(index: Index, fact: CorrectedFact, context: Context) -> int:
    """Say how far it has come, and show the edit where it is time for one."""
    count = len(facts.sessions_that_corrected(index, fact.key))
    said, edit = facts.propose_edit(index, fact, count, dates.today())
    for sentence in said:
        render.line(sentence)
    return ExitStatus.FINE if edit is None else _ask(index, edit, context)


def _ask(index: Index, edit: facts.Edit, context: Context) -> int:
    render.print_diff(file_changes.diff_of_changes(FileChange(*one) for one in edit.changes))
    for name in edit.ends:
        successor = f" by {edit.successor}" if edit.successor else ""
        render.line(f"{name} becomes `superseded {dates.today()}{successor}` and is kept.")
    if not sys.stdin.isatty() or terminal_guard.shell_of_agent():
        render.line(
            f"Nothing was applied: a person decides. Type `ok {edit.fact.key}` in the prompt, on a line of its own."
        )
        return ExitStatus.NEEDS_A_PERSON
    if not form.agrees("Apply it?"):
        render.line("Nothing was applied.")
        return ExitStatus.PROBLEMS
    return _apply(index, edit, context)


def _apply(index: Index, edit: facts.Edit, context: Context) -> int:
    results = facts.apply_correction(index, edit, context, "person")
    for result in results:
        raise_unless_recorded(result)
    for name, _, _ in edit.changes:
        render.line(f"{name}  written")
    tell_ledger(results)
    return ExitStatus.FINE
