"""`passes COMMAND`: the command exits 0. A person has to allow its exact text on this machine before it runs."""

from gatilho.verbs import COMMAND, Outcome, Verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.conditions.file_conditions import View
    from gatilho.model import Condition


class _Passes(Verb):
    form = "passes COMMAND"
    also = ("cmd", "command", "pass", "run", "passa")
    phrase = glob_phrase = "{command} passes"
    cost = COMMAND

    def evaluate(self, condition: "Condition", view: "View") -> Outcome:
        """Return what the command came to when it was run before: evaluating runs nothing."""
        known = view.commands.get(condition.argument)
        return known or Outcome(False, reason="commands are not run here", undecided=True)


VERB = _Passes()
