"""Whether a person is at the keyboard: commands that settle rows are not for an agent's shell."""

import os
import sys
from collections.abc import Mapping

from gatilho.errors import NeedsPerson
from gatilho.hosts import Host, catalog

_SOME_AGENT = "a coding agent"
# What some hosts set beside their own variables.
_ANY_HOST = "AI_AGENT"

# Cursor sets it in the terminals that people open in it, too.
_IN_TERMINALS_OF_PEOPLE = ("CURSOR_TRACE_ID",)


def host_in(environ: Mapping[str, str]) -> tuple[str, str]:
    """Return the host in whose shell the process runs and the variable that shows it, ("", "") where none does."""
    found, mark = _marked(environ)
    return found.title if found else _SOME_AGENT if mark else "", mark


def _marked(environ: Mapping[str, str]) -> tuple[Host | None, str]:
    """Return the record of the host whose mark is set, None for an unknown one, and the variable, "" where none is."""
    for host in catalog.hosts():
        for mark in host.marks:
            if environ.get(mark):
                return host, mark
    return None, _ANY_HOST if environ.get(_ANY_HOST) else ""


def acting_agent() -> str:
    """Return who acts, in the ledger's form (`agent claude`), where an agent's shell runs the command; "" for a person.

    Whoever sits at a terminal is a person.
    """
    return "" if sys.stdin.isatty() else _agent_in(os.environ)


def shell_of_agent() -> str:
    """Return the agent in whose shell the process runs, as `acting_agent` does, whether it has a terminal or not."""
    return _agent_in(_of_agents_alone())


def _agent_in(environ: Mapping[str, str]) -> str:
    host, mark = _marked(environ)
    return f"agent {host.name}" if host else "agent" if mark else ""


def require(command: str, of_row: bool = True) -> None:
    """Raise NeedsPerson where an agent's shell runs the command (as it is typed) and no one sits at a terminal.

    of_row: it changes a row, which has other ways; else it changes what is set up or counted.
    """
    host, variable = host_in(os.environ)
    if host and not sys.stdin.isatty():
        other = (
            ", or edit the table. An agent pays a debt by making its condition true, or asks the owner."
            if of_row
            else ". An agent asks the owner."
        )
        raise NeedsPerson(
            f"Refused: this is {host}'s shell. Run `{command}` in your own terminal{other} ({variable} is set.)"
        )


def host_of_shell() -> tuple[str, str]:
    """Return the same as `host_in`; a variable that terminals of people have, too, proves nothing."""
    return host_in(_of_agents_alone())


def _of_agents_alone() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in _IN_TERMINALS_OF_PEOPLE}


def require_own_terminal(command: str) -> None:
    """Raise NeedsPerson in an agent's shell, whether it has a terminal or not: `script` makes one for any process."""
    host, variable = host_of_shell()
    if host:
        raise NeedsPerson(
            f"Refused: this is {host}'s shell. Run `{command}` in your own terminal. ({variable} is set.)"
        )
