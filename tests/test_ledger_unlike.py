"""No two ledger files are one file to git: by its own measure any two share less than half of their bytes."""

import os
import random
from pathlib import Path

import pytest
from builders import Repo, run_cli
from merging import attempt, branch, charge, counts, start

from gatilho.ledger import compaction
from gatilho.ledger import lines as ledger
from gatilho.ledger.lines import Entry
from gatilho.tables import Store

LEDGER = "docs/gatilhos/ledger"
COMMITS = ("5b308943fe0d7d9a4b0b0e1e5b1f2d3c4a5b6c7d", "0" * 40)
EVIDENCE = ("src/a.py", "src/deeply/nested/folders/of/a/project/that/goes/on.py", "a" * 400, "word " * 70, "")
IDS = ("D-1", "D-7f3k", "a-very-long-id-that-a-person-chose-for-a-row-of-the-backlog-of-debts")


def _entry(chance: random.Random, fraction: bool, session: str) -> Entry:
    """A line as like all others as real ones can be: of one moment, one commit, one path."""
    when = "2026-05-29 12:00:00" + (f".{chance.randrange(1000):03}" if fraction else "")
    event = chance.choice(("charged", "charged", "charged", "paid", "passed anyway"))
    count = chance.choice((1, 2, 14))
    row, evidence = (chance.choice((few[0], chance.choice(few))) for few in (IDS, EVIDENCE))
    return Entry(when, row, event, count, 0, session, chance.choice(COMMITS), "program claude", evidence)


def _file(chance: random.Random) -> list[Entry]:
    session = f"{chance.getrandbits(32):08x}"
    return [_entry(chance, number % 2 == 0, session) for number in range(chance.choice((1, 1, 2, 9)))]


def _old(entries: list[Entry]) -> bytes:
    """A file as earlier versions wrote it."""
    table = ledger.ledger_bytes(entries).decode().split("\n\n<!--")[0]
    head, _, *rows = table.split("\n")
    return "\n".join((head, "| --- | --- | --- | ---: | ---: | --- | --- | --- | --- |", *rows, "")).encode()


def _pairs(repo: Repo, old: str, new: str, *options: str) -> list[str]:
    """What git takes for a rename or a copy between two commits."""
    limits = ("-c", "diff.renameLimit=100000", "-c", "merge.renameLimit=100000")
    shown = repo.git(*limits, "diff", "--name-status", "--diff-filter=RC", *options, old, new)
    return shown.splitlines()


def _measures(repo: Repo, old: str, new: str) -> list[str]:
    return [
        pair
        for options in (["-M"], ["-M50%"], ["-C", "--find-copies-harder"])
        for pair in _pairs(repo, old, new, *options)
    ]


def _write(repo: Repo, name: str, data: bytes) -> None:
    repo.write(f"{LEDGER}/{name}.md", data)


@pytest.mark.parametrize("number", [120, pytest.param(1000, marks=pytest.mark.slow)])
def test_git_pairs_no_two_generated_files(repo: Repo, number: int) -> None:
    chance = random.Random(number)
    commits = []
    for half in range(2):
        for name in repo.root.glob(f"{LEDGER}/*"):
            name.unlink()
        for one in range(number // 2):
            entries = _file(chance)
            _write(repo, f"2026-05-29-{half}{one:07x}", ledger.ledger_bytes(entries))
        commits.append(repo.commit())
    assert _measures(repo, *commits) == []


def test_git_pairs_no_new_file_with_one_of_an_earlier_version(repo: Repo) -> None:
    chance = random.Random(2)
    entries = [_file(chance) for _ in range(60)]
    for one, lines in enumerate(entries):
        _write(repo, f"2026-05-28-{one:08x}", _old(lines))
    before = repo.commit()
    for path in repo.root.glob(f"{LEDGER}/*"):
        path.unlink()
    for one, lines in enumerate(entries):
        _write(
            repo, f"2026-05-29-{one:08x}", ledger.ledger_bytes([line.replace(session=f"{one:08x}") for line in lines])
        )
    assert _measures(repo, before, repo.commit()) == []


def test_git_pairs_no_pack_with_what_it_packs(repo: Repo) -> None:
    store = Store("", str(repo.root), repo.path("docs/gatilhos"))
    chance = random.Random(3)
    commits = []
    written = 0
    for round_ in range(4):
        for _ in range((2, 1, 40, 3)[round_]):
            written += 1
            _write(repo, f"2026-05-29-{written:08x}", ledger.ledger_bytes(_file(chance)))
        commits.append(repo.commit())
        before = set(ledger.read_folder(store.ledger)[0])
        for pack in compaction.plan_packs(store, "2026-06-01")[0]:
            compaction.write_pack(store, pack)
        assert set(ledger.read_folder(store.ledger)[0]) == before
        assert len(list(repo.root.glob(f"{LEDGER}/*.md"))) == 1
        commits.append(repo.commit())
    for number, old in enumerate(commits):
        for new in commits[number + 1 :]:
            assert _measures(repo, old, new) == []


@pytest.mark.slow
def test_git_pairs_no_two_full_packs(repo: Repo) -> None:
    store = Store("", str(repo.root), repo.path("docs/gatilhos"))
    chance = random.Random(4)
    for month in ("04", "05"):
        for one in range(2300):
            session = f"{chance.getrandbits(32):08x}"
            entry = Entry(
                f"2026-{month}-29 12:00:00.123",
                "D-1",
                "charged",
                1,
                0,
                session,
                COMMITS[0],
                "program claude",
                "src/a.py",
            )
            _write(repo, f"2026-{month}-29-{one:08x}", ledger.ledger_bytes([entry]))
    before = repo.commit()
    for pack in compaction.plan_packs(store, "2026-06-01")[0]:
        compaction.write_pack(store, pack)
    assert len(list(repo.root.glob(f"{LEDGER}/*.md"))) == 6
    assert compaction.plan_packs(store, "2026-06-01") == ([], [])
    packed = repo.commit()
    assert _measures(repo, before, packed) == []
    packs = sorted(path.name for path in repo.root.glob(f"{LEDGER}/*.md"))
    for path in packs[:3]:
        repo.git("rm", "--quiet", f"{LEDGER}/{path}")
    first = repo.commit()
    repo.git("checkout", "--quiet", packed, "--", LEDGER)
    for path in packs[3:]:
        repo.git("rm", "--quiet", f"{LEDGER}/{path}")
    assert _measures(repo, first, repo.commit()) == []


class TestHistories:
    """Reverts, picks and packing where git once took one ledger file for another."""

    def test_a_revert_a_ride_and_a_pick(self, repo: Repo) -> None:
        start(repo)
        repo.git("branch", "rel")
        ride = charge(repo, "D-1", "s1")
        repo.git("revert", "--no-edit", "HEAD")
        branch(repo, "rel")
        charge(repo, "D-1", "s2")
        assert attempt(repo, "cherry-pick", "main")
        assert counts(repo) == [1, 0, 0]
        assert attempt(repo, "cherry-pick", ride)
        assert counts(repo) == [2, 0, 0]

    def test_both_branches_revert_one_commit_and_ride(self, repo: Repo) -> None:
        start(repo)
        charge(repo, "D-1", "s0")
        for name in ("b", "main"):
            branch(repo, name)
            repo.git("revert", "--no-edit", repo.git("log", "-1", "--format=%H", "--grep", "rides").strip())
            charge(repo, "D-1", name)
        assert attempt(repo, "merge", "--quiet", "b")
        assert not any(b"<<<<<<<" in path.read_bytes() for path in repo.root.glob(f"{LEDGER}/*.md"))
        assert counts(repo) == [2, 0, 0]

    def test_packing_here_and_a_revert_there(self, repo: Repo) -> None:
        start(repo)
        for session in ("s0", "s1"):
            charge(repo, "D-1", session)
        branch(repo, "b")
        repo.git("revert", "--no-edit", "HEAD")
        branch(repo, "main")
        for path in repo.root.glob(f"{LEDGER}/*.md"):
            os.replace(path, str(path).replace("2026-11-29", "2026-05-29"))
        store = Store("", str(repo.root), repo.path("docs/gatilhos"))
        for pack in compaction.plan_packs(store, "2026-06-01")[0]:
            compaction.write_pack(store, pack)
        repo.commit("Pack")
        assert attempt(repo, "merge", "--quiet", "b")


def _markers(ours: bytes, theirs: bytes) -> bytes:
    return b"<<<<<<< HEAD\n" + ours + b"=======\n" + theirs + b">>>>>>> b\n"


class TestResolve:
    """Markers in a ledger file, as git left them where files of earlier versions looked alike."""

    def test_lines_of_both_sides_are_kept_once(self, repo: Repo) -> None:
        start(repo)
        head = _old([]).strip(b"\n") + b"\n"
        one, two, both = (
            _old([Entry("2026-05-29 12:00:00", "D-1", "charged", n, 0, f"0000000{n}")]).splitlines(keepends=True)[2]
            for n in (1, 2, 3)
        )
        name = f"{LEDGER}/2026-05-29-00000000.md"
        repo.write(name, head + both + _markers(one + both, two))
        found = run_cli("check", cwd=repo.root)
        assert f"{name}:4" in found.stdout
        assert "gatilho resolve" in found.stdout
        done = run_cli("resolve", cwd=repo.root)
        assert (done.status, done.stdout) == (0, f"{name}: resolved; `git add {name}` says so to git.\n")
        assert repo.read_bytes(name) == head + both + one + two
        assert counts(repo) == [3, 0, 0]

    def test_two_whole_files_become_one_table(self, repo: Repo) -> None:
        start(repo)
        name = f"{LEDGER}/2026-05-29-00000000.md"
        sides = [
            ledger.ledger_bytes([Entry("2026-05-29 12:00:00", "D-1", "charged", 1, 0, f"0000000{n}")]) for n in (1, 2)
        ]
        repo.write(name, _markers(*sides))
        assert run_cli("resolve", name, cwd=repo.root).status == 0
        text = repo.read(name)
        assert text.count("| when (UTC) |") == 1
        assert ledger.parse_ledger(text.encode(), name)[1] == []
        assert counts(repo) == [2, 0, 0]

    def test_markers_without_an_end_stay(self, repo: Repo) -> None:
        start(repo)
        name = f"{LEDGER}/2026-05-29-00000000.md"
        data = _old([]) + b"<<<<<<< HEAD\n| x |\n"
        repo.write(name, data)
        done = run_cli("resolve", cwd=repo.root)
        assert done.status == 1
        assert repo.read_bytes(name) == data


def test_the_measure_is_gits(tmp_path: Path) -> None:
    """The constant head alone would make two small files one: the measure that is used here sees it."""
    repo = Repo(tmp_path / "r")
    _write(repo, "2026-05-29-00000000", _old([Entry("2026-05-29 12:00:00", "D-1", "charged", 1, 0, "00000001")]))
    first = repo.commit()
    repo.git("rm", "--quiet", "-r", LEDGER)
    _write(repo, "2026-05-29-00000001", _old([Entry("2026-05-29 12:00:01", "D-1", "charged", 1, 0, "00000002")]))
    second = repo.commit()
    assert len(_pairs(repo, first, second, "-M50%")) == 1
