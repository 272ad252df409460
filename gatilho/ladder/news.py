"""What the person is told: what became of a write into the store, and what is wrong in it."""

from gatilho.ladder import speech
from gatilho.ladder.event_context import Scene
from gatilho.store.change import CHARGE, Result, Status


def tell_results(scene: Scene, results: list[Result]) -> None:
    """Tell the person what the writing means, a line for each row; what has to wait is told once a session."""
    for result in results:
        row_id, action = result.change.row.id, result.change.action
        if result.may_wait:
            line = f"{row_id}: {result.reason} It is written by the first hook afterwards."
            scene.tell_person_once(f"waits {action} {row_id} {result.status}", line)
        elif line := _told(result):
            scene.person.append(line)


def _told(result: Result) -> str:
    change = result.change
    row = change.row
    if not result.is_well:
        return f"{row.id}: not written. {result.reason}"
    if result.status == Status.NOTHING:
        return ""
    if change.action == "pay":
        return f"{row.id} is paid ({row.file})."
    if change.action == "waive":
        return f"{row.id} is waived until {change.until} ({row.file})."
    if change.action == "regress":
        return f"{row.id} is owed again: {change.evidence} ({row.file})."
    if change.action == CHARGE and row.is_debt and result.new_count != result.old_count:
        return f"{row.id} was touched and left unpaid: {speech.rides(result.new_count or 0)} now ({row.file})."
    return ""


def tell_problems(scene: Scene) -> None:
    """Rows that cannot be read, and searches that ran out of time, are said out loud once a session."""
    for pattern in scene.budget.timed_out:
        text = f"the pattern `{pattern}` took too long and counted as no match. Run `gatilho check`."
        scene.tell_person_once(f"timeout {pattern}", text)
    if scene.session.was_person_told("problems"):
        return
    errors = [problem for problem in scene.index.problems() if problem.severity == "error"]
    if errors:
        first = errors[0]
        rest = len(errors) - 1
        more = f"; {rest} more {'problem' if rest == 1 else 'problems'}: run" if rest else ". Run"
        scene.tell_person_once("problems", f"{first.place}: {first.message}{more} `gatilho check`.")
