"""Whether an owed debt is paid: what its file conditions say, and whether they may be believed."""

from gatilho.index.packing import conditions_text
from gatilho.ladder import recording, sessions
from gatilho.ladder.decide import Match
from gatilho.ladder.event_context import Scene
from gatilho.model import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.conditions.files import Outcome, Tree

OWED, PAID, HOLDS_ALREADY = "owed", "paid", "holds already"


class Verdict:
    """What became of a debt when its conditions were looked at, and why."""

    __slots__ = ("state", "evidence", "reason", "gone")

    def __init__(self, state: str, evidence: str = "", reason: str = "", gone: bool = False) -> None:
        self.state = state
        self.evidence = evidence
        self.reason = reason
        self.gone = gone


def is_owed_still(scene: Scene, match: Match) -> bool:
    """Whether an owed debt that was touched is one still; a payment is recorded, and the person told what only he can
    settle.

    A row whose id another one shares is written nowhere: there it only counts that its conditions hold.
    """
    if not match.row.conditions:
        return True
    verdict = look(scene, match)
    if match.row.shared:
        return verdict.state == OWED
    if verdict.state == PAID:
        recording.pay(scene, match, verdict.evidence)
        scene.session.pay(match.key)
    elif verdict.state == HOLDS_ALREADY:
        tell_holds_already(scene, match)
    elif verdict.gone:
        _tell_gone(scene, match, verdict.reason)
    return verdict.state == OWED


def look(scene: Scene, match: Match) -> Verdict:
    """Look at a debt's conditions in the files as they are.

    Conditions that hold, that HEAD's version of the row does not have, and that were never seen to fail here, pay
    nothing: either the debt is paid already or the condition is wrong, and a person has to say which.
    """
    outcome = outcome_of(scene, match)
    text = conditions_text(match.row.conditions)
    if not outcome.holds:
        if outcome.gone or not outcome.undecided:
            sessions.saw_failing(scene.db, match.key, text)
        return Verdict(OWED, reason=outcome.reason, gone=outcome.gone)
    if not sessions.was_seen_failing(scene.db, match.key, text) and not scene.has_committed_conditions(match):
        return Verdict(HOLDS_ALREADY, outcome.evidence)
    return Verdict(PAID, evidence_of(match.row, outcome))


def outcome_of(scene: Scene, match: Match, tree: "Tree | None" = None) -> "Outcome":
    """What the conditions of a row come to in a tree (the files as they are, unless another is given)."""
    from gatilho.conditions.files import evaluate_all

    return evaluate_all(match.row.conditions, tree or scene.tree, scene.budget, scene.commands)


def awaits_command(scene: Scene, match: Match) -> bool:
    """Whether nothing but commands that were not run stands between a debt and its payment."""
    from gatilho.conditions.files import evaluate

    known, budget = scene.commands, scene.budget
    unknown = [one for one in match.row.conditions if one.kind == "passes" and one.argument not in known]
    others = [one for one in match.row.conditions if one not in unknown]
    return bool(unknown) and all(evaluate(one, scene.tree, budget, known).holds for one in others)


def evidence_of(row: Row, outcome: "Outcome") -> str:
    """What the ledger keeps of a payment: the conditions, and what made them hold (file and line, exit status)."""
    return f"{' and '.join(condition.text for condition in row.conditions)}: {outcome.evidence}"


def tell_holds_already(scene: Scene, match: Match) -> None:
    """Tell the person of a debt whose condition held from the start."""
    row = match.row
    scene.tell_person_once(
        f"holds already {match.key}",
        f"{row.id} holds already ({row.place}): the debt is paid, or its condition is wrong. "
        "Strike its id, or correct what stands under `paid when`.",
    )


def _tell_gone(scene: Scene, match: Match, reason: str) -> None:
    """Tell the person of a debt whose file vanished: neither payment nor regression.

    A file that a condition wants to hold something may just not have been made yet.
    """
    row = match.row
    if any(condition.kind == "lacks" for condition in row.conditions):
        scene.tell_person_once(
            f"gone {match.key}", f"{row.id}: anchor gone, {reason}. A person has to settle it ({row.place})."
        )
