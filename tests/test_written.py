"""What counts as written by a shell command: what really changed between the events before and after it."""

import os
import shutil
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from builders import BACKLOG, Repo, row
from ladder_steps import Play, state_of
from processes import repository_of

from gatilho.hosts.event import Event
from gatilho.index import watched

RULE, DEBT, GLOB = "R-1", "D-1", "D-2"
SCRIPT = 'for f in "$@"; do echo formatted >> $f; done\n'


@pytest.fixture
def play(repo: Repo) -> Play:
    for name in ("src/a.py", "src/b.py", "lib/c.py"):
        repo.write(name, "x\n")
    repo.write("fmt.sh", SCRIPT)
    repo.write("build", "echo built >> src/a.py\n")
    repo.table(
        row(RULE, r"write: ^src/a\.py$", "src/a.py is generated.", lifecycle="rule"),
        row(DEBT, r"path: ^src/a\.py$", "src/a.py is old."),
        row(GLOB, "glob: lib/*.py", "lib is old."),
    )
    repo.git("add", ".")
    repo.commit("all")
    play = Play(repo)
    play.start()
    return play


def after(play: Play, command: str) -> str:
    said = play.bash(command)[1]
    assert said is not None
    return said.context


def test_a_file_that_the_command_named_and_changed(play: Play) -> None:
    assert RULE in after(play, "sh fmt.sh src/a.py")
    play.stop()
    assert play.repo.rides(DEBT) == 1


def test_a_file_that_the_command_named_and_left_alone(play: Play) -> None:
    assert RULE not in after(play, "wc src/a.py")
    play.stop()
    assert play.repo.rides(DEBT) == 0


def test_a_file_that_the_command_did_not_name_before_its_row_ever_spoke(play: Play) -> None:
    said = after(play, "sh build")
    assert RULE in said
    assert DEBT in said
    play.stop()
    assert play.repo.rides(DEBT) == 1


def test_a_second_command_is_compared_with_what_was_before_it(play: Play) -> None:
    after(play, "sh build")
    play.stop()
    play.prompt()
    assert after(play, "sh fmt.sh src/b.py") == ""
    play.stop()
    assert play.repo.rides(DEBT) == 1


def test_commands_that_run_at_once_are_compared_each_with_what_was_before_it(play: Play) -> None:
    session = play.session
    first = {**session.pre("Bash", command="sh one.sh"), "tool_use_id": "one"}
    second = {**session.pre("Bash", command="sh two.sh"), "tool_use_id": "two"}
    play._run(first)
    play.repo.write("src/a.py", "by the first\n")
    play._run(second)
    assert play._run({**second, "hook_event_name": "PostToolUse"}).context == ""
    assert DEBT in play._run({**first, "hook_event_name": "PostToolUse"}).context
    play.stop()
    assert play.repo.rides(DEBT) == 1


def test_what_a_person_edits_between_two_commands_is_no_write_of_the_agent(play: Play) -> None:
    after(play, "true 'x'")
    play.repo.write("src/a.py", "by hand\n")
    assert after(play, "sh fmt.sh src/b.py") == ""
    play.stop()
    assert play.repo.rides(DEBT) == 0


def test_a_commit_is_the_edit_of_whoever_makes_it(play: Play) -> None:
    after(play, "sh fmt.sh src/a.py lib/c.py && git commit -qam fmt")
    play.stop()
    assert (play.repo.rides(DEBT), play.repo.rides(GLOB)) == (1, 1)


def test_a_commit_of_what_was_staged_before(play: Play) -> None:
    play.repo.write("lib/c.py", "staged\n")
    play.repo.git("add", "lib/c.py")
    assert GLOB in after(play, "git commit -qm staged")
    play.stop()
    assert play.repo.rides(GLOB) == 1


def test_a_commit_on_a_new_branch_and_an_amended_one(play: Play) -> None:
    after(play, "git checkout -qb side && sh fmt.sh lib/c.py && git commit -qam one && git commit -q --amend -m two")
    play.stop()
    assert play.repo.rides(GLOB) == 1


@pytest.mark.parametrize(
    "command",
    [
        "git checkout -q other",
        "git merge -q other",
        "git rebase -q other",
        "git reset -q --hard other",
        "git cherry-pick other",
    ],
)
def test_what_git_brings_is_no_edit(play: Play, command: str) -> None:
    play.repo.git("switch", "-qc", "other")
    play.repo.write("src/a.py", "other\n")
    play.repo.write("lib/c.py", "other\n")
    play.repo.commit("other")
    play.repo.git("switch", "-q", "main")
    if "rebase" in command or "merge" in command or "pick" in command:
        play.repo.write("notes.txt", "mine\n")
        play.repo.git("add", ".")
        play.repo.commit("mine")
    assert after(play, command) == ""
    play.stop()
    assert play.repo.read("src/a.py") == "other\n"
    assert (play.repo.rides(DEBT), play.repo.rides(GLOB)) == (0, 0)


def test_what_git_restores_is_written(play: Play) -> None:
    play.repo.write("src/a.py", "changed\n")
    said = play.bash("git stash -q")[1]
    assert said is not None
    assert DEBT in said.context


def test_nothing_is_left_of_a_command_that_is_over(play: Play) -> None:
    for command in ("true 'x'", "echo 'y' > notes.txt", "echo 'y' > src/a.py"):
        play.bash(command)
        assert os.listdir(play.repo.root / ".git/gatilho/stamps") == []


def test_what_a_command_changed_while_the_sessions_were_held_is_taken_in_by_the_next_event(play: Play) -> None:
    holder = sqlite3.connect(state_of(play.repo) / "sessions.db", isolation_level=None)

    def build() -> None:
        play.repo.write("src/a.py", "built\n")
        holder.execute("BEGIN EXCLUSIVE")

    play.bash("sh build", build)
    holder.close()
    play.stop()
    assert play.repo.rides(DEBT) == 1
    assert os.listdir(play.repo.root / ".git/gatilho/stamps") == []


def test_the_first_commands_of_a_repository_may_begin_at_once(play: Play) -> None:
    found = repository_of(play.repo)
    folder = play.repo.root / ".git/gatilho/stamps"
    events = [Event("claude", "before", "", session="s", call=str(number)) for number in range(8)]
    for _ in range(20):
        shutil.rmtree(folder, ignore_errors=True)
        with ThreadPoolExecutor(len(events)) as pool:
            list(pool.map(lambda event: watched.note_stamps(found, event, (), (), spoke=False), events))
        assert len(os.listdir(folder)) == len(events)


def test_calls_without_an_id_are_told_apart_by_their_commands(play: Play) -> None:
    found = repository_of(play.repo)
    first, second = (Event("kiro", "before", "", session="s", input={"command": text}) for text in ("a", "b"))
    for number, event in enumerate((first, second)):
        watched.note_stamps(found, event, (), [play.repo.path(f"{number}.py")], spoke=False)
    of_first = watched.stamps_before(found, first.replace(input={"command": "a", "exit_code": 0}, call="1"))
    assert play.repo.path("0.py") in of_first
    assert play.repo.path("1.py") not in of_first
    for event in (first, second):
        watched.forget_stamps(found, event)
    assert os.listdir(play.repo.root / ".git/gatilho/stamps") == []


def test_a_command_that_names_all_files_of_a_large_repository_is_compared_whole(play: Play) -> None:
    found, event = repository_of(play.repo), Event("claude", "before", "", session="s", call="1")
    names = [play.repo.path(f"{'deep/' * 20}{number}.py") for number in range(20_000)]
    watched.note_stamps(found, event, (), names, spoke=False)
    assert watched.stamps_before(found, event).keys() >= {*names}


def test_what_no_command_names_is_seen_right_after_a_table_changed(play: Play) -> None:
    """Then no signature says which files to look at."""
    table = play.repo.root / BACKLOG
    os.utime(table, (time.time() + 60,) * 2)
    assert RULE in after(play, "sh build")


def test_what_was_there_is_not_new_where_a_folder_has_more_than_is_looked_at(repo: Repo) -> None:
    for number in range(200):
        repo.write(f"a/{number}.txt", "x\n")
        repo.write(f"b/{number}.py", "x\n")
    repo.write("go.sh", "echo y > b/new.txt\n")
    named = row(DEBT, "write: ^a/", "old"), row(GLOB, "write: ^b/", "old")
    repo.table(row(RULE, r"write: ^(a|b)/.+\.py$", "generated", lifecycle="rule"), *named)
    play = Play(repo)
    play.start()
    assert RULE not in after(play, "sh go.sh")


@pytest.mark.parametrize(
    "script",
    ["echo y >> src/deep/d.py", "rm src/b.py", "echo y > src/new.py", "mkdir src/more; echo y > src/more/e.py"],
    ids=["changed", "removed", "made", "made in a new folder"],
)
def test_a_file_below_a_folder_that_a_rule_names_and_the_command_does_not(repo: Repo, script: str) -> None:
    repo.write("src/b.py", "x\n")
    repo.write("src/deep/d.py", "x\n")
    repo.write("lib/c.py", "x\n")
    repo.write("go.sh", script + "\n")
    repo.table(
        row(RULE, "write: ^src/", "src is generated.", lifecycle="rule"), row(DEBT, "glob: lib/**", "lib is old.")
    )
    repo.commit("all")
    play = Play(repo)
    play.start()
    assert after(play, "true") == ""
    said = after(play, "sh go.sh")
    assert RULE in said
    assert DEBT not in said
    play.stop()
    assert repo.rides(RULE) == 1
