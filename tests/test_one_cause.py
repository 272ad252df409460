"""One cause in a table is one message, in the words of its header, with what was probably meant."""

import pytest
from builders import Repo
from checking import problems_of

from gatilho.document.rows import read_rows
from gatilho.repair.fixes import fix_document

ENGLISH = "| id | lifecycle | trigger | note | paid when | rides | state |"
PORTUGUESE = "| id | ciclo | gatilho | nota | paga quando | caronas | estado |"


def _problems(header: str, line: str) -> list[tuple[str, str, str]]:
    data = f"{header}\n{'|---' * header.count(' | ')}|---|\n{line}\n".encode()
    rows, problems = read_rows(data, "docs/gatilhos/backlog.md")
    assert len(rows) == 1
    return [(one.code, one.message, one.remedy) for one in problems]


@pytest.mark.parametrize(("header", "name"), [(ENGLISH, "lifecycle"), (PORTUGUESE, "ciclo")])
def test_a_forgotten_lifecycle_cell_is_one_problem(header: str, name: str) -> None:
    assert _problems(header, "| D-1 | `path: ^a$` | a note | `exists b` | 0 | owed |") == [
        (
            "GT104",
            f"the row has 6 of 7 cells: its {name} cell is missing, so the cells after it are shifted",
            f"add the {name} cell: `debt` or `rule`",
        )
    ]


CELLS = ("D-1", "debt", "`path: ^a$`", "a note", "`exists b`", "0", "owed")


@pytest.mark.parametrize("number", [0, 2, 3, 4, 5])
def test_any_forgotten_cell_before_others_is_one_problem_that_no_fix_hides(number: int) -> None:
    name = ENGLISH.strip("| ").split(" | ")[number]
    line = f"| {' | '.join(CELLS[:number] + CELLS[number + 1 :])} |"
    assert _problems(ENGLISH, line) == [
        (
            "GT104",
            f"the row has 6 of 7 cells: its {name} cell is missing, so the cells after it are shifted",
            f"add the {name} cell",
        )
    ]
    data = f"{ENGLISH}\n{'|---' * 7}|\n{line}\n".encode()
    assert fix_document(data, read_rows(data, "a.md")[1]) == (data, [])


@pytest.mark.parametrize(
    "line", ["| D-1 | debt | ^src/ | a note |", "| D-1 | debt | `a` | a note | |", "| D-1 | debt |"]
)
def test_cells_that_lack_at_the_end_shift_nothing(line: str) -> None:
    assert not any("shifted" in message for _, message, _ in _problems(ENGLISH, line))


def test_a_pipe_in_a_bare_trigger_is_one_problem_that_no_fix_cuts_in_two() -> None:
    line = r"| D-1 | debt | path: ^src/(a|b)\.py$ | a note | `exists b` | 3 | owed |"
    assert _problems(ENGLISH, line) == [
        (
            "GT105",
            "a pipe in the trigger begins a new cell: the cells after it are shifted",
            "put the trigger in backticks, with a backslash before the pipe: \\|",
        )
    ]
    assert [one[0] for one in _problems(ENGLISH, "|D-1|debt|^src/|a note||3|owed|more|")] == ["GT105", "GT112"]


def test_a_pipe_in_a_note_is_one_problem() -> None:
    line = "| D-1 | debt | `path: ^a$` | red | green and blue | `exists b` | 0 | owed |"
    assert [(code, remedy) for code, _, remedy in _problems(ENGLISH, line)] == [
        ("GT105", "remove it, or put a backslash before a pipe that is text: \\|")
    ]
    line = "| D-1 | debit | `pth: ^a$` | red | `exists b` | 0 | owed | more |"
    assert [code for code, *_ in _problems(ENGLISH, line)] == ["GT105", "GT113", "GT108"]


def test_a_row_with_shifted_cells_has_no_trigger() -> None:
    data = f"{ENGLISH}\n|---|---|---|---|---|---|---|\n| D-1 | `path: ^a$` | a note | `exists b` | 0 | owed |\n"
    (row,), _ = read_rows(data.encode(), "docs/gatilhos/backlog.md")
    assert (row.triggers, row.conditions) == ((), ())


@pytest.mark.parametrize("state", ["owed", "paid", ""])
@pytest.mark.parametrize(("header", "name"), [(ENGLISH, "lifecycle"), (PORTUGUESE, "ciclo")])
def test_a_mistyped_lifecycle_is_one_problem_that_names_what_was_meant(header: str, name: str, state: str) -> None:
    line = f"| D-1 | debit | `path: ^a$` | a note | `exists b` | 0 | {state} |"
    assert _problems(header, line) == [
        ("GT108", f"the {name} debit is unknown: the row is a rule", "did you mean `debt`?")
    ]


@pytest.mark.parametrize(
    ("cell", "remedy"),
    [("rul", "did you mean `rule`?"), ("divda", "did you mean `dívida`?"), ("xyz", "write `debt` or `rule`")],
)
def test_what_was_meant_is_named_where_it_is_near(cell: str, remedy: str) -> None:
    assert [one[2] for one in _problems(ENGLISH, f"| D-1 | {cell} | `a` | a note | | 0 | |")] == [remedy]


def test_other_missing_cells_have_the_headers_words() -> None:
    ((code, message, _),) = _problems(PORTUGUESE, "| D-1 | debt | `path: ^a$` | a note |")
    assert code == "GT104"
    assert message.startswith("the row has 4 of 7 cells: no paga quando, caronas, estado.")


def test_a_number_has_the_headers_word() -> None:
    ((code, message, _),) = _problems(PORTUGUESE, "| D-1 | dívida | `path: ^a$` | a note | | muitas | |")
    assert (code, message.split(":")[0]) == ("GT107", "caronas is not a whole number")


@pytest.mark.parametrize(
    ("column", "cell", "state", "code", "remedy"),
    [
        ("| ciclo ", "|  ", "devida", "GT130", "write `debt` or `rule` in the column `ciclo`, or change the state"),
        ("", "", "devida", "GT130", "write `debt` or `rule` in a new column `lifecycle`, or change the state"),
        ("| ciclo ", "|  ", "", "GT239", "write `debt` in the column `ciclo`, or move the condition"),
    ],
)
def test_a_debt_whose_lifecycle_was_forgotten_is_one_problem_of_the_check(
    repo: Repo, column: str, cell: str, state: str, code: str, remedy: str
) -> None:
    header = f"| id {column}| gatilho | nota | paga quando | estado |\n{'|---' * (5 + bool(column))}|\n"
    repo.table(f"| D-1 {cell}| `path: ^README` | a note | `contains README.md zebra` | {state} |", header=header)
    (problem,) = problems_of(repo)
    assert (problem.code, problem.remedy[: len(remedy)]) == (code, remedy)


def test_a_state_of_the_other_lifecycle_names_the_column_as_written() -> None:
    ((code, _, remedy),) = _problems(PORTUGUESE, "| D-1 | regra | `path: ^a$` | a note | | 0 | devida |")
    assert (code, remedy) == ("GT130", "write `debt` or `rule` in the column `ciclo`, or change the state")
