"""Which host sent a payload, where the registered command does not name it."""

_CODEX_MODES = ("default", "acceptEdits", "plan", "dontAsk", "bypassPermissions")
_FACTORY_MODES = ("off", "spec", "auto-low", "auto-medium", "auto-high")
_GEMINI_EVENTS = ("BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "BeforeModel", "AfterModel")
# All that Kiro sends, and none of it is its own.
_KIRO_KEYS = frozenset(
    ("hook_event_name", "session_id", "cwd", "tool_name", "tool_input", "tool_response", "prompt", "assistant_response")
)


def host_of(payload: dict[str, object]) -> str:
    """Return the host's name, by the keys that only its events have; "claude" where nothing else fits.

    The order matters: several clients read Claude Code's settings and send their own dialect to the command in them.
    Records are asked last, so that no tool call of a host that is known here imports them all.
    """
    if "cursor_version" in payload or ("conversation_id" in payload and "generation_id" in payload):
        return "cursor"
    if "hook_event_name" not in payload:
        return _by_envelope(payload)
    if payload["hook_event_name"] in _GEMINI_EVENTS:
        return "gemini"
    if "timestamp" in payload:
        return _with_time(payload)
    mode, transcript = payload.get("permission_mode"), payload.get("transcript_path")
    if mode in _FACTORY_MODES:
        return "factory"
    if "turn_id" in payload or ("model" in payload and mode in _CODEX_MODES):
        return "codex"
    if isinstance(transcript, str) and "/.codex/" in transcript.replace("\\", "/"):
        return "codex"
    if "transcript_path" in payload:
        return "claude"
    # Kiro's tools have small letters: an event that was written by hand has the names of Claude Code's.
    of_claude = str(payload.get("tool_name", ""))[:1].isupper()
    return "kiro" if not of_claude and _KIRO_KEYS.issuperset(payload) else _by_record(payload)


def _with_time(payload: dict[str, object]) -> str:
    if "permission_mode" in payload:
        return "qwen"
    return "gemini" if "transcript_path" in payload and "stop_reason" not in payload else "copilot"


def _by_envelope(payload: dict[str, object]) -> str:
    """Return the host of a payload that does not call its event as Claude Code's do."""
    if "agent_action_name" in payload:
        return "windsurf"
    if "clineVersion" in payload:
        return "cline"
    if "hookEventName" in payload:
        return "vscode"
    if "sessionId" in payload:
        return "copilot"
    if "hook" in payload and "directory" in payload:
        return "opencode"
    if "hook" in payload and "workspace" in payload:
        return "amp"
    return _by_record(payload)


def _by_record(payload: dict[str, object]) -> str:
    from gatilho.hosts import catalog

    return catalog.recognised(payload) or "claude"
