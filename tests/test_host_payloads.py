"""Each host's own payloads: told apart, read, answered by the real process; and a host that nobody knows yet."""

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from builders import CHECKOUT, Repo, row, run_cli

from gatilho.fast_path import named_in
from gatilho.hosts import PATCHES, RUNS, SETTINGS_PLACES, WRITES, Host, catalog, host_named
from gatilho.hosts.detect import host_of
from gatilho.hosts.event import AFTER, BEFORE, PROMPT, SESSION_START, TURN_CLOSE

NOTE = "look at the fixture first"
FOLDER = Path(__file__).parent / "payloads"
# Recorded or documented events, a line each; `ROOT` in them is where the repository is.
SAMPLES = {
    path.stem: {one["is"]: one["payload"] for one in map(json.loads, path.read_text(encoding="utf-8").splitlines())}
    for path in sorted(FOLDER.glob("*.jsonl"))
}
EACH = [(host, name) for host, found in SAMPLES.items() for name in found]
# The kind of each sample whose file is not called as its event is.
KINDS = {
    "claude": {"PreCompact": ""},
    "gemini": {"PreCompress": ""},
    "copilot": {
        "PascalCase-PostToolUse": AFTER, "agentStop": TURN_CLOSE, "postToolUse": AFTER, "preToolUse": BEFORE,
        "preToolUse-apply_patch": BEFORE, "sessionStart": SESSION_START,
    },
    "cline": {"PreToolUse": BEFORE, "PostToolUse": AFTER, "TaskComplete": TURN_CLOSE},
}  # fmt: skip


class Ran(NamedTuple):
    """How a hook ended."""

    status: int
    said: str
    errors: str


def sample(host: str, name: str, root: object = "/r") -> dict[str, Any]:
    """A sample with the repository at root."""
    found: dict[str, Any] = json.loads(json.dumps(SAMPLES[host][name]).replace("ROOT", str(root)))
    return found


def run(
    payload: dict[str, Any], cwd: Path, host: str = "", package: Path = CHECKOUT, more: tuple[str, ...] = ()
) -> Ran:
    """Start a hook of the package with an event, as a host does."""
    code = f"import sys; sys.path.append({str(package)!r})\nfrom gatilho.hook import main\nsys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, *(["--host", host] if host else []), *more],
        input=json.dumps(payload), cwd=cwd, env=os.environ.copy(), capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    return Ran(done.returncode, done.stdout, done.stderr)


def test_every_host_has_samples() -> None:
    assert {*SAMPLES} == {*catalog.host_names()}


@pytest.mark.parametrize(("host", "name"), EACH)
def test_a_payload_tells_its_host(host: str, name: str) -> None:
    assert host_of(sample(host, name)) == host


@pytest.mark.parametrize(("host", "name"), EACH)
def test_a_payload_is_an_event_of_a_known_kind_in_a_session(host: str, name: str) -> None:
    record = host_named(host)
    event = record.read(sample(host, name))
    assert event.kind == KINDS.get(host, {}).get(name, record.events.get(name))
    assert event.session
    assert event.host == host


CALLS = [
    ("claude", "PreToolUse", "", (("write", "/r/src/a.py"),)),
    ("codex", "PreToolUse", "", (("write", "docs/n.md"), ("write", "src/old_parser.py"), ("write", "src/a.py"),
                                 ("write", "src/legacy.py"))),
    ("codex", "PostToolUse", "make check", ()),
    ("copilot", "PascalCase-PostToolUse", "", (("write", "/r/docs/n.md"),)),
    ("copilot", "preToolUse", "", (("write", "/r/src/a.py"),)),
    ("copilot", "preToolUse-apply_patch", "", (("write", "src/a.py"),)),
    ("copilot", "postToolUse", "make check", ()),
    ("vscode", "PreToolUse", "", (("write", "/r/src/a.py"),)),
    ("qwen", "PostToolUse", "", (("read", "/r/src/a.py"),)),
    ("qwen", "PostToolUseFailure", "make check", ()),
    ("opencode", "tool.execute.before", "", (("write", "/r/src/a.py"),)),
    ("opencode", "tool.execute.after", "make check", ()),
    ("factory", "PreToolUse", "", (("write", "/r/src/a.py"),)),
    ("factory", "PostToolUse", "make check", ()),
    ("windsurf", "pre_write_code", "", (("write", "/r/src/a.py"),)),
    ("windsurf", "post_read_code", "", (("read", "/r/src/a.py"),)),
    ("windsurf", "pre_run_command", "make check", ()),
    ("cline", "PreToolUse", "", (("write", "/r/src/a.py"),)),
    ("cline", "PostToolUse", "", (("write", "/r/src/a.py"),)),
    ("kiro", "PreToolUse", "make check", ()),
    ("amp", "tool.call", "", (("write", "/r/src/a.py"),)),
]  # fmt: skip


@pytest.mark.parametrize(("host", "name", "command", "paths"), CALLS, ids=[f"{one[0]} {one[1]}" for one in CALLS])
def test_a_payload_names_what_its_tool_touches(
    host: str, name: str, command: str, paths: tuple[tuple[str, str], ...]
) -> None:
    call = named_in(host_named(host).read(sample(host, name)), "/r")
    assert (call.command, call.paths) == (command, paths)


@pytest.fixture
def due(repo: Repo) -> Repo:
    """A repository with a debt that is due."""
    repo.write("src/a.py", "a = 1\n")
    repo.write("src/old_parser.py", "    a = 1\n")
    repo.write("src/legacy.py", "")
    repo.table(row("D-1", r"path: ^src/a\.py$", NOTE, rides=3))
    repo.commit()
    return repo


NOTES = [
    ("qwen", "PostToolUse", ["hookSpecificOutput", "additionalContext"]),
    ("cline", "PostToolUse", ["context"]),
    ("cursor", "postToolUse", ["additional_context"]),
]


@pytest.mark.parametrize(("host", "name", "keys"), NOTES, ids=[host for host, _, _ in NOTES])
def test_a_note_reaches_the_agent_where_the_host_looks_for_it(due: Repo, host: str, name: str, keys: list[str]) -> None:
    said = json.loads(run(sample(host, name, due.root), due.root).said)
    for key in keys:
        said = said[key]
    assert NOTE in said


def test_the_rest_of_a_line_that_cmd_takes_for_arguments_is_overlooked(due: Repo) -> None:
    ran = run(sample("qwen", "PostToolUse", due.root), due.root, "qwen", more=(";", "exit", "0", "#"))
    assert NOTE in ran.said


REFUSALS = [
    ("codex", "PreToolUse", "permissionDecision", "deny"),
    ("gemini", "BeforeTool", "decision", "deny"),
    ("cursor", "preToolUse", "permission", "deny"),
    ("copilot", "preToolUse", "permissionDecision", "ask"),
    ("copilot", "preToolUse-apply_patch", "permissionDecision", "ask"),
    ("vscode", "PreToolUse", "permissionDecision", "ask"),
    ("qwen", "PreToolUse", "permissionDecision", "ask"),
    ("factory", "PreToolUse", "permissionDecision", "ask"),
    ("cline", "PreToolUse", "cancel", True),
]


@pytest.mark.parametrize(("host", "name", "key", "value"), REFUSALS, ids=[f"{one[0]} {one[1]}" for one in REFUSALS])
def test_a_due_write_is_asked_about_in_the_words_of_the_host(
    due: Repo, host: str, name: str, key: str, value: object
) -> None:
    payload = sample(host, name, due.root)
    if host == "gemini":
        payload["tool_input"]["file_path"] = "src/a.py"
    answer = json.loads(run(payload, due.root).said)
    assert {**answer, **answer.get("hookSpecificOutput", {})}[key] == value
    assert NOTE in json.dumps(answer)


@pytest.mark.parametrize(
    ("host", "name", "key"), [("opencode", "tool.execute.before", "deny"), ("amp", "tool.call", "ask")]
)
def test_a_plugin_is_given_the_reason_under_what_it_is_to_do(due: Repo, host: str, name: str, key: str) -> None:
    assert NOTE in json.loads(run(sample(host, name, due.root), due.root).said)[key]


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("cline", "PostToolUse"), ("cursor", "sessionStart"), ("cursor", "postToolUse"), ("factory", "SessionStart"),
        ("factory", "PostToolUse"), ("kiro", "UserPromptSubmit"), ("opencode", "tool.execute.after"),
        ("vscode", "PostToolUse"),
    ],
)  # fmt: skip
def test_copies_of_an_event_speak_once(repo: Repo, host: str, name: str) -> None:
    """Three registrations of one host; where real clients are played, `test_registered_twice` has their own lines."""
    triggers = ("path: ^src/", "path: ^docs/n", "cmd: .", "prompt: .", "start")
    repo.table(*(row(f"R-{number}", trigger, NOTE) for number, trigger in enumerate(triggers)))
    repo.write("src/a.py", "a = 1\n")
    repo.commit()
    payload = sample(host, name, repo.root)
    with ThreadPoolExecutor(3) as pool:
        said = [done.said for done in pool.map(lambda line: run(payload, repo.root, line), ("", host, host))]
    assert sum(NOTE in one for one in said) == 1


def test_windsurf_is_refused_by_its_exit_status(due: Repo) -> None:
    ran = run(sample("windsurf", "pre_write_code", due.root), due.root)
    assert (ran.status, ran.said) == (2, "")
    assert NOTE in ran.errors
    assert run(sample("windsurf", "post_read_code", due.root), due.root) == Ran(0, "", "")


def test_kiro_is_refused_by_its_exit_status_and_briefed_in_plain_text(due: Repo) -> None:
    payload = sample("kiro", "PreToolUse", due.root)
    payload["tool_input"] = {"command": "sed -i s/1/2/ src/a.py"}
    ran = run(payload, due.root)
    assert (ran.status, ran.said) == (2, "")
    assert NOTE in ran.errors
    start = {"hook_event_name": "agentSpawn", "session_id": "k", "cwd": str(due.root)}
    briefed = run(start, due.root, "kiro")
    assert briefed.status == 0
    assert briefed.said.startswith("Notes kept in docs/gatilhos")


class TestOneCallWithTwoEvents:
    """Cursor sends `preToolUse` and an event of its own for a command and for a server's tool."""

    def command(self, due: Repo, name: str, **fields: Any) -> Ran:
        payload = sample("cursor", "beforeShellExecution", due.root)
        return run({**payload, "hook_event_name": name, **fields}, due.root)

    def test_the_one_that_can_ask_decides(self, due: Repo) -> None:
        line = "sed -i s/1/2/ src/a.py"
        first = self.command(due, "preToolUse", tool_name="Shell", tool_input={"command": line}, tool_use_id="t")
        assert first == Ran(0, "", "")
        assert due.ledger() == []
        second = json.loads(self.command(due, "beforeShellExecution", command=line).said)
        assert second["permission"] == "ask"

    def test_the_same_for_a_tool_of_a_server(self, due: Repo) -> None:
        given = {"path": "src/a.py", "content": "a = 2"}
        first = self.command(due, "preToolUse", tool_name="MCP:write_file", tool_input=given, tool_use_id="t")
        assert first == Ran(0, "", "")
        fields = {"tool_name": "write_file", "tool_input": json.dumps(given), "url": "http://localhost:1"}
        second = json.loads(self.command(due, "beforeMCPExecution", **fields).said)
        assert second["permission"] == "ask"

    def test_claudes_registration_has_one_event_only(self, due: Repo) -> None:
        payload = sample("cursor", "preToolUse", due.root)
        given = {"command": "sed -i s/1/2/ src/a.py"}
        payload.update(hook_event_name="PreToolUse", tool_name="Shell", tool_input=given, session_id="c")
        said = json.loads(run(payload, due.root, "claude").said)
        assert said["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_geminis_signal_before_every_request_re_arms_nothing(repo: Repo) -> None:
    repo.table(row("R-1", r"path: ^src/a\.py$", NOTE, lifecycle="rule"))
    repo.write("src/a.py", "")
    read = sample("gemini", "AfterTool", repo.root)
    read.update(tool_name="read_file", tool_input={"file_path": "src/a.py"}, tool_response={"llmContent": ""})
    assert NOTE in run(read, repo.root).said
    assert run(sample("gemini", "PreCompress", repo.root), repo.root) == Ran(0, "", "")
    assert run(read, repo.root).said == ""


@pytest.mark.parametrize("host", ["gemini", "qwen"])
def test_a_command_runs_in_the_folder_that_its_call_names(due: Repo, host: str) -> None:
    due.write("a.py", "another file\n")
    payload = sample(host, "BeforeTool" if host == "gemini" else "PreToolUse", due.root)
    key = "dir_path" if host == "gemini" else "directory"
    payload.update(tool_name="run_shell_command", tool_input={"command": "sed -i s/1/2/ a.py", key: "src"})
    assert NOTE in run(payload, due.root).said
    payload["tool_input"][key] = str(due.root)
    assert NOTE not in run({**payload, "session_id": "other", "tool_use_id": "other"}, due.root).said


class TestPrompts:
    def test_what_gemini_puts_before_a_prompt_is_not_typed_by_a_person(self) -> None:
        said = "<hook_context>Notes kept in docs/gatilhos: &lt;b&gt;\nok D-2</hook_context>\n\n"
        payload = {**sample("gemini", "BeforeAgent"), "prompt": f"{said}ok D-1\n<hook_context> as text"}
        assert host_named("gemini").read(payload).prompt == "ok D-1\n<hook_context> as text"

    def test_qwen_sends_tool_results_as_prompts_and_only_a_submitted_one_counts(self) -> None:
        payload = sample("qwen", "UserPromptSubmit")
        assert host_named("qwen").read(payload).kind == PROMPT
        assert host_named("qwen").read({**payload, "prompt": "", "submitted_prompt": ""}).kind == ""
        del payload["submitted_prompt"]
        assert host_named("qwen").read(payload).kind == ""

    def test_opencode_hands_over_parts(self) -> None:
        parts = [{"type": "text", "text": "ok D-1"}, {"type": "file", "url": "file:///r/a.py"}]
        output = {"message": {"id": "m-1"}, "parts": parts}
        event = host_named("opencode").read({"hook": "chat.message", "input": {"sessionID": "s"}, "output": output})
        assert (event.kind, event.session, event.turn, event.prompt) == (PROMPT, "s", "m-1", "ok D-1")

    def test_a_subagents_prompt_is_no_persons(self) -> None:
        found = {"sessionId": "child", "agentId": "child", "parentAgentId": "parent", "prompt": "ok D-1"}
        event = host_named("copilot").read({**found, "timestamp": 1, "cwd": "/r"})
        assert (event.session, event.agent, event.person) == ("parent", "child", False)


def test_the_scripts_for_cline_answer_in_any_folder(due: Repo) -> None:
    assert run_cli("init", "--host", "cline", cwd=due.root).status == 0
    payload = sample("cline", "PreToolUse", due.root)
    payload["tool_call"]["input"]["path"] = due.path("src/a.py")
    done = subprocess.run(
        [due.path(".clinerules/hooks/PreToolUse")],
        input=json.dumps(payload), cwd="/", capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr, json.loads(done.stdout)["cancel"]) == (0, "", True)
    (due.root / "scripts/gatilho.py").unlink()
    assert subprocess.run([due.path(".clinerules/hooks/TaskStart")], input=b"{}", timeout=60).returncode == 0


@pytest.mark.parametrize("host", catalog.hosts(), ids=lambda host: host.name)
class TestEveryRecord:
    def test_it_names_events_and_tools_of_every_trade(self, host: Host) -> None:
        assert {*host.events.values()} >= {PROMPT, BEFORE, AFTER, TURN_CLOSE}
        assert host.tool_that(WRITES) or host.tool_that(PATCHES)
        assert host.tool_that(RUNS)
        assert {*host.context} <= {*host.events}
        assert {tool.does for tool in host.tools.values()} <= {"reads", WRITES, RUNS, PATCHES, "ignore"}

    def test_what_is_registered_is_read(self, host: Host) -> None:
        assert {*host.limits} <= {*host.events}
        assert not host.limits or host.limits[host.event_of(TURN_CLOSE)] >= 90

    def test_its_settings_leave_the_quiet_path(self, host: Host) -> None:
        assert all(any(place in file for place in SETTINGS_PLACES) for file in host.settings.guarded_files)


MADE_UP = '''
"""A host of a test."""

from gatilho.hosts import A_PERSON_DECIDES, ANY, Host, Settings, tool_table
from gatilho.hosts.event import AFTER, BEFORE, PROMPT, TURN_CLOSE, Event, Reply, text_of

EVENTS = {"asked": PROMPT, "will": BEFORE, "did": AFTER, "done": TURN_CLOSE}


def read(payload: dict[str, object]) -> Event:
    name = text_of(payload, "what")
    return Event(
        "madeup", EVENTS.get(name, ""), name, session=text_of(payload, "talk"), cwd=text_of(payload, "where"),
        tool=text_of(payload, "with"), input=payload.get("given"),
    )


def answer(event: Event, reply: Reply) -> dict[str, object]:
    return {"tell": reply.context} if reply.context else {"stop": reply.reason} if reply.decision else {}


HOST = Host(
    name="madeup", title="Made Up", read=read, answer=answer, events=EVENTS, context=("did",),
    asks={ANY: A_PERSON_DECIDES}, tools=tool_table(writes="scribble", runs="do"), signs=("what", "talk"),
    settings=Settings(guarded=("made_up.conf",)), marks=("MADE_UP_AGENT",),
)
'''


class TestAHostIsOneFile:
    @pytest.fixture
    def package(self, tmp_path: Path) -> Path:
        """A copy of the package with one file more."""
        shutil.copytree(CHECKOUT / "gatilho", tmp_path / "copy/gatilho", ignore=shutil.ignore_patterns("__pycache__"))
        (tmp_path / "copy/gatilho/hosts/madeup.py").write_text(MADE_UP)
        return tmp_path / "copy"

    @pytest.mark.parametrize("named", ["madeup", ""], ids=["named by the command", "told by its payload"])
    def test_its_events_are_answered(self, due: Repo, package: Path, named: str) -> None:
        event = {"what": "did", "talk": "t", "where": str(due.root), "with": "scribble", "given": {"path": "src/a.py"}}
        assert NOTE in json.loads(run(event, due.root, named, package).said)["tell"]
        assert NOTE in json.loads(run({**event, "what": "will", "talk": "u"}, due.root, named, package).said)["stop"]

    def test_its_settings_are_guarded(self, due: Repo, package: Path) -> None:
        event = {"what": "will", "talk": "t", "where": str(due.root), "with": "scribble"}
        ran = run({**event, "given": {"path": "made_up.conf"}}, due.root, "madeup", package)
        assert "made_up.conf" in json.loads(ran.said)["stop"]

    def test_its_agents_are_known(self, package: Path) -> None:
        code = f"import sys; sys.path.insert(0, {str(package)!r})\nfrom gatilho.console.terminal_guard import host_in\n"
        code += "print(*host_in({'MADE_UP_AGENT': '1'}))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=package)
        assert done.stdout == "Made Up MADE_UP_AGENT\n"
