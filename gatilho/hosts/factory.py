"""Factory Droid, from its documentation: Claude-shaped, with modes and tools of its own."""

from gatilho.hosts import (
    A_PERSON_DECIDES,
    GROUPS,
    UNSURE,
    Host,
    Settings,
    claude,
    nested_answer,
    time_limits,
    tool_table,
)
from gatilho.hosts.event import Event


def read(payload: dict[str, object]) -> Event:
    """Return the event in a payload."""
    return claude.read(payload, "factory")


HOST = Host(
    name="factory",
    title="Factory Droid",
    program="droid",
    traces=(".factory/",),
    read=read,
    answer=nested_answer,
    events={name: kind for name, kind in claude.EVENTS.items() if name != "PostToolUseFailure"},
    context=("SessionStart", "UserPromptSubmit", "PostToolUse"),
    asks={
        "off": A_PERSON_DECIDES,
        "spec": A_PERSON_DECIDES,
        "auto-low": A_PERSON_DECIDES,
        "auto-medium": A_PERSON_DECIDES,
        "auto-high": UNSURE,
    },
    tools=tool_table(
        reads="Read LS Glob Grep",
        writes="Edit Create MultiEdit",
        runs="Execute",
        patches="ApplyPatch",
        ignored="Task FetchUrl WebSearch TodoWrite",
    ),
    limits=time_limits("SessionStart UserPromptSubmit PreToolUse PostToolUse", Stop=90, SessionEnd=5),
    settings=Settings(
        ".factory/settings.json", "", ".factory/settings.json", GROUPS,
        folder="${FACTORY_PROJECT_DIR:-.}", guarded=(".factory/hooks.json",),
    ),
    step="start a new session; a session that runs keeps its old hooks",
    project="FACTORY_PROJECT_DIR",
)  # fmt: skip
