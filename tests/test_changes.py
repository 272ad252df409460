"""What changed in rows: pure comparisons of two stores given as bytes."""

import pytest
from builders import BACKLOG, HEADER, row

from gatilho.checks import registry
from gatilho.compare.facts import KINDS, in_plain_text
from gatilho.compare.output import findings, summary
from gatilho.compare.row_changes import Comparison, compare
from gatilho.compare.snapshot import Snapshot
from gatilho.document.rows import CODES
from gatilho.ledger.lines import Entry, ledger_bytes

LEDGER = "docs/gatilhos/ledger/2026-11-29-0badcafe.md"
TODAY = "2026-11-29"


def table(*rows: str, header: str = HEADER) -> bytes:
    return (header + "".join(line + "\n" for line in rows)).encode()


def charge(row_id: str, rides: int, session: str, base: int = 0, path: str = "src/a.py") -> Entry:
    return Entry(
        f"2026-11-29 10:00:{rides:02d}", row_id, "charged", rides, base, session, "abcdef012345", "agent claude", path
    )


def event(row_id: str, name: str, evidence: str = "", **fields: object) -> Entry:
    return Entry("2026-11-29 11:00:00", row_id, name, by="person", evidence=evidence, **fields)  # type: ignore[arg-type]


def compared(before: bytes, after: bytes, old: list[Entry] | None = None, new: list[Entry] | None = None) -> Comparison:
    sides = []
    for data, entries in ((before, old or []), (after, (old or []) + (new or []))):
        sides.append(Snapshot({BACKLOG: data, **({LEDGER: ledger_bytes(entries)} if entries else {})}))
    counts = [lambda triggers: len(triggers) or None] * 2
    return compare(sides[0], sides[1], *counts, TODAY)


def told(comparison: Comparison) -> list[tuple[str, str]]:
    return [(fact.kind, in_plain_text(fact.words)) for fact in comparison.facts]


DEBT = row("D-1", "path: ^a$", "first", rides=2)

NOOP = {
    "the same bytes": (table(DEBT), table(DEBT), [], []),
    "other padding and line endings": (table(DEBT), table(DEBT.replace(" | ", "   |  ")).replace(b"\n", b"\r\n"), [], []),
    "rows in another order": (
        table(DEBT, row("D-2", "path: b")), table(row("D-2", "path: b"), DEBT), [], [],
    ),
    "a further column that nobody knows": (
        table(DEBT), table(DEBT + " mine |", header="| id | lifecycle | trigger | note | paid when | rides | state | our own |\n|-|-|-|-|-|-|-|-|\n"), [], [],
    ),
    "two rows that share an id": (table(DEBT, DEBT), table(DEBT, DEBT), [], []),
    "a cell that is raised to what the ledger says already": (
        table(row("D-1", "path: a", rides=1)), table(row("D-1", "path: a", rides=2)), [charge("D-1", 1, "aa"), charge("D-1", 2, "bb")], [],
    ),
    "a state that is recorded and was so before": (
        table(row("~~D-1~~", "path: a", state="paid")), table(row("~~D-1~~", "path: a", state="paid")), [event("D-1", "paid", "x")], [],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", NOOP, ids=list(NOOP))
def test_no_change_is_told(case: str) -> None:
    assert told(compared(*NOOP[case])) == []


CHANGE = {
    "a ride with its session": (
        table(DEBT), table(row("D-1", "path: ^a$", "first", rides=3)), [], [charge("D-1", 3, "8f3a21c0", 2)],
        [("rides", "rides 2 -> 3: session 8f3a21c0 wrote src/a.py"),
         ("due", "due now: 3 rides, and a write is asked about from 3 on")],
    ),
    "two charges of which git merged the cells to one": (
        table(row("D-1", "path: a")), table(row("D-1", "path: a", rides=1)), [], [charge("D-1", 1, "aa"), charge("D-1", 1, "bb")],
        [("rides", "rides 0 -> 2: sessions aa, bb wrote src/a.py (the cell says 1)")],
    ),
    "rides in the ledger alone": (
        table(row("D-1", "path: a")), table(row("D-1", "path: a")), [], [charge("D-1", 1, "aa")],
        [("rides", "rides 0 -> 1: session aa wrote src/a.py (the cell says 0)")],
    ),
    "a count that a person raised": (
        table(row("D-1", "path: a")), table(row("D-1", "path: a", rides=2)), [], [],
        [("rides", "rides 0 -> 2, by hand, with no entry in the ledger")],
    ),
    "a count that a person raised, and a charge": (
        table(row("D-1", "path: a")), table(row("D-1", "path: a", rides=2)), [], [charge("D-1", 2, "aa", 1)],
        [("rides", "rides 0 -> 2: session aa wrote src/a.py; 1 of them by hand, with no entry in the ledger")],
    ),
    "the ride of a rule, which has no ledger line": (
        table(row("R-1", "path: a", lifecycle="rule", rides=9)), table(row("R-1", "path: a", lifecycle="rule", rides=10)), [], [],
        [("rides", "rides 9 -> 10")],
    ),
    "the count of a rule lowered, which is nobody's business": (
        table(row("R-1", "path: a", lifecycle="rule", rides=9)), table(row("R-1", "path: a", lifecycle="rule", rides=1)), [], [],
        [("rides", "rides 9 -> 1")],
    ),
    "a count lowered without a word": (
        table(DEBT), table(row("D-1", "path: ^a$", "first", rides=0)), [], [],
        [("fell", "rides 2 -> 0, and no `set` in the ledger gives a reason")],
    ),
    "a cell lowered below what the ledger holds": (
        table(DEBT), table(row("D-1", "path: ^a$", "first", rides=0)), [charge("D-1", 1, "aa"), charge("D-1", 2, "bb")], [],
        [("fell", "the rides cell went from 2 to 0, and no `set` in the ledger gives a reason: 2 rides in force")],
    ),
    "a count lowered with a word": (
        table(DEBT), table(row("D-1", "path: ^a$", "first", rides=0)), [], [event("D-1", "set", "another file", rides=0)],
        [("set", "rides set from 2 to 0: another file (by a person)")],
    ),
    "a count that is no number any more": (
        table(DEBT), table(row("D-1", "path: ^a$", "first", rides="many")), [], [],
        [("fell", "rides 2 -> 0, and no `set` in the ledger gives a reason"), ("cell", "rides: 2 -> no number, so it never escalates")],
    ),
    "a payment with its evidence": (
        table(DEBT), table(row("~~D-1~~", "path: ^a$", "first", rides=2, state="paid")), [], [event("D-1", "paid", "a:3", session="aa", commit="abcdef0123456")],
        [("paid", "paid: a:3 (by a person, session aa, at abcdef0123)")],
    ),
    "an id struck by hand": (
        table(DEBT), table(row("~~D-1~~", "path: ^a$", "first", rides=2, state="paid")), [], [],
        [("paid by hand", "struck by hand, with no entry in the ledger")],
    ),
    "paid and owed again in between": (
        table(DEBT), table(DEBT), [], [event("D-1", "paid", "a:3"), Entry("2026-11-29 12:00:00", "D-1", "regressed", evidence="a is not there", by="program claude")],
        [("paid", "paid: a:3 (by a person)"), ("regressed", "owed again: a is not there (by gatilho, in claude)")],
    ),
    "a strike that is lifted by hand": (
        table(row("~~D-1~~", "path: a", state="paid")), table(row("D-1", "path: a")), [event("D-1", "paid", "x")], [],
        [("back", "paid -> owed by hand, with no entry in the ledger")],
    ),
    "a waiver": (
        table(DEBT), table(row("D-1", "path: ^a$", "first", rides=2, state="waived until 2026-12-24")), [], [event("D-1", "waived", "release week")],
        [("waived", "waived: release week (by a person)")],
    ),
    "a row superseded by hand": (
        table(row("R-1", "path: a", lifecycle="rule")), table(row("R-1", "path: a", lifecycle="rule", state="superseded 2026-11-29 by R-2")), [], [],
        [("ended", "superseded by hand, with no entry in the ledger (superseded 2026-11-29 by R-2)")],
    ),
    "a write that was asked about and happened": (
        table(DEBT), table(DEBT), [], [event("D-1", "passed anyway", "src/a.py")],
        [("passed", "a write went through although it was asked about or denied: src/a.py (by a person)")],
    ),
    "a note reworded": (
        table(DEBT), table(row("D-1", "path: ^a$", "second", rides=2)), [], [],
        [("reworded", "note reworded: first -> second")],
    ),
    "another trigger": (
        table(DEBT), table(row("D-1", ["path: b", "cmd: c"], "first", rides=2)), [], [],
        [("trigger", "trigger: path: ^a$ (1 tracked file) -> path: b, cmd: c (2 tracked files)")],
    ),
    "another condition": (
        table(DEBT), table(row("D-1", "path: ^a$", "first", paid_when="exists b", rides=2)), [], [],
        [("condition", "paid when: a person strikes its id -> exists b")],
    ),
    "a debt that became a rule": (
        table(DEBT), table(row("D-1", "path: ^a$", "first", lifecycle="rule", rides=2, state="owed")), [], [],
        [("lifecycle", "debt -> rule: it never asks again")],
    ),
    "words behind the state": (
        table(DEBT), table(row("D-1", "path: ^a$", "first", rides=2, state="owed, see the plan")), [], [],
        [("cell", "state: owed -> owed, see the plan")],
    ),
    "a new debt": (
        table(), table(DEBT), [], [],
        [("added", "new debt with 2 rides: first"), ("added", "trigger: path: ^a$ (1 tracked file)"), ("added", "paid when: a person strikes its id")],
    ),
    "a new rule that reuses an old id": (
        table(), table(row("R-1", "path: a", "new", lifecycle="rule")), [event("R-1", "revoked", "wrong")], [],
        [("old id", "reuses the id of a removed row: the ledger has 1 line about it, the last: revoked 2026-11-29 11:00:00"),
         ("added", "new rule: new"), ("added", "trigger: path: a (1 tracked file)")],
    ),
    "a second row of an id that has rides, as between conflict markers": (
        table(row("R-1", "path: a", lifecycle="rule")),
        table(row("R-1", "path: a", lifecycle="rule"), row("R-1", "path: b", "new", lifecycle="rule")), [charge("R-1", 1, "aa")], [],
        [("added", "new rule with 1 ride: new"), ("added", "trigger: path: b (1 tracked file)")],
    ),
    "a debt removed while it was owed": (
        table(DEBT), table(), [], [],
        [("removed owed", 'removed while still owed (2 rides): "first"')],
    ),
    "a debt removed after it was paid": (
        table(DEBT), table(), [], [event("D-1", "paid", "a:3")],
        [("removed", "removed after it was paid: a:3 (by a person)")],
    ),
    "a paid debt removed": (
        table(row("~~D-1~~", "path: a", "first", state="paid")), table(), [], [],
        [("removed", "removed, was paid: first")],
    ),
    "a row under a new id": (
        table(DEBT), table(row("D-9", "path: ^a$", "first", rides=2)), [charge("D-1", 1, "aa"), charge("D-1", 2, "bb")], [event("D-1", "renamed", "D-9")],
        [("renamed", "renamed from D-1")],
    ),
    "one of two rows that share an id": (
        table(DEBT, row("D-1", "path: z", "other")), table(row("D-1", "path: z", "other")), [], [],
        [("removed owed", 'removed while still owed (2 rides): "first"')],
    ),
    "a table whose delimiter row broke": (
        table(DEBT), table(DEBT).replace(b"---:", b"--x"), [], [],
        [("unreadable", "cannot be read any more: docs/gatilhos/backlog.md:")],
    ),
    "a table that can be read again": (
        table(DEBT).replace(b"---:", b"--x"), table(DEBT), [], [],
        [("readable", "can be read again")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CHANGE, ids=list(CHANGE))
def test_change_is_told(case: str) -> None:
    before, after, old, new, expected = CHANGE[case]
    found = told(compared(before, after, old, new))
    assert [kind for kind, _ in found] == [kind for kind, _ in expected]
    for (_, text), (_, said) in zip(found, expected):
        assert text.startswith(said) if said.startswith("cannot be read") else text == said


def test_every_code_means_one_thing() -> None:
    codes = [kind.code for kind in KINDS.values()]
    assert len(codes) == len(set(codes))
    assert not set(codes) & {*CODES, *(kind.code for kind in registry.KINDS)}


def test_fall_names_the_ready_line() -> None:
    found = findings(compared(table(row("D-1;id", "path: a", rides=3)), table(row("D-1;id", "path: a", rides=1))))
    assert [(one.code, one.severity) for one in found] == [("GT701", "error")]
    assert found[0].remedy == "put 3 back, or record the lower count: `gatilho set 'D-1;id' 1 --why TEXT`"


def test_what_needs_a_word_comes_first() -> None:
    before = table(row("D-1", "path: a", "one"), row("D-2", "path: b", rides=2))
    after = table(row("D-1", "path: a", "another"), row("D-2", "path: b", rides=1), row("D-3", "path: c"))
    comparison = compared(before, after)
    assert [change.row.id for change in comparison.rows] == ["D-2", "D-1", "D-3"]
    assert summary(comparison) == "2 rows changed, 1 added. 1 change needs a reason."


def test_removed_ledger_lines_are_told() -> None:
    lines = [charge("D-1", 1, "aa"), charge("D-1", 2, "bb")]
    before = Snapshot({BACKLOG: table(DEBT), LEDGER: ledger_bytes(lines)})
    after = Snapshot({BACKLOG: table(DEBT), LEDGER: ledger_bytes(lines[:1])})
    comparison = compare(before, after, len, len, TODAY)
    assert [(one.file, one.fact.code) for one in comparison.files] == [(LEDGER, "GT704")]


def test_packed_ledger_is_no_change() -> None:
    lines = [charge("D-1", 1, "aa"), charge("D-1", 2, "bb")]
    before = Snapshot(
        {BACKLOG: table(DEBT), LEDGER: ledger_bytes(lines[:1]), LEDGER.replace("0b", "0c"): ledger_bytes(lines[1:])}
    )
    after = Snapshot({BACKLOG: table(DEBT), "docs/gatilhos/ledger/2026-11-packed.md": ledger_bytes(lines)})
    assert told(compare(before, after, len, len, TODAY)) == []


def test_rows_of_a_renamed_table_are_told_once() -> None:
    data = table(*(row(f"D-{number}", "path: a") for number in range(9)))
    changed = data.replace(b"D-4 | debt | `path: a` | a note", b"D-4 | debt | `path: a` | another")
    comparison = compare(Snapshot({BACKLOG: data}), Snapshot({"docs/gatilhos/dívidas.md": changed}), len, len, TODAY)
    assert [in_plain_text(one.fact.words) for one in comparison.files] == [
        "8 rows moved from docs/gatilhos/backlog.md to docs/gatilhos/dívidas.md"
    ]
    assert [[fact.kind for fact in change.facts] for change in comparison.rows] == [["reworded", "moved"]]


def test_lifecycle_of_a_file_comes_from_the_configuration_of_its_side() -> None:
    header = "| id | trigger | note |\n| - | - | - |\n"
    data = table("| D-1 | `path: a` | first |", header=header)
    setting = b'[sources."backlog.md"]\nlifecycle = "debt"\n'
    before, after = Snapshot({BACKLOG: data}), Snapshot({BACKLOG: data, "gatilho.toml": setting})
    assert told(compare(before, after, len, len, TODAY)) == [("lifecycle", "rule -> debt")]
