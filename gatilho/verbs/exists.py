"""`exists PATH`: something is there; of a glob, anything."""

from gatilho.verbs import Outcome, Verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.conditions.file_conditions import View
    from gatilho.model import Condition


class _Exists(Verb):
    form = "exists PATH"
    also = ("exist", "present", "existe")
    phrase = "{path} exists"
    glob_phrase = "any {path} exists"

    def evaluate(self, condition: "Condition", view: "View") -> Outcome:
        found = view.find(condition.argument)
        there = [spot for spot in found.spots if not spot.fault]
        if there:
            return Outcome(True, evidence=found.name(there[0]))
        undecided = bool(found.fault) or any(not spot.is_gone for spot in found.spots)
        return Outcome(False, reason=found.why_nothing(), undecided=undecided)


VERB = _Exists()
