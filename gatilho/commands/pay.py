"""`gatilho pay` (Settling): mark a debt as paid."""

from gatilho.console import transition


def main(argv: list[str]) -> int:
    """Strike the id of a debt, and record why."""
    parser = transition.transition_parser(
        "pay",
        "Mark a debt as paid: its id is struck, its state becomes `paid`, the ledger keeps the reason.\n"
        "A debt whose conditions hold does not need this: the next touch pays it.",
        "gatilho pay D-7f3k --why 'the test was removed with the feature'",
    )
    return transition.run_transition("pay", parser.parse_args(argv))
