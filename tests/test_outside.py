"""Stores outside the repository: nothing of them is read or written before a person on this machine allowed it."""

import json
import os
import shutil
from pathlib import Path

import pytest
from builders import Repo, row, run_cli, run_hook
from claude_session import Session, edit, turn

from gatilho import tables

MINE = row("M-1", r"path: ^src/a\.py$", "my private note")


@pytest.fixture
def mine(tmp_path: Path) -> Repo:
    """Another repository of the person's."""
    made = Repo(tmp_path / "mine")
    made.table(MINE)
    return made


@pytest.fixture
def stranger(repo: Repo, mine: Repo) -> Repo:
    """A clone whose configuration names the other repository's tables."""
    repo.write("src/a.py", "x = 1\n")
    repo.table(row("D-1", r"path: ^src/a\.py$", "its own note"))
    repo.write("gatilho.toml", f'stores = ["{mine.root}"]\n')
    repo.commit()
    return repo


def allow(repo: Repo, place: object, *more: str) -> int:
    return run_cli("allow", "--store", str(place), "--yes", *more, cwd=repo.root).status


def test_it_is_neither_read_nor_written_and_named_once(stranger: Repo, mine: Repo) -> None:
    session = Session(stranger)
    first = turn(stranger, edit("src/a.py", "1", "2"), session=session)
    second = turn(stranger, edit("src/a.py", "2", "3"), session=session)
    assert "its own note" in first.context
    assert "my private note" not in first.context + second.context
    assert mine.changed() == []
    said = first.person + second.person
    assert said.count(f"gatilho allow --store {mine.root}") == 1


def test_a_person_allows_it_and_takes_it_back(stranger: Repo, mine: Repo) -> None:
    before = run_cli("check", cwd=stranger.root).stdout
    assert "GT006" in before
    assert "its rows do not speak before you allow it here" in run_cli("doctor", cwd=stranger.root).stdout
    assert allow(stranger, mine.root) == 0
    assert "my private note" in turn(stranger, edit("src/a.py", "1", "2")).context
    assert mine.rides("M-1") == 1
    assert "GT006" not in run_cli("check", cwd=stranger.root).stdout
    assert allow(stranger, mine.root, "--withdraw") == 0
    assert "my private note" not in turn(stranger, edit("src/a.py", "2", "3")).context
    assert mine.rides("M-1") == 1


def test_a_permission_is_of_one_repository(stranger: Repo, mine: Repo, tmp_path: Path) -> None:
    allow(stranger, mine.root)
    other = tmp_path / "other"
    shutil.copytree(stranger.root, other, symlinks=True)
    assert "my private note" not in turn(Repo.__new__(Repo).__class__(other), edit("src/a.py", "1", "2")).context


def test_another_clone_in_its_place_has_no_permission(stranger: Repo, mine: Repo, tmp_path: Path) -> None:
    allow(stranger, mine.root)
    copy = tmp_path / "copy"
    shutil.copytree(stranger.root, copy, symlinks=True)
    stranger.root.rename(tmp_path / "away")
    copy.rename(stranger.root)
    assert "my private note" not in turn(stranger, edit("src/a.py", "1", "2")).context


def test_it_is_listed_with_how_to_take_it_back_though_it_is_named_no_more(stranger: Repo, mine: Repo) -> None:
    listed = ("allow", "--list")
    assert "store" not in run_cli(*listed, cwd=stranger.root).stdout
    allow(stranger, mine.root)
    place = (mine.root / "docs/gatilhos").resolve()
    stranger.write("gatilho.toml", "ask_after = 3\n")
    assert f"store {place}  (`gatilho allow --withdraw --store {place}`)" in run_cli(*listed, cwd=stranger.root).stdout
    assert json.loads(run_cli(*listed, "--json", cwd=stranger.root).stdout)["stores"] == [str(place)]
    assert "Taken back" in run_cli("allow", "--withdraw", "--store", str(place), cwd=stranger.root).stdout
    assert "store" not in run_cli(*listed, cwd=stranger.root).stdout


def test_an_agent_cannot_allow_it(stranger: Repo, mine: Repo) -> None:
    done = run_cli("allow", "--store", str(mine.root), cwd=stranger.root, env={"CLAUDECODE": "1"})
    assert done.status == 3
    assert "GT006" in run_cli("check", cwd=stranger.root).stdout


@pytest.mark.parametrize("what", ["docs/gatilhos", "docs"])
def test_a_link_in_the_place_of_the_tables_is_the_same(repo: Repo, mine: Repo, what: str) -> None:
    repo.write("src/a.py", "x = 1\n")
    (repo.root / what).parent.mkdir(exist_ok=True)
    (repo.root / what).symlink_to(mine.root / what)
    played = turn(repo, edit("src/a.py", "1", "2"))
    assert "my private note" not in played.context
    assert "gatilho allow --store docs/gatilhos" in played.person
    assert mine.changed() == []
    assert allow(repo, "docs/gatilhos") == 0
    assert "my private note" in turn(repo, edit("src/a.py", "2", "3")).context


def test_a_table_that_is_a_link_out_of_the_store_is_named_and_not_read(repo: Repo, mine: Repo) -> None:
    repo.write("src/a.py", "x = 1\n")
    repo.table(row("D-1", r"path: ^src/a\.py$", "its own note"))
    (repo.root / "docs/gatilhos/more.md").symlink_to(mine.root / "docs/gatilhos/backlog.md")
    played = turn(repo, edit("src/a.py", "1", "2"))
    assert "my private note" not in played.context
    assert "its own note" in played.context
    assert "docs/gatilhos/more.md is a link that leads out of the store" in run_cli("check", cwd=repo.root).stdout
    for command in (["list", "--json"], ["show", "D-9"], ["why", "src/a.py"]):
        assert "docs/gatilhos/more.md is a link that leads out" in run_cli(*command, cwd=repo.root).stderr


def test_nothing_outside_that_is_not_named_can_be_allowed(stranger: Repo, tmp_path: Path) -> None:
    done = run_cli("allow", "--store", str(tmp_path), "--yes", cwd=stranger.root)
    assert (done.status, "does not name" in done.stderr) == (1, True)
    assert run_cli("allow", cwd=stranger.root).status == 2


@pytest.mark.parametrize("place", ["/proc/self/root", "/usr"])
def test_a_whole_machine_as_a_store_costs_no_event_its_time(stranger: Repo, place: str) -> None:
    stranger.write("gatilho.toml", f'stores = ["{place}"]\n')
    event = Session(stranger).post("Read", file_path=stranger.path("src/a.py"))
    assert "its own note" in run_hook(event).context
    allow(stranger, place)
    event = Session(stranger).post("Read", file_path=stranger.path("src/a.py"))
    assert "its own note" in run_hook(event).context
    assert "what is further down is not read" in run_cli("check", cwd=stranger.root).stdout


def test_a_walk_is_bounded_in_depth_and_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / "/".join("abcdefghijklmnopq")
    deep.mkdir(parents=True)
    (deep / "deep.md").write_text("")
    (tmp_path / "a" / "near.md").write_text("")
    documents, _, left_out = tables.walk(tables.Store("x", str(tmp_path), str(tmp_path)))
    assert [os.path.basename(path) for path in documents] == ["near.md"]
    assert "is not read" in left_out[0]
    monkeypatch.setattr(tables, "MOST_ENTRIES", 1)
    assert "more than 1 files" in tables.walk(tables.Store("x", str(tmp_path), str(tmp_path)))[2][0]
