"""`gatilho set` (Settling): correct the rides of a row."""

import argparse

from gatilho.console import transition


def main(argv: list[str]) -> int:
    """Set the rides of a row, and record why."""
    parser = transition.transition_parser(
        "set",
        "Set the rides of a row. A count that is only lowered in the table does not hold; this one does.",
        "gatilho set D-7f3k 0 --why 'the rides were for another file of that name'",
    )
    parser.add_argument("number", metavar="N", type=_count, help="the rides: a whole number, 0 or more")
    given = parser.parse_args(argv)
    return transition.run_transition("set", given, number=given.number)


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 to 999999999")
    return int(text)
