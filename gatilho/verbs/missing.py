"""`missing PATH`: nothing is there, not even a link to nothing; of a glob, no file matches it."""

from gatilho import verbs


class _Missing(verbs.Verb):
    form = "missing PATH"
    also = ("absent", "removed", "falta")
    phrase = "{path} is missing"
    glob_phrase = "no {path} exists"

    def evaluate(self, condition: "verbs.Condition", view: "verbs.View") -> verbs.Outcome:
        found = view.find(condition.argument)
        present = [spot for spot in found.spots if not spot.is_missing]
        if present:
            fault = present[0].fault
            return verbs.Outcome(False, reason=f"{found.name(present[0])} {fault or 'is there'}", undecided=bool(fault))
        if found.fault:
            return verbs.Outcome(False, reason=f"{found.path} {found.fault}", undecided=True)
        return verbs.Outcome(True, evidence=found.path)


VERB = _Missing()
