"""The flow of a shell command line: which folder and variables each simple command sees, and what it touches."""

from itertools import islice

from gatilho.shell import arguments, launchers, programs, prose, quotes, syntax
from gatilho.shell.actions import act
from gatilho.shell.arguments import Argument
from gatilho.shell.findings import Findings, tidy_path
from gatilho.shell.shell_state import Call, Level

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gatilho.shell.prose import Blanks, Places, Span
    from gatilho.shell.shell_state import ShellState
    from gatilho.shell.words import Simple, Word

    _Key = tuple[str, ShellState, bool, bool, int, bool, int]

_MOST_COMMANDS = 5_000
_DEEPEST_TEXT = 3
_DEEPEST_CALL = 6
_MOST_FED = 64
_MOST_IN_FUNCTIONS = 12_000
_MOST_REPEATED = 2_000
# They run what they are fed, in languages that are not read here.
_INTERPRETERS = frozenset(
    ("python", "pypy", "node", "deno", "bun", "perl", "ruby", "php", "lua", "awk", "gawk", "expect", "tclsh",
     "osascript", "make", "at", "batch", "crontab", "julia", "Rscript", "su", "runuser", "docker", "podman", "vim",
     "ex", "ed", "gdb")
)  # fmt: skip
# In front of the arguments of a script that is fed, in a call of its own.
FED = "<"
# Variables that hold commands, which other programs run.
_RUN_BY_OTHERS = frozenset(
    ("EDITOR", "VISUAL", "PAGER", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "GIT_SSH_COMMAND", "GIT_SSH",
     "GIT_EXTERNAL_DIFF", "GIT_ASKPASS", "PROMPT_COMMAND", "MANPAGER", "PS0", "PS1", "PS4")
)  # fmt: skip
# Variables that name a script, which a shell reads before all else.
_READ_FIRST = ("BASH_ENV", "ENV")
_WRITING = frozenset((">", ">>", ">&", "&>", "<>"))


class Reader(Findings):
    """Goes through the commands of a text in the order in which a shell runs them."""

    def __init__(self) -> None:
        super().__init__()
        self.levels: list[Level] = []
        self.left = _MOST_COMMANDS
        self.depth = 0
        self.calls = 0
        self.output: str | None = None
        self.output_places: Places = ()
        self.piped_in: str | None = None
        self.piped_places: Places = ()
        self.piped_files: list[Argument] = []
        self.closed_output: tuple[str | None, Places] = None, ()  # of the bracket that was closed last
        # Where the bodies of functions are; an alias is one, too.
        self.functions: dict[str, tuple[str, int, int]] = {}
        self.entered: dict[tuple[object, ...], None] = {}  # calls that change nothing if they are made once more
        self.bodies: dict[str, list[syntax.SyntaxEvent]] = {}  # of functions, as they were cut
        self.repeated = arguments.Allowance(_MOST_REPEATED)  # events in further rounds of loops
        self.body_allowance = arguments.Allowance(_MOST_IN_FUNCTIONS)
        # Of the text that is being walked: what no shell runs, the commands found, where variables are set.
        self.blanks: Blanks = {}
        self.said: list[tuple[Span | list[Argument], str | None]] = []
        self.set_at: dict[str, Span] = {}
        # What simple commands of this text did, by their own text and what was known: a long line repeats itself.
        self.known: dict[_Key, tuple[int, list[tuple[Span, str]], str | None, Places]] = {}

    def walk(self, source: str, document: bool = False, through: "Callable[[Reader, str], None] | None" = None) -> str:
        """Go through the events of a text in the present state, and return it without what no shell runs.

        document: it is a here-document's body. through: what reads it, if it is in another language.
        """
        outer = self.blanks, self.said, self.set_at, self.known
        self.blanks, self.said, self.set_at, self.known = {}, [], {}, {}
        floor = len(self.levels)
        self.levels.append(Level("", self.state))
        if through is None:
            cut = self.bodies.get(source) if not document else None
            self._play(syntax.cut(source, document) if cut is None else cut, source)
        else:
            through(self, source)
        self.closed_output = self.levels[floor].output
        del self.levels[floor:]
        ordered = prose.ordered_spans(self.blanks)
        for one, folder in self.said:
            if isinstance(one, tuple):
                start, end = one
                text = prose.blanked(source, self.blanks, ordered, start, end) if ordered else source[start:end]
                self.add(text.replace("\\\n", "") if "\\\n" in text else text, folder)
            else:
                self.add(prose.command_text(one, self.blanks), folder)
        line = prose.blanked(source, self.blanks, ordered) if ordered else source
        self.blanks, self.said, self.set_at, self.known = outer
        return line

    def _play(self, events: "list[syntax.SyntaxEvent]", source: str) -> None:
        at = 0
        while at < len(events):
            kind, what = events[at]
            at += 1
            if kind == "simple":
                self._simple(what, source)  # type: ignore[arg-type]
            elif kind == "end":
                self._end(str(what))
            elif kind == "open":
                self.levels.append(Level(str(what), self.state, (self.piped_in, self.piped_places)))
                self.output = None
                if what == "loop":
                    at = self._play_lines(events, at, source)
            elif kind == "close":
                self._close(self.levels.pop())
            elif kind == "branch":
                # Only one of the branches runs, so each begins with what was known where the compound began.
                self.levels[-1].folders.add(self.state.cwd)
                self.state = self.levels[-1].pipeline = self.levels[-1].list = self.levels[-1].entry
            elif kind == "for":
                at = self._loop(what, events, at, source)  # type: ignore[arg-type]
            elif kind == "comment":
                self.blanks[what] = ""  # type: ignore[index]
            elif kind == "defined":
                self.define(source, *what)  # type: ignore[misc]
            elif kind == "printed":
                self._substituted(str(what))
            else:
                self.nested(str(what), self.state)
                self._substituted(str(what))

    def _rounds(self, events: "list[syntax.SyntaxEvent]", at: int, number: int) -> int:
        """Return where the body of a loop ends that begins there, 0 where its rounds would be too much work."""
        depth = end = 0
        for end in range(at, len(events)):
            depth += {"open": 1, "close": -1}.get(events[end][0], 0)
            if depth < 0:
                break
        return end if number > 1 and self.repeated.take((end - at) * number) else 0

    def _play_lines(self, events: "list[syntax.SyntaxEvent]", at: int, source: str) -> int:
        """Read a loop over lines that are known once for each of them; return where its events go on."""
        lines = (self.piped_in or "").strip("\n").split("\n")
        first = events[at][1] if events[at][0] == "simple" else None
        reads = any(word.bare() == "read" for word in getattr(first, "words", ())[:3])
        marked = arguments.LISTED in (self.piped_in or "") or arguments.TRACKED in (self.piped_in or "")
        end = self._rounds(events, at, len(lines)) if reads and not marked and len(lines) <= _MOST_FED else 0
        for line in lines if end else ():
            self.piped_in = line
            self._play(events[at:end], source)
        return end or at

    def _substituted(self, text: str) -> None:
        """Note what a substitution printed, for the words that it is in."""
        output, places = self.closed_output
        if output is None:
            return
        self.outputs[text] = output, places
        is_word = output.strip() == output.rstrip("\n") and len(output.split()) == 1 and arguments.UNKNOWN not in output
        is_word = is_word or ("\n" in output and output.replace("\n", "").isdecimal())  # of `seq`
        if is_word or arguments.LISTED in output or arguments.TRACKED in output:
            self.state = self.state.having({"$(" + text: (arguments.listed_words(output),)})

    # What a command leaves to the next one

    def _end(self, operator: str) -> None:
        level = self.levels[-1]
        if level.piped or operator == "|":
            self.state = level.pipeline  # each part of a pipeline runs in a shell of its own
        # All of a list that ends in `&` runs in a shell of its own: `cd x && make &` moves nothing here.
        if operator == "&":
            self.state = level.list
        level.piped = operator == "|"
        level.pipeline = self.state
        if operator not in ("|", "&&", "||"):
            level.list = self.state
        # What comes after `||` may run or not: its `cd` makes the folder unknown.
        level.alternative = operator == "||"
        self.piped_in, self.piped_places = (self.output, self.output_places) if operator == "|" else level.fed
        if self.output is not None:
            level.output = self.output, self.output_places
            self.output, self.output_places = None, ()

    def _close(self, level: Level) -> None:
        # Subshells give nothing back, and nothing says when the body of a function will run.
        if level.kind in ("(", "$(", "<(", "function"):
            self.state = level.entry
        elif level.kind in ("if", "case", "for", "loop"):
            # Branches that end in different folders leave it open where the next command runs.
            if level.folders and level.folders != {self.state.cwd}:
                self.state = self.state.entered(None)
            self.state = self.state.without_changes_since(level.entry)
        self.closed_output = level.output
        self.output, self.output_places = level.output if level.kind in ("(", "{") else (None, ())

    def _loop(self, simple: "Simple", events: "list[syntax.SyntaxEvent]", at: int, source: str) -> int:
        """Begin a loop over words, and play it once for each that is known; return where its events go on."""
        if not simple.words:
            return at
        name = simple.words[0].bare()
        values: list[Argument] = []
        for word in simple.words[2:]:
            values.extend(self.expand(word, source))
        for argument in values:
            self.touch("read", argument)
        marked = tuple(arguments.marked_text(argument) for argument in values)
        if len(simple.words) == 1:
            marked = self.state.variables.get("@", ())
        known = not any(arguments.UNKNOWN in text for text in marked) and 0 < len(marked) <= _MOST_FED
        end = self._rounds(events, at, len(marked)) if known else 0
        for text in marked if end else ():
            self.state = self.state.having({name: (text,)})
            self._play(events[at:end], source)
        if not end:  # then one round, in which it may be any of them
            self.state = self.state.having({name: marked if known else None})
        return end or at

    # One simple command

    def _simple(self, simple: "Simple", source: str) -> None:
        self.left -= 1
        if self.left < 0:
            return
        if simple.bodies or self.piped_in is not None or simple.start < 0:
            self._run_simple(simple, source)
            return
        level = self.levels[-1]
        written = source[simple.start : simple.end]
        key = written, self.state, level.alternative, level.piped, self.calls, self.local, self.made
        known = self.known.get(key)
        if known is None:
            state, reached, before = self.state, self.reached, len(self.blanks)
            self._run_simple(simple, source)
            # The same text once more has the same effect, unless it changed something else.
            if self.state is state and self.reached == reached:
                added = list(islice(reversed(self.blanks.items()), max(0, len(self.blanks) - before)))
                self.known[key] = simple.start, added, self.output, self.output_places
            return
        start, added, self.output, places = known
        moved = simple.start - start
        for (first, end), kept in added:
            self.blanks[first + moved, end + moved] = kept
        self.output_places = tuple((self.blanks, (first + moved, end + moved)) for _, (first, end) in places)

    def _run_simple(self, simple: "Simple", source: str) -> None:
        for body, expands, start, end in simple.bodies:
            self.blanks[start, end] = ""
            if expands and ("$(" in body or "`" in body):
                before = self.state
                self.walk(body, document=True)
                self.state = before
        assigned, behind = self._assignments(simple.words)
        for name in _RUN_BY_OTHERS.intersection(assigned):
            for text in assigned[name] or ():
                self.nested(quotes.unescape(text), self.state.inherited({}))
        for name in assigned:
            if name in _READ_FIRST:
                self._read_first(name, assigned[name], source)
        given: list[Argument] = []
        for word in simple.words[behind:]:
            given.extend(self.expand(word, source))
        targets: list[tuple[str, str]] = []
        fed, fed_file, places = self._redirects(simple, source, targets)
        self.output = None
        if given:
            self.said.append(((simple.start, simple.end), self._folder()))
            written = source[simple.start : simple.end]
            # Then the words joined by one blank are the same text once more.
            is_bare = not (behind or simple.redirects or simple.bodies) and " ".join(written.split()) == written
            self.run(Call(given, fed, fed_file, assigned, places), is_bare and given[0].raw == given[0].text)
        elif assigned:
            self.state = self.state.having(dict.fromkeys(assigned) if self.levels[-1].alternative else assigned)
        else:
            if fed is None and fed_file is not None:
                fed = self.names_in(fed_file)
            self.piped_in, self.piped_places = fed, places  # for the loop that comes next
            if self.levels[-1].kind == "$(":
                self.output, self.output_places = fed, places  # of `$(< FILE)`
        for operator, path in targets:
            if self.output is not None:
                self.hold(path, self.output, self.output_places, operator == ">>")

    def _read_first(self, name: str, value: "tuple[str, ...] | None", source: str) -> None:
        """Read the script that a variable names as a shell does that is started with it."""
        before, (start, end) = self.state, self.set_at[name]
        named = Argument(quotes.unescape(value[0]) if value else arguments.UNKNOWN, raw=source[start:end])
        act(self, "source", Call([Argument("source"), named], None, None, {}))
        self.state = before

    def _assignments(self, words: "list[Word]") -> tuple[arguments.Assigned, int]:
        assigned: arguments.Assigned = {}
        for at, word in enumerate(words):
            kind, text = word.parts[0] if word.parts else ("", "")
            if kind != "u" or "=" not in str(text) or not launchers.is_assignment(str(text).replace("+=", "=", 1)):
                return assigned, at
            name = str(text).partition("=")[0]
            self.set_at[name] = (word.start + len(name) + 1, word.end)
            value = arguments.assigned_value(word, len(name) + 1, self.state.variables, self.allowance)
            if name.endswith("+"):
                name = name[:-1]
                before = assigned.get(name, self.state.variables.get(name))
                if value is None or before is None:
                    value = None
                elif any(kind == "a" for kind, _ in word.parts):
                    value = (*before, *value)[-_MOST_FED:]
                else:
                    value = tuple(one + more for one in before for more in value)[:_MOST_FED]
            assigned[name] = value
        return assigned, len(words)

    def _redirects(
        self, simple: "Simple", source: str, targets: list[tuple[str, str]]
    ) -> "tuple[str | None, Argument | None, Places]":
        """Return what the command is fed, the file that feeds it, and where that text is written.

        targets: gets the files that its output goes to, each with the operator.
        """
        fed, places = self.piped_in, self.piped_places
        fed_file: Argument | None = None
        for operator, word in simple.redirects:
            for target in self.expand(word, source):
                if operator == "<<<":
                    fed = target.approximate
                    places = self.blank(target)
                elif operator == "<" and (printed := self.printed_into(target)) is not None:
                    fed, places = printed
                elif operator == "<":
                    (fed, places), fed_file = self.content_of(target) or (None, ()), target
                    self.touch("read", target)
                elif operator in _WRITING and not (operator == ">&" and target.approximate.rstrip("-").isdigit()):
                    kept = self.content_of(target) if operator == ">>" else None
                    self.touch("write", target)
                    path = self.state.path_of(target)
                    if path is not None and operator in (">", ">>"):
                        targets.append((operator, path))
                        if kept is not None:
                            self.contents[tidy_path(path)] = kept
        if simple.bodies:
            fed, _, start, end = simple.bodies[-1]
            places = ((self.blanks, (start, end)),)
        return fed, fed_file, places

    def run(self, call: Call, is_said: bool = False) -> None:
        """Take wrappers off, and do what the program does; is_said: its words are noted as a command already."""
        if self.calls >= _DEEPEST_CALL:
            return
        self.note_call(call.arguments)
        if not is_said:
            self.said.append((call.arguments, self._folder()))
        before = self.state
        at, moved = self._behind_wrappers(call)
        if at < len(call.arguments):
            self._start(call, at)
        elif programs.name_of(call.arguments[0]) == "command":  # `-v`: it looks a program up
            self._blank_prose("command", call.arguments[1:])
        if moved:
            self.state = before

    def _behind_wrappers(self, call: Call) -> tuple[int, bool]:
        """Return where the program of a call begins, and whether a wrapper entered a folder for it.

        What xargs and its like are fed runs here; then nothing is left of the call.
        """
        at, moved = 0, False
        # Wrappers nest, as in `sudo env timeout 5 rm a`.
        while at < len(call.arguments):
            behind, folder = launchers.take_off(call.arguments, at)
            if behind == at:
                break
            if folder is not None:
                self.state, moved = self.state.entered(self.state.folder(folder)), True
            name = programs.name_of(call.arguments[at])
            is_run = name in ("xargs", "parallel") and self._run_fed(name, call, at, behind)
            at = len(call.arguments) if is_run else behind
        return at, moved

    def _run_fed(self, name: str, call: Call, at: int, behind: int) -> bool:
        """Run what xargs or parallel is given, once for its words; False where no words are known."""
        file = launchers.fed_file(call.arguments[at:behind]) if name == "xargs" else None
        if file is None and call.fed is None:
            file = call.fed_file
        held = None if file is None else self.content_of(file) or self.printed_into(file) or (self.names_in(file), ())
        fed = held[0] if held is not None else call.fed
        if not fed and name != "parallel":
            return False
        words = (fed or "").split()[:_MOST_FED]
        runs = launchers.fed_to(call.arguments, at, behind, words) if behind < len(call.arguments) else []
        self.calls += 1
        for given in runs:
            self.run(Call(given, None, None, call.assigned))
        self.calls -= 1
        return True

    def _start(self, call: Call, at: int) -> None:
        """Do what the program does that begins there in the arguments of a call, after wrappers."""
        call.arguments = call.arguments[at:]
        if at:
            self.note_call(call.arguments)
            self.said.append((call.arguments, self._folder()))
        name = programs.name_of(call.arguments[0])
        self._blank_prose(name, call.arguments[1:])
        # Noted as if its option `-c` held the code, for the guard looks at nothing but arguments.
        if call.fed and name.rstrip("0123456789.w") in _INTERPRETERS:
            self.calls_made[name, "-c", call.fed] = None
        if (call.fed or call.fed_file or self.levels[-1].piped) and _runs_script(name, call.arguments):
            self.note_call([Argument(FED), *call.arguments])
        self.calls += 1
        if not at and call.arguments[0].approximate in self.functions:
            self._call_function(call)
        else:
            act(self, name, call)
        self.calls -= 1

    def define(self, source: str, name: str, start: int, end: int) -> None:
        """Note where the body of a function is; an alias is one, too."""
        self.functions[name] = source, start, end
        self.made += 1
        self.reached += 1

    def _call_function(self, call: Call) -> None:
        name, operands = call.arguments[0].approximate, call.arguments[1:]
        before = self.state
        state = before.having(call.assigned).given(operands)
        key = name, state, call.fed, self.made, self.local
        if key in self.entered:
            return
        source, start, end = self.functions.pop(name)  # what it calls by its own name is the program, or never ends
        if self.body_allowance.take(end - start):
            body, made = source[start:end], self.made
            self.bodies[body] = self.bodies.get(body) or syntax.cut(body)
            self.nested(body, state, keep=True, fed=(call.fed, call.places))
            if self.state is state:
                self.state = before
                if made == self.made:
                    self.entered[key] = None
            else:
                self.state = self.state.numbered(before.variables.get("@", ()))
        else:
            for operand in operands:  # then every file that it is given may be written
                self.touch("maybe", operand)
        self.functions.setdefault(name, (source, start, end))

    def nested(
        self,
        text: str,
        state: "ShellState",
        keep: bool = False,
        places: "Places" = (),
        fed: "tuple[str | None, Places]" = (None, ()),
    ) -> None:
        """Read a text that is itself a command line; keep: it runs in this very shell.

        places: where it is written. fed: what its first command gets.
        """
        # It was left out as prose where it was written (`echo … | sh`), and is a command after all.
        for blanks, span in places:
            blanks.pop(span, None)
        if self.depth >= _DEEPEST_TEXT:
            return
        before = self.state, self.output, self.piped_in, self.output_places, self.piped_places
        self.reached += 1
        self.depth += 1
        # Wrappers are counted anew in each text: how deep texts nest has a bound of its own.
        calls, self.calls = self.calls, 0
        self.state = state
        self.piped_in, self.piped_places = fed
        # The reader drops a NUL; a parameter that no one knows keeps the word unknown.
        text = text.replace("\0", "$?")
        line = self.walk(text)
        if line != text:
            for at, (blanks, span) in enumerate(places):
                blanks[span] = line if not at else ""
        self.depth -= 1
        self.calls = calls
        after = self.state
        self.state, self.output, self.piped_in, self.output_places, self.piped_places = before
        if keep:
            self.state = after

    def written_by(self, given: list[Argument]) -> "Places":
        """Return where arguments are written in the text that is being walked."""
        return tuple((self.blanks, argument.span) for argument in given if argument.span is not None)

    def _blank_prose(self, name: str, given: list[Argument]) -> None:
        for argument, kept in prose.prose_in(name, given):
            self.blank(argument, kept)

    def blank(self, argument: Argument, kept: str = "") -> "Places":
        """Leave an argument out of what commands are matched by, and what variables in it were set to."""
        if argument.span is None or argument.span[0] < 0:
            return ()
        raw = argument.raw
        quote = raw[0] if raw[:1] in ("'", '"') and not kept else "'"
        self.blanks[argument.span] = kept + quote + quote
        if "$" in raw:
            for name, span in self.set_at.items():
                if "$" + name in raw or "${" + name in raw:
                    self.blanks[span] = "''"
                    self.reached += 1
        return ((self.blanks, argument.span),)

    def _folder(self) -> str | None:
        """Return the folder of the command that is looked at, None where it is not known, or on another machine."""
        return self.state.cwd if self.local else None

    def expand(self, word: "Word", source: str) -> list[Argument]:
        return arguments.expand(word, self.state.variables, source, self.allowance)


def _runs_script(name: str, given: list[Argument]) -> bool:
    """Return whether a call runs a script in a file, as far as its words say."""
    return name.startswith(("python", "pypy")) or name.endswith(".py") or "/" in given[0].approximate
