"""Globs of other tools, and triggers whose file was renamed: named with the spelling that works."""

import pytest
from builders import Repo, row, run_cli
from checking import found, problems_of

from gatilho.triggers.dialects import foreign_in

FOREIGN = {
    "**/*.{py,ts}": ("**/*.py", "**/*.ts"),
    "src/{a,b}/*.py": ("src/a/*.py", "src/b/*.py"),
    "{a,b}.{py,ts}": ("a.py", "a.ts", "b.py", "b.ts"),
    "*.@(js|jsx)": ("*.js", "*.jsx"),
    "*.py,*.ts": ("*.py", "*.ts"),
    "src/a.py, src/b.py": ("src/a.py", "src/b.py"),
    "'src/*.py'": ("src/*.py",),
    '"src/a.py"': ("src/a.py",),
    "./src/a.py": ("src/a.py",),
    "./a.py": ("/a.py",),
    "src\\a.py": ("src/a.py",),
    "src\\\\sub\\*.py": ("src/sub/*.py",),
    "src/**.py": ("src/**/*.py",),
    "'./src/*.{py,ts}'": ("src/*.py", "src/*.ts"),
}
OURS = ["**/*.py", "src/a.py", "/src/", "src/[ab].py", "*.py", "a,b.txt", "src/\\[x\\].py", "src/**", "x{1}.py", "src/[[:alpha:]].py", "a\\ b.py"]  # fmt: skip


@pytest.mark.parametrize("glob", FOREIGN)
def test_a_foreign_glob_is_respelled(glob: str) -> None:
    foreign = foreign_in(glob)
    assert foreign is not None
    assert foreign.spellings == FOREIGN[glob]
    assert not any(foreign_in(one) for one in foreign.spellings)


@pytest.mark.parametrize("glob", OURS)
def test_a_glob_as_git_writes_it_is_left_alone(glob: str) -> None:
    assert foreign_in(glob) is None


@pytest.mark.parametrize("glob", FOREIGN)
def test_check_names_the_working_spelling(repo: Repo, glob: str) -> None:
    repo.table(row("D-1", f"glob: {glob}"), commit=False)
    problem = next(one for one in problems_of(repo) if one.code == "GT218")
    assert problem.severity == "warning"
    assert all(f"`glob: {one}`" in problem.remedy for one in FOREIGN[glob])


def test_the_spelling_that_is_named_matches(repo: Repo) -> None:
    repo.write("src/a.ts", "x\n")
    repo.table(row("D-1", ["glob: **/*.py", "glob: **/*.ts"]), commit=False)
    assert found(repo, "GT218") == []


def test_a_name_that_really_has_braces_is_fine(repo: Repo) -> None:
    repo.write("src/{a,b}.py", "x\n")
    repo.table(row("D-1", "glob: src/{a,b}.py"))
    assert found(repo, "GT218") == []


def test_a_condition_with_braces_is_named_and_a_set_is_not(repo: Repo) -> None:
    repo.write("src/a.py", "x\n")
    repo.table(
        row("D-1", "start", paid_when="exists lib/*.{py,ts}", lifecycle="rule"),
        row("D-2", "start", paid_when="exists src/[[:alpha:]].py", lifecycle="rule"),
        row("D-3", "start", paid_when="count x in src/{a,b}.py <= 0"),
        commit=False,
    )
    assert [(code, row_id) for code, _, row_id, _ in found(repo, "GT218", "GT216")] == [("GT218", "D-1")]


def moved(repo: Repo, old: str, new: str) -> None:
    (repo.root / new).parent.mkdir(parents=True, exist_ok=True)
    repo.git("mv", old, new)


@pytest.mark.parametrize(
    ("trigger", "rewritten"),
    [
        (r"path: ^src/a\.py$", r"path: ^lib/new\.py$"),
        (r"write: ^src/a\.py$", r"write: ^lib/new\.py$"),
        ("glob: src/a.py", "glob: lib/new.py"),
        (r"path: src/a\.py", r"path: lib/new\.py"),
        (r"path: ^src/[ab]\.py$", r"path: ^lib/new\.py$"),
    ],
)
def test_a_renamed_file_is_named_with_the_trigger_that_follows_it(repo: Repo, trigger: str, rewritten: str) -> None:
    repo.write("src/a.py", "some text\nthat git can follow\n" * 5)
    repo.table(row("D-1", trigger))
    repo.git("switch", "-qc", "side")
    moved(repo, "src/a.py", "lib/new.py")
    staged = [one for one in problems_of(repo) if one.code == "GT226"]
    repo.commit("move")
    problems = [one for one in problems_of(repo) if one.code == "GT226"]
    assert [one.remedy for one in problems] == [f"write `{rewritten}`"] == [one.remedy for one in staged]
    assert "src/a.py was renamed to lib/new.py" in problems[0].message
    said = run_cli("check", "--since", "main", cwd=repo.root)
    assert (said.status, rewritten in said.stdout) == (1, True)


def test_a_folder_that_moved_and_a_file_that_moved_twice(repo: Repo) -> None:
    for name in ("src/old/a.py", "src/b.py"):
        repo.write(name, f"{name}\nsome text\nthat git can follow\n" * 5)
    repo.table(row("D-1", "path: ^src/old/"), row("D-2", r"path: ^src/b\.py$"))
    moved(repo, "src/old/a.py", "src/new/a.py")
    moved(repo, "src/b.py", "src/c.py")
    repo.commit("one")
    moved(repo, "src/c.py", "lib/d.py")
    repo.commit("two")
    remedies = [one.remedy for one in problems_of(repo) if one.code == "GT226"]
    assert remedies == ["write `path: ^src/new/`", r"write `path: ^lib/d\.py$`"]


def test_a_file_that_was_removed_is_no_rename(repo: Repo) -> None:
    repo.write("src/a.py", "x\n")
    repo.table(row("D-1", r"path: ^src/a\.py$"))
    repo.git("rm", "-q", "src/a.py")
    repo.commit("gone")
    assert [code for code, *_ in found(repo)] == ["GT222"]
