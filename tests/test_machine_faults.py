"""Faults of the machine: what cannot be remembered, a host that keeps its end open, system calls that fail."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

import pytest
from builders import BACKLOG, CHECKOUT, DISPATCHER, Repo, database, row, run_hook, run_hooks
from claude_session import Session
from ladder_steps import settle

from gatilho.git.root import Repository, find_repository
from gatilho.hosts import host_named
from gatilho.hosts.event import PROMPT, Event
from gatilho.index.database import InMemory, OperationalError
from gatilho.ladder import later
from gatilho.ladder.event_context import EventContext, UntilClosed

NOTE = "look at a"


@pytest.fixture
def ready(repo: Repo) -> Repo:
    """A repository with a due debt, whose state is there already."""
    repo.write("src/a.py", "x\n")
    repo.table(row("D-1", r"path: ^src/a\.py$", NOTE, paid_when="contains src/a.py done", rides=3))
    run_hook(Session(repo).session_start())
    return repo


def touched(session: Session) -> dict[str, Any]:
    return session.post("Read", file_path=session.repo.path("src/a.py"))


def write_asked(session: Session) -> dict[str, Any]:
    return session.pre("Edit", file_path=session.repo.path("src/a.py"), old_string="x", new_string="y")


def run_wrapped(wrap: list[str], event: dict[str, Any], dispatcher: Path = DISPATCHER) -> dict[str, Any]:
    """The answer of the dispatcher's process below another program."""
    command = [*wrap, sys.executable, "-I", "-S", str(dispatcher)]
    done = subprocess.run(command, input=json.dumps(event).encode(), cwd=event["cwd"], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout) if done.stdout else {}


def read_only(folder: Path) -> list[str]:
    """What runs a program with the folder mounted read-only; skips the test where that is not allowed."""
    script = f'mount --bind "{folder}" "{folder}" && mount -o remount,ro,bind "{folder}" && exec "$@"'
    wrap = ["unshare", "-m", "sh", "-c", script, "sh"]
    if not shutil.which("unshare") or subprocess.run([*wrap, "true"], capture_output=True).returncode:
        pytest.skip("mounting a folder read-only is not allowed here")
    return wrap


def failing(what: str) -> list[str]:
    """What runs a program whose system calls fail as strace is told; skips the test where that is not allowed."""
    wrap = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject={what}"]
    if not shutil.which("strace") or subprocess.run([*wrap[:5], "true"], capture_output=True).returncode:
        pytest.skip("strace is missing or not allowed here")
    return wrap


class TestInput:
    def test_a_host_that_keeps_its_end_open_is_answered(self, ready: Repo) -> None:
        event = json.dumps(touched(Session(ready))).encode()
        with subprocess.Popen([sys.executable, "-I", "-S", str(DISPATCHER)], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, cwd=ready.root) as process:  # fmt: skip
            assert process.stdin is not None
            assert process.stdout is not None
            for piece in (event[:20], event[20:]):
                process.stdin.write(piece)
                process.stdin.flush()
                time.sleep(0.05)
            assert NOTE.encode() in process.stdout.read()
            assert process.wait(timeout=20) == 0

    @pytest.mark.parametrize("marks", [1 * "\ufeff", 2 * "\ufeff", "\ufeff\r\n\ufeff", " \ufeff \ufeff "])
    def test_byte_order_marks_are_read_over(self, ready: Repo, marks: str) -> None:
        assert NOTE in run_hook(marks.encode() + json.dumps(touched(Session(ready))).encode()).context


def test_a_database_that_another_process_holds_is_not_said_to_be_read_only(ready: Repo) -> None:
    event = Event("claude", PROMPT, "UserPromptSubmit", session="s", cwd=str(ready.root))
    with InMemory(OperationalError("database is locked")):
        repository = find_repository(str(ready.root))
        assert repository is not None
        with UntilClosed(EventContext(event, host_named("claude"), repository)) as context, context:
            (said,) = context.person
    assert "has to be let go by the process that holds it" in said
    assert "writable" not in said


class TestReadOnlyState:
    @pytest.mark.parametrize("what", [".git", ".git/gatilho"])
    def test_notes_and_asks_go_out_and_the_person_hears_it_once(self, ready: Repo, what: str) -> None:
        wrap = read_only(ready.root / what)
        session = Session(ready)
        answers = [run_wrapped(wrap, event) for event in (touched(session), write_asked(session), touched(session))]
        assert NOTE in answers[0]["hookSpecificOutput"]["additionalContext"]
        assert answers[1]["hookSpecificOutput"]["permissionDecision"] in ("ask", "deny")
        said = "\n".join(answer.get("systemMessage", "") for answer in answers)
        assert said.count("cannot be remembered") == 1
        assert run_hook(Session(ready).session_start()).answer is not None  # nothing was broken by it


class TestFailingCalls:
    @pytest.mark.parametrize("what", ["fcntl:error=EIO:when=3", "fcntl:error=ENOLCK:when=5+", "pwrite64:error=EIO:when=2",
                                      "pwrite64:error=ENOSPC", "fdatasync:error=EIO", "pread64:error=EIO:when=4"])  # fmt: skip
    def test_the_note_goes_out_and_nothing_remembered_is_lost(self, ready: Repo, what: str) -> None:
        other = Session(ready)
        run_hook(other.prompt())
        run_hook(touched(other))
        answer = run_wrapped(failing(what), touched(Session(ready)))
        assert NOTE in answer["hookSpecificOutput"]["additionalContext"]
        with database(ready.root / ".git/gatilho/sessions.db") as connection:
            delivered = connection.execute("SELECT count(*) FROM delivered WHERE session LIKE ?", (other.id + "%",))
            assert delivered.fetchone()[0] == 1

    def test_what_sqlite_calls_malformed_is_made_anew(self, ready: Repo) -> None:
        path = ready.root / ".git/gatilho/sessions.db"
        data = bytearray(path.read_bytes())
        data[4096:] = os.urandom(len(data) - 4096)
        path.write_bytes(data)
        for _ in range(2):
            assert NOTE in run_hook(touched(Session(ready))).context
        path.write_bytes(path.read_bytes()[:99])  # cut, as by a power failure
        session = Session(ready)
        said = [run_hook(one) for one in (touched(session), session.stop(), session.prompt())]
        assert NOTE in said[0].context
        assert sum("may be missing" in one.person for one in said) == 1
        with database(path) as connection:
            assert connection.execute("PRAGMA quick_check").fetchone() == ("ok",)


class TestNothingIsLost:
    @pytest.mark.parametrize("how", ["BEGIN EXCLUSIVE", "BEGIN"], ids=["written", "read"])
    def test_what_came_while_the_sessions_were_held_is_taken_in_by_the_next_event(self, ready: Repo, how: str) -> None:
        """A reader lets a transaction begin and stops its end: then what was to be taken in goes on waiting."""
        session = Session(ready)
        holder = sqlite3.connect(ready.root / ".git/gatilho/sessions.db", isolation_level=None)
        holder.execute(how)
        assert holder.execute("SELECT count(*) FROM session").fetchone() == (1,)
        try:
            note = run_hook(session.post("Edit", file_path=ready.path("src/a.py"), old_string="", new_string="x"))
            run_hook(session.stop())
        finally:
            holder.rollback()
            holder.close()
        assert NOTE in note.context
        assert ready.rides("D-1") == 3
        said = run_hook(Session(ready).post("Read", file_path=ready.path("README.md"))).person  # matches no row
        assert "4 rides now" in said
        assert ready.rides("D-1") == 4
        assert list((ready.root / ".git/gatilho/later").iterdir()) == []

    # A close makes about 116 such calls of the first kind, five, two, one and six of the others.
    @pytest.mark.parametrize(
        ("call", "when"),
        [
            *(("pwrite64", when) for when in (1, 2, 4, 7, 12, 50, 90)),
            *(("write", when) for when in (1, 2, 4)),
            *(("rename", when) for when in (1, 2)),
            ("link,linkat", 1),
            *(("unlink,unlinkat", when) for when in (1, 2, 4)),
        ],
    )
    def test_a_kill_at_any_write_of_a_turns_close(self, ready: Repo, call: str, when: int) -> None:
        session = Session(ready)
        run_hook(session.post("Edit", file_path=ready.path("src/a.py"), old_string="", new_string="x"))
        wrap = failing(f"{call}:signal=KILL:when={when}")
        done = subprocess.run([*wrap, sys.executable, "-I", "-S", str(DISPATCHER)], input=json.dumps(session.stop()).encode(),
                              cwd=ready.root, capture_output=True, timeout=60)  # fmt: skip
        assert done.returncode == -signal.SIGKILL, "it came to its end before such a call"
        run_hook(session.stop())  # the host tries again, or the session ends
        run_hook(Session(ready).session_start())
        assert ready.rides("D-1") == 4
        assert {line["session"] for line in ready.ledger("charged")} != set()
        assert len({line["session"] for line in ready.ledger("charged")}) == 1

    @pytest.mark.parametrize("in_place", [False, True])
    def test_a_crowd_while_an_editor_saves_the_table(self, ready: Repo, in_place: bool) -> None:
        sessions = [Session(ready) for _ in range(10)]
        path, done = ready.root / BACKLOG, threading.Event()

        def save() -> None:
            beside = path.with_suffix(".saving")
            while not done.wait(0.02):
                data = path.read_bytes()
                with (path if in_place else beside).open("wb", buffering=0) as file:
                    soon = time.time() + 0.9  # a loaded machine needs longer than an editor
                    os.utime(file.fileno(), (soon, soon))
                    time.sleep(0.005)
                    file.write(data)
                if not in_place:
                    beside.replace(path)

        editor = threading.Thread(target=save)
        editor.start()
        try:
            edits = [
                one.post("Edit", file_path=ready.path("src/a.py"), old_string="", new_string="x") for one in sessions
            ]
            run_hooks(list(edits))
            run_hooks([one.stop() for one in sessions])
        finally:
            done.set()
            editor.join()
        run_hook(Session(ready).post("Read", file_path=ready.path("README.md")))  # matches no row
        settle(ready)
        assert len({line["session"] for line in ready.ledger("charged")}) == len(sessions)

    @pytest.mark.parametrize("left", ["", "gone", "a header"])
    def test_a_row_is_not_gone_while_its_table_is_saved(self, ready: Repo, left: str) -> None:
        session = Session(ready)
        run_hook(session.post("Edit", file_path=ready.path("src/a.py"), old_string="", new_string="x"))
        table = ready.read(BACKLOG)
        if left == "gone":
            (ready.root / BACKLOG).unlink()
        else:
            ready.write(BACKLOG, left and table[: table.index("| D-1")])
        soon = time.time() + 0.9  # a loaded machine needs longer than an editor
        changed = ready.root / BACKLOG if left != "gone" else (ready.root / BACKLOG).parent
        os.utime(changed, (soon, soon))
        said = run_hook(session.stop()).person
        assert ("being saved" if left == "a header" else "is being written by another process") in said
        ready.write(BACKLOG, table)
        assert "4 rides now" in run_hook(Session(ready).post("Read", file_path=ready.path("README.md"))).person
        assert len(ready.ledger("charged")) == 1

    def test_rows_speak_on_while_their_table_is_moved_away_and_written_in_halves(self, ready: Repo) -> None:
        table, path = ready.read_bytes(BACKLOG), ready.root / BACKLOG
        sessions = [Session(ready) for _ in range(4)]
        edit = {"file_path": ready.path("src/a.py"), "old_string": "", "new_string": "x"}
        run_hook(Session(ready).post("Read", file_path=edit["file_path"]))  # from now on the table is known
        path.unlink()
        for session, half in zip(sessions, [b"", b"", table[:20], table[: table.index(b"| D-1") + 9]], strict=True):
            if session is not sessions[0]:
                path.write_bytes(half)
            soon = time.time() + 0.9  # a loaded machine needs longer than an editor
            os.utime(path if path.exists() else path.parent, (soon, soon))
            assert "[D-1;" in run_hook(session.post("Edit", **edit)).context, half
            run_hook(session.stop())
        path.write_bytes(table)
        run_hook(Session(ready).post("Read", file_path=ready.path("README.md")))
        assert len({line["session"] for line in ready.ledger("charged")}) == len(sessions)
        assert ready.rides("D-1") == 3 + len(sessions)

    def test_rows_speak_on_while_their_table_is_saved_and_the_index_is_held(self, ready: Repo) -> None:
        run_hook(touched(Session(ready)))  # from now on the table is known
        ready.write(BACKLOG, "")
        soon = time.time() + 0.9  # a loaded machine needs longer than an editor
        os.utime(ready.root / BACKLOG, (soon, soon))
        with database(ready.root / ".git/gatilho/index.db") as holder:
            holder.execute("BEGIN IMMEDIATE")
            assert NOTE in run_hook(touched(Session(ready))).context

    def test_a_ride_counts_at_once_in_a_table_that_was_renamed(self, ready: Repo) -> None:
        run_hook(touched(Session(ready)))  # from now on the table is known
        (ready.root / BACKLOG).rename(ready.root / "docs/gatilhos/debts.md")
        soon = time.time() + 0.9  # as if it had just been moved, on a loaded machine too
        os.utime(ready.root / "docs/gatilhos", (soon, soon))
        session = Session(ready)
        run_hook(session.post("Edit", file_path=ready.path("src/a.py"), old_string="", new_string="x"))
        run_hook(session.stop())
        assert ready.rides("D-1", "docs/gatilhos/debts.md") == 4

    def test_a_full_disk_is_reported(self, ready: Repo) -> None:
        session = Session(ready)
        run_hook(session.post("Edit", file_path=ready.path("src/a.py"), old_string="", new_string="x"))
        answer = run_wrapped(failing("write,pwrite64:error=ENOSPC"), session.stop())
        assert answer == {}  # the answer itself cannot be written either
        assert "may be missing" in run_hook(session.prompt()).person
        answer = run_wrapped(failing("pwrite64:error=ENOSPC"), touched(Session(ready)))
        assert "full" in answer["systemMessage"]
        run_hook(session.stop())
        assert ready.rides("D-1") == 4

    @pytest.mark.parametrize(
        ("call", "linked"), [("write,pwrite64", False), ("write,pwrite64", True), ("openat", False)]
    )
    def test_an_event_that_neither_opens_nor_writes_a_file_is_reported_by_the_next(
        self, ready: Repo, call: str, linked: bool
    ) -> None:
        if linked:
            ready.git("worktree", "add", "--quiet", "../linked")
            ready.root = ready.root.parent / "linked"
        wrap, session = failing(f"{call}:error=EDQUOT"), Session(ready)
        if call == "openat":  # of our own modules alone, which the interpreter does not begin with
            for name in ("fault", "ladder/events"):
                source = CHECKOUT / f"gatilho/{name}.py"
                wrap += ["-P", str(source), "-P", cache_from_source(str(source))]
        edit = session.post("Edit", file_path=ready.path("src/a.py"), old_string="", new_string="x")
        assert run_wrapped(wrap, edit) == {}
        said = [run_hook(one).person for one in (touched(session), session.stop(), session.prompt())]
        assert [text.count("may be missing") for text in said] == [1, 0, 0]

    def test_an_event_for_which_the_package_cannot_be_read_is_reported_by_the_next(self, ready: Repo) -> None:
        ready.write("scripts/gatilho.py", DISPATCHER.read_bytes())
        (ready.root / ".git/gatilho/package").write_text(f"{CHECKOUT}\n")
        wrap, session = [*failing("openat:error=ENOSPC"), "-P", str(CHECKOUT / "gatilho/__init__.py")], Session(ready)
        edit = session.post("Edit", file_path=ready.path("src/a.py"), old_string="", new_string="x")
        for _ in range(2):  # the second finds the mark there
            assert run_wrapped(wrap, edit, ready.root / "scripts/gatilho.py") == {}
        assert [run_hook(one).person.count("may be missing") for one in (touched(session), session.stop())] == [1, 0]

    @pytest.mark.parametrize("what", ["docs/gatilhos", BACKLOG])
    def test_what_the_machine_refuses_to_read_is_not_taken_for_gone(self, ready: Repo, what: str) -> None:
        os.utime(ready.root / BACKLOG, (1, 1))  # it is read again
        answer = run_wrapped([*failing("openat:error=EIO"), "-P", ready.path(what)], touched(Session(ready)))
        if what == BACKLOG:
            assert NOTE in answer["hookSpecificOutput"]["additionalContext"]
        else:
            assert "Input/output error" in answer["systemMessage"]
        assert NOTE in run_hook(touched(Session(ready))).context

    def test_a_lock_that_cannot_be_taken_is_reported_once_and_the_ride_waits(self, ready: Repo) -> None:
        lock, session = ready.root / ".git/gatilho/queue.lock", Session(ready)
        lock.unlink(missing_ok=True)
        lock.mkdir()
        run_hook(session.post("Edit", file_path=ready.path("src/a.py"), old_string="", new_string="x"))
        assert "not written yet" in run_hook(session.stop()).person
        assert "not written yet" not in run_hook(session.prompt()).person
        lock.rmdir()
        assert "4 rides now" in run_hook(session.stop()).person

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no FIFOs")
    def test_a_pipe_in_the_place_of_a_mark_holds_up_no_hook(self, ready: Repo) -> None:
        session = Session(ready)
        run_hook(session.post("Edit", file_path=ready.path("src/a.py"), old_string="", new_string="x"))
        for path in [ready.root / ".git/gatilho/waiting", *(ready.root / ".git/gatilho/live").iterdir()]:
            path.unlink(missing_ok=True)
            os.mkfifo(path)
        assert "4 rides now" in run_hook(session.stop()).person

    def test_a_late_event_whose_handling_fails_keeps_its_turn_some_times_and_is_reported_then(
        self, ready: Repo
    ) -> None:
        repository = find_repository(str(ready.root))
        assert repository is not None
        person: list[str] = []
        handled: list[str] = []

        def handle(event: Event, _: Repository) -> list[str]:
            handled.append(event.prompt)
            if event.prompt == "first":
                raise OSError(28, "No space left on device")
            return ["counted"]

        for text in ("first", "second"):
            assert later.keep(repository, Event("claude", PROMPT, "UserPromptSubmit", prompt=text))
        (name, _) = sorted(os.listdir(ready.root / ".git/gatilho/later"))
        killed = ready.root / ".git/gatilho/later" / f"{name}.taken"
        killed.with_suffix("").rename(killed)  # by a process that was killed over it
        while later.is_kept(repository) or killed.exists():
            later.take_later(repository, handle, person)
        assert handled == [*["first"] * 9, "second"]
        assert (len(person), "10 times" in person[0], person[1]) == (2, True, "counted")
