"""Passes over the tokens of code, each of which puts texts in the place of what gives them.

None looks at more than what is spelled out nearby, so code that puts a name together in another way names no file.
"""

from gatilho.shell.code_calls import GIVEN, HERE, OF_THE_SAME_PATH, PATHS
from gatilho.shell.code_tokens import Token, given_texts

OPENED, CLOSED = ("mark", "("), ("mark", ")")
_ASSIGNED, _DIVIDED = ("mark", "="), ("mark", "/")
_INDEXED = ("mark", "]")
_FORMATTED = (("mark", "%"), ("word", ".format"))
_LONGEST_FORM = 200


def with_operands(tokens: list[Token], operands: tuple[str, ...]) -> list[Token]:
    """Return the tokens with texts for what code is given and for its folder: `sys.argv[1]` is the first operand."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        kind, what = tokens[at]
        given = None
        if kind == "word" and what in GIVEN and tokens[at + 3 : at + 4] == [_INDEXED]:
            by_index = {str(index): text for index, text in enumerate(operands, GIVEN[what])}
            given = by_index.get(tokens[at + 2][1])
            at += 3 if given is not None else 0
        elif kind == "word" and what in HERE:
            given = "."
            at += 2
        found.append((kind, what) if given is None else ("text", given))
        at += 1
    return found


def with_modules(tokens: list[Token]) -> list[Token]:
    """Return the tokens with the whole names of what was imported: after `import os as o`, `o.remove` is `os.remove`,
    and `remove` is so after `from os import remove`.
    """
    whole: dict[str, str] = {}
    module = ""
    for at, (kind, what) in enumerate(tokens):
        before = tokens[at - 1][1] if at else ""
        if kind != "word":
            module = module if kind == "mark" and what in ",()" else ""
        elif before == "from":
            module = what
        elif module and before in ("import", ",", "("):
            whole[what] = f"{module}.{what}"
        elif before == "as" and at > 1 and tokens[at - 2][0] == "word":
            whole[what] = whole.pop(tokens[at - 2][1], tokens[at - 2][1])
    found: list[Token] = []
    for kind, what in tokens if whole else ():
        first, dot, rest = what.partition(".")
        found.append((kind, whole[first] + dot + rest) if kind == "word" and first in whole else (kind, what))
    return found or tokens


def folded(tokens: list[Token]) -> list[Token]:
    """Return the tokens with one text for several that are put together, in all the ways that are known here."""
    return concatenated(with_path_variables(with_joined_paths(with_filled_forms(tokens))))


def with_filled_forms(tokens: list[Token]) -> list[Token]:
    """Return the tokens with forms filled in: `"a/%s" % "b"` and `"a/{}".format("b")` are "a/b"."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        kind, what = tokens[at]
        at += 1
        if kind == "text" and at < len(tokens) and tokens[at] in _FORMATTED:
            what, at = _filled(what, tokens, at)
        found.append((kind, what))
    return found


def _filled(form: str, tokens: list[Token], at: int) -> tuple[str, int]:
    """Return a text with what `%` or `format` puts into it, and the place after that; unchanged where it is unknown."""
    hole = "%s" if tokens[at][1] == "%" else "{}"
    given, behind = given_texts(tokens, at + 1)
    if tokens[at + 1 : at + 2] == [OPENED]:
        if tokens[behind : behind + 1] != [CLOSED]:
            return form, at
        behind += 1
    else:
        given, behind = given[:1], at + 2
    pieces = form.split(hole)
    if len(pieces) != len(given) + 1 or not given:
        return form, at
    return "".join(piece + value for piece, value in zip(pieces, [*given, ""])), behind


def with_joined_paths(tokens: list[Token]) -> list[Token]:
    """Return the tokens with joined parts: `os.path.join("a", "b")` is "a/b", `Path("a", "b")` is `Path("a/b")`."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        kind, what = tokens[at]
        at += 1
        found.append((kind, what))
        name = what.rpartition(".")[2] if kind == "word" else ""
        is_path = name in PATHS
        if not is_path and (name not in ("join", "resolve") or "path" not in what):
            continue
        given, behind = given_texts(tokens, at)
        if given and tokens[behind : behind + 1] == [CLOSED]:
            joined = ("text", "/".join(given))
            found[-1:] = [(kind, what), OPENED, joined] if is_path else [joined]
            at = behind if is_path else behind + 1
    return found


def with_path_variables(tokens: list[Token]) -> list[Token]:
    """Return the tokens with variables that hold folders filled in: after `p = Path("a")`, `p / x` is `Path("a") / x`.

    Parts of paths are joined already.
    """
    found: list[Token] = []
    folders: dict[str, str] = {}
    for at, (kind, what) in enumerate(tokens):
        after = tokens[at + 1 : at + 4]
        if kind == "word" and what in folders and after[:1] == [_DIVIDED]:
            found += [("word", "Path"), OPENED, ("text", folders[what]), CLOSED]
            continue
        is_assigned = kind == "word" and what.rpartition(".")[2] in PATHS and found[-1:] == [_ASSIGNED]
        is_text = after[::2] == [OPENED, CLOSED] and after[1][0] == "text"
        if is_assigned and is_text and len(found) > 1 and not has_method(tokens, at + 4):
            folders[found[-2][1]] = after[1][1]
        found.append((kind, what))
    return found


def has_method(tokens: list[Token], at: int) -> bool:
    """Return whether a call gives what a method of its result does, and not the path itself."""
    kind, what = tokens[at] if at < len(tokens) else ("", "")
    return kind == "word" and what[0] == "." and what not in OF_THE_SAME_PATH


def concatenated(tokens: list[Token]) -> list[Token]:
    """Return the tokens with sums of texts and of paths: `"a" + "b"` is "ab", `Path("a") / "b"` is `Path("a/b")`."""
    found: list[Token] = []
    for kind, what in tokens:
        first, second, last = [("", ""), ("", ""), ("", ""), *found[-3:]][-3:]
        if kind != "text":
            found.append((kind, what))
        elif last[1] == "+" and second[0] == "text":
            found[-2:] = [("text", second[1] + what)]
        elif (second[1], last[1]) == (")", "/") and first[0] == "text":
            found[-3:] = [("text", f"{first[1]}/{what}"), CLOSED]
        elif last[1] == "/" and second[0] == "text":
            found[-2:] = [("word", "Path"), OPENED, ("text", f"{second[1]}/{what}"), CLOSED]
        else:
            found.append((kind, what))
    return found


def with_values(tokens: list[Token]) -> list[Token]:
    """Return the tokens with the texts that variables hold: after `a = "x"`, `rm(a)` is `rm("x")`, "{a}/y" "x/y"."""
    held = {
        name: value
        for (kind, name), (_, mark), (given, value) in zip(tokens, tokens[1:], tokens[2:])
        if kind == "word" and mark == "=" and given == "text"
    }
    found = []
    for (kind, what), after in zip(tokens, [*tokens[1:], ("", "")]):
        if kind == "word" and what in held and after[1] not in ("=", "("):
            kind, what = "text", held[what]
        elif kind == "text" and "{" in what and len(what) < _LONGEST_FORM:
            what = _interpolated(what, held)
        found.append((kind, what))
    return found


def _interpolated(form: str, held: dict[str, str]) -> str:
    """Return a text with the values of the variables in it, as `{a}` of Python or `${a}` of JavaScript."""
    for name in dict.fromkeys(piece.partition("}")[0] for piece in form.split("{")[1:]):
        if name in held:
            form = form.replace("${" + name + "}", held[name]).replace("{" + name + "}", held[name])
    return form
