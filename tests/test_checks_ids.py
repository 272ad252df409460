"""Ids that several rows bear: told at each of them, with the places of the others."""

import pytest
from builders import BACKLOG, HEADER, Repo, row
from checking import found, problems_of

D1 = row("D-1", r"path: ^README\.md$", "first note")


def test_different_ids_are_fine(repo: Repo) -> None:
    repo.table(D1, row("D-2", r"path: ^README\.md$"))
    assert found(repo) == []


def test_an_id_as_long_as_a_note_is_no_name(repo: Repo) -> None:
    repo.table(row("D-" + "1" * 98, r"path: ^README\.md$"), row("D-" + "2" * 1_000_000, r"path: ^README\.md$"))
    (problem,) = problems_of(repo)
    assert (problem.code, problem.place.line) == ("GT205", 4)
    assert problem.message.startswith("the id has 1,000,002 characters")


def test_both_rows_are_told_of_the_other(repo: Repo) -> None:
    repo.table(D1)
    repo.table(row("D-1", "path: README", "second note"), file="docs/gatilhos/other.md")
    assert [(str(p.place), p.code, p.message) for p in problems_of(repo)] == [
        (
            "docs/gatilhos/backlog.md:3",
            "GT201",
            "D-1 is also the id of docs/gatilhos/other.md:3: both rows speak, and neither is written",
        ),
        (
            "docs/gatilhos/other.md:3",
            "GT201",
            "D-1 is also the id of docs/gatilhos/backlog.md:3: both rows speak, and neither is written",
        ),
    ]


def test_each_of_many_rows_names_three_others(repo: Repo) -> None:
    repo.table(*[row("D-1", "path: README", f"note {number}") for number in range(9)])
    messages = [one.message for one in problems_of(repo) if one.code == "GT201"]
    assert len(messages) == 9
    assert messages[0].count("backlog.md:") == 3
    assert messages[0].endswith("and 5 more: all of them speak, and none of them is written")


def test_the_sides_of_a_conflict_are_one_row_and_the_markers_are_the_cause(repo: Repo) -> None:
    sides = (
        "<<<<<<< ours",
        row("D-1", "path: a", "mine"),
        "=======",
        row("D-1", "path: a", "theirs"),
        ">>>>>>> theirs",
    )
    repo.write(BACKLOG, "\n".join([HEADER.rstrip(), *sides, row("D-2", "path: b"), ""]))
    assert "GT201" not in {problem.code for problem in problems_of(repo)}
    repo.write("docs/gatilhos/other.md", "\n".join([HEADER.rstrip(), row("D-1", "path: a", "moved"), ""]))
    assert "GT201" in {problem.code for problem in problems_of(repo)}


def test_a_union_merge_of_paid_and_ridden_says_that_the_states_contradict(repo: Repo) -> None:
    paid = row("~~D-1~~", r"path: ^README\.md$", "first note", rides=3, state="paid")
    path = repo.table(D1.replace("| 0 |", "| 4 |"), paid)
    before = path.read_bytes()
    first, second = problems_of(repo)
    assert first.message.endswith("They contradict each other: owed and paid")
    assert second.row == "D-1"
    assert path.read_bytes() == before


def test_a_no_break_space_tells_no_two_ids_apart(repo: Repo) -> None:
    repo.table(D1, row("D-1\u00a0\u200b", r"path: ^README\.md$"))
    assert [code for code, *_ in found(repo, "GT201")] == ["GT201", "GT201"]


def test_an_id_in_another_store_is_a_warning(repo: Repo) -> None:
    repo.table(D1)
    repo.write("team/rules.md", repo.read("docs/gatilhos/backlog.md"))
    repo.write("gatilho.toml", 'stores = ["team"]\n')
    repo.commit()
    assert [severity for code, severity, *_ in found(repo, "GT201", "GT202")] == ["warning", "warning"]


def test_a_kind_that_nobody_knows_is_said_with_the_nearest(repo: Repo) -> None:
    header = "| id | trigger | note | state | kind |\n" + "| --- " * 5 + "|\n"
    kinds = ("", "state", "Referense", "runbook")
    lines = [f"| R-{number} | `path: README` | a | | {kind} |" for number, kind in enumerate(kinds)]
    repo.table(*lines, "| ~~R-9~~ | `path: README` | a | revoked | runbook |", header=header)
    assert found(repo, "GT204") == [("GT204", "warning", "R-2", "Referense"), ("GT204", "warning", "R-3", "runbook")]
    assert [("did you mean reference?" in one.remedy) for one in problems_of(repo) if one.code == "GT204"] == [
        True,
        False,
    ]
    repo.write("gatilho.toml", "[kinds.runbook]\nhalf_life_days = 45\nttl_days = 49\n")
    assert [row for _, _, row, _ in found(repo, "GT204")] == ["R-2"]


KEYED = "| id | lifecycle | trigger | note | rides | state | key | expires |\n" + "| --- " * 8 + "|\n"


def keyed(id: str, note: str, key: str = "indent", state: str = "rule", expires: str = "") -> str:
    return f"| {id} | rule | `path: README` | {note} | 0 | {state} | {key} | {expires} |\n"


def test_two_rows_that_say_different_things_of_one_key_contradict_each_other(repo: Repo) -> None:
    repo.write("docs/gatilhos/one.md", KEYED + keyed("R-1", "tabs", "Indent"))
    repo.write("docs/gatilhos/two.md", KEYED + keyed("R-2", "spaces") + keyed("R-3", "spaces"))
    told = [problem for problem in problems_of(repo) if problem.code == "GT203"]
    assert [problem.message for problem in told] == [
        "R-1 has the key Indent, and contradicts R-2 (docs/gatilhos/two.md:3), R-3 (docs/gatilhos/two.md:4)",
        "R-2 has the key indent, and contradicts R-1 (docs/gatilhos/one.md:3)",
        "R-3 has the key indent, and contradicts R-1 (docs/gatilhos/one.md:3)",
    ]
    assert told[0].severity == "error"
    assert told[0].text[told[0].place.column - 1 :].startswith("Indent")


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(keyed("R-2", "tabs"), id="which says the same"),
        pytest.param(keyed("R-2", "spaces", key="length"), id="of another key"),
        pytest.param(keyed("R-2", "spaces", state="superseded 2026-01-02"), id="that ended"),
        pytest.param(keyed("R-2", "spaces", expires="2020-01-02"), id="whose date is past"),
    ],
)
def test_no_contradiction_with_a_row(repo: Repo, other: str) -> None:
    repo.write("docs/gatilhos/one.md", KEYED + keyed("R-1", "tabs") + other)
    assert found(repo, "GT203") == []
