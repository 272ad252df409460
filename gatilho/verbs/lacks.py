"""`lacks PATH REGEX`: the file is there and the pattern is not found; of a glob, in no file."""

from gatilho import verbs


class _Lacks(verbs.Verb):
    form = "lacks PATH REGEX"
    also = ("lack", "without")
    phrase = "{path} lacks {operand}"
    glob_phrase = "every {path} lacks {operand}"
    anchored = True  # what vanished with its file went somewhere: of removed debts 20 to 50 % went with their class

    def evaluate(self, condition: "verbs.Condition", view: "verbs.View") -> verbs.Outcome:
        searched = view.search(condition.argument, view.has_match(condition.pattern))
        if searched.at:
            return verbs.Outcome(False, reason=f"the pattern is at {searched.at}")
        return searched.unanswered or verbs.Outcome(True, evidence=searched.looked_at)


VERB = _Lacks()
