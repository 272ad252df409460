"""The examples of CONTRIBUTING.md, applied to a copy of the package: a verb, a check and a command are one file each."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from builders import BACKLOG, CHECKOUT, Repo, row


def _diffs() -> list[str]:
    """The diffs that CONTRIBUTING.md shows."""
    text = (CHECKOUT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return [part.partition("\n```")[0] + "\n" for part in text.split("```diff\n")[1:]]


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with all that CONTRIBUTING.md adds."""
    root = tmp_path_factory.mktemp("extended")
    shutil.copytree(CHECKOUT / "gatilho", root / "gatilho", ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run(["git", "init", "--quiet"], cwd=root, check=True)
    for diff in _diffs():
        subprocess.run(["git", "apply", "--whitespace=error-all", "-"], cwd=root, input=diff, text=True, check=True)
    return root


def _run(extended: Path, repo: Repo, *words: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "gatilho", *words], cwd=repo.root, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=60, env={**os.environ, "PYTHONPATH": str(extended), "COLUMNS": "200"},
    )  # fmt: skip
    assert done.stderr == ""
    return done.returncode, done.stdout


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """A repository whose debt is paid by a smaller file."""
    repo.write("src/a.py", "x" * 50)
    repo.write("src/b.py", "x" * 5)
    repo.table(row("D-1", r"path: ^src/", "a.py is too long", paid_when="smaller src/*.py 20"))
    return repo


def test_each_diff_adds_one_file() -> None:
    assert [diff.count("diff --git ") for diff in _diffs()] == [1] * len(_diffs())
    assert len(_diffs()) >= 3


def test_a_new_verb_is_read_shown_and_pays(extended: Path, shop: Repo) -> None:
    assert _run(extended, shop, "check") == (0, "No problems in 1 row.\n")
    shown = _run(extended, shop, "show", "D-1")[1]
    assert "every src/*.py is smaller than 20 bytes: does not hold (src/a.py has 20 bytes or more)" in shown
    assert "D-1 stays owed: src/a.py has 20 bytes or more" in _run(extended, shop, "settle")[1]
    shop.write("src/a.py", "x")
    assert "holds (src/*.py (2 files))" in _run(extended, shop, "show", "D-1")[1]
    assert "D-1 is paid: smaller src/*.py 20: src/*.py (2 files)" in _run(extended, shop, "settle")[1]
    assert shop.cell("D-1", "id") == "~~D-1~~"


def test_a_new_verb_pays_by_the_hook(extended: Path, shop: Repo) -> None:
    event = {
        "session_id": "s", "cwd": str(shop.root), "hook_event_name": "PostToolUse", "tool_name": "Write",
        "tool_use_id": "t", "tool_input": {"file_path": shop.path("src/a.py"), "content": "x"},
    }  # fmt: skip
    shop.write("src/a.py", "x")
    code = "import sys; sys.path.insert(0, sys.argv[1]); from gatilho.hook import main; main(['--host', 'claude'])"
    subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(extended)],
        cwd=shop.root, input=json.dumps(event), text=True, check=True, timeout=60,
    )  # fmt: skip
    assert shop.cell("D-1", "id") == "~~D-1~~"


def test_a_misspelt_use_of_a_new_verb_is_told_with_its_form(extended: Path, shop: Repo) -> None:
    shop.table(row("D-1", r"path: ^src/", paid_when="smaller src/a.py few"))
    status, said = _run(extended, shop, "check")
    assert status == 1
    assert "`smaller src/a.py few`: `few` is not a number of bytes: write `smaller PATH BYTES`" in said
    shop.table(row("D-1", r"path: ^src/", paid_when="under src/a.py 20"))
    assert "`under` is not a condition: write `smaller PATH BYTES`" in _run(extended, shop, "check")[1]


def test_a_new_check_finds_its_problem(extended: Path, shop: Repo) -> None:
    shop.table(row("D-1", r"path: ^src/", "TOO LONG", paid_when="smaller src/a.py 20"))
    status, said = _run(extended, shop, "check", "--format", "json")
    (problem,) = json.loads(said)["problems"]
    assert (status, problem["code"], problem["file"], problem["row"]) == (1, "GT901", BACKLOG, "D-1")
    assert problem["text"][problem["column"] - 1 :].startswith("TOO LONG")


def test_a_new_command_is_in_the_help_and_runs(extended: Path, shop: Repo) -> None:
    assert "  owners        count the rows in force by owner\n" in _run(extended, shop, "--help")[1]
    assert _run(extended, shop, "owners") == (0, "1  (no owner)\n")
    assert _run(extended, shop, "help", "owners")[1].startswith("usage: gatilho owners ")


def test_without_the_examples_none_of_it_is_known(shop: Repo) -> None:
    assert _run(CHECKOUT, shop, "check")[0] == 1
    assert "owners" not in _run(CHECKOUT, shop, "--help")[1]
