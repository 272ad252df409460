"""Debts that are worked off bit by bit: counted, kept in the state cell, lowered, never raised, merged."""

import json
from collections.abc import Callable

import pytest
from builders import BACKLOG, Output, Repo, row
from checking import found
from ladder_steps import Play
from merging import branch, start

from gatilho.document.condition_grammar import in_words, parse_conditions
from gatilho.lifecycle.state_cell import left_of, restate, with_left

Run = Callable[..., Output]
LIMIT = r"count # type: ignore in src/*.py <= 2"


def ignores(repo: Repo, *counts: int) -> None:
    for number, count in enumerate(counts):
        repo.write(f"src/m{number}.py", "x = 1  # type: ignore\n" * count + "y = 2\n")


def table(repo: Repo, state: str = "owed", note: str = "Types are missing.") -> None:
    repo.table(row("D-1", "glob: src/*.py", note, paid_when=LIMIT, state=state))


@pytest.mark.parametrize(
    ("condition", "argument", "pattern", "words"),
    [
        (LIMIT, "src/*.py", "# type: ignore", "all src/*.py together have at most 2 matches of `# type: ignore`"),
        (r"count a in b in 'my f.py' <= 0", "my f.py", "a in b", "my f.py has at most 0 matches of `a in b`"),
        (r"count x <= 1 in f <= 10", "f", "x <= 1", "f has at most 10 matches of `x <= 1`"),
        ("count x in f <= 1", "f", "x", "f has at most 1 match of `x`"),
    ],
)
def test_a_count_is_read(condition: str, argument: str, pattern: str, words: str) -> None:
    (read,), messages = parse_conditions([condition])
    assert (messages, read.kind, read.argument, read.pattern, in_words(read)) == ([], "count", argument, pattern, words)


@pytest.mark.parametrize(
    "condition", ["count x in f", "count x f <= 2", "count x in f <= two", "count in f <= 2", "count"]
)
def test_an_incomplete_count_names_the_form(condition: str) -> None:
    assert "write `count PATTERN in GLOB <= N`" in parse_conditions([condition])[1][0]


@pytest.mark.parametrize(
    ("text", "left", "lowered", "paid"),
    [
        ("owed", None, "owed 3 left", "paid"),
        ("owed 14 left", 14, "owed 3 left", "paid"),
        ("", None, "owed 3 left", "paid"),
        ("Devida 14 left: Ana", 14, "Devida 3 left: Ana", "Paga: Ana"),
        ("owed since 14 left", None, "owed 3 left since 14 left", "paid since 14 left"),
        ("paid", None, "paid", "paid"),
    ],
)
def test_the_number_left_is_the_programs_part_of_the_state(
    text: str, left: int | None, lowered: str, paid: str
) -> None:
    assert (left_of(text), with_left(text, 3), restate(text, "paid")) == (left, lowered, paid)
    assert with_left(lowered, 3) == lowered


def test_settle_writes_what_is_left_lowers_it_and_pays(repo: Repo, run_cli: Run) -> None:
    ignores(repo, 5, 4)
    table(repo)
    assert "D-1 is nearer to its payment: 7 left" in run_cli("settle").stdout
    assert repo.cell("D-1", "state") == "owed 7 left"
    assert repo.ledger() == []
    ignores(repo, 5, 1)
    assert run_cli("settle").status == 0
    assert repo.cell("D-1", "state") == "owed 4 left"
    ignores(repo, 5, 5)
    assert run_cli("settle").status == 0
    assert repo.cell("D-1", "state") == "owed 4 left"  # a rise is not written, it is reported
    assert found(repo, "GT238") == [("GT238", "warning", "D-1", "owed 4 left")]
    ignores(repo, 1, 1)
    assert "D-1 is paid" in run_cli("settle").stdout
    assert (repo.cell("D-1", "id"), repo.cell("D-1", "state")) == ("~~D-1~~", "paid")


def test_the_close_of_a_turn_lowers_it(repo: Repo) -> None:
    ignores(repo, 5)
    table(repo)
    play = Play(repo)
    play.read("src/m0.py")
    play.write("src/m0.py", "x = 1  # type: ignore\n" * 3)
    play.stop()
    assert (repo.cell("D-1", "state"), repo.rides("D-1")) == ("owed 1 left", 1)
    assert [line["event"] for line in repo.ledger()] == ["charged"]


def test_a_vanished_file_pays_no_count(repo: Repo, run_cli: Run) -> None:
    ignores(repo, 5)
    table(repo)
    repo.git("rm", "-q", "src/m0.py")
    repo.commit()
    assert [code for code, *_ in found(repo, "GT232", "GT238")] == ["GT232"]
    assert "stays owed: anchor gone" in run_cli("settle").stdout


@pytest.mark.parametrize(
    ("after", "limit", "codes"), [(6, 2, ["GT737"]), (4, 2, []), (5, 2, []), (1, 2, []), (6, 3, ["GT737"]), (5, 3, [])]
)
def test_a_branch_may_not_add_to_it(repo: Repo, run_cli: Run, after: int, limit: int, codes: list[str]) -> None:
    ignores(repo, 5)
    table(repo)
    repo.git("switch", "-qc", "side")
    ignores(repo, after)
    repo.write(BACKLOG, repo.read(BACKLOG).replace("<= 2", f"<= {limit}"))
    repo.commit()
    done = run_cli("check", "--since", "main", "--format", "json")
    problems = [one for one in json.loads(done.stdout)["problems"] if one["code"] == "GT737"]
    assert [one["code"] for one in problems] == codes
    if codes:
        assert done.status == 1
        assert "what is left of D-1 grew from 3 to 4: 6 matches in src/*.py, 4 more than 2" in problems[0]["message"]


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        ("owed 9 left", "owed 7 left", "owed 4 left", "owed 4 left"),
        ("owed", "owed 7 left", "owed 8 left", "owed 7 left"),
        ("owed 9 left", "owed 7 left", "waived until 2026-12-24", "waived until 2026-12-24"),
        ("owed 9 left: Ana", "owed 9 left: Bo", "owed 4 left: Ana", "owed 9 left: Bo"),
    ],
)
def test_a_merge_takes_the_smaller_number(repo: Repo, base: str, ours: str, theirs: str, merged: str) -> None:
    start(repo)
    table(repo, base)
    branch(repo, "other")
    table(repo, theirs)
    repo.git("switch", "-q", "main")
    table(repo, ours)
    repo.git("merge", "-q", "--no-edit", "other")
    assert repo.cell("D-1", "state") == merged
