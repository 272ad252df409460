"""Payment: when the program believes a condition, takes it back, brings a debt back, or leaves it to a person."""

from pathlib import Path

import pytest
from builders import BACKLOG, HEADER, Repo, row, run_hook
from claude_session import Session
from ladder_steps import ANCHOR, CONDITION, FLAKY, HOUR, NOTE, PAID, TRIGGER, Play, fall_silent, log_of, state_of

DEBT = "D-7f3k"


@pytest.fixture
def play(repo: Repo) -> Play:
    """A session in a repository with one debt that rode twice and whose condition fails."""
    repo.write(ANCHOR, FLAKY)
    repo.table(row(DEBT, TRIGGER, NOTE, paid_when=CONDITION, rides=2))
    return Play(repo)


def paid(repo: Repo) -> bool:
    return repo.cell(DEBT, "id") == f"~~{DEBT}~~" and repo.cell(DEBT, "state") == "paid"


def test_a_touch_finds_the_debt_paid(play: Play) -> None:
    play.read()
    play.repo.write(ANCHOR, PAID)
    answer = play.read()
    assert answer.context == ""
    assert f"{DEBT} is paid ({BACKLOG})." in answer.person
    assert paid(play.repo)
    assert play.repo.rides(DEBT) == 2
    (line,) = play.repo.ledger()
    assert (line["event"], line["rides"], line["by"]) == ("paid", "2", "program claude")
    assert line["evidence"] == f"`{CONDITION}: {ANCHOR}:1`"
    assert line["commit"] == play.repo.git("rev-parse", "HEAD").strip()
    assert play.repo.git("diff", "--numstat", BACKLOG).split()[:2] == ["1", "1"]


def test_the_evidence_never_holds_what_was_matched(repo: Repo) -> None:
    repo.write(".env", "KEY=\n")
    repo.table(row("D-1", r"path: ^\.env$", paid_when=r"contains .env KEY=\w+"))
    play = Play(repo)
    play.read(".env")
    repo.write(".env", "KEY=hunter2\n")
    play.read(".env")
    (line,) = repo.ledger("paid")
    assert ".env:1" in line["evidence"]
    assert "hunter2" not in "".join(path.read_text() for path in (repo.root / "docs").rglob("*.md"))


def test_the_very_write_that_pays_is_no_ride(play: Play) -> None:
    play.read()
    assert play.write(ANCHOR, PAID)[1] is not None
    play.stop()
    assert paid(play.repo)
    assert play.repo.rides(DEBT) == 2


def test_a_turn_close_finds_what_no_touch_saw(play: Play) -> None:
    play.wrote()
    play.repo.write(ANCHOR, PAID)
    assert f"{DEBT} is paid" in play.stop().person
    assert paid(play.repo)
    assert play.repo.rides(DEBT) == 2


def test_also_in_a_session_that_was_charged(play: Play) -> None:
    play.turn()
    assert play.repo.rides(DEBT) == 3
    play.prompt()
    play.repo.write(ANCHOR, PAID)
    play.stop()
    assert paid(play.repo)
    assert [line["event"] for line in sorted(play.repo.ledger(), key=lambda x: x["when (utc)"])] == ["charged", "paid"]


def test_a_payment_of_the_turn_that_no_longer_holds_is_taken_back_and_rides(play: Play) -> None:
    play.read()
    play.allowed_write(ANCHOR, PAID)
    assert paid(play.repo)
    play.allowed_write(ANCHOR, FLAKY)
    answer = play.stop()
    assert f"{DEBT} is owed again: paid in this turn, but the pattern is not in {ANCHOR}" in answer.person
    assert play.repo.cell(DEBT, "id") == DEBT
    assert play.repo.cell(DEBT, "state") == "owed"
    assert play.repo.rides(DEBT) == 3
    assert sorted(line["event"] for line in play.repo.ledger()) == ["charged", "paid", "regressed"]


def test_a_payment_of_the_turn_is_kept_where_its_file_cannot_be_looked_at(play: Play) -> None:
    play.allowed_write(ANCHOR, PAID)
    assert paid(play.repo)
    (play.repo.root / ANCHOR).unlink()
    play.stop()
    assert paid(play.repo)
    assert [line["event"] for line in play.repo.ledger()] == ["paid"]


@pytest.mark.parametrize("table", [row(DEBT, TRIGGER, NOTE, paid_when=CONDITION, rides=2), row("D-1", TRIGGER, NOTE)])
def test_a_payment_of_the_turn_is_not_taken_back_where_a_person_took_its_strike_or_its_row_away(
    play: Play, table: str
) -> None:
    play.allowed_write(ANCHOR, PAID)
    play.repo.table(table, commit=False)
    play.repo.write(ANCHOR, FLAKY)
    play.stop()
    assert play.repo.ledger("paid")
    assert play.repo.ledger("regressed") == []
    assert log_of(play.repo) == ""


def test_a_payment_of_an_earlier_turn_is_left_to_the_next_start(play: Play) -> None:
    play.write(ANCHOR, PAID)
    play.stop()
    play.prompt()
    play.repo.write(ANCHOR, FLAKY)
    play.stop()
    assert paid(play.repo)
    Play(play.repo).start()
    assert not paid(play.repo)


class TestComingBack:
    """At a session's start the file conditions of what the program paid in six weeks are looked at again."""

    def test_it_is_owed_again_and_said_again_with_its_count(self, play: Play) -> None:
        play.write(ANCHOR, PAID)
        play.stop()
        play.repo.commit()
        play.repo.write(ANCHOR, FLAKY)
        for answer in (Play(play.repo).start(), Play(play.repo).start()):
            assert "Paid, but owed again:" in answer.context
            assert NOTE in answer.context
        assert "debt, 2 rides;" in Play(play.repo).read().context
        assert play.repo.rides(DEBT) == 2
        assert [line["evidence"] for line in play.repo.ledger("regressed")] == [f"the pattern is not in {ANCHOR}"]
        assert play.repo.cell(DEBT, "state") == "owed"

    def test_the_person_is_told(self, play: Play) -> None:
        play.write(ANCHOR, PAID)
        play.repo.write(ANCHOR, FLAKY)
        lines = Play(play.repo).start().person.split("\n")
        assert len([line for line in lines if f"{DEBT} is owed again: the pattern is not in {ANCHOR}" in line]) == 1

    def test_and_it_can_be_paid_once_more(self, play: Play) -> None:
        play.write(ANCHOR, PAID)
        play.repo.write(ANCHOR, FLAKY)
        other = Play(play.repo)
        other.start()
        other.write(ANCHOR, PAID)
        assert paid(play.repo)
        assert sorted(line["event"] for line in play.repo.ledger()) == ["paid", "paid", "regressed"]

    def test_what_a_person_paid_stays_paid(self, play: Play) -> None:
        play.repo.table(row(f"~~{DEBT}~~", TRIGGER, NOTE, paid_when=CONDITION, state="paid"))
        assert play.start().context == ""
        assert play.repo.ledger() == []

    def test_a_vanished_file_is_no_regression(self, play: Play) -> None:
        play.write(ANCHOR, PAID)
        (play.repo.root / ANCHOR).unlink()
        Play(play.repo).start()
        assert paid(play.repo)

    def test_a_compaction_looks_at_nothing(self, play: Play) -> None:
        play.write(ANCHOR, PAID)
        play.repo.write(ANCHOR, FLAKY)
        play.start("compact")
        assert paid(play.repo)

    def test_after_six_weeks_it_is_left_alone(self, play: Play) -> None:
        play.write(ANCHOR, PAID)
        (file,) = (play.repo.root / "docs/gatilhos/ledger").iterdir()
        day = play.repo.ledger("paid")[0]["when (utc)"][:10]
        file.with_name("2020-01-01-00000000.md").write_text(file.read_text().replace(day, "2020-01-01"))
        file.unlink()
        play.repo.write(ANCHOR, FLAKY)
        Play(play.repo).start()
        assert paid(play.repo)


class TestHoldsAlready:
    """A condition that held when its debt was written pays nothing until a person has said which of them is wrong."""

    def test_a_row_that_head_does_not_have(self, repo: Repo) -> None:
        repo.write(ANCHOR, PAID)
        repo.commit()
        repo.table(row(DEBT, TRIGGER, NOTE, paid_when=CONDITION), commit=False)
        before = repo.read(BACKLOG)
        play = Play(repo)
        answer = play.read()
        assert f"The condition of {DEBT} is already true ({BACKLOG}:3)" in answer.person
        assert answer.context == ""
        assert play.wrote().answer is None
        play.stop()
        assert (repo.read(BACKLOG), repo.ledger()) == (before, [])

    def test_until_it_is_committed(self, repo: Repo) -> None:
        repo.write(ANCHOR, PAID)
        repo.table(row(DEBT, TRIGGER, NOTE, paid_when=CONDITION))
        Play(repo).read()
        assert paid(repo)

    def test_or_was_seen_to_fail_here(self, repo: Repo) -> None:
        repo.write(ANCHOR, FLAKY)
        repo.table(row(DEBT, TRIGGER, NOTE, paid_when=CONDITION), commit=False)
        play = Play(repo)
        play.read()
        play.write(ANCHOR, PAID)
        assert paid(repo)

    def test_a_file_that_was_not_there_failed_too(self, repo: Repo) -> None:
        repo.table(row(DEBT, TRIGGER, NOTE, paid_when=CONDITION), commit=False)
        play = Play(repo)
        assert "anchor gone" not in play.read().person
        play.write(ANCHOR, PAID)
        assert paid(repo)

    def test_a_condition_that_was_rewritten_in_a_row_that_head_has(self, play: Play) -> None:
        play.repo.table(row(DEBT, TRIGGER, NOTE, paid_when=f"contains {ANCHOR} retry", rides=2), commit=False)
        assert f"The condition of {DEBT} is already true" in play.read().person
        assert not paid(play.repo)

    @pytest.mark.parametrize("weaker", [f"exists {ANCHOR}", rf"contains {ANCHOR} retry|sleep"])
    def test_a_changed_condition_is_not_believed_because_it_is_committed(self, play: Play, weaker: str) -> None:
        play.repo.table(row(DEBT, TRIGGER, NOTE, paid_when=weaker, rides=2))
        play.repo.table(row(DEBT, TRIGGER, NOTE, paid_when=weaker, rides=3))
        assert f"The condition of {DEBT} is already true" in play.read().person
        assert not paid(play.repo)
        content = play.repo.read(ANCHOR)
        (play.repo.root / ANCHOR).unlink()
        play.read()
        play.write(ANCHOR, content)
        assert paid(play.repo)

    def test_nor_where_one_condition_of_two_was_removed(self, repo: Repo) -> None:
        repo.write(ANCHOR, PAID)
        repo.table(row(DEBT, TRIGGER, NOTE, paid_when=[CONDITION, "exists done.txt"]))
        repo.table(row(DEBT, TRIGGER, NOTE, paid_when=CONDITION))
        assert f"The condition of {DEBT} is already true" in Play(repo).read().person

    def test_a_row_that_was_only_reworded_is_paid(self, play: Play) -> None:
        play.repo.table(row(DEBT, TRIGGER, "In words.", paid_when=CONDITION, rides=2))
        play.repo.table(row(DEBT, TRIGGER, "In other words.", paid_when=CONDITION, rides=2), commit=False)
        play.repo.write(ANCHOR, PAID)
        play.read()
        assert paid(play.repo)

    def test_a_persons_own_row_is_in_no_commit(self, repo: Repo, tmp_path: Path) -> None:
        own = tmp_path / "config" / "gatilho" / "mine.md"
        own.parent.mkdir(parents=True)
        own.write_text(HEADER + row("P-1", TRIGGER, "my own", paid_when="exists done.txt") + "\n")
        repo.write("done.txt", "x")
        play = Play(repo, env={"XDG_CONFIG_HOME": str(tmp_path / "config")})
        assert "The condition of P-1 is already true" in play.read().person
        assert "~~P-1~~" not in own.read_text()
        (repo.root / "done.txt").unlink()
        play.read()
        repo.write("done.txt", "x")
        play.read()
        assert "~~P-1~~" in own.read_text()

    def test_the_due_are_not_asked_about(self, repo: Repo) -> None:
        repo.write(ANCHOR, PAID)
        repo.table(row(DEBT, TRIGGER, NOTE, paid_when=CONDITION, rides=3), commit=False)
        assert Play(repo).before_write().decision == ""


def test_a_vanished_file_is_no_payment_and_told_as_anchor_gone(repo: Repo) -> None:
    repo.write("deploy.sh", "sleep 30\n")
    repo.write("done.txt", "")
    conditions = ["exists done.txt", "lacks deploy.sh sleep 30"]
    repo.table(row("D-2m9q", r"path: ^deploy\.sh$", "a fixed sleep", paid_when=conditions))
    play = Play(repo)
    play.read("deploy.sh")
    _, after = play.bash("rm deploy.sh")
    assert after is not None
    assert (
        "anchor gone: deploy.sh is not there (docs/gatilhos/backlog.md:3). That does not pay D-2m9q: run"
        in after.person
    )
    play.stop()
    assert repo.cell("D-2m9q", "state") == "owed"
    assert repo.rides("D-2m9q") == 1


def test_a_condition_that_runs_out_of_time_is_not_paid(repo: Repo) -> None:
    text = "src/" + 40 * "a" + "/file.pyc\n"
    repo.write("a.txt", text)
    repo.table(row("D-1", r"path: ^a\.txt$", "note one", paid_when=r"lacks a.txt ^(\w|\w\w|/)+\.py$"))
    play = Play(repo)
    assert "note one" in play.wrote("a.txt", text).context
    play.stop()
    assert repo.cell("D-1", "state") == "owed"


@pytest.mark.parametrize(
    ("conditions", "is_paid"),
    [
        (["exists new.txt"], True),
        (["exists new.txt", "missing old.txt"], False),
        (["exists new.txt", "lacks old.txt TODO"], True),
        (["contains *.txt ready"], True),
        (["lacks *.txt ready"], False),
        (["exists docs/gatilhos/backlog.md"], False),
        (["exists ../outside.txt"], False),
        (["contains new.txt"], False),
        ([], False),
    ],
    ids=["one", "all must hold", "both hold", "any of a glob", "all of a glob", "the store", "outside", "no pattern", "none"],
)  # fmt: skip
def test_what_pays(repo: Repo, conditions: list[str], is_paid: bool) -> None:
    (repo.root.parent / "outside.txt").write_text("x")
    repo.write("old.txt", "x\n")
    repo.table(row("D-1", r"path: ^new\.txt$", paid_when=conditions))
    play = Play(repo)
    play.read("new.txt")
    play.write("new.txt", "ready\n")
    play.stop()
    assert (repo.cell("D-1", "state") == "paid") is is_paid


def test_a_waived_debt_is_paid_too(play: Play) -> None:
    play.repo.table(row(DEBT, TRIGGER, NOTE, paid_when=CONDITION, rides=2, state="waived until 2126-12-24"))
    play.write(ANCHOR, PAID)
    assert paid(play.repo)


def test_a_portuguese_table_stays_portuguese(repo: Repo) -> None:
    header = "| id | ciclo | gatilho | nota | paga quando | caronas | estado |\n|---|---|---|---|---|---|---|\n"
    repo.write(ANCHOR, FLAKY)
    repo.table(f"| D-1 | dívida | `{TRIGGER}` | frase | `{CONDITION}` | 1 | devida, de Ana |", header=header)
    play = Play(repo)
    play.turn()
    assert "| 2 | devida, de Ana |" in repo.read(BACKLOG)
    play.prompt()
    play.write(ANCHOR, PAID)
    assert "| ~~D-1~~ |" in repo.read(BACKLOG)
    assert "| 2 | paga, de Ana |" in repo.read(BACKLOG)


def test_a_strike_by_hand_is_payment_and_gets_its_line_when_it_is_lifted(play: Play) -> None:
    play.turn()
    play.repo.table(row(f"~~{DEBT}~~", TRIGGER, NOTE, paid_when=CONDITION, rides=3))
    other = Play(play.repo)
    assert other.wrote().answer is None
    other.stop()
    assert play.repo.rides(DEBT) == 3
    assert len(play.repo.ledger()) == 1


def test_a_lifted_strike_is_owed_again_with_its_count_and_the_line_is_added(play: Play) -> None:
    play.write(ANCHOR, PAID)
    play.repo.commit()
    play.repo.write(ANCHOR, FLAKY)
    play.repo.table(row(DEBT, TRIGGER, NOTE, paid_when=CONDITION, rides=2))
    other = Play(play.repo)
    assert "debt, 2 rides;" in other.wrote().context
    other.stop()
    lines = [line for line in play.repo.ledger() if line["event"] == "reinstated"]
    assert [line["by"] for line in lines] == ["person"]
    assert play.repo.rides(DEBT) == 3


def test_deleting_the_state_loses_nothing_but_what_was_said(play: Play) -> None:
    import shutil

    play.turn()
    shutil.rmtree(state_of(play.repo))
    assert "debt, 3 rides;" in play.read().context
    shutil.rmtree(state_of(play.repo))
    play.write(ANCHOR, PAID)
    shutil.rmtree(state_of(play.repo))
    play.stop()
    assert paid(play.repo)
    play.repo.write(ANCHOR, FLAKY)
    shutil.rmtree(state_of(play.repo))
    Play(play.repo).start()
    assert not paid(play.repo)


def test_a_shared_id_is_written_in_no_row(play: Play) -> None:
    play.repo.table(row(DEBT, TRIGGER, "one", paid_when=CONDITION))
    play.repo.write("docs/gatilhos/other.md", HEADER + row(DEBT, TRIGGER, "two") + "\n")
    play.repo.commit()
    text = play.wrote().context
    assert "- one [" in text
    assert "- two [" in text
    assert "being saved" not in play.stop().person
    play.repo.write(ANCHOR, PAID)
    assert "- two [" in Play(play.repo).read().context
    play.stop()
    assert play.repo.ledger() == []
    assert play.repo.git("status", "--porcelain", "docs") == ""
    assert run_hook(Session(play.repo).session_start()).answer is not None


def test_an_old_generation_is_closed_before_a_new_one_pays(play: Play) -> None:
    play.wrote()
    fall_silent(play.repo, play.session, 13 * HOUR)
    play.repo.write(ANCHOR, PAID)
    play.prompt()
    assert paid(play.repo)
    assert play.repo.rides(DEBT) == 2
