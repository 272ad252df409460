"""Whether an owed debt is paid: what its file conditions say, and whether they may be believed."""

from gatilho.index.packing import conditions_text
from gatilho.ladder import sessions
from gatilho.ladder.decide import Match
from gatilho.ladder.event_context import EventContext
from gatilho.model import Condition
from gatilho.plain import shell_word
from gatilho.value import Value
from gatilho.verbs import Outcome, verb_of

OWED, PAID, HOLDS_ALREADY = "owed", "paid", "holds already"


class Verdict(Value):
    """What became of a debt when its conditions were looked at, and why."""

    state: str
    evidence: str = ""
    reason: str = ""
    gone: bool = False
    left: int = 0


def is_owed_still(context: EventContext, match: Match) -> bool:
    """Return whether a touched debt is still owed; record its payment, and report what only a person can settle.

    A row whose id another one shares is written nowhere: there it only counts that its conditions hold.
    """
    if not match.row.conditions:
        return True
    verdict = evaluate_payment(context, match)
    if match.row.shared:
        return verdict.state == OWED
    if verdict.state == PAID:
        from gatilho.ladder import recording

        recording.queue_for(context, match, "pay", verdict.evidence)
        context.session.pay(match.key)
    elif verdict.state == HOLDS_ALREADY:
        tell_holds_already(context, match)
    elif verdict.gone:
        _tell_gone(context, match, verdict.reason)
    return verdict.state == OWED


def evaluate_payment(context: EventContext, match: Match) -> Verdict:
    """Look at a debt's conditions in the files as they are.

    Conditions that hold and were never seen to fail here pay nothing where HEAD's version of the row does not have
    them, or has them in place of others: either the debt is paid already or the condition is wrong, and a person has
    to say which.
    """
    outcome = context.outcome_of(match.row)
    text = conditions_text(match.row.conditions)
    if not outcome.holds:
        # What cannot be looked at proves nothing; a file that is not there does show that the condition fails.
        if outcome.gone or not outcome.undecided:
            sessions.note_condition(context.db, sessions.FAILING, match.key, text)
        return Verdict(OWED, reason=outcome.reason, gone=outcome.gone, left=outcome.left)
    was_seen_failing = sessions.is_condition_noted(context.db, sessions.FAILING, match.key, text)
    is_doubted = sessions.is_condition_noted(context.db, sessions.DOUBTED, match.key, text)
    if not was_seen_failing and (is_doubted or not context.has_conditions_from_the_start(match)):
        return Verdict(HOLDS_ALREADY, outcome.evidence)
    return Verdict(PAID, evidence_of(match.row.conditions, outcome))


def still_holds(context: EventContext, match: Match) -> Outcome | None:
    """Return what the file conditions under `holds while` come to; None where there is none."""
    from gatilho.conditions.file_conditions import evaluate_all

    # No command runs for a rule: `check` reports one in this column.
    looked_at = tuple(one for one in match.row.holds_while if not verb_of(one).runs_command)
    return evaluate_all(looked_at, context.tree, context.budget) if looked_at else None


def awaits_command(context: EventContext, match: Match) -> bool:
    """Return whether nothing but commands that were not run is between a debt and its payment."""
    from gatilho.conditions.file_conditions import evaluate

    known, budget = context.commands, context.budget
    unknown = [one for one in match.row.conditions if verb_of(one).runs_command and one.argument not in known]
    others = [one for one in match.row.conditions if one not in unknown]
    # One file condition that fails decides it: then no command has to run.
    return bool(unknown) and all(evaluate(one, context.tree, budget, known).holds for one in others)


def evidence_of(conditions: tuple[Condition, ...], outcome: Outcome) -> str:
    """Return what the ledger keeps of conditions that hold: their texts, and the file and line or the exit status."""
    return f"{' and '.join(condition.text for condition in conditions)}: {outcome.evidence}"


def tell_holds_already(context: EventContext, match: Match) -> None:
    """Report a debt to the person whose condition held from the start."""
    row = match.row
    context.tell_person_once(
        f"holds already {match.key}",
        f"The condition of {row.id} is already true ({row.place}): the debt is paid, or its condition is wrong. "
        "Strike its id, or correct its `paid when` cell.",
    )


def _tell_gone(context: EventContext, match: Match, reason: str) -> None:
    """Report a debt to the person whose file vanished: neither payment nor regression.

    A file that a condition wants to hold something may just not have been made yet.
    """
    row = match.row
    if any(verb_of(condition).anchored for condition in row.conditions):
        context.tell_person_once(
            f"gone {match.key}",
            f"anchor gone: {reason} ({row.place}). That does not pay {row.id}: run "
            f"`gatilho pay {shell_word(row.id)} --why TEXT`, or correct the path.",
        )
