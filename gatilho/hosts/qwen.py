"""Qwen Code: Claude-shaped, with Gemini's tools and a prompt event before every request to the model."""

from gatilho import hosts
from gatilho.hosts import claude
from gatilho.hosts.event import PROMPT, Event, text_of


def read(payload: dict[str, object]) -> Event:
    """Return the event in a payload; only a prompt that was submitted is one, the others carry tool results."""
    event = claude.read(payload, "qwen")
    if event.kind != PROMPT:
        return event
    prompt = text_of(payload, "submitted_prompt")
    return event.replace(prompt=prompt, kind=PROMPT if prompt else "")


HOST = hosts.Host(
    name="qwen",
    title="Qwen Code",
    program="qwen",
    traces=(".qwen/", "QWEN.md"),
    version="0.24.4",
    read=read,
    answer=hosts.nested_answer,
    events=hosts.SHARED_EVENTS,
    # Before a tool it is documented, and was not delivered.
    context=("SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure"),
    failed_context=True,
    restarts=True,
    asks={
        "": hosts.A_PERSON_DECIDES,
        "default": hosts.A_PERSON_DECIDES,
        "plan": hosts.A_PERSON_DECIDES,
        "auto_edit": hosts.A_PERSON_DECIDES,
        "auto": hosts.UNSURE,
        "yolo": hosts.UNSURE,
    },
    budget=4000,
    tools=hosts.tool_table(
        reads="read_file read_many_files glob grep_search list_directory",
        writes="write_file edit notebook_edit",
        runs="run_shell_command",
        ignored="agent web_fetch web_search todo_write save_memory skill",
    ),
    limits=hosts.time_limits(hosts.SHARED_EVENTS, SessionEnd=5),
    matches=True,
    settings=hosts.Settings(
        ".qwen/settings.json",
        "",
        ".qwen/settings.json",
        hosts.GROUPS,
        folder="${QWEN_PROJECT_DIR:-.}",
        unread=(hosts.LAST_COMMA,),
    ),
    only_in_root=True,
    step="start a new session",
    marks=("QWEN_CODE", "QWEN_CODE_SESSION_ID"),
    project="CLAUDE_PROJECT_DIR",
    quiet_errors=True,
)
