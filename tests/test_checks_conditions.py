"""Conditions whose outcome is known before anybody works on the debt."""

import pytest
from builders import Repo, row
from checking import found, problems_of


def debt(paid_when: str | list[str], row_id: str = "D-1") -> str:
    return row(row_id, r"path: ^README\.md$", paid_when=paid_when)


def test_a_new_debt_that_is_paid_already_is_refused_until_it_is_committed(repo: Repo) -> None:
    repo.table(debt("exists README.md"), commit=False)
    (problem,) = problems_of(repo)
    assert (problem.code, problem.severity) == ("GT231", "error")
    assert problem.message == "D-1 is new, but its condition is already true (README.md), so it is not marked paid"
    repo.commit()
    assert found(repo) == []


def test_a_new_debt_whose_condition_fails_is_fine(repo: Repo) -> None:
    repo.table(debt(["exists README.md", "contains README.md zebra"]), commit=False)
    assert found(repo) == []


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        pytest.param("lacks src/gone.py TODO", ("GT232", "warning", "D-1", "lacks src/gone.py TODO"), id="anchor gone"),
        pytest.param(
            "contains src/*.nope DONE", ("GT233", "note", "D-1", "contains src/*.nope DONE"), id="no file yet"
        ),
        pytest.param("contains gone.py DONE", ("GT233", "note", "D-1", "contains gone.py DONE"), id="no such file yet"),
        pytest.param("passes pytest x.py", ("GT234", "note", "D-1", "passes pytest x.py"), id="a command"),
    ],
)
def test_what_a_condition_waits_for(repo: Repo, condition: str, expected: tuple[str, ...]) -> None:
    repo.table(debt(condition))
    assert found(repo) == [expected]


@pytest.mark.parametrize("condition", ["missing src/*.nope", "exists src/*.nope", "lacks README.md project"])
def test_nothing_is_said_of(repo: Repo, condition: str) -> None:
    repo.table(debt(condition))
    assert found(repo) == []


def test_a_condition_that_cannot_be_understood_is_told_by_the_reader(repo: Repo) -> None:
    repo.table(debt("contians README.md x"))
    assert [code for code, *_ in found(repo)] == ["GT117"]
