"""Everything about one row as titled lines, the same on a terminal and in an editor."""

from gatilho.compare.facts import in_plain_text
from gatilho.compare.life_facts import by_whom
from gatilho.conditions import account, lastrun
from gatilho.conditions.file_conditions import evaluate
from gatilho.console import row_view
from gatilho.document.condition_grammar import in_words
from gatilho.index.index import IndexedRow
from gatilho.ladder.messages import scope_of
from gatilho.ledger.lines import Entry
from gatilho.lifecycle.transitions import state_of, unrecorded
from gatilho.model import Condition, Trigger
from gatilho.plain import counted, shell_word
from gatilho.store import local_rides
from gatilho.verbs import Outcome, verb_of
from gatilho.workspace.reach import PATH_KINDS
from gatilho.workspace.row_examples import example_spans
from gatilho.workspace.workspace import Workspace


class RowSheet:
    """One row: what it says, what it matches, whether its conditions hold now, and its life."""

    def __init__(self, workspace: Workspace, found: IndexedRow) -> None:
        self.workspace = workspace
        self.found = found
        self.row = found.row
        self.match = row_view.match_of(workspace.index, found)
        self.entries = workspace.index.entries(self.row.id, self.row.store)

    @property
    def title(self) -> str:
        return f"{self.row.id}  {self.row.lifecycle}, {self._state()}"

    @property
    def place(self) -> str:
        new = ", not committed yet" if self.workspace.is_new(self.found) else ""
        of_store = f", {scope_of(self.row)} store" if self.row.scope else ""
        return f"{self.row.place}{of_store}{new}"

    def sections(self) -> list[tuple[str, list[str]]]:
        """Return the titles and the lines below each, in the order in which they are read."""
        row = self.row
        found = [("Speaks by", [self._trigger(one) for one in row.triggers] or ["nothing: it has no trigger"])]
        if row.is_debt:
            found.append(("Paid when", self._conditions(row.conditions) or ["a person strikes its id"]))
        if row.holds_while:
            found.append(("Holds while", self._conditions(row.holds_while)))
        if row.violated_when:
            found.append(("Violated when", self._conditions(row.violated_when)))
        if examples := example_spans(self.workspace.sources, self.found):
            found.append(("Examples", examples))
        found.append(("Rides", [self._rides()]))
        found += [("Also", more)] if (more := self._more()) else []
        found += [("Ledger", [_entry_in_words(entry) for entry in self.entries])] if self.entries else []
        if not row.in_force:
            back = f"To bring it back: gatilho reinstate {shell_word(row.id)} --why TEXT"
            found.append(("Ended", [self._ending(), back]))
        return found

    def _more(self) -> list[str]:
        row = self.row
        more = [
            f"{name.replace('_', ' ')}: {getattr(row, name)}"
            for name in row_view.OPTIONAL
            if getattr(row, name) not in ("", None)
        ]
        own = self.workspace.sources.own_cells(self.found.path, row.line, self.found.header)
        return more + [f"{name}: {text}" for name, text in own.items() if text]

    def _state(self) -> str:
        words = row_view.state_in_words(self.match, self.workspace.index, self.workspace.today)
        return words.removeprefix("rule, ") if words != "rule" else "in force"

    def _trigger(self, trigger: Trigger) -> str:
        if trigger.kind == "mark":
            names = self.workspace.marks.get(trigger.pattern.strip(), [])
            return f"{trigger}  (in {', '.join(names) or 'no tracked file'})"
        if self.row.store or trigger.kind not in PATH_KINDS or not self.workspace.reach.names:
            return str(trigger)
        names = self.workspace.reach.matches(trigger)
        if not names:
            return f"{trigger}  (matches no tracked file)"
        first = names[0] if len(names) == 1 else f"{names[0]}, …"
        return f"{trigger}  (matches {counted(len(names), 'tracked file')}: {first})"

    def _conditions(self, conditions: tuple[Condition, ...]) -> list[str]:
        lines = []
        for one in conditions:
            if verb_of(one).runs_command:
                lines += self._command(one)
            else:
                outcome = evaluate(one, self.workspace.tree, self.workspace.budget)
                lines.append(f"{in_words(one)}: {verb_of(one).result(outcome)}{self._moved(one, outcome)}")
        return lines

    def _command(self, condition: Condition) -> list[str]:
        """Return whether a command may run here, what its last run came to, and the last lines of its output."""
        head, *lines = account.account_of_command(
            self.workspace.repository, self.row.id, condition.argument, lastrun.SHOWN
        )
        return [f"{in_words(condition)}: {head}", *lines]

    def _moved(self, condition: Condition, outcome: Outcome) -> str:
        path = self.workspace.moved_to(condition.argument) if outcome.gone and not self.row.store else ""
        return f"; git follows it to {path}" if path else ""

    def _rides(self) -> str:
        row, config = self.row, self.workspace.index.config
        said = row_view.rides_in_force(self.match)
        if not row.is_debt:
            waiting = local_rides.waiting_rides(self.workspace.repository.shared_state)(row)
            said += f", {waiting} of them counted on this machine until `gatilho fold`" if waiting else ""
            return f"{said}; a rule is counted and never asked about"
        limit = row.asked_from(config.ask_after)
        bar = row_view.rides_as_bar(self.match, self.workspace.index)
        said = f"{bar} {said}" if bar else said
        return f"{said}; a write is asked about from {limit} on"

    def _ending(self) -> str:
        """Return what the row was, when it ended and why, by its ledger as far as that goes."""
        state = state_of(self.row)
        was = "a debt that was owed" if self.row.is_debt else "a rule"
        tally = self.workspace.index.tally(self.row)
        last = tally.state
        if last is None or unrecorded(self.row, tally):
            says_more = self.row.state in ("", state) and self.row.state_text not in ("", state)  # a strike decides
            cell = f" ({self.row.state_text})" if says_more else ""
            return f"It was {was}; {state} by hand, with no entry in the ledger{cell}."
        said = last.evidence or "no reason given"
        by = in_plain_text(by_whom(last.by)) or "by an unknown author"
        return f"It was {was}; {last.event} {_to_the_second(last.when)} {by}: {said}"


def _to_the_second(when: str) -> str:
    """Return a time of the ledger as a person reads it: the milliseconds only keep the order."""
    return when.partition(".")[0]


def _entry_in_words(entry: Entry) -> str:
    parts = [_to_the_second(entry.when), entry.event]
    parts += [counted(entry.rides, "ride")] if entry.rides is not None else []
    parts += [f"session {entry.session}"] if entry.session else []
    parts += [f"at {entry.commit[:10]}"] if entry.commit else []
    parts += [in_plain_text(by_whom(entry.by))] if entry.by else []
    return f"{', '.join(parts)}{f': {entry.evidence}' if entry.evidence else ''}"
