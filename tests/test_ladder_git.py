"""Git comes first: while it is in the middle of something rows speak and nothing is written; afterwards it is."""

import os
from collections.abc import Callable

import pytest
from builders import BACKLOG, HEADER, Repo, database, row, run_hook
from claude_session import Session
from ladder_steps import ANCHOR, CONDITION, FLAKY, HOUR, NOTE, PAID, TRIGGER, Play, fall_silent, log_of, state_of

DEBT = "D-7f3k"


@pytest.fixture
def play(repo: Repo) -> Play:
    """A session in a repository with one debt, and two branches that conflict in `c.txt`."""
    repo.write(ANCHOR, FLAKY)
    repo.write("c.txt", "base\n")
    repo.table(row(DEBT, TRIGGER, NOTE, paid_when=CONDITION))
    repo.git("branch", "side")
    repo.write("c.txt", "ours\n")
    repo.commit("ours")
    repo.git("switch", "--quiet", "side")
    repo.write("c.txt", "theirs\n")
    repo.commit("theirs")
    repo.git("switch", "--quiet", "main")
    return Play(repo)


def merge(repo: Repo) -> Callable[[], object]:
    repo.git("merge", "side", check=False)
    return lambda: repo.git("merge", "--abort")


def rebase(repo: Repo) -> Callable[[], object]:
    repo.git("rebase", "side", check=False)
    return lambda: repo.git("rebase", "--abort")


def cherry_pick(repo: Repo) -> Callable[[], object]:
    repo.git("cherry-pick", "side", check=False)
    return lambda: repo.git("cherry-pick", "--quit")


def revert(repo: Repo) -> Callable[[], object]:
    repo.git("revert", "--no-edit", "side", check=False)
    return lambda: repo.git("revert", "--quit", check=False)


def bisect(repo: Repo) -> Callable[[], object]:
    repo.git("bisect", "start")
    return lambda: repo.git("bisect", "reset")


def apply_mail(repo: Repo) -> Callable[[], object]:
    patch = repo.git("format-patch", "-1", "side", "--stdout")
    (repo.root.parent / "side.patch").write_text(patch)
    repo.git("am", str(repo.root.parent / "side.patch"), check=False)
    return lambda: repo.git("am", "--abort")


BUSY = [merge, rebase, cherry_pick, revert, bisect, apply_mail]


def restore(repo: Repo) -> None:
    """Take conflicted files back without touching the tables."""
    repo.git("checkout", "--quiet", "HEAD", "--", "c.txt", check=False)


@pytest.mark.parametrize("begin", BUSY, ids=lambda begin: begin.__name__)
def test_a_ride_waits_for_git(play: Play, begin: Callable[[Repo], Callable[[], object]]) -> None:
    finish = begin(play.repo)
    before = play.repo.read(BACKLOG)
    assert NOTE in play.wrote().context
    answer = play.stop()
    assert play.repo.read(BACKLOG) == before
    assert not (play.repo.root / "docs/gatilhos/ledger").exists()
    assert answer.context == ""
    restore(play.repo)
    play.repo.write(ANCHOR, FLAKY)
    finish()
    assert play.repo.rides(DEBT) == 0
    other = Play(play.repo)
    other.read("c.txt")  # the first event afterwards, whatever it is about
    assert play.repo.rides(DEBT) == 1
    assert len(play.repo.ledger("charged")) == 1
    play.stop()
    assert play.repo.rides(DEBT) == 1


def test_a_git_hook_is_the_middle_of_something(play: Play) -> None:
    play.wrote()
    inside = Play(play.repo, play.session, {"GIT_INDEX_FILE": ".git/index"})
    inside.stop()
    assert play.repo.rides(DEBT) == 0
    Play(play.repo).start()
    assert play.repo.rides(DEBT) == 1


def test_a_payment_waits_and_says_nothing_meanwhile(play: Play) -> None:
    finish = bisect(play.repo)
    play.read()
    play.write(ANCHOR, PAID)
    for _ in range(3):
        assert play.read().context == ""
    assert play.repo.cell(DEBT, "state") == "owed"
    finish()
    play.read("c.txt")
    assert play.repo.cell(DEBT, "id") == f"~~{DEBT}~~"
    assert [line["event"] for line in play.repo.ledger()] == ["paid"]


def test_a_payment_that_no_longer_holds_afterwards_is_none(play: Play) -> None:
    """A commit in the middle of a rebase may have what its end has not."""
    finish = bisect(play.repo)
    play.read()
    play.write(ANCHOR, PAID)
    play.stop()
    play.repo.write(ANCHOR, FLAKY)
    finish()
    play.read("c.txt")
    assert play.repo.cell(DEBT, "state") == "owed"
    assert play.repo.ledger() == []
    assert "its conditions hold no more" in log_of(play.repo)
    assert not (state_of(play.repo) / "waiting").exists()


def test_a_question_and_a_waiver_wait_too_and_count_at_once(play: Play) -> None:
    play.repo.table(row(DEBT, TRIGGER, NOTE, paid_when=CONDITION, rides=3))
    finish = bisect(play.repo)
    play = Play(play.repo, Session(play.repo, mode="dontAsk"))
    assert play.before_write().decision == "deny"
    play.prompt(f"waive {DEBT} until 2126-12-24: release week")
    assert play.repo.cell(DEBT, "state") == "owed"
    assert play.before_write().decision == ""
    play.stop()
    finish()
    play.read("c.txt")
    assert play.repo.cell(DEBT, "state") == "waived until 2126-12-24"
    assert sorted(line["event"] for line in play.repo.ledger()) == ["asked", "waived"]


def test_a_line_keeps_the_time_at_which_it_was_noted(play: Play) -> None:
    play.repo.table(row(DEBT, TRIGGER, NOTE, rides=3))
    play.before_write()
    with database(state_of(play.repo) / "sessions.db") as connection:
        connection.execute("UPDATE pending_line SET occurred = '2026-01-02 03:04:05'")
    play.stop()
    assert [line["when (utc)"] for line in play.repo.ledger("asked")] == ["2026-01-02 03:04:05"]


def test_a_row_that_is_gone_by_then_is_dropped_with_a_line_in_the_log(play: Play) -> None:
    play.repo.table(row(DEBT, TRIGGER, NOTE), row("D-2", TRIGGER, "another"))
    finish = bisect(play.repo)
    play.wrote()
    play.stop()
    finish()
    play.repo.table(row("D-2", TRIGGER, "another"))
    play.read("c.txt")
    assert play.repo.rides("D-2") == 1
    assert [line["id"] for line in play.repo.ledger()] == ["D-2"]
    assert f"charge of {DEBT} was dropped" in log_of(play.repo)
    play.read("c.txt")
    assert log_of(play.repo).count("was dropped") == 1


def test_a_row_that_moved_meanwhile_is_found(play: Play) -> None:
    finish = bisect(play.repo)
    play.wrote()
    play.stop()
    finish()
    play.repo.write(BACKLOG, "# Nothing here\n")
    play.repo.table(row("D-0", "path: ^z$"), row(DEBT, TRIGGER, NOTE), file="docs/gatilhos/moved.md")
    play.read("c.txt")
    assert play.repo.rides(DEBT, "docs/gatilhos/moved.md") == 1


CONFLICT = """\
| id | lifecycle | trigger | note | paid when | rides | state |
| --- | --- | --- | --- | --- | ---: | --- |
| D-1 | debt | `path: ^a$` | before |  | 0 | owed |
<<<<<<< HEAD
| D-2 | debt | `path: ^a$` | ours |  | 2 | owed |
=======
| D-2 | debt | `path: ^a$` | theirs |  | 3 | owed |
>>>>>>> side
| D-3 | debt | `path: ^a$` | after |  | 0 | owed |
"""


def test_a_table_with_conflict_markers_speaks_and_is_not_written(repo: Repo) -> None:
    repo.write(BACKLOG, CONFLICT)
    repo.table(row("D-4", "path: ^a$", "whole"), file="docs/gatilhos/whole.md")
    play = Play(repo)
    text = play.wrote("a").context
    for note in ("before", "ours", "theirs", "after", "whole"):
        assert f"- {note} [" in text
    answer = play.stop()
    assert repo.read(BACKLOG) == CONFLICT
    assert repo.rides("D-4", "docs/gatilhos/whole.md") == 1
    assert [line["id"] for line in repo.ledger()] == ["D-4"]
    assert "conflict markers" in answer.person
    assert "conflict markers" not in play.read("b").person  # it is said once


def test_and_what_waited_is_written_when_they_are_gone(repo: Repo) -> None:
    repo.write(BACKLOG, CONFLICT)
    repo.commit()
    play = Play(repo)
    play.wrote("a")
    play.stop()
    repo.table(row("D-1", "path: ^a$"), row("D-2", "path: ^a$", rides=3), row("D-3", "path: ^a$"))
    play.read("b")
    assert repo.rides("D-1") == 1
    assert "D-1" in {line["id"] for line in repo.ledger("charged")}


def test_a_table_that_cannot_be_written_is_told_once_and_written_later(play: Play) -> None:
    path = play.repo.root / BACKLOG
    path.chmod(0o444)
    play.wrote()
    assert "read-only" in play.stop().person
    for _ in range(2):
        assert play.read("c.txt").answer is None
    assert len(play.repo.ledger("charged")) == 1
    path.chmod(0o644)
    play.read("c.txt")
    assert play.repo.rides(DEBT) == 1
    assert len(play.repo.ledger()) == 1


def test_a_payment_into_such_a_table_leaves_one_line(play: Play) -> None:
    path = play.repo.root / BACKLOG
    play.read()
    path.chmod(0o444)
    play.write(ANCHOR, PAID)
    play.read("c.txt")
    play.read("c.txt")
    path.chmod(0o644)
    play.read("c.txt")
    assert play.repo.cell(DEBT, "state") == "paid"
    assert [line["event"] for line in play.repo.ledger()] == ["paid"]


def test_two_branches_that_notice_the_same_write_the_same_bytes(play: Play) -> None:
    """Both find the debt paid; their tables merge without a conflict, and so do their ledgers."""
    repo = play.repo
    tables = []
    for branch in ("one", "two"):
        repo.git("switch", "--quiet", "-c", branch, "main")
        repo.write(ANCHOR, PAID)
        Play(repo).read()
        tables.append(repo.read_bytes(BACKLOG))
        repo.commit(branch)
    assert tables[0] == tables[1]
    repo.git("merge", "--quiet", "one")
    assert len(repo.ledger("paid")) == 2


def test_rides_of_two_branches_are_added_up(play: Play) -> None:
    repo = play.repo
    for branch in ("one", "two"):
        repo.git("switch", "--quiet", "-c", branch, "main")
        Play(repo).turn()
        repo.commit(branch)
    repo.git("-c", "merge.conflictStyle=merge", "merge", "--quiet", "-X", "ours", "one")
    assert repo.rides(DEBT) == 1
    assert "debt, 2 rides;" in Play(repo).read().context
    Play(repo).turn()
    assert repo.rides(DEBT) == 3


def test_no_git_lock_is_taken_and_no_file_left_behind(play: Play) -> None:
    (play.repo.root / ".git/index.lock").touch()
    play.turn()
    play.prompt()
    play.write(ANCHOR, PAID)
    play.stop()
    (play.repo.root / ".git/index.lock").unlink()
    assert play.repo.cell(DEBT, "state") == "paid"
    changed = play.repo.changed()
    assert {name.split("/")[0] for name in changed} == {"docs", "tests"}
    assert all(name.endswith((".md", ".py")) for name in changed)


def test_the_state_folder_may_vanish_between_any_two_events(play: Play) -> None:
    import shutil

    events = [
        play.session.session_start(), play.session.prompt(), play.session.pre("Bash", command=f"touch {ANCHOR}"),
        play.session.post("Bash", command=f"touch {ANCHOR}"), play.session.post("Read", file_path=play.repo.path(ANCHOR)),
        play.session.stop(), play.session.session_end(),
    ]  # fmt: skip
    for event in events:
        shutil.rmtree(state_of(play.repo), ignore_errors=True)
        run_hook(event)
    assert play.repo.read(BACKLOG) == HEADER + row(DEBT, TRIGGER, NOTE, paid_when=CONDITION) + "\n"


@pytest.mark.skipif(os.name != "posix", reason="mode bits")
def test_a_read_only_git_directory_speaks_and_writes_nothing(play: Play) -> None:
    folder = play.repo.root / ".git"
    folder.chmod(0o555)
    try:
        if os.access(folder, os.W_OK):
            pytest.skip("root may write everywhere")
        before = play.repo.read(BACKLOG)
        assert NOTE in play.wrote().context
        play.stop()
        assert play.repo.read(BACKLOG) == before
    finally:
        folder.chmod(0o755)


def test_a_state_folder_that_is_a_file_speaks_and_writes_nothing(play: Play) -> None:
    """What a read-only git directory is for root too: nothing can be made in it."""
    state_of(play.repo).write_text("in the way")
    before = play.repo.read(BACKLOG)
    assert play.start().answer is not None
    assert NOTE in play.wrote().context
    assert NOTE in play.wrote().context
    play.stop()
    assert play.repo.read(BACKLOG) == before
    assert play.repo.ledger() == []


@pytest.mark.parametrize("name", ["sessions.db", "index.db", "signature"])
@pytest.mark.parametrize(
    "data", [b"", b"no database" * 100, b"SQLite format 3\0" + bytes(4000)], ids=["empty", "text", "half"]
)
def test_a_broken_cache_is_made_anew(play: Play, name: str, data: bytes) -> None:
    play.turn()
    (state_of(play.repo) / name).write_bytes(data)
    other = Play(play.repo)
    assert "debt, 1 ride;" in other.wrote().context
    other.stop()
    assert play.repo.rides(DEBT) == 2
    fall_silent(play.repo, other.session, 2 * HOUR)
