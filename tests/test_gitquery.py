"""Questions to git: what it prints, its names as the operating system has them, and no answer where it fails."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import Repo

from gatilho.compare import revisions
from gatilho.compare.revisions import Revisions
from gatilho.errors import GatilhoError
from gatilho.git import query
from gatilho.git.root import find_repository


def test_an_answer_is_what_git_prints(repo: Repo) -> None:
    assert query.ask(str(repo.root), "rev-parse", "HEAD") == repo.git("rev-parse", "HEAD").encode()


def test_a_name_that_is_no_utf_8_is_the_name_that_opens_the_file(repo: Repo) -> None:
    with open(os.fsencode(str(repo.root)) + b"/caf\xe9 \n.txt", "wb"):
        pass
    found = query.ask_names(str(repo.root), "ls-files", "-z", "--others")
    assert found is not None
    assert [os.path.isfile(f"{repo.root}/{name}") for name in found] == [True]


def test_standard_input_is_given_on(repo: Repo) -> None:
    repo.write(".gitattributes", "*.md merge=union\n")
    said = query.ask_names(str(repo.root), "check-attr", "-z", "--stdin", "merge", given=b"a.md\0b.txt\0")
    assert said == ["a.md", "merge", "union", "b.txt", "merge", "unspecified"]


@pytest.mark.parametrize(
    "arguments", [("no-such-command",), ("cat-file", "blob", "HEAD:missing")], ids=["no command", "no such file"]
)
def test_there_is_no_answer_where_git_fails(repo: Repo, arguments: tuple[str, ...]) -> None:
    assert query.ask(str(repo.root), *arguments) is None
    assert query.ask_names(str(repo.root), *arguments) is None


def test_there_is_no_answer_where_there_is_no_git(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert query.ask(str(repo.root), "rev-parse", "HEAD") is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no FIFOs")
def test_a_git_that_hangs_is_asked_once(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query, "_LONG", 1)
    monkeypatch.setattr(query, "_HANGING", {})
    (repo.root / ".git/packed-refs").unlink(missing_ok=True)
    os.mkfifo(repo.root / ".git/packed-refs")
    started = time.monotonic()
    assert [query.ask(str(repo.root), "for-each-ref", seconds=1) for _ in range(20)] == [None] * 20
    assert time.monotonic() - started < 19  # twenty, where each has to wait
    os.unlink(repo.root / ".git/packed-refs")
    query._HANGING[str(repo.root)] = time.monotonic()  # the moment has come
    assert query.ask(str(repo.root), "for-each-ref")


@pytest.mark.skipif(not hasattr(os, "posix_spawnp"), reason="the system starts no program so")
@pytest.mark.parametrize("does", ["while :; do echo x; done", "exec sleep 60"], ids=["talks on", "is silent"])
def test_a_git_that_does_not_end_is_killed_in_time(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, does: str
) -> None:
    program = tmp_path / "bin/git"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/number\n{does}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    ours = signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system forgets what ends, as under some parents
    try:
        started = time.monotonic()
        done = query.run(str(repo.root), "status", seconds=0.5)
    finally:
        signal.signal(signal.SIGCHLD, ours)
    assert time.monotonic() - started < 30
    assert (done.status, done.said) == (-1, "git did not end within 0.5 seconds")
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "number").read_text()), 0)


@pytest.mark.parametrize("alone", [0, 8], ids=["through one process", "one by one"])
def test_who_reads_what_git_never_says_stops_waiting(repo: Repo, monkeypatch: pytest.MonkeyPatch, alone: int) -> None:
    """A pipe in the place of an object, of a list of objects, and of the names of branches."""
    monkeypatch.setattr(query, "_SILENCE", 0.5)
    monkeypatch.setattr(query, "_SOONER_ONE_BY_ONE", alone)
    monkeypatch.setattr(revisions, "_PATIENCE_FOR_NAMES", 0.5)
    repo.write("a", "text\n")
    repo.commit()
    blob = repo.git("rev-parse", "HEAD:a").strip()
    loose = repo.root / ".git/objects" / blob[:2] / blob[2:]
    found = find_repository(str(repo.root))
    assert found is not None
    with Revisions(found) as opened:
        reading: list[tuple[Path, Callable[[], object]]] = [
            (loose, lambda: opened.blob(blob)),
            (repo.root / ".git/packed-refs", lambda: list(opened.log(["-1"], []))),
            (repo.root / ".git/packed-refs", lambda: opened.side("main~0")),
        ]
        for path, reads in reading:
            path.unlink(missing_ok=True)
            os.mkfifo(path)
            with pytest.raises(GatilhoError, match=r"git said nothing for|did not end within 0\.5"):
                reads()
