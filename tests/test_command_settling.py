"""`pay`, `reinstate` and `set`: what a person's word writes, what it prints, and when it is refused."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable

import pytest
from builders import BACKLOG, CHECKOUT, Output, Repo, row

D1 = row("D-1", r"path: ^README\.md$", "first note", rides=3)
R1 = row("R-1", r"path: ^README\.md$", "second note", rides=14, lifecycle="rule")


def ledger_file(repo: Repo) -> str:
    """The name of the newest ledger file."""
    paths = sorted(repo.root.glob("docs/gatilhos/ledger/*.md"), key=lambda path: path.stat().st_mtime_ns)
    return paths[-1].relative_to(repo.root).as_posix()


def test_pay_strikes_the_id_and_says_what_changed(repo: Repo, do: Callable[..., Output]) -> None:
    repo.table(D1, R1)
    done = do("pay", "D-1", "--why", "removed with the feature")
    assert (done.status, done.stderr) == (0, "")
    assert done.stdout == (
        f"{BACKLOG}:3  id: D-1 -> ~~D-1~~\n"
        f"{BACKLOG}:3  state: owed -> paid\n"
        f"{ledger_file(repo)}  written; commit it together with the table\n"
    )
    assert repo.read(BACKLOG).split("\n")[2:4] == [D1.replace("D-1", "~~D-1~~").replace("owed", "paid"), R1]
    (line,) = repo.ledger()
    assert (line["event"], line["by"], line["evidence"], line["rides"]) == (
        "paid",
        "person",
        "removed with the feature",
        "3",
    )
    assert line["commit"] == repo.git("rev-parse", "HEAD").strip()


def test_the_ledger_keeps_the_milliseconds_of_its_lines(repo: Repo, do: Callable[..., Output]) -> None:
    repo.table(D1)
    do("pay", "D-1", "--why", "x")
    do("reinstate", "D-1", "--why", "x")
    assert [len(line["when (utc)"].partition(".")[2]) for line in repo.ledger()] == [3, 3]


def test_what_is_paid_already_stays_as_it_is(repo: Repo, do: Callable[..., Output]) -> None:
    repo.table(D1)
    do("pay", "D-1", "--why", "done")
    before, lines = repo.read(BACKLOG), repo.ledger()
    assert do("pay", "D-1", "--why", "done again") == (0, "D-1 is paid already.\n", "")
    assert (repo.read(BACKLOG), repo.ledger()) == (before, lines)


def test_reinstate_brings_the_bytes_back_and_leaves_the_count(repo: Repo, do: Callable[..., Output]) -> None:
    repo.table(D1)
    before = repo.read_bytes(BACKLOG)
    do("pay", "D-1", "--why", "done")
    done = do("reinstate", "D-1", "--why", "it fails again")
    assert done.status == 0
    assert done.stdout.startswith(f"{BACKLOG}:3  id: ~~D-1~~ -> D-1\n{BACKLOG}:3  state: paid -> owed\n")
    assert repo.read_bytes(BACKLOG) == before
    assert sorted(line["event"] for line in repo.ledger()) == ["paid", "reinstated"]
    assert {line["rides"] for line in repo.ledger()} == {"3"}


def test_reinstate_of_what_is_in_force_does_nothing(repo: Repo, do: Callable[..., Output]) -> None:
    repo.table(D1, R1)
    assert do("reinstate", "D-1", "--why", "x") == (0, "D-1 is owed already.\n", "")
    assert do("reinstate", "R-1", "--why", "x") == (0, "R-1 is in force already.\n", "")
    assert repo.changed() == []


def test_set_lowers_the_count_for_good(repo: Repo, do: Callable[..., Output]) -> None:
    repo.table(D1)
    done = do("set", "D-1", "1", "--why", "for another file")
    assert done.stdout.split("\n")[0] == f"{BACKLOG}:3  rides: 3 -> 1"
    assert (repo.rides("D-1"), repo.ledger()[0]["event"]) == (1, "set")
    assert do("set", "D-1", "1", "--why", "x") == (0, "D-1 already has that count.\n", "")


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        pytest.param(["pay", "R-1", "--why", "x"], 1, "R-1 is a rule, and a rule is never paid: supersede or revoke it.", id="a rule"),
        pytest.param(["pay", "D-2", "--why", "x"], 2, "no row has the id D-2. Did you mean D-1?", id="an id that no row has"),
        pytest.param(["pay", "D-1", "--why", " "], 2, "pay D-1: give a reason, as in --why 'fixed in the release branch'.", id="no reason"),
    ],
)  # fmt: skip
def test_it_is_refused_and_nothing_is_written(
    repo: Repo, do: Callable[..., Output], arguments: list[str], status: int, said: str
) -> None:
    repo.table(D1, R1)
    assert do(*arguments) == (status, "", f"gatilho: {said}\n")
    assert repo.changed() == []


@pytest.mark.parametrize(
    "arguments", [["set", "D-1", "-1", "--why", "x"], ["set", "D-1", "many", "--why", "x"], ["pay", "D-1"]]
)
def test_a_wrong_call_is_usage(repo: Repo, do: Callable[..., Output], arguments: list[str]) -> None:
    repo.table(D1)
    assert do(*arguments).status == 2
    assert repo.changed() == []


def test_an_id_in_two_rows_is_refused_with_both_places(repo: Repo, do: Callable[..., Output]) -> None:
    repo.table(D1)
    repo.table(D1, file="docs/gatilhos/other.md")
    done = do("pay", "D-1", "--why", "x")
    assert done.status == 1
    assert done.stderr == (
        f"gatilho: 2 rows have the id D-1, so nothing was written: {BACKLOG}:3 and docs/gatilhos/other.md:3. "
        "Give one of them another id first.\n"
    )
    assert repo.changed() == []


def test_an_id_is_found_without_the_no_break_space_that_its_cell_has(repo: Repo, do: Callable[..., Output]) -> None:
    repo.table(row("D-1\u00a0", r"path: ^README\.md$"), row("D-10", r"path: ^README\.md$"), row("D-2\u200b", "^a$"))
    assert do("pay", "D-1", "--why", "x").status == 0
    assert "| ~~D-1~~\u00a0 |" in repo.read(BACKLOG) or "| ~~D-1\u00a0~~ |" in repo.read(BACKLOG)
    assert do("reinstate", "\u00a0D-1", "--why", "x").status == 0
    assert do("pay", "D-2", "--why", "x").status == 0
    assert "| ~~D-2\u200b~~ |" in repo.read(BACKLOG)


def test_an_id_that_only_the_ledger_knows_is_told_as_gone(repo: Repo, do: Callable[..., Output]) -> None:
    repo.table(D1, R1)
    do("pay", "D-1", "--why", "x")
    repo.table(R1)
    done = do("reinstate", "D-1", "--why", "x")
    assert done.status == 2
    assert "no row has the id D-1 any more; the ledger has 1 line about it." in done.stderr


def test_in_the_middle_of_a_merge_nothing_is_written(repo: Repo, do: Callable[..., Output]) -> None:
    repo.table(D1)
    head = repo.git("rev-parse", "HEAD")
    repo.write(".git/MERGE_HEAD", head)
    done = do("pay", "D-1", "--why", "x")
    assert (done.status, done.stderr) == (
        1,
        "gatilho: Git is in the middle of a merge: nothing was written. Finish or abort it, then try again.\n",
    )


HOSTS = {
    "CLAUDECODE": "Claude Code",
    "CLAUDE_CODE_SESSION_ID": "Claude Code",
    "CODEX_THREAD_ID": "Codex",
    "GEMINI_CLI": "Gemini CLI",
    "CURSOR_TRACE_ID": "Cursor",
    "COPILOT_CLI": "Copilot CLI",
}


@pytest.mark.parametrize(("variable", "host"), HOSTS.items(), ids=HOSTS)
def test_an_agents_shell_is_refused_with_what_the_owner_does(
    repo: Repo, run_cli: Callable[..., Output], variable: str, host: str
) -> None:
    repo.table(D1)
    done = run_cli("set", "D-1", "0", "--why", "x", env={variable: "1"})
    assert (done.status, done.stdout) == (3, "")
    assert done.stderr == (
        f"gatilho: Refused: this is {host}'s shell. Run `gatilho set D-1 0 --why TEXT` in your own terminal, or edit the "
        f"table. An agent pays a debt by making its condition true, or asks the owner. ({variable} is set.)\n"
    )
    assert repo.changed() == []


def test_a_setting_of_a_host_is_no_shell_of_it(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.table(D1)
    assert run_cli("pay", "D-1", "--why", "x", env={"CODEX_HOME": "/home/me/.codex"}).status == 0


def test_a_person_at_a_terminal_is_believed_inside_a_host_too(repo: Repo) -> None:
    repo.table(D1)
    terminal, program = pty.openpty()
    command = [sys.executable, "-m", "gatilho", "pay", "D-1", "--why", "x"]
    environ = {**os.environ, "PYTHONPATH": str(CHECKOUT), "CLAUDECODE": "1"}
    done = subprocess.run(command, cwd=repo.root, env=environ, stdin=program, capture_output=True, timeout=60)
    os.close(terminal)
    os.close(program)
    assert done.returncode == 0, done.stderr
    assert repo.cell("D-1", "state") == "paid"


def test_a_row_that_is_back_and_past_its_own_date_is_told_to_stay_silent(repo: Repo, do: Callable[..., Output]) -> None:
    table = "| id | trigger | note | state | expires |\n| --- | --- | --- | --- | --- |\n"
    repo.write(BACKLOG, table + "| R-1 | `path: x` | a note | revoked 2026-01-02 | 2026-01-03 |\n")
    said = do("reinstate", "R-1", "--why", "x").stdout
    assert f"{BACKLOG}:3  it is not delivered: its date, 2026-01-03, is past. Change that too.\n" in said
    repo.write(BACKLOG, table + "| R-1 | `path: x` | a note | revoked 2026-01-02 | 2999-01-03 |\n")
    assert "does not speak" not in do("reinstate", "R-1", "--why", "x").stdout


def test_settle_believes_no_condition_that_replaced_another_one_and_was_never_seen_to_fail(
    repo: Repo, do: Callable[..., Output]
) -> None:
    repo.table(row("D-1", "path: x", "a note", rides=3, paid_when=r"contains README.md \bNEVER\b"))
    repo.commit()
    repo.table(row("D-1", "path: x", "a note", rides=3, paid_when="exists README.md"))
    repo.commit()
    done = do("settle")
    assert "D-1: its condition replaced another one and is already true (README.md)" in done.stdout
    assert repo.cell("D-1", "state") == "owed"
    (repo.root / "README.md").rename(repo.root / "README.txt")
    assert "D-1 stays owed" in do("settle").stdout
    (repo.root / "README.txt").rename(repo.root / "README.md")
    paid = json.loads(do("settle", "--json").stdout)
    assert [(one["id"], one["file"], one["result"]) for one in paid["rows"]] == [("D-1", BACKLOG, "paid")]
    assert (repo.root / paid["ledger"][0]).exists()


def test_the_ledger_is_packed_by_no_agent(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.table(D1)
    repo.commit()
    refused = run_cli("ledger", "compact", env={"CLAUDECODE": "1"})
    assert (refused.status, refused.stdout) == (3, "")
    assert "Run `gatilho ledger compact` in your own terminal." in refused.stderr
    assert run_cli("ledger", "compact", "--dry-run", env={"CLAUDECODE": "1"}).status == 0
