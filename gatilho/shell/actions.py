"""What a program does when a command line runs it: moves, variables, other command lines, files, patches."""

from gatilho.shell import arguments, launchers, program_options, programs, quotes, shell_state
from gatilho.shell.arguments import Argument, Copied
from gatilho.shell.shell_state import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gatilho.shell.flow import Reader
    from gatilho.shell.prose import Places

_MOST_LINES = 64
# How settings of git end that hold commands.
_RUN_BY_GIT = (
    "editor", "pager", "sshcommand", ".external", ".cmd", "fsmonitor", ".clean", ".smudge", ".textconv", "askpass",
)  # fmt: skip
_INPUT = ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
# What `listings` knows the output of.
_PRINTING = frozenset(
    ("find", "fd", "fdfind", "ls", "grep", "rg", "ag", "ack", "sort", "uniq", "head", "tail", "tac", "shuf", "tee",
     "pv", "sed", "awk", "tr", "cut", "column", "nl", "paste")
)  # fmt: skip
# Options that hold a program, by interpreter.
_CODE = {"python": "c", "node": "ep", "perl": "eE", "ruby": "e", "php": "r", "bun": "e", "deno": "e"}
# Options whose values hold a command line, by program, and what is in front of it there.
_WITH_COMMANDS = {
    "gdb": (("-ex", "--ex", "-eval-command", "--eval-command", "-iex"), ("shell ", "!", "pipe |")),
    "tar": (("--to-command", "-I", "--use-compress-program", "-F", "--checkpoint-action"), ("exec=", "")),
    "vim": (("-c", "--cmd", "-es", "-sc"), ("silent !", "!", "sil !", "r !", "r!", "w !")),
}
_PARTS_OF_PATHS = frozenset(("realpath", "readlink", "basename", "dirname"))
_SHELLS = frozenset(("bash", "sh", "zsh", "dash", "ksh", "ash", "fish", "rbash"))


def act(reader: "Reader", name: str, call: Call) -> None:
    """Do to the state and the findings of the reader what this program does."""
    rest = call.arguments[1:]
    if " " in call.arguments[0].approximate:  # `watch 'rm a'` hands a whole command to a shell
        _eval(reader, Call([Argument(name), *call.arguments], call.fed, None, call.assigned))
        return
    written = reader.content_of(call.arguments[0]) if "/" in call.arguments[0].approximate else None
    if written is not None:
        _written_script(reader, call, written, rest)
        return
    action = _ACTIONS.get(name)
    if action is not None:
        action(reader, call)
        return
    if name in _SHELLS:
        _shell(reader, call)
        return
    if name in ("pwsh", "powershell", "cmd"):
        from gatilho.shell.powershell import run_cmd, run_powershell

        (run_cmd if name == "cmd" else run_powershell)(reader, rest)
        return
    remote = launchers.remote_words(name, rest)
    if remote is not None:
        _remote(reader, name, remote, call)
        return
    _run_program(reader, name, call)


def _run_program(reader: "Reader", name: str, call: Call) -> None:
    """Do what a program does that is no part of the shell and starts none: to files, and by what its operands say."""
    rest = call.arguments[1:]
    moved = _content_to_move(reader, rest) if name in ("cp", "mv", "install") and reader.contents else None
    for kind, argument in programs.files_of_program(name, rest):
        if isinstance(argument, Copied):
            reader.note_copy(argument)
        else:
            reader.touch(kind, argument)
    if moved is not None:
        reader.hold(*moved, False)
    if name in _CODE:
        _code(reader, name, call)
    elif name == "awk":
        _awk(reader, call)
    elif name == "ln":
        _link(reader, rest)
    elif name in _PARTS_OF_PATHS:
        reader.output = _part_of_path(name, rest)
    elif name in _WITH_COMMANDS:
        for text in _commands_in_options(name, rest):
            reader.nested(text, reader.state.inherited(call.assigned))
    elif name == "find":
        _find(reader, rest)
    elif name in ("fd", "fdfind"):
        _fd(reader, name, rest)
    if name in _PRINTING:
        _print_names(reader, name, call)


def _part_of_path(name: str, rest: list[Argument]) -> str | None:
    """Return what `basename` and `dirname` make of a path; the others print it as it is."""
    operands = [one.approximate for one in rest if one.approximate[:1] != "-"]
    if name in ("basename", "dirname") and operands:
        folder, _, last = operands[0].rstrip("/").rpartition("/")
        operands = [last.removesuffix("".join(operands[1:2])) if name == "basename" else folder or "."]
    return " ".join(operands) or None


def _print_names(reader: "Reader", name: str, call: Call) -> None:
    """Note the names that a program prints, and what `tee` keeps of them."""
    from gatilho.shell import listings  # only where names may be printed

    rest = call.arguments[1:]
    reader.output, reader.output_places = listings.printed_names(name, rest, call.fed), call.places
    if name == "tee" and call.fed:
        added = any(one.approximate in ("-a", "--append") for one in rest)
        for argument in rest:
            joined = reader.state.join(argument.text) if argument.text else None
            if joined is not None:
                reader.hold(joined, call.fed, call.places, added)


def _code(reader: "Reader", name: str, call: Call) -> None:
    """Do what the program in an option of an interpreter does, in its input, or in a script that was just written."""
    rest = call.arguments[1:]
    code, script = "", None
    operands: list[Argument] = []
    if name == "deno" and [one.text for one in rest[:1]] == ["eval"]:
        rest = [Argument("-e"), *rest[1:]]
    for at, argument in enumerate(rest):
        text = argument.approximate
        if text[:1] != "-" or text == "-":
            script, operands = (argument if text != "-" else None), rest[at + 1 :]
            break
        if text[1:2] in _CODE[name] and text[2:] and name == "python":
            code += text[2:] + "\n"
        elif text in ("--eval", "--print") or (text[-1] in _CODE[name] and text[1:2] != "-"):
            code += "".join(one.approximate for one in rest[at + 1 : at + 2]) + "\n"
            if name == "python":
                operands = rest[at + 2 :]
                break
    if not code:
        held = reader.content_of(script) if script is not None else (call.fed or "", ())
        code = held[0] if held is not None else ""
        if script is not None and code and name == "python":
            reader.calls_made[name, "-c", code] = None  # as where it is fed
    if not code:
        return
    from gatilho.shell.code_effects import effects_of_code  # few commands hold code

    given = tuple(one.approximate for one in operands)
    files, commands = effects_of_code(code, name in ("perl", "ruby", "php"), given)
    for file in files:  # with what is below it, where it is a folder
        reader.touch("tree", Argument(file))
    for words in commands:
        if len(words) == 1:
            reader.nested(words[0], reader.state.inherited(call.assigned))
        else:
            reader.run(Call([Argument(word) for word in words], None, None, {}))


def _content_to_move(reader: "Reader", rest: list[Argument]) -> "tuple[str, str, Places] | None":
    """Return the new path of a file that this text wrote, and what it holds."""
    operands = program_options.options_and_operands(rest, "tSmog", "target-directory suffix mode owner group")[1]
    held = reader.content_of(operands[0]) if len(operands) == 2 else None
    path = reader.state.join(operands[1].text) if held and operands[1].text and not operands[1].glob else None
    return None if held is None or path is None else (path, *held)


def _commands_in_options(name: str, rest: list[Argument]) -> "Iterator[str]":
    """Yield the command lines that options of an editor, a debugger or tar hold."""
    options, begins = _WITH_COMMANDS[name]
    for argument, after in zip(rest, [*rest[1:], Argument("")]):
        text = argument.approximate
        option, equals, value = text.partition("=")
        given = "" if option not in options else value if equals else after.approximate
        given = text[1:] if name == "vim" and text[:1] == "+" else given
        for begin in begins:
            if given.lstrip(":").startswith(begin):
                yield given.lstrip(":")[len(begin) :]
                break


def _link(reader: "Reader", rest: list[Argument]) -> None:
    options, operands = program_options.options_and_operands(rest, "tS", "target-directory suffix")
    if len(operands) == 2:
        reader.link(operands[0], operands[1], any(name in ("s", "symbolic") for name, _ in options))


def _awk(reader: "Reader", call: Call) -> None:
    """Do what an awk program writes and runs, where it says so in one text."""
    options, operands = program_options.options_and_operands(call.arguments[1:], "Ffvi", "assign field-separator")
    program = operands[0].approximate if operands else ""
    if ">" in program or "system" in program:
        from gatilho.shell.code_effects import effects_of_code
        from gatilho.shell.scripts import files_of_awk

        assigned = [one.approximate.partition("=") for one in program_options.values(options, "v", "assign")]
        held = {name: [value] for name, _, value in assigned}
        held["FILENAME"] = [one.approximate for one in operands[1:]]
        for file in files_of_awk(program, held):
            reader.touch("write", Argument(file))
        for words in effects_of_code(program, False)[1]:
            reader.nested(words[0], reader.state.inherited(call.assigned))


def _remote(reader: "Reader", name: str, words: list[Argument], call: Call) -> None:
    """Read what runs elsewhere for its commands only: its paths are those of another machine."""
    # A wrapper for another machine may hold a second one (`ssh a docker exec …`), so the old value comes back.
    here, reader.local = reader.local, False
    if name in ("ssh", "autossh", "mosh"):
        text = " ".join(argument.approximate for argument in words)
        if text:
            fed = call.fed, call.places
            reader.nested(text, shell_state.ShellState(None), places=reader.written_by(words), fed=fed)
        else:
            reader.nested(call.fed or "", shell_state.ShellState(None), places=call.places)
    elif words:
        reader.run(Call(words, call.fed, None, {}, call.places))
    reader.local = here


def _find(reader: "Reader", rest: list[Argument]) -> None:
    """Read the commands after `-exec`, `{}` for what lies below the folders and has the name that was asked for."""
    from gatilho.shell import listings

    patterns, whole = listings.found_by_find(rest)
    found = [Argument(pattern if whole else arguments.LISTED + pattern, True) for pattern in patterns]
    if any(argument.approximate == "-delete" for argument in rest):
        for argument in found:
            reader.touch("write", argument)
    for before, argument in zip(rest, rest[1:]):  # noqa: RUF007
        if before.approximate in ("-fprint", "-fprint0", "-fprintf", "-fls"):
            reader.touch("write", argument)
    at = 0
    while at < len(rest):
        if rest[at].approximate in ("-exec", "-execdir", "-ok", "-okdir"):
            end = at + 1
            while end < len(rest) and rest[end].approximate not in (";", "+"):
                end += 1
            if end > at + 1:
                given = [one for word in rest[at + 1 : end] for one in (found if word.approximate == "{}" else [word])]
                reader.run(Call(given, None, None, {}))
            at = end
        at += 1


def _fd(reader: "Reader", name: str, rest: list[Argument]) -> None:
    """Read the command that `fd` runs for what it finds: after the last word, unless a `{}` says where."""
    from gatilho.shell import listings

    at = next((at for at, one in enumerate(rest) if one.approximate in listings.FD_RUNS), len(rest))
    words = rest[at + 1 :]
    found = [Argument(one) for one in (listings.printed_names(name, rest, None) or "").split()]
    if words and found:
        at = next((at for at, one in enumerate(words) if one.approximate == "{}"), len(words))
        reader.run(Call(words[:at] + found + words[at + 1 :], None, None, {}))


def _written_script(reader: "Reader", call: Call, written: "tuple[str, Places]", given: list[Argument]) -> None:
    """Read a script that this very text wrote."""
    text, places = written
    program = text.partition("\n")[0].rpartition("/")[2].split() if text[:2] == "#!" else []
    name = program[-1] if program else "sh"
    if name in _SHELLS:
        reader.nested(text, reader.state.inherited(call.assigned).given(given), places=places)
    else:
        reader.run(Call([Argument(name)], text, None, call.assigned, places))


def _shell(reader: "Reader", call: Call) -> None:
    rest = call.arguments[1:]
    script = None
    for at, argument in enumerate(rest):
        text = argument.approximate
        if at and _wants_word(rest[at - 1].approximate):
            continue
        if text in ("-", "--"):
            script = at + 1
            break
        if text[:1] not in ("-", "+"):
            script = at
            break
        if text[0] == "-" and not text.startswith("--") and "c" in text:
            following = [other for other in rest[at + 1 :] if other.approximate[:1] != "-"]
            if following:
                state = reader.state.inherited(call.assigned).given(following[2:])
                if following[1:]:
                    state = state.having({"0": (arguments.marked_text(following[1]),)})
                command, places = _as_command(reader, following[:1])
                reader.nested(command, state, places=places)
            return
        if text[0] == "-" and not text.startswith("--") and "s" in text:  # what follows are the arguments of its input
            break
    if script is not None and script < len(rest) and rest[script].raw.startswith("<("):
        text, places = reader.outputs.get(rest[script].raw[2:-1], ("", ()))
        reader.nested(text, reader.state.inherited(call.assigned), places=places)
    elif script is not None and script < len(rest) and rest[script].approximate not in _INPUT:
        for kind, argument in program_options.reads(rest[script:]):
            reader.touch(kind, argument)
        written = reader.content_of(rest[script])
        if written is not None:
            state = reader.state.inherited(call.assigned).given(rest[script + 1 :])
            reader.nested(written[0], state, places=written[1])
    elif call.fed and call.fed[0] != arguments.TRACKED:
        reader.nested(call.fed, reader.state.inherited(call.assigned), places=call.places)


def _wants_word(option: str) -> bool:
    """Return whether a shell's option (`-euo pipefail`) takes the next word."""
    return option in ("--rcfile", "--init-file") or (option[:1] in ("-", "+") and option[-1:] in ("o", "O"))


def _eval(reader: "Reader", call: Call) -> None:
    text, places = _as_command(reader, call.arguments[1:])
    reader.nested(text, reader.state, keep=True, places=places)


def _as_command(reader: "Reader", words: list[Argument]) -> "tuple[str, Places]":
    """Return the command line that words make, and where it is written: as a rule in themselves, or what is printed."""
    if len(words) == 1 and words[0].text is None:
        printed = reader.outputs.get(words[0].raw.strip('"')[2:-1])
        if printed is not None:
            return printed
    return " ".join(argument.approximate for argument in words), reader.written_by(words)


def _set(reader: "Reader", call: Call) -> None:
    texts = [argument.approximate for argument in call.arguments]
    if "--" in texts:
        reader.state = reader.state.given(call.arguments[texts.index("--") + 1 :])


def _shift(reader: "Reader", call: Call) -> None:
    number = call.arguments[1].approximate if call.arguments[1:] else "1"
    if number.isdecimal():
        reader.state = reader.state.numbered(reader.state.variables.get("@", ())[int(number[:3]) :])


def _alias(reader: "Reader", call: Call) -> None:
    """Read an alias as a function that hands its arguments on."""
    for argument in call.arguments[1:]:
        name, equals, text = argument.approximate.partition("=")
        if equals and argument.text is not None:
            body = text + ' "$@"'
            reader.define(body, name, 0, len(body))


def _trap(reader: "Reader", call: Call) -> None:
    for argument in call.arguments[1:2]:
        reader.nested(argument.approximate, reader.state, places=reader.written_by([argument]))


def _pwd(reader: "Reader", call: Call) -> None:
    known = reader.state.variables.get("PWD")
    reader.output = quotes.unescape(known[0]) if known else None


def _seq(reader: "Reader", call: Call) -> None:
    """Note the numbers that `seq` prints."""
    texts = [one.approximate for one in call.arguments[1:]]
    if not 0 < len(texts) < 4 or not all(text.isdecimal() and len(text) < 6 for text in texts):
        return
    numbers = [*map(int, texts)]
    first, step = numbers[0] if len(numbers) > 1 else 1, numbers[1] if len(numbers) == 3 else 1
    if step and (numbers[-1] - first) // step < _MOST_LINES:
        reader.output = "\n".join(map(str, range(first, numbers[-1] + 1, step)))


def _script(reader: "Reader", call: Call) -> None:
    """Read what `script -c TEXT` runs; the file that its terminal is recorded in is written."""
    found, operands = program_options.options_and_operands(call.arguments[1:], "cEIOBTmo", "command log-out log-in")
    for argument in program_options.values(found, "c", "command"):
        reader.nested(argument.approximate, reader.state.inherited(call.assigned), places=reader.written_by([argument]))
    for argument in operands:
        reader.touch("write", argument)


def _cd(reader: "Reader", call: Call) -> None:
    name = programs.name_of(call.arguments[0])
    operands = [
        argument for argument in call.arguments[1:] if argument.approximate[:1] != "-" or argument.approximate == "-"
    ]
    folder = reader.state.folder(operands[0]) if len(operands) == 1 else None
    stack = reader.state.stack
    if name == "popd":
        folder, stack = (stack[-1], stack[:-1]) if stack and not operands else (None, ())
    elif name == "pushd":
        stack = (*stack[-50:], reader.state.cwd)
    elif operands and operands[0].text == "-":
        folder = reader.state.previous
    # `a || cd b` may not have moved.
    if reader.levels[-1].alternative:
        folder = None
    reader.state = reader.state.entered(folder, stack)


def _declare(reader: "Reader", call: Call) -> None:
    name = programs.name_of(call.arguments[0])
    values: dict[str, tuple[str, ...] | None] = {}
    for argument in call.arguments[1:]:
        variable, equals, text = argument.approximate.partition("=")
        if equals:
            values[variable] = None if argument.text is None else (arguments.literal_pattern(text),)
        elif variable in reader.state.variables:
            values[variable] = reader.state.variables[variable]
    reader.state = reader.state.having(values, export=name == "export")


def _forget(reader: "Reader", call: Call) -> None:
    # `read` without a name sets REPLY, and `mapfile` without one sets MAPFILE.
    names: dict[str, tuple[str, ...] | None]
    names = {argument.approximate: None for argument in call.arguments[1:] if argument.approximate[:1] != "-"}
    names.pop("", None)  # of `-d ''`
    fed = call.fed or (reader.names_in(call.fed_file) if call.fed_file is not None else None) or ""
    lines = fed.split("\n")
    if len(names) < 2 and fed and len(lines) <= _MOST_LINES and programs.name_of(call.arguments[0]) != "unset":
        # A loop reads one line after the other, each of them the value of the name.
        words = [word for line in lines for word in (line.split() if arguments.LISTED in line else [line]) if word]
        names = dict.fromkeys(
            names or ("REPLY", "MAPFILE"),
            tuple(
                one if one[0] in (arguments.LISTED, arguments.TRACKED) else arguments.literal_pattern(one)
                for one in words
            ),
        )
    elif len(lines) == 1 and fed and not {arguments.LISTED, arguments.TRACKED}.intersection(fed):
        mark = quotes.unescape((call.assigned.get("IFS") or ("",))[0]).strip() or None
        parts = fed.split(mark, len(names) - 1)
        names.update((name, (arguments.literal_pattern(part.strip()),)) for name, part in zip(names, parts))
    reader.state = reader.state.having({"REPLY": None, "MAPFILE": None, **names})


def _echo(reader: "Reader", call: Call) -> None:
    operands = [argument for argument in call.arguments[1:] if argument.approximate[:1] != "-"]
    texts = [arguments.marked_output(argument) for argument in operands]
    reader.output_places = reader.written_by(operands)
    reader.output = " ".join(texts)
    is_format = programs.name_of(call.arguments[0]) == "printf"
    if is_format and len(texts) > 1 and call.arguments[1].approximate == "-v":
        from gatilho.shell.printed import printed

        text = printed(texts[1:])
        reader.state = reader.state.having(
            {texts[0]: None if arguments.UNKNOWN in text else (arguments.literal_pattern(text),)}
        )
        reader.output = None
        return
    flags = [argument.approximate for argument in call.arguments[1:3] if argument.approximate[:1] == "-"]
    if is_format or any("e" in flag and flag[1:].isalpha() for flag in flags):
        from gatilho.shell.printed import printed, unescaped_text  # few texts have escapes

        reader.output = printed(texts) if is_format else unescaped_text(reader.output)


def _cat(reader: "Reader", call: Call) -> None:
    operands = [argument for argument in call.arguments[1:] if argument.approximate[:1] != "-"]
    for kind, argument in program_options.reads(operands):
        reader.touch(kind, argument)
    held = [reader.content_of(one) or (reader.names_in(one) or "", ()) for one in operands]
    if not operands and call.fed is None and call.fed_file is not None:
        held = [(reader.names_in(call.fed_file) or "", ())]
    reader.output, reader.output_places = call.fed, call.places
    if held:
        reader.output = "\n".join(text for text, _ in held)
        reader.output_places = tuple(place for _, places in held for place in places)


def _decoded(reader: "Reader", call: Call) -> None:
    """Note what `base64 -d` and `xxd -r -p` print of a text that is known."""
    is_hex = call.arguments[0].approximate.endswith("xxd")
    valued = "cglosnR" if is_hex else "w"
    options, operands = program_options.options_and_operands(call.arguments[1:], valued, "wrap")
    for kind, argument in program_options.reads(operands[:1] if is_hex else operands):
        reader.touch(kind, argument)
    for argument in operands[1:2] if is_hex else ():
        reader.touch("write", argument)
    given = {name for name, _ in options}
    held = (call.fed, call.places) if not operands else reader.content_of(operands[0]) or (None, ())
    if held[0] is None or not (given >= {"r", "p"} if is_hex else given & {"d", "D", "decode"}):
        return
    from binascii import a2b_base64

    try:
        data = bytes.fromhex(held[0]) if is_hex else a2b_base64(held[0].encode())
        reader.output = data.decode("utf-8", "replace")
    except ValueError:
        pass


def _source(reader: "Reader", call: Call) -> None:
    for argument in call.arguments[1:2]:
        written = reader.content_of(argument)
        if written is not None:
            reader.touch("read", argument)
            reader.nested(written[0], reader.state, keep=True, places=written[1])
        elif argument.approximate in _INPUT and call.fed:
            reader.nested(call.fed, reader.state, keep=True, places=call.places)
        elif argument.raw.startswith("<("):
            text, places = reader.outputs.get(argument.raw[2:-1], ("", ()))
            reader.nested(text, reader.state, keep=True, places=places)
        else:
            reader.touch("read", argument)


def _apply_patch(reader: "Reader", call: Call) -> None:
    from gatilho.patch_text import envelope_paths

    text = "\n".join([call.fed or "", *(argument.approximate or argument.raw for argument in call.arguments[1:])])
    raw = "\n".join(argument.raw for argument in call.arguments[1:])
    for path in envelope_paths(text) or envelope_paths(raw):
        joined = reader.state.join(path)
        if joined is not None and reader.local:
            reader.patches[joined] = None


def _patch(reader: "Reader", call: Call) -> None:
    found, operands = program_options.options_and_operands(
        call.arguments[1:], "pidoFBDrYzV", "strip input directory output fuzz prefix suffix reject-file"
    )
    before = reader.state
    for folder in program_options.values(found, "d", "directory"):
        reader.state = reader.state.entered(reader.state.folder(folder))
    for written in program_options.values(found, "o", "output") + operands[:1]:
        reader.touch("write", written)
    files = program_options.values(found, "i", "input") + operands[1:2]
    # A file that is named is the one that is written, whatever names the patch has.
    if operands:
        for file in files:
            reader.touch("read", file)
    elif all(name != "dry-run" for name, _ in found):
        _patched(reader, call, files, _number(program_options.values(found, "p", "strip"), -1))
    reader.state = before


def _git(reader: "Reader", call: Call) -> None:
    from gatilho.shell.git import commands_of_git, files_of_git  # only where git is called

    before = reader.state
    rest = call.arguments[1:]
    at = 0
    while at < len(rest) and rest[at].approximate.startswith("-"):
        if rest[at].approximate == "-C" and at + 1 < len(rest):
            reader.state = reader.state.entered(reader.state.folder(rest[at + 1]))
        if rest[at].approximate == "-c" and at + 1 < len(rest):
            _git_setting(reader, *rest[at + 1].approximate.partition("=")[::2])
        at += 2 if rest[at].approximate in ("-C", "-c", "--git-dir", "--work-tree", "--namespace") else 1
    rest = rest[at:]
    if rest and "git " + rest[0].approximate in reader.functions:
        reader.run(Call([Argument("git " + rest[0].approximate), *rest[1:]], call.fed, call.fed_file, call.assigned))
        reader.state = before
        return
    for command in commands_of_git(rest):
        reader.nested(command, reader.state.inherited(call.assigned))
    if [one.approximate for one in rest[:1]] == ["config"]:
        named = [one.approximate for one in rest[1:] if one.approximate[:2] != "--"]
        if len(named) > 1:
            _git_setting(reader, *named[-2:])
    found = files_of_git(rest)
    matched = _matched_by_git(reader, found)
    for kind, argument in found:
        if isinstance(argument, Copied):
            reader.note_copy(argument)
        elif argument not in matched:
            reader.touch(kind, argument)
    if rest and rest[0].text in ("apply", "am"):
        _git_apply(reader, call, rest[1:])
    from gatilho.shell import listings

    reader.output, reader.output_places = listings.printed_by_git(rest), ()
    reader.state = before


def _git_setting(reader: "Reader", key: str, value: str) -> None:
    """Read a setting that makes git run a command: an alias is a function of git's."""
    key = key.lower()
    if key.startswith("alias.") and value:
        body = (value[1:] if value[0] == "!" else "git " + value) + ' "$@"'
        reader.define(body, "git " + key.removeprefix("alias."), 0, len(body))
    elif key.endswith(_RUN_BY_GIT):
        reader.nested(value, reader.state.inherited({}))


def _matched_by_git(reader: "Reader", found: "list[tuple[str, Argument]]") -> list[Argument]:
    """Note the pathspecs that git itself matches against its files, and return them."""
    of_kind: dict[str, list[Argument]] = {}
    for kind, one in found:
        if kind in ("changed", "untracked") or kind.startswith(arguments.BETWEEN):
            of_kind.setdefault(kind, []).append(one)
    written = [argument for kind, argument in found if kind in ("tracked", "tree") and argument.text]
    # Quoted wildcards and `:(…)` reach git, which matches them against its tracked files.
    if not any(not one.glob and (one.approximate[:1] == ":" or set("*?[") & set(one.approximate)) for one in written):
        written = []
    if reader.local and reader.state.cwd is not None:
        for kind, specs in of_kind.items():
            reader.pathspecs.update({(reader.state.cwd, (one.text,), kind): None for one in specs if one.text})
        if written:
            reader.pathspecs[reader.state.cwd, tuple(one.approximate for one in written), "tracked"] = None
    return [*(one for specs in of_kind.values() for one in specs), *written]


def _git_apply(reader: "Reader", call: Call, rest: list[Argument]) -> None:
    found, operands = program_options.options_and_operands(rest, "pC", "directory exclude include whitespace")
    if {name for name, _ in found} & {"check", "stat", "numstat", "summary", "cached"}:
        return
    _patched(
        reader,
        call,
        [file for file in operands if file.approximate != "-"],
        _number(program_options.values(found, "p"), 1),
    )


def _patched(reader: "Reader", call: Call, files: list[Argument], strip: int) -> None:
    """Note what a patch writes: its targets where its text is here, else the files that hold them."""
    from gatilho.shell import listings

    if not files and call.fed_file is not None:
        files = [call.fed_file]
    if not files and (call.fed or "").startswith(listings.PATCH):
        # Of what git's own diff says.
        if reader.local and reader.state.cwd is not None:
            reader.pathspecs[reader.state.cwd, (":/",), (call.fed or "")[len(listings.PATCH) :].replace("?", " ")] = (
                None
            )
    elif not files and call.fed:
        from gatilho.patch_text import diff_paths

        for path in diff_paths(call.fed, strip):
            reader.touch("write", Argument(path))
    for file in files:
        reader.touch("read", file)
        joined = reader.state.join(file.text) if file.text and not file.glob else None
        if joined is not None and reader.state.cwd is not None and reader.local:
            reader.patch_files[(joined, reader.state.cwd, strip)] = None


def _number(values: list[Argument], otherwise: int) -> int:
    text = values[-1].approximate if values else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else otherwise


_ACTIONS: "dict[str, Callable[[Reader, Call], None]]" = {
    "cd": _cd,
    "pushd": _cd,
    "popd": _cd,
    "export": _declare,
    "declare": _declare,
    "local": _declare,
    "readonly": _declare,
    "typeset": _declare,
    "read": _forget,
    "unset": _forget,
    "mapfile": _forget,
    "readarray": _forget,
    "eval": _eval,
    "set": _set,
    "shift": _shift,
    "alias": _alias,
    "trap": _trap,
    "script": _script,
    "echo": _echo,
    "printf": _echo,
    "cat": _cat,
    "pwd": _pwd,
    "seq": _seq,
    "base64": _decoded,
    "xxd": _decoded,
    "source": _source,
    ".": _source,
    "apply_patch": _apply_patch,
    "applypatch": _apply_patch,
    "patch": _patch,
    "git": _git,
}
