"""Hooks that run at the same moment, and hooks that are killed: real processes, one delivery, one ride, none lost."""

import json
import random
import signal
import subprocess
import sys
import time
from typing import Any

import pytest
from builders import BACKLOG, DISPATCHER, Repo, row, run_hook, run_hooks
from claude_session import Session
from ladder_steps import ANCHOR, CONDITION, FLAKY, NOTE, PAID, TRIGGER, Play, settle

DEBT = "D-7f3k"
AT_ONCE = 8


@pytest.fixture
def play(repo: Repo) -> Play:
    repo.write(ANCHOR, FLAKY)
    repo.table(row(DEBT, TRIGGER, NOTE, paid_when=CONDITION), row("R-1", TRIGGER, "a rule", lifecycle="rule"))
    return Play(repo)


def write_event(play: Play) -> dict[str, Any]:
    return play.session.post("Write", file_path=play.repo.path(ANCHOR), content="x")


def test_parallel_calls_say_a_note_exactly_once(play: Play) -> None:
    """Also when the first of them finds neither index nor sessions."""
    answers = run_hooks([write_event(play) for _ in range(AT_ONCE)])
    assert sum(NOTE in answer.context for answer in answers) == 1
    assert sum("a rule" in answer.context for answer in answers) == 1
    play.stop()
    settle(play.repo)
    assert (play.repo.rides(DEBT), play.repo.rides("R-1")) == (1, 1)


def test_each_of_several_agents_is_told_exactly_once(play: Play) -> None:
    events = [write_event(play.agent(f"a{number % 4}")) for number in range(AT_ONCE)]
    answers = run_hooks(events)
    assert sum(NOTE in answer.context for answer in answers) == 4


def test_a_hook_that_is_registered_twice_counts_once(play: Play) -> None:
    for event in (play.session.session_start(), play.session.prompt(), write_event(play), play.session.stop()):
        answers = run_hooks([event, event])
        if event["hook_event_name"] == "PostToolUse":
            assert sum(NOTE in answer.context for answer in answers) == 1
    settle(play.repo)
    assert (play.repo.rides(DEBT), play.repo.rides("R-1")) == (1, 1)
    assert len(play.repo.ledger()) == 1


def test_sessions_that_close_at_once_each_count(play: Play) -> None:
    sessions = [Play(play.repo) for _ in range(AT_ONCE)]
    run_hooks([write_event(one) for one in sessions])
    run_hooks([one.session.stop() for one in sessions])
    settle(play.repo)
    assert (play.repo.rides(DEBT), play.repo.rides("R-1")) == (AT_ONCE, AT_ONCE)
    assert len({line["session"] for line in play.repo.ledger("charged")}) == AT_ONCE


def test_parallel_touches_pay_once(play: Play) -> None:
    play.read()
    play.repo.write(ANCHOR, PAID)
    run_hooks([write_event(play) for _ in range(AT_ONCE)])
    settle(play.repo)
    assert play.repo.cell(DEBT, "id") == f"~~{DEBT}~~"
    assert [line["event"] for line in play.repo.ledger()] == ["paid"]


def test_parallel_writes_of_a_due_debt_are_all_asked_about(play: Play) -> None:
    play.repo.table(row(DEBT, TRIGGER, NOTE, rides=3))
    session = Session(play.repo, mode="dontAsk")
    events = [session.pre("Write", file_path=play.repo.path(ANCHOR), content=str(number)) for number in range(AT_ONCE)]
    assert [answer.decision for answer in run_hooks(events)] == ["deny"] * AT_ONCE
    run_hook(session.stop())
    settle(play.repo)
    assert [line["event"] for line in play.repo.ledger()] == ["asked"]


@pytest.mark.slow
def test_a_turn_close_that_is_killed_anywhere_is_finished_by_the_next_hook(play: Play) -> None:
    chance = random.Random(5)
    expected = 0
    for _ in range(36):
        one = Play(play.repo)
        run_hook(write_event(one))
        kill_within(one.session.stop(), chance.uniform(0.01, 0.12))
        expected += 1
        lines = play.repo.read(BACKLOG).split("\n")
        assert len(lines) == 5
        assert all(line.startswith("|") for line in lines[:-1])
        run_hook(one.session.prompt())  # what the killed process did not do, the session's next event does
        assert (play.repo.rides(DEBT), play.repo.rides("R-1")) == (expected, expected)
    assert len({line["session"] for line in play.repo.ledger("charged")}) == expected
    assert len(play.repo.ledger()) == expected


@pytest.mark.slow
def test_a_payment_that_is_killed_anywhere_is_one(repo: Repo) -> None:
    chance = random.Random(7)
    count = 24
    repo.table(*[row(f"D-{n}", rf"path: ^f{n}\.txt$", paid_when=f"exists f{n}.txt") for n in range(count)])
    play = Play(repo)
    for number in range(count):
        play.read(f"f{number}.txt")
    for number in range(count):
        repo.write(f"f{number}.txt", "x")
        kill_within(play.session.post("Read", file_path=repo.path(f"f{number}.txt")), chance.uniform(0.01, 0.12))
    play.stop()
    settle(repo)
    assert {repo.cell(f"D-{n}", "state") for n in range(count)} == {"paid"}
    assert sorted(line["id"] for line in repo.ledger()) == sorted(f"D-{n}" for n in range(count))


def start(event: dict[str, Any]) -> subprocess.Popen[bytes]:
    """Start a hook and leave it alone."""
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", str(DISPATCHER), "--host", "claude"],
        cwd=event["cwd"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.write(json.dumps(event).encode())
    process.stdin.close()
    return process


def kill_within(event: dict[str, Any], seconds: float) -> None:
    """Start a hook and kill it after so long, wherever it is by then."""
    process = start(event)
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.wait()
