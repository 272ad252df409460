"""Where git says that a vanished file went."""

import pytest
from builders import Repo

from gatilho.workspace.renames import Renames

TEXT = "".join(f"line {number}\n" for number in range(20))


def new_path(repo: Repo, path: str) -> str:
    return Renames(str(repo.root)).now(path, set(repo.git("ls-files").split("\n")))


@pytest.fixture
def moved(repo: Repo) -> Repo:
    repo.write("src/old name.py", TEXT)
    repo.commit()
    repo.git("mv", "src/old name.py", "src/new.py")
    return repo


def test_a_move_that_is_not_committed_yet(moved: Repo) -> None:
    assert new_path(moved, "src/old name.py") == "src/new.py"


def test_a_move_that_is_committed(moved: Repo) -> None:
    moved.commit()
    moved.write("src/old name.txt", "x")
    moved.commit()
    assert new_path(moved, "src/old name.py") == "src/new.py"


def test_a_file_that_moved_on(moved: Repo) -> None:
    moved.commit()
    moved.git("mv", "src/new.py", "third.py")
    moved.commit()
    assert new_path(moved, "src/old name.py") == "third.py"


def test_a_file_that_changed_on_its_way(moved: Repo) -> None:
    moved.write("src/new.py", TEXT + "more\n")
    moved.commit()
    assert new_path(moved, "src/old name.py") == "src/new.py"


def test_a_move_on_a_branch_that_was_merged(repo: Repo) -> None:
    repo.write("old.py", TEXT)
    repo.commit()
    repo.git("switch", "--quiet", "-c", "feature")
    repo.git("mv", "old.py", "new.py")
    repo.commit()
    repo.git("switch", "--quiet", "main")
    repo.write("other.py", "x")
    repo.commit()
    repo.git("merge", "--quiet", "--no-edit", "feature")
    assert new_path(repo, "old.py") == "new.py"


NOWHERE = [
    pytest.param("README.md", id="it was removed"),
    pytest.param("never.py", id="it never was"),
    pytest.param("*.md", id="a glob"),
    pytest.param(":(top)x", id="a text that git could take for more than a name"),
]


@pytest.mark.parametrize("path", NOWHERE)
def test_nothing_is_proposed(repo: Repo, path: str) -> None:
    repo.git("rm", "--quiet", "README.md")
    repo.commit()
    assert new_path(repo, path) == ""
