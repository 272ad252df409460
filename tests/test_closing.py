"""Commands at a turn's close, through the real dispatcher: what is run, when, how often, and what it pays."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from builders import BACKLOG, CHECKOUT, Output, Repo, row, run_cli, run_hook, run_hooks
from claude_session import Session, bash, edit, read, turn, write
from processes import allow, programs_without_bubblewrap, repository_of

from gatilho.hosts import claude
from gatilho.ladder import closing, settling
from gatilho.ladder.event_context import EventContext

pytestmark = pytest.mark.skipif(os.name != "posix", reason="commands are run on POSIX systems only")
TEST = "grep -q fixed src/a.py"


@pytest.fixture
def repo(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """Without bubblewrap, so that commands can leave a trace that the tests read; it is told once, here."""
    monkeypatch.setenv("PATH", programs_without_bubblewrap(tmp_path / "bin") + ":" + str(_grep(tmp_path)))
    repo.write("src/a.py", "a = 1\n")
    repo.write(".git/gatilho/no-sandbox", "")
    return repo


def _grep(tmp_path: Path) -> Path:
    import shutil

    folder = tmp_path / "more"
    folder.mkdir()
    for name in ("grep", "test", "wc", "date"):
        (folder / name).symlink_to(shutil.which(name, path="/usr/bin:/bin") or name)
    return folder


def counted(tmp_path: Path, text: str) -> str:
    """A command that notes each of its runs outside the repository."""
    return f"echo run >> {tmp_path}/log; {text}"


def runs(tmp_path: Path) -> int:
    log = tmp_path / "log"
    return len(log.read_text().split()) if log.exists() else 0


def debt(text: str | list[str], row_id: str = "D-1", **cells: object) -> str:
    spans = [f"passes {text}"] if isinstance(text, str) else text
    return row(row_id, r"path: ^src/a\.py$", paid_when=spans, **cells)  # type: ignore[arg-type]


def test_a_command_that_passes_pays_at_the_close(repo: Repo) -> None:
    allow(repo, TEST)
    repo.table(debt(TEST, rides=1))
    done = turn(repo, edit("src/a.py", "a = 1", "a = 'fixed'"))
    assert "D-1 is paid" in done.person
    assert "D-1" not in "".join(answer.context for answer in done.answers[-1:])
    assert repo.cell("D-1", "id") == "~~D-1~~"
    assert (repo.rides("D-1"), repo.cell("D-1", "state")) == (1, "paid")
    (line,) = repo.ledger()
    assert (line["event"], line["by"]) == ("paid", "program claude")
    assert line["evidence"].startswith(f"passes {TEST}: exit status 0 after 0.")


def test_one_that_fails_leaves_it_owed_with_one_ride(repo: Repo) -> None:
    allow(repo, TEST)
    repo.table(debt(TEST))
    done = turn(repo, edit("src/a.py", "a = 1", "a = 2"))
    assert "D-1 was touched and left unpaid: 1 ride now" in done.person
    assert [line["evidence"] for line in repo.ledger()] == ["src/a.py"]
    shown = run_cli("show", "D-1", cwd=repo.root).stdout
    assert f"`{TEST}` passes: when last run, " in shown
    assert ": does not hold (exit status 1 after " in shown


def test_the_last_lines_of_output_are_shown_and_stay_out_of_git(repo: Repo) -> None:
    text = "echo 'expected 2, got 3'; exit 1"
    allow(repo, text)
    repo.table(debt(text))
    turn(repo, edit("src/a.py", "a = 1", "a = 2"))
    assert "expected 2, got 3" in run_cli("show", "D-1", cwd=repo.root).stdout
    ledger = "".join(path.read_text() for path in repo.root.glob("docs/gatilhos/ledger/*.md"))
    assert "expected" not in ledger


def test_what_nobody_allowed_is_said_once_a_session_and_not_run(repo: Repo, tmp_path: Path) -> None:
    text = counted(tmp_path, "true")
    repo.table(debt(text))
    session = Session(repo)
    first = turn(repo, edit("src/a.py", "a = 1", "a = 2"), session=session)
    second = turn(repo, edit("src/a.py", "a = 2", "a = 3"), session=session)
    assert "D-1 waits for a command that is not allowed on this machine. Run `gatilho allow D-1`" in first.person
    assert "allowed" not in second.person
    assert runs(tmp_path) == 0
    assert repo.rides("D-1") == 1


def test_a_changed_text_has_to_be_allowed_anew(repo: Repo, tmp_path: Path) -> None:
    allow(repo, "true")
    repo.table(debt(counted(tmp_path, "true")))
    assert "not allowed on this machine" in turn(repo, edit("src/a.py", "a = 1", "a = 2")).person
    assert runs(tmp_path) == 0


def test_no_command_runs_but_at_a_close_that_follows_a_write(repo: Repo, tmp_path: Path) -> None:
    text = counted(tmp_path, "true")
    allow(repo, text)
    repo.table(debt(text))
    session = Session(repo)
    turn(repo, read("src/a.py"), session=session)
    turn(repo, write("src/b.py", "b = 1\n"), session=session)
    run_hook(session.session_start("resume"))
    run_cli("check", cwd=repo.root)
    run_cli("show", "D-1", cwd=repo.root)
    turn(repo, edit("src/a.py", "a = 1", "a = 2"), session=session, stop=False)
    assert runs(tmp_path) == 0
    run_hook(session.stop())
    assert runs(tmp_path) == 1
    assert repo.cell("D-1", "state") == "paid"


def test_a_command_runs_once_a_close_for_all_its_debts(repo: Repo, tmp_path: Path) -> None:
    text = counted(tmp_path, "test $(cat ../log | wc -l) -gt 1")  # the first run fails, each later one passes
    text = text.replace("../log", f"{tmp_path}/log")
    allow(repo, text)
    repo.table(debt(text), debt(text, "D-2"))
    turn(repo, edit("src/a.py", "a = 1", "a = 2"))
    assert runs(tmp_path) == 1
    assert [repo.cell(one, "state") for one in ("D-1", "D-2")] == ["owed", "owed"]
    turn(repo, edit("src/a.py", "a = 2", "a = 3"))
    assert runs(tmp_path) == 2
    assert [repo.cell(one, "state") for one in ("D-1", "D-2")] == ["paid", "paid"]


def test_a_close_that_is_delivered_twice_runs_nothing_twice(repo: Repo, tmp_path: Path) -> None:
    text = counted(tmp_path, "sleep 1; false")
    allow(repo, text)
    repo.table(debt(text))
    session = Session(repo)
    turn(repo, edit("src/a.py", "a = 1", "a = 2"), session=session, stop=False)
    run_hooks([session.stop(), session.stop(), session.stop()])
    run_hook(session.stop())
    assert runs(tmp_path) == 1
    assert repo.rides("D-1") == 1
    assert [line["event"] for line in repo.ledger()] == ["charged"]


def test_a_close_that_waited_for_another_runs_nothing_again(repo: Repo, tmp_path: Path) -> None:
    text = counted(tmp_path, "false")
    allow(repo, text)
    repo.table(debt(text))
    session = Session(repo)
    turn(repo, edit("src/a.py", "a = 1", "a = 2"), session=session, stop=False)
    event = claude.read(session.stop())
    scenes = [EventContext(event, claude, repository_of(repo)) for _ in range(2)]
    for scene in scenes:  # both find the debt waiting before either has run its command
        with scene:
            settling.settle_own(scene)
    for scene in scenes:
        closing.run_awaited(scene, time.monotonic() + 60)
        scene.close()
    assert runs(tmp_path) == 1


def test_a_payment_of_this_turn_stays_where_its_file_cannot_be_looked_at(repo: Repo) -> None:
    repo.write("src/a.py", "sleep 30\n")
    repo.table(row("D-1", r"path: ^src/a\.py$", paid_when="lacks src/a.py sleep"))
    session = Session(repo)
    turn(repo, edit("src/a.py", "sleep 30", "wait()"), session=session, stop=False)
    assert repo.cell("D-1", "state") == "paid"
    os.unlink(repo.path("src/a.py"))
    run_hook(session.stop())
    assert repo.cell("D-1", "state") == "paid"


def test_files_are_looked_at_first(repo: Repo, tmp_path: Path) -> None:
    text = counted(tmp_path, "true")
    allow(repo, text)
    repo.table(debt([f"passes {text}", "exists done.txt", "exists src/a.py"]))
    turn(repo, edit("src/a.py", "a = 1", "a = 2"))
    assert (runs(tmp_path), repo.rides("D-1")) == (0, 1)
    repo.write("done.txt", "")
    turn(repo, edit("src/a.py", "a = 2", "a = 3"))
    assert (runs(tmp_path), repo.cell("D-1", "state")) == (1, "paid")
    evidence = repo.ledger("paid")[0]["evidence"].strip("`")
    assert evidence.startswith(f"passes {text} and exists done.txt and exists src/a.py: exit status 0 after")
    assert evidence.endswith(" s, done.txt, src/a.py")


def test_late_settlement_runs_nothing_and_keeps_the_mark(repo: Repo, tmp_path: Path) -> None:
    text = counted(tmp_path, "true")
    allow(repo, text)
    repo.table(debt(text))
    session = Session(repo)
    turn(repo, edit("src/a.py", "a = 1", "a = 2"), session=session, stop=False)
    run_hook(session.prompt("go on"))  # the turn before had no close
    run_hook(session.session_end())
    run_hook(session.session_start("resume"))
    assert (runs(tmp_path), repo.rides("D-1"), repo.ledger()) == (0, 0, [])
    run_hook(session.prompt("and on"))
    run_hook(session.stop())
    assert (runs(tmp_path), repo.cell("D-1", "state")) == (1, "paid")


def test_late_settlement_charges_where_a_file_decides(repo: Repo, tmp_path: Path) -> None:
    text = counted(tmp_path, "true")
    allow(repo, text)
    repo.table(debt([f"passes {text}", "exists done.txt"]))
    session = Session(repo)
    turn(repo, edit("src/a.py", "a = 1", "a = 2"), session=session, stop=False)
    run_hook(session.prompt("go on"))
    assert (runs(tmp_path), repo.rides("D-1")) == (0, 1)


def test_commands_that_hang_keep_no_other_from_its_turn(repo: Repo) -> None:
    allow(repo, "sleep 50", "sleep 51", "true")
    repo.write("gatilho.toml", "[conditions]\ntimeout = 2\n")
    repo.table(debt("sleep 50"), debt("sleep 51", "D-2"), debt("true", "D-3"))
    session = Session(repo)
    first = turn(repo, edit("src/a.py", "a = 1", "a = 2"), session=session)
    assert repo.cell("D-3", "state") == "paid"
    assert [repo.rides(one) for one in ("D-1", "D-2", "D-3")] == [0, 0, 0]
    assert "Time limit for commands reached (`sleep 5" in first.person
    assert "; D-1, D-2 stay owed, without a ride, until the next turn ends" in first.person
    second = turn(repo, edit("src/a.py", "a = 2", "a = 3"), session=session)
    assert "D-1 is not paid: `sleep 50`: it did not end within 2 s" in second.person
    assert (repo.rides("D-1"), repo.rides("D-2")) == (1, 0)


def test_what_the_time_was_too_short_for_goes_first_and_gets_no_ride(repo: Repo, tmp_path: Path) -> None:
    go, log = tmp_path / "go", tmp_path / "log"
    names = [f"{number:02}" for number in range(10)]  # half a second for each, of four
    slow = [f"echo {name} >> {log}; test -e {go} || sleep 5{name}" for name in names]
    allow(repo, other := counted(tmp_path, "true"), *slow)
    repo.write("gatilho.toml", "[conditions]\ntimeout = 2\n")
    repo.table(*(debt(text, f"D-{name}") for name, text in zip(names, slow)), debt(other, "D-99"))
    session = Session(repo)
    turn(repo, edit("src/a.py", "a = 1", "a = 2"), session=session)
    reached = log.read_text().split()
    assert reached == names[: len(reached)]
    assert [repo.rides(row_id) for row_id in ("D-00", "D-09", "D-99")] == [0, 0, 0]
    go.touch()
    repo.write("gatilho.toml", "[conditions]\ntimeout = 60\n")
    turn(repo, edit("src/a.py", "a = 2", "a = 3"), session=session)
    then = log.read_text().split()[len(reached) :]
    waiting = {*names[len(reached) :], "run"}
    assert set(then[: len(waiting)]) == waiting
    assert sorted(then[len(waiting) :]) == reached
    assert (repo.cell("D-99", "state"), repo.rides("D-99"), repo.rides("D-00")) == ("paid", 0, 0)


def test_another_repository_leaves_time_for_this_one(repo: Repo, tmp_path: Path) -> None:
    other = Repo(tmp_path / "other")
    other.write("src/a.py", "a = 1\n")
    other.table(debt("sleep 50"))
    allow(other, "sleep 50")
    for one in (repo, other):
        one.write("gatilho.toml", "[conditions]\ntimeout = 2\n")
    repo.table(debt(TEST))
    allow(repo, TEST)
    session = Session(repo)
    run_hook(session.prompt())
    for one in (repo, other):
        arguments = {"file_path": one.path("src/a.py"), "content": "fixed\n"}
        run_hook(session.pre("Write", **arguments))
        one.write("src/a.py", "fixed\n")
        run_hook(session.post("Write", **arguments))
    run_hook(session.stop())
    assert repo.cell("D-1", "state") == "paid"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("echo one; echo two; exit 3", "exit status 3 after 0.", id="an exit status"),
        pytest.param("echo one; echo two; sleep 50", "it did not end within 1 s", id="the time limit"),
        pytest.param("echo one; echo two; no-such-program", "the shell did not find its program", id="no program"),
    ],
)
def test_why_a_command_did_not_pay_is_said_at_the_close_in_the_ask_and_by_why(repo: Repo, text: str, said: str) -> None:
    allow(repo, text)
    repo.write("gatilho.toml", "[conditions]\ntimeout = 1\n")
    repo.table(debt(text, rides=2))
    session = Session(repo, mode="dontAsk")
    done = turn(repo, edit("src/a.py", "a = 1", "a = 2"), session=session)
    assert f"D-1 is not paid: `{text}`: {said}" in done.person
    assert "\n    two" in done.person
    asked = run_hook(session.pre("Edit", file_path=repo.path("src/a.py"), old_string="a", new_string="b"))
    explained = [asked.reason, run_cli("why", "src/a.py", cwd=repo.root).stdout]
    explained += [run_cli(*command, cwd=repo.root).stdout for command in (("settle",), ("show", "D-1"))]
    for shown in explained:
        assert said in shown
        assert "two" in shown
    (log,) = (repo.root / ".git/gatilho/runs").glob("*.log")
    assert log.read_text().startswith("one\ntwo\n")
    assert str(log) in run_cli("show", "D-1", cwd=repo.root).stdout


def test_a_debt_that_was_charged_can_be_paid_in_the_same_session(repo: Repo) -> None:
    allow(repo, TEST)
    repo.table(debt(TEST))
    session = Session(repo)
    turn(repo, edit("src/a.py", "a = 1", "a = 2"), session=session)
    turn(repo, edit("src/a.py", "a = 2", "a = 'fixed'"), session=session)
    assert (repo.rides("D-1"), repo.cell("D-1", "state")) == (1, "paid")


def test_a_new_row_whose_command_was_never_seen_to_fail_is_not_paid(repo: Repo) -> None:
    allow(repo, "true", TEST)
    repo.table(debt("true"), debt(TEST, "D-2"), commit=False)
    turn(repo, edit("src/a.py", "a = 1", "a = 2"))
    session = Session(repo)
    done = turn(repo, edit("src/a.py", "a = 2", "a = 'fixed'"), session=session)
    assert "The condition of D-1 is already true" in done.person
    assert "D-2 is paid" in done.person  # it was seen to fail at the close before
    assert (repo.cell("D-1", "state"), repo.rides("D-1")) == ("owed", 0)


def test_a_write_by_a_command_counts(repo: Repo) -> None:
    allow(repo, TEST)
    repo.table(debt(TEST))
    turn(repo, bash("echo fixed > src/a.py"))
    assert repo.cell("D-1", "state") == "paid"


def test_a_changed_tree_is_no_payment_and_no_touch(repo: Repo) -> None:
    repo.write("src/b.py", "b\n")
    allow(repo, "echo more >> src/b.py")
    repo.table(debt("echo more >> src/b.py"), row("D-2", r"path: ^src/b\.py$"))
    turn(repo, edit("src/a.py", "a = 1", "a = 2"))
    assert repo.cell("D-1", "state") == "owed"
    assert repo.rides("D-2") == 0
    assert "does not hold (it changed src/b.py)" in run_cli("show", "D-1", cwd=repo.root).stdout


def test_a_missing_sandbox_is_said_once(repo: Repo) -> None:
    (repo.root / ".git/gatilho/no-sandbox").unlink()
    allow(repo, "false")
    repo.table(debt("false"))
    first = turn(repo, edit("src/a.py", "a = 1", "a = 2"))
    second = turn(repo, edit("src/a.py", "a = 2", "a = 3"))
    assert "commands of conditions run without a sandbox here: bubblewrap (bwrap) is not installed" in first.person
    assert "sandbox" not in second.person


def test_a_required_sandbox_that_is_missing_runs_nothing(repo: Repo, tmp_path: Path) -> None:
    text = counted(tmp_path, "true")
    allow(repo, text)
    repo.write("gatilho.toml", '[conditions]\nsandbox = "required"\n')
    repo.table(debt(text))
    turn(repo, edit("src/a.py", "a = 1", "a = 2"))
    assert (runs(tmp_path), repo.rides("D-1")) == (0, 1)
    assert "it may run in a sandbox only" in run_cli("show", "D-1", cwd=repo.root).stdout


def test_the_host_keeps_its_input_open(repo: Repo) -> None:
    allow(repo, "cat >/dev/null && read x || echo done")
    repo.table(debt("cat >/dev/null && read x || echo done"))
    turn(repo, edit("src/a.py", "a = 1", "a = 2"))
    assert repo.cell("D-1", "state") == "paid"


def test_another_repository_closes_its_turn_with_its_own_commands(repo: Repo, tmp_path: Path) -> None:
    other = Repo(tmp_path / "other")
    other.write("src/a.py", "a = 1\n")
    other.table(debt("grep -q two src/a.py"))
    allow(other, "grep -q two src/a.py")
    repo.table(debt(TEST))
    session = Session(repo)
    run_hook(session.prompt())
    arguments = {"file_path": other.path("src/a.py"), "content": "two\n"}
    run_hook(session.pre("Write", **arguments))
    other.write("src/a.py", "two\n")
    run_hook(session.post("Write", **arguments))
    run_hook(session.stop())
    assert other.cell("D-1", "state") == "paid"
    assert repo.ledger() == []


@pytest.mark.parametrize(
    ("is_allowed", "said", "unsaid"),
    [
        pytest.param(True, "the command that pays this debt runs when a turn closes", "gatilho allow", id="allowed"),
        pytest.param(
            False,
            "may not run on this machine.\nOwner: run `gatilho allow D-1` in your own terminal to allow that command, or",
            "when a turn closes",
            id="allowed by nobody",
        ),
    ],
)
def test_an_ask_about_a_command_offers_what_can_be_done(repo: Repo, is_allowed: bool, said: str, unsaid: str) -> None:
    if is_allowed:
        allow(repo, TEST)
    repo.table(debt(TEST, rides=3))
    session = Session(repo, mode="dontAsk")
    run_hook(session.prompt())
    answer = run_hook(session.pre("Edit", file_path=repo.path("src/a.py"), old_string="a", new_string="b"))
    assert answer.decision == "deny"
    assert "Agent: leave the file and ask the owner; " in answer.reason
    assert said in answer.reason
    assert unsaid not in answer.reason


class TestSettle:
    def test_it_runs_what_was_allowed_and_pays(self, repo: Repo) -> None:
        allow(repo, TEST)
        repo.table(
            debt(TEST, rides=2), debt("exists done.txt".replace("exists", "test -f"), "D-2"), debt(["exists x"], "D-3")
        )
        repo.write("src/a.py", "fixed\n")
        done = run_cli("settle", cwd=repo.root)
        assert done.status == 0
        lines = done.stdout.splitlines()
        assert f"{BACKLOG}:4  D-2 stays owed: its command is not allowed on this machine" in lines[0]
        assert lines[1] == f"{BACKLOG}:5  D-3 stays owed: x is not there"
        assert f"{BACKLOG}:3  D-1 is paid: passes {TEST}: exit status 0 after" in lines[-2]
        assert lines[-1].endswith("  written; commit it together with the table")
        assert repo.rides("D-1") == 2
        assert [(line["event"], line["by"]) for line in repo.ledger()] == [("paid", "program")]

    def test_twice_changes_nothing(self, repo: Repo) -> None:
        repo.table(debt(["exists README.md"]))
        run_cli("settle", cwd=repo.root)
        before = repo.read(BACKLOG), repo.ledger()
        done, of_one = run_cli("settle", cwd=repo.root), run_cli("settle", "D-1", cwd=repo.root)
        assert (repo.read(BACKLOG), repo.ledger()) == before
        holds = "what paid 1 debt lately still holds.\n"
        assert done == Output(0, f"Nothing to settle: no owed debt has a condition, and {holds}", "")
        assert of_one == Output(0, f"Nothing to settle: {holds}", "")

    def test_what_came_back_is_owed_again_with_its_count(self, repo: Repo) -> None:
        repo.table(debt(["exists done.txt"], rides=4))
        repo.write("done.txt", "")
        run_cli("settle", cwd=repo.root)
        assert repo.cell("D-1", "state") == "paid"
        os.unlink(repo.path("done.txt"))
        done = run_cli("settle", cwd=repo.root)
        assert f"{BACKLOG}:3  D-1 is owed again: done.txt is not there" in done.stdout
        assert (repo.cell("D-1", "id"), repo.rides("D-1")) == ("D-1", 4)
        assert repo.ledger("regressed")[0]["rides"] == "4"

    def test_a_paid_command_that_breaks_is_owed_again(self, repo: Repo) -> None:
        allow(repo, TEST)
        repo.table(debt(TEST, rides=2))
        repo.write("src/a.py", "fixed\n")
        run_cli("settle", cwd=repo.root)
        assert repo.cell("D-1", "state") == "paid"
        repo.write("src/a.py", "broken\n")
        assert "D-1 is owed again: exit status 1 after" in run_cli("settle", cwd=repo.root).stdout
        assert (repo.cell("D-1", "id"), repo.rides("D-1")) == ("D-1", 2)

    def test_an_agents_shell_has_files_settled_and_no_command_run(self, repo: Repo, tmp_path: Path) -> None:
        text = counted(tmp_path, "true")
        allow(repo, text)
        repo.table(debt(text), debt(["exists README.md"], "D-2"))
        done = run_cli("settle", cwd=repo.root, env={"CLAUDECODE": "1"})
        assert "D-1 stays owed: commands are not run in the shell of Claude Code" in done.stdout
        assert (runs(tmp_path), repo.cell("D-2", "state")) == (0, "paid")

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            pytest.param("passes sleep 2", "passes sleep 2 && false", id="another condition"),
            pytest.param("| owed |", "| waived until 2999-01-01 |", id="a waiver"),
            pytest.param("| owed |", "| revoked 2026-01-01 |", id="revoked"),
        ],
    )
    def test_what_changes_while_a_command_runs_is_left_alone(self, repo: Repo, old: str, new: str) -> None:
        if not os.path.exists("/usr/bin/bwrap"):
            pytest.skip("without a sandbox the change counts as the command's own")
        allow(repo, "sleep 2")
        repo.table(debt("sleep 2"), debt(["exists README.md"], "D-2"))
        table = repo.read(BACKLOG)
        assert old in table
        settle = subprocess.Popen(
            [sys.executable, "-m", "gatilho", "settle", "D-1"],
            cwd=repo.root,
            env={**os.environ, "PATH": "/usr/bin:/bin", "PYTHONPATH": str(CHECKOUT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert settle.stderr is not None
        assert settle.stderr.readline() == "running `sleep 2` (at most 30 s)\n"
        repo.write(BACKLOG, table.replace(old, new, 1))
        said = settle.communicate(timeout=60)[0]
        assert settle.returncode == 1
        assert "D-1 changed in the meantime: run `gatilho settle` again" in said
        assert repo.cell("D-1", "id") == "D-1"
        assert repo.ledger() == []

    def test_each_command_is_named_when_it_starts(self, repo: Repo) -> None:
        allow(repo, TEST, "true")
        repo.table(debt(TEST), debt("true", "D-2"))
        done = run_cli("settle", cwd=repo.root)
        assert done.stderr == f"running `{TEST}` (at most 30 s)\nrunning `true` (at most 30 s)\n"

    def test_a_command_that_starts_settle_is_refused(self, repo: Repo, tmp_path: Path) -> None:
        repo.write(
            "again.sh", f"PYTHONPATH={CHECKOUT} {sys.executable} -m gatilho settle; echo $? > {tmp_path}/status\n"
        )
        allow(repo, "sh again.sh")
        repo.table(debt("sh again.sh"))
        run_cli("settle", cwd=repo.root)
        assert (tmp_path / "status").read_text() == "1\n"

    def test_only_what_is_named(self, repo: Repo) -> None:
        repo.table(debt(["exists README.md"]), debt(["exists README.md"], "D-2"))
        run_cli("settle", "D-2", cwd=repo.root)
        assert [repo.cell(one, "state") for one in ("D-1", "D-2")] == ["owed", "paid"]

    def test_a_new_row_that_holds_already_is_told(self, repo: Repo) -> None:
        repo.table(debt(["exists README.md"]), commit=False)
        done = run_cli("settle", cwd=repo.root)
        assert "D-1: its condition is already true (README.md), and HEAD does not have it" in done.stdout
        assert repo.cell("D-1", "state") == "owed"

    def test_what_a_person_paid_is_not_argued_with(self, repo: Repo) -> None:
        repo.table(debt(["exists done.txt"]))
        run_cli("pay", "D-1", "--why", "done elsewhere", cwd=repo.root)
        run_cli("settle", cwd=repo.root)
        assert repo.cell("D-1", "state") == "paid"

    def test_a_file_that_git_moved_is_found(self, repo: Repo) -> None:
        repo.write("src/old.py", "one\ntwo\nthree\nsleep 30\n")
        repo.table(debt(["lacks src/old.py sleep 30"]))
        repo.git("mv", "src/old.py", "src/new.py")
        repo.commit()
        done = run_cli("settle", cwd=repo.root)
        assert "D-1 stays owed: anchor gone, src/old.py is not there; git follows it to src/new.py" in done.stdout
        assert "git follows it to src/new.py" in run_cli("show", "D-1", cwd=repo.root).stdout
        assert "git follows it to src/new.py" in run_cli("check", cwd=repo.root).stdout
