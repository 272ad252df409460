"""Cursor's own hooks, from its documentation: camel-case events, flat answers, workspace roots."""

from gatilho import hosts
from gatilho.hosts.event import BEFORE, Event, Reply, data_in, id_of, text_of, texts_of

EVENTS = hosts.event_table(
    start="sessionStart",
    prompt="beforeSubmitPrompt",
    before="preToolUse beforeShellExecution beforeMCPExecution",
    after="postToolUse postToolUseFailure afterShellExecution afterFileEdit beforeReadFile",
    close="stop",
    end="sessionEnd",
)
# Events that name no tool, and the tool that each of them is about.
TOOLS = {
    "beforeShellExecution": "Shell",
    "afterShellExecution": "Shell",
    "afterFileEdit": "Write",
    "beforeReadFile": "Read",
}
_MCP = "MCP:"
# These have no field for context; it is sent all the same, for a build that honours it, and never counted as delivered.
HOPEFUL_EVENTS = ("afterFileEdit",)


def read(payload: dict[str, object]) -> Event:
    """Return the event in a payload. A stop that was aborted or failed is still the end of its turn."""
    name = text_of(payload, "hook_event_name")
    tool = text_of(payload, "tool_name") or TOOLS.get(name, "")
    if name == "beforeMCPExecution" and not tool.startswith(_MCP):
        tool = _MCP + tool
    return Event(
        host="cursor",
        kind=EVENTS.get(name, ""),
        name=name,
        session=id_of(payload, "conversation_id", "session_id", "transcript_path"),
        turn=id_of(payload, "generation_id"),
        call=id_of(payload, "tool_use_id"),
        cwd=text_of(payload, "cwd"),
        tool=tool,
        input=_input_of(payload),
        failed=name == "postToolUseFailure",
        prompt=text_of(payload, "prompt"),
        roots=texts_of(payload, "workspace_roots"),
        # Of one call, preToolUse comes first and its "ask" is not enforced; the event that can ask follows it.
        decides=not (name == "preToolUse" and (tool == "Shell" or tool.startswith(_MCP))),
    )


def _input_of(payload: dict[str, object]) -> object:
    given = payload.get("tool_input")
    if isinstance(given, str):
        given = data_in(given)
    return given if isinstance(given, dict) else payload


def answer(event: Event, reply: Reply) -> dict[str, object]:
    """Return the object to print."""
    out: dict[str, object] = {}
    if reply.context and (HOST.carries_context(event) or event.name in HOPEFUL_EVENTS):
        out["additional_context"] = reply.context
    if reply.decision and event.kind == BEFORE:
        out["permission"] = reply.decision
        out["user_message"] = out["agent_message"] = reply.reason
    return out


HOST = hosts.Host(
    name="cursor",
    title="Cursor",
    program="cursor",
    traces=(".cursor/", ".cursorrules"),
    read=read,
    answer=answer,
    events=EVENTS,
    context=("sessionStart", "postToolUse"),
    # Cursor sends no mode; what decides is the event.
    asks={
        "beforeShellExecution": hosts.A_PERSON_DECIDES,
        "beforeMCPExecution": hosts.A_PERSON_DECIDES,
        hosts.ANY: hosts.IGNORES_ASK,
    },
    tools=hosts.tool_table(reads="Read Grep", writes="Write Delete", runs="Shell", ignored="Task"),
    others=(_MCP,),
    limits=hosts.time_limits(
        hosts.without(EVENTS, "afterShellExecution", "afterFileEdit", "beforeReadFile"), sessionEnd=5
    ),
    settings=hosts.Settings(".cursor/hooks.json", "", ".cursor/hooks.json", hosts.FLAT),
    step="trust the workspace and open it anew",
    marks=("CURSOR_TRACE_ID", "CURSOR_AGENT", "CURSOR_VERSION"),
    project="CLAUDE_PROJECT_DIR",
    tells_person=False,
)  # fmt: skip
