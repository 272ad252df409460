"""`gatilho promote` (Reviewing): print a patch that makes a check of a rule."""

import argparse

from gatilho import render
from gatilho.console import command_options, lookup
from gatilho.errors import UsageError
from gatilho.index.index import open_index
from gatilho.setup import file_changes
from gatilho.setup.file_changes import FileChange
from gatilho.writing import promotion


def main(argv: list[str]) -> int:
    """Print the patch; nothing is ever written."""
    given = _parser().parse_args(argv)
    with open_index(command_options.repository_of(given.root)) as index:
        found = lookup.row_called(index, given.id)
        row, root = found.row, index.repository.root
        if row.is_debt:
            raise UsageError(f"{row.id} is a debt: it ends when it is paid. Only a rule becomes a check.")
        old = {name: file_changes.read_planned_file(root, name) for name in promotion.target_files(row, given.to)}
        name, new = promotion.promoted(row, given.to, old)
        change = FileChange(name, old[name], new)
        diff = file_changes.diff_of_changes([change])
        counts = index.count(row), index.violations(row)
    if given.json:
        render.print_json({"id": row.id, "file": name, "patch": diff, "rides": counts[0], "violated": counts[1]})
        return 0
    render.print_diff(diff)
    if hint := promotion.hint_of(row, given.to):
        render.error(hint)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = command_options.parser(
        "promote",
        "Print a patch that makes a check of a rule whose `violated when` cell is one `contains PATH REGEX`. The\n"
        "patch is for `git apply`; nothing is written here. Afterwards the rule can be revoked.",
        "gatilho promote R-8t0c --to ruff",
        "gatilho promote R-8t0c --to pre-commit",
    )
    parser.add_argument("id", metavar="ID", help="the rule")
    parser.add_argument("--to", choices=promotion.TARGETS, required=True, help="the tool that is to check it")
    command_options.add_json(parser)
    return parser
