"""What tests of merging build with: a repository whose tables git merges, charges in it, and the counts in force."""

import itertools
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest
from builders import BACKLOG, PATIENCE, Repo, program_line, row

from gatilho.document.rows import read_rows
from gatilho.git import state as git_state
from gatilho.git.root import Repository
from gatilho.ledger import lines as ledger
from gatilho.setup import driver
from gatilho.store import record

ROWS = ("D-1", "D-2", "D-3")
_minutes = itertools.count()


def debt(row_id: str, rides: int | str = 0, note: str = "a note", state: str = "owed") -> str:
    """A line of the table that these tests merge."""
    return row(row_id, r"^src/a\.py$", note, rides=rides, state=state)


def start(repo: Repo, rides: int = 0, *, registered: bool = True, style: str = "") -> Repo:
    """A committed table of three debts, and the driver named and, unless told otherwise, registered."""
    repo.write(".gitattributes", driver.LINE + b"\n")
    if registered:
        register(repo.root)
    if style == "zdiff3" and _git_version() < [2, 35]:
        pytest.skip("this git does not know zdiff3")
    if style:
        repo.git("config", "merge.conflictStyle", style)
    repo.table(*(debt(row_id, rides) for row_id in ROWS))
    return repo


@cache
def _git_version() -> list[int]:
    said = subprocess.run(["git", "--version"], capture_output=True, check=True, text=True).stdout
    return [int(part) for part in re.findall(r"\d+", said)[:2]]


def register(root: Path) -> None:
    """Register the driver as the program does, its own start replaced by one that takes less time."""
    driver.register_driver(str(root))
    _, middle, rest = driver.command().partition(" merge-driver ")
    command = ["git", "config", "--local", driver.KEY, program_line() + middle + rest]
    subprocess.run(command, cwd=root, check=True, timeout=PATIENCE)


def charge(repo: Repo, row_id: str, session: str, *, rides_in: str = "table", commit: bool = True) -> str:
    """One ride of a row by a session, through the real recording; the id of its commit."""
    rows, _ = read_rows(repo.read_bytes(BACKLOG), BACKLOG)
    change = record.Change(next(found for found in rows if found.id == row_id), record.CHARGE, evidence="src/a.py")
    git_dir = str(repo.root / ".git")
    context = record.Context(
        now=f"2026-11-29 {next(_minutes) % 1440 // 60:02}:{next(_minutes) % 60:02}:00",
        session=ledger.session_hash(session),
        commit=git_state.head_commit(Repository(str(repo.root), git_dir, git_dir)),
        by="program claude",
        lock=git_dir + "/gatilho/lock",
        git_dir=git_dir,
        rides_in=rides_in,
    )
    result = record.record_changes(str(repo.root), [change], context)[0]
    assert result.is_well, result
    return repo.commit(f"{row_id} rides") if commit else ""


def in_force(repo: Repo, row_id: str) -> int:
    """The count of a row that the ladder goes by: the ledger and the cell."""
    entries, problems = ledger.read_folder(str(repo.root / "docs/gatilhos/ledger"))
    assert not problems
    return ledger.tally_of(ledger.by_row(entries).get(row_id, []), repo.rides(row_id)).count


def cells(repo: Repo) -> list[int]:
    """The rides cells of the three debts."""
    return [repo.rides(row_id) for row_id in ROWS]


def counts(repo: Repo) -> list[int]:
    """The counts in force of the three debts."""
    return [in_force(repo, row_id) for row_id in ROWS]


def branch(repo: Repo, name: str, at: str = "") -> None:
    """Begin a branch, or go to it where it is."""
    known = repo.git("branch", "--list", name).strip()
    repo.git("switch", "--quiet", *([] if known else ["--create"]), name, *([at] if at and not known else []))


def attempt(repo: Repo, *arguments: str) -> bool:
    """Whether git did it without a conflict; fails the test where git fails otherwise."""
    done = subprocess.run(
        ["git", *arguments], cwd=repo.root, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, text=True
    )
    said = done.stdout + done.stderr
    assert done.returncode in (0, 1), said
    assert done.returncode == 0 or "onflict" in said or "CONFLICT" in said, said
    return done.returncode == 0


def rewrite(repo: Repo, before: str, after: str, commit: bool = True) -> None:
    """Exchange a text in the table, as a person edits it."""
    text = repo.read(BACKLOG)
    assert before in text, text
    repo.write(BACKLOG, text.replace(before, after, 1))
    if commit:
        repo.commit("Edit the table")
