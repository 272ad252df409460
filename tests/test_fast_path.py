"""The fast path: a call is read once, and a clone's own place on the disk never leaves it."""

import os
import time
from pathlib import Path

import pytest
from builders import Repo, row
from claude_session import Session

from gatilho.fast_path import calls_are_guarded, no_row_matches, read_call
from gatilho.git.root import find_repository
from gatilho.hosts import claude
from gatilho.index.index import open_index


def clone_at(root: Path) -> Repo:
    """A repository with one row, whose index may be trusted."""
    repo = Repo(root)
    repo.table(row("D-1", r"path: ^src/a\.py$"), row("D-2", r"cmd: \bdeploy now\b"))
    for name in ("src/a.py", "src/b.py", "gatilho/cli.py", ".venv/bin/gatilho"):
        repo.write(name, "x\n")
    for path in (repo.root / "docs/gatilhos", *(repo.root / "docs/gatilhos").rglob("*")):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    repository = find_repository(str(root))
    assert repository is not None
    for _ in range(50):
        open_index(repository).close()
        if (root / ".git/gatilho/signature").exists():
            return repo
        time.sleep(0.02)
    raise AssertionError("the index stays unsure")


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A clone whose name, and the name of the folder above it, hold the project's."""
    return clone_at(tmp_path_factory.mktemp("gatilho-lab") / "gatilho")


def is_quiet(repo: Repo, tool: str, **arguments: str) -> bool:
    event = claude.read(Session(repo).pre(tool, **arguments))
    return no_row_matches(event, read_call(event))


QUIET = [
    "ls {root}/src",
    "cd {root} && make test",
    "git -C {root} status",
    "cd '{root}' && pytest -q",
    'cat "{root}/src/b.py"',
    "cat {above}/notes.txt",
    "bash -c 'cd {root} && make'",
    "{root}/.venv/bin/python -m pytest",
    "make DIR={root} OUT={root}/out",
]
LOOKED_AT = [
    "{root}/.venv/bin/gatilho pay D-1 --why x",
    "python {root}/gatilho pay D-1 --why x",
    "{root}.py pay D-1 --why x",
    "/opt{root} pay D-1 --why x",
    '"/opt"{root} pay D-1 --why x',
    "$HOME{root} pay D-1 --why x",
    "{root}{root} pay D-1 --why x",
    "cd {root} && gatilho pay D-1 --why x",
    "cd {root} && python -m gatilho pay D-1",
    "echo x > {root}/gatilho.toml",
    "cat {root}/src/a.py",
    "cd {root} && deploy now",
    "cp x {root}/docs",
]


@pytest.mark.parametrize("command", QUIET)
def test_a_command_that_names_the_clone_stays_on_the_fast_path(clone: Repo, command: str) -> None:
    assert is_quiet(clone, "Bash", command=command.format(root=clone.root, above=clone.root.parent))


@pytest.mark.parametrize("command", LOOKED_AT)
def test_what_matches_or_may_be_guarded_leaves_it(clone: Repo, command: str) -> None:
    assert not is_quiet(clone, "Bash", command=command.format(root=clone.root, above=clone.root.parent))


def test_a_folder_that_runs_as_a_program_is_no_mere_place(tmp_path: Path) -> None:
    repo = clone_at(tmp_path / "gatilho")
    assert is_quiet(repo, "Bash", command=f"python {repo.root} pay D-1 --why x")
    repo.write("__main__.py", "from gatilho.cli import main\nmain()\n")
    assert not is_quiet(repo, "Bash", command=f"python {repo.root} pay D-1 --why x")


def test_a_path_is_judged_by_its_name_inside_the_repository(clone: Repo) -> None:
    assert is_quiet(clone, "Read", file_path=clone.path("README.md"))
    assert is_quiet(clone, "Edit", file_path=clone.path("src/b.py"), old_string="x", new_string="y")
    for name in ("src/a.py", "gatilho.toml", "scripts/gatilho.py", "docs/gatilhos/backlog.md", ".git/gatilho/package"):
        assert not is_quiet(clone, "Write", file_path=clone.path(name), content="")


def test_what_a_plain_command_touches_is_read_when_a_row_may_match(clone: Repo) -> None:
    event = claude.read(Session(clone).pre("Bash", command="cat src/a.py b=src/b.py"))
    call = read_call(event)
    assert not no_row_matches(event, call)
    ((repository, touches),) = call.touches.items()
    assert repository.root == str(clone.root)
    assert [(touch.kind, touch.path) for touch in touches if touch.path.endswith("/a.py")] == [
        ("read", clone.path("src/a.py"))
    ]
    assert call.touches is call.touches
    assert call.simple == ("cat src/a.py b=src/b.py",)


def test_a_touch_belongs_to_the_repository_that_holds_it(clone: Repo, tmp_path: Path) -> None:
    inner = Repo(clone.root / "vendor/inner")
    (tmp_path / "link.py").symlink_to(clone.path("src/a.py"))
    command = f"cat vendor/inner/x.py {tmp_path}/link.py {tmp_path}/other.py; rm -r vendor/inner"
    call = read_call(claude.read(Session(clone).pre("Bash", command=command)))
    found = {repository.root: [touch.path for touch in touches] for repository, touches in call.touches.items()}
    assert list(found) == [str(clone.root), str(inner.root)]
    assert found[str(clone.root)] == [f"{tmp_path}/link.py"]
    assert found[str(inner.root)][:2] == [inner.path("x.py"), str(inner.root)]


@pytest.mark.parametrize("option", ["-f", "--force"])
def test_a_checkout_that_throws_changes_away_is_looked_at(option: str) -> None:
    assert calls_are_guarded((("git", "checkout", option),), (), ())
    assert not calls_are_guarded((("git", "checkout", "main"),), (), ())
