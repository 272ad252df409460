"""Counts that hooks keep in the ledger or on this machine, and `gatilho fold`, which brings them into the tables."""

import json

import pytest
from builders import BACKLOG, Repo, row
from claude_session import Session, edit, turn
from merging import attempt, branch, cells, charge, counts, debt, start

from gatilho import files
from gatilho.cli import main
from gatilho.store import command_context, local_rides

CONFIG = "gatilho.toml"
RULE = row("R-1", r"^src/b\.py$", "mind it", lifecycle="rule", rides=7)


def fold(repo: Repo, *words: str) -> int:
    return main(["fold", "--root", str(repo.root), *words])


def test_a_cell_that_a_merge_left_behind_is_raised(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    store = start(repo, 0)
    for name in ("b", "main"):
        branch(store, name)
        charge(store, "D-1", name)
    assert attempt(store, "merge", "--quiet", "b")
    assert (cells(store), counts(store)) == ([1, 0, 0], [2, 0, 0])
    assert fold(store, "--dry-run", "--json") == 0
    assert json.loads(capsys.readouterr().out)["rows"] == [
        {"id": "D-1", "file": BACKLOG, "line": 3, "cell": 1, "rides": 2}
    ]
    assert cells(store) == [1, 0, 0]
    assert fold(store) == 0
    assert capsys.readouterr().out == f"{BACKLOG}:3  D-1  rides: 1 -> 2\n"
    assert cells(store) == counts(store) == [2, 0, 0]
    assert fold(store) == 0
    assert capsys.readouterr().out == "Every count in the tables is the one in force.\n"


def test_a_cell_above_the_ledger_stays(repo: Repo) -> None:
    store = start(repo, 0)
    charge(store, "D-1", "one")
    store.write(BACKLOG, store.read(BACKLOG).replace(debt("D-1", 1), debt("D-1", 9)))
    assert fold(store) == 0
    assert cells(store) == [9, 0, 0]


def test_branches_of_ledger_rides_never_touch_one_line(repo: Repo) -> None:
    store = start(repo, 0, registered=False)
    before = store.read_bytes(BACKLOG)
    for name in ("b", "c", "main"):
        branch(store, name, "main")
        charge(store, "D-1", name, rides_in="ledger")
        charge(store, "D-2", name, rides_in="ledger")
    assert attempt(store, "merge", "--quiet", "b")
    assert attempt(store, "merge", "--quiet", "c")
    assert store.read_bytes(BACKLOG) == before
    assert counts(store) == [3, 3, 0]
    assert fold(store) == 0
    assert cells(store) == [3, 3, 0]


def test_a_busy_git_is_waited_for(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    store = start(repo, 0)
    charge(store, "D-1", "one", rides_in="ledger")
    (repo.root / ".git/MERGE_HEAD").write_text(repo.git("rev-parse", "HEAD"))
    assert fold(store) == 1
    assert "not written: Git is in the middle of a merge" in capsys.readouterr().out
    assert cells(store) == [0, 0, 0]


class TestHooks:
    """Whole turns through the dispatcher."""

    @pytest.fixture
    def store(self, repo: Repo) -> Repo:
        repo.write("src/a.py", "a = 1\n")
        repo.write("src/b.py", "b = 1\n")
        repo.table(debt("D-1"), RULE)
        return repo

    def ride(self, repo: Repo, session: str) -> None:
        for name in ("a", "b"):
            repo.write(f"src/{name}.py", f"{name} = 1\n")
        turn(repo, edit("src/a.py", "1", "2"), edit("src/b.py", "1", "2"), session=Session(repo, session))

    def test_in_the_ledger_only(self, store: Repo) -> None:
        store.write(CONFIG, 'rides_in = "ledger"\n')
        store.commit()
        before = store.read_bytes(BACKLOG)
        self.ride(store, "one")
        self.ride(store, "two")
        assert store.read_bytes(BACKLOG) == before
        assert sorted((line["id"], line["rides"]) for line in store.ledger("charged")) == [
            ("D-1", "1"), ("D-1", "2"), ("R-1", "8"), ("R-1", "9"),
        ]  # fmt: skip
        assert fold(store) == 0
        assert (store.rides("D-1"), store.rides("R-1")) == (2, 9)

    def test_rules_on_this_machine_only(self, store: Repo, capsys: pytest.CaptureFixture[str]) -> None:
        store.write(CONFIG, 'rule_rides = "local"\n')
        store.commit()
        self.ride(store, "one")
        self.ride(store, "two")
        assert (store.rides("D-1"), store.rides("R-1")) == (2, 7)
        assert {line["id"] for line in store.ledger()} == {"D-1"}
        assert main(["list", "--json", "--root", str(store.root)]) == 0
        listed = json.loads(capsys.readouterr().out)["rows"]
        assert {one["id"]: (one["rides"], one["rides_cell"]) for one in listed} == {"D-1": (2, 2), "R-1": (9, 7)}
        assert main(["show", "R-1", "--root", str(store.root)]) == 0
        assert "9 (cell: 7), 2 of them counted on this machine" in capsys.readouterr().out
        assert main(["diff", "--root", str(store.root)]) == 0
        assert "2 rides of rules counted on this machine only" in capsys.readouterr().out
        assert fold(store, "--dry-run") == 0
        assert store.rides("R-1") == 7
        assert fold(store) == 0
        assert store.rides("R-1") == 9
        assert fold(store) == 0
        assert store.rides("R-1") == 9

    def test_two_folds_at_once_bring_in_the_rides_of_rules_once(
        self, store: Repo, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store.write(CONFIG, 'rule_rides = "local"\n')
        store.commit()
        self.ride(store, "one")
        taken = local_rides.take_local_rides(store.path(".git/gatilho/rule-rides"))  # as by a fold that has begun
        monkeypatch.setattr(command_context, "PATIENCE", 0)
        with files.Lock(store.path(".git/gatilho/rule-rides.lock"), 0):
            assert fold(store) == 1
        assert (store.rides("R-1"), taken) == (7, {("R-1", ""): 1})
        assert fold(store) == 0
        assert store.rides("R-1") == 8

    def test_rides_of_rules_wait_while_git_is_busy(self, store: Repo) -> None:
        store.write(CONFIG, 'rule_rides = "local"\n')
        store.commit()
        self.ride(store, "one")
        mark = store.root / ".git/MERGE_HEAD"
        mark.write_text(store.git("rev-parse", "HEAD"))
        assert fold(store) == 1
        mark.unlink()
        self.ride(store, "two")
        assert fold(store) == 0
        assert store.rides("R-1") == 9
