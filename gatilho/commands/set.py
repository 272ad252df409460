"""`gatilho set` (Settling): correct the rides of a row."""

from gatilho.console import command_options, transition


def main(argv: list[str]) -> int:
    """Set the rides of a row, and record why."""
    parser = transition.transition_parser(
        "set",
        "Set the rides of a row. A count that is only lowered in the table does not hold; this one does.",
        "gatilho set D-7f3k 0 --why 'the rides were for another file of that name'",
    )
    rides = command_options.number_of("rides", 999_999_999, least=0)
    parser.add_argument("number", metavar="N", type=rides, help="the rides: a whole number, 0 or more")
    given = parser.parse_args(argv)
    return transition.run_transition("set", given, number=given.number)
