"""The plugin for several hosts: it names no host, says what the records say, and real clients install it and run it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import claude_client
import pytest
import stub_model
from builders import CHECKOUT, Repo, row
from coding_agents import CLIENTS, Agent
from documents import pieces
from stub_model import call, say

NOTE = "It sleeps."
# What a person types in a clone of this repository.
INSTALL = {
    piece.argument: piece.body.splitlines()
    for piece in pieces(CHECKOUT / "docs/hooks.md")
    if piece.purpose == "install"
}
SHELLS = {"sh": ["sh", "-c"], "powershell": ["pwsh", "-NoProfile", "-Command"]}


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The folders that a clone of this repository has for the clients."""
    for name in ("plugin", ".claude-plugin", ".agents"):
        shutil.copytree(CHECKOUT / name, tmp_path / "clone" / name)
    return tmp_path / "clone"


@pytest.fixture
def sleeper(repo: Repo) -> Repo:
    """A repository with one debt, and nothing registered in it."""
    repo.write("src/a.py", "sleep(30)\n")
    repo.table(row("D-7f3k", r"path: ^src/a\.py$", NOTE, paid_when=r"contains src/a.py \bbackoff\b"))
    return repo


def hooks_in(name: str) -> dict[str, list[dict[str, Any]]]:
    """The handlers of one file of hooks by event."""
    groups = json.loads((CHECKOUT / name).read_text(encoding="utf-8"))["hooks"]
    return {event: [one for group in listed for one in group["hooks"]] for event, listed in groups.items()}


LINES = {
    "plugin/hooks/hooks.json": "gatilho hook ; exit 0 # || exit 0",
    "plugin/hooks/codex.json": "gatilho hook; exit 0",
}


@pytest.mark.parametrize(("name", "line"), LINES.items())
def test_the_line_of_a_plugin_that_several_hosts_install_names_none(name: str, line: str) -> None:
    lines = {one["command"] for listed in hooks_in(name).values() for one in listed}
    assert lines == {line}


@pytest.mark.parametrize("line", LINES.values())
@pytest.mark.parametrize("shell", sorted(SHELLS))
def test_a_line_stops_no_tool_where_the_command_is_missing(shell: str, line: str, tmp_path: Path) -> None:
    program = shutil.which(SHELLS[shell][0])
    if program is None:
        pytest.skip(f"no {shell} here")
    done = subprocess.run(
        [program, *SHELLS[shell][1:], line],
        env={"PATH": str(tmp_path), "HOME": str(tmp_path)}, input=b"{}", capture_output=True, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, b"")


def test_windows_gets_a_line_that_its_command_interpreter_reads() -> None:
    """`;` does not part commands there, and `gatilho` with the arguments `exit 0` ends with the status that stops."""
    lines = {one["commandWindows"] for listed in hooks_in("plugin/hooks/codex.json").values() for one in listed}
    assert lines == {"gatilho hook & exit 0"}


def test_each_skill_has_what_every_host_reads() -> None:
    for skill in sorted((CHECKOUT / "plugin/skills").iterdir()):
        head = (skill / "SKILL.md").read_text(encoding="utf-8").split("---\n")[1]
        fields = dict(line.split(": ", 1) for line in head.splitlines())
        assert set(fields) == {"name", "description"}
        assert fields["name"] == skill.name
        assert len(fields["description"]) <= 1024


@pytest.mark.client
def test_claude_code_validates_the_plugin_and_answers_once_with_every_registration(
    sleeper: Repo, tmp_path: Path, clone: Path
) -> None:
    program = claude_client.find()
    if program is None:
        pytest.skip(claude_client.ABSENT)
    with stub_model.serve() as model:
        claude = claude_client.ClaudeCode(program, sleeper.root, tmp_path / "home-of-agent", model)
        environment = {**claude.environment(), "PATH": f"{program.parent}{os.pathsep}{claude.environment()['PATH']}"}
        for line in ["claude plugin validate ./plugin --strict", *INSTALL["claude"]]:
            type_line(line, clone, environment)
        for option in ("", " --user"):
            type_line(f"{sys.executable} -m gatilho init --host claude{option}", sleeper.root, environment)
        claude.run("go", call("Read", file_path=sleeper.path("src/a.py")), say("done"))
        assert model.turns[-1].text.count(NOTE) == 1
        assert "gatilho:gatilho-row" in json.dumps(model.turns[0].body)


@pytest.mark.client
@pytest.mark.parametrize("name", sorted(set(INSTALL) - {"claude"}))
def test_a_client_that_has_every_registration_answers_once_in_a_subfolder_of_a_work_tree(
    name: str, sleeper: Repo, tmp_path: Path, clone: Path
) -> None:
    """The plugin, the person's settings and the project's at once."""
    client = CLIENTS[name]
    if client.path is None:
        pytest.skip(client.absent)
    with stub_model.serve() as model:
        agent = Agent(client, sleeper.root, tmp_path / "home-of-agent", model)
        for line in INSTALL[name]:
            type_line(line, clone, agent.environment())
        for option in ("", " --user"):
            type_line(f"{sys.executable} -m gatilho init --host {name}{option}", sleeper.root, agent.environment())
        sleeper.commit("Register")
        sleeper.git("worktree", "add", "--quiet", "-b", "other", str(tmp_path / "tree"))
        tree = Repo(tmp_path / "tree")
        agent.root, path = tree.root, tree.path("src/a.py")
        agent.run(client.read(path), client.edit(path, "sleep(30)", "sleep(60)"), say("done"), folder="src")
        assert model.turns[-1].text.count(NOTE) == 1
        assert (tree.rides("D-7f3k"), sleeper.rides("D-7f3k")) == (1, 0)
        # A module brings no skills.
        assert name == "opencode" or "gatilho-row" in json.dumps(model.turns[0].body)


def type_line(line: str, folder: Path, environment: dict[str, str]) -> None:
    """Run a command line as a person does."""
    done = subprocess.run(
        ["sh", "-c", line], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=120
    )
    assert done.returncode == 0, f"{line}: {done.stdout.decode()}{done.stderr.decode()}"
