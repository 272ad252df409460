"""What the figures of health are computed from: rows, ledger and sessions, each read once."""

from collections import defaultdict

from gatilho import bounded
from gatilho.checks import trigger_checks
from gatilho.index.index import Index, IndexedRow
from gatilho.ladder import sessions
from gatilho.ladder.decide import Match, contradictions, is_due, may_speak, reason_to_expire
from gatilho.ledger.tally import Entry, by_row
from gatilho.lifecycle.transitions import state_of
from gatilho.memory import metrics, similarity
from gatilho.memory.health import Health, HealthRow, RowKey, Section, behaviour_sections, health_sections
from gatilho.memory.metrics import FirstEdit, SessionRecord
from gatilho.store import session_log
from gatilho.workspace.workspace import Workspace

# Bytes of a transcript that are read for its first edit, and transcripts that one command reads.
_MOST_OF_TRANSCRIPT = 4 << 20
_MOST_TRANSCRIPTS = 200
_DEAD = (trigger_checks.NO_FILE.code, trigger_checks.RENAMED.code)


def gather_health(scope: Workspace) -> Health:
    """Return all that health looks at. Near-duplicates of 10,000 rows take seconds."""
    entries = _entries(scope.index)
    wrong = _trigger_problems(scope)
    rows = tuple(_health_row(scope, found, entries, wrong) for found in scope.rows)
    speaking = [found for found in scope.rows if may_speak(found.row, scope.today)]
    groups = contradictions(speaking)
    return Health(
        rows,
        scope.today,
        scope.index.config.ask_after,
        tuple(tuple(_key(found) for found in group) for group in groups),
        tuple(_duplicates(speaking)),
        gather_behaviour(scope),
    )


def all_sections(health: Health) -> list[Section]:
    """Return every figure there is, those of the tables first."""
    return [*health_sections(health), *behaviour_sections(health)]


def gather_behaviour(scope: Workspace) -> metrics.Behaviour:
    """Return the figures of the sessions that are known on this machine."""
    folder = scope.repository.shared_state
    records = session_records_of(folder)
    return metrics.behaviour_of(records, _first_edits(folder, records))


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


def _key(found: IndexedRow) -> RowKey:
    return (found.row.store, found.row.id)


def _health_row(
    scope: Workspace,
    found: IndexedRow,
    entries: "dict[RowKey, tuple[Entry, ...]]",
    wrong: "dict[tuple[str, RowKey], tuple[str, str]]",
) -> HealthRow:
    row = found.row
    count = scope.index.count(row)
    match = Match(row, count)
    config = scope.index.config
    return HealthRow(
        row,
        state_of(row),
        count,
        is_due(match, config, scope.today),
        reason_to_expire(row, config, scope.today),
        entries.get(_key(found), ()),
        wrong.get(("dead", _key(found)), ("", "")),
        wrong.get(("broad", _key(found)), ("", "")),
    )


def _trigger_problems(scope: Workspace) -> "dict[tuple[str, RowKey], tuple[str, str]]":
    """Return what the checks say of triggers that match nothing, or too much; only the own store has files."""
    found: dict[tuple[str, RowKey], tuple[str, str]] = {}
    for problem in trigger_checks.find_problems(scope):
        kind = "dead" if problem.code in _DEAD else "broad" if problem.code == trigger_checks.TOO_BROAD.code else ""
        if kind:
            found.setdefault((kind, ("", problem.row)), (problem.message, problem.remedy))
    return found


def _duplicates(speaking: list[IndexedRow]) -> "list[tuple[tuple[RowKey, ...], int]]":
    pairs = [
        pair
        for pair in similarity.find_pairs([found.row for found in speaking])
        if speaking[pair.first].row.id.strip() != speaking[pair.second].row.id.strip()
    ]
    scores: dict[int, int] = {}
    for pair in pairs:
        for number in (pair.first, pair.second):
            scores[number] = max(pair.score, scores.get(number, 0))
    groups = similarity.groups_of(pairs)
    return [(tuple(_key(speaking[number]) for number in group), max(scores[n] for n in group)) for group in groups]
