"""The ledger against itself and against the tables."""

from builders import Repo, row
from checking import found, problems_of

HEADER = (
    "| when (UTC) | id | event | rides | base | session | commit | by | evidence |\n"
    "| --- | --- | --- | ---: | ---: | --- | --- | --- | --- |\n"
)


def write(repo: Repo, *lines: str, name: str = "2026-01-05-00000001.md") -> None:
    repo.write(f"docs/gatilhos/ledger/{name}", HEADER + "".join(line + "\n" for line in lines))
    repo.commit()


def charge(row_id: str, session: str, rides: int) -> str:
    return f"| 2026-01-05 10:00:00 | {row_id} | charged | {rides} | 0 | {session} | | program claude | README.md |"


def test_a_ledger_that_agrees_is_fine(repo: Repo) -> None:
    repo.table(row("D-1", r"path: ^README\.md$", rides=2))
    write(repo, charge("D-1", "0000000a", 1), charge("D-1", "0000000b", 2))
    assert found(repo) == []


def test_a_cell_below_the_ledger_is_noted_with_the_way_to_lower_it(repo: Repo) -> None:
    repo.table(row("D-1", r"path: ^README\.md$", rides=1))
    write(repo, charge("D-1", "0000000a", 1), charge("D-1", "0000000b", 2))
    (problem,) = problems_of(repo)
    assert (problem.code, problem.severity) == ("GT903", "note")
    assert problem.message == "the cell says 1, the ledger 2: 2 rides in force"
    assert problem.remedy.endswith("`gatilho set D-1 1 --why TEXT`")
    assert problem.text[problem.place.column - 1] == "1"


def test_a_line_that_cannot_be_read_is_told_with_its_file_and_line(repo: Repo) -> None:
    repo.table(row("D-1", r"path: ^README\.md$", rides=1))
    write(repo, charge("D-1", "0000000a", 1), "| 2026-01-05 10:00:00 | D-1 | chraged | 2 |")
    (problem,) = problems_of(repo)
    assert (problem.code, str(problem.place)) == ("GT901", "docs/gatilhos/ledger/2026-01-05-00000001.md:4")


def test_an_id_that_no_row_has_is_told_once(repo: Repo) -> None:
    repo.table(row("D-1", r"path: ^README\.md$", rides=1))
    write(repo, charge("D-1", "0000000a", 1), charge("D-9", "0000000a", 1), charge("D-9", "0000000b", 2))
    (problem,) = problems_of(repo)
    assert (problem.code, problem.row) == ("GT902", "D-9")
    assert problem.message == "no row has the id D-9, of which the ledger has 2 lines"


def test_a_renamed_row_takes_its_ledger_along(repo: Repo) -> None:
    repo.table(row("D-2", r"path: ^README\.md$", rides=1))
    write(repo, charge("D-1", "0000000a", 1), "| 2026-01-06 | D-1 | renamed | 1 | 0 | | | person | D-2 |")
    assert found(repo, "GT902") == []


def test_the_key_of_a_correction_is_no_id(repo: Repo) -> None:
    repo.table(row("D-1", r"path: ^README\.md$"))
    write(repo, "| 2026-01-06 | ORM | corrected | | | 0000000a | | agent | |")
    assert found(repo) == []
