"""Completion of commands, ids and codes, in the shells themselves where they are installed."""

import os
import pty
import select
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from builders import CHECKOUT, PATIENCE, Repo, row, run_cli

from gatilho.setup.registration import registrable

TYPED = [
    ("gatilho expl", "explain"),
    ("gatilho show D-7", "D-7f3k"),
    ("gatilho explain GT23", "GT231"),
    ("gatilho show D-7f3k --j", "--json"),
    ("gatilho check --format sa", "sarif"),
]


@pytest.fixture
def shop(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    repo.table(row("D-7f3k", "README"), row("a$(b)", "README"))
    shim = tmp_path / "bin/gatilho"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m gatilho "$@"\n')
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", f"{shim.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(CHECKOUT))
    monkeypatch.setenv("HOME", str(tmp_path))
    return repo


def ask(shell: str, script: str, repo: Repo) -> str:
    if not shutil.which(shell):
        pytest.skip(f"no {shell} here")
    done = subprocess.run([shell, "-c", script], cwd=repo.root, capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize(("typed", "found"), TYPED)
def test_bash_completes(shop: Repo, typed: str, found: str) -> None:
    words = typed.split()
    script = (
        f'eval "$(gatilho completion bash)"; COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; _gatilho; '
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    assert found in ask("bash", script, shop).split("\n")


@pytest.mark.parametrize(("typed", "found"), TYPED)
def test_fish_completes(shop: Repo, typed: str, found: str) -> None:
    script = f"gatilho completion fish | source; complete -C {shlex.quote(typed)}"
    assert found in ask("fish", script, shop).split("\n")


@pytest.mark.parametrize(("typed", "named"), [("gatilho show ", False), ("gatilho why ", True)])
def test_fish_names_files_only_where_there_is_nothing_else(shop: Repo, typed: str, named: bool) -> None:
    said = ask("fish", f"gatilho completion fish | source; complete -C '{typed}'", shop).split("\n")
    assert ("docs/" in said, "D-7f3k" in said) == (named, not named)


def test_zsh_completes(shop: Repo) -> None:
    if not shutil.which("zsh"):
        pytest.skip("no zsh here")
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(shop.root)
        os.execvpe("zsh", ["zsh", "-f", "-i"], {**os.environ, "TERM": "dumb", "PS1": "ready> "})
    os.write(terminal, b'autoload -U compinit; compinit -u -D; eval "$(gatilho completion zsh)"; echo set up\n')
    assert b"\nset up" in _until(terminal, b"\nset up")
    os.write(terminal, b"gatilho show D-7\t")
    shown = _until(terminal, b"D-7f3k")
    os.write(terminal, b"\x03exit\n")
    os.close(terminal)
    os.waitpid(child, 0)
    assert b"D-7f3k" in shown


def _until(terminal: int, text: bytes) -> bytes:
    read, deadline = b"", time.monotonic() + PATIENCE
    while text not in read.replace(b"\r", b"") and time.monotonic() < deadline:
        if select.select([terminal], [], [], 1)[0]:
            read += os.read(terminal, 4096)
    return read.replace(b"\r", b"")


def test_only_ids_that_a_shell_takes_as_one_word_are_offered(shop: Repo) -> None:
    assert run_cli("completion", "--words", "show", "", cwd=shop.root).stdout.split() == ["D-7f3k"]


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (["list", "--lifecycle", ""], ["debt", "rule"]),
        (["packs", ""], ["take", "update"]),
        (["show", "--json", ""], ["D-7f3k"]),
        (["add", "--note", ""], []),
        (["check", ""], []),
        (["hook", "-"], []),
        (["no-such", "-"], []),
        (["fold", "-"], ["--dry-run", "--help", "--json", "--root"]),
        (["init", "--host", ""], sorted(registrable())),
    ],
    ids=" ".join,
)
def test_options_and_their_choices_are_offered(shop: Repo, typed: list[str], offered: list[str]) -> None:
    assert sorted(run_cli("completion", "--words", *typed, cwd=shop.root).stdout.split()) == offered


def test_nothing_is_offered_outside_of_a_repository(tmp_path: Path) -> None:
    done = run_cli("completion", "--words", "show", "", cwd=tmp_path)
    assert (done.status, done.stdout, done.stderr) == (0, "", "")
