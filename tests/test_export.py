"""`export`: its records, both forms, and the queries of the documentation over many repositories."""

import json
import re
import shutil
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from builders import CHECKOUT, PATIENCE, Repo, row, run_cli

from gatilho.commands import export
from gatilho.errors import UsageError
from gatilho.ledger.lines import Entry, ledger_bytes

HEADER = (
    "| id | lifecycle | trigger | note | paid when | rides | state | owner | added | issue |\n"
    "| --- | --- | --- | --- | --- | ---: | --- | --- | --- | --- |\n"
)
REAL = 12  # repositories that are really exported: the properties below come back after as many
TEAMS = ("web", "ops", "shop")


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.git("remote", "add", "origin", "https://ana:hunter2@example.com/ana/shop.git")
    repo.table(
        row("D-1", "path: a", "token ghp_" + "a1" * 18, paid_when="exists a", rides=3) + " web | 2025-01-01 | #7 |",
        row("R-1", "path: x", "a rule", lifecycle="rule") + " | | |",
        header=HEADER,
        commit=False,
    )
    entry = Entry("2026-01-04 10:00:00", "D-1", "charged", 1, 0, "aa", by="agent claude", evidence="a")
    repo.write("docs/gatilhos/ledger/2026-01-04-0badcafe.md", ledger_bytes([entry]))
    repo.commit()
    return repo


def test_each_line_has_the_repository_and_the_commit(shop: Repo) -> None:
    done = run_cli("export", cwd=shop.root)
    assert done.status == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    commit = shop.git("rev-parse", "HEAD").strip()
    assert {(one["schema_version"], one["repository"], one["commit"]) for one in found} == {(1, "ana/shop", commit)}
    debt, rule = (one for one in found if one["record"] == "row")
    assert (debt["id"], debt["due"], debt["rides"], debt["asked_at"], debt["owner"]) == ("D-1", True, 3, 3, "web")
    assert debt["paid_when"] == ["exists a"]
    assert debt["note"] == "token " + "*" * 40
    assert (rule["id"], rule["asked_at"], rule["owner"]) == ("R-1", None, None)
    events = [(one["id"], one["event"], one["rides"]) for one in found if one["record"] == "event"]
    assert ("D-1", "charged", 1) in events
    assert {"due": 1.0, "open": 1.0}.items() <= {one["name"]: one["value"] for one in found if one["name"]}.items()


def test_both_forms_hold_the_same(shop: Repo, tmp_path: Path) -> None:
    for name in ("shop.jsonl", "shop.parquet", "shop.parquet"):
        arguments = ["--root", str(shop.root), "--repository", "ana/shop", "-o", str(tmp_path / name)]
        assert export.main(arguments) == 0
    lines, table = (_table(f"'{tmp_path}/shop.{kind}'") for kind in ("jsonl", "parquet"))
    assert lines == table
    assert len(lines) > 10
    assert [one[-1] for one in lines if one[-1]] == ["#7"]


def _table(source: str) -> list[Any]:
    import duckdb

    columns = "record, repository, commit, id, due, rides, note, triggers::VARCHAR, name, value, line"
    columns += ", columns->>'$.issue' AS issue"
    return duckdb.sql(f"SELECT {columns} FROM {source}").fetchall()


def test_what_is_not_replaced(shop: Repo, tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text("mine")
    for name, said in (("mine.jsonl", "is no export of gatilho"), ("no/x", "no such directory"), (".", "no export")):
        with pytest.raises(UsageError, match=said):
            export.main(["--root", str(shop.root), "-o", str(tmp_path / name)])
    assert (tmp_path / "mine.jsonl").read_text() == "mine"
    with pytest.raises(UsageError, match="name a file"):
        export.main(["--root", str(shop.root), "--format", "parquet"])


def queries() -> dict[str, str]:
    """The queries of the documentation by the comment that each begins with."""
    text = (CHECKOUT / "docs" / "review.md").read_text(encoding="utf-8")
    found = re.findall(r"```sql\n-- ([^\n]*)\n(.*?)```", text, re.DOTALL)
    return dict(found)


def test_the_workflow_of_the_documentation_is_one(tmp_path: Path) -> None:
    text = (CHECKOUT / "docs" / "review.md").read_text(encoding="utf-8")
    workflow = re.search(r"```yaml\n(name: report\n.*?)```", text, re.DOTALL)
    assert workflow is not None
    (tmp_path / "report.yml").write_text(workflow[1])
    schema = ("--builtin-schema", "vendor.github-workflows")
    command = [sys.executable, "-m", "check_jsonschema", *schema, str(tmp_path / "report.yml")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout


def test_the_queries_of_the_documentation_over_a_thousand_repositories(
    tmp_path: Path, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet(tmp_path, repo, 1000)
    check_queries(tmp_path, monkeypatch, 1000)


def fleet(folder: Path, model: Repo, count: int) -> None:
    """Exports of that many repositories, in `exports/`: twelve are real, each further one differs from one of these by
    its name, its debt's note and day.
    """
    (folder / "exports").mkdir()
    for number in range(count):
        target = folder / f"exports/r{number}.jsonl"
        if number < REAL:
            export_one(folder / f"r{number}", model, number, target)
            continue
        text = (folder / f"exports/r{number % REAL}.jsonl").read_text()
        for old, new in zip(own_texts(number % REAL), own_texts(number), strict=True):
            assert old in text
            text = text.replace(old, new)
        target.write_text(text)


def own_texts(number: int) -> tuple[str, str, str]:
    """What no other repository's export has."""
    return f'"org/r{number}"', f'"debt {number}"', f'"{date(2020, 1, 1) + timedelta(number)}"'


def export_one(root: Path, model: Repo, number: int, target: Path) -> None:
    """A copy of a repository with its own debt and rule, exported."""
    shutil.copytree(model.root, root, symlinks=True)
    table = root / "docs/gatilhos/backlog.md"
    table.parent.mkdir(parents=True)
    name, note, day = (text.strip('"') for text in own_texts(number))
    debt = row("D-1", "path: a", note, rides=3 if number % 4 == 0 else 1) + f" {TEAMS[number % 3]} | {day} |\n"
    rule = row("R-1", "path: x", f"rule {number % 6}", lifecycle="rule", rides=int(number % 6 == 1)) + " | |\n"
    table.write_text(HEADER + debt + rule)
    assert export.main(["--root", str(root), "--repository", name, "-o", str(target)]) == 0


def check_queries(folder: Path, monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    import duckdb

    monkeypatch.chdir(folder)
    found = {name: duckdb.execute(text).fetchall() for name, text in queries().items()}
    due = [number for number in range(count) if number % 4 == 0]
    teams = {team: sum(TEAMS[one % 3] == team for one in due) for team in TEAMS}
    assert {team: number for team, number, _ in found["Due debts by team"]} == teams
    oldest = found["The oldest open debts"]
    assert [one[0] for one in oldest[:3]] == ["org/r0", "org/r1", "org/r2"]
    silent = {one[0] for one in found["Rules that fire nowhere"]}
    assert silent == {f"rule {number}" for number in range(6) if number != 1}
