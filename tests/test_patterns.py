"""The engine behind its limits: one budget for all, no pattern that costs another its answer, no noise."""

import os
import subprocess
import sys
import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatilho.triggers import paths, patterns
from gatilho.triggers.patterns import Budget

RUNAWAY = r"^(\w|\w\w|/)+\.py$"
RUNAWAY_TEXT = "src/" + 40 * "a" + "/file.pyc"


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        pytest.param(r"docs/(?i)readme", "docs/README.md", True, id="flags in the middle hold from there"),
        pytest.param(r"docs/(?i)readme", "DOCS/README.md", False, id="and not before"),
        pytest.param(r"(?<!tests/.*)conftest\.py$", "tests/x/conftest.py", False, id="look-behind of any length"),
        pytest.param(r"(?<!tests/.*)conftest\.py$", "conftest.py", True, id="look-behind that finds nothing"),
        pytest.param(r"^\p{Lu}", "Éa.txt", True, id="properties"),
        pytest.param(r"[[a-z]--[aeiou]]", "b.txt", False, id="no set operations in the default version"),
        pytest.param(r"(?i)^makefile$", "Makefile", True, id="flags in front"),
        pytest.param(r"^src/a\.py$", "src/a.pyc", False, id="an anchored end"),
        pytest.param(r"^b$", "a\nb\nc", False, id="anchors are those of the text"),
        pytest.param(r"push$", "git push\n", True, id="the end is also before a final newline"),
    ],
)
def test_search(pattern: str, text: str, found: bool) -> None:
    assert patterns.search(pattern, text, Budget(1)) is found


@pytest.mark.parametrize(
    ("text", "span"),
    [
        pytest.param("a\nb\nc", (2, 3), id="text"),
        pytest.param(b"a\nb\nc", (2, 3), id="bytes"),
        pytest.param("a\nbb", None, id="nothing"),
    ],
)
def test_find_by_line(text: str | bytes, span: tuple[int, int] | None) -> None:
    assert patterns.first_match("^b$", text, Budget(1), multiline=True) == span


def test_find_in_bytes_that_are_no_text() -> None:
    assert patterns.first_match("né", b"\xff\x00n\xc3\xa9", Budget(1)) == (2, 5)


def test_runaway_pattern_is_stopped_and_noted_once() -> None:
    budget = Budget(0.05)
    assert not patterns.search(RUNAWAY, RUNAWAY_TEXT, budget)
    assert not patterns.search(RUNAWAY, RUNAWAY_TEXT, budget)
    assert budget.timed_out == [RUNAWAY]
    assert budget.left <= 0


@pytest.mark.parametrize("pattern", ["(?R)", "(?R){1,}", "(a|(?1))*(?1)", "(?P<n>(?&n))", "(?P<n>(?P>n))", "((?-1))"])
def test_endless_recursion_takes_only_part_of_the_budget(pattern: str) -> None:
    budget = Budget(60)
    assert not patterns.search(pattern, "bbbb", budget)
    assert patterns.search("b", "bbbb", budget)
    assert pattern in budget.timed_out or budget.is_invalid(pattern)


def test_nothing_is_searched_once_the_budget_is_spent() -> None:
    budget = Budget(0.02)
    patterns.search(RUNAWAY, RUNAWAY_TEXT, budget)
    assert not patterns.search("a", "a", budget)
    assert not patterns.search("a", "aa", budget)
    assert budget.skipped == ["a"]


def test_forty_runaway_patterns_cost_one_budget_and_no_answer() -> None:
    budget = Budget(0.3)
    bad = [(f"{RUNAWAY}|x{number}z", RUNAWAY_TEXT) for number in range(40)]
    good = (r"^src/.*\.pyc$", RUNAWAY_TEXT)
    answers = patterns.search_each([*bad, good, ("^lib/.*x", RUNAWAY_TEXT)], budget)
    assert answers == [False] * 40 + [True, False]
    assert sorted(budget.timed_out) == sorted(pattern for pattern, _ in bad)
    # The shortest search is a millisecond, and the last ones may find less than that left.
    assert budget.left > -0.1


def test_a_busy_machine_takes_no_time_from_the_budget() -> None:
    """Others that run in between, here those that are waited for, leave each pattern its turn."""
    budget = Budget(0.2)
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * (os.cpu_count() or 1))]
    try:
        started = time.process_time()
        answers = patterns.search_each([(RUNAWAY, RUNAWAY_TEXT), ("^src/", RUNAWAY_TEXT)], budget)
        spent = time.process_time() - started
    finally:
        for one in busy:
            one.kill()
            one.wait()
    assert answers == [False, True]
    assert 0.15 <= spent < 0.5


def test_slow_search_gets_what_the_others_leave() -> None:
    # A million steps: more than the 5 ms that each gets at first, far less than the second that is left then.
    slow = (r"(?:a|a)+$|aab", 19 * "a" + "b")
    budget = Budget(2)
    answers = patterns.search_each([slow] + [("b.", "abc")] * 200, budget)
    assert answers == [True] * 201
    assert budget.timed_out == []


def test_invalid_pattern_is_noted_once_and_leaves_the_others_working() -> None:
    budget = Budget(1)
    texts = ["src/a.py", "src/b.py"]
    rows = [r"^src/(a\.py$", "*.py", "[", r"^src/.*\.py$"]
    answers = patterns.search_each([(row, text) for row in rows for text in texts], budget)
    assert answers == [False] * 6 + [True] * 2
    assert budget.invalid == [
        (r"^src/(a\.py$", "missing )"),
        ("*.py", "nothing to repeat"),
        ("[", "unterminated character set"),
    ]


@pytest.mark.parametrize(
    ("pattern", "message", "column"),
    [
        pytest.param("src/(a", "missing )", 7, id="an open group"),
        pytest.param("a)b", "unbalanced parenthesis", 2, id="a group too many"),
        pytest.param("*.py", "nothing to repeat", 1, id="nothing to repeat"),
        pytest.param(r"\L<names>", "undefined named list", 10, id="a named list"),
        pytest.param("a" * 5_000, "it is longer than 4,000 characters; divide it among several rows", 1, id="too long"),
        pytest.param("(" * 1_500 + ")" * 1_500, "groups are nested too deeply", 1, id="too deep"),
    ],
)
def test_compile_problem(pattern: str, message: str, column: int) -> None:
    assert patterns.compile_problem(pattern) == (message, column)


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param("(?:a{1000}){1000}", id="nested counts"),
        pytest.param("(?:(?:(?:a{100}){100}){100}){100}", id="counts that would fill any memory"),
        pytest.param("a{1000000}", id="one count"),
        pytest.param("(?:[ab]c{500}d){60000,}", id="an open count"),
        pytest.param("(?#[)(?:a{1000}){1000}", id="behind a bracket in a comment"),
        pytest.param("[[:](?:a{1000}){1000}", id="behind a bracket that names no class"),
        pytest.param("(?x)(?:a{1 000}){10 00}", id="with blanks in verbose mode"),
    ],
)
def test_counted_repeats_that_would_fill_the_memory_are_refused(pattern: str) -> None:
    problem = patterns.compile_problem(pattern)
    assert problem is not None
    assert "counted repeats" in problem[0]


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param(r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$", id="a date"),
        pytest.param(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", id="a UUID"),
        pytest.param("a{0,60000}", id="a count that demands nothing"),
        pytest.param(r"\{99999\}", id="no count at all"),
        pytest.param("{{ name }}", id="braces of a template"),
        pytest.param("(?:ab{3}){4}" * 20, id="many small counts"),
    ],
)
def test_ordinary_counts_are_fine(pattern: str) -> None:
    assert patterns.compile_problem(pattern) is None


@pytest.mark.parametrize(
    ("pattern", "empty"),
    [
        ("", True),
        (".*", True),
        ("a*", True),
        ("^", True),
        ("$", True),
        ("()", True),
        ("a|", True),
        ("(?=a)", False),
        ("a", False),
        ("[", False),
    ],
)
def test_matches_empty(pattern: str, empty: bool) -> None:
    assert patterns.matches_empty(pattern) is empty


@pytest.mark.parametrize(
    ("pattern", "normal"),
    [
        pytest.param("^co\u0301digo/", "^código/", id="decomposed letters"),
        pytest.param("^código/", "^código/", id="composed letters"),
        pytest.param("^src/", "^src/", id="nothing to do"),
        pytest.param("a(?=\u0338)b", "a(?=\u0338)b", id="syntax that would compose"),
    ],
)
def test_normalise(pattern: str, normal: str) -> None:
    assert paths.normalise(pattern) == normal


def test_no_other_mark_composes_with_syntax() -> None:
    marks = [chr(code) for code in range(0x300, 0x3100) if unicodedata.combining(chr(code))]
    syntax = [*map(chr, range(0x20, 0x30)), *map(chr, range(0x3A, 0x41)), *"[\\]^_`{|}~0123456789"]
    composing = {mark for mark in marks for sign in syntax if len(unicodedata.normalize("NFC", sign + mark)) == 1}
    # A backtick ends a code span, so no pattern has one before a mark.
    assert composing - {"\u0338"} <= {mark for mark in marks if unicodedata.normalize("NFC", "`" + mark) != "`" + mark}


@settings(max_examples=200)
@given(st.text(alphabet="ab\\[]{}(),:^-123?*+|#", max_size=16))
def test_tokens_lose_nothing(pattern: str) -> None:
    tokens = list(patterns.tokens(pattern))
    assert "".join(tokens) == pattern
    assert all(tokens)


def test_importing_loads_no_engine_and_searching_makes_no_noise() -> None:
    program = (
        "import sys\n"
        "from gatilho.triggers import globs, literals, patterns, suspicions\n"
        "loaded = {'regex', 're', 'warnings', 'unicodedata', 'pathspec', 'typing', 'enum'} & (set(sys.modules) - before)\n"
        "assert not loaded, loaded\n"
        "budget = patterns.Budget(1)\n"
        "for pattern in ('[[a-z]--[aeiou]]', '[a||b]', 'docs/(?i)x', r'\\d{2}', '[[]', '[a&&b]'):\n"
        "    patterns.search(pattern, 'x', budget)\n"
        "assert not budget.invalid, budget.invalid\n"
    )
    program = "import sys; before = set(sys.modules)\n" + program
    result = subprocess.run(
        [sys.executable, "-W", "always", "-c", program], capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
