"""Tools of MCP servers, and any that no record lists: the words of their names say what they do, their values where."""

from gatilho.bounded import is_there
from gatilho.hosts import IGNORED, READS, RUNS, WRITES
from gatilho.hosts.event import COMMAND_KEYS
from gatilho.hosts.tools import ToolInput, command_call, one_shell_word
from gatilho.triggers import paths

_WRITING = frozenset(
    ("write", "edit", "create", "delete", "remove", "move", "rename", "replace", "patch", "update", "append", "insert",
     "save", "put", "modify", "overwrite", "copy", "apply", "add", "touch", "format", "fix", "refactor", "truncate",
     "unlink", "prepend", "change", "rewrite", "substitute", "store", "export", "download", "extract", "generate",
     "mkdir", "rm", "mv", "cp", "undo", "revert", "restore", "set", "reformat", "checkout", "discard")
)  # fmt: skip
# A name that begins with one of these looks, whatever it looks at ("get_edit_history"), unless it does two things.
_LOOKING = frozenset(("read", "get", "list", "show", "view", "describe", "stat", "info", "count", "check", "is", "has"))
_JOINING = frozenset(("and", "or"))
_RUNNING = frozenset(
    ("run", "execute", "exec", "shell", "bash", "sh", "zsh", "terminal", "command", "cmd", "powershell", "pwsh",
     "console", "process", "spawn")
)  # fmt: skip
_POWERSHELL = frozenset(("powershell", "pwsh"))
# Arguments that together, or alone, name a repository of a hosting service.
_OWNERS = frozenset(("owner", "organization", "org", "workspaceslug", "workspace", "namespace", "group", "project"))
_REPOSITORIES = frozenset(
    ("repo", "repository", "reponame", "repositoryname", "reposlug", "repositoryslug", "repoid", "repositoryid",
     "reposlug", "projectid", "projectpath", "repofullname", "fullname", "repositoryurl", "repourl")
)  # fmt: skip
# What is copied is only read.
_SOURCES = ("source", "src", "from", "source_path", "old_path")
# Text that is written or looked for, in small letters alone: it names no new file, however short it is.
_PROSE = frozenset(
    ("content", "contents", "text", "body", "message", "title", "description", "query", "pattern", "newstring",
     "oldstring", "newstr", "oldstr", "newtext", "oldtext", "prompt", "value", "data", "code", "branch", "mode",
     "encoding", "namepath", "regex", "needle", "repl", "search", "command", "format", "type", "language", "reason",
     "newname", "replace", "replacement", "keys", "topic")
)  # fmt: skip
# Code, and by its language what runs it; where none is named it is read as Python, whose calls others share.
_CODE = ("code", "source_code", "python_code", "snippet")
_INTERPRETERS = {
    **dict.fromkeys(("", "python", "python3", "py", "ipython"), "python3 -c "),
    **dict.fromkeys(("javascript", "js", "node", "nodejs", "typescript", "ts"), "node -e "),
    **dict.fromkeys(("shell", "bash", "sh", "zsh"), "sh -c "),
    "perl": "perl -e ", "php": "php -r ", "ruby": "ruby -e ",
}  # fmt: skip
_BETWEEN_WORDS = {ord(mark): " " for mark in "'\"`()[]{},;<>="}
_PATCHES = ("diff", "patch", "patch_text", "input")
_VERBS = ("command", "action", "operation", "method")
_LONGEST_VERB = 40
_LONGEST = 4096
_DEEPEST = 4


def server_call_of(
    tool: str, tool_input: object, cwd: str, root: str, setting: tuple[str, tuple[str, ...]] | None
) -> ToolInput:
    """Return what a call of such a tool names; setting: what it does and its arguments that are paths, if configured.

    cwd: the folder of the event. root: its repository's, "" for none.
    """
    if not isinstance(tool_input, dict):
        return ToolInput()
    words = words_of(own_name(tool))
    does, keys = setting or (_does(words, tool_input), ())
    if does == IGNORED or (setting is None and _names_another_repository(tool_input, cwd)):
        return ToolInput()
    if does == RUNS and (code := _code_in(tool_input)):
        return _code_call(code, words, tool_input, cwd)
    if does == RUNS:
        return command_call(_with_arguments(tool_input), "powershell" if _POWERSHELL & {*words} else "sh", cwd)
    values = _values_in(tool_input, "", 0) + _patched_by(tool_input)
    if keys:
        given = [(key, value) for key, value in values if key in keys]
    else:
        bases = tuple(dict.fromkeys(base for base in (cwd, root) if base))
        given = [(key, path) for key, value in values if (path := _file_in(key, value, bases))]
    copies = "copy" in words or "cp" in words
    kind = "write" if does == WRITES else "read"
    found = [("read" if copies and key in _SOURCES else kind, path) for key, path in given]
    return ToolInput(paths=tuple(dict.fromkeys(found)))


def own_name(tool: str) -> str:
    """Return the name of the tool without its server's: `mcp__srv__tool`, `mcp_srv_tool`, `MCP:tool`, `srv-tool`."""
    if tool.startswith("mcp__"):
        return tool[5:].partition("__")[2] or tool[5:]
    if tool.startswith("mcp_"):
        return tool[4:].partition("_")[2] or tool[4:]
    if tool[:1] == "@" or tool.startswith("MCP:"):
        return tool.replace("/", ":").rpartition(":")[2]
    return tool.rpartition("-")[2]


def words_of(name: str) -> list[str]:
    """Return the words of a name in lower case: parted by any mark, or by a capital after a small letter."""
    spaced = []
    for i, letter in enumerate(name):
        if letter.isupper() and name[i - 1 : i].islower():
            spaced.append(" ")
        spaced.append(letter if letter.isalnum() else " ")
    return "".join(spaced).lower().split()


def _does(words: list[str], tool_input: dict[str, object]) -> str:
    if _RUNNING.intersection(words) and (any(tool_input.get(key) for key in COMMAND_KEYS) or _code_in(tool_input)):
        return RUNS
    if words and words[0] in _LOOKING and not _JOINING.intersection(words):
        return READS
    # A tool for many things says in an argument which of them it is asked for.
    asked = next((value for key in _VERBS if isinstance(value := tool_input.get(key), str)), "")
    if _LOOKING.intersection(words_of(asked[:_LONGEST_VERB])[:1]):
        return READS
    return WRITES if _WRITING.intersection([*words, *words_of(asked[:_LONGEST_VERB])]) else READS


def _code_in(tool_input: dict[str, object]) -> str:
    """Return the code that a call hands over, "" for none or where it names a command."""
    if any(tool_input.get(key) for key in COMMAND_KEYS):
        return ""
    return next((value for key in _CODE if isinstance(value := tool_input.get(key), str)), "")


def _code_call(code: str, words: list[str], tool_input: dict[str, object], cwd: str) -> ToolInput:
    """Return the command that runs code; in a language that cannot be read, words that look like paths are read."""
    said = tool_input.get("language", tool_input.get("lang"))
    language = said.lower() if isinstance(said, str) else next((word for word in words if word in _INTERPRETERS), "")
    begin = _INTERPRETERS.get(language)
    if begin is not None:
        return command_call({**tool_input, "command": begin + one_shell_word(code)}, "sh", cwd)
    named = (word for word in code[:_LONGEST].translate(_BETWEEN_WORDS).split() if "/" in word or "." in word[1:-1])
    return ToolInput(paths=tuple(("read", word) for word in dict.fromkeys(named)))


def _names_another_repository(tool_input: dict[str, object], cwd: str) -> bool:
    """Return whether the arguments name a repository of a hosting service: its files are on another machine."""
    given = {key.replace("_", "").replace("-", "").lower(): value for key, value in tool_input.items() if value}
    named = [value for key, value in given.items() if key in _REPOSITORIES]
    if not named:
        return False
    if not _OWNERS.isdisjoint(given):
        return True
    return not any(isinstance(value, str) and is_there(paths.absolute(value, cwd) or "") for value in named)


def _with_arguments(tool_input: dict[str, object]) -> dict[str, object]:
    """Return the arguments with a program's own list of words joined to it."""
    program, listed = tool_input.get("command"), tool_input.get("args", tool_input.get("arguments"))
    if not isinstance(program, str) or not isinstance(listed, list) or not listed:
        return tool_input
    return {**tool_input, "command": " ".join([program, *map(one_shell_word, listed)])}


def _values_in(value: object, key: str, depth: int) -> list[tuple[str, str]]:
    """Return the texts among the arguments, each under its nearest key."""
    if isinstance(value, str):
        return [(key, value)] if value and len(value) <= _LONGEST and value.isprintable() else []
    if depth > _DEEPEST:
        return []
    if isinstance(value, dict):
        return [found for name, one in value.items() for found in _values_in(one, str(name), depth + 1)]
    if isinstance(value, list):
        return [found for one in value for found in _values_in(one, key, depth + 1)]
    return []


def _patched_by(tool_input: dict[str, object]) -> list[tuple[str, str]]:
    """Return the files that a patch among the arguments names, each under its key."""
    patches = [(key, value) for key in _PATCHES if isinstance(value := tool_input.get(key), str) and "\n" in value]
    if not patches:
        return []
    from gatilho.patch_text import diff_paths, envelope_paths

    return [(key, path) for key, text in patches for path in (*envelope_paths(text), *diff_paths(text, 1))]


def _file_in(key: str, value: str, bases: tuple[str, ...]) -> str:
    """Return the absolute path that a value names: a file that is there, or a new one in a folder that is.

    A folder counts where it lies below those that relative paths begin from: to name these says where, not what.
    """
    places = [place for base in bases if (place := paths.absolute(value, base))]
    for place in places:
        if is_there(place):
            return "" if any(f"{base}/".startswith(f"{place.rstrip('/')}/") for base in bases) else place
    if key.replace("_", "").lower() in _PROSE or not places or not value.strip("./"):
        return ""
    return next((place for place in places if is_there(place.rpartition("/")[0] or "/")), "")
