"""Factory Droid, from its documentation: Claude-shaped, with modes and tools of its own."""

from gatilho import hosts
from gatilho.hosts import claude
from gatilho.hosts.event import Event

EVENTS = hosts.without(hosts.SHARED_EVENTS, "PostToolUseFailure")


def read(payload: dict[str, object]) -> Event:
    """Return the event in a payload."""
    return claude.read(payload, "factory")


HOST = hosts.Host(
    name="factory",
    title="Factory Droid",
    program="droid",
    traces=(".factory/",),
    read=read,
    answer=hosts.nested_answer,
    events=EVENTS,
    context=("SessionStart", "UserPromptSubmit", "PostToolUse"),
    asks={
        "off": hosts.A_PERSON_DECIDES,
        "spec": hosts.A_PERSON_DECIDES,
        "auto-low": hosts.A_PERSON_DECIDES,
        "auto-medium": hosts.A_PERSON_DECIDES,
        "auto-high": hosts.UNSURE,
    },
    tools=hosts.tool_table(
        reads="Read LS Glob Grep",
        writes="Edit Create MultiEdit",
        runs="Execute",
        patches="ApplyPatch",
        ignored="Task FetchUrl WebSearch TodoWrite",
    ),
    limits=hosts.time_limits(EVENTS, SessionEnd=5),
    settings=hosts.Settings(
        ".factory/settings.json", "", ".factory/settings.json", hosts.GROUPS,
        folder="${FACTORY_PROJECT_DIR:-.}", guarded=(".factory/hooks.json",),
    ),
    step="start a new session; a session that runs keeps its old hooks",
    project="FACTORY_PROJECT_DIR",
)  # fmt: skip
