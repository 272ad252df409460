"""Whether a person is at the keyboard: commands that settle rows are not for an agent's shell."""

from collections.abc import Mapping

from gatilho.errors import NeedsPerson
from gatilho.hosts import Host, catalog

_SOME_AGENT = "a coding agent"
# What some hosts set beside their own variables.
_ANY_HOST = "AI_AGENT"

# Cursor sets it in the terminals that people open in it, too.
_IN_TERMINALS_OF_PEOPLE = ("CURSOR_TRACE_ID",)


def host_in(environ: Mapping[str, str]) -> tuple[str, str]:
    """The host in whose shell the process runs and the variable that tells, ("", "") where none does."""
    found, mark = _marked(environ)
    return found.title if found else _SOME_AGENT if mark else "", mark


def _marked(environ: Mapping[str, str]) -> tuple[Host | None, str]:
    """The record of the host whose mark is set, None for an unknown one, and the variable, "" where none is."""
    for host in catalog.hosts():
        for mark in host.marks:
            if environ.get(mark):
                return host, mark
    return None, _ANY_HOST if environ.get(_ANY_HOST) else ""


def agent_in(environ: Mapping[str, str], has_terminal: bool) -> str:
    """Who acts, as the ledger says it (`agent claude`), where an agent's shell runs the command; "" for a person."""
    host, mark = _marked(environ)
    if not mark or has_terminal:
        return ""
    return f"agent {host.name}" if host else "agent"


def require(command: str, environ: Mapping[str, str], has_terminal: bool) -> None:
    """Raise NeedsPerson where an agent's shell runs the command (as it is typed) and nobody sits at a terminal."""
    host, variable = host_in(environ)
    if host and not has_terminal:
        raise NeedsPerson(
            f"nothing was written: {variable} is set, so this is the shell of {host}, and no terminal is there. "
            "An agent pays a debt by the edit that makes its condition hold, or tells the owner. "
            f"Its owner types `{command}` in a terminal of their own, or edits the table."
        )


def require_own_terminal(command: str, environ: Mapping[str, str]) -> None:
    """Raise NeedsPerson in an agent's shell, whether it has a terminal or not: `script` makes one for anybody."""
    host, variable = host_in({name: value for name, value in environ.items() if name not in _IN_TERMINALS_OF_PEOPLE})
    if host:
        raise NeedsPerson(
            f"nothing was changed: {variable} is set, so this is the shell of {host}, and what may be run on this "
            f"machine is not decided there. The owner types `{command}` in a terminal of their own."
        )
