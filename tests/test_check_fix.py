"""`check --fix`: what is safe is fixed in place, each fix is named, and no other byte changes."""

import json
from pathlib import Path

import pytest
from builders import BACKLOG, HEADER, Repo, row, run_cli

from gatilho.document.rows import read_rows
from gatilho.repair.fixes import fix_document

HEAD = HEADER.encode()


def fixed(line: bytes, head: bytes = HEAD) -> tuple[bytes, list[str]]:
    """The line after the fixes, and the codes that were fixed."""
    data = head + line + b"\n"
    new, fixes = fix_document(data, read_rows(data, BACKLOG)[1])
    assert new.startswith(head)
    assert new.endswith(b"\n")
    return new[len(head) : -1], [fix.code for fix in fixes]


@pytest.mark.parametrize(
    ("before", "after", "codes"),
    [
        (b"| ~~D-1 | debt | `a` | n | | 0 | owed |", b"| D-1 | debt | `a` | n | | 0 | owed |", ["GT103"]),
        (b"| ~~~D-1~~~ | debt | `a` | n | | 0 | owed |", b"| D-1 | debt | `a` | n | | 0 | owed |", ["GT103"]),
        (b"| `~~D-1~~` | debt | `a` | n | | 0 | owed |", b"| `D-1` | debt | `a` | n | | 0 | owed |", ["GT103"]),
        (b"| D-1 | debt | `a` | n |", b"| D-1 | debt | `a` | n | | | |", ["GT104"]),
        (b"| D-1 | debt | `a` | n  ", b"| D-1 | debt | `a` | n | | | |  ", ["GT104"]),
        (b"  D-1 | debt | `a` | n \\|", b"  D-1 | debt | `a` | n \\| | | | |", ["GT104"]),
        (
            b"| D-1 | debt | `^src/(a|b)\\.py$` | n | | 0 | owed |",
            b"| D-1 | debt | `^src/(a\\|b)\\.py$` | n | | 0 | owed |",
            ["GT106"],
        ),
        (
            b"| D-1 | debt | `(a | b|c)` `x|y` | n | `lacks f a|b` | 0 | owed |",
            b"| D-1 | debt | `(a \\| b\\|c)` `x\\|y` | n | `lacks f a\\|b` | 0 | owed |",
            ["GT106"],
        ),
        (b"| D-1 | debt | ^src/a\\.py$ | n | | 0 | owed |", b"| D-1 | debt | `^src/a\\.py$` | n | | 0 | owed |", ["GT112"]),
        (b"| D-1 | debt | `cmd: a &amp;&amp; b` | n | | 0 | owed |", b"| D-1 | debt | `cmd: a && b` | n | | 0 | owed |", ["GT115"]),
        (b"| D-1 | debt | `(a&#124;b)` | n | | 0 | owed |", b"| D-1 | debt | `(a\\|b)` | n | | 0 | owed |", ["GT115"]),
    ],
)  # fmt: skip
def test_a_safe_fix_changes_the_cells_that_it_is_about(before: bytes, after: bytes, codes: list[str]) -> None:
    assert fixed(before) == (after, codes)
    assert read_rows(HEAD + after + b"\n", BACKLOG)[1] == []


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b"| ~~D-1 | debt | `a` | n | | 0 | paid |", id="half a strike, and the state says paid"),
        pytest.param(b"| D-1 | `a` | n | | 0 | owed |", id="the lifecycle cell is missing"),
        pytest.param(b"| D-1 | debt | `a` | a | b | | 0 | owed |", id="a pipe in prose"),
        pytest.param(b"| D-1 | debit | `a` | n | | 0 | owed |", id="a misspelt lifecycle"),
        pytest.param(b"| D-1 | debt | `a` | n | | many | owed |", id="a count in words"),
        pytest.param(b"| D-1 | debt | `a | n | | 0 | owed |", id="a code span without an end"),
    ],
)
def test_what_a_person_has_to_decide_stays_as_it_is(line: bytes) -> None:
    assert fixed(line) == (line, [])


def test_every_other_byte_of_the_file_stays(repo: Repo) -> None:
    head = HEADER.replace("\n", "\r\n").encode()
    before = (
        b"\xef\xbb\xbf# T\r\n\r\nsee `a|b`\r\n\r\n" + head
        + b"| D-1 | debt | `x(a|b)` | n\xc3\xa9 | | 0 | owed |  \r\n"
        + b"|D-2|debt|`README`|caf\xff|||owed|\r\n"
        + "| D\u202e-3 | debt | `README` | a\u200e b | | 0 | owed |\r\n".encode()
        + b"| D-4 | rule | `README`"
    )  # fmt: skip
    path = repo.write(BACKLOG, before)
    path.chmod(0o640)
    repo.commit()
    shown = run_cli("check", "--fix", "--dry-run", cwd=repo.root)
    assert repo.read_bytes(BACKLOG) == before
    assert "+| D-1 | debt | `x(a\\|b)` |" in shown.stdout
    assert f"{BACKLOG}:7  would fix GT106 D-1: put a backslash before the pipe in the code span" in shown.stdout
    done = run_cli("check", "--fix", cwd=repo.root)
    after = before.replace(b"`x(a|b)`", b"`x(a\\|b)`").replace("\u202e".encode(), b"").replace("\u200e".encode(), b"")
    assert repo.read_bytes(BACKLOG) == after + b" | | | | |"
    assert path.stat().st_mode & 0o777 == 0o640
    named = [line.split("  ")[1].partition(":")[0] for line in done.stdout.split("\n") if "  fixed GT" in line]
    assert named == ["fixed GT106 D-1", "fixed GT251 D-3", "fixed GT104 D-4"]


@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_a_row_that_a_merge_doubled_is_removed_where_its_lines_are_equal(repo: Repo, end: str) -> None:
    same, other = row("D-1", "^README", rides=2), row("D-2", "^README", "another note")
    lines = [*HEADER.splitlines(), same, other, same + "  ", row("D-3", "^a"), row("D-3", "^b"), same]
    repo.write(BACKLOG, (end or "\n").join(lines) + end)
    shown = run_cli("check", cwd=repo.root).stdout
    assert "`gatilho check --fix` removes" not in shown  # three of them
    done = run_cli("check", "--fix", cwd=repo.root)
    assert f"{BACKLOG}:5  fixed GT201 D-1: removed the second of two equal lines" in done.stdout
    kept = [*HEADER.splitlines(), same, other, row("D-3", "^a"), row("D-3", "^b")]
    assert repo.read_bytes(BACKLOG).decode() == (end or "\n").join(kept) + end
    repo.write(BACKLOG, "\n".join([*kept[:4], same]))
    assert "`gatilho check --fix` removes the second line" in run_cli("check", cwd=repo.root).stdout
    run_cli("check", "--fix", cwd=repo.root)
    assert repo.read_bytes(BACKLOG).decode() == "\n".join(kept[:4])


def test_json_names_the_fixes_and_what_is_left(repo: Repo) -> None:
    repo.table("| D-1 | debt | README | n |", row("D-2", "README", rides="many"))
    done = run_cli("check", "--fix", "--json", cwd=repo.root)
    read = json.loads(done.stdout)
    assert done.status == 1
    assert [(fix["code"], fix["line"], fix["row"]) for fix in read["fixes"]] == [
        ("GT104", 3, "D-1"),
        ("GT112", 3, "D-1"),
    ]
    assert [problem["code"] for problem in read["problems"]] == ["GT107"]


def test_only_the_named_files_are_fixed(repo: Repo) -> None:
    for name in ("a", "b"):
        repo.table(f"| D-{name} | debt | `README` | n |", file=f"docs/gatilhos/{name}.md")
    run_cli("check", "--fix", "docs/gatilhos/b.md", cwd=repo.root)
    assert repo.changed() == ["docs/gatilhos/b.md"]


def test_a_count_that_lags_is_raised_in_the_named_files(repo: Repo) -> None:
    other = "docs/gatilhos/other.md"
    tables = {BACKLOG: row("D-1", "README", rides=3), other: row("D-2", "README", rides=3)}
    for file, line in tables.items():
        repo.table(line, file=file)
    for row_id in ("D-1", "D-2"):
        assert run_cli("set", row_id, "5", "--why", "counted by hand", cwd=repo.root).status == 0
    for file, line in tables.items():
        repo.table(line, file=file)
    assert run_cli("check", "--fix", "--dry-run", cwd=repo.root).stdout.count("would fix GT903") == 2
    assert (repo.rides("D-1"), repo.rides("D-2", other)) == (3, 3)
    said = run_cli("check", "--fix", BACKLOG, cwd=repo.root).stdout
    assert "fixed GT903 D-1: raised rides from 3 to 5" in said
    assert "D-2" not in said
    assert (repo.rides("D-1"), repo.rides("D-2", other)) == (5, 3)


def test_no_count_is_raised_in_a_table_that_has_no_column_for_it(repo: Repo) -> None:
    repo.table("| D-1 | debt | `README` | n |", header="| id | lifecycle | trigger | note |\n|-|-|-|-|\n")
    assert run_cli("set", "D-1", "5", "--why", "counted by hand", cwd=repo.root).status == 0
    for command in (("check", "--fix", "--dry-run"), ("check", "--fix"), ("fold", "--dry-run"), ("fold",)):
        said = run_cli(*command, cwd=repo.root)
        assert (said.status, "GT903" in said.stdout, "D-1" in said.stdout) == (0, False, False)


def test_nothing_is_written_while_git_is_busy_or_around_conflict_markers(repo: Repo) -> None:
    repo.table("| D-1 | debt | `README` | n |")
    (repo.root / ".git/MERGE_HEAD").write_text("0" * 40 + "\n")
    done = run_cli("check", "--fix", cwd=repo.root)
    assert (done.status, repo.changed()) == (1, [])
    assert "Git is in the middle of a merge" in done.stderr
    (repo.root / ".git/MERGE_HEAD").unlink()
    before = repo.read(BACKLOG) + "<<<<<<< ours\n| D-2 | debt | `README` | n |\n=======\n>>>>>>> theirs\n"
    repo.write(BACKLOG, before)
    run_cli("check", "--fix", cwd=repo.root)
    assert repo.read(BACKLOG) == before


def test_a_dry_run_of_nothing_is_a_usage_error(repo: Repo) -> None:
    assert run_cli("check", "--dry-run", cwd=repo.root).status == 2


def test_a_store_that_leads_out_of_itself_is_not_fixed(repo: Repo, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text(HEADER + "| D-1 | debt | `README` | n |\n")
    (repo.root / "docs/gatilhos").mkdir(parents=True)
    (repo.root / BACKLOG).symlink_to(outside)
    before = outside.read_bytes()
    run_cli("check", "--fix", cwd=repo.root)
    assert outside.read_bytes() == before


@pytest.mark.parametrize("before", [
    ("`glob: ./src/a.py`", "`glob: src/a.py`"),
    ("`glob: lib/*.{py,ts}`", "`glob: lib/*.py` `glob: lib/*.ts`"),
    ("`glob:*.@(js\\|jsx)`", "`glob:*.js` `glob:*.jsx`"),
    ("`glob: lib\\a.ts`", "`glob: lib/a.ts`"),
    ("`README` `glob: '*.ts'`, and `path: x`", "`README` `glob: *.ts`, and `path: x`"),
    ("`glob: ./b.ts` `glob: {c,d}.ts`", "`glob: /b.ts` `glob: c.ts` `glob: d.ts`"),
])  # fmt: skip
def test_a_glob_of_another_tool_is_written_as_git_reads_it(repo: Repo, before: tuple[str, str]) -> None:
    old, new = before
    line = "| D-1 | debt | {} | n |  | 0 | owed |"
    repo.write(BACKLOG, HEADER + line.format(old) + "\n")
    done = run_cli("check", "--fix", cwd=repo.root)
    assert repo.read(BACKLOG) == HEADER + line.format(new) + "\n"
    assert f"{BACKLOG}:3  fixed GT218 D-1: wrote the glob as git reads it" in done.stdout
    assert "GT218" not in run_cli("check", cwd=repo.root).stdout


def test_one_glob_of_a_condition_is_respelled_and_a_list_of_them_is_not(repo: Repo) -> None:
    repo.table(
        row("D-1", "README", paid_when="exists lib/**.py"),
        row("D-2", "README", paid_when="exists lib/*.{py,ts}"),
        commit=False,
    )
    before = repo.read(BACKLOG)
    done = run_cli("check", "--fix", cwd=repo.root)
    assert repo.read(BACKLOG) == before.replace("lib/**.py", "lib/**/*.py")
    assert (done.stdout.count("fixed GT218"), "use one condition for each of" in done.stdout) == (1, True)


@pytest.mark.parametrize(("old", "new"), [
    (r"`^src/a\.py$`", r"`^lib/new\.py$`"),
    (r"`write: ^src/a\.py$` `cmd: deploy`", r"`write: ^lib/new\.py$` `cmd: deploy`"),
    ("`glob: src/a.py`", "`glob: lib/new.py`"),
    (r"`^(src/a\.py\|mnop)$`", r"`^(lib/new\.py\|mnop)$`"),
])  # fmt: skip
def test_a_trigger_follows_a_renamed_file(repo: Repo, old: str, new: str) -> None:
    repo.write("src/a.py", "some text\nthat git can follow\n" * 5)
    line = "| D-1 | debt | {} | n |  | 0 | owed |"
    repo.write(BACKLOG, HEADER + line.format(old) + "\n")
    repo.commit()
    (repo.root / "lib").mkdir()
    repo.git("mv", "src/a.py", "lib/new.py")
    repo.commit()
    done = run_cli("check", "--fix", "--since", "HEAD~1", cwd=repo.root)
    assert repo.read(BACKLOG) == HEADER + line.format(new) + "\n"
    assert f"{BACKLOG}:3  fixed GT226 D-1: wrote the new path of the renamed file into the trigger" in done.stdout
    assert "GT226" not in run_cli("check", cwd=repo.root).stdout


@pytest.mark.parametrize("trigger", [r"^src/[ab]\.py$", "^src/"])
def test_a_trigger_whose_files_moved_apart_is_left_to_a_person(repo: Repo, trigger: str) -> None:
    for name in ("a", "b"):
        repo.write(f"src/{name}.py", f"text of {name}\nthat git can follow\n" * 5)
    repo.table(row("D-1", trigger))
    before = repo.read(BACKLOG)
    for name in ("a", "b"):
        (repo.root / f"lib{name}").mkdir()
        repo.git("mv", f"src/{name}.py", f"lib{name}/{name}.py")
    repo.commit()
    done = run_cli("check", "--fix", cwd=repo.root)
    assert (done.status, repo.read(BACKLOG)) == (1, before)
    assert "GT226" in done.stdout
