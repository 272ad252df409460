"""Scripts of sed and awk in an argument: the files that they write, where their names are spelled out."""

from gatilho.shell.code_tokens import tokens_of
from gatilho.shell.quotes import find_or_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def files_of_sed(script: str) -> "Iterator[str]":
    """Yield the files that `w` commands of a sed script, or `w` flags of its `s`, write: each the rest of its line."""
    at = 0
    while at < len(script):
        char = script[at]
        at += 1
        if char in "/\\sy":  # an address, or a command with two parts between marks
            mark, at = (char, at) if char == "/" else (script[at : at + 1], at + 1)
            at = _behind_mark(script, at, mark, char != "y")
            if char not in "sy":
                continue
            at = _behind_mark(script, at, mark, False)
            while script[at : at + 1] and script[at] in "gpiIeMm0123456789":
                at += 1
            char = script[at : at + 1]
            at += char == "w"
        if char in ("w", "W", "r", "R", "a", "i", "c", "#"):
            behind = find_or_end(script, "\n", at)
            while char in "aic" and script[behind - 1] == "\\" and behind < len(script):
                behind = find_or_end(script, "\n", behind + 1)
            if char in "wW":
                yield script[at:behind].strip()
            at = behind
        elif char in ("b", "t", "T", ":"):  # a label
            while script[at : at + 1] not in ("", ";", "\n"):
                at += 1


def _behind_mark(script: str, at: int, mark: str, is_pattern: bool) -> int:
    while at < len(script) and script[at] != mark:
        if script[at] == "[" and is_pattern:  # in brackets a mark is a letter
            at = max(at, script.find("]", at + (3 if script[at + 1 : at + 2] == "^" else 2)))
        at += 2 if script[at] == "\\" else 1
    return at + 1


def files_of_awk(program: str, held: "Mapping[str, list[str]]") -> "Iterator[str]":
    """Yield the files into which an awk program prints, where a text names them, or a variable; held: their values."""
    tokens = list(tokens_of(program))
    prints, depth = False, 0  # in brackets `>` compares
    for at, (kind, what) in enumerate(tokens):
        if kind == "word":
            prints, depth = (True, 0) if what in ("print", "printf") else (prints, depth)
        elif kind == "mark" and what in ";{}\n":
            prints = False
        elif kind == "mark" and what in "()":
            depth += 1 if what == "(" else -1
        elif prints and not depth and (kind, what) == ("mark", ">"):
            for kind, text in tokens[at + 1 : at + 2]:
                yield from [text] if kind == "text" else held.get(text, ())
