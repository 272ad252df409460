"""Programs that do more than write the files named to them: they run code or other commands, or link files."""

from gatilho.shell import arguments
from gatilho.shell.arguments import Argument
from gatilho.shell.program_options import options_and_operands, values
from gatilho.shell.programs import name_of
from gatilho.shell.shell_state import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.shell.flow import Reader

# Options that hold a program, by interpreter.
_CODE = {"python": "c", "node": "ep", "perl": "eE", "ruby": "e", "php": "r", "bun": "e", "deno": "e", "lua": "e"}
# Options whose values hold a command line, by program, and what is in front of it there.
_WITH_COMMANDS = {
    "gdb": (("-ex", "--ex", "-eval-command", "--eval-command", "-iex"), ("shell ", "!", "pipe |")),
    **dict.fromkeys(("sg", "su"), (("-c", "--command"), ("",))),
    "nix-shell": (("--run", "--command"), ("",)),
    "tar": (("--to-command", "-I", "--use-compress-program", "-F", "--checkpoint-action"), ("exec=", "")),
    "vim": (("-c", "--cmd", "-es", "-sc"), ("silent !", "!", "sil !", "r !", "r!", "w !")),
}
# Commands of vim that take a file to edit, or write one.
_OF_FILES_IN_VIM = frozenset("e edit sav saveas sp split tabe tabedit up update vs vsplit w wq write x".split())  # noqa: SIM905


def _run_code(reader: "Reader", call: Call) -> None:
    """Do what the program in an option of an interpreter does, in its input, or in a script that was just written."""
    name = name_of(call.arguments[0])
    code, script, operands = _code_in(name, call.arguments[1:])
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


def _code_in(name: str, given: list[Argument]) -> tuple[str, Argument | None, list[Argument]]:
    """Return the code in the options of an interpreter, its script (None where it is fed), and what the code is given.

    Of another language than Python the code ends no options.
    """
    if name == "deno" and [one.text for one in given[:1]] == ["eval"]:
        given = [Argument("-e"), *given[1:]]
    code = ""
    for at, argument in enumerate(given):
        text = argument.approximate
        if text[:1] != "-" or text == "-":
            return code, (argument if text != "-" else None), given[at + 1 :]
        if text[1:2] in _CODE[name] and text[2:] and name == "python":
            code += text[2:] + "\n"
        elif text in ("--eval", "--print") or (text[-1] in _CODE[name] and text[1:2] != "-"):
            code += "".join(one.approximate for one in given[at + 1 : at + 2]) + "\n"
            if name == "python":
                return code, None, given[at + 2 :]
    return code, None, []


def _run_options(reader: "Reader", call: Call) -> None:
    """Read the command lines that options of an editor, a debugger or tar hold."""
    name, given = name_of(call.arguments[0]), call.arguments[1:]
    options, begins = _WITH_COMMANDS[name]
    for argument, after in zip(given, [*given[1:], Argument("")]):
        text = argument.approximate
        option, equals, value = text.partition("=")
        if name == "vim" and text[:1] == "+":
            text = text[1:]
        else:
            text = "" if option not in options else value if equals else after.approximate
        text = text.lstrip(":")
        begin = next((begin for begin in begins if text.startswith(begin)), None)
        if begin is not None:
            reader.nested(text[len(begin) :], reader.state.inherited(call.assigned))
        elif name == "vim":
            for part in text.split("|"):
                command, _, file = part.strip().partition(" ")
                if command.rstrip("!") in _OF_FILES_IN_VIM and file:
                    reader.touch("write", Argument(file.strip()))


def _link(reader: "Reader", call: Call) -> None:
    options, operands = options_and_operands(call.arguments[1:], "tS", "target-directory suffix")
    if len(operands) == 2:
        reader.link(operands[0], operands[1], any(name in ("s", "symbolic") for name, _ in options))


def _awk(reader: "Reader", call: Call) -> None:
    """Do what an awk program writes and runs, where it says so in one text."""
    options, operands = options_and_operands(call.arguments[1:], "Ffvi", "assign field-separator")
    program = operands[0].approximate if operands else ""
    if ">" in program or "system" in program:
        from gatilho.shell.code_effects import effects_of_code
        from gatilho.shell.scripts import files_of_awk

        assigned = [one.approximate.partition("=") for one in values(options, "v", "assign")]
        held = {name: [value] for name, _, value in assigned}
        held["FILENAME"] = [one.approximate for one in operands[1:]]
        for file in files_of_awk(program, held):
            reader.touch("write", Argument(file))
        for words in effects_of_code(program, False)[1]:
            reader.nested(words[0], reader.state.inherited(call.assigned))


def _find(reader: "Reader", call: Call) -> None:
    """Read the commands after `-exec`, `{}` for what lies below the folders and has the name that was asked for."""
    from gatilho.shell import listings

    rest = call.arguments[1:]
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


def _fd(reader: "Reader", call: Call) -> None:
    """Read the command that `fd` runs for what it finds: after the last word, unless a `{}` says where."""
    from gatilho.shell import listings

    rest = call.arguments[1:]
    at = next((at for at, one in enumerate(rest) if one.approximate in listings.FD_RUNS), len(rest))
    words = rest[at + 1 :]
    found = [Argument(one) for one in (listings.printed_names("fd", rest, None) or "").split()]
    if words and found:
        at = next((at for at, one in enumerate(words) if one.approximate == "{}"), len(words))
        reader.run(Call(words[:at] + found + words[at + 1 :], None, None, {}))


PROGRAM_CALLS = {
    **dict.fromkeys(_CODE, _run_code),
    **dict.fromkeys(_WITH_COMMANDS, _run_options),
    "awk": _awk,
    "fd": _fd,
    "fdfind": _fd,
    "find": _find,
    "ln": _link,
}
