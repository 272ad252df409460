"""PowerShell command lines: their simple commands, and the files that they name.

A small reader: quotes, backslashes in paths, redirections, and the cmdlets that read and write files, with their
aliases. Every other program goes through the tables that POSIX shells use. In text that it cannot follow, such as a
call of a .NET method, each word that looks like a path counts as named for reading.
"""

from gatilho.shell.arguments import UNKNOWN, Argument, literal_pattern
from gatilho.shell.outputs import FOLDER, output_of
from gatilho.shell.prose import prose_in
from gatilho.shell.shell_state import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.shell.flow import Reader

LITERAL, WORD, BREAK, REDIRECT, TEXT, LIST = "literal", "word", "break", "redirect", "text", "list"
NESTED = "nested"
Token = tuple[str, str, int, int]
"""Its kind, its value, and where it is in the text."""

# Around the name of a variable in the value of a word.
_NAMED, _END = "\x05", "\x06"
_DEEPEST = 3
# What pipes bring, and the command that runs a block for each of it.
_PIPED = f"{_NAMED}_{_END}"
_EACH = ("%", "foreach", "foreach-object")

_BLANKS = " \t\r\f\v"
_BREAKS = "\n;|&(){}"
_QUOTES = {"'": "'", "\u2018": "'", "\u2019": "'", '"': '"', "\u201c": '"', "\u201d": '"'}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
# Words of the language; what is beside them is an expression.
_KEYWORDS = frozenset("if else elseif while for foreach do switch try catch finally return param function".split())  # noqa: SIM905
_SHELLS = frozenset(("powershell", "pwsh"))
_SAYS = frozenset(("echo", "write-output", "write-host", "write", "write-verbose", "write-error"))
_RUNS = frozenset(("invoke-expression", "iex"))
# Aliases that are programs of their own on other systems than Windows.
_UNIX = frozenset(("cat", "cp", "curl", "ls", "mkdir", "mv", "rm", "rmdir", "tee", "wget"))
_MOVES = frozenset(("set-location", "cd", "chdir", "sl", "push-location", "pushd"))

# Cmdlet -> (parameter or operand number -> kind). "from": read, and written where the cmdlet moves it away; "into":
# the folder or file that something is put at; "name": a new name beside the path.
_CMDLETS: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
    "get-content": (("read",), {"path": "read", "literalpath": "read"}),
    "get-item": (("read",), {"path": "read", "literalpath": "read"}),
    "get-childitem": (
        ("read", "filter"),
        {"path": "read", "literalpath": "read", "filter": "filter", "include": "filter"},
    ),
    "get-filehash": (("read",), {"path": "read", "literalpath": "read"}),
    "import-csv": (("read",), {"path": "read", "literalpath": "read"}),
    "select-string": (("", "read"), {"path": "read", "literalpath": "read"}),
    "set-content": (("write", ""), {"path": "write", "literalpath": "write"}),
    "add-content": (("write", ""), {"path": "write", "literalpath": "write"}),
    "clear-content": (("write",), {"path": "write", "literalpath": "write"}),
    "set-item": (("write", ""), {"path": "write", "literalpath": "write"}),
    "out-file": (("write",), {"filepath": "write", "literalpath": "write"}),
    "tee-object": (("write",), {"filepath": "write", "literalpath": "write"}),
    "export-csv": (("write",), {"path": "write", "literalpath": "write"}),
    "export-clixml": (("write",), {"path": "write", "literalpath": "write"}),
    "new-item": (("folder",), {"path": "folder", "name": "name"}),
    "remove-item": (("tree",), {"path": "tree", "literalpath": "tree"}),
    "move-item": (("tree", "into"), {"path": "tree", "literalpath": "tree", "destination": "into"}),
    "copy-item": (("read", "into"), {"path": "read", "literalpath": "read", "destination": "into"}),
    "rename-item": (("tree", "name"), {"path": "tree", "literalpath": "tree", "newname": "name"}),
    "invoke-webrequest": ((), {"outfile": "write"}),
    "invoke-restmethod": ((), {"outfile": "write"}),
}
_ALIASES = {
    "gc": "get-content", "cat": "get-content", "type": "get-content", "gi": "get-item", "gci": "get-childitem",
    "ls": "get-childitem", "dir": "get-childitem", "ipcsv": "import-csv", "sls": "select-string", "sc": "set-content",
    "ac": "add-content", "clc": "clear-content", "si": "set-item", "tee": "tee-object", "epcsv": "export-csv",
    "ni": "new-item", "md": "new-item", "mkdir": "new-item", "ri": "remove-item", "rm": "remove-item",
    "rmdir": "remove-item", "rd": "remove-item", "del": "remove-item", "erase": "remove-item", "mi": "move-item",
    "mv": "move-item", "move": "move-item", "ci": "copy-item", "cpi": "copy-item", "cp": "copy-item",
    "copy": "copy-item", "rni": "rename-item", "ren": "rename-item", "iwr": "invoke-webrequest",
    "irm": "invoke-restmethod", "curl": "invoke-webrequest", "wget": "invoke-webrequest",
}  # fmt: skip
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
# Parameters of these cmdlets without a value; all others take one.
_SWITCHES = frozenset(
    """
    append asbytestream casesensitive confirm container debug force noclobber nonewline notypeinformation passthru
    quiet raw recurse simplematch usebasicparsing usetransaction verbose wait whatif directory file hidden
    """.split()  # noqa: SIM905
)


def read_powershell(reader: "Reader", text: str) -> None:
    """Go through a PowerShell command line; what it runs and names is found by the reader."""
    _go_through(reader, _with_joined_paths(_tokens(text, reader)))


def _go_through(reader: "Reader", tokens: list[Token]) -> None:
    statement: list[Token] = []
    called, method, depth = False, "", 0
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
            # In front of a statement `&` calls what it names; at the end it sends the statement to the background.
            statement, called = [], token[1] == "&" and not statement
        elif token[0] == NESTED:
            _read_inside(reader, token)
        else:
            statement.append(token)
    _run(reader, statement, called)


def _with_joined_paths(tokens: list[Token]) -> list[Token]:
    """Return the tokens with one path in the place of `(Join-Path a b)`, and of what such a call gives a variable."""
    found: list[Token] = []
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


def _looped_over(reader: "Reader", statement: list[Token]) -> "tuple[str, list[Argument], bool] | None":
    """Return the variable of a `foreach` whose header ends here, its files, and whether it names them; else None."""
    if [token[1].lower() for token in statement[1:2]] != ["in"] or not statement[0][1].startswith(_NAMED):
        return None
    name, values = statement[0][1].strip(_NAMED + _END), statement[2:]
    if values and all(token[0] in (LITERAL, LIST) for token in values):
        return name, [_pathlike(_argument(reader, token)) for token in values if token[0] == LITERAL], True
    _run(reader, values)
    return (name, reader.piped_files, False) if reader.piped_files else None


def _end_of_block(tokens: list[Token], at: int) -> int:
    """Return where the block ends that begins at the next `{`, the end where there is none."""
    depth = 0
    for end in range(at, len(tokens)):
        if tokens[end][0] == BREAK and tokens[end][1] in "{}":
            depth += 1 if tokens[end][1] == "{" else -1
            if depth <= 0:
                return end
    return len(tokens)


def _go_round(reader: "Reader", name: str, files: list[Argument], is_literal: bool, block: list[Token]) -> None:
    """Go through a block once for each file: as the value of a variable, or as `$_` where none is named."""
    for file in files:
        if not reader.allowance.take(1000 + 10 * len(block)):
            break
        reader.piped_files = [file]
        value = literal_pattern(file.approximate) if is_literal else _PIPED
        reader.state = reader.state.having({name: (value,)}) if name else reader.state
        _go_through(reader, block)
    reader.piped_files = []


def _call_method(reader: "Reader", method: str, statement: list[Token]) -> None:
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
    reader.touch("read" if reads_first else kind, _pathlike(values[0])) if values else None
    if len(values) > 1 and name.startswith(("copy", "move", "replace", "extract", "createfromdirectory")):
        reader.touch("write", _pathlike(values[1]))


def _read_inside(reader: "Reader", token: Token) -> None:
    """Read what `$(…)` runs; the text around it is where it is found."""
    if reader.depth < _DEEPEST:
        reader.depth += 1
        state = reader.state
        reader.walk(token[1], through=read_powershell)
        reader.state = state
        reader.depth -= 1


def _tokens(text: str, reader: "Reader") -> "list[Token]":
    """Cut the text into words, literals, redirections and the breaks between commands; comments are blanked."""
    found: list[Token] = []
    at = 0
    while at < len(text):
        char, start = text[at], at
        if char in _BLANKS:
            at += 1
        elif char == "#" or text.startswith("<#", at):
            at = _behind(text, "\n", at, 0) if char == "#" else _behind(text, "#>", at, 2)
            reader.blanks[start, at] = ""
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


def _behind(text: str, mark: str, at: int, width: int) -> int:
    end = text.find(mark, at)
    return len(text) if end < 0 else end + width


def _redirection(text: str, at: int) -> int:
    """Return how many characters `>`, `2>>` or `2>&1` take here, 0 for none."""
    start = at + (text[at] in "123456*")
    if text[start : start + 1] != ">":
        return 0
    end = start + (2 if text[start + 1 : start + 2] == ">" else 1)
    return end + 2 - at if text[end : end + 1] == "&" else end - at


def _word(text: str, at: int, found: list[Token]) -> int:
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


def _quoted(text: str, at: int, found: list[Token]) -> tuple[str, int]:
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


def _variable(text: str, at: int, found: list[Token]) -> tuple[str, int]:
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
        return f"{_NAMED}({inside}{_END}", end
    if text[at] == "@":
        return UNKNOWN, end
    if text[end : end + 1] == "{":
        close = text.find("}", end)
        name = text[end + 1 : close if close >= 0 else len(text)]
        return f"{_NAMED}{name.lower()}{_END}", close + 1 if close >= 0 else len(text)
    while end < len(text) and (text[end].isalnum() or text[end] in "_:"):
        end += 1
    return (f"{_NAMED}{text[at + 1 : end].lower()}{_END}" if end > at + 1 else "$"), end


def _run(reader: "Reader", statement: list[Token], called: bool = False) -> None:
    """Do what one command of the text does; called: by `&`, after which a quoted word names the program."""
    statement = _redirected(reader, statement)
    if statement and statement[0][:2] == (WORD, "."):  # runs a script in this very shell
        statement, called = statement[1:], True
    if not statement:
        return
    first = statement[0]
    if first[0] == WORD and first[1].startswith(_NAMED) and not called:
        _assign(reader, statement)
        return
    lists = {at for at, token in enumerate(statement) if token[0] == LIST}
    given = [_argument(reader, token) for token in statement]
    name = (given[0].text or "").replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")
    is_command = first[0] == WORD or (called and first[0] == LITERAL)
    if not is_command or not name or name in _KEYWORDS or not (name[0].isalnum() or name[0] == "."):
        _name(reader, given, statement)
        if all(token[0] in (LITERAL, LIST) for token in statement):
            reader.piped_files = [_pathlike(one) for one, token in zip(given, statement) if token[0] == LITERAL]
        return
    reader.said.append(((first[2], statement[-1][3]), reader.state.cwd))
    for argument, kept in _prose(name, given[1:]):
        reader.blank(argument, kept)
    for token in statement:
        if token[0] == TEXT:
            reader.blanks[token[2], token[3]] = "''"
    if name in _MOVES:
        folders = [one for one in given[1:] if not one.approximate.startswith("-")]
        reader.state = reader.state.entered(reader.state.folder(_pathlike(folders[0])) if len(folders) == 1 else None)
    elif name in ("pop-location", "popd"):
        reader.state = reader.state.entered(reader.state.previous)
    elif name in _SAYS:
        return
    elif name in _RUNS:
        _read_inside(
            reader, (NESTED, " ".join(one.approximate for one in given[1:] if one.approximate[:1] != "-"), 0, 0)
        )
    elif name in _SHELLS:
        run_powershell(reader, given[1:])
    elif name == "cmd":
        run_cmd(reader, given[1:])
    elif (cmdlet := _CMDLETS.get(_ALIASES.get(name, name))) is not None and not _is_unix(name, given[1:]):
        _cmdlet(reader, cmdlet, [None if at in lists else one for at, one in enumerate(given)][1:])
    else:
        reader.run(Call([*map(_pathlike, given)], None, None, {}))


def _prose(name: str, arguments: list[Argument]) -> "list[tuple[Argument, str]]":
    """Return the arguments that no shell runs: what is said, what is looked for, messages."""
    if name in _SAYS:
        return [(one, "") for one in arguments if one.approximate[:1] != "-"]
    if _ALIASES.get(name, name) == "select-string":
        named = [after for before, after in zip(arguments, arguments[1:]) if before.approximate.lower() == "-pattern"]  # noqa: RUF007
        return [(one, "") for one in named or [one for one in arguments[:1] if one.approximate[:1] != "-"]]
    return [*prose_in(name, arguments)]


def _is_unix(name: str, arguments: list[Argument]) -> bool:
    """Return whether an alias is called with letters that no cmdlet has, as in `rm -rf`."""
    if name not in _UNIX:
        return False
    known = (*_SWITCHES, *(parameter for _, named in _CMDLETS.values() for parameter in named), "value", "encoding")
    flags = (
        one.approximate[1:].lower() for one in arguments if one.approximate[:1] == "-" and one.approximate[1:].isalpha()
    )
    return any(not any(parameter.startswith(flag) for parameter in known) for flag in flags if len(flag) < 4)


def _redirected(reader: "Reader", statement: list[Token]) -> list[Token]:
    """Return the command without its redirections; what its output goes to is written."""
    kept: list[Token] = []
    waiting = iter(statement)
    for token in waiting:
        if token[0] != REDIRECT:
            kept.append(token)
        elif not token[1].endswith(("&1", "&2")):
            target = next(waiting, None)
            if target is not None and target[0] != TEXT:
                reader.touch("write", _pathlike(_argument(reader, target)))
    return kept


def _assign(reader: "Reader", statement: list[Token]) -> None:
    """Note what `$name = 'literal'` gives; what any other assignment runs is read, its path-like words are named."""
    name = statement[0][1].strip(_NAMED + _END)
    given = [_argument(reader, token) for token in statement]
    if [token[1] for token in statement[1:2]] == ["="]:
        value = given[2] if len(statement) == 3 and statement[2][0] in (LITERAL, WORD) else None
        known = value is not None and value.text is not None and not value.glob
        reader.state = reader.state.having({name: (literal_pattern(value.text or ""),) if known and value else None})
        if len(statement) > 3 and statement[2][0] == WORD:
            _run(reader, statement[2:])
            return
    _name(reader, given[1:], statement[1:])


def _argument(reader: "Reader", token: Token) -> Argument:
    kind, text, start, end = token
    name, _, behind = text.removeprefix(_NAMED).partition(_END)
    if text[:1] == _NAMED and reader.state.variables.get(name) == (_PIPED,):
        text = _PIPED + behind
    if text.startswith(_PIPED) and len(reader.piped_files) == 1:  # `$_`, `$_.FullName`
        piped = reader.piped_files[0]
        if piped.text is not None and not piped.glob and "." in piped.approximate[1:]:
            return Argument(piped.approximate, False, text, (start, end))
        pattern = piped.approximate if piped.glob else literal_pattern(piped.approximate)
        return Argument(pattern if piped.glob else f"{pattern}/**/*", True, text, (start, end))
    while _NAMED in text:
        before, _, rest = text.partition(_NAMED)
        name, _, behind = rest.partition(_END)
        value = _value(reader, name)
        if before:  # what is known of a folder is an absolute path, or relative to where the command line began
            value = value.lstrip("\x02") if FOLDER not in value else UNKNOWN
        text = before + value + behind
    return Argument(text, kind == WORD and any(char in text for char in "*?["), text, (start, end))


def _value(reader: "Reader", name: str) -> str:
    variables = reader.state.variables
    if name.startswith("("):
        here = variables.get("PWD", (UNKNOWN,))[0]
        found = here if name[1:].lower() in ("get-location", "pwd", "gl") else output_of(name[1:], here)
        return UNKNOWN if found is None else found
    known = variables.get("PWD" if name == "pwd" else name[4:].upper() if name.startswith("env:") else name)
    return known[0].replace("\\", "") if known and len(known) == 1 else UNKNOWN


def _pathlike(argument: Argument) -> Argument:
    """Return the argument with `/` between the parts of a path, as all paths have it inside the program."""
    return Argument(argument.approximate.replace("\\", "/"), argument.glob, argument.raw, argument.span)


def _name(reader: "Reader", arguments: list[Argument], tokens: list[Token]) -> None:
    """Count each word of an expression that looks like a path as named for reading; no shell runs its texts."""
    for argument, token in zip(arguments, tokens):
        if token[0] in (TEXT, LITERAL):
            reader.blank(argument)
        text = argument.approximate
        if token[0] == TEXT or "::" in text:  # a method of a class
            continue
        if "/" in text or "\\" in text or "." in text.strip(".")[1:]:
            reader.touch("read", _pathlike(argument))


def run_powershell(reader: "Reader", arguments: list[Argument]) -> None:
    """Read `pwsh -Command …`: the words after it are a command line; a script that is named is read."""
    for at, argument in enumerate(arguments):
        option = argument.approximate.lower()
        if len(option) > 1 and "-command".startswith(option):
            _read_inside(reader, (NESTED, " ".join(one.approximate for one in arguments[at + 1 :]), 0, 0))
            return
        if not option.startswith("-") or (len(option) > 1 and "-file".startswith(option)):
            for one in arguments[at + option.startswith("-") :]:
                if "/" in one.approximate or "\\" in one.approximate or "." in one.approximate:
                    reader.touch("read", _pathlike(one))
            return


def run_cmd(reader: "Reader", arguments: list[Argument]) -> None:
    """Read `cmd /c …`: its commands are called as aliases of cmdlets are, and redirections are written alike."""
    at = next((at for at, one in enumerate(arguments) if one.approximate.lower().lstrip("/") in ("c", "k")), None)
    if at is not None:
        words = " ".join(one.approximate for one in arguments[at + 1 :]).split(" ")
        given = [word for word in words if word[:1] != "/" or len(word) > 3]  # without `/s` and `/q`
        _read_inside(reader, (NESTED, " ".join(given), 0, 0))


def _cmdlet(
    reader: "Reader", cmdlet: tuple[tuple[str, ...], dict[str, str]], arguments: "list[Argument | None]"
) -> None:
    """Note the paths that a cmdlet's parameters and operands name; None is between the values of a list."""
    places, by_name = list(cmdlet[0]), cmdlet[1]
    if "-whatif" in (one.approximate.lower() for one in arguments if one is not None):
        return  # it only says what it would do
    found: list[tuple[str, Argument]] = []
    kind, next_kind = "", ""
    for at, argument in enumerate(arguments):
        if argument is None:
            continue
        text = argument.approximate
        parameter, colon, _ = text[1:].lower().partition(":")
        if at and arguments[at - 1] is None:
            found.append((kind, argument))
        elif text.startswith("-") and parameter[:1].isalpha():
            known = next((name for name in by_name if name.startswith(parameter)), "")
            switch = not known and any(name.startswith(parameter) for name in _SWITCHES)
            kind = next_kind = by_name.get(known, "" if switch else "value")
            if kind in places:
                places.remove(kind)
            if colon:
                found.append((kind, Argument(text[len(parameter) + 2 :], argument.glob)))
                next_kind = ""
        else:
            kind = next_kind or (places.pop(0) if places else "value")
            found.append((kind, argument))
            next_kind = ""
    named = [(kind, _pathlike(argument)) for kind, argument in found if kind not in ("", "value", "filter")]
    sources = [argument for kind, argument in named if kind in ("read", "tree", "write")]
    if {"read", "filter"}.issuperset(by_name.values()) and by_name:
        filters = [argument.approximate for kind, argument in found if kind == "filter"]
        deep = any(one is not None and one.approximate.lower().startswith("-r") for one in arguments)
        reader.piped_files = _filtered(sources, filters, deep) if filters else sources or [Argument(".")]
    elif not sources and "filepath" not in by_name:  # it takes the files that the pipe brings
        named += [("tree", one) for one in reader.piped_files if "read" not in by_name.values()]
        named += [
            ("read", one) for one in reader.piped_files if "destination" in by_name and "read" in by_name.values()
        ]
    _touch_all(reader, named)


def _filtered(sources: list[Argument], filters: list[str], deep: bool) -> list[Argument]:
    """Return the patterns of the names that a list of folders has after its filters."""
    folders = [one.approximate if one.glob else literal_pattern(one.approximate) for one in sources]
    begins = [f"{folder.removesuffix('/*')}/" for folder in folders] or [""]
    return [Argument(f"{begin}{'**/' if deep else ''}{name}", True) for begin in begins for name in filters]


def _touch_all(reader: "Reader", found: list[tuple[str, Argument]]) -> None:
    names = [argument for kind, argument in found if kind == "name"]
    sources = [argument for kind, argument in found if kind in ("read", "tree")]
    for kind, argument in found:
        if kind == "into":
            reader.touch("write", argument)
            for source in sources:
                reader.touch(
                    "into", Argument(f"{argument.approximate}/{source.approximate.rpartition('/')[2]}", source.glob)
                )
        elif kind == "folder":  # `New-Item -Path folder -Name file` makes the file in it
            for path in [Argument(f"{argument.approximate}/{name.approximate}") for name in names] or [argument]:
                reader.touch("write", path)
        elif kind == "name" and sources:
            folder = sources[0].approximate.rpartition("/")[0]
            reader.touch("write", Argument(f"{folder}/{argument.approximate}" if folder else argument.approximate))
        elif kind != "name":
            reader.touch(kind, argument)
