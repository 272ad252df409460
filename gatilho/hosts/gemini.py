"""Gemini CLI: its own event names, flat decisions, no ids of turns and calls (measured on 0.61.0)."""

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
    "BeforeAgent": PROMPT,
    "BeforeTool": BEFORE,
    "AfterTool": AFTER,
    "AfterAgent": TURN_CLOSE,
    "SessionEnd": SESSION_END,
}
CONTEXT_EVENTS = ("SessionStart", "BeforeAgent", "AfterTool")
BUDGET = 4000


def read(payload: dict[str, object]) -> Event:
    """Return the event in a payload. A failed file tool says so in `error`; a failed command does not."""
    name = text_of(payload, "hook_event_name")
    response = payload.get("tool_response")
    return Event(
        host="gemini",
        kind=EVENTS.get(name, ""),
        name=name,
        session=id_of(payload, "session_id", "transcript_path"),
        cwd=text_of(payload, "cwd"),
        tool=text_of(payload, "tool_name"),
        input=payload.get("tool_input"),
        failed=isinstance(response, dict) and bool(response.get("error")),
        source=text_of(payload, "source", "reason"),
        prompt=text_of(payload, "prompt"),
    )


def carries_context(event: Event) -> bool:
    """Return whether text for the agent reaches it: never before a tool, and not beside a failed one."""
    return event.name in CONTEXT_EVENTS and not event.failed


def can_ask(event: Event) -> bool:
    """Return False: without a terminal an "ask" hangs until the client is killed, and the event does not show it."""
    from gatilho.hosts.asking import person_decides

    return person_decides("gemini", event.mode)


def answer(event: Event, reply: Reply) -> dict[str, object]:
    """Return the object to print; a decision is at the top, the nested form is ignored."""
    out: dict[str, object] = {}
    if reply.decision and event.name == "BeforeTool":
        out["decision"] = "deny"
        out["reason"] = reply.reason
    if reply.context and carries_context(event):
        out["hookSpecificOutput"] = {"hookEventName": event.name, "additionalContext": reply.context}
    if reply.person:
        out["systemMessage"] = reply.person
    return out
