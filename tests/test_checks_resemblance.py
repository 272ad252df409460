"""Rows that say the same, the opposite, or what a file for agents says."""

import time

import pytest
from builders import HEADER, Repo, row
from checking import found, problems_of

from gatilho.memory.directives import are_opposite, read_directive


def test_each_group_of_near_duplicates_is_named_with_its_scores(repo: Repo) -> None:
    numbers = (37, 15, 11, 9, 8, 7, 3, 2)
    rows = [row(f"D-{n}", r"path: ^README\.md$", f"There are {n} snapshots left.") for n in numbers]
    rows += [row(name, r"path: ^README\.md$", "Run the linter before you push.") for name in ("D-100", "D-101")]
    repo.table(*rows)
    first, second = (problem.message for problem in problems_of(repo))
    assert first == (
        "D-2 says nearly the same as D-37 (docs/gatilhos/backlog.md:3, score 100), D-15 (docs/gatilhos/backlog.md:4, "
        "score 100), D-11 (docs/gatilhos/backlog.md:5, score 100), D-9 (docs/gatilhos/backlog.md:6, score 100), "
        "D-8 (docs/gatilhos/backlog.md:7, score 100) and 2 more"
    )
    assert second == "D-101 says nearly the same as D-100 (docs/gatilhos/backlog.md:11, score 100)"


def test_a_new_row_is_the_one_that_is_named(repo: Repo) -> None:
    old = row("D-1", r"path: ^README\.md$", "Run the linter before you push.")
    repo.table(old)
    repo.table(row("D-2", r"path: ^README\.md$", "Run the linters before you push"), old, commit=False)
    assert found(repo) == [("GT261", "note", "D-2", "Run the linters before you push")]


def test_rows_that_ended_are_not_compared(repo: Repo) -> None:
    rows = [row(f"~~D-{n}~~", "cmd: make", "Run the linter before you push.", state="paid") for n in (1, 2)]
    repo.table(*rows, row("D-3", "cmd: make", "Run the linter before you push."))
    assert found(repo) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Always commit the generated client.", "Never commit the generated client."),
        ("Use the frozen clock in tests", "Don't use the frozen clock in tests"),
        ("Prefer tabs over blanks", "Prefer blanks over tabs"),
        ("Use pnpm, not npm", "use npm instead of pnpm"),
        ("Sempre rode a suíte completa antes", "Nunca rode a suíte completa antes"),
    ],
)
def test_opposite_directives_at_one_trigger_are_candidates(repo: Repo, one: str, other: str) -> None:
    repo.table(
        row("R-1", ["path: ^src/x", r"path: ^README\.md$"], one, lifecycle="rule"),
        row("R-2", r"path: ^README\.md$", other, lifecycle="rule"),
    )
    assert found(repo, "GT261", "GT262") == [("GT262", "note", "R-2", other)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Always commit the generated client.", "Never push to the main branch."),
        ("Run make client after a change", "Do not edit the generated files"),
        ("Never log a token", "Never log a password or a token"),
    ],
)
def test_directives_about_different_things_are_none(one: str, other: str) -> None:
    assert not are_opposite(read_directive(one), read_directive(other))


def test_other_triggers_make_no_opposites(repo: Repo) -> None:
    repo.table(
        row("R-1", r"path: ^README\.md$", "Always commit the generated client.", lifecycle="rule"),
        row("R-2", "cmd: make", "Never commit the generated client.", lifecycle="rule"),
    )
    assert found(repo, "GT262") == []


def test_a_note_that_restates_a_line_or_a_paragraph_of_a_file_for_agents_is_noted(repo: Repo) -> None:
    repo.write("AGENTS.md", "# Rules\n\n- Run `make client` after a\n  change of the schema.\n- Be kind\n")
    repo.write("web/CLAUDE.md", "Never edit the generated files!\n\nTests are slow.\n")
    repo.table(
        row("R-1", r"path: ^README\.md$", "Run make client after a change of the schema", lifecycle="rule"),
        row("R-2", r"path: ^web/", "never edit the generated files", lifecycle="rule"),
        row("R-3", r"path: ^web/", "tests of the parser take long", lifecycle="rule"),
    )
    said = {problem.row: problem.message for problem in problems_of(repo) if problem.code == "GT263"}
    assert said == {
        "R-1": "AGENTS.md:3 says the same as R-1 (score 100), in every session",
        "R-2": "web/CLAUDE.md:1 says the same as R-2 (score 98), in every session",
    }


@pytest.mark.slow
def test_ten_thousand_rows_are_compared_in_seconds(repo: Repo) -> None:
    subjects = ("cache", "queue", "index", "token", "header", "session", "ledger", "parser", "reader", "writer")
    facts = ("must be cleared before", "is written twice after", "leaks memory during", "needs a lock around")
    lines = [
        row(f"D-{n}", f"path: ^src/m{n}/", f"The {subjects[n % 10]} of part{n // 40} {facts[n // 10 % 4]} step{n * 7}")
        for n in range(10_000)
    ]
    repo.write("docs/gatilhos/backlog.md", HEADER + "".join(f"{line}\n" for line in lines))
    started = time.process_time()
    problems_of(repo)
    assert time.process_time() - started < 60  # ten on a machine that does nothing else
