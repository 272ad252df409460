"""`gatilho waive` (Settling): stop asking about a debt until a date."""

import argparse

from gatilho.console import transition
from gatilho.dates import is_date, today


def main(argv: list[str]) -> int:
    """Write `waived until DATE` into the state of a debt, and record why."""
    parser = transition.transition_parser(
        "waive",
        "Stop asking about a debt until a date. It still warns and gets rides, and is asked about again from that "
        "date on.\nWithout a date it is not asked about until it is reinstated.",
        "gatilho waive D-7f3k --until 2026-12-24 --why 'release week'",
    )
    parser.add_argument("--until", metavar="DATE", type=_given, help="the day from which it is asked about again")
    given = parser.parse_args(argv)
    return transition.run_transition("waive", given, until=given.until or "")


def _given(text: str) -> str:
    """Return the date; an empty text, as from a variable that was not set, is no waiver without a date."""
    if not text.strip():
        raise argparse.ArgumentTypeError("the date is empty; leave out --until to waive without a date")
    if not is_date(text.strip()):
        raise argparse.ArgumentTypeError(f"{text.strip()!r} is not a date; write it as 2026-12-24")
    if text.strip() <= today():
        raise argparse.ArgumentTypeError(f"{text.strip()} is not a day after today")
    return text.strip()
