"""`gatilho supersede` (Settling): mark a row as replaced by another."""

from collections.abc import Callable

from gatilho.console import lookup, transition
from gatilho.errors import UsageError
from gatilho.index.index import Index, IndexedRow


def main(argv: list[str]) -> int:
    """Write `superseded`, the day and the successor into the state of a row."""
    parser = transition.transition_parser(
        "supersede",
        "Mark a row as out of date, and name the row that replaces it.\n"
        "It stays in its table and is no longer delivered.",
        "gatilho supersede R-p04x R-k2m8",
        why="possible",
    )
    parser.add_argument("new", metavar="NEW", nargs="?", default="", help="the id of the row that took its place")
    given = parser.parse_args(argv)
    if given.why is None and given.new.strip():
        given.why = f"by {given.new.strip()}"
    return transition.run_transition("supersede", given, _refusing(given.new), successor=given.new.strip())


def _refusing(new: str) -> Callable[[Index, IndexedRow], None]:
    def refuse(index: Index, old: IndexedRow) -> None:
        """Refuse a successor that is missing, that has ended itself, or that is the same row."""
        if not new.strip():
            return
        successor = lookup.rows_called(index, new)[0].row
        if successor.id == old.row.id:
            raise UsageError(f"supersede {old.row.id}: a row cannot replace itself; name another row, or none.")
        if not successor.in_force:
            raise UsageError(f"supersede {old.row.id}: {successor.id} is not in force itself ({successor.place}).")

    return refuse
