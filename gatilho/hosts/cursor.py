"""Cursor's own hooks, from its documentation: camel-case events, flat answers, workspace roots."""

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
    "sessionStart": SESSION_START,
    "beforeSubmitPrompt": PROMPT,
    "preToolUse": BEFORE,
    "beforeShellExecution": BEFORE,
    "postToolUse": AFTER,
    "postToolUseFailure": AFTER,
    "afterShellExecution": AFTER,
    "afterFileEdit": AFTER,
    "beforeReadFile": AFTER,
    "stop": TURN_CLOSE,
    "sessionEnd": SESSION_END,
}
# Events that name no tool, and the tool that each of them is about.
TOOLS = {
    "beforeShellExecution": "Shell",
    "afterShellExecution": "Shell",
    "afterFileEdit": "Write",
    "beforeReadFile": "Read",
}
CONTEXT_EVENTS = ("sessionStart", "postToolUse")
# These have no field for context; it is sent all the same, for a build that honours it, and never counted as delivered.
HOPEFUL_EVENTS = ("afterFileEdit",)
BUDGET = 2500


def read(payload: dict[str, object]) -> Event:
    """Return the event in a payload. A stop that was aborted or failed is still the end of its turn."""
    name = text_of(payload, "hook_event_name")
    roots = payload.get("workspace_roots")
    tool_input = payload.get("tool_input")
    return Event(
        host="cursor",
        kind=EVENTS.get(name, ""),
        name=name,
        session=id_of(payload, "conversation_id", "session_id", "transcript_path"),
        turn=id_of(payload, "generation_id"),
        call=id_of(payload, "tool_use_id"),
        cwd=text_of(payload, "cwd"),
        tool=text_of(payload, "tool_name") or TOOLS.get(name, ""),
        input=tool_input if isinstance(tool_input, dict) else payload,
        failed=name == "postToolUseFailure",
        prompt=text_of(payload, "prompt"),
        roots=tuple(root for root in roots if isinstance(root, str)) if isinstance(roots, list) else (),
    )


def carries_context(event: Event) -> bool:
    """Return whether text for the agent reaches it on this event."""
    return event.name in CONTEXT_EVENTS


def can_ask(event: Event) -> bool:
    """Return True only before a shell command: "ask" on a file write passes the schema and is not enforced."""
    from gatilho.hosts.asking import person_decides

    return person_decides("cursor", event.name)


def answer(event: Event, reply: Reply) -> dict[str, object]:
    """Return the object to print."""
    out: dict[str, object] = {}
    if reply.context and (carries_context(event) or event.name in HOPEFUL_EVENTS):
        out["additional_context"] = reply.context
    if reply.decision and event.kind == BEFORE:
        out["permission"] = reply.decision
        out["user_message"] = out["agent_message"] = reply.reason
    return out
