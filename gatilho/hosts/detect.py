"""Which host sent a payload, where the registered command does not name it."""

_CODEX_MODES = ("default", "acceptEdits", "plan", "dontAsk", "bypassPermissions")


def host_of(payload: dict[str, object]) -> str:
    """Return the host's name, by the keys that only its events have; "claude" when none has one.

    The order matters: several clients read Claude Code's settings and send their own dialect to the command in them.
    """
    if "cursor_version" in payload or ("conversation_id" in payload and "generation_id" in payload):
        return "cursor"
    if "timestamp" in payload and "permission_mode" not in payload:
        return "gemini"
    if "turn_id" in payload or ("model" in payload and payload.get("permission_mode") in _CODEX_MODES):
        return "codex"
    transcript = payload.get("transcript_path")
    if isinstance(transcript, str) and "/.codex/" in transcript.replace("\\", "/"):
        return "codex"
    return "claude"
