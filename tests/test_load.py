"""Many sessions, many at once, and hooks that are killed: nothing is lost and nothing counts twice."""

import os
import random
import signal
import subprocess
import sys
import time
from typing import Any

import pytest
from builders import BACKLOG, DISPATCHER, HEADER, Repo, database, row, run_hook, run_hooks
from claude_session import Session
from ladder_steps import settle

from gatilho.fast_path import read_call
from gatilho.hosts.claude import HOST as CLAUDE
from gatilho.ladder import events
from gatilho.ladder.sessions import FORGOTTEN_AFTER

DEBTS = 25
KILLED = 60
FORGOTTEN = 15


@pytest.fixture
def owing(repo: Repo) -> Repo:
    """A repository with debts on a file each, and a rule on all of them."""
    for number in range(DEBTS):
        repo.write(anchor(number), "x = 1\n")
    debts = [row(f"D-{number}", rf"path: ^src/{number}\.py$") for number in range(DEBTS)]
    repo.table(*debts, row("R-1", r"path: ^src/", lifecycle="rule"))
    return repo


def anchor(number: int) -> str:
    return f"src/{number % DEBTS}.py"


def edit_of(repo: Repo, number: int) -> dict[str, object]:
    return {"file_path": repo.path(anchor(number)), "old_string": "1", "new_string": "2"}


def play(repo: Repo, number: int, session_id: str = "") -> None:
    """A turn that edits one of the files, in this process: the events as the hook's main function hands them on."""
    session = Session(repo, session_id or f"{number:08}")
    edit = edit_of(repo, number)
    for event in (session.prompt(), session.pre("Edit", **edit), session.post("Edit", **edit), session.stop()):
        _handle(event)


def _handle(payload: dict[str, Any]) -> None:
    event = CLAUDE.read(payload)
    events.handle_event(event, CLAUDE, read_call(event))


def settled(repo: Repo) -> tuple[int, int]:
    """The rides in the cells and the charges in the ledger, after whatever waited has been written."""
    settle(repo)
    rides = sum(repo.rides(f"D-{number}") for number in range(DEBTS))
    return rides, len({(line["id"], line["session"]) for line in repo.ledger("charged")})


def test_a_hundred_sessions_each_count_once(owing: Repo) -> None:
    for number in range(100):
        play(owing, number)
    assert settled(owing) == (100, 100)
    assert owing.rides("R-1") == 100


def test_fifty_sessions_that_close_at_once_lose_nothing(owing: Repo) -> None:
    sessions = [Session(owing, f"{number:08}") for number in range(50)]
    for number, session in enumerate(sessions):
        _handle(session.post("Edit", **edit_of(owing, number)))
    run_hooks([session.stop() for session in sessions])
    assert settled(owing) == (50, 50)
    assert owing.rides("R-1") == 50


def test_old_sessions_are_dropped_and_the_file_stays_small(owing: Repo) -> None:
    for number in range(FORGOTTEN):
        play(owing, number)
    path = owing.root / ".git/gatilho/sessions.db"
    size = path.stat().st_size
    for round_number in range(2):
        with database(path) as db:
            db.execute("UPDATE session SET seen = seen - ?", (FORGOTTEN_AFTER + 1,))
        run_hook(Session(owing, f"{round_number}-later").session_start())
        with database(path) as db:
            assert db.execute("SELECT count(*) FROM session").fetchone()[0] <= 2
            assert db.execute("SELECT count(*) FROM charged").fetchone()[0] == 0
        for number in range(FORGOTTEN):
            play(owing, number, f"{round_number}{number:07}-again")
        assert path.stat().st_size <= size * 1.2
    assert len(list((owing.root / ".git/gatilho/live").iterdir())) <= FORGOTTEN + 10


@pytest.mark.slow
def test_a_hook_killed_at_any_point_leaves_the_table_whole(owing: Repo) -> None:
    chance = random.Random(11)
    original = owing.read(BACKLOG)
    environment = {**os.environ}
    for number in range(KILLED):
        session = Session(owing, f"{number:08}")
        _handle(session.post("Edit", **edit_of(owing, number)))
        _kill_within(session.stop(), chance.uniform(0.005, 0.12), environment)
        lines = owing.read(BACKLOG).splitlines()
        assert len(lines) == len(original.splitlines())
        assert lines[:2] == HEADER.splitlines()
    for number in range(KILLED):  # what a killed close left open is closed by the session's next event
        _handle(Session(owing, f"{number:08}").prompt())
    assert settled(owing) == (KILLED, KILLED)
    assert owing.rides("R-1") == KILLED
    leftovers = list((owing.root / "docs/gatilhos").glob("**/*.tmp"))
    for path in leftovers:
        os.utime(path, (0, 0))
    play(owing, 0, "the-next-writer")
    assert not any(path.exists() for path in leftovers), "the next writer sweeps what killed ones left"


def _kill_within(event: dict[str, object], seconds: float, environment: dict[str, str]) -> None:
    """Start the hook on the event and kill it after so long, wherever it is by then."""
    import json

    process = subprocess.Popen(
        [sys.executable, "-I", "-S", str(DISPATCHER), "--host", "claude"],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment,
    )  # fmt: skip
    assert process.stdin is not None
    try:
        process.stdin.write(json.dumps(event).encode())
        process.stdin.close()
    except BrokenPipeError:
        pass
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.wait()
