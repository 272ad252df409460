"""Cline, from its source: one envelope for all hooks, answers that cancel, hand a call to a person, or add context."""

from gatilho.hosts import A_PERSON_DECIDES, ANY, READS, Host, Settings, Tool, tool_table
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
    object_of,
    text_of,
    texts_of,
)

EVENTS = {
    "agent_start": SESSION_START,
    "agent_resume": SESSION_START,
    "prompt_submit": PROMPT,
    "tool_call": BEFORE,
    "tool_result": AFTER,
    "agent_end": TURN_CLOSE,
    "agent_abort": SESSION_END,
    "agent_error": SESSION_END,
    "session_shutdown": SESSION_END,
}
# Older builds name the hook by its file.
_FILES = {
    "TaskStart": "agent_start",
    "TaskResume": "agent_resume",
    "UserPromptSubmit": "prompt_submit",
    "PreToolUse": "tool_call",
    "PostToolUse": "tool_result",
    "TaskComplete": "agent_end",
    "TaskCancel": "agent_abort",
    "TaskError": "agent_error",
    "SessionShutdown": "session_shutdown",
}


def read(payload: dict[str, object]) -> Event:
    """Return the event in a payload of the present builds, or of the older ones, whose arguments are all text."""
    name = text_of(payload, "hookName")
    name = _FILES.get(name, name)
    call = object_of(payload, name) if name in ("tool_call", "tool_result") else {}
    older = object_of(payload, "preToolUse" if name == "tool_call" else "postToolUse")
    agent = id_of(payload, "agent_id") if id_of(payload, "parent_agent_id") else ""
    return Event(
        host="cline",
        kind="" if agent and EVENTS.get(name) in (TURN_CLOSE, SESSION_START, SESSION_END) else EVENTS.get(name, ""),
        name=name,
        session=id_of(payload, "taskId"),
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
    if reply.decision == "ask" and event.kind == BEFORE:
        out.update(review=True, context=reply.reason)
    elif reply.decision and event.kind == BEFORE:
        out.update(cancel=True, errorMessage=reply.reason)
    return out


HOST = Host(
    name="cline",
    title="Cline",
    program="cline",
    traces=(".cline/", ".clinerules"),
    read=read,
    answer=answer,
    events=EVENTS,
    context=("tool_call", "tool_result"),
    failed_context=True,
    asks={ANY: A_PERSON_DECIDES},
    tools=tool_table(
        reads="read_file list_files search_files list_code_definition_names",
        writes="write_to_file replace_in_file editor new_rule",
        runs="execute_command run_commands bash shell",
        patches="apply_patch",
        ignored="browser_action ask_followup_question attempt_completion plan_mode_respond new_task web_fetch",
        read_files=Tool(READS, ("path", "paths", "files")),
    ),
    others=("",),
    # A hook is an executable file that bears the event's name.
    settings=Settings(guarded=(".cline/hooks/", ".clinerules/hooks/")),
    tells_person=False,
)
