"""What a program does when a command line runs it, by its name: the table of all that is done beyond naming files."""

from gatilho.shell import launchers, program_options, programs
from gatilho.shell.arguments import Argument, Copied
from gatilho.shell.printing import OF_PATHS, PRINTERS, print_names
from gatilho.shell.shell_builtins import BUILTINS
from gatilho.shell.shell_state import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gatilho.shell.flow import Reader
    from gatilho.shell.prose import Places

    Actions = Mapping[str, Callable[[Reader, Call], None]]

# What `git_calls`, `shell_calls` and `program_calls` know, which are loaded for these alone.
BY_GIT = frozenset(("git", "patch", "apply_patch", "applypatch"))
BY_SHELLS = frozenset(
    ("bash", "sh", "zsh", "dash", "ksh", "ash", "fish", "rbash", "pwsh", "powershell", "cmd", "eval", "source", ".",
     "trap", "script")
)  # fmt: skip
FURTHER = frozenset(
    ("python", "node", "perl", "ruby", "php", "bun", "deno", "lua", "gdb", "tar", "vim", "awk", "fd", "fdfind", "find",
     "ln", "su", "sg", "nix-shell")
)  # fmt: skip
# What `listings` knows the output of.
_PRINTING = frozenset(
    ("find", "fd", "fdfind", "ls", "grep", "rg", "ag", "ack", "sort", "uniq", "head", "tail", "tac", "shuf", "tee",
     "pv", "sed", "awk", "tr", "cut", "column", "nl", "paste")
)  # fmt: skip


def act(reader: "Reader", name: str, call: Call) -> None:
    """Do to the state and the findings of the reader what this program does."""
    program = call.arguments[0]
    written = reader.content_of(program) if "/" in program.approximate else None
    if " " in program.approximate:  # `watch 'rm a'` hands a whole command to a shell
        from gatilho.shell.shell_calls import run_words

        run_words(reader, call.arguments)
    elif written is not None:
        from gatilho.shell.shell_calls import run_written

        run_written(reader, call, *written)
    elif (action := _actions_with(name).get(name)) is not None:
        action(reader, call)
    elif (remote := launchers.remote_words(name, call.arguments[1:])) is not None:
        from gatilho.shell.shell_calls import run_elsewhere

        run_elsewhere(reader, name, remote, call)
    else:
        _run_program(reader, name, call)


def _actions_with(name: str) -> "Actions":
    """Return the table that has what a program does in place of its files, if it is known for anything of the kind."""
    if name in BY_GIT:
        from gatilho.shell.git_calls import PATCHERS

        return PATCHERS
    if name in BY_SHELLS:
        from gatilho.shell.shell_calls import SHELL_CALLS

        return SHELL_CALLS
    return BUILTINS if name in BUILTINS else PRINTERS


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
    if name in FURTHER:
        from gatilho.shell.program_calls import PROGRAM_CALLS

        PROGRAM_CALLS[name](reader, call)
    elif name in OF_PATHS:
        OF_PATHS[name](reader, call)
    if name in _PRINTING:
        print_names(reader, name, call)


def _content_to_move(reader: "Reader", given: list[Argument]) -> "tuple[str, str, Places] | None":
    """Return the new path of a file that this text wrote, and what it holds."""
    operands = program_options.options_and_operands(given, "tSmog", "target-directory suffix mode owner group")[1]
    held = reader.content_of(operands[0]) if len(operands) == 2 else None
    path = reader.state.path_of(operands[1]) if held else None
    return None if held is None or path is None else (path, *held)
