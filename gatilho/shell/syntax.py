"""The syntax of a shell command line: cuts it into simple commands with their words, and the brackets around them.

One pass without recursion: whatever the text, each character is looked at a bounded number of times.
"""

from gatilho.shell.outputs import LONGEST
from gatilho.shell.quotes import (
    ansi_c,
    backticks,
    behind_arithmetic,
    behind_bracket,
    find_or_end,
    here_document,
    parameter,
)
from gatilho.shell.words import OpenBracket, Simple, Word

DEEPEST = 50
"""Brackets inside brackets beyond which reading stops; people stop at four or five."""

_PLAIN_MARKS = {ord(char): "\0" for char in " \t\n;&|()<>'\"\\`$#"}
_QUOTED_MARKS = {ord(char): "\0" for char in '"\\`$'}
_IN_SUBSCRIPT = frozenset(" \t<>|&()")
# Their operands are assignments.
_DECLARING = frozenset(("declare", "typeset", "local", "export", "readonly"))
_SKIPPED = frozenset(("!", "then", "do", "time", "coproc", "-p"))
_OPENERS = {"{": "{", "if": "if", "while": "loop", "until": "loop", "for": "for", "select": "for", "case": "case"}
_CLOSERS = frozenset(("}", "fi", "done", "esac"))
_RESERVED = _SKIPPED | _CLOSERS | frozenset(_OPENERS) | frozenset(("else", "elif", "function", "[["))


# What kind of piece of a command line, and the piece.
SyntaxEvent = tuple[str, object]


def cut(text: str, document: bool = False) -> list[SyntaxEvent]:
    """Return the events of a command line in execution order. document: the text is an expanding here-document.

    ("simple", Simple), ("for", Simple whose words are NAME in WORD…), ("end", operator after a command);
    ("open", kind) and ("close", kind) for the brackets `(`, `$(`, `<(`, `{`, if, loop, for, case, function;
    ("defined", (name, start and end of its body)) after a function; ("branch", "") between alternatives;
    ("backtick", the text between backticks); ("comment", its start and end);
    ("printed", its text) after the bracket of a substitution. What a loop is redirected from comes before the loop.
    """
    return _Cutter(text, document).run()


class _Cutter:
    def __init__(self, text: str, document: bool) -> None:
        self.text = text
        self.size = len(text)
        self.at = 0
        # The next character with a meaning is found in C: a copy of the same length has a NUL at each of them.
        # One `?` for each character beyond ASCII: places stay the same, and `translate` is fast on ASCII only.
        letters = text.encode("ascii", "replace").decode("ascii")
        self.plain = letters.translate(_PLAIN_MARKS)
        self.quoted = letters.translate(_QUOTED_MARKS)
        self.may_subscript = "]=" in text or "]+=" in text
        self.events: list[tuple[str, object]] = []
        self.frames = [OpenBracket("")]
        self.frames[0].in_quotes = self.frames[0].document = document
        self.awaited: list[tuple[Simple, str, bool, bool]] = []

    def run(self) -> list[tuple[str, object]]:
        frames, size = self.frames, self.size
        while self.at < size and len(frames) <= DEEPEST:
            frame = frames[-1]
            if frame.in_quotes:
                self._read_quoted(frame)
            else:
                self._read_plain(frame)
        # What is never closed is closed here: an unfinished line names its files all the same.
        while self.frames:
            self._leave()
        return self.events

    def _read_plain(self, frame: OpenBracket) -> None:
        at = self.at
        stop = self.plain.find("\0", at)
        if stop < 0:
            stop = self.size
        if stop > at:
            if frame.word is None:
                frame.word = Word(at)
            frame.word.parts.append(("u", self.text[at:stop]))
            self.at = at = stop
            if stop >= self.size:
                return
        self.at = at + 1
        char = self.text[at]
        if self.may_subscript and frame.word is not None and char in _IN_SUBSCRIPT and self._subscript(frame, at):
            return
        if char == " " or char == "\t":
            self._end_word(frame, at)
        else:
            action = _ACTIONS.get(char)
            if action is not None:  # a NUL is dropped: no argument can hold one
                action(self, frame, at)

    def _read_quoted(self, frame: OpenBracket) -> None:
        at = self.at
        stop = self.quoted.find("\0", at)
        if stop < 0:
            stop = self.size
        if stop > at:
            frame.take(at, "q", self.text[at:stop])
            self.at = stop
            return
        self.at = at + 1
        char = self.text[at]
        if char == "$":
            self._dollar(frame, at)
        elif char == "`":
            self._backtick(frame, at)
        elif char == "\\":
            # In double quotes a backslash stays, unless one of four marks or a line ending comes after it.
            following = self.text[at + 1 : at + 2]
            self.at = at + 1 + len(following)
            if following != "\n":
                frame.take(at, "q", following if following in '$`"\\' else "\\" + following)
        elif char == '"' and not frame.document:
            frame.in_quotes = False
        else:
            frame.take(at, "q", char)

    def _subscript(self, frame: OpenBracket, at: int) -> bool:
        """Take what is left of the subscript of an assignment (`a[1<<2]=3`) as text: it is arithmetic, no syntax."""
        kind, text = frame.word.parts[-1] if frame.word is not None and frame.word.parts else ("", "")
        name, bracket, inside = str(text).partition("[")
        named = name.isidentifier() or (not name and frame.kind == "array")
        if kind != "u" or not bracket or not named or inside.count("[") < inside.count("]"):
            return False
        # Only before the program's name, or after `declare` and its like, is it an assignment: `ls a[1 >b` writes b.
        if any(
            "=" not in word.bare() and word.bare() not in _DECLARING and not word.quoted for word in frame.simple.words
        ):
            return False
        end = behind_bracket(self.text, at) if inside.count("[") == inside.count("]") else 0
        if not end or self.text[end - 1] != "]" or not self.text.startswith(("=", "+="), end):
            return False
        frame.take(at, "u", self.text[at:end])
        self.at = end
        return True

    # Words and commands

    def _end_word(self, frame: OpenBracket, at: int) -> None:
        word = frame.word
        if word is None:
            return
        frame.word = None
        word.end = at
        simple = frame.simple
        if frame.redirect:
            self._redirect_to(frame, word)
            return
        bare = word.bare()
        if frame.pattern:
            # Where a pattern could be: the last branch had its own `;;`.
            if bare == "esac":
                frame.pattern = False
                self._close_compound(frame, at)
            else:  # of `case`, which compares it
                self.events.append(("comment", (word.start, at)))
            return
        # Only where a command could begin: `echo if` opens nothing.
        if not simple.words and not simple.keyword and bare in _RESERVED and self._reserved(frame, word, bare):
            return
        if simple.keyword == "function":
            frame.simple = Simple()
            frame.function = bare or "?"
            return
        simple.words.append(word)
        if simple.start < 0:
            simple.start = word.start
        simple.end = at
        if bare == "]]":
            frame.test = False
        elif bare == "in" and simple.keyword == "case" and len(simple.words) == 2:
            frame.simple = Simple()
            frame.pattern = True
        elif bare == "do" and simple.keyword == "for" and len(simple.words) == 2:  # `for x do`, over the arguments
            simple.words.pop()
            self._end_command(frame, at, ";")

    def _reserved(self, frame: OpenBracket, word: Word, bare: str) -> bool:
        """Act on a reserved word in command position; False where it is a word like any other."""
        if bare in _SKIPPED:
            return True
        if bare in _OPENERS:
            frame.compounds.append(_OPENERS[bare])
            frame.opened.append((len(self.events), word.start, frame.function))
            self.events.append(("open", "function" if frame.function else _OPENERS[bare]))
            frame.function = ""
            frame.simple.keyword = _OPENERS[bare] if bare in ("for", "select", "case") else ""
            return True
        if bare in _CLOSERS:
            return self._close_compound(frame, word.end)
        if bare in ("else", "elif"):
            self.events.append(("branch", ""))
            return True
        if bare == "function":
            frame.simple.keyword = "function"
            return True
        # `[[` stays as the first word; up to its `]]` the marks `<`, `>`, `&&`, `||` and `(` are no operators.
        frame.test = True
        return False

    def _close_compound(self, frame: OpenBracket, end: int) -> bool:
        if not frame.compounds:
            return False
        kind, (opened, start, defines) = frame.compounds.pop(), frame.opened.pop()
        self.events.append(("close", kind))
        if defines:
            self.events.append(("defined", (defines, start, end)))
        frame.loop = (opened, len(self.events)) if kind == "loop" else None
        return True

    def _end_command(self, frame: OpenBracket, at: int, operator: str) -> None:
        self._end_word(frame, at)
        frame.redirect = ""
        frame.test = False
        simple = frame.simple
        if simple.words or simple.redirects or (self.awaited and self.awaited[-1][0] is simple):
            self.events.append(("for" if simple.keyword == "for" else "simple", simple))
            if frame.loop and not simple.words:
                opened, closed = frame.loop
                self.events[opened:] = self.events[closed:] + self.events[opened:closed]
        # An empty line ends nothing: after `a |` the command that reads the pipe may come on a later line.
        elif operator == "\n" and self.events and self.events[-1][0] == "end":
            return
        frame.simple, frame.loop = Simple(), None
        self.events.append(("end", operator))

    def _enter(self, kind: str) -> None:
        self.frames.append(OpenBracket(kind, self.at))
        if kind != "array":
            self.events.append(("open", kind))

    def _leave(self) -> None:
        frame = self.frames[-1]
        # The text of a here-document is no command; only the substitutions in it are.
        if frame.document:
            frame.word = None
        if frame.kind == "array":
            self._end_word(frame, self.at)
        else:
            self._end_command(frame, self.at, "")
            while frame.compounds:
                self._close_compound(frame, self.at)
        self.frames.pop()
        if not self.frames:
            return
        parent = self.frames[-1]
        if frame.kind == "array":
            parent.take(self.at, "a", frame.simple.words)
            return
        self.events.append(("close", frame.kind))
        if frame.defines:
            self.events.append(("defined", (frame.defines, frame.start - 1, self.at + 1)))
        # A subshell is a command; `$(…)` and `<(…)` are a piece of the word around them.
        if frame.kind != "(":
            inside = self.text[frame.start : self.at]
            self.events.append(("printed", inside))
            parent.take(self.at, "?", inside if frame.kind == "$(" and len(inside) <= LONGEST else "")

    # Operators

    def _newline(self, frame: OpenBracket, at: int) -> None:
        self._end_word(frame, at)  # which may be the `]]` of a test
        if frame.kind != "array" and not frame.test:
            self._end_command(frame, at, "\n")
        if self.awaited:
            self._read_bodies()

    def _semicolon(self, frame: OpenBracket, at: int) -> None:
        following = self.text[at : at + 3]
        width = 3 if following == ";;&" else 2 if following[1:2] in (";", "&") and len(following) > 1 else 1
        self.at = at + width
        self._end_command(frame, at, ";")
        if width > 1 and frame.compounds and frame.compounds[-1] == "case":
            frame.pattern = True
            self.events.append(("branch", ""))

    def _ampersand(self, frame: OpenBracket, at: int) -> None:
        following = self.text[at + 1 : at + 2]
        # Asked twice, here and below: the word that ends may be the `]]` that closes the test.
        if frame.test:
            self._end_word(frame, at)
        if frame.test:
            return
        if following == "&":
            self.at = at + 2
            self._end_command(frame, at, "&&")
        elif following == ">":
            self.at = at + (3 if self.text[at + 2 : at + 3] == ">" else 2)
            self._end_word(frame, at)
            frame.redirect = "&>"
        else:
            self._end_command(frame, at, "&")

    def _bar(self, frame: OpenBracket, at: int) -> None:
        if frame.test or frame.pattern:
            self._end_word(frame, at)
        if frame.test or frame.pattern:
            return
        following = self.text[at + 1 : at + 2]
        self.at = at + (2 if following in ("|", "&") else 1)
        self._end_command(frame, at, "||" if following == "|" else "|")

    def _open_parenthesis(self, frame: OpenBracket, at: int) -> None:
        if frame.pattern or frame.test:
            self._end_word(frame, at)
            return
        word = frame.word
        # `a=(…)` is an array and `!(…)` a wildcard of bash: the words in them are no commands.
        if word is not None and word.parts and word.parts[-1][0] == "u" and str(word.parts[-1][1])[-1:] in "=!@+*?":
            self._enter("array")
            return
        following = at + 1
        while self.text[following : following + 1] in (" ", "\t"):
            following += 1
        # `name ()` defines a function, so the name is not run here.
        if self.text[following : following + 1] == ")" and (word is not None or frame.simple.words):
            self._end_word(frame, at)
            self.at = following + 1
            if frame.simple.words:
                frame.function = frame.simple.words[-1].bare() or "?"
            frame.simple = Simple()
            return
        self._end_word(frame, at)
        # `((` without its `))` is two subshells, whose commands do run.
        if self.text[at + 1 : at + 2] == "(":
            end = behind_arithmetic(self.text, self.plain, at + 1)
            if end:
                self.at = end
                return
        self._enter("(")
        self.frames[-1].defines, frame.function = frame.function, ""

    def _close_parenthesis(self, frame: OpenBracket, at: int) -> None:
        if frame.pattern:
            self._end_word(frame, at)
            frame.pattern = False
        elif frame.test:
            self._end_word(frame, at)
        elif frame.kind:
            self.at = at
            self._leave()
            self.at = at + 1
        else:
            # A stray one ends the command, so that what comes after it is still read.
            self._end_command(frame, at, ";")

    # Redirections and here-documents

    def _less(self, frame: OpenBracket, at: int) -> None:
        if not self._is_redirection(frame, at):
            return
        following = self.text[at : at + 3]
        # Longest first: `<<` begins two of the others.
        operator = next((one for one in ("<<<", "<<-", "<<", "<&", "<>") if following.startswith(one)), "<")
        self.at = at + len(operator)
        frame.redirect = operator

    def _greater(self, frame: OpenBracket, at: int) -> None:
        if not self._is_redirection(frame, at):
            return
        following = self.text[at + 1 : at + 2]
        self.at = at + (2 if following in (">", "|", "&") else 1)
        frame.redirect = ">&" if following == "&" else ">>" if following == ">" else ">"

    def _is_redirection(self, frame: OpenBracket, at: int) -> bool:
        """Return whether a redirection begins here, after its descriptor; else read the comparison, `<(` or `>(`."""
        if frame.test:
            self._end_word(frame, at)
        elif self.text[at + 1 : at + 2] == "(":
            frame.word_at(at)
            self.at = at + 2
            self._enter("<(")
        else:
            self._drop_descriptor(frame, at)
            return True
        return False

    def _drop_descriptor(self, frame: OpenBracket, at: int) -> None:
        """Take the number (or `{name}`) that is glued to a redirection for what it is: no word."""
        bare = frame.word.bare() if frame.word is not None else ""
        if bare.isdigit() or (bare.startswith("{") and bare.endswith("}")):
            frame.word = None
        else:
            self._end_word(frame, at)

    def _redirect_to(self, frame: OpenBracket, word: Word) -> None:
        operator, frame.redirect = frame.redirect, ""
        frame.simple.end = word.end
        if operator in ("<<", "<<-"):
            delimiter = "".join(str(text) for _, text in word.parts)
            self.awaited.append((frame.simple, delimiter, operator == "<<-", not word.quoted))
        else:
            frame.simple.redirects.append((operator, word))

    def _read_bodies(self) -> None:
        for simple, delimiter, tabs, expands in self.awaited:
            start, inside = self.at, bool(self.frames[-1].kind)
            body, end, self.at = here_document(self.text, start, delimiter, tabs, inside)
            simple.bodies.append((body, expands, start, end))
        self.awaited = []

    # Quotes and expansions

    def _single(self, frame: OpenBracket, at: int) -> None:
        end = find_or_end(self.text, "'", at + 1)
        frame.word_at(at).quoted = True
        frame.take(at, "q", self.text[at + 1 : end])
        self.at = min(end + 1, self.size)

    def _double(self, frame: OpenBracket, at: int) -> None:
        frame.word_at(at).quoted = True
        # Most are plain text or one variable, which need no second look at each mark.
        end = self.text.find('"', at + 1)
        body = self.text[at + 1 : end] if end > 0 else ""
        if body and self.quoted.find("\0", at + 1) == end:
            frame.take(at, "q", body)
        elif body[:1] == "$" and body.isascii() and body[1:].isidentifier():
            frame.take(at, "v", body[1:])
        else:
            frame.in_quotes = True
            return
        self.at = end + 1

    def _backslash(self, frame: OpenBracket, at: int) -> None:
        following = self.text[at + 1 : at + 2]
        self.at = at + 1 + len(following)
        if following != "\n":
            frame.word_at(at).quoted = True
            frame.take(at, "q", following or "\\")

    def _hash(self, frame: OpenBracket, at: int) -> None:
        # In the middle of a word (`a#b`) it begins no comment.
        if frame.word is not None:
            frame.take(at, "u", "#")
            return
        self.at = find_or_end(self.text, "\n", at)
        self.events.append(("comment", (at, self.at)))

    def _backtick(self, frame: OpenBracket, at: int) -> None:
        inner, self.at = backticks(self.text, at)
        frame.take(at, "?", inner if len(inner) <= LONGEST else "")
        self.events.append(("backtick", inner))

    def _dollar(self, frame: OpenBracket, at: int) -> None:
        following = self.text[at + 1 : at + 2]
        if following == "(":
            self._substitution(frame, at)
        elif following == "'" and not frame.in_quotes:
            frame.word_at(at).quoted = True
            value, self.at = ansi_c(self.text, at + 2)
            frame.take(at, "q", value)
        elif following == '"' and not frame.in_quotes:
            frame.word_at(at)
        elif following == "[":  # arithmetic as it was written before $((…))
            self.at = behind_bracket(self.text, at + 2)
            frame.take(at, "?", "")
        else:
            form, name, self.at = parameter(self.text, at)
            if form == "name":
                frame.take(at, "v" if frame.in_quotes else "V", name)
            elif form in ("default", "cut"):
                frame.take(at, form[0], name)
            else:
                frame.take(at, "?" if form else "q", "" if form else "$")

    def _substitution(self, frame: OpenBracket, at: int) -> None:
        end = behind_arithmetic(self.text, self.plain, at + 2) if self.text[at + 2 : at + 3] == "(" else 0
        self.at = end or at + 2
        if end:
            frame.take(at, "?", "")
        else:
            frame.word_at(at)
            self._enter("$(")


_ACTIONS = {
    "\n": _Cutter._newline,
    ";": _Cutter._semicolon,
    "&": _Cutter._ampersand,
    "|": _Cutter._bar,
    "(": _Cutter._open_parenthesis,
    ")": _Cutter._close_parenthesis,
    "<": _Cutter._less,
    ">": _Cutter._greater,
    "'": _Cutter._single,
    '"': _Cutter._double,
    "\\": _Cutter._backslash,
    "`": _Cutter._backtick,
    "$": _Cutter._dollar,
    "#": _Cutter._hash,
}
