"""VS Code's agent hooks, from its documentation: Claude-shaped, with camel-case envelopes and tools of its own."""

from gatilho import hosts
from gatilho.hosts import claude
from gatilho.hosts.event import Event

EVENTS = hosts.without(hosts.SHARED_EVENTS, "PostToolUseFailure", "SessionEnd")


def read(payload: dict[str, object]) -> Event:
    """Return the event in a payload; its documents mix camel case and snake case, so both are read."""
    return claude.read(payload, "vscode")


HOST = hosts.Host(
    name="vscode",
    title="VS Code",
    read=read,
    answer=hosts.nested_answer,
    events=EVENTS,
    context=("SessionStart", "PreToolUse", "PostToolUse"),
    asks={hosts.ANY: hosts.A_PERSON_DECIDES},
    tools=hosts.tool_table(
        reads="read_file list_dir file_search grep_search copilot_readFile",
        writes="create_file replace_string_in_file multi_replace_string_in_file insert_edit_into_file "
        "edit_notebook_file editFiles create_directory",
        runs="run_in_terminal runTerminalCommand runInTerminal",
        patches="apply_patch",
        ignored="manage_todo_list fetch_webpage runSubagent semantic_search",
    ),
    others=("mcp_",),
    # Matchers are read there and ignored, so none is written.
    limits=hosts.time_limits(EVENTS),
    settings=hosts.Settings(".github/hooks/gatilho.json", "", ".copilot/hooks/gatilho.json", hosts.FLAT),
)
