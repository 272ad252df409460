"""Kiro's CLI and IDE, from its documentation: plain text as context at two events, exit status 2 before a tool."""

from gatilho import hosts
from gatilho.hosts import claude
from gatilho.hosts.event import BEFORE, Event, Reply

EVENTS = hosts.without(hosts.SHARED_EVENTS, "PostToolUseFailure", "SessionEnd")
# As CLI 2 spells them.
_OLDER = {"agentSpawn": "SessionStart"}


def read(payload: dict[str, object]) -> Event:
    """Return the event in a payload; versions spell the events' names differently."""
    event = claude.read(payload, "kiro")
    name = _OLDER.get(event.name, event.name[:1].upper() + event.name[1:])
    return event.replace(name=name, kind=EVENTS.get(name, ""))


def answer(event: Event, reply: Reply) -> str:
    """Return plain text: the reason of a refusal, which goes with exit status 2, or what the agent should read."""
    if reply.decision and event.kind == BEFORE:
        return reply.reason
    return reply.context if HOST.carries_context(event) else ""


HOST = hosts.Host(
    name="kiro",
    title="Kiro",
    program="kiro-cli",
    traces=(".kiro/",),
    read=read,
    answer=answer,
    events=EVENTS,
    context=("SessionStart", "UserPromptSubmit"),
    asks={hosts.ANY: hosts.IMPOSSIBLE},
    tools=hosts.tool_table(
        reads="fs_read read grep glob",
        writes="fs_write write",
        runs="execute_bash shell",
        ignored="use_aws thinking todo",
    ),
    others=("@", "mcp_"),
    limits=hosts.time_limits(EVENTS),
    settings=hosts.Settings(
        ".kiro/hooks/gatilho.json", "", ".kiro/hooks/gatilho.json", hosts.LISTED, guarded=(".kiro/hooks/",)
    ),
    step="start a new session",
    tells_person=False,
    by_status=True,
)
