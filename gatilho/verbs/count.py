"""`count PATTERN in GLOB <= N`: the files are there, and the pattern is found in them at most that many times."""

from gatilho import verbs


class _Count(verbs.Verb):
    form = "count PATTERN in GLOB <= N"
    also = ("counts", "conta")
    phrase = "{path} has at most {limit} of {operand}"
    glob_phrase = "all {path} together have at most {limit} of {operand}"
    anchored = True
    takes_path = True
    takes_regex = True

    def path_first(self, rest: str) -> str:
        """Return the path and then the pattern: the last `in` parts the two, and the limit is read by `limit_of`."""
        before, _, limit = rest.rpartition("<=")
        pattern, _, path = before.rstrip().rpartition(" in ")
        is_number = limit.strip().isascii() and limit.strip().isdigit()
        return f"{path.strip()} {pattern.rstrip()}" if is_number and pattern.strip() and path.strip() else ""

    def limit_of(self, condition: "verbs.Condition") -> str:
        """Return how many matches there may be."""
        return condition.text.rpartition("<=")[2].strip()

    def evaluate(self, condition: "verbs.Condition", view: "verbs.View") -> verbs.Outcome:
        found, searched = view.count(condition.argument, condition.pattern)
        limit = int(self.limit_of(condition))
        if found > limit:  # files that cannot be read could only add to it
            matches = "1 match" if found == 1 else f"{found} matches"
            reason = f"{matches} in {condition.argument}, {found - limit} more than {limit}"
            return verbs.Outcome(False, reason=reason, left=found - limit)
        return searched.unanswered or verbs.Outcome(True, evidence=f"{searched.looked_at}: {found} of at most {limit}")


VERB = _Count()
