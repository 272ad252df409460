"""Qwen Code: Claude-shaped, with Gemini's tools and a prompt event before every request to the model."""

from gatilho.hosts import (
    A_PERSON_DECIDES,
    GROUPS,
    LAST_COMMA,
    SHARED_EVENTS,
    UNSURE,
    Host,
    Settings,
    claude,
    nested_answer,
    time_limits,
    tool_table,
)
from gatilho.hosts.event import PROMPT, Event, text_of


def read(payload: dict[str, object]) -> Event:
    """Return the event in a payload; only a prompt that was submitted is one, the others carry tool results."""
    event = claude.read(payload, "qwen")
    if event.kind != PROMPT:
        return event
    prompt = text_of(payload, "submitted_prompt")
    return event.replace(prompt=prompt, kind=PROMPT if prompt else "")


HOST = Host(
    name="qwen",
    title="Qwen Code",
    program="qwen",
    traces=(".qwen/", "QWEN.md"),
    version="0.24.4",
    read=read,
    answer=nested_answer,
    events=SHARED_EVENTS,
    # Before a tool it is documented, and was not delivered.
    context=("SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure"),
    failed_context=True,
    restarts=True,
    asks={
        "": A_PERSON_DECIDES,
        "default": A_PERSON_DECIDES,
        "plan": A_PERSON_DECIDES,
        "auto_edit": A_PERSON_DECIDES,
        "auto": UNSURE,
        "yolo": UNSURE,
    },
    budget=4000,
    tools=tool_table(
        reads="read_file read_many_files glob grep_search list_directory",
        writes="write_file edit notebook_edit",
        runs="run_shell_command",
        ignored="agent web_fetch web_search todo_write save_memory skill",
    ),
    limits=time_limits(SHARED_EVENTS, SessionEnd=5),
    matches=True,
    settings=Settings(
        ".qwen/settings.json",
        "",
        ".qwen/settings.json",
        GROUPS,
        folder="${QWEN_PROJECT_DIR:-.}",
        unread=(LAST_COMMA,),
    ),
    only_in_root=True,
    step="start a new session",
    marks=("QWEN_CODE", "QWEN_CODE_SESSION_ID"),
    project="CLAUDE_PROJECT_DIR",
    quiet_errors=True,
)
