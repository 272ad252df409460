"""Ledger files that a commit left out are reported wherever a person looks."""

import os
import sys

import pytest
from builders import BACKLOG, Repo, row, run_cli, run_hook
from claude_session import Session
from ladder_steps import Play
from merging import branch, charge, start

D1 = row("D-1", r"path: ^src/a\.py$")


@pytest.fixture
def left(repo: Repo) -> Repo:
    """A ride that was committed with `git commit -am`, so without its ledger file."""
    repo.write("src/a.py", "a\n")
    repo.table(D1)
    play = Play(repo)
    play.wrote("src/a.py")
    play.stop()
    repo.git("commit", "--quiet", "-am", "Ride")
    return repo


def _file(repo: Repo) -> str:
    (path,) = repo.root.glob("docs/gatilhos/ledger/*.md")
    return str(path.relative_to(repo.root))


def test_every_place_reports_it_and_the_remedy_works(left: Repo) -> None:
    name = _file(left)
    assert left.git("status", "--porcelain").strip() == "?? docs/gatilhos/ledger/"
    for words in (["check"], ["check", "--since", "HEAD~1"]):
        found = run_cli(*words, cwd=left.root)
        assert found.status == 1
        assert f"{name}:1" in found.stdout
        assert "GT904" in found.stdout
        assert f"git add {name}" in found.stdout
    assert name in run_cli("doctor", cwd=left.root).stdout
    assert name in run_cli(cwd=left.root).stdout
    said = f"{name} is not committed, but the rides in it are"
    assert said in run_hook(Session(left).session_start()).person
    play = Play(left)
    play.wrote("src/a.py")
    assert said in play.stop().person
    play.wrote("src/a.py")
    assert said not in play.stop().person
    left.git("checkout", "--quiet", "--", BACKLOG)
    left.git("add", "docs/gatilhos/ledger")
    left.commit("The ledger")
    assert "GT904" not in run_cli("check", cwd=left.root).stdout
    assert "not committed" not in run_hook(Session(left).session_start()).person


def test_where_git_ignores_it_the_line_to_remove_comes_first(left: Repo) -> None:
    name = _file(left)
    left.write(".gitignore", "docs/gatilhos/ledger/\n")
    find = f"git check-ignore -v {name}"
    for said in (run_cli("check", cwd=left.root).stdout, run_hook(Session(left).session_start()).person):
        assert f"emove the line that `{find}` names, then " in said
    assert left.git(*find.split()[1:]).startswith(".gitignore:1:docs/gatilhos/ledger/")


def test_what_waits_to_be_committed_with_its_table_is_no_problem(repo: Repo) -> None:
    repo.write("src/a.py", "a\n")
    repo.table(D1)
    play = Play(repo)
    play.wrote("src/a.py")
    assert "not committed" not in play.stop().person
    assert "GT904" not in run_cli("check", cwd=repo.root).stdout
    repo.write("other", "x\n")
    repo.git("add", "other")
    repo.git("commit", "--quiet", "-m", "Something else")
    assert "GT904" not in run_cli("check", cwd=repo.root).stdout


def test_staged_and_not_committed_is_left_out_too(left: Repo) -> None:
    left.git("add", "docs/gatilhos/ledger")
    assert "GT904" in run_cli("check", cwd=left.root).stdout


def test_a_git_hook_lets_the_commit_pass_that_brings_it(left: Repo) -> None:
    hook = left.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gatilho check\n')
    hook.chmod(0o755)
    left.write("other", "x\n")
    left.git("add", "other")
    before = left.git("rev-parse", "HEAD")
    left.git("commit", "--quiet", "--message", "Something else", check=False)
    assert left.git("rev-parse", "HEAD") == before
    left.git("add", "docs/gatilhos/ledger")
    left.git("commit", "--quiet", "--message", "The ledger")


def test_what_an_unfinished_merge_brings_is_on_its_way(repo: Repo) -> None:
    start(repo)
    charge(repo, "D-1", "s1")
    branch(repo, "b", "HEAD~1")
    charge(repo, "D-1", "s2")
    repo.git("merge", "--quiet", "--no-commit", "--no-ff", "main")
    assert "GT904" not in run_cli("check", cwd=repo.root).stdout
    repo.git("reset", "--quiet")
    assert "GT904" in run_cli("check", cwd=repo.root).stdout


def test_a_file_that_takes_the_place_of_another_is_asked_about(left: Repo) -> None:
    """The answer is kept for a set of files: one that goes and one that comes make another set."""
    old = _file(left)
    assert old in run_cli("check", cwd=left.root).stdout
    os.rename(left.path(old), left.path(new := "docs/gatilhos/ledger/2026-01-01-0123abcd.md"))
    said = run_cli("check", cwd=left.root).stdout
    assert (new in said, old in said) == (True, False)


def test_where_rides_are_in_the_ledger_alone(repo: Repo) -> None:
    repo.write("gatilho.toml", 'rides_in = "ledger"\n')
    repo.write("src/a.py", "a\n")
    repo.table(D1)
    play = Play(repo)
    play.wrote("src/a.py")
    play.stop()
    assert "GT904" not in run_cli("check", cwd=repo.root).stdout
    repo.git("commit", "--quiet", "-am", "The code and no ledger")
    assert "GT904" in run_cli("check", cwd=repo.root).stdout


def test_one_that_is_deleted_is_reported_at_once_and_the_remedy_works(left: Repo) -> None:
    left.commit("The ledger")
    name = _file(left)
    (left.root / name).unlink()
    for env in ({}, {"GIT_INDEX_FILE": left.path(".git/index")}):  # as `git commit` starts its hooks
        found = run_cli("check", cwd=left.root, env=env)
        assert (found.status, "GT704" in found.stdout, name in found.stdout) == (1, True, True)
    left.git("restore", name)
    assert "GT704" not in run_cli("check", cwd=left.root).stdout
    left.git("revert", "--no-commit", "HEAD~1", "HEAD")
    left.git("revert", "--quit")
    assert "GT704" not in run_cli("check", cwd=left.root).stdout
