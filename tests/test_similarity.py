"""Which rows say the same: numbers, case and emphasis do not count, what a row is about does."""

import pytest

from gatilho.memory.similarity import find_pairs, groups_of, most_similar, similarity
from gatilho.model import Row, Trigger


def made(row_id: str, note: str, trigger: str = "^src/", kind: str = "path") -> Row:
    return Row(row_id, triggers=(Trigger(kind, trigger),), note=note)


def grouped(*rows: Row) -> list[list[str]]:
    return [[rows[number].id for number in group] for group in groups_of(find_pairs(rows))]


def test_notes_with_one_trigger_that_differ_in_a_number_are_one_group() -> None:
    rows = [made(f"D-{n}", f"There are {n} snapshots left.") for n in (37, 15, 11, 9, 8, 7, 3, 2)]
    assert grouped(*rows) == [[row.id for row in rows]]
    assert {pair.score for pair in find_pairs(rows)} == {100}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("retry.py is flaky until it uses frozen_clock.", "Retry.py is flaky until it uses `frozen_clock`"),
        ("The cache must be cleared after each deploy", "The cache has to be cleared after every deploy"),
        ("cafe\u0301 orders are counted twice", "caf\u00e9 orders are counted twice"),
        ("注文の合計は税込みで計算する必要がある", "注文の合計は税込みで計算する必要がない"),
    ],
)
def test_notes_with_one_trigger_that_differ_in_a_few_letters_are_near_duplicates(one: str, other: str) -> None:
    assert grouped(made("D-1", one), made("D-2", other), made("D-3", "something else altogether")) == [["D-1", "D-2"]]


def test_equal_notes_are_near_duplicates_whatever_their_triggers() -> None:
    note = "run make client after this"
    assert grouped(made("D-1", note, "^api/"), made("D-2", note, r"\balembic\b", "cmd")) == [["D-1", "D-2"]]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (made("D-1", "views.py is untyped", r"^views\.py$"), made("D-2", "models.py is untyped", r"^models\.py$")),
        (made("D-1", "src/m1.py is untyped", r"^src/m1\.py$"), made("D-2", "src/m2.py is untyped", r"^src/m2\.py$")),
        (made("D-1", "use the frozen clock here"), made("D-2", "close the connection afterwards")),
        (made("D-1", "a note"), made("D-2", "a note")),
    ],
    ids=["one file each", "one numbered file each", "different notes", "too short to compare"],
)
def test_rows_that_say_different_things_are_none(one: Row, other: Row) -> None:
    assert find_pairs([one, other]) == []


def test_the_most_similar_rows_come_first_with_their_scores() -> None:
    new = made("new", "the retry test is flaky on Mondays")
    rows = [
        made("D-1", "deploy.sh waits with a sleep"),
        made("D-2", "the retry test is flaky on Fridays"),
        made("D-3", "the retry test is flaky on mondays."),
    ]
    found = most_similar(new, rows)
    assert [(row.id, score) for row, score in found] == [
        ("D-3", 100),
        ("D-2", similarity(new, rows[1])),
    ]
    assert 83 <= found[1][1] < 100


def test_pairs_of_many_rows_are_the_ones_that_comparing_all_finds() -> None:
    nouns = ("cache", "queue", "index", "token", "header", "session", "ledger", "parser")
    verbs = ("must be cleared before", "is written twice after", "leaks memory during", "needs a lock around")
    rows = [
        made(f"D-{n}{m}{k}", f"the {one} of the {other} {verb} the nightly run")
        for n, one in enumerate(nouns)
        for m, other in enumerate(nouns)
        for k, verb in enumerate(verbs)
    ]
    rows.append(made("E-1", "the cashe of the queue leaks memory during the nightly run"))
    every = {
        (one, other) for one in range(len(rows)) for other in range(one) if similarity(rows[one], rows[other]) >= 97
    }
    found = {(pair.second, pair.first) for pair in find_pairs(rows) if pair.score >= 97}
    assert every
    assert found == every
