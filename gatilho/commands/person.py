"""Whether a person is at the keyboard: commands that settle rows are not for an agent's shell."""

from collections.abc import Mapping

from gatilho.errors import NeedsPerson

_SOME_AGENT = "a coding agent"
# What hosts set in the shells of their agents. CLAUDECODE and the like are documented; the ids of sessions are
# inherited by every process below.
_HOSTS = {
    "CLAUDECODE": "Claude Code",
    "CLAUDE_CODE_SESSION_ID": "Claude Code",
    "CLAUDE_CODE_ENTRYPOINT": "Claude Code",
    "CODEX_SANDBOX": "Codex",
    "CODEX_SANDBOX_NETWORK_DISABLED": "Codex",
    "CODEX_THREAD_ID": "Codex",
    "CODEX_SESSION_ID": "Codex",
    "CODEX_CI": "Codex",
    "GEMINI_CLI": "Gemini CLI",
    "GEMINI_SESSION_ID": "Gemini CLI",
    "CURSOR_TRACE_ID": "Cursor",
    "CURSOR_AGENT": "Cursor",
    "CURSOR_VERSION": "Cursor",
    "COPILOT_CLI": "Copilot",
    "COPILOT_AGENT_SESSION_ID": "Copilot",
    "COPILOT_PROJECT_DIR": "Copilot",
    "QWEN_CODE": "Qwen Code",
    "QWEN_CODE_SESSION_ID": "Qwen Code",
    "OPENCODE": "OpenCode",
    "AI_AGENT": _SOME_AGENT,
}

# Cursor sets it in the terminals that people open in it, too.
_IN_TERMINALS_OF_PEOPLE = ("CURSOR_TRACE_ID",)


def host_in(environ: Mapping[str, str]) -> tuple[str, str]:
    """Return the host in whose shell the process runs and the variable that shows it, ("", "") where none does."""
    for name, host in _HOSTS.items():
        if environ.get(name):
            return host, name
    return "", ""


def agent_in(environ: Mapping[str, str], has_terminal: bool) -> str:
    """Return who acts, in the ledger's form (`agent claude`), where an agent's shell runs the command.

    "" for a person.
    """
    host, _ = host_in(environ)
    if not host or has_terminal:
        return ""
    return "agent" if host == _SOME_AGENT else f"agent {host.split()[0].lower()}"


def require(command: str, environ: Mapping[str, str], has_terminal: bool) -> None:
    """Raise NeedsPerson where an agent's shell runs the command (as it is typed) and no one sits at a terminal."""
    host, variable = host_in(environ)
    if host and not has_terminal:
        raise NeedsPerson(
            f"Refused: this is {host}'s shell. Run `{command}` in your own terminal, or edit the table. "
            f"An agent pays a debt by making its condition true, or asks the owner. ({variable} is set.)"
        )


def require_own_terminal(command: str, environ: Mapping[str, str]) -> None:
    """Raise NeedsPerson in an agent's shell, whether it has a terminal or not: `script` makes one for any process."""
    host, variable = host_in({name: value for name, value in environ.items() if name not in _IN_TERMINALS_OF_PEOPLE})
    if host:
        raise NeedsPerson(
            f"Refused: this is {host}'s shell. Run `{command}` in your own terminal. ({variable} is set.)"
        )
