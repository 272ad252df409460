"""PowerShell command lines: their simple commands, and the files that they name.

A small reader: quotes, backslashes in paths, redirections, and the cmdlets that read and write files, with their
aliases. Every other program goes through the tables that POSIX shells use. In text that it cannot follow, such as a
call of a .NET method, each word that looks like a path counts as named for reading.
"""

from gatilho.shell.arguments import UNKNOWN, Argument, literal_pattern, marked_text
from gatilho.shell.cmdlets import cmdlet_named, is_cmdlet, pathlike, run_cmdlet
from gatilho.shell.outputs import FOLDER, output_of
from gatilho.shell.powershell_syntax import (
    BREAK,
    END,
    LIST,
    LITERAL,
    NAMED,
    NESTED,
    REDIRECT,
    TEXT,
    WORD,
    PowerShellToken,
    cut_powershell,
)  # fmt: skip
from gatilho.shell.prose import prose_in
from gatilho.shell.shell_state import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.shell.flow import Reader

_DEEPEST = 3
# The shell's own variables, by what they are called elsewhere.
_AUTOMATIC = {"pwd": "PWD", "home": "HOME", "env:userprofile": "HOME"}
# What pipes bring, and the commands that run a block for each of it.
_PIPED = f"{NAMED}_{END}"
_EACH = ("%", "foreach", "foreach-object")
# Words of the language; what is beside them is an expression.
_KEYWORDS = frozenset("if else elseif while for foreach do switch try catch finally return param function".split())  # noqa: SIM905
_SHELLS = frozenset(("powershell", "pwsh"))
_SAYS = frozenset(("echo", "write-output", "write-host", "write", "write-verbose", "write-error"))
_RUNS = frozenset(("invoke-expression", "iex"))
_MOVES = frozenset(("set-location", "cd", "chdir", "sl", "push-location", "pushd"))
# Beginnings of the static methods of .NET that write the file in their first argument, or in the second as well.
_METHODS_THAT_WRITE = (
    "write",
    "append",
    "create",
    "open",
    "new",
    "delete",
    "move",
    "copy",
    "replace",
    "set",
    "extract",
)


def read_powershell(reader: "Reader", text: str) -> None:
    """Go through a PowerShell command line; what it runs and names is found by the reader."""
    _go_through(reader, _with_joined_paths(cut_powershell(text, reader.blanks)))


def _go_through(reader: "Reader", tokens: list[PowerShellToken]) -> None:
    statement: list[PowerShellToken] = []
    called, method, depth = False, "", 0
    computed: list[int] = []  # the depths of brackets that give the program of a call
    at = 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token[0] == BREAK:
            over = _looped_over(reader, statement) if token[1] == ")" else None
            if over is not None:
                end = _end_of_block(tokens, at)
                _go_round(reader, *over, tokens[at:end])
                at = end
            elif method:
                _call_method(reader, method, statement)
            else:
                _run(reader, statement, called)
            last = statement[-1] if statement else None
            method = last[1].lower() if last is not None and token[1] == "(" and "::" in last[1] else ""
            if token[1] == "{" and len(reader.piped_files) > 1 and last is not None and last[1].lower() in _EACH:
                end = _end_of_block(tokens, at - 1)
                _go_round(reader, "", reader.piped_files, False, tokens[at:end])
                at = end
            depth += {"{": 1, "(": 1, "}": -1, ")": -1}.get(token[1], 0)
            # A pipeline goes on across the block of `% { … }`, which gets the files that the pipe brings.
            if token[1] in ";\n&" and depth <= 0:
                reader.piped_files = []
            if token[1] == "(" and called and not statement:
                computed.append(depth)
            is_program = token[1] == ")" and computed[-1:] == [depth + 1]
            # In front of a statement `&` calls what it names; at the end it sends the statement to the background.
            statement, called = [], token[1] == "&" and not statement
            if is_program:
                computed.pop()
                statement, called = [(WORD, UNKNOWN, token[2], token[3])], True
        elif token[0] == NESTED:
            _read_inside(reader, token[1])
        else:
            statement.append(token)
    _run(reader, statement, called)


def _with_joined_paths(tokens: list[PowerShellToken]) -> list[PowerShellToken]:
    """Return the tokens with one path in the place of `(Join-Path a b)`, and of what such a call gives a variable."""
    found: list[PowerShellToken] = []
    for token in tokens:
        found.append(token)
        if token[0] != BREAK:
            continue
        at = len(found) - 2
        while at >= 0 and found[at][0] in (WORD, LITERAL) and found[at][1].lower() != "join-path":
            at -= 1
        before = found[at - 1][1] if at > 0 else ""
        parts = [one[1] for one in found[at + 1 : -1] if one[1][:1] != "-"]
        if at < 1 or found[at][1].lower() != "join-path" or len(parts) < 2 or before not in ("(", "="):
            continue
        first = at - (before == "(")
        is_closed = before == "(" and token[1] == ")"
        joined = LITERAL, "/".join(parts), found[first][2], token[3] if is_closed else token[2]
        found[first:] = [joined] if is_closed else [*found[first:at], joined, token]
    return found


def _looped_over(reader: "Reader", statement: list[PowerShellToken]) -> "tuple[str, list[Argument], bool] | None":
    """Return the variable of a `foreach` whose header ends here, its files, and whether it names them; else None."""
    if [token[1].lower() for token in statement[1:2]] != ["in"] or not statement[0][1].startswith(NAMED):
        return None
    name, values = statement[0][1].strip(NAMED + END), statement[2:]
    if values and all(token[0] in (LITERAL, LIST) for token in values):
        return name, [pathlike(_argument(reader, token)) for token in values if token[0] == LITERAL], True
    _run(reader, values)
    return (name, reader.piped_files, False) if reader.piped_files else None


def _end_of_block(tokens: list[PowerShellToken], at: int) -> int:
    """Return where the block ends that begins at the next `{`, the end where there is none."""
    depth = 0
    for end in range(at, len(tokens)):
        if tokens[end][0] == BREAK and tokens[end][1] in "{}":
            depth += 1 if tokens[end][1] == "{" else -1
            if depth <= 0:
                return end
    return len(tokens)


def _go_round(
    reader: "Reader", name: str, files: list[Argument], is_literal: bool, block: list[PowerShellToken]
) -> None:
    """Go through a block once for each file: as the value of a variable, or as `$_` where none is named."""
    for file in files:
        if not reader.allowance.take(1000 + 10 * len(block)):
            break
        reader.piped_files = [file]
        value = literal_pattern(file.approximate) if is_literal else _PIPED
        reader.state = reader.state.having({name: (value,)}) if name else reader.state
        _go_through(reader, block)
    reader.piped_files = []


def _call_method(reader: "Reader", method: str, statement: list[PowerShellToken]) -> None:
    """Note the files that a static method of .NET writes, by its name; any other only names what is in its brackets."""
    at = [0]
    for number, token in enumerate(statement):
        if token[0] == LIST:
            at.append(number + 1)
    given = [_argument(reader, token) for token in statement]
    values = [given[number] for number in at if number < len(given) and statement[number][0] in (LITERAL, WORD)]
    of, _, name = method.strip("[]").partition("]::")
    files = of.rpartition(".")[2] in ("file", "directory", "filesystem", "streamwriter", "filestream", "zipfile")
    if not files or not name.startswith(_METHODS_THAT_WRITE):
        _name(reader, given, statement)
        return
    kind = "tree" if name.startswith(("delete", "move")) else "write"
    reads_first = name.startswith(("copy", "extract"))
    reader.touch("read" if reads_first else kind, pathlike(values[0])) if values else None
    if len(values) > 1 and name.startswith(("copy", "move", "replace", "extract", "createfromdirectory")):
        reader.touch("write", pathlike(values[1]))


def _read_inside(reader: "Reader", text: str) -> None:
    """Read a command line in another one, such as in `$(…)`."""
    if reader.depth < _DEEPEST:
        reader.depth += 1
        state = reader.state
        reader.walk(text, through=read_powershell)
        reader.state = state
        reader.depth -= 1


def _run(reader: "Reader", statement: list[PowerShellToken], called: bool = False) -> None:
    """Do what one command of the text does; called: by `&`, after which a quoted word names the program."""
    statement = _redirected(reader, statement)
    if statement and statement[0][:2] == (WORD, "."):  # runs a script in this very shell
        statement, called = statement[1:], True
    if not statement:
        return
    first = statement[0]
    if first[0] == WORD and first[1].startswith(NAMED) and not called:
        _assign(reader, statement)
        return
    lists = {at for at, token in enumerate(statement) if token[0] == LIST}
    given = [_argument(reader, token) for token in statement]
    name = (given[0].text or "").replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")
    is_command = first[0] == WORD or (called and first[0] == LITERAL)
    if not is_command or not name or name in _KEYWORDS or not (name[0].isalnum() or name[0] == "."):
        if called and UNKNOWN in given[0].approximate:
            reader.note_call(given)
        _name(reader, given, statement)
        if all(token[0] in (LITERAL, LIST) for token in statement):
            reader.piped_files = [pathlike(one) for one, token in zip(given, statement) if token[0] == LITERAL]
        return
    reader.said.append(((first[2], statement[-1][3]), reader.state.cwd))
    for argument, kept in _prose(name, given[1:]):
        reader.blank(argument, kept)
    for token in statement:
        if token[0] == TEXT:
            reader.blanks[token[2], token[3]] = "''"
    _run_command(reader, name, given, lists)


def _run_command(reader: "Reader", name: str, given: list[Argument], lists: set[int]) -> None:
    """Do what a command does, by its name; lists: where the commas are between the values of a list."""
    rest = given[1:]
    if name in _MOVES:
        folders = [one for one in rest if not one.approximate.startswith("-")]
        reader.state = reader.state.entered(reader.state.folder(pathlike(folders[0])) if len(folders) == 1 else None)
    elif name in ("pop-location", "popd"):
        reader.state = reader.state.entered(reader.state.previous)
    elif name in _SAYS:
        pass
    elif name in _RUNS:
        _read_inside(reader, " ".join(one.approximate for one in rest if one.approximate[:1] != "-"))
    elif name in _SHELLS:
        run_powershell(reader, rest)
    elif name == "cmd":
        run_cmd(reader, rest)
    elif is_cmdlet(name, rest):
        run_cmdlet(reader, name, [None if at in lists else one for at, one in enumerate(given)][1:])
    else:
        reader.run(Call([*map(pathlike, given)], None, None, {}))


def _prose(name: str, arguments: list[Argument]) -> "list[tuple[Argument, str]]":
    """Return the arguments that no shell runs: what is said, what is looked for, messages."""
    if name in _SAYS:
        return [(one, "") for one in arguments if one.approximate[:1] != "-"]
    if cmdlet_named(name) == "select-string":
        named = [after for before, after in zip(arguments, arguments[1:]) if before.approximate.lower() == "-pattern"]  # noqa: RUF007
        return [(one, "") for one in named or [one for one in arguments[:1] if one.approximate[:1] != "-"]]
    return [*prose_in(name, arguments)]


def _redirected(reader: "Reader", statement: list[PowerShellToken]) -> list[PowerShellToken]:
    """Return the command without its redirections; what its output goes to is written."""
    kept: list[PowerShellToken] = []
    waiting = iter(statement)
    for token in waiting:
        if token[0] != REDIRECT:
            kept.append(token)
        elif not token[1].endswith(("&1", "&2")):
            target = next(waiting, None)
            if target is not None and target[0] != TEXT:
                reader.touch("write", pathlike(_argument(reader, target)))
    return kept


def _assign(reader: "Reader", statement: list[PowerShellToken]) -> None:
    """Note what `$name = 'literal'` gives; what any other assignment runs is read, its path-like words are named."""
    name = statement[0][1].strip(NAMED + END)
    given = [_argument(reader, token) for token in statement]
    if [token[1] for token in statement[1:2]] == ["="]:
        value = given[2] if len(statement) == 3 and statement[2][0] in (LITERAL, WORD) else None
        known = value is not None and value.text is not None and not value.glob
        reader.state = reader.state.having({name: (literal_pattern(value.text or ""),) if known and value else None})
        if len(statement) > 3 and statement[2][0] == WORD:
            _run(reader, statement[2:])
            return
    _name(reader, given[1:], statement[1:])


def _argument(reader: "Reader", token: PowerShellToken) -> Argument:
    kind, text, start, end = token
    if kind == WORD and text[:1] == "~" and text[1:2] in ("", "/", "\\"):
        text = f"{NAMED}home{END}{text[1:]}"
    name, _, behind = text.removeprefix(NAMED).partition(END)
    if text[:1] == NAMED and reader.state.variables.get(name) == (_PIPED,):
        text = _PIPED + behind
    if text.startswith(_PIPED) and len(reader.piped_files) == 1:  # `$_`, `$_.FullName`
        piped = reader.piped_files[0]
        if piped.text is not None and not piped.glob and "." in piped.approximate[1:]:
            return Argument(piped.approximate, False, text, (start, end))
        pattern = marked_text(piped)
        return Argument(pattern if piped.glob else f"{pattern}/**/*", True, text, (start, end))
    text, *pieces = text.split(NAMED)
    for piece in pieces:
        name, _, behind = piece.partition(END)
        value = _value(reader, name)
        if text:  # what is known of a folder is an absolute path, or relative to where the command line began
            value = value.lstrip("\x02") if FOLDER not in value else UNKNOWN
        # A value is no text to expand once more: one that is its own name would never end.
        text += (UNKNOWN if NAMED in value else value) + behind
    return Argument(text, kind == WORD and any(char in text for char in "*?["), text, (start, end))


def _value(reader: "Reader", name: str) -> str:
    variables = reader.state.variables
    if name.startswith("("):
        here = variables.get("PWD", (UNKNOWN,))[0]
        found = here if name[1:].lower() in ("get-location", "pwd", "gl") else output_of(name[1:], here)
        return UNKNOWN if found is None else found
    known = variables.get(_AUTOMATIC.get(name) or (name[4:].upper() if name.startswith("env:") else name))
    return known[0].replace("\\", "") if known and len(known) == 1 else UNKNOWN


def _name(reader: "Reader", arguments: list[Argument], tokens: list[PowerShellToken]) -> None:
    """Count each word of an expression that looks like a path as named for reading; no shell runs its texts."""
    for argument, token in zip(arguments, tokens):
        if token[0] in (TEXT, LITERAL):
            reader.blank(argument)
        text = argument.approximate
        if token[0] == TEXT or "::" in text:  # a method of a class
            continue
        if "/" in text or "\\" in text or "." in text.strip(".")[1:]:
            reader.touch("read", pathlike(argument))


def run_powershell(reader: "Reader", arguments: list[Argument]) -> None:
    """Read `pwsh -Command …`: the words after it are a command line; a script that is named is read."""
    for at, argument in enumerate(arguments):
        option = argument.approximate.lower()
        if len(option) > 1 and "-command".startswith(option):
            _read_inside(reader, " ".join(one.approximate for one in arguments[at + 1 :]))
            return
        if len(option) > 1 and ("-encodedcommand".startswith(option) or option == "-ec"):
            _read_inside(reader, _decoded("".join(one.approximate for one in arguments[at + 1 : at + 2])))
            return
        if not option.startswith("-") or (len(option) > 1 and "-file".startswith(option)):
            for one in arguments[at + option.startswith("-") :]:
                if "/" in one.approximate or "\\" in one.approximate or "." in one.approximate:
                    reader.touch("read", pathlike(one))
            return


def _decoded(text: str) -> str:
    from binascii import a2b_base64

    try:
        return a2b_base64(text.encode()).decode("utf-16-le", "replace")
    except ValueError:
        return ""


def run_cmd(reader: "Reader", arguments: list[Argument]) -> None:
    """Read `cmd /c …`: its commands are called as aliases of cmdlets are, and redirections are written alike."""
    at = next((at for at, one in enumerate(arguments) if one.approximate.lower().lstrip("/") in ("c", "k")), None)
    if at is not None:
        words = " ".join(one.approximate for one in arguments[at + 1 :]).split(" ")
        given = [word for word in words if word[:1] != "/" or len(word) > 3]  # without `/s` and `/q`
        _read_inside(reader, " ".join(given))
