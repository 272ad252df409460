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
    """The host in whose shell the process runs and the variable that tells, ("", "") where none does."""
    for name, host in _HOSTS.items():
        if environ.get(name):
            return host, name
    return "", ""


def agent_in(environ: Mapping[str, str], has_terminal: bool) -> str:
    """Who acts, as the ledger says it (`agent claude`), where an agent's shell runs the command; "" for a person."""
    host, _ = host_in(environ)
    if not host or has_terminal:
        return ""
    return "agent" if host == _SOME_AGENT else f"agent {host.split()[0].lower()}"


def require(command: str, environ: Mapping[str, str], has_terminal: bool) -> None:
    """Raise NeedsPerson where an agent's shell runs the command (as it is typed) and nobody sits at a terminal."""
    host, variable = host_in(environ)
    if host and not has_terminal:
        raise NeedsPerson(
            f"nothing was written: {variable} is set, so this is the shell of {host}, and no terminal is there. "
            "An agent pays a debt by the edit that makes its condition hold, or tells the owner. "
            f"Its owner types `{command}` in a terminal of their own, or edits the table."
        )


def agents_shell(environ: Mapping[str, str]) -> str:
    """The host in whose shell the process runs, "" for none; a terminal proves nothing, as `script` makes one."""
    return host_in({name: value for name, value in environ.items() if name not in _IN_TERMINALS_OF_PEOPLE})[0]


def require_own_terminal(command: str, environ: Mapping[str, str]) -> None:
    """Raise NeedsPerson in an agent's shell, whether it has a terminal or not: `script` makes one for anybody."""
    host, variable = host_in({name: value for name, value in environ.items() if name not in _IN_TERMINALS_OF_PEOPLE})
    if host:
        raise NeedsPerson(
            f"nothing was changed: {variable} is set, so this is the shell of {host}, and what may be run on this "
            f"machine is not decided there. The owner types `{command}` in a terminal of their own."
        )
