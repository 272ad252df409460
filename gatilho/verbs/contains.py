"""`contains PATH REGEX`: the file is there and the pattern is found; of a glob, in any file."""

from gatilho import verbs


class _Contains(verbs.Verb):
    form = "contains PATH REGEX"
    also = ("contain", "has", "matches", "contém", "contem")
    phrase = "{path} contains {operand}"
    glob_phrase = "any {path} contains {operand}"

    def evaluate(self, condition: "verbs.Condition", view: "verbs.View") -> verbs.Outcome:
        searched = view.search(condition.argument, view.has_match(condition.pattern))
        if searched.at:
            return verbs.Outcome(True, evidence=searched.at)
        return searched.unanswered or verbs.Outcome(False, reason=f"the pattern is not in {condition.argument}")


VERB = _Contains()
