"""Windsurf's Cascade, from its documentation: events without answers; exit status 2 stops what comes before."""

from gatilho import hosts
from gatilho.hosts.event import AFTER, BEFORE, Event, Reply, id_of, object_of, text_of

EVENTS = hosts.event_table(
    prompt="pre_user_prompt",
    before="pre_write_code pre_run_command pre_mcp_tool_use",
    after="post_read_code post_write_code post_run_command post_mcp_tool_use",
    close="post_cascade_response",
)
_MCP = "mcp__"


def read(payload: dict[str, object]) -> Event:
    """Return the event in a payload; the action is the tool, except for a tool of a server, which has its own name."""
    name = text_of(payload, "agent_action_name")
    info = object_of(payload, "tool_info")
    tool: str = name if EVENTS.get(name) in (BEFORE, AFTER) else ""
    given: object = info
    if name.endswith("_mcp_tool_use"):
        tool = f"{_MCP}{text_of(info, 'mcp_server_name')}__{text_of(info, 'mcp_tool_name')}"
        given = info.get("mcp_tool_arguments")
    return Event(
        host="windsurf",
        kind=EVENTS.get(name, ""),
        name=name,
        session=id_of(payload, "trajectory_id"),
        turn=id_of(payload, "execution_id"),
        cwd=text_of(info, "cwd"),
        tool=tool,
        input=given,
        prompt=text_of(info, "user_prompt"),
    )


def answer(event: Event, reply: Reply) -> str:
    """Return the reason for standard error, which goes with exit status 2; nothing else is listened to."""
    return reply.reason if reply.decision and event.kind == BEFORE else ""


def send(event: str, tool: str, folder: str, session: str, given: dict[str, str]) -> dict[str, object]:
    """Return what the host sends of an event."""
    return {"agent_action_name": event, "trajectory_id": session, "tool_info": {**given, "cwd": folder}}


HOST = hosts.Host(
    name="windsurf",
    title="Windsurf",
    program="windsurf",
    traces=(".windsurf/", ".windsurfrules"),
    read=read,
    send=send,
    answer=answer,
    events=EVENTS,
    asks={hosts.ANY: hosts.IMPOSSIBLE},
    tools=hosts.tool_table(
        pre_write_code=hosts.Tool(hosts.WRITES),
        post_write_code=hosts.Tool(hosts.WRITES),
        post_read_code=hosts.Tool(hosts.READS),
        pre_run_command=hosts.Tool(hosts.RUNS),
        post_run_command=hosts.Tool(hosts.RUNS),
    ),
    limits=hosts.time_limits(EVENTS),
    settings=hosts.Settings(".windsurf/hooks.json", "", ".codeium/windsurf/hooks.json", hosts.FLAT),
    step="open the workspace anew",
    tells_person=False,
    by_status=True,
)
