"""Factory Droid, from its documentation: Claude-shaped, with modes and tools of its own."""

from gatilho.hosts import (
    A_PERSON_DECIDES,
    GROUPS,
    SHARED_EVENTS,
    UNSURE,
    Host,
    Settings,
    claude,
    nested_answer,
    time_limits,
    tool_table,
    without,
)
from gatilho.hosts.event import Event

EVENTS = without(SHARED_EVENTS, "PostToolUseFailure")


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
    events=EVENTS,
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
    limits=time_limits(EVENTS, SessionEnd=5),
    settings=Settings(
        ".factory/settings.json", "", ".factory/settings.json", GROUPS,
        folder="${FACTORY_PROJECT_DIR:-.}", guarded=(".factory/hooks.json",),
    ),
    step="start a new session; a session that runs keeps its old hooks",
    project="FACTORY_PROJECT_DIR",
)  # fmt: skip
