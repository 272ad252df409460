"""What a condition can say: one module for each verb, found by its file name. Imports no room.

A verb's module defines VERB. The grammar, the evaluation, the words for people and the cost are all read from there.
"""

import sys

from gatilho import system
from gatilho.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.conditions.file_conditions import View as View
    from gatilho.model import Condition as Condition

# What evaluating a condition costs: a look at files, or a program that a person has to allow.
FILES, COMMAND = "files", "command"


class Outcome(Value):
    """What became of a condition.

    evidence: what makes it hold, as paths and `path:line`, never text of a file. reason: why it does not hold.
    undecided: it does not hold because it could not be looked at, which is no sign that a paid debt is owed again.
    gone: undecided because a file that was to be searched is not there. left: how much is to be done before it holds,
    where that is a number.
    """

    holds: bool
    evidence: str = ""
    reason: str = ""
    gone: bool = False
    undecided: bool = False
    left: int = 0


class Verb:
    """One verb of conditions; each is a class of its own.

    form: the verb and its operands as people write them: PATH (quoted as in a shell, perhaps a glob) and what follows
    it, or one operand that is all the rest; `path_first` is for a verb that is written in another order.
    also: words that people write for it and that are not it.
    phrase, glob_phrase: the condition in words, of one path and of a glob. cost: FILES or COMMAND.
    anchored: its file is there when the row is written, so that a vanished one is for a person to settle.
    """

    form = ""
    also: tuple[str, ...] = ()
    phrase = ""
    glob_phrase = ""
    cost = FILES
    anchored = False

    @property
    def word(self) -> str:
        return self.form.partition(" ")[0]

    @property
    def operands(self) -> tuple[str, ...]:
        return tuple(self.form.split(" ")[1:])

    @property
    def takes_path(self) -> bool:
        return " PATH" in self.form

    @property
    def takes_regex(self) -> bool:
        return self.form.endswith(" REGEX")

    @property
    def runs_command(self) -> bool:
        return self.cost == COMMAND

    def path_first(self, rest: str) -> str:
        """Return what follows the verb with the path in front, "" where that cannot be found."""
        return rest

    def limit_of(self, condition: "Condition") -> str:
        """Return the number that a condition ends with, "" for a verb without one."""
        return ""

    def refuse(self, operand: str) -> str:
        """Return what is wrong with the operand after the path, as a sentence; "" for nothing."""
        return ""

    def evaluate(self, condition: "Condition", view: "View") -> Outcome:
        """Return whether a condition holds, with what makes it hold or why it does not."""
        raise NotImplementedError

    def result(self, outcome: Outcome) -> str:
        """Say in words what a condition came to."""
        if outcome.holds:
            return f"holds ({outcome.evidence})"
        if outcome.gone and self.anchored:
            return f"anchor gone ({outcome.reason})"
        decided = outcome.gone or not outcome.undecided
        return f"{'does not hold' if decided else 'cannot be evaluated'} ({outcome.reason})"


class _NotUnderstood(Verb):
    """Stands in for the verb of a condition that is misspelt, so that it never holds."""

    phrase = glob_phrase = "{text}, which is not a condition"

    def evaluate(self, condition: "Condition", view: "View") -> Outcome:
        return Outcome(False, reason=f"`{condition.text}` is not understood", undecided=True)


NOT_UNDERSTOOD = _NotUnderstood()
_words: list[str] = []
_loaded: dict[str, Verb] = {}


def verb_words() -> list[str]:
    """Return the verbs that there are, in alphabetical order."""
    if not _words:
        names = [name[:-3] for name in system.listdir(__path__[0]) if name.endswith(".py")]
        _words.extend(sorted(name for name in names if name != "__init__"))
    return _words


def find_verb(word: str) -> Verb | None:
    """Return a verb by its name, None where there is no such verb. Its module is loaded with its first use."""
    verb = _loaded.get(word)
    if verb is None and word in verb_words():
        module = f"{__name__}.{word}"
        __import__(module)
        verb = _loaded[word] = sys.modules[module].VERB
    return verb


def all_verbs() -> list[Verb]:
    """Return all verbs."""
    return [verb for verb in map(find_verb, verb_words()) if verb is not None]


def verb_of(condition: "Condition") -> Verb:
    """Return the verb of a condition that was parsed before."""
    return find_verb(condition.kind) or NOT_UNDERSTOOD


def commands_in(conditions: "tuple[Condition, ...]") -> list[str]:
    """Return the commands that conditions run, in order."""
    return [one.argument for one in conditions if verb_of(one).runs_command]


def paths_in(conditions: "tuple[Condition, ...]") -> list[str]:
    """Return the paths and globs that conditions name, each once and in order."""
    return list(dict.fromkeys(one.argument for one in conditions if verb_of(one).takes_path))
