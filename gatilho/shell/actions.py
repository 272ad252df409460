"""What a program does when a command line runs it, by its name: the table of all that is done beyond naming files."""

from gatilho.shell import launchers, program_options, programs
from gatilho.shell.arguments import Argument, Copied
from gatilho.shell.printing import OF_PATHS, PRINTERS, print_names
from gatilho.shell.program_calls import PROGRAM_CALLS
from gatilho.shell.shell_builtins import BUILTINS
from gatilho.shell.shell_calls import SHELL_CALLS, run_elsewhere, run_words, run_written
from gatilho.shell.shell_state import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.shell.flow import Reader
    from gatilho.shell.prose import Places

_ACTIONS = {**BUILTINS, **PRINTERS, **SHELL_CALLS}
_FURTHER = {**PROGRAM_CALLS, **OF_PATHS}
# What `listings` knows the output of.
_PRINTING = frozenset(
    ("find", "fd", "fdfind", "ls", "grep", "rg", "ag", "ack", "sort", "uniq", "head", "tail", "tac", "shuf", "tee",
     "pv", "sed", "awk", "tr", "cut", "column", "nl", "paste")
)  # fmt: skip


def act(reader: "Reader", name: str, call: Call) -> None:
    """Do to the state and the findings of the reader what this program does."""
    program = call.arguments[0]
    if " " in program.approximate:  # `watch 'rm a'` hands a whole command to a shell
        run_words(reader, call.arguments)
        return
    written = reader.content_of(program) if "/" in program.approximate else None
    if written is not None:
        run_written(reader, call, *written)
        return
    action = _ACTIONS.get(name)
    if action is not None:
        action(reader, call)
        return
    if name in ("git", "patch", "apply_patch", "applypatch"):
        from gatilho.shell.git_calls import PATCHERS  # only where git is called

        PATCHERS[name](reader, call)
        return
    remote = launchers.remote_words(name, call.arguments[1:])
    if remote is not None:
        run_elsewhere(reader, name, remote, call)
        return
    _run_program(reader, name, call)


def _run_program(reader: "Reader", name: str, call: Call) -> None:
    """Do what a program does that is no part of the shell and starts none: to files, and by what its operands say."""
    given = call.arguments[1:]
    moved = _content_to_move(reader, given) if name in ("cp", "mv", "install") and reader.contents else None
    for kind, argument in programs.files_of_program(name, given):
        if isinstance(argument, Copied):
            reader.note_copy(argument)
        else:
            reader.touch(kind, argument)
    if moved is not None:
        reader.hold(*moved, False)
    if name in _FURTHER:
        _FURTHER[name](reader, call)
    if name in _PRINTING:
        print_names(reader, name, call)


def _content_to_move(reader: "Reader", given: list[Argument]) -> "tuple[str, str, Places] | None":
    """Return the new path of a file that this text wrote, and what it holds."""
    operands = program_options.options_and_operands(given, "tSmog", "target-directory suffix mode owner group")[1]
    held = reader.content_of(operands[0]) if len(operands) == 2 else None
    path = reader.state.join(operands[1].text) if held and operands[1].text and not operands[1].glob else None
    return None if held is None or path is None else (path, *held)
