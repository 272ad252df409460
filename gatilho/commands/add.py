"""`gatilho add` (Writing): add a row, checked before it is written."""

import argparse
import os
import sys
from typing import Any

from gatilho import dates, render
from gatilho.config import KINDS
from gatilho.console import command_options, lookup, terminal_guard
from gatilho.console.row_view import no_rows
from gatilho.console.transition import raise_unless_recorded, tell_ledger
from gatilho.document.cells import PREFIXES
from gatilho.document.draft import Draft, mint, without_escaped_pipes
from gatilho.document.examples import FORMS
from gatilho.errors import ExitStatus, GatilhoError, NeedsPerson, UsageError
from gatilho.git.nested import listed_stores
from gatilho.index.index import Index, IndexedRow, open_index
from gatilho.lifecycle import transitions
from gatilho.plain import shell_word
from gatilho.setup import file_changes
from gatilho.setup.file_changes import FileChange
from gatilho.store import agent_rows, command_context, placement, record
from gatilho.store.change import Change
from gatilho.store.head import uncommitted
from gatilho.tables import documents_by_name
from gatilho.verbs import Outcome, commands_in, verb_words
from gatilho.workspace.tracked import store_left_out
from gatilho.writing import form, proposal, relatives
from gatilho.writing.proposal import Proposal

_REGEX_KINDS = tuple(f"{prefix}:" for prefix in PREFIXES if prefix != "glob")


def main(argv: list[str]) -> int:
    """Write a row into the table that suits it, or show it."""
    given = _parser().parse_args(argv)
    with open_index(command_options.repository_of(given.root)) as index:
        try:
            return _Adding(index, given).run()
        except EOFError:
            render.line("\nNothing was written.")
            return ExitStatus.PROBLEMS


# A trigger and a condition name their kind in the text; "" is a text without an option.
_INSTEAD = {
    "": "--note",
    **{f"--{lifecycle}": f"--lifecycle {lifecycle}" for lifecycle in ("debt", "rule")},
    **{f"--{kind}": "--trigger" for kind in (*PREFIXES, "command", "start")},
    **{f"--{verb}": "--paid-when" for verb in (*verb_words(), "condition")},
}


def _parser() -> argparse.ArgumentParser:
    parser = command_options.parser(
        "add",
        "Add a rule or a debt. On a terminal it asks for what is not given. The row is checked as by `gatilho check`,\n"
        "its condition is evaluated, and nothing is written where something is wrong.",
        "gatilho add --note 'deploy.sh waits with a fixed sleep.' --trigger 'path: ^scripts/deploy\\.sh$' "
        "--paid-when 'lacks scripts/deploy.sh sleep 30'",
        "gatilho add --note 'Run make client after a schema change.' --trigger 'write: ^api/schema\\.py$' --dry-run",
    )
    parser.instead = _INSTEAD  # type: ignore[attr-defined]
    _add_cells(parser.add_argument_group("the row"))
    parser.add_argument(
        "--file", metavar="FILE", default="", help="the table's file below docs/gatilhos; made if missing"
    )
    said = parser.add_argument_group("if a row says the same, or its key says otherwise")
    choice = said.add_mutually_exclusive_group()
    choice.add_argument("--update", metavar="ID", default="", help="change that row instead of adding one")
    choice.add_argument(
        "--supersedes", metavar="ID", default="", help="add the row, and mark that one as superseded by it"
    )
    said.add_argument("--anyway", action="store_true", help="add the row beside it")
    parser.add_argument("--dry-run", action="store_true", help="show what would be written, write nothing")
    command_options.add_json(parser)
    return parser


def _add_cells(row: "argparse._ArgumentGroup") -> None:
    def add_list(name: str, metavar: str, what: str) -> None:
        row.add_argument(name, metavar=metavar, action="append", default=[], help=what)

    row.add_argument("--note", metavar="TEXT", default="", help="one sentence that the agent reads")
    forms = "`path: REGEX`, `glob: PATTERN`, `cmd: REGEX`"
    add_list("--trigger", "TRIGGER", f"what makes it speak: {forms}; repeatable")
    add_list("--paid-when", "CONDITION", "what pays it, as in `lacks PATH REGEX`; repeatable, all must hold")
    row.add_argument("--lifecycle", choices=("debt", "rule"),
                     help="default: debt if there is a condition, else rule")  # fmt: skip
    kinds = f"{', '.join(KINDS)}, one of the configuration's, or {form.NO_KIND}"
    row.add_argument("--kind", metavar="KIND", help=kinds)
    add_list("--holds-while", "CONDITION", "of a rule: it may be stale where this does not hold")
    add_list("--violated-when", "CONDITION", "of a rule: by what one sees that it was broken")
    add_list("--example", "EXAMPLE", f"what its triggers match and what not: {FORMS}; repeatable")
    for name, metavar, what in (
        ("key", "KEY", "what it is about: two rows with one key and different notes contradict each other"),
        ("owner", "OWNER", "who looks after it"),
        ("expires", "DATE", "the last day on which it is delivered"),
        ("not-before", "DATE", "the day from which it is delivered"),
        ("ask-after", "N", "rides after which a write is asked about"),
        ("id", "ID", "its id (default: a new one)"),
    ):
        row.add_argument(f"--{name}", metavar=metavar, default="", help=what)


def _draft_of(given: argparse.Namespace) -> Draft:
    conditions = tuple(given.paid_when)
    if conditions and given.lifecycle == "rule":
        raise UsageError(
            "add: --paid-when pays a debt. Say `--lifecycle debt`, or `--violated-when` for what shows that the rule "
            "was broken."
        )
    return Draft(
        lifecycle=given.lifecycle or ("debt" if conditions else "rule"),
        triggers=tuple(map(_without_escaped_pipes, given.trigger)),
        note=given.note.strip(),
        conditions=tuple(map(_without_escaped_pipes, conditions)),
        kind="" if given.kind == form.NO_KIND else (given.kind or "").strip(),
        key=given.key.strip(),
        owner=given.owner.strip(),
        expires=given.expires.strip(),
        not_before=given.not_before.strip(),
        ask_after=given.ask_after.strip(),
        holds_while=tuple(map(_without_escaped_pipes, given.holds_while)),
        violated_when=tuple(map(_without_escaped_pipes, given.violated_when)),
        examples=tuple(map(str.strip, given.example)),
        id=given.id.strip(),
    )


def _without_escaped_pipes(text: str) -> str:
    """Return a trigger or a condition that needs no two backslashes in a cell, where its pattern is a regex."""
    word = text.split(None, 1)[0] if text.strip() else ""
    is_regex = word in ("contains", "lacks", "count") or word.startswith(_REGEX_KINDS) or ":" not in word
    return without_escaped_pipes(text) if is_regex and word != "passes" else text


class _Adding:
    """One call of the command."""

    def __init__(self, index: Index, given: argparse.Namespace) -> None:
        self.index = index
        self.given = given
        self.root = index.repository.root
        self.today = dates.today()
        self.agent = terminal_guard.shell_of_agent()
        self.asks = sys.stdin.isatty() and not given.json and not self.agent
        self.with_form = self.asks and not given.update and not (given.note and given.trigger)
        if given.anyway and (given.update or given.supersedes):
            raise UsageError("--anyway adds the row beside the others: leave --update and --supersedes out.")
        self.update, self.supersedes, self.anyway = given.update.strip(), given.supersedes.strip(), given.anyway
        self.said: dict[str, Any] = {}
        self.answered = Draft()

    def run(self) -> int:
        draft = self.answered = self._asked(_draft_of(self.given))
        self._refuse_for_agent(draft)
        made = self._proposed(draft)
        status = self._refuse_problems(made) or self._decide(made)
        if not status and self.update and not self.given.update:  # decided on just now
            self._refuse_for_agent(draft)
            made = self._proposed(self.answered)
            status = self._refuse_problems(made)
        return self._end(status, made) if status else self._write(made)

    def _asked(self, draft: Draft) -> Draft:
        if self.with_form:
            draft = form.ask_in_form(draft)
        if not self.update:
            missing = [name for name, there in (("--note", draft.note), ("--trigger", draft.triggers)) if not there]
            if missing:
                raise UsageError(f"add: give {' and '.join(missing)}; `gatilho help add` shows the forms.")
        return draft

    def _refuse_for_agent(self, draft: Draft) -> None:
        """Raise NeedsPerson for what an agent may not write into a table either."""
        if not self.agent:
            return
        if any(text.split(None, 1)[:1] == ["passes"] for text in draft.conditions):
            raise NeedsPerson(
                "Refused: an agent may not add a condition that runs a command. Write one about files, such as "
                "`contains PATH REGEX`, or leave the row to the owner."
            )
        if self.supersedes:
            raise NeedsPerson(
                "Refused: only a person may supersede a row. Run "
                f"`gatilho supersede {shell_word(self.supersedes)}` in your own terminal."
            )
        if self.update:
            self._refuse_reworded_debt(draft)

    def _refuse_reworded_debt(self, draft: Draft) -> None:
        found = lookup.row_called(self.index, self.update)
        changes = draft.triggers or draft.conditions or draft.ask_after
        is_committed = found.row.id not in (ids := uncommitted(self.index, found.file_number)) and "*" not in ids
        if found.row.owed and is_committed and changes:
            raise NeedsPerson(
                f"Refused: {found.row.id} is owed, and only a person may change its triggers or its conditions. "
                "An agent may reword its note."
            )

    def _proposed(self, draft: Draft) -> Proposal:
        if self.update:
            found = lookup.row_called(self.index, self.update)
            if found.row.store:
                raise GatilhoError(f"{found.row.id} is not in this repository's store ({found.row.place}).")
            return proposal.propose_update(self.root, found, draft.replace(added=self.today))
        if not documents_by_name(listed_stores(self.root)) and (store_left_out(self.root) or not self.given.file):
            raise GatilhoError(f"{no_rows(self.root)} Nothing was written.")
        file = command_options.table_file(self.given, self.root)
        place = placement.choose(self.root, self.index.config, draft, file)
        if "kind" in place.columns and not draft.kind and self.given.kind is None:
            draft = draft.replace(kind=self._kind())
        if self.with_form and place.data is not None:
            draft = self.answered = form.ask_extras(draft, place.columns, self.today)
        if "added" in place.columns or place.data is None:
            draft = draft.replace(added=draft.added or self.today)
            place = place if place.data is not None else placement.new_place(place.name, draft)
        return proposal.propose(self.root, place, draft.replace(id=self._id(draft)))

    def _kind(self) -> str:
        kinds = self.index.config.kinds
        if not self.asks:
            raise UsageError(f"add: say of which kind the row is: --kind {', '.join(kinds)} or {form.NO_KIND}.")
        self.given.kind = form.ask_kind(kinds) or form.NO_KIND
        return "" if self.given.kind == form.NO_KIND else str(self.given.kind)

    def _id(self, draft: Draft) -> str:
        if not draft.id:
            return mint(draft.lifecycle, self._is_taken, os.urandom)
        fault = transitions.why_no_id(draft.id)
        if fault:
            raise UsageError(f"add: {fault}.")
        if self._is_taken(draft.id):
            raise UsageError(f"add: {draft.id} is, or was, the id of another row. Leave out --id to have a new one.")
        return draft.id

    def _is_taken(self, name: str) -> bool:
        return bool(self.index.ids_in_any_case(name) or self.index.entries(name))

    def _refuse_problems(self, made: Proposal) -> int:
        """Show what `check` would find in the row; an exit status where it would refuse it, 0 where not."""
        found = proposal.find_problems(self.index, made)
        self.said["problems"] = [render.problem_as_json(one) for one in found]
        if not self.given.json:
            render.print_problems(found)
        if all(one.severity == "note" for one in found):
            return ExitStatus.FINE
        self._line("Nothing was written.")
        return ExitStatus.PROBLEMS

    def _decide(self, made: Proposal) -> int:
        """Ask about rows that say the same or otherwise; an exit status where nothing is to be written, 0 to go on."""
        if self.supersedes:
            self._superseded()
        found = relatives.find_relatives(made.row, self.index.rows())
        self.said["relatives"] = [_relative_as_json(one) for one in found]
        open_ones = [one for one in found if one.found.row.id not in (self.update, self.supersedes)]
        return ExitStatus.FINE if self.anyway or not open_ones else self._choose(open_ones, made)

    def _choose(self, found: list[relatives.Relative], made: Proposal) -> int:
        for one in found:
            self._line(relatives.relatives_in_words(one, made.row))
        ids = list(dict.fromkeys(one.found.row.id for one in found))
        verb, chosen = form.ask_choice(ids) if self.asks else ("", "")
        if verb:
            self.update = chosen if verb == "update" else ""
            self.supersedes = chosen if verb == "supersedes" else ""
            return ExitStatus.FINE
        self._line(
            f"Nothing was written. Say which: `--update {ids[0]}` changes that row, `--supersedes {ids[0]}` replaces "
            "it by the new one, `--anyway` keeps both."
        )
        return ExitStatus.PROBLEMS

    def _superseded(self) -> IndexedRow:
        """Return the row that is to be superseded; raises GatilhoError where it cannot be."""
        found = lookup.row_called(self.index, self.supersedes)
        wish = transitions.Request("person", today=self.today)
        plan = transitions.plan_transition("supersede", found.row, wish)
        if plan.verdict != transitions.CHANGE:
            raise GatilhoError(f"Nothing was written. {plan.reason}")
        return found

    def _write(self, made: Proposal) -> int:
        self._show_conditions(made)
        self.said["past"] = past = proposal.past_of(self.index, made.row)
        if past:
            self._line(f"In the past: {past}")
        changes = [made.change]
        if not self.given.json:
            render.print_diff(file_changes.diff_of_changes(changes))
        if self.supersedes:
            self._line(f"{self.supersedes} becomes `superseded {self.today} by {made.row.id}`.")
        if self.given.dry_run:
            return self._end(ExitStatus.FINE, made)
        if self.with_form and not form.agrees("Write it?"):
            self._line("Nothing was written.")
            return self._end(ExitStatus.PROBLEMS, made)
        self._write_files(made, changes)
        return self._end(ExitStatus.FINE, made, written=True)

    def _write_files(self, made: Proposal, changes: list[FileChange]) -> None:
        proposal.write_proposals(self.index, changes)
        if self.agent and not self.update:
            agent_rows.note_agent_row(self.index.repository, made.row.id)
        verb = "changed" if self.update else "added"
        self._line(f"{made.row.place}  {made.row.id} {verb}")
        if commands_in(made.row.conditions):
            self._line(f"Its command runs only after `gatilho allow {shell_word(made.row.id)}`.")
        if self.supersedes:
            found = self._superseded()
            change = Change(found.row, "supersede", found.header, evidence=f"by {made.row.id}", successor=made.row.id)
            result = record.record_changes(self.root, [change], command_context.context(self.index, "person"))[0]
            raise_unless_recorded(result)
            self._line(f"{found.row.id} superseded")
            if not self.given.json:
                tell_ledger([result])

    def _show_conditions(self, made: Proposal) -> None:
        outcomes = list(proposal.evaluated(self.index, made.row))
        self.said["conditions"] = [_outcome_as_json(*one) for one in outcomes]
        for words, said, _ in outcomes:
            self._line(f"Condition: {words}: {said}")

    def _end(self, status: int, made: Proposal, written: bool = False) -> int:
        if self.given.json:
            row = {"id": made.row.id, "file": made.row.file, "line": made.row.line, "lifecycle": made.row.lifecycle}
            diff = file_changes.diff_of_changes([made.change]) if status == ExitStatus.FINE else ""
            render.print_json({"written": written, **row, "diff": diff, "relatives": [], "conditions": [], **self.said})
        return status

    def _line(self, text: str) -> None:
        if not self.given.json:
            render.line(text)


def _relative_as_json(one: relatives.Relative) -> dict[str, Any]:
    row = one.found.row
    return {"id": row.id, "kind": one.kind, "score": one.score, "place": row.place, "note": row.note}


def _outcome_as_json(words: str, said: str, outcome: Outcome | None) -> dict[str, Any]:
    return {"condition": words, "result": said, "holds": bool(outcome and outcome.holds)}
