"""What tests of commands share: who is still alive, programs without bubblewrap, a command allowed as a person would."""

import os
import shutil
import time
from pathlib import Path

import pytest
from builders import Repo

from gatilho.conditions import allowed
from gatilho.git.root import Repository, find_repository

# Programs that the commands of the tests use.
_PROGRAMS = (
    "sh",
    "sleep",
    "cat",
    "touch",
    "rm",
    "git",
    "env",
    "nohup",
    "setsid",
    "yes",
    "head",
    "mkdir",
    "python3",
    "id",
    "ls",
)
on_linux = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="who is alive is read from /proc")


def repository_of(repo: Repo) -> Repository:
    """The repository as the program finds it."""
    found = find_repository(str(repo.root))
    assert found is not None
    return found


def allow(repo: Repo, *texts: str) -> None:
    """Allow commands, as `gatilho allow` does after a yes."""
    for text in texts:
        allowed.allow_command(repository_of(repo), text)


def programs_without_bubblewrap(folder: Path) -> str:
    """A PATH that has what tests need and no bwrap."""
    folder.mkdir(exist_ok=True)
    for name in _PROGRAMS:
        found = shutil.which(name)
        if found and not (folder / name).exists():
            (folder / name).symlink_to(found)
    return str(folder)


def alive(token: str) -> list[str]:
    """The command lines of living processes that hold the token."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                line = Path(f"/proc/{name}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if token in line:
                found.append(line)
    return found


def wait_until_gone(token: str, seconds: float = 20) -> list[str]:
    """Wait until no process holds the token; those that still do."""
    deadline = time.monotonic() + seconds
    while alive(token) and time.monotonic() < deadline:
        time.sleep(0.05)
    return alive(token)
