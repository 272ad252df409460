"""The examples are good ones: nothing in them is wrong, every row speaks, and our own store is kept in order."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from builders import CHECKOUT, Repo, run_cli, run_hook
from claude_session import Session

from gatilho import config, configfile
from gatilho.checks import registry
from gatilho.git.root import find_repository
from gatilho.index.index import open_index
from gatilho.model import Row
from gatilho.workspace.workspace import Workspace

SHOP = CHECKOUT / "examples" / "shop"


@contextmanager
def scope_of(repo: Repo) -> Iterator[Workspace]:
    found = find_repository(str(repo.root))
    assert found is not None
    with open_index(found) as index:
        yield Workspace(index)


def problems_in(repo: Repo) -> list[str]:
    with scope_of(repo) as scope:
        return [f"{p.place} {p.code} {p.message}" for p in registry.find_problems(scope) if p.severity != "note"]


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """The example as a repository of its own, committed."""
    shutil.copytree(SHOP, repo.root, dirs_exist_ok=True)
    repo.commit("Copy the example")
    return repo


def test_nothing_is_wrong_in_the_example(shop: Repo) -> None:
    assert problems_in(shop) == []
    assert run_cli("check", cwd=shop.root).status == 0


def test_the_configuration_is_read_and_says_something_else_than_the_defaults() -> None:
    read, problems = configfile.load(str(SHOP))
    assert problems == []
    default = config.Config()
    same = [name for name in ("ask_after", "warn", "unattended") if getattr(read, name) == getattr(default, name)]
    assert same == []
    assert read.conditions.recheck_weeks == 13
    assert read.sources == {"backlog.md": "debt"}
    assert read.kinds["runbook"] == (45, 180)


# What makes each row speak: a file that is written, a command, a prompt, or the start of a session.
TOUCHES = {
    "D-7f3k": "tests/test_retry.py",
    "D-a8xw": "src/money.py",
    "D-2m9q": "scripts/deploy.sh",
    "D-k3v0": "api/legacy.py",
    "D-q5zt": "$ scripts/deploy.sh production",
    "D-n6ru": "api/schema.py",
    "R-p04x": "$ alembic upgrade head",
    "R-g2en": "src/client/orders.py",
    "R-m7oy": "src/money.py",
    "R-f0rc": "$ git push origin main --force",
    "R-r3le": "> Prepare the Release, please.",
    "R-s1st": "start",
    "R-j5on": "api/schema.py",
    "M-4c8d": "api/legacy.py",
    "M-z2hk": "tests/test_retry.py",
    "M-e6vb": "$ pytest -n auto",
    "C-01": "tests/conftest.py",
    "C-02": "$ gh pr create --fill",
}


def rows_in(repo: Repo) -> dict[str, Row]:
    with scope_of(repo) as scope:
        return {found.row.id: found.row for found in scope.rows}


def test_every_row_in_force_has_a_touch_here_and_the_others_none(shop: Repo) -> None:
    assert {row_id for row_id, row in rows_in(shop).items() if row.in_force} == set(TOUCHES)


@pytest.mark.parametrize("row_id", TOUCHES)
def test_a_row_of_the_example_speaks_at_its_touch(shop: Repo, row_id: str) -> None:
    note = rows_in(shop)[row_id].note
    session = Session(shop)
    touch = TOUCHES[row_id]
    if touch == "start":
        event = session.session_start()
    elif touch.startswith("> "):
        event = session.prompt(touch[2:])
    elif touch.startswith("$ "):
        event = session.post("Bash", command=touch[2:])
    else:
        event = session.post("Write", file_path=shop.path(touch), content=shop.read(touch))
    assert f"- {note} [{row_id};" in run_hook(event).context


def test_no_debt_of_the_example_is_paid_before_anybody_works(shop: Repo) -> None:
    listed = run_cli("list", "--all", "--json", cwd=shop.root)
    assert listed.status == 0
    session = Session(shop)
    run_hook(session.session_start())
    for touch in sorted({touch for touch in TOUCHES.values() if "/" in touch and touch[0] not in "$>"}):
        run_hook(session.post("Read", file_path=shop.path(touch)))
    run_hook(session.stop())
    assert shop.ledger() == []
    assert shop.changed() == []


def test_our_own_store_is_in_order(tmp_path: Path) -> None:
    """With the files that git knows here, so that triggers which match nothing are seen; notes count, too."""
    known = subprocess.run(["git", "ls-files", "-z"], cwd=CHECKOUT, capture_output=True)
    if known.returncode:
        pytest.skip("this is no git checkout")
    repo = Repo(tmp_path / "own")
    for name in filter(None, known.stdout.decode().split("\0")):
        if (CHECKOUT / name).is_file():
            repo.write(name, (CHECKOUT / name).read_bytes())
    repo.commit("Copy the project")
    with scope_of(repo) as scope:
        found = [p for p in registry.find_problems(scope) if p.code not in ("GT233",)]
        assert [f"{problem.place} {problem.code} {problem.message}" for problem in found] == []
        assert len(scope.rows) > 10
