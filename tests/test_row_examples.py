"""Examples in rows: proved as the hook would match them, followed through renames, asked for and shown."""

import io
import json
import sys
from collections.abc import Callable

import pytest
from builders import BACKLOG, Output, Repo
from checking import found, problems_of

from gatilho.document.examples import parse_example
from gatilho.writing.form import ask_examples

Run = Callable[..., Output]
HEADER = "| id | lifecycle | trigger | note | examples |\n| --- | --- | --- | --- | --- |\n"


def table(repo: Repo, trigger: str, examples: str) -> None:
    repo.table(f"| R-1 | rule | {trigger} | a note | {examples} |", header=HEADER)


@pytest.mark.parametrize(
    ("trigger", "example"),
    [
        ("`path: ^src/`", "yes: src/a.py"),
        ("`path: ^src/`", "no: docs/a.md"),
        ("`path: ^src/`", "sim: src/a.py"),
        ("`write: ^src/`", "yes: src/a.py"),
        ("`glob: *.py` `cmd: push`", "yes: cmd git push --force"),
        (r"`cmd: \bpush\b`", "no: cmd git commit -m 'do not push'"),
        ("`path: ^src/`", "yes: cmd sed -i s/1/2/ src/a.py"),
        ("`path: ^src/`", "yes: ./src/a.py"),
        ("`path: ^src/`", "yes: src\\new.py"),
        ("`mark: R-1`", "yes: src/a.py"),
        ("`mark: R-1`", "no: src/b.py"),
        ("`prompt: deploy`", "yes: prompt please deploy it"),
        ("`prompt: deploy`", "no: deploy"),
        ("`path: ^src/`", "não: prompt src/a.py"),
    ],
)
def test_an_example_that_is_true_is_no_problem_and_its_contrary_is_one(repo: Repo, trigger: str, example: str) -> None:
    repo.write("src/a.py", "# gatilho: R-1\n")
    table(repo, trigger, f"`{example}`")
    assert found(repo, "GT227", "GT228") == []
    answer, _, rest = example.partition(":")
    contrary = f"{'no' if answer in ('yes', 'sim') else 'yes'}:{rest}"
    table(repo, trigger, f"`{contrary}`")
    assert found(repo, "GT227", "GT228") == [("GT227", "warning", "R-1", contrary)]


@pytest.mark.parametrize("span", ["src/a.py", "yes:", "maybe: a", "yes", ""])
def test_what_is_no_example(span: str) -> None:
    assert parse_example(span) is None


def test_a_span_that_is_no_example_is_reported_and_a_pipe_is_read(repo: Repo) -> None:
    table(repo, r"`cmd: a \| b`", r"`yes: cmd echo a \| b` `src/a.py`")
    assert found(repo, "GT227", "GT228") == [("GT228", "warning", "R-1", "src/a.py")]
    table(repo, "`path: a`", "yes: src/a.py")  # without a code span
    assert found(repo, "GT227", "GT228") == [("GT228", "warning", "R-1", "yes: src/a.py")]


def test_a_fix_that_follows_a_rename_keeps_the_examples_true(repo: Repo, run_cli: Run) -> None:
    repo.write("src/a.py", "x = 1\n" * 20)
    repo.write("web/a.ts", "let x\n" * 20)
    table(repo, r"`path: ^src/a\.py$`", "`yes: src/a.py` `no: web/a.ts`")
    repo.git("mv", "src", "lib")
    repo.commit()
    assert [code for code, *_ in found(repo)] == ["GT226", "GT227"]
    assert run_cli("check", "--fix").status == 0
    assert repo.read(BACKLOG).endswith(r"| `path: ^lib/a\.py$` | a note | `yes: lib/a.py` `no: web/a.ts` |" + "\n")
    assert found(repo) == []


def test_a_rename_that_would_break_an_example_is_left_to_a_person(repo: Repo, run_cli: Run) -> None:
    repo.write("src/a.py", "x = 1\n" * 20)
    table(repo, "`path: ^src/`", "`yes: src/a.py` `no: lib/b.py`")
    repo.git("mv", "src", "lib")
    repo.commit()
    (problem,) = [one for one in problems_of(repo) if one.code == "GT226"]
    assert problem.respelling is None
    assert problem.remedy == "write `path: ^lib/`, and correct its example `no: lib/b.py`, which would not be true"
    before = repo.read(BACKLOG)
    run_cli("check", "--fix")
    assert "`path: ^src/`" in repo.read(BACKLOG)
    assert "no: lib/b.py" in before


def test_why_shows_them_and_add_proves_them(repo: Repo, run_cli: Run) -> None:
    table(repo, "`path: ^src/`", "`yes: src/a.py` `no: docs/a.md`")
    assert "Examples\n  yes: src/a.py\n  no: docs/a.md\n" in run_cli("show", "R-1").stdout
    assert "examples: `yes: src/a.py`, `no: docs/a.md`" in run_cli("why", "src/b.py").stdout
    shown = json.loads(run_cli("why", "src/b.py", "--json").stdout)
    assert shown["speaking"][0]["examples"] == ["yes: src/a.py", "no: docs/a.md"]
    new = ("add", "--note", "Other.", "--trigger", "glob: docs/*.md", "--example")
    refused = run_cli(*new, "yes: docs/a.txt")
    assert (refused.status, "GT227" in refused.stdout) == (1, True)
    assert run_cli(*new, "yes: docs/a.md").status == 0
    assert repo.read(BACKLOG).endswith("| `glob: docs/*.md` | Other. | `yes: docs/a.md` |\n")


def test_the_form_asks_for_one_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("src/a.py\nno: cmd git log\n\n\n"))
    assert ask_examples() == ("yes: src/a.py", "no: cmd git log")
    assert ask_examples() == ()
