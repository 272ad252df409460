"""Rows played against the past of a branch, with real commits."""

import json
import os
import random
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import Output, Repo, row
from processes import repository_of

from gatilho.backtest.past_tree import BEFORE, PastTree
from gatilho.backtest.replayed import courses_of, figures_of
from gatilho.backtest.verdicts import verdicts_of
from gatilho.conditions.file_conditions import evaluate
from gatilho.conditions.tree import Tree
from gatilho.conditions.walk import GlobNames
from gatilho.document.condition_grammar import is_glob, parse_conditions
from gatilho.git import query
from gatilho.model import Condition, Row, Trigger
from gatilho.triggers.budget import Budget
from gatilho.verbs import Outcome
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


def test_a_renamed_folder_takes_the_past_of_its_store_along(repo: Repo, run_cli: Run) -> None:
    repo.table(
        row("D-1", r"path: ^src/a\.py$", paid_when="exists py.typed"),
        row("R-1", "glob: src/gone.py", lifecycle="rule"),
        file="pay/docs/gatilhos/backlog.md",
    )
    wrote = []
    for number in range(3):
        repo.write("pay/src/a.py", f"{number}\n")
        repo.write("pay/src/gone.py", f"# {number}\n")
        wrote.append(repo.commit())
    repo.write("pay/py.typed", "")
    repo.git("rm", "-q", "pay/src/gone.py")
    paid = repo.commit()
    repo.git("mv", "pay", "payments")
    repo.commit()
    debt, rule = json.loads(run_cli("backtest", "--json").stdout)["rows"]
    assert (debt["spoke"], debt["payments"][0]["commit"], debt["held_before"]) == (wrote, paid, False)
    assert (rule["spoke"], rule["files"]) == ([*wrote, paid], 0)


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
    "contains c[1].py wait", "count wait in **/*.py <= 1", "count ^wait$ in lib/** <= 0", "count (?i)WAIT in a.py <= 0",
]  # fmt: skip


NAMES = ["a.py", "b.py", "lib/a.py", "lib/b.py", "lib/deep/a.py", "lib/deep/b.txt", "link.py", "c[1].py"]


class _Growth:
    """A history made at random. folders: a copy of the files after each commit. renamed: (number, old, new)."""

    def __init__(self, repo: Repo, copies: Path, rng: random.Random) -> None:
        self.repo, self.copies, self.rng = repo, copies, rng
        self.folders: list[Path] = []
        self.renamed: list[tuple[int, str, str]] = []
        self._born: dict[str, int] = {}
        self._marks: dict[str, bytes] = {}  # lines by which git knows a file wherever it goes

    def commit(self) -> None:
        root, rng = self.repo.root, self.rng
        written = set()
        for name in rng.sample(NAMES, rng.randint(1, 3)):
            path = root / name
            if any(part.is_file() for part in path.parents if part != root) or path.is_dir():
                continue
            written.add(name)
            if path.is_symlink() or (path.exists() and rng.random() < 0.3):
                path.unlink()
            elif name == "link.py":
                path.symlink_to(rng.choice(["a.py", "lib/b.py", "nowhere"]))
            else:
                if not path.exists():
                    self._born[name] = len(self.folders)
                    self._marks[name] = b"".join(b"# %x\n" % rng.getrandbits(200) for _ in range(5))
                text = rng.choice([b"wait\n", b"sleep\r\nwait\r\n", b"", b"caf\xe9a \xff wait\n", "éa\n".encode()])
                self.repo.write(name, text + self._marks[name])
        if rng.random() < 0.1 and (root / "lib").is_dir():
            shutil.rmtree(root / "lib")
            self.repo.write("lib", "a file now")
        elif (root / "lib").is_file():
            (root / "lib").unlink()
        self._rename(written)
        self.repo.commit()
        self.folders.append(self.copies / str(len(self.folders)))
        shutil.copytree(root, self.folders[-1], symlinks=True, ignore=shutil.ignore_patterns(".git"))
        for folder in ("lib/deep", "lib"):  # git has no empty folders
            if (self.folders[-1] / folder).is_dir() and not any((self.folders[-1] / folder).iterdir()):
                (self.folders[-1] / folder).rmdir()

    def _rename(self, written: set[str]) -> None:
        root = self.repo.root
        olds = [one for one in NAMES if one not in written and (root / one).is_file() and not (root / one).is_symlink()]
        free = [one for one in NAMES if one not in written and one != "link.py" and not os.path.lexists(root / one)]
        if not olds or not free or (root / "lib").is_file() or self.rng.random() < 0.4:
            return
        old, new = self.rng.choice(olds), self.rng.choice(free)
        if any(os.path.lexists(folder / new) for folder in self.folders[self._born[old] :]):
            return  # no two files at once with one name, now or later
        (root / new).parent.mkdir(parents=True, exist_ok=True)
        (root / old).rename(root / new)
        self._marks[new], self._born[new] = self._marks.pop(old), self._born.pop(old)
        self.renamed.append((len(self.folders), old, new))

    def names_from(self, number: int, name: str) -> list[str]:
        """The name of a file after a commit, and those that it gets later."""
        found = [name]
        while True:
            gone = next((at for at in range(number, 25) if not (self.folders[at] / found[-1]).is_file()), 25)
            new = next((new for at, old, new in self.renamed if at == gone and old == found[-1]), "")
            if not new:
                return found
            number = gone
            found.append(new)

    def seen_by(self, condition: Condition, number: int) -> Path:
        """A folder with the files after a commit, in which those that a condition searches have the name it knows."""
        folder, wanted = self.folders[number], condition.argument
        if condition.kind in ("exists", "missing"):
            return folder
        moves = {}
        for name in NAMES:
            names = self.names_from(number, name)[1:] if (folder / name).is_file() else []
            if is_glob(wanted) and wanted not in NAMES:
                takes = GlobNames(wanted).takes
                moves[name] = "" if takes(name, False) else next((one for one in names if takes(one, False)), "")
            elif wanted in names and not os.path.lexists(folder / wanted):
                moves[name] = wanted
        if not any(moves.values()):
            return folder
        moved = Path(tempfile.mkdtemp(dir=self.copies))
        for name in NAMES:
            at = moved / (moves.get(name) or name)
            if os.path.lexists(folder / name) and not (folder / name).is_dir():
                at.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(folder / name, at, follow_symlinks=False)
        return moved

    def wrote(self, number: int, wanted: str) -> bool:
        """Whether a commit changed a file that has the wanted name now or later, or removed one of that name."""
        for name in NAMES:
            before, after = (_bytes_of(self.folders[at] / name) for at in (number - 1, number))
            names = [name] if after is None else self.names_from(number, name)
            if before != after and wanted in names:
                return True
        return False


def _bytes_of(path: Path) -> bytes | None:
    return os.readlink(path).encode() if path.is_symlink() else path.read_bytes() if path.is_file() else None


@pytest.mark.parametrize("seed", range(2))
def test_each_commit_comes_to_what_its_whole_tree_comes_to(repo: Repo, tmp_path: Path, seed: int) -> None:
    growth = _Growth(repo, tmp_path, random.Random(seed))
    for _ in range(25):
        growth.commit()
    conditions, messages = parse_conditions(CONDITIONS)
    assert messages == []
    repository = repository_of(repo)
    past = load_past(repository, 20)
    assert past is not None
    objects = query.Objects(str(repo.root), {})
    verdicts = verdicts_of(conditions, past, PastTree(repository, past, objects.read), Budget(60), lambda _: None)
    objects.close()
    paid: list[list[int | None]] = []
    for condition in conditions:
        wanted = []
        for number in range(BEFORE, 20):
            folder = growth.seen_by(condition, number + 5)
            wanted.append(evaluate(condition, Tree(str(folder)), Budget(60)))
            got = verdicts[condition][max(at for at in verdicts[condition] if at <= number)]
            where = f"{condition} after commit {number}: {got} and not {wanted[-1]}"
            assert (got.holds, got.undecided, got.gone) == (wanted[-1].holds, wanted[-1].undecided, wanted[-1].gone), (
                where
            )
        (course,) = courses_of(
            repository, past, [Row("D-1", "debt", (Trigger("path", "^a[.]py$"),), conditions=(condition,))], 3
        )
        spoke, payments = _counted_out(wanted, [growth.wrote(number + 5, "a.py") for number in range(20)])
        assert (list(course.spoke), list(course.asked), course.rides) == (spoke, spoke[3:], len(spoke)), condition
        assert [[one.at, one.until] for one in course.payments] == payments, condition
        paid += payments
    assert {None} < {until for _, until in paid}  # some last, some do not


def _counted_out(outcomes: list[Outcome], wrote: list[bool]) -> tuple[list[int], list[list[int | None]]]:
    """When a debt speaks, and when it is paid until when; the first outcome is before the first commit."""
    spoke: list[int] = []
    payments: list[list[int | None]] = []
    for number, outcome in enumerate(outcomes, BEFORE):
        earlier = outcomes[: number + 1]
        fails = not outcome.holds and not outcome.undecided
        open_payments = [one for one in payments if one[1] is None]
        if outcome.holds and not open_payments and any(not one.holds and not one.undecided for one in earlier):
            payments.append([number, None])
        for one in open_payments if fails else ():
            one[1] = number
        is_paid = any(one[1] is None for one in payments)
        if number > BEFORE and wrote[number] and not is_paid and not outcome.holds:
            spoke.append(number)
    return spoke, payments


def test_figures_are_what_a_page_shows(repo: Repo, deploys: list[str]) -> None:
    repository = repository_of(repo)
    past = load_past(repository, 500)
    assert past is not None
    rows = [Row("R-1", triggers=(Trigger("path", r"\.py$"),)), Row("R-2", triggers=(Trigger("read", "deploy"),))]
    figures = [figures_of(course, past) for course in courses_of(repository, past, rows, 3)]
    assert [(one.commits, one.spoke, one.rides, one.paid) for one in figures] == [(11, 1, 1, ()), (11, 0, 0, ())]
