"""What comes in on standard input, and the surroundings it comes from: read right, or let pass without a sound."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from builders import BACKLOG, DISPATCHER, Output, Repo, row, run_cli, run_hook, run_hooks
from claude_session import Session
from ladder_steps import HOUR, fall_silent

NOTE = "a.py is being split"
ANCHOR = "src/a.py"


@pytest.fixture
def repo(repo: Repo) -> Repo:
    """A repository with one debt on one file."""
    repo.write(ANCHOR, "x\n")
    repo.table(row("D-1", r"path: ^src/a\.py$", NOTE))
    return repo


def touched(repo: Repo, name: str = ANCHOR, session: str = "s1", **fields: Any) -> dict[str, Any]:
    """After an edit of a file of the repository."""
    event = Session(repo, session).post("Edit", file_path=repo.path(name), old_string="x", new_string="y")
    return {**event, **fields}


def closed(repo: Repo, session: str = "s1", **fields: Any) -> dict[str, Any]:
    return {**Session(repo, session).stop(), **fields}


def raw(event: dict[str, Any]) -> bytes:
    """The event with its letters as they are, not as escapes."""
    return json.dumps(event, ensure_ascii=False).encode("utf-8", "surrogateescape")


class TestEncodings:
    @pytest.mark.parametrize("codec", ["cp932", "cp950", "ascii", "utf-16"])
    def test_the_locale_of_the_process_changes_nothing(self, repo: Repo, codec: str) -> None:
        repo.table(row("D-1", r"path: ^src/表\.py$", NOTE))
        env = {"PYTHONIOENCODING": codec, "LC_ALL": "C", "PYTHONUTF8": "0"}
        event = touched(repo, "src/表.py")
        event["tool_input"]["new_string"] = '表"q"'
        assert NOTE in run_hook(raw(event), env=env).context
        run_hook(closed(repo), env=env)
        assert repo.rides("D-1") == 1

    def test_half_a_pair_in_what_a_tool_printed(self, repo: Repo) -> None:
        data = json.dumps(touched(repo, tool_response={"out": "HERE"})).replace("HERE", "bad \\udcb2 byte")
        assert NOTE in run_hook(data.encode()).context

    def test_half_a_pair_in_a_path_names_no_file_but_meets_a_pattern(self, repo: Repo) -> None:
        def event(session: str) -> bytes:
            return json.dumps(touched(repo, "src/HERE.py", session)).replace("HERE", "\\ud83d").encode()

        assert run_hook(event("s1")).answer is None
        repo.table(row("D-1", "path: ^src/", NOTE))
        answer = run_hook(event("s2"))
        assert NOTE in answer.context
        assert answer.context.encode()  # no half of a pair comes back out
        run_hook(closed(repo, "s2"))
        assert repo.rides("D-1") == 1
        assert "src/" in repo.ledger("charged")[0]["evidence"]

    def test_half_a_pair_in_an_id(self, repo: Repo) -> None:
        assert NOTE in run_hook(touched(repo, session="s\ud83d", tool_use_id="\udcff")).context
        run_hook(closed(repo, "s\ud83d"))
        assert repo.rides("D-1") == 1

    @pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes here only")
    def test_a_name_that_is_no_utf_8_speaks_and_is_charged(self, repo: Repo) -> None:
        repo.table(row("D-1", "path: ^src/caf", NOTE))
        path = os.fsencode(repo.path("src/")) + b"caf\xe9.py"
        Path(os.fsdecode(path)).write_bytes(b"")
        session = Session(repo, "s1")
        for event in (session.pre("Bash", command="./build"), touched(repo, os.fsdecode(b"src/caf\xe9.py"))):
            answer = run_hook(raw(event))
        assert NOTE in answer.context
        run_hook(session.post("Bash", command="./build"))
        run_hook(session.stop())
        assert repo.rides("D-1") == 1

    def test_a_byte_order_mark_and_blanks_around(self, repo: Repo) -> None:
        assert NOTE in run_hook(b"\xef\xbb\xbf \r\n" + raw(touched(repo)) + b"\r\n\n").context

    @pytest.mark.parametrize("kind", ["utf-16", "utf-16-le", "utf-16-be", "separator", "nul"])
    def test_utf_16_and_what_is_in_front_of_a_json_text(self, repo: Repo, kind: str) -> None:
        sent = raw(touched(repo))
        before = {"separator": b"\x1e", "nul": b"\0\0"}.get(kind)
        assert NOTE in run_hook(before + sent if before else sent.decode().encode(kind)).context


NOT_JSON = {
    "lone backslashes": rb'{"hook_event_name":"PreToolUse","tool_input":{"file_path":"C:\work\repo\src\a.py"}}',
    "cut off": b'{"hook_event_name": "PostToolUse", "tool_na',
    "two documents": b"{}\n{}",
    "prose": b"Traceback (most recent call last):",
    "single quotes": b"{'a': 1}",
    "nested without end": b"[" * 200_000,
    "utf-16": '{"a": 1}'.encode("utf-16"),
    "random bytes": bytes(range(256)),
}


@pytest.mark.parametrize("data", NOT_JSON.values(), ids=NOT_JSON.keys())
def test_what_is_no_json_is_let_pass_with_at_most_a_line_on_standard_error(repo: Repo, data: bytes) -> None:
    answer = run_hook(data, cwd=repo.root)
    assert answer.answer is None
    assert answer.stderr.count("\n") <= 1


def test_gemini_would_show_that_line_to_the_person_each_time(repo: Repo) -> None:
    assert run_hook(b"no json", host="gemini", cwd=repo.root) == (0, None, "")


@pytest.mark.parametrize("data", [b"", b" \n", b"null", b"7", b'"text"', b"[]", b"{}", b'{"hook_event_name": 7}'])
def test_what_is_no_event_is_let_pass_without_a_sound(repo: Repo, data: bytes) -> None:
    assert run_hook(data, cwd=repo.root) == (0, None, "")


def test_windows_paths_keep_their_letters(repo: Repo) -> None:
    event = touched(repo)
    event["tool_input"]["file_path"] = "C:\\temp\\new\\a.py"
    assert run_hook(event) == (0, None, "")


class TestFields:
    @pytest.mark.parametrize("field", ["tool_name", "tool_input"])
    @pytest.mark.parametrize("value", [None, [], 7, ""], ids=repr)
    def test_a_call_that_names_nothing_is_let_pass(self, repo: Repo, field: str, value: object) -> None:
        assert run_hook(touched(repo, **{field: value})) == (0, None, "")

    @pytest.mark.parametrize("value", [None, ["src/a.py"], 7, {"a": 1}, "", "\0", "src/a.py\0", "x" * 70_000], ids=repr)
    def test_a_path_that_is_none_is_let_pass(self, repo: Repo, value: object) -> None:
        event = touched(repo)
        event["tool_input"]["file_path"] = value
        assert run_hook(event) == (0, None, "")

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("cwd", None), ("cwd", 7), ("cwd", "/nowhere/at/all"), ("session_id", None), ("session_id", []),
            ("tool_use_id", None), ("tool_response", "text"), ("tool_response", None), ("permission_mode", {}),
            ("transcript_path", None), ("agent_id", None), ("prompt_id", 7),
        ],
    )  # fmt: skip
    def test_no_other_field_costs_the_match(self, repo: Repo, field: str, value: object) -> None:
        assert NOTE in run_hook(touched(repo, **{field: value}), cwd=repo.root).context
        run_hook(closed(repo, **{field: value}), cwd=repo.root)
        assert repo.rides("D-1") == 1


class TestStreams:
    @pytest.mark.parametrize("env", [{}, {"GATILHO": "off"}], ids=["on", "off"])
    @pytest.mark.parametrize("name", ["PreToolUse", "Notification"])
    def test_all_of_a_large_event_is_taken(self, repo: Repo, name: str, env: dict[str, str]) -> None:
        event = {**touched(repo), "hook_event_name": name, "tool_name": "Grep", "tool_input": {"pattern": "y" * 2**23}}
        with subprocess.Popen(
            [sys.executable, "-I", "-S", str(DISPATCHER)],
            cwd=repo.root, env={**os.environ, **env}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        ) as process:  # fmt: skip
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(raw(event))  # fails where nobody reads
            process.stdin.close()
            assert process.stdout.read() == b""
        assert process.returncode == 0

    def test_off_silences_the_command_of_registrations_too(self, repo: Repo) -> None:
        given = raw(touched(repo)).decode()
        assert NOTE in run_cli("hook", cwd=repo.root, stdin=given, env={"GATILHO": "on"}).stdout
        assert run_cli("hook", cwd=repo.root, stdin=given, env={"GATILHO": "off"}) == Output(0, "", "")

    def test_the_content_of_a_large_write_is_read(self, repo: Repo) -> None:
        event = Session(repo).post("Write", file_path=repo.path(ANCHOR), content="y" * 2**22)
        assert NOTE in run_hook(event).context

    def test_a_reader_that_went_away(self, repo: Repo) -> None:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(DISPATCHER)],
            cwd=repo.root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert process.stdout is not None
        process.stdout.close()
        process.stdout = None
        _, said = process.communicate(raw(touched(repo)))
        assert (process.returncode, said) == (0, b"")

    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
    def test_an_answer_that_cannot_be_written(self, repo: Repo) -> None:
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [sys.executable, "-I", "-S", str(DISPATCHER)],
                cwd=repo.root, input=raw(touched(repo)), stdout=full, stderr=subprocess.PIPE,
            )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b"")


class TestOneAnswer:
    def test_rows_of_two_tables_are_one_document(self, repo: Repo) -> None:
        repo.table(row("D-9", r"path: \.py$", "ninth note"), file="docs/gatilhos/more.md")
        answer = run_hook(touched(repo))
        assert NOTE in answer.context
        assert "ninth note" in answer.context
        run_hook(closed(repo))
        assert (repo.rides("D-1"), repo.rides("D-9", "docs/gatilhos/more.md")) == (1, 1)

    def test_a_hook_registered_twice_counts_once(self, repo: Repo) -> None:
        for session in ("s1", "s2", "s3"):
            event = touched(repo, session=session)
            run_hooks([{**event, "hook_event_name": "PreToolUse"}] * 2)
            run_hooks([event] * 2)
            run_hooks([closed(repo, session)] * 2)
        assert repo.rides("D-1") == 3
        assert len(repo.ledger("charged")) == 3

    def test_the_stop_that_follows_a_stop_says_nothing(self, repo: Repo) -> None:
        run_hook(touched(repo))
        assert run_hook(closed(repo)).answer != {}
        assert run_hook(closed(repo, stop_hook_active=True)) == (0, None, "")
        assert repo.rides("D-1") == 1

    def test_nothing_is_left_behind_but_the_cell_and_the_ledger(self, repo: Repo) -> None:
        run_hook(touched(repo))
        assert repo.changed() == []
        run_hook(closed(repo))
        table, ledger = repo.changed()
        assert table == BACKLOG
        assert ledger.startswith("docs/gatilhos/ledger/")


class TestOtherSessions:
    def test_the_stop_of_another_session_closes_nothing(self, repo: Repo) -> None:
        run_hook(touched(repo))
        assert run_hook(closed(repo, "s2")) == (0, None, "")
        assert repo.changed() == []

    @pytest.mark.parametrize("name", ["Stop", "SubagentStop"])
    def test_the_stop_of_a_helper_closes_nothing(self, repo: Repo, name: str) -> None:
        run_hook(touched(repo))
        assert run_hook(closed(repo, hook_event_name=name, agent_id="a1", agent_type="explore")) == (0, None, "")
        assert repo.changed() == []
        run_hook(closed(repo))
        assert repo.rides("D-1") == 1

    def test_a_stop_after_days_closes_no_turn_of_then(self, repo: Repo) -> None:
        run_hook(touched(repo))
        fall_silent(repo, Session(repo, "s1"), 72 * HOUR)
        assert run_hook(closed(repo)) == (0, None, "")
        assert repo.changed() == []
        run_hook(Session(repo, "s1").prompt())
        assert repo.rides("D-1") == 1

    def test_a_call_repeated_under_a_new_session_id_counts_once(self, repo: Repo) -> None:
        event = touched(repo)
        run_hook(event)
        run_hook(Session(repo, "s2").session_start("compact"))
        run_hook({**event, "session_id": "s2"})
        run_hook(closed(repo, "s2"))
        run_hook(closed(repo))
        assert repo.rides("D-1") == 1


class TestWhereItStands:
    def test_a_relative_path_counts_from_the_folder_of_the_event(self, repo: Repo) -> None:
        (repo.root / "src/deep").mkdir()
        event = touched(repo, cwd=repo.path("src/deep"))
        event["tool_input"]["file_path"] = "../a.py"
        assert NOTE in run_hook(event).context
        event = touched(repo, session="s2", cwd=repo.path("src"))
        event["tool_input"]["file_path"] = ANCHOR
        assert run_hook(event) == (0, None, "")
        assert not (repo.root / "src/docs").exists()

    @pytest.mark.parametrize("cwd", [None, "the folder itself"])
    def test_a_working_folder_that_was_removed(self, repo: Repo, tmp_path: Path, cwd: str | None) -> None:
        gone = tmp_path / "gone"
        script = f'mkdir "{gone}"; cd "{gone}"; rmdir "{gone}"; exec "{sys.executable}" -I -S "{DISPATCHER}"'
        event = touched(repo, cwd=str(gone) if cwd else None)
        done = subprocess.run(["sh", "-c", script], input=raw(event), capture_output=True)
        assert (done.returncode, done.stderr) == (0, b"")
        assert NOTE in done.stdout.decode()

    def test_a_turn_closes_where_the_host_says_that_the_project_is(self, repo: Repo, tmp_path: Path) -> None:
        env = {"CLAUDE_PROJECT_DIR": str(repo.root)}
        run_hook(touched(repo, cwd=str(tmp_path)), env=env)
        run_hook(closed(repo, cwd=str(tmp_path)), env=env)
        assert repo.rides("D-1") == 1

    def test_a_turn_closes_in_a_sibling_that_the_agent_went_to(self, repo: Repo, tmp_path: Path) -> None:
        sibling = Repo(tmp_path / "sibling")
        sibling.table(row("D-2", "path: ^b", "second note"))
        env = {"CLAUDE_PROJECT_DIR": str(repo.root)}
        assert "second note" in run_hook(touched(sibling, "b.py"), env=env).context
        run_hook(closed(repo), env=env)
        assert sibling.rides("D-2") == 1

    def test_workspace_roots_stand_for_the_folder_that_a_host_does_not_name(self, repo: Repo, tmp_path: Path) -> None:
        home = tmp_path / "home/.cursor"
        home.mkdir(parents=True)
        (tmp_path / "other").mkdir()
        common = {
            "conversation_id": "c", "generation_id": "g", "workspace_roots": [str(tmp_path / "other"), str(repo.root)],
        }  # fmt: skip
        event = {**common, "hook_event_name": "postToolUse", "tool_name": "Write", "tool_use_id": "t"}
        answer = run_hook({**event, "tool_input": {"file_path": repo.path(ANCHOR)}}, host="", cwd=home)
        assert NOTE in (answer.answer or {})["additional_context"]
        run_hook({**common, "hook_event_name": "stop", "status": "completed"}, host="", cwd=home)
        assert repo.rides("D-1") == 1
        assert list(home.iterdir()) == []

    @pytest.mark.parametrize(
        "env",
        [
            {"HOME": ""}, {"HOME": "/nowhere"}, {"XDG_CONFIG_HOME": "relative"}, {"TZ": "no/zone"}, {"PATH": ""},
            {"GIT_DIR": "/nowhere"}, {"GIT_WORK_TREE": "/"}, {"TMPDIR": "/nowhere"}, {"PYTHONWARNINGS": "error"},
        ],
        ids=lambda env: next(iter(env)),
    )  # fmt: skip
    def test_odd_surroundings(self, repo: Repo, env: dict[str, str]) -> None:
        assert NOTE in run_hook(touched(repo), env=env).context
        run_hook(closed(repo), env=env)
        assert repo.rides("D-1") == 1


class TestState:
    """What stands in the git directory can be thrown away, broken or held, and the rows speak."""

    @pytest.mark.parametrize(
        ("name", "data"),
        [
            ("index.db", b"garbage" * 999), ("index.db", b"SQLite format 3\0" + bytes(5000)), ("index.db", b""),
            ("sessions.db", b"garbage" * 999), ("sessions.db", None), ("signature", b"garbage"), ("waiting", b""),
        ],
    )  # fmt: skip
    def test_a_broken_file_costs_nothing(self, repo: Repo, name: str, data: bytes | None) -> None:
        run_hook(touched(repo))
        run_hook(closed(repo))
        path = repo.root / ".git/gatilho" / name
        if data is not None:
            path.write_bytes(data)
        elif path.exists():
            path.unlink()
        assert NOTE in run_hook(touched(repo, session="s2")).context
        run_hook(closed(repo, "s2"))
        assert repo.rides("D-1") == 2

    def test_the_whole_folder_thrown_away(self, repo: Repo) -> None:
        run_hook(touched(repo))
        run_hook(closed(repo))
        shutil.rmtree(repo.root / ".git/gatilho")
        assert NOTE in run_hook(touched(repo, session="s2")).context

    @pytest.mark.parametrize("name", ["index.db", "sessions.db"])
    @pytest.mark.parametrize("kind", ["IMMEDIATE", "EXCLUSIVE"])
    def test_a_database_that_a_stuck_process_holds(self, repo: Repo, name: str, kind: str) -> None:
        run_hook(touched(repo, "src/b.py"))
        run_hook(Session(repo, "s0").post("Read", file_path=repo.path(ANCHOR)))
        repo.table(row("D-1", r"path: ^src/a\.py$", NOTE), row("R-2", "path: ^src/", "new", lifecycle="rule"))
        holder = sqlite3.connect(repo.root / ".git/gatilho" / name, isolation_level=None)
        holder.execute(f"BEGIN {kind}")
        try:
            answer = run_hook(touched(repo))
        finally:
            holder.rollback()
            holder.close()
        assert NOTE in answer.context
        assert "new" in answer.context

    def test_what_waits_is_not_forgotten_while_a_stuck_process_holds_the_sessions(self, repo: Repo) -> None:
        run_hook(touched(repo))
        merging = repo.write(".git/MERGE_HEAD", "0" * 40 + "\n")
        run_hook(closed(repo))
        merging.unlink()
        holder = sqlite3.connect(repo.root / ".git/gatilho/sessions.db", isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        try:
            assert NOTE in run_hook(touched(repo, session="s2")).context
        finally:
            holder.rollback()
            holder.close()
        run_hook(Session(repo, "s3").post("Read", file_path=repo.path("README.md")))
        assert repo.rides("D-1") == 1

    def test_a_process_killed_over_its_lock_holds_nobody_up(self, repo: Repo) -> None:
        fcntl = pytest.importorskip("fcntl")
        assert fcntl
        run_hook(touched(repo))
        hold = "import fcntl, sys; f = open(sys.argv[1], 'w'); fcntl.flock(f, 2); print(flush=True); sys.stdin.read()"
        path = str(repo.root / ".git/gatilho/lock")
        with subprocess.Popen(
            [sys.executable, "-c", hold, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as holder:
            assert holder.stdout is not None
            holder.stdout.readline()
            run_hook(closed(repo))
            assert repo.rides("D-1") == 0  # it waits, and breaks no lock
            assert NOTE in run_hook(touched(repo, session="s2")).context
            holder.send_signal(signal.SIGKILL)
        run_hook(closed(repo, "s2"))
        assert repo.rides("D-1") == 2
