"""The commands that debts wait for when their turn closes: run outside of any transaction, then settled by."""

import os
import time

from gatilho import files
from gatilho.errors import ConflictError
from gatilho.ladder import settling
from gatilho.ladder.decide import Match
from gatilho.ladder.event_context import Scene
from gatilho.plain import clean_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.conditions.commands import Commands

# A turn close spends so many time limits of one command on all of them.
_LIMITS_OF_A_CLOSE = 2


def deadline_of(scene: Scene, began: float) -> float:
    """When the commands of a close that began then have to be done, on the monotonic clock."""
    return began + _LIMITS_OF_A_CLOSE * scene.config.conditions.timeout


def run_awaited(scene: Scene, deadline: float) -> None:
    """Run what the debts of the closed turn wait for, and settle the turn by what came of it.

    One process does so for each session: the same close, delivered twice, runs nothing twice.
    """
    if not scene.awaiting:
        return
    lock = files.lock(f"{scene.repository.shared_state}/closing-{scene.session_hash()}.lock", 0)
    try:
        lock.acquire()
    except (ConflictError, OSError):
        return
    try:
        _run_and_settle(scene, deadline)
    finally:
        _remove(lock.path)
        lock.release()


def _run_and_settle(scene: Scene, deadline: float) -> None:
    from gatilho.conditions.commands import Commands

    with scene:  # another process may have settled them before the lock was free
        awaiting = settling.settle(scene, scene.session)
    if not awaiting:
        return
    commands = Commands(scene.repository, scene.config.conditions, deadline - time.monotonic())
    for match in awaiting:
        for condition in match.row.conditions:
            if condition.kind == "passes":
                outcome = commands.look(condition.argument)
                if outcome is None or not outcome.holds:
                    break  # all must hold
    scene.commands = commands.outcomes
    with scene:
        left = settling.settle(scene, scene.session)
        _tell(scene, commands, awaiting, left)


def _tell(scene: Scene, commands: "Commands", awaiting: list[Match], left: list[Match]) -> None:
    """What a person has to know of commands that were not run."""
    from gatilho.conditions.commands import NOT_ALLOWED

    for match in awaiting:
        texts = [one.argument for one in match.row.conditions if one.kind == "passes"]
        if any(text in commands.outcomes and commands.outcomes[text].reason == NOT_ALLOWED for text in texts):
            name = clean_line(match.row.id)
            scene.tell_person_once(
                f"allow {match.key}",
                f"{name} waits for a command that nobody allowed on this machine. `gatilho allow {name}`, in a "
                f"terminal of your own, shows it and asks ({clean_line(match.row.place)}).",
            )
    if left:
        names = ", ".join(clean_line(match.row.id) for match in left)
        scene.person.append(
            f"the time for commands at a turn's close was over: {names} stay owed until the next close, or until "
            "`gatilho settle`."
        )
    if commands.missing and _is_first(f"{scene.repository.shared_state}/no-sandbox"):
        scene.person.append(
            f"commands of conditions run without a sandbox here: {commands.missing}. "
            '`[conditions] sandbox = "required"` in gatilho.toml refuses that. This is said once.'
        )


def _is_first(mark: str) -> bool:
    """Whether the mark was not there yet; it is now."""
    try:
        os.close(os.open(mark, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    except OSError:
        return False
    return True


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass
