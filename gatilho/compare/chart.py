"""Rides over time as one line of bars, as wide as there is room for."""

from collections.abc import Iterable

from gatilho.dates import utc_day

_BARS = "▁▂▃▄▅▆▇█"
_PLAIN = ".123456789+"  # where the terminal's encoding has no bars: the number itself
_DAY = 86_400
# Days of one column, and its name.
_SPANS = ((1, "a day"), (7, "a week"), (30, "30 days"), (91, "a quarter"), (365, "a year"))


def chart(rides: Iterable[tuple[int, int]], until: int, room: int, encoding: str) -> list[str]:
    """Two lines: what one column stands for, and the bars between the first and the last day.

    rides: (seconds since 1970, how many). until: where the bars end. room: columns of the terminal.
    """
    counted = [(when, count) for when, count in rides if when and count]
    if not counted:
        return []
    first = min(when for when, _ in counted)
    last = max(until, max(when for when, _ in counted))
    width = max(room - 24, 8)
    days, name = next((span for span in _SPANS if (last - first) // (span[0] * _DAY) < width), _SPANS[-1])
    columns = [0] * ((last - first) // (days * _DAY) + 1)
    for when, count in counted:
        columns[(when - first) // (days * _DAY)] += count
    most = max(columns)
    head = f"Rides over time: one column is {name}, the highest {most}"
    return [head, f"{utc_day(first)} {_bars(columns[-width:], most, encoding)} {utc_day(last)}"]


def _bars(columns: list[int], most: int, encoding: str) -> str:
    try:
        _BARS.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return "".join(_PLAIN[min(count, len(_PLAIN) - 1)] for count in columns)
    return "".join(_BARS[_height(count, most)] for count in columns)


def _height(count: int, most: int) -> int:
    """The bar of a count: the lowest is for none, and one is never as low as none."""
    return 0 if not count else max(1, round(count / most * (len(_BARS) - 1)))
