"""`exists PATH`: something is there; of a glob, anything."""

from gatilho import verbs


class _Exists(verbs.Verb):
    form = "exists PATH"
    also = ("exist", "present", "existe")
    phrase = "{path} exists"
    glob_phrase = "any {path} exists"

    def evaluate(self, condition: "verbs.Condition", view: "verbs.View") -> verbs.Outcome:
        found = view.find(condition.argument)
        there = [spot for spot in found.spots if not spot.fault]
        if there:
            return verbs.Outcome(True, evidence=found.name(there[0]))
        undecided = bool(found.fault) or any(not spot.is_gone for spot in found.spots)
        return verbs.Outcome(False, reason=found.why_nothing(), undecided=undecided)


VERB = _Exists()
