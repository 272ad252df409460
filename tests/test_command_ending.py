"""`waive`, `supersede`, `revoke`, `rename`, `expire`, `allow`: what they write, how it is taken back, who may."""

import datetime
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import BACKLOG, CHECKOUT, HEADER, Output, Repo, day, row, run_cli
from processes import repository_of

from gatilho.conditions import allowed
from gatilho.fast_path import GUARDED_VERBS

D1 = row("D-1", r"path: ^README\.md$", "first note", rides=3, paid_when="passes pytest x.py")
R1 = row("R-1", r"path: ^README\.md$", "second note", rides=14, lifecycle="rule")
R2 = row("R-2", r"path: ^README\.md$", "third note", lifecycle="rule")
KINDS = (
    "| id | lifecycle | trigger | note | rides | state | kind | added | expires |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
)


def dated(text: str) -> str:
    """The text with the days that it means."""
    return text.replace("TODAY", day()).replace("IN 30 DAYS", day(30))


ENDS = [
    pytest.param(("waive", "D-1", "--until", "IN 30 DAYS", "--why", "w"), "D-1", "waived until IN 30 DAYS", id="waive until"),
    pytest.param(("waive", "D-1", "--why", "w"), "D-1", "waived TODAY", id="waive for good"),
    pytest.param(("supersede", "R-1", "R-2"), "R-1", "superseded TODAY by R-2", id="supersede by"),
    pytest.param(("supersede", "D-1"), "D-1", "superseded TODAY", id="supersede by nothing"),
    pytest.param(("revoke", "R-1", "--why", "w"), "R-1", "revoked TODAY", id="revoke"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "row_id", "state"), ENDS)
def test_an_end_is_a_state_and_is_taken_back(
    repo: Repo, do: Callable[..., Output], words: tuple[str, ...], row_id: str, state: str
) -> None:
    repo.table(D1, R1, R2)
    before = repo.read(BACKLOG)
    words = tuple(map(dated, words))
    done = do(*words)
    assert (done.status, done.stderr) == (0, "")
    assert repo.cell(row_id, "state") == dated(state)
    assert (
        len([line for line in repo.git("diff", "--numstat", "--", BACKLOG).splitlines() if line.startswith("1\t1\t")])
        == 1
    )
    again = do(*words)
    assert (again.status, len(repo.ledger())) == (0, 1)
    assert " already." in again.stdout
    assert do("reinstate", row_id, "--why", "after all").status == 0
    assert repo.read(BACKLOG) == before
    assert [line["rides"] for line in repo.ledger()] == [repo.cell(row_id, "rides")] * 2


def test_what_ended_already_is_told_with_its_day(repo: Repo, do: Callable[..., Output]) -> None:
    repo.table(D1, row("R-1", "path: x", lifecycle="rule", state="superseded 2026-01-02 by R-2"), R2)
    assert do("supersede", "R-1").stdout == "R-1 was superseded on 2026-01-02 by R-2 already.\n"


def test_an_ended_row_is_shown_as_what_it_was(repo: Repo, do: Callable[..., Output]) -> None:
    repo.table(D1, R1, R2)
    do("revoke", "R-1", "--why", "it was never true")
    shown = do("show", "R-1").stdout
    assert "It was a rule; revoked " in shown
    assert "by a person: it was never true" in shown
    assert "To bring it back: gatilho reinstate R-1 --why TEXT" in shown


REFUSED = [
    pytest.param(("waive", "D-1", "--until", "TODAY", "--why", "w"), 2, "is not a day after today", id="waive until today"),
    pytest.param(("waive", "D-1", "--until", "soon", "--why", "w"), 2, "'soon' is not a date; write it as 2026-12-24", id="no date"),
    pytest.param(("waive", "R-1", "--why", "w"), 1, "a rule never stops a write", id="waive a rule"),
    pytest.param(("waive", "D-1"), 2, "--why", id="waive without a reason"),
    pytest.param(("waive", "D-1", "--until", " ", "--why", "w"), 2, "leave out --until to waive without a date", id="a blank date"),
    pytest.param(("revoke", "R-1", "--why", " "), 2, "give a reason", id="revoke for a blank"),
    pytest.param(("supersede", "R-1", "R-1"), 2, "cannot replace itself", id="supersede by itself"),
    pytest.param(("supersede", "R-1", "R-9"), 2, "no row has the id R-9", id="supersede by nobody"),
    pytest.param(("supersede", "R-1", "R-3"), 2, "R-3 is not in force itself", id="supersede by what ended"),
    pytest.param(("rename", "D-1", "R-1"), 1, "R-1 is the id of another row", id="rename to another row"),
    pytest.param(("rename", "D-1", "a|b"), 2, "cannot be an id", id="rename to no id"),
    pytest.param(("allow", "R-1", "--yes"), 1, "names no command", id="allow what names none"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "status", "said"), REFUSED)
def test_what_may_not_be_done_says_why_and_writes_nothing(
    repo: Repo,
    do: Callable[..., Output],
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    status: int,
    said: str,
) -> None:
    repo.table(D1, R1, R2, row("R-3", "path: x", lifecycle="rule", state="revoked"))
    done = do(*map(dated, words))
    assert done.status == status
    assert said in done.stderr
    assert repo.changed() == []


@pytest.mark.parametrize("zone", ["AHEAD-14", "BEHIND+11"])
def test_days_are_those_of_the_persons_clock(repo: Repo, zone: str) -> None:
    repo.table(D1, R1)
    env = {**os.environ, "TZ": zone}
    here = subprocess.run(["date", "+%F"], env=env, capture_output=True, text=True, check=True).stdout.strip()
    tomorrow = (datetime.date.fromisoformat(here) + datetime.timedelta(days=1)).isoformat()
    refused = run_cli("waive", "D-1", "--until", here, "--why", "w", cwd=repo.root, env={"TZ": zone})
    assert (refused.status, repo.ledger()) == (2, [])
    assert run_cli("waive", "D-1", "--until", tomorrow, "--why", "w", cwd=repo.root, env={"TZ": zone}).status == 0
    assert run_cli("revoke", "R-1", "--why", "w", cwd=repo.root, env={"TZ": zone}).status == 0
    assert [repo.cell(one, "state") for one in ("D-1", "R-1")] == [f"waived until {tomorrow}", f"revoked {here}"]


def test_a_rename_takes_rides_and_ledger_along_and_back(repo: Repo, do: Callable[..., Output]) -> None:
    repo.table(D1)
    before = repo.read(BACKLOG)
    do("set", "D-1", "7", "--why", "counted by hand")
    do("set", "D-1", "3", "--why", "counted again")
    assert do("rename", "D-1", "D-7f3k").status == 0
    assert repo.rides("D-7f3k") == 3
    shown = do("show", "D-7f3k").stdout
    assert "counted by hand" in shown
    assert "3; a write is asked about from 3 on" in shown
    gone = do("show", "D-1")
    assert (gone.status, gone.stderr) == (
        2, "gatilho: no row has the id D-1 any more: it was renamed, and is D-7f3k now.\n",
    )  # fmt: skip
    assert do("rename", "D-7f3k", "D-1").status == 0
    assert repo.read(BACKLOG) == before
    assert "GT902" not in do("check").stdout


def test_an_id_that_another_row_bore_is_not_taken_up(repo: Repo, do: Callable[..., Output]) -> None:
    repo.table(D1, row("D-2", "path: x"))
    do("set", "D-2", "9", "--why", "w")
    repo.table(D1)
    done = do("rename", "D-1", "D-2")
    assert "D-2 was the id of another row" in done.stderr
    assert repo.cell("D-1", "rides") == "3"


def test_an_id_of_another_store_is_not_taken(
    repo: Repo, do: Callable[..., Output], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.table(D1)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "gatilho").mkdir()
    mine = tmp_path / "gatilho/mine.md"
    mine.write_text(HEADER + row("P-1", "path: x", "my own") + "\n")
    before = mine.read_bytes()
    for words in (("rename", "P-1", "D-1"), ("rename", "D-1", "P-1")):
        done = do(*words)
        assert done.status == 1
        assert f"{words[2]} is the id of another row" in done.stderr
    assert (mine.read_bytes(), repo.changed()) == (before, [])
    assert do("rename", "P-1", "P-2").status == 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param(row("D-1", "path: x"), "D-1 names no condition: `gatilho pay D-1 --why TEXT`", id="no condition"),
        pytest.param(row("D-1", "path: x", state="revoked"), "D-1 is revoked: there is nothing to pay.", id="ended"),
        pytest.param(row("D-1", "path: x", lifecycle="rule"), "D-1 is a rule: there is nothing to pay.", id="a rule"),
    ],
)
def test_settle_says_of_a_named_row_why_there_is_nothing_to_look_at(
    repo: Repo, do: Callable[..., Output], line: str, said: str
) -> None:
    repo.table(line)
    assert said in do("settle", "D-1").stdout
    assert repo.changed() == []


def test_what_settles_is_refused_in_an_agents_shell(repo: Repo) -> None:
    repo.table(D1, R1, R2)
    words = {
        "waive": ["D-1", "--why", "w"], "pay": ["D-1", "--why", "w"], "reinstate": ["D-1", "--why", "w"],
        "revoke": ["D-1", "--why", "w"], "supersede": ["R-1", "R-2"], "rename": ["D-1", "D-9"], "expire": [],
        "set": ["D-1", "0", "--why", "w"], "allow": ["D-1", "--yes"],
    }  # fmt: skip
    words |= {"fold": [], "init": [], "uninstall": [], "doctor": ["--fix"], "ledger": ["compact"]}
    assert {*words, "hook", "merge-driver", "replay"} == set(GUARDED_VERBS)  # the others are run by programs
    for name, arguments in words.items():
        done = run_cli(name, *arguments, cwd=repo.root, env={"CLAUDECODE": "1"})
        assert done.status == 3, name
        assert "this is Claude Code's shell" in done.stderr
        assert "in your own terminal" in done.stderr
    assert repo.changed() == []
    assert not allowed.is_allowed(repository_of(repo), "pytest x.py")


def test_an_agent_waives_where_the_configuration_lets_it(repo: Repo) -> None:
    repo.table(D1)
    repo.write("gatilho.toml", 'unattended = "record"\n')
    agent = {"CLAUDECODE": "1"}
    endless = run_cli("waive", "D-1", "--why", "w", cwd=repo.root, env=agent)
    assert (endless.status, repo.ledger()) == (2, [])
    assert "an agent may only waive until a date: add --until YYYY-MM-DD" in endless.stderr
    done = run_cli("waive", "D-1", "--until", day(3), "--why", "nobody is here", cwd=repo.root, env=agent)
    assert done.status == 0
    assert [(line["event"], line["by"]) for line in repo.ledger()] == [("waived", "agent claude")]
    assert run_cli("pay", "D-1", "--why", "w", cwd=repo.root, env=agent).status == 3


class TestAllow:
    def test_yes_allows_exactly_this_text(self, repo: Repo, do: Callable[..., Output]) -> None:
        repo.table(D1)
        done = do("allow", "D-1", "--yes")
        assert done.stdout.startswith(f"{BACKLOG}:3  pytest x.py\n")
        assert allowed.is_allowed(repository_of(repo), "pytest x.py")
        assert do("allow", "D-1", "--yes").stdout == "D-1: already allowed.\n"
        assert repo.changed() == []
        assert do("allow", "D-1", "--withdraw").stdout == "Taken back: pytest x.py\n"
        assert not allowed.is_allowed(repository_of(repo), "pytest x.py")

    def test_without_a_terminal_nobody_is_asked(self, repo: Repo) -> None:
        repo.table(D1)
        done = run_cli("allow", "D-1", cwd=repo.root)
        assert done.status == 3
        assert "`gatilho allow D-1 --yes`" in done.stderr

    @pytest.mark.parametrize(
        ("answer", "env", "may"),
        [
            pytest.param("y\n", {}, True, id="yes"),
            pytest.param("\n", {}, False, id="nothing"),
            pytest.param("n\n", {}, False, id="no"),
            pytest.param("y\n", {"CURSOR_TRACE_ID": "1"}, True, id="yes in an editor's terminal"),
        ],
    )
    def test_a_terminal_asks(self, repo: Repo, answer: str, env: dict[str, str], may: bool) -> None:
        repo.table(D1)
        done = self._at_a_terminal(repo, answer, env)
        assert b"Allow this to run here? [y/N]" in done.stdout
        assert done.returncode == (0 if may else 1)
        assert allowed.is_allowed(repository_of(repo), "pytest x.py") is may

    @pytest.mark.parametrize("extra", [[], ["--yes"], ["--withdraw"]])
    def test_a_terminal_that_an_agent_made_is_not_asked(self, repo: Repo, extra: list[str]) -> None:
        repo.table(D1)
        done = self._at_a_terminal(repo, "y\n", {"CLAUDECODE": "1"}, *extra)
        assert (done.returncode, done.stdout) == (3, b"")
        typed = " ".join(["gatilho allow", *(one for one in extra if one == "--withdraw"), "D-1"])
        assert f"Run `{typed}` in your own terminal." in done.stderr.decode()
        assert not allowed.is_allowed(repository_of(repo), "pytest x.py")

    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            pytest.param("true \x1b[2K; rm x", "true \\x1b[2K; rm x", id="an erased line"),
            pytest.param(
                "./che\u200bck", "./che\\u200bck\nIt has characters outside ASCII", id="a blank without width"
            ),
            pytest.param("true #\u202e x", "true #\\u202e x", id="a change of direction"),
            pytest.param(
                "p\u0443test", "may not be what it looks like: \u0443 U+0443.", id="a letter of another script"
            ),
        ],
    )
    def test_nothing_in_it_hides(self, repo: Repo, do: Callable[..., Output], text: str, shown: str) -> None:
        repo.table(row("D-1", "path: x", paid_when=f"passes {text}"))
        assert shown in do("allow", "D-1", "--yes").stdout

    def test_what_is_allowed_is_listed_and_taken_back_by_row_by_text_and_whole(
        self, repo: Repo, do: Callable[..., Output]
    ) -> None:
        assert do("allow", "--list").stdout == "No command is allowed in this repository on this machine.\n"
        repo.table(row("D-1", "path: x", paid_when="passes old"), row("D-2", "path: x", paid_when="passes two"))
        do("allow", "D-1", "--yes")
        do("allow", "D-2", "--yes")
        repo.table(row("D-1", "path: x", paid_when="passes new"), row("D-2", "path: x", paid_when="passes two"))
        shown = do("allow", "--list").stdout
        assert "  D-1  old  (no owed row names it now)\n" in shown
        assert "  D-2  two  (D-2)\n" in shown
        assert do("allow", "--withdraw", "D-1").stdout == "Taken back: old\n"
        assert do("allow", "--withdraw", "--text", "two").stdout == "Taken back: two\n"
        do("allow", "D-1", "--yes")
        do("allow", "D-2", "--yes")
        repo.table(row("D-2", "path: x", paid_when="passes two"))
        assert do("allow", "--withdraw", "D-1").stdout == "Taken back: new\n"
        assert do("allow", "--withdraw", "--all").stdout == "Taken back: two\n"
        assert (
            do("allow", "--list", "--json").stdout
            == '{\n  "schema_version": 1,\n  "permissions": [],\n  "stores": []\n}\n'
        )
        said = "It was not allowed. `gatilho allow --list` shows what is.\n"
        assert do("allow", "--withdraw", "D-2").stdout == said

    def test_trying_it_out_shows_everything_and_allows_nothing(self, repo: Repo, do: Callable[..., Output]) -> None:
        repo.table(row("D-1", "path: x", paid_when="passes echo made > made.txt; echo shown; exit 4"))
        done = do("allow", "--try", "D-1", "--yes")
        assert done.status == 1
        for part in ("sandbox: ", "time limit: 30 s", "variables: ", "| shown\n", "whole output: ", "exit status 4"):
            assert part in done.stdout
        assert not allowed.is_allowed(repository_of(repo), "echo made > made.txt; echo shown; exit 4")
        assert done.stdout.index("echo made") < done.stdout.index("sandbox: ")

    def test_what_runs_gatilho_itself_is_not_allowed(self, repo: Repo, do: Callable[..., Output]) -> None:
        repo.table(row("D-1", "path: x", paid_when="passes gatilho settle"))
        done = do("allow", "D-1", "--yes")
        assert done.status == 1
        assert "gatilho settle is never run: it runs gatilho itself" in done.stderr
        settled = do("settle").stdout
        assert "D-1 stays owed: it runs gatilho itself" in settled
        assert "gatilho allow" not in settled

    def test_a_folder_that_cannot_be_written_is_told(
        self, repo: Repo, do: Callable[..., Output], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        repo.table(D1)
        (tmp_path / "state").write_text("a file")
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
        done = do("allow", "D-1", "--yes")
        assert done.status == 2
        assert "nothing was allowed: " in done.stderr
        assert "Set XDG_STATE_HOME to a folder that can" in done.stderr

    def _at_a_terminal(
        self, repo: Repo, answer: str, env: dict[str, str], *extra: str
    ) -> "subprocess.CompletedProcess[bytes]":
        screen, keyboard = pty.openpty()
        os.write(screen, answer.encode())
        done = subprocess.run(
            [sys.executable, "-m", "gatilho", "allow", "D-1", *extra],
            cwd=repo.root, env={**os.environ, "PYTHONPATH": str(CHECKOUT), **env}, stdin=keyboard, capture_output=True,
        )  # fmt: skip
        os.close(screen)
        os.close(keyboard)
        return done


class TestExpire:
    @pytest.fixture
    def rows(self, repo: Repo) -> Repo:
        def line(row_id: str, kind: str, added: str, expires: str = "", state: str = "rule") -> str:
            return f"| {row_id} | rule | `path: x` | note {row_id} | 0 | {state} | {kind} | {added} | {expires} |"

        repo.table(
            line("S-1", "state", day(-31)), line("S-2", "state", day(-30)), line("S-3", "state", day(10)),
            line("X-1", "directive", day(-9000)), line("N-1", "", day(-9000)), line("N-2", "state", ""),
            line("G-1", "gotcha", day(-121)), line("P-1", "pitfall", day(-119)),
            line("E-1", "", "", day(-1)), line("E-2", "", "", day(0)),
            line("V-1", "state", day(-90), state="revoked"),
            header=KINDS,
        )  # fmt: skip
        return repo

    def _expired(self, repo: Repo) -> list[str]:
        return sorted(line["id"] for line in repo.ledger("expired"))

    def test_by_kind_and_by_the_rows_own_date(self, rows: Repo, do: Callable[..., Output]) -> None:
        done = do("expire")
        assert done.status == 0
        assert self._expired(rows) == ["E-1", "G-1", "S-1"]
        assert [rows.cell(one, "state") for one in ("S-1", "S-2")] == ["expired", "rule"]
        assert f"S-1 expired: added {day(-31)}, and a state lives 30 days" in done.stdout

    def test_twice_changes_nothing_the_second_time(self, rows: Repo, do: Callable[..., Output]) -> None:
        do("expire")
        before = rows.read(BACKLOG), rows.ledger()
        assert do("expire") == Output(0, "Nothing expires.\n", "")
        assert json.loads(do("expire", "--json").stdout)["rows"] == []
        assert (rows.read(BACKLOG), rows.ledger()) == before

    def test_no_override_reaches_a_directive(self, rows: Repo, do: Callable[..., Output]) -> None:
        rows.write("gatilho.toml", "[kinds.directive]\nhalf_life_days = 1\nttl_days = 1\n")
        do("expire", "--ttl-days", "1")
        assert rows.cell("X-1", "state") == "rule"
        assert self._expired(rows) == ["E-1", "G-1", "P-1", "S-1", "S-2"]

    def test_only_a_kind(self, rows: Repo, do: Callable[..., Output]) -> None:
        do("expire", "--kind", "state", "--ttl-days", "5")
        assert self._expired(rows) == ["S-1", "S-2"]

    def test_a_dry_run_writes_nothing(self, rows: Repo, do: Callable[..., Output]) -> None:
        planned = json.loads(do("expire", "--dry-run", "--json").stdout)
        assert sorted((one["id"], one["written"]) for one in planned["rows"]) == [
            (one, False) for one in ("E-1", "G-1", "S-1")
        ]
        done = do("expire", "--dry-run")
        assert done.stdout.count(" would expire: ") == 3
        assert rows.changed() == []

    def test_a_reinstated_row_can_expire_again(self, rows: Repo, do: Callable[..., Output]) -> None:
        before = rows.read(BACKLOG)
        do("expire")
        for one in ("S-1", "G-1", "E-1"):
            do("reinstate", one, "--why", "w")
        assert rows.read(BACKLOG) == before
        do("expire")
        assert self._expired(rows) == ["E-1", "E-1", "G-1", "G-1", "S-1", "S-1"]

    @pytest.mark.parametrize(
        ("toml", "kind", "said"),
        [
            pytest.param("[kinds.runbook]\nhalf_life_days = 45\n", "runbook", "kind runbook has no ttl_days", id="half a kind"),
            pytest.param("[kinds.runbook]\nttl_days = 45\n", "state", "kind runbook has no half_life_days", id="half, unused"),
            pytest.param("[kinds.state]\nttl_days = -3\n", "state", "`kinds.state.ttl_days` must be", id="a time that is none"),
            pytest.param("[kinds]\nstate = 500\n", "state", "gatilho.toml:2", id="a number in the place of a table"),
            pytest.param("[kinds.state\nttl_days = 500\n", "state", "gatilho.toml:1", id="a file that cannot be read"),
        ],
    )  # fmt: skip
    def test_a_kind_that_is_missing_is_an_error(
        self, repo: Repo, do: Callable[..., Output], toml: str, kind: str, said: str
    ) -> None:
        repo.table(f"| R-1 | rule | `path: x` | a | 0 | rule | {kind} | {day(-900)} | |", header=KINDS, commit=False)
        repo.write("gatilho.toml", toml)
        repo.commit()
        done = do("expire")
        assert done.status == 2
        assert said in done.stderr
        assert repo.changed() == []

    def test_a_row_of_an_unknown_kind_stays_and_keeps_no_other(self, repo: Repo, do: Callable[..., Output]) -> None:
        rows = [
            f"| R-{number} | rule | `path: x` | a | 0 | rule | {kind} | {day(-900)} | {expires} |"
            for number, kind, expires in ((1, "runbok", ""), (2, "state", ""), (3, "runbok", day(-1)))
        ]
        repo.table(*rows, header=KINDS)
        done = do("expire")
        assert done.status == 0
        assert f"{BACKLOG}:3  R-1 does not expire by its age: the kind runbok is unknown" in done.stdout
        assert [repo.cell(f"R-{number}", "state") for number in (1, 2, 3)] == ["rule", "expired", "expired"]

    def test_a_kind_of_ones_own(self, repo: Repo, do: Callable[..., Output]) -> None:
        repo.table(f"| R-1 | rule | `path: x` | a | 0 | rule | runbook | {day(-50)} | |", header=KINDS)
        repo.write("gatilho.toml", "[kinds.runbook]\nhalf_life_days = 45\nttl_days = 49\n")
        do("expire")
        assert repo.cell("R-1", "state") == "expired"
