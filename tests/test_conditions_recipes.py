"""The recipes of docs/conditions.md, run as a turn's end runs them: each fails, then passes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from builders import CHECKOUT, Repo
from documents import pieces
from processes import repository_of

from gatilho.conditions import commands

pytestmark = pytest.mark.skipif(os.name != "posix", reason="commands are run on POSIX systems only")
PAGE = CHECKOUT / "docs/conditions.md"
RECIPES = {piece.argument: piece.body.strip() for piece in pieces(PAGE) if piece.purpose == "recipe"}
# By program: files of a small project, and one file as it is before and after the debt is paid.
PROJECTS: dict[str, tuple[dict[str, str], str, str, str]] = {
    "pytest": ({}, "tests/test_retry.py", "def test_retry():\n    assert 0\n", "def test_retry():\n    assert 1\n"),
    "ruff": ({}, "src/a.py", "import os\n", "A = 1\n"),
    "npm": (
        {"package.json": '{"name": "a", "version": "1.0.0", "scripts": {"test": "node test.js"}}\n'},
        "test.js",
        "process.exit(1)\n",
        "process.exit(0)\n",
    ),
    "make": ({"Makefile": "check: built\n\tgrep -q done built\n\nbuilt: src.txt\n\tcp src.txt built\n"}, "src.txt", "to do\n", "done\n"),
    "cargo": (
        {"Cargo.toml": '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n', ".gitignore": "Cargo.lock\n"},
        "src/lib.rs",
        "#[test]\nfn t() {\n    assert!(false);\n}\n",
        "#[test]\nfn t() {\n    assert!(true);\n}\n",
    ),
    "git": ({}, "src/a.py", "import time\ntime.sleep(3)\n", "import time\n"),
}  # fmt: skip


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """The programs of these tests first; the toolchain of the person who runs them, whose home is another here."""
    monkeypatch.setenv("PATH", f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}")
    import pwd

    home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    for name, folder in (("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")):
        if name not in os.environ and (home / folder).is_dir():
            monkeypatch.setenv(name, str(home / folder))


def test_every_recipe_has_a_project() -> None:
    assert set(RECIPES) == set(PROJECTS)


@pytest.mark.parametrize("program", PROJECTS)
def test_a_recipe_fails_until_the_debt_is_paid(tools: None, repo: Repo, program: str) -> None:
    if not shutil.which(program) or subprocess.run([program, "--version"], capture_output=True).returncode:
        pytest.skip(f"{program} does not run on this machine")
    files, name, owed, paid = PROJECTS[program]
    for path, text in files.items():
        repo.write(path, text)
    for text, passes in ((owed, False), (paid, True)):
        repo.write(name, text)
        repo.commit()
        ran = commands.run_command(RECIPES[program], repository_of(repo), 60.0, False)
        assert (ran.fault, ran.outcome.holds) == ("", passes), ran.output.decode()
    if commands.find_sandbox(repository_of(repo)).is_bubblewrap:
        assert repo.changed() == []
