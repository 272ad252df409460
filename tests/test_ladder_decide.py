"""What the ladder decides, as functions of values."""

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatilho.config import Config
from gatilho.dates import days_between
from gatilho.ladder.decide import Match, decay, in_order, is_due, key_of, may_speak, reason_to_expire, to_charge
from gatilho.model import Row, Trigger

TODAY = "2026-06-15"
CONFIG = Config()
TRIGGERS = (Trigger("path", "a"),)


def debt(row_id: str = "D-1", **fields: object) -> Row:
    return Row(row_id, lifecycle="debt", triggers=TRIGGERS, **fields)  # type: ignore[arg-type]


def rule(row_id: str = "R-1", **fields: object) -> Row:
    return Row(row_id, triggers=TRIGGERS, **fields)  # type: ignore[arg-type]


SPEAKS = [
    (debt(), True, "an owed debt"),
    (rule(), True, "a rule"),
    (debt(state="waived", state_text="waived until 2126-01-01"), True, "a waived debt"),
    (debt(struck=True), False, "a paid debt"),
    (rule(struck=True), False, "a struck rule"),
    (debt(state="superseded"), False, "a superseded row"),
    (debt(state="revoked"), False, "a revoked row"),
    (debt(state="expired"), False, "an expired row"),
    (debt(not_before=TODAY), True, "from this day on"),
    (debt(not_before="2026-06-16"), False, "from tomorrow on"),
    (debt(expires=TODAY), True, "until this day"),
    (debt(expires="2026-06-14"), False, "until yesterday"),
]


@pytest.mark.parametrize(("row", "speaks", "why"), SPEAKS, ids=[why for *_, why in SPEAKS])
def test_who_may_speak(row: Row, speaks: bool, why: str) -> None:
    assert may_speak(row, TODAY) is speaks


DUE = [
    (debt(), 2, False, "below the number"),
    (debt(), 3, True, "at the number"),
    (debt(rides=0), 3, True, "by the ledger alone"),
    (debt(rides=None), 9, False, "rides that are no number"),
    (debt(ask_after=5), 4, False, "below its own number"),
    (debt(ask_after=0), 0, True, "at once"),
    (rule(), 99, False, "a rule"),
    (debt(struck=True), 9, False, "paid"),
    (debt(state="revoked"), 9, False, "revoked"),
    (debt(not_before="2026-06-16"), 9, False, "not yet"),
    (debt(state="waived", state_text="waived until 2026-06-16"), 9, False, "waived until tomorrow"),
    (debt(state="waived", state_text="waived until 2026-06-15"), 9, True, "waived until today"),
    (debt(state="waived", state_text="waived"), 9, False, "waived for good"),
    (debt(state="waived", state_text="waived until whenever"), 9, True, "a waiver that cannot be read"),
]


@pytest.mark.parametrize(("row", "count", "due", "why"), DUE, ids=[why for *_, why in DUE])
def test_who_is_due(row: Row, count: int, due: bool, why: str) -> None:
    assert is_due(Match(row, count), CONFIG, TODAY) is due


CHARGED = [
    (debt(), "a.py", True, False, True, "said and written"),
    (rule(), "a.py", True, False, True, "a rule"),
    (debt(), "", True, False, False, "only read"),
    (debt(), "a.py", False, False, False, "not said"),
    (debt(), "a.py", True, True, False, "charged in this session"),
    (debt(struck=True), "a.py", True, False, False, "paid"),
    (debt(state="expired"), "a.py", True, False, False, "expired"),
    (debt(rides=None), "a.py", True, False, False, "rides that are no number"),
    (debt(shared=True), "a.py", True, False, False, "an id that two rows share"),
    (debt(state="waived", state_text="waived"), "a.py", True, False, True, "waived"),
]


@pytest.mark.parametrize(
    ("row", "written", "said", "charged", "rides", "why"), CHARGED, ids=[why for *_, why in CHARGED]
)
def test_who_gets_a_ride(row: Row, written: str, said: bool, charged: bool, rides: bool, why: str) -> None:
    assert to_charge(Match(row, 0, written=written), said, charged) is rides


def test_rows_compete_by_urgency_then_kind_then_age_then_id() -> None:
    matches = [
        Match(debt("due-9"), 9),
        Match(debt("due-3"), 3),
        Match(debt("owed-2", ask_after=9), 2),
        Match(debt("owed-0"), 0),
        Match(rule("directive", kind="directive"), 0),
        Match(rule("new", kind="pitfall", added="2026-06-14"), 7),
        Match(rule("old", kind="pitfall", added="2026-01-01"), 8),
        Match(rule("dateless", kind="decision"), 0),
        Match(rule("a-without-kind"), 0),
        Match(rule("b-without-kind"), 99),
    ]
    assert in_order(matches[::-1], CONFIG, TODAY) == matches


def test_a_date_in_the_future_and_none_do_not_decay() -> None:
    assert decay(rule(kind="pitfall", added="2027-01-01"), CONFIG, TODAY) == 1.0
    assert decay(rule(kind="pitfall"), CONFIG, TODAY) == 1.0
    assert decay(rule(kind="task", added="2020-01-01"), CONFIG, TODAY) == 1.0
    assert decay(rule(kind="directive", added="2020-01-01"), CONFIG, TODAY) == 1.0
    assert decay(rule(added="2020-01-01"), CONFIG, TODAY) == 1.0
    assert decay(rule(kind="state", added="2026-06-08"), CONFIG, TODAY) == 0.5


@given(st.dates(), st.dates())
@settings(max_examples=200)
def test_days_are_counted_as_the_calendar_does(one: date, other: date) -> None:
    assert days_between(one.isoformat(), other.isoformat()) == (other - one) // timedelta(days=1)


@pytest.mark.parametrize("text", ["", "soon", "2026-13-01", "2026-6-1", "2026-02-30"])
def test_what_is_no_date_has_no_distance(text: str) -> None:
    assert days_between(text, TODAY) is None
    assert days_between(TODAY, text) is None


def test_rows_that_share_an_id_are_remembered_apart() -> None:
    one, two = debt(shared=True, file="a.md", line=3), debt(shared=True, file="a.md", line=4)
    assert key_of(one) != key_of(two)
    assert key_of(debt(file="a.md", line=3)) == key_of(debt(file="b.md", line=9)) == ("", "D-1")
    assert key_of(debt(store="team")) == ("team", "D-1")


@pytest.mark.parametrize(
    ("row", "ttl_days", "reason"),
    [
        (rule(expires=TODAY), None, ""),
        (rule(expires="2026-06-14"), None, "its own date, 2026-06-14, is past"),
        (rule(kind="state", added="2026-06-05"), 10, ""),
        (rule(kind="state", added="2026-06-04"), 10, "added 2026-06-04, and a state lives 10 days"),
        (rule(kind="operational", added="2026-01-01"), 10, "added 2026-01-01, and an operational lives 10 days"),
        (rule(kind="directive", added="2020-01-01"), 10, ""),
        (rule(kind="state"), 10, ""),
        (rule(kind="made up", added="2020-01-01"), 10, ""),
        (rule(kind="state", added="2020-01-01", struck=True), 10, ""),
    ],
)
def test_what_is_over_says_why(row: Row, ttl_days: int | None, reason: str) -> None:
    assert reason_to_expire(row, CONFIG, TODAY, ttl_days) == reason
