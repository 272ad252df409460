"""What git is in the middle of and which commit HEAD names, in real repositories."""

import os
import subprocess
from pathlib import Path

import pytest
from builders import Repo
from processes import repository_of

from gatilho.git import state as git_state
from gatilho.git.root import Repository, find_repository


def _busy(repo: Repo) -> str:
    return git_state.busy(repository_of(repo).git_dir, {})


def _diverge(repo: Repo) -> None:
    """Two branches that changed one line differently; main is checked out."""
    repo.write("a.txt", "base\n")
    repo.commit("base")
    repo.git("checkout", "-q", "-b", "other")
    repo.write("a.txt", "theirs\n")
    repo.commit("theirs")
    repo.write("b.txt", "more\n")
    repo.commit("more")
    repo.git("checkout", "-q", "main")
    repo.write("a.txt", "ours\n")
    repo.commit("ours")


def _am(repo: Repo) -> None:
    patch = repo.git("format-patch", "-1", "--stdout", "other~1")
    repo.write(".git/one.patch", patch)
    repo.git("am", ".git/one.patch", check=False)


STOPPED = {
    "a merge": lambda repo: repo.git("merge", "other", check=False),
    "a cherry-pick": lambda repo: repo.git("cherry-pick", "other~1", check=False),
    "a cherry-pick of several commits": lambda repo: repo.git("cherry-pick", "other~2..other", check=False),
    "a revert": lambda repo: repo.git("revert", "--no-edit", "HEAD~1", check=False),
    "a bisect": lambda repo: repo.git("bisect", "start"),
    "a rebase": lambda repo: repo.git("rebase", "other", check=False),
    "a rebase by patches": lambda repo: repo.git("rebase", "--apply", "other", check=False),
    "git am": _am,
}


@pytest.mark.parametrize("where", ["the main working tree", "a linked worktree"])
@pytest.mark.parametrize("what", STOPPED)
def test_git_in_the_middle_of_something_is_seen(repo: Repo, tmp_path: Path, what: str, where: str) -> None:
    _diverge(repo)
    here, elsewhere = repo, None
    if where == "a linked worktree":
        repo.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "linked")
        here, elsewhere = Repo.__new__(Repo), repo
        here.root = tmp_path / "linked"
        (here.root / ".git").read_text()  # a file in a linked worktree
        (here.root / "keep").write_text("")
    if what == "git am" and elsewhere:
        patch = repo.git("format-patch", "-1", "--stdout", "other~1")
        (tmp_path / "one.patch").write_text(patch)
        here.git("am", str(tmp_path / "one.patch"), check=False)
    else:
        STOPPED[what](here)
    expected = what.removesuffix(" of several commits").removesuffix(" by patches")
    assert _busy(here) == expected
    if elsewhere:
        assert _busy(elsewhere) == ""


@pytest.mark.parametrize(
    ("begin", "finish"),
    [
        pytest.param(("merge", "other"), ("merge", "--abort"), id="an aborted merge"),
        pytest.param(("rebase", "other"), ("rebase", "--abort"), id="an aborted rebase"),
        pytest.param(("cherry-pick", "other~2..other"), ("cherry-pick", "--abort"), id="an aborted cherry-pick"),
        pytest.param(("bisect", "start"), ("bisect", "reset"), id="a bisect that ended"),
    ],
)
def test_git_at_rest_is_not_busy(repo: Repo, begin: tuple[str, ...], finish: tuple[str, ...]) -> None:
    _diverge(repo)
    assert _busy(repo) == ""
    repo.git(*begin, check=False)
    assert _busy(repo) != ""
    repo.git(*finish)
    assert _busy(repo) == ""


def test_a_series_that_waits_between_two_commits_is_seen_by_its_folder(repo: Repo) -> None:
    _diverge(repo)
    repo.git("cherry-pick", "other~2..other", check=False)
    repo.write("a.txt", "mended\n")
    repo.commit("mended by hand")
    assert not (repo.root / ".git/CHERRY_PICK_HEAD").exists()
    assert _busy(repo) == "a cherry-pick or revert of several commits"


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        pytest.param({"GIT_INDEX_FILE": ".git/index"}, "a git hook", id="an index named by git"),
        pytest.param({"PRE_COMMIT": "1"}, "a pre-commit run", id="pre-commit has set changes aside"),
        pytest.param({"GIT_INDEX_FILE": ""}, "", id="an empty name is none"),
        pytest.param({"GIT_DIR": ".git"}, "", id="other variables of git say nothing"),
    ],
)
def test_a_hook_is_known_by_its_environment(repo: Repo, environ: dict[str, str], expected: str) -> None:
    assert git_state.busy(repository_of(repo).git_dir, environ) == expected
    assert git_state.busy("", environ) == expected


def test_a_real_git_hook_sees_itself(repo: Repo) -> None:
    source = Path(git_state.__file__).parents[2]
    hook = repo.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(
        "#!/bin/sh\n"
        f"PYTHONPATH='{source}' python3 -c 'import os; from gatilho.git import state; "
        'print(state.busy(".git", os.environ))\' > seen\n'
    )
    hook.chmod(0o755)
    repo.commit("with a hook")
    assert repo.read("seen") == "a git hook\n"


def _head(repo: Repo) -> str:
    found = repository_of(repo)
    return git_state.head_commit(found)


def test_the_head_of_a_branch_loose_and_packed(repo: Repo) -> None:
    first = repo.git("rev-parse", "HEAD").strip()
    assert _head(repo) == first
    repo.git("tag", "-a", "-m", "annotated", "v1")
    repo.git("branch", "mainline-of-old")
    repo.git("pack-refs", "--all")
    assert not (repo.root / ".git/refs/heads/main").exists()
    assert _head(repo) == first
    second = repo.commit("after packing")
    assert second != first
    assert _head(repo) == second


def test_a_detached_head(repo: Repo) -> None:
    repo.commit("second")
    repo.git("checkout", "-q", "--detach", "HEAD~1")
    assert _head(repo) == repo.git("rev-parse", "HEAD").strip()


def test_a_branch_without_commits_has_no_head(repo: Repo) -> None:
    repo.git("checkout", "-q", "--orphan", "empty")
    assert _head(repo) == ""


def test_the_head_of_a_linked_worktree_is_its_own(repo: Repo, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "feature/deep")
    linked = Repo.__new__(Repo)
    linked.root = tmp_path / "linked"
    made = linked.commit("only here")
    assert _head(linked) == made
    assert _head(repo) != made
    repo.git("pack-refs", "--all")
    assert _head(linked) == made


def test_refs_kept_in_another_format_are_asked_of_git(repo: Repo) -> None:
    made = subprocess.run(["git", "init", "-q", "--ref-format=reftable", "r"], cwd=repo.root, capture_output=True)
    if made.returncode:
        pytest.skip("this git has no reftable format")
    other = Repo.__new__(Repo)
    other.root = repo.root / "r"
    commit = other.commit("in a reftable")
    assert _head(other) == commit


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="an empty HEAD"),
        pytest.param(b"ref: refs/heads/loop\n", id="a ref that names itself"),
        pytest.param(b"\xff\xfe garbage\n", id="bytes that are no text"),
        pytest.param(b"ref: refs/heads/.invalid\n", id="a reftable that git itself cannot read"),
    ],
)
def test_a_broken_head_is_no_head(repo: Repo, content: bytes) -> None:
    repo.write(".git/HEAD", content)
    repo.write(".git/refs/heads/loop", "ref: refs/heads/loop\n")
    assert _head(repo) == ""


def test_without_git_there_is_neither() -> None:
    assert git_state.head_commit(Repository("", "", "")) == ""
    assert git_state.busy("", dict(os.environ) | {"GIT_INDEX_FILE": ""}) == ""


@pytest.mark.parametrize("made", ["HEAD alone", "no refs", "a HEAD of nothing", "a file that names a missing folder"])
def test_what_git_takes_for_no_repository_is_none(repo: Repo, made: str) -> None:
    inner = repo.root / "src/.git"
    if made.startswith("a file"):
        repo.write("src/.git", "gitdir: ../nowhere\n")
    else:
        (inner / "objects").mkdir(parents=True)
        (inner / "HEAD").write_text("ref: refs/heads/main\n")
        if made == "HEAD alone":
            (inner / "objects").rmdir()
        if made == "a HEAD of nothing":
            (inner / "refs").mkdir()
            (inner / "HEAD").write_text("main\n")
    asked = subprocess.run(["git", "rev-parse", "--show-toplevel"], cwd=repo.root / "src", capture_output=True)
    assert asked.stdout.decode().strip() in ("", str(repo.root))
    found = find_repository(str(repo.root / "src/a.py"))
    assert found is not None
    assert found.root == str(repo.root)
