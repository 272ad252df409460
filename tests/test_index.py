"""The index: after any edit it says what an index made anew says, and no damage to its file is believed or fatal."""

import os
import random
import shutil
from contextlib import closing
from pathlib import Path

import pytest
from builders import BACKLOG, HEADER, Repo, row, run_hook
from builders import database as opened
from claude_session import Session
from hypothesis import given, settings
from hypothesis import strategies as st
from processes import repository_of

from gatilho.index import database, signature
from gatilho.index.index import SCHEMA, VERSION, Index, bring_up_to_date, open_index
from gatilho.model import Row

SETTLED = 1_000_000_000  # any second in the past: such a file is not taken for one that may be changing still


def write_settled(repo: Repo, text: str, file: str = BACKLOG) -> None:
    """Write a table as one that was left alone for long."""
    os.utime(repo.write(file, text), (SETTLED, SETTLED))


def said(index: Index) -> dict[str, object]:
    """What an index says, without the numbers and places that only it sees."""
    triggers = index.connection.execute(
        "SELECT row.id, trigger.field, trigger.kind, pattern, needle, plain, folded FROM trigger JOIN row ON row = row.number"
    )
    return {
        "rows": [(found.row, found.path, found.header) for found in index.rows()],
        "triggers": sorted(triggers.fetchall(), key=repr),
        "problems": index.problems(),
    }


def said_anew(repo: Repo) -> dict[str, object]:
    """What an index says that was made from nothing."""
    shutil.rmtree(repo.root / ".git" / "gatilho")
    return said_of(repo)


def said_of(repo: Repo) -> dict[str, object]:
    """What the index of a repository says."""
    with open_index(repository_of(repo)) as index:
        return said(index)


def rows_of(repo: Repo) -> list[Row]:
    """The rows in the index of a repository."""
    with open_index(repository_of(repo)) as index:
        return [found.row for found in index.rows()]


ROWS = st.builds(
    lambda number, path, rides, broken: (
        f"| D-{number} | debt | no span | a note | | {rides} | owed |"
        if broken
        else row(f"D-{number}", f"path: ^src/{path}", "a note", paid_when=f"exists src/{path}", rides=rides)
    ),
    st.integers(1, 12),
    st.sampled_from(["a", "b", "c(", "long_name.py"]),
    st.sampled_from(["0", "3", "x"]),
    st.sampled_from([False, False, False, True]),
)
OTHER = st.sampled_from(
    [
        "",
        "prose",
        "# heading",
        "```",
        "> quote",
        "- item",
        "| a | b |",
        "|---|---|",
        "<!-- x",
        "-->",
        "  | D-9 | x |",
        "---",
    ]
)
LINES = st.lists(st.one_of(ROWS, ROWS, ROWS, OTHER), max_size=8)
TABLES = st.builds(lambda before, rows, after: [*before, *HEADER.splitlines(), *rows, *after], LINES, LINES, LINES)
EDITS = st.lists(
    st.tuples(st.sampled_from(["add", "drop", "change", "move"]), st.integers(0, 40), st.one_of(ROWS, ROWS, OTHER)),
    max_size=4,
)


def edited(lines: list[str], edits: list[tuple[str, int, str]]) -> list[str]:
    lines = list(lines)
    for kind, place, text in edits:
        at = place % (len(lines) + 1)
        if kind == "add":
            lines.insert(at, text)
        elif lines and at < len(lines):
            if kind == "drop":
                del lines[at]
            elif kind == "change":
                lines[at] = text
            else:
                lines.insert(place % len(lines), lines.pop(at))
    return lines


@settings(max_examples=50)
@given(TABLES, EDITS, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_an_edited_table_is_indexed_as_one_read_anew(
    tmp_path_factory: pytest.TempPathFactory,
    lines: list[str],
    edits: list[tuple[str, int, str]],
    ending: str,
    newline: bool,
) -> None:
    repo = Repo(tmp_path_factory.mktemp("repo"))
    write_settled(repo, ending.join(lines) + ending)
    open_index(repository_of(repo)).close()
    write_settled(repo, ending.join(edited(lines, edits)) + (ending if newline else ""))
    assert said_of(repo) == said_anew(repo)


def test_rows_added_and_taken_away_are_read_without_the_block_parser(repo: Repo) -> None:
    rows = [row(f"D-{number}", rf"path: ^src/{number}\.py$") for number in range(30)]
    write_settled(repo, HEADER + "\n".join(rows) + "\n\nprose\n\n" + HEADER + rows[0].replace("D-0", "E-0") + "\n")
    open_index(repository_of(repo)).close()
    later = [*rows[:10], rows[3].replace("D-3", "F-1"), rows[4].replace("D-4", "F-2"), *rows[20:]]
    write_settled(repo, HEADER + "\n".join(later) + "\n\nprose\n\n" + HEADER + rows[0].replace("D-0", "E-0") + "\n")
    with open_index(repository_of(repo)) as index:
        files = index.connection.execute("SELECT number FROM file").fetchall()
    assert files == [(1,)], "the file was dropped and read anew"
    assert [row.id for row in rows_of(repo)] == [
        *(f"D-{n}" for n in range(10)),
        "F-1",
        "F-2",
        *(f"D-{n}" for n in range(20, 30)),
        "E-0",
    ]
    assert said_of(repo) == said_anew(repo)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(
            lambda repo: repo.write(BACKLOG, HEADER + row("D-2", "path: ^b$") + "\n"), id="written with the same size"
        ),
        pytest.param(
            lambda repo: write_settled(repo, HEADER + row("D-2", "path: ^b$") + "\n"), id="written with a restored time"
        ),
        pytest.param(lambda repo: os.replace(repo.root / BACKLOG, repo.root / "docs/gatilhos/other.md"), id="renamed"),
        pytest.param(lambda repo: (repo.root / BACKLOG).unlink(), id="removed"),
        pytest.param(
            lambda repo: repo.write("docs/gatilhos/deep/er.md", HEADER + row("D-3", "path: ^c$") + "\n"),
            id="another one in a new folder",
        ),
        pytest.param(
            lambda repo: repo.write("docs/gatilhos/a.md", HEADER + row("D-3", "path: ^c$") + "\n"),
            id="another one whose name comes first",
        ),
        pytest.param(lambda repo: repo.git("checkout", "--quiet", "other"), id="another branch"),
        pytest.param(lambda repo: repo.write("gatilho.toml", "ask_after = 7\n"), id="a configuration"),
    ],
)
def test_a_change_is_noticed_at_once(repo: Repo, change) -> None:  # type: ignore[no-untyped-def]
    repo.table(row("D-9", "path: ^z$"))
    repo.git("checkout", "--quiet", "-b", "other")
    repo.table(row("D-8", "path: ^y$"))
    repo.git("checkout", "--quiet", "main")
    write_settled(repo, HEADER + row("D-1", "path: ^a$") + "\n")
    repo.commit()
    with open_index(repository_of(repo)) as before:
        old = said(before), before.config
    change(repo)
    with open_index(repository_of(repo)) as after:
        assert (new := said(after), after.config) != old
    assert new == said_anew(repo)


def test_two_writes_within_one_tick_of_the_clock_are_both_seen(repo: Repo) -> None:
    for number in range(200):
        repo.write(BACKLOG, HEADER + row("D-1", "path: ^a$", rides=number % 10) + "\n")
        assert [row.rides for row in rows_of(repo)] == [number % 10]


@pytest.mark.parametrize(("age", "is_trusted"), [(29, False), (31, True)], ids=["within a tick", "after it"])
def test_a_file_is_trusted_when_it_is_older_than_a_tick(repo: Repo, age: int, is_trusted: bool) -> None:
    repo.table(row("D-1", "path: ^a$"))
    moments = [found for path in (repo.root / "docs").rglob("*") for found in _moments(path)]
    (repo.root / ".git/gatilho").mkdir()
    now = max(moments) + age * 1_000_000
    with closing(database.connect(database.MEMORY, SCHEMA, VERSION)) as connection:
        bring_up_to_date(connection, repository_of(repo), now)
        (unsure,) = connection.execute("SELECT unsure FROM file").fetchone()
    assert (repo.root / ".git/gatilho/signature").exists() == is_trusted != bool(unsure)


def _moments(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_mtime_ns, found.st_ctime_ns


def test_another_file_has_another_stamp_also_within_a_tick_of_a_coarse_clock(tmp_path: Path) -> None:
    link = tmp_path / "link"
    seen = []
    for name in ("a", "b"):
        (tmp_path / name).write_text("x")
        link.unlink(missing_ok=True)
        link.symlink_to(name)
        seen.append(signature.stamp_of([str(link)], "").split(" ")[2:])  # what is left when the times are the same
    assert seen[0] != seen[1]


def damage_file(path: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    kind = chance.randrange(4)
    if kind == 0:
        del data[chance.randrange(len(data)) :]
    elif kind == 1:
        data = bytearray(chance.randbytes(len(data)))
    elif kind == 2:
        data = bytearray()
    else:
        for _ in range(50):
            data[chance.randrange(min(len(data), 4096))] = chance.randrange(256)
    path.write_bytes(data)


@pytest.mark.parametrize("name", ["index.db", "signature"])
@pytest.mark.parametrize("seed", range(8))
def test_a_damaged_cache_is_made_anew(repo: Repo, name: str, seed: int) -> None:
    repo.table(row("D-1", "path: ^a$"), row("D-2", "cmd: make"))
    write_settled(repo, repo.read(BACKLOG))
    expected = said_of(repo)
    folder = repo.root / ".git" / "gatilho"
    if not (folder / "signature").exists():  # the folder was younger than a tick
        os.utime(repo.root / "docs" / "gatilhos", (SETTLED, SETTLED))
    damage_file(folder / "index.db" if name == "index.db" else _signature(repo), random.Random(seed))
    assert said_of(repo) == expected


def _signature(repo: Repo) -> Path:
    """The signature, once the files are old enough to be trusted."""
    path = repo.root / ".git" / "gatilho" / "signature"
    while not path.exists():
        open_index(repository_of(repo)).close()
    return path


def test_a_foreign_database_is_replaced(repo: Repo) -> None:
    repo.table(row("D-1", "path: ^a$"))
    folder = repo.root / ".git" / "gatilho"
    folder.mkdir()
    with opened(folder / "index.db") as foreign:
        foreign.execute("CREATE TABLE file(x)")
    assert [row.id for row in rows_of(repo)] == ["D-1"]


def test_each_working_tree_has_an_index_of_its_own(repo: Repo) -> None:
    repo.table(row("D-1", "path: ^a$"))
    repo.git("worktree", "add", "--quiet", "../second", "-b", "second")
    second = Repo.__new__(Repo)
    second.root = repo.root.parent / "second"
    second.table(row("D-2", "path: ^b$"))
    assert [row.id for row in rows_of(repo)] == ["D-1"]
    assert [row.id for row in rows_of(second)] == ["D-2"]
    assert (repo.root / ".git" / "worktrees" / "second" / "gatilho" / "index.db").exists()


def test_a_copied_repository_does_not_believe_the_index_that_came_along(repo: Repo) -> None:
    repo.table(row("D-1", "path: ^a$"))
    write_settled(repo, repo.read(BACKLOG))
    _signature(repo)
    copy = Repo.__new__(Repo)
    copy.root = repo.root.parent / "copy"
    shutil.copytree(repo.root, copy.root, symlinks=True)
    write_settled(copy, HEADER + row("D-2", "path: ^b$") + "\n")
    assert [row.id for row in rows_of(copy)] == ["D-2"]
    assert [row.id for row in rows_of(repo)] == ["D-1"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_in_the_place_of_the_signature_keeps_nobody_waiting(repo: Repo) -> None:
    repo.table(row("D-1", r"path: ^src/a\.py$", "a note"))
    folder = repo.root / ".git" / "gatilho"
    folder.mkdir()
    os.mkfifo(folder / "signature")
    assert "a note" in run_hook(Session(repo).post("Read", file_path=repo.path("src/a.py"))).context
