"""The messages for the person: what became of a write into the store, and what is wrong in it."""

from gatilho.ladder.event_context import EventContext
from gatilho.model import NOT_ALLOWED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.store.change import Result


def tell_results(context: EventContext, results: "list[Result]") -> None:
    """Report what was written to the person, a line for each row; what has to wait is reported once a session."""
    for result in results:
        row_id, action = result.change.row.id, result.change.action
        if result.may_wait:
            line = f"{row_id}: {result.reason} The next hook writes it."
            context.tell_person_once(f"waits {action} {row_id} {result.status}", line)
        elif line := _told(result):
            context.person.append(line)


def _told(result: "Result") -> str:
    from gatilho.plain import counted
    from gatilho.store.change import CHARGE, Status

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
        return f"{row.id} was touched and left unpaid: {counted(result.new_count or 0, 'ride')} now ({row.file})."
    return ""


def tell_problems(context: EventContext) -> None:
    """Report unreadable rows and searches that timed out, once a session."""
    for pattern in context.budget.timed_out:
        text = f"the pattern `{pattern}` took too long and counted as no match. Run `gatilho check`."
        context.tell_person_once(f"timeout {pattern}", text)
    if context.session.was_person_told("problems"):
        return
    problems = context.index.problems()
    for problem in problems:
        if problem.code == NOT_ALLOWED:
            context.tell_person_once(problem.message, f"{problem.message}: {problem.remedy}.")
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors:
        first = errors[0]
        rest = len(errors) - 1
        more = f"; {rest} more {'problem' if rest == 1 else 'problems'}: run" if rest else ". Run"
        context.tell_person_once("problems", f"{first.place}: {first.message}{more} `gatilho check`.")
