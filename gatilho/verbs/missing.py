"""`missing PATH`: nothing is there, not even a link to nothing; of a glob, no file matches it."""

from gatilho.verbs import Outcome, Verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.conditions.file_conditions import View
    from gatilho.model import Condition


class _Missing(Verb):
    form = "missing PATH"
    also = ("absent", "removed", "falta")
    phrase = "{path} is missing"
    glob_phrase = "no {path} exists"

    def evaluate(self, condition: "Condition", view: "View") -> Outcome:
        found = view.find(condition.argument)
        present = [spot for spot in found.spots if not spot.is_missing]
        if present:
            fault = present[0].fault
            return Outcome(False, reason=f"{found.name(present[0])} {fault or 'is there'}", undecided=bool(fault))
        if found.fault:
            return Outcome(False, reason=f"{found.path} {found.fault}", undecided=True)
        return Outcome(True, evidence=found.path)


VERB = _Missing()
