"""What the figures of health are computed from: rows, ledger and sessions, each read once."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from gatilho import bounded
from gatilho.checks import trigger_checks
from gatilho.index.index import Index
from gatilho.ladder import sessions
from gatilho.ladder.decide import Match, contradictions, is_due, may_speak, reason_to_expire
from gatilho.ledger.tally import Entry, by_row, tally_of
from gatilho.lifecycle.transitions import state_of
from gatilho.memory import metrics, similarity
from gatilho.memory.health import Health, HealthRow, RowKey, Section, behaviour_sections, health_sections
from gatilho.memory.metrics import FirstEdit, SessionRecord
from gatilho.model import Row
from gatilho.store import local_rides, session_log
from gatilho.workspace.workspace import Workspace

# Bytes of a transcript that are read for its first edit, and transcripts that one command reads.
_MOST_OF_TRANSCRIPT = 4 << 20
_MOST_TRANSCRIPTS = 200
# Returns what it kept under a name while the rows say the same, else what the function returns; all of it is JSON.
Keep = Callable[[str, Sequence[HealthRow], Callable[[], Any]], Any]
TriggerProblem = tuple[str, str]  # what is wrong, and what to do
TriggerProblems = tuple[TriggerProblem, TriggerProblem]  # that a trigger matches nothing, and that one matches too much
NO_PROBLEMS: TriggerProblems = (("", ""), ("", ""))
_DEAD = (trigger_checks.NO_FILE.code, trigger_checks.RENAMED.code)


def compute_anew(name: str, rows: Sequence[HealthRow], compute: Callable[[], Any]) -> Any:
    """Return what the function returns, and keep nothing."""
    return compute()


def gather_health(workspace: Workspace) -> Health:
    """Return all that health looks at, in all stores. Near-duplicates of 10,000 rows take seconds."""
    entries = _entries(workspace.index)
    wrong = by_place(find_trigger_problems(workspace))
    waiting = local_rides.waiting_rides(workspace.repository.shared_state)
    rows = []
    for found in workspace.rows:
        own = entries.get((found.row.store, found.row.id), ())
        count = tally_of(own, found.row.rides).count if own else found.row.rides or 0
        match = Match(found.row, count + waiting(found.row))
        rows.append(HealthRow(*judged(workspace, match, wrong.get(found.row.place, NO_PROBLEMS)), own))
    return health_of(workspace, rows, gather_behaviour(workspace))


def health_of(
    workspace: Workspace, rows: Sequence[HealthRow], behaviour: metrics.Behaviour, keep: Keep = compute_anew
) -> Health:
    """Return the health of these rows. keep: of what takes seconds."""
    speaking = [one for one in rows if may_speak(one.row, workspace.today)]
    return Health(
        rows, workspace.today, workspace.index.config.ask_after, contradictions(speaking),
        _duplicates(speaking, keep), behaviour,
    )  # fmt: skip


def judged(
    workspace: Workspace, match: Match, problems: TriggerProblems
) -> "tuple[Row, str, int, bool, str, TriggerProblem, TriggerProblem]":
    """Return the fields of a `HealthRow`, except its entries."""
    row, config, today = match.row, workspace.index.config, workspace.today
    due = row.is_debt and is_due(match, config, today)
    return row, state_of(row), match.count, due, reason_to_expire(row, config, today), *problems


def all_sections(health: Health) -> list[Section]:
    """Return every figure there is, those of the tables first."""
    return [*health_sections(health), *behaviour_sections(health)]


def gather_behaviour(workspace: Workspace, only_own: bool = False) -> metrics.Behaviour:
    """Return the figures of the sessions that are known on this machine; only_own: of the repository's own rows."""
    folder = workspace.repository.shared_state
    records = session_records_of(folder)
    first_edits = _first_edits(folder, records)
    if only_own:
        records = [
            one.replace(
                heard=tuple(key for key in one.heard if not key[0]),
                outcomes=tuple(outcome for outcome in one.outcomes if not outcome.store),
            )
            for one in records
        ]
    return metrics.behaviour_of(records, first_edits)


def session_records_of(folder: str) -> list[SessionRecord]:
    """Return the sessions that a state folder knows, those that were forgotten first."""
    logged = [metrics.read_session(line) for line in session_log.logged_lines(folder)]
    return [*(one for one in logged if one is not None), *sessions.live_records(folder)]


def _first_edits(folder: str, records: list[SessionRecord]) -> list[FirstEdit]:
    """Return what sessions did before their first edit; what is read of a transcript is kept, for hosts remove them."""
    lines = session_log.logged_lines(folder, session_log.FIRST_EDITS)
    known = {one.session: one for one in map(metrics.read_first_edit, lines) if one is not None}
    unread = [one for one in records if one.transcript and one.session not in known][-_MOST_TRANSCRIPTS:]
    found = [one for one in map(_first_edit, unread) if one is not None]
    session_log.append_lines(folder, [metrics.first_edit_line(one) for one in found], session_log.FIRST_EDITS)
    return [*known.values(), *found]


def _first_edit(record: SessionRecord) -> FirstEdit | None:
    try:
        lines = bounded.head(record.transcript, _MOST_OF_TRANSCRIPT).splitlines()
    except OSError:
        return None
    before = metrics.before_first_edit(lines)
    return None if before is None else FirstEdit(record.session, record.day, *before)


def _entries(index: Index) -> "dict[RowKey, tuple[Entry, ...]]":
    found = {}
    by_store = defaultdict(list)
    for store, entry in index.all_entries():
        by_store[store].append(entry)
    for store, entries in by_store.items():
        found.update({(store, row_id): tuple(group) for row_id, group in by_row(entries).items()})
    return found


def by_place(problems: "Sequence[Sequence[str]]") -> "dict[str, TriggerProblems]":
    """Return what the checks say of dead and of broad triggers by the place of the row: two may share an id."""
    found: dict[str, TriggerProblems] = {}
    for kind, place, message, remedy in problems:
        dead, broad = found.get(place, NO_PROBLEMS)
        said = (message, remedy)
        found[place] = (dead, broad if broad[0] else said) if kind == "broad" else (dead if dead[0] else said, broad)
    return found


def find_trigger_problems(workspace: Workspace) -> list[tuple[str, str, str, str]]:
    """Return the kind ("dead" or "broad"), place, message and remedy of each. Only the own store has files."""
    found = []
    for problem in trigger_checks.find_problems(workspace):
        kind = "dead" if problem.code in _DEAD else "broad" if problem.code == trigger_checks.TOO_BROAD.code else ""
        if kind:
            found.append((kind, str(problem.place), problem.message, problem.remedy))
    return found


def _duplicates(speaking: Sequence[HealthRow], keep: Keep) -> "list[tuple[list[HealthRow], int]]":
    found = keep("duplicates", speaking, lambda: _found_duplicates([one.row for one in speaking]))
    return [([speaking[number] for number in group], score) for group, score in found]


def _found_duplicates(speaking: list[Row]) -> list[tuple[list[int], int]]:
    pairs = [
        pair
        for pair in similarity.find_pairs(speaking)
        if speaking[pair.first].id.strip() != speaking[pair.second].id.strip()
    ]
    scores: dict[int, int] = {}
    for pair in pairs:
        for number in (pair.first, pair.second):
            scores[number] = max(pair.score, scores.get(number, 0))
    return [(group, max(scores[number] for number in group)) for group in similarity.groups_of(pairs)]
