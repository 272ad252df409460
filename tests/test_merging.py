"""The merge of three documents, rows by id and cells by column."""

import pytest
from builders import HEADER
from hypothesis import given, settings
from hypothesis import strategies as st
from merging import debt

from gatilho.merge import markers
from gatilho.merge.cell_merge import merged_rides
from gatilho.merge.merging import MergedDocument, Options, merge, merge_order
from gatilho.merge.text import Style

WIDE = HEADER.replace(" state |\n", " state | owner |\n").replace("--- |\n", "--- | --- |\n")


def doc(*rows: str, header: str = HEADER, before: str = "# Backlog\n\n", after: str = "") -> bytes:
    return (before + header + "".join(line + "\n" for line in rows) + after).encode()


def merged(base: bytes, ours: bytes, theirs: bytes, style: str = "merge") -> MergedDocument:
    result = merge(base, ours, theirs, Options(Style(style)))
    assert result.by_rows, result.doubt
    return result


def clean(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    """The merge, which must be by rows and without a conflict."""
    result = merged(base, ours, theirs)
    assert result.conflicts == 0, result.data.decode()
    return result.data


THREE = (debt("D-1", 3), debt("D-2", 3), debt("D-3", 3))


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        pytest.param(
            (debt("D-1", 4), *THREE[1:]), (THREE[0], debt("D-2", 4), THREE[2]),
            (debt("D-1", 4), debt("D-2", 4), THREE[2]), id="neighbours ride",
        ),
        pytest.param(
            (debt("D-1", 4), *THREE[1:]), (debt("D-1", 5), *THREE[1:]),
            (debt("D-1", 5), *THREE[1:]), id="one and two rides of the same row",
        ),
        pytest.param(
            (debt("D-1", 2), *THREE[1:]), (debt("D-1", 5), *THREE[1:]),
            (debt("D-1", 4), *THREE[1:]), id="a fall and a growth are both added",
        ),
        pytest.param(
            (debt("~~D-1~~", 3, state="paid"), *THREE[1:]), (debt("D-1", 4), *THREE[1:]),
            (debt("~~D-1~~", 4, state="paid"), *THREE[1:]), id="paid here, charged there",
        ),
        pytest.param(
            (debt("~~D-1~~", 3, state="paid"), *THREE[1:]), (debt("D-1", 3, "reworded"), *THREE[1:]),
            (debt("~~D-1~~", 3, "reworded", "paid"), *THREE[1:]), id="paid here, reworded there",
        ),
        pytest.param(
            (debt("~~D-1~~", 3, state="paid"), *THREE[1:]), (debt("~~D-1~~", 4, state="paid"), *THREE[1:]),
            (debt("~~D-1~~", 4, state="paid"), *THREE[1:]), id="paid on both sides",
        ),
        pytest.param(
            (debt("D-1", 3, "ours"), *THREE[1:]), (debt("**D-1**", 4), *THREE[1:]),
            (debt("**D-1**", 4, "ours"), *THREE[1:]), id="reworded here, the id made bold there",
        ),
        pytest.param(
            (*THREE, debt("D-4")), (*THREE, debt("D-5")),
            (*THREE, debt("D-4"), debt("D-5")), id="rows appended on both sides",
        ),
        pytest.param(
            (*THREE, debt("D-4")), (*THREE, debt("D-4")),
            (*THREE, debt("D-4")), id="the same row appended on both sides",
        ),
        pytest.param(
            (*THREE, debt("D-4", 1)), (*THREE, debt("D-4", 2)),
            (*THREE, debt("D-4", 2)), id="the same row appended with other counts",
        ),
        pytest.param(
            (THREE[0], THREE[2]), (THREE[0], THREE[1], debt("D-3", 4)),
            (THREE[0], debt("D-3", 4)), id="a row removed beside one that rides stays removed",
        ),
        pytest.param(
            (THREE[2], THREE[0], THREE[1]), (debt("D-1", 4), *THREE[1:], debt("D-4")),
            (THREE[2], debt("D-1", 4), THREE[1], debt("D-4")), id="reordered here, changed and appended there",
        ),
        pytest.param(
            (debt("D-0"), *THREE), (debt("D-1", 9), *THREE[1:]),
            (debt("D-0"), debt("D-1", 9), *THREE[1:]), id="a row above one that rides",
        ),
        pytest.param(
            (debt("D-1", "three"), *THREE[1:]), (debt("D-1", 3, "reworded"), *THREE[1:]),
            (debt("D-1", "three", "reworded"), *THREE[1:]), id="a count that is no number is a text",
        ),
    ],
)  # fmt: skip
def test_rows_merge_by_id_and_column(ours: tuple[str, ...], theirs: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert clean(doc(*THREE), doc(*ours), doc(*theirs)) == doc(*expected)
    swapped = clean(doc(*THREE), doc(*theirs), doc(*ours))
    assert sorted(swapped.split(b"\n")) == sorted(doc(*expected).split(b"\n"))


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "debts", "rules"),
    [
        (3, 4, 4, 4, 4), (3, 4, 5, 5, 5), (3, 3, 2, 2, 2), (3, 2, 4, 3, 4), (3, 2, 2, 2, 2), (3, 0, 1, 0, 1),
        (3, 3, 3, 3, 3), (None, 1, 2, 2, 2), (5, 4, 3, 2, 4), (1, 0, 0, 0, 0),
    ],
)  # fmt: skip
def test_counts(base: int | None, ours: int, theirs: int, debts: int, rules: int) -> None:
    for one, other in ((ours, theirs), (theirs, ours)):
        if base is not None and one == other < base:
            continue  # the next test
        assert merged_rides(base, one, other, True) == debts
        assert merged_rides(base, one, other, False) == rules


def test_two_falls_are_added_up_and_never_below_nothing() -> None:
    assert merged_rides(5, 4, 4, True) == 3
    assert merged_rides(1, 0, 0, True) == 0


def test_a_row_that_both_sides_changed_alike_is_left_alone() -> None:
    ours = doc(debt("D-1", 2), THREE[1], debt("D-3", 4))
    theirs = doc(debt("D-1", 2), debt("D-2", 4), THREE[2])
    assert clean(doc(*THREE), ours, theirs) == doc(debt("D-1", 2), debt("D-2", 4), debt("D-3", 4))


NOTES = (doc(*THREE), doc(debt("D-1", 4, "ours"), *THREE[1:]), doc(debt("D-1", 5, "theirs"), debt("D-2", 4), THREE[2]))


def test_a_note_reworded_on_both_sides_is_a_conflict_on_that_row_only() -> None:
    result = merged(*NOTES)
    assert result.conflicts == 1
    lines = ["<<<<<<< ours", debt("D-1", 5, "ours"), "=======", debt("D-1", 5, "theirs"), ">>>>>>> theirs"]
    assert result.data == doc(*lines, debt("D-2", 4), THREE[2])


def test_the_row_as_it_was_is_shown_where_the_style_says_so() -> None:
    result = merged(*NOTES, style="diff3")
    lines = ["<<<<<<< ours", debt("D-1", 5, "ours"), "||||||| base", debt("D-1", 5), "=======",
             debt("D-1", 5, "theirs"), ">>>>>>> theirs"]  # fmt: skip
    assert result.data == doc(*lines, debt("D-2", 4), THREE[2])


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        pytest.param((debt("D-1", 3, "ours"),), (), id="reworded here, removed there"),
        pytest.param((debt("D-1", 4),), (), id="charged here, removed there"),
        pytest.param((debt("D-1", 3, state="waived until 2026-12-24"),), (debt("~~D-1~~", 3, state="paid"),),
                     id="waived here, paid there"),
    ],
)  # fmt: skip
def test_what_only_a_person_can_decide_is_a_conflict(ours: tuple[str, ...], theirs: tuple[str, ...]) -> None:
    for one, other in ((ours, theirs), (theirs, ours)):
        result = merged(doc(*THREE), doc(*one, *THREE[1:]), doc(*other, *THREE[1:]))
        assert result.conflicts == 1
        sides = markers.split_sides(result.data)
        assert all(line in (sides.ours + sides.theirs).decode() for line in THREE[1:])
        assert len(sides.hunks) == 1


def test_the_same_id_with_other_words_on_both_sides_is_a_conflict() -> None:
    result = merged(doc(*THREE), doc(*THREE, debt("D-4", 0, "mine")), doc(*THREE, debt("D-4", 2, "yours"), debt("D-5")))
    lines = ["<<<<<<< ours", debt("D-4", 2, "mine"), "=======", debt("D-4", 2, "yours"), ">>>>>>> theirs"]
    assert result.data == doc(*THREE, *lines, debt("D-5"))


def wide(line: str, owner: str = "") -> str:
    return f"{line} {owner} |" if owner else f"{line} |"  # the cell is there, and empty


class TestColumns:
    """One side changes the columns, the other the rows."""

    def test_a_column_added_on_one_side(self) -> None:
        base, ours = doc(*THREE), doc(debt("D-1", 4), *THREE[1:], debt("D-4", 1))
        theirs = doc(wide(debt("D-1", 3), "Ana"), wide(debt("D-2", 3, "reworded"), "Rui"), wide(THREE[2]), header=WIDE)
        expected = doc(
            wide(debt("D-1", 4), "Ana"), wide(debt("D-2", 3, "reworded"), "Rui"), wide(THREE[2]),
            wide(debt("D-4", 1).replace("|  |", "| |")), header=WIDE,
        )  # fmt: skip
        assert clean(base, ours, theirs) == expected
        assert clean(base, theirs, ours) == expected

    def test_a_row_removed_here_and_filled_in_a_new_column_there_is_a_conflict(self) -> None:
        theirs = doc(wide(THREE[0], "Ana"), *map(wide, THREE[1:]), header=WIDE)
        for sides in ((doc(*THREE[1:]), theirs), (theirs, doc(*THREE[1:]))):
            result = merged(doc(*THREE), *sides)
            assert result.conflicts == 1
            assert b"Ana" in result.data
        assert clean(doc(*THREE), doc(*THREE[:2]), theirs) == theirs.replace(wide(THREE[2]).encode() + b"\n", b"")

    def test_a_removed_row_is_shown_in_the_columns_that_it_comes_to_stand_in(self) -> None:
        base = b"| id | trigger | note | rides |\n|---|---|---|---|\n| D-1 | `a` | n | 1 |\n| D-2 | `b` | m | 1 |\n"
        theirs = b"| rides | id | trigger | note |\n|---|---|---|---|\n| 2 | D-1 | `a` | n |\n| 1 | D-2 | `b` | m |\n"
        result = merge(base, base.replace(b"| D-1 | `a` | n | 1 |\n", b""), theirs, Options(Style("diff3")))
        assert b"||||||| base\n| 1 | D-1 | `a` | n |\n=======\n| 2 | D-1 | `a` | n |\n" in result.data

    def test_columns_reordered_on_one_side(self) -> None:
        base = b"| id | trigger | note | rides |\n|---|---|---|---|\n| D-1 | `a` | n | 1 |\n| D-2 | `b` | m | 1 |\n"
        ours = b"| id | rides | trigger | note |\n|---|---:|---|---|\n| D-1 | 1 | `a` | n |\n| D-2 | 1 | `b` | m |\n"
        theirs = base.replace(b"n | 1", b"n2 | 5") + b"| D-3 | `c` | o | 0 |\n"
        assert clean(base, ours, theirs) == (
            b"| id | rides | trigger | note |\n|---|---:|---|---|\n| D-1 | 5 | `a` | n2 |\n| D-2 | 1 | `b` | m |\n"
            b"| D-3 | 0 | `c` | o |\n"
        )

    def test_columns_added_on_both_sides(self) -> None:
        base = b"| id | trigger | note |\n|---|---|---|\n| D-1 | `a` | n |\n"
        ours = b"| id | trigger | note | rides |\n|---|---|---|--:|\n| D-1 | `a` | n | 3 |\n"
        theirs = b"| id | trigger | note | owner |\n|---|---|---|---|\n| D-1 | `a` | n | Ana |\n"
        assert clean(base, ours, theirs) == (
            b"| id | trigger | note | rides | owner |\n| --- | --- | --- | --: | --- |\n| D-1 | `a` | n | 3 | Ana |\n"
        )

    def test_a_header_renamed_to_another_accepted_word(self) -> None:
        theirs = doc(*THREE, header=HEADER.replace("note", "nota"))
        expected = doc(debt("D-1", 4), *THREE[1:], header=HEADER.replace("note", "nota"))
        assert clean(doc(*THREE), doc(debt("D-1", 4), *THREE[1:]), theirs) == expected

    def test_a_cell_written_in_a_column_that_the_other_side_removed_is_left_to_the_text(self) -> None:
        base = b"| id | trigger | note | owner |\n|---|---|---|---|\n| D-1 | `a` | n | |\n"
        ours = base.replace(b"n | |", b"n | Ana |")
        theirs = b"| id | trigger | note |\n|---|---|---|\n| D-1 | `a` | n |\n"
        result = merge(base, ours, theirs)
        assert not result.by_rows
        assert result.conflicts
        assert b"Ana" in result.data


class TestAround:
    """Prose, other tables, line endings."""

    def test_prose_merges_line_by_line(self) -> None:
        base = doc(*THREE, before="# Backlog\n\none\n\ntwo\n\n", after="\nlast\n")
        ours = doc(debt("D-1", 4), *THREE[1:], before="# Backlog\n\nONE\n\ntwo\n\n", after="\nlast\n")
        theirs = doc(debt("D-1", 5), *THREE[1:], before="# Backlog\n\none\n\ntwo\n\n", after="\nLAST\n")
        expected = doc(debt("D-1", 5), *THREE[1:], before="# Backlog\n\nONE\n\ntwo\n\n", after="\nLAST\n")
        assert clean(base, ours, theirs) == expected

    def test_a_conflict_in_the_prose_leaves_the_rows_merged(self) -> None:
        base, ours, theirs = (
            doc(debt("D-1", n), *THREE[1:], before=f"# {title}\n", after=f"\n{title}\n")
            for n, title in ((3, "base"), (4, "ours"), (5, "theirs"))
        )
        result = merged(base, ours, theirs)
        assert result.conflicts == 2
        assert result.data.decode().count(debt("D-1", 5)) == 1
        assert result.data.startswith(b"<<<<<<< ours\n# ours\n=======\n# theirs\n>>>>>>> theirs\n| id |")

    def test_a_table_added_on_one_side(self) -> None:
        second = "\n## Later\n\n" + HEADER + debt("D-9") + "\n"
        result = clean(doc(*THREE), doc(*THREE, after=second), doc(debt("D-1", 4), *THREE[1:]))
        assert result == doc(debt("D-1", 4), *THREE[1:], after=second)

    def test_a_row_moved_to_another_table_and_charged_on_the_other_side(self) -> None:
        def two(first: tuple[str, ...], second: tuple[str, ...]) -> bytes:
            return doc(*first, after="\n## Closed\n\n" + HEADER + "".join(line + "\n" for line in second))

        base = two(THREE, (debt("D-8"),))
        ours = two((*THREE[:2],), (debt("D-8"), THREE[2]))
        theirs = two((*THREE[:2], debt("D-3", 4)), (debt("D-8"),))
        assert clean(base, ours, theirs) == two((*THREE[:2],), (debt("D-8"), debt("D-3", 4)))
        assert clean(base, theirs, ours) == two((*THREE[:2],), (debt("D-8"), debt("D-3", 4)))

    def test_a_file_created_on_both_sides(self) -> None:
        assert clean(b"", doc(debt("D-1"), debt("D-2", 1)), doc(debt("D-1"), debt("D-3"))) == doc(
            debt("D-1"), debt("D-2", 1), debt("D-3")
        )

    def test_an_empty_table_filled_on_both_sides(self) -> None:
        assert clean(doc(), doc(debt("D-1")), doc(debt("D-2"))) == doc(debt("D-1"), debt("D-2"))

    @pytest.mark.parametrize("changed", ["ours", "theirs", "base"])
    def test_line_endings_of_one_side_hold(self, changed: str) -> None:
        texts = {
            "base": doc(*THREE),
            "ours": doc(debt("D-1", 4), *THREE[1:]),
            "theirs": doc(*THREE[:2], debt("D-3", 5)),
        }
        texts[changed] = texts[changed].replace(b"\n", b"\r\n")
        expected = doc(debt("D-1", 4), THREE[1], debt("D-3", 5))
        if changed != "base":
            expected = expected.replace(b"\n", b"\r\n")
        assert clean(texts["base"], texts["ours"], texts["theirs"]) == expected

    def test_crlf_throughout_stays_in_conflicts_too(self) -> None:
        base, ours, theirs = (text.replace(b"\n", b"\r\n") for text in NOTES)
        result = merged(base, ours, theirs)
        assert result.data == merged(*NOTES).data.replace(b"\n", b"\r\n")

    def test_mixed_line_endings_stay_with_their_lines(self) -> None:
        base = doc(*THREE).replace(b"3 | owed |\n", b"3 | owed |\r\n", 1)
        ours = base.replace(b"D-1 | debt", b"**D-1** | debt")
        theirs = base.replace(b"3 | owed |\r\n", b"4 | owed |\r\n")
        assert clean(base, ours, theirs) == ours.replace(b"3 | owed |\r\n", b"4 | owed |\r\n")

    def test_a_missing_final_newline_and_a_byte_order_mark_stay(self) -> None:
        base = b"\xef\xbb\xbf" + doc(*THREE)[:-1]
        ours = base + b"\n" + debt("D-4").encode()
        theirs = base + b"\n" + debt("D-5").encode()
        assert clean(base, ours, theirs) == b"\xef\xbb\xbf" + doc(*THREE, debt("D-4"), debt("D-5"))[:-1]

    def test_padding_stays_and_a_wider_number_takes_a_blank(self) -> None:
        def table(first: str, second: str) -> bytes:
            return ("| id  | trigger | note  | rides |\n| --- | ------- | ----- | ----: |\n"
                    f"| D-1 | `a`     | {first:<5} | {second:>5} |\n").encode()  # fmt: skip

        assert clean(table("note", "9"), table("words", "9"), table("note", "10")) == table("words", "10")


@pytest.mark.parametrize(
    ("base", "ours", "theirs"),
    [
        pytest.param(doc(*THREE), doc(*THREE, THREE[0]), doc(debt("D-1", 4), *THREE[1:]), id="an id twice"),
        pytest.param(
            doc(*THREE), doc("<<<<<<< a", THREE[0], "=======", ">>>>>>> b", *THREE[1:]), doc(debt("D-1", 4), *THREE[1:]),
            id="markers in a side",
        ),
        pytest.param(b"a\rb\n" + doc(*THREE), b"a\rb\n" + doc(*THREE[1:]), b"a\rb\n" + doc(*THREE[:2]), id="lone CR"),
        pytest.param(
            doc(*THREE), b"# Gone\n", doc(debt("D-1", 4), *THREE[1:]), id="the table removed here, a ride there"
        ),
    ],
)  # fmt: skip
def test_in_doubt_the_text_is_merged_as_git_does(base: bytes, ours: bytes, theirs: bytes) -> None:
    from gatilho.merge.text import merge_text

    result = merge(base, ours, theirs)
    assert result.doubt
    assert (result.data, result.conflicts) == merge_text(base, ours, theirs, Style())


def test_a_base_with_conflicts_of_its_own_counts_as_unknown_there() -> None:
    base = doc("<<<<<<<<< x", debt("D-1", 3, "a"), "=========", debt("D-1", 3, "b"), ">>>>>>>>> y", *THREE[1:])
    result = merged(base, doc(debt("D-1", 4, "c"), *THREE[1:]), doc(debt("D-1", 5, "c"), debt("D-2", 4), THREE[2]))
    assert result.data == doc(debt("D-1", 5, "c"), debt("D-2", 4), THREE[2])
    assert result.conflicts == 0


def test_many_equal_lines_without_an_id_are_told_apart() -> None:
    blank = "| | | | | | |"
    base, ours = doc(*THREE), doc(*THREE, *[blank] * 3)
    assert clean(base, ours, doc(debt("D-1", 4), *THREE[1:])) == doc(debt("D-1", 4), *THREE[1:], *[blank] * 3)


def test_what_git_takes_for_binary_keeps_both_sides() -> None:
    result = merge(b"a\0\n", b"b\0\n", b"c\0\n")
    assert result.conflicts == 1
    assert b"b\0" in result.data
    assert b"c\0" in result.data


KEYS = st.lists(st.sampled_from("abcdefgh"), unique=True)


@given(KEYS, KEYS, KEYS)
@settings(max_examples=200)
def test_an_order_holds_every_key_once_and_keeps_one_side_as_it_is(
    base: list[str], ours: list[str], theirs: list[str]
) -> None:
    kept = {key for key in (*ours, *theirs) if key not in base or (key in ours and key in theirs)}
    order = merge_order(base, ours, theirs, kept)
    assert sorted(order) == sorted(kept)
    sides = [[key for key in side if key in kept] for side in (ours, theirs)]
    assert any([key for key in order if key in side] == side for side in sides)


CELL = st.sampled_from(["a note", "other words", "third words"])
ROWS = st.dictionaries(
    st.sampled_from(["D-1", "D-2", "D-3", "D-4"]), st.tuples(st.integers(0, 12), CELL, st.booleans()), max_size=4
)


def document_of(rows: dict[str, tuple[int, str, bool]]) -> bytes:
    return doc(
        *(
            debt(f"~~{key}~~" if paid else key, rides, note, "paid" if paid else "owed")
            for key, (rides, note, paid) in rows.items()
        )
    )


@given(ROWS, ROWS, ROWS)
@settings(max_examples=150)
def test_no_row_and_no_note_is_lost(base: dict, ours: dict, theirs: dict) -> None:  # type: ignore[type-arg]
    result = merge(document_of(base), document_of(ours), document_of(theirs), Options(Style("diff3")))
    assert result.by_rows
    sides = markers.split_sides(result.data)
    both = (sides.ours + sides.theirs).decode()
    for key in {*ours, *theirs}:
        kept = (key in ours and key in theirs) or key not in base
        changed = any(side.get(key, base.get(key)) != base.get(key) for side in (ours, theirs))
        assert (key in both) == bool(kept or changed)
    for side in (ours, theirs):
        for key, (_, note, _) in side.items():
            if key not in base or note != base[key][1]:
                assert any(key in line and note in line for line in both.splitlines()), (key, note)
    assert bool(sides.hunks) == bool(result.conflicts)


@given(ROWS, ROWS)
@settings(max_examples=60)
def test_what_one_side_alone_changed_is_the_result(base: dict, changed: dict) -> None:  # type: ignore[type-arg]
    one, other = document_of(base), document_of(changed)
    assert merge(one, one, other).data == other
    assert merge(one, other, one).data == other
    assert merge(one, other, other).data == other


FOUR = st.fixed_dictionaries(
    {key: st.tuples(st.integers(0, 12), CELL, st.booleans()) for key in ("D-1", "D-2", "D-3", "D-4")}
)


@given(FOUR, FOUR, FOUR, st.sampled_from([b"\n", b"\r\n"]))
@settings(max_examples=150)
def test_rows_in_the_same_places_merge_as_whole_documents_do(
    base: dict,
    ours: dict,
    theirs: dict,
    end: bytes,  # type: ignore[type-arg]
) -> None:
    sides = [document_of(rows).replace(b"\n", end) for rows in (base, ours, theirs)]
    new = debt("D-9").encode() + end
    result = merge(*sides, Options(Style("diff3")))
    whole = merge(sides[0], sides[1] + new, sides[2], Options(Style("diff3")))
    assert result.by_rows
    assert (result.data + new, result.conflicts) == (whole.data, whole.conflicts)


def test_one_row_in_doubt_costs_that_row() -> None:
    """One side moves a row to a table without the column that the other side adds and fills."""
    head, wide = (
        "| id | trigger | note | rides |\n|---|---|---|--:|\n",
        "| id | trigger | note | rides | owner |\n|---|---|---|--:|---|\n",
    )
    one, two, three = (f"| D-{n} | `a` | n | {n} |\n" for n in (1, 2, 3))
    base = f"# A\n\n{head}{one}{two}\n# B\n\n{head}{three}"
    ours = f"# A\n\n{head}{two}\n# B\n\n{head}{three}{one}"
    filled = one.replace("| 1 |", "| 2 | Ana |")
    theirs = (
        f"# A\n\n{wide}{filled}{two.replace('| 2 |', '| 3 | Bo |')}\n# B\n\n{head}{three.replace('| 3 |', '| 4 |')}"
    )
    found = merge(base.encode(), ours.encode(), theirs.encode())
    assert (found.by_rows, found.conflicts) == (True, 1)
    text = found.data.decode()
    assert f"<<<<<<< ours\n{one}=======\n{filled}>>>>>>> theirs\n" in text
    assert f"{wide}{two.replace('| 2 |', '| 3 | Bo |')}" in text
    assert three.replace("| 3 |", "| 4 |") in text
