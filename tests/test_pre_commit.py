"""The hook for pre-commit, run by pre-commit itself from a clone of this repository."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from builders import BACKLOG, CHECKOUT, Repo, row

pytestmark = pytest.mark.slow


@pytest.fixture
def hooks(tmp_path: Path) -> str:
    """A repository with the hook file of this one; what it installs is a stand-in that runs this checkout."""
    source = Repo(tmp_path / "hooks")
    shutil.copy(CHECKOUT / ".pre-commit-hooks.yaml", source.root)
    source.write(
        "setup.py",
        "from setuptools import setup\n"
        "setup(name='gatilho', version='0', py_modules=['stand_in'], "
        "entry_points={'console_scripts': ['gatilho = stand_in:main']})\n",
    )
    source.write(
        "stand_in.py",
        "import os, sys\n\n\ndef main():\n"
        f"    os.environ['PYTHONPATH'] = {str(CHECKOUT)!r}\n"
        f"    os.execv({sys.executable!r}, [{sys.executable!r}, '-m', 'gatilho', *sys.argv[1:]])\n",
    )
    source.commit()
    return str(source.root)


def test_a_commit_with_a_bad_row_is_stopped_and_a_good_one_passes(repo: Repo, hooks: str, tmp_path: Path) -> None:
    revision = subprocess.run(["git", "-C", hooks, "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()
    repo.write(
        ".pre-commit-config.yaml", f"repos:\n- repo: {hooks}\n  rev: {revision}\n  hooks:\n  - id: gatilho-check\n"
    )
    env = {**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "cache")}

    def run() -> "subprocess.CompletedProcess[str]":
        repo.git("add", "--all")
        return subprocess.run(
            [sys.executable, "-m", "pre_commit", "run"],
            cwd=repo.root, env=env, capture_output=True, text=True, timeout=240,
        )  # fmt: skip

    repo.table(row("D-1", "README", rides="many"), commit=False)
    bad = run()
    if "Could not find a version" in bad.stdout + bad.stderr or "No matching distribution" in bad.stdout:
        pytest.skip("the environment of a hook cannot be installed here")
    assert bad.returncode == 1, bad.stdout + bad.stderr
    assert f"{BACKLOG}:3:" in bad.stdout
    assert "GT107" in bad.stdout
    repo.table(row("D-1", "README", rides="2"), commit=False)
    good = run()
    assert good.returncode == 0, good.stdout + good.stderr
    assert "Passed" in good.stdout
    repo.commit()
    repo.write("README.md", "# Another\n")
    assert "no files to check" in run().stdout
