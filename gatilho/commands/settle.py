"""`gatilho settle` (Settling): check all conditions now, with allowed commands, and mark debts paid or reopened."""

import argparse
import os
import sys
from typing import Any

from gatilho import dates, render
from gatilho.conditions import lastrun, supervisor
from gatilho.conditions.commands import NOT_ALLOWED, Commands
from gatilho.conditions.file_conditions import evaluate, evaluate_all
from gatilho.conditions.runnable import RUNS_GATILHO
from gatilho.console import command_options, lookup, terminal_guard, transition
from gatilho.errors import GatilhoError
from gatilho.index.index import Index, IndexedRow, open_index
from gatilho.index.packing import conditions_text
from gatilho.ladder import sessions
from gatilho.ladder.decide import paid_by_program
from gatilho.ladder.payments import evidence_of
from gatilho.lifecycle.state_cell import left_of
from gatilho.lifecycle.transitions import state_of
from gatilho.model import Row
from gatilho.plain import clean_line, counted, shell_word
from gatilho.store import command_context, record
from gatilho.store.change import PROGRESS, Change
from gatilho.store.head import condition_changed
from gatilho.verbs import Outcome, commands_in, paths_in, verb_of
from gatilho.workspace.tracked import store_left_out
from gatilho.workspace.workspace import Workspace

_WORDS = {"pay": "paid", "regress": "owed again", PROGRESS: "nearer to its payment"}


def main(argv: list[str]) -> int:
    """Settle the rows that are named, or all; 1 where something could not be recorded."""
    parser = command_options.parser(
        "settle",
        "Check the conditions of all debts: what holds is paid, and what the program paid lately and no longer holds "
        "is owed again.\nCommands that are allowed on this machine are run, but not in an agent's shell.",
        "gatilho settle",
        "gatilho settle D-7f3k --json",
    )
    parser.add_argument("id", metavar="ID", nargs="*", help="only these rows (default: all)")
    command_options.add_json(parser)
    given = parser.parse_args(argv)
    if os.environ.get(supervisor.MARK):
        raise GatilhoError(f"Refused: this runs as the command of a condition; {RUNS_GATILHO}.")
    with open_index(command_options.repository_of(given.root)) as index:
        return _settle(index, given)


def _settle(index: Index, given: argparse.Namespace) -> int:
    chosen = [lookup.row_called(index, one).row for one in given.id]
    settling = _Settling(index, {row.id for row in chosen}, given.json)
    settling.leave_out(chosen)
    settling.look_again()
    settling.look()
    settling.report_weakness()
    return settling.write()


class _Settling:
    """One run of the command: what it found, and the changes that follow from it."""

    def __init__(self, index: Index, chosen: set[str], as_json: bool) -> None:
        self.index = index
        self.chosen = chosen
        self.as_json = as_json
        self.workspace = Workspace(index)
        self.commands = Commands(index.repository, index.config.conditions, None, _barred())
        self.commands.on_start = self._announce
        self.changes: list[Change] = []
        self.rows: list[dict[str, Any]] = []
        self.still_paid = 0

    def leave_out(self, rows: list[Row]) -> None:
        """Say of rows that somebody named why there is nothing to look at."""
        for row in rows:
            name, state = row.id.strip(), state_of(row)
            if row.store:
                self._say(
                    row, "left out", f"{name} is kept in {row.store}: hooks look at its conditions, this does not."
                )
            elif not row.owed and not row.struck:
                what = "a rule" if state == "rule" else state
                self._say(row, "left out", f"{name} is {what}: there is nothing to pay.")
            elif not row.conditions:
                how = f"`gatilho pay {shell_word(name)} --why TEXT` marks it as paid."
                self._say(row, "left out", f"{name} names no condition: {how}")

    def look(self) -> None:
        """Look at the conditions of every owed debt."""
        for found in self.index.owed():
            row = found.row
            if row.conditions and not row.store and not row.shared and self._is_chosen(row):
                self._look_at(found)

    def report_weakness(self) -> None:
        """Say what the sandbox of the commands that ran does not give."""
        if self.commands.missing:
            render.line(self.commands.weakness, sys.stderr if self.as_json else None)

    def look_again(self) -> None:
        """Look at the conditions of the debts that the program paid within the last weeks, commands included."""
        days = self.index.config.conditions.recheck_weeks * 7
        since = dates.days_before(days)
        for found in paid_by_program(self.index, since):
            row = found.row
            if row.store or not self._is_chosen(row):
                continue
            outcome = self._outcome(row)
            self.still_paid += outcome.holds
            if not outcome.holds and not outcome.undecided:
                self.changes.append(Change(row, "regress", found.header, evidence=outcome.reason))

    def write(self) -> int:
        """Record what was found: the exit status."""
        context = command_context.context(self.index, "program")
        failed = self._leave_out_changed()
        results = record.record_changes(self.index.repository.root, self.changes, context) if self.changes else []
        for result in results:
            row, change = result.change.row, result.change
            if result.is_well:
                word = _WORDS[change.action]
                self._say(row, word, f"{row.id} is {word}: {change.evidence}")
            else:
                failed = True
                self._say(row, "not written", f"{row.id}: not written: {transition.why_not(result)}")
        if self.as_json:
            render.print_json({"rows": self.rows, "ledger": transition.ledger_files_of(results)})
            return int(failed)
        if not self.rows:
            reasons = [] if self.chosen else ["no owed debt has a condition"]
            if self.still_paid:
                reasons.append(f"what paid {counted(self.still_paid, 'debt')} lately still holds")
            why = f": {', and '.join(reasons)}" if reasons else ""
            render.line(store_left_out(self.index.repository.root) or f"Nothing to settle{why}.")
        transition.tell_ledger(results)
        return int(failed)

    def _leave_out_changed(self) -> bool:
        """Drop what was found about rows that changed meanwhile, as commands can take long; whether any was dropped."""
        self.index.renew()
        kept = []
        for change in self.changes:
            row = change.row
            now = [one.row for one in self.index.rows_with_id(row.id) if one.row.store == row.store]
            if len(now) == 1 and _as_settled(now[0]) == _as_settled(row):
                kept.append(change)
            else:
                self._say(row, "not written", f"{row.id} changed in the meantime: run `gatilho settle` again")
        dropped = len(kept) < len(self.changes)
        self.changes = kept
        return dropped

    def _announce(self, text: str) -> None:
        """Name a command when it is started, on standard error: it may take long."""
        limit = self.index.config.conditions.timeout
        render.line(f"running `{text}` (at most {limit} s)", sys.stderr)

    def _look_at(self, found: IndexedRow) -> None:
        row = found.row
        outcome = self._outcome(row)
        if not outcome.holds:
            self._note_failing(row, outcome)
            self._say(row, "owed", f"{row.id} stays owed: {self._why(row, outcome)}")
            said = left_of(row.state_text)
            if outcome.left and (said is None or outcome.left < said):
                evidence = f"{outcome.left} left"
                self.changes.append(Change(row, PROGRESS, found.header, evidence=evidence, number=outcome.left))
            self._show_output(row)
        elif doubt := self._doubt(found, outcome):
            either = "the debt is paid, or its condition is wrong. Strike its id, or correct its `paid when` cell."
            self._say(row, "not believed", f"{row.id}: its condition {doubt}: {either}")
        else:
            evidence = evidence_of(row.conditions, outcome)
            self.changes.append(Change(row, "pay", found.header, evidence=evidence))

    def _doubt(self, found: IndexedRow, outcome: Outcome) -> str:
        """Return why a condition that holds is not believed, "" where it is."""
        if self.workspace.was_seen_failing(found):
            return ""
        if condition_changed(self.index, found.row):
            return f"replaced another one and is already true ({outcome.evidence})"
        return (
            f"is already true ({outcome.evidence}), and HEAD does not have it" if self.workspace.is_new(found) else ""
        )

    def _outcome(self, row: Row) -> Outcome:
        """Return what the conditions come to; a command is run only where all that is before it holds."""
        files = tuple(one for one in row.conditions if not verb_of(one).runs_command)
        if all(evaluate(one, self.workspace.tree, self.workspace.budget).holds for one in files):
            for text in commands_in(row.conditions):
                with render.waiting(f"running {row.id.strip()}: {text}"):
                    outcome = self.commands.look(text)
                if outcome is None or not outcome.holds:
                    break
        return evaluate_all(row.conditions, self.workspace.tree, self.workspace.budget, self.commands.outcomes)

    def _show_output(self, row: Row) -> None:
        """Print for people the last lines of a command that did not pass now, and the file with them all."""
        for text in commands_in(row.conditions):
            ran = self.commands.ran.get(text)
            last = lastrun.last_run_of(self.index.repository, text) if ran is not None else None
            if not self.as_json and last is not None and not self.commands.outcomes[text].holds:
                for line in last.last_lines():
                    render.line(f"    {line}")
                if last.log:
                    render.line(f"    whole output: {last.log}")

    def _why(self, row: Row, outcome: Outcome) -> str:
        if NOT_ALLOWED in outcome.reason.split("; "):
            return f"{outcome.reason}; run `gatilho allow {shell_word(row.id)}` in your own terminal"
        if not outcome.gone:
            return outcome.reason
        moved = next(filter(None, map(self.workspace.moved_to, paths_in(row.conditions))), "")
        return f"anchor gone, {outcome.reason}{moved and f'; git follows it to {moved}'}"

    def _note_failing(self, row: Row, outcome: Outcome) -> None:
        """Remember that a condition failed here, so that it is believed when it holds, in a row that is new as well."""
        if not outcome.undecided:
            with sessions.Transaction(self.index.repository.shared_state) as database:
                condition = conditions_text(row.conditions)
                sessions.note_condition(database, sessions.FAILING, (row.store, row.id), condition)

    def _is_chosen(self, row: Row) -> bool:
        return not self.chosen or row.id in self.chosen

    def _say(self, row: Row, result: str, said: str) -> None:
        said = clean_line(said)
        self.rows.append({"id": row.id, "file": row.file, "line": row.line, "result": result, "said": said})
        if not self.as_json:
            render.line(f"{clean_line(row.place)}  {said}")


def _barred() -> str:
    """Return why no command is run here: what may be run on this machine is not for an agent to start."""
    host = terminal_guard.host_of_shell()[0]
    return f"commands are not run in the shell of {host}" if host else ""


def _as_settled(row: Row) -> tuple[object, ...]:
    """Return what of a row decides whether it is settled."""
    return row.struck, row.state_text, row.lifecycle, conditions_text(row.conditions)
