"""`gatilho init --team`: settings, workflow, and that branches of many sessions merge without a driver or a conflict."""

import os
import random
import subprocess
import sys
import textwrap
import time
import tomllib
from pathlib import Path

import pytest
from builders import BACKLOG, CHECKOUT, PATIENCE, Repo, row, run_cli

from gatilho import cli, hook
from gatilho.errors import GatilhoError
from gatilho.setup import team
from gatilho.setup.doctor import interpreter
from gatilho.wire import encode

WORKFLOW = ".github/workflows/gatilho.yml"
BRANCHES = 20

LEDGER, LOCAL = b'rides_in = "ledger"', b'rule_rides = "local"'
FILES = {
    "nothing": (b"", LEDGER + b"\n" + LOCAL + b"\n"),
    "keys, tables and comments": (
        b"# ours\nask_after = 4  # rides\n\n[conditions]\ntimeout = 5\n",
        b"# ours\nask_after = 4  # rides\n" + LEDGER + b"\n" + LOCAL + b"\n\n[conditions]\ntimeout = 5\n",
    ),
    "one value in place, with CRLF": (
        b"rides_in = 'table'   # here\r\nask_after = 4\r\n",
        LEDGER + b"   # here\r\nask_after = 4\r\n" + LOCAL + b"\r\n",
    ),
    "a mark, and no end of line": (
        b"\xef\xbb\xbfask_after = 4",
        b"\xef\xbb\xbfask_after = 4\n" + LEDGER + b"\n" + LOCAL + b"\n",
    ),
}


@pytest.mark.parametrize("case", FILES, ids=list(FILES))
def test_settings_change_no_other_byte(case: str) -> None:
    old, new = FILES[case]
    assert team.with_settings(old, "gatilho.toml", ()) == new
    assert team.with_settings(new, "gatilho.toml", ()) == new


def test_settings_in_pyproject_and_a_text_that_looks_like_a_table() -> None:
    old = b'[project]\nname = "x"\n\n[tool.gatilho]\nask_after = 2\n\n[tool.ruff]\nline-length = 100\n'
    made = team.with_settings(old, "pyproject.toml", ("tool", "gatilho"))
    assert made == old.replace(b"[tool.gatilho]\n", b'[tool.gatilho]\nrides_in = "ledger"\nrule_rides = "local"\n')
    with pytest.raises(GatilhoError, match="not valid TOML"):
        team.with_settings(b"a = [\n", "gatilho.toml", ())


def test_init_team_twice(repo: Repo) -> None:
    first = run_cli("init", "--team", cwd=repo.root)
    assert first.status == 0, first.stderr
    assert f"created  {WORKFLOW}" in first.stdout
    assert "OWNER/gatilho@COMMIT" in first.stdout
    assert tomllib.loads(repo.read("gatilho.toml")) == {"rides_in": "ledger", "rule_rides": "local"}
    assert 'branches: ["main"]' in repo.read(WORKFLOW)
    assert "@BRANCH@" not in repo.read(WORKFLOW)
    repo.commit()
    assert run_cli("init", "--team", cwd=repo.root).stdout.startswith("Already set up.")
    assert repo.git("status", "--porcelain") == ""
    assert run_cli("init", "--team", "--local", cwd=repo.root).status == 2
    assert f"kept     gatilho.toml\nkept     {WORKFLOW}\n" in run_cli("uninstall", cwd=repo.root).stdout


def test_it_is_suggested_where_several_people_commit(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(interpreter, "_RUNS", 1)  # what a hook takes is not asked here
    repo.table(row("D-1", "path: ^src/"))
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_DATE", f"{int(time.time())} +0000")
    repo.commit("Now")
    assert "init --team" not in run_cli("init", cwd=repo.root).stdout
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "someone.else@example.org")
    repo.commit("Another person's")
    assert "init --team" in run_cli("init", cwd=repo.root).stdout
    cli.main(["doctor", "--root", str(repo.root)])
    assert "init --team" in capsys.readouterr().out
    run_cli("init", "--team", cwd=repo.root)
    cli.main(["doctor", "--root", str(repo.root)])
    assert "init --team" not in capsys.readouterr().out


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_on_a_terminal_init_asks_where_several_people_commit(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    from terminals import run_in_terminal

    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_DATE", f"{int(time.time())} +0000")
    repo.write("one.txt", "")
    repo.commit("Now")
    status, shown = run_in_terminal("init", "--host", "claude", cwd=repo.root, typed="")
    assert (status, "Set it up for a team?" in shown) == (0, False), shown
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "someone.else@example.org")
    repo.commit("Another person's")
    status, shown = run_in_terminal("init", "--host", "claude", cwd=repo.root, typed="n\n")
    assert status == 0, shown
    assert "Several people committed in the last 90 days" in shown
    assert "Set it up for a team? [y/N]" in shown
    assert not (repo.root / WORKFLOW).exists()
    status, shown = run_in_terminal("init", "--host", "claude", cwd=repo.root, typed="y\n")
    assert (status, f"created  {WORKFLOW}" in shown) == (0, True), shown
    assert tomllib.loads(repo.read("gatilho.toml")) == team.SETTINGS


# Rides of sessions, and the workflow's own steps.


def ride(repo: Repo, session: str, name: str) -> None:
    """A session writes one file and its turn closes."""
    common = {"session_id": session, "cwd": str(repo.root), "permission_mode": "acceptEdits"}
    tool = {"tool_name": "Write", "tool_input": {"file_path": repo.path(name), "content": "x"}, "tool_response": {}}
    call = {"hook_event_name": "PostToolUse", "tool_use_id": f"t {session} {name}", **tool}
    for event in (call, {"hook_event_name": "Stop", "stop_hook_active": False}):
        hook.respond(encode({**common, **event}).encode(), "claude")


def team_repo(repo: Repo) -> Repo:
    rows = [row(f"D-{number}", rf"path: ^src/{number}\.py$", f"debt {number}") for number in range(4)]
    repo.table(*rows, row("R-1", "glob: src/*.py", "a rule", lifecycle="rule"), commit=False)
    repo.write("gatilho.toml", 'ask_after = 99\nrides_in = "ledger"\nrule_rides = "local"\n')
    repo.commit("Set up")
    return repo


def script() -> str:
    """The steps of the workflow that fold, as the runner gives them to the shell."""
    text = (CHECKOUT / "gatilho/starter/team.yml").read_text(encoding="utf-8")
    return textwrap.dedent(text.partition("        run: |\n")[2])


def start_fold(workspace: Path, programs: Path, event: str = "push") -> "subprocess.Popen[bytes]":
    env = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "BRANCH": "main", "EVENT": event}
    return subprocess.Popen(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script()], cwd=workspace, env=env,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def clone(bare: Path, name: str) -> Repo:
    made = Repo.__new__(Repo)
    made.root = bare.parent / name
    subprocess.run(["git", "clone", "--quiet", str(bare), str(made.root)], check=True, timeout=PATIENCE)
    return made


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder with the `gatilho` of this checkout."""
    folder = tmp_path / "programs"
    folder.mkdir()
    start = f"import sys; sys.path.insert(0, {str(CHECKOUT)!r}); from gatilho.cli import main; sys.exit(main())"
    (folder / "gatilho").write_text(f'#!/bin/sh\nexec \'{sys.executable}\' -I -c "{start}" "$@"\n')
    (folder / "gatilho").chmod(0o755)
    return folder


@pytest.mark.skipif(sys.platform == "win32", reason="the workflow runs on Linux")
def test_the_workflow_folds_twice_at_once_and_packs_without_a_conflict(
    repo: Repo, programs: Path, tmp_path: Path
) -> None:
    team_repo(repo)
    subprocess.run(["git", "clone", "--quiet", "--bare", str(repo.root), str(tmp_path / "bare")], check=True)
    bare = tmp_path / "bare"
    repo.git("remote", "add", "origin", str(bare))
    for number in range(3):
        ride(repo, f"session {number}", "src/0.py")
        repo.commit()
    repo.git("push", "--quiet", "origin", "main")
    repo.git("switch", "--quiet", "--create", "open")
    ride(repo, "session 9", "src/1.py")
    repo.commit()
    spaces = [clone(bare, f"space-{number}") for number in range(2)]
    runs = [start_fold(space.root, programs, event) for space, event in zip(spaces, ("push", "schedule"))]
    for run in runs:
        said, _ = run.communicate(timeout=PATIENCE)
        assert run.returncode == 0, said.decode()
    subjects = subprocess.check_output(["git", "-C", str(bare), "log", "--format=%s", "main"], text=True).splitlines()
    assert subjects.count("Bring ride counts into the tables") == 1, "the second finds nothing left to raise"
    repo.git("fetch", "--quiet", "origin")
    repo.git("merge", "--quiet", "--no-edit", "origin/main")
    assert (repo.cell("D-0", "rides"), repo.cell("D-1", "rides")) == ("3", "0")
    repo.git("push", "--quiet", "origin", "HEAD:main")
    last = start_fold(spaces[0].root, programs, "schedule")
    said, _ = last.communicate(timeout=PATIENCE)
    assert last.returncode == 0, said.decode()
    assert spaces[0].cell("D-1", "rides") == "1"


@pytest.mark.parametrize("seed", range(2))
def test_twenty_branches_merge_in_any_order_without_a_driver(repo: Repo, seed: int) -> None:
    team_repo(repo)
    chance = random.Random(seed)
    truth: dict[str, set[str]] = {f"D-{number}": set() for number in range(4)}
    names = [f"b{number}" for number in range(BRANCHES)]
    for name in names:
        repo.git("switch", "--quiet", "--create", name, "main")
        for number in range(chance.randint(1, 3)):
            session = f"{name} {number}"
            for file in chance.sample(range(4), chance.randint(1, 3)):
                ride(repo, session, f"src/{file}.py")
                truth[f"D-{file}"].add(session)
            repo.write(f"work/{name}/{number}.txt", session)
            repo.commit(f"Work of {session}")
    repo.git("switch", "--quiet", "main")
    assert "merge.gatilho" not in repo.git("config", "--list")
    chance.shuffle(names)
    for name in names:
        how = chance.choice([["--no-ff", "--no-edit"], ["--squash"]])
        repo.git("merge", "--quiet", *how, name)  # fails the test over a conflict
        repo.commit(f"Take {name}")
    assert run_cli("fold", cwd=repo.root).status == 0
    assert {one: int(repo.cell(one, "rides")) for one in truth} == {one: len(found) for one, found in truth.items()}
    assert repo.git("diff", "--name-only").split() == [BACKLOG]
