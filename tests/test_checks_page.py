"""docs/checks.md: a section for each code; the bad row has exactly that problem, the good one none."""

import re

import pytest
from builders import BACKLOG, CHECKOUT, HEADER, Repo, row, run_cli
from checking import problems_of
from documents import Piece, pieces

from gatilho import explanations

pytestmark = pytest.mark.once

PAGE = CHECKOUT / "docs/checks.md"
PIECES = pieces(PAGE)
BAD = [one for one in PIECES if one.purpose == "before"]
GOOD = [one for one in PIECES if one.purpose == "after"]


def codes(repo: Repo) -> set[str]:
    return {problem.code for problem in problems_of(repo)}


def named(piece: Piece) -> str:
    return f"{piece.argument}:{piece.line}"


def write(repo: Repo, table: str) -> None:
    repo.write(
        BACKLOG, table if re.search(r"^\| (id|---)", table, re.M) and not table.startswith("| D-") else HEADER + table
    )


@pytest.mark.parametrize("piece", BAD, ids=named)
def test_the_bad_row_has_exactly_that_problem(piece: Piece, repo: Repo) -> None:
    write(repo, piece.body)
    # A command that searches the store is not allowed here either.
    assert codes(repo) - ({"GT234"} if piece.argument == "GT235" else set()) == {piece.argument}


@pytest.mark.parametrize("piece", GOOD, ids=named)
def test_the_good_row_has_no_problem(piece: Piece, repo: Repo) -> None:
    write(repo, piece.body)
    assert codes(repo) == set()


@pytest.mark.parametrize("piece", [one for one in PIECES if one.purpose in ("bad", "good")], ids=named)
def test_a_bad_configuration_has_exactly_that_problem_and_a_good_one_none(piece: Piece, repo: Repo) -> None:
    repo.table(row("D-1", "README"))
    repo.write("gatilho.toml", piece.body)
    assert codes(repo) == ({piece.argument} if piece.purpose == "bad" else set())


def test_every_code_has_a_section_with_its_severity_and_its_title() -> None:
    table = (CHECKOUT / "docs/format.md").read_text(encoding="utf-8")  # written from what the program has
    known = {
        code: f"*{severity}:* {title}."
        for code, severity, title in re.findall(r"^\| (GT\d{3}) \| (\w+) \| (.*) \|$", table, re.M)
    }
    sections = {code: explanations.section(code).split("\n")[2] for code in explanations.sections()}
    assert sections == known


def test_explain_prints_a_section_in_any_case(repo: Repo) -> None:
    done = run_cli("explain", "gt231", cwd=repo.root)
    assert done.status == 0
    assert done.stdout.startswith("GT231\n\nerror: the condition of a new debt is already true.\n")
    assert "`exists README.md`" in done.stdout
    assert run_cli("explain", "GT232", cwd=repo.root.parent).status == 0


def test_explain_suggests_the_code_that_was_meant_and_lists_all(repo: Repo) -> None:
    done = run_cli("explain", "GT231x", cwd=repo.root)
    assert done.status == 2
    assert "Did you mean GT231?" in done.stderr
    listed = run_cli("explain", cwd=repo.root).stdout
    assert [line.split()[0] for line in listed.strip().split("\n")] == list(explanations.sections())
