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


@pytest.mark.parametrize("condition", ["lacks web/a.py TODO", "contains web/a.py DONE"])
def test_a_new_debt_about_a_path_that_is_not_there_is_told_which_is(repo: Repo, condition: str) -> None:
    repo.write("packages/web/a.py", "TODO\n")
    repo.commit()
    repo.table(debt(condition), commit=False)
    (problem,) = problems_of(repo)
    assert (problem.remedy, "gone" in problem.message) == ("did you mean `packages/web/a.py`?", False)


def test_a_condition_follows_a_renamed_file(repo: Repo) -> None:
    repo.write("src/b.py", "b\n" * 9)
    repo.write("src/a.py", "a\n")
    repo.table(row("D-1", "path: a", paid_when="contains src/b.py fixed"))
    repo.git("mv", "src/b.py", "src/bb.py")
    repo.commit()
    (problem,) = [one for one in problems_of(repo) if one.code == "GT233"]
    assert problem.message == "`contains src/b.py fixed` matches no file any more: src/b.py was renamed to src/bb.py"
    assert problem.remedy == "write the new path into the condition: `contains src/bb.py fixed`"


@pytest.mark.parametrize(
    ("content", "reason", "remedy"),
    [
        pytest.param("DONE".encode("utf-16-le"), "UTF-16 without a byte order mark", "save the file in", id="encoding"),
        pytest.param(b"DONE" * 2_000_000, "is over 5 MB", "name a file of the repository", id="size"),
        pytest.param("../elsewhere.txt", "leads out", "not a link that leads out of it", id="link out"),
        pytest.param("big.txt", "leads to itself", "let the link lead to a file", id="link to itself"),
    ],
)
def test_a_file_that_cannot_be_searched_is_named(repo: Repo, content: "bytes | str", reason: str, remedy: str) -> None:
    if isinstance(content, str):
        (repo.root / "big.txt").symlink_to(content)
    else:
        (repo.root / "big.txt").write_bytes(content)
    repo.table(debt("contains big.txt DONE"))
    (problem,) = problems_of(repo)
    assert problem.code == "GT237"
    assert reason in problem.message
    assert remedy in problem.remedy


@pytest.mark.parametrize("pattern", ["(", "x*"])
def test_a_file_is_not_blamed_for_the_pattern(repo: Repo, pattern: str) -> None:
    repo.table(debt(f"contains README.md {pattern}"))
    assert [code for code, *_ in found(repo)] in (["GT212"], ["GT217"], ["GT211"])


@pytest.mark.parametrize("condition", ["missing src/*.nope", "exists src/*.nope", "lacks README.md project"])
def test_nothing_is_said_of(repo: Repo, condition: str) -> None:
    repo.table(debt(condition))
    assert found(repo) == []


def test_a_condition_that_cannot_be_understood_is_told_by_the_reader(repo: Repo) -> None:
    repo.table(debt("contians README.md x"))
    assert [code for code, *_ in found(repo)] == ["GT117"]
