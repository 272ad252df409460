"""Code of Python, Node, Perl, Ruby, PHP and awk as tokens, alike for all of them: texts, words and marks.

A word is a name with all that is joined to it by dots (`fs.rm`, `.rm` after a bracket); a text is without its quotes.
"""

from gatilho.shell.quotes import find_or_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

Token = tuple[str, str]
"""Its kind ("text", "tick" for one between backticks, "word" or "mark"), and what it is."""

_LONGEST = 100_000
_MOST_GIVEN = 20
_FURTHEST = 60  # tokens of one call: code may be nothing but names of handles, and each of them a call
# Arguments by name, and what Perl has in front of the name of a file.
_NAMED = ("mode", "flags", "encoding")
_NAMED_FIRST = ("file", *_NAMED)
_HANDLES = ("my", "FH", "F", "OUT", "fh")


def tokens_of(code: str) -> "Iterator[Token]":
    """Yield the tokens of code, comments left out: `rm('a')` is a word, a mark, a text and a mark."""
    at, size = 0, min(len(code), _LONGEST)
    while at < size:
        char = code[at]
        if char in "'\"`":
            mark = char * 3 if code.startswith(char * 3, at) and char != "`" else char
            text, at = _text(code, at + len(mark), mark)
            yield ("tick" if mark == "`" else "text"), text
        elif char.isalnum() or char in "_$.":
            end = at
            while end < size and (code[end].isalnum() or code[end] in "_$.:"):
                end += 1
            is_prefix = code[end : end + 1] in ("'", '"') and code[at:end].lower() in ("r", "b", "f", "u", "rb", "fr")
            if not is_prefix:
                yield "word", code[at:end].rstrip(":")
            at = end
        elif char in "#/" and _is_comment(code, at):
            at = find_or_end(code, "\n", at)
        else:
            if not char.isspace() or char == "\n":
                yield "mark", char
            at += 1


def _is_comment(code: str, at: int) -> bool:
    if code[at] == "#":
        return at == 0 or code[at - 1].isspace()
    return code.startswith("//", at) and not code[code.rfind("\n", 0, at) + 1 : at].strip()


def _text(code: str, at: int, mark: str) -> tuple[str, int]:
    """Return the text of a literal that begins at a place, and where it ends: at its mark, or at the line's end."""
    out = []
    while at < len(code) and not code.startswith(mark, at):
        if code[at] == "\n" and len(mark) == 1 and mark != "`":
            break
        if code[at] == "\\" and at + 1 < len(code):
            at += 1
        out.append(code[at])
        at += 1
    return "".join(out), at + len(mark)


def given_texts(tokens: list[Token], at: int) -> tuple[list[str], int]:
    """Return the texts that a call begins with, and where it ends as far as they go; of a list those in it.

    at: the place after its name. Of `("a", "b", x)` these are a and b, and it ends at x.
    """
    given: list[str] = []
    end = min(len(tokens), at + _FURTHEST)
    while at < end and len(given) < _MOST_GIVEN:
        kind, what = tokens[at]
        if kind == "text":
            given.append(what)
        elif not given and what in _NAMED_FIRST and tokens[at + 1 : at + 2] == [("mark", "=")]:
            at += 1
        elif kind == "word" and (what in _NAMED if given else what[:1] == "$" or what in _HANDLES):
            pass
        elif kind != "mark" or what not in "(,[=" or (what == "=" and not given):
            break
        at += 1
    return given, at
