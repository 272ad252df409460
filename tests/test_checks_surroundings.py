"""What git does to the store: sparse checkouts, union merges; and what the texts of rows may do to a terminal."""

from builders import Repo, row
from checking import found, problems_of

D1 = row("D-1", r"path: ^src/a\.py$")


def test_a_store_outside_the_sparse_checkout_is_not_taken_for_an_empty_one(repo: Repo) -> None:
    repo.write("src/a.py", "")
    repo.table(D1)
    repo.git("sparse-checkout", "set", "src")
    (problem,) = problems_of(repo)
    assert (problem.code, problem.severity) == ("GT241", "warning")
    assert problem.message == "the store is outside the sparse checkout: 1 tracked file, whose rows do not speak here"
    assert problem.remedy == "git sparse-checkout add docs/gatilhos"
    assert not (repo.root / "docs").exists()
    assert repo.changed() == []


def test_a_repository_without_tables_says_so_as_a_note(repo: Repo) -> None:
    assert [(code, severity) for code, severity, *_ in found(repo)] == [("GT243", "note")]


def test_a_union_merge_is_warned_of_before_it_happens(repo: Repo) -> None:
    repo.write("src/a.py", "")
    repo.write(".gitattributes", "*.md merge=union\n")
    repo.table(D1)
    assert [(p.code, p.place.file) for p in problems_of(repo)] == [("GT242", "docs/gatilhos/backlog.md")]
    repo.write(".gitattributes", "*.md merge=union\ndocs/gatilhos/*.md merge=gatilho\n")
    assert found(repo) == []


def test_characters_that_act_on_a_terminal_are_told_with_their_place(repo: Repo) -> None:
    repo.write("src/a.py", "")
    repo.table(
        row("D-1", r"path: ^src/a\.py$", "clears \x1b[2J the screen"), row("D-2", r"path: ^src/a\.py$", "\u202eback")
    )
    assert [(code, row_id, text) for code, _, row_id, text in found(repo)] == [
        ("GT251", "D-1", "\x1b"),
        ("GT251", "D-2", "\u202e"),
    ]
