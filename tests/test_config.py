"""The configuration: defaults, what a file changes, and what is said about a file that is wrong."""

import os
from pathlib import Path

import pytest

from gatilho.config import KINDS, Conditions, Config, Corrections
from gatilho.configfile import load
from gatilho.model import Place, Problem

CONTRACT = """\
ask_after = 3                 # rides
warn = "after"
rides_in = "table"
rule_rides = "table"
unattended = "deny"
budget = 0
briefing = 2000
stores = []
[conditions]
timeout = 30
sandbox = "if there"
recheck_weeks = 6
[corrections]
threshold = 3
proposals_per_week = 5
correction_seconds = 90
approval_seconds = 20
"""


def write(root: Path, text: str | bytes, name: str = "gatilho.toml") -> str:
    (root / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(root)


def only_problem(root: Path, text: str | bytes, name: str = "gatilho.toml") -> Problem:
    _, problems = load(write(root, text, name))
    assert len(problems) == 1, problems
    return problems[0]


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert load(str(tmp_path)) == (Config(), [])


def test_the_defaults_are_those_of_the_contract(tmp_path: Path) -> None:
    assert load(write(tmp_path, CONTRACT)) == (Config(), [])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("ask_after = 5", Config(ask_after=5), id="a number"),
        pytest.param('warn = "before"', Config(warn="before"), id="a word"),
        pytest.param('stores = ["../team", "x"]', Config(stores=("../team", "x")), id="a list"),
        pytest.param("conditions.timeout = 5", Config(conditions=Conditions(timeout=5)), id="a dotted key"),
        pytest.param("[corrections]\r\nthreshold = 4\r\n", Config(corrections=Corrections(4)), id="a table, CRLF"),
        pytest.param(
            '[sources."backlog.md"]\nlifecycle = "debt"', Config(sources={"backlog.md": "debt"}), id="a source"
        ),
        pytest.param(
            "[kinds.runbook]\nhalf_life_days = 45\nttl_days = 180",
            Config(kinds={**KINDS, "runbook": (45, 180)}),
            id="a kind of one's own",
        ),
        pytest.param(
            "[kinds.task]\nttl_days = 10", Config(kinds={**KINDS, "task": (21, 10)}), id="half of a built-in kind"
        ),
        pytest.param("[kinds.directive]\nttl_days = 10", Config(), id="an exempt kind stays exempt"),
        pytest.param(b"\xef\xbb\xbfask_after = 4", Config(ask_after=4), id="a byte order mark"),
        pytest.param("", Config(), id="an empty file"),
    ],
)
def test_what_a_file_says(tmp_path: Path, text: str | bytes, expected: Config) -> None:
    assert load(write(tmp_path, text)) == (expected, [])


@pytest.mark.parametrize(
    ("text", "code", "place", "message", "remedy"),
    [
        pytest.param(
            "budget = 0\nask_afer = 3",
            "GT002",
            (2, 1),
            "unknown key `ask_afer`",
            "Did you mean `ask_after`?",
            id="typo",
        ),
        pytest.param(
            "[conditons]\ntimeout = 3", "GT002", (1, 2), "unknown key `conditons`", "`conditions`", id="typo in a table"
        ),
        pytest.param(
            "[conditions]\n  time_out = 3",
            "GT002",
            (2, 3),
            "unknown key `conditions.time_out`",
            "`timeout`",
            id="nested",
        ),
        pytest.param("zzz = 1", "GT002", (1, 1), "unknown key `zzz`", "Known here: ask_after, ", id="nothing near"),
        pytest.param(
            'ask_after = "3"',
            "GT003",
            (1, 1),
            "`ask_after` must be a whole number of 1 or more, not '3'",
            "",
            id="text",
        ),
        pytest.param("ask_after = true", "GT003", (1, 1), "not true", "", id="a bool is no number"),
        pytest.param("ask_after = 0", "GT003", (1, 1), "1 or more", "", id="too small"),
        pytest.param('warn = "never"', "GT003", (1, 1), '"after" or "before"', "", id="a word not known"),
        pytest.param("stores = [1]", "GT003", (1, 1), "a list of texts", "", id="a list of numbers"),
        pytest.param('stores = ["a\\u0000"]', "GT003", (1, 1), "a list of texts", "", id="a NUL in a path"),
        pytest.param("conditions = 3", "GT003", (1, 1), "a table, [conditions]", "", id="a number for a table"),
        pytest.param('[sources]\n"a.md" = 1', "GT003", (2, 1), "a table", "", id="a number for a source"),
        pytest.param(
            '[sources."a.md"]\nlifecycle = "dept"', "GT003", (2, 1), '"rule" or "debt"', "", id="lifecycle not known"
        ),
        pytest.param("[kinds.x]\nttl_days = 4", "GT005", (1, 8), "half_life_days", "half_life_days", id="half a kind"),
        pytest.param("a = = 1", "GT001", (1, 5), "this is not TOML", "", id="syntax"),
        pytest.param("a = [", "GT001", (1, 6), "this is not TOML", "", id="syntax at the end"),
        pytest.param("ask_after =\n", "GT001", (1, 12), "this is not TOML", "", id="a line that says too little"),
        pytest.param(b'warn = "\xff"', "GT001", (1, 1), "UTF-8", "", id="not UTF-8"),
    ],
)
def test_what_is_wrong_is_said(
    tmp_path: Path, text: str | bytes, code: str, place: tuple[int, int], message: str, remedy: str
) -> None:
    problem = only_problem(tmp_path, text)
    assert (problem.code, problem.severity) == (code, "error")
    assert problem.place == Place("gatilho.toml", *place)
    assert message in problem.message
    assert remedy in problem.remedy


def test_a_wrong_key_keeps_its_default_and_the_others_hold(tmp_path: Path) -> None:
    config, problems = load(write(tmp_path, 'ask_after = "x"\nbudget = 900\nnonsense = 1\n'))
    assert config == Config(budget=900)
    assert [problem.code for problem in problems] == ["GT003", "GT002"]


def test_a_broken_file_leaves_the_defaults(tmp_path: Path) -> None:
    assert load(write(tmp_path, "budget = 900\nask_after ="))[0] == Config()


def test_the_table_in_pyproject_is_read(tmp_path: Path) -> None:
    root = write(tmp_path, "[project]\nname = 'x'\n[tool.gatilho]\nask_after = 7\n", "pyproject.toml")
    assert load(root) == (Config(ask_after=7), [])


def test_a_problem_in_pyproject_has_its_place(tmp_path: Path) -> None:
    problem = only_problem(tmp_path, "[project]\nname = 'x'\n[tool.gatilho.conditions]\ntimeot = 7\n", "pyproject.toml")
    assert problem.place == Place("pyproject.toml", 4, 1)


def test_both_files_are_one_too_many(tmp_path: Path) -> None:
    write(tmp_path, "[tool.gatilho]\nask_after = 7\n", "pyproject.toml")
    config, problems = load(write(tmp_path, "ask_after = 8\n"))
    assert config.ask_after == 8
    assert [(problem.code, problem.place) for problem in problems] == [("GT004", Place("pyproject.toml", 1, 7))]


def test_a_pyproject_that_only_depends_on_us_is_no_configuration(tmp_path: Path) -> None:
    write(tmp_path, "[project]\ndependencies = ['gatilho']\n", "pyproject.toml")
    assert load(write(tmp_path, "ask_after = 8\n")) == (Config(ask_after=8), [])


def test_a_broken_pyproject_that_never_speaks_of_us_is_not_ours_to_judge(tmp_path: Path) -> None:
    assert load(write(tmp_path, "[project\n", "pyproject.toml")) == (Config(), [])


def test_a_file_that_cannot_be_read_leaves_the_defaults(tmp_path: Path) -> None:
    (tmp_path / "gatilho.toml").mkdir()
    config, problems = load(str(tmp_path))
    assert config == Config()
    assert [problem.code for problem in problems] == ["GT001"]


def test_a_configuration_can_be_hashed() -> None:
    assert hash(Config()) == hash(Config())
    assert hash(Config(kinds={**KINDS, "x": (1, 2)})) != hash(Config())


@pytest.mark.skipif(os.name != "posix", reason="links")
def test_a_file_outside_of_the_repository_is_not_printed_as_a_configuration(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("password: gatilho\n")
    (tmp_path / "inner").mkdir()
    root = tmp_path / "inner" / "repository"
    root.mkdir()
    for name in ("gatilho.toml", "pyproject.toml"):
        (root / name).symlink_to(tmp_path / "secret")
    (problem,) = load(str(root))[1]
    assert (problem.place.file, problem.text) == ("gatilho.toml", "")
    assert problem.message == "the file cannot be read: it is a link that leads out of the repository"
    (root / "own.toml").write_text("ask_after = 5\n")
    (root / "gatilho.toml").unlink()
    (root / "gatilho.toml").symlink_to("own.toml")
    assert load(str(root))[0].ask_after == 5
