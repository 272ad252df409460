"""Our hooks in a host's settings: merged, refreshed, taken out, and nothing else touched."""

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatilho.errors import DocumentError
from gatilho.hosts import IGNORED, MODULE, READS, host_named
from gatilho.hosts.event import AFTER, BEFORE
from gatilho.setup import file_changes, hook_list, host_files, jsontext, registration
from gatilho.setup.registration import registrable

CLAUDE = registrable()["claude"]
COMMAND = registration.shared_command(CLAUDE)
FILE = ".claude/settings.json"
OTHER = {"type": "command", "command": "make lint"}


def register(text: str) -> str:
    return registration.register_hooks(text, FILE, CLAUDE, COMMAND)


def dumped(value: Any, indent: int | None = 2) -> str:
    return json.dumps(value, indent=indent, ensure_ascii=False) + "\n"


def ours(text: str, event: str) -> list[dict[str, Any]]:
    """The handlers of the event whose command is ours."""
    groups = json.loads(text)["hooks"].get(event, [])
    return [entry for group in groups for entry in group["hooks"] if entry.get("command") == COMMAND]


def test_a_fresh_file_registers_every_event_once() -> None:
    hooks = json.loads(register(""))["hooks"]
    assert list(hooks) == [
        "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop",
        "SessionEnd",
    ]  # fmt: skip
    with_matcher = [event for event, (group,) in hooks.items() if list(group) == ["matcher", "hooks"]]
    assert with_matcher == ["PreToolUse", "PostToolUse", "PostToolUseFailure"]
    assert all(list(group) == ["hooks"] for event, (group,) in hooks.items() if event not in with_matcher)
    assert hooks["Stop"] == [{"hooks": [{"type": "command", "command": COMMAND, "timeout": 90}]}]


def test_the_turn_close_outlasts_two_time_limits_of_a_condition() -> None:
    assert CLAUDE.limits["Stop"] > 60


@pytest.mark.parametrize(
    "settings_before",
    [
        pytest.param({}, id="an empty object"),
        pytest.param({"permissions": {"allow": ["Bash(ls)"]}, "model": "opus"}, id="other keys"),
        pytest.param({"z": 1, "hooks": {"Stop": [{"hooks": [OTHER]}]}, "a": 2}, id="another hook on an event of ours"),
        pytest.param(
            {"hooks": {"PreCompact": [{"matcher": "auto", "hooks": [OTHER]}]}}, id="an event that is not ours"
        ),
        pytest.param(
            {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [OTHER, OTHER]}]}}, id="a group with a matcher"
        ),
        pytest.param({"hooks": {"Stop": [{"hooks": [{"type": "prompt", "prompt": "gatilho hook"}]}]}}, id="no command"),
        pytest.param(
            {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./check-gatilho.py"}]}]}}, id="like ours"
        ),
    ],
)
@pytest.mark.parametrize("indent", [2, 4, None], ids=["two blanks", "four blanks", "one line"])
def test_what_is_there_stays_and_a_second_time_changes_nothing(
    settings_before: dict[str, Any], indent: int | None
) -> None:
    text = dumped(settings_before, indent)
    once = register(text)
    assert all(len(ours(once, event)) == 1 for event in CLAUDE.limits)
    assert register(once) == once
    after = json.loads(once)
    assert [key for key in after if key != "hooks"] == [key for key in settings_before if key != "hooks"]
    for event, groups in settings_before.get("hooks", {}).items():
        assert after["hooks"][event][: len(groups)] == groups
    undone = registration.unregister_hooks(once, FILE)
    assert undone == text


@pytest.mark.parametrize("name", ["copilot", "cursor", "windsurf"])
@pytest.mark.parametrize(
    "text",
    [
        '{"version": 1}',
        '{\n  "version": 1\n}\n',
        '{\r\n  "version": 1\r\n}\r\n',
        '{\n  "version": 1, // mine\n}',
        '{\n\t"version": 1,\n\t"hooks": {}\n}\n',
    ],
    ids=repr,
)
def test_a_file_that_holds_its_version_alone_is_left_as_it_was(name: str, text: str) -> None:
    host = registrable()[name]
    once = registration.register_hooks(text, "f", host, registration.shared_command(host))
    assert registration.register_hooks(once, "f", host, registration.shared_command(host)) == once
    assert registration.unregister_hooks(once, "f") == text
    fresh = registration.register_hooks("", "f", host, registration.shared_command(host))
    assert registration.unregister_hooks(fresh, "f") == ""


@pytest.mark.parametrize("name", sorted(name for name, host in registrable().items() if host.settings.shape != MODULE))
def test_no_line_stops_a_tool_on_windows(name: str) -> None:
    """PowerShell 5 has no `||`, `cmd.exe` neither `;` nor `#`, and Codex writes a backslash before each quote."""
    host = registrable()[name]
    lines = []
    for event in host.limits:
        entry = registration.handler(host, event, registration.shared_command(host))
        lines.append(entry.get("powershell") or entry.get("commandWindows") or entry["command"])
    [line] = set(lines)
    if name == "codex":
        assert line == (
            "(for /f %i in ('git rev-parse --show-cdup ^& echo .') do @cd %i) & "
            "py -3 -I -S scripts/gatilho.py --host codex & exit 0"
        )
    elif name == "copilot":
        assert line == 'py -3 -I -S "$env:COPILOT_PROJECT_DIR/scripts/gatilho.py" --host copilot; exit 0'
    elif host.by_status:
        assert line.startswith(': ; test ! -f "./scripts/gatilho.py" || python3 ')
    elif name == "cline":  # scripts, which only a `sh` runs
        assert line.endswith("; exit 0")
    else:
        assert line.endswith(f" --host {name} ; exit 0 # || exit 0")


def test_a_list_of_hooks_keeps_what_is_a_persons_own_and_comes_back_to_the_byte() -> None:
    """Of theirs the comment and the hook; of ours the matcher, the name and the switch, while the line is current."""
    kiro = registrable()["kiro"]
    text = '{\n  "version": "v1",\n  "hooks": [ // mine\n    {"name": "a", "trigger": "Stop", "action": {"type": "agent"}}\n  ]\n}\n'
    once = hook_list.register_in_list(text, "f", kiro, registration.shared_command(kiro))
    assert [event for event, _ in hook_list.hooks_in_list(once, "f")] == list(kiro.limits)
    assert hook_list.unregister_from_list(once, "f") == text
    own = once.replace('"name": "gatilho-PreToolUse",', '"name": "ask me",\n      "matcher": "fs_write",')
    assert own != once
    assert hook_list.register_in_list(own, "f", kiro, registration.shared_command(kiro)) == own
    newer = hook_list.register_in_list(own, "f", kiro, "gatilho hook --host kiro")
    assert {entry["command"] for _, entry in hook_list.hooks_in_list(newer, "f")} == {"gatilho hook --host kiro"}
    assert '"name": "ask me",\n      "matcher": "fs_write",' in newer
    with pytest.raises(DocumentError, match="`hooks` is not a list"):
        hook_list.register_in_list('{"hooks": {}}', "f", kiro, "x")


@pytest.mark.parametrize("name", ["claude", "codex", "cursor", "copilot", "gemini"])
@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"hooks": {}}', id="no hooks yet"),
        pytest.param('{\n  "hooks": {\n  }\n}\n', id="no hooks yet, on two lines"),
        pytest.param('{"hooks": {"Stop": [], "stop": []}}', id="an event without hooks"),
        pytest.param('{\n  // mine\n  "theme": "dark" // why\n}\n', id="a comment at the end"),
        pytest.param(
            '{\n  "a": 1, /* x */\n  // below\n  "hooks": {\n    // none yet\n  },\n  // end\n  "b": "http://x" // "q"\n}\n',
            id="comments everywhere",
        ),
        pytest.param(
            '{\r\n\t"hooks": {\r\n\t\t"Stop": [ // s\r\n\t\t\t{"hooks": []} // first\r\n\t\t] // last\r\n\t}\r\n}\r\n',
            id="comments in hooks",
        ),
        pytest.param(
            '{\n  "hooks": {\n    "Stop": [\n      {"hooks": [],},\n    ],\n  },\n  "a": [1,], // why\n}\n',
            id="a comma after every last entry",
        ),
    ],
)
def test_comments_and_what_was_empty_come_back_to_the_byte(name: str, text: str) -> None:
    host = registrable()[name]
    once = registration.register_hooks(text, "f", host, registration.shared_command(host))
    assert set(host.limits) <= set(jsontext.data_of(once)["hooks"])
    assert registration.register_hooks(once, "f", host, registration.shared_command(host)) == once
    assert registration.unregister_hooks(once, "f") == text


@pytest.mark.parametrize(
    ("line", "calls"),
    [
        ('spawnSync("gatilho", ["hook", "--host", "opencode"])', True),
        ('spawn("/bin/sh", ["-c", "gatilho hook --host opencode"])', True),
        ("// gatilho hook --host opencode", False),
        ('spawn("gatilho", ["list"])', False),
    ],
    ids=["words", "a line", "a comment", "another command"],
)
def test_a_module_of_a_persons_own_that_calls_us_stays(tmp_path: Path, line: str, calls: bool) -> None:
    host = registrable()["opencode"]
    (tmp_path / host.settings.shared).parent.mkdir(parents=True)
    (tmp_path / host.settings.shared).write_text(f"{line}\n")
    assert host_files.registers(str(tmp_path), host, host.settings.shared) == calls
    assert [one.changes for one in host_files.plan_removal(str(tmp_path), host, host.settings.shared)] == [False]
    if calls:
        [change] = host_files.plan_registration(str(tmp_path), host, host.settings.shared, "gatilho hook")
        assert not change.changes


@pytest.mark.parametrize("data", [b"", b"\r\n", b"\xef\xbb\xbf", b" \n"], ids=["nothing", "CRLF", "mark", "blanks"])
def test_a_file_that_was_empty_is_left_empty(tmp_path: Path, data: bytes) -> None:
    for host in registrable().values():
        plan = partial(host_files.plan_registration, str(tmp_path), host, host.settings.shared)
        files = [tmp_path / one for one in host_files.hook_files_of(str(tmp_path), host, host.settings.shared)]
        for file in files:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        for command in ("gatilho hook", "gatilho hook; exit 0"):
            file_changes.make(str(tmp_path), plan(command))
        assert [one.name for one in plan(command) if one.changes] == []
        file_changes.make(str(tmp_path), host_files.plan_removal(str(tmp_path), host, host.settings.shared))
        assert [file.read_bytes() for file in files] == [data] * len(files)


@pytest.mark.parametrize(
    "command",
    [
        pytest.param("gatilho hook --host claude", id="the command on the PATH"),
        pytest.param('python3 "$CLAUDE_PROJECT_DIR"/scripts/gatilho.py', id="the dispatcher without options"),
        pytest.param(
            "/opt/venv/bin/python -I -S /opt/gatilho_dispatcher/gatilho.py --host claude", id="a private form"
        ),
        pytest.param("C:\\py\\python.exe -I -S C:\\x\\gatilho.py --host claude", id="a Windows path"),
        pytest.param('"C:/Program Files/gatilho.exe" hook', id="a Windows program"),
        pytest.param("python3 -m gatilho hook", id="the module"),
    ],
)
def test_an_older_form_is_brought_up_to_date_in_its_place(command: str) -> None:
    old = {"type": "command", "command": command, "timeout": 30}
    before = {"hooks": {"PostToolUse": [{"matcher": "Edit|Write", "hooks": [old]}, {"hooks": [OTHER]}]}, "model": "x"}
    after = json.loads(register(dumped(before)))
    current = {"type": "command", "command": COMMAND, "timeout": 10}
    assert after["hooks"]["PostToolUse"] == [{"matcher": "Edit|Write", "hooks": [current]}, {"hooks": [OTHER]}]
    assert after["model"] == "x"


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        pytest.param(
            [{"hooks": [{"type": "command", "command": "gatilho hook"}, OTHER]}],
            [{"hooks": [OTHER]}, {"hooks": [registration.handler(CLAUDE, "Stop", COMMAND)]}],
            id="an old handler beside another",
        ),
        pytest.param(
            [{"hooks": [{"type": "command", "command": "gatilho hook"}]}] * 2,
            [{"hooks": [registration.handler(CLAUDE, "Stop", COMMAND)]}],
            id="two old handlers",
        ),
        pytest.param(
            [{"matcher": "", "hooks": [registration.handler(CLAUDE, "Stop", COMMAND)]}],
            [{"hooks": [registration.handler(CLAUDE, "Stop", COMMAND)]}],
            id="an empty matcher, which voids the file for another client",
        ),
        pytest.param(
            [{"hooks": [{"type": "command", "command": COMMAND, "timeout": 30}]}],
            [{"hooks": [registration.handler(CLAUDE, "Stop", COMMAND)]}],
            id="a time limit that would throw the answer away",
        ),
        pytest.param(
            [{"hooks": [{"type": "command", "command": COMMAND, "timeout": 300}]}],
            [{"hooks": [{"type": "command", "command": COMMAND, "timeout": 300}]}],
            id="a longer time limit is a person's choice",
        ),
        pytest.param(
            [{"hooks": [{"type": "command", "command": "python3", "args": ["-I", "-S", "scripts/gatilho.py"]}]}],
            [{"hooks": [registration.handler(CLAUDE, "Stop", COMMAND)]}],
            id="a command with its arguments apart",
        ),
    ],
)
def test_each_event_ends_with_one_current_handler(groups: list[Any], expected: list[Any]) -> None:
    after = register(dumped({"hooks": {"Stop": groups}}))
    assert json.loads(after)["hooks"]["Stop"] == expected
    assert register(after) == after


@pytest.mark.parametrize("name", ["claude", "gemini", "qwen"])
def test_a_matcher_leaves_out_tools_for_which_there_is_nothing_to_do(name: str) -> None:
    host = host_named(name)
    before, after = (re.compile(host.matcher(host.event_of(kind))) for kind in (BEFORE, AFTER))
    for tool, record in host.tools.items():
        assert (before.search(tool) is None) == (record.does in (READS, IGNORED)), tool
        assert (after.search(tool) is None) == (record.does == IGNORED), tool
    for unknown in ("mcp__files__read", "Reader", "ReadAll", "x", "NotRead"):
        assert before.search(unknown)
        assert after.search(unknown)


@pytest.mark.parametrize("name", ["codex", "copilot", "cursor", "vscode"])
def test_a_host_whose_matchers_cannot_leave_out_a_tool_has_none(name: str) -> None:
    host = host_named(name)
    assert {host.matcher(event) for event in host.limits} == {""}


WANTED = registration.group(CLAUDE, "PreToolUse", COMMAND)


@pytest.mark.parametrize(
    ("old", "expected"),
    [
        pytest.param({}, WANTED["matcher"], id="none"),
        pytest.param({"matcher": ""}, WANTED["matcher"], id="an empty one"),
        pytest.param({"matcher": "^(?!(Read|Glob)$).*"}, WANTED["matcher"], id="of an older release"),
        pytest.param({"matcher": "Edit|Write"}, "Edit|Write", id="a person's"),
        pytest.param({"matcher": "*"}, "*", id="a person's for all tools"),
    ],
)
def test_the_matcher_is_brought_up_to_date(old: dict[str, str], expected: str) -> None:
    groups = [{**old, "hooks": WANTED["hooks"]}, {"hooks": [OTHER]}]
    after = register(dumped({"hooks": {"PreToolUse": groups}}))
    assert json.loads(after)["hooks"]["PreToolUse"] == [{**WANTED, "matcher": expected}, {"hooks": [OTHER]}]
    assert register(after) == after


def test_an_event_that_is_no_longer_ours_is_left() -> None:
    before = {"hooks": {"PreCompact": [{"hooks": [{"type": "command", "command": "gatilho hook"}]}]}}
    assert "PreCompact" not in json.loads(register(dumped(before)))["hooks"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("[]", f"{FILE}:1:1: the file is not an object", id="a list"),
        pytest.param('{\n  "hooks": []\n}', f"{FILE}:2:12: `hooks` is not an object", id="hooks as a list"),
        pytest.param('{"hooks": {"Stop": {}}}', f"{FILE}:1:20: `hooks.Stop` is not a list", id="an event as an object"),
        pytest.param('{"hooks": {,}}', f"{FILE}:1:12: this is not JSON", id="broken"),
    ],
)
@pytest.mark.parametrize("act", [register, lambda text: registration.unregister_hooks(text, FILE)], ids=["in", "out"])
def test_a_file_of_another_shape_is_refused_with_its_place(text: str, said: str, act: Any) -> None:
    with pytest.raises(DocumentError) as caught:
        act(text)
    assert str(caught.value).startswith(said)


def test_it_is_known_whether_a_file_registers_us() -> None:
    assert registration.is_registered(register(""), FILE)
    assert not registration.is_registered(dumped({"hooks": {"Stop": [{"hooks": [OTHER]}]}}), FILE)
    assert not registration.is_registered("", FILE)


@pytest.mark.parametrize(
    ("path", "word"),
    [
        pytest.param("/usr/bin/python3.11", "/usr/bin/python3.11", id="plain"),
        pytest.param("/home/a b/py", '"/home/a b/py"', id="a blank"),
        pytest.param('/x/$HOME"`', "'/x/$HOME\"`'", id="what a shell would expand"),
        pytest.param("/x/it's $5", '"/x/it\'s \\$5"', id="that and a quote"),
        pytest.param("C:\\Python\\python.exe", "C:/Python/python.exe", id="backslashes"),
    ],
)
def test_a_private_command_quotes_its_paths(path: str, word: str) -> None:
    assert registration.private_command(CLAUDE, path, "/d/gatilho.py").startswith(
        f"{word} -I -S /d/gatilho.py --host claude"
    )


@pytest.mark.parametrize(
    ("path", "powershell", "cmd"),
    [
        ("C:\\Program Files\\py.exe", '& "C:/Program Files/py.exe"', "C:\\Program Files"),
        ("C:\\a$b & c\\py.exe", "& 'C:/a$b & c/py.exe'", "C:\\a$b ^& c"),
        ("C:\\it's mine\\py.exe", '& "C:/it\'s mine/py.exe"', "C:\\it's mine"),
        ("C:\\it's $5\\py.exe", '& "C:/it\'s `$5/py.exe"', "C:\\it's $5"),
    ],
    ids=["a blank", "what a shell would expand", "a quote", "both"],
)
def test_a_line_for_a_shell_of_windows_is_quoted_as_that_one_reads_it(path: str, powershell: str, cmd: str) -> None:
    """And one that begins with a quote, which PowerShell cannot read and a host may stop its tools for, is none."""
    codex = registrable()["codex"]
    command = registration.private_command(codex, path, "D:/d e/gatilho.py")
    assert command.startswith("env ")
    rest = '-I -S "D:/d e/gatilho.py" --host codex'
    assert registration.powershell_line(command) == f"{powershell} {rest}; exit 0"
    called = "py.exe -I -S gatilho.py --host codex & exit 0"
    assert registration.cmd_line(command) == f"path {cmd};%PATH%&& cd /d D:\\d e&& {called}"


HANDLERS = st.sampled_from(
    [OTHER, {"type": "command", "command": "gatilho hook"}, {"type": "command", "command": COMMAND}]
)
GROUPS = st.lists(
    st.fixed_dictionaries(
        {"hooks": st.lists(HANDLERS, max_size=3)}, optional={"matcher": st.sampled_from(["", "Bash"])}
    ),
    max_size=3,
)
EVENTS = st.sampled_from(["Stop", "PreToolUse", "Notification"])


@settings(max_examples=60)
@given(st.dictionaries(EVENTS, GROUPS, max_size=3), st.sampled_from([None, 2, 4]))
def test_whatever_was_there_ours_is_there_once_and_foreign_hooks_stay(
    hooks: dict[str, Any], indent: int | None
) -> None:
    text = dumped({"hooks": hooks, "model": "x"}, indent)
    once = register(text)
    assert register(once) == once
    after = json.loads(once)["hooks"]
    for event in {*hooks, *CLAUDE.limits}:
        entries = [entry for group in after.get(event, []) for entry in group["hooks"]]
        assert sum(entry != OTHER for entry in entries) == (event in CLAUDE.limits)
        foreign = [entry for group in hooks.get(event, []) for entry in group["hooks"] if entry == OTHER]
        assert [entry for entry in entries if entry == OTHER] == foreign
    undone = registration.unregister_hooks(once, FILE)
    assert COMMAND not in undone
    assert json.loads(undone)["model"] == "x"
