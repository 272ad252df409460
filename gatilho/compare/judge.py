"""What a change does to debts beside editing their rows: it pays them, undoes payments, moves files from triggers.

File conditions are evaluated on both sides, from git's trees. Nothing is run, so `passes` is named as not looked at.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from shlex import quote

from gatilho.compare.facts import COMMAND, Fact, Quote, Words, listed
from gatilho.compare.git_tree import tree_of
from gatilho.compare.revisions import Revisions, Side
from gatilho.conditions.file_conditions import Outcome, evaluate_all
from gatilho.ledger.lines import STATE_EVENTS, Entry
from gatilho.lifecycle.transitions import state_of
from gatilho.model import Condition, Row, Trigger, Value
from gatilho.triggers.budget import Budget
from gatilho.verbs import commands_in, paths_in, verb_of
from gatilho.workspace.reach import PATH_KINDS, Reach

# Seconds for the searches of all conditions on both sides.
_SECONDS = 20.0
_NAMED = 3
_WITHOUT_REASON = "by hand, in the table"


class Judge:
    """Compares what the conditions and triggers of rows come to on two sides of a change."""

    def __init__(self, opened: Revisions, before: Side, after: Side) -> None:
        self._opened = opened
        self._sides = before, after
        self._trees = tree_of(opened, before), tree_of(opened, after)
        self._budget = Budget(_SECONDS)

    def facts(self, old: Row, new: Row, charged: Iterable[Entry], entries: Iterable[Entry], count: int) -> list[Fact]:
        """Return what the change does to a row that both sides have.

        charged: its rides that the earlier side knows. entries: the ledger's, of the later side alone. count: its
        rides in force on the later side.
        """
        if not (old.in_force or state_of(old) == "paid"):
            return []
        reason = next(filter(_is_reason, entries), None)
        need = _Need(new, count, reason)
        found = list(self._of_conditions(old, new, need)) if old.is_debt and new.is_debt else []
        if old.in_force and new.in_force:
            found += self._of_triggers(old, new, [one for one in charged if one.event == "charged"], need)
        return found

    def _of_conditions(self, old: Row, new: Row, need: "_Need") -> Iterator[Fact]:
        """Yield payments and what undoes one; with a command among the conditions, files alone pay nothing."""
        was, now = _of_files(old.conditions), _of_files(new.conditions)
        before, after = self._outcome(was, 0), self._outcome(now, 1)
        commands = commands_in(new.conditions)
        left = after if was == now else self._outcome(was, 1)  # a higher limit takes no new ones out
        if left.left > before.left and not before.undecided:
            grown: Words = ("what is left of ", Quote(new.id), f" grew from {before.left} to {left.left}: ")
            yield Fact(
                "grew", (*grown, Quote(left.reason)), ("take the new ones out again",), before=str(before.left),
                after=str(left.left),
            )  # fmt: skip
        if before.holds and not after.holds and not after.undecided:
            words: Words = ("this change undoes the payment of ", Quote(new.id), ": ", Quote(after.reason))
            yield Fact("unpays", words, before=before.evidence, after=after.reason)
        elif after.holds and not commands:
            yield from self._of_payment(old, new, before, after, need)
        if commands and (old.conditions != new.conditions or self._is_touched(new)):
            named = ("`passes` is not looked at, because no command is run here: ", *listed(commands, _NAMED))
            yield Fact("not looked at", (*named, "; `gatilho settle` runs it where it is allowed"))

    def _of_payment(self, old: Row, new: Row, before: Outcome, after: Outcome, need: "_Need") -> Iterator[Fact]:
        # Where the old condition still fails, the new one may be a weaker one that was written to pay.
        if old.conditions != new.conditions and new.owed and not self._outcome(old.conditions, 1).holds:
            evidence = Quote(after.evidence)
            words: Words = ("the condition of ", Quote(new.id), " was changed and now holds (", evidence, ")")
            yield need.fact("condition holds", words, "condition")
        elif _fails(before) and old.owed and (new.owed or state_of(new) == "paid"):
            conditions = listed([one.text for one in new.conditions], _NAMED)
            words = ("this change pays ", Quote(new.id), ": ", *conditions, " holds (", Quote(after.evidence), ")")
            yield Fact("pays", words, before=before.reason, after=after.evidence)

    def _of_triggers(self, old: Row, new: Row, charged: list[Entry], need: "_Need") -> Iterator[Fact]:
        if old.triggers != new.triggers and old.is_debt and new.owed and (charged or old.rides):
            lost = self._lost(old, new, [f"{old.subtree}{one.evidence}" for one in charged])
            if lost:
                words: Words = ("the trigger of ", Quote(new.id), " no longer matches ", *listed(lost, _NAMED),
                                ", which it was charged for")  # fmt: skip
                yield need.fact("out of reach", words, "trigger")
        moved = [
            (name, to)
            for name, to in self._renamed_from(old.triggers)
            if not _matches(new.triggers, [to])
        ]  # fmt: skip
        for number, (name, to) in enumerate(moved[:_NAMED], 1):
            left = f" (and {len(moved) - _NAMED} more files)" if number == _NAMED < len(moved) else ""
            words = ("this change moves ", Quote(name), " away from the trigger of ", Quote(new.id), ": it is ",
                     Quote(to), f" now{left}")  # fmt: skip
            remedy = "write the new path into the trigger, if the row is still about that file"
            yield Fact("file moved", words, (remedy,), before=name, after=to)

    def _lost(self, old: Row, new: Row, evidence: list[str]) -> list[str]:
        """Return the files that the row was charged for, are still there, and are matched no more.

        Where no ledger names them: those that its trigger matched, where it matches none of them any more.
        """
        names = _matches(old.triggers, list(dict.fromkeys(evidence)))
        known = bool(names)
        names = names or _matches(old.triggers, list(self._trees[0].files))
        now = {name: self._renames.get(name, name) for name in names}
        there = [name for name, to in now.items() if to in self._trees[1].files]
        lost = [name for name in there if not _matches(new.triggers, [now[name]])]
        return lost if known or len(lost) == len(there) else []

    def _outcome(self, conditions: tuple[Condition, ...], side: int) -> Outcome:
        return evaluate_all(conditions, self._trees[side], self._budget)

    def _renamed_from(self, triggers: tuple[Trigger, ...]) -> list[tuple[str, str]]:
        found = dict.fromkeys(name for one in triggers for name in self._renamed.matches(one)) if self._renames else {}
        return [(name, self._renames[name]) for name in found if name in self._renames]

    def _is_touched(self, row: Row) -> bool:
        """Return whether the change writes a file that the row is about."""
        about = any(self._changed.matches(one, 1) for one in row.triggers)
        return about or bool(self._changed_names.intersection(paths_in(row.conditions)))

    @cached_property
    def _renames(self) -> dict[str, str]:
        return self._opened.renames(*self._sides)

    @cached_property
    def _renamed(self) -> Reach:
        return Reach(list(self._renames))

    @cached_property
    def _changed_names(self) -> frozenset[str]:
        before, after = (tree.files for tree in self._trees)
        return frozenset(name for name in {**before, **after} if before.get(name) != after.get(name))

    @cached_property
    def _changed(self) -> Reach:
        return Reach(sorted(self._changed_names))


class _Need(Value):
    """What a person has to say of a row: the command that records a reason, or the reason that the change gives."""

    row: Row
    count: int
    reason: Entry | None

    def fact(self, kind: str, words: Words, what: str) -> Fact:
        """Return a fact that needs a reason, or a note with the reason."""
        if self.reason is not None:
            given: Words = (*words, "; the reason given: ", Quote(self.reason.evidence))
            return Fact(kind, given, event=self.reason.as_tuple(), own_severity="note")
        command = Quote(f"gatilho set {quote(self.row.id)} {self.count} --why TEXT", COMMAND)
        return Fact(kind, words, (f"put the old {what} back, or give the reason: ", command))


def _is_reason(entry: Entry) -> bool:
    # What an agent gives as a reason does not explain its own change.
    given = entry.evidence not in ("", _WITHOUT_REASON) and entry.by.startswith("person")
    return given and entry.event in ("set", *STATE_EVENTS)


def _of_files(conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
    return tuple(one for one in conditions if not verb_of(one).runs_command)


def _fails(outcome: Outcome) -> bool:
    """Return whether conditions are known not to hold, be it that a file is not there yet."""
    return not outcome.holds and (outcome.gone or not outcome.undecided)


def _matches(triggers: tuple[Trigger, ...], names: list[str]) -> list[str]:
    """Return the names that a path trigger matches, in their order."""
    reach = Reach(names)
    found = {name for one in triggers if one.kind in PATH_KINDS for name in reach.matches(one)}
    return [name for name in names if name in found]
