"""`lacks PATH REGEX`: the file is there and the pattern is not found; of a glob, in no file."""

from gatilho.verbs import Outcome, Verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.conditions.file_conditions import View
    from gatilho.model import Condition


class _Lacks(Verb):
    form = "lacks PATH REGEX"
    also = ("lack", "without")
    phrase = "{path} lacks {operand}"
    glob_phrase = "every {path} lacks {operand}"
    anchored = True  # what vanished with its file went somewhere: of removed debts 20 to 50 % went with their class

    def evaluate(self, condition: "Condition", view: "View") -> Outcome:
        searched = view.search(condition.argument, view.has_match(condition.pattern))
        if searched.at:
            return Outcome(False, reason=f"the pattern is at {searched.at}")
        return searched.unanswered or Outcome(True, evidence=searched.looked_at)


VERB = _Lacks()
