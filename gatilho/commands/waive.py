"""`gatilho waive`: a debt that is due is not asked about until a date; it still warns and still rides."""

import argparse

from gatilho.console import transition


def main(argv: list[str]) -> int:
    """Write `waived until DATE` into the state of a debt, and record why."""
    parser = transition.parser(
        "waive",
        "Stop asking about a debt until a date. It goes on to warn and to ride, and is asked about again from that "
        "date on.\nWithout a date it is not asked about until it is reinstated.",
        "gatilho waive D-7f3k --until 2026-12-24 --why 'release week'",
    )
    parser.add_argument("--until", metavar="DATE", type=_given, help="the day from which it is asked about again")
    given = parser.parse_args(argv)
    return transition.run("waive", given, until=given.until or "")


def _given(text: str) -> str:
    """The date without blanks around it; nothing at all, as from a variable that was not set, is not "for good"."""
    if not text.strip():
        raise argparse.ArgumentTypeError("there is no date in it; leave --until out to waive for good")
    return text.strip()
