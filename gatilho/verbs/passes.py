"""`passes COMMAND`: the command exits 0. A person has to allow its exact text on this machine before it runs."""

from gatilho import verbs


class _Passes(verbs.Verb):
    form = "passes COMMAND"
    also = ("cmd", "command", "pass", "run", "passa")
    phrase = glob_phrase = "{command} passes"
    cost = verbs.COMMAND

    def evaluate(self, condition: "verbs.Condition", view: "verbs.View") -> verbs.Outcome:
        """Return what the command came to when it was run before: evaluating runs nothing."""
        known = view.commands.get(condition.argument)
        return known or verbs.Outcome(False, reason="commands are not run here", undecided=True)


VERB = _Passes()
