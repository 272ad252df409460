"""A sparse checkout without the store: nobody takes it for a repository without rows, and nothing is made anew."""

from pathlib import Path

import pytest
from builders import Repo, row, run_cli

WHERE = "docs/gatilhos is outside the sparse checkout, so its rows do not speak here"


@pytest.fixture
def sparse(repo: Repo, tmp_path: Path) -> Repo:
    repo.write("src/a.py", "x\n")
    repo.write("tools/b.py", "x\n")
    repo.table(row("D-1", "path: ^src/a$", rides=3), file="docs/gatilhos/ours.md")
    repo.git("sparse-checkout", "set", "src")
    return repo


@pytest.mark.parametrize("command", [(), ("list",), ("log", "D-1"), ("doctor",), ("init", "--local")])
def test_it_is_said_where_the_rows_are(sparse: Repo, command: tuple[str, ...]) -> None:
    shown = run_cli(*command, cwd=sparse.root).stdout
    assert WHERE in shown
    assert "There are no rows" not in shown
    assert not (sparse.root / "docs").exists()


def test_init_makes_no_second_store(sparse: Repo) -> None:
    done = run_cli("init", cwd=sparse.root)
    assert done.status == 1
    assert "`git sparse-checkout add docs/gatilhos` first" in done.stderr
    assert sparse.changed() == []
    sparse.git("sparse-checkout", "add", "docs/gatilhos")
    assert run_cli("init", cwd=sparse.root).status == 0
    assert sorted(path.name for path in (sparse.root / "docs/gatilhos").iterdir()) == ["ours.md"]


def test_init_overwrites_no_settings_that_are_left_out(sparse: Repo) -> None:
    sparse.git("sparse-checkout", "disable")
    sparse.write(".claude/settings.json", '{"model": "x"}\n')
    sparse.commit()
    sparse.git("sparse-checkout", "set", "src", "docs/gatilhos")
    done = run_cli("init", cwd=sparse.root)
    assert "`git sparse-checkout add .claude` first" in done.stderr
    assert sparse.changed() == []
