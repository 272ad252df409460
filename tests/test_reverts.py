"""Reverts are ordinary: a taken-back ride is a note, and every remedy that is printed works as printed."""

import re
import shlex

import pytest
from builders import BACKLOG, Repo, row, run_cli
from ladder_steps import Play
from merging import attempt, branch, cells, charge, counts, debt, rewrite, start

D1 = row("D-1", r"path: ^src/a\.py$", paid_when="contains src/a.py fixed")


def _codes(repo: Repo, *words: str) -> tuple[int, list[str]]:
    found = run_cli("check", *words, cwd=repo.root)
    return found.status, re.findall(r"GT7\d\d|GT9\d\d", found.stdout)


def test_a_reverted_ride_is_a_note(repo: Repo) -> None:
    start(repo)
    charge(repo, "D-1", "s1")
    branch(repo, "b")
    repo.git("revert", "--no-edit", "HEAD")
    assert _codes(repo, "--since", "main") == (0, [])
    said = run_cli("diff", "main", cwd=repo.root)
    assert "rides 1 -> 0, taken back: session" in said.stdout
    assert (cells(repo), counts(repo)) == ([0, 0, 0], [0, 0, 0])


def test_a_reverted_ride_below_others_is_a_note(repo: Repo) -> None:
    start(repo, 3)
    first = charge(repo, "D-1", "s1")
    charge(repo, "D-1", "s2")
    branch(repo, "b")
    assert attempt(repo, "revert", "--no-edit", first)
    assert counts(repo)[0] == 4
    assert _codes(repo, "--since", "main") == (0, [])


def test_a_reverted_payment_is_a_note(repo: Repo) -> None:
    repo.write("src/a.py", "a\n")
    repo.table(D1)
    play = Play(repo)
    play.wrote("src/a.py", "fixed\n")
    play.stop()
    assert repo.cell("D-1", "state") == "paid"
    repo.commit("Pay")
    branch(repo, "b")
    repo.git("revert", "--no-edit", "HEAD")
    assert _codes(repo, "--since", "main") == (0, ["GT732"])


def test_a_ride_reverted_where_the_ledger_alone_counts(repo: Repo) -> None:
    start(repo)
    repo.write("gatilho.toml", 'rides_in = "ledger"\n')
    charge(repo, "D-1", "s1", rides_in="ledger")
    branch(repo, "b")
    repo.git("revert", "--no-edit", "--no-commit", "HEAD")
    repo.write("gatilho.toml", 'rides_in = "ledger"\n')
    repo.commit("Revert the ride alone")
    assert _codes(repo, "--since", "main") == (0, [])


def test_a_ride_reverted_after_a_fold_is_still_counted_and_its_remedy_lowers_it(repo: Repo) -> None:
    start(repo)
    repo.write("gatilho.toml", 'rides_in = "ledger"\n')
    repo.commit("Count in the ledger")
    ridden = charge(repo, "D-1", "s1", rides_in="ledger")
    charge(repo, "D-1", "s2", rides_in="ledger")
    assert run_cli("fold", cwd=repo.root).status == 0
    repo.commit("Fold")
    branch(repo, "b")
    repo.git("revert", "--no-edit", ridden)
    assert _codes(repo, "--since", "main") == (0, ["GT738"])
    said = run_cli("diff", "main", cwd=repo.root).stdout
    assert "1 ride was reverted: session" in said
    (remedy,) = re.findall(r"gatilho (set D-1 1 --why) TEXT", said)
    assert run_cli(*shlex.split(remedy), "reverted", cwd=repo.root).status == 0
    assert counts(repo)[0] == 1
    assert _codes(repo, "--since", "main") == (0, [])


def test_two_rides_reverted_the_older_one_first_and_the_remedy(repo: Repo) -> None:
    start(repo, 2)
    rides = [charge(repo, "D-1", session) for session in ("s1", "s2")]
    branch(repo, "b")
    repo.git("revert", "--no-edit", *rides)  # to the second one the table says already what it said before that ride
    assert counts(repo)[0] == 3
    assert _codes(repo, "--since", "main") == (0, ["GT738"])
    said = run_cli("diff", "main", cwd=repo.root).stdout
    (remedy,) = re.findall(r"gatilho (set D-1 2 --why) TEXT", said)
    assert run_cli(*shlex.split(remedy), "reverted", cwd=repo.root).status == 0
    assert (counts(repo)[0], _codes(repo, "--since", "main")) == (2, (0, []))


def test_a_ledger_file_removed_below_a_cell_is_an_error(repo: Repo) -> None:
    start(repo)
    charge(repo, "D-1", "s1")
    charge(repo, "D-1", "s2")
    branch(repo, "b")
    (path,) = [one for one in repo.root.glob("docs/gatilhos/ledger/*.md") if b"| 1 | 0 |" in one.read_bytes()]
    path.unlink()
    repo.commit("Remove")
    status, codes = _codes(repo, "--since", "main")
    assert (status, codes) == (1, ["GT704"])


def test_a_fall_without_a_revert_and_its_remedy(repo: Repo) -> None:
    start(repo)
    charge(repo, "D-1", "s1")
    branch(repo, "b")
    rewrite(repo, debt("D-1", 1), debt("D-1", 0))
    found = run_cli("check", "--since", "main", cwd=repo.root)
    assert "GT701" in found.stdout
    words = shlex.split(re.search(r"gatilho (set D-1 0 --why TEXT)", found.stdout)[1])  # type: ignore[index]
    assert run_cli(*words, cwd=repo.root).status == 0
    assert counts(repo)[0] == 0
    assert "GT701" not in run_cli("check", "--since", "main", cwd=repo.root).stdout


def test_set_writes_its_line_where_the_cell_says_so_already(repo: Repo) -> None:
    start(repo)
    charge(repo, "D-1", "s1")
    before = len(repo.ledger())
    assert run_cli("set", "D-1", "1", "--why", "counted again", cwd=repo.root).status == 0
    assert len(repo.ledger()) == before + 1
    assert run_cli("set", "D-1", "1", "--why", "counted again", cwd=repo.root).stdout == "D-1 already has that count.\n"


class TestInsideMarkers:
    """A ride on a row that is inside conflict markers waits."""

    @pytest.fixture
    def conflicted(self, repo: Repo) -> Repo:
        repo.write("src/a.py", "a\n")
        line = row("D-1", r"path: ^src/a\.py$")
        repo.table(line, row("D-2", "path: b"))
        self.play = Play(repo)
        self.play.read("src/a.py")
        text = repo.read(BACKLOG)
        other = row("D-1", r"path: ^src/a\.py$", "another note")
        repo.write(BACKLOG, text.replace(line, f"<<<<<<< HEAD\n{line}\n=======\n{other}\n>>>>>>> b"))
        return repo

    def test_it_is_written_when_they_are_gone(self, conflicted: Repo) -> None:
        text = conflicted.read(BACKLOG)
        self.play.wrote("src/a.py")
        self.play.stop()
        assert conflicted.read(BACKLOG) == text
        kept = [line for line in text.splitlines() if not line.startswith(("<", "=", ">")) and "another" not in line]
        conflicted.write(BACKLOG, "\n".join(kept) + "\n")
        self.play.prompt()
        assert conflicted.rides("D-1") == 1
        assert len(conflicted.ledger("charged")) == 1

    def test_first_read_inside_them(self, conflicted: Repo) -> None:
        other = Play(conflicted)
        other.wrote("src/a.py")
        other.stop()
        text = conflicted.read(BACKLOG)
        kept = [line for line in text.splitlines() if not line.startswith(("<", "=", ">")) and "another" not in line]
        conflicted.write(BACKLOG, "\n".join(kept) + "\n")
        other.prompt()
        assert conflicted.rides("D-1") == 1


class TestLog:
    """What `gatilho log` says of folds and of revisions."""

    def test_a_fold_is_known_as_one(self, repo: Repo) -> None:
        start(repo)
        for name in ("b", "main"):
            branch(repo, name)
            for number in range(2):
                charge(repo, "D-1", f"{name} {number}")
        assert attempt(repo, "merge", "--quiet", "b")
        assert (cells(repo)[0], counts(repo)[0]) == (2, 4)
        assert run_cli("fold", cwd=repo.root).status == 0
        repo.commit("Fold")
        said = run_cli("log", "D-1", cwd=repo.root).stdout
        assert "rides 2 -> 4, raised to the ledger's count" in said
        assert "not in the ledger" not in said
        assert "the highest 4" in said or "highest" not in said

    def test_a_count_raised_by_hand_is_none(self, repo: Repo) -> None:
        start(repo)
        rewrite(repo, debt("D-1", 0), debt("D-1", 4))
        charge(repo, "D-1", "s1")
        assert "rides 0 -> 4 (not in the ledger)" in run_cli("log", "D-1", cwd=repo.root).stdout

    def test_since_a_revision_leaves_it_out(self, repo: Repo) -> None:
        start(repo)
        commit = charge(repo, "D-1", "s1")
        charge(repo, "D-1", "s2")
        said = run_cli("log", "--since", commit, cwd=repo.root).stdout
        assert ("ride 2:" in said, "ride 1:" in said) == (True, False)
        assert (
            "ride" not in run_cli("log", "D-1", "--since", "HEAD", cwd=repo.root).stdout.partition("Times are UTC.")[2]
        )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("set", "D-1", "1", "--why", "counted twice"), "rides 1 -> 3, taken back: set to 1: counted twice"),
        (("set", "D-1", "7", "--why", "more"), "rides 7 -> 3, taken back: set to 7: more"),
        (("rename", "D-1", "D-9"), "renamed from D-9"),
    ],
)
def test_a_reverted_command_is_a_note(repo: Repo, words: tuple[str, ...], said: str) -> None:
    start(repo, 2)
    charge(repo, "D-1", "s1")
    branch(repo, "other")
    assert run_cli(*words, cwd=repo.root).status == 0
    repo.commit("A command")
    branch(repo, "b")
    repo.git("revert", "--no-edit", "HEAD")
    assert _codes(repo, "--since", "other") == (0, [])
    assert said in run_cli("diff", "other", cwd=repo.root).stdout
    assert counts(repo) == [3, 2, 2]


def test_a_reverted_set_of_a_row_without_other_lines_is_a_note(repo: Repo) -> None:
    start(repo, 2)
    assert run_cli("set", "D-1", "7", "--why", "more", cwd=repo.root).status == 0
    repo.commit("Set")
    assert "not in the ledger" not in run_cli("log", "D-1", cwd=repo.root).stdout
    branch(repo, "b")
    repo.git("revert", "--no-edit", "HEAD")
    assert _codes(repo, "--since", "main") == (0, [])
    assert "rides 7 -> 2, taken back: set to 7: more" in run_cli("diff", "main", cwd=repo.root).stdout


@pytest.mark.parametrize("number", ["7", "0"])
def test_a_ride_after_a_set_counts_alone_where_the_set_is_reverted_or_never_was(repo: Repo, number: str) -> None:
    start(repo, 2)
    branch(repo, "release")
    branch(repo, "main")
    assert run_cli("set", "D-1", number, "--why", "counted", cwd=repo.root).status == 0
    corrected = repo.commit("Set")
    ridden = charge(repo, "D-1", "s1")
    assert counts(repo)[0] == int(number) + 1
    repo.git("revert", "--no-edit", corrected)
    assert counts(repo)[0] == 3
    branch(repo, "release")
    repo.git("cherry-pick", ridden)
    assert counts(repo)[0] == 3


def test_a_fall_below_every_line_of_the_ledger_is_no_revert_of_a_set(repo: Repo) -> None:
    start(repo, 2)
    assert run_cli("set", "D-1", "7", "--why", "more", cwd=repo.root).status == 0
    repo.commit("Set")
    branch(repo, "b")
    rewrite(repo, debt("D-1", 7), debt("D-1", 0), commit=False)
    repo.git("rm", "--quiet", "-r", "docs/gatilhos/ledger")
    repo.commit("Quietly")
    assert _codes(repo, "--since", "main") == (1, ["GT701"])


@pytest.mark.parametrize("renamed_before", [True, False])
def test_a_ledger_file_of_an_older_id_that_is_gone_is_reported(repo: Repo, renamed_before: bool) -> None:
    start(repo, 2)
    charge(repo, "D-1", "s1")
    (file,) = repo.root.glob("docs/gatilhos/ledger/*.md")
    if not renamed_before:
        branch(repo, "b")
    assert run_cli("rename", "D-1", "D-9", cwd=repo.root).status == 0
    repo.commit("Rename")
    branch(repo, "b")
    file.unlink()
    repo.commit("Quietly")
    status, codes = _codes(repo, "--since", "main")
    assert (status, codes.count("GT704")) == (1, 1)
