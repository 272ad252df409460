"""What a shell command will leave in files, where its own text holds it: here-documents, `echo`, `printf`, `tee`.

Anything else in the command line, and anything that only a shell can know, gives no outcome.
"""

import os
import re

from gatilho.conditions.outcome import OutcomePlan, Overlay, UnknownOutcome
from gatilho.conditions.tree import Unreadable
from gatilho.shell.arguments import Allowance, Argument, assigned_value, expand, literal_pattern
from gatilho.shell.launchers import is_assignment, take_off
from gatilho.shell.outputs import FOLDER, PROJECT_VARIABLES, split_folder
from gatilho.shell.programs import files_of_program, name_of
from gatilho.shell.syntax import cut
from gatilho.shell.words import Simple, Word

_LONGEST = 262_144
_REDIRECT = re.compile(r"(\d*|&)(>>|>\||>)[ \t]*$")
_EXPANDED = ("$", "`", "\\")
# They write no file of the repository, whatever their arguments.
_LOOKING = frozenset(
    ("ls", "pwd", "true", ":", "test", "[", "wc", "head", "tail", "grep", "rg", "diff", "stat", "mkdir", "chmod",
     "date", "sleep", "which")
)  # fmt: skip
# Whatever the script does that they run, no command is asked about for it.
_RUNNING = frozenset(("python", "python3", "node", "pytest"))
_WRITING = (">", "tee", "dd ", "sponge", "install", "cp ", "mv ")
# Programs that run another one and add nothing to what it does.
_WRAPPING = frozenset(("sudo", "doas", "env", "command", "builtin", "nohup", "nice", "time", "timeout", "stdbuf"))
_INPUT = ("-", "/dev/stdin", "/dev/fd/0")
_CODE = ("-c", "-e", "-p", "-r", "-i", "--eval", "--print")
# Of `dd`: what changes only how it works, and not what is left.
_DD_PLAIN = frozenset(("bs", "ibs", "obs", "status"))
# Of `cp`, `mv` and `install`: options without a value, after which the target has the source's bytes.
_COPIES = frozenset(("-f", "-p", "-v", "-a", "-D", "-T", "-pf", "-fp", "-vf", "-fv"))
# What comes after `&&` runs as they are used here; after any other it may not.
_NEVER_FAIL = frozenset(("echo", "printf", "cat", "tee", "cd", "true", ":", "set"))
_GIT_LOOKING = frozenset(("status", "diff", "log", "show", "add", "commit"))
_SET = frozenset(("-e", "-eu", "-ex", "-eux", "-euo", "-euxo", "-o", "pipefail", "errexit", "nounset", "-u", "-x"))
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", '"': '"', "'": "'", "r": "\r", "a": "\a", "0": "\0"}


def overlay_of_command(command: str, cwd: str, root: str) -> Overlay | None:
    """Return the overlay of a command line that begins in the absolute folder cwd; None where it is not known."""
    if len(command) > _LONGEST or not any(word in command for word in _WRITING):
        return None
    try:
        return _Shell(command.replace("\r\n", "\n"), cwd, root).run()
    except (UnknownOutcome, Unreadable, ValueError):
        return None


class _Group:
    """A `{ … }` or `( … )`: the folder in front of it, and what its commands print, None where that is not known."""

    def __init__(self, kind: str, cwd: str) -> None:
        self.kind = kind
        self.cwd = cwd
        self.printed: str | None = ""


class _Shell:
    """Follows the simple commands of one line, with the folder, the text that a pipe carries, and the files left."""

    def __init__(self, source: str, cwd: str, root: str) -> None:
        self.source = source
        self.cwd = cwd
        self.root = root
        self.plan = OutcomePlan(cwd, root)
        self.piped: str | None = None
        # The number of the present list of commands, whether it may end early, and the list whose writes may not be.
        self.list = 0
        self.may_end = False
        self.doubtful = -1
        self.stops = False  # at the first command that fails, as after `set -e`
        self.program = ""
        self.groups: list[_Group] = []
        self.variables: dict[str, tuple[str, ...]] = {}

    def run(self) -> Overlay:
        output: str | None = None
        closed: _Group | None = None
        substitutions = 0
        for kind, what in cut(self.source):
            if what == "$(" or substitutions:  # known by its text, or the word that it is in is not known
                substitutions += {"open": 1, "close": -1}.get(kind, 0)
            elif kind == "printed":
                continue
            elif kind == "simple" and isinstance(what, Simple):
                if what.words or closed is None:
                    output = self._simple(what)
                else:
                    output = self._of_group(closed, what)
                closed = None
            elif kind == "open" and what in ("{", "("):
                self.groups.append(_Group(str(what), self.plan.cwd))
            elif kind == "close" and self.groups:
                closed = self.groups.pop()
                output = closed.printed
                if closed.kind == "(":
                    self.plan.cwd = closed.cwd
            elif kind != "end" or what in ("||", "&"):
                raise UnknownOutcome  # a loop, a branch
            else:
                closed = None
                if what != "|" and self.groups:
                    group = self.groups[-1]
                    known = group.printed is not None and output is not None and not self.may_end
                    group.printed = f"{group.printed}{output}" if known else None
                self.piped = output if what == "|" else None
                self._end(str(what))
        return self.plan.overlay

    def _of_group(self, group: _Group, redirects: Simple) -> str | None:
        """Take in the redirections of a group, which are opened before its commands run."""
        if redirects.bodies or self.plan.overlay:
            raise UnknownOutcome
        cwd, self.plan.cwd = self.plan.cwd, group.cwd
        output = self._redirected(redirects, group.printed)
        self.plan.cwd = cwd
        return output

    def _end(self, operator: str) -> None:
        if operator == "&&" or (self.stops and operator != "|"):
            self.may_end = self.may_end or self.program not in _NEVER_FAIL
        elif operator != "|":
            self.list, self.may_end = self.list + 1, False

    def _simple(self, simple: Simple) -> str | None:
        """Take in one simple command; return what it writes to the next one, None where that is not known."""
        if not simple.redirects and self._assigns(simple.words):
            return ""
        words = [self._text(word) for word in simple.words]
        if not words:
            raise UnknownOutcome
        while words[0] in _WRAPPING:
            behind, _ = take_off([Argument(word) for word in words], 0)
            words = words[behind:] or [":"]
        self.program = words[0]
        return self._redirected(simple, self._output(words, self._fed(simple)))

    def _assigns(self, words: list[Word]) -> bool:
        """Return whether a command only sets variables, which are noted; `if` it may not run, nothing is known."""
        named = [str(word.parts[0][1]) if word.parts and word.parts[0][0] == "u" else "" for word in words]
        if not words or not all(map(is_assignment, named)):
            return False
        for word, text in zip(words, named):
            name = text.partition("=")[0]
            values = assigned_value(word, len(name) + 1, self._variables(), Allowance(_LONGEST))
            if name in ("PWD", "IFS") or values is None or len(values) != 1 or self.may_end:
                raise UnknownOutcome
            self.variables[name] = values
        self.program = ":"
        return True

    def _variables(self) -> dict[str, tuple[str, ...]]:
        known = {name: (literal_pattern(os.environ.get(name, self.root)),) for name in PROJECT_VARIABLES}
        return {**known, "PWD": (literal_pattern(os.path.normpath(self.plan.cwd)),), **self.variables}

    def _redirected(self, simple: Simple, output: str | None) -> str | None:
        """Leave what a command prints where its redirections say; return what is left for the next one."""
        for operator, word in simple.redirects:
            if operator in ("<", "<<<"):
                continue
            found = _REDIRECT.search(self.source, 0, word.start)
            if found is None:
                raise UnknownOutcome
            target = self._text(word)
            if target == "/dev/null" or (found[1] == "2" and target.isdigit()):
                output = output if found[1] == "2" else None
                continue
            if found[1] not in ("", "1"):
                raise UnknownOutcome
            self._write(target, output, appends=found[2] == ">>")
            output = ""
        return output

    def _output(self, words: list[str], fed: str | None) -> str | None:
        program = words[0]
        if program == "cd" and len(words) == 2:
            self.plan.cwd = words[1] if words[1].startswith("/") else f"{self.plan.cwd}/{words[1]}"
            return ""
        if program == "echo":
            return _echoed(words[1:])
        if program == "printf":
            return _printed(words[1:])
        if program in (":", "true"):
            return ""
        if program == "cat":
            return self._concatenated(words[1:], fed)
        if program in ("tee", "sponge"):
            return self._put(words, fed)
        if program == "dd":
            return self._by_dd(words[1:], fed)
        if program in ("cp", "mv", "install"):
            return self._copied(program, words[1:], fed)
        if program in ("sh", "bash", "dash", "zsh") and len(words) == 3 and words[1] == "-c":
            return self._nested(words[2])
        if program == "set" and all(word in _SET for word in words[1:]):
            self.stops = True
            return ""
        if program in _RUNNING and fed is None and _runs_script(words):
            return None
        if program in _LOOKING or (program == "git" and len(words) > 1 and words[1] in _GIT_LOOKING):
            return None
        raise UnknownOutcome

    def _concatenated(self, names: list[str], fed: str | None) -> str | None:
        """Return what `cat` prints of these files as they are now."""
        if any(name[:1] == "-" and name != "-" for name in names):
            return None
        texts = [fed if name in _INPUT else self._content(name) for name in names or ["-"]]
        return None if None in texts else "".join(filter(None, texts))

    def _content(self, name: str) -> str:
        found = self.plan.content(name)
        if found is None:
            raise UnknownOutcome
        return found.decode("utf-8", "surrogateescape")

    def _put(self, words: list[str], fed: str | None) -> str | None:
        """Leave what `tee` or `sponge` is fed in its files."""
        options = {word for word in words[1:] if word.startswith("-")}
        if options - {"-a", "--append", "--"}:
            raise UnknownOutcome
        for operand in words[1:]:
            if operand not in options:
                self._write(operand, fed, appends=bool(options & {"-a", "--append"}))
        return fed if words[0] == "tee" else ""

    def _by_dd(self, words: list[str], fed: str | None) -> str | None:
        given = dict(word.partition("=")[::2] for word in words)
        text = self._concatenated([given.pop("if", "-")], fed)
        target = given.pop("of", "")
        if given.keys() - _DD_PLAIN:
            raise UnknownOutcome
        if not target:
            return text
        self._write(target, text, appends=False)
        return ""

    def _copied(self, program: str, words: list[str], fed: str | None) -> str:
        if program == "install" and "-m" in words:
            at = words.index("-m")
            words = words[:at] + words[at + 2 :]
        names = [word for word in words if word not in _COPIES and not (program == "install" and word[:2] == "-m")]
        if len(names) != 2 or any(name[:1] == "-" for name in names):
            raise UnknownOutcome
        source, target = names
        self._write(target, fed if source in _INPUT[1:] else self._content(source), appends=False)
        if program == "mv":
            self.plan.remove(source)
        return ""

    def _nested(self, text: str) -> str | None:
        """Follow the text of `sh -c`, whose files are those of this line; what it prints is not followed."""
        if self.may_end or self.doubtful >= 0:
            raise UnknownOutcome
        inner = _Shell(text, self.plan.cwd, self.root)
        cwd, inner.plan = self.plan.cwd, self.plan
        inner.run()
        self.plan.cwd = cwd
        return None

    def _fed(self, simple: Simple) -> str | None:
        given = [(operator, word) for operator, word in simple.redirects if operator in ("<", "<<<")]
        if given and not simple.bodies:
            operator, word = given[-1]
            text = self._text(word)
            return text + "\n" if operator == "<<<" else self._concatenated([text], None)
        if not simple.bodies:
            return self.piped
        body, expands, _, _ = simple.bodies[-1]
        if expands and any(mark in body for mark in _EXPANDED):
            raise UnknownOutcome
        return body + "\n" if body else ""

    def _write(self, target: str, text: str | None, appends: bool) -> None:
        if text is None or (self.doubtful >= 0 and self.doubtful != self.list):
            raise UnknownOutcome  # what was written before may be what is left
        if self.may_end:
            if self.plan.overlay and self.doubtful < 0:
                raise UnknownOutcome
            self.doubtful = self.list
        data = text.encode("utf-8", "surrogateescape")
        self.plan.write(target, (self.plan.content(target) or b"") + data if appends else data)

    def _text(self, word: Word) -> str:
        found = expand(word, self._variables(), self.source, Allowance(_LONGEST))
        if len(found) != 1 or found[0].text is None or found[0].glob:
            raise UnknownOutcome
        known = split_folder(found[0].text)
        if known is None:
            return found[0].text
        if FOLDER in known[1] or not f"{known[0]}/".startswith(self.root + "/"):
            raise UnknownOutcome
        return self.root + known[1]


def _runs_script(words: list[str]) -> bool:
    """Return whether an interpreter runs a file or a module that rewrites none of the files named to it."""
    found = files_of_program(name_of(Argument(words[0])), [Argument(word) for word in words[1:]])
    return bool(words[1:]) and not set(words).intersection(_CODE) and all(kind == "read" for kind, _ in found)


def _echoed(words: list[str]) -> str:
    """Return what `echo` prints; shells disagree on backslashes."""
    newline = "\n"
    while words and words[0] == "-n":
        newline, words = "", words[1:]
    escapes = words[:1] and words[0] in ("-e", "-ne", "-en")
    if escapes and all(word.count("\\") == word.count("\\n") + word.count("\\t") for word in words):
        text = " ".join(words[1:]).replace("\\n", "\n").replace("\\t", "\t")
        return text + ("" if "n" in words[0] else newline)
    if escapes or words[:1] == ["-E"] or any("\\" in word for word in words):
        raise UnknownOutcome
    return " ".join(words) + newline


def _printed(words: list[str]) -> str:
    """Return what `printf` prints for a format of `%s`, `%%` and plain escapes, with as many arguments as it takes."""
    words = words[1:] if words[:1] == ["--"] else words
    form, arguments = (words[0], words[1:]) if words and not words[0].startswith("-") else ("", ["?"])
    pieces = re.findall(r"%s|%%|%.|\\.|[^%\\]+|.", form, re.DOTALL)
    taken = iter(arguments)
    out = []
    for piece in pieces:
        if piece == "%s":
            out.append(next(taken, ""))
        elif piece == "%%":
            out.append("%")
        elif piece[0] == "\\" and piece[1:] in _ESCAPES:
            out.append(_ESCAPES[piece[1:]])
        elif piece[0] in "%\\":
            raise UnknownOutcome
        else:
            out.append(piece)
    if next(taken, None) is not None:
        raise UnknownOutcome  # the format is used again
    return "".join(out)
