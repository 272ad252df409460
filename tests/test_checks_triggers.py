"""Triggers that are understood and yet useless: nothing to write, no file, no text to look for."""

import pytest
from builders import Repo, row
from checking import found, problems_of


def test_a_debt_that_nothing_can_charge_is_noted(repo: Repo) -> None:
    repo.table(row("D-1", ["prompt: deploy", "start"]), row("R-1", "prompt: deploy", lifecycle="rule"))
    assert found(repo) == [("GT221", "note", "D-1", "`prompt: deploy` `start`")]


def test_a_debt_with_one_trigger_that_can_be_written_is_fine(repo: Repo) -> None:
    repo.table(row("D-1", ["prompt: deploy", "cmd: deploy"]))
    assert found(repo) == []


def test_a_trigger_whose_file_is_gone_is_noted_and_one_that_matches_another_is_not(repo: Repo) -> None:
    repo.write("src/a.py", "")
    repo.table(
        row("D-1", r"path: ^src/gone\.py$"),
        row("D-2", r"path: ^src/(a|gone)\.py$"),
        row("D-4", ["glob: lib/**", "glob: src/*.py"]),
        row("D-5", r"path: (?i)^SRC/A\.PY$"),
    )
    assert found(repo) == [("GT222", "note", "D-1", r"^src/gone\.py$"), ("GT222", "note", "D-4", "lib/**")]


def test_a_row_that_is_not_committed_may_be_about_files_to_come(repo: Repo) -> None:
    repo.table(row("D-1", "path: ^old/"))
    repo.table(row("D-1", "path: ^old/"), row("D-3", "path: ^new/"), commit=False)
    assert found(repo) == [("GT222", "note", "D-1", "^old/"), ("GT224", "note", "D-3", "^new/")]
    repo.write("new/a.py", "")
    assert found(repo) == [("GT222", "note", "D-1", "^old/")]
    (repo.root / "new/a.py").unlink()
    repo.commit()
    assert [(code, row_id) for code, _, row_id, _ in found(repo)] == [("GT222", "D-1"), ("GT222", "D-3")]


@pytest.mark.parametrize(
    ("trigger", "meant"),
    [
        (r"path: ^src/retry/clokc\.py$", "src/retry/clock.py"),
        ("path: ^src/retry/clok.py$", "src/retry/clock.py"),
        ("write: ^src/retri/", "src/retry/"),
        ("glob: src/retyr/**", "src/retry/"),
        (r"path: retry/(clocc)\.py", ""),
        (r"path: ^lib/clock\.py$", ""),
        (r"path: ^retry/clock\.py$", "src/retry/clock.py"),
    ],
)
def test_a_new_row_with_a_path_that_is_one_letter_off_is_told_the_right_one(
    repo: Repo, trigger: str, meant: str
) -> None:
    repo.write("src/retry/clock.py", "")
    repo.commit()
    repo.table(row("D-1", trigger), commit=False)
    (problem,) = problems_of(repo)
    assert problem.code == "GT224"
    assert problem.remedy == (f"did you mean `{meant}`?" if meant else "correct the trigger if that is not meant")
    repo.commit()
    (problem,) = problems_of(repo)
    otherwise = "correct the trigger, or end the row: strike, supersede or revoke it"
    assert (problem.code, problem.remedy) == ("GT222", f"did you mean `{meant}`?" if meant else otherwise)


def test_a_trigger_of_more_than_a_quarter_of_twenty_files_is_noted(repo: Repo) -> None:
    for number in range(18):
        repo.write(f"src/m{number}.py", "")
    repo.table(row("R-1", "glob: src/m1*.py", lifecycle="rule"), row("R-2", r"path: ^src/m[01]\.py$", lifecycle="rule"))
    assert len(repo.git("ls-files").split()) == 20
    assert found(repo) == [("GT225", "note", "R-1", "src/m1*.py")]
    repo.git("rm", "-q", "src/m17.py")
    assert found(repo) == []


def test_where_there_is_a_past_it_says_what_speaks_too_often(repo: Repo) -> None:
    for number in range(20):
        repo.write("CHANGES.md", f"{number}\n")
        repo.write(f"src/m{number}.py", "")
        repo.write("odd.py", f"{number // 2}\n")
        repo.commit()
    repo.table(
        row("R-1", r"path: ^CHANGES\.md$", lifecycle="rule"),
        row("R-2", "glob: src/m1*.py", lifecycle="rule"),
        row("R-3", r"path: ^odd\.py$", lifecycle="rule"),
    )
    (problem,) = problems_of(repo)
    assert (problem.code, problem.row) == ("GT225", "R-1")
    assert problem.message == (
        r"`path: ^CHANGES\.md$` matches files that 20 of the last 22 commits wrote, so R-1 speaks often"
    )


def test_a_file_that_was_removed_is_named_and_files_that_come_and_go_are_no_problem(repo: Repo) -> None:
    repo.table(
        row("D-1", r"path: ^old\.py$"), row("R-1", "glob: news/*.md", lifecycle="rule"), row("D-2", "path: ^no/")
    )
    for number in range(20):
        repo.write(f"news/{number}.md", "")
        repo.write("old.py" if number % 3 else "odd.py", f"{number}\n")
        repo.commit()
    repo.git("rm", "-rq", "news", "old.py")
    removed = repo.commit()
    assert [(one.code, one.message.partition(": D-")[0]) for one in problems_of(repo)] == [
        ("GT222", rf"`path: ^old\.py$` matches no tracked file since {removed[:7]} removed old.py"),
        ("GT222", "`path: ^no/` matches no tracked file"),
    ]


def test_what_looks_like_a_glob_is_told_once(repo: Repo) -> None:
    repo.table(row("D-1", "path: docs/*.rst"))
    assert [code for code, *_ in found(repo)] == ["GT214"]


def test_rows_without_a_needle_are_told_in_one_line(repo: Repo) -> None:
    repo.table(*(row(f"R-{n}", r"path: \.m", lifecycle="rule") for n in range(7)))
    (problem,) = problems_of(repo)
    assert (problem.code, problem.severity, str(problem.place)) == ("GT223", "note", "docs/gatilhos/backlog.md:3")
    assert problem.message == (
        "7 rows have a trigger without fixed text of 3 or more characters, so it is tested on every tool call: "
        "R-0, R-1, R-2, R-3, R-4 and 2 more"
    )
