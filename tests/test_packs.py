"""Packs: rows of another repository at a pinned commit, which warn here and do nothing else."""

from collections.abc import Callable
from pathlib import Path

import pytest
from builders import BACKLOG, Output, Repo, row, run_hook
from claude_session import Session

DEBT = row("D-1", "path: ^README\\.md$", "Say how it is installed.", paid_when="contains README.md Install", rides=7)
RUNS = row("D-2", "path: ^README\\.md$", "It builds.", paid_when="passes touch ran", rides=7)


@pytest.fixture
def pack(tmp_path: Path) -> Repo:
    """The repository that others take rows from."""
    made = Repo(tmp_path / "house")
    made.table(DEBT, RUNS)
    return made


def pinned(repo: Repo, rev: str, git: str = "../house") -> None:
    repo.write("gatilho.toml", f'# pinned\n[packs.house]\ngit = "{git}"\nrev = "{rev}"\n')
    repo.table()


def head(repo: Repo) -> str:
    return repo.git("rev-parse", "HEAD").strip()


def test_rows_of_a_pack_warn_and_are_neither_charged_nor_asked_about(
    repo: Repo, pack: Repo, session: Session, run_cli: Callable[..., Output]
) -> None:
    pinned(repo, head(pack))
    said = run_cli("check")
    assert "GT246" in said.stdout
    assert "gatilho packs update --pinned" in said.stdout
    assert run_cli("packs", "update", "--pinned").stdout == f"house  {head(pack)[:10]}  fetched\n"
    assert run_cli("check").status == 0
    assert run_cli("packs").stdout == f"house  {head(pack)[:10]}  2 rows  ../house\n"
    path = repo.path("README.md")
    edit = {"file_path": path, "old_string": "# A project", "new_string": "# Install"}
    assert run_hook(session.pre("Edit", **edit)).decision == ""
    repo.write("README.md", "# Install\n")
    context = run_hook(session.post("Edit", **edit)).context
    assert "Say how it is installed." in context
    assert "It builds." in context
    run_hook(session.stop())
    assert repo.ledger() == []
    assert not (repo.root / "ran").exists()
    assert "belongs to no store that is written here" in run_cli("pay", "D-1", "--why", "x").stderr


def test_a_pin_moves_after_its_rows_are_shown(repo: Repo, pack: Repo, run_cli: Callable[..., Output]) -> None:
    old = head(pack)
    pinned(repo, old)
    pack.table(DEBT.replace("installed", "installed and run"), RUNS)
    shown = run_cli("packs", "update")
    assert shown.status == 3
    assert "Say how it is installed and run." in shown.stdout
    assert old in repo.read("gatilho.toml")
    moved = run_cli("packs", "update", "house", "--yes")
    assert moved.status == 0, moved.stderr
    assert repo.read("gatilho.toml") == f'# pinned\n[packs.house]\ngit = "../house"\nrev = "{head(pack)}"\n'
    assert "installed and run" in run_cli("show", "D-1").stdout
    assert run_cli("packs", "update").stdout == f"house  {head(pack)[:10]}  is the newest\n"


def test_a_row_is_taken_over_with_its_condition(repo: Repo, pack: Repo, run_cli: Callable[..., Output]) -> None:
    pinned(repo, head(pack))
    run_cli("packs", "update", "--pinned")
    done = run_cli("packs", "take", "D-1")
    assert done.status == 0, done.stdout + done.stderr
    assert repo.cell("D-1", "paid when") == "`contains README.md Install`"
    assert (repo.cell("D-1", "rides"), repo.cell("D-1", "state")) == ("0", "owed")
    assert run_cli("packs", "take", "D-9").status == 2


@pytest.mark.parametrize(
    "git", ["ext::sh -c 'touch ran'", "--upload-pack=touch ran", "ssh://-oProxyCommand=touch/x", "a:b"]
)
def test_no_program_runs_for_an_address(repo: Repo, pack: Repo, run_cli: Callable[..., Output], git: str) -> None:
    pinned(repo, head(pack), git)
    done = run_cli("packs", "update")
    assert done.status == 2
    assert "neither an `https://` address nor a folder" in done.stderr
    assert not (repo.root / "ran").exists()


def test_an_agent_fetches_nothing_and_a_half_pin_is_named(
    repo: Repo, pack: Repo, run_cli: Callable[..., Output]
) -> None:
    pinned(repo, head(pack))
    assert run_cli("packs", "update", env={"CLAUDECODE": "1"}).status == 3
    assert not (repo.root / ".git/gatilho/packs").exists()
    repo.write("gatilho.toml", '[packs.house]\ngit = "../house"\nrev = "main"\n')
    assert "must be the full id of a commit" in run_cli("check").stdout
    assert BACKLOG in repo.git("ls-files")
