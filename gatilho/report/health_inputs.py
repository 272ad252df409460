"""What the figures of health are computed from: rows, ledger and sessions, each read once."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from gatilho import bounded
from gatilho.checks import trigger_checks
from gatilho.index.index import Index, IndexedRow
from gatilho.ladder import sessions
from gatilho.ladder.decide import Match, contradictions, is_due, may_speak, reason_to_expire
from gatilho.ledger.tally import Entry, by_row, tally_of
from gatilho.lifecycle.transitions import state_of
from gatilho.memory import metrics, similarity
from gatilho.memory.health import Health, HealthRow, RowKey, Section, behaviour_sections, health_sections
from gatilho.memory.metrics import FirstEdit, SessionRecord
from gatilho.store import session_log
from gatilho.workspace.workspace import Workspace

# Bytes of a transcript that are read for its first edit, and transcripts that one command reads.
_MOST_OF_TRANSCRIPT = 4 << 20
_MOST_TRANSCRIPTS = 200
# Returns what it kept under a name while the stamp is the same, else what the function returns; all of it is JSON.
Keep = Callable[[str, object, Callable[[], Any]], Any]
_DEAD = (trigger_checks.NO_FILE.code, trigger_checks.RENAMED.code)


def compute_anew(name: str, stamp: object, compute: Callable[[], Any]) -> Any:
    """Return what the function returns, and keep nothing."""
    return compute()


def gather_health(workspace: Workspace, keep: Keep = compute_anew, only_own: bool = False) -> Health:
    """Return all that health looks at. Near-duplicates of 10,000 rows take seconds.

    only_own: the rows of the repository's own store alone, as on a page that others see.
    """
    entries = _entries(workspace.index)
    wrong = _trigger_problems(workspace, keep)
    found_rows = workspace.own_rows if only_own else workspace.rows
    rows = tuple(_health_row(workspace, found, entries, wrong) for found in found_rows)
    speaking = [found for found in found_rows if may_speak(found.row, workspace.today)]
    groups = contradictions(speaking)
    return Health(
        rows,
        workspace.today,
        workspace.index.config.ask_after,
        tuple(tuple(_key(found) for found in group) for group in groups),
        tuple(_duplicates(speaking, keep)),
        gather_behaviour(workspace, only_own),
    )


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


def _key(found: IndexedRow) -> RowKey:
    return (found.row.store, found.row.id)


def _health_row(
    workspace: Workspace,
    found: IndexedRow,
    entries: "dict[RowKey, tuple[Entry, ...]]",
    wrong: "dict[tuple[str, str], tuple[str, str]]",
) -> HealthRow:
    row = found.row
    own = entries.get(_key(found), ())
    count = tally_of(own, row.rides).count if own else row.rides or 0
    match = Match(row, count)
    config = workspace.index.config
    return HealthRow(
        row,
        state_of(row),
        count,
        is_due(match, config, workspace.today),
        reason_to_expire(row, config, workspace.today),
        own,
        wrong.get(("dead", row.place), ("", "")),
        wrong.get(("broad", row.place), ("", "")),
    )


def _trigger_problems(workspace: Workspace, keep: Keep) -> "dict[tuple[str, str], tuple[str, str]]":
    """Return what the checks say of triggers that match nothing, or too much, by the place of the row: two may share
    an id. Only the own store has files.
    """
    stamp = [
        [(one.row.id, one.row.in_force, list(map(str, one.row.triggers)), one.row.place) for one in workspace.own_rows],
        workspace.reach.names,
    ]
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for kind, place, message, remedy in keep("triggers", stamp, lambda: _found_problems(workspace)):
        found.setdefault((kind, place), (message, remedy))
    return found


def _found_problems(workspace: Workspace) -> list[tuple[str, str, str, str]]:
    found = []
    for problem in trigger_checks.find_problems(workspace):
        kind = "dead" if problem.code in _DEAD else "broad" if problem.code == trigger_checks.TOO_BROAD.code else ""
        if kind:
            found.append((kind, str(problem.place), problem.message, problem.remedy))
    return found


def _duplicates(speaking: list[IndexedRow], keep: Keep) -> "list[tuple[tuple[RowKey, ...], int]]":
    stamp = [(one.row.store, one.row.id, one.row.note, list(map(str, one.row.triggers))) for one in speaking]
    found = keep("duplicates", stamp, lambda: _found_duplicates(speaking))
    return [(tuple(_key(speaking[number]) for number in group), score) for group, score in found]


def _found_duplicates(speaking: list[IndexedRow]) -> list[tuple[list[int], int]]:
    pairs = [
        pair
        for pair in similarity.find_pairs([found.row for found in speaking])
        if speaking[pair.first].row.id.strip() != speaking[pair.second].row.id.strip()
    ]
    scores: dict[int, int] = {}
    for pair in pairs:
        for number in (pair.first, pair.second):
            scores[number] = max(pair.score, scores.get(number, 0))
    return [(group, max(scores[number] for number in group)) for group in similarity.groups_of(pairs)]
