"""`gatilho reinstate` (Settling): bring a row back that was paid or ended otherwise."""

from gatilho.console import transition


def main(argv: list[str]) -> int:
    """Take the strike off an id, or end a waiver, a supersession, a revocation or an expiry, and record why."""
    parser = transition.transition_parser(
        "reinstate",
        "Bring a row back that was paid, superseded, revoked, expired or waived. Its rides stay what they were.",
        "gatilho reinstate D-7f3k --why 'it fails again on slow machines'",
    )
    return transition.run_transition("reinstate", parser.parse_args(argv))
