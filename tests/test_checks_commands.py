"""What `check` says of conditions that name a command, which it never runs."""

from pathlib import Path

import pytest
from builders import Repo, row
from checking import found, problems_of
from processes import allow


def _debt(text: str) -> str:
    return row("D-1", r"path: ^README\.md$", paid_when=f"passes {text}")


def test_a_command_that_is_not_allowed_is_noted_and_not_run(repo: Repo, tmp_path: Path) -> None:
    text = f"touch {tmp_path}/ran"
    repo.table(_debt(text))
    (problem,) = [one for one in problems_of(repo) if one.code == "GT234"]
    assert problem.severity == "note"
    assert "run `gatilho allow D-1` in your own terminal" in problem.remedy
    assert not (tmp_path / "ran").exists()


def test_one_that_runs_gatilho_itself_is_reported(repo: Repo) -> None:
    repo.table(_debt("gatilho settle"))
    (problem,) = [one for one in problems_of(repo) if one.code == "GT236"]
    assert "never run, so it cannot pay D-1: it runs gatilho itself" in problem.message


def test_an_allowed_one_is_neither_noted_nor_run(repo: Repo, tmp_path: Path) -> None:
    text = f"touch {tmp_path}/ran"
    repo.table(_debt(text))
    allow(repo, text)
    assert found(repo, "GT234") == []
    assert not (tmp_path / "ran").exists()


SEARCHES = [
    pytest.param("! git grep -q OLD_FLAG", True, id="git grep everywhere"),
    pytest.param("! rg -q OLD_FLAG", True, id="rg"),
    pytest.param("! grep -rq OLD_FLAG .", True, id="grep -r ."),
    pytest.param("test -f x && ! grep --recursive OLD_FLAG", True, id="in a chain"),
    pytest.param("! git grep -q OLD_FLAG -- ':!docs/gatilhos'", False, id="without the store"),
    pytest.param("! git grep -q OLD_FLAG -- src", False, id="in a folder"),
    pytest.param("! grep -rq OLD_FLAG src lib", False, id="grep in folders"),
    pytest.param("! grep -q OLD_FLAG src/a.py", False, id="in one file"),
    pytest.param("pytest -q tests/test_a.py", False, id="no search"),
]


@pytest.mark.parametrize(("text", "warned"), SEARCHES)
def test_a_command_that_finds_its_own_text(repo: Repo, text: str, warned: bool) -> None:
    repo.table(_debt(text))
    assert [code for code, *_ in found(repo, "GT235")] == (["GT235"] if warned else [])
