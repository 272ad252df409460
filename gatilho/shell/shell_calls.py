"""Command lines in command lines: texts and scripts that a shell reads, here or on another machine."""

from gatilho.shell import arguments, program_options
from gatilho.shell.arguments import Argument
from gatilho.shell.launchers import SSH
from gatilho.shell.shell_state import Call, ShellState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.shell.flow import Reader
    from gatilho.shell.prose import Places

_INPUT = ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
_SHELLS = frozenset(("bash", "sh", "zsh", "dash", "ksh", "ash", "fish", "rbash"))


def _shell(reader: "Reader", call: Call) -> None:
    """Read what a shell runs: the text after `-c`, a script that is known, or what it is fed."""
    how, words = _program_of_shell(call.arguments[1:])
    state = reader.state.inherited(call.assigned)
    printed = reader.printed_into(words[0]) if words else None
    if how == "text":
        if words:
            state = state.given(words[2:])
            if words[1:]:
                state = state.having({"0": (arguments.marked_text(words[1]),)})
            text, places = _as_command(reader, words[:1])
            reader.nested(text, state, places=places)
    elif printed is not None:
        reader.nested(printed[0] or "", state, places=printed[1])
    elif words and words[0].approximate not in _INPUT:
        for kind, argument in program_options.reads(words):
            reader.touch(kind, argument)
        written = reader.content_of(words[0])
        if written is not None:
            reader.nested(written[0], state.given(words[1:]), places=written[1])
    elif call.fed and call.fed[0] != arguments.TRACKED:
        reader.nested(call.fed, state, places=call.places)


def _program_of_shell(given: list[Argument]) -> tuple[str, list[Argument]]:
    """Return "text" with what comes after `-c`, or "script" with a file and its arguments, none where it is fed."""
    for at, argument in enumerate(given):
        text = argument.approximate
        if at and _wants_word(given[at - 1].approximate):
            continue
        if text in ("-", "--"):
            return "script", given[at + 1 :]
        if text[:1] not in ("-", "+"):
            return "script", given[at:]
        if text[0] == "-" and not text.startswith("--"):
            if "c" in text:
                return "text", [other for other in given[at + 1 :] if other.approximate[:1] != "-"]
            if "s" in text:  # what follows are the arguments of its input
                break
    return "script", []


def _wants_word(option: str) -> bool:
    """Return whether a shell's option (`-euo pipefail`) takes the next word."""
    return option in ("--rcfile", "--init-file") or (option[:1] in ("-", "+") and option[-1:] in ("o", "O"))


def run_written(reader: "Reader", call: Call, text: str, places: "Places") -> None:
    """Read a call of a script that this very command line wrote."""
    program = text.partition("\n")[0].rpartition("/")[2].split() if text[:2] == "#!" else []
    name = program[-1] if program else "sh"
    if name in _SHELLS:
        reader.nested(text, reader.state.inherited(call.assigned).given(call.arguments[1:]), places=places)
    else:
        reader.run(Call([Argument(name)], text, None, call.assigned, places))


def run_words(reader: "Reader", words: list[Argument]) -> None:
    """Read words as one command line of this very shell."""
    text, places = _as_command(reader, words)
    reader.nested(text, reader.state, keep=True, places=places)


def _as_command(reader: "Reader", words: list[Argument]) -> "tuple[str, Places]":
    """Return the command line that words make, and where it is written: as a rule in themselves, or what is printed."""
    if len(words) == 1 and words[0].text is None:
        printed = reader.outputs.get(words[0].raw.strip('"')[2:-1])
        if printed is not None:
            return printed
    return " ".join(argument.approximate for argument in words), reader.written_by(words)


def _eval(reader: "Reader", call: Call) -> None:
    run_words(reader, call.arguments[1:])


def _trap(reader: "Reader", call: Call) -> None:
    for argument in call.arguments[1:2]:
        reader.nested(argument.approximate, reader.state, places=reader.written_by([argument]))


def _source(reader: "Reader", call: Call) -> None:
    for argument in call.arguments[1:2]:
        held: tuple[str | None, Places] | None = reader.content_of(argument)
        if held is None and argument.approximate in _INPUT and call.fed:
            held = call.fed, call.places
        else:
            held = held or reader.printed_into(argument)
            reader.touch("read", argument)
        if held is not None:
            reader.nested(held[0] or "", reader.state, keep=True, places=held[1])


def _script(reader: "Reader", call: Call) -> None:
    """Read what `script -c TEXT` runs; the file that its terminal is recorded in is written."""
    found, operands = program_options.options_and_operands(call.arguments[1:], "cEIOBTmo", "command log-out log-in")
    for argument in program_options.values(found, "c", "command"):
        reader.nested(argument.approximate, reader.state.inherited(call.assigned), places=reader.written_by([argument]))
    for argument in operands:
        reader.touch("write", argument)


def run_elsewhere(reader: "Reader", name: str, words: list[Argument], call: Call) -> None:
    """Read what runs on another machine for its commands only: its paths are none of this one."""
    # A wrapper for another machine may hold a second one (`ssh a docker exec …`), so the old value comes back.
    here, reader.local = reader.local, False
    if name in SSH:
        text = " ".join(argument.approximate for argument in words)
        if text:
            fed = call.fed, call.places
            reader.nested(text, ShellState(None), places=reader.written_by(words), fed=fed)
        else:
            reader.nested(call.fed or "", ShellState(None), places=call.places)
    elif words:
        reader.run(Call(words, call.fed, None, {}, call.places))
    reader.local = here


def _powershell(reader: "Reader", call: Call) -> None:
    from gatilho.shell.powershell import run_powershell

    run_powershell(reader, call.arguments[1:])


def _cmd(reader: "Reader", call: Call) -> None:
    from gatilho.shell.powershell import run_cmd

    run_cmd(reader, call.arguments[1:])


SHELL_CALLS = {
    **dict.fromkeys(_SHELLS, _shell),
    **dict.fromkeys(("pwsh", "powershell"), _powershell),
    **dict.fromkeys(("source", "."), _source),
    "cmd": _cmd,
    "eval": _eval,
    "script": _script,
    "trap": _trap,
}
