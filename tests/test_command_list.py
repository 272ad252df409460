"""`list`: which rows, in which order, how they look at several widths, and what a program reads."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import BACKLOG, Output, Repo, row

ROWS = (
    row("D-1", r"path: ^README\.md$", "a debt that is due", rides=3),
    row("D-2", r"path: ^README\.md$", "a debt", rides=1, paid_when="exists DONE"),
    row("~~D-3~~", r"path: ^README\.md$", "a paid debt", rides=1, state="paid"),
    row("R-1", r"path: ^README\.md$", "a rule", rides=14, lifecycle="rule"),
    row("R-2", r"path: ^README\.md$", "an old rule", lifecycle="rule", state="superseded 2026-01-01 by R-1"),
    row("D-4", r"path: ^README\.md$", "a waived debt", rides=9, state="waived until 2999-01-01"),
)


def ids(done: Output) -> list[str]:
    return [row["id"] for row in json.loads(done.stdout)["rows"]]


def test_the_rows_in_force_in_the_order_in_which_they_compete(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.table(*ROWS)
    assert run_cli("list", env={"COLUMNS": "100"}) == (
        0,
        "id   lifecycle  rides  state                    note                place\n"
        f"D-1  debt       ●●● 3  owed, due                a debt that is due  {BACKLOG}:3\n"
        f"D-4  debt       ●●● 9  waived until 2999-01-01  a waived debt       {BACKLOG}:8\n"
        f"D-2  debt       ●○○ 1  owed                     a debt              {BACKLOG}:4\n"
        f"R-1  rule          14  rule                     a rule              {BACKLOG}:6\n"
        "\n"
        "2 rows that ended are not shown; `gatilho list --all` shows them.\n",
        "",
    )


def test_a_narrow_terminal_gets_two_lines_a_row(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.table(ROWS[0], row("R-1", "path: x", "a very long note " * 9, lifecycle="rule"))
    assert run_cli("list", env={"COLUMNS": "60", "TTY_COMPATIBLE": "1", "TERM": "xterm"}).stdout.replace(
        "\x1b[1m", ""
    ).replace("\x1b[0m", "") == (
        f"D-1  ●●● owed, due, 3 rides  {BACKLOG}:3\n"
        "    a debt that is due\n"
        f"R-1  rule, 0 rides  {BACKLOG}:4\n"
        "    a very long note a very long note a very long note a ve…\n"
    )


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        pytest.param(["--due"], ["D-1"], id="due"),
        pytest.param(["--paid"], ["D-3"], id="paid"),
        pytest.param(["--state", "superseded", "--state", "waived"], ["D-4", "R-2"], id="two states"),
        pytest.param(["--all"], ["D-1", "D-4", "D-2", "D-3", "R-1", "R-2"], id="all"),
        pytest.param(["--kind", "pitfall"], [], id="a kind that no row has"),
    ],
)
def test_what_is_asked_for(
    repo: Repo, run_cli: Callable[..., Output], arguments: list[str], expected: list[str]
) -> None:
    repo.table(*ROWS)
    done = run_cli("list", "--json", *arguments)
    assert (done.status, ids(done)) == (0, expected)


def test_rows_of_a_kind_whatever_their_capitals(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.write(BACKLOG, "| id | trigger | note | kind |\n|-|-|-|-|\n| a | `x` | one | Pitfall |\n| b | `x` | two | |\n")
    assert ids(run_cli("list", "--json", "--kind", "PITFALL")) == ["a"]
    assert run_cli("list", "--kind", "pitfal") == (
        2, "", "gatilho: --kind pitfal: there is no such kind. Did you mean pitfall?\n"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["--due"], "Nothing is due.\n", id="due"),
        pytest.param(["--paid"], "No matching rows.\n", id="paid"),
    ],
)
def test_nothing_to_list_is_said(repo: Repo, run_cli: Callable[..., Output], arguments: list[str], said: str) -> None:
    repo.table(ROWS[1])
    assert run_cli("list", *arguments) == (0, said, "")


def test_no_rows_at_all(repo: Repo, run_cli: Callable[..., Output]) -> None:
    assert run_cli("list").stdout.startswith("No tables yet. `gatilho init` writes the first ones")
    assert json.loads(run_cli("list", "--json").stdout) == {"schema_version": 1, "rows": [], "not_shown": 0}


def test_the_count_in_force_is_shown_with_a_cell_that_lags_behind(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.table(row("D-1", r"path: ^README\.md$", rides=1), row("D-2", "path: x", rides="many"))
    repo.write(
        "docs/gatilhos/ledger/2026-01-05-00000001.md",
        "| when (UTC) | id | event | rides | base | session | commit | by | evidence |\n|-|-|-|-|-|-|-|-|-|\n"
        "| 2026-01-05 10:00:00 | D-1 | charged | 5 | 4 | 0000000a | | program | README.md |\n",
    )
    shown = run_cli("list").stdout
    assert "5 (cell: 1)" in shown
    assert "0 (cell: no number)" in shown


def test_one_row_as_json(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.table(ROWS[1])
    assert json.loads(run_cli("list", "--json").stdout)["rows"] == [
        {
            "id": "D-2", "lifecycle": "debt", "state": "owed", "state_text": "owed", "in_force": True, "due": False,
            "rides": 1, "rides_cell": 1, "note": "a debt", "triggers": [{"kind": "path", "pattern": r"^README\.md$"}],
            "paid_when": ["exists DONE"], "holds_while": [], "kind": "", "key": "", "owner": "", "added": "",
            "expires": "", "not_before": "", "ask_after": None, "violated_when": [], "violated": 0, "examples": [],
            "columns": {}, "store": "", "file": BACKLOG, "line": 3,
        }
    ]  # fmt: skip


def test_no_text_of_a_row_acts_on_the_terminal(repo: Repo, run_cli: Callable[..., Output]) -> None:
    hostile = "\x1b[2J\x1b]0;t\x07\x1b]8;;http://h.invalid\x1b\\x\x1b]52;c;QQ==\x07\x9b31m\x08\r"
    path = repo.table(row("D-1", "path: README", f"note {hostile}end"), commit=False)
    before = path.read_bytes()
    for command in (["list"], ["check"], ["show", "D-1"], ["why", "README.md"]):
        shown = run_cli(*command).stdout
        assert "D-1" in shown or "README" in shown
        assert not [c for c in shown if (c < " " and c not in "\n\t") or "\x7f" <= c <= "\x9f"]
    assert path.read_bytes() == before


def test_a_row_past_its_own_date_counts_among_those_that_ended(repo: Repo, run_cli: Callable[..., Output]) -> None:
    header = "| id | lifecycle | trigger | note | rides | state | expires |\n" + "| --- " * 7 + "|\n"
    past = "| D-1 | debt | `path: x` | over | 3 | owed | 2020-01-02 |\n"
    repo.write(BACKLOG, header + past + past.replace("D-1", "D-2").replace("2020", "2999"))
    shown = run_cli("list").stdout
    assert "D-1" not in shown
    assert shown.endswith("\n\n1 row that ended is not shown; `gatilho list --all` shows it.\n")
    assert ids(run_cli("list", "--state", "owed", "--json")) == ["D-2"]
    repo.write(BACKLOG, header + past)
    hint = "1 row that ended is not shown; `gatilho list --all` shows it.\n"
    assert run_cli("list").stdout == f"No matching rows.\n\n{hint}"
    repo.write(BACKLOG, header + past + past.replace("D-1", "D-2").replace("2020", "2999"))
    assert "owed, past 2020-01-02" in run_cli("list", "--all").stdout
    assert run_cli().stdout.startswith("1 debt owed, 0 rules in force.\n")


FILTERED = (
    "| id | lifecycle | trigger | note | owner | kind |\n| --- | --- | --- | --- | --- | --- |\n"
    "| D-1 | debt | `path: ^src/a\\.py$` | one | Ana | pitfall |\n"
    "| D-2 | debt | `glob: src/**` | two | | |\n"
    "| R-1 | rule | `write: ^lib/` | three | bo | |\n"
)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--owner", "ana"], ["D-1"]),
        (["--owner", "none"], ["D-2"]),
        (["--kind", "none"], ["D-2", "R-1"]),
        (["--lifecycle", "rule"], ["R-1"]),
        (["--scope", "repository", "--owner", "bo"], ["R-1"]),
        (["--path", "src/b.py"], ["D-2"]),
        (["--path", "src"], ["D-1", "D-2"]),
        (["--path", "lib/new.py", "--path", "src/b.py"], ["D-2", "R-1"]),
        (["--path", "."], ["D-1", "D-2"]),
    ],
    ids=" ".join,
)
def test_filters(repo: Repo, run_cli: Callable[..., Output], arguments: list[str], expected: list[str]) -> None:
    repo.write(BACKLOG, FILTERED)
    repo.write("src/a.py", "")
    assert ids(run_cli("list", "--json", *arguments)) == expected


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--owner", "anna"], "--owner anna: there is no such owner. Did you mean ana?"),
        (["--scope", "persnal"], "--scope persnal: there is no such scope. Known here: repository."),
        (["--path", "../x"], "--path ../x is outside of "),
    ],
    ids=" ".join,
)
def test_a_filter_that_no_row_can_pass_is_a_usage_error(
    repo: Repo, run_cli: Callable[..., Output], arguments: list[str], said: str
) -> None:
    repo.write(BACKLOG, FILTERED)
    done = run_cli("list", *arguments)
    assert done.status == 2
    assert said in done.stderr


def test_a_row_of_another_scope_says_so(
    repo: Repo, run_cli: Callable[..., Output], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "gatilho").mkdir()
    (tmp_path / "gatilho" / "mine.md").write_text(FILTERED.replace("D-", "P-").replace("R-", "Q-"))
    repo.write(BACKLOG, FILTERED)
    shown = run_cli("list", env={"COLUMNS": ""}).stdout
    assert " scope " in shown.split("\n")[0]
    assert {line.split()[0] for line in shown.split("\n") if " personal " in line} == {"P-1", "P-2", "Q-1"}
    assert ids(run_cli("list", "--scope", "personal", "--json")) == ["P-1", "P-2", "Q-1"]
    assert ", personal store" in run_cli("show", "P-1").stdout
    assert ", personal store)" in run_cli("why", "src/a.py").stdout


def test_bars_where_the_output_has_no_circles(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.table(row("D-1", "path: x", rides=1))
    assert "#-- 1" in run_cli("list", env={"PYTHONIOENCODING": "ascii"}).stdout
