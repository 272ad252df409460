"""Charge: which turn closes give a row its ride, and which do not."""

from pathlib import Path

import pytest
from builders import BACKLOG, HEADER, Repo, row, run_hook
from claude_session import Session
from ladder_steps import ANCHOR, CONDITION, FLAKY, HOUR, NOTE, TRIGGER, Play, fall_silent

from gatilho import outside
from gatilho.cli import main

DEBT = "D-7f3k"


@pytest.fixture
def play(repo: Repo) -> Play:
    """A session in a repository with one debt whose condition fails."""
    repo.write(ANCHOR, FLAKY)
    repo.table(row(DEBT, TRIGGER, NOTE, paid_when=CONDITION))
    return Play(repo)


def test_a_debt_that_was_said_and_left_unpaid_gets_one_ride(play: Play) -> None:
    play.read()
    play.wrote()
    assert play.repo.rides(DEBT) == 0
    answer = play.stop()
    assert answer.context == ""
    assert f"{DEBT} was touched and left unpaid: 1 ride now" in answer.person
    assert play.repo.git("diff", "--numstat", BACKLOG).split()[:2] == ["1", "1"]
    (line,) = play.repo.ledger()
    assert (line["event"], line["id"], line["rides"], line["base"]) == ("charged", DEBT, "1", "0")
    assert (line["evidence"], line["by"]) == (ANCHOR, "program claude")
    assert line["commit"] == play.repo.git("rev-parse", "HEAD").strip()
    assert play.session.id not in play.repo.read(f"docs/gatilhos/ledger/{next(_ledger(play.repo)).name}")


def _ledger(repo: Repo) -> "object":
    return iter(sorted((repo.root / "docs/gatilhos/ledger").iterdir()))


def test_at_most_one_ride_per_session(play: Play) -> None:
    for _ in range(2):
        play.prompt()
        play.turn()
        play.stop()
    assert play.repo.rides(DEBT) == 1
    Play(play.repo).turn()
    assert play.repo.rides(DEBT) == 2
    assert [line["rides"] for line in sorted(play.repo.ledger(), key=lambda x: x["rides"])] == ["1", "2"]


def test_a_session_that_only_read_is_never_charged(play: Play) -> None:
    play.read()
    play.bash(f"cat {ANCHOR}")
    play.stop()
    play.end()
    assert play.repo.rides(DEBT) == 0
    assert play.repo.ledger() == []


def test_a_write_that_came_before_its_warning_counts(play: Play) -> None:
    assert NOTE in play.wrote().context  # the warning comes with this very write
    play.stop()
    assert play.repo.rides(DEBT) == 1


def test_a_row_that_was_not_said_is_not_charged(play: Play) -> None:
    """The answer of Stop reaches no model, nor does one that another process swallowed: here nothing was said at all."""
    run_hook(play.session.pre("Write", file_path=play.repo.path(ANCHOR), content="x"))
    play.stop()
    assert play.repo.rides(DEBT) == 0


def test_what_the_budget_cut_is_not_charged(repo: Repo) -> None:
    repo.write("gatilho.toml", "budget = 600\n")
    repo.table(*[row(f"D-{n}", r"path: ^src/a\.py$", f"note {n} " + "x" * 260, rides=n) for n in (1, 2)])
    play = Play(repo)
    assert "note 1" not in play.wrote("src/a.py").context
    play.stop()
    assert (repo.rides("D-1"), repo.rides("D-2")) == (1, 3)
    play.prompt()
    assert "note 1" in play.wrote("src/a.py").context
    play.stop()
    assert (repo.rides("D-1"), repo.rides("D-2")) == (2, 3)


def test_a_write_of_an_earlier_turn_is_settled_with_that_turn(play: Play) -> None:
    """A row that is said in a later turn is not charged for a write of one before it."""
    play.repo.write("gatilho.toml", "budget = 600\n")
    long = "x" * 260
    play.repo.table(row("D-1", TRIGGER, "one " + long, rides=2), row("D-2", TRIGGER, "two " + long, rides=1))
    play.turn()
    play.prompt()
    assert "two" in play.read().context
    play.stop()
    assert play.repo.rides("D-2") == 1


def test_a_row_that_may_be_said_again_stays_delivered_for_the_charge(play: Play) -> None:
    play.read()
    play.start("compact")
    run_hook(play.session.post("Write", file_path=play.repo.path("src/other.py"), content="x"))
    play.wrote()
    play.stop()
    assert play.repo.rides(DEBT) == 1


def test_a_rearmed_row_is_charged_for_a_write_without_being_said_again(play: Play) -> None:
    play.read()
    play.agent("a1").read()
    play.start("compact")
    play.agent("a1").wrote()  # told already, so nothing is said
    play.stop()
    assert play.repo.rides(DEBT) == 1


def test_a_subagents_write_is_charged_to_its_session_and_its_stop_closes_nothing(play: Play) -> None:
    helper = play.agent("a1")
    helper.wrote()
    run_hook(helper.session.subagent_stop())
    run_hook(helper.session.stop())
    assert play.repo.rides(DEBT) == 0
    play.stop()
    assert play.repo.rides(DEBT) == 1


def test_a_background_subagent_that_writes_after_the_stop_opens_the_turn_again(play: Play) -> None:
    play.stop()
    play.agent("a1").wrote()
    assert play.repo.rides(DEBT) == 0
    play.prompt()
    assert play.repo.rides(DEBT) == 1


def test_a_resumed_session_may_be_charged_again_after_twelve_hours(play: Play) -> None:
    play.turn()
    fall_silent(play.repo, play.session, 11 * HOUR)
    play.turn()
    assert play.repo.rides(DEBT) == 1
    fall_silent(play.repo, play.session, 13 * HOUR)
    play.turn()
    assert play.repo.rides(DEBT) == 2
    assert len({line["session"] for line in play.repo.ledger("charged")}) == 2


def test_a_rule_is_charged_without_a_line_in_the_ledger(repo: Repo) -> None:
    repo.table(row("R-1", r"path: ^a\.py$", lifecycle="rule"), row("X-1", r"path: ^a\.py$", lifecycle="dbet"))
    play = Play(repo)
    play.wrote("a.py")
    assert play.stop().answer is None
    assert (repo.rides("R-1"), repo.rides("X-1")) == (1, 1)
    assert repo.ledger() == []


def test_a_rule_written_twenty_times_warns_twenty_times_and_never_asks(repo: Repo) -> None:
    repo.table(row("R-1", r"path: ^a\.py$", "run make client", lifecycle="rule"))
    warned = 0
    for _ in range(20):
        play = Play(repo)
        assert play.before_write("a.py").answer is None
        warned += "run make client" in play.wrote("a.py").context
        assert play.stop().answer is None
    assert (warned, repo.rides("R-1"), repo.ledger()) == (20, 20, [])


@pytest.mark.parametrize("trigger", ["prompt: fix", "start"])
def test_a_row_without_an_anchor_is_never_charged(repo: Repo, trigger: str) -> None:
    repo.table(row("D-1", trigger, "note one"))
    play = Play(repo)
    said = play.start().context + play.prompt("fix it").context
    assert "note one" in said
    play.wrote("a.py")
    play.stop()
    assert repo.rides("D-1") == 0


def test_a_row_that_a_prompt_made_speak_is_charged_for_its_path(repo: Repo) -> None:
    repo.table(row("D-1", ["prompt: fix", r"path: ^a\.py$"], "note one"))
    play = Play(repo)
    assert "note one" in play.prompt("fix it").context
    assert play.wrote("a.py").answer is None
    play.stop()
    assert repo.rides("D-1") == 1


@pytest.mark.parametrize(
    ("trigger", "rides"),
    [(r"read: ^a\.py$", 0), (r"write: ^a\.py$", 1), ("glob: *.py", 1)],
    ids=["read", "write", "glob"],
)
def test_what_a_charge_looks_at_is_what_the_trigger_matches(repo: Repo, trigger: str, rides: int) -> None:
    repo.table(row("D-1", trigger, "note one"))
    play = Play(repo)
    play.read("a.py")
    play.wrote("a.py")
    play.stop()
    assert repo.rides("D-1") == rides


def test_running_the_command_is_the_write_of_a_command_trigger(repo: Repo) -> None:
    repo.table(row("D-1", r"cmd: ^make release\b", "the release is slow"))
    play = Play(repo)
    _, after = play.bash("make release", happens=lambda: None, failed=True)
    assert "the release is slow" in after.context
    play.stop()
    assert repo.rides("D-1") == 1
    assert [line["evidence"] for line in repo.ledger()] == ["a command"]


class TestCommands:
    """Writes of a shell command are known by its words, and by what became of the files that rows spoke for."""

    def test_a_writer_among_its_words(self, play: Play) -> None:
        play.bash(f"echo '# more' >> {ANCHOR}")
        play.stop()
        assert play.repo.rides(DEBT) == 1

    def test_a_file_that_changed_under_an_unknown_command(self, play: Play) -> None:
        play.read()
        play.bash("make fmt", happens=lambda: play.repo.write(ANCHOR, FLAKY + "# formatted\n"))
        play.stop()
        assert play.repo.rides(DEBT) == 1

    def test_a_file_that_vanished_under_an_unknown_command(self, play: Play) -> None:
        play.read()
        play.bash("make clean", happens=lambda: (play.repo.root / ANCHOR).unlink())
        play.stop()
        assert play.repo.rides(DEBT) == 1

    def test_a_file_that_stayed_as_it_was(self, play: Play) -> None:
        play.read()
        play.bash("make test", happens=lambda: None)
        play.stop()
        assert play.repo.rides(DEBT) == 0

    def test_a_file_that_a_pull_changed(self, play: Play) -> None:
        play.read()
        play.bash("git pull", happens=lambda: self._pull(play.repo))
        play.stop()
        assert play.repo.rides(DEBT) == 0

    def test_a_write_among_the_words_of_a_command_that_commits(self, play: Play) -> None:
        play.bash(f"sed -i 's/1/2/' {ANCHOR} && git commit -qam 'change'")
        assert "== 2" in play.repo.read(ANCHOR)
        play.stop()
        assert play.repo.rides(DEBT) == 1

    def test_a_removed_file(self, play: Play) -> None:
        play.bash(f"rm {ANCHOR}")
        play.stop()
        assert play.repo.rides(DEBT) == 1

    @staticmethod
    def _pull(repo: Repo) -> None:
        """Let another clone commit, and pull what it did."""
        repo.git("clone", "--quiet", ".", "../another")
        (repo.root.parent / "another" / ANCHOR).write_text(FLAKY + "# pulled\n")
        repo.git("-C", "../another", "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qam", "Another's work")
        repo.git("pull", "--quiet", "--no-rebase", "../another", "main")


class TestFailedTools:
    def test_an_edit_that_failed_wrote_nothing(self, play: Play) -> None:
        play.read()
        run_hook(play.session.failed("Edit", file_path=play.repo.path(ANCHOR), old_string="nowhere", new_string="x"))
        play.stop()
        assert play.repo.rides(DEBT) == 0

    def test_a_command_that_failed_wrote_what_changed(self, play: Play) -> None:
        play.bash(f"echo x >> {ANCHOR}; false", happens=lambda: play.repo.write(ANCHOR, FLAKY + "x\n"), failed=True)
        play.stop()
        assert play.repo.rides(DEBT) == 1

    def test_and_not_what_it_only_named(self, play: Play) -> None:
        play.bash(f"false && echo x >> {ANCHOR}", happens=lambda: None, failed=True)
        play.stop()
        assert play.repo.rides(DEBT) == 0


def test_the_same_event_twice_counts_once(play: Play) -> None:
    event = play.session.post("Write", file_path=play.repo.path(ANCHOR), content="x")
    run_hook(event)
    run_hook(event)
    stop = play.session.stop()
    run_hook(stop)
    run_hook(event)
    run_hook(stop)
    run_hook({**event, "session_id": "another"})
    run_hook({**stop, "session_id": "another"})
    assert play.repo.rides(DEBT) == 1


def test_events_in_any_order_and_without_their_counterparts(play: Play) -> None:
    """Pre and Post are paired by their id: a second command between them changes nothing."""
    first = play.session.pre("Bash", command="make one")
    second = play.session.pre("Bash", command="make two")
    play.read()
    run_hook(first)
    run_hook(second)
    play.repo.write(ANCHOR, FLAKY + "# more\n")
    run_hook(play.session.post("Bash", command="make two"))
    run_hook(play.session.post("Bash", command="make one"))
    play.stop()
    assert play.repo.rides(DEBT) == 1


def test_rides_that_are_no_number_stay_as_they_are(repo: Repo) -> None:
    repo.table(row("D-1", r"path: ^a\.py$", rides="many"))
    before = repo.read(BACKLOG)
    play = Play(repo)
    assert "0 rides" in play.wrote("a.py").context
    play.stop()
    assert repo.read(BACKLOG) == before
    assert play.before_write("a.py").decision == ""


def test_an_empty_rides_cell_counts_from_nothing(repo: Repo) -> None:
    repo.table(row("D-1", r"path: ^a\.py$", rides=""))
    Play(repo).turn() if False else None
    play = Play(repo)
    play.wrote("a.py")
    play.stop()
    assert repo.rides("D-1") == 1


def test_a_table_without_rides_keeps_them_in_the_ledger(repo: Repo) -> None:
    header = "| id | lifecycle | trigger | note |\n| --- | --- | --- | --- |\n"
    repo.table(r"| D-1 | debt | `path: ^a\.py$` | a note |", header=header)
    before = repo.read(BACKLOG)
    play = Play(repo)
    play.wrote("a.py")
    play.stop()
    assert repo.read(BACKLOG) == before
    assert [line["rides"] for line in repo.ledger("charged")] == ["1"]
    assert "1 ride;" in Play(repo).read("a.py").context


def test_only_the_number_changes_whatever_stands_around_it(repo: Repo) -> None:
    text = "\ufeff# Dívidas\r\n\r\n|id|lifecycle|trigger|note|rides|state|\r\n|-|-|-|-|-:|-|\r\n" + (
        "|D-1|debt|`path: ^a\\.py$`|ação \\| com barra  |   9|owed|\r\n| D-2 |debt|`path: ^b$`|n|1|"
    )
    repo.write(BACKLOG, text)
    repo.commit()
    play = Play(repo)
    play.wrote("a.py")
    play.stop()
    assert repo.read_bytes(BACKLOG).decode() == text.replace("|   9|", "|  10|")


def test_rides_by_hand_become_the_base(repo: Repo) -> None:
    repo.table(row("D-1", r"path: ^a\.py$", rides=7))
    play = Play(repo)
    play.wrote("a.py")
    play.stop()
    (line,) = repo.ledger()
    assert (line["rides"], line["base"], repo.rides("D-1")) == ("8", "7", 8)


def test_a_count_that_was_lowered_by_hand_changes_nothing(play: Play) -> None:
    play.turn()
    play.repo.table(row(DEBT, TRIGGER, NOTE, paid_when=CONDITION, rides=0))
    other = Play(play.repo)
    assert "debt, 1 ride;" in other.read().context
    other.turn()
    assert play.repo.rides(DEBT) == 2


def test_a_personal_row_is_charged_where_it_stands(repo: Repo, tmp_path: Path) -> None:
    own = tmp_path / "config" / "gatilho" / "mine.md"
    own.parent.mkdir(parents=True)
    own.write_text(HEADER + row("P-1", r"path: ^a\.py$", "my own note") + "\n")
    play = Play(repo, env={"XDG_CONFIG_HOME": str(tmp_path / "config")})
    assert "my own note" in play.wrote("a.py").context
    play.stop()
    assert "| 1 | owed |" in own.read_text()
    assert repo.changed() == ["a.py"]


def test_a_store_named_in_the_configuration_gets_its_own_rides(repo: Repo, tmp_path: Path) -> None:
    team = Repo(tmp_path / "team")
    team.table(row("T-1", r"path: ^a\.py$", "the team's note"))
    repo.write("gatilho.toml", 'stores = ["../team"]\n')
    outside.allow(str(repo.root), f"{team.root}/docs/gatilhos")
    play = Play(repo)
    assert "the team's note" in play.wrote("a.py").context
    play.stop()
    assert team.rides("T-1") == 1
    assert [line["id"] for line in team.ledger("charged")] == ["T-1"]
    assert not (repo.root / "docs").exists()


def test_a_session_of_another_id_is_another_session(play: Play) -> None:
    """What one session wrote is not closed by the stop of another."""
    play.wrote()
    other = Play(play.repo, Session(play.repo, "s2"))
    other.start()
    other.stop()
    assert play.repo.rides(DEBT) == 0
    play.stop()
    assert play.repo.rides(DEBT) == 1


class TestWhereRidesAreKept:
    def test_in_the_ledger_alone(self, repo: Repo) -> None:
        repo.write("gatilho.toml", 'rides_in = "ledger"\n')
        repo.table(row("D-1", r"path: ^a\.py$", rides=2), row("R-1", r"path: ^a\.py$", lifecycle="rule", rides=5))
        before = repo.read(BACKLOG)
        for _ in range(2):
            play = Play(repo)
            play.wrote("a.py")
            play.stop()
        assert repo.read(BACKLOG) == before
        counts = sorted((line["id"], line["rides"]) for line in repo.ledger("charged"))
        assert counts == [("D-1", "3"), ("D-1", "4"), ("R-1", "6"), ("R-1", "7")]
        assert Play(repo).before_write("a.py").decision == "ask"
        assert "rule, 7 rides;" in Play(repo).read("a.py").context

    def test_of_rules_on_this_machine(self, repo: Repo) -> None:
        repo.write("gatilho.toml", 'rule_rides = "local"\n')
        repo.table(row("D-1", r"path: ^a\.py$"), row("R-1", r"path: ^a\.py$", lifecycle="rule", rides=5))
        play = Play(repo)
        play.wrote("a.py")
        play.stop()
        assert (repo.rides("D-1"), repo.rides("R-1")) == (1, 5)
        assert [line["id"] for line in repo.ledger()] == ["D-1"]
        assert "rule, 6 rides;" in Play(repo).read("a.py").context

    def test_of_rules_that_cannot_be_read(self, repo: Repo) -> None:
        repo.write("gatilho.toml", 'rule_rides = "local"\n')
        repo.table(row("R-1", r"path: ^a\.py$", lifecycle="rule", rides=5))
        counted = repo.write(".git/gatilho/rule-rides", b"R-1\t\n\xff\t\n")
        assert "rule, 6 rides;" in Play(repo).read("a.py").context
        counted.unlink()
        counted.mkdir()
        assert "rule, 5 rides;" in Play(repo).read("a.py").context
        assert [main([name, "--root", str(repo.root)]) for name in ("list", "diff", "fold")] == [0, 0, 1]
