"""The command line: each command is a module of its own, imported when its name is called."""

import errno
import os
import sys

from gatilho import __version__
from gatilho.command_list import help_text, list_commands
from gatilho.errors import ExitStatus, GatilhoError, UsageError

_OPTIONS = ("--help", "-h", "--version", "-V")
_INTERRUPTED = 130
# Writing to a full disk, a device that fails, a file that is too large, or beyond a quota.
_OUTPUT_FAULTS = tuple(getattr(errno, name) for name in ("ENOSPC", "EIO", "EFBIG", "EDQUOT") if hasattr(errno, name))
# What a shell reports of a program that wrote into a pipe which no one reads any more.
_BROKEN_PIPE = 141


def main(argv: list[str] | None = None) -> int:
    """Run the command that the first word names; the exit status."""
    words = sys.argv[1:] if argv is None else list(argv)
    _open_what_is_closed()
    _never_fail_to_encode()
    _obey_no_row()
    try:
        status = _run(words)
        if not sys.stdout.closed:  # a server closes it with the connection
            sys.stdout.flush()
        return status
    except BrokenPipeError:
        _close_output()
        return _BROKEN_PIPE
    except KeyboardInterrupt:
        return _INTERRUPTED
    except GatilhoError as fault:
        _say(str(fault))
        return fault.status
    except OSError as fault:
        said = _of_the_machine(fault)
        if not said:
            said = _surprise(fault, words)
        elif fault.filename is None:
            _close_output()
        _say(said)
        return ExitStatus.PROBLEMS
    except Exception as fault:
        _say(_surprise(fault, words))
        return ExitStatus.PROBLEMS


def _run(words: list[str]) -> int:
    first = words[0] if words else "--root=."
    if first.partition("=")[0] == "--root":
        from gatilho.commands.home import main as home

        return home(words)
    if first.startswith("-") and first not in _OPTIONS:
        from gatilho.nearest import suggestion

        meant = suggestion(first, _OPTIONS, "`gatilho --help` lists the commands.", "`gatilho {}`")
        raise UsageError(f"unknown option `{first}`. {meant}")
    if first in ("--version", "-V"):
        print(f"gatilho {__version__}")
        return ExitStatus.FINE
    if first in ("--help", "-h", "help"):
        named = next((word for word in words[1:] if not word.startswith("-")), "")
        if not named:
            print(help_text(), end="")
            return ExitStatus.FINE
        first, words = named, [named, "--help"]
    return _run_command(first, words[1:])


def _run_command(name: str, argv: list[str]) -> int:
    """Run the command of that name; raises UsageError for an unknown name."""
    known = [command for _, command, _ in list_commands()]
    if name not in known:
        from gatilho.nearest import suggestion

        meant = suggestion(name, known, "`gatilho --help` lists them all.", "`gatilho {}`")
        raise UsageError(f"there is no command `{name}`. {meant}")
    from importlib import import_module

    try:
        return int(import_module(f"gatilho.commands.{name.replace('-', '_')}").main(argv))
    except SystemExit as leaving:  # argparse leaves this way, after help and after a usage error
        return leaving.code if isinstance(leaving.code, int) else ExitStatus.FINE


def _open_what_is_closed() -> None:
    """Send what is written to a closed standard stream to nowhere, and read nothing from one."""
    # In the order of their numbers: the system gives the lowest that is free, and children take over these three.
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w", encoding="utf-8"))


def _never_fail_to_encode() -> None:
    """Show what the terminal's encoding lacks as an escape."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _obey_no_row() -> None:
    """Keep what rows say from being taken for commands by the runner whose log this goes to."""
    from gatilho.console.runner import defuse_output

    defuse_output(os.environ)


def _say(text: str) -> None:
    from gatilho.plain import clean

    try:
        print(f"gatilho: {clean(text)}", file=sys.stderr)
    except OSError:
        pass  # no one reads standard error either


def _of_the_machine(fault: OSError) -> str:
    """Return what is said where a file or a program is missing or out of reach, "" for any other fault."""
    if fault.filename is None and fault.errno in _OUTPUT_FAULTS:
        return f"the output cannot be written: {fault.strerror}."
    if not isinstance(fault.filename, (str, bytes)) or not fault.strerror:
        return ""
    name = os.fsdecode(fault.filename)
    if name == "git" and isinstance(fault, FileNotFoundError):
        return "git was not found on the PATH. Install it, or add its folder to the PATH."
    return f"{name}: {fault.strerror}."


def _surprise(fault: Exception, words: list[str]) -> str:
    """Return what is said of a fault that no one expected; its traceback goes to a file, else to standard error."""
    from traceback import format_exc

    version = ".".join(map(str, sys.version_info[:3]))
    report = f"gatilho {__version__}, Python {version}, {sys.platform}: {' '.join(words[:1])}\n{format_exc()}"
    kind = f"{type(fault).__name__}: {fault}" if str(fault) else type(fault).__name__
    where = _log(report)
    said = f"this is a bug in gatilho ({kind}), please report it. "
    return f"{said}The traceback is in {where}" if where else f"{said}\n{report}"


def _log(report: str) -> str:
    """Write the report into the git directory's `gatilho` folder; the path, "" where there is none to write to."""
    from gatilho.git.root import find_repository

    found = find_repository(os.getcwd().replace("\\", "/"))
    if found is None:
        return ""
    path = f"{found.shared_state}/command-fault.log"
    try:
        os.makedirs(found.shared_state, exist_ok=True)
        with open(path, "w", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(report)
    except OSError:
        return ""
    return path


def _close_output() -> None:
    """Point standard output at nothing, so that its last flush at exit does not fail once more."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        pass
