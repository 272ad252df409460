"""The table of transitions and what a plan says of a row."""

import pytest
from reversals import reversal

from gatilho.ledger.lines import EVENTS, Entry, tally_of
from gatilho.lifecycle import transitions
from gatilho.lifecycle.state_cell import restate, split_state, successor_of
from gatilho.lifecycle.states import read_state
from gatilho.lifecycle.transitions import CHANGE, NOTHING, REFUSED, TRANSITIONS, Plan, Request, plan_transition
from gatilho.model import Row

TODAY = "2026-11-29"


def _row(state_text: str, *, struck: bool = False, lifecycle_name: str = "debt", rides: int | None = 2) -> Row:
    return Row(
        "X-1",
        lifecycle_name,
        rides=rides,
        state=read_state(state_text),
        state_text=state_text,
        struck=struck,
    )


ROWS = {
    "owed": _row("owed"),
    "waived": _row("waived until 2026-12-24"),
    "rule": _row("rule", lifecycle_name="rule"),
    "paid": _row("paid", struck=True),
    "struck": _row("rule", struck=True, lifecycle_name="rule"),
    "superseded": _row("superseded 2026-11-01 by X-2"),
    "revoked": _row("revoked 2026-11-01", lifecycle_name="rule"),
    "expired": _row("expired"),
}


def _wish(name: str, **changes: object) -> Request:
    wish = Request(
        by=f"{TRANSITIONS[name].who[0]} claude",
        evidence="because",
        today=TODAY,
        until="2026-12-31",
        successor="X-9",
        number=7,
        new_id="X-8",
    )
    return wish.replace(**changes)  # type: ignore[no-any-return]


def _after(row: Row, made: Plan) -> Row:
    """The row once the plan's cells are written."""
    text = row.state_text if made.state is None else made.state
    return row.replace(  # type: ignore[no-any-return]
        id=made.id or row.id,
        struck=row.struck if made.struck is None else made.struck,
        rides=row.rides if made.rides is None else made.rides,
        state_text=text,
        state=read_state(text),
    )


def test_the_table_is_whole() -> None:
    assert set(TRANSITIONS) == {
        "pay", "reinstate", "regress", "waive", "supersede", "revoke", "expire", "set", "rename",
    }  # fmt: skip
    for name, line in TRANSITIONS.items():
        assert line.name == name
        assert line.event in EVENTS
        assert set(line.before) <= set(ROWS)
        assert set(line.who) <= {"person", "agent", "program"}
        assert line.reverse
        assert all(reverse in TRANSITIONS for reverse in line.reverse)


@pytest.mark.parametrize("state", ROWS)
def test_each_state_is_told_apart(state: str) -> None:
    assert transitions.state_of(ROWS[state]) == state


@pytest.mark.parametrize("state", ROWS)
@pytest.mark.parametrize("name", TRANSITIONS)
def test_every_pair_has_one_clear_answer(name: str, state: str) -> None:
    row = ROWS[state]
    made = plan_transition(name, row, _wish(name), row.rides)
    if state in TRANSITIONS[name].before:
        assert made.verdict == CHANGE, made.reason
        assert made.event == TRANSITIONS[name].event
        again = plan_transition(name, _after(row, made), _wish(name), _after(row, made).rides)
        assert again.verdict == NOTHING
        said = {"set": "already has that count.", "rename": "already has that name."}.get(name, " already.")
        assert again.reason.endswith(said)
    else:
        assert made.verdict in (NOTHING, REFUSED)
        assert row.id in made.reason
        assert (made.struck, made.state, made.rides, made.id) == (None, None, None, None)


@pytest.mark.parametrize("state", ROWS)
@pytest.mark.parametrize("name", TRANSITIONS)
def test_what_is_done_can_be_taken_back(name: str, state: str) -> None:
    row = ROWS[state]
    made = plan_transition(name, row, _wish(name), row.rides)
    if made.verdict != CHANGE:
        return
    back, fields = reversal(name, row)
    assert back in TRANSITIONS[name].reverse
    there = _after(row, made)
    returned = plan_transition(back, there, _wish(back, today="2026-11-01", **fields), there.rides)
    assert returned.verdict == CHANGE, returned.reason
    restored = _after(there, returned)
    if (name, state) in {("supersede", "struck"), ("revoke", "struck")}:
        assert transitions.state_of(restored) == "rule"
    elif state == "waived" and name not in ("reinstate", "set", "rename"):
        assert transitions.state_of(restored) == "owed"
    elif (name, state) == ("reinstate", "struck"):
        assert transitions.state_of(restored) == "revoked"
    else:
        assert restored == row
    assert made.rides is None or name == "set"


@pytest.mark.parametrize(
    ("before", "state", "tail", "after"),
    [
        pytest.param("owed", "paid", "", "paid", id="a bare word"),
        pytest.param("owed since sprint 4", "paid", "", "paid since sprint 4", id="text behind the word stays"),
        pytest.param("owed: ask Ana", "paid", "", "paid: ask Ana", id="a colon stays"),
        pytest.param("Owed", "paid", "", "Paid", id="a capital stays"),
        pytest.param("**owed** since May", "paid", "", "**paid** since May", id="emphasis stays"),
        pytest.param("devida", "paid", "", "paga", id="Portuguese stays Portuguese"),
        pytest.param("paga em maio", "owed", "", "devida em maio", id="Portuguese back again"),
        pytest.param("regra", "revoked", " 2026-11-29", "revoked 2026-11-29", id="a word without a Portuguese form"),
        pytest.param("open", "paid", "", "paid", id="an unknown word that stands alone"),
        pytest.param("blocked by infra", "paid", "", "blocked by infra", id="a sentence is left alone"),
        pytest.param(
            "blocked by infra",
            "revoked",
            " 2026-11-29",
            "revoked 2026-11-29: blocked by infra",
            id="but an end is told",
        ),
        pytest.param("", "paid", "", "paid", id="an empty cell"),
        pytest.param("", "owed", "", "", id="an empty cell says owed already"),
        pytest.param("superseded 2026-11-01 by X-2", "rule", "", "rule", id="our own tail goes"),
        pytest.param(
            "superseded 2026-11-01 by X-2: see wiki", "rule", "", "rule: see wiki", id="a person's text stays"
        ),
        pytest.param("superseded 2026-11-01", "rule", "", "rule", id="superseded by nothing"),
        pytest.param("superseded 2026-11-01 by `old X.`, see", "rule", "", "rule, see", id="an id of two words goes"),
        pytest.param("superseded 2026-11-01 by `X", "rule", "", "rule", id="a span that never ends is a word"),
        pytest.param("superseded 2026-11-01 by", "rule", "", "rule by", id="nobody is named"),
        pytest.param("waived until 2026-12-24, release", "owed", "", "owed, release", id="a waiver ends"),
        pytest.param(
            "waived until 2026-12-24", "waived", " until 2027-01-01", "waived until 2027-01-01", id="a new date"
        ),
        pytest.param("waived until spring", "owed", "", "owed until spring", id="what is no date is a person's"),
        pytest.param("revoked by Ana", "rule", "", "rule by Ana", id="a name is a person's"),
        pytest.param("expired", "owed", "", "owed", id="expired has no tail"),
        pytest.param("superseded 2026-11-01 see R-2", "owed", "", "owed see R-2", id="only what `by` names is an id"),
    ],
)
def test_the_state_cell(before: str, state: str, tail: str, after: str) -> None:
    assert restate(before, state, tail) == after
    assert "".join(split_state(before)) == before


@pytest.mark.parametrize("successor", ["X-2", "by", "my debt", "a by b", "v1.", "ação-1", "debt: old"])
def test_whatever_id_a_successor_has_nothing_of_it_is_left_behind(successor: str) -> None:
    row = _row("owed: ask Ana")
    ended = _after(row, plan_transition("supersede", row, _wish("supersede", successor=successor)))
    assert ended.state == "superseded"
    assert successor_of(ended.state_text) == successor
    assert _after(ended, plan_transition("reinstate", ended, _wish("reinstate"))).state_text == row.state_text


@pytest.mark.parametrize(
    ("name", "state", "changes", "words"),
    [
        pytest.param("pay", "rule", {}, "a rule is never paid: supersede or revoke it", id="a rule is not paid"),
        pytest.param("pay", "revoked", {}, "a rule", id="nor is a revoked rule"),
        pytest.param("pay", "expired", {}, "reinstate it first", id="an expired debt is not paid"),
        pytest.param("pay", "owed", {"evidence": " "}, "--why", id="paid for no reason"),
        pytest.param(
            "pay",
            "owed",
            {"by": "agent claude"},
            "only a person or a program may do this, not an agent",
            id="an agent does not pay by hand",
        ),
        pytest.param("waive", "rule", {}, "nothing to waive", id="a rule is not waived"),
        pytest.param("waive", "owed", {"until": "tomorrow"}, "2026-12-24", id="a date that is none"),
        pytest.param("waive", "owed", {"until": TODAY}, "after today", id="a date that is not ahead"),
        pytest.param("waive", "owed", {"until": "2027-02-29"}, "is not a date", id="a day that does not exist"),
        pytest.param("waive", "paid", {}, "reinstate it first", id="a paid debt is not waived"),
        pytest.param("set", "owed", {"number": None}, "number", id="set without a number"),
        pytest.param("set", "owed", {"number": -1}, "0 or more", id="set below nothing"),
        pytest.param(
            "set", "owed", {"by": "program"}, "only a person may do this, not a program", id="a program does not set"
        ),
        pytest.param("rename", "owed", {"new_id": "a|b"}, "cannot be an id", id="an id that breaks the table"),
        pytest.param("rename", "owed", {"new_id": ""}, "cannot be an id", id="no new id"),
        pytest.param(
            "regress",
            "paid",
            {"by": "person"},
            "only a program may do this, not a person",
            id="a person reinstates instead",
        ),
        pytest.param("revoke", "paid", {}, "reinstate it first", id="a paid debt is not revoked"),
    ],
)
def test_what_is_refused_says_why(name: str, state: str, changes: dict[str, object], words: str) -> None:
    row = ROWS[state]
    made = plan_transition(name, row, _wish(name, **changes), row.rides)
    assert made.verdict == REFUSED
    assert words in made.reason
    assert "X-1" in made.reason


@pytest.mark.parametrize(
    ("state", "successor", "verdict"),
    [
        ("superseded", "X-2", NOTHING),
        ("superseded", "", NOTHING),
        ("superseded", "X-9", REFUSED),
        ("owed", "", CHANGE),
    ],
)
def test_a_row_is_superseded_once(state: str, successor: str, verdict: str) -> None:
    assert plan_transition("supersede", ROWS[state], _wish("supersede", successor=successor)).verdict == verdict


def test_lowering_a_cell_needs_its_word_even_if_the_cell_says_so_already() -> None:
    row = _row("owed", rides=1)
    assert plan_transition("set", row, _wish("set", number=1), count=4).verdict == CHANGE
    assert plan_transition("set", row, _wish("set", number=1), count=1).verdict == NOTHING


@pytest.mark.parametrize(
    "new_id",
    [
        "[x](y)",
        "<b>x</b>",
        "**x**",
        "*x*",
        "_x_",
        "&amp;",
        "a\\_b",
        "~x~",
        "`x`",
        " x",
        "x\x1b[31m",
        "a\u200bb",
        "x" * 101,
        "my debt",
        "d_e_f",
        "v1.2",
        "#12",
        "a\\b",
        "a|b",
        "-p",
        "",
    ],
)
def test_an_id_that_a_cell_would_say_otherwise_is_none(new_id: str) -> None:
    made = plan_transition("rename", ROWS["owed"], _wish("rename", new_id=new_id))
    assert (made.verdict, made.id) == (REFUSED, None)
    assert "use letters, digits and hyphens" in made.reason


@pytest.mark.parametrize("new_id", ["D-7f3k", "ação-1", "12", "R-", "D", "x" * 100])
def test_an_id_that_a_cell_says_as_it_is_may_be_given(new_id: str) -> None:
    assert plan_transition("rename", ROWS["owed"], _wish("rename", new_id=new_id)).id == new_id


@pytest.mark.parametrize(
    ("text", "today", "silent"),
    [
        pytest.param("waived until 2026-12-24", "2026-12-23", True, id="before its date"),
        pytest.param("waived until 2026-12-24", "2026-12-24", False, id="on its date"),
        pytest.param("waived until 2026-12-24: release week", "2026-12-01", True, id="with words behind"),
        pytest.param("waived 2026-11-01", "2030-01-01", True, id="without an end"),
        pytest.param("waived until Christmas", "2026-11-29", False, id="a date that nobody can compare"),
        pytest.param("owed", "2026-11-29", False, id="not waived"),
    ],
)
def test_a_waiver_silences_until_its_date(text: str, today: str, silent: bool) -> None:
    assert transitions.is_waived(_row(text), today) is silent


def test_a_strike_outweighs_a_waiver() -> None:
    assert not transitions.is_waived(_row("waived until 2026-12-24", struck=True), TODAY)


@pytest.mark.parametrize(
    ("state", "events", "missing"),
    [
        pytest.param("paid", (), "paid", id="struck by hand"),
        pytest.param("paid", ("paid",), "", id="paid and recorded"),
        pytest.param("paid", ("paid", "regressed"), "paid", id="struck again by hand"),
        pytest.param("owed", (), "", id="never anything else"),
        pytest.param("owed", ("paid",), "reinstated", id="a strike lifted by hand"),
        pytest.param("owed", ("paid", "regressed"), "", id="taken back and recorded"),
        pytest.param("owed", ("waived",), "reinstated", id="a waiver removed by hand"),
        pytest.param("waived", (), "waived", id="waived by hand"),
        pytest.param("superseded", (), "superseded", id="superseded by hand"),
        pytest.param("rule", ("revoked",), "reinstated", id="a rule brought back by hand"),
        pytest.param("struck", (), "revoked", id="a rule struck by hand"),
    ],
)
def test_what_a_person_did_in_the_table_is_noticed(state: str, events: tuple[str, ...], missing: str) -> None:
    lines = [Entry(f"2026-11-{day:02d}", "X-1", event) for day, event in enumerate(events, 1)]
    assert transitions.unrecorded(ROWS[state], tally_of(lines)) == missing
