"""Turns that never closed: who settles them, when, and who must not."""

import pytest
from builders import Repo, database, row, run_hook
from claude_session import Session
from ladder_steps import ANCHOR, CONDITION, FLAKY, HOUR, NOTE, PAID, TRIGGER, Play, fall_silent, state_of

DEBT = "D-7f3k"


@pytest.fixture
def play(repo: Repo) -> Play:
    """A session that wrote the anchor of a debt and then fell silent, without any end."""
    repo.write(ANCHOR, FLAKY)
    repo.write("other.txt", "x\n")
    repo.table(row(DEBT, TRIGGER, NOTE, paid_when=CONDITION))
    play = Play(repo)
    play.wrote()
    return play


def test_the_next_prompt_settles_it(play: Play) -> None:
    assert f"{DEBT} was touched and left unpaid" in play.prompt().person
    assert play.repo.rides(DEBT) == 1


def test_a_subagents_prompt_does_not(play: Play) -> None:
    play.prompt(agent_id="a1")
    assert play.repo.rides(DEBT) == 0


@pytest.mark.parametrize("reason", ["other", "clear", "logout", "prompt_input_exit"])
def test_the_sessions_end_settles_it(play: Play, reason: str) -> None:
    run_hook(play.session.session_end(reason))
    assert play.repo.rides(DEBT) == 1


@pytest.mark.parametrize("source", ["startup", "resume"])
def test_its_own_next_start_settles_it(play: Play, source: str) -> None:
    play.start(source)
    assert play.repo.rides(DEBT) == 1


def test_a_compaction_does_not(play: Play) -> None:
    play.start("compact")
    assert play.repo.rides(DEBT) == 0


def test_another_sessions_start_settles_it_after_an_hour_of_silence(play: Play) -> None:
    fall_silent(play.repo, play.session, 0.9 * HOUR)
    Play(play.repo).start()
    assert play.repo.rides(DEBT) == 0
    fall_silent(play.repo, play.session, 0.2 * HOUR)
    Play(play.repo).start()
    assert play.repo.rides(DEBT) == 1
    (line,) = play.repo.ledger()
    play.prompt()
    play.wrote()
    play.stop()
    assert play.repo.rides(DEBT) == 1
    assert play.repo.ledger() == [line]


def test_by_its_prompt_or_end_it_never_does(play: Play) -> None:
    fall_silent(play.repo, play.session, 2 * HOUR)
    other = Play(play.repo)
    other.prompt()
    other.stop()
    other.end()
    assert play.repo.rides(DEBT) == 0


@pytest.mark.parametrize("tool", ["Read", "Bash"])
def test_a_session_that_works_on_what_concerns_no_row_is_not_silent(play: Play, tool: str) -> None:
    fall_silent(play.repo, play.session, 2 * HOUR)
    arguments = {"file_path": play.repo.path("other.txt")} if tool == "Read" else {"command": "true"}
    assert run_hook(play.session.post(tool, **arguments)).answer is None
    Play(play.repo).start()
    assert play.repo.rides(DEBT) == 0
    play.stop()
    assert play.repo.rides(DEBT) == 1


def test_two_live_sessions_never_close_each_others_turns(play: Play) -> None:
    other = Play(play.repo)
    other.start()
    other.wrote()
    for _ in range(2):
        play.prompt()
        assert play.repo.rides(DEBT) == 1
    other.start("resume")
    assert play.repo.rides(DEBT) == 2


def test_a_resumed_session_settles_what_it_left_twelve_hours_ago(play: Play) -> None:
    fall_silent(play.repo, play.session, 13 * HOUR)
    play.prompt()
    assert play.repo.rides(DEBT) == 1
    assert NOTE in play.wrote().context
    play.stop()
    assert play.repo.rides(DEBT) == 2


def test_a_session_that_works_quietly_for_twelve_hours_is_one(play: Play) -> None:
    play.stop()
    for _ in range(2):
        fall_silent(play.repo, play.session, 7 * HOUR)
        assert play.read("other.txt").answer is None
    assert play.read().answer is None
    play.turn()
    assert play.repo.rides(DEBT) == 1


def test_what_it_left_may_be_paid_by_then(play: Play) -> None:
    play.repo.write(ANCHOR, PAID)
    fall_silent(play.repo, play.session, 2 * HOUR)
    assert f"{DEBT} is paid" in Play(play.repo).start().person
    assert play.repo.cell(DEBT, "id") == f"~~{DEBT}~~"
    assert play.repo.rides(DEBT) == 0


def test_its_questions_get_into_the_ledger_too(repo: Repo) -> None:
    repo.table(row(DEBT, TRIGGER, NOTE, rides=3))
    play = Play(repo)
    play.before_write()
    fall_silent(repo, play.session, 2 * HOUR)
    Play(repo).start()
    (line,) = repo.ledger()
    assert line["event"] == "asked"


def test_old_sessions_are_forgotten_but_not_what_they_left(play: Play) -> None:
    done = Play(play.repo)
    done.read()
    fall_silent(play.repo, done.session, 31 * 24 * HOUR)
    fall_silent(play.repo, play.session, 31 * 24 * HOUR)
    Play(play.repo).start()
    assert play.repo.rides(DEBT) == 1
    with database(state_of(play.repo) / "sessions.db") as connection:
        known = {row_id for (row_id,) in connection.execute("SELECT id FROM session")}
    assert done.session.id not in known


class TestOtherRepositories:
    """A path belongs to the repository that holds it, and is settled there with the session that touched it."""

    @pytest.fixture
    def sibling(self, play: Play) -> Repo:
        sibling = Repo(play.repo.root.parent / "sibling")
        sibling.write("lib.py", "x\n")
        sibling.table(row("S-1", r"path: ^lib\.py$", "the sibling's note"))
        return sibling

    @pytest.fixture
    def worktree(self, play: Play) -> Repo:
        folder = play.repo.root.parent / "linked"
        play.repo.git("worktree", "add", "--quiet", "-b", "linked", str(folder))
        linked = Repo.__new__(Repo)
        linked.root = folder
        return linked

    def test_a_sibling_is_settled_with_the_turn(self, play: Play, sibling: Repo) -> None:
        assert "the sibling's note" in play.wrote(sibling.path("lib.py")).context
        assert f"{DEBT} was touched" in (person := play.stop().person)
        assert "S-1 was touched" in person
        assert (play.repo.rides(DEBT), sibling.rides("S-1")) == (1, 1)
        assert not (sibling.root / "docs/gatilhos/ledger").joinpath("x").exists()
        assert [line["id"] for line in sibling.ledger()] == ["S-1"]

    @pytest.mark.parametrize("how", ["prompt", "end", "resume"])
    def test_or_late_by_the_same_session(self, play: Play, sibling: Repo, how: str) -> None:
        play.wrote(sibling.path("lib.py"))
        {"prompt": play.prompt, "end": play.end, "resume": lambda: play.start("resume")}[how]()  # type: ignore[operator]
        assert sibling.rides("S-1") == 1

    def test_or_by_another_start_where_it_began_or_there(self, play: Play, sibling: Repo) -> None:
        play.wrote(sibling.path("lib.py"))
        second = Play(play.repo)
        second.wrote(sibling.path("lib.py"))
        fall_silent(play.repo, play.session, 2 * HOUR)
        fall_silent(sibling, play.session, 2 * HOUR)
        Play(play.repo).start()
        assert sibling.rides("S-1") == 1
        fall_silent(sibling, second.session, 2 * HOUR)
        Play(sibling).start()
        assert sibling.rides("S-1") == 2

    def test_a_session_that_goes_on_at_home_is_not_silent(self, play: Play, sibling: Repo) -> None:
        play.wrote(sibling.path("lib.py"))
        fall_silent(sibling, play.session, 2 * HOUR)
        play.read("other.txt")
        Play(sibling).start()
        assert sibling.rides("S-1") == 0
        fall_silent(play.repo, play.session, 2 * HOUR)
        Play(sibling).start()
        assert sibling.rides("S-1") == 1

    def test_a_session_in_a_folder_without_tables(self, play: Play, sibling: Repo) -> None:
        bare = Repo(play.repo.root.parent / "bare")
        other = Play(bare, Session(bare))
        assert "the sibling's note" in other.wrote(sibling.path("lib.py")).context
        assert "S-1 was touched" in other.stop().person
        assert sibling.rides("S-1") == 1
        assert bare.changed() == []

    def test_a_session_in_no_repository(self, sibling: Repo) -> None:
        above = sibling.root.parent
        other = Play(sibling, Session(sibling, cwd=str(above)))
        assert "the sibling's note" in other.wrote("lib.py").context
        assert "S-1 was touched" in other.stop().person
        assert sibling.rides("S-1") == 1

    def test_a_session_that_walked_away_is_closed_where_it_began(self, play: Play, sibling: Repo) -> None:
        env = {"CLAUDE_PROJECT_DIR": str(play.repo.root)}
        away = Session(sibling, play.session.id)
        walked = Play(sibling, away, env)
        walked.wrote("lib.py")
        away.cwd = str(sibling.root.parent)
        walked.stop()
        assert (play.repo.rides(DEBT), sibling.rides("S-1")) == (1, 1)

    def test_an_owners_answer_reaches_it(self, play: Play, sibling: Repo) -> None:
        sibling.table(row("S-1", r"path: ^lib\.py$", "the sibling's note", rides=3))
        play = Play(play.repo, Session(play.repo, mode="dontAsk"))
        assert play.before_write(sibling.path("lib.py")).decision == "deny"
        assert "S-1: writes are allowed in this session." in play.prompt("ok S-1").person
        assert play.before_write(sibling.path("lib.py")).decision == ""

    def test_a_linked_worktree_gets_its_own_ride(self, play: Play, worktree: Repo) -> None:
        """Its table is another checkout of the same one: the ride belongs to the branch that was written."""
        play.stop()
        assert play.repo.rides(DEBT) == 1
        other = Play(play.repo)
        assert NOTE in other.wrote(worktree.path(ANCHOR)).context
        assert other.read().answer is None  # the same row: it was said to this agent
        other.stop()
        assert worktree.rides(DEBT) == 1
        assert play.repo.rides(DEBT) == 1
        assert len(worktree.ledger()) == 1

    def test_of_two_worktrees_that_one_session_writes_one_gets_the_ride(self, play: Play, worktree: Repo) -> None:
        play.wrote(worktree.path(ANCHOR))
        play.stop()
        assert sorted([play.repo.rides(DEBT), worktree.rides(DEBT)]) == [0, 1]
        assert len(play.repo.ledger() + worktree.ledger()) == 1

    def test_a_start_in_one_worktree_leaves_the_turns_of_another_alone(self, play: Play, worktree: Repo) -> None:
        play.stop()
        other = Play(worktree, Session(worktree))
        other.wrote()
        fall_silent(play.repo, other.session, 2 * HOUR)
        Play(play.repo).start()
        assert worktree.rides(DEBT) == 0
        Play(worktree).start()
        assert worktree.rides(DEBT) == 1

    def test_a_question_is_answered_for_all_worktrees(self, play: Play, worktree: Repo) -> None:
        for repo in (play.repo, worktree):
            repo.table(row(DEBT, TRIGGER, NOTE, rides=3), commit=False)
        other = Play(play.repo)
        other.allowed_write(ANCHOR, FLAKY)
        assert other.before_write(worktree.path(ANCHOR)).decision == ""

    def test_a_submodule_is_a_repository_of_its_own(self, play: Play, sibling: Repo) -> None:
        play.repo.git("submodule", "--quiet", "add", str(sibling.root), "vendor/sibling")
        play.repo.table(row("D-2", r"path: vendor", "the outer note"))
        answer = play.wrote("vendor/sibling/lib.py")
        assert "the sibling's note" in answer.context
        assert "the outer note" not in answer.context
        play.stop()
        assert "| 1 | owed |" in play.repo.read("vendor/sibling/docs/gatilhos/backlog.md")

    def test_one_command_in_two_repositories_is_one_answer(self, play: Play, sibling: Repo) -> None:
        other = Play(play.repo)
        _, after = other.bash(f"touch {ANCHOR} ../sibling/lib.py")
        assert after is not None
        assert NOTE in after.context
        assert "the sibling's note" in after.context
        other.stop()
        assert (play.repo.rides(DEBT), sibling.rides("S-1")) == (1, 1)

    def test_what_waits_in_one_worktree_keeps_no_other_busy(self, play: Play, worktree: Repo) -> None:
        play.stop()
        worktree.git("bisect", "start")
        Play(worktree).wrote()
        other = Play(worktree)
        other.wrote()
        other.stop()
        assert not (play.repo.root / ".git/gatilho/waiting").exists()
        worktree.git("bisect", "reset")
        other.read("other.txt")
        assert worktree.rides(DEBT) == 1

    def test_a_worktree_that_is_gone_stops_nothing(self, play: Play, worktree: Repo) -> None:
        play.wrote(worktree.path(ANCHOR))
        play.repo.git("worktree", "remove", "--force", str(worktree.root))
        play.stop()
        assert play.repo.rides(DEBT) == 1
