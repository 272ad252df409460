"""Gemini CLI: its own event names, flat decisions, no ids of turns and calls."""

from gatilho import hosts
from gatilho.hosts.event import AFTER, BEFORE, COMPACTION, Event, Reply, id_of, text_of

_SUBAGENTS = ("invoke_agent", "delegate_to_agent")
_SAID, _SAID_END = "<hook_context>", "</hook_context>"
# PreCompress comes before every model request, whether anything is compressed or not: it re-arms nothing.
EVENTS = hosts.event_table(
    start="SessionStart", prompt="BeforeAgent", before="BeforeTool", after="AfterTool", close="AfterAgent",
    end="SessionEnd",
)  # fmt: skip


def read(payload: dict[str, object]) -> Event:
    """Return the event in a payload. A failed file tool says so in `error`; a failed command does not."""
    name, tool = text_of(payload, "hook_event_name"), text_of(payload, "tool_name")
    kind = EVENTS.get(name, "")
    response = payload.get("tool_response")
    return Event(
        host="gemini",
        # No event distinguishes a subagent from its parent, and neither has read what the other was given before.
        kind=COMPACTION if tool in _SUBAGENTS and kind in (BEFORE, AFTER) else kind,
        name=name,
        session=id_of(payload, "session_id", "transcript_path"),
        cwd=text_of(payload, "cwd"),
        tool=tool,
        input=payload.get("tool_input"),
        failed=isinstance(response, dict) and bool(response.get("error")),
        source=text_of(payload, "source", "reason"),
        prompt=_typed(text_of(payload, "prompt")),
    )


def _typed(prompt: str) -> str:
    """Return what the person typed: before it the host puts what hooks said at the session's start, `<` escaped."""
    while prompt.startswith(_SAID) and _SAID_END in prompt:
        prompt = prompt.partition(_SAID_END)[2].lstrip()
    return prompt


def answer(event: Event, reply: Reply) -> dict[str, object]:
    """Return the object to print; a decision is at the top, the nested form is ignored."""
    out: dict[str, object] = {}
    if reply.decision and event.kind == BEFORE:
        out["decision"] = "deny"
        out["reason"] = reply.reason
    if reply.context and HOST.carries_context(event):
        out["hookSpecificOutput"] = {"hookEventName": event.name, "additionalContext": reply.context}
    if reply.person:
        out["systemMessage"] = reply.person
    return out


HOST = hosts.Host(
    name="gemini",
    title="Gemini CLI",
    program="gemini",
    traces=(".gemini/", "GEMINI.md"),
    version="0.61.0",
    read=read,
    answer=answer,
    events=EVENTS,
    context=("SessionStart", "BeforeAgent", "AfterTool"),
    asks={hosts.ANY: hosts.HANGS},
    budget=4000,
    tools=hosts.tool_table(
        reads="read_file read_many_files glob grep_search list_directory search_file_content",
        writes="write_file replace",
        runs="run_shell_command",
        ignored="google_web_search web_fetch save_memory write_todos",
    ),
    others=("mcp_",),
    limits=hosts.time_limits(EVENTS, SessionEnd=5),
    matches=True,
    settings=hosts.Settings(
        ".gemini/settings.json",
        "",
        ".gemini/settings.json",
        hosts.GROUPS,
        unit=0.001,
        folder="${GEMINI_PROJECT_DIR:-.}",
        unread=(hosts.LAST_COMMA, hosts.ORDER_MARK),
    ),
    only_in_root=True,
    step="trust the folder when it asks; `--skip-trust` runs no hooks of a project",
    marks=("GEMINI_CLI", "GEMINI_SESSION_ID"),
    project="CLAUDE_PROJECT_DIR",
    quiet_errors=True,
)
