"""`gatilho rename`: a row gets another id and keeps its rides and its life in the ledger."""

from gatilho.console import transition
from gatilho.errors import GatilhoError
from gatilho.index.index import Index, IndexedRow


def main(argv: list[str]) -> int:
    """Write the new id, and the line that takes the ledger along."""
    parser = transition.parser(
        "rename",
        "Give a row another id. Its rides and its ledger go along; an id that is only changed in the table leaves them "
        "behind.",
        "gatilho rename D-1 D-7f3k",
        why="",
    )
    parser.add_argument("new", metavar="NEW", help="the new id: letters, digits and hyphens")
    given = parser.parse_args(argv)
    new = given.new.strip()

    def refuse(index: Index, found: IndexedRow) -> None:
        """An id of two rows, in two stores as well, is one by which no command finds either."""
        for other in index.rows_with_id(new):
            if other.row.store != found.row.store:
                raise GatilhoError(f"{new} is the id of another row ({other.row.place}): choose another.")

    return transition.run("rename", given, refuse, new_id=new)
