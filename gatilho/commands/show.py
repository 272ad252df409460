"""`gatilho show` (Reading): show everything about one row."""

import argparse
from typing import Any

from gatilho import render
from gatilho.compare.facts import in_plain_text
from gatilho.compare.life_facts import by_whom
from gatilho.conditions import account, lastrun
from gatilho.conditions.allowed import is_allowed
from gatilho.conditions.file_conditions import evaluate
from gatilho.conditions.moved import new_path
from gatilho.console import command_options, lookup, row_view
from gatilho.console.row_view import Page
from gatilho.document.condition_grammar import in_words
from gatilho.index.index import IndexedRow, open_index
from gatilho.ladder.messages import rides_in_words, scope_of
from gatilho.ledger.lines import Entry
from gatilho.lifecycle.transitions import state_of
from gatilho.model import Condition, Row, Trigger
from gatilho.verbs import Outcome, verb_of
from gatilho.workspace.reach import PATH_KINDS
from gatilho.workspace.row_examples import example_spans
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


def _show(scope: Workspace, given: argparse.Namespace) -> None:
    found = lookup.rows_called(scope.index, given.id)
    if given.json:
        render.print_json({"rows": [_as_json(one, scope) for one in found]})
        return
    for number, one in enumerate(found):
        _Sheet(scope, one).show(apart=number > 0)
    if len(found) > 1:
        render.line(
            f"\n{len(found)} rows have this id: both speak, and neither is written. Give one of them another id."
        )


class _Sheet:
    """One row on the terminal or in a pipe."""

    def __init__(self, scope: Workspace, found: IndexedRow) -> None:
        self.scope = scope
        self.found = found
        self.row = found.row
        self.match = row_view.match_of(scope.index, found)
        self.entries = scope.index.entries(self.row.id, self.row.store)
        self.page = Page()

    def show(self, apart: bool) -> None:
        row = self.row
        if apart:
            self.page.gap()
        self.page.title(f"{row.id}  {row.lifecycle}, {self._state()}")
        new = ", not committed yet" if self.scope.is_new(self.found) else ""
        scope = f", {scope_of(row)} store" if row.store else ""
        self.page.line(f"{row.place}{scope}{new}")
        self.page.line(row.note, 2)
        self._section(
            "Speaks by", [self._trigger(trigger) for trigger in row.triggers] or ["nothing: it has no trigger"]
        )
        if row.is_debt:
            self._section("Paid when", self._conditions(row.conditions) or ["a person strikes its id"])
        if row.holds_while:
            self._section("Holds while", self._conditions(row.holds_while))
        if row.violated_when:
            self._section("Violated when", self._conditions(row.violated_when))
        examples = example_spans(self.scope.sources, self.found)
        if examples:
            self._section("Examples", examples)
        self._section("Rides", [self._rides()])
        more = [
            f"{name.replace('_', ' ')}: {getattr(row, name)}"
            for name in row_view.OPTIONAL
            if getattr(row, name) not in ("", None)
        ]
        own = self.scope.sources.own_cells(self.found.path, row.line, self.found.header)
        more += [f"{name}: {text}" for name, text in own.items() if text]
        if more:
            self._section("Also", more)
        if self.entries:
            self._section("Ledger", [_entry_in_words(entry) for entry in self.entries])
        if not row.in_force:
            self._section("Ended", [self._ending(), f"To bring it back: gatilho reinstate {row.id.strip()} --why TEXT"])

    def _state(self) -> str:
        words = row_view.state_in_words(self.match, self.scope.index, self.scope.today)
        return words.removeprefix("rule, ") if words != "rule" else "in force"

    def _section(self, title: str, lines: list[str]) -> None:
        self.page.gap()
        self.page.title(title)
        for line in lines:
            self.page.line(line, 2)

    def _trigger(self, trigger: Trigger) -> str:
        if trigger.kind == "mark":
            names = self.scope.marks.get(trigger.pattern.strip(), [])
            return f"{trigger}  (in {', '.join(names) or 'no tracked file'})"
        if self.row.store or trigger.kind not in PATH_KINDS or not self.scope.reach.names:
            return str(trigger)
        names = self.scope.reach.matches(trigger)
        if not names:
            return f"{trigger}  (matches no tracked file)"
        first = names[0] if len(names) == 1 else f"{names[0]}, …"
        return f"{trigger}  (matches {len(names)} tracked {'file' if len(names) == 1 else 'files'}: {first})"

    def _conditions(self, conditions: tuple[Condition, ...]) -> list[str]:
        lines = []
        for one in conditions:
            if verb_of(one).runs_command:
                lines += self._command(one)
            else:
                outcome = self._evaluated(one)
                lines.append(f"{in_words(one)}: {verb_of(one).result(outcome)}{self._moved(one, outcome)}")
        return lines

    def _command(self, condition: Condition) -> list[str]:
        """Return whether a command may run here, what its last run came to, and the last lines of its output."""
        head, *lines = account.account_of_command(self.scope.repository, self.row.id, condition.argument, lastrun.SHOWN)
        return [f"{in_words(condition)}: {head}", *lines]

    def _moved(self, condition: Condition, outcome: Outcome) -> str:
        path = new_path(self.scope.root, condition.argument) if outcome.gone and not self.row.store else ""
        return f"; git follows it to {path}" if path else ""

    def _evaluated(self, condition: Condition) -> Outcome:
        return evaluate(condition, self.scope.tree, self.scope.budget)

    def _rides(self) -> str:
        row, config = self.row, self.scope.index.config
        said = row_view.rides_in_force(self.match)
        if not row.is_debt:
            return f"{said}; a rule is counted and never asked about"
        limit = config.ask_after if row.ask_after is None else row.ask_after
        bar = row_view.rides_as_bar(self.match, self.scope.index)
        said = f"{bar} {said}" if bar else said
        return f"{said}; a write is asked about from {limit} on"

    def _ending(self) -> str:
        """Return what the row was, when it ended and why, by its ledger as far as that goes."""
        state = state_of(self.row)
        was = "a debt that was owed" if self.row.is_debt else "a rule"
        last = self.scope.index.tally(self.row).state
        if last is None or last.event in ("reinstated", "regressed"):
            return f"It was {was}; {state} by hand, with no entry in the ledger."
        said = last.evidence or "no reason given"
        by = in_plain_text(by_whom(last.by)) or "by an unknown author"
        return f"It was {was}; {last.event} {_to_the_second(last.when)} {by}: {said}"


def _to_the_second(when: str) -> str:
    """Return a time of the ledger as a person reads it: the milliseconds only keep the order."""
    return when.partition(".")[0]


def _entry_in_words(entry: Entry) -> str:
    parts = [_to_the_second(entry.when), entry.event]
    parts += [rides_in_words(entry.rides)] if entry.rides is not None else []
    parts += [f"session {entry.session}"] if entry.session else []
    parts += [f"at {entry.commit[:10]}"] if entry.commit else []
    parts += [in_plain_text(by_whom(entry.by))] if entry.by else []
    return f"{', '.join(parts)}{f': {entry.evidence}' if entry.evidence else ''}"


def _as_json(found: IndexedRow, scope: Workspace) -> dict[str, Any]:
    row = found.row
    match = row_view.match_of(scope.index, found)
    entries = scope.index.entries(row.id, row.store)
    return {
        **row_view.row_as_json(match, scope.index, scope.today, scope.sources),
        "committed": not scope.is_new(found),
        "shared": row.shared,
        "conditions": [_condition_as_json(one, scope) for one in row.conditions],
        "reach": _reach(row, scope),
        "ledger": [entry.as_dict() for entry in entries],
    }


def _condition_as_json(condition: Condition, scope: Workspace) -> dict[str, Any]:
    outcome = evaluate(condition, scope.tree, scope.budget)
    command = condition.argument if verb_of(condition).runs_command else ""
    last = lastrun.last_run_of(scope.repository, command) if command else None
    return {
        "text": condition.text,
        **({"allowed": is_allowed(scope.repository, command)} if command else {}),
        **({"last_run": last.as_dict()} if last else {}),
        **({"moved_to": new_path(scope.root, condition.argument)} if outcome.gone else {}),
        "holds": outcome.holds,
        "evidence": outcome.evidence,
        "reason": outcome.reason,
        "undecided": outcome.undecided,
        "gone": outcome.gone,
    }


def _reach(row: Row, scope: Workspace) -> list[dict[str, Any]]:
    """Return how many tracked files each path trigger matches."""
    if row.store:
        return []
    return [
        {"trigger": str(trigger), "files": len(scope.reach.matches(trigger))}
        for trigger in row.triggers
        if trigger.kind in PATH_KINDS
    ]
