"""An agent that writes a row which cannot be read hears it in the answer to that call, with the fix."""

import pytest
from builders import BACKLOG, HEADER, Repo, row
from ladder_steps import Play

GOOD = row("D-1", r"path: ^src/a\.py$", "a note")


@pytest.fixture
def play(repo: Repo) -> Play:
    repo.table(GOOD)
    return Play(repo)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (row("D-2", "path: ^src/(b"), ":4:"),
        (row("D-2", "path: ^src/b", paid_when="contains src/b.py (x"), "this condition never holds"),
        (row("D-2", "path: ^src/b", paid_when="holds src/b.py"), "GT117"),
        (row("D-2", "path: ^src/b", rides="two"), "GT107"),
        (row("D-2", "cmd: z*"), "GT212"),
        (row("D-2", "glob: src/["), "GT216"),
        (row("D-2", "path: ^src/b") + "\n" + row("D-2", "path: ^src/c"), "GT201"),
        (row("D-2", "path: ^src/b", note=""), "GT121"),
        (row("D-2", "path: ^src/b", paid_when="contains src/b.py x*"), "GT217"),
        ("| D-2 | debt | `path: ^src/b` |", "GT104"),
        ("| D-2 | debt | `path: ^(a|b)$` | n | | 0 | owed |", "put a backslash before the pipe"),
    ],
    ids=[
        "trigger",
        "pattern of a condition",
        "condition",
        "rides",
        "matches everything",
        "glob",
        "one id twice",
        "empty note",
        "found in every file",
        "cut row",
        "pipe",
    ],
)
def test_the_writer_hears_what_is_wrong_and_what_to_do(play: Play, line: str, said: str) -> None:
    before, after = play.write(BACKLOG, HEADER + GOOD + "\n" + line + "\n")
    assert before.decision == ""
    assert after is not None
    assert after.context.startswith("What you wrote is not read as it is meant:\n- docs/gatilhos/backlog.md:4:")
    assert said in after.context
    assert "To do: " in after.context


def test_the_writer_of_a_table_that_is_not_read_hears_of_its_header(play: Play) -> None:
    _, after = play.write("docs/gatilhos/more.md", HEADER.replace("trigger", "triger") + row("D-2", "path: b") + "\n")
    assert after is not None
    assert "more.md:1:20: GT291 column `triger` is not known" in after.context
    assert " is read. Did you mean `trigger`?" in after.context


def test_it_is_said_once_for_a_line_and_not_of_a_row_that_can_be_read(play: Play) -> None:
    bad = HEADER + GOOD + "\n" + row("D-2", "path: ^src/(b") + "\n"
    play.write(BACKLOG, bad)
    _, again = play.write(BACKLOG, bad + row("D-3", "path: ^src/c") + "\n")
    assert again is not None
    assert "is not read as" not in again.context
    _, third = play.write(BACKLOG, bad + row("D-3", "path: ^src/(b") + "\n")
    assert third is not None
    assert "backlog.md:5:" in third.context
    _, after = play.write("docs/gatilhos/new.md", HEADER + row("D-4", r"path: ^src/(c|d)\.py$") + "\n")
    assert after is not None
    assert "is not read as" not in after.context


def test_a_script_that_writes_a_row_hears_it_and_what_git_brings_is_not_told(play: Play) -> None:
    play.repo.write("go.sh", f"cat bad.txt >> {BACKLOG}\n")
    play.repo.write("bad.txt", row("D-2", "path: ^src/(b") + "\n")
    play.repo.commit()
    _, after = play.bash("sh go.sh")
    assert after is not None
    assert "docs/gatilhos/backlog.md:4:" in after.context
    assert "GT211" in after.context
    play.repo.git("checkout", "-qb", "topic")
    play.repo.commit()
    play.repo.git("checkout", "-q", "main")
    _, after = Play(play.repo).bash("git checkout -q topic")
    assert after is not None
    assert "GT211" not in after.context
