"""What keeps stores from being read: sparse checkouts, union merges, wrong names; and what the texts of rows may do to a terminal."""

from pathlib import Path

import pytest
from builders import Repo, row, run_cli
from checking import found, problems_of

from gatilho import outside
from gatilho.git.root import Repository
from gatilho.index.index import open_index

D1 = row("D-1", r"path: ^src/a\.py$")


def test_a_store_outside_the_sparse_checkout_is_not_taken_for_an_empty_one(repo: Repo) -> None:
    repo.write("src/a.py", "")
    repo.table(D1)
    repo.git("sparse-checkout", "set", "src")
    (problem,) = problems_of(repo)
    assert (problem.code, problem.severity) == ("GT241", "warning")
    assert problem.message == "the store is outside the sparse checkout: 1 tracked file, whose rows do not speak here"
    assert problem.remedy == "git sparse-checkout add docs/gatilhos"
    assert not (repo.root / "docs").exists()
    assert repo.changed() == []


def test_a_repository_without_tables_says_so_as_a_note(repo: Repo) -> None:
    assert [(code, severity) for code, severity, *_ in found(repo)] == [("GT243", "note")]


def test_tables_that_git_ignores_are_said_once_until_they_are_tracked(repo: Repo) -> None:
    repo.write("src/a.py", "")
    repo.write(".gitignore", "docs/\n")
    repo.table(D1, commit=False)
    repo.table(row("D-2", r"path: ^src/a\.py$", "more"), file="docs/gatilhos/more.md", commit=False)
    (problem,) = problems_of(repo)
    assert (problem.code, problem.severity, problem.place.file) == ("GT248", "note", "docs/gatilhos/backlog.md")
    assert problem.message.startswith("git ignores this file, as it does 1 more table: no commit has its rows")
    assert problem.message in run_cli("doctor", cwd=repo.root).stdout.replace("\n    ", " ")
    assert "`git add --force docs/gatilhos/backlog.md`" in problem.remedy
    repo.git("add", "--force", "docs/gatilhos")
    assert found(repo) == []


def test_a_union_merge_is_warned_of_before_it_happens(repo: Repo) -> None:
    repo.write("src/a.py", "")
    repo.write(".gitattributes", "*.md merge=union\n")
    repo.table(D1)
    assert [(p.code, p.place.file) for p in problems_of(repo)] == [("GT242", "docs/gatilhos/backlog.md")]
    repo.write(".gitattributes", "*.md merge=union\ndocs/gatilhos/*.md merge=gatilho\n")
    assert found(repo) == []


@pytest.mark.parametrize(
    ("attribute", "message", "remedy"),
    [
        ("merge=union", "(attribute merge=union): removed rows come back, changed ones double", "`merge=union`"),
        ("merge=ours", "(attribute merge=ours): what its driver does is not known here", "`merge=ours`"),
        (
            "-merge",
            "(attribute -merge): a change on both sides is a conflict of the whole file",
            "`-merge` or `binary`",
        ),
        (
            "binary",
            "(attribute -merge): a change on both sides is a conflict of the whole file",
            "`-merge` or `binary`",
        ),
    ],
)
def test_a_driver_that_merges_no_rows_is_named(repo: Repo, attribute: str, message: str, remedy: str) -> None:
    repo.write("src/a.py", "")
    repo.write("docs/.gitattributes", f"*.md {attribute}\n")
    repo.table(D1)
    (problem,) = problems_of(repo)
    assert problem.code == "GT242"
    assert message in problem.message
    assert problem.remedy == f"take {remedy} for it out of .gitattributes"
    repo.write("docs/.gitattributes", "*.md merge=text\n*.txt -merge\n")
    assert found(repo) == []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (".", "lies within another one or around it"),
        ("..", "lies within another one or around it"),
        ("docs/gatilhos/team", "lies within another one or around it"),
        ("../no-such", "is not here, so its rows do not speak"),
    ],
    ids=["the repository itself", "what is around it", "a part of its store", "a folder that is not there"],
)
def test_a_store_that_cannot_be_one_more_is_told_and_costs_no_row(repo: Repo, name: str, said: str) -> None:
    repo.write("src/a.py", "")
    repo.table(D1)
    repo.table(row("D-2", r"path: ^src/a\.py$", "another"), file="docs/gatilhos/team/b.md")
    repo.write("gatilho.toml", f'stores = ["{name}", "{name}"]\n')
    problems = {(problem.code, problem.place.file, said in problem.message) for problem in problems_of(repo)}
    assert problems <= {("GT244", "gatilho.toml", True), ("GT244", "gatilho.toml", False)}
    assert ("GT244", "gatilho.toml", True) in problems
    with open_index(Repository(str(repo.root), f"{repo.root}/.git", f"{repo.root}/.git")) as index:
        assert len(index.rows()) == 2


def test_a_store_that_is_named_twice_is_read_once(repo: Repo, tmp_path: Path) -> None:
    repo.write("src/a.py", "")
    repo.table(D1)
    Repo(tmp_path / "team").table(row("T-1", r"path: ^src/a\.py$", "of the team"), file="docs/gatilhos/b.md")
    repo.write("gatilho.toml", f'stores = ["{tmp_path}/team", "{tmp_path}/team/"]\n')
    outside.allow(str(repo.root), f"{tmp_path}/team/docs/gatilhos")
    assert [problem.code for problem in problems_of(repo)] == ["GT244"]


def test_a_source_that_no_store_has_is_reported_at_its_name(repo: Repo) -> None:
    repo.table(D1)
    repo.write("docs/gatilhos/team/b.md", "words\n")
    repo.write(
        "gatilho.toml", '[sources."team/b.md"]\nlifecycle = "debt"\n[sources."backlogs.md"]\nlifecycle = "debt"\n'
    )
    [problem] = [one for one in problems_of(repo) if one.code == "GT247"]
    assert (problem.place.file, problem.place.line, problem.place.column) == ("gatilho.toml", 3, 10)
    assert problem.remedy == "did you mean `backlog.md`?"


def test_characters_that_act_on_a_terminal_are_told_with_their_place(repo: Repo) -> None:
    repo.write("src/a.py", "")
    repo.table(
        row("D-1", r"path: ^src/a\.py$", "clears \x1b[2J the screen"), row("D-2", r"path: ^src/a\.py$", "\u202eback")
    )
    assert [(code, row_id, text) for code, _, row_id, text in found(repo)] == [
        ("GT251", "D-1", "\x1b"),
        ("GT251", "D-2", "\u202e"),
    ]


@pytest.mark.parametrize("flag", ["assume-unchanged", "skip-worktree"])
def test_a_flag_that_hides_changes_from_git_is_named_with_what_takes_it_off(repo: Repo, flag: str) -> None:
    repo.write("src/a.py", "")
    repo.table(D1)
    repo.git("update-index", f"--{flag}", "docs/gatilhos/backlog.md")
    problems = problems_of(repo)
    assert [problem.code for problem in problems] == ["GT245"]
    assert f"git's flag {flag}" in problems[0].message
    repo.git(*problems[0].remedy.removeprefix("run `git ").removesuffix("`").split())
    assert problems_of(repo) == []
