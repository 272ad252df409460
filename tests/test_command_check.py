"""`check`: whole outputs, exit statuses, JSON."""

import json
from collections.abc import Callable

import pytest
from builders import BACKLOG, HEADER, Output, Repo, row

GOOD = row("D-1", r"path: ^README\.md$")
BAD = row("D-2", "path: (")
NOTED = row("D-3", "prompt: deploy")


def test_a_clean_store(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.table(GOOD)
    assert run_cli("check") == (0, "No problems in 1 row.\n", "")


def test_a_problem_has_its_place_a_caret_and_a_remedy(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.table(GOOD, BAD)
    assert run_cli("check") == (
        1,
        f"{BACKLOG}:4:23: error GT211 `(` is not a regular expression: missing ). Until it is corrected, this trigger never "
        "matches\n"
        "    | D-2 | debt | `path: (` | a note |  | 0 | owed |\n"
        "                          ^\n"
        "    correct it; a backslash before a mark makes it mean itself\n"
        "1 error in 2 rows.\n",
        "",
    )


def test_notes_alone_are_no_failure(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.table(GOOD, NOTED)
    done = run_cli("check")
    assert (done.status, done.stdout.splitlines()[-1]) == (0, "1 note in 2 rows.")


@pytest.mark.parametrize("how", [["--json"], ["--format", "json"]], ids=["--json", "--format json"])
def test_json(repo: Repo, run_cli: Callable[..., Output], how: list[str]) -> None:
    repo.table(GOOD, BAD)
    done = run_cli("check", *how)
    assert done.status == 1
    assert json.loads(done.stdout) == {
        "schema_version": 1,
        "problems": [
            {
                "code": "GT211",
                "severity": "error",
                "file": BACKLOG,
                "line": 4,
                "column": 23,
                "width": 1,
                "message": "`(` is not a regular expression: missing ). Until it is corrected, this trigger never matches",
                "remedy": "correct it; a backslash before a mark makes it mean itself",
                "text": BAD,
                "row": "D-2",
            }
        ],
        "counts": {"error": 1, "warning": 0, "note": 0},
        "rows": 2,
    }


def test_only_the_files_that_are_named(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.table(BAD)
    repo.table(GOOD, file="docs/gatilhos/team/good.md")
    assert run_cli("check", "docs/gatilhos/team") == (0, "No problems there.\n", "")
    assert run_cli("check", "docs").status == 1
    assert run_cli("check", ".").status == 1
    assert run_cli("check", "..").status == 1  # a folder around the repository
    assert run_cli("check", "no/such.md") == (2, "", "gatilho: no/such.md: there is no such file or folder.\n")


def test_a_row_without_a_code_span_and_a_configuration_with_a_typo(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.write("gatilho.toml", "ask_aftre = 2\n")
    repo.table(r"| D-1 | debt | path:^README\.md$ | a note | | 0 | owed |")
    done = run_cli("check")
    assert done.status == 1
    assert f"{BACKLOG}:3:16: warning GT112 the trigger is not in a code span" in done.stdout
    assert "gatilho.toml:1:1: error GT002" in done.stdout
    assert done.stdout.endswith("1 error, 1 warning in 1 row.\n")


def test_outside_of_a_repository_it_is_usage(
    tmp_path_factory: pytest.TempPathFactory, run_cli: Callable[..., Output]
) -> None:
    folder = tmp_path_factory.mktemp("bare")
    done = run_cli("check", "--root", str(folder))
    assert (done.status, done.stdout) == (2, "")
    assert "is in no git repository" in done.stderr


HEADER_OF_FIVE = "| id | trigger | sentence | rides | state |\n|---|---|---|---|---|\n"


@pytest.mark.parametrize(
    ("store", "expected"),
    [
        pytest.param(
            HEADER_OF_FIVE
            + "| D-1 | path:^README(a&#124;b)?\\.md$ | first | 0 | open |\n"
            + "| D-2 | `path:^README(a&#124;b)?\\.md$` | second | 0 | open |\n",
            [(3, "GT112"), (4, "GT115")],
            id="a bar as an entity",
        ),
        pytest.param(
            HEADER_OF_FIVE + "| D-1 | path:^README.md$ | first | 0 | open |\n| D-2 | cmd:\\\\bgit push\\\\b | second | 0 | open |\n",
            [(3, "GT112"), (4, "GT112")],
            id="no code spans, after a formatter",
        ),
        pytest.param(
            "| id | trigger | sentence | rides | state |\n|\u00a0---|---|---|---|---|\n| D-1 | `path:^README` | first | 0 | open |\n",
            [(2, "GT128")],
            id="a no-break space in the delimiter",
        ),
        pytest.param(
            HEADER_OF_FIVE
            + "| D-1 | `path:^README` | first | 3 | open |\n| D-3 | `path:^README` | third | 3 | open |\n"
            + "| D-2 | `path:^README` | second | 3 | open |\n| D-3 | `path:^README` | third | 4 | open |\n",
            [(4, "GT201"), (6, "GT201")],
            id="what a union merge leaves",
        ),
    ],
)  # fmt: skip
def test_stores_as_they_come(
    repo: Repo, run_cli: Callable[..., Output], store: str, expected: list[tuple[int, str]]
) -> None:
    path = repo.write("docs/gatilhos/a.md", store)
    repo.commit()
    found = json.loads(run_cli("check", "--json").stdout)["problems"]
    assert [(one["line"], one["code"]) for one in found if one["file"] == "docs/gatilhos/a.md"] == expected
    assert path.read_bytes() == store.encode()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-16-le"])
def test_a_table_in_utf_16_is_not_left_out_silently(repo: Repo, run_cli: Callable[..., Output], encoding: str) -> None:
    repo.write("docs/gatilhos/wide.md", (HEADER + GOOD + "\n").encode(encoding))
    done = run_cli("check")
    assert (done.status, "wide.md:1:1: error GT100 the file cannot be read: it is UTF-16" in done.stdout) == (1, True)
