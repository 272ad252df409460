"""`gatilho rename` (Settling): give a row another id; its ledger goes along."""

import argparse

from gatilho.console import transition
from gatilho.errors import GatilhoError
from gatilho.index.index import Index, IndexedRow
from gatilho.lifecycle.transitions import why_no_id
from gatilho.tables import PACK


def main(argv: list[str]) -> int:
    """Write the new id, and the line that takes the ledger along."""
    parser = transition.transition_parser(
        "rename",
        "Give a row another id. Its rides and its ledger follow; an id that is only changed in the table loses them.",
        "gatilho rename D-1 D-7f3k",
        why="",
    )
    parser.add_argument("new", metavar="NEW", type=_id, help="the new id: letters, digits and hyphens")
    given = parser.parse_args(argv)
    new = given.new

    def refuse(index: Index, found: IndexedRow) -> None:
        """Refuse an id that another row of any store has: no command could find either row by it."""
        for other in index.rows_with_id(new):
            if other.row.store != found.row.store and not other.row.store.startswith(PACK):
                raise GatilhoError(f"{new} is the id of another row ({other.row.place}): choose another.")

    return transition.run_transition("rename", given, refuse, new_id=new)


def _id(text: str) -> str:
    fault = why_no_id(text.strip())
    if fault:
        raise argparse.ArgumentTypeError(fault)
    return text.strip()
