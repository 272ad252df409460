"""Which paths and commands a tool call names, by the names that the hosts give their tools and arguments."""

from gatilho.hosts.event import text_of
from gatilho.value import Value

_SHELL = frozenset(("Bash", "PowerShell", "Shell", "bash", "shell", "run_shell_command", "exec_command", "Execute"))
_WRITES = frozenset(
    ("Write", "Edit", "MultiEdit", "NotebookEdit", "Delete", "Create", "write_file", "replace", "create", "edit",
     "write", "str_replace_editor", "delete_file", "edit_file", "create_file")
)  # fmt: skip
_READS = frozenset(
    ("Read", "NotebookRead", "Grep", "Glob", "LS", "read_file", "read_many_files", "view", "view_image", "read", "grep",
     "grep_search", "glob", "list_directory")
)  # fmt: skip
_PATCHES = frozenset(("apply_patch", "ApplyPatch"))
PATH_KEYS = ("file_path", "notebook_path", "path", "filePath", "absolute_path", "filename", "target_file")
_PATCH_KEYS = ("command", "patch", "input")
_WRITING_WORDS = (
    "write", "edit", "create", "delete", "move", "rename", "replace", "patch", "update", "append", "insert",
)  # fmt: skip


class ToolCall(Value):
    """What a tool call is about: a shell command ("" for none), and (kind, path as given) of the files it names."""

    command: str = ""
    paths: tuple[tuple[str, str], ...] = ()

    @property
    def empty(self) -> bool:
        return not (self.command or self.paths)


def tool_call(tool: str, tool_input: object) -> ToolCall:
    """What the call of that tool with that input names; empty for a tool that touches no file and runs no command."""
    if tool in _PATCHES:
        from gatilho.patch_text import envelope_paths

        return ToolCall(paths=tuple(("write", path) for path in envelope_paths(patch_in(tool_input))))
    if not isinstance(tool_input, dict):
        return ToolCall()
    if tool in _SHELL:
        command = tool_input.get("command")
        return ToolCall(command=command if isinstance(command, str) else "")
    kind = _kind_of(tool)
    if not kind:
        return ToolCall()
    paths = [tool_input[key] for key in PATH_KEYS if isinstance(tool_input.get(key), str) and tool_input[key]]
    return ToolCall(paths=tuple((kind, path) for path in paths))


def _kind_of(tool: str) -> str:
    """How the tool touches the paths it names: "write", "read", or "" for a tool of another trade."""
    if tool in _WRITES:
        return "write"
    if tool in _READS:
        return "read"
    if tool[:4] != "mcp_":
        return ""
    name = tool.lower()
    return "write" if any(word in name for word in _WRITING_WORDS) else "read"


def patch_in(tool_input: object) -> str:
    """The text of the patch that a call hands over, "" for none."""
    if isinstance(tool_input, dict):
        return text_of(tool_input, *_PATCH_KEYS)
    return tool_input if isinstance(tool_input, str) else ""
