"""`gatilho check --since BASE`: what a branch has to account for, in real repositories."""

import json
from collections.abc import Callable

import pytest
from builders import BACKLOG, Output, Repo, row, run_cli

from gatilho.ledger.lines import Entry, ledger_bytes

Run = Callable[..., Output]
LEDGER = "docs/gatilhos/ledger/2026-11-29-{}.md"


@pytest.fixture
def branch(repo: Repo) -> Repo:
    """A branch `side` that has just left main, where three debts stand, two of them with rides."""
    repo.write("src/a.py", "x = 1\n")
    charged = Entry("2026-11-20 10:00:00", "D-1", "charged", 2, 1, "8f3a21c0", "c", "agent", "src/a.py")
    repo.write(LEDGER.format("0000000a"), ledger_bytes([charged]))
    repo.table(*rows())
    repo.git("switch", "--quiet", "--create", "side")
    return repo


def rows(**changes: str) -> list[str]:
    """The rows of main, some of them replaced, or removed by an empty text; an underscore stands for the hyphen."""
    made = {
        "D_1": row("D-1", r"path: ^src/a\.py$", "first", rides=2),
        "D_2": row("D-2", r"path: ^src/a\.py$", "second", rides=1),
        "D_3": row("D-3", r"path: ^src/a\.py$", "third", paid_when=r"contains src/a.py done"),
    }
    return [line for line in {**made, **changes}.values() if line]


def found(output: Output, *codes: str) -> list[tuple[str, str]]:
    problems = json.loads(output.stdout)["problems"]
    return [(one["code"], one["row"]) for one in problems if not codes or one["code"] in codes]


def since(repo: Repo, *arguments: str) -> Output:
    return run_cli("check", "--since", "main", "--format", "json", *arguments, cwd=repo.root)


NEW = row("D-9", r"path: ^src/a\.py$", "new", paid_when="exists src/a.py")
FAILING = row("D-9", r"path: ^src/a\.py$", "new", paid_when="missing src/a.py")
FALLEN = row("D-1", r"path: ^src/a\.py$", "first", rides=1)

CASES = {
    "nothing": (rows(), []),
    "a ride more": (rows(D_2=row("D-2", r"path: ^src/a\.py$", "second", rides=2)), []),
    "a debt struck": (rows(D_2=row("~~D-2~~", r"path: ^src/a\.py$", "second", rides=1, state="paid")), []),
    "a count below the ledger's": (rows(D_1=FALLEN), [("GT701", "D-1")]),
    "a count without ledger lines that fell": (
        rows(D_2=row("D-2", r"path: ^src/a\.py$", "second")),
        [("GT701", "D-2")],
    ),
    "an owed row removed": (rows(D_2=""), [("GT702", "D-2")]),
    "a new row whose condition holds already": (rows(D_9=NEW), [("GT231", "D-9")]),
    "a new row whose condition fails": (rows(D_9=FAILING), []),
}


@pytest.mark.parametrize("case", CASES, ids=list(CASES))
@pytest.mark.parametrize("committed", [True, False], ids=["committed", "in the working tree"])
def test_what_a_branch_has_to_account_for(branch: Repo, case: str, committed: bool) -> None:
    lines, expected = CASES[case]
    branch.table(*lines, commit=committed)
    output = since(branch)
    assert found(output, "GT231", "GT701", "GT702", "GT703", "GT704") == expected
    assert output.status == (1 if expected else 0)


def test_word_settles_a_fall(branch: Repo) -> None:
    branch.table(*rows(D_2=row("D-2", r"path: ^src/a\.py$", "second")))
    fallen = json.loads(since(branch).stdout)["problems"][0]
    assert fallen["remedy"].endswith("`gatilho set D-2 0 --why TEXT`")
    assert fallen["text"][fallen["column"] - 1 :][: fallen["width"]] == "0"
    done = run_cli("set", "D-2", "0", "--why", "the rides were for another file", cwd=branch.root)
    assert done.status == 0, done.stderr
    assert run_cli("set", "D-2", "0", "--why", "again", cwd=branch.root).stdout == "D-2 already has that count.\n"
    branch.commit()
    assert found(since(branch)) == []


def test_ended_row_may_go(branch: Repo) -> None:
    paid = Entry("2026-11-29 10:00:00", "D-2", "paid", by="person", evidence="done")
    branch.write(LEDGER.format("0000000b"), ledger_bytes([paid]))
    branch.table(*rows(D_2=""))
    assert found(since(branch), "GT702") == []


def test_old_id_is_told(branch: Repo) -> None:
    branch.write(LEDGER.format("0000000b"), ledger_bytes([Entry("2026-11-21 10:00:00", "D-7", "paid", by="person")]))
    branch.commit()
    branch.git("branch", "--force", "main")
    branch.table(*rows(D_9=row("D-7", r"path: ^src/a\.py$", "another one")))
    assert found(since(branch), "GT703") == [("GT703", "D-7")]


def test_changed_ledger_is_told(branch: Repo) -> None:
    branch.git("rm", "--quiet", LEDGER.format("0000000a"))
    branch.commit()
    assert found(since(branch), "GT704") == [("GT704", "")]


def test_base_that_went_on_is_no_concern(branch: Repo) -> None:
    branch.git("switch", "--quiet", "main")
    branch.table(*rows(D_2=row("D-2", r"path: ^src/a\.py$", "second", rides=7)), row("D-8", "path: src"))
    branch.git("switch", "--quiet", "side")
    output = run_cli("check", "--since", "main", cwd=branch.root)
    assert output.status == 0
    assert "Compared with main...HEAD (" in output.stdout


def test_only_what_lies_in_the_paths(branch: Repo) -> None:
    branch.table(*rows(D_1=FALLEN))
    branch.table(row("D-5", r"path: ^src/a\.py$"), file="docs/gatilhos/other.md")
    assert found(since(branch, "docs/gatilhos/other.md")) == []
    assert found(since(branch, BACKLOG)) == [("GT701", "D-1"), ("GT903", "D-1")]


def test_merge_commit_in_a_shallow_clone(branch: Repo) -> None:
    branch.table(*rows(D_1=FALLEN))
    branch.git("switch", "--quiet", "main")
    branch.git("merge", "--quiet", "--no-ff", "side")
    clone = Repo.__new__(Repo)
    clone.root = branch.root.parent / "clone"
    branch.git("clone", "--quiet", "--depth", "2", f"file://{branch.root}", str(clone.root))
    output = run_cli("check", "--since", "HEAD^1", "--format", "json", cwd=clone.root)
    assert found(output, "GT701", "GT702") == [("GT701", "D-1")]


def test_base_without_history_in_between(branch: Repo) -> None:
    branch.table(*rows(D_1=FALLEN))
    clone = Repo.__new__(Repo)
    clone.root = branch.root.parent / "clone"
    branch.git("clone", "--quiet", "--depth", "1", "--branch", "side", f"file://{branch.root}", str(clone.root))
    clone.git("fetch", "--quiet", "--depth", "1", "origin", "main:base")
    output = run_cli("check", "--since", "base", "--format", "json", cwd=clone.root)
    assert found(output, "GT701", "GT702") == [("GT701", "D-1")]


@pytest.mark.parametrize("left_out", ["blob:none", "tree:0"])
def test_a_partial_clone_says_what_brings_the_rest_and_no_command_asks_the_network(branch: Repo, left_out: str) -> None:
    branch.table(*rows(D_1=FALLEN))
    branch.git("config", "uploadpack.allowFilter", "true")
    clone = Repo.__new__(Repo)
    clone.root = branch.root.parent / "clone"
    branch.git("clone", "--quiet", f"--filter={left_out}", f"file://{branch.root}", str(clone.root))
    asked = [("check", "--since", "HEAD~1"), ("diff", "HEAD~1"), ("log", "D-1")]
    remedy = "git fetch --refetch --no-filter"
    for words in asked:
        output = run_cli(*words, cwd=clone.root)
        assert (output.status, output.stderr.count("\n"), f"`{remedy}`" in output.stderr) == (1, 1, True)
    clone.git(*remedy.split()[1:], "--quiet")
    assert ("GT701", "D-1") in found(run_cli(*asked[0], "--format", "json", cwd=clone.root))
    assert [run_cli(*words, cwd=clone.root).status for words in asked] == [1, 0, 0]


def test_another_error_of_git_in_a_partial_clone_gets_no_advice_to_fetch(branch: Repo) -> None:
    branch.git("config", "remote.origin.promisor", "true")
    branch.write(".git/index", "no index")
    output = run_cli("diff", cwd=branch.root)
    assert output.status == 1
    assert "git ls-files failed: " in output.stderr
    assert "git fetch" not in output.stderr


def test_table_that_broke_is_no_removal(branch: Repo) -> None:
    branch.write(BACKLOG, branch.read(BACKLOG).replace("---:", "--x"))
    codes = {code for code, _ in found(since(branch))}
    assert "GT705" in codes
    assert "GT702" not in codes


def test_formats(branch: Repo) -> None:
    branch.table(*rows(D_1=FALLEN))
    lines = run_cli("check", "--since", "main", "--format", "github", cwd=branch.root)
    assert lines.status == 1
    assert lines.stdout.startswith("::error file=docs/gatilhos/backlog.md,line=3,col=")
    log = json.loads(run_cli("check", "--since", "main", "--format", "sarif", cwd=branch.root).stdout)
    run = log["runs"][0]
    assert [one["ruleId"] for one in run["results"]] == ["GT701", "GT903"]
    assert (
        run["tool"]["driver"]["rules"][0]["shortDescription"]["text"]
        == "the ride count of a debt was lowered without a recorded reason"
    )


def test_sparse_checkout_removes_nothing(branch: Repo) -> None:
    branch.git("sparse-checkout", "set", "src")
    assert not (branch.root / "docs").exists()
    codes = {code for code, _ in found(since(branch))}
    assert codes == {"GT241"}
    assert not (branch.root / "docs").exists()


def test_unknown_base(branch: Repo) -> None:
    output = run_cli("check", "--since", "nowhere", cwd=branch.root)
    assert (output.status, output.stdout) == (2, "")
    assert "there is no revision 'nowhere' here" in output.stderr
