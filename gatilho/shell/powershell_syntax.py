"""The syntax of PowerShell: cuts a text into words, literals, redirections and the breaks between commands."""

from gatilho.shell.arguments import UNKNOWN
from gatilho.shell.quotes import find_or_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.shell.prose import Blanks

LITERAL, WORD, BREAK, REDIRECT, TEXT, LIST = "literal", "word", "break", "redirect", "text", "list"
NESTED = "nested"
PowerShellToken = tuple[str, str, int, int]
"""Its kind, its value, and where it is in the text."""

# Around the name of a variable in the value of a word.
NAMED, END = "\x05", "\x06"

_BLANKS = " \t\r\f\v"
_BREAKS = "\n;|&(){}"
_QUOTES = {"'": "'", "\u2018": "'", "\u2019": "'", '"': '"', "\u201c": '"', "\u201d": '"'}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


def cut_powershell(text: str, blanks: "Blanks") -> list[PowerShellToken]:
    """Return the tokens of a text; its comments are added to the blanks."""
    found: list[PowerShellToken] = []
    at = 0
    while at < len(text):
        char, start = text[at], at
        if char in _BLANKS:
            at += 1
        elif char == "#" or text.startswith("<#", at):
            at = find_or_end(text, "\n", at) if char == "#" else min(find_or_end(text, "#>", at) + 2, len(text))
            blanks[start, at] = ""
        elif char == "@" and text[at + 1 : at + 2] in _QUOTES and text[at + 2 : at + 4].lstrip("\r")[:1] == "\n":
            end = text.find("\n" + text[at + 1] + "@", at)
            body = text[at + 2 : end if end >= 0 else len(text)]
            at = end + 3 if end >= 0 else len(text)
            found.append((TEXT, body, start, at))
        elif char in _BREAKS:
            found.append((BREAK, char, at, at + 1))
            at += 1
        elif (width := _redirection(text, at)) > 0:
            found.append((REDIRECT, text[at : at + width], at, at + width))
            at += width
        else:
            at = max(_word(text, at, found), at + 1)
    return found


def _redirection(text: str, at: int) -> int:
    """Return how many characters `>`, `2>>` or `2>&1` take here, 0 for none."""
    start = at + (text[at] in "123456*")
    if text[start : start + 1] != ">":
        return 0
    end = start + (2 if text[start + 1 : start + 2] == ">" else 1)
    return end + 2 - at if text[end : end + 1] == "&" else end - at


def _word(text: str, at: int, found: list[PowerShellToken]) -> int:
    """Add the word that begins here: a NUL is in the place of each piece that depends on an expression."""
    out: list[str] = []
    start = at
    quoted = False
    while at < len(text) and text[at] not in _BLANKS and text[at] not in _BREAKS:
        char = text[at]
        if char == "`" and at + 1 < len(text):
            out.append("" if text[at + 1] == "\n" else text[at + 1])
            at += 2
        elif char in _QUOTES:
            piece, at = _quoted(text, at, found)
            out.append(piece)
            quoted = True
        elif char in "$@":
            name, at = _variable(text, at, found)
            out.append(name)
        elif char == "," or (char == ">" and out):
            break
        elif char == "=" and len(out) == 1 and out[0][:1] == NAMED and text[at + 1 : at + 2] != "=":  # `$name='x'`
            found += (WORD, out[0], start, at), (WORD, char, at, at + 1)
            return at + 1
        else:
            out.append(char)
            at += 1
    word = "".join(out)
    if word or quoted:
        found.append((LITERAL if quoted else WORD, word, start, at))
    if text[at : at + 1] == ",":  # what follows is one more value in the place of this one
        found.append((LIST, ",", at, at + 1))
        at += 1
    return at


def _quoted(text: str, at: int, found: list[PowerShellToken]) -> tuple[str, int]:
    kind = _QUOTES[text[at]]
    out: list[str] = []
    at += 1
    while at < len(text):
        char = text[at]
        if _QUOTES.get(char) == kind:
            if _QUOTES.get(text[at + 1 : at + 2]) != kind:
                return "".join(out), at + 1
            out.append(kind)  # doubled inside quotes
            at += 2
        elif kind == '"' and char == "`":
            out.append(_ESCAPES.get(text[at + 1 : at + 2], text[at + 1 : at + 2]))
            at += 2
        elif kind == '"' and char == "$":
            name, at = _variable(text, at, found)
            out.append(name)
        else:
            out.append(char)
            at += 1
    return "".join(out), at


def _variable(text: str, at: int, found: list[PowerShellToken]) -> tuple[str, int]:
    """Return what a variable or `$(…)` is in the value of a word, and the place after it.

    What `$(…)` holds is added as a text of its own.
    """
    end = at + 1
    if text[end : end + 1] in ("(", "{") and (text[at] == "@" or text[end] == "("):
        depth = 0
        while end < len(text):
            depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(text[end], 0)
            end += 1
            if depth <= 0:
                break
        inside = text[at + 2 : end - 1]
        found.append((NESTED, inside, at, end))
        return f"{NAMED}({inside}{END}", end
    if text[at] == "@":
        return UNKNOWN, end
    if text[end : end + 1] == "{":
        close = text.find("}", end)
        name = text[end + 1 : close if close >= 0 else len(text)]
        return f"{NAMED}{name.lower()}{END}", close + 1 if close >= 0 else len(text)
    while end < len(text) and (text[end].isalnum() or text[end] in "_:"):
        end += 1
    return (f"{NAMED}{text[at + 1 : end].lower()}{END}" if end > at + 1 else "$"), end
