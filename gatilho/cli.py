"""The command line: one table of commands, each in a module of its own that is imported when its name is called."""

import os
import sys

from gatilho import __version__
from gatilho.errors import ExitStatus, GatilhoError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Group, name, what it does; the module is `gatilho.commands.<name>`, its `main(argv)` returns the exit status.
COMMANDS = (
    ("Setting up", "init", "create the tables and the dispatcher, register the hooks"),
    ("Setting up", "doctor", "check what is set up on this machine, and mend what can be mended"),
    ("Setting up", "uninstall", "take out what init put in; the tables stay"),
    ("Reading", "list", "list the rows in force, or those that are due, paid, of a kind"),
    ("Reading", "show", "show everything about one row"),
    ("Reading", "why", "show which rows would speak about a path, a command, a prompt"),
    ("Reading", "check", "say what is wrong in the tables, the ledger, the configuration"),
    ("Settling", "allow", "let the command of a row be run on this machine"),
    ("Settling", "settle", "look at all conditions now, run what was allowed, pay and take back"),
    ("Settling", "pay", "say that a debt is paid"),
    ("Settling", "reinstate", "bring a row back that was paid or ended otherwise"),
    ("Settling", "waive", "stop asking about a debt until a date"),
    ("Settling", "supersede", "say that another row took a row's place"),
    ("Settling", "revoke", "take a row out of force that was wrong"),
    ("Settling", "expire", "end rows that are older than their kind lives"),
    ("Settling", "set", "correct the rides of a row"),
    ("Settling", "rename", "give a row another id, its ledger goes along"),
    ("Reviewing", "diff", "show what changed in rows between revisions, the index, the working tree"),
    ("Reviewing", "log", "show the life of a row, or what happened since a day"),
    ("Reviewing", "resolve", "merge what conflict markers hold apart, by rows and cells"),
    ("Reviewing", "fold", "bring the counts in force into the tables"),
    ("Reviewing", "merge-driver", "merge one file of tables, as git calls it"),
    ("Reviewing", "ledger", "pack finished months of the ledger"),
    ("For hosts", "hook", "answer one hook event on standard input"),
)
_INTERRUPTED = 130
# What a shell reports of a program that wrote into a pipe which nobody reads any more.
_BROKEN_PIPE = 141


def main(argv: list[str] | None = None) -> int:
    """Run the command that the first word names; the exit status."""
    words = sys.argv[1:] if argv is None else list(argv)
    _never_fail_to_encode()
    try:
        status = _run(words)
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
        _say(_of_the_machine(fault) or _surprise(fault, words))
        return ExitStatus.PROBLEMS
    except Exception as fault:
        _say(_surprise(fault, words))
        return ExitStatus.PROBLEMS


def help_text() -> str:
    """What `gatilho --help` prints."""
    width = max(len(name) for _, name, _ in COMMANDS)
    lines = [
        "usage: gatilho COMMAND [OPTION]...",
        "",
        "Rules and debts for coding agents, kept in Markdown tables in git.",
    ]
    group = ""
    for named, name, summary in COMMANDS:
        if named != group:
            lines += ["", f"{named}:"]
            group = named
        lines.append(f"  {name:<{width}}  {summary}")
    return "\n".join([*lines, "", "`gatilho help COMMAND` says more; `gatilho --version` says which this is.", ""])


def _run(words: list[str]) -> int:
    if not words:
        from gatilho.commands.home import main as home

        return home([])
    first = words[0]
    if first in ("--version", "-V"):
        print(f"gatilho {__version__}")
        return ExitStatus.FINE
    if first in ("--help", "-h", "help"):
        named = next((word for word in words[1:] if not word.startswith("-")), "")
        if not named:
            print(help_text(), end="")
            return ExitStatus.FINE
        first, words = named, [named, "--help"]
    return _command(first)(words[1:])


def _command(name: str) -> "Callable[[list[str]], int]":
    """What runs the command of that name and returns its exit status; raises UsageError for an unknown name."""
    known = [command for _, command, _ in COMMANDS]
    if name not in known:
        from gatilho.nearest import nearest

        close = nearest(name, known)
        meant = f"Did you mean `gatilho {close}`?" if close else "`gatilho --help` lists them all."
        raise UsageError(f"there is no command `{name}`. {meant}")
    from importlib import import_module

    main = import_module(f"gatilho.commands.{name.replace('-', '_')}").main

    def run(argv: list[str]) -> int:
        try:
            return int(main(argv))
        except SystemExit as leaving:  # argparse leaves this way, after help and after a usage error
            return leaving.code if isinstance(leaving.code, int) else ExitStatus.FINE

    return run


def _never_fail_to_encode() -> None:
    """Show what the terminal's encoding lacks as an escape."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _say(text: str) -> None:
    from gatilho.plain import clean

    try:
        print(f"gatilho: {clean(text)}", file=sys.stderr)
    except OSError:
        pass  # nobody reads standard error either


def _of_the_machine(fault: OSError) -> str:
    """What is said where a file or a program is missing or out of reach, which is nobody's bug; "" for any other."""
    if not isinstance(fault.filename, (str, bytes)) or not fault.strerror:
        return ""
    name = os.fsdecode(fault.filename)
    if name == "git" and isinstance(fault, FileNotFoundError):
        return "git cannot be started: there is none on the PATH. Install it, or put its folder there."
    return f"{name}: {fault.strerror}."


def _surprise(fault: Exception, words: list[str]) -> str:
    """What is said of a fault that nobody expected; its traceback goes to a file, else to standard error."""
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
