"""Rows played against the past of a branch, with real commits."""

import json
import random
import subprocess
from collections.abc import Callable

import pytest
from builders import Output, Repo, row
from processes import repository_of

from gatilho.backtest.past_tree import PastTree
from gatilho.backtest.replayed import courses_of, figures_of
from gatilho.backtest.verdicts import BEFORE, verdicts_of
from gatilho.compare.git_tree import GitTree
from gatilho.compare.revisions import COMMIT, Revisions, Side
from gatilho.conditions.file_conditions import evaluate
from gatilho.document.condition_grammar import parse_conditions
from gatilho.git import query
from gatilho.model import Row, Trigger
from gatilho.triggers.budget import Budget
from gatilho.workspace.past import load_past

Run = Callable[..., Output]

DEPLOY = r"path: ^deploy\.sh$"


@pytest.fixture
def deploys(repo: Repo) -> list[str]:
    """Ten commits: deploy.sh sleeps, is written again and again, is corrected in the eighth, and breaks in the last."""
    found = []
    for number in range(7):
        repo.write("deploy.sh", f"sleep 30\n# {number}\n")
        found.append(repo.commit())
    repo.write("deploy.sh", "wait\n")
    found.append(repo.commit())
    repo.write("other.py", "")
    found.append(repo.commit())
    repo.write("deploy.sh", "wait\nsleep 30\n")
    found.append(repo.commit())
    return found


def test_a_debt_speaks_asks_is_paid_and_broken(repo: Repo, deploys: list[str], run_cli: Run) -> None:
    done = run_cli("backtest", "--trigger", DEPLOY, "--paid-when", "lacks deploy.sh sleep 30", "--json")
    assert done.status == 0, done.stderr
    shown = json.loads(done.stdout)
    (one,) = shown["rows"]
    assert (shown["commits"], one["id"], one["lifecycle"], one["files"]) == (11, None, "debt", 1)
    assert one["written"] == [*deploys[:8], deploys[9]]
    assert one["spoke"] == [*deploys[:7], deploys[9]]  # the commit that paid says nothing
    assert one["asked"] == [*deploys[3:7], deploys[9]]
    assert one["rides"] == 8
    assert one["payments"] == [{"commit": deploys[7], "until": deploys[9], "commits": 2}]
    assert one["summary"] == (
        f"spoke on 8 of the last 11 commits; asked since {deploys[3][:7]}; "
        f"paid in {deploys[7][:7]} for 2 commits, until {deploys[9][:7]}"
    )


def test_rows_of_the_table_are_shown_with_a_chart(repo: Repo, deploys: list[str], run_cli: Run) -> None:
    repo.table(
        row("D-1", DEPLOY, "It sleeps.", paid_when="contains deploy.sh ^wait$"),
        row("R-1", ["cmd: deploy", "glob: *.py"], "A rule.", lifecycle="rule"),
        row("R-2", "cmd: deploy", "Of commands git knows nothing.", lifecycle="rule"),
        row("~~D-2~~", DEPLOY, state="paid"),
    )
    done = run_cli("backtest", "--since", deploys[5])
    assert done.status == 0, done.stderr
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert lines[0].startswith("5 commits, ")
    assert (
        f"spoke on 1 of the 5 commits since {deploys[5]}; never asked; paid in {deploys[7][:7]}, which lasts" in lines
    )
    assert f"spoke on 1 of the 5 commits since {deploys[5]}" in lines
    assert "Not in git's history, so not judged: `cmd: deploy`" in lines
    assert lines[-3:] == [
        "R-2  rule  (docs/gatilhos/backlog.md:5)",
        "Of commands git knows nothing.",
        "Not in git's history, so not judged: `cmd: deploy`",
    ]
    assert "█▁▁▁▁  one column is 1 commit" in lines
    assert not any("D-2" in line for line in lines)
    detailed = run_cli("backtest", "D-2", "--commits", "3").stdout
    assert f"Spoke in {deploys[9][:7]}" in detailed


def test_a_mark_is_followed_through_the_past(repo: Repo, run_cli: Run) -> None:
    repo.write("a.py", "x = 1\n")
    repo.commit()
    repo.write("a.py", "x = 1  # gatilho: D-1\n")
    made = repo.commit()
    repo.git("mv", "a.py", "b.py")
    moved = repo.commit()
    repo.write("a.py", "y = 2\n")
    repo.write("s.bin", b"\0# gatilho: D-1\n")
    repo.commit()
    repo.write("b.py", "x = 1  # gatilho: D-1\nz = 3\n")
    changed = repo.commit()
    done = run_cli("backtest", "--trigger", "mark: D-1", "--trigger", "mark: D-2", "--json")
    (one,) = json.loads(done.stdout)["rows"]
    assert (one["spoke"], one["files"], one["not_judged"]) == ([made, moved, changed], 1, [])


def test_a_condition_that_never_failed_pays_nothing(repo: Repo, run_cli: Run) -> None:
    for number in range(4):
        repo.write("a.py", f"# {number}\n")
        repo.commit()
    said = run_cli("backtest", "--trigger", "glob: a.py", "--paid-when", "lacks a.py sleep").stdout
    assert "spoke on 0 of the last 5 commits; never asked; its condition held from the start" in said


def test_a_merge_is_one_commit_with_all_that_it_brought(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "side")
    for number in range(3):
        repo.write("a.py", f"# {number}\n")
        repo.commit()
    repo.git("checkout", "-q", "main")
    repo.write("b.py", "")
    repo.commit()
    repo.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
    past = load_past(repository_of(repo), 100)
    assert past is not None
    assert [sorted(change.name for change in one.changes) for one in past.commits] == [
        ["README.md"],
        ["b.py"],
        ["a.py"],
    ]
    assert past.before == {}


def test_the_oldest_commit_of_a_shallow_clone_wrote_nothing(repo: Repo, deploys: list[str], tmp_path: object) -> None:
    clone = Repo.__new__(Repo)
    clone.root = repo.root.parent / "shallow"
    subprocess.run(["git", "clone", "-q", "--depth=3", f"file://{repo.root}", str(clone.root)], check=True)
    past = load_past(repository_of(clone), 100)
    assert past is not None
    assert [one.id for one in past.commits] == deploys[-2:]
    assert sorted(past.before) == ["README.md", "deploy.sh"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--paid-when", "exists a"], "give its --trigger as well"),
        (["D-1", "--trigger", "path: a"], "not both"),
        (["--trigger", "path: ("], "not a regular expression"),
        (["--trigger", "path: a", "--paid-when", "exist a"], "write `exists PATH`"),
        (["--since", "nowhere"], "there is no revision 'nowhere'"),
        (["--commits", "0"], "`0` is not a number of commits"),
        (["D-9"], "D-9"),
    ],
)
def test_what_cannot_be_tried_is_refused(repo: Repo, run_cli: Run, arguments: list[str], said: str) -> None:
    done = run_cli("backtest", *arguments)
    assert (done.status, said in done.stderr) == (2, True), done.stderr


CONDITIONS = [
    "contains a.py wait", "lacks a.py wait", "exists a.py", "missing a.py", "exists lib", "missing lib", "contains lib/a.py wait",
    "lacks lib/**/*.py wait", "contains **/*.py (?i)WAIT", "exists lib/*", "missing lib/*.py", "exists */deep", "lacks lib/** wait",
    "contains {a,b}.py wait", "exists lib/a.py/c.py", "lacks link.py wait", "contains li?k.py wait",
    "contains lib/[ab].py ^wait$", "missing **/b.py", "lacks *.py éa",
    "count wait in **/*.py <= 1", "count ^wait$ in lib/** <= 0", "count (?i)WAIT in a.py <= 0",
]  # fmt: skip


def _random_commit(repo: Repo, rng: random.Random) -> None:
    names = ["a.py", "b.py", "lib/a.py", "lib/b.py", "lib/deep/a.py", "lib/deep/b.txt", "link.py"]
    for name in rng.sample(names, rng.randint(1, 3)):
        path = repo.root / name
        if any(part.is_file() for part in path.parents if part != repo.root):
            continue
        if path.is_dir() and not path.is_symlink():
            continue
        if path.is_symlink() or (path.exists() and rng.random() < 0.4):
            path.unlink()
        elif name == "link.py":
            path.symlink_to(rng.choice(["a.py", "lib/b.py", "nowhere"]))
        else:
            repo.write(
                name, rng.choice([b"wait\n", b"sleep\r\nwait\r\n", b"", b"caf\xe9a \xff wait\n", "éa\n".encode()])
            )
    if rng.random() < 0.1 and (repo.root / "lib").is_dir():
        repo.git("rm", "-rqf", "--ignore-unmatch", "lib")
        subprocess.run(["rm", "-rf", str(repo.root / "lib")], check=True)
        repo.write("lib", "a file now")
    elif (repo.root / "lib").is_file():
        (repo.root / "lib").unlink()
    repo.commit()


@pytest.mark.parametrize("seed", range(3))
def test_each_commit_comes_to_what_its_whole_tree_comes_to(repo: Repo, seed: int) -> None:
    rng = random.Random(seed)
    repo.write("a.py", "sleep\n")
    for _ in range(25):
        _random_commit(repo, rng)
    conditions, messages = parse_conditions(CONDITIONS)
    assert messages == []
    repository = repository_of(repo)
    past = load_past(repository, 20)
    assert past is not None
    objects = query.Objects(str(repo.root), {})
    verdicts = verdicts_of(conditions, past, PastTree(repository, past, objects.read), Budget(60), lambda _: None)
    objects.close()
    first = repo.git("rev-parse", f"{past.commits[0].id}^").strip()
    with Revisions(repository) as opened:
        for number, commit in enumerate([first, *(one.id for one in past.commits)], BEFORE):
            tree = GitTree(opened, Side(COMMIT, commit))
            for condition in conditions:
                latest = max(at for at in verdicts[condition] if at <= number)
                got, wanted = verdicts[condition][latest], evaluate(condition, tree, Budget(60))
                where = f"{condition} after commit {number}: {got} and not {wanted}"
                assert (got.holds, got.undecided, got.gone) == (wanted.holds, wanted.undecided, wanted.gone), where


def test_figures_are_what_a_page_shows(repo: Repo, deploys: list[str]) -> None:
    repository = repository_of(repo)
    past = load_past(repository, 500)
    assert past is not None
    rows = [Row("R-1", triggers=(Trigger("path", r"\.py$"),)), Row("R-2", triggers=(Trigger("read", "deploy"),))]
    figures = [figures_of(course, past) for course in courses_of(repository, past, rows, 3)]
    assert [(one.commits, one.spoke, one.rides, one.paid) for one in figures] == [(11, 1, 1, ()), (11, 0, 0, ())]
