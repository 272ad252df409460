"""Loops and functions in code, written out: the tokens once for each text that a variable of theirs may hold."""

from itertools import pairwise

from gatilho.shell.arguments import LISTED
from gatilho.shell.code_calls import GLOBS, PATHS
from gatilho.shell.code_passes import CLOSED, OPENED
from gatilho.shell.code_tokens import Token, given_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_BEGINS = (("word", "def"), ("word", "class"), ("word", "function"))
_LONGEST_TABLE = 200  # tokens


def rounds_of(tokens: list[Token]) -> "Iterator[list[Token]]":
    """Yield the tokens once for each text that a loop goes over or a function is called with.

    Of `for x in ["a", "b"]: rm(x)` these are two, with `rm("a")` and with `rm("b")`.
    """
    lists: dict[str, list[str]] = {}
    called = _called_with(tokens)
    for at, (kind, what) in enumerate(tokens):
        if kind != "word":
            continue
        if what in ("def", "function"):
            yield from _calls(tokens, at, called)
        elif what in ("in", "of"):
            yield from _loop(tokens, at, lists)
        opens = tokens[at + 2][1] if tokens[at + 1 : at + 2] == [("mark", "=")] and at + 2 < len(tokens) else ""
        if opens in ("[", "("):
            lists[what] = given_texts(tokens, at + 2)[0]
        elif opens == "{":
            table = tokens[at + 3 : at + 3 + _LONGEST_TABLE]
            pairs = pairwise(table)
            lists[f"{what}.items"] = [text for (of, text), mark in pairs if of == "text" and mark == ("mark", ":")]


def _called_with(tokens: list[Token]) -> dict[str, list[str]]:
    """Return the first text that each function which is defined here is called with, of all its calls."""
    defined = {name for (_, what), (_, name) in pairwise(tokens) if what in ("def", "function")}
    called: dict[str, list[str]] = {}
    for at, (kind, what) in enumerate(tokens):
        if kind == "word" and what in defined:
            called.setdefault(what, []).extend(given_texts(tokens, at + 1)[0][:1])
    return called


def _calls(tokens: list[Token], at: int, called: dict[str, list[str]]) -> "Iterator[list[Token]]":
    """Yield the tokens once for each call of the function that is defined there, by its first argument."""
    head = [what for _, what in tokens[at + 1 : at + 4]]
    if len(head) < 3 or head[1] != "(":
        return
    name, _, parameter = head
    end = next((at for at in range(at + 1, len(tokens)) if tokens[at] in _BEGINS), len(tokens))
    for value in called.get(name, ()):
        yield tokens[:at] + _replaced(tokens[at:end], parameter, value) + tokens[end:]


def _loop(tokens: list[Token], at: int, lists: dict[str, list[str]]) -> "Iterator[list[Token]]":
    """Yield the tokens once for each text of the loop whose `in` is there; lists: by the variables that hold them."""
    if at < 2 or tokens[at - 1][0] != "word":
        return
    over = tokens[at + 1][1] if tokens[at + 1 : at + 2] else ""
    name = tokens[at - 3][1] if over.endswith(".items") and at > 2 else tokens[at - 1][1]
    for value in lists.get(over) or _looped(tokens, at + 1, over):
        yield _replaced(tokens, name, value)


def _looped(tokens: list[Token], at: int, call: str) -> list[str]:
    """Return the texts of a list, or one that is marked for the names which a pattern or a folder means."""
    values, _ = given_texts(tokens, at)
    name = call.rpartition(".")[2]
    if values or name not in (*GLOBS, *PATHS, "listdir"):
        return values
    given, behind = given_texts(tokens, at + 1)
    method = tokens[behind + 1][1].lstrip(".") if name in PATHS and tokens[behind + 1 : behind + 2] else ""
    inner = given_texts(tokens, behind + 2)[0] if method in ("glob", "rglob", "iterdir") else []
    last = f"/{'**/' if method == 'rglob' else ''}{inner[0]}" if inner else "/*" if method or name == "listdir" else ""
    return [LISTED + given[0] + last] if given else []


def _replaced(tokens: list[Token], name: str, value: str) -> list[Token]:
    """Return the tokens with a text in the place of a variable, a call of `Path` in front of the methods of it."""
    found: list[Token] = []
    for kind, what in tokens:
        first, dot, rest = what.partition(".")
        if kind != "word" or first != name:
            found.append((kind, what))
        elif dot:
            found += [("word", "Path"), OPENED, ("text", value), CLOSED, ("word", "." + rest)]
        else:
            found.append(("text", value))
    return found
