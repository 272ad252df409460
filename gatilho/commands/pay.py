"""`gatilho pay`: a person says that a debt is paid, whatever its conditions say."""

from gatilho.console import transition


def main(argv: list[str]) -> int:
    """Strike the id of a debt, and record why."""
    parser = transition.parser(
        "pay",
        "Say that a debt is paid: its id is struck, its state becomes `paid`, the ledger keeps the reason.\n"
        "A debt whose conditions hold needs no such word: the next touch pays it.",
        "gatilho pay D-7f3k --why 'the test was removed with the feature'",
    )
    return transition.run("pay", parser.parse_args(argv))
