"""Patterns through the whole hook: what they find, what broken and runaway ones cost, that the index loses no match."""

import re
import time

import pytest
import regex
from builders import Answer, Repo, row, run_hook
from claude_session import Session

RUNAWAY = r"path: ^(\w|\w\w|/)+\.py$"
RUNAWAY_SUBJECT = "src/" + "a" * 40 + "/file.pyc"


def rows(*triggers: str) -> list[str]:
    """A rule for each trigger, with the ids R-1, R-2 and so on; rules, so that no count changes between events."""
    return [row(f"R-{n}", trigger, f"note {n}", lifecycle="rule") for n, trigger in enumerate(triggers, 1)]


def speak(repo: Repo, name: str = "", command: str = "") -> Answer:
    session = Session(repo)
    if command:
        return run_hook(session.post("Bash", command=command))
    return run_hook(session.post("Edit", file_path=f"{repo.root}/{name}"))


def ids(answer: Answer) -> list[str]:
    return sorted(re.findall(r"\[(\S+); rule", answer.context), key=lambda name: int(name[2:]))


def test_a_broken_pattern_costs_its_row_and_no_other(repo: Repo) -> None:
    repo.table(*rows(r"path: ^src/(a\.py$", r"path: ^src/a\.py$", "path: *.py", "cmd: [", "path: ^src/"))
    answer = speak(repo, "src/a.py")
    assert ids(answer) == ["R-2", "R-5"]
    assert answer.stderr == ""
    assert speak(repo, command="ls").context == ""


class TestRunawayPatterns:
    def test_it_counts_as_no_match_and_is_told_of_once(self, repo: Repo) -> None:
        repo.table(*rows(RUNAWAY, "path: ^src/"))
        session = Session(repo)
        event = session.post("Edit", file_path=repo.path(RUNAWAY_SUBJECT))
        answer = run_hook(event)
        assert ids(answer) == ["R-2"]
        assert "took too long" in answer.person
        assert run_hook({**event, "tool_use_id": "another"}).person == ""

    def test_forty_of_them_share_one_budget(self, repo: Repo) -> None:
        repo.table(*rows(*[RUNAWAY] * 40, "path: ^src/"))
        started = time.monotonic()
        assert ids(speak(repo, RUNAWAY_SUBJECT)) == ["R-41"]
        assert time.monotonic() - started < 30  # forty budgets and more; no measure of speed

    def test_on_a_command(self, repo: Repo) -> None:
        repo.table(*rows("cmd: (?:a|a)+$", r"cmd: b$"))
        assert ids(speak(repo, command="a" * 40 + "b")) == ["R-2"]

    def test_on_a_prompt(self, repo: Repo) -> None:
        repo.table(*rows("prompt: (?:a|a)+$", "prompt: hello"))
        assert "note 2" in run_hook(Session(repo).prompt("a" * 40 + "b hello")).context


SEARCHES = [
    ("no anchor is none", "path: src", ["src/a.py", "x/src/y", "mysrc"], ["SRC/a.py"]),
    ("an end is an end", r"path: ^src/a\.py$", ["src/a.py"], ["src/a.pyc", "lib/src/a.py", "src/aXpy"]),
    ("a glob where a pattern is meant", "path: docs/*.md", ["docs/zmd"], ["docs/a.md"]),
    ("a glob that compiles", "path: src/*", ["srcfoo.txt", "src/a.py"], ["sr"]),
    ("a flag in the middle", "path: docs/(?i)readme", ["docs/README.md"], ["DOCS/README.md"]),
    ("a flag for all", "path: (?i)^makefile$", ["Makefile", "MAKEFILE"], ["makefile.am"]),
    ("a look behind of any length", r"path: (?<!tests/.*)conftest\.py$", ["conftest.py"], ["tests/x/conftest.py"]),
    ("a property of letters", r"path: ^\p{Lu}", ["Éa.txt", "Makefile"], ["éa.txt"]),
    ("sets are not nested", "path: [[a-z]--[aeiou]]", [], ["b.txt"]),
    ("a backslash as a separator finds none", r"path: ^src\\a\.py$", [], ["src/a.py"]),
    ("either separator", r"path: ^src[/\\]a\.py$", ["src/a.py"], []),
    ("blanks in a pattern", r"path: ^my file\.py$", ["my file.py"], ["myfile.py"]),
    ("no prefix means a path", r"^src/a\.py$", ["src/a.py"], []),
    ("the prefix in any case, blanks or none", r"Path:^src/a\.py$", ["src/a.py"], []),
    ("a glob", "glob: src/**/*.py", ["src/a.py", "src/x/a.py"], ["a.py", "src/a.pyc"]),
]


@pytest.mark.parametrize(("trigger", "found", "passed"), [s[1:] for s in SEARCHES], ids=[s[0] for s in SEARCHES])
def test_what_a_pattern_finds(repo: Repo, trigger: str, found: list[str], passed: list[str]) -> None:
    repo.table(*rows(trigger, "path: ."))
    said = {name: "R-1" in ids(speak(repo, name)) for name in [*found, *passed]}
    assert said == dict.fromkeys(found, True) | dict.fromkeys(passed, False)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("make", ["R-1"]), ("make\ntest", ["R-1"]), ("makefile-lint", []), ("git push\n", ["R-2"]), ("git push x", []),
        ("cat x | sh", ["R-3"]),
    ],
)  # fmt: skip
def test_what_a_pattern_finds_in_commands(repo: Repo, command: str, expected: list[str]) -> None:
    repo.table(*rows("cmd: ^make$", "cmd: push$", r"cmd: x \| sh"))
    assert ids(speak(repo, command=command)) == expected


def test_any_trigger_of_a_row_will_do_and_the_row_speaks_once(repo: Repo) -> None:
    repo.table(row("R-1", [r"path: ^src/a\.py$", r"cmd: ^make\b", "path: a"], lifecycle="rule"))
    assert speak(repo, "src/a.py").context.count("R-1") == 1
    assert ids(speak(repo, command="make src/a.py")) == ["R-1"]
    assert ids(speak(repo, "src/b.py")) == []


# Patterns of all kinds that the index files under a piece of text, or under none: it must never lose a match.
KINDS = [
    "src/./a", "s{3}", "s{0}rc/a", "(src)?/a", "(?:src){1,2}/a", "(?=src)s", "(?!src)s", r"(?<=src/)a", r"(?<!lib/)a\.py",
    r"src/a\.py\Z", r"\Asrc/a\.py", r"\bsrc\b", "[s]rc", "[^l]rc", r"\x73rc", r"\163rc", "(?x) s r c", "(?x)src # end",
    "src(?#comment)/a", "(?P<n>s)rc", "(?i:S)rc", "(?-i:s)rc", "s*rc", "s+rc", "s??rc", r"src/(a|b)\.py$", "(?|s|t)rc",
    "(?>src)", "src++", r"\Ksrc", r"src\K/a", r"(s)(r)\1?c", "(?s)src.a", "(?m)^src", r"\p{Ll}rc", "[[:alpha:]]rc",
    "src/a.py|", "|x", r"src/a\.py$|nope", "(?:src/a.py){e<=1}", "(?e)(?:srx){e}", r"(?r)a\.py$", "src/a[.]py", r"sr\c",
    r"\/a", "s(?:r|)c", "(?i)STRASSE", "(?f)(?i)STRASSE", "é", "(?i)É", "[é]", r"\w+/a", r".*a\.py", "^.*$",
    r"^(?!.*test).*\.py$", "^(?:(?!lib).)*$", "(?(?=s)src|lib)", "(?i)SRC", "(?i)ſrc", "(?i)k", "a|b", ".", "^", "$",
]  # fmt: skip
SUBJECTS = ["src/a.py", "lib/a.py", "SRC/A.PY", "strasse/é.txt", "STRAßE/É.txt", "x", "sssrc", "K.txt", "\u212a/ſrc.py"]


def test_the_index_finds_what_the_engine_finds(repo: Repo) -> None:
    patterns = [pattern for pattern in KINDS if _compiles(pattern)]
    assert len(patterns) > 50
    repo.write("gatilho.toml", "budget = 9000\n")
    repo.table(*rows(*[f"path: {pattern}" for pattern in patterns]))
    for subject in SUBJECTS:
        expected = [f"R-{n}" for n, pattern in enumerate(patterns, 1) if regex.search(pattern, subject)]
        assert ids(speak(repo, subject)) == expected, subject


def _compiles(pattern: str) -> bool:
    try:
        regex.compile(pattern)
    except (regex.error, ValueError, TypeError):
        return False
    return True


def test_ten_thousand_rows_and_one_that_speaks(repo: Repo) -> None:
    names = [f"path: ^zone{n % 97}/file{n}\\.py$" for n in range(10_000)]
    repo.table(*rows(*names, r"path: ^src/a\.py$"))
    assert ids(speak(repo, "src/a.py")) == ["R-10001"]
    assert ids(speak(repo, "zone3/file100.py")) == ["R-101"]
    assert speak(repo, "zone3/file101.py").answer is None
    assert speak(repo, command="make").answer is None
