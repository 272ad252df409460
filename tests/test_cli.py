"""The command line's frame: help, names, exit statuses, faults, closed pipes."""

import ast
import importlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from builders import CHECKOUT, Output, Repo

from gatilho import __version__, cli
from gatilho.cli import main
from gatilho.command_list import help_text, list_commands
from gatilho.errors import ConflictError, NeedsPerson, UsageError

NAMES = [name for _, name, _ in list_commands()]
PAGES = sorted((CHECKOUT / "docs").rglob("*.md"))


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[list[str]], int]], None]:
    """Put a command called `try-it` in the table, whose work the test gives."""

    def put(work: Callable[[list[str]], int]) -> None:
        module = ModuleType("gatilho.commands.try_it")
        module.main = work  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "gatilho.commands.try_it", module)
        monkeypatch.setattr(cli, "list_commands", lambda: [*list_commands(), ("Tests", "try-it", "try it")])

    return put


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["help"]], ids=["--help", "-h", "help"])
def test_help_lists_every_command_under_its_group(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    shown = capsys.readouterr().out
    for group, name, summary in list_commands():
        assert f"\n  {name} " in shown
        assert f" {summary}\n" in shown
        assert shown.count(f"{group}:\n") == 1
    assert shown == help_text()


@pytest.mark.parametrize("name", NAMES)
def test_every_command_can_be_imported_and_has_help_with_an_example(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert callable(importlib.import_module(f"gatilho.commands.{name.replace('-', '_')}").main)
    assert main([name, "--help"]) == 0
    by_option = capsys.readouterr().out
    assert by_option.startswith(f"usage: gatilho {name} ")
    assert f"\n  gatilho {name}" in by_option.partition("\nexample")[2]
    assert "--root DIR" in by_option
    assert main(["help", name]) == 0
    assert capsys.readouterr().out == by_option


def texts_of_the_code() -> list[tuple[str, str]]:
    """(file, text) of every text in the code, and of every page; of formatted texts what stands between the values."""
    found = [(path.name, path.read_text(encoding="utf-8")) for path in [CHECKOUT / "README.md", *PAGES]]
    for path in (CHECKOUT / "gatilho").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append((path.name, node.value))
    return found


def test_no_text_names_a_command_that_there_is_not() -> None:
    named = [
        (file, command)
        for file, text in texts_of_the_code()
        for command in re.findall(r"(?:`|--\s+|\brun )gatilho ([a-z][a-z-]*)", text)
    ]
    assert len(named) > 100
    assert [pair for pair in named if pair[1] not in (*NAMES, "help")] == []


# A hook answers 0 to whatever its host calls it with.
@pytest.mark.parametrize("name", [name for name in NAMES if name != "hook"])
def test_every_command_refuses_an_option_that_it_does_not_know(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--no-such-option"]) == 2
    said = capsys.readouterr().err
    assert "--no-such-option" in said or "required: " in said  # what is missing is said first


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"gatilho {__version__}\n"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        pytest.param("intit", "there is no command `intit`. Did you mean `gatilho init`?", id="a typo"),
        pytest.param("INIT", "there is no command `INIT`. Did you mean `gatilho init`?", id="capitals"),
        pytest.param("zzz", "there is no command `zzz`. `gatilho --help` lists them all.", id="nothing near"),
        pytest.param("--nope", "unknown option `--nope`. `gatilho --help` lists the commands.", id="an option"),
        pytest.param("a\x1b[31mb", "there is no command `ab`.", id="an escape"),
    ],
)
def test_an_unknown_command_is_a_usage_error(name: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(f"gatilho: {said}")


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        pytest.param(ConflictError("in a merge"), 1, id="a conflict"),
        pytest.param(UsageError("no such row"), 2, id="usage"),
        pytest.param(NeedsPerson("say yes"), 3, id="a person"),
    ],
)
def test_an_expected_fault_is_one_line_and_its_status(
    command: Callable[..., None], fault: Exception, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    def work(argv: list[str]) -> int:
        raise fault

    command(work)
    assert main(["try-it"]) == status
    assert capsys.readouterr().err == f"gatilho: {fault}\n"


def test_arguments_and_status_pass_through(command: Callable[..., None]) -> None:
    seen: list[str] = []

    def work(argv: list[str]) -> int:
        seen.extend(argv)
        return 3

    command(work)
    assert main(["try-it", "--x", "help"]) == 3
    assert seen == ["--x", "help"]


def test_an_interrupt_ends_as_shells_expect(command: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    def work(argv: list[str]) -> int:
        raise KeyboardInterrupt

    command(work)
    assert main(["try-it"]) == 128 + signal.SIGINT
    assert capsys.readouterr().err == ""


def test_a_surprise_is_logged_and_said_where(
    command: Callable[..., None], repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def work(argv: list[str]) -> int:
        raise ZeroDivisionError("by zero")

    command(work)
    monkeypatch.chdir(repo.root)
    assert main(["try-it", "a note that may be private"]) == 1
    log = repo.root / ".git/gatilho/command-fault.log"
    said = f"this is a bug in gatilho (ZeroDivisionError: by zero), please report it. The traceback is in {log}"
    assert capsys.readouterr().err == f"gatilho: {said}\n"
    report = log.read_text()
    assert report.startswith(f"gatilho {__version__}, Python ")
    assert "raise ZeroDivisionError" in report
    assert "private" not in report.partition("\n")[0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["merge-driver", "no-base", "no-ours", "no-theirs", "x.md"], "no-base: No such file or directory.\n"),
        (["merge-driver", ".", ".", ".", "x.md"], ".: not a regular file.\n"),
    ],
)
def test_a_file_that_is_not_there_is_no_bug(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 1
    assert capsys.readouterr().err == f"gatilho: {said}"


def test_a_machine_without_git_is_no_bug(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.table()
    main(["init", "--root", str(repo.root)])
    capsys.readouterr()
    monkeypatch.setenv("PATH", str(tmp_path / "nothing-here"))
    monkeypatch.setenv("GIT_PYTHON_GIT_EXECUTABLE", "")
    for name in ("doctor", "list", "check", "log --since yesterday", "diff", "fold", "resolve", "settle"):
        main([*name.split(), "--root", str(repo.root)])
        assert "bug" not in capsys.readouterr().err, name
    assert main(["doctor", "--root", str(repo.root)]) == 1
    assert "git was not found on the PATH" in capsys.readouterr().out


def test_a_surprise_without_a_repository_shows_its_traceback(
    command: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def work(argv: list[str]) -> int:
        raise ZeroDivisionError

    command(work)
    monkeypatch.chdir(tmp_path)
    assert main(["try-it"]) == 1
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_a_pipe_that_nobody_reads_ends_quietly(repo: Repo) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "gatilho", "init", "--dry-run"],
        cwd=repo.root,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        stdin=subprocess.DEVNULL,
        stdout=writer,
        stderr=subprocess.PIPE,
        timeout=60,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


def test_the_module_runs_the_command_line(run_cli: Callable[..., Output]) -> None:
    assert run_cli("--version") == Output(0, f"gatilho {__version__}\n", "")


def test_what_the_encoding_lacks_is_shown_as_an_escape(run_cli: Callable[..., Output]) -> None:
    done = run_cli("ação", env={"PYTHONIOENCODING": "ascii"})
    assert done.status == 2
    assert "there is no command `a\\xe7\\xe3o`" in done.stderr


def test_the_frame_imports_no_command_and_no_third_party_package() -> None:
    code = "import sys, gatilho.cli; gatilho.cli.main(['--help']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=CHECKOUT)
    loaded = set(done.stderr.split())
    assert not loaded & {"argparse", "rich", "git", "regex", "mistune", "gatilho.commands", "gatilho.render"}


@pytest.mark.parametrize("name", [name for _, name, _ in list_commands()])
def test_the_help_fits_a_narrow_terminal(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert main([name, "--help"]) == 0
    prose = capsys.readouterr().out.partition("\nexample")[0]
    assert [line for line in prose.split("\n") if len(line) > 60 and max(map(len, line.split())) < 30] == []


def test_a_bare_repository_is_told_from_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    subprocess.run(["git", "init", "--quiet", "--bare", str(tmp_path / "bare.git")], check=True)
    for folder in ("bare.git", "bare.git/refs"):
        assert main(["list", "--root", str(tmp_path / folder)]) == 2
        assert "is in a bare repository: there is no working tree" in capsys.readouterr().err
