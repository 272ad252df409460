"""Days and times as the text in which tables and the ledger keep them, and how many days lie between two of them.

Rows begin, expire and are waived by the days of the person's clock; the ledger and all that is logged is in UTC.
"""

import time

_DAY = "%Y-%m-%d"
_TIME = "%Y-%m-%d %H:%M:%S"


def today(seconds: float | None = None) -> str:
    """Return the day at a time (seconds since 1970, now unless given) on the person's clock."""
    return time.strftime(_DAY, time.localtime(seconds))


def utc_day(seconds: float | None = None) -> str:
    """Return the day at that time in UTC."""
    return time.strftime(_DAY, time.gmtime(seconds))


def utc_time(seconds: float | None = None) -> str:
    """Return the time in UTC to the second: `2026-11-29 21:32:05`."""
    return time.strftime(_TIME, time.gmtime(seconds))


def utc_moment(seconds: float | None = None) -> str:
    """Return the same with milliseconds, by which the events of one second keep their order in the ledger."""
    seconds = time.time() if seconds is None else seconds
    return f"{utc_time(seconds)}.{int(seconds * 1000) % 1000:03d}"


def days_before(days: int, seconds: float | None = None) -> str:
    """Return the day in UTC `days` days before that time."""
    return utc_day((time.time() if seconds is None else seconds) - days * 86400)


def is_date(text: str) -> bool:
    """Return whether a text is a day of the calendar in ISO form, such as 2026-12-24."""
    if len(text) != 10 or text[4] != "-" or text[7] != "-" or not text.isascii():
        return False
    parts = text.split("-")
    if not all(part.isdigit() for part in parts):
        return False
    year, month, day = map(int, parts)
    if not year or not 1 <= month <= 12:
        return False
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = 30 + (month in (1, 3, 5, 7, 8, 10, 12)) if month != 2 else 28 + leap
    return 1 <= day <= days


def is_time(text: str) -> bool:
    """Return whether a text is a time as the ledger keeps it, perhaps with a fraction of its second, or a day alone."""
    day, blank, rest = text.partition(" ")
    clock, point, fraction = rest.partition(".")
    if not blank or not is_date(day):
        return is_date(text)
    parts = clock.split(":")
    digits = [*parts, fraction] if point else parts
    return len(clock) == 8 and len(parts) == 3 and text.isascii() and all(part.isdigit() for part in digits)


def days_between(earlier: str, later: str) -> int | None:
    """Return the days from one ISO date to another, None where one is no date."""
    if not (is_date(earlier) and is_date(later)):
        return None
    return _day_number(later) - _day_number(earlier)


def _day_number(date: str) -> int:
    """Return the days of the proleptic Gregorian calendar; years begin in March (`strptime` costs 30 ms)."""
    year, month, day = int(date[:4]), int(date[5:7]), int(date[8:10])
    if month < 3:
        year, month = year - 1, month + 12
    return 365 * year + year // 4 - year // 100 + year // 400 + (153 * (month - 3) + 2) // 5 + day
