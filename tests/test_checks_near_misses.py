"""Words that are one slip away from a known one: what is reported, and what is people's own."""

import pytest
from builders import BACKLOG, HEADER, Repo, row
from checking import found, problems_of

from gatilho.nearest import misspelt


def _write(repo: Repo, header: str, line: str) -> None:
    cells = header.count("|") - 1
    repo.write("src/a.py", "")
    repo.write(BACKLOG, f"# Rows\n\n{header}\n{'|---' * cells}|\n{line}\n")


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("| id | triger | note |", ["column `triger` is not known, so no row of this table is read"]),
        ("| Id | Trigers | Notes |", ["column `Trigers`", "column `Notes`"]),
        ("| id | lifecycle | trigger: | nota |", ["column `trigger:`"]),
        ("| id | lifecyle | trigger | note |", ["column `lifecyle` is not known, so it is ignored"]),
        ("| id | trigger | note | paid-when | Ride | sate | issue |", ["`paid-when`", "`Ride`", "`sate`"]),
        ("| id | gatilo | nota | cilco |", ["column `gatilo`", "column `cilco`"]),
    ],
)
def test_a_mistyped_header_is_named_with_what_was_meant(repo: Repo, header: str, said: list[str]) -> None:
    _write(repo, header, "| D-1 | `path: ^src/a` | `path: ^src/a` | n |")
    problems = [one for one in problems_of(repo) if one.code == "GT291"]
    assert len(problems) == len(said)
    for problem, words in zip(problems, said, strict=True):
        assert words in problem.message
        assert (str(problem.place), problem.severity) == (f"{BACKLOG}:3", "warning")
        assert header[problem.place.column - 1 :].startswith(words.partition("`")[2].partition("`")[0])
        assert problem.remedy.startswith("did you mean `")


@pytest.mark.parametrize(
    "header",
    [
        "| id | trigger | note | status | stage | type | tags | notes | triggers |",
        "| id | trigger | note | owners | example | keys | kinds | added-by |",
        "| ID | Triggers | What happens |",
        "| Workflow | Triggers | Note |",
        "| Id | Notes |",
        "| triger | notes | ids |",
    ],
)
def test_a_column_of_peoples_own_and_an_ordinary_table_are_no_slip(repo: Repo, header: str) -> None:
    _write(repo, header, "| D-1 | `path: ^src/a` | n |")
    assert found(repo, "GT291") == []


def test_debts_that_a_mistyped_column_makes_rules_are_one_problem(repo: Repo) -> None:
    repo.write("src/a.py", "")
    repo.table(row("D-1", r"path: ^src/a\.py$"), header=HEADER.replace("lifecycle", "lifecyle"))
    assert [one.code for one in problems_of(repo)] == ["GT291"]


def test_a_missing_note_is_one_problem_that_names_the_column_that_was_meant(repo: Repo) -> None:
    _write(repo, "| id | trigger | notes |", "| D-1 | `path: ^src/a` | n |")
    assert [(one.code, one.remedy) for one in problems_of(repo)] == [("GT132", "did you mean `note` by `notes`?")]


@pytest.mark.parametrize(
    ("state", "meant"),
    [
        ("piad", "paid"),
        ("superceded 2026-01-02 by D-2", "superseded"),
        ("**Revokd**: no longer true", "revoked"),
        ("waved until 2999-01-01", "waived"),
        ("owned by Ann", ""),
        ("rules apply", ""),
        ("waiting for a release", ""),
    ],
)
def test_a_mistyped_state_that_would_end_the_row_is_named(repo: Repo, state: str, meant: str) -> None:
    repo.write("src/a.py", "")
    repo.table(row("D-1", r"path: ^src/a\.py$", state=state))
    remedies = [one.remedy for one in problems_of(repo) if one.code == "GT291"]
    assert remedies == ([f"did you mean `{meant}`?"] if meant else [])


def test_a_struck_row_is_paid_whatever_its_state_says(repo: Repo) -> None:
    repo.write("src/a.py", "")
    repo.table(row("~~D-1~~", r"path: ^src/a\.py$", state="piad"))
    assert found(repo, "GT291") == []


def test_two_letters_that_changed_places_are_a_slip_and_another_word_is_none() -> None:
    assert misspelt("Ntoe", ("note", "rides")) == "note"
    assert misspelt("tone", ("note",)) == ""
