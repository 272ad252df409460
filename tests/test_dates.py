"""Days and times as text: whose clock says them, and how many days lie between."""

import time
from collections.abc import Iterator

import pytest

from gatilho import dates

NOON = 1_700_049_600  # 2023-11-15 12:00:00 UTC


@pytest.fixture
def far_east(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A clock that is 14 hours ahead of UTC."""
    monkeypatch.setenv("TZ", "FAR-14")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("far_east")
def test_the_persons_day_is_not_the_ledgers() -> None:
    assert dates.today(NOON) == "2023-11-16"
    assert dates.utc_day(NOON) == "2023-11-15"
    assert dates.utc_time(NOON) == "2023-11-15 12:00:00"
    assert dates.utc_moment(NOON + 0.0625) == "2023-11-15 12:00:00.062"
    assert dates.is_time(dates.utc_moment())


def test_days_before_a_time_are_counted_back_in_utc() -> None:
    assert dates.days_before(42, NOON) == "2023-10-04"
    assert dates.days_before(0, NOON) == dates.utc_day(NOON)


@pytest.mark.parametrize("text", ["2024-02-29", "2000-02-29", "2026-12-31", "0001-01-01"])
def test_a_day_of_the_calendar_is_a_date(text: str) -> None:
    assert dates.is_date(text)


@pytest.mark.parametrize(
    "text", ["2023-02-29", "1900-02-29", "2026-04-31", "2026-13-01", "2026-1-01", "0000-01-01", "2026-01-0١", ""]
)
def test_anything_else_is_none(text: str) -> None:
    assert not dates.is_date(text)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("2026-11-29 21:32:05", True),
        ("2026-11-29 21:32:05.001", True),
        ("2028-02-29", True),
        ("2027-02-29 21:32:05", False),
        ("2026-11-29 21:32", False),
        ("2026-11-29 21:32:05.", False),
        ("2026-11-29 21:32:05.5.3", False),
        ("2026-11-29 21:32:05+02:00", False),
        ("2026-11-29 ", False),
        ("2026", False),
        ("", False),
    ],
)
def test_a_time_of_the_ledger_can_be_told(text: str, is_one: bool) -> None:
    assert dates.is_time(text) is is_one
