"""`gatilho rename`: a row gets another id and keeps its rides and its life in the ledger."""

from gatilho.commands import transition


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
    return transition.run("rename", given, new_id=given.new.strip())
