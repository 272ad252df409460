"""Codex CLI: Claude-shaped events, strict answers, and no way to ask."""

from gatilho import hosts
from gatilho.hosts import claude
from gatilho.hosts.event import SESSION_END, Event, Reply

EVENTS = {**hosts.without(hosts.SHARED_EVENTS, "PostToolUseFailure"), "Interrupt": SESSION_END}


def read(payload: dict[str, object]) -> Event:
    """Return the event in a payload."""
    event = claude.read(payload, "codex")
    # No Stop follows an interrupt: the turn is settled as one that ended.
    return event.replace(kind=SESSION_END) if event.name == "Interrupt" else event


def answer(event: Event, reply: Reply) -> dict[str, object]:
    """Return Claude Code's form; an unknown key voids the whole answer, so only what the event lists is sent."""
    if event.name == "SessionEnd":
        return {}
    decision = "deny" if reply.decision else ""
    return hosts.nested_answer(event, reply.replace(decision=decision), HOST)


HOST = hosts.Host(
    name="codex",
    title="Codex",
    program="codex",
    traces=(".codex/",),
    version="0.171.0",
    read=read,
    answer=answer,
    events=EVENTS,
    context=("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"),
    failed_context=True,
    restarts=True,
    asks={hosts.ANY: hosts.IGNORES_ASK},  # the hook counts as failed, and its context is lost as well
    budget=4000,
    tools=hosts.tool_table(
        patches="apply_patch", runs="Bash exec_command shell", reads="view_image", ignored="spawn_agent update_plan"
    ),
    # Trust is bound to position, command and time limit: an order or a limit that changes makes hooks untrusted.
    limits=hosts.time_limits(EVENTS, SessionEnd=3, Interrupt=3),
    settings=hosts.Settings(
        ".codex/hooks.json", "", ".codex/hooks.json", hosts.GROUPS,
        folder="$(git rev-parse --show-toplevel)", guarded=(".codex/config.toml",),
        unread=(hosts.COMMENTS, hosts.LAST_COMMA, hosts.ORDER_MARK),
    ),
    step="open it, trust the project and look the hooks through with `/hooks`: until then it runs none of them",
    windows_key="commandWindows",
    marks=("CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "CODEX_SESSION_ID", "CODEX_CI"),
    # It names no folder: a variable of that name would belong to a host that runs Codex as a tool.
    project="",
)  # fmt: skip
