"""The flow of a shell command line: which folder and variables each simple command sees, and what it touches."""

from gatilho.shell import arguments, launchers, programs, shell_state, syntax
from gatilho.shell.actions import act
from gatilho.shell.arguments import Argument
from gatilho.shell.shell_state import Call, Level

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.shell.shell_state import ShellState
    from gatilho.shell.words import Simple, Word

_MOST_COMMANDS = 5_000
_DEEPEST_TEXT = 3
_DEEPEST_CALL = 6
_MOST_EXPANDED = 200_000
_LONGEST_PATH = 4_096  # PATH_MAX on Linux
_MOST_FED = 64
_WRITING = frozenset((">", ">&", "&>", "<>"))


class Reader:
    def __init__(self) -> None:
        self.commands: dict[str, None] = {}
        self.words: dict[tuple[str, str], None] = {}
        self.patches: dict[str, None] = {}
        self.patch_files: dict[tuple[str, str, int], None] = {}
        self.scope = shell_state.ShellState()
        self.levels: list[Level] = []
        self.allowance = arguments.Allowance(_MOST_EXPANDED)
        self.left = _MOST_COMMANDS
        self.depth = 0
        self.calls = 0
        self.local = True
        self.output: str | None = None
        self.piped_in: str | None = None

    def walk(self, source: str, document: bool = False) -> None:
        """Go through the events of a text in the present scope; document: it is a here-document's body."""
        floor = len(self.levels)
        self.levels.append(Level("", self.scope))
        for kind, what in syntax.cut(source, document):
            if kind == "simple":
                self._simple(what, source)  # type: ignore[arg-type]
            elif kind == "end":
                self._end(str(what))
            elif kind == "open":
                self.levels.append(Level(str(what), self.scope))
                self.output = None
            elif kind == "close":
                self._close(self.levels.pop())
            elif kind == "branch":
                self.levels[-1].folders.add(self.scope.cwd)
                self.scope = self.levels[-1].pipeline = self.levels[-1].list = self.levels[-1].entry
            elif kind == "for":
                self._loop(what, source)  # type: ignore[arg-type]
            else:
                self.nested(str(what), self.scope)
        del self.levels[floor:]

    # What a command leaves to the next one

    def _end(self, operator: str) -> None:
        level = self.levels[-1]
        if level.piped or operator == "|":
            self.scope = level.pipeline  # each part of a pipeline runs in a shell of its own
        if operator == "&":
            self.scope = level.list
        level.piped = operator == "|"
        level.pipeline = self.scope
        if operator not in ("|", "&&", "||"):
            level.list = self.scope
        level.alternative = operator == "||"
        self.piped_in = self.output if operator == "|" else None
        self.output = None

    def _close(self, level: Level) -> None:
        if level.kind in ("(", "$(", "<(", "function"):
            self.scope = level.entry
        elif level.kind in ("if", "case", "for", "loop"):
            if level.folders and level.folders != {self.scope.cwd}:
                self.scope = self.scope.entered(None)
            self.scope = self.scope.without_changes_since(level.entry)
        self.output = None

    def _loop(self, simple: "Simple", source: str) -> None:
        if not simple.words:
            return
        name = simple.words[0].bare()
        values: list[Argument] = []
        for word in simple.words[2:]:
            values.extend(self.expand(word, source))
        for argument in values:
            self.touch("read", argument)
        known = all(argument.text is not None for argument in values) and 0 < len(values) <= 64
        marked = tuple(arguments.marked_text(argument) for argument in values)
        self.scope = self.scope.having({name: marked if known else None})

    # One simple command

    def _simple(self, simple: "Simple", source: str) -> None:
        self.left -= 1
        if self.left < 0:
            return
        for body, expands in simple.bodies:
            if expands and ("$(" in body or "`" in body):
                before = self.scope
                self.walk(body, document=True)
                self.scope = before
        assigned, behind = self._assignments(simple.words)
        given: list[Argument] = []
        for word in simple.words[behind:]:
            given.extend(self.expand(word, source))
        fed, fed_file = self._redirects(simple, source)
        if given:
            self.say(source[simple.start : simple.end].replace("\\\n", ""))
            self.run(Call(given, fed, fed_file, assigned))
        elif assigned:
            self.scope = self.scope.having(dict.fromkeys(assigned) if self.levels[-1].alternative else assigned)

    def _assignments(self, words: "list[Word]") -> tuple[dict[str, tuple[str, ...] | None], int]:
        assigned: dict[str, tuple[str, ...] | None] = {}
        for at, word in enumerate(words):
            kind, text = word.parts[0] if word.parts else ("", "")
            if kind != "u" or "=" not in str(text) or not launchers.is_assignment(str(text).replace("+=", "=", 1)):
                return assigned, at
            name = str(text).partition("=")[0]
            if name.endswith("+"):
                assigned[name[:-1]] = None
            else:
                assigned[name] = arguments.assigned_value(word, len(name) + 1, self.scope.variables, self.allowance)
        return assigned, len(words)

    def _redirects(self, simple: "Simple", source: str) -> tuple[str | None, Argument | None]:
        fed = self.piped_in
        fed_file: Argument | None = None
        for operator, word in simple.redirects:
            for target in self.expand(word, source):
                if operator == "<<<":
                    fed = target.loose
                elif operator == "<":
                    fed, fed_file = None, target
                    self.touch("read", target)
                elif operator in _WRITING and not (operator == ">&" and target.loose.rstrip("-").isdigit()):
                    self.touch("write", target)
        return (simple.bodies[-1][0] if simple.bodies else fed), fed_file

    def run(self, call: Call) -> None:
        """Take wrappers off, and do what the program does."""
        if self.calls >= _DEEPEST_CALL:
            return
        self.say(_text_of(call.arguments))
        before, moved, at = self.scope, False, 0
        while at < len(call.arguments):
            behind, folder = launchers.take_off(call.arguments, at)
            if behind == at:
                break
            if folder is not None:
                self.scope, moved = self.scope.entered(self.scope.folder(folder)), True
            if call.fed and programs.name_of(call.arguments[at]) == "xargs":
                call.arguments = call.arguments + [Argument(text) for text in call.fed.split()[:_MOST_FED]]
                call.fed = None
            at = behind
        if at < len(call.arguments):
            call.arguments = call.arguments[at:]
            if at:
                self.say(_text_of(call.arguments))
            self.calls += 1
            act(self, programs.name_of(call.arguments[0]), call)
            self.calls -= 1
        if moved:
            self.scope = before

    def nested(self, text: str, scope: "ShellState", keep: bool = False) -> None:
        """Read a text that is itself a command line; keep: it runs in this very shell."""
        if self.depth >= _DEEPEST_TEXT:
            return
        before = self.scope, self.output, self.piped_in
        self.depth += 1
        calls, self.calls = self.calls, 0
        self.scope = scope
        self.piped_in = None
        self.walk(text.replace("\0", "$?"))
        self.depth -= 1
        self.calls = calls
        self.scope, self.output, self.piped_in = (self.scope if keep else before[0]), before[1], before[2]

    # What is found

    def say(self, text: str) -> None:
        text = text.strip()
        if text:
            self.commands[text] = None

    def expand(self, word: "Word", source: str) -> list[Argument]:
        return arguments.expand(word, self.scope.variables, source, self.allowance)

    def touch(self, kind: str, argument: Argument) -> None:
        text = argument.text
        if not self.local or not text or len(text) > _LONGEST_PATH:
            return
        if text.startswith("/dev/") or "://" in text or (kind == "read" and ("\n" in text or text == "-")):
            return
        if not text.isascii() or any(map(str.isalnum, text)):
            joined = self.scope.join(text)
            if joined is not None:
                if argument.glob and joined.endswith(text) and joined != text:
                    joined = arguments.literal_pattern(joined[: len(joined) - len(text)]) + text
                self.words[(kind + "*" if argument.glob else kind, joined)] = None


def _text_of(given: list[Argument]) -> str:
    """Return the arguments as one command: the program by its value, the rest as written, joined by blanks."""
    first = given[0].raw if given[0].text is None else given[0].text
    return " ".join([first, *(argument.raw for argument in given[1:] if argument.raw)])
