"""GitHub Copilot CLI and its cloud agent: two dialects, chosen by how the registered event is spelled; flat answers."""

from gatilho import hosts
from gatilho.hosts.event import BEFORE, Event, Reply, data_in, id_of, text_of

# The camel-case dialect, whose payload names no event: the keys that identify it, the first that are all there decide.
_IDENTIFIED_BY = (
    (("hookName",), ""),  # a permission request
    (("toolName", "error"), "PostToolUseFailure"),
    (("toolName", "toolResult"), "PostToolUse"),
    (("toolName",), "PreToolUse"),
    (("agentName",), ""),  # a subagent's own start or stop, in the session of its parent
    (("stopReason",), "Stop"),
    (("prompt",), "UserPromptSubmit"),
    (("source",), "SessionStart"),
    (("reason",), "SessionEnd"),
)


def read(payload: dict[str, object]) -> Event:
    """Return the event in a payload of either dialect, under its capitalised name."""
    name = text_of(payload, "hook_event_name", "hookEventName") or _told(payload)
    agent = id_of(payload, "agentId", "agent_id")
    return Event(
        host="copilot",
        # A subagent has a stop of its own, which closes nothing.
        kind="" if agent and name == "Stop" else hosts.SHARED_EVENTS.get(name, ""),
        name=name,
        session=id_of(payload, "parentAgentId", "parent_agent_id", "sessionId", "session_id", "transcriptPath"),
        agent=agent,
        cwd=text_of(payload, "cwd"),
        mode=text_of(payload, "permission_mode"),
        tool=text_of(payload, "toolName", "tool_name"),
        input=_input_of(payload),
        failed=name == "PostToolUseFailure",
        source=text_of(payload, "source", "reason"),
        prompt=text_of(payload, "prompt"),
        person=not agent,
    )


def _told(payload: dict[str, object]) -> str:
    for keys, name in _IDENTIFIED_BY:
        if all(key in payload for key in keys):
            return name
    return ""


def _input_of(payload: dict[str, object]) -> object:
    """Return the arguments: an object, the JSON text of one (older builds), or bare text (a patch)."""
    given = payload.get("toolArgs", payload.get("tool_input"))
    return data_in(given) if isinstance(given, str) and given[:1] == "{" else given


def answer(event: Event, reply: Reply) -> dict[str, object]:
    """Return a flat object, which both dialects take; the nested form is ignored on most events."""
    out: dict[str, object] = {}
    if reply.context and HOST.carries_context(event):
        out["additionalContext"] = reply.context
    if reply.decision and event.kind == BEFORE:
        out["permissionDecision"] = reply.decision
        out["permissionDecisionReason"] = reply.reason
    return out


HOST = hosts.Host(
    name="copilot",
    title="Copilot CLI",
    program="copilot",
    traces=(".github/copilot-instructions.md",),
    version="1.0.102",
    read=read,
    answer=answer,
    events=hosts.SHARED_EVENTS,
    context=("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"),
    failed_context=True,
    asks={hosts.ANY: hosts.A_PERSON_DECIDES},  # with `-p`, and in the cloud, it refuses
    budget=4000,
    tools=hosts.tool_table(
        reads="view read_file Read Grep Glob rg grep glob",
        writes="create edit str_replace_editor Write Edit",
        runs="bash Bash",
        patches="apply_patch",
        ignored="task Agent report_intent update_todo web_fetch stop_bash read_bash write_bash list_bash",
        powershell=hosts.Tool(hosts.RUNS, shell="powershell"),
    ),
    # The tools of a server bear its name and a hyphen, without a common mark.
    others=("",),
    # Registered under capitalised names the payload says which event it is, and VS Code reads the same file.
    limits=hosts.time_limits(hosts.SHARED_EVENTS, SessionEnd=5),
    settings=hosts.Settings(
        ".github/hooks/gatilho.json", "", ".copilot/hooks/gatilho.json", hosts.FLAT_BY_SHELL,
        folder="${COPILOT_PROJECT_DIR:-.}",
        guarded=(".github/hooks/", ".github/copilot/settings.json", ".github/copilot/settings.local.json"),
        unread=(hosts.COMMENTS, hosts.LAST_COMMA, hosts.ORDER_MARK),
    ),
    step="trust the folder when it asks",
    marks=("COPILOT_CLI", "COPILOT_AGENT_SESSION_ID", "COPILOT_PROJECT_DIR"),
    project="CLAUDE_PROJECT_DIR",
    tells_person=False,
)  # fmt: skip
