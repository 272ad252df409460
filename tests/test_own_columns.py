"""What people keep in columns of their own, and how much of a note a pipe and a terminal get."""

import json

import pytest
from builders import Repo, row, run_cli

from gatilho import render

HEADER = "| id | issue | trigger | note | Due  | lifecycle |\n| --- | --- | --- | --- | --- | --- |\n"


@pytest.fixture
def tracked(repo: Repo) -> Repo:
    repo.table("| D-1 | #12 | `README` | out of date | next \\| week | debt |", header=HEADER)
    return repo


def test_own_columns_are_shown(tracked: Repo) -> None:
    shown = run_cli("show", "D-1", cwd=tracked.root).stdout
    assert "Also\n  issue: #12\n  Due: next | week\n" in shown


@pytest.mark.parametrize("command", [("show", "D-1"), ("list",), ("health", "--rows", "all")], ids=" ".join)
def test_own_columns_are_in_the_json(tracked: Repo, command: tuple[str, ...]) -> None:
    (found,) = json.loads(run_cli(*command, "--json", cwd=tracked.root).stdout)["rows"]
    assert found["columns"] == {"issue": "#12", "Due": "next | week"}


COMMANDS = (
    "list",
    "show D-1",
    "why README.md",
    "check",
    "log D-1",
    "diff HEAD",
    "doctor",
    "fold",
    "explain GT101",
    "health",
    "health --behaviour",
    "health --rows all",
    "corrections",
)


def test_the_json_of_every_command_says_its_version(tracked: Repo) -> None:
    versions = {one: json.loads(run_cli(*one.split(), "--json", cwd=tracked.root).stdout) for one in COMMANDS}
    assert {one: read["schema_version"] for one, read in versions.items()} == dict.fromkeys(COMMANDS, 1)
    sarif = json.loads(run_cli("check", "--format", "sarif", cwd=tracked.root).stdout)
    assert "schema_version" not in sarif


def test_a_pipe_gets_the_whole_note_and_a_terminal_what_it_has_room_for(repo: Repo) -> None:
    note = "the steps are out of date and nothing says so " * 5 + "end"
    repo.table(row("D-1", "README", note), row("D-2", "README", "注文の合計は税込みで計算する" * 6))
    for columns in ("", "40", "200"):
        assert note in run_cli("list", cwd=repo.root, env={"COLUMNS": columns}).stdout
    cut = run_cli("list", cwd=repo.root, env={"COLUMNS": "100", "TTY_COMPATIBLE": "1", "TERM": "xterm"}).stdout
    assert "…" in cut
    from gatilho.render import width_of

    assert {width_of(line) <= 100 for line in cut.split("\n")[1:]} == {True}


def test_text_is_cut_by_the_cells_of_a_terminal() -> None:
    assert render.first_cells("注文の合計", 7) == "注文の…"
    assert render.first_cells("abcdefgh", 7) == "abcdef…"
