"""What a session remembers, for whom, and for how long."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gatilho.index import database, watched
from gatilho.ladder import sessions
from gatilho.ladder.session import Session

ROW, OTHER = ("", "D-1"), ("team", "D-1")
HOUR = 3600.0
NOW = 1_000_000.0


@pytest.fixture
def db(tmp_path: Path) -> Iterator[database.Connection]:
    connection = sessions.open_in(str(tmp_path))
    yield connection
    connection.close()


def enter(
    db: database.Connection, session_id: str = "s", tree: str = "/w", now: float = NOW, sign: float = 0
) -> Session:
    return sessions.enter(db, session_id, "claude", tree, now, sign)


def test_what_one_agent_was_told_is_news_to_another(db: database.Connection) -> None:
    session = enter(db)
    session.deliver("", ROW)
    assert session.was_told("") == {ROW}
    assert session.was_told("a1") == set()
    session.deliver("a1", OTHER)
    assert session.was_delivered() == {ROW, OTHER}


def test_a_compacted_agent_may_hear_again_what_stays_delivered(db: database.Connection) -> None:
    session = enter(db)
    session.deliver("", ROW)
    session.deliver("a1", ROW)
    session.rearm("")
    assert session.was_told("") == set()
    assert session.was_told("a1") == {ROW}
    assert session.was_delivered() == {ROW}
    session.deliver("", ROW)
    assert session.was_told("") == {ROW}


def test_what_was_cut_waits_for_the_next_turn(db: database.Connection) -> None:
    session = enter(db)
    session.hold("", ROW)
    assert session.held_now("") == {ROW}
    assert session.held_now("a1") == set()
    session.next_turn("t2")
    assert enter(db).held_now("") == set()


def test_writes_belong_to_a_working_tree(db: database.Connection) -> None:
    here, there = enter(db), enter(db, tree="/linked")
    here.write(ROW, "a.py")
    here.write(ROW, "b.py")
    there.write(ROW, "c.py")
    assert here.written() == {ROW: "a.py"}
    assert there.written() == {ROW: "c.py"}
    here.forget_written(set())
    assert here.written() == {}
    assert there.written() == {ROW: "c.py"}
    there.forget_written({ROW})
    assert there.written() == {ROW: "c.py"}


def test_charges_and_what_was_told_belong_to_the_session(db: database.Connection) -> None:
    enter(db).charge(ROW)
    assert enter(db, tree="/linked").charged() == {ROW}
    assert enter(db, "other").charged() == set()
    assert enter(db).tell_once("due D-1")
    assert not enter(db, tree="/linked").tell_once("due D-1")
    assert enter(db, "other").tell_once("due D-1")


def test_payments_of_this_turn(db: database.Connection) -> None:
    session = enter(db)
    session.pay(ROW)
    assert session.paid_this_turn() == {ROW}
    assert enter(db, tree="/linked").paid_this_turn() == set()
    session.next_turn("t2")
    assert session.paid_this_turn() == set()


def test_each_question_has_its_own_answer(db: database.Connection) -> None:
    session = enter(db)
    assert session.ask(ROW, "call 1", "ask", "default")
    assert not session.ask(ROW, "call 2", "ask", "default")
    assert session.ask(OTHER, "call 2", "ask", "default")
    assert session.answered() == set()
    session.answer(ROW, "call 1", "yes")
    assert session.answered() == {ROW}
    assert [(a.key, a.question, a.answer) for a in session.asked()] == [
        (ROW, "call 1", "yes"), (ROW, "call 2", ""), (OTHER, "call 2", ""),
    ]  # fmt: skip
    session.answer(OTHER, "call 2", "happened")
    assert session.answered() == {ROW}


def test_a_call_is_new_to_the_first_session_that_reports_it(db: database.Connection) -> None:
    first, second = enter(db, "one"), enter(db, "two")
    assert first.is_new_call("c1", "input")
    assert first.is_new_call("c1", "input")
    assert not second.is_new_call("c1", "input")
    assert second.is_new_call("")


def test_a_number_that_another_session_used_is_another_call(db: database.Connection) -> None:
    first, second, later = enter(db, "one"), enter(db, "two"), enter(db, "three")
    assert first.is_new_call("functions.Edit:0", "input")
    assert second.is_new_call("functions.Edit:0", "another input")
    later.seen += 60
    assert later.is_new_call("functions.Edit:0", "input")


def test_stamps_see_what_happens_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    seen = [watched.file_stamp(str(path))]
    path.write_text("x")
    seen.append(watched.file_stamp(str(path)))
    path.write_text("xx")
    seen.append(watched.file_stamp(str(path)))
    path.unlink()
    seen.append(watched.file_stamp(str(path)))
    assert seen[0] == seen[3] == "-"
    assert len(set(seen)) == 3


def test_lines_are_taken_in_their_order(db: database.Connection) -> None:
    session = enter(db)
    session.add_line(ROW, "asked", "12:00", "a.py")
    session.add_line(ROW, "allowed", "12:01", "permission mode default")
    enter(db, tree="/linked").add_line(ROW, "asked", "12:02", "b.py")
    assert [line[2:4] for line in session.take_lines()] == [("asked", "12:00"), ("allowed", "12:01")]
    assert session.take_lines() == []


class TestTime:
    def test_a_session_of_twelve_silent_hours_is_a_new_one(self, db: database.Connection) -> None:
        enter(db).deliver("", ROW)
        assert enter(db, now=NOW + 11 * HOUR).was_delivered() == {ROW}
        later = enter(db, now=NOW + 24 * HOUR)
        assert later.was_delivered() == set()
        assert later.generation == 1
        assert enter(db, now=NOW + 25 * HOUR).key == later.key

    def test_a_sign_of_life_keeps_it(self, db: database.Connection) -> None:
        first = enter(db)
        assert enter(db, now=NOW + 20 * HOUR, sign=NOW + 9 * HOUR).key == first.key

    def test_a_clock_that_goes_back_changes_nothing(self, db: database.Connection) -> None:
        first = enter(db)
        assert enter(db, now=NOW - 100 * HOUR).key == first.key
        assert enter(db, now=NOW + 11 * HOUR).key == first.key

    def test_open_turns_are_found_by_tree(self, db: database.Connection) -> None:
        mine = enter(db)
        mine.write(ROW, "a.py")
        other = enter(db, "other", now=NOW + HOUR)
        assert [turn.id for turn in sessions.others_turns(db, other)] == ["s"]
        assert sessions.others_turns(db, enter(db, "other", tree="/linked")) == []
        assert sessions.others_turns(db, mine) == []
        assert sessions.former_turns(db, mine) == []
        again = enter(db, now=NOW + 13 * HOUR)
        assert [turn.key for turn in sessions.former_turns(db, again)] == [mine.key]
        mine.forget_written(set())
        assert sessions.former_turns(db, again) == []

    def test_old_sessions_go_unless_they_left_something_open(self, db: database.Connection) -> None:
        enter(db, "done").deliver("", ROW)
        enter(db, "open").write(ROW, "a.py")
        enter(db, "asked").add_line(ROW, "asked", "12:00", "a.py")
        enter(db, "young", now=NOW + 29 * 24 * HOUR)
        assert sessions.forget_old(db, NOW + 31 * 24 * HOUR)[0] == ["done"]
        assert db.execute("SELECT count(*) FROM delivered").fetchone() == (0,)
        assert sessions.forget_old(db, NOW + 31 * 24 * HOUR) == ([], [])

    def test_roots_elsewhere_are_known_by_session_and_given_up_by_the_silent(self, db: database.Connection) -> None:
        enter(db).note_elsewhere("/other")
        enter(db, now=NOW + 20 * HOUR).note_elsewhere("/other")
        enter(db, "second", now=NOW + 20 * HOUR).note_elsewhere("/third")
        assert sessions.roots_elsewhere(db, "s") == ["/other"]
        assert sessions.roots_elsewhere(db, "nobody") == []
        assert sessions.abandoned_roots(db, NOW + 20.5 * HOUR) == ["/other"]
        assert sorted(sessions.abandoned_roots(db, NOW + 22 * HOUR)) == ["/other", "/third"]
        assert sessions.abandoned_roots(db, NOW + 22 * HOUR) == []


def test_a_condition_is_believed_where_it_was_seen_to_fail(db: database.Connection) -> None:
    sessions.note_condition(db, sessions.FAILING, ROW, "exists a")
    sessions.note_condition(db, sessions.FAILING, ROW, "exists a")
    assert sessions.is_condition_noted(db, sessions.FAILING, ROW, "exists a")
    assert not sessions.is_condition_noted(db, sessions.FAILING, ROW, "exists b")
    assert not sessions.is_condition_noted(db, sessions.FAILING, OTHER, "exists a")


def test_a_file_of_another_version_is_made_anew(tmp_path: Path) -> None:
    connection = sessions.open_in(str(tmp_path))
    enter(connection).deliver("", ROW)
    connection.execute(f"PRAGMA user_version = {sessions.VERSION + 1}")
    connection.close()
    connection = sessions.open_in(str(tmp_path))
    assert enter(connection).was_delivered() == set()
    connection.close()
