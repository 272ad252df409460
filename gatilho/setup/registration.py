"""What is written into a host's settings so that it calls the dispatcher; how it is merged, refreshed and undone."""

import json
import re
import shlex
from typing import Any

from gatilho.errors import DocumentError
from gatilho.hosts import FLAT, FLAT_BY_SHELL, GROUPS, Host, catalog
from gatilho.hosts.event import TURN_CLOSE
from gatilho.setup import jsontext
from gatilho.setup.jsontext import Node

# Seconds besides the time limits of conditions that a turn close takes on a busy machine.
_BESIDES = 30

# Hosts that read what is registered for another one.
FILE_OF_ANOTHER = {"vscode": "copilot"}

# Read by sh and by PowerShell alike: on Windows some hosts hand any line to it, and stop the tool where that fails.
_EXIT = "; exit 0"
# Others hand it to `cmd.exe`, to which all before `||` are arguments, which the dispatcher overlooks; to both shells
# above it is a comment.
_EXIT_ANYWHERE = " ; exit 0 # || exit 0"
# To `cmd.exe` the whole line is a label: it runs nothing, where without `test` a missing script would be a refusal.
_NOT_IN_CMD = ": ; "
# What the shell of a clone asks for its root, and `cmd.exe` finds by going there.
_TOP = "$(git rev-parse --show-toplevel)/"

# A file that holds the number of its format alone, and how that begins once our hooks are in it: a blank at the end of
# the line says that the file was there before.
_VERSION_ALONE = '{\n  "version": 1\n}'
_VERSION_OF_OURS, _VERSION_OF_OTHERS = (f'{{\n  "version": 1,{blank}\n' for blank in ("", " "))

# The matchers that we write: all tools but some. Any other is a person's own choice.
_OUR_MATCHER = re.compile(r"\^\(\?!\([\w|]+\)\$\)\.\*")

# What `_quoted` escapes where a name in single quotes cannot be written.
_ESCAPED = re.compile(r"""\\(["$`])""")

# `scripts/gatilho.py` or the command `gatilho hook`, quoted or not, whatever interpreter or folder is before it.
_OURS = re.compile(r"""(?:^|[\s"'/\\])gatilho(?:\.py["']?(?:[\s;&|]|$)|(?:\.exe)?["']?\s+hook(?:[\s;&|]|$))""")


def registrable() -> dict[str, Host]:
    """Return the hosts whose settings can be written here, by name."""
    return {host.name: host for host in catalog.hosts() if host.step}


def allowing(host: Host, seconds: int) -> Host:
    """Return the same host, with a turn close that is long enough for conditions of `seconds` each."""
    close = host.event_of(TURN_CLOSE)
    if close not in host.limits:
        return host
    limits = {**host.limits, close: max(host.limits[close], 2 * seconds + _BESIDES)}
    return host.replace(limits=limits)


def shared_command(host: Host) -> str:
    """Return the command that works in every clone: the project's own dispatcher, run by the `python3` of the machine.

    `; exit 0` because a script that is missing (another branch) makes Python exit 2, which stops the agent's tool, and
    other clients that read the same file stop it at any status; `:-.` because not all of them name the project.
    """
    return _failing_open(host, "python3", f'"{host.settings.folder}/scripts/gatilho.py"')


def private_command(host: Host, interpreter: str, dispatcher: str) -> str:
    """Return the command for this machine alone: its interpreter and the installed dispatcher, by absolute path.

    A line that begins with a quote cannot be read by PowerShell, and a host that stops the tool there would at each.
    """
    program = _quoted(interpreter)
    on_windows = re.match(r"[A-Za-z]:", interpreter)
    return _failing_open(host, f"env {program}" if on_windows and program[0] in "\"'" else program, _quoted(dispatcher))


def _failing_open(host: Host, interpreter: str, script: str) -> str:
    """Return a command that lets the tool run where the script is missing, for which Python has the status 2."""
    call = f"{interpreter} -I -S {script} --host {host.name}"
    # A host that is refused by the exit status has to see it.
    return f"{_NOT_IN_CMD}test ! -f {script} || {call}" if host.by_status else with_exit(host, call)


def with_exit(host: Host, call: str) -> str:
    """Return a call as a line that stops no tool, in any shell that the host may hand it to."""
    one_for_all = not host.windows_key and host.settings.shape in (GROUPS, FLAT)
    return call + (_EXIT_ANYWHERE if one_for_all else _EXIT)


def register_hooks(text: str, file: str, host: Host, command: str) -> str:
    """Return the settings with our handler on every event of the host; the text itself where all is there.

    text: the whole file without a byte order mark, "" where there is none. Raises DocumentError where the file is no
    JSON, or of another shape.
    """
    if not text.strip():
        return _fresh(host, command)
    top = jsontext.parse_json(text, file)
    if host.settings.shape != GROUPS and top.opening == "{" and not top.children:
        text = jsontext.insert(text, top, "version", 1)
    before = text
    text = _without_stale(text, file, host, command)
    for event in host.limits:
        text = _with_group(text, file, event, group(host, event, command))
    if before.strip() == _VERSION_ALONE:
        text = text.replace(_VERSION_OF_OURS, _VERSION_OF_OTHERS, 1)
    return _checked(before, text, file)


def unregister_hooks(text: str, file: str) -> str:
    """Return the settings without our handlers and without what that leaves empty; "" where nothing else is left."""
    before = text
    for event in _events_in(text, file):
        text = _without_ours(text, file, event)
    before_hooks, hooks = _hooks(before, file), _hooks(text, file)
    was_empty = before_hooks is not None and jsontext.was_empty(before, before_hooks)
    if hooks and not hooks.children and text != before and not was_empty:
        text = jsontext.remove(text, jsontext.parse_json(text, file), hooks)
    top = jsontext.parse_json(text, file)
    if text != before and all(key == "version" for key, _, _ in top.children):
        if jsontext.was_empty(before, jsontext.parse_json(before, file)):
            return jsontext.remove(text, top, top.children[0][2]) if top.children else text
        if not top.children or (text.strip() == _VERSION_ALONE and _VERSION_OF_OTHERS not in before):
            return ""
    return _checked(before, text, file)


def is_registered(text: str, file: str) -> bool:
    """Return whether the settings call us for any event."""
    hooks = _hooks(text, file) if text.strip() else None
    return any(_ours_in(text, groups) for _, _, groups in hooks.children) if hooks else False


def handler(host: Host, event: str, command: str) -> dict[str, Any]:
    """Return the handler of one event, its time limit in the unit of the host."""
    limit = int(host.limits[event] / host.settings.unit)
    if host.settings.shape == FLAT:
        return {"command": command, "timeout": limit}
    if host.windows_key:
        return {"type": "command", "command": command, host.windows_key: cmd_line(command), "timeout": limit}
    if host.settings.shape == FLAT_BY_SHELL:
        lines = {"bash": command, "powershell": powershell_line(command)}
        return {"type": "command", **lines, "timeoutSec": limit}
    return {"type": "command", "command": command, "timeout": limit}


def powershell_line(command: str) -> str:
    """Return a command of ours as PowerShell takes it."""
    line = re.sub(r"^python3 ", "py -3 ", re.sub(r"\$\{(\w+):-\.\}", r"$env:\1", command)).removeprefix("env ")
    return ("& " if line[0] in "\"'" else "") + _ESCAPED.sub(r"`\1", line)


def cmd_line(command: str) -> str:
    """Return a command of ours as `cmd.exe` takes it, without a quote: Codex hands it over as an argument, in which
    each quote gets a backslash that `cmd.exe` keeps. Names with blanks are left to `path` and `cd`, which need none.
    """
    words = [_ESCAPED.sub(r"\1", word) for word in shlex.split(command.removesuffix(_EXIT).removeprefix("env "))]
    before = ""
    if _TOP in command:
        words[:1] = ["py", "-3"]
        # The second line of what is asked is for the root itself, where the first is empty.
        before = "(for /f %i in ('git rev-parse --show-cdup ^& echo .') do @cd %i) & "
    elif " " in "".join(words):
        at = next(i for i, word in enumerate(words) if word.endswith(".py"))
        (program, words[0]), (script, words[at]) = (_parted(words[i]) for i in (0, at))
        before = f"path {program};%PATH%&& cd /d {script}&& "
    return f"{before}{' '.join(words).replace(_TOP, '')} & exit 0"


def _parted(path: str) -> tuple[str, str]:
    """Return the folder of a path as `cmd.exe` reads it, and the name in it."""
    folder, _, name = path.rpartition("/")
    return re.sub(r"[&|<>^]", r"^\g<0>", folder.replace("/", "\\")), name


def group(host: Host, event: str, command: str) -> dict[str, Any]:
    """Return the entry of one event: a group, or the handler where a host nests none.

    It has no matcher where all tools matter, for some clients reject an empty one.
    """
    if host.settings.shape != GROUPS:
        return handler(host, event, command)
    matcher = host.matcher(event)
    return {**({"matcher": matcher} if matcher else {}), "hooks": [handler(host, event, command)]}


def _fresh(host: Host, command: str) -> str:
    hooks = {event: [group(host, event, command)] for event in host.limits}
    version = {} if host.settings.shape == GROUPS else {"version": 1}
    return json.dumps({**version, "hooks": hooks}, indent=2, ensure_ascii=False) + "\n"


def _hooks(text: str, file: str) -> Node | None:
    """Return the object of all hooks, checked for its shape; None where there is none."""
    top = jsontext.parse_json(text, file)
    _demand(top, "{", text, file, "the file", "an object")
    hooks = top.get("hooks")
    if hooks is None:
        return None
    _demand(hooks, "{", text, file, "`hooks`", "an object")
    for event, _, groups in hooks.children:
        _demand(groups, "[", text, file, f"`hooks.{event}`", "a list")
    return hooks


def _events_in(text: str, file: str) -> list[str]:
    hooks = _hooks(text, file)
    return [event for event, _, _ in hooks.children] if hooks else []


def _called_on(text: str, file: str, event: str) -> tuple[Node | None, Node | None, list[tuple[Node, Node, Node]]]:
    """Return the object of all hooks, the list of one event, and our handlers in it (see `_ours_in`)."""
    hooks = _hooks(text, file)
    groups = hooks.get(event) if hooks else None
    return hooks, groups, _ours_in(text, groups) if groups else []


def _demand(node: Node, opening: str, text: str, file: str, what: str, wanted: str) -> None:
    if node.opening != opening:
        line = text.count("\n", 0, node.start) + 1
        column = node.start - text.rfind("\n", 0, node.start)
        place = f"{file}:{line}:{column}"
        raise DocumentError(f"{place}: {what} is not {wanted}; nothing was written. Correct it and try again.")


def _ours_in(text: str, groups: Node) -> list[tuple[Node, Node, Node]]:
    """Return gatilho's handlers in one event, each with its group and its list; without groups it is its own."""
    found: list[tuple[Node, Node, Node]] = []
    for _, _, group in groups.children:
        if group.opening == "{" and is_ours(jsontext.value_of(text, group)):
            found.append((group, groups, group))
            continue
        listed = group.get("hooks") if group.opening == "{" else None
        if listed is None or listed.opening != "[":
            continue
        for _, _, one in listed.children:
            if is_ours(jsontext.value_of(text, one)):
                found.append((group, listed, one))
    return found


def is_ours(entry: Any) -> bool:
    """Return whether a handler calls us, by the form of its command."""
    command = (entry.get("command") or entry.get("bash")) if isinstance(entry, dict) else None
    if not isinstance(command, str):
        return False
    arguments = entry.get("args")
    words = [command, *(arguments if isinstance(arguments, list) else ())]
    return _OURS.search(" ".join(map(str, words))) is not None


def _without_stale(text: str, file: str, host: Host, command: str) -> str:
    """Take out handlers of ours of an older form, doubles, and those of events that we no longer ask for."""
    for event in _events_in(text, file):
        wanted = group(host, event, command) if event in host.limits else None
        ours = _called_on(text, file, event)[2]
        is_current = wanted is not None and len(ours) == 1 and _is_current(text, ours[0], wanted)
        if ours and not is_current:
            text = _refreshed(text, file, event, wanted)
    return text


def _is_current(text: str, found: tuple[Node, Node, Node], wanted: dict[str, Any]) -> bool:
    """Return whether a handler does what ours does, for the same tools or for those that a person chose.

    A longer time limit is a person's own choice, too.
    """
    group, entry = (jsontext.value_of(text, node) for node in (found[0], found[2]))
    ours = {**wanted, **wanted.get("hooks", (wanted,))[0]}
    limit = "timeoutSec" if "timeoutSec" in ours else "timeout"
    lasting = isinstance(entry.get(limit), int | float) and entry[limit] >= ours[limit]
    matcher = _kept_matcher(group) or wanted.get("matcher")
    ours = {key: value for key, value in ours.items() if key not in ("hooks", "matcher")}
    entry = {key: value for key, value in entry.items() if key != "matcher"}
    return lasting and group.get("matcher") == matcher and {**entry, limit: ours[limit]} == ours


def _kept_matcher(group: dict[str, Any]) -> Any:
    """Return the matcher that a person chose for a group of ours, None for none."""
    matcher = group.get("matcher")
    return None if not matcher or (isinstance(matcher, str) and _OUR_MATCHER.fullmatch(matcher)) else matcher


def _refreshed(text: str, file: str, event: str, wanted: dict[str, Any] | None) -> str:
    """Put the wanted group in the place of an old one that holds nothing else, else take ours out."""
    ours = _called_on(text, file, event)[2]
    if wanted and len(ours) == 1 and (ours[0][0] is ours[0][2] or len(ours[0][1].children) == 1):
        old = jsontext.value_of(text, ours[0][0])
        kept = _kept_matcher(old)
        matcher = {"matcher": kept} if kept is not None else {}
        is_group = "hooks" in wanted and "hooks" in old
        others = {key: value for key, value in old.items() if is_group and key not in ("matcher", "hooks")}
        return jsontext.replace_value(text, ours[0][0], {**wanted, **matcher, **others})
    return _without_ours(text, file, event)


def _without_ours(text: str, file: str, event: str) -> str:
    """Take our handlers out of one event, then groups and events that this leaves empty."""
    while True:
        # Found anew after each removal, which moves all that follows it.
        hooks, groups, ours = _called_on(text, file, event)
        if not hooks or not groups or not ours:
            return text
        group, listed, one = ours[0]
        if len(listed.children) > 1:
            text = jsontext.remove(text, listed, one)
        elif len(groups.children) > 1:
            text = jsontext.remove(text, groups, group)
        elif jsontext.was_empty(text, groups):
            return jsontext.remove(text, groups, group)
        else:
            text = jsontext.remove(text, hooks, groups)


def _with_group(text: str, file: str, event: str, wanted: dict[str, Any]) -> str:
    hooks, groups, ours = _called_on(text, file, event)
    if hooks is None:
        return jsontext.insert(text, jsontext.parse_json(text, file), "hooks", {event: [wanted]})
    if groups is None:
        return jsontext.insert(text, hooks, event, [wanted])
    if ours:
        return text
    return jsontext.insert(text, groups, "", wanted)


def _checked(before: str, after: str, file: str) -> str:
    """Return the text after the edit, if all that is not ours is in it as it was; raises DocumentError otherwise."""
    if _foreign(before) != _foreign(after):
        raise DocumentError(
            f"{file}: the edit would change other settings. This is a bug in gatilho, nothing was written."
        )
    return after


def _foreign(text: str) -> Any:
    """Return the settings as data, our handlers and what they leave empty taken out."""
    settings = jsontext.data_of(text)
    hooks = {event: left for event, groups in settings.get("hooks", {}).items() if (left := _foreign_groups(groups))}
    return {**{key: value for key, value in settings.items() if key != "hooks"}, **({"hooks": hooks} if hooks else {})}


def _foreign_groups(groups: list[Any]) -> list[Any]:
    left = []
    for group in groups:
        if is_ours(group):
            continue
        if isinstance(group, dict) and isinstance(group.get("hooks"), list):
            others = [entry for entry in group["hooks"] if not is_ours(entry)]
            if group["hooks"] and not others:
                continue
            group = {**group, "hooks": others}
        left.append(group)
    return left


def _quoted(path: str) -> str:
    """Return the path as one word of a shell, in quotes, where it needs any: `sh` and PowerShell share both kinds."""
    path = path.replace("\\", "/")
    if re.fullmatch(r"[\w/.:+-]+", path):
        return path
    if re.search(r'["$`]', path) and "'" not in path:
        return f"'{path}'"
    return '"' + re.sub(r'(["$`])', r"\\\1", path) + '"'
