"""`why`: the hook's own matching, explained; what it says is what the hook would do."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import BACKLOG, Output, Repo, row, run_hook
from claude_session import Session

ROWS = (
    row("D-1", [r"write: ^src/a\.py$", "cmd: never"], "split a.py", rides=3),
    row("R-1", "glob: src/**/*.py", "type every function", lifecycle="rule"),
    row("D-2", r"path: ^src/", "a smaller debt", rides=1),
    row("~~D-3~~", r"path: ^src/a\.py$", "paid long ago", state="paid"),
    row("R-2", r"path: ^src/", "old", lifecycle="rule", state="superseded 2026-01-01 by R-1"),
    row("D-4", r"path: ^src/(a\.py$", "broken"),
    row("D-5", r"path: ^src/a\.py$", "done", paid_when="exists README.md"),
    row("R-3", r"path: ^docs/", "elsewhere", lifecycle="rule"),
    row("R-4", "read: a.py", "when it is read", lifecycle="rule"),
)


def test_a_path(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.table(*ROWS)
    assert run_cli("why", "src/a.py") == (
        0,
        "Would speak about src/a.py, in this order:\n"
        f"  1 D-1  debt, 3 rides, due: a write stops until the owner decides  ({BACKLOG}:3)\n"
        "    split a.py\n"
        "    by `write: ^src/a\\.py$`, which matches src/a.py, only when it is written\n"
        f"  2 D-2  debt, 1 ride  ({BACKLOG}:5)\n"
        "    a smaller debt\n"
        "    by `path: ^src/`, which matches src/a.py\n"
        f"  3 R-1  rule, 0 rides  ({BACKLOG}:4)\n"
        "    type every function\n"
        "    by `glob: src/**/*.py`, which matches src/a.py\n"
        f"  4 R-4  rule, 0 rides  ({BACKLOG}:11)\n"
        "    when it is read\n"
        "    by `read: a.py`, which matches src/a.py, only when it is read\n"
        "\n"
        "Matched but silent:\n"
        f"    D-5  its condition holds (README.md): it is recorded as paid instead  ({BACKLOG}:9)\n"
        f"    D-4  its pattern is invalid: missing ) (`^src/(a\\.py$`)  ({BACKLOG}:8)\n"
        f"    D-3  paid: its id is struck  ({BACKLOG}:6)\n"
        f"    R-2  superseded 2026-01-01 by R-1  ({BACKLOG}:7)\n"
        "\n"
        "1 more row does not match.\n",
        "",
    )


def test_a_trigger_on_any_touch_is_not_said_to_need_the_one_of_a_command(
    repo: Repo, run_cli: Callable[..., Output]
) -> None:
    repo.table(row("R-1", "path: ^src/", "x", lifecycle="rule"), row("R-2", "write: ^src/", "y", lifecycle="rule"))
    said = run_cli("why", "--command", "echo x > src/a.py").stdout
    assert "by `path: ^src/`, which matches src/a.py, as it is written\n" in said
    assert "by `write: ^src/`, which matches src/a.py, only when it is written\n" in said


def test_what_why_says_is_what_the_hook_says(repo: Repo, session: Session, run_cli: Callable[..., Output]) -> None:
    repo.write("src/a.py", "")
    repo.table(*ROWS)
    said = json.loads(run_cli("why", "--json", "src/a.py").stdout)
    run_hook(session.pre("Read", file_path=repo.path("src/a.py")))
    context = run_hook(session.post("Read", file_path=repo.path("src/a.py"))).context
    expected = [one["row"]["id"] for one in said["speaking"] if one["matched"][0]["touches"] != ["write"]]
    assert expected
    places = [context.find(f"[{row_id};") for row_id in expected]
    assert places == sorted(places)
    assert -1 not in places
    for silent in said["silent"]:
        assert f"[{silent['id']};" not in context


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        pytest.param("git push --force", [("R-1", "cmd: ^git push", ["git push --force"])], id="as given"),
        pytest.param("cd src && rm -f a.py", [("D-1", "write: ^src/a\\.py$", ["src/a.py"])], id="the files in it"),
        pytest.param("make; X=1 git push", [("R-1", "cmd: ^git push", ["git push"])], id="a simple command in a chain"),
        pytest.param("echo 'git push'", [], id="quoted text"),
    ],
)
def test_a_command(
    repo: Repo, run_cli: Callable[..., Output], command: str, expected: list[tuple[str, str, list[str]]]
) -> None:
    repo.table(row("D-1", r"write: ^src/a\.py$"), row("R-1", "cmd: ^git push", lifecycle="rule"))
    said = json.loads(run_cli("why", "--json", "--command", command).stdout)
    found = [
        (one["row"]["id"], f"{hit['kind']}: {hit['pattern']}", hit["names"])
        for one in said["speaking"]
        for hit in one["matched"]
    ]
    assert found == expected


def test_a_prompt(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.table(row("R-1", "prompt: (?i)deploy", "use the checklist", lifecycle="rule"), row("R-2", "path: deploy"))
    assert run_cli("why", "--prompt", "Please DEPLOY it").stdout == (
        "Would speak about the prompt, in this order:\n"
        f"  1 R-1  rule, 0 rides  ({BACKLOG}:3)\n"
        "    use the checklist\n"
        "    by `prompt: (?i)deploy`, which matches Please DEPLOY it\n"
        "\n"
        "1 more row does not match.\n"
    )


def test_nothing_speaks(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.table(*ROWS[:3])
    assert run_cli("why", "setup.cfg") == (
        0, "None of the 3 rows matches setup.cfg.\n", ""
    )  # fmt: skip
    repo.write("src/new.py", "")
    assert run_cli("why", "src").stdout.splitlines() == [
        "None of the 3 rows matches src.",
        "src is a folder: `gatilho list --path src` lists the rows about its files.",
    ]


def test_rows_out_of_their_days_say_so(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.write(
        BACKLOG,
        "| id | trigger | note | expires | not before |\n|-|-|-|-|-|\n"
        "| a | `README` | one | 2026-01-01 | |\n| b | `README` | two | | 2999-01-01 |\n",
    )
    silent = json.loads(run_cli("why", "--json", "README.md").stdout)["silent"]
    assert [(one["id"], one["reason"]) for one in silent] == [
        ("a", "past its own date, 2026-01-01"),
        ("b", "not before 2999-01-01"),
    ]


def test_a_path_is_seen_from_where_root_points(repo: Repo, run_cli: Callable[..., Output]) -> None:
    repo.write("src/a.py", "")
    repo.table(row("R-1", r"path: ^src/a\.py$", lifecycle="rule"))
    assert run_cli("why", "--root", "src", "a.py").stdout.startswith("Would speak about src/a.py, in this order:\n")


def test_a_path_of_another_repository_names_the_way(repo: Repo, tmp_path: Path, run_cli: Callable[..., Output]) -> None:
    other = Repo(tmp_path / "other")
    done = run_cli("why", "../other/a.py")
    assert done.status == 2
    assert done.stderr == (
        f"gatilho: ../other/a.py is in another repository: gatilho why --root {other.root} {other.root}/a.py\n"
    )


def test_something_has_to_be_asked_about(run_cli: Callable[..., Output]) -> None:
    done = run_cli("why")
    assert done.status == 2
    assert "name a PATH, or give --command TEXT or --prompt TEXT" in done.stderr
