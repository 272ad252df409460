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


@pytest.mark.parametrize("command", [
    (), ("list",), ("log", "D-1"), ("doctor",), ("init", "--local"), ("why", "src/a.py"), ("health",), ("show", "D-1"),
    ("pay", "D-1", "--why", "x"), ("add", "--note", "n", "--trigger", "^src/a", "--file", "b.md"),
    ("remember", "ORM: Prisma", "--session", "s1"), ("fold",), ("settle",),
])  # fmt: skip
def test_it_is_said_where_the_rows_are(sparse: Repo, command: tuple[str, ...]) -> None:
    done = run_cli(*command, cwd=sparse.root)
    shown = done.stdout + done.stderr
    assert WHERE in shown
    assert "There are no rows" not in shown
    assert not (sparse.root / "docs").exists()


@pytest.mark.parametrize("condition", [
    "missing tools/b.py", "missing tools/**", "exists tools/b.py", "lacks tools/b.py x", "lacks **/*.py y",
])  # fmt: skip
def test_a_condition_does_not_take_what_is_left_out_for_gone(sparse: Repo, condition: str) -> None:
    sparse.git("sparse-checkout", "add", "docs/gatilhos")
    sparse.table(row("D-1", "path: ^src/a", paid_when=condition), file="docs/gatilhos/ours.md")
    said = run_cli("settle", cwd=sparse.root).stdout
    assert "D-1 stays owed: " in said
    assert said.endswith("is outside the sparse checkout\n")
    assert (sparse.changed(), "GT232" in run_cli("check", cwd=sparse.root).stdout) == ([], False)


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


def test_a_table_that_is_a_link_out_of_the_store_is_reported(repo: Repo) -> None:
    repo.table(row("D-1", "path: ^src/(a|b)$"), file="notes/real.md")
    repo.write("docs/gatilhos/b.md", "x\n").unlink()
    (repo.root / "docs/gatilhos/a.md").symlink_to("../../notes/real.md")
    done = run_cli("check", "--fix", cwd=repo.root)
    assert (done.status, "GT007 docs/gatilhos/a.md is a link that leads out of the store" in done.stdout) == (1, True)
    (repo.root / "docs/gatilhos/a.md").unlink()
    repo.table(row("D-1", "path: ^src/a$"), file="docs/gatilhos/sub/real.md")
    (repo.root / "docs/gatilhos/sub/b.md").symlink_to("missing.md")
    (repo.root / "docs/gatilhos/sub/c.md").symlink_to("real.md")
    done = run_cli("check", cwd=repo.root)
    assert ("GT007" in done.stdout, "GT201" in done.stdout) == (False, False)


@pytest.mark.parametrize(
    ("kind", "said"),
    [("a file", "move it away, then run `gatilho init`"), ("a link", "run `gatilho allow --store docs/gatilhos`")],
)
def test_what_is_no_store_is_not_to_be_filled_by_init(repo: Repo, tmp_path: Path, kind: str, said: str) -> None:
    if kind == "a file":
        repo.write("docs/gatilhos", "x\n")
    else:
        (tmp_path / "other").mkdir()
        repo.write("docs/a.md", "x\n")
        (repo.root / "docs/gatilhos").symlink_to(tmp_path / "other")
    assert said in run_cli("check", cwd=repo.root).stdout
    assert said[1:] in run_cli("list", cwd=repo.root).stdout
    done = run_cli("add", "--note", "n", "--trigger", "^src/", cwd=repo.root)
    assert (done.status, said[1:] in done.stderr) == (1, True)
