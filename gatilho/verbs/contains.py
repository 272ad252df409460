"""`contains PATH REGEX`: the file is there and the pattern is found; of a glob, in any file."""

from gatilho.verbs import Outcome, Verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.conditions.file_conditions import View
    from gatilho.model import Condition


class _Contains(Verb):
    form = "contains PATH REGEX"
    also = ("contain", "has", "matches", "contém", "contem")
    phrase = "{path} contains {operand}"
    glob_phrase = "any {path} contains {operand}"

    def evaluate(self, condition: "Condition", view: "View") -> Outcome:
        searched = view.search(condition.argument, view.has_match(condition.pattern))
        if searched.at:
            return Outcome(True, evidence=searched.at)
        return searched.unanswered or Outcome(False, reason=f"the pattern is not in {condition.argument}")


VERB = _Contains()
