"""Conditions about files, on real directories: what holds, what does not and why, and what is never looked at."""

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import regex
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gatilho.conditions import tree as trees
from gatilho.conditions import walk
from gatilho.conditions.file_conditions import Outcome, Tree, View, evaluate, evaluate_all
from gatilho.document.condition_grammar import is_glob, parse_conditions
from gatilho.errors import DocumentError
from gatilho.triggers.globs import glob_to_regex
from gatilho.triggers.patterns import Budget
from gatilho.verbs import paths_in


@pytest.fixture
def root(tmp_path: Path) -> Path:
    directory = tmp_path / "repo"
    directory.mkdir()
    return directory


_NOBODY = 65534


def write(root: Path, name: str, data: bytes | str = b"") -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def check(root: Path, *spans: str, overlay: dict[str, bytes | None] | None = None, seconds: float = 5.0) -> Outcome:
    conditions, messages = parse_conditions(list(spans))
    assert not messages
    tree = Tree(str(root), overlay)
    budget = Budget(seconds)
    return evaluate(conditions[0], tree, budget) if len(conditions) == 1 else evaluate_all(conditions, tree, budget)


@contextmanager
def _as_nobody(folder: Path) -> Iterator[None]:
    """Give up the rights of root, who reads everything, and leave the folder to whoever runs then."""
    before = os.geteuid()
    if before == 0:
        os.chown(folder, _NOBODY, -1)
        os.seteuid(_NOBODY)
    try:
        yield
    finally:
        os.seteuid(before)


# what is in a file, a condition on it, whether it holds, its evidence or reason
SEARCHES = [
    pytest.param(b"a\nb\nDONE\n", "contains f DONE", True, "f:3", id="a word on the third line"),
    pytest.param(b"a\nb\n", "contains f DONE", False, "the pattern is not in f", id="a word that is not there"),
    pytest.param(b"a\nb\n", "lacks f DONE", True, "f", id="a lack without a match"),
    pytest.param(b"a\nDONE\n", "lacks f DONE", False, "the pattern is at f:2", id="a lack with a match"),
    pytest.param(b"", "contains f DONE", False, "the pattern is not in f", id="an empty file contains nothing"),
    pytest.param(b"", "lacks f DONE", True, "f", id="an empty file lacks everything"),
    pytest.param(b"x\n  DONE\n", "contains f ^DONE", False, "the pattern is not in f", id="a caret is the line's start"),
    pytest.param(b"x\nDONE 2\n", "contains f ^DONE", True, "f:2", id="a caret on a later line"),
    pytest.param(b"x\nDONE\ny\n", "contains f ^DONE$", True, "f:2", id="a whole line"),
    pytest.param(b"x DONE", "contains f DONE$", True, "f:1", id="a dollar without a final newline"),
    pytest.param(b"DONE x\n", "contains f DONE$", False, "the pattern is not in f", id="a dollar inside a line"),
    pytest.param(b"x\r\nDONE\r\ny\r\n", "contains f ^DONE$", True, "f:2", id="a whole line of a CRLF file"),
    pytest.param(b"x\r\nDONE\r\n", r"contains f ^D\w+E$", True, "f:2", id="a whole line of a CRLF file by the engine"),
    pytest.param(b"a\r\nb\r\n", r"lacks f \r", False, "the pattern is at f:1", id="carriage returns can be looked for"),
    pytest.param(b"a\rb\rDONE", "contains f DONE", True, "f:3", id="old line endings are counted"),
    pytest.param(b"a\x0bb\x0c\xe2\x80\xa8DONE", "contains f DONE", True, "f:1", id="other separators end no line"),
    pytest.param(b"\xef\xbb\xbfDONE", "contains f ^DONE", True, "f:1", id="a UTF-8 mark before the first line"),
    pytest.param(b"a\nDONE\n", r"contains f \bD[A-Z]+\b", True, "f:2", id="a pattern for the engine"),
    pytest.param(b"a\nb\n", r"lacks f \bD[A-Z]+\b", True, "f", id="a pattern for the engine that is not found"),
    pytest.param(b"done\n", "contains f (?i)DONE", True, "f:1", id="letters of either case"),
    pytest.param("é\nDONE\n".encode(), "contains f (?i)done", True, "f:2", id="either case behind an accent"),
    pytest.param("caf\xe9 ok".encode(), r"contains f caf\w ok", True, "f:1", id="an accent is a letter"),
    pytest.param(b"caf\xe9 DONE\n", "contains f DONE", True, "f:1", id="a Latin-1 file"),
    pytest.param(b"x\ncaf\xe9 DONE\n", "contains f café", True, "f:2", id="an accent in a Latin-1 file"),
    pytest.param(b"x\ncaf\xe9 DONE\n", r"contains f caf\xe9", True, "f:2", id="an escaped byte in a Latin-1 file"),
    pytest.param(b"caf\xe9\n", "lacks f café", False, "the pattern is at f:1", id="an accent that a Latin-1 file has"),
    pytest.param(b"\0\x01DONE\0\xff", "contains f DONE", True, "f:1", id="a binary file"),
    pytest.param(b"\0\x01DONE\0\xff", r"contains f D\w+E", True, "f:1", id="a binary file by the engine"),
    pytest.param("a\nDONE".encode("utf-16"), "contains f ^DONE$", True, "f:2", id="UTF-16 with its mark"),
    pytest.param(b"\xfe\xff" + "DONE".encode("utf-16-be"), "contains f DONE", True, "f:1", id="big-endian UTF-16"),
    pytest.param("DONE".encode("utf-32"), "contains f DONE", True, "f:1", id="UTF-32 with its mark"),
    pytest.param(b"\xff\xfeD\0O", "contains f DONE", False, "the pattern is not in f", id="UTF-16 that breaks off"),
    pytest.param(b"DONE sleep 30\n", "lacks f sleep 30", False, "the pattern is at f:1", id="a pattern with a blank"),
    pytest.param(b"a\nb\n", r"contains f a\nb", True, "f:1", id="a pattern over two lines"),
    pytest.param(b"a\r\nb\r\n", r"contains f a\nb", True, "f:1", id="a pattern over two lines of a CRLF file"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "span", "holds", "said"), SEARCHES)
def test_a_file_is_searched(root: Path, data: bytes, span: str, holds: bool, said: str) -> None:
    write(root, "f", data)
    assert check(root, span) == (Outcome(True, evidence=said) if holds else Outcome(False, reason=said))


@pytest.mark.parametrize("word", ["contains", "lacks"])
@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        pytest.param("x*", "the pattern matches the empty text", id="a pattern that matches nothing at all"),
        pytest.param("a(b", "the pattern is not valid", id="a pattern that is not valid"),
        pytest.param(r"(a|aa)+\1+$", "took too long to search", id="a search that runs out of time"),
    ],
)
def test_a_pattern_that_gives_no_answer_never_holds(root: Path, word: str, pattern: str, said: str) -> None:
    write(root, "f", b"a" * 4000 + b"b")
    outcome = check(root, f"{word} f {pattern}", seconds=0.05)
    assert not outcome.holds
    assert said in outcome.reason
    assert outcome.undecided
    assert not outcome.gone


@pytest.mark.parametrize("word", ["contains", "lacks"])
def test_utf_16_without_a_mark_is_said_and_not_searched(root: Path, word: str) -> None:
    write(root, "f", "DONE".encode("utf-16-le"))
    outcome = check(root, f"{word} f DONE")
    assert outcome.reason.startswith("f looks like UTF-16 without a byte order mark")
    assert (outcome.holds, outcome.undecided) == (False, True)


def test_an_anchored_word_needs_no_engine(root: Path) -> None:
    write(root, "f", b"x\nDONE\n")
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from gatilho.conditions.file_conditions import Tree, evaluate\n"
        "from gatilho.document.condition_grammar import parse_conditions\n"
        "tree = Tree(sys.argv[2])\n"
        "conditions, _ = parse_conditions(['contains f ^DONE$', 'lacks f sleep\\\\s+30', 'exists f', 'missing g'])\n"
        "print(*[evaluate(condition, tree, None).holds for condition in conditions])\n"
        "print(*sorted({'regex', 're', 'subprocess', 'typing', 'unicodedata', 'os'} & set(sys.modules)))"
    )
    command = [sys.executable, "-I", "-S", "-c", program, str(Path(trees.__file__).parents[2]), str(root)]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout.splitlines() == ["True True True True", ""]


class TestPaths:
    """What `exists` and `missing` say, and what cannot be searched."""

    def test_a_file_and_a_directory_are_there(self, root: Path) -> None:
        write(root, "src/a.py")
        assert check(root, "exists src/a.py") == Outcome(True, evidence="src/a.py")
        assert check(root, "exists src") == Outcome(True, evidence="src")
        assert check(root, "missing src/a.py") == Outcome(False, reason="src/a.py is there")

    def test_a_path_that_is_not_there(self, root: Path) -> None:
        write(root, "file")
        assert check(root, "missing src/a.py") == Outcome(True, evidence="src/a.py")
        assert check(root, "exists src/a.py") == Outcome(False, reason="src/a.py is not there")
        assert check(root, "missing file/below") == Outcome(True, evidence="file/below")

    @pytest.mark.parametrize("word", ["contains", "lacks"])
    def test_a_vanished_file_is_neither_payment_nor_regression(self, root: Path, word: str) -> None:
        assert check(root, f"{word} gone.py x") == Outcome(
            False, reason="gone.py is not there", gone=True, undecided=True
        )

    @pytest.mark.parametrize("word", ["contains", "lacks"])
    def test_a_directory_is_not_searched(self, root: Path, word: str) -> None:
        write(root, "src/a.py", "x")
        assert check(root, f"{word} src x") == Outcome(False, reason="src is a directory, not a file", undecided=True)

    @pytest.mark.parametrize("word", ["contains", "lacks"])
    def test_a_fifo_is_not_waited_for(self, root: Path, word: str) -> None:
        os.mkfifo(root / "pipe")
        outcomes: list[Outcome] = []
        thread = threading.Thread(target=lambda: outcomes.append(check(root, f"{word} pipe x")), daemon=True)
        thread.start()
        thread.join(10)
        assert outcomes == [Outcome(False, reason="pipe is a FIFO, not a file", undecided=True)]

    def test_a_fifo_that_took_the_place_of_a_file_is_not_waited_for(self, root: Path) -> None:
        write(root, "f", "x")
        tree = Tree(str(root))
        spot = tree.locate("f")
        (root / "f").unlink()
        os.mkfifo(root / "f")
        with pytest.raises(trees.Unreadable, match="not a regular file"):
            tree.read(spot)

    @pytest.mark.parametrize("word", ["contains", "lacks"])
    def test_a_file_over_the_limit_is_not_searched(self, root: Path, word: str) -> None:
        write(root, "f", b"x" * (trees.LARGEST + 1))
        assert check(root, f"{word} f x") == Outcome(False, reason="f is over 5 MB", undecided=True)
        assert check(root, "exists f").holds

    def test_a_file_at_the_limit_is_searched(self, root: Path) -> None:
        write(root, "f", b"x" * trees.LARGEST)
        assert check(root, "contains f x").holds

    @pytest.mark.parametrize("word", ["contains", "lacks"])
    def test_a_file_that_may_not_be_read(self, word: str) -> None:
        reason = "f cannot be read (Permission denied)"
        with tempfile.TemporaryDirectory() as folder, _as_nobody(Path(folder)):
            write(Path(folder), "f", "x").chmod(0)
            assert check(Path(folder), f"{word} f y") == Outcome(False, reason=reason, undecided=True)

    def test_nested_repositories_are_not_this_one(self, root: Path) -> None:
        write(root, "vendor/lib/.git", "gitdir: elsewhere")
        write(root, "vendor/lib/a.py", "DONE")
        reason = "vendor/lib/a.py belongs to another repository, vendor/lib"
        assert check(root, "contains vendor/lib/a.py DONE") == Outcome(False, reason=reason, undecided=True)
        assert check(root, "missing vendor/lib/a.py") == Outcome(False, reason=reason, undecided=True)
        assert check(root, "exists vendor/lib").holds
        assert check(root, "contains **/*.py DONE").gone
        assert check(root, "missing vendor/lib/*.py").undecided
        reason = "v*/lib/*.py leads into another repository, vendor/lib"
        assert check(root, "missing v*/lib/*.py") == Outcome(False, reason=reason, undecided=True)

    def test_a_decomposed_name_is_found(self, root: Path) -> None:
        write(root, "cafe\u0301.txt", "DONE")
        assert check(root, "contains caf\xe9.txt DONE").evidence == "caf\xe9.txt:1"
        assert check(root, "contains c*\xe9.txt DONE").holds


class TestLinks:
    """Links are followed, but never out of the repository and never for ever."""

    def test_links_inside_are_followed(self, root: Path) -> None:
        write(root, "lib/a.py", "DONE")
        (root / "src").symlink_to("lib")
        (root / "b.py").symlink_to(root / "src" / "a.py")
        assert check(root, "contains src/a.py DONE").evidence == "src/a.py:1"
        assert check(root, "contains b.py DONE").evidence == "b.py:1"

    @pytest.mark.parametrize("target", ["../outside", "{absolute}/outside"])
    @pytest.mark.parametrize("word", ["exists", "missing", "contains", "lacks"])
    def test_links_out_of_the_repository_are_not(self, root: Path, target: str, word: str) -> None:
        write(root.parent, "outside/secret", "DONE")
        (root / "out").symlink_to(target.format(absolute=root.parent))
        outcome = check(root, f"{word} out/secret {'x' if word in ('contains', 'lacks') else ''}".strip())
        assert outcome == Outcome(False, reason="out/secret leads out of the repository", undecided=True)

    def test_a_root_behind_a_link(self, root: Path) -> None:
        write(root, "lib/a.py", "DONE")
        (root / "b.py").symlink_to(root / "lib" / "a.py")
        (root.parent / "alias").symlink_to(root)
        assert check(root.parent / "alias", "contains b.py DONE").holds

    def test_a_link_that_leads_to_itself(self, root: Path) -> None:
        (root / "self").symlink_to("self")
        assert check(root, "exists self") == Outcome(
            False, reason="self is a link that leads to itself", undecided=True
        )
        assert not check(root, "missing self").holds

    def test_a_link_to_nothing(self, root: Path) -> None:
        (root / "l").symlink_to("nothing")
        assert check(root, "exists l") == Outcome(False, reason="l is a link to nothing")
        assert check(root, "missing l") == Outcome(False, reason="l is a link to nothing", undecided=True)
        assert check(root, "lacks l x").gone

    @pytest.mark.parametrize("place", ["docs/gatilhos", ".git"])
    def test_a_link_into_the_store_or_git_shows_nothing(self, root: Path, place: str) -> None:
        write(root, f"{place}/a.md", "DONE")
        (root / "notes").symlink_to(place)
        (root / "note").symlink_to(f"{place}/a.md")
        assert check(root, "contains notes/a.md DONE").undecided
        assert check(root, "contains note DONE").undecided
        assert not check(root, "contains * DONE").holds

    def test_loops_end_and_each_file_is_searched_once(self, root: Path) -> None:
        write(root, "src/a.py", "todo")
        write(root, "n/b.py", "todo")
        (root / "src" / "up").symlink_to("..")
        (root / "src" / "self").symlink_to("self")
        (root / "n" / "m").symlink_to("../n")
        (root / "src" / "other").symlink_to("../n")
        (root / "n" / "back").symlink_to("../src")
        assert check(root, "exists **/x.txt") == Outcome(False, reason="no file matches **/x.txt")
        assert check(root, "contains src/** DONE").reason == "the pattern is not in src/**"
        assert check(root, "lacks **/*.py DONE") == Outcome(True, evidence="**/*.py (2 files)")


class TestGlobs:
    """`contains` wants any file and `lacks` all of them, of which there must be one."""

    def test_a_glob_without_files(self, root: Path) -> None:
        write(root, "src/a.py", "x")
        nothing = Outcome(False, reason="no file matches src/*.nope", gone=True, undecided=True)
        assert check(root, "contains src/*.nope DONE") == nothing
        assert check(root, "lacks src/*.nope DONE") == nothing
        assert check(root, "missing src/*.nope") == Outcome(True, evidence="src/*.nope")
        assert check(root, "exists src/*.nope") == Outcome(False, reason="no file matches src/*.nope")

    def test_any_and_all(self, root: Path) -> None:
        write(root, "src/a.py", "x\n")
        write(root, "src/b.py", "y\nDONE\n")
        assert check(root, "contains src/*.py DONE") == Outcome(True, evidence="src/b.py:2")
        assert check(root, "lacks src/*.py DONE") == Outcome(False, reason="the pattern is at src/b.py:2")
        assert check(root, "lacks src/*.py OLD") == Outcome(True, evidence="src/*.py (2 files)")
        assert check(root, "exists src/*.py") == Outcome(True, evidence="src/a.py")
        assert check(root, "missing src/*.py") == Outcome(False, reason="src/a.py is there")

    def test_one_file_that_cannot_be_searched_keeps_a_lack_open(self, root: Path) -> None:
        write(root, "src/a.py", "DONE")
        write(root, "src/b.py", b"x" * (trees.LARGEST + 1))
        assert check(root, "lacks src/*.py OLD") == Outcome(False, reason="src/b.py is over 5 MB", undecided=True)
        assert check(root, "contains src/*.py DONE").holds

    @pytest.mark.parametrize(
        ("glob", "names"),
        [
            ("*.py", ["a.py"]),
            ("**/*.py", ["a.py", "src/[id]/p.py", "src/b.py", "src/deep/er/c.py"]),
            ("src/**", ["src/.hidden", "src/[id]/p.py", "src/b.py", "src/deep/er/c.py"]),
            ("src/**/c.py", ["src/deep/er/c.py"]),
            ("src/*/er/?.py", ["src/deep/er/c.py"]),
            ("src/*", ["src/.hidden", "src/[id]", "src/b.py", "src/deep"]),
            ("[ab].py", ["a.py"]),
            ("src/[!a-c].py", []),
            ("src/[a-c].py", ["src/b.py"]),
            ("{a,src/b}.py", ["a.py", "src/b.py"]),
            ("{a,src/{b,x}}.{py,pyi}", ["a.py", "src/b.py"]),
            ("src/[id]/p.py", ["src/[id]/p.py"]),
            ("src/[[]id]/*.py", ["src/[id]/p.py"]),
            ("src/[[:alpha:]].py", ["src/b.py"]),
            ("src/[![:digit:]-]*/**/*.py", ["src/[id]/p.py", "src/deep/er/c.py"]),
            ("src/[b-a].py", ["src/b.py"]),
            ("src/[[:digit:]].py", []),
            ("docs/**", ["docs/x.md"]),
            ("**/gatilhos/*", []),
            (".git/**", []),
            ("a.py/*", []),
            ("*b*.p*y", []),
            ("src/*b*.p*y", ["src/b.py"]),
        ],
    )
    def test_what_a_glob_names(self, root: Path, glob: str, names: list[str]) -> None:
        for name in ("a.py", "src/b.py", "src/deep/er/c.py", "src/[id]/p.py", "src/.hidden", "docs/x.md"):
            write(root, name)
        write(root, "docs/gatilhos/a.md")
        write(root, ".git/HEAD")
        assert [spot.real for spot in View(Tree(str(root)), Budget(5), {}).find(glob).spots if not spot.fault] == names

    @settings(max_examples=200)
    @given(st.text("ab.*?[]!-", max_size=6).filter(is_glob), st.text("ab]-!", min_size=1, max_size=6))
    def test_one_name_is_matched_as_by_a_trigger(self, pattern: str, name: str) -> None:
        try:
            by_trigger = regex.search(glob_to_regex(f"/{pattern}"), name) is not None
        except DocumentError:
            assume(False)
        found = View(Tree("/nowhere", {name: b""}), Budget(5), {}).find(pattern).spots
        assert bool(found) == (by_trigger or name == pattern)

    def test_the_condition_does_not_find_its_own_text(self, root: Path) -> None:
        write(root, "docs/gatilhos/a.md", "`lacks ** OLD_FLAG`")
        write(root, "src/a.py", "x")
        assert check(root, "lacks ** OLD_FLAG") == Outcome(True, evidence="** (1 file)")

    def test_a_wildcard_does_not_enter_what_git_ignores_and_a_name_does(self, root: Path) -> None:
        subprocess.run(["git", "init", "-q", str(root)], check=True)
        write(root, ".gitignore", "node_modules/\n")
        write(root, "node_modules/x/a.js", "OLD")
        write(root, "src/a.js", "x")
        assert check(root, "lacks **/*.js OLD") == Outcome(True, evidence="**/*.js (1 file)")
        assert check(root, "contains node_modules/**/*.js OLD").holds
        assert check(root, "missing node_modules/x/*.js").reason == "node_modules/x/a.js is there"

    def test_too_many_names_are_said(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(walk, "MOST_NAMES", 3)
        for name in "abcde":
            write(root, f"{name}.py")
        outcome = check(root, "lacks *.py x")
        assert outcome == Outcome(False, reason="*.py leads through more than 3 files", undecided=True)
        assert check(root, "missing *.txt").undecided

    def test_too_many_alternatives_are_said(self, root: Path) -> None:
        outcome = check(root, "missing " + "{a,b}" * 20)
        assert "more than 100 alternatives" in outcome.reason
        assert not outcome.holds


class TestOverlay:
    """A write that has not happened yet is seen as if it had."""

    def test_planned_content_counts(self, root: Path) -> None:
        write(root, "a.py", "old")
        assert check(root, "contains a.py new", overlay={"a.py": b"x\nnew"}).evidence == "a.py:2"
        assert check(root, "lacks a.py old", overlay={"a.py": b"x\nnew"}).holds

    def test_a_planned_file_in_a_new_directory(self, root: Path) -> None:
        overlay: dict[str, bytes | None] = {"new/deep/a.py": b"DONE"}
        assert check(root, "exists new/deep", overlay=overlay).holds
        assert check(root, "contains new/deep/a.py DONE", overlay=overlay).holds
        assert check(root, "contains new/**/*.py DONE", overlay=overlay).evidence == "new/deep/a.py:1"
        assert check(root, "contains **/a.py DONE", overlay=overlay).evidence == "new/deep/a.py:1"

    def test_a_planned_removal(self, root: Path) -> None:
        write(root, "a.py", "x")
        assert check(root, "missing a.py", overlay={"a.py": None}).holds
        assert check(root, "lacks a.py y", overlay={"a.py": None}).gone
        assert check(root, "missing *.py", overlay={"a.py": None}).holds

    def test_planned_content_is_seen_through_a_link(self, root: Path) -> None:
        write(root, "a.py", "old")
        (root / "b.py").symlink_to("a.py")
        assert check(root, "contains b.py new", overlay={"a.py": b"new"}).holds

    def test_planned_content_over_the_limit(self, root: Path) -> None:
        assert check(root, "lacks a.py y", overlay={"a.py": b"x" * (trees.LARGEST + 1)}).reason == "a.py is over 5 MB"


class TestAll:
    """All conditions of a cell must hold."""

    def test_all_hold(self, root: Path) -> None:
        write(root, "a.py", "new")
        assert check(root, "contains a.py new", "missing b.py") == Outcome(True, evidence="a.py:1, b.py")

    def test_one_fails(self, root: Path) -> None:
        write(root, "a.py", "new")
        outcome = check(root, "contains a.py new", "exists b.py", "lacks gone.py x")
        assert outcome == Outcome(False, reason="b.py is not there; gone.py is not there")

    def test_only_a_vanished_file_fails(self, root: Path) -> None:
        write(root, "a.py", "new")
        assert check(root, "contains a.py new", "lacks gone.py x").gone

    def test_a_command_is_not_run(self, root: Path) -> None:
        outcome = check(root, "passes touch made.txt")
        assert outcome == Outcome(False, reason="commands are not run here", undecided=True)
        assert not (root / "made.txt").exists()

    def test_a_misspelt_half_never_holds(self, root: Path) -> None:
        write(root, "a.py", "new")
        conditions, messages = parse_conditions(["contains a.py new", "exsts b.py"])
        outcome = evaluate_all(conditions, Tree(str(root)), Budget(1.0))
        assert outcome == Outcome(False, reason="`exsts b.py` is not understood", undecided=True)
        assert len(messages) == 1

    def test_no_conditions(self, root: Path) -> None:
        outcome = evaluate_all((), Tree(str(root)), Budget(1.0))
        assert outcome == Outcome(False, reason="declared by a person", undecided=True)


def test_paths_in_are_the_paths_that_conditions_name() -> None:
    spans = ["contains a.py x", "passes make", "lacks src/*.py y", "exists a.py", "nonsense"]
    assert paths_in(parse_conditions(spans)[0]) == ["a.py", "src/*.py"]
