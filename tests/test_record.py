"""Recording into real stores: what the table and the ledger say afterwards, byte for byte, and what is never written."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from builders import BACKLOG, CHECKOUT, HEADER, Repo, row
from hypothesis import given, settings
from hypothesis import strategies as st

from gatilho import files, tables
from gatilho.document import rows
from gatilho.document.document import Document
from gatilho.ledger import lines as ledger
from gatilho.model import Row
from gatilho.store import record
from gatilho.store.record import CHARGE, FOLD, Change, Context, Result, Status

NOW = "2026-11-29 12:00:00"
COMMIT = "c" * 40
D1 = row("D-1", r"path: ^src/a\.py$", rides=2)
D2 = row("D-2", r"cmd: ^git push\b", rides=0)
R1 = row("R-1", "path: ^src/", lifecycle="rule", rides=9)


def _found(repo: Repo, row_id: str, file: str = BACKLOG, default: str = "rule") -> tuple[Row, int]:
    for read in rows.iter_rows(Document(repo.read_bytes(file)), file, default, ""):
        if read.row is not None and read.row.id == row_id:
            return read.row, read.header_line
    raise AssertionError(f"no row {row_id}")


def _change(repo: Repo, row_id: str, action: str = CHARGE, file: str = BACKLOG, **fields: object) -> Change:
    found, header = _found(repo, row_id, file)
    return Change(found, action, header, **fields)  # type: ignore[arg-type]


def _context(repo: Repo, session: str = "00000001", **fields: object) -> Context:
    values: dict[str, object] = {
        "now": NOW,
        "session": session,
        "commit": COMMIT,
        "by": "program claude",
        "lock": repo.path(".git/gatilho/lock"),
        "git_dir": repo.path(".git"),
    }
    return Context(**(values | fields))  # type: ignore[arg-type]


def _write(repo: Repo, *changes: Change, **fields: object) -> list[Result]:
    return record.record_changes(str(repo.root), changes, _context(repo, **fields))  # type: ignore[arg-type]


def _charge(repo: Repo, row_id: str = "D-1", session: str = "00000001", **fields: object) -> Result:
    return _write(repo, _change(repo, row_id, evidence="src/a.py"), session=session, **fields)[0]


def _do(repo: Repo, action: str, row_id: str = "D-1", by: str = "person", now: str = NOW, **fields: object) -> Result:
    change = _change(repo, row_id, action, evidence="because", **fields)
    return _write(repo, change, by=by, session="", now=now)[0]


def _lines(repo: Repo) -> list[dict[str, str]]:
    """The ledger's lines in the order of their times; the names of the files of one day say nothing."""
    return sorted(repo.ledger(), key=lambda line: line["when (utc)"])


def _events(repo: Repo) -> list[str]:
    return [line["event"] for line in _lines(repo)]


def test_a_charge_is_one_line_and_one_digit(repo: Repo) -> None:
    path = repo.table(D1, D2)
    before = path.read_bytes()
    done = _charge(repo)
    assert (done.status, done.old_count, done.new_count, done.file) == (Status.WRITTEN, 2, 3, BACKLOG)
    assert path.read_bytes() == before.replace(b"| 2 | owed |", b"| 3 | owed |")
    assert done.ledger_file.startswith("docs/gatilhos/ledger/2026-11-29-")
    table, comment = repo.read(done.ledger_file).split("\n\n")
    assert table == (
        "| when (UTC) | id | event | rides | base | session | commit | by | evidence |\n"
        "|---|---|---|--:|--:|---|---|---|---|\n"
        f"| {NOW} | D-1 | charged | 3 | 2 | 00000001 | {COMMIT} | program claude | src/a.py |"
    )
    assert re.fullmatch(r"<!-- so that git takes no two ledger files for one: [0-9a-f]{64,} -->\n", comment)
    assert repo.changed() == [BACKLOG, done.ledger_file]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda text: text.replace(b"\n", b"\r\n"), id="CRLF throughout"),
        pytest.param(lambda text: text.replace(b"\n", b"\r\n", 2), id="CRLF in the header only"),
        pytest.param(lambda text: b"\xef\xbb\xbf" + text, id="a byte order mark"),
        pytest.param(lambda text: text.rstrip(b"\n"), id="no final newline"),
        pytest.param(
            lambda text: b"# Debts\r\n\n" + text + b"\xe2\x80\xa8 prose\x0c\r\n", id="mixed line ends and prose"
        ),
    ],
)
def test_nothing_else_in_the_file_moves(repo: Repo, change: object) -> None:
    repo.table(D1, D2)
    repo.write(BACKLOG, change(repo.read_bytes(BACKLOG)))  # type: ignore[operator]
    before = repo.read_bytes(BACKLOG)
    done = _charge(repo)
    assert done.status == Status.WRITTEN, done.reason
    assert repo.read_bytes(BACKLOG) == before.replace(b"| 2 | owed |", b"| 3 | owed |")


def test_a_working_copy_with_translated_line_ends_differs_in_one_line(repo: Repo) -> None:
    repo.table(D1, D2)
    repo.git("config", "core.autocrlf", "true")
    repo.write(BACKLOG, repo.read_bytes(BACKLOG).replace(b"\n", b"\r\n"))
    repo.git("add", BACKLOG)
    _charge(repo)
    assert repo.read_bytes(BACKLOG).count(b"\r\n") == 4
    assert repo.git("diff", "--numstat", "--", BACKLOG).split()[:2] == ["1", "1"]


def test_a_session_charges_once_however_often_it_is_said(repo: Repo) -> None:
    repo.table(D1)
    assert _charge(repo).status == Status.WRITTEN
    again = _charge(repo)
    assert (again.status, again.new_count) == (Status.NOTHING, 3)
    assert _charge(repo, session="00000002").new_count == 4
    assert _events(repo) == ["charged", "charged"]


def test_one_write_for_several_rows_makes_one_ledger_file(repo: Repo) -> None:
    repo.table(D1, R1)
    repo.table(D2, file="docs/gatilhos/sub/more.md")
    changes = [_change(repo, "D-1"), _change(repo, "R-1"), _change(repo, "D-2", file="docs/gatilhos/sub/more.md")]
    done = _write(repo, *changes)
    assert [one.status for one in done] == [Status.WRITTEN] * 3
    assert [one.new_count for one in done] == [3, 10, 1]
    assert len({one.ledger_file for one in done if one.ledger_file}) == 1
    assert [line["id"] for line in repo.ledger()] == ["D-1", "D-2"]
    assert repo.rides("D-2", "docs/gatilhos/sub/more.md") == 1


def test_a_rule_rides_in_its_cell_only(repo: Repo) -> None:
    repo.table(R1)
    done = _charge(repo, "R-1")
    assert (done.status, done.new_count, done.ledger_file) == (Status.WRITTEN, 10, "")
    assert repo.ledger() == []
    assert not (repo.root / "docs/gatilhos/ledger").exists()


def test_rides_kept_in_the_ledger_leave_the_table_alone(repo: Repo) -> None:
    repo.table(D1, R1)
    done = _write(repo, _change(repo, "D-1"), _change(repo, "R-1"), rides_in="ledger")
    assert [(one.status, one.new_count) for one in done] == [(Status.RECORDED, 3), (Status.RECORDED, 10)]
    assert repo.rides("D-1") == 2
    assert _charge(repo, "R-1", session="00000002", rides_in="ledger").new_count == 11
    folded = _write(repo, _change(repo, "D-1", FOLD), _change(repo, "R-1", FOLD))
    assert [one.status for one in folded] == [Status.WRITTEN] * 2
    assert (repo.rides("D-1"), repo.rides("R-1")) == (3, 11)
    assert _write(repo, _change(repo, "D-1", FOLD))[0].status == Status.NOTHING


@pytest.mark.parametrize(
    ("line", "status"),
    [
        pytest.param(D1.replace("D-1", "~~D-1~~").replace("owed", "paid"), Status.NOTHING, id="a paid row"),
        pytest.param(D1.replace("owed", "expired"), Status.NOTHING, id="an expired row"),
        pytest.param(D1.replace("| 2 |", "| many |"), Status.REFUSED, id="rides that are no number"),
    ],
)
def test_what_is_not_charged_changes_nothing(repo: Repo, line: str, status: str) -> None:
    repo.table(line)
    done = _charge(repo)
    assert done.status == status
    assert "D-1" in done.reason
    assert repo.changed() == []


def test_a_row_without_a_rides_cell_still_counts(repo: Repo) -> None:
    repo.write(BACKLOG, "| id | lifecycle | trigger | note |\n|-|-|-|-|\n| D-1 | debt | `path: a` | a note |\n")
    repo.commit()
    before = repo.read(BACKLOG)
    assert (_charge(repo).status, _charge(repo, session="00000002").new_count) == (Status.RECORDED, 2)
    assert repo.read(BACKLOG) == before


@pytest.mark.parametrize(
    ("line", "paid"),
    [
        pytest.param(D1, D1.replace("| D-1 |", "| ~~D-1~~ |").replace("owed", "paid"), id="a plain id"),
        pytest.param(
            D1.replace("| D-1 |", "|  **D-1** |").replace("| owed", "|owed since May  "),
            D1.replace("| D-1 |", "|  ~~**D-1**~~ |").replace("| owed", "|paid since May  "),
            id="a bold id and a state that says more",
        ),
        pytest.param(
            D1.replace("owed", "devida"), D1.replace("| D-1 |", "| ~~D-1~~ |").replace("owed", "paga"), id="Portuguese"
        ),
    ],
)
def test_paying_and_reinstating_restores_the_bytes(repo: Repo, line: str, paid: str) -> None:
    repo.table(line, D2)
    before = repo.read(BACKLOG)
    done = _do(repo, "pay")
    assert (done.status, done.old_count, done.new_count) == (Status.WRITTEN, 2, 2)
    written = repo.read(BACKLOG)
    assert "~~" in written
    if "**" not in line:
        assert written == before.replace(line, paid)
    assert _do(repo, "reinstate").status == Status.WRITTEN
    assert repo.read(BACKLOG) == before
    assert _events(repo) == ["paid", "reinstated"]
    assert {(entry["rides"], entry["by"]) for entry in repo.ledger()} == {("2", "person")}


def test_paying_twice_says_so_and_writes_nothing(repo: Repo) -> None:
    repo.table(D1)
    _do(repo, "pay")
    repo.commit()
    done = _do(repo, "pay")
    assert (done.status, done.reason) == (Status.NOTHING, "D-1 is paid already.")
    assert repo.changed() == []


def test_paid_and_taken_back_in_one_turn(repo: Repo) -> None:
    repo.table(D1)
    before = repo.read(BACKLOG)
    done = _write(
        repo,
        _change(repo, "D-1", "pay", evidence="exists a"),
        _change(repo, "D-1", "regress", evidence="exists a"),
        _change(repo, "D-1", CHARGE),
    )
    assert [one.is_well for one in done] == [True] * 3
    assert _events(repo) == ["paid", "regressed", "charged"]
    times = [line["when (utc)"] for line in repo.ledger()]
    assert times[0] < times[1]
    assert repo.read(BACKLOG) == before.replace("| 2 | owed", "| 3 | owed")


ENDS = [
    pytest.param("waive", {"until": "2026-12-24"}, "waived until 2026-12-24", id="waive"),
    pytest.param("supersede", {"successor": "D-2"}, "superseded 2026-11-29 by D-2", id="supersede"),
    pytest.param("revoke", {}, "revoked 2026-11-29", id="revoke"),
    pytest.param("expire", {}, "expired", id="expire"),
]


@pytest.mark.parametrize(("action", "fields", "state"), ENDS)
def test_each_end_is_a_state_and_can_be_taken_back(
    repo: Repo, action: str, fields: dict[str, object], state: str
) -> None:
    repo.table(D1, D2)
    before = repo.read(BACKLOG)
    done = _do(repo, action, **fields)
    assert (done.status, done.new_count) == (Status.WRITTEN, 2)
    assert repo.cell("D-1", "state") == state
    assert _do(repo, action, **fields).status == Status.NOTHING
    assert _do(repo, "reinstate").status == Status.WRITTEN
    assert repo.read(BACKLOG) == before
    assert _events(repo)[1:] == ["reinstated"]


def test_an_end_needs_a_state_cell(repo: Repo) -> None:
    repo.write(BACKLOG, "| id | trigger | note |\n|-|-|-|\n| R-1 | `path: a` | a note |\n")
    repo.commit()
    done = _do(repo, "revoke", "R-1")
    assert done.status == Status.REFUSED
    assert "state column" in done.reason
    assert repo.changed() == []


def test_setting_a_count_holds_against_the_ledger(repo: Repo) -> None:
    repo.table(D1)
    _charge(repo)
    done = _do(repo, "set", number=0)
    assert (done.status, done.old_count, done.new_count) == (Status.WRITTEN, 3, 0)
    assert repo.rides("D-1") == 0
    assert _charge(repo, session="00000002").new_count == 1
    assert repo.rides("D-1") == 1


def test_a_clock_behind_another_undoes_nothing(repo: Repo) -> None:
    repo.table(D1)
    _charge(repo, now="2026-11-29 12:00:10")
    assert _do(repo, "set", number=0, now="2026-11-29 12:00:05").new_count == 0
    assert _charge(repo, session="00000002", now="2026-11-29 12:00:00").new_count == 1
    assert _charge(repo, session="00000003", now="2026-11-29 12:00:00").new_count == 2
    assert repo.rides("D-1") == 2


def test_renaming_takes_the_count_along(repo: Repo) -> None:
    repo.table(D1, D2)
    _charge(repo)
    assert _do(repo, "rename", new_id="D-2").status == Status.REFUSED
    assert _do(repo, "rename", new_id="D-9").status == Status.WRITTEN
    assert repo.rides("D-9") == 3
    repo.write(BACKLOG, repo.read(BACKLOG).replace("| 3 | owed", "| 0 | owed"))
    again = _charge(repo, "D-9")
    assert (again.status, again.new_count) == (Status.WRITTEN, 3)
    assert _charge(repo, "D-9", session="00000002").new_count == 4
    assert _do(repo, "rename", "D-9", new_id="D-1").status == Status.WRITTEN
    assert _charge(repo, session="00000003").new_count == 5


def test_notes_are_lines_without_a_change_of_the_table(repo: Repo) -> None:
    repo.table(D1)
    asked = _write(repo, _change(repo, "D-1", "asked"), Change(Row("ORM"), "corrected"))
    assert [one.status for one in asked] == [Status.RECORDED] * 2
    assert [(line["id"], line["event"], line["rides"]) for line in repo.ledger()] == [
        ("D-1", "asked", "2"),
        ("ORM", "corrected", ""),
    ]
    assert repo.changed() == [asked[0].ledger_file]


BY_HAND = [
    pytest.param(
        ("| D-1 |", "| ~~D-1~~ |"), "reinstate", ["paid", "reinstated"], id="a strike by hand, then reinstated"
    ),
    pytest.param(("owed", "revoked"), "reinstate", ["revoked", "reinstated"], id="revoked by hand, then reinstated"),
    pytest.param(("| 2 |", "| 8 |"), CHARGE, ["charged"], id="a raised count is the charge's base"),
]


@pytest.mark.parametrize(("edit", "action", "events"), BY_HAND)
def test_what_a_person_did_by_hand_gets_its_line(
    repo: Repo, edit: tuple[str, str], action: str, events: list[str]
) -> None:
    repo.table(D1.replace(*edit))
    done = _charge(repo) if action == CHARGE else _do(repo, action)
    assert done.status == Status.WRITTEN
    lines = _lines(repo)
    assert [line["event"] for line in lines] == events
    if len(lines) > 1:
        assert (lines[0]["by"], lines[0]["session"]) == ("person", "")
    else:
        assert (lines[0]["base"], lines[0]["rides"]) == ("8", "9")


def test_a_strike_lifted_by_hand_gets_its_line_with_the_next_charge(repo: Repo) -> None:
    repo.table(D1)
    _do(repo, "pay")
    repo.write(BACKLOG, repo.read(BACKLOG).replace("~~", "").replace("paid", "owed"))
    assert _charge(repo).new_count == 3
    assert _events(repo).count("reinstated") == 1


def test_the_row_is_found_again_by_its_id(repo: Repo) -> None:
    repo.table(D1, D2)
    change = _change(repo, "D-1")
    repo.write(
        BACKLOG, "# New title\n\n" + HEADER + row("D-0", "path: x") + "\n\nmore\n\n" + HEADER + D2 + "\n" + D1 + "\n"
    )
    before = repo.read(BACKLOG)
    assert _write(repo, change)[0].status == Status.WRITTEN
    assert repo.read(BACKLOG) == before.replace("| 2 | owed", "| 3 | owed")


def test_a_row_that_moved_to_another_file_keeps_its_rides(repo: Repo) -> None:
    repo.table(D1, D2)
    change = _change(repo, "D-1")
    repo.table(D2)
    repo.table(D1, file="docs/gatilhos/other.md")
    done = _write(repo, change)[0]
    assert (done.status, done.file) == (Status.WRITTEN, "docs/gatilhos/other.md")
    assert repo.rides("D-1", "docs/gatilhos/other.md") == 3


def test_the_line_of_a_row_that_is_now_another_row_is_not_written(repo: Repo) -> None:
    repo.table(D1, D2)
    change = _change(repo, "D-1")
    repo.table(D2, D1)
    assert _write(repo, change)[0].status == Status.WRITTEN
    assert (repo.rides("D-1"), repo.rides("D-2")) == (3, 0)


def _removed(repo: Repo) -> None:
    repo.table(D2)


def _in_a_fence(repo: Repo) -> None:
    repo.write(BACKLOG, "```\n" + HEADER + D1 + "\n```\n")


def _no_store(repo: Repo) -> None:
    (repo.root / BACKLOG).unlink()
    (repo.root / "docs/gatilhos").rmdir()


def _no_regular_file(repo: Repo) -> None:
    (repo.root / BACKLOG).unlink()
    os.mkfifo(repo.root / BACKLOG)


def _markers(repo: Repo) -> None:
    text = repo.read(BACKLOG)
    repo.write(BACKLOG, text + "\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n")


def _markers_with_crlf(repo: Repo) -> None:
    repo.write(BACKLOG, repo.read(BACKLOG).replace("\n", "\r\n") + "<<<<<<< HEAD\r\n")


def _twice(repo: Repo) -> None:
    repo.table(D1, D2, D1)


def _link_out(repo: Repo) -> None:
    (repo.root / BACKLOG).rename(repo.root / "elsewhere.md")
    (repo.root / BACKLOG).symlink_to("../../elsewhere.md")


@pytest.mark.parametrize(
    ("spoil", "status"),
    [
        pytest.param(_removed, Status.GONE, id="the row was removed"),
        pytest.param(_in_a_fence, Status.GONE, id="the table is in a code fence now"),
        pytest.param(_no_store, Status.GONE, id="the whole store is gone, as in a sparse checkout"),
        pytest.param(_no_regular_file, Status.GONE, id="the file is a pipe"),
        pytest.param(_markers, Status.MARKERS, id="conflict markers elsewhere in the file"),
        pytest.param(_markers_with_crlf, Status.MARKERS, id="conflict markers with CRLF"),
        pytest.param(_twice, Status.SHARED, id="two rows share the id"),
        pytest.param(_link_out, Status.OUTSIDE, id="a link that leads out of the store"),
    ],
)
def test_what_must_not_be_written_is_not(repo: Repo, spoil: object, status: str) -> None:
    repo.table(D1, D2)
    change = _change(repo, "D-1").replace(header_line=0)
    spoil(repo)  # type: ignore[operator]
    before = {path: path.read_bytes() for path in repo.root.rglob("*.md") if path.is_file()}
    done = _write(repo, change)[0]
    assert done.status == status, done.reason
    assert done.reason.endswith(".")
    assert {path: path.read_bytes() for path in repo.root.rglob("*.md") if path.is_file()} == before
    assert not (repo.root / "docs/gatilhos/ledger").exists()


def test_an_id_that_is_in_two_files_is_not_written(repo: Repo) -> None:
    repo.table(D1)
    repo.table(D1, file="docs/gatilhos/other.md")
    change = _change(repo, "D-1")
    assert _write(repo, change.replace(row=change.row.replace(shared=True)))[0].status == Status.SHARED
    assert repo.changed() == []


def test_a_row_that_only_mentions_the_id_is_no_twin(repo: Repo) -> None:
    repo.table(D1, row("R-2", "path: x", "see D-1", state="superseded 2026-11-01 by D-1"))
    assert _charge(repo).status == Status.WRITTEN


def test_a_link_within_the_store_is_followed_and_kept(repo: Repo) -> None:
    repo.table(D1, file="docs/gatilhos/real/backlog.txt")
    (repo.root / BACKLOG).symlink_to("real/backlog.txt")
    assert _charge(repo).status == Status.WRITTEN
    assert (repo.root / BACKLOG).is_symlink()
    assert repo.rides("D-1", "docs/gatilhos/real/backlog.txt") == 3


def test_one_bad_row_costs_that_row_only(repo: Repo) -> None:
    repo.table(D1, D2)
    gone = _change(repo, "D-2")
    repo.table(D1)
    done = _write(repo, gone, _change(repo, "D-1"))
    assert [one.status for one in done] == [Status.GONE, Status.WRITTEN]


def test_a_row_that_cannot_be_edited_records_nothing(repo: Repo) -> None:
    repo.table(D1.replace("D-1", "~~D~~-1"), D2)
    before = repo.read(BACKLOG)
    done = _write(
        repo,
        _change(repo, "D-1", "pay", evidence="exists a"),
        _change(repo, "D-2"),
    )
    assert [one.status for one in done] == [Status.BROKEN, Status.WRITTEN]
    assert "struck in part" in done[0].reason
    assert repo.read(BACKLOG) == before.replace("| 0 | owed", "| 1 | owed")
    assert _events(repo) == ["charged"]


CUT = (
    "| D-1 | debt | `path: ^(src|lib)/` | note | `exists a` | 2 | owed |",
    "| D-1 | debt | `path: ^(src|lib|doc)/` | note | `exists a` | 2 | owed |",
    "| D-1 | debt | `path: ^src/` | note | `contains a x|y` | owed |",
    "| D-1 | debt | `path: ^src/` | this | or that | `exists a` | 2 | owed |",
    "| D-1 | debt | `path: ^src/` | this | or that | | 2 | owed |",
    "| D-1 | debt | `path: ^src/` | this | or that | | | owed |",
)
NAMES_OF_CUT = (
    "one pipe",
    "two pipes",
    "a pipe for a missing cell",
    "a pipe in prose",
    "no condition",
    "no condition and no rides",
)


@pytest.mark.parametrize("line", CUT, ids=NAMES_OF_CUT)
@pytest.mark.parametrize(
    ("action", "fields"),
    [
        ("pay", {}),
        ("waive", {"until": "2026-12-24"}),
        ("revoke", {}),
        ("supersede", {"successor": "D-2"}),
        ("set", {"number": 4}),
        (CHARGE, {}),
    ],
)
def test_nothing_is_written_behind_a_bare_pipe(repo: Repo, line: str, action: str, fields: dict[str, object]) -> None:
    repo.table(line.replace("debt", "rule") if action in ("revoke", "supersede") else line, D2)
    before = repo.read(BACKLOG)
    done = _do(repo, action, **fields)  # type: ignore[arg-type]
    assert (done.status, repo.read(BACKLOG), repo.ledger()) == (Status.REFUSED, before, [])
    assert f"{BACKLOG}:" in done.reason
    assert "a backslash before" in done.reason


@pytest.mark.parametrize("state", ["owed", "open", "waiting for a review"])
def test_surplus_cells_that_shift_nothing_keep_no_ride_from_being_written(repo: Repo, state: str) -> None:
    repo.table(D1.replace("owed", state) + " stray |", D2)
    before = repo.read(BACKLOG)
    assert _charge(repo).status == Status.WRITTEN
    assert repo.read(BACKLOG) == before.replace(f"| 2 | {state} | stray |", f"| 3 | {state} | stray |")


def test_a_row_is_renamed_before_a_bare_pipe(repo: Repo) -> None:
    repo.table(CUT[0])
    before = repo.read(BACKLOG)
    assert _do(repo, "rename", new_id="D-9").status == Status.WRITTEN
    assert repo.read(BACKLOG) == before.replace("| D-1 |", "| D-9 |")


def test_an_id_spelt_with_escapes_is_charged_and_not_renamed(repo: Repo) -> None:
    repo.table(D1.replace("D-1", r"D\-1"), D2)
    assert _charge(repo).status == Status.WRITTEN
    done = _do(repo, "rename", new_id="D-9")
    assert (done.status, _events(repo)) == (Status.BROKEN, ["charged"])


def test_the_ledger_makes_good_what_the_table_could_not_take(repo: Repo) -> None:
    path = repo.table(D1, R1)
    before = path.read_bytes()
    path.chmod(0o444)
    done = _write(repo, _change(repo, "D-1"), _change(repo, "R-1"))
    assert [(one.status, one.new_count) for one in done] == [(Status.READ_ONLY, 3), (Status.READ_ONLY, 9)]
    assert done[0].ledger_file
    assert done[0].may_wait
    assert path.read_bytes() == before
    path.chmod(0o644)
    again = _charge(repo)
    assert (again.status, again.new_count, again.ledger_file) == (Status.WRITTEN, 3, "")
    assert repo.rides("D-1") == 3
    assert _events(repo) == ["charged"]


def test_without_a_ledger_file_the_table_stays(repo: Repo) -> None:
    repo.table(D1)
    repo.write("docs/gatilhos/ledger", "in the way\n")
    repo.commit()
    done = _charge(repo)
    assert (done.status, done.new_count, done.ledger_file) == (Status.READ_ONLY, 2, "")
    assert repo.changed() == []


def test_a_ledger_that_leads_out_of_the_store_is_not_written(repo: Repo, tmp_path: Path) -> None:
    repo.table(D1)
    (tmp_path / "out").mkdir()
    (repo.root / "docs/gatilhos/ledger").symlink_to(tmp_path / "out")
    assert _charge(repo).status == Status.OUTSIDE
    assert list((tmp_path / "out").iterdir()) == []
    assert repo.rides("D-1") == 2


def test_a_lock_held_by_another_is_waited_for_and_respected(repo: Repo) -> None:
    repo.table(D1)
    with files.Lock(repo.path(".git/gatilho/lock"), 0):
        done = _charge(repo, wait=0.05)
    assert done.status == Status.LOCKED
    assert done.may_wait
    assert repo.changed() == []
    assert _charge(repo).status == Status.WRITTEN


def test_git_in_the_middle_of_something_comes_first(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.table(D1)
    repo.git("checkout", "-q", "-b", "other")
    repo.write("README.md", "theirs\n")
    repo.commit()
    repo.git("checkout", "-q", "main")
    repo.write("README.md", "ours\n")
    repo.commit()
    repo.git("rebase", "other", check=False)
    status = repo.git("status", "--porcelain")
    done = _charge(repo)
    assert (done.status, done.may_wait) == (Status.BUSY, True)
    assert "a rebase" in done.reason
    assert repo.git("status", "--porcelain") == status
    repo.git("rebase", "--abort")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/index")
    assert _charge(repo).status == Status.BUSY
    monkeypatch.delenv("GIT_INDEX_FILE")
    assert _charge(repo).status == Status.WRITTEN


def test_gits_own_lock_and_index_are_left_alone(repo: Repo) -> None:
    repo.table(D1)
    index = repo.root / ".git/index"
    (repo.root / ".git/index.lock").write_bytes(b"")
    before = (index.read_bytes(), index.stat().st_mtime_ns)
    assert _charge(repo).status == Status.WRITTEN
    assert (index.read_bytes(), index.stat().st_mtime_ns) == before
    assert (repo.root / ".git/index.lock").exists()


def test_a_row_of_a_store_that_is_not_open_here_is_not_written(repo: Repo) -> None:
    repo.table(D1)
    change = _change(repo, "D-1")
    assert _write(repo, change.replace(row=change.row.replace(store="team")))[0].status == Status.OUTSIDE


def test_each_store_has_its_own_ledger(repo: Repo, tmp_path: Path) -> None:
    repo.table(D1)
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "notes.md").write_text(HEADER + D1 + "\n")
    stores = [*tables.stores_of(str(repo.root))[:1], tables.Store("personal", str(mine), str(mine))]
    change = _change(repo, "D-1")
    there = change.replace(row=change.row.replace(store="personal", file=str(mine / "notes.md")))
    done = _write(repo, change, there, stores=stores)
    assert [one.status for one in done] == [Status.WRITTEN] * 2
    assert len(repo.ledger()) == 1
    assert len(list((mine / "ledger").iterdir())) == 1
    assert "| 3 | owed" in (mine / "notes.md").read_text()


def test_entries_that_the_caller_knows_are_not_read_again(repo: Repo) -> None:
    repo.table(D1)
    asked: list[tuple[str, str]] = []

    def entries_of(row_id: str, store: str) -> list[ledger.Entry]:
        asked.append((row_id, store))
        return [ledger.Entry(NOW, "D-1", "charged", 6, 5, "0000000a")]

    assert _charge(repo, entries_of=entries_of).new_count == 7
    assert asked == [("D-1", "")]


@pytest.mark.parametrize("whole", [False, True])
def test_the_whole_document_can_be_checked(repo: Repo, whole: bool) -> None:
    repo.table(D1, D2)
    assert _charge(repo, whole_document=whole).status == Status.WRITTEN


def test_two_branches_merge_to_all_their_rides(repo: Repo) -> None:
    repo.table(D1)
    repo.git("branch", "other")
    _charge(repo, session="0000000a")
    repo.commit()
    repo.git("checkout", "-q", "other")
    _charge(repo, session="0000000b")
    repo.commit()
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-edit", "other")
    assert repo.rides("D-1") == 3
    assert _write(repo, _change(repo, "D-1", FOLD))[0].new_count == 4
    assert repo.rides("D-1") == 4


def test_a_squash_and_a_cherry_pick_double_nothing(repo: Repo) -> None:
    repo.table(D1)
    repo.git("checkout", "-q", "-b", "b")
    for session in ("0000000a", "0000000b"):
        _charge(repo, session=session)
        repo.commit()
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--squash", "b")
    repo.commit()
    repo.git("checkout", "-q", "b")
    _charge(repo, session="0000000c")
    picked = repo.commit()
    repo.git("checkout", "-q", "main")
    repo.git("cherry-pick", picked)
    repo.git("merge", "-q", "--no-edit", "b")
    assert repo.rides("D-1") == 5
    assert _write(repo, _change(repo, "D-1", FOLD))[0].status == Status.NOTHING


def _charge_in_a_process(repo: Repo, session: str) -> "subprocess.Popen[bytes]":
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from gatilho.document import rows\nfrom gatilho.document.document import Document\n"
        "from gatilho.store import record\n"
        "root, session = sys.argv[2:]\n"
        "data = open(root + '/docs/gatilhos/backlog.md', 'rb').read()\n"
        "read = next(iter(rows.iter_rows(Document(data), 'docs/gatilhos/backlog.md', 'rule', '')))\n"
        "context = record.Context('2026-11-29 12:00:00', session, '', 'program', root + '/.git/gatilho/lock', wait=30)\n"
        "done = record.record_changes(root, [record.Change(read.row, record.CHARGE, read.header_line)], context)\n"
        "sys.exit(0 if done[0].is_well else done[0].reason)\n"
    )
    return subprocess.Popen([sys.executable, "-c", program, str(CHECKOUT), str(repo.root), session])


@pytest.mark.parametrize(
    ("sessions", "rides"),
    [
        pytest.param([f"0000000{n}" for n in range(6)], 8, id="six sessions are six rides"),
        pytest.param(["00000001"] * 6, 3, id="one session is one ride"),
    ],
)
def test_processes_at_the_same_time(repo: Repo, sessions: list[str], rides: int) -> None:
    repo.table(D1, D2)
    running = [_charge_in_a_process(repo, session) for session in sessions]
    assert [process.wait(timeout=60) for process in running] == [0] * 6
    assert repo.rides("D-1") == rides
    assert len(repo.ledger("charged")) == rides - 2


def test_a_charge_by_hints_loads_no_parser(repo: Repo) -> None:
    repo.table(D1, D2)
    found, header = _found(repo, "D-1")
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from gatilho.model import Row\n"
        "from gatilho.store import record\n"
        f"row = Row('D-1', 'debt', file={BACKLOG!r}, line={found.line})\n"
        "context = record.Context('2026-11-29 12:00:00', 's', '', 'program', sys.argv[2] + '/.git/gatilho/lock')\n"
        f"done = record.record_changes(sys.argv[2], [record.Change(row, record.CHARGE, {header})], context)\n"
        "assert done[0].status == 'written', done\n"
        "print(*sorted(sys.modules))\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, str(CHECKOUT), str(repo.root)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.split())
    heavy = {"re", "json", "enum", "dataclasses", "typing", "pathlib", "subprocess", "tempfile", "hashlib"}
    assert loaded & {*heavy, "mistune", "gatilho.document.blocks"} == set()


class _Model:
    """What the count must be, in the plainest words: the last recorded count, or a higher cell."""

    def __init__(self, cell: int) -> None:
        self.floor = 0
        self.cell = cell
        self.sessions: set[str] = set()
        self.paid = False

    @property
    def count(self) -> int:
        return max(self.floor, self.cell)

    def charge(self, session: str) -> None:
        if self.paid:
            return
        if session not in self.sessions:
            self.sessions.add(session)
            self.floor = self.count + 1
        self.cell = self.count

    def set(self, number: int) -> None:
        self.floor = self.cell = number


steps = st.lists(
    st.one_of(
        st.tuples(st.just("charge"), st.sampled_from(["0000000a", "0000000b", "0000000c", "0000000d"])),
        st.tuples(st.sampled_from(["pay", "reinstate", "strike", "unstrike"]), st.none()),
        st.tuples(st.sampled_from(["set", "edit"]), st.integers(min_value=0, max_value=12)),
    ),
    max_size=12,
)


@settings(max_examples=40)
@given(steps, st.integers(min_value=0, max_value=4))
def test_any_walk_counts_as_the_plain_model_says(
    tmp_path_factory: pytest.TempPathFactory, walk: list[tuple[str, object]], start: int
) -> None:
    root = tmp_path_factory.mktemp("walk")
    (root / ".git").mkdir()
    repo = Repo.__new__(Repo)
    repo.root = root
    repo.write(BACKLOG, HEADER + D1.replace("| 2 |", f"| {start} |") + "\n")
    model = _Model(start)
    for name, value in walk:
        text = repo.read(BACKLOG)
        if name == "charge":
            _charge(repo, session=str(value))
            model.charge(str(value))
        elif name == "set":
            _do(repo, "set", number=value)
            model.set(int(str(value)))
        elif name == "edit":
            repo.write(BACKLOG, text.replace(f"| {repo.rides('D-1')} |", f"| {value} |"))
            model.cell = int(str(value))
        elif name in ("pay", "reinstate"):
            _do(repo, name)
            model.paid = name == "pay"
        else:
            plain = text.replace("~~", "")
            repo.write(BACKLOG, plain.replace("| D-1 |", "| ~~D-1~~ |") if name == "strike" else plain)
            model.paid = name == "strike"
        found, _ = _found(repo, "D-1")
        assert found.struck is model.paid
        assert found.rides == model.cell
        entries, problems = ledger.read_folder(repo.path("docs/gatilhos/ledger"))
        assert problems == []
        assert ledger.tally_of(entries, found.rides).count == model.count
