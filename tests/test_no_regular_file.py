"""Devices, FIFOs and sockets in the place of files that anything reads: no one waits, and rows go on."""

import json
import os
import resource
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from builders import CHECKOUT, DISPATCHER, Repo, row, run_cli, run_hook
from claude_session import Session

from gatilho import bounded

FILES = (
    "gatilho.toml", "pyproject.toml", "docs/gatilhos/extra.md", "docs/gatilhos/ledger/2026-01-01-0badf00d.md",
    "AGENTS.md", ".git/packed-refs", ".git/gatilho/package", ".git/gatilho/log", ".claude/settings.json", "src/a.py",
    ".gitattributes", ".git/shallow", ".git/gatilho/signature",
)  # fmt: skip
KINDS = ("device", "FIFO", "socket")


def put(kind: str, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    if kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "FIFO":
        os.mkfifo(path)
    else:
        with socket.socket(socket.AF_UNIX) as made:
            before = os.getcwd()
            os.chdir(path.parent)  # the name of a socket is short
            try:
                made.bind(path.name)
            finally:
                os.chdir(before)


@pytest.fixture
def ready(repo: Repo) -> Repo:
    repo.write("src/a.py", "x\n")
    repo.table(row("D-1", r"^src/a\.py$", "look at a", paid_when="contains src/a.py done"))
    run_hook(Session(repo).session_start())
    return repo


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("kind", KINDS)
def test_an_event_waits_for_nothing_and_rows_speak(ready: Repo, kind: str, name: str) -> None:
    put(kind, ready.root / name)
    session = Session(ready)
    event = session.post("Read", file_path=ready.path("src/a.py"))
    assert "look at a" in run_hook(event, env={"PYTHONPATH": str(CHECKOUT)}).context


@pytest.mark.parametrize("name", ["gatilho.toml", "pyproject.toml"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_configuration_that_is_no_file_is_named_in_one_line(ready: Repo, kind: str, name: str) -> None:
    put(kind, ready.root / name)
    answer = run_hook(Session(ready).post("Read", file_path=ready.path("src/a.py")))
    assert answer.person.count("not a regular file") == 1
    listed = run_cli("list", cwd=ready.root)
    assert "D-1" in listed.stdout
    checked = run_cli("check", cwd=ready.root)
    assert f"{name}:1" in checked.stdout
    assert "not a regular file" in checked.stdout


@pytest.mark.parametrize("kind", KINDS)
def test_a_repository_without_a_store_is_let_pass(repo: Repo, kind: str) -> None:
    put(kind, repo.root / "pyproject.toml")
    assert run_hook(Session(repo).post("Read", file_path=repo.path("README.md"))).answer is None
    assert run_hook(Session(repo).post("mcp__x__read_file", path=repo.path("README.md"))).answer is None


@pytest.mark.parametrize("command", [("list",), ("check",), ("show", "D-1"), ("why", "src/a.py"), ("diff",), ("doctor",)],
                         ids=" ".join)  # fmt: skip
def test_no_command_waits(ready: Repo, command: tuple[str, ...]) -> None:
    for number, name in enumerate(FILES[:5]):
        put(KINDS[number % len(KINDS)], ready.root / name)
    output = run_cli(*command, cwd=ready.root)
    assert "Traceback" not in output.stderr
    assert output.status in (0, 1)


@pytest.mark.parametrize("name", [".git/info/attributes", ".gitattributes"])
@pytest.mark.parametrize("command", [("log", "D-1"), ("check", "--since", "HEAD")], ids=" ".join)
def test_what_git_would_wait_for_is_named(ready: Repo, command: tuple[str, ...], name: str) -> None:
    put("FIFO", ready.root / name)
    output = run_cli(*command, cwd=ready.root)
    if command[0] == "log":
        assert (output.status, f"{name} is no regular file" in output.stderr) == (1, True)
    else:
        assert (output.status, output.stderr) == (0, "")


def test_attributes_that_a_link_to_the_null_device_switches_off_are_no_obstacle(ready: Repo) -> None:
    (ready.root / ".git/info").mkdir()
    (ready.root / ".git/info/attributes").symlink_to(os.devnull)
    output = run_cli("log", "D-1", cwd=ready.root)
    assert (output.status, output.stderr, "look at a" in output.stdout) == (0, "", True)


def test_a_device_without_end_takes_no_memory(ready: Repo) -> None:
    put("device", ready.root / "gatilho.toml")
    put("device", ready.root / "docs/gatilhos/extra.md")
    event = Session(ready).post("Read", file_path=ready.path("src/a.py"))
    done = subprocess.run([sys.executable, "-I", "-S", str(DISPATCHER)], input=json.dumps(event).encode(),
                          cwd=ready.root, capture_output=True, timeout=30,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29)))  # fmt: skip
    assert b"look at a" in done.stdout


def test_the_reader_refuses_what_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 11)
    assert bounded.read(str(path), 11) == b"x" * 11
    assert bounded.head(str(path), 3) == b"xxx"
    assert b"".join(bounded.pieces(str(path))) == b"x" * 11
    with pytest.raises(OSError, match="larger than 10 bytes"):
        bounded.read(str(path), 10)


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/null", "/dev/tty", "/", "a\0b"])
def test_the_reader_opens_no_device_and_no_folder(name: str) -> None:
    with pytest.raises(OSError, match=r"not a regular file|embedded null"):
        bounded.read(name)
