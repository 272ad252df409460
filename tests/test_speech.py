"""Texts made from rows: whole rows within a budget, on one line each, without what steers a terminal."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatilho.ladder import messages
from gatilho.ladder.decide import Match
from gatilho.model import Condition, Row

ABOUT, SEE = "src/a.py", "gatilho why src/a.py"


def match(row_id: str = "D-1", note: str = "a note", count: int = 0, **fields: object) -> Match:
    row = Row(row_id, note=note, file="docs/gatilhos/a.md", line=7, **{"lifecycle": "debt", **fields})  # type: ignore[arg-type]
    return Match(row, count)


def notes(matches: list[Match], budget: int = 4000) -> messages.Spoken:
    return messages.notes(matches, ABOUT, budget, {}, SEE)


def test_nothing_to_say_is_nothing() -> None:
    assert notes([]) == messages.Spoken("", [], [])


def test_the_first_line_is_a_fact_and_the_note_comes_first_in_its_own() -> None:
    assert notes([match(count=1)]).text == (
        "Notes kept in docs/gatilhos for src/a.py:\n"
        "- a note [D-1; debt, 1 ride; paid when a person strikes its id; docs/gatilhos/a.md:7]"
    )


def test_a_kind_stands_behind_the_lifecycle() -> None:
    assert "[D-1; debt, pitfall, 2 rides; " in notes([match(count=2, kind="pitfall")]).text


def test_a_condition_of_any_length_keeps_no_row_from_being_said() -> None:
    spoken = notes([match(conditions=(Condition("exists", "x" * 5000),))], 1000)
    assert "x…; docs/gatilhos/a.md:7]" in spoken.text


def test_a_rule_is_not_paid() -> None:
    assert notes([match("R-1", lifecycle="rule", count=14)]).text.endswith(
        "[R-1; rule, 14 rides; docs/gatilhos/a.md:7]"
    )


def test_equal_notes_are_one() -> None:
    spoken = notes([match("D-1"), match("D-2", "other"), match("D-3")])
    assert spoken.text.count("a note") == 1
    assert [m.row.id for m in spoken.said] == ["D-1", "D-3", "D-2"]


def test_remarks_stand_before_the_place() -> None:
    one = match()
    text = messages.notes([one], ABOUT, 4000, {one.key: ["not committed yet"]}, SEE).text
    assert "not committed yet; docs/gatilhos/a.md:7]" in text


def test_rows_are_taken_whole_and_the_rest_is_counted() -> None:
    matches = [match(f"D-{number}", f"{number} " + "x" * 200) for number in range(9)]
    spoken = notes(matches, 1000)
    assert spoken.said + spoken.cut == matches
    assert spoken.text.endswith(f"({len(spoken.cut)} more: {SEE})")
    assert all(spoken.text.count("x" * 200) == len(spoken.said) for _ in [0])


def test_a_note_that_alone_is_too_long_is_shortened_rather_than_lost() -> None:
    spoken = notes([match(note="x" * 9000), match("D-2", "y" * 200)], 1000)
    assert len(spoken.text) <= 1000
    assert "x…" in spoken.text
    assert "[D-1; " in spoken.text
    assert [m.row.id for m in spoken.cut] == ["D-2"]


@given(st.lists(st.text(max_size=300), max_size=12), st.integers(400, 4000))
@settings(max_examples=150)
def test_the_budget_holds_whatever_notes_say(texts: list[str], budget: int) -> None:
    matches = [match(f"D-{number}", text) for number, text in enumerate(texts)]
    for spoken in [notes(matches, budget)] + ([messages.question(matches, ABOUT, budget + 400)] if matches else []):
        assert len(spoken.text) <= budget + 400
        assert sorted(m.row.id for m in spoken.said + spoken.cut) == sorted(m.row.id for m in matches)
        for said in spoken.said:
            assert f"[{said.row.id}; " in spoken.text
        for cut in spoken.cut:
            assert f"[{cut.row.id}; " not in spoken.text
    assert len(notes(matches, budget).text) <= budget


@pytest.mark.parametrize("text", ["\x1b[31mred", "a\u202eb", "one\ntwo", "bell\x07", "\u2066x", "a\r\nb"])
def test_a_note_is_one_line_without_control(text: str) -> None:
    said = notes([match(note=text)]).text
    assert said.count("\n") == 1
    assert not set("\x1b\u202e\x07\u2066\r") & set(said)


def test_a_question_shows_a_way_out_for_each_reader() -> None:
    text = messages.question([match(count=3)], ABOUT, 4000).text
    assert text.startswith("Owed and due in docs/gatilhos for src/a.py:\n- a note [D-1; debt, 3 rides; ")
    assert "\nAgent: " in text
    assert text.endswith(
        "\nOwner: type `ok D-1` on its own line to allow writes in this session, "
        "or `waive D-1 until YYYY-MM-DD: reason` to postpone."
    )


def test_the_person_reads_one_line_about_a_due_debt() -> None:
    assert (
        messages.due_line(match(count=3, note="a\nnote")) == "D-1 is due after 3 rides: a note (docs/gatilhos/a.md:7)"
    )
