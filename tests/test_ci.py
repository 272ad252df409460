"""The script that the machine runs which checks a change finds every Python that runs here."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from builders import CHECKOUT, PATIENCE

pytestmark = pytest.mark.skipif(os.name != "posix", reason="a script for POSIX systems")
THIS = f"{sys.version_info.major}.{sys.version_info.minor}"


def listed(folder: Path, pyenv: Path) -> subprocess.CompletedProcess[str]:
    """What it finds on a PATH that has that folder and no other Python."""
    return subprocess.run(
        ["bash", str(CHECKOUT / ".ci/run"), "--list"],
        env={**os.environ, "PATH": f"{folder}:{tools(folder)}", "PYENV_ROOT": str(pyenv)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def tools(folder: Path) -> Path:
    """A folder with nothing but what the script starts before it runs the tests."""
    found = folder.parent / "tools"
    found.mkdir()
    for name in ("bash", "dirname"):
        (found / name).symlink_to(f"/usr/bin/{name}")
    return found


def link(path: Path, text: str = "") -> None:
    """Put this interpreter there, or a script that stands in its place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text or f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    path.chmod(0o755)


def test_a_version_counts_once_and_a_shim_that_does_not_run_not_at_all(tmp_path: Path) -> None:
    link(tmp_path / "bin/python3")
    link(tmp_path / f"bin/python{THIS}")
    link(tmp_path / "bin/python3.14", "#!/bin/sh\necho 'pyenv: python3.14: command not found' >&2\nexit 127\n")
    done = listed(tmp_path / "bin", tmp_path / "pyenv")
    assert (done.returncode, done.stdout, done.stderr) == (0, f".ci/run: found Python {THIS}\n", "")


def test_what_pyenv_has_installed_is_found_without_a_shim(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    link(tmp_path / f"pyenv/versions/{THIS}.0/bin/python3")
    done = listed(tmp_path / "bin", tmp_path / "pyenv")
    assert (done.returncode, done.stdout) == (0, f".ci/run: found Python {THIS}\n")


def test_where_there_is_none_it_says_so(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    done = listed(tmp_path / "bin", tmp_path / "pyenv")
    assert done.returncode == 2
    assert "no Python 3.11 or later is here" in done.stderr
