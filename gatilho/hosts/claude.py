"""Claude Code: what its hooks send and what it makes of an answer (measured on 2.1.197).

Cursor and Copilot read Claude Code's settings too and call the command that is registered there, in its dialect.
"""

from gatilho.hosts.event import (
    AFTER,
    BEFORE,
    PROMPT,
    SESSION_END,
    SESSION_START,
    TURN_CLOSE,
    Event,
    Reply,
    id_of,
    text_of,
)

EVENTS = {
    "SessionStart": SESSION_START,
    "UserPromptSubmit": PROMPT,
    "PreToolUse": BEFORE,
    "PostToolUse": AFTER,
    "PostToolUseFailure": AFTER,
    "Stop": TURN_CLOSE,
    "SessionEnd": SESSION_END,
}
# Where additionalContext reaches the model. On Stop it would keep the agent going; the rest has no such field.
CONTEXT_EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure")
# Characters of one answer: the client takes 10,000 and cuts what is longer down to a preview.
BUDGET = 4000
# A prompt of another source was not typed by a person.
PERSON_SOURCES = ("", "user", "sdk")


def read(payload: dict[str, object], host: str = "claude") -> Event:
    """Return the event in a payload; fields of a wrong type count as absent."""
    name = text_of(payload, "hook_event_name")
    source = text_of(payload, "source", "reason")
    agent = id_of(payload, "agent_id")
    return Event(
        host=_caller(payload) if host == "claude" else host,
        # A helper's stop closes nothing: its events carry the session of the main agent.
        kind="" if agent and name == "Stop" else EVENTS.get(name, ""),
        name=name,
        session=id_of(payload, "session_id", "transcript_path"),
        agent=agent,
        turn=id_of(payload, "prompt_id", "turn_id"),
        call=id_of(payload, "tool_use_id"),
        cwd=text_of(payload, "cwd"),
        mode=text_of(payload, "permission_mode"),
        tool=text_of(payload, "tool_name"),
        input=payload.get("tool_input"),
        failed=name == "PostToolUseFailure",
        source=source,
        prompt=text_of(payload, "prompt"),
        person=not agent and source in PERSON_SOURCES,
    )


def _caller(payload: dict[str, object]) -> str:
    if "cursor_version" in payload:
        return "cursor"
    return "copilot" if "timestamp" in payload and "permission_mode" not in payload else "claude"


def carries_context(event: Event) -> bool:
    """Return whether text for the agent reaches it on this event."""
    return event.name in CONTEXT_EVENTS


def can_ask(event: Event) -> bool:
    """Return whether an answer "ask" is decided by a person in the event's permission mode."""
    from gatilho.hosts.asking import person_decides

    return person_decides(event.host, event.mode)


def answer(event: Event, reply: Reply) -> dict[str, object]:
    """Return the object to print; empty when there is nothing to say."""
    out: dict[str, object] = {}
    specific: dict[str, object] = {}
    if reply.context and carries_context(event):
        specific["additionalContext"] = reply.context
        if event.host == "copilot":  # which looks into the nested form before a tool only
            out["additionalContext"] = reply.context
    if reply.decision and event.name == "PreToolUse":
        specific["permissionDecision"] = reply.decision
        specific["permissionDecisionReason"] = reply.reason
    if specific:
        out["hookSpecificOutput"] = {"hookEventName": event.name, **specific}
    if reply.person:
        out["systemMessage"] = reply.person
    return out
