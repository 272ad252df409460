"""Each host's dialect: which host a payload comes from, what is read out of it, and what an answer may hold."""

import json
from typing import Any

import pytest

from gatilho import wire
from gatilho.fast_path import named_in
from gatilho.hook import caller_of
from gatilho.hosts import host_named
from gatilho.hosts.detect import host_of
from gatilho.hosts.event import (
    AFTER,
    BEFORE,
    COMPACTION,
    PROMPT,
    SESSION_END,
    SESSION_START,
    TURN_CLOSE,
    Event,
    Reply,
)

# The hosts that have an adapter of their own.
ADAPTERS = ("claude", "codex", "gemini", "cursor")

PATCH = "*** Begin Patch\n*** Add File: new.py\n+x\n*** Update File: old.py\n*** Move to: moved.py\n*** End Patch\n"
CLAUDE = {"session_id": "s", "transcript_path": "/h/.claude/projects/p/s.jsonl", "cwd": "/r", "prompt_id": "p"}
CODEX = {"session_id": "s", "transcript_path": "/h/.codex/sessions/s.jsonl", "cwd": "/r", "turn_id": "p", "model": "m"}
GEMINI = {"session_id": "s", "transcript_path": "/h/.gemini/s.json", "cwd": "/r", "timestamp": "2026-11-29T20:00:00Z"}
CURSOR = {
    "conversation_id": "s", "generation_id": "p", "cursor_version": "2", "workspace_roots": ["/r"], "user_email": None,
    "transcript_path": None,
}  # fmt: skip
COPILOT = {"session_id": "s", "timestamp": "2026-11-29T20:00:00Z", "cwd": "/r"}
EDIT = {"tool_name": "Edit", "tool_input": {"file_path": "/r/a.py", "old_string": "x"}, "tool_use_id": "c"}
SHELL = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "c", "permission_mode": "default"}
ALL = Reply(context="notes", person="a line", decision="ask", reason="why")


def payload(common: dict[str, Any], name: str, **fields: Any) -> dict[str, Any]:
    return {**common, "hook_event_name": name, **fields}


def event_of(host: str, found: dict[str, Any]) -> Event:
    return host_named(host).read(found)


def answered(host: str, found: dict[str, Any], reply: Reply = ALL) -> dict[str, Any]:
    host_record = host_named(host)
    return host_record.answer(host_record.read(found), reply)


@pytest.mark.parametrize(
    ("host", "found"),
    [
        ("claude", payload(CLAUDE, "PreToolUse", permission_mode="default", **EDIT)),
        ("claude", payload(CLAUDE, "Stop", stop_hook_active=False)),
        ("claude", payload({"cwd": "/r"}, "SessionStart", source="startup", model="m")),
        ("claude", payload({"session_id": "s"}, "PreToolUse", tool_name="Edit", tool_input={"file_path": "a.py"})),
        ("claude", {}),
        ("codex", payload(CODEX, "PreToolUse", **SHELL)),
        ("codex", payload({**CODEX, "turn_id": ""}, "SessionStart", permission_mode="default", source="startup")),
        ("codex", {"session_id": "s", "transcript_path": "C:\\h\\.codex\\s.jsonl", "hook_event_name": "SessionEnd"}),
        ("gemini", payload(GEMINI, "BeforeTool", tool_name="replace", tool_input={"file_path": "a.py"})),
        ("gemini", payload({"session_id": "s", "cwd": "/r"}, "AfterTool", timestamp="2026-11-29T20:00:00Z")),
        ("cursor", payload(CURSOR, "postToolUse", tool_name="Write")),
        ("cursor", payload({"conversation_id": "s", "generation_id": "p"}, "stop")),
    ],
    ids=lambda value: value if isinstance(value, str) else value.get("hook_event_name", "nothing to go by"),
)
def test_the_host_is_told_by_what_only_its_events_have(host: str, found: dict[str, Any]) -> None:
    assert host_of(found) == host


@pytest.mark.parametrize(
    ("host", "found", "kind"),
    [
        ("claude", payload(CLAUDE, "SessionStart", source="compact"), SESSION_START),
        ("claude", payload(CLAUDE, "UserPromptSubmit", prompt="go"), PROMPT),
        ("claude", payload(CLAUDE, "PreToolUse", **EDIT), BEFORE),
        ("claude", payload(CLAUDE, "PostToolUse", **EDIT), AFTER),
        ("claude", payload(CLAUDE, "PostToolUseFailure", **SHELL), AFTER),
        ("claude", payload(CLAUDE, "Stop"), TURN_CLOSE),
        ("claude", payload(CLAUDE, "SessionEnd", reason="other"), SESSION_END),
        ("claude", payload(CLAUDE, "Stop", agent_id="a"), ""),
        ("claude", payload(CLAUDE, "SubagentStop", agent_id="a"), ""),
        ("claude", payload(CLAUDE, "PreCompact", trigger="auto"), ""),
        ("claude", payload(CLAUDE, "Notification"), ""),
        ("claude", payload(CLAUDE, "an event of next year"), ""),
        ("claude", CLAUDE, ""),
        ("codex", payload(CODEX, "Stop"), TURN_CLOSE),
        ("codex", payload(CODEX, "Interrupt"), SESSION_END),
        ("codex", payload(CODEX, "SubagentStop", agent_id="a"), ""),
        ("gemini", payload(GEMINI, "BeforeAgent", prompt="go"), PROMPT),
        ("gemini", payload(GEMINI, "BeforeTool"), BEFORE),
        ("gemini", payload(GEMINI, "AfterTool"), AFTER),
        ("gemini", payload(GEMINI, "AfterAgent"), TURN_CLOSE),
        ("gemini", payload(GEMINI, "BeforeTool", tool_name="invoke_agent"), COMPACTION),
        ("gemini", payload(GEMINI, "PreCompress"), ""),
        ("cursor", payload(CURSOR, "sessionStart"), SESSION_START),
        ("cursor", payload(CURSOR, "beforeSubmitPrompt", prompt="go"), PROMPT),
        ("cursor", payload(CURSOR, "preToolUse"), BEFORE),
        ("cursor", payload(CURSOR, "beforeShellExecution", command="make"), BEFORE),
        ("cursor", payload(CURSOR, "afterFileEdit", file_path="/r/a.py"), AFTER),
        ("cursor", payload(CURSOR, "stop", status="aborted"), TURN_CLOSE),
        ("cursor", payload(CURSOR, "afterAgentResponse", text="done"), ""),
    ],
    ids=lambda value: value if isinstance(value, str) else value.get("hook_event_name", "no event named"),
)
def test_every_event_that_matters_has_its_kind(host: str, found: dict[str, Any], kind: str) -> None:
    event = event_of(host, found)
    assert event.kind == kind
    assert event.session == "s"


@pytest.mark.parametrize(
    ("host", "found", "turn", "call"),
    [
        ("claude", payload(CLAUDE, "PostToolUse", **EDIT), "p", "c"),
        ("codex", payload(CODEX, "PostToolUse", **SHELL), "p", "c"),
        ("gemini", payload(GEMINI, "AfterTool"), "", ""),
        ("cursor", payload(CURSOR, "postToolUse", tool_use_id="c"), "p", "c"),
    ],
    ids=["claude", "codex", "gemini", "cursor"],
)
def test_turn_and_call_are_known_where_the_host_names_them(
    host: str, found: dict[str, Any], turn: str, call: str
) -> None:
    event = event_of(host, found)
    assert (event.turn, event.call, event.host) == (turn, call, host)


@pytest.mark.parametrize(
    ("host", "found", "command", "paths"),
    [
        ("claude", EDIT, "", (("write", "/r/a.py"),)),
        ("claude", {"tool_name": "NotebookEdit", "tool_input": {"notebook_path": "/r/n.ipynb"}}, "",
         (("write", "/r/n.ipynb"),)),
        ("claude", {"tool_name": "Read", "tool_input": {"file_path": "/r/a.py"}}, "", (("read", "/r/a.py"),)),
        ("claude", {"tool_name": "PowerShell", "tool_input": {"command": "del a"}}, "del a", ()),
        ("claude", {"tool_name": "Agent", "tool_input": {"prompt": "a.py"}}, "", ()),
        ("codex", SHELL, "make", ()),
        ("codex", {"tool_name": "apply_patch", "tool_input": {"command": PATCH}}, "",
         (("write", "new.py"), ("write", "old.py"), ("write", "moved.py"))),
        ("gemini", {"tool_name": "write_file", "tool_input": {"file_path": "a.py"}}, "", (("write", "a.py"),)),
        ("gemini", {"tool_name": "run_shell_command", "tool_input": {"command": "make"}}, "make", ()),
        ("cursor", {"tool_name": "Delete", "tool_input": {"path": "/r/a.py"}}, "", (("write", "/r/a.py"),)),
        ("cursor", {"hook_event_name": "beforeShellExecution", "command": "make"}, "make", ()),
        ("cursor", {"hook_event_name": "beforeReadFile", "file_path": "/r/a.py"}, "", (("read", "/r/a.py"),)),
        ("cursor", {"hook_event_name": "afterFileEdit", "file_path": "/r/a.py"}, "", (("write", "/r/a.py"),)),
    ],
)  # fmt: skip
def test_what_a_tool_call_names(
    host: str, found: dict[str, Any], command: str, paths: tuple[tuple[str, str], ...]
) -> None:
    event = event_of(host, found)
    call = named_in(event, "/r")
    assert (call.command, call.paths) == (command, paths)


def test_a_path_below_the_home_of_the_person_is_found_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/h")
    call = named_in(event_of("claude", {"tool_name": "Read", "tool_input": {"file_path": "~/b.py"}}), "/r")
    assert call.paths == (("read", "/h/b.py"),)


@pytest.mark.parametrize(
    ("host", "tool", "shell"),
    [("claude", "Bash", "sh"), ("claude", "PowerShell", "powershell"), ("copilot", "powershell", "powershell"),
     ("gemini", "run_shell_command", "sh"), ("claude", "mcp__s__run_powershell", "powershell"),
     ("claude", "mcp__s__run_command", "sh")],
)  # fmt: skip
def test_the_language_of_a_command_is_known(host: str, tool: str, shell: str) -> None:
    call = named_in(Event(host, BEFORE, "", tool=tool, input={"command": "gc a.py"}), "/r")
    assert (call.command, call.shell) == ("gc a.py", shell)


@pytest.mark.parametrize(
    ("host", "found", "failed"),
    [
        ("claude", payload(CLAUDE, "PostToolUseFailure", error="Exit code 1"), True),
        ("claude", payload(CLAUDE, "PostToolUse"), False),
        ("gemini", payload(GEMINI, "AfterTool", tool_response={"llmContent": "x", "error": {"message": "no"}}), True),
        ("gemini", payload(GEMINI, "AfterTool", tool_response="Exit Code: 1"), False),
        ("cursor", payload(CURSOR, "postToolUseFailure"), True),
    ],
)
def test_a_failed_call_is_known_as_one(host: str, found: dict[str, Any], failed: bool) -> None:
    assert event_of(host, found).failed is failed


@pytest.mark.parametrize(
    ("fields", "person"),
    [({}, True), ({"source": "user"}, True), ({"source": "loop_wakeup"}, False), ({"agent_id": "a"}, False)],
    ids=["no source", "the user", "a machine", "a helper's task"],
)
def test_only_what_a_person_typed_is_a_persons_prompt(fields: dict[str, Any], person: bool) -> None:
    assert event_of("claude", payload(CLAUDE, "UserPromptSubmit", prompt="ok D-1", **fields)).person is person


@pytest.mark.parametrize("host", ADAPTERS)
@pytest.mark.parametrize("value", [None, 7, True, [], ["x"], {}, {"a": 1}], ids=repr)
def test_a_field_of_a_wrong_type_counts_as_absent(host: str, value: object) -> None:
    keys = ("session_id", "conversation_id", "transcript_path", "cwd", "tool_name", "tool_use_id", "prompt", "source")
    found: dict[str, Any] = {**dict.fromkeys(keys, value), "workspace_roots": value, "tool_response": value}
    event = event_of(host, {**found, "hook_event_name": "PreToolUse"})
    assert (event.session, event.cwd, event.tool, event.call, event.prompt) == ("", "", "", "", "")
    for tool, given in (
        ("Edit", {"file_path": value}),
        ("Edit", value),
        ("apply_patch", value),
        ("mcp__s__write", value),
    ):
        assert named_in(event.replace(tool=tool, input=given), "/r").empty


def test_half_a_surrogate_pair_in_an_id_becomes_its_escape() -> None:
    event = event_of("claude", payload(CLAUDE, "Stop") | {"session_id": "a\ud83d", "prompt_id": "é"})
    assert (event.session, event.turn) == ("a\\ud83d", "é")


def test_a_host_that_has_no_working_folder_names_its_workspace() -> None:
    event = event_of("cursor", payload(CURSOR, "stop", workspace_roots=["/a", 7, "/b"]))
    assert event.roots == ("/a", "/b")


ANSWERS = [
    ("claude", payload(CLAUDE, "PreToolUse", permission_mode="default", **EDIT),
     {"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "notes", "permissionDecision": "ask",
                             "permissionDecisionReason": "why"}, "systemMessage": "a line"}),
    ("claude", payload(CLAUDE, "PostToolUse", **EDIT),
     {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "notes"}, "systemMessage": "a line"}),
    ("claude", payload(CLAUDE, "SessionStart"),
     {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "notes"},
      "systemMessage": "a line"}),
    ("claude", payload(CLAUDE, "Stop"), {"systemMessage": "a line"}),
    ("codex", payload(CODEX, "PreToolUse", **SHELL),
     {"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "notes", "permissionDecision": "deny",
                             "permissionDecisionReason": "why"}, "systemMessage": "a line"}),
    ("codex", payload(CODEX, "Stop"), {"systemMessage": "a line"}),
    ("codex", payload(CODEX, "SessionEnd"), {}),
    ("gemini", payload(GEMINI, "BeforeTool"), {"decision": "deny", "reason": "why", "systemMessage": "a line"}),
    ("gemini", payload(GEMINI, "AfterTool"),
     {"hookSpecificOutput": {"hookEventName": "AfterTool", "additionalContext": "notes"}, "systemMessage": "a line"}),
    ("gemini", payload(GEMINI, "AfterTool", tool_response={"error": "no"}), {"systemMessage": "a line"}),
    ("gemini", payload(GEMINI, "AfterAgent"), {"systemMessage": "a line"}),
    ("cursor", payload(CURSOR, "beforeShellExecution", command="make"),
     {"permission": "ask", "user_message": "why", "agent_message": "why"}),
    ("cursor", payload(CURSOR, "postToolUse"), {"additional_context": "notes"}),
    ("cursor", payload(CURSOR, "stop"), {}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("host", "found", "expected"), ANSWERS, ids=[f"{host} {found['hook_event_name']}" for host, found, _ in ANSWERS]
)
def test_an_answer_holds_what_the_event_takes_and_nothing_else(
    host: str, found: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert answered(host, found) == expected
    assert answered(host, found, Reply()) == {}


@pytest.mark.parametrize("host", ADAPTERS)
def test_context_counts_as_delivered_only_where_the_answer_carries_it(host: str) -> None:
    host_record = host_named(host)
    common = {"claude": CLAUDE, "codex": CODEX, "gemini": GEMINI, "cursor": CURSOR}[host]
    for name in ("SessionStart", "PreToolUse", "PostToolUse", "Stop", "AfterTool", "BeforeTool", "postToolUse", "stop"):
        event = host_record.read(payload(common, name))
        carried = "notes" in json.dumps(host_record.answer(event, Reply(context="notes")))
        assert carried == host_record.carries_context(event), name


@pytest.mark.parametrize(
    ("host", "found", "can_ask"),
    [
        ("claude", payload(CLAUDE, "PreToolUse", permission_mode="acceptEdits"), True),
        ("claude", payload(CLAUDE, "PreToolUse"), True),
        ("claude", payload(CLAUDE, "PreToolUse", permission_mode="bypassPermissions"), False),
        ("claude", payload(CLAUDE, "PreToolUse", permission_mode="dontAsk"), False),
        ("claude", payload(CLAUDE, "PreToolUse", permission_mode="a mode of next year"), False),
        ("codex", payload(CODEX, "PreToolUse", permission_mode="default"), False),
        ("gemini", payload(GEMINI, "BeforeTool"), False),
        ("cursor", payload(CURSOR, "preToolUse", tool_name="Write"), False),
        ("cursor", payload(CURSOR, "beforeShellExecution"), True),
    ],
    ids=["a person sees it", "no mode named", "approved unseen", "refused", "unknown", "codex", "gemini", "write", "shell"],
)  # fmt: skip
def test_where_a_person_decides(host: str, found: dict[str, Any], can_ask: bool) -> None:
    host_record = host_named(host)
    assert host_record.can_ask(host_record.read(found)) is can_ask


class TestClaudesRegistrationCalledByOthers:
    """Several clients read Claude Code's settings and run the command registered there, host named and all."""

    def test_cursor_does_not_stop_for_a_question(self) -> None:
        host_record = host_named("claude")
        event = host_record.read(payload(CLAUDE, "PreToolUse", permission_mode="default", cursor_version="2", **EDIT))
        assert event.host == "cursor"
        assert not host_record.can_ask(event)

    def test_copilot_reads_context_at_the_top(self) -> None:
        found = payload(COPILOT, "PostToolUse", tool_name="Write", tool_input={"path": "/r/a.py", "file_text": "x"})
        assert answered("claude", found)["additionalContext"] == "notes"
        event = event_of("claude", found)
        assert named_in(event).paths == (("write", "/r/a.py"),)

    def test_vs_code_is_answered_in_its_own_form(self) -> None:
        found = {"hookEventName": "PreToolUse", "sessionId": "s", "cwd": "/r", "tool_name": "create_file"}
        for named in ("claude", "copilot", ""):
            assert caller_of(found, named).name == "vscode"

    def test_claude_itself_gets_no_such_key(self) -> None:
        assert "additionalContext" not in answered("claude", payload(CLAUDE, "PostToolUse", **EDIT))


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        'quotes " and \\ and /',
        "tab\tline\nbell\x07",
        "é 日本 😀",
        "\u2028\u2029",
        "half a pair \ud83d",
        "\udcff",
    ],
    ids=["plain", "marks", "controls", "letters", "separators", "surrogate", "undecodable"],
)
def test_the_wire_brings_back_what_it_is_given(text: str) -> None:
    value = {"a": text, "b": [text, 7, True, None, {"c": {}}], text: "key"}
    sent = wire.encode(value)
    assert sent.isascii()
    assert "\n" not in sent
    assert json.loads(sent) == value
    assert wire.decode(sent.encode()) == value


@pytest.mark.parametrize(
    "data",
    [
        b'{"a": "\xc3\xa9"}', b'\xef\xbb\xbf{"a": 1}', b' \r\n{"a": [1, 2.5, -3e2]}\n', b'{"a": 1, "a": 2}',
        b'{"a": "\\ud83d\\ude00"}', b'{"a": "\\ud83d"}', b'{"a": NaN}', b'{"a": "\\u0000\\/"}',
    ],
)  # fmt: skip
def test_the_wire_reads_what_json_reads(data: bytes) -> None:
    assert repr(wire.decode(data)) == repr(json.loads(data.decode("utf-8-sig")))


@pytest.mark.parametrize(
    "data",
    [b"{", b"{}{}", b"{'a': 1}", b'{"a": 1,}', b"nothing", b'{"a": "C:\\work"}', b"[" * 100_000, b"\xff\xfe{\x00"],
    ids=[
        "cut off",
        "two values",
        "single quotes",
        "comma too many",
        "prose",
        "lone backslash",
        "too deep",
        "utf-16 cut off",
    ],
)
def test_the_wire_refuses_what_is_no_json(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        wire.decode(data)


def test_bytes_that_are_no_utf_8_still_name_their_file() -> None:
    assert wire.decode(b'{"a": "caf\xe9"}') == {"a": "caf\udce9"}


def test_control_characters_in_a_text_are_let_through() -> None:
    assert wire.decode(b'{"a": "x\ty\n"}') == {"a": "x\ty\n"}
