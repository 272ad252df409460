"""What a host sends, written down without what could be private, played again, and described where it is not known."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import CHECKOUT, Output, Repo

from gatilho import capture, config_schema
from gatilho.hosts import catalog

ROWS = (
    "| D-1 | debt | `path: ^src/a\\.py$` | a.py sleeps. | `contains src/a.py backoff` | 3 | owed |",
    "| R-1 | rule | `cmd: ^git push` | Do not push. | | 0 | rule |",
)
ROBO = """\
[hosts.robo]
title = "Robo"
event = "kind"
session = "meta.session"
cwd = "meta.roots.0"
tool = "call.name"
call = "call.id"
input = "call.args"
paths = ["target.file"]
commands = ["line"]
tools = { edit = "writes", look = "reads", sh = "runs" }
answer = { context = "say.agent", person = "say.person", decision = "verdict", reason = "why", deny = "block" }
[hosts.robo.events]
"begin" = "session start"
"tool/pre" = "before a tool"
"tool/post" = "after a tool"
"done" = "turn close"
"""


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.write("src/a.py", "sleep(30)\n")
    repo.table(*ROWS)
    repo.commit()
    return repo


def hook(repo: Repo, payload: Any, *words: str) -> str:
    """Run the installed dispatcher with one event, as a host does."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(CHECKOUT / "scripts/gatilho.py"), *words],
        cwd=repo.root,
        input=json.dumps(payload),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def claude(repo: Repo, event: str, tool: str = "", **given: Any) -> dict[str, Any]:
    call = {"tool_name": tool, "tool_use_id": f"t-{event}", "tool_input": given} if tool else given
    common = {"session_id": "s-1", "cwd": str(repo.root), "permission_mode": "default", "transcript_path": ""}
    return {"hook_event_name": event, **common, **call}


def test_what_was_recorded_is_answered_again_and_nothing_is_written(
    shop: Repo, run_cli: Callable[..., Output], tmp_path: Path
) -> None:
    path, file = str(shop.root / "src/a.py"), str(tmp_path / "events.jsonl")
    events = [
        claude(shop, "SessionStart", source="startup"),
        claude(shop, "PostToolUse", "Read", file_path=path),
        claude(shop, "PreToolUse", "Edit", file_path=path, old_string="30", new_string="60"),
        claude(shop, "Stop"),
    ]
    first = [hook(shop, event, "--host", "claude", "--record", file) for event in events]
    assert "permissionDecision" in first[2]
    assert os.stat(file).st_mode & 0o077 == 0
    before = {name: name.read_bytes() for name in shop.root.rglob("*") if name.is_file()}

    done = run_cli("replay", file, "--json", cwd=shop.root)
    found = json.loads(done.stdout)["events"]
    assert [one["answer"] for one in found] == [json.loads(said) if said else None for said in first]
    assert [one["event"] for one in found] == ["SessionStart", "PostToolUse", "PreToolUse", "Stop"]
    lines = run_cli("replay", file, cwd=shop.root).stdout.splitlines()
    assert lines[0] == "1  SessionStart"
    assert any(line.split() == ["permissionDecision", "ask"] for line in lines)
    assert lines[-1] == "   nothing is said"
    assert {name: name.read_bytes() for name in shop.root.rglob("*") if name.is_file()} == before


def test_what_is_not_committed_counts_in_a_replay(shop: Repo, run_cli: Callable[..., Output], tmp_path: Path) -> None:
    shop.write("src/new.py", "")
    shop.table(*ROWS, "| R-2 | rule | `path: ^src/new` | a new note | | 0 | rule |")
    event = claude(shop, "PostToolUse", "Read", file_path=str(shop.root / "src/new.py"))
    (tmp_path / "one.json").write_text(json.dumps(event, indent=2))
    done = run_cli("replay", str(tmp_path / "one.json"), cwd=shop.root)
    assert "a new note" in done.stdout
    assert str(tmp_path / "gatilho-replay") not in done.stdout


def test_a_replay_writes_where_it_is_asked_to(shop: Repo, run_cli: Callable[..., Output], tmp_path: Path) -> None:
    path = str(shop.root / "src/a.py")
    shop.write("src/a.py", "sleep(31)\n")
    events = [claude(shop, "PostToolUse", "Edit", file_path=path), claude(shop, "Stop")]
    (tmp_path / "e.jsonl").write_text("".join(json.dumps(one) + "\n" for one in events))
    assert run_cli("replay", str(tmp_path / "e.jsonl"), cwd=shop.root).status == 0
    assert "| 3 | owed |" in shop.read("docs/gatilhos/backlog.md")
    assert run_cli("replay", "--write", str(tmp_path / "e.jsonl"), cwd=shop.root).status == 0
    assert "| 4 | owed |" in shop.read("docs/gatilhos/backlog.md")
    refused = run_cli("replay", "--write", str(tmp_path / "e.jsonl"), cwd=shop.root, env={"CLAUDECODE": "1"})
    assert (refused.status, "this is Claude Code's shell" in refused.stderr) == (3, True)


@pytest.mark.parametrize(
    ("text", "said"),
    [("{", "this is not JSON"), ("7", "this is no event"), (None, "cannot be read: No such file")],
    ids=["no JSON", "no object", "no file"],
)
def test_a_file_without_events_is_explained(
    shop: Repo, run_cli: Callable[..., Output], tmp_path: Path, text: str | None, said: str
) -> None:
    if text is not None:
        (tmp_path / "f").write_text(text)
    done = run_cli("replay", str(tmp_path / "f"), cwd=shop.root)
    assert done.status == 2
    assert said in done.stderr


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ({"tool_input": {"file_path": "/r/a.py", "content": "secret\nlines"}},
         {"tool_input": {"file_path": "/r/a.py", "content": "<cut: 12 characters, 2 lines>"}}),
        ({"tool_response": {"filePath": "/r/a.py", "n": 7, "ok": True, "rest": None, "list": ["x"], "half": 0.5}},
         {"tool_response": {"filePath": "/r/a.py", "n": 7, "ok": True, "rest": None, "list": ["<cut: 1 characters>"],
                            "half": 0.5}}),
        ({"apiToken": "abc", "user_email": "a@b.c"}, {"apiToken": "<cut: 3 characters>", "user_email": "<cut: 5 characters>"}),
        ({"command": "API_KEY=abc curl -u me:pw --password=x h"},
         {"command": "API_KEY=CUT curl -u CUT --password=CUT h"}),
        ({"command": "cat > f <<'E'\nmine\nE\necho mine >> g"}, {"command": "cat > f <<'E'\n<cut>\nE\necho '<cut>' >> g"}),
        ({"command": "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch"},
         {"command": "*** Begin Patch\n*** Update File: a.py\n@@\n-<cut>\n+<cut>\n*** End Patch"}),
        ({"toolArgs": '{"path": "a.py", "file_text": "x"}'}, {"toolArgs": '{"path": "a.py", "file_text": "<cut: 1 characters>"}'}),
        ({"prompt": "use sk-ant-" + "a" * 24}, {"prompt": "use CUT"}),
        ({"unheard_of": "one\ntwo"}, {"unheard_of": "<cut: 7 characters, 2 lines>"}),
        ({"session_id": "s", "tool_name": "Edit", "n": [1]}, {"session_id": "s", "tool_name": "Edit", "n": [1]}),
    ],
    ids=["content", "answer", "fields of secrets", "secrets in a command", "contents in a command", "patch",
         "JSON in a text", "secret in a prompt", "a text of lines", "names stay"],
)  # fmt: skip
def test_what_could_be_private_is_cut_and_its_shape_kept(payload: dict[str, Any], expected: dict[str, Any]) -> None:
    assert capture.cut_payload(payload) == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("DB_PASSWORD='a b' PGPASS=x MY_KEY=x ./run", "DB_PASSWORD=CUT PGPASS=CUT MY_KEY=CUT ./run"),
        ("curl -H 'X-Api-Key: x' -H \"Authorization: Bearer x\" h?token=x", "curl -H 'X-Api-Key: CUT' -H \"Authorization: Bearer CUT\" h?token=CUT"),
        ("echo \"a; b\" | sudo tee f; tee g <<< mine", "echo '<cut>' | sudo tee f; tee g <<< '<cut>'"),
        ("sed -i 's/mine/x/' a.py && python3 -c \"mine\"", "sed -i '<cut>' a.py && python3 -c '<cut>'"),
        ("apply_patch <<'P'\n*** Begin Patch\n*** Update File: a.py\n@@ def mine\n-mine\n*** End Patch\nP",
         "apply_patch <<'P'\n*** Begin Patch\n*** Update File: a.py\n@@\n-<cut>\n*** End Patch\nP"),
        ("mysql -px db; git push -u origin main; sort -u a.txt; mkdir -p src", "mysql -pCUT db; git push -u origin main; sort -u a.txt; mkdir -p src"),
    ],
    ids=["variables", "headers", "printed", "programs of one line", "a patch", "options that hold none"],
)  # fmt: skip
def test_a_recorded_command_holds_no_secret_and_touches_what_the_real_one_did(command: str, expected: str) -> None:
    """What is cut leaves one word: no bracket that redirects, no star that names files."""
    assert capture.cut_payload({"command": command}) == {"command": expected}


def test_a_file_that_cannot_be_written_stops_no_answer(shop: Repo, tmp_path: Path) -> None:
    event = claude(shop, "SessionStart", source="startup")
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(CHECKOUT / "scripts/gatilho.py"), f"--record={tmp_path}"],
        cwd=shop.root, input=json.dumps(event), capture_output=True, encoding="utf-8", timeout=60,
    )  # fmt: skip
    assert (done.returncode, "in force" in done.stdout) == (0, True)
    assert "cannot be written" in done.stderr


def robo(repo: Repo, kind: str, **call: Any) -> dict[str, Any]:
    return {"kind": kind, "meta": {"session": "s-9", "roots": [str(repo.root)]}, "call": {"id": f"c-{kind}", **call}}


def test_a_host_that_only_the_configuration_knows_is_served(
    shop: Repo, run_cli: Callable[..., Output], tmp_path: Path
) -> None:
    shop.write("gatilho.toml", ROBO)
    shop.commit()
    target = {"target": {"file": "src/a.py"}, "text": "x"}
    events = [
        robo(shop, "begin"),
        robo(shop, "tool/pre", name="edit", args=target),
        robo(shop, "tool/post", name="edit", args=target),
        robo(shop, "tool/post", name="sh", args={"line": "git push --force"}) | {"call": {
            "id": "c-9", "name": "sh", "args": {"line": "git push --force"}}},
        robo(shop, "never heard of"),
    ]  # fmt: skip
    file = str(tmp_path / "robo.jsonl")
    said = [
        json.loads(text) if (text := hook(shop, one, "--host", "robo", "--record", file)) else None for one in events
    ]
    assert "2 rows in force" in said[0]["say"]["agent"]
    assert "D-1 is due" in said[0]["say"]["person"]
    assert (said[1]["verdict"], "Owed and due" in said[1]["why"]) == ("block", True)
    assert "Do not push." in said[3]["say"]["agent"]
    assert said[4] is None
    found = json.loads(run_cli("replay", file, "--json", cwd=shop.root).stdout)["events"]
    assert [one["answer"] for one in found] == said
    assert (
        json.loads(run_cli("config", "--json", cwd=shop.root).stdout)["values"]["hosts.robo.title"]["value"] == "Robo"
    )
    shop.write("src/a.py", "sleep(31)\n")
    hook(shop, robo(shop, "done"), "--host", "robo")
    assert "| 4 | owed |" in shop.read("docs/gatilhos/backlog.md")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[hosts.x]\nevent = "e"\n', "host x has no `events`"),
        ('[hosts.claude]\nevent = "e"\n', "gatilho has a record of Claude Code already, so this description is not used"),
        ('[hosts.x]\nevent = "e"\nevents = { a = "promptt" }\n', "Did you mean `prompt`?"),
        ('[hosts.x]\nevnt = "e"\nevents = { a = "prompt" }\n', "unknown key `hosts.x.evnt`"),
        ('[hosts.x]\nevent = "e"\nevents = { a = "prompt" }\nanswer = { contxt = "c" }\n', "unknown key `hosts.x.answer.contxt`"),
        ('[hosts.x]\nevent = "e"\nevents = {}\n', "host x has no `events`"),
        ('[hosts.x]\nevent = "e..x"\nevents = { a = "prompt" }\n', "`hosts.x.event` must be the name of a field"),
        ('[hosts.x]\nevent = "e"\nevents = { a = "prompt" }\ncarries = ["promptt"]\n', "`hosts.x.carries` must be a list of some of"),
        ('[hosts.x]\nevent = "e"\nevents = { a = "prompt" }\nanswer = { context = "s.a", person = "s" }\n',
         "`s` cannot hold both `context` and `person`, so `person` is left out"),
    ],
    ids=["no events", "a known host", "an unknown kind", "an unknown field", "an unknown part of an answer", "no event at all", "no path of a field",
         "an unknown kind in a list", "two parts in one place"],
)  # fmt: skip
def test_a_description_that_does_not_fit_is_explained(
    shop: Repo, run_cli: Callable[..., Output], text: str, said: str
) -> None:
    shop.write("gatilho.toml", text)
    done = run_cli("check", cwd=shop.root)
    assert done.status == 1
    assert said in done.stdout + done.stderr


def test_what_is_wrong_in_a_description_costs_only_itself(shop: Repo) -> None:
    """And a tool that is not listed is judged by its name, with the paths of the description."""
    wrong = ROBO.replace('edit = "writes"', 'edit = "write"').replace('title = "Robo"', "title = 7\nbudgt = 1")
    shop.write("gatilho.toml", wrong.replace('"done" = "turn close"', '"done" = "turn end"'))
    beside = {"target": {"file": [str(shop.root) + "-2/src/a.py", (shop.root / "src/a.py").as_uri()]}}
    said = json.loads(hook(shop, robo(shop, "tool/pre", name="edit", args=beside), "--host", "robo"))
    assert (said["verdict"], "D-1" in said["why"]) == ("block", True)
    assert "gatilho.toml:2: `hosts.robo.title` must be a text" in said["say"]["person"]


def test_a_name_that_no_host_has_is_reported_and_the_event_shows_who_calls(shop: Repo) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(CHECKOUT / "scripts/gatilho.py"), "--host", "gemni"],
        cwd=shop.root, input=json.dumps(claude(shop, "SessionStart", source="startup")),
        capture_output=True, encoding="utf-8", timeout=60,
    )  # fmt: skip
    assert (done.returncode, "2 rows in force" in done.stdout) == (0, True)
    assert "no host is called `gemni`" in done.stderr
    assert "Did you mean `--host gemini`?" in done.stderr


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_recording_is_replayed_whatever_a_host_sent_and_wherever_it_was_saved(
    shop: Repo, run_cli: Callable[..., Output], tmp_path: Path, encoding: str
) -> None:
    """One event was no JSON; one names a file of a folder beside the repository, whose name begins alike."""
    line = {"host": "claude", "root": str(shop.root)}
    beside = claude(shop, "PostToolUse", "Read", file_path=f"{shop.root}-2/src/a.py")
    events = [line | {"payload": "<cut: 8 characters>"}, line | {"payload": beside}]
    (tmp_path / "f").write_text("".join(json.dumps(one) + "\r\n" for one in events), encoding)
    done = run_cli("replay", str(tmp_path / "f"), cwd=shop.root)
    assert (done.status, done.stderr) == (0, "")
    assert done.stdout.count("nothing is said") == 2


def test_the_schema_knows_described_hosts() -> None:
    form = config_schema.schema()["properties"]["hosts"]["additionalProperties"]
    assert form["required"] == ["event", "events"]
    assert "robo" not in catalog.host_names()
