"""The life of rows, from real histories and ledgers."""

import json
import re
from collections.abc import Callable
from functools import partial

import pytest
from builders import BACKLOG, Output, Repo, row, run_cli

from gatilho.compare.history import chart
from gatilho.ledger.lines import Entry, ledger_bytes

Run = Callable[..., Output]


def commit_at(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, when: str, message: str = "Go on", author: str = "Ana"
) -> str:
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.setenv(name, f"{when}T12:00:00+00:00")
    monkeypatch.setenv("GIT_AUTHOR_NAME", author)
    return repo.commit(message)[:10]


def ledger(repo: Repo, name: str, *entries: Entry) -> None:
    repo.write(f"docs/gatilhos/ledger/{name}.md", ledger_bytes(entries))


def lines(output: Output) -> list[str]:
    assert output.status == 0, output.stderr
    return [
        line for line in output.stdout.splitlines() if re.match(r"(at least since )?\d{4}-\d\d-\d\d \d\d:\d\d  ", line)
    ]


def test_life_of_a_row(repo: Repo, run_cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.table(row("D-1", "path: ^a$", "first"), row("D-10", "path: b", "neighbour"), commit=False)
    written = commit_at(repo, monkeypatch, "2026-01-10", author="Ana Lima")
    repo.table(row("D-1", "path: ^a$", "first", rides=1), row("D-10", "path: b", "neighbour", rides=4), commit=False)
    ledger(
        repo,
        "2026-01-19-0badcafe",
        Entry("2026-01-19 10:00:00", "D-1", "charged", 1, 0, "8f3a21c0", written, "agent claude", "src/a.py"),
    )
    charged = commit_at(repo, monkeypatch, "2026-01-20", author="Bo")
    repo.table(row("D-1", "path: ^a$", "reworded", rides=1), row("D-10", "path: b", "neighbour", rides=4), commit=False)
    reworded = commit_at(repo, monkeypatch, "2026-01-25")
    repo.table(
        row("~~D-1~~", "path: ^a$", "reworded", rides=1, state="paid"),
        row("D-10", "path: b", "neighbour", rides=4),
        commit=False,
    )
    ledger(
        repo,
        "2026-01-29-0badcafe",
        Entry("2026-01-29 09:30:00", "D-1", "paid", session="aa", by="program claude", evidence="tests/x.py:3"),
    )
    paid = commit_at(repo, monkeypatch, "2026-01-30")
    assert lines(run_cli("log", "D-1")) == [
        f"2026-01-10 12:00  written: first, in {written} by Ana Lima",
        f"2026-01-19 10:00  ride 1: session 8f3a21c0 wrote src/a.py (by the agent, in claude, at {written}), in {charged} by Bo",
        f"2026-01-25 12:00  note reworded: first -> reworded, in {reworded} by Ana",
        f"2026-01-29 09:30  paid: tests/x.py:3 (by gatilho, in claude, session aa), in {paid} by Ana",
    ]
    assert "D-1  debt, paid, 1 ride" in run_cli("log", "D-1").stdout
    rule = "| R-1 | rule | `path: x` | a note | 1 | 2099-01-01 |"
    repo.table(rule, header="| id | lifecycle | trigger | note | rides | not before |\n|-|-|-|-|-|-|\n")
    assert "R-1  rule, not before 2099-01-01, 1 ride" in run_cli("log", "R-1").stdout


def test_json_has_every_field(repo: Repo, run_cli: Run) -> None:
    ledger(repo, "2026-01-19-0badcafe", Entry("2026-01-19T10:00:00Z", "D-1", "charged", 1, 0, "aa", "c", "agent", "a"))
    repo.table(row("D-1", "path: ^a$", "first", rides=1))
    found = json.loads(run_cli("log", "D-1", "--json").stdout)
    assert [event["kind"] for event in found["events"]] == ["written", "charged"]
    assert found["events"][1]["entry"]["session"] == "aa"
    assert found["events"][1]["commit"]["author"] == "A Person"
    assert found["events"][0]["when"] == "2026-01-05T12:00:00Z"


def test_hand_edits_are_told_apart(repo: Repo, run_cli: Run) -> None:
    repo.table(row("D-1", "path: a", rides=3), row("R-1", "path: a", lifecycle="rule"))
    repo.table(row("~~D-1~~", "path: a", rides=1, state="paid"), row("R-1", "path: a", lifecycle="rule", rides=2))
    told = [line.partition(", in ")[0][18:] for line in lines(run_cli("log", "D-1"))]
    assert told == [
        "written with 3 rides: a note",
        "rides 3 -> 1 (not in the ledger)",
        "owed -> paid (not in the ledger)",
    ]
    assert [line.partition(", in ")[0][18:] for line in lines(run_cli("log", "R-1"))][1:] == ["rides 0 -> 2"]


def test_row_that_is_gone_and_row_that_moved(repo: Repo, run_cli: Run) -> None:
    repo.table(row("D-1", "path: a"), row("D-2", "path: b"))
    repo.git("mv", BACKLOG, "docs/gatilhos/dívidas antigas.md")
    repo.commit("Rename")
    repo.table(row("D-2", "path: b"), file="docs/gatilhos/dívidas antigas.md")
    told = [line.partition(", in ")[0][18:] for line in lines(run_cli("log", "D-1"))]
    assert told == ["written: a note", "moved from docs/gatilhos/backlog.md", "removed, was owed"]
    assert "no row any more" in run_cli("log", "D-1").stdout


def test_merge_that_changed_a_row_by_itself(repo: Repo, run_cli: Run) -> None:
    repo.table(row("R-1", "path: a", "base", lifecycle="rule"))
    repo.git("switch", "--quiet", "--create", "side")
    repo.table(row("R-1", "path: a", "side", lifecycle="rule"))
    repo.git("switch", "--quiet", "main")
    repo.table(row("R-1", "path: a", "main", lifecycle="rule"))
    repo.git("merge", "side", check=False)
    repo.table(row("R-1", "path: a", "both", lifecycle="rule"))
    told = [line.partition(", in ")[0][18:] for line in lines(run_cli("log", "R-1"))]
    assert told[-1].endswith(" -> both")
    assert len(told) == 4


def test_rides_of_both_sides_of_a_merge_have_their_own_commits(repo: Repo, run_cli: Run) -> None:
    """Both wrote the same cell, so git's own simplification of the history would show one side alone.

    The clock of the second one was behind: the ledger says at which commit each rode.
    """
    repo.table(row("D-1", "path: a"))
    begun = repo.git("rev-parse", "HEAD").strip()
    repo.git("commit", "--quiet", "--allow-empty", "--message", "Something else")
    commits = {}
    for at, branch in enumerate(("side", "main")):
        repo.git("switch", "--quiet", *(["--create", branch, begun] if branch == "side" else [branch]))
        at_commit = repo.git("rev-parse", "HEAD").strip()
        entry = Entry(f"2026-01-05 13:0{1 - at}:00", "D-1", "charged", 1, 0, branch, at_commit, "program", "a")
        ledger(repo, f"2026-01-05-{branch}", entry)
        repo.table(row("D-1", "path: a", rides=1))
        commits[branch] = repo.git("rev-parse", "HEAD").strip()[:10]
    repo.git("merge", "--quiet", "--no-edit", "side")
    told = [line.partition("session ")[2] for line in lines(run_cli("log", "D-1"))][1:]
    assert [text.partition(" (")[0] for text in told] == ["main wrote a", "side wrote a"]
    assert [text.partition(", in ")[2][:10] for text in told] == [commits["main"], commits["side"]]


def test_cherry_picked_ride_is_one(repo: Repo, run_cli: Run) -> None:
    repo.table(row("D-1", "path: a"))
    repo.git("switch", "--quiet", "--create", "side")
    ledger(repo, "2026-01-19-0badcafe", Entry("2026-01-19 10:00:00", "D-1", "charged", 1, 0, "aa", "c", "agent", "a"))
    repo.table(row("D-1", "path: a", rides=1))
    repo.git("switch", "--quiet", "main")
    repo.write("other", "x")
    repo.commit()
    repo.git("cherry-pick", "side")
    repo.git("merge", "--quiet", "side")
    assert sum("ride" in line for line in lines(run_cli("log", "D-1"))) == 1


def test_a_ride_of_a_rule_on_both_sides_of_a_merge_is_told_as_often_as_it_counts(repo: Repo, run_cli: Run) -> None:
    """Rules have no line in the ledger, and a merge takes the larger cell."""
    rule = partial(row, "R-1", "path: a", lifecycle="rule")
    repo.table(rule(rides=2))
    repo.git("branch", "side")
    repo.table(rule(rides=3))
    repo.git("switch", "--quiet", "side")
    repo.table(rule(rides=3))
    repo.table(rule(rides=4))
    repo.git("switch", "--quiet", "main")
    repo.git("merge", "--quiet", "--no-edit", "side")
    repo.table(rule(rides=1))
    repo.table(rule(rides=2))
    told = [line.partition(", in ")[0][18:] for line in lines(run_cli("log", "R-1"))]
    assert told == ["written with 2 rides: a note", "rides 2 -> 3", "rides 3 -> 4", "rides 4 -> 1", "rides 1 -> 2"]
    events = json.loads(run_cli("log", "R-1", "--json").stdout)["events"]
    assert [one["rides"] for one in events] == [0, 1, 1, 0, 1]


def test_a_fold_brings_no_ride_of_its_own(repo: Repo, run_cli: Run) -> None:
    repo.table(row("D-1", "path: a"))
    for name in ("s1", "s2"):
        entry = Entry(
            f"2026-01-1{name[1]} 10:00:00", "D-1", "charged", 1, 0, name, "c0ffee", "program claude", "src/a.py"
        )
        ledger(repo, f"2026-01-1{name[1]}-0badcafe", entry)
    repo.commit("The ledger")
    repo.table(row("D-1", "path: a", rides=2), commit=False)
    folded = repo.commit("Fold")[:10]
    said = [line for line in lines(run_cli("log", "D-1")) if folded in line]
    assert [line[18:] for line in said] == [f"rides 0 -> 2, raised to the ledger's count, in {folded} by A Person"]


def test_renamed_row_keeps_its_life(repo: Repo, run_cli: Run) -> None:
    repo.table(row("D-1", "path: a"))
    ledger(repo, "2026-01-19-0badcafe", Entry("2026-01-19 10:00:00", "D-1", "renamed", by="person", evidence="D-9"))
    repo.table(row("D-9", "path: a"))
    told = "\n".join(lines(run_cli("log", "D-9")))
    assert "D-1  written: a note" in told
    assert "D-1  renamed to D-9 (by a person)" in told


def test_a_row_of_many_names_is_told_once(repo: Repo, run_cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Renamed twice between two commits and once more later, with a ride under each name."""
    repo.table(row("D-1", "path: a"), row("D-7", "path: b"), commit=False)
    commit_at(repo, monkeypatch, "2026-01-10")
    by = {"by": "person"}
    ledger(
        repo,
        "2026-01-11-0badcafe",
        Entry("2026-01-11 10:00:00", "D-1", "charged", 1, 0, "aa"),
        Entry("2026-01-11 11:00:00", "D-1", "renamed", 1, 0, evidence="D-2", **by),
        Entry("2026-01-11 12:00:00", "D-2", "renamed", 1, 0, evidence="D-3", **by),
    )
    repo.table(row("D-3", "path: a", rides=1), row("D-7", "path: b"), commit=False)
    first = commit_at(repo, monkeypatch, "2026-01-12")
    ledger(
        repo,
        "2026-01-13-0badcafe",
        Entry("2026-01-13 10:00:00", "D-3", "charged", 2, 0, "bb"),
        Entry("2026-01-13 11:00:00", "D-3", "renamed", 2, 0, evidence="D-4", **by),
    )
    repo.table(row("D-4", "path: a", rides=2), row("D-7", "path: b"), commit=False)
    second = commit_at(repo, monkeypatch, "2026-01-14")
    renames = [
        f"D-1  ride 1: session aa, in {first} by Ana",
        f"D-1  renamed to D-2 (by a person), in {first} by Ana",
        f"D-2  renamed to D-3 (by a person), in {first} by Ana",
        f"D-3  ride 2: session bb, in {second} by Ana",
        f"D-3  renamed to D-4 (by a person), in {second} by Ana",
    ]
    output = run_cli("log", "D-4")
    assert [line[18:] for line in lines(output)][1:] == renames
    assert "the highest 2" in output.stdout  # both rides fell into one week
    assert [line[18:] for line in lines(run_cli("log", "D-1"))][1:] == renames
    assert [line[18:] for line in lines(run_cli("log", "--since", "2026-01-11"))] == renames


def test_events_of_one_second_are_told_in_their_order(repo: Repo, run_cli: Run) -> None:
    repo.table(row("D-1", "path: a"))
    order = ("asked", "allowed", "waived", "reinstated", "asked")
    stamps = ("21:00:05", "21:00:05.001", "21:00:05.02", "21:00:05.999", "21:00:05.999001")
    entries = [
        Entry(f"2026-01-19 {stamp}", "D-1", event, evidence=f"number {number}")
        for number, (stamp, event) in enumerate(zip(stamps, order, strict=True))
    ]
    ledger(repo, "2026-01-19-0badcafe", *reversed(entries))
    for command in ("log", "show"):
        told = run_cli(command, "D-1").stdout
        places = [told.index(f"number {number}") for number in range(len(order))]
        assert places == sorted(places), command


ODD_IDS = ("D-1", "d.*", "a^b", "a\\b", "ação", "$x", "-p")


@pytest.mark.parametrize("row_id", ODD_IDS)
def test_odd_ids_are_found(repo: Repo, run_cli: Run, row_id: str) -> None:
    repo.table(row(row_id, "path: a"), row("other", "path: b"))
    repo.table(row(row_id, "path: a", "again"), row("other", "path: b"))
    told = lines(run_cli("log", "--", row_id) if row_id.startswith("-") else run_cli("log", row_id))
    assert [line.partition(", in ")[0][18:] for line in told] == ["written: a note", "note reworded: a note -> again"]


def test_since(repo: Repo, run_cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.table(row("D-1", "path: a"), commit=False)
    old = commit_at(repo, monkeypatch, "2026-01-10")
    repo.table(row("D-1", "path: a"), row("D-2", "path: b"), commit=False)
    ledger(repo, "2026-01-19-0badcafe", Entry("2026-01-19 10:00:00", "D-1", "asked", by="program", evidence="a"))
    commit_at(repo, monkeypatch, "2026-01-20")
    for when in ("2026-01-15", old, "2026-01-15 08:00"):
        told = lines(run_cli("log", "--since", when))
        assert ["D-2  written" in line for line in told][-1], when
        assert any("D-1  asked" in line for line in told), when
    assert lines(run_cli("log", "--since", "2026-01-21")) == []
    assert lines(run_cli("log", "D-2", "--since", "2026-01-15"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name a row, as in `gatilho log D-7f3k`, or a time: `gatilho log --since"),
        (("D-99",), "no row has or had the id D-99. Did you mean D-9?"),
        (("--since", "no day"), "--since no day: that is not a date"),
        (("--since", "--output=x"), "expected one argument"),
    ],
    ids=["neither id nor day", "an unknown id", "a day that is none", "an option as a day"],
)
def test_usage(repo: Repo, run_cli: Run, arguments: tuple[str, ...], said: str) -> None:
    repo.table(row("D-9", "path: a"))
    output = run_cli("log", *arguments)
    assert output.status == 2
    assert said in output.stderr


def test_uncommitted_row_and_unborn_head(repo: Repo, run_cli: Run) -> None:
    repo.table(row("D-1", "path: a"), commit=False)
    assert "not committed yet" in run_cli("log", "D-1").stderr
    fresh = Repo.__new__(Repo)
    fresh.root = repo.root / "fresh"
    fresh.root.mkdir()
    fresh.git("init", "--quiet")
    fresh.write(BACKLOG, repo.read(BACKLOG))
    assert "not committed yet" in run_cli_of(fresh, "log", "D-1").stderr


def test_shallow_clone_does_not_pretend(repo: Repo, run_cli: Run) -> None:
    repo.table(row("D-1", "path: a", rides=1))
    repo.table(row("D-1", "path: a", rides=2))
    clone = Repo.__new__(Repo)
    clone.root = repo.root / "clone"
    repo.git("clone", "--quiet", "--depth", "1", f"file://{repo.root}", str(clone.root))
    output = run_cli_of(clone, "log", "D-1")
    assert lines(output)[0].startswith("at least since 2026-01-05 12:00  written with 2 rides")
    assert "git fetch --unshallow" in output.stdout


def test_hostile_texts_stay_text(repo: Repo, run_cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.table(row("D-1", "path: a", "bad \x1b[31m note \u202e"), commit=False)
    commit_at(repo, monkeypatch, "2026-01-10", author="Eve \x1b]0;title\x07")
    output = run_cli("log", "D-1")
    assert "\x1b" not in output.stdout
    assert "\u202e" not in output.stdout
    assert len(lines(output)) == 1


def test_lines_of_a_patch_that_look_like_headers(repo: Repo, run_cli: Run) -> None:
    header = "id|trigger|note\n-|-|-\n"
    repo.table("--a1|`path: a`|first", header=header)
    repo.table("--a1|`path: a`|second", header=header)
    told = lines(run_cli("log", "--", "--a1"))
    assert [line.partition(", in ")[0][18:] for line in told] == ["written: first", "note reworded: first -> second"]


def test_configuration_of_diffs_changes_nothing(repo: Repo, run_cli: Run) -> None:
    repo.table(row("D-1", "path: a"))
    repo.table(row("D-1", "path: a", "again"))
    expected = run_cli("log", "D-1").stdout
    repo.write(".gitattributes", "*.md -diff\n")
    for name, value in (
        ("diff.noprefix", "true"), ("diff.mnemonicPrefix", "true"), ("diff.external", "false"), ("color.ui", "always"),
        ("log.showSignature", "true"), ("diff.interHunkContext", "9"), ("diff.context", "9"), ("log.follow", "true"),
        ("core.pager", "false"), ("diff.renames", "copies"), ("log.diffMerges", "off"), ("format.pretty", "oneline"),
        ("i18n.logOutputEncoding", "latin-1"), ("diff.relative", "true"), ("core.quotePath", "true"),
    ):  # fmt: skip
        repo.git("config", name, value)
    assert run_cli("log", "D-1").stdout == expected


def run_cli_of(repo: Repo, *arguments: str) -> Output:
    return run_cli(*arguments, cwd=repo.root)


DAY = 86_400


@pytest.mark.parametrize(
    ("rides", "until", "encoding", "bars"),
    [
        ([(DAY, 1)], DAY, "utf-8", "█"),
        ([(DAY, 1), (3 * DAY, 2)], 4 * DAY, "utf-8", "▅▁█▁"),
        ([(DAY, 1), (3 * DAY, 12)], 4 * DAY, "ascii", "1.+."),
        ([(DAY, 1), (3 * DAY, 12)], 0, "no such encoding", "1.+"),
    ],
    ids=["one day", "days without rides", "digits where bars cannot be shown", "an encoding that nobody knows"],
)
def test_chart(rides: list[tuple[int, int]], until: int, encoding: str, bars: str) -> None:
    assert chart(rides, until, 60, encoding)[1].split(" ")[1] == bars


def test_chart_fits_its_room() -> None:
    for years in (1, 3, 30):
        found = chart([(DAY, 1), (years * 365 * DAY, 5)], 0, 60, "utf-8")
        assert max(map(len, found)) <= 60
    assert chart([], DAY, 60, "utf-8") == []
    assert chart([(0, 3)], DAY, 60, "utf-8") == []
