"""Real git merges tables through the registered driver, and the counts in force stay true."""

import itertools
from pathlib import Path

import pytest
from builders import BACKLOG, HEADER, Repo
from git_objects import ObjectStore
from hypothesis import given, settings
from hypothesis import strategies as st
from merging import ROWS, attempt, branch, cells, charge, counts, debt, in_force, rewrite, start

from gatilho.cli import main
from gatilho.ledger import lines as ledger
from gatilho.setup import driver


@pytest.fixture
def store(repo: Repo) -> Repo:
    """Three debts with three rides each, on main, and the driver at work."""
    return start(repo, 3)


def test_the_same_row_on_both_sides(store: Repo) -> None:
    """With the very command that is registered; all other tests start it in a way that takes less time."""
    driver.register_driver(str(store.root))
    branch(store, "b")
    charge(store, "D-1", "one")
    branch(store, "main")
    charge(store, "D-1", "two")
    assert attempt(store, "merge", "--quiet", "b")
    assert cells(store) == [4, 3, 3]
    assert counts(store) == [5, 3, 3]


@pytest.mark.parametrize(("theirs", "expected"), [("D-2", [4, 4, 3]), ("D-3", [4, 3, 4])])
def test_rows_below_each_other(store: Repo, theirs: str, expected: list[int]) -> None:
    branch(store, "b")
    charge(store, theirs, "one")
    branch(store, "main")
    charge(store, "D-1", "two")
    assert attempt(store, "merge", "--quiet", "b")
    assert cells(store) == counts(store) == expected


def test_one_ride_here_and_two_there(store: Repo) -> None:
    branch(store, "b")
    charge(store, "D-1", "one")
    charge(store, "D-1", "two")
    branch(store, "main")
    charge(store, "D-1", "three")
    assert attempt(store, "merge", "--quiet", "b")
    assert cells(store) == [5, 3, 3]
    assert counts(store) == [6, 3, 3]
    charge(store, "D-1", "four")
    assert cells(store) == counts(store) == [7, 3, 3]


def test_a_squash_merge_and_one_more_ride_on_the_old_branch(store: Repo) -> None:
    branch(store, "b")
    for session in ("one", "two", "three"):
        charge(store, "D-1", session)
    branch(store, "main")
    assert attempt(store, "merge", "--squash", "--quiet", "b")
    store.commit("Squash b")
    branch(store, "b")
    charge(store, "D-1", "four")
    branch(store, "main")
    assert attempt(store, "merge", "--quiet", "b")
    assert cells(store) == counts(store) == [7, 3, 3]


def test_a_cherry_pick_and_the_merge_of_its_branch(store: Repo) -> None:
    branch(store, "b")
    picked = charge(store, "D-1", "one")
    branch(store, "main")
    charge(store, "D-2", "two")
    assert attempt(store, "cherry-pick", picked)
    assert attempt(store, "merge", "--quiet", "b")
    assert cells(store) == counts(store) == [4, 4, 3]


def test_a_backport_that_comes_back(store: Repo) -> None:
    branch(store, "release")
    branch(store, "main")
    ported = charge(store, "D-1", "one")
    charge(store, "D-1", "two")
    branch(store, "release")
    charge(store, "D-1", "three")
    assert attempt(store, "cherry-pick", ported)
    assert counts(store) == [5, 3, 3]
    branch(store, "main")
    assert attempt(store, "merge", "--quiet", "release")
    assert counts(store) == [6, 3, 3]


def test_a_rebase(store: Repo) -> None:
    branch(store, "b")
    charge(store, "D-1", "one")
    charge(store, "D-2", "two")
    branch(store, "main")
    charge(store, "D-1", "three")
    branch(store, "b")
    assert attempt(store, "rebase", "--quiet", "main")
    assert counts(store) == [5, 4, 3]
    assert store.git("rev-list", "--count", "main..b").strip() == "2"


def test_the_revert_of_one_ride_while_others_ride(store: Repo) -> None:
    reverted = charge(store, "D-1", "one")
    branch(store, "b")
    charge(store, "D-1", "two")
    branch(store, "main")
    assert attempt(store, "revert", "--no-edit", reverted)
    assert counts(store) == [3, 3, 3]
    assert attempt(store, "merge", "--quiet", "b")
    assert cells(store) == counts(store) == [4, 3, 3]


def test_the_revert_of_a_merge(store: Repo) -> None:
    branch(store, "b")
    charge(store, "D-1", "one")
    charge(store, "D-2", "two")
    branch(store, "main")
    charge(store, "D-1", "three")
    assert attempt(store, "merge", "--quiet", "b")
    assert counts(store) == [5, 4, 3]
    assert attempt(store, "revert", "--no-edit", "-m", "1", "HEAD")
    assert counts(store) == [4, 3, 3]


def test_an_octopus(store: Repo) -> None:
    for name, row_id in (("b", "D-1"), ("c", "D-1"), ("d", "D-1")):
        branch(store, name, "main")
        charge(store, row_id, name)
        branch(store, "main")
    assert attempt(store, "merge", "--quiet", "b", "c", "d")
    assert cells(store) == [4, 3, 3]
    assert counts(store) == [6, 3, 3]


def test_a_criss_cross(store: Repo) -> None:
    branch(store, "b")
    charge(store, "D-1", "one")
    branch(store, "main")
    charge(store, "D-2", "two")
    store.git("tag", "old-main")
    assert attempt(store, "merge", "--quiet", "b")
    branch(store, "b")
    assert attempt(store, "merge", "--quiet", "old-main")
    charge(store, "D-1", "three")
    branch(store, "main")
    charge(store, "D-1", "four")
    assert attempt(store, "merge", "--quiet", "b")
    assert cells(store) == [5, 4, 3]
    assert counts(store) == [6, 4, 3]


def test_a_stash_that_is_popped_onto_other_rides(store: Repo) -> None:
    charge(store, "D-1", "one", commit=False)
    store.git("stash", "push", "--quiet", "--include-untracked")
    charge(store, "D-2", "two")
    charge(store, "D-1", "three")
    charge(store, "D-1", "four")
    assert attempt(store, "stash", "pop", "--quiet")
    assert cells(store) == [5, 4, 3]
    assert counts(store) == [6, 4, 3]


def test_a_row_added_on_both_sides(store: Repo) -> None:
    branch(store, "b")
    rewrite(store, debt("D-3", 3), debt("D-3", 3) + "\n" + debt("D-4", 1) + "\n" + debt("D-5"))
    branch(store, "main")
    rewrite(store, debt("D-3", 3), debt("D-3", 3) + "\n" + debt("D-4", 2) + "\n" + debt("D-6"))
    assert attempt(store, "merge", "--quiet", "b")
    assert store.read(BACKLOG) == HEADER + "".join(
        line + "\n" for line in (*(debt(row_id, 3) for row_id in ROWS), debt("D-4", 2), debt("D-6"), debt("D-5"))
    )


def test_one_id_for_two_things_is_a_conflict_that_shows_both(store: Repo) -> None:
    branch(store, "b")
    rewrite(store, debt("D-3", 3), debt("D-3", 3) + "\n" + debt("D-4", 0, "theirs"))
    branch(store, "main")
    rewrite(store, debt("D-3", 3), debt("D-3", 3) + "\n" + debt("D-4", 0, "ours"))
    assert not attempt(store, "merge", "--quiet", "b")
    conflict = f"<<<<<<< ours\n{debt('D-4', 0, 'ours')}\n=======\n{debt('D-4', 0, 'theirs')}\n>>>>>>> theirs\n"
    assert store.read(BACKLOG).endswith(debt("D-3", 3) + "\n" + conflict)


def test_paid_here_and_charged_there(store: Repo) -> None:
    branch(store, "b")
    charge(store, "D-1", "one")
    branch(store, "main")
    rewrite(store, debt("D-1", 3), debt("~~D-1~~", 3, state="paid"))
    assert attempt(store, "merge", "--quiet", "b")
    assert debt("~~D-1~~", 4, state="paid") in store.read(BACKLOG)
    assert in_force(store, "D-1") == 4


@pytest.mark.parametrize("style", ["merge", "diff3", "zdiff3"])
def test_a_note_reworded_on_both_sides(repo: Repo, style: str) -> None:
    store = start(repo, 3, style=style)
    branch(store, "b")
    rewrite(store, debt("D-1", 3), debt("D-1", 3, "their words"))
    charge(store, "D-2", "one")
    charge(store, "D-1", "two")
    branch(store, "main")
    rewrite(store, debt("D-1", 3), debt("D-1", 3, "our words"))
    charge(store, "D-3", "three")
    assert not attempt(store, "merge", "--quiet", "b")
    base = "" if style == "merge" else f"||||||| base\n{debt('D-1', 4)}\n"
    conflict = (
        f"<<<<<<< ours\n{debt('D-1', 4, 'our words')}\n{base}=======\n{debt('D-1', 4, 'their words')}\n>>>>>>> theirs\n"
    )
    assert store.read(BACKLOG) == HEADER + conflict + debt("D-2", 4) + "\n" + debt("D-3", 4) + "\n"
    assert store.git("diff", "--name-only", "--diff-filter=U").split() == [BACKLOG]


def test_a_column_added_on_one_side(store: Repo) -> None:
    branch(store, "b")
    lines = store.read(BACKLOG).splitlines()
    extra = [" owner |", " --- |", " Ana |", " Rui |", " Eva |"]
    store.write(BACKLOG, "".join(line + more + "\n" for line, more in zip(lines, extra, strict=True)))
    store.commit("Name owners")
    branch(store, "main")
    charge(store, "D-2", "one")
    assert attempt(store, "merge", "--quiet", "b")
    assert store.cell("D-2", "owner") == "Rui"
    assert cells(store) == counts(store) == [3, 4, 3]


def test_crlf_against_lf(store: Repo) -> None:
    branch(store, "b")
    store.write(BACKLOG, store.read_bytes(BACKLOG).replace(b"\n", b"\r\n"))
    store.commit("Write CRLF")
    branch(store, "main")
    charge(store, "D-1", "one")
    assert attempt(store, "merge", "--quiet", "b")
    lines = store.read_bytes(BACKLOG).split(b"\n")[:-1]
    assert all(line.endswith(b"\r") for line in lines)
    assert cells(store) == [4, 3, 3]


def test_a_working_copy_in_crlf_stays_so(store: Repo) -> None:
    branch(store, "b")
    charge(store, "D-2", "one")
    branch(store, "main")
    charge(store, "D-1", "two")
    store.git("config", "core.autocrlf", "true")
    assert attempt(store, "merge", "--quiet", "b")
    data = store.read_bytes(BACKLOG)
    assert data.count(b"\r\n") == data.count(b"\n") == 5
    assert b"\r" not in store.git("cat-file", "blob", f"HEAD:{BACKLOG}").encode()
    assert cells(store) == [4, 4, 3]


def test_a_removed_row_does_not_come_back_in_a_rebase(store: Repo) -> None:
    branch(store, "b")
    charge(store, "D-3", "one")
    branch(store, "main")
    rewrite(store, debt("D-2", 3) + "\n", "")
    branch(store, "b")
    assert attempt(store, "rebase", "--quiet", "main")
    assert store.read(BACKLOG) == HEADER + debt("D-1", 3) + "\n" + debt("D-3", 4) + "\n"


@pytest.mark.parametrize("name", ['docs/gatilhos/the team\'s "own" list.md', "docs/gatilhos/área/dívidas.md"])
def test_any_file_name_reaches_the_driver(store: Repo, name: str) -> None:
    store.table(debt("D-8"), debt("D-9"), file=name)
    branch(store, "b")
    store.write(name, store.read(name).replace(debt("D-8"), debt("D-8", 1)))
    store.commit()
    branch(store, "main")
    store.write(name, store.read(name).replace(debt("D-9"), debt("D-9", 1)))
    store.commit()
    assert attempt(store, "merge", "--quiet", "b")
    assert [store.rides(row_id, name) for row_id in ("D-8", "D-9")] == [1, 1]


def test_the_marker_size_of_the_attributes_holds(store: Repo) -> None:
    store.write(".gitattributes", driver.LINE + b" conflict-marker-size=12\n")
    store.commit()
    branch(store, "b")
    rewrite(store, debt("D-1", 3), debt("D-1", 3, "theirs"))
    branch(store, "main")
    rewrite(store, debt("D-1", 3), debt("D-1", 3, "ours"))
    assert not attempt(store, "merge", "--quiet", "b")
    assert f"\n{'=' * 12}\n" in store.read(BACKLOG)


def plain_and(repo: Repo, tmp_path: Path, command: str) -> tuple[str, str]:
    """What plain git and what git with that driver command make of rides of neighbours."""
    found = []
    for name, value in (("plain", ""), ("driven", command)):
        store = start(Repo(tmp_path / name), 3, registered=False)
        if value:
            store.git("config", driver.KEY, value)
        branch(store, "b")
        charge(store, "D-2", "one")
        branch(store, "main")
        charge(store, "D-1", "two")
        found.append((attempt(store, "merge", "--quiet", "b"), store.read(BACKLOG)))
        assert counts_with_markers(store) == [4, 4]
    assert found[0][0] == found[1][0] is False
    plain = found[0][1].replace("<<<<<<< HEAD", "<<<<<<< ours").replace(">>>>>>> b", ">>>>>>> theirs")
    return plain, found[1][1].replace("<<<<<<< HEAD", "<<<<<<< ours").replace(">>>>>>> b", ">>>>>>> theirs")


def counts_with_markers(store: Repo) -> list[int]:
    """What the ledgers of both sides say of the first two rows, whatever the table looks like."""
    entries, _ = ledger.read_folder(str(store.root / "docs/gatilhos/ledger"))
    return [ledger.tally_of(ledger.by_row(entries)[row_id], None).count for row_id in ROWS[:2]]


def test_named_but_not_registered_git_merges_the_text(repo: Repo, tmp_path: Path) -> None:
    plain, driven = plain_and(repo, tmp_path, "")
    assert plain == driven


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(("merge-driver", "merge-drivel"), id="a command that it does not know"),
        pytest.param(("-m gatilho", "-m gatilho_that_is_gone"), id="a package that is gone"),
        pytest.param(("python", "pithon"), id="an interpreter that is gone"),
    ],
)
def test_a_driver_that_cannot_run_costs_nobody_a_line(repo: Repo, tmp_path: Path, broken: tuple[str, str]) -> None:
    plain, driven = plain_and(repo, tmp_path, driver.command().replace(*broken))
    assert plain == driven


def test_in_doubt_git_merges_the_text_and_the_driver_says_why(
    repo: Repo, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    names = []
    for name, row_id in (("base", ""), ("ours", "D-1"), ("theirs", "D-3")):
        lines = [debt(one, 4 if one == row_id else 3) for one in (*ROWS, "D-8", "D-8")]
        path = repo.write(name, HEADER + "".join(line + "\n" for line in lines))
        names.append(str(path))
    assert main(["merge-driver", *names, BACKLOG]) == 0
    assert "docs/gatilhos/backlog.md is merged as text: two rows share the id D-8." in capfd.readouterr().err
    assert debt("D-1", 4) + "\n" + debt("D-2", 3) + "\n" + debt("D-3", 4) in repo.read("ours")


def test_the_lifecycle_of_the_configuration_counts(repo: Repo) -> None:
    header = HEADER.replace(" lifecycle |", "", 1).replace("| --- |", "|", 1)
    names = []
    for name, rides in (("base", 5), ("ours", 4), ("theirs", 7)):
        line = debt("D-1", rides).replace(" debt |", "", 1)
        names.append(str(repo.write(name, header + line + "\n")))
    repo.write("gatilho.toml", '[sources."backlog.md"]\nlifecycle = "debt"\n')
    assert main(["merge-driver", *names, BACKLOG, "--root", str(repo.root)]) == 0
    assert "| 6 |" in repo.read("ours")


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["charge", "charge", "charge", "again", "merge", "squash", "pick", "rebase"]),
        st.sampled_from(["main", "b", "c"]),
        st.sampled_from(["main", "b", "c"]),
        st.sampled_from(ROWS),
    ),
    min_size=4,
    max_size=14,
)
_stores = itertools.count()


class History:
    """A repository with three branches, and what each of them truly holds: pairs of a row and a session."""

    def __init__(self, repo: Repo) -> None:
        self.repo = repo
        self.truth: dict[str, set[tuple[str, str]]] = {"main": set(), "b": set(), "c": set()}
        self.picks: dict[str, list[tuple[str, str, str]]] = {name: [] for name in self.truth}
        self.sessions = itertools.count()
        self.objects = ObjectStore(repo.root)
        self.here = "main"
        for name in ("b", "c"):
            repo.git("branch", name)

    def step(self, what: str, here: str, there: str, row_id: str) -> None:
        self._switch(here)
        if what in ("charge", "again"):
            self._charge(here, row_id, again=what == "again")
        elif here != there:
            getattr(self, f"_{what}")(here, there)
        self.check(here)

    def _charge(self, here: str, row_id: str, again: bool) -> None:
        known = sorted(session for found, session in self.truth[here] if found == row_id)
        session = known[0] if again and known else f"session {next(self.sessions)}"
        cell = cells(self.repo)[ROWS.index(row_id)]
        charge(self.repo, row_id, session, commit=False)
        commit = self.objects.commit(here, f"{row_id} rides")
        # A commit that also raises a cell which was too low carries that along: docs/design.md has what it comes to.
        if (row_id, session) not in self.truth[here] and cells(self.repo)[ROWS.index(row_id)] == cell + 1:
            self.picks[here].append((commit, row_id, session))
        self.truth[here].add((row_id, session))

    def _switch(self, here: str) -> None:
        self.objects.switch(self.here, here)
        self.here = here

    def _merge(self, here: str, there: str) -> None:
        one, other = self.objects.tip(here), self.objects.tip(there)
        if one in self.objects.ancestors(other):
            self.objects.forward(here, there)
        elif other not in self.objects.ancestors(one):
            self._finish(attempt(self.repo, "merge", "--quiet", there), "commit", "--no-edit", "--quiet")
        self.truth[here] |= self.truth[there]

    def _squash(self, here: str, there: str) -> None:
        self._settle(attempt(self.repo, "merge", "--squash", "--quiet", there))
        self.objects.commit(here, f"Squash {there}")
        self.truth[here] |= self.truth[there]

    def _pick(self, here: str, there: str) -> None:
        if not self.picks[there]:
            return
        commit, row_id, session = self.picks[there][-1]
        if (row_id, session) not in self.truth[here]:
            self._finish(
                attempt(self.repo, "cherry-pick", commit), "-c", "core.editor=true", "cherry-pick", "--continue"
            )
            self.truth[here].add((row_id, session))

    def _rebase(self, here: str, there: str) -> None:
        done = attempt(self.repo, "rebase", "--quiet", there)
        while not done:
            self._settle(done)
            done = attempt(self.repo, "-c", "core.editor=true", "rebase", "--continue")
        self.truth[here] |= self.truth[there]

    def _finish(self, done: bool, *command: str) -> None:
        if not done:
            self._settle(done)
            self.repo.git(*command)

    def _settle(self, done: bool) -> None:
        """What a person does about a conflict where no driver runs."""
        if not done:
            assert main(["resolve", "--root", str(self.repo.root)]) == 0, self.repo.read(BACKLOG)
            self.repo.git("add", "--all")

    def check(self, here: str) -> None:
        expected = [sum(found == row_id for found, _ in self.truth[here]) + 2 for row_id in ROWS]
        assert counts(self.repo) == expected, self.repo.git("log", "--graph", "--oneline", "--all")
        assert all(cell <= true for cell, true in zip(cells(self.repo), expected, strict=True))


def play(root: Path, steps: list[tuple[str, str, str, str]], registered: bool, style: str = "") -> None:
    history = History(start(Repo(root / str(next(_stores))), 2, registered=registered, style=style))
    for step in steps:
        history.step(*step)
    for name in history.truth:
        history._switch("main")
        if name != "main":
            history._merge("main", name)
    history.check("main")
    assert main(["fold", "--root", str(history.repo.root)]) == 0
    assert cells(history.repo) == counts(history.repo)


@settings(max_examples=8)
@given(STEPS)
def test_every_ride_counts_once_in_any_history(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, str, str]]
) -> None:
    play(tmp_path_factory.mktemp("driven"), steps, registered=True)


@pytest.mark.parametrize("style", ["merge", "diff3", "zdiff3"])
@settings(max_examples=4)
@given(STEPS)
def test_every_ride_counts_once_where_people_resolve_what_git_leaves(
    tmp_path_factory: pytest.TempPathFactory, style: str, steps: list[tuple[str, str, str, str]]
) -> None:
    play(tmp_path_factory.mktemp("plain"), steps, registered=False, style=style)
