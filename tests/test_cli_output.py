"""What a command does when its output cannot be written, and with options that it does not know."""

import os
import subprocess
import sys

import pytest
from builders import CHECKOUT, Repo, row

from gatilho.cli import main
from gatilho.command_list import list_commands

READING = [
    pytest.param(words, id=words[0].lstrip("-"))
    for words in (
        ["list"], ["show", "D-1"], ["why", "README.md"], ["check"], ["diff"], ["log", "D-1"], ["fold"],
        ["expire", "--dry-run"], ["init", "--dry-run"], ["--help"], ["--version"], ["list", "--json"], ["help", "pay"], ["health"],
    )
]  # fmt: skip


def _shell(repo: Repo, words: list[str], redirection: str) -> subprocess.CompletedProcess[str]:
    line = f'"$0" -m gatilho "$@" {redirection}'
    return subprocess.run(
        ["sh", "-c", line, sys.executable, *words],
        cwd=repo.root, env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip


@pytest.fixture
def filled(repo: Repo) -> Repo:
    repo.table(row("D-1", r"path: ^README\.md$", rides=3))
    return repo


@pytest.mark.parametrize("words", READING)
def test_a_full_disk_is_one_line_and_no_bug(filled: Repo, words: list[str]) -> None:
    done = _shell(filled, words, "> /dev/full")
    assert done.returncode == 1
    assert done.stderr == "gatilho: the output cannot be written: No space left on device.\n"


@pytest.mark.parametrize("words", READING)
def test_a_pipe_that_is_closed_is_silent(filled: Repo, words: list[str]) -> None:
    done = _shell(filled, words, "| true")
    assert done.stderr == ""


@pytest.mark.parametrize("words", [["list"], ["check"], ["--version"]], ids=lambda words: words[0])
def test_a_closed_output_is_no_bug(filled: Repo, words: list[str]) -> None:
    done = _shell(filled, words, ">&-")
    assert (done.returncode, done.stderr) in ((0, ""), (1, ""))


def test_a_closed_input_is_one_without_a_person(filled: Repo) -> None:
    done = _shell(filled, ["add", "--trigger", "start"], "<&-")
    assert (done.returncode, done.stderr) == (2, "gatilho: add: give --note; `gatilho help add` shows the forms.\n")


UNKNOWN = [
    (["--foo"], "unknown option `--foo`. `gatilho --help` lists the commands."),
    (["--hlep"], "unknown option `--hlep`. Did you mean `gatilho --help`?"),
    (["--versoin"], "unknown option `--versoin`. Did you mean `gatilho --version`?"),
    (["-x", "list"], "unknown option `-x`."),
    (["list", "--deu"], "unknown option `--deu`. Did you mean `--due`?"),
    (["add", "--path", "^src/"], "unknown option `--path`. Did you mean `--trigger`?"),
    (["add", "--debt", "--note", "x"], "unknown option `--debt`. Did you mean `--lifecycle debt`?"),
    (["add", "src is slow"], "unexpected argument `src is slow`. Did you mean `--note`?"),
    (["add", "--contains=README x"], "unknown option `--contains=README x`. Did you mean `--paid-when`?"),
    (["list", "--josn"], "unknown option `--josn`. Did you mean `--json`?"),
    (["check", "--sinse=main"], "unknown option `--sinse=main`. Did you mean `--since`?"),
    (["show", "D-1", "D-2"], "unexpected argument `D-2`"),
]


@pytest.mark.parametrize(("words", "said"), UNKNOWN, ids=[" ".join(words) for words, _ in UNKNOWN])
def test_an_unknown_option_is_named_with_what_was_meant(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("name", [name for _, name, _ in list_commands() if name != "hook"])
def test_every_command_names_the_option_that_it_does_not_know(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    needed = {
        "merge-driver": ["a", "b", "c", "d"], "ledger": ["compact"], "rename": ["D-1", "D-2"], "completion": ["bash"],
        "import": ["todo"], "remember": ["a: b"], "promote": ["R-1", "--to", "ruff"], "replay": ["x"],
    }  # fmt: skip
    reason = ["--why", "x"] if name in ("pay", "reinstate", "waive", "revoke", "set") else []
    ids = {"set": ["D-1", "1"], "supersede": ["D-1"], "show": ["D-1"], "allow": ["D-1"]}
    words = needed.get(name, ids.get(name, ["D-1"] if reason else []))
    assert main([name, *words, *reason, "--no-such-option"]) == 2
    assert "unknown option `--no-such-option`" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["waive", "D-1", "--until", "tomorrow", "--why", "x"],
        ["waive", "D-1", "--until", "2020-01-01", "--why", "x"],
        ["waive", "D-1", "--until", "2026-02-30", "--why", "x"],
        ["set", "D-1", "many", "--why", "x"],
        ["rename", "D-1", "a b"],
        ["expire", "--ttl-days", "0"],
        ["pay", "D-1"],
        ["nothing"],
    ],
    ids=" ".join,
)
def test_every_usage_error_has_status_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert "gatilho" in capsys.readouterr().err
