"""Patterns: what is told of them, and exactly where the caret stands."""

import pytest
from builders import Repo, row
from checking import found, marked, problems_of

CODES = ("GT211", "GT212", "GT213", "GT214", "GT215", "GT216", "GT217")


@pytest.mark.parametrize(
    "trigger",
    [
        pytest.param(r"path: ^src/a\.py$", id="plain"),
        pytest.param(r"path: ^src/(a|b)\.py$", id="alternatives"),
        pytest.param(r"path: ^src[/\\]a\.py$", id="either separator"),
        pytest.param("glob: src/**/*.py", id="a glob"),
        pytest.param(r"cmd: \bgit push\b", id="a command"),
        pytest.param(r"cmd: C:\\temp", id="a backslash in a command"),
        pytest.param("start", id="start"),
        pytest.param(r"path: ^src/.*\.py$", id="a star behind a dot"),
    ],
)
def test_nothing_is_said_of(repo: Repo, trigger: str) -> None:
    repo.table(row("D-1", trigger))
    assert found(repo, *CODES) == []


@pytest.mark.parametrize(
    ("trigger", "expected"),
    [
        pytest.param(r"path: ^src/(a\.py$", ("GT211", "error", "D-1", "$"), id="an open bracket"),
        pytest.param("cmd: [", ("GT211", "error", "D-1", "["), id="an open set"),
        pytest.param("path: *.py", ("GT211", "error", "D-1", "*.py"), id="a glob that is no regex"),
        pytest.param(r"path: a|(b|c\d", ("GT211", "error", "D-1", "d"), id="behind escaped pipes"),
        pytest.param("path: docs/*.md", ("GT214", "warning", "D-1", "docs/*.md"), id="a glob that compiles"),
        pytest.param("write: src/*", ("GT214", "warning", "D-1", "src/*"), id="any number of slashes"),
        pytest.param("prompt: a*", ("GT212", "warning", "D-1", "a*"), id="the empty text"),
        pytest.param(
            r"path: ^src\\a\.py$", ("GT215", "warning", "D-1", r"^src\\a\.py$"), id="a backslash between parts"
        ),
        pytest.param("path: (?:a|a)+$", ("GT213", "warning", "D-1", "(?:a\\|a)+$"), id="runs away"),
        pytest.param("glob: !src/a.py", ("GT216", "error", "D-1", "!src/a.py"), id="a glob that takes out"),
        pytest.param("glob: src/[", ("GT216", "error", "D-1", "src/["), id="an open set in a glob"),
    ],
)
def test_a_trigger_is_told_with_the_caret_under_it(repo: Repo, trigger: str, expected: tuple[str, ...]) -> None:
    repo.table(row("D-1", trigger))
    assert found(repo, *CODES) == [expected]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        pytest.param("contains README.md (", ("GT211", "error", "D-1", "("), id="invalid"),
        pytest.param("lacks README.md x*", ("GT217", "error", "D-1", "x*"), id="matches the empty text"),
        pytest.param("contains README.md (x|y)*$", ("GT217", "error", "D-1", "(x\\|y)*$"), id="with a pipe"),
        pytest.param(
            "exists src/[[:letter:]].py",
            ("GT216", "error", "D-1", "exists src/[[:letter:]].py"),
            id="a class that no glob has",
        ),
    ],
)
def test_a_condition_is_told_with_the_caret_under_it(repo: Repo, condition: str, expected: tuple[str, ...]) -> None:
    repo.table(row("D-1", r"path: ^README\.md$", paid_when=condition))
    assert found(repo, *CODES) == [expected]


def test_one_broken_pattern_among_good_ones_is_the_only_one_told(repo: Repo) -> None:
    triggers = [r"path: ^src/(a\.py$", r"path: ^README\.md$", "path: *.py", "cmd: [", "path: ^README"]
    repo.table(*(row(f"D-{number}", trigger) for number, trigger in enumerate(triggers, 1)))
    assert [p.row for p in problems_of(repo) if p.code == "GT211"] == ["D-1", "D-3", "D-4"]
    message = next(p.message for p in problems_of(repo) if p.row == "D-4")
    assert message.startswith("`[` is not a regular expression: ")


def test_the_pattern_of_a_row_that_ended_is_nobodys_worry(repo: Repo) -> None:
    repo.table(row("~~D-1~~", "path: (", state="paid"))
    assert found(repo, *CODES) == []


def test_each_broken_trigger_of_a_row_has_its_own_caret(repo: Repo) -> None:
    repo.table(row("D-1", ["cmd: a(b|(c", "cmd: (c", "cmd: (c(d"]))
    problems = [p for p in problems_of(repo) if p.code == "GT211"]
    assert [(p.place.column, marked(p)) for p in problems] == [(28, "c"), (38, "c"), (50, "d")]
