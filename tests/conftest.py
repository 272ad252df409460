"""What every test gets: a machine of its own (home, git, environment) and a repository to work in."""

import gc
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from builders import Output, Repo
from builders import run_cli as run_cli_in
from claude_session import Session
from hypothesis import HealthCheck, settings

# Hosts announce themselves in the environment and the program listens to them, so a suite that an agent starts would
# behave differently from one that a person starts.
FOREIGN = (
    "AI_AGENT", "ANTHROPIC_", "CLAUDE", "CODEX_", "COPILOT_", "CURSOR_", "GATILHO", "GEMINI_", "GIT_", "GITHUB_",
    "NO_COLOR", "FORCE_COLOR", "OPENCODE", "PYTHONDONTWRITEBYTECODE", "PYTHONIOENCODING", "PYTHONUTF8", "QWEN_", "XDG_",
)  # fmt: skip
OURS = ("GATILHO_CLAUDE",)

GIT_CONFIG = """\
[user]
\tname = A Person
\temail = person@example.com
[init]
\tdefaultBranch = main
[commit]
\tgpgSign = false
[tag]
\tgpgSign = false
[core]
\tautocrlf = false
[gc]
\tauto = 0
[maintenance]
\tauto = false
[protocol "file"]
\tallow = always
"""


# Collecting makes a million objects that stay: to look for garbage among them takes a third of its time.
gc.disable()


def pytest_collection_finish() -> None:
    """From here on only what the tests themselves make is looked through."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two more than there are processors, for what waits: clients, time limits, what another process holds."""
    return 2 + (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes long, so that no process still runs one of these when the others have nothing left.

    Then follows what parses all sources: neighbours come to one process, and each process would parse them anew.
    """
    items.sort(
        key=lambda item: [*(not item.get_closest_marker(name) for name in ("client", "slow")), not _parses(item)]
    )


def _parses(item: pytest.Item) -> bool:
    return hasattr(getattr(item, "module", None), "nodes_of")


# Every run plays the same examples, so that one that fails has a cause in the change. No example has a time limit, and
# what is slow because others use the machine too is no finding. `--hypothesis-profile=random` looks for new ones.
settings.register_profile("random", deadline=None, suppress_health_check=list(HealthCheck))
settings.register_profile("same", settings.get_profile("random"), derandomize=True, database=None)
settings.load_profile("same")


@pytest.fixture(scope="session", autouse=True)
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home, a git configuration and an environment that nothing of the real machine reaches."""
    home = tmp_path_factory.mktemp("home")
    (home / "templates").mkdir()
    (home / "gitconfig").write_text(GIT_CONFIG)
    (home / "bin").mkdir()
    if os.name == "posix":  # `python3` is the interpreter of the tests, not a shim that takes longer than the hook
        (home / "bin/python3").symlink_to(os.path.realpath(sys.executable))
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(FOREIGN) and name not in OURS:
                patch.delenv(name)
        for name, value in _surroundings(home).items():
            patch.setenv(name, value)
        if hasattr(time, "tzset"):
            time.tzset()  # this process has the same day as those that it starts
        yield home


def _surroundings(home: Path) -> dict[str, str]:
    when = "2026-01-05T12:00:00+00:00"
    return {
        "HOME": str(home),
        "PATH": f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "USERPROFILE": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_STATE_HOME": str(home / ".local" / "state"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": str(home / "gitconfig"),
        "GIT_TEMPLATE_DIR": str(home / "templates"),
        "GIT_ALLOW_PROTOCOL": "file",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_EDITOR": "true",
        "GIT_AUTHOR_DATE": when,
        "GIT_COMMITTER_DATE": when,
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "TERM": "dumb",
        "COLUMNS": "120",
    }


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A git repository with one commit."""
    return Repo(tmp_path / "repo")


@pytest.fixture
def session(repo: Repo) -> Session:
    """A Claude Code session in that repository."""
    return Session(repo)


@pytest.fixture
def do(repo: Repo, capsys: pytest.CaptureFixture[str]) -> Callable[..., Output]:
    """Run a command in this process, in that repository."""
    from gatilho.cli import main

    def run(*arguments: str) -> Output:
        status = main([arguments[0], "--root", str(repo.root), *arguments[1:]])
        return Output(status, *capsys.readouterr())

    return run


@pytest.fixture
def run_cli(repo: Repo) -> Callable[..., Output]:
    """Run the command line in that repository."""

    def run(*arguments: str, **options: object) -> Output:
        return run_cli_in(*arguments, **{"cwd": repo.root, **options})  # type: ignore[arg-type]

    return run
