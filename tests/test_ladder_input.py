"""Events as hosts should not send them, and places where there is nothing to do: exit 0, valid or empty output."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from builders import BACKLOG, HEADER, Repo, row, run_hook
from ladder_steps import NOTE, Play, log_of

PATH = "src/a.py"


@pytest.fixture
def play(repo: Repo) -> Play:
    repo.write(PATH, "x\n")
    repo.table(
        row("D-1", r"path: ^src/a\.py$", NOTE), row("R-1", r"cmd: ^git push\b", "about pushing", lifecycle="rule")
    )
    return Play(repo)


def read_event(play: Play) -> dict[str, Any]:
    return play.session.post("Read", file_path=play.repo.path(PATH))


@pytest.mark.parametrize(
    "data",
    [
        b"", b" \n", b"\0", b"{", b"[]", b"null", b"7", b'"text"', b"{}", b"\xff\xfe{}", b"not json", b'{"a":', b"[" * 100_000,
        b'{"hook_event_name":"PostToolUse"', b'{"hook_event_name":"C:\\work"}', b'{"hook_event_name":"Nothing"}',
        b'{"hook_event_name":7}', b'{"hook_event_name":"PostToolUse","tool_name":"Read","tool_input":{"file_path":1e999}}',
    ],
    ids=lambda data: repr(data[:24]),
)  # fmt: skip
def test_what_is_no_event_is_let_pass(play: Play, data: bytes) -> None:
    answer = run_hook(data, cwd=play.repo.root)
    assert answer.answer is None
    assert answer.stderr.count("\n") <= 1


@pytest.mark.parametrize("field", ["session_id", "transcript_path", "cwd", "tool_use_id", "permission_mode", "tool_response", "prompt_id"])  # fmt: skip
@pytest.mark.parametrize("value", [None, 7, [], {}, "", True], ids=repr)
def test_a_field_of_a_wrong_type_costs_only_itself(play: Play, field: str, value: object) -> None:
    event = read_event(play)
    event[field] = value
    assert NOTE in run_hook(event, cwd=play.repo.root).context


@pytest.mark.parametrize(
    "change",
    [
        {"tool_name": None}, {"tool_name": 7}, {"tool_name": ""}, {"tool_name": "Unknown"}, {"tool_input": None},
        {"tool_input": []}, {"tool_input": "text"}, {"tool_input": {}}, {"tool_input": {"file_path": None}},
        {"tool_input": {"file_path": 7}}, {"tool_input": {"file_path": ["src/a.py"]}}, {"tool_input": {"file_path": ""}},
        {"tool_input": {"file_path": "a\0b"}}, {"tool_input": {"file_path": "/"}}, {"tool_input": {"file_path": "../../.."}},
        {"hook_event_name": "PostToolBatch"}, {"hook_event_name": "Notification"},
    ],
    ids=repr,
)  # fmt: skip
def test_a_call_that_names_no_file_concerns_nobody(play: Play, change: dict[str, object]) -> None:
    assert run_hook({**read_event(play), **change}).answer is None


@pytest.mark.parametrize(
    "event",
    [
        {"hook_event_name": "SessionStart", "source": 7},
        {"hook_event_name": "UserPromptSubmit", "prompt": None},
        {"hook_event_name": "UserPromptSubmit", "prompt": "ok\0 D-1\r\nok D-1"},
        {"hook_event_name": "Stop", "stop_hook_active": "yes"},
        {"hook_event_name": "SessionEnd"},
        {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "\0\ud800 'unclosed"}},
        {"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {"file_path": "docs/gatilhos/x.md"}},
        {"hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_input": {"file_path": "src/a.py", "old_string": 7}},
    ],
    ids=repr,
)  # fmt: skip
def test_odd_events_leave_the_tables_alone(play: Play, event: dict[str, object]) -> None:
    before = play.repo.read(BACKLOG)
    run_hook({"session_id": "s", "cwd": str(play.repo.root), **event})
    assert play.repo.read(BACKLOG) == before
    assert log_of(play.repo) == ""


def test_a_byte_order_mark_and_blanks_around_it(play: Play) -> None:
    data = b"\xef\xbb\xbf \r\n" + json.dumps(read_event(play)).encode() + b"\n\n"
    assert NOTE in run_hook(data, cwd=play.repo.root).context


def test_a_huge_event(play: Play) -> None:
    event = read_event(play)
    event["tool_response"] = {"file": {"content": "x" * 10_000_000}}
    assert NOTE in run_hook(event).context


def test_a_huge_write(play: Play) -> None:
    play.read(PATH)
    content = "x" * 6_000_000
    assert run_hook(play.session.pre("Write", file_path=play.repo.path(PATH), content=content)).answer is None
    assert run_hook(play.session.post("Write", file_path=play.repo.path(PATH), content=content)).answer is None
    play.stop()
    assert play.repo.rides("D-1") == 1


def test_text_that_is_no_utf_8(play: Play) -> None:
    Path(os.fsdecode(os.fsencode(play.repo.path("src")) + b"/\xff.py")).touch()
    play.repo.table(row("D-1", r"path: ^src/", NOTE))
    data = json.dumps({**read_event(play), "tool_input": {"file_path": "NAME"}}).encode()
    data = data.replace(b"NAME", os.fsencode(play.repo.path("src")) + b"/\xff.py")
    assert NOTE in run_hook(data, cwd=play.repo.root).context
    run_hook(data.replace(b'"Read"', b'"Write"'), cwd=play.repo.root)
    play.stop()
    assert play.repo.rides("D-1") == 1


def test_half_a_surrogate_pair(play: Play) -> None:
    play.repo.table(row("D-1", r"path: ^src/", NOTE))
    data = json.dumps({**read_event(play), "tool_input": {"file_path": "src/\ud83d.py"}}).encode()
    assert NOTE in run_hook(data, cwd=play.repo.root).context


@pytest.mark.parametrize(
    "name",
    ["src/./a.py", "src//a.py", "src/deep/../a.py", "../repo/src/a.py", "link.py", "linked/a.py"],
)
def test_a_path_is_the_same_however_it_is_spelt(play: Play, name: str) -> None:
    (play.repo.root / "link.py").symlink_to("src/a.py")
    (play.repo.root / "linked").symlink_to("src")
    assert NOTE in run_hook({**read_event(play), "tool_input": {"file_path": name}}).context


@pytest.mark.parametrize(
    "name", ["../repo-old/src/a.py", "../src/a.py", "/etc/passwd", "C:\\repo\\src\\a.py", "~/src/a.py"]
)
def test_a_path_outside_matches_nothing(play: Play, name: str) -> None:
    (play.repo.root.parent / "repo-old/src").mkdir(parents=True)
    before = play.repo.read(BACKLOG)
    assert run_hook({**read_event(play), "tool_name": "Write", "tool_input": {"file_path": name}}).answer is None
    play.stop()
    assert play.repo.read(BACKLOG) == before


def test_the_working_directory_may_be_a_subfolder(play: Play) -> None:
    (play.repo.root / "src/deep").mkdir()
    event = {**read_event(play), "cwd": play.repo.path("src/deep")}
    assert run_hook({**event, "tool_input": {"file_path": "src/a.py"}}).answer is None
    assert NOTE in run_hook({**event, "tool_input": {"file_path": "../a.py"}}).context
    assert not (play.repo.root / "src/docs").exists()


def test_a_working_directory_that_is_gone(play: Play) -> None:
    gone = play.repo.root / "gone"
    assert NOTE in run_hook({**read_event(play), "cwd": str(gone)}, cwd=play.repo.root).context
    assert run_hook({**play.session.stop(), "cwd": str(gone)}, cwd=play.repo.root).answer is None


def test_no_git_at_all_is_told_at_the_start_and_nowhere_else(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    (folder / "docs/gatilhos").mkdir(parents=True)
    (folder / "docs/gatilhos/a.md").write_text(HEADER + row("D-1", "path: ^a$", NOTE) + "\n")
    events = [
        {"hook_event_name": "SessionStart", "source": "startup"},
        {"hook_event_name": "UserPromptSubmit", "prompt": "ok D-1"},
        {"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {"file_path": "a", "content": "x"}},
        {"hook_event_name": "PostToolUse", "tool_name": "Write", "tool_input": {"file_path": "a", "content": "x"}},
        {"hook_event_name": "Stop"},
        {"hook_event_name": "SessionEnd"},
    ]
    answers = [run_hook({"session_id": "s", "cwd": str(folder), **event}) for event in events]
    assert "is not a git repository" in answers[0].person
    assert answers[0].person.count("gatilho:") == 1
    assert [answer.answer for answer in answers[1:]] == [None] * 5
    assert sorted(path.name for path in folder.rglob("*")) == ["a.md", "docs", "gatilhos"]


def test_a_folder_without_git_and_tables_is_silent(tmp_path: Path) -> None:
    for name in ("SessionStart", "UserPromptSubmit", "Stop"):
        assert run_hook({"session_id": "s", "cwd": str(tmp_path), "hook_event_name": name}).answer is None
    assert list(tmp_path.iterdir()) == []


def test_a_repository_without_tables_is_silent_and_left_alone(repo: Repo) -> None:
    play = Play(repo)
    assert play.start().answer is None
    assert play.prompt("ok D-1").answer is None
    assert play.wrote("a").answer is None
    assert play.stop().answer is None
    assert not (repo.root / ".git/gatilho").exists()
    assert repo.changed() == ["a"]


def test_an_unborn_head(tmp_path: Path) -> None:
    repo = Repo.__new__(Repo)
    repo.root = tmp_path / "unborn"
    repo.root.mkdir()
    repo.git("init", "--quiet")
    repo.table(row("D-1", "path: ^a$", NOTE), commit=False)
    play = Play(repo)
    assert "not committed yet" in play.wrote("a").context
    play.stop()
    assert repo.rides("D-1") == 1
    assert [line["commit"] for line in repo.ledger()] == [""]


@pytest.mark.parametrize("make", [lambda p: p.mkdir(), lambda p: os.mkfifo(p), lambda p: p.symlink_to("nowhere.md")], ids=["folder", "pipe", "dangling link"])  # fmt: skip
def test_a_table_that_is_no_file_costs_only_itself(play: Play, make: Any) -> None:
    make(play.repo.root / "docs/gatilhos/odd.md")
    assert NOTE in play.wrote(PATH).context
    play.stop()
    assert play.repo.rides("D-1") == 1


def test_a_table_that_is_no_text_costs_only_what_cannot_be_read(play: Play) -> None:
    play.repo.write(
        "docs/gatilhos/latin.md", (HEADER + row("D-2", "path: ^src/", "em português: ação") + "\n").encode("latin-1")
    )
    play.repo.write("docs/gatilhos/zeros.md", bytes(10_000))
    text = play.wrote(PATH).context
    assert NOTE in text
    assert "[D-2; " in text
    play.stop()
    assert b"| 1 | owed |" in play.repo.read_bytes("docs/gatilhos/latin.md")
    assert "ação".encode("latin-1") in play.repo.read_bytes("docs/gatilhos/latin.md")


def test_a_bad_row_is_said_out_loud_once_a_session(play: Play) -> None:
    play.repo.table(row("D-1", r"path: ^src/a\.py$", NOTE), row("D-2", r"path: ^src/(", "broken", rides="many"))
    person = play.start().person
    assert f"{BACKLOG}:4" in person
    assert "gatilho check" in person
    assert f"{BACKLOG}:4" not in play.prompt().person + play.read(PATH).person
    assert f"{BACKLOG}:4" in Play(play.repo).start().person


@pytest.mark.parametrize("text", ["ask_after = many\n", "ask_aftr = 3\n", 'ask_after = "3"\n', "= = =", "\xff"])
def test_a_wrong_configuration_is_said_and_the_defaults_hold(play: Play, text: str) -> None:
    play.repo.write("gatilho.toml", text.encode("latin-1"))
    person = play.start().person
    assert "gatilho.toml" in person
    assert NOTE in play.read(PATH).context


def test_folders_in_the_place_of_caches(play: Play) -> None:
    play.read(PATH)
    for name in ("sessions.db", "index.db"):
        (play.repo.root / ".git/gatilho" / name).unlink()
        (play.repo.root / ".git/gatilho" / name).mkdir()
    answer = Play(play.repo).read(PATH)
    assert NOTE in answer.context


def test_a_ledger_that_is_a_file_is_told_and_loses_nothing(play: Play) -> None:
    play.repo.write("docs/gatilhos/ledger", "in the way")
    play.wrote(PATH)
    assert "ledger cannot be written" in play.stop().person
    assert play.repo.rides("D-1") == 0
    assert play.read("other").answer is None
    (play.repo.root / "docs/gatilhos/ledger").unlink()
    play.read("other")
    assert play.repo.rides("D-1") == 1


def test_tables_in_the_place_of_a_folder_are_silent(repo: Repo) -> None:
    repo.write("docs/gatilhos", "no folder")
    play = Play(repo)
    assert play.start().answer is None
    assert play.wrote("a").answer is None
    assert play.stop().answer is None


def test_off_is_silence(play: Play) -> None:
    assert Play(play.repo, env={"GATILHO": "off"}).read(PATH).answer is None
    assert NOTE in Play(play.repo, env={"GATILHO": "on"}).read(PATH).context
