"""Claude Code: what its hooks send and what it makes of an answer.

Cursor and Copilot read Claude Code's settings too and call the command that is registered there, in its dialect.
"""

from gatilho import hosts
from gatilho.hosts.event import Event, Reply, id_of, text_of

# A prompt of another source was not typed by a person.
PERSON_SOURCES = ("", "user", "sdk")


def read(payload: dict[str, object], host: str = "claude") -> Event:
    """Return the event in a payload; fields of a wrong type count as absent."""
    name = text_of(payload, "hook_event_name", "hookEventName")
    source = text_of(payload, "source", "reason")
    agent = id_of(payload, "agent_id")
    return Event(
        host=_caller(payload) if host == "claude" else host,
        # A helper's stop closes nothing: its events carry the session of the main agent.
        kind="" if agent and name == "Stop" else hosts.SHARED_EVENTS.get(name, ""),
        name=name,
        session=id_of(payload, "session_id", "sessionId", "transcript_path"),
        agent=agent,
        turn=id_of(payload, "prompt_id", "turn_id"),
        call=id_of(payload, "tool_use_id"),
        cwd=text_of(payload, "cwd"),
        mode=text_of(payload, "permission_mode"),
        tool=text_of(payload, "tool_name"),
        input=payload.get("tool_input"),
        failed=name == "PostToolUseFailure",
        source=source,
        prompt=text_of(payload, "prompt"),
        person=not agent and source in PERSON_SOURCES,
        transcript=text_of(payload, "transcript_path"),
    )


def _caller(payload: dict[str, object]) -> str:
    if "cursor_version" in payload:
        return "cursor"
    return "copilot" if "timestamp" in payload and "permission_mode" not in payload else "claude"


def answer(event: Event, reply: Reply) -> dict[str, object]:
    """Return the object to print; empty when there is nothing to say."""
    out = hosts.nested_answer(event, reply, HOST)
    # Copilot reads the nested form before a tool only.
    if reply.context and HOST.carries_context(event) and event.host == "copilot":
        out["additionalContext"] = reply.context
    return out


HOST = hosts.Host(
    name="claude",
    title="Claude Code",
    program="claude",
    traces=(".claude/", "CLAUDE.md"),
    version="2.1.197",
    read=read,
    answer=answer,
    events=hosts.SHARED_EVENTS,
    # On Stop, additionalContext would keep the agent going; the rest has no such field.
    context=("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"),
    failed_context=True,
    restarts=True,
    asks={
        "": hosts.A_PERSON_DECIDES,
        "default": hosts.A_PERSON_DECIDES,
        "acceptEdits": hosts.A_PERSON_DECIDES,
        "plan": hosts.A_PERSON_DECIDES,
        "auto": hosts.UNSURE,  # since 2.1.211 it stops; before, and in one later report, it does not
        "bypassPermissions": hosts.APPROVED,  # 2.1.233 and later stop, 2.1.199 did not
        "dontAsk": hosts.REFUSED,
    },
    # The client takes 10,000 characters and cuts what is longer down to a preview.
    budget=4000,
    tools=hosts.tool_table(
        reads="Read NotebookRead Grep Glob LS",
        writes="Edit Write MultiEdit",
        runs="Bash",
        ignored="Agent Task WebFetch WebSearch TodoWrite Skill AskUserQuestion EnterPlanMode ExitPlanMode TaskCreate "
        "TaskGet TaskList TaskUpdate TaskOutput TaskStop BashOutput KillShell ToolSearch SendMessage",
        NotebookEdit=hosts.Tool(hosts.WRITES, ("notebook_path",)),
        PowerShell=hosts.Tool(hosts.RUNS, shell="powershell"),
    ),
    # The end of a session has 1.5 s for all hooks together unless one of them asks for more.
    limits=hosts.time_limits(hosts.SHARED_EVENTS, SessionEnd=5),
    matches=True,
    settings=hosts.Settings(
        ".claude/settings.json", ".claude/settings.local.json", ".claude/settings.json", hosts.GROUPS,
        folder="${CLAUDE_PROJECT_DIR:-.}", unread=(hosts.COMMENTS, hosts.LAST_COMMA),
    ),
    only_in_root=True,
    step="trust the folder when it asks; a session that runs keeps its old hooks",
    marks=("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_ENTRYPOINT"),
    project="CLAUDE_PROJECT_DIR",
)  # fmt: skip
