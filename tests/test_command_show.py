"""`show`: one row as a whole page, and as JSON."""

import json
from collections.abc import Callable

from builders import BACKLOG, Output, Repo, row

DEBT = row(
    "D-1", r"path: ^README\.md$", "a note", paid_when=["contains README.md zebra", "exists README.md"], rides=3
)  # fmt: skip


def test_a_debt_that_is_due(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.table(DEBT)
    assert run_cli("show", "D-1").stdout == (
        "D-1  debt, owed, due\n"
        f"{BACKLOG}:3\n"
        "  a note\n"
        "\n"
        "Speaks by\n"
        "  path: ^README\\.md$  (matches 1 tracked file: README.md)\n"
        "\n"
        "Paid when\n"
        "  README.md contains `zebra`: does not hold (the pattern is not in README.md)\n"
        "  README.md exists: holds (README.md)\n"
        "\n"
        "Rides\n"
        "  ●●● 3; a write is asked about from 3 on\n"
    )


def test_a_paid_debt_says_when_why_and_how_it_comes_back(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.table(DEBT)
    run_cli("pay", "D-1", "--why", "it is gone")
    shown = run_cli("show", "D-1").stdout
    when, point, fraction = repo.ledger()[0]["when (utc)"].partition(".")
    assert (point, len(fraction)) == (".", 3)
    assert shown.startswith("D-1  debt, paid\n")
    commit = repo.git("rev-parse", "HEAD")[:10]
    assert shown.endswith(
        "\nLedger\n"
        f"  {when}, paid, 3 rides, at {commit}, by a person: it is gone\n"
        "\n"
        "Ended\n"
        f"  It was a debt that was owed; paid {when} by a person: it is gone\n"
        "  To bring it back: gatilho reinstate D-1 --why TEXT\n"
    )


def test_a_row_that_ended_by_hand_says_that_nobody_knows_more(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.table(row("R-1", "path: x", lifecycle="rule", state="revoked 2026-01-01"))
    shown = run_cli("show", "R-1").stdout
    assert "R-1  rule, revoked\n" in shown
    assert "It was a rule; revoked by hand, with no entry in the ledger (revoked 2026-01-01)." in shown


def test_a_debt_that_was_struck_by_hand_after_its_waiver_was_not_ended_by_the_waiver(
    repo: Repo, run_cli: Callable[..., Output]
) -> None:
    repo.table(row("D-1", "path: x"))
    assert run_cli("waive", "D-1", "--why", "later").status == 0
    for state in ("paid", "owed"):  # what the strike contradicts says nothing of the end
        repo.table(row("~~D-1~~", "path: x", state=state))
        assert (
            "It was a debt that was owed; paid by hand, with no entry in the ledger." in run_cli("show", "D-1").stdout
        )


def test_a_row_that_is_not_committed_and_matches_nothing(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.table(row("R-1", ["path: ^gone/", "cmd: x"], lifecycle="rule"), commit=False)
    shown = run_cli("show", "R-1").stdout
    assert f"{BACKLOG}:3, not committed yet\n" in shown
    assert "  path: ^gone/  (matches no tracked file)\n  cmd: x\n" in shown
    assert "\n  0; a rule is counted and never asked about\n" in shown


def test_an_anchor_that_is_gone_and_a_command(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.table(row("D-1", "path: x", paid_when=["lacks gone.py TODO", "passes pytest"]))
    shown = run_cli("show", "D-1").stdout
    assert "gone.py lacks `TODO`: anchor gone (gone.py is not there)" in shown
    assert "`pytest` passes: not allowed on this machine (`gatilho allow D-1`)" in shown


def test_two_rows_with_one_id_are_both_shown(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.table(DEBT, row("D-1", "path: x", "another note"))
    done = run_cli("show", "D-1")
    assert done.status == 0
    assert done.stdout.count("D-1  debt, ") == 2
    assert done.stdout.endswith(
        "2 rows have this id: both speak, and neither is written. Give one of them another id.\n"
    )


def test_an_unknown_id_is_usage(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.table(DEBT)
    assert run_cli("show", "zzz") == (2, "", "gatilho: no row has the id zzz. `gatilho list --all` shows them all.\n")


def test_json_has_the_outcomes_the_reach_and_the_ledger(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.table(DEBT)
    run_cli("pay", "D-1", "--why", "it is gone")
    (shown,) = json.loads(run_cli("show", "--json", "D-1").stdout)["rows"]
    assert (shown["state"], shown["rides"], shown["committed"], shown["shared"]) == ("paid", 3, True, False)
    assert [(c["text"], c["holds"], c["evidence"]) for c in shown["conditions"]] == [
        ("contains README.md zebra", False, ""),
        ("exists README.md", True, "README.md"),
    ]
    assert shown["reach"] == [{"trigger": r"path: ^README\.md$", "files": 1}]
    assert [(entry["event"], entry["evidence"]) for entry in shown["ledger"]] == [("paid", "it is gone")]
