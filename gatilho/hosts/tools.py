"""Which paths and commands a tool call names, by the record of its host."""

from gatilho.hosts import FOLDER_KEYS, IGNORED, PATCHES, RUNS, WRITES, Tool, host_named, tool_table
from gatilho.hosts.event import COMMAND_KEYS, Event, text_of
from gatilho.triggers import paths
from gatilho.value import Value

_POWERSHELL = Tool(RUNS, shell="powershell")
# Names under which tools arrive in other dialects than their record's: older builds, and settings that hosts share.
_ALSO = tool_table(
    reads="Read NotebookRead Grep Glob LS read_file read_many_files view view_image read grep grep_search glob "
    "list_directory",
    writes="Write Edit MultiEdit NotebookEdit Delete Create write_file replace create edit write str_replace_editor "
    "delete_file edit_file create_file",
    runs="Bash Shell bash shell run_shell_command exec_command Execute",
    patches="apply_patch ApplyPatch",
    PowerShell=_POWERSHELL,
    powershell=_POWERSHELL,
    pwsh=_POWERSHELL,
)
_PATCH_KEYS = ("command", "patch", "input", "patchText")


class ToolInput(Value):
    """What the input of a tool call names: a shell command ("" for none), and (kind, path as given) of files.

    shell: the language of the command, "sh" or "powershell". folder: the absolute folder that it runs in, "" where it
    is the event's own.
    """

    command: str = ""
    paths: tuple[tuple[str, str], ...] = ()
    shell: str = "sh"
    folder: str = ""

    @property
    def empty(self) -> bool:
        return not (self.command or self.paths)


def listed_call(event: Event, cwd: str) -> ToolInput | None:
    """Return what the event's call names; None for a tool that neither its host's record nor any other lists.

    cwd: the folder that relative paths are relative to.
    """
    tool = host_named(event.host).tools.get(event.tool) or _ALSO.get(event.tool)
    return None if tool is None else listed_call_of(tool, event.input, cwd)


def listed_call_of(tool: Tool, tool_input: object, cwd: str = "") -> ToolInput:
    """Return what a call of a tool with that input names."""
    if tool.does == IGNORED:
        return ToolInput()
    if tool.does == PATCHES:
        from gatilho.patch_text import envelope_paths

        return ToolInput(paths=tuple(("write", path) for path in envelope_paths(patch_in(tool_input))))
    if not isinstance(tool_input, dict):
        return ToolInput()
    if tool.does == RUNS:
        return command_call(tool_input, tool.shell, cwd)
    kind = "write" if tool.does == WRITES else "read"
    return ToolInput(paths=tuple((kind, _from_home(path)) for path in _paths_in(tool_input, tool.paths)))


def command_call(tool_input: dict[str, object], shell: str, cwd: str) -> ToolInput:
    """Return the command that the arguments hold, and the folder that they name for it."""
    listed = tool_input.get("commands")  # several; under the other names a list is the words of one
    lines = "\n".join(one for one in listed if isinstance(one, str)) if isinstance(listed, list) else ""
    command = lines or next((text for key in COMMAND_KEYS if (text := _command_in(tool_input.get(key)))), "")
    folder = text_of(tool_input, *FOLDER_KEYS) if command else ""
    return ToolInput(command, shell=shell, folder=(paths.absolute(folder, cwd) or "") if folder else "")


def _command_in(value: object) -> str:
    """Return a command; of a list the words of one where its first is a program alone, else one command a line."""
    if not isinstance(value, list):
        return value if isinstance(value, str) else ""
    words = [one for one in value if isinstance(one, str)]
    if len(words) > 1 and " " not in words[0]:
        return " ".join([words[0], *map(one_shell_word, words[1:])])
    return "\n".join(words)


def one_shell_word(text: object) -> str:
    """Return a text as one word of a shell."""
    return "'" + str(text).replace("'", "'\\''") + "'"


def _paths_in(tool_input: dict[str, object], keys: tuple[str, ...]) -> list[str]:
    """Return the paths under the keys: a text each, or a list of texts or of objects with such keys."""
    found = [value for key in keys if isinstance(value := tool_input.get(key), str) and value]
    for value in tool_input.values():
        if isinstance(value, list):
            found += [path for one in value if isinstance(one, dict) for path in _paths_in(one, keys)]
    for key in ("files", "paths"):
        listed = tool_input.get(key)
        if isinstance(listed, list):
            found += [one for one in listed if isinstance(one, str) and one]
    return list(dict.fromkeys(found))


def _from_home(path: str) -> str:
    """Return a path with the person's home in the place of `~`: a tool has no shell that does it."""
    if path[:2] != "~/":
        return path
    import os

    return os.path.expanduser(path)


def patch_in(tool_input: object) -> str:
    """Return the text of the patch that a call hands over, "" for none."""
    if isinstance(tool_input, dict):
        given = [tool_input.get(key) for key in _PATCH_KEYS]
        texts = [one[-1] if isinstance(one, list) and one else one for one in given]  # `["apply_patch", PATCH]`
        return next((text for text in texts if text and isinstance(text, str)), "")
    return tool_input if isinstance(tool_input, str) else ""
