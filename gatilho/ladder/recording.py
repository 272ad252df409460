"""The way from a decision to the store: queued in the sessions first, written after their transaction.

What waits for git to finish, for a lock, or for the process that was killed over it, waits in the same queue.
"""

import time

from gatilho import bounded, files
from gatilho.errors import ConflictError
from gatilho.git.root import live_mark
from gatilho.index import database
from gatilho.ladder import later, reporting
from gatilho.ladder.decide import Match
from gatilho.ladder.event_context import EventContext
from gatilho.ladder.session import Session
from gatilho.model import Row
from gatilho.store import hook_log
from gatilho.store.change import CHARGE, LOCAL_RIDES, Change, Context, Result
from gatilho.tables import PACK
from gatilho.wire import decode, encode

_FIELDS = ("action", "header_line", "evidence", "session", "by", "until", "when", "unrecorded", "number")
_OF_ROW = ("lifecycle", "rides", "store", "file", "line", "struck", "state", "state_text")
# Seconds that one hook waits for another that is writing; what does not get its turn is written by the next hook.
_PATIENCE = 1.5


def queue_for(
    context: EventContext,
    match: Match,
    action: str,
    evidence: str = "",
    session: Session | None = None,
    number: int | None = None,
) -> None:
    """Queue what the program noticed of a row in a session, the event's own unless another is given."""
    hashed = context.session_hash(session)
    queue(context, Change(match.row, action, match.header, evidence=evidence, session=hashed, number=number))


def queue(context: EventContext, change: Change) -> None:
    """Keep a change until it is written; it is part of the event's transaction.

    What was noticed before and waits unchanged is not kept twice.
    """
    if change.row.store.startswith(PACK):
        return  # its table is a copy, which no one commits
    change = change.replace(session=change.session or context.session_hash(), by=change.by or context.by)
    row = change.row
    what: dict[str, object] = {name: getattr(change, name) for name in _FIELDS}
    what.update(id=row.id, store=row.store, file=row.file, line=row.line, lifecycle=row.lifecycle, rides=row.rides)
    what.update(struck=row.struck, state=row.state, state_text=row.state_text)
    context.has_queued = True
    if change.action != CHARGE and _last_waiting(context, row) == what:  # a ride is queued once a session anyway
        return
    context.db.execute(
        "INSERT INTO waiting(worktree, what, goal) VALUES (?, ?, NULL)", (context.repository.root, encode(what))
    )
    _mark(context)


def _last_waiting(context: EventContext, row: Row) -> object:
    query = "SELECT what FROM waiting WHERE worktree = ? ORDER BY number DESC"
    for (what,) in context.db.execute(query, (context.repository.root,)).fetchall():
        said = decode(what.encode())
        if isinstance(said, dict) and (said["store"], said["id"]) == (row.store, row.id):
            return said
    return None


def flush(context: EventContext) -> list[Result]:
    """Write what waits for this working tree, outside any transaction, and report it; return what became of it.

    What cannot be written yet goes on waiting.
    """
    results = _flush(context) if context.has_waiting() else []
    reporting.tell_results(context, results)
    return results


def _flush(context: EventContext) -> list[Result]:
    try:
        with files.Lock(f"{context.repository.shared_state}/queue.lock", _PATIENCE):
            return _write_waiting(context)
    except (ConflictError, OSError, database.OperationalError) as error:
        hook_log.write_entry(context.repository, f"what waits is not written yet: {error}")
        if isinstance(error, OSError):  # else another process is at it
            context.tell_person_once("queue", f"what waits is not written yet: {error}. The next hook tries again.")
    except Exception as fault:
        hook_log.write_fault(context.repository, "writing what waits", fault)
        where = context.repository.shared_state + hook_log.FILE
        context.tell_person_once("fault", f"what this turn left could not be written: {fault}; details in {where}")
    return []


def leave_fresh(context: EventContext) -> None:
    """Bring up to date, after a write, what the next event asks: the index, its signature, what HEAD has.

    A stamp younger than the file system's tick proves nothing, so that tick is waited for: at the end of a turn, where
    the agent has nothing more to do.
    """
    from gatilho.index.refresh import TICK
    from gatilho.store.head import keep_known

    time.sleep(TICK / 1_000_000_000)
    context.index.renew()
    try:
        keep_known(context.index)
    except (database.DatabaseError, OSError) as error:
        hook_log.write_entry(context.repository, f"what HEAD has is asked by the next event: {error}")


def _write_waiting(context: EventContext) -> list[Result]:
    query = "SELECT number, what, goal FROM waiting WHERE worktree = ? ORDER BY number"
    waiting = context.db.execute(query, (context.repository.root,)).fetchall()
    busy = context.git_is_busy() if waiting else ""
    results: list[Result] = []
    if waiting and not busy:
        context.index.renew(whole=True)  # others may have written since the event began
        results = _write(context, [(number, _change(what), goal) for number, what, goal in waiting])
    _drop_mark(context)
    return results


def _drop_mark(context: EventContext) -> None:
    """Take the mark away when nothing waits, in a transaction, for others set it in theirs."""
    if context.db.path == database.MEMORY:  # what waits is in the file, which somebody holds
        return
    context.db.begin()
    if not context.db.execute("SELECT 1 FROM waiting WHERE worktree = ?", (context.repository.root,)).fetchone():
        bounded.remove_quietly(context.repository.waiting_mark)
        if later.is_kept(context.repository):  # asked after the mark is gone: whoever keeps one now sets it anew
            _mark(context)
    context.db.execute("COMMIT")


def _write(context: EventContext, numbered: "list[tuple[int, Change, str | None]]") -> list[Result]:
    from gatilho.store import record

    pending = []
    for number, change, goal in numbered:
        if change.action == CHARGE and not change.row.is_debt and not _start_ride(context, number, change, goal):
            continue  # the process that was killed over this ride had written it
        if change.action == "pay" and _is_no_payment(context, change):
            context.db.execute("DELETE FROM waiting WHERE number = ?", (number,))
            hook_log.write_entry(
                context.repository, f"the payment of {change.row.id} was dropped: its conditions hold no more"
            )
            continue
        pending.append((number, change))
    results = record.record_changes(context.repository.root, [change for _, change in pending], context_of(context))
    for (number, change), result in zip(pending, results):
        if result.may_wait:
            continue
        context.db.execute("DELETE FROM waiting WHERE number = ?", (number,))
        if not result.is_well:
            hook_log.write_entry(context.repository, f"{change.action} of {change.row.id} was dropped: {result.reason}")
    return results


def _start_ride(context: EventContext, number: int, change: Change, goal: "str | None") -> bool:
    """Note the count that a rule's ride will reach before it is written, for no ledger line records it.

    False when it was noted before and the cell is there: then it is dropped from the queue.
    """
    match = context.match_of((change.row.store, change.row.id))
    cell = (match.row.rides or 0) if match else 0
    if goal is not None and cell >= int(goal):
        context.db.execute("DELETE FROM waiting WHERE number = ?", (number,))
        return False
    context.db.execute("UPDATE waiting SET goal = ? WHERE number = ?", (str(cell + 1), number))
    return True


def _is_no_payment(context: EventContext, change: Change) -> bool:
    """Return whether the conditions of a debt that was found paid fail by now: it may have waited through a rebase."""
    match = context.match_of((change.row.store, change.row.id))
    if match is None or not match.row.conditions:
        return False
    outcome = context.outcome_of(match.row)
    return not (outcome.holds or outcome.undecided)


def context_of(context: EventContext) -> Context:
    """Return the surroundings of what an event records."""
    repository = context.repository
    return Context(
        now=context.now,
        session=context.session_hash(),
        commit=context.head(),
        by=context.by,
        lock=f"{repository.shared_state}/lock",
        git_dir=repository.git_dir,
        entries_of=context.entries_now,
        stores=context.index.stores,
        rides_in=context.config.rides_in,
        local=repository.shared_state + LOCAL_RIDES if context.config.rule_rides == "local" else "",
        wait=_PATIENCE,
        today=context.today,
    )


def _change(what: str) -> Change:
    said = decode(what.encode())
    assert isinstance(said, dict)
    row = Row(said["id"], **{name: said[name] for name in _OF_ROW if name in said})
    return Change(row, **{name: said[name] for name in _FIELDS if name in said})


def drop_marks(context: EventContext, session_ids: list[str]) -> None:
    """Remove the marks of sessions that are forgotten."""
    for session_id in session_ids:
        bounded.remove_quietly(live_mark(context.repository.shared_state, session_id))


def _mark(context: EventContext) -> None:
    try:
        later.mark_waiting(context.repository)
    except OSError:
        pass  # a read-only git directory: nothing is remembered there
