"""Words of a shell command line as a program gets them: quotes, known variables and braces expanded, globs kept.

In between a word is one marked text: a backslash before each character that is meant literally, a NUL for what cannot
be known, and a marker where an unquoted variable is split.
"""

from gatilho.shell.outputs import output_of
from gatilho.shell.quotes import unescape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.shell.words import Word

UNKNOWN = "\0"
# In front of a word for names that a command prints: a pattern that means them, or git's pathspecs (see `listings`).
LISTED = "\x04"
TRACKED = "\x05"
# After TRACKED, where a pathspec would be: a file that holds the names.
NAMED_IN = "\x07"
# In front of what `git diff` is asked for, as the kind of pathspecs: the files that differ there.
BETWEEN = "between "
# As the kind of what a formatter is given, before the ends of the names that it rewrites in a folder.
REWRITTEN = "rewritten"
# The kind of a file that a package manager may write, in the folder that is named or the nearest one above.
MANIFEST = "manifest"
_SPLIT = "\x01"
_SPECIAL = "\\*?[]{},~\x01"
_ESCAPED = {ord(char): "\\" + char for char in _SPECIAL}
_BLANKS = {ord(char): _SPLIT for char in " \t\n"}
_LONGEST_VALUE = 4096  # PATH_MAX on Linux
_LONGEST_BRACED = 500
_MOST_ALTERNATIVES = 64

Variables = dict[str, tuple[str, ...]]
"""What each variable may hold, as marked texts; one that is not there is unknown."""
Assigned = dict[str, tuple[str, ...] | None]
"""What variables are set to, None for what is not known."""


class Argument:
    """One argument. text: its value, None where it is not known.

    approximate: the same with a NUL for each piece that is not known.

    glob: it holds unquoted wildcards; then text is a pattern in which literal characters are after a backslash.
    raw: as written ("" for the second and later arguments that one word gave). span: where its word is in the text.
    """

    __slots__ = ("text", "approximate", "glob", "raw", "span")

    def __init__(
        self, approximate: str, glob: bool = False, raw: str = "", span: tuple[int, int] | None = None
    ) -> None:
        self.approximate = approximate
        self.text = None if UNKNOWN in approximate else approximate
        self.glob = glob
        self.raw = raw
        self.span = span


class Copied(Argument):
    """A source whose files come to lie below a target; contents: it is what the folder holds that does (`x/.`)."""

    __slots__ = ("target", "contents")

    def __init__(self, source: Argument, target: Argument, contents: bool) -> None:
        super().__init__(source.approximate, source.glob)
        self.target = target
        self.contents = contents


class Allowance:
    """How many characters expansions may still add: a chain of doubling variables must not fill the memory."""

    def __init__(self, characters: int) -> None:
        self.left = characters

    def take(self, characters: int) -> bool:
        self.left -= characters
        return self.left >= 0


def literal_pattern(text: str) -> str:
    """Return the pattern that matches exactly this text."""
    return text.translate(_ESCAPED)


def marked_text(argument: Argument) -> str:
    """Return the marked text that gives this argument."""
    return argument.approximate if argument.glob else literal_pattern(argument.approximate)


def marked_output(argument: Argument) -> str:
    """Return an argument as a command prints it: a pattern is marked, for the shell gives the names that it means."""
    if not argument.glob or argument.approximate[0] in (LISTED, TRACKED):
        return argument.approximate
    return LISTED + argument.approximate.replace(" ", "?")


def listed_names(word: str) -> list[str]:
    """Return the pathspecs or the pattern in a word for names that a command prints; any other word as it is."""
    if word[:1] == TRACKED:
        return [UNKNOWN if name[:1] == NAMED_IN else name for name in word.split(TRACKED)[1:]]
    return [word[1:].replace("**/", "*")] if word[:1] == LISTED else [word]


def listed_words(output: str) -> str:
    """Return the marked text of a substitution that prints this: its words, split as the shell does."""
    return _SPLIT.join(text if text[0] in (LISTED, TRACKED) else literal_pattern(text) for text in output.split())


def expand(word: "Word", variables: Variables, source: str, allowance: Allowance) -> list[Argument]:
    """Return the arguments that a word stands for; source: the text that it was cut from."""
    raw = source[word.start : word.end]
    span = (word.start, word.end)
    if "\\" in raw:
        raw = raw.replace("\\\n", "")
    if len(word.parts) == 1:
        kind, text = word.parts[0]
        if kind == "q" or (kind == "u" and not _has_special(str(text))):
            return [Argument(str(text), False, raw, span)]
    arguments: list[Argument] = []
    for marked in _marked(word, variables, allowance):
        for piece in marked.split(_SPLIT) if _SPLIT in marked.replace("\\" + _SPLIT, "") else (marked,):
            for text in braces(piece, allowance):
                # An unquoted word that expands to nothing is no argument; `""` is one.
                if not text and not word.quoted:
                    continue
                arguments.append(_argument(text, variables, raw if not arguments else "", span))
    return arguments


def assigned_value(word: "Word", behind: int, variables: Variables, allowance: Allowance) -> tuple[str, ...] | None:
    """Return what an assignment gives: the alternatives of the word's text after its `=`,
    None where unknown.
    """
    values: list[str] = []
    for kind, content in word.parts:
        if kind == "a":
            for item in content:  # type: ignore[attr-defined]
                values.extend(map(marked_text, expand(item, variables, "", allowance)))
    if not values:
        # An assignment expands no wildcards and splits nothing.
        marked_values = [marked[behind:] for marked in _marked(word, variables, allowance, split=False)]
        marked_values = [_home(one[1:], variables) if one[:1] == "~" else one for one in marked_values]
        values = [literal_pattern(unescape(marked)) for marked in marked_values]
    if len(values) > _MOST_ALTERNATIVES or any(UNKNOWN in text or len(text) > _LONGEST_VALUE for text in values):
        return None
    return tuple(values)


def _has_special(text: str) -> bool:
    return "{" in text or "*" in text or "?" in text or "[" in text or text[0] in "~\x04\x05" or "=~" in text


def _argument(marked: str, variables: Variables, raw: str, span: tuple[int, int]) -> Argument:
    if "~" in marked:
        head, equals, rest = marked.partition("=~")  # bash expands it there, too: dd of=~/x
        if marked[0] == "~":
            marked = _home(marked[1:], variables)
        elif equals and head.isidentifier():
            marked = f"{head}={_home(rest, variables)}"
        if UNKNOWN in marked:
            return Argument(marked, raw=raw, span=span)
    glob = False
    for char in "*?[":
        # Escaped backslashes go first, or `\\*` would look like an escaped star.
        if char in marked and char in marked.replace("\\\\", "").replace("\\" + char, ""):
            glob = True
    return Argument(marked if glob else unescape(marked), glob, raw, span)


def _home(rest: str, variables: Variables) -> str:
    """Return what a `~` before that text gives: folders of the shell are known, those of other persons are not."""
    which, slash, behind = rest.partition("/")
    name = {"": "HOME", "+": "PWD", "-": "OLDPWD"}.get(which, "")
    return variables[name][0] + slash + behind if name in variables else UNKNOWN + rest


def _marked(word: "Word", variables: Variables, allowance: Allowance, split: bool = True) -> list[str]:
    """Return the marked texts of a word, one for each combination of the values that its variables may hold."""
    texts: list[list[str]] = [[]]
    for kind, content in word.parts:
        if kind == "u":
            added = [str(content)]
        elif kind == "q":
            added = [literal_pattern(str(content))]
        elif kind in "vV":
            added = _values(str(content), kind == "V" and split, variables, allowance)
        elif kind == "d":
            added = _values_or_default(str(content), variables, allowance)
        elif kind == "c":
            added = _cut_values(str(content), variables, allowance)
        else:
            added = [_output(str(content), variables)]
        if len(added) == 1:
            for text in texts:
                text.append(added[0])
        # Combinations multiply: beyond the bound this piece is unknown, and the rest of the word stays.
        elif len(texts) * len(added) > _MOST_ALTERNATIVES:
            for text in texts:
                text.append(UNKNOWN)
        else:
            texts = [[*text, more] for text in texts for more in added]
    return ["".join(text) for text in texts]


def _values_or_default(content: str, variables: Variables, allowance: Allowance) -> list[str]:
    """Return the values of `NAME default`: an unset variable has its default, one that may be set elsewhere, too."""
    name, _, default = content.partition(" ")
    if name in variables:
        return _values(name, False, variables, allowance)
    return [literal_pattern(default)]


def _cut_values(content: str, variables: Variables, allowance: Allowance) -> list[str]:
    """Return the values of `NAME %PATTERN`, `#PATTERN` (the longest where the mark is twice there), `/TEXT/NEW`."""
    from gatilho.shell.wildcards import matches

    name, _, does = content.partition(" ")
    mark, pattern = does[0], does.lstrip(does[0])
    longest = does[:2] == mark * 2
    found = []
    for value in _values(name, False, variables, allowance):
        if "\\" in value or UNKNOWN in value or not pattern or len(value) > _LONGEST_BRACED:
            return [UNKNOWN]
        if mark == "/":
            old, _, new = pattern.partition("/")
            found.append(value.replace(old, new, -1 if longest else 1) if not set("*?[#%") & set(old) else UNKNOWN)
            continue
        # From the place where least is cut off to that where most is, or the other way round.
        places = range(len(value) + 1) if (mark == "#") != longest else range(len(value), -1, -1)
        parts = ((value[:at], value[at:]) if mark == "#" else (value[at:], value[:at]) for at in places)
        found.append(next((kept for gone, kept in parts if matches(f"_{pattern}", f"_{gone}")), value))
    return found


def _output(command: str, variables: Variables) -> str:
    """Return the marked text that a substitution gives."""
    if not command or "PWD" not in variables:
        return UNKNOWN
    if "$(" + command in variables:  # the reader saw it print names of files
        return variables["$(" + command][0]
    found = output_of(command, variables["PWD"][0])
    return UNKNOWN if found is None else found


def _values(name: str, split: bool, variables: Variables, allowance: Allowance) -> list[str]:
    known = variables.get(name)
    if known is None or not allowance.take(sum(map(len, known))):
        return [UNKNOWN]
    if not split:
        return list(known)
    # Without quotes a value is split at blanks and its wildcards count; its backslashes stay literal.
    return [unescape(text).strip(" \t\n").replace("\\", "\\\\").translate(_BLANKS) for text in known]


def braces(marked: str, allowance: Allowance) -> list[str]:
    """Expand `{a,b}` and `{1..3}`, outermost first, for as long as the allowance lasts."""
    if "{" not in marked or len(marked) > _LONGEST_BRACED:
        return [marked]
    done: list[str] = []
    waiting = [(marked, 0)]
    while waiting:
        text, start = waiting.pop()
        found = _first_brace(text, start)
        if found is None:
            done.append(text)
            continue
        opening, closing, options = found
        if len(done) + len(waiting) + len(options) > _MOST_ALTERNATIVES or not allowance.take(len(text) * len(options)):
            return [UNKNOWN]
        # From the last to the first: taken off the end, they come in the order that the shell gives them.
        for option in reversed(options):
            waiting.append((text[:opening] + option + text[closing + 1 :], opening))
    return done


def _first_brace(text: str, start: int) -> tuple[int, int, list[str]] | None:
    """Return the first brace that expands, at or after `start`: its ends and what it may stand for."""
    opening = text.find("{", start)
    while opening >= 0:
        if not _is_escaped(text, opening):
            closing, options = _options(text, opening)
            if len(options) > 1:
                return opening, closing, options
        opening = text.find("{", opening + 1)
    return None


def _is_escaped(text: str, at: int) -> bool:
    count = 0
    while at > count and text[at - count - 1] == "\\":
        count += 1
    return count % 2 == 1


def _options(text: str, opening: int) -> tuple[int, list[str]]:
    """Return where the brace at `opening` closes, and what is between its own commas.

    Nothing where it does not close.
    """
    depth = 0
    cuts = [opening]
    at = opening
    while at < len(text):
        char = text[at]
        if char == "\\":
            at += 1
        elif char == "{":
            depth += 1
        elif char == "," and depth == 1:
            cuts.append(at)
        elif char == "}":
            depth -= 1
            if not depth:
                cuts.append(at)
                options = [text[before + 1 : after] for before, after in zip(cuts, cuts[1:])]  # noqa: RUF007
                return at, options if len(options) > 1 else _sequence(options[0])
        at += 1
    return at, []


def _sequence(text: str) -> list[str]:
    """Return what `1..9`, `a..e`, `-2..2` and `1..9..2` expand to; nothing where the text is no sequence."""
    first, *rest = text.split("..")
    if not 1 <= len(rest) <= 2 or not all(_is_number(step) for step in rest[1:]):
        return []
    letters = all(len(end) == 1 and end.isascii() and end.isalpha() for end in (first, rest[0]))
    if not letters and not (_is_number(first) and _is_number(rest[0])):
        return []
    low, high = (ord(first), ord(rest[0])) if letters else (int(first), int(rest[0]))
    step = abs(int(rest[1])) if rest[1:] else 1
    if abs(high - low) >= _MOST_ALTERNATIVES:
        return []
    numbers = range(low, high + 1, step or 1) if low <= high else range(low, high - 1, -(step or 1))
    if letters:
        return [chr(number).translate(_ESCAPED) for number in numbers]
    # A leading zero at one end pads every number to the wider end, as in bash.
    padded = any(len(end.lstrip("-+")) > 1 and end.lstrip("-+").startswith("0") for end in (first, rest[0]))
    width = max(len(first), len(rest[0])) if padded else 0
    return [str(number).zfill(width) for number in numbers]


def _is_number(text: str) -> bool:
    digits = text[1:] if text.startswith(("-", "+")) else text
    return digits.isascii() and digits.isdigit() and len(digits) <= 6
