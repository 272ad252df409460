"""Which rows would speak about something and why the others would not, found by the hook's own matching."""

from gatilho.conditions.file_conditions import evaluate_all
from gatilho.index.index import Candidate, Index
from gatilho.ladder.decide import Match, in_order, may_speak
from gatilho.ladder.matching import SEARCH_SECONDS, Subject, find_matches
from gatilho.lifecycle.transitions import state_of
from gatilho.model import Row, Trigger, Value
from gatilho.triggers.literals import searched_pattern
from gatilho.triggers.patterns import Budget
from gatilho.workspace.row_examples import candidate_of, subjects_matched
from gatilho.workspace.workspace import Workspace


class Hit(Value):
    """A trigger that matched: as its row has it, what it matched, and the kinds of touch by which it did."""

    trigger: Trigger
    names: tuple[str, ...]
    touches: tuple[str, ...]


# For all that is asked beside what a hook asks: which trigger of a row matched, and which ended rows would have.
_SECONDS = 2.0


class Speaking(Value):
    """A row that would speak, and the triggers that make it."""

    match: Match
    hits: tuple[Hit, ...]


class Silent(Value):
    """A row that would not speak although it is concerned, or cannot be known to be."""

    row: Row
    reason: str


class Explanation(Value):
    """The rows that speak in their order, those that do not though one would think so, and how many have no match."""

    speaking: tuple[Speaking, ...]
    silent: tuple[Silent, ...]
    others: int


def explain(workspace: Workspace, subjects: list[Subject]) -> Explanation:
    """Return what the hook would do with the subjects, row by row."""
    index = workspace.index
    index.renew_marks()
    budget = Budget(SEARCH_SECONDS)
    matches = find_matches(index, subjects, budget)
    speaking, silent = [], []
    for match in matches:
        reason = _held_back(workspace, match)
        if reason:
            silent.append(Silent(match.row, reason))
        else:
            speaking.append(match)
    silent += _unsearchable(index, subjects, budget)
    rest = Budget(_SECONDS)
    silent += [Silent(row, _ending(row)) for row in _ended(workspace, subjects, rest)]
    hits = _hits(index, subjects, rest)
    ordered = in_order(speaking, index.config, workspace.today)
    shown = tuple(Speaking(match, tuple(hits.get(match.row.place, ()))) for match in ordered)
    concerned = {match.row.place for match in matches} | {one.row.place for one in silent}
    return Explanation(shown, tuple(silent), len(workspace.rows) - len(concerned))


def _candidates(index: Index, subjects: list[Subject]) -> list[Candidate]:
    """Return the triggers that the index has in sight of the subjects."""
    found: dict[Candidate, None] = {}
    for field in dict.fromkeys(subject.field for subject in subjects):
        texts = [subject.text for subject in subjects if subject.field == field]
        found.update(dict.fromkeys(index.candidates(field, texts)))
    return list(found)


def _hits(index: Index, subjects: list[Subject], budget: Budget) -> dict[str, list[Hit]]:
    """Return the triggers that match, by the place of their row; each is asked about alone."""
    matched = []
    for candidate in _candidates(index, subjects):
        by_row = subjects_matched([candidate], subjects, budget)
        matched += [(number, candidate, by_row[number]) for number in by_row]
    rows = {number: found.row for number, found in index.numbered_rows(sorted({number for number, _, _ in matched}))}
    hits: dict[str, list[Hit]] = {}
    for number, candidate, mine in matched:
        row = rows[number]
        names, touches = (tuple(dict.fromkeys(values)) for values in ((s.text for s in mine), (s.kind for s in mine)))
        hits.setdefault(row.place, []).append(Hit(_written(row, candidate), names, touches))
    return hits


def _written(row: Row, candidate: Candidate) -> Trigger:
    """Return the trigger as its row has it: the index keeps globs translated and letters composed."""
    for trigger in row.triggers:
        if trigger.kind == candidate.kind == "mark":
            return trigger
        if trigger.kind == candidate.kind and searched_pattern(trigger) == candidate.pattern:
            return trigger
    return Trigger(candidate.kind, candidate.pattern, candidate.subtree)


def _held_back(workspace: Workspace, match: Match) -> str:
    """Return why a row that matches says nothing, "" where it speaks."""
    row = match.row
    if not may_speak(row, workspace.today):
        if row.not_before and workspace.today < row.not_before:
            return f"not before {row.not_before}"
        return f"past its own date, {row.expires}" if row.in_force else _ending(row)
    if not row.owed or not row.conditions or row.shared:
        return ""
    outcome = evaluate_all(row.conditions, workspace.tree, workspace.budget)
    if not outcome.holds:
        return ""
    found = next(one for one in workspace.rows if one.row.place == row.place)
    if workspace.is_new(found) and not workspace.was_seen_failing(found):
        return f"its condition holds already ({outcome.evidence}): it is paid, or the condition is wrong"
    return f"its condition holds ({outcome.evidence}): it is recorded as paid instead"


def _ending(row: Row) -> str:
    """Return how a row ended, in words."""
    state = state_of(row)
    if state == "paid":
        return "paid: its id is struck"
    return "out of service: its id is struck" if state == "struck" else row.state_text or state


def _unsearchable(index: Index, subjects: list[Subject], budget: Budget) -> list[Silent]:
    """Return rows whose pattern came into play and could not be searched for."""
    reasons = {pattern: f"its pattern is invalid: {message}" for pattern, message in budget.invalid}
    for pattern in (*budget.timed_out, *budget.skipped):
        reasons[pattern] = "its pattern took too long and counts as no match"
    if not reasons:
        return []
    found: dict[int, str] = {}
    for candidate in _candidates(index, subjects):
        if candidate.pattern in reasons:
            found.setdefault(candidate.row, f"{reasons[candidate.pattern]} (`{candidate.pattern}`)")
    return [Silent(indexed.row, found[number]) for number, indexed in index.numbered_rows(sorted(found))]


def _ended(workspace: Workspace, subjects: list[Subject], budget: Budget) -> list[Row]:
    """Return the rows that ended and would speak if they had not."""
    ended = {number: found for number, found in enumerate(workspace.rows) if not found.row.in_force}
    candidates = [
        candidate
        for number, found in ended.items()
        for trigger in found.row.triggers
        if (candidate := candidate_of(number, trigger)) is not None
    ]
    return [ended[number].row for number in sorted(subjects_matched(candidates, subjects, budget))]
