"""Whoever opens a file or a database closes it: Python's development mode has nothing to report (from 3.13 on, also of databases)."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from builders import CHECKOUT, PATIENCE, Repo, row
from claude_session import Session

COMMANDS = {
    "gatilho": "",
    "allow": "allow D-1 --yes",
    "check": "check --since HEAD",
    "diff": "diff HEAD",
    "doctor": "doctor --fix",
    "expire": "expire --dry-run",
    "fold": "fold",
    "list": "list",
    "log": "log D-1",
    "rename": "rename D-1 D-9",
    "settle": "settle",
    "show": "show D-1",
    "why": "why src/a.py",
}


def reported(*arguments: str, cwd: Path, stdin: bytes = b"") -> str:
    """What development mode reports of a run of the command line."""
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-m", "gatilho", *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        input=stdin,
        capture_output=True,
        timeout=PATIENCE,
    )
    assert done.returncode in (0, 1), done.stderr.decode()
    return "\n".join(line for line in done.stderr.decode().split("\n") if "ResourceWarning" in line)


@pytest.fixture
def owing(repo: Repo) -> Repo:
    """A repository with a debt that has a condition, and one that is due."""
    repo.write("src/a.py", "x = 1\n")
    trigger = r"path: ^src/a\.py$"
    repo.table(row("D-1", trigger, paid_when=["contains src/a.py DONE", "passes true"]), row("D-2", trigger, rides=3))
    return repo


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_command_leaves_nothing_open(owing: Repo, command: str) -> None:
    assert reported(*command.split(), cwd=owing.root) == ""


def test_no_event_leaves_anything_open(owing: Repo, tmp_path: Path) -> None:
    other = Repo(tmp_path / "other")
    other.table(row("D-7", r"path: ^b\.py$"))
    session = Session(owing)
    edit: dict[str, Any] = {"file_path": owing.path("src/a.py"), "old_string": "1", "new_string": "2"}
    events = [
        session.session_start(),
        session.prompt("ok D-2"),
        session.pre("Edit", **edit),
        session.post("Edit", **edit),
        session.post("Write", file_path=other.path("b.py"), content=""),
        session.pre("Bash", command="sed -i s/x/y/ src/a.py"),
        session.stop(),
        session.session_start("compact"),
    ]
    for event in events:
        said = reported("hook", "--host", "claude", cwd=owing.root, stdin=json.dumps(event).encode())
        assert (event["hook_event_name"], said) == (event["hook_event_name"], "")
    assert owing.ledger("charged")
    assert other.ledger("charged")
