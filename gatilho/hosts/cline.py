"""Cline, from its source: one envelope for all hooks, answers that cancel a call or add context."""

from gatilho import hosts
from gatilho.hosts.event import (
    BEFORE,
    SESSION_END,
    SESSION_START,
    TURN_CLOSE,
    Event,
    Reply,
    id_of,
    object_of,
    text_of,
    texts_of,
)

# By the files that hooks are.
EVENTS = hosts.event_table(
    start="TaskStart TaskResume", prompt="UserPromptSubmit", before="PreToolUse", after="PostToolUse",
    close="TaskComplete", end="TaskCancel TaskError SessionShutdown",
)  # fmt: skip
# What a payload of the command line names them; one of the extension has the name of the file.
_NAMED = {
    "agent_start": "TaskStart",
    "agent_resume": "TaskResume",
    "prompt_submit": "UserPromptSubmit",
    "tool_call": "PreToolUse",
    "tool_result": "PostToolUse",
    "agent_end": "TaskComplete",
    "agent_abort": "TaskCancel",
    "agent_error": "TaskError",
    "session_shutdown": "SessionShutdown",
}


def read(payload: dict[str, object]) -> Event:
    """Return the event in a payload of the command line, or of the extension, whose arguments are all text."""
    name = text_of(payload, "hookName")
    call = object_of(payload, name) if name in ("tool_call", "tool_result") else {}
    name = _NAMED.get(name, name)
    older = object_of(payload, name[:1].lower() + name[1:])
    agent = id_of(payload, "agent_id") if id_of(payload, "parent_agent_id") else ""
    return Event(
        host="cline",
        kind="" if agent and EVENTS.get(name) in (TURN_CLOSE, SESSION_START, SESSION_END) else EVENTS.get(name, ""),
        name=name,
        session=id_of(object_of(payload, "sessionContext"), "rootSessionId") or id_of(payload, "taskId"),
        agent=agent,
        call=id_of(call, "id"),
        tool=text_of(call, "name") or text_of(older, "toolName"),
        input=call.get("input", older.get("parameters")),
        failed=bool(call.get("error")) or older.get("success") is False,
        prompt=text_of(object_of(payload, "userPromptSubmit"), "prompt"),
        person=not agent,
        roots=texts_of(payload, "workspaceRoots"),
    )


def answer(event: Event, reply: Reply) -> dict[str, object]:
    """Return the object to print; only hooks of tools are waited for."""
    out: dict[str, object] = {}
    if reply.context and HOST.carries_context(event):
        out["context"] = reply.context
    if reply.decision and event.kind == BEFORE:
        out.update(cancel=True, errorMessage=reply.reason)
    return out


def send(event: str, tool: str, folder: str, session: str, given: dict[str, str]) -> dict[str, object]:
    """Return what the host sends of an event."""
    call = {"toolName": tool, "parameters": given}
    of_task = {"clineVersion": "", "taskId": session, "workspaceRoots": [folder]}
    return {**of_task, "hookName": event, "postToolUse": call}


HOST = hosts.Host(
    name="cline",
    title="Cline",
    program="cline",
    traces=(".cline/", ".clinerules"),
    read=read,
    send=send,
    answer=answer,
    events=EVENTS,
    context=("PreToolUse", "PostToolUse"),
    failed_context=True,
    asks={hosts.ANY: hosts.IGNORES_ASK},  # it reads `review` and hands it on to no one
    tools=hosts.tool_table(
        reads="read_file list_files search_files list_code_definition_names",
        writes="write_to_file replace_in_file editor new_rule",
        runs="execute_command run_commands bash shell",
        patches="apply_patch",
        ignored="browser_action ask_followup_question attempt_completion plan_mode_respond new_task web_fetch",
        read_files=hosts.Tool(hosts.READS, ("path", "paths", "files")),
    ),
    others=("",),
    # No file says how long a hook may take: the host waits for those of tools only, 120 s.
    limits=hosts.time_limits(EVENTS),
    # The extension reads this folder, the command line this one and `.cline/hooks`.
    settings=hosts.Settings(
        ".clinerules/hooks/", "", "Documents/Cline/Hooks/", hosts.SCRIPTS, folder='$(dirname "$0")/../..',
        guarded=(".cline/hooks/", ".clinerules/hooks/"),
    ),
    step="enable hooks in its settings and start a new task",
    tells_person=False,
)  # fmt: skip
