"""The commands that debts wait for when their turn closes: run outside of any transaction, then settled by."""

import os
import time

from gatilho import bounded, files
from gatilho.ladder import settling
from gatilho.ladder.decide import Match
from gatilho.ladder.event_context import EventContext
from gatilho.plain import clean_line, shell_word, shortened
from gatilho.verbs import Outcome, commands_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.conditions.commands import Commands

# A turn close spends this many time limits of one command on all of them.
_LIMITS_OF_A_CLOSE = 2


def deadline_of(context: EventContext, began: float, shares: int = 1) -> float:
    """Return when the commands of a close that began then have to be done, on the monotonic clock.

    shares: repositories that the time left is for, this one included.
    """
    end, now = began + _LIMITS_OF_A_CLOSE * context.config.conditions.timeout, time.monotonic()
    return now + (end - now) / shares


def run_awaited(context: EventContext, deadline: float) -> None:
    """Run what the debts of the closed turn wait for, and settle the turn by what came of it.

    One process does so for each session: the same close, delivered twice, runs nothing twice.
    """
    if not context.awaiting:
        return
    lock = files.held_lock(f"{context.repository.shared_state}/closing-{context.session_hash()}.lock", 0)
    if lock is None:
        return
    try:
        _run_and_settle(context, deadline)
    finally:
        # In this order: once it is released, the file may be the lock of another process.
        bounded.remove_quietly(lock.path)
        lock.release()


def _run_and_settle(context: EventContext, deadline: float) -> None:
    from gatilho.conditions.commands import Commands

    with context:  # another process may have settled them before the lock was free
        awaiting = settling.settle_turn(context, context.session)
    if not awaiting:
        return
    commands = Commands(context.repository, context.config.conditions, deadline - time.monotonic())
    commands.look_at([commands_in(match.row.conditions) for match in awaiting])
    context.commands = commands.outcomes
    with context:
        left = settling.settle_turn(context, context.session)
        _tell(context, commands, awaiting, left)


def _tell(context: EventContext, commands: "Commands", awaiting: list[Match], left: list[Match]) -> None:
    """Report to the person why commands did not pay, and what was not run."""
    for match in awaiting:
        for text in commands_in(match.row.conditions):
            outcome = commands.outcomes.get(text)
            if outcome is not None and not outcome.holds:
                _report_failed(context, match, text, outcome)
                break
    if left:
        names = ", ".join(clean_line(match.row.id) for match in left)
        slowest = _slowest(commands)
        context.person.append(
            f"Time limit for commands reached{slowest and f' ({slowest})'}; {names} "
            f"{'stays' if len(left) == 1 else 'stay'} owed, without a ride, until the next turn ends or "
            "`gatilho settle`. What was not run goes first."
        )
    if commands.missing and _is_first(f"{context.repository.shared_state}/no-sandbox"):
        context.person.append(commands.weakness + " This message appears once.")


def _report_failed(context: EventContext, match: Match, text: str, outcome: Outcome) -> None:
    """Report to the person why a command did not pay; once a session where a person has to allow it."""
    from gatilho.conditions import lastrun
    from gatilho.conditions.commands import NOT_ALLOWED

    name, place = clean_line(match.row.id), clean_line(match.row.place)
    if outcome.reason == NOT_ALLOWED:
        context.tell_person_once(
            f"allow {match.key}",
            f"{name} waits for a command that is not allowed on this machine. Run `gatilho allow {shell_word(name)}` "
            f"in your own terminal ({place}).",
        )
        return
    last = lastrun.last_run_of(context.repository, text)
    lines = last.last_lines() if last is not None and last.said.endswith(f"({outcome.reason})") else []
    output = "".join(f"\n    {line}" for line in lines)
    why = clean_line(outcome.reason)
    context.person.append(f"{name} is not paid: `{shortened(text, 100)}`: {why} ({place}){output}")


def _slowest(commands: "Commands") -> str:
    """Name the command that took most of the time, and how much."""
    if not commands.ran:
        return ""
    text, ran = max(commands.ran.items(), key=lambda item: item[1].seconds)
    return f"`{shortened(text, 100)}` took {ran.seconds:.1f} s"


def _is_first(mark: str) -> bool:
    """Return whether the mark was not there yet; it is now."""
    try:
        os.close(os.open(mark, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    except OSError:
        return False
    return True
