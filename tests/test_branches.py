"""A payment is in git: on its branch, until that is merged; with linked working trees and a detached HEAD."""

from pathlib import Path

from builders import BACKLOG, Repo, row, run_cli, run_hook
from claude_session import Session, turn, write

D1 = row("D-1", r"path: ^src/", rides=1, paid_when="contains src/a.py fixed")


def _begin(repo: Repo) -> None:
    repo.write("src/a.py", "a = 1\n")
    repo.table(D1)


def _tree(repo: Repo, root: Path, *arguments: str) -> Repo:
    repo.git("worktree", "add", "--quiet", *arguments, str(root))
    tree = Repo.__new__(Repo)
    tree.root = root
    return tree


def _pay(repo: Repo) -> None:
    turn(repo, write("src/a.py", "fixed\n"))
    assert repo.cell("D-1", "state") == "paid"
    repo.commit("Pay")


def test_a_payment_counts_elsewhere_when_it_is_merged(repo: Repo) -> None:
    _begin(repo)
    repo.git("switch", "--quiet", "-c", "feature")
    _pay(repo)
    repo.git("switch", "--quiet", "main")
    assert repo.cell("D-1", "state") == "owed"
    done = turn(repo, write("src/b.py", "b\n"))
    assert "a note" in done.context
    assert repo.rides("D-1") == 2
    repo.git("checkout", "--quiet", "--", BACKLOG)  # the ride is in the ledger file, which stays
    repo.commit("Go on")
    repo.git("merge", "--quiet", "--no-edit", "feature")
    assert repo.cell("D-1", "state") == "paid"
    assert [line["event"] for line in repo.ledger("paid")] == ["paid"]
    assert "a note" not in turn(repo, write("src/b.py", "c\n")).context


def test_the_same_payment_on_two_branches_merges_without_a_conflict(repo: Repo) -> None:
    _begin(repo)
    for branch in ("one", "two"):
        repo.git("switch", "--quiet", "-c", branch, "main")
        _pay(repo)
    repo.git("merge", "--quiet", "--no-edit", "one")
    assert repo.cell("D-1", "id") == "~~D-1~~"
    assert (len(repo.ledger("paid")), repo.rides("D-1")) == (2, 1)


def test_each_working_tree_has_its_own_branch_and_its_own_payment(repo: Repo, tmp_path: Path) -> None:
    _begin(repo)
    tree = _tree(repo, tmp_path / "tree", "-b", "feature")
    _pay(tree)
    assert (repo.cell("D-1", "state"), repo.ledger()) == ("owed", [])
    turn(repo, write("src/b.py", "b\n"))
    assert repo.rides("D-1") == 2
    assert tree.rides("D-1") == 1
    repo.commit()
    tree.git("merge", "--quiet", "--no-edit", "main", check=False)
    assert len(tree.ledger("charged")) == 1


def test_a_session_that_writes_in_another_tree_pays_there(repo: Repo, tmp_path: Path) -> None:
    _begin(repo)
    tree = _tree(repo, tmp_path / "tree", "-b", "feature")
    session = Session(repo)
    run_hook(session.prompt())
    arguments = {"file_path": tree.path("src/a.py"), "content": "fixed\n"}
    run_hook(session.pre("Write", **arguments))
    tree.write("src/a.py", "fixed\n")
    run_hook(session.post("Write", **arguments))
    run_hook(session.stop())
    assert (tree.cell("D-1", "state"), repo.cell("D-1", "state")) == ("paid", "owed")


def test_a_detached_head_is_written_like_any_other(repo: Repo) -> None:
    _begin(repo)
    commit = repo.git("rev-parse", "HEAD").strip()
    repo.git("switch", "--quiet", "--detach")
    _pay(repo)
    assert [line["commit"] for line in repo.ledger("paid")] == [commit]
    repo.git("switch", "--quiet", "main")
    assert repo.cell("D-1", "state") == "owed"


def test_a_branch_without_the_fix_takes_the_payment_back(repo: Repo) -> None:
    _begin(repo)
    _pay(repo)
    repo.git("switch", "--quiet", "-c", "other")
    repo.write("src/a.py", "a = 1\n")
    repo.commit("Take the fix out")
    done = run_hook(Session(repo).session_start())
    assert "D-1 is owed again: the pattern is not in src/a.py" in done.person
    assert (repo.cell("D-1", "id"), repo.cell("D-1", "state"), repo.rides("D-1")) == ("D-1", "owed", 1)
    repo.commit("Owed again")
    repo.git("switch", "--quiet", "main")
    assert repo.cell("D-1", "state") == "paid"


def test_a_vanished_file_is_no_regression(repo: Repo) -> None:
    _begin(repo)
    _pay(repo)
    repo.git("rm", "--quiet", "src/a.py")
    repo.commit("Remove")
    run_hook(Session(repo).session_start())
    run_cli("settle", cwd=repo.root)
    assert repo.cell("D-1", "state") == "paid"
    assert repo.ledger("regressed") == []
