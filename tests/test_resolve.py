"""`gatilho resolve` on files that git left with conflict markers."""

import json

import pytest
from builders import BACKLOG, HEADER, Repo
from merging import ROWS, attempt, branch, cells, charge, counts, debt, rewrite, start

from gatilho.cli import main
from gatilho.merge import resolve as resolving
from gatilho.merge.markers import split_sides
from gatilho.merge.text import Style

STYLES = pytest.mark.parametrize("style", ["merge", "diff3", "zdiff3"])


def resolve(repo: Repo, *words: str) -> int:
    return main(["resolve", "--root", str(repo.root), *words])


def conflict(ours: str, theirs: str, base: str | None = None) -> str:
    middle = f"||||||| base\n{base}" if base is not None else ""
    return f"<<<<<<< HEAD\n{ours}{middle}=======\n{theirs}>>>>>>> b\n"


def lines(*rows: str) -> str:
    return "".join(line + "\n" for line in rows)


@STYLES
def test_neighbours_that_rode(repo: Repo, style: str, capsys: pytest.CaptureFixture[str]) -> None:
    store = start(repo, 3, registered=False, style=style)
    branch(store, "b")
    charge(store, "D-2", "one")
    branch(store, "main")
    charge(store, "D-1", "two")
    assert not attempt(store, "merge", "--quiet", "b")
    assert resolve(store) == 0
    assert capsys.readouterr().out == f"{BACKLOG}: resolved; `git add {BACKLOG}` says so to git.\n"
    assert store.read(BACKLOG) == HEADER + lines(debt("D-1", 4), debt("D-2", 4), debt("D-3", 3))
    assert cells(store) == counts(store) == [4, 4, 3]


@STYLES
def test_what_two_people_wrote_stays_a_conflict_on_its_row(repo: Repo, style: str) -> None:
    store = start(repo, 3, registered=False, style=style)
    branch(store, "b")
    rewrite(store, debt("D-1", 3), debt("D-1", 3, "theirs"))
    charge(store, "D-2", "one")
    branch(store, "main")
    rewrite(store, debt("D-1", 3), debt("D-1", 3, "ours"))
    charge(store, "D-1", "two")
    assert not attempt(store, "merge", "--quiet", "b")
    assert resolve(store) == 1
    base = None if style == "merge" else lines(debt("D-1", 4))
    left = conflict(lines(debt("D-1", 4, "ours")), lines(debt("D-1", 4, "theirs")), base)
    assert store.read(BACKLOG).replace("||||||| " + store.git("merge-base", "main", "b")[:7], "||||||| base") == (
        HEADER + left + lines(debt("D-2", 4), debt("D-3", 3))
    )
    again = store.read_bytes(BACKLOG)
    assert resolve(store) == 1
    assert store.read_bytes(BACKLOG) == again


@STYLES
def test_paid_here_and_charged_there(repo: Repo, style: str) -> None:
    store = start(repo, 3, registered=False, style=style)
    branch(store, "b")
    charge(store, "D-1", "one")
    branch(store, "main")
    rewrite(store, debt("D-1", 3), debt("~~D-1~~", 3, state="paid"))
    assert not attempt(store, "merge", "--quiet", "b")
    assert resolve(store) == 0
    assert store.read(BACKLOG) == HEADER + lines(debt("~~D-1~~", 4, state="paid"), *(debt(one, 3) for one in ROWS[1:]))


def pure(text: str, base: bytes | None = None) -> resolving.Resolved:
    return resolving.resolve_conflicts((HEADER + text).encode(), base)


class TestWithoutABase:
    """Hosting services and committed markers: nobody knows what stood there before."""

    def test_counts_take_the_larger_one(self) -> None:
        found = pure(conflict(lines(debt("D-1", 4), debt("D-2", 1)), lines(debt("D-1", 3), debt("D-2", 2))))
        assert found.data.decode() == HEADER + lines(debt("D-1", 4), debt("D-2", 2))
        assert (found.conflicts, found.one_sided) == (0, ())

    def test_rows_appended_on_both_sides_are_kept_and_named(self) -> None:
        found = pure(lines(debt("D-1")) + conflict(lines(debt("D-5")), lines(debt("D-6"))))
        assert found.data.decode() == HEADER + lines(debt("D-1"), debt("D-5"), debt("D-6"))
        assert found.one_sided == ("D-5", "D-6")

    def test_a_row_that_one_side_removed_stays_a_conflict(self) -> None:
        text = lines(debt("D-1")) + conflict("", lines(debt("D-2", 4)))
        found = pure(text)
        assert found.conflicts == 1
        assert found.data.decode() == HEADER + text

    def test_paid_or_owed_is_for_a_person(self) -> None:
        found = pure(conflict(lines(debt("~~D-1~~", 3, state="paid")), lines(debt("D-1", 4))))
        assert found.conflicts == 1
        assert found.data.decode() == HEADER + conflict(lines(debt("~~D-1~~", 4, state="paid")), lines(debt("D-1", 4)))

    def test_with_the_base_it_is_not(self) -> None:
        base = (HEADER + lines(debt("D-1", 3))).encode()
        found = pure(conflict(lines(debt("~~D-1~~", 3, state="paid")), lines(debt("D-1", 4))), base)
        assert found.data.decode() == HEADER + lines(debt("~~D-1~~", 4, state="paid"))

    def test_prose_that_differs_stays_a_conflict(self) -> None:
        text = "\n" + conflict("ours\n", "") + "\nfour\nlines\nin\nbetween\n" + conflict("a\n", "b\n")
        found = pure(lines(debt("D-1")) + text)
        assert found.conflicts == 2
        assert found.data.decode() == HEADER + lines(debt("D-1")) + text


def test_a_conflict_within_a_conflict_is_resolved_from_the_inside() -> None:
    inner = conflict(lines(debt("D-1", 1)), lines(debt("D-1", 2)), lines(debt("D-1", 0)))
    outer = conflict(inner, lines(debt("D-1", 3)), lines(debt("D-1", 0)))
    assert pure(outer).data.decode() == HEADER + lines(debt("D-1", 3))


def test_an_inner_conflict_that_needs_a_person_leaves_the_file_alone() -> None:
    inner = conflict(lines(debt("D-1", 1, "a")), lines(debt("D-1", 2, "b")), lines(debt("D-1", 0)))
    found = pure(conflict(inner, lines(debt("D-1", 3)), lines(debt("D-1", 0))))
    assert found.conflicts == 1
    assert found.reason == "a conflict is inside another: resolve the inner one by hand first"
    assert found.data.decode() == HEADER + conflict(inner, lines(debt("D-1", 3)), lines(debt("D-1", 0)))


def test_a_row_twice_leaves_the_file_alone() -> None:
    text = lines(debt("D-1"), debt("D-1")) + conflict(lines(debt("D-2", 1)), lines(debt("D-2", 2)))
    found = pure(text)
    assert (found.data.decode(), found.conflicts) == (HEADER + text, 1)
    assert found.reason == "two rows share the id D-1"


@STYLES
@pytest.mark.parametrize("edited", [False, True], ids=["as git left it", "edited since"])
def test_a_row_that_moved_into_a_conflict_is_not_lost(repo: Repo, style: str, edited: bool) -> None:
    def text(first: str, second: str, title: str = "Later") -> str:
        return f"{HEADER}{first}\n## {title}\n\n{HEADER}{second}"

    start(repo, registered=False, style=style)
    one, two, three, four = (debt(f"D-{number}", number) for number in (1, 2, 3, 4))
    repo.write(BACKLOG, text(lines(one, two), lines(three)))
    repo.commit()
    branch(repo, "b")
    repo.write(BACKLOG, text(lines(two), lines(three, one)))
    repo.commit()
    branch(repo, "main")
    repo.write(BACKLOG, text(lines(one, two), lines(three, four)))
    repo.commit()
    assert not attempt(repo, "merge", "--quiet", "b")
    if edited:
        repo.write(BACKLOG, repo.read(BACKLOG).replace("## Later", "## Some day"))
    assert resolve(repo) == 0
    assert repo.read(BACKLOG) == text(lines(two), lines(three, four, one), "Some day" if edited else "Later")


@STYLES
def test_rows_that_git_put_under_other_columns_come_under_their_own(repo: Repo, style: str) -> None:
    head = "| id | trigger | note | rides |\n|---|---|---|---|\n"
    start(repo, registered=False, style=style)
    repo.write(BACKLOG, "# Old\n\n" + head + "| D-1 | `a` | n | 1 |\n\nEnd\n")
    repo.commit()
    branch(repo, "b")
    repo.write(BACKLOG, "# B\n\n| rides | id | trigger | note |\n|---|---|---|---|\n| 1 | D-1 | `a` | n |\n\nEnd\n")
    repo.commit()
    branch(repo, "main")
    repo.write(BACKLOG, "# A\n\n" + head + "| D-1 | `a` | n | 2 |\n| D-2 | `b` | m | 3 |\n\nEnd\n")
    repo.commit()
    assert not attempt(repo, "merge", "--quiet", "b")
    assert resolve(repo) == 1
    assert repo.read(BACKLOG).endswith(
        "| rides | id | trigger | note |\n|---|---|---|---|\n| 2 | D-1 | `a` | n |\n| 3 | D-2 | `b` | m |\n\nEnd\n"
    )


@STYLES
def test_a_table_that_both_sides_made(repo: Repo, style: str) -> None:
    start(repo, registered=False, style=style)
    for name, number in (("b", 5), ("main", 4)):
        branch(repo, name)
        repo.table(debt("D-1"), debt(f"D-{number}"), file="docs/gatilhos/new.md")
    assert not attempt(repo, "merge", "--quiet", "b")
    assert resolve(repo) == 0
    assert repo.read("docs/gatilhos/new.md") == HEADER + lines(debt("D-1"), debt("D-4"), debt("D-5"))


def test_a_header_in_conflict(repo: Repo) -> None:
    before = "| id | trigger | note |\n|---|---|---|\n| D-1 | `a` | n |\n"
    ours = "| id | trigger | note | rides |\n|---|---|---|--:|\n| D-1 | `a` | n | 3 |\n"
    theirs = "| id | trigger | note | owner |\n|---|---|---|---|\n| D-1 | `a` | n | Ana |\n"
    found = resolving.resolve_conflicts(conflict(ours, theirs, before).encode())
    assert found.data.decode() == (
        "| id | trigger | note | rides | owner |\n| --- | --- | --- | --: | --- |\n| D-1 | `a` | n | 3 | Ana |\n"
    )


def test_line_endings_of_windows_stay() -> None:
    text = HEADER + conflict(lines(debt("D-1", 4)), lines(debt("D-1", 5)))
    found = resolving.resolve_conflicts(text.replace("\n", "\r\n").encode(), style=Style())
    assert found.data.decode() == (HEADER + lines(debt("D-1", 5))).replace("\n", "\r\n")


def test_a_dry_run_writes_nothing_and_says_what_would_be(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(BACKLOG, HEADER + conflict(lines(debt("D-1", 4)), lines(debt("D-1", 5))))
    before = repo.read(BACKLOG)
    assert resolve(repo, "--dry-run") == 0
    assert repo.read(BACKLOG) == before
    assert capsys.readouterr().out == f"{BACKLOG}: would be resolved.\n"


def test_json_names_what_is_left(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(BACKLOG, HEADER + conflict(lines(debt("D-1", 4, "a")), lines(debt("D-1", 5, "b"))))
    assert resolve(repo, "--json") == 1
    assert json.loads(capsys.readouterr().out) == {
        "schema_version": 1,
        "files": [{"file": BACKLOG, "conflicts": 1, "reason": "", "one_sided": []}],
    }


def test_nothing_to_do_is_said(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.table(debt("D-1"))
    assert resolve(repo) == 0
    assert capsys.readouterr().out == "No file of docs/gatilhos holds conflict markers.\n"
    assert resolve(repo, "docs/nothing.md") == 2
    assert resolve(repo, BACKLOG) == 0
    assert "it holds no conflict markers" in capsys.readouterr().out


def test_a_link_to_what_never_ends_is_left_out(repo: Repo) -> None:
    repo.table(debt("D-1"))
    (repo.root / "docs/gatilhos/odd.md").symlink_to("/dev/zero")
    (repo.root / "docs/gatilhos/ledger").mkdir()
    (repo.root / "docs/gatilhos/ledger/2026-11-29-00000000.md").symlink_to("/dev/zero")
    assert resolve(repo) == 0
    assert main(["fold", "--root", str(repo.root)]) == 0
    assert main(["check", "--root", str(repo.root)]) == 1


def test_an_unfinished_conflict_is_named(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(BACKLOG, HEADER + "<<<<<<< HEAD\n" + lines(debt("D-1")))
    assert resolve(repo) == 1
    assert f"{BACKLOG}: nothing was changed: the conflict that begins in line 3 has no end" in capsys.readouterr().out


@STYLES
@pytest.mark.parametrize("registered", [True, False], ids=["with the driver", "without it"])
def test_a_row_that_moved_to_another_file_gets_its_change_there(repo: Repo, style: str, registered: bool) -> None:
    store = start(repo, 3, registered=registered, style=style)
    other = "docs/gatilhos/other.md"
    store.table(debt("D-8", 1), file=other)
    branch(store, "b")
    charge(store, "D-2", "one")
    branch(store, "main")
    rewrite(store, debt("D-2", 3) + "\n", "", commit=False)
    store.write(other, store.read(other) + debt("D-2", 3, "reworded") + "\n")
    store.commit("Move")
    assert not attempt(store, "merge", "--quiet", "b")
    assert resolve(store) == 0
    assert store.read(BACKLOG) == HEADER + lines(debt("D-1", 3), debt("D-3", 3))
    assert store.read(other) == HEADER + lines(debt("D-8", 1), debt("D-2", 4, "reworded"))


@pytest.mark.parametrize("rides", [(4, 3), (3, 4)])
def test_a_row_that_a_merge_of_the_text_doubled(
    repo: Repo, rides: tuple[int, int], capsys: pytest.CaptureFixture[str]
) -> None:
    """One side moved the row to another file, and the text of the other side's change was merged beside it."""
    store = start(repo, 3, registered=False)
    other = "docs/gatilhos/other.md"
    store.table(debt("D-8", 1), file=other)
    branch(store, "b")
    store.write("more", "x\n")
    store.commit()
    branch(store, "main")
    store.write(other, store.read(other) + debt("D-2", rides[1]) + "\n")
    store.commit()
    store.git("merge", "--quiet", "--no-edit", "b")
    rewrite(store, debt("D-2", 3), debt("D-2", rides[0]), commit=False)
    assert main(["check", "--root", str(repo.root)]) == 1
    assert "`gatilho resolve` keeps one line of it" in capsys.readouterr().out
    assert resolve(store) == 0
    assert capsys.readouterr().out == "D-2 was in two places and is in one now, with the larger count.\n"
    assert store.read(BACKLOG) == HEADER + lines(debt("D-1", 3), debt("D-3", 3))
    assert store.read(other) == HEADER + lines(debt("D-8", 1), debt("D-2", 4))
    assert resolve(store) == 0


@pytest.mark.parametrize("registered", [False, True])
@pytest.mark.parametrize("reworded", [False, True])
def test_a_ride_that_was_taken_back_stays_so_where_branches_were_merged_crosswise(
    repo: Repo, registered: bool, reworded: bool
) -> None:
    """Git merges the two bases first, and what it cannot merge of them is a conflict within the base."""
    start(repo, 3, registered=registered)
    if not registered:  # else the first `resolve` registers it
        repo.write(".gitattributes", "\n")
        repo.commit("No driver")
    branch(repo, "b")
    if reworded:
        rewrite(repo, debt("D-1", 3), debt("D-1", 3, "a note of b"))
    charge(repo, "D-2", "one")
    branch(repo, "main")
    if reworded:
        rewrite(repo, debt("D-1", 3), debt("D-1", 3, "a note of main"))
    ridden = charge(repo, "D-1", "two")
    repo.git("tag", "old-main")
    for name, other in (("main", "b"), ("b", "old-main")):
        branch(repo, name)
        _settle(repo, "merge", "--quiet", other)
    assert counts(repo) == [4, 4, 3]
    rewrite(repo, debt("D-3", 3), debt("D-3", 3, "another note"))
    branch(repo, "main")
    _settle(repo, "revert", "--no-edit", ridden)
    _settle(repo, "merge", "--quiet", "b")
    assert (cells(repo), counts(repo)) == ([3, 4, 3], [3, 4, 3])


def _settle(repo: Repo, *words: str) -> None:
    """Do what git does, and what a person does about its conflicts: `resolve`, then the note of main."""
    if not attempt(repo, *words):
        resolve(repo)
        sides = split_sides(repo.read_bytes(BACKLOG))
        repo.write(BACKLOG, (sides.ours if b"note of main" in sides.ours else sides.theirs).decode())
        repo.commit(" ".join(words))
