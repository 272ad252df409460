"""Code in Python, Node, Perl, Ruby, PHP or Lua that is an argument: the files that it writes, what it runs.

The code is cut into tokens, passes put texts in the place of what gives them, and the calls that are known are looked
up. Only names that come out of this as one text are seen.
"""

from itertools import islice

from gatilho.shell.arguments import LISTED
from gatilho.shell.code_calls import ENTERS, METHODS, OPENS, PATHS, RUNS, WRITTEN
from gatilho.shell.code_loops import rounds_of
from gatilho.shell.code_passes import folded, has_method, with_modules, with_operands, with_values
from gatilho.shell.code_tokens import Token, given_texts, tokens_of

_MOST_REPLACED = 20_000  # tokens in rounds of loops


def effects_of_code(code: str, with_ticks: bool, operands: tuple[str, ...] = ()) -> tuple[list[str], list[list[str]]]:
    """Return the files that code writes, and the commands that it runs: one text for a shell, or its words.

    with_ticks: text in backticks is a command, elsewhere it is a text. operands: what the code is given.
    """
    tokens = [("text", what) if kind == "tick" and not with_ticks else (kind, what) for kind, what in tokens_of(code)]
    tokens = with_values(folded(with_operands(with_modules(tokens) if "import" in code else tokens, operands)))
    rounds = [*islice(rounds_of(tokens), 1 + _MOST_REPLACED // (len(tokens) + 1))] or [tokens]
    found = [_effects(folded(one), with_ticks) for one in rounds]
    return list(dict.fromkeys(file for files, _ in found for file in files)), [one for _, made in found for one in made]


def _effects(tokens: list[Token], with_ticks: bool) -> tuple[list[str], list[list[str]]]:
    files: list[str] = []
    commands: list[list[str]] = []
    folder = ""
    paths: dict[str, str] = {}  # by the variables that hold them
    for at, (kind, callee) in enumerate(tokens):
        if kind == "tick" and with_ticks:
            commands.append([callee])
        if kind != "word":
            continue
        given, behind = given_texts(tokens, at + 1)
        callee = _whole_name(tokens, at)
        receiver, _, name = callee.rpartition(".")
        if receiver in paths and _is_written_by(f".{name}", tokens, at + 2):
            files.append(paths[receiver])
        if not given:
            continue
        if callee in ENTERS:
            folder = given[0].rstrip("/") + "/"
        elif callee in RUNS or f".{name}" in RUNS:
            commands.append(given)
        elif name in PATHS:
            method = next((what for kind, what in tokens[behind : behind + 3] if kind == "word"), "")
            files += given[:1] if _is_written_by(method, tokens, behind + 2) else []
            if at > 1 and tokens[at - 1] == ("mark", "=") and not has_method(tokens, behind + 1):
                paths[tokens[at - 2][1]] = given[0]
        elif name in OPENS:
            files += _opened(given)
        elif callee == "fileinput.input" and ("word", "inplace") in tokens:
            files.append(given[0])
        else:
            files += given[WRITTEN.get(callee) or WRITTEN.get(f".{name}") or slice(0)]
    return [file if file[0] in ("/", LISTED) else folder + file for file in files if file], commands


def _whole_name(tokens: list[Token], at: int) -> str:
    """Return the name of a call with dots in it; of a method of a module that is loaded right there, with the module.

    `require("node:fs").rm` is `fs.rm`, and `File::Copy::move` is `File.Copy.move`.
    """
    callee = tokens[at][1]
    if callee[0] == "." and at > 1 and tokens[at - 1][1] == ")" and tokens[at - 2][0] == "text":
        callee = tokens[at - 2][1].rpartition(":")[2] + callee
    return callee.replace("::", ".")


def _opened(given: list[str]) -> list[str]:
    """Return the file that a call of `open` writes, by its mode; Perl has it before the name."""
    first, *rest = given
    if first.lstrip("+").strip()[:1] == ">" or first[:2] in ("+<", "+>"):
        name = first.lstrip("+<> ").partition(":")[0] if not rest else rest[0]
        return [name] if name else []
    return [first] if _is_for_writing(rest) else []


def _is_for_writing(modes: list[str]) -> bool:
    """Return whether the first of these texts is a mode of `open` that writes, such as `wb` or `r+`."""
    letters = set(modes[0]) if modes and len(modes[0]) < 5 else set()
    return bool(letters & set("wax+")) and letters <= set("rwaxbtcs+")


def _is_written_by(method: str, tokens: list[Token], at: int) -> bool:
    """Return whether a method of a path writes it; at: where its arguments begin."""
    if method == ".open":
        return _is_for_writing(given_texts(tokens, at)[0])
    return method[:1] == "." and method[1:] in METHODS
