"""`gatilho ledger compact`: fewer files, the same fold; on the default branch only."""

import random
from pathlib import Path

import pytest
from builders import BACKLOG, Repo, day, row, run_cli
from hypothesis import given, settings
from hypothesis import strategies as st

from gatilho.ledger import compaction
from gatilho.ledger import lines as ledger
from gatilho.ledger.lines import Entry
from gatilho.tables import Store

D1 = row("D-1", "path: x", rides=2)


def _file(repo: Repo, name: str, *entries: Entry) -> None:
    repo.write(f"docs/gatilhos/ledger/{name}", ledger.ledger_bytes(entries))


def _charge(day: str, session: str, rides: int) -> Entry:
    return Entry(f"{day} 10:00:00", "D-1", "charged", rides, 0, session, "c" * 40, "program claude", "src/a.py")


def _names(repo: Repo) -> list[str]:
    return sorted(path.name for path in repo.root.glob("docs/gatilhos/ledger/*.md"))


@pytest.fixture
def ledgered(repo: Repo) -> Repo:
    """Three files of a finished month, one of another, one of this."""
    repo.table(D1)
    _file(repo, "2026-01-02-aaaaaaaa.md", _charge("2026-01-02", "00000001", 1))
    _file(repo, "2026-01-03-bbbbbbbb.md", _charge("2026-01-03", "00000002", 2))
    _file(repo, "2026-01-09-cccccccc.md", _charge("2026-01-02", "00000001", 1))  # picked to another branch and back
    _file(repo, "2026-02-01-dddddddd.md", _charge("2026-02-01", "00000003", 3))
    _file(repo, f"{day()[:7]}-01-eeeeeeee.md", _charge(f"{day()[:7]}-01", "00000004", 4))
    repo.commit()
    return repo


def test_a_finished_month_becomes_one_file(ledgered: Repo) -> None:
    before = run_cli("list", "--json", cwd=ledgered.root).stdout
    done = run_cli("ledger", "compact", cwd=ledgered.root)
    assert done.status == 0
    names = _names(ledgered)
    assert len(names) == 3
    assert names[0].startswith("2026-01-")
    assert len(names[0]) == len("2026-01-") + 16 + len(".md")
    assert names[1:] == ["2026-02-01-dddddddd.md", f"{day()[:7]}-01-eeeeeeee.md"]
    assert f"2026-01: 3 files became docs/gatilhos/ledger/{names[0]}" in done.stdout
    assert run_cli("list", "--json", cwd=ledgered.root).stdout == before
    assert [line["session"] for line in ledgered.ledger("charged")][:2] == ["00000001", "00000002"]


def test_twice_changes_nothing(ledgered: Repo) -> None:
    run_cli("ledger", "compact", cwd=ledgered.root)
    names = _names(ledgered)
    done = run_cli("ledger", "compact", cwd=ledgered.root)
    assert done.stdout == "Nothing to pack: no finished month has more than one file.\n"
    assert _names(ledgered) == names


def test_two_clones_make_the_same_pack(ledgered: Repo, tmp_path: Path) -> None:
    ledgered.git("clone", "--quiet", ".", str(tmp_path / "clone"))
    clone = Repo.__new__(Repo)
    clone.root = tmp_path / "clone"
    for one in (ledgered, clone):
        run_cli("ledger", "compact", cwd=one.root)
    assert _names(clone) == _names(ledgered)


def test_what_a_late_branch_brings_is_packed_with_the_pack(ledgered: Repo) -> None:
    run_cli("ledger", "compact", cwd=ledgered.root)
    pack = _names(ledgered)[0]
    _file(ledgered, "2026-01-02-aaaaaaaa.md", _charge("2026-01-02", "00000001", 1))  # an original comes back
    _file(ledgered, "2026-01-20-ffffffff.md", _charge("2026-01-20", "00000009", 3))
    run_cli("ledger", "compact", cwd=ledgered.root)
    names = [name for name in _names(ledgered) if name.startswith("2026-01")]
    assert len(names) == 1
    assert names != [pack]
    assert len([line for line in ledgered.ledger() if line["when (utc)"].startswith("2026-01")]) == 3


@pytest.mark.parametrize(
    "brought", [["merge", "--no-edit"], ["rebase"], ["merge", "--squash"]], ids=lambda one: one[-1]
)
def test_open_branches_with_files_of_packed_months_merge_without_a_conflict(ledgered: Repo, brought: list[str]) -> None:
    """One branch was made before the months were packed, one between two packings; both hold late files of them."""
    late = [_charge("2026-01-20", f"0000001{number}", 2) for number in range(3)]
    ledgered.git("switch", "--quiet", "--create", "old")
    _file(ledgered, "2026-01-20-11111111.md", late[0])
    _file(ledgered, "2026-02-20-22222222.md", _charge("2026-02-20", "00000021", 3))
    ledgered.commit("Old")
    _pack(ledgered)
    ledgered.git("switch", "--quiet", "--create", "between")
    _file(ledgered, "2026-01-21-33333333.md", late[1])
    ledgered.commit("Between")
    ledgered.git("switch", "--quiet", "main")
    _file(ledgered, "2026-01-22-44444444.md", late[2])
    ledgered.commit("Late")
    _pack(ledgered)
    for name in ("old", "between"):
        ledgered.git("switch", "--quiet", name)
        ledgered.git(*brought, "main")  # fails over a conflict
        ledgered.commit("Take in main")
        ledgered.git("switch", "--quiet", "main")
        ledgered.git("merge", "--quiet", "--no-edit", name)
        _pack(ledgered)
    sessions = {line["session"] for line in ledgered.ledger("charged")}
    assert sessions == {*(f"0000000{number}" for number in range(1, 5)), "00000021", *(one.session for one in late)}
    assert len([name for name in _names(ledgered) if name.startswith("2026-01")]) == 1


def _pack(repo: Repo) -> None:
    repo.git("switch", "--quiet", "main")
    assert run_cli("ledger", "compact", cwd=repo.root).status == 0
    repo.commit("Pack")


def test_only_an_original_came_back(ledgered: Repo) -> None:
    run_cli("ledger", "compact", cwd=ledgered.root)
    names = _names(ledgered)
    _file(ledgered, "2026-01-02-aaaaaaaa.md", _charge("2026-01-02", "00000001", 1))
    run_cli("ledger", "compact", cwd=ledgered.root)
    assert _names(ledgered) == names


def test_before_the_first_commit_nothing_is_said_of_branches(repo: Repo) -> None:
    repo.git("checkout", "--quiet", "--orphan", "empty")
    assert "no commit yet" in run_cli("ledger", "compact", cwd=repo.root).stderr


def test_a_file_that_cannot_be_read_stays(ledgered: Repo) -> None:
    ledgered.write("docs/gatilhos/ledger/2026-01-05-99999999.md", "| what | is | this |\n")
    done = run_cli("ledger", "compact", cwd=ledgered.root)
    assert done.status == 1
    assert "2026-01-05-99999999.md" in done.stdout
    assert "2026-01-05-99999999.md" in _names(ledgered)


def test_what_a_pack_would_lose_stays(ledgered: Repo) -> None:
    entry = _charge("2026-01-05", "00000009", 4)
    ledgered.write(
        "docs/gatilhos/ledger/2026-01-05-99999999.md", ledger.ledger_bytes([entry]) + b"\nAna: see the wiki.\n"
    )
    ledgered.write("docs/gatilhos/ledger/2026-01-06-folder.md/inner.md", "a folder\n")
    ledgered.write("docs/gatilhos/ledger/README.md", "# What this is\n")
    done = run_cli("ledger", "compact", cwd=ledgered.root)
    assert (done.status, done.stderr) == (1, "")
    assert "2026-01-05-99999999.md:7: there is text besides the table; the file stays as it is" in done.stdout
    assert "2026-01-06-folder.md:1: the file cannot be read" in done.stdout
    assert "README.md" not in done.stdout
    assert "2026-01: 3 files became" in done.stdout
    names = _names(ledgered)
    assert {"2026-01-05-99999999.md", "2026-01-06-folder.md", "README.md"} <= set(names)
    assert "2026-01-02-aaaaaaaa.md" not in names


def test_a_readme_of_the_ledger_is_no_ledger(ledgered: Repo) -> None:
    ledgered.write("docs/gatilhos/ledger/README.md", "# What this is\n")
    assert "GT901" not in run_cli("check", cwd=ledgered.root).stdout


REFUSED = [
    pytest.param(["switch", "--quiet", "-c", "feature"], "is packed on main only, and this is the branch feature", id="a branch"),
    pytest.param(["switch", "--quiet", "--detach"], "is packed on main only, and this is a detached HEAD", id="detached"),
]  # fmt: skip


@pytest.mark.parametrize(("git", "said"), REFUSED)
def test_only_on_the_default_branch(ledgered: Repo, git: list[str], said: str) -> None:
    ledgered.git(*git)
    names = _names(ledgered)
    done = run_cli("ledger", "compact", cwd=ledgered.root)
    assert done.status == 2
    assert said in done.stderr
    assert _names(ledgered) == names


def test_the_remote_says_which_branch_is_the_default(ledgered: Repo, tmp_path: Path) -> None:
    ledgered.git("branch", "-m", "trunk-of-theirs")
    ledgered.git("clone", "--quiet", ".", str(tmp_path / "clone"))
    assert run_cli("ledger", "compact", cwd=tmp_path / "clone").status == 0


def test_in_the_middle_of_a_merge_nothing_is_packed(ledgered: Repo) -> None:
    ledgered.write(".git/MERGE_HEAD", "c" * 40 + "\n")
    names = _names(ledgered)
    assert run_cli("ledger", "compact", cwd=ledgered.root).status == 1
    assert _names(ledgered) == names


entries = st.builds(
    Entry,
    when=st.sampled_from([f"2026-{month:02}-{day:02} 10:00:0{second}" for month in (1, 2) for day in (1, 9) for second in (0, 5)]),
    id=st.sampled_from(["D-1", "D-2"]),
    event=st.sampled_from(["charged", "paid", "reinstated", "set", "waived", "asked", "renamed"]),
    rides=st.integers(0, 9),
    base=st.integers(0, 3),
    session=st.sampled_from(["0000000a", "0000000b", "0000000c"]),
    commit=st.just("c" * 40),
    by=st.sampled_from(["person", "program claude"]),
    evidence=st.sampled_from(["D-2", "why | not", "`code`", ""]),
)  # fmt: skip


@settings(max_examples=60)
@given(st.lists(st.lists(entries, min_size=1, max_size=3), min_size=1, max_size=6), st.randoms())
def test_packs_fold_to_the_same(
    tmp_path_factory: pytest.TempPathFactory, files: list[list[Entry]], chance: random.Random
) -> None:
    folder = tmp_path_factory.mktemp("store")
    store = Store("", str(folder.parent), str(folder))
    (folder / "ledger").mkdir()
    for number, lines in enumerate(files):
        month = lines[0].when[:10]
        (folder / "ledger" / f"{month}-{number:08x}.md").write_bytes(ledger.ledger_bytes(lines))
    before = _folds(store)
    packs, problems = compaction.plan_packs(store, "2026-03-01")
    assert problems == []
    for pack in packs:
        (folder / "ledger" / pack.name).write_bytes(pack.data)
    assert _folds(store) == before  # both there: a process was killed in between
    for pack in packs:
        compaction.write_pack(store, pack)
    assert _folds(store) == before
    assert compaction.plan_packs(store, "2026-03-01")[0] == []


def _folds(store: Store) -> dict[str, tuple[object, ...]]:
    found, problems = ledger.read_folder(store.ledger)
    assert problems == []
    folds = {row_id: ledger.tally_of(lines, 1) for row_id, lines in ledger.by_row(found).items()}
    return {
        row_id: (one.count, one.base, one.charges, one.sessions, one.state, one.paid, one.set, one.latest)
        for row_id, one in folds.items()
    }


def test_rides_and_the_table_stay(ledgered: Repo) -> None:
    before = ledgered.read(BACKLOG)
    run_cli("ledger", "compact", cwd=ledgered.root)
    assert ledgered.read(BACKLOG) == before
    assert "GT90" not in run_cli("check", cwd=ledgered.root).stdout.replace("GT903", "")
