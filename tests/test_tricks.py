"""Ways around the ask, each run against the real hook processes: what SECURITY.md says of them stays true."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import tricks
from builders import CHECKOUT, DISPATCHER, Repo, row, run_cli, run_hook
from claude_session import Session

SEEN_LINE = "changed while a command of the agent ran, without a question"
REGISTRATION = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "scripts/gatilho.py"}]}]}}
SHELL = [(trick, outcome) for found in tricks.SHELL.values() for trick, outcome in found]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with D-1, due by a ride of its own, and beside it a folder and archives that would replace it."""
    place = tmp_path_factory.mktemp("template")
    repo = Repo(place / "repo")
    table = row("D-1", r"path: ^src/a\.py$", "a note", paid_when=r"contains src/a.py \bDONE\b", rides=2)
    repo.write("src/a.py", "x = 1\n")
    repo.write("gatilho.toml", "ask_after = 3\n")
    repo.write("pyproject.toml", "[project]\nname = 'x'\n")
    repo.write("scripts/gatilho.py", DISPATCHER.read_bytes()).chmod(0o755)
    repo.write(".claude/settings.json", json.dumps(REGISTRATION))
    repo.table(table)
    repo.git("config", "merge.gatilho.driver", "gatilho merge-driver %O %A %B %P")
    session = Session(repo)
    run_hook(session.pre("Edit", file_path=repo.path("src/a.py"), old_string="x = 1", new_string="x = 2"))
    repo.write("src/a.py", "x = 2\n")
    run_hook(session.post("Edit", file_path=repo.path("src/a.py"), old_string="x = 1", new_string="x = 2"))
    run_hook(session.stop())
    assert repo.rides("D-1") == 3
    repo.commit()
    assert run_cli("list", cwd=repo.root).status == 0  # which notes where the package is
    assert (repo.root / ".git/gatilho/package").is_file()
    other = place / "other/docs/gatilhos"
    other.mkdir(parents=True)
    (other / "backlog.md").write_text("# Nothing here\n")
    shutil.make_archive(str(place / "other"), "tar", place / "other")
    shutil.make_archive(str(place / "other"), "zip", place / "other")
    return place


@pytest.fixture
def repo(template: Path, tmp_path: Path) -> Repo:
    shutil.copytree(template, tmp_path / "at", symlinks=True)
    made = Repo.__new__(Repo)
    made.root = tmp_path / "at/repo"
    return made


def guarded_state(repo: Repo) -> dict[str, object]:
    """What an agent must not change unseen, and the file that D-1 is about."""
    names = ["gatilho.toml", "pyproject.toml", ".claude", "scripts", "docs", "src/a.py", ".git/gatilho/package",
             ".git/config", ".git/hooks"]  # fmt: skip
    found: dict[str, object] = {}
    for name in names:
        path = repo.root / name
        for one in [path, *path.rglob("*")] if path.is_dir() else [path]:
            is_read = one.is_file() and os.access(one, os.R_OK)
            found[str(one)] = (one.stat().st_mode, one.read_bytes() if is_read else b"") if one.exists() else None
    allowed = Path(os.environ["XDG_STATE_HOME"]) / "gatilho/allowed"
    found["allowed"] = sorted(os.listdir(allowed)) if allowed.is_dir() else []
    return found


def really_run(repo: Repo, command: str) -> None:
    environ = {**os.environ, "CLAUDECODE": "1", "PYTHONPATH": str(CHECKOUT)}
    environ["PATH"] = f"{Path(sys.executable).parent}:{environ['PATH']}"
    subprocess.run(
        ["bash", "-c", command], cwd=repo.root, env=environ, stdin=subprocess.DEVNULL, capture_output=True, timeout=60
    )


def outcome_of(repo: Repo, command: str) -> str:
    session = Session(repo, mode="bypassPermissions")
    event = {"hook_event_name": "UserPromptSubmit", "session_id": session.id, "cwd": str(repo.root), "transcript_path": "t",
             "prompt": "ok D-1"}  # fmt: skip
    repo.write("event.json", json.dumps(event))
    command = command.replace("SESSION", session.id).replace("ROOT", str(repo.root))
    run_hook(session.session_start())
    if run_hook(session.pre("Bash", command=command)).decision:
        return tricks.STOPPED
    before = guarded_state(repo)
    really_run(repo, command)
    after = run_hook(session.post("Bash", command=command))
    changed = guarded_state(repo) != before
    run_hook(session.stop())
    if SEEN_LINE in after.person:
        return tricks.SEEN
    edit = {"file_path": repo.path("src/a.py"), "old_string": "x = 2", "new_string": "z = 2"}
    asks = bool(run_hook(session.pre("Edit", **edit)).decision)
    return tricks.NOTHING if asks and not changed else tricks.THROUGH


@pytest.mark.parametrize(("command", "outcome"), SHELL, ids=[trick for trick, _ in SHELL])
def test_what_becomes_of_a_command(repo: Repo, command: str, outcome: str) -> None:
    assert outcome_of(repo, command) == outcome


@pytest.mark.parametrize(
    ("tool", "given", "outcome"),
    tricks.TOOLS,
    ids=[f"{tool} {list(given.values())[:1]}" for tool, given, _ in tricks.TOOLS],
)
def test_what_becomes_of_a_call(repo: Repo, tool: str, given: dict[str, object], outcome: str) -> None:
    session = Session(repo, mode="bypassPermissions")
    home = os.environ["HOME"]
    named = {
        key: value.replace("HOME", home) if key != "content" and isinstance(value, str) else value
        for key, value in given.items()
    }
    if isinstance(named.get("file_path"), str) and not str(named["file_path"]).startswith("/"):
        named["file_path"] = repo.path(str(named["file_path"]))
    assert outcome == tricks.STOPPED
    assert run_hook(session.pre(tool, **named)).decision == "deny"


def test_at_least_a_hundred_are_listed_as_they_are() -> None:
    assert len(SHELL) + len(tricks.TOOLS) >= 100
    assert tricks.rendered() in (CHECKOUT / "SECURITY.md").read_text(encoding="utf-8")
