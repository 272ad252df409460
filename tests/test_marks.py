"""Marks in code: a row speaks in the files that have its mark in a comment, also after they moved."""

from collections.abc import Callable

import pytest
from builders import Output, Repo, row
from checking import found, problems_of
from ladder_steps import Play
from processes import repository_of

from gatilho.index.index import open_index
from gatilho.index.marks import marks_in
from gatilho.model import Place

Run = Callable[..., Output]
NOTE = "The parser drops the last line."


@pytest.fixture
def marked(repo: Repo) -> Repo:
    repo.write("src/parse.py", "def parse():  # gatilho: D-7f3k\n    pass\n")
    repo.write("src/other.py", "x = 1\n")
    repo.table(row("D-7f3k", "mark: D-7f3k", NOTE, paid_when="contains src/tests.py last_line"))
    return repo


@pytest.mark.parametrize(
    ("line", "marks"),
    [
        ("x = 1  # gatilho: D-7f3k", ["D-7f3k"]),
        ("// gatilho: D-7f3k: the reader", ["D-7f3k"]),
        (" * gatilho: D-7f3k", ["D-7f3k"]),
        ("<!-- gatilho: D-7f3k-->", ["D-7f3k"]),
        ("/* gatilho: D-1 */ x; // gatilho: R-2", ["D-1", "R-2"]),
        ("-- gatilho: D-7f3k", ["D-7f3k"]),
        ("gatilho: D-7f3k", []),
        ("# gatilho:D-7f3k", []),
        ("# gatilho: ", []),
        ("# it prints gatilho: D-7f3k", []),
        ('print("# gatilho: D-7f3k")', []),
        ("`# gatilho: D-7f3k`", []),
        ("fn f<'a>(x: &'a str)  // gatilho: D-7f3k", ["D-7f3k"]),
        ("' gatilho: D-7f3k", ["D-7f3k"]),
        ("'gatilho: D-7f3k is paid'", []),
        ("s = '# gatilho: D-7f3k'", []),
        ("s = rb'# gatilho: D-7f3k'", []),
        ("c = '\"'  # gatilho: D-7f3k", ["D-7f3k"]),
        ("impl<'a> A {  // gatilho: D-7f3k", ["D-7f3k"]),
        ("they don't  # gatilho: D-7f3k isn't paid", ["D-7f3k"]),
        ("/** gatilho: D-7f3k */", ["D-7f3k"]),
        ("//! gatilho: D-7f3k", ["D-7f3k"]),
        ("--[[ gatilho: D-7f3k ]]", ["D-7f3k"]),
        ("@REM gatilho: D-7f3k", ["D-7f3k"]),
        ("! gatilho: D-7f3k", ["D-7f3k"]),
        ('" gatilho: D-7f3k', ["D-7f3k"]),
        ('" gatilho: D-7f3k"', []),
        ("# gatilho: D-1 gatilho: R-2, gatilho: R-3", ["D-1", "R-2", "R-3"]),
        ("# gatilho: D-1 is not gatilho: R-2", ["D-1"]),
        ("# gatilho: API.12.", ["API.12"]),
    ],
)
def test_what_is_a_mark(repo: Repo, line: str, marks: list[str]) -> None:
    repo.write("a.txt", f"first\n{line}\nlast\n")
    repo.write("docs/gatilhos/notes.md", "<!-- gatilho: D-9 -->\n")
    repo.commit()
    assert marks_in(str(repo.root)) == {mark: ["a.txt"] for mark in marks}


def test_a_row_speaks_rides_and_follows_its_mark(marked: Repo, run_cli: Run) -> None:
    play = Play(marked)
    play.start()
    assert play.read("src/other.py").context == ""
    assert NOTE in play.read("src/parse.py").context
    play.wrote("src/parse.py")
    play.stop()
    assert marked.rides("D-7f3k") == 1
    marked.git("mv", "src/parse.py", "src/reader.py")
    later = Play(marked)
    later.start()
    assert NOTE in later.read("src/reader.py").context
    assert "by `mark: D-7f3k`, which matches src/reader.py" in run_cli("why", "src/reader.py").stdout
    assert "mark: D-7f3k  (in src/reader.py)" in run_cli("show", "D-7f3k").stdout
    assert found(marked, "GT229", "GT230") == []


def test_a_mark_that_a_turn_wrote_counts_after_its_close(marked: Repo) -> None:
    play = Play(marked)
    play.start()
    play.write("src/other.py", "x = 1  # gatilho: D-7f3k\n")
    play.stop()
    assert NOTE in Play(marked).read("src/other.py").context


def test_the_fast_path_knows_files_and_no_marks(marked: Repo) -> None:
    with open_index(repository_of(marked)) as index:
        assert [one.pattern for one in index.candidates("path", ["src/parse.py"])] == ["src/parse.py"]
        assert index.candidates("path", ["src/D-7f3k.py"]) == []


def test_check_names_a_mark_without_a_row_and_a_row_without_its_mark(marked: Repo) -> None:
    marked.write("src/parse.py", "import D-7f4k\ndef parse():  # gatilho: D-7f4k\n    pass  # gatilho: for later\n")
    marked.commit()
    problems = {one.code: one for one in problems_of(marked)}
    assert set(problems) == {"GT229", "GT230", "GT233"}
    assert problems["GT229"].row == "D-7f3k"
    assert "a mark that is gone does not pay it" in problems["GT229"].remedy
    assert problems["GT230"].message == "`gatilho: D-7f4k` in src/parse.py names no row"
    assert problems["GT230"].place == Place("src/parse.py", 2, 26)
    play = Play(marked)
    play.start()
    play.stop()
    assert (marked.cell("D-7f3k", "id"), marked.ledger()) == ("D-7f3k", [])
