"""`gatilho` alone: due, changed, wrong; or what there is to do first."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import BACKLOG, Output, Repo, row

from gatilho.command_list import help_text
from gatilho.ledger.lines import Entry, ledger_bytes

D1 = row("D-1", r"path: ^README\.md$", "a debt that is due", rides=3)
D2 = row("D-2", r"path: ^README\.md$", "a debt", rides=1)
R1 = row("R-1", r"path: ^README\.md$", "a rule", lifecycle="rule")


def test_what_is_due_changed_and_wrong(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.table(D1, D2, R1)
    paid = D2.replace("D-2", "~~D-2~~").replace("owed", "paid")
    repo.table(D1.replace("| 3 |", "| 4 |"), paid, row("D-9", "path: ("), commit=False)
    assert run_cli() == (
        0,
        "2 debts owed, 0 rules in force.\n"
        "\n"
        "Due\n"
        f"  ●●● D-1 is due after 4 rides: a debt that is due ({BACKLOG}:3)\n"
        "\n"
        "Changed since the last commit\n"
        f"  D-2  struck by hand, with no entry in the ledger ({BACKLOG}:4)\n"
        f"  D-1  rides 3 -> 4, by hand, with no entry in the ledger ({BACKLOG}:3)\n"
        f"  D-9  new debt: a note ({BACKLOG}:5)\n"
        f"  R-1  removed, was rule: a rule (was in {BACKLOG})\n"
        "\n"
        "Problems\n"
        f"  {BACKLOG}:5: `(` is not a regular expression: missing ). Until it is corrected, this trigger never matches\n"
        "  `gatilho check` explains what to do.\n"
        "\n"
        "`gatilho --help` lists the commands.\n",
        "",
    )


def test_nothing_of_the_kind(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.table(D2, R1)
    assert run_cli().stdout == (
        "1 debt owed, 1 rule in force.\n\nNothing is due.\n\nNext\n"
        f"  ●○○ D-2  1 ride: a debt ({BACKLOG}:3)\n\nNo row changed since the last commit.\n\n"
        "No problems.\n\n`gatilho --help` lists the commands.\n"
    )


def test_a_row_that_moved_to_another_file_did_not_change(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.table(D2, R1)
    repo.table(D2, commit=False)
    repo.table(R1, file="docs/gatilhos/rules.md", commit=False)
    assert "No row changed since the last commit." in run_cli().stdout


def test_a_table_that_was_removed_tells_its_rows(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.table(D2)
    repo.table(R1, file="docs/gatilhos/rules.md")
    (repo.root / BACKLOG).unlink()
    assert f'  D-2  removed while still owed (1 ride): "a debt" (was in {BACKLOG})\n' in run_cli().stdout


def test_more_than_five_are_counted(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.table(*(row(f"D-{n}", r"path: ^README\.md$", rides=5) for n in range(8)))
    assert "  and 3 more: gatilho list --due\n" in run_cli().stdout


def test_a_renamed_row_is_told_as_that(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.table(D2, R1)
    repo.table(D2.replace("D-2", "D-9"), R1, commit=False)
    entry = Entry("2026-01-19 10:00:00", "D-2", "renamed", 1, 1, by="person", evidence="D-9")
    repo.write("docs/gatilhos/ledger/2026-01-19-0badcafe.md", ledger_bytes([entry]))
    shown = run_cli().stdout
    assert f"  D-9  renamed from D-2 ({BACKLOG}:3)\n" in shown
    assert "removed" not in shown
    assert "D-9  renamed from D-2" in run_cli("diff").stdout.replace(f"{BACKLOG}:3\n  ", "")


def test_empty_tables_are_not_missing_ones(repo: Repo, run_cli: Callable[..., Output]) -> None:
    for command in ((), ("list",)):
        said = run_cli(*command).stdout
        assert said.startswith("No tables yet. `gatilho init` writes the first ones")
        assert "No problems" not in said
    run_cli("init")
    for command in ((), ("list",)):
        assert run_cli(*command).stdout.startswith(
            f"No rows yet. Write the first one, as in {BACKLOG}. `gatilho check` explains"
        )


def test_without_tables_it_says_how_to_begin(repo: Repo, run_cli: Callable[..., Output]) -> None:
    assert run_cli().stdout.startswith("No tables yet. `gatilho init` writes the first ones")


def test_another_folder_is_named_with_root(repo: Repo, tmp_path: Path, run_cli: Callable[..., Output]) -> None:
    repo.table(D1)
    event = json.dumps({"hook_event_name": "SessionStart", "session_id": "s-1", "source": "startup"})
    assert run_cli("--root", str(repo.root), cwd=tmp_path) == run_cli()
    briefed = run_cli("hook", "--host", "claude", "--root", str(repo.root), cwd=tmp_path, stdin=event)
    assert "a debt that is due" in briefed.stdout
    missing = run_cli("hook", "--root", "no-such", stdin=event)
    assert (missing.status, missing.stderr) == (0, "gatilho: --root no-such was ignored: No such file or directory\n")
    assert run_cli("--root", "no-such").status == run_cli("--root", ".", "list").status == 2


def test_outside_of_a_repository_it_is_the_help(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_cli: Callable[..., Output]
) -> None:
    folder = tmp_path / "bare"
    folder.mkdir()
    assert run_cli(cwd=folder) == (0, help_text(), "")
