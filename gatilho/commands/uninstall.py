"""`gatilho uninstall` (Setting up): remove everything that init added, except the tables."""

import os
import sys

from gatilho import render
from gatilho.console import command_options, terminal_guard
from gatilho.setup import driver, file_changes, uninstall
from gatilho.tables import FOLDER

_NOTHING = "Nothing to remove."


def main(argv: list[str]) -> int:
    """Take the hooks, the dispatcher and the note of the package's place out of the repository."""
    parser = command_options.parser(
        "uninstall",
        f"Remove the hooks from the hosts' settings, and the dispatcher. The tables below {FOLDER} stay.",
        "gatilho uninstall --dry-run",
    )
    parser.add_argument("--dry-run", action="store_true", help="print what would change, write nothing")
    given = parser.parse_args(argv)
    repository = command_options.repository_of(given.root, learn=False)
    plan = [one for one in uninstall.plan_uninstall(repository) if one.changes]
    if given.dry_run:
        if not plan and not driver.registered(repository.root):
            render.line(_NOTHING)
        render.print_diff(file_changes.diff_of_changes(plan))
        return 0
    terminal_guard.require("gatilho uninstall", os.environ, sys.stdin.isatty(), settles=False)
    file_changes.make(repository.root, plan)
    _forget(repository.shared_state + "/package")
    unregistered = driver.unregister_driver(repository.root)
    for one in plan:
        render.line(f"{one.verb}  {one.name}")
    if unregistered:
        render.line("removed  the merge driver, from git's configuration of this clone")
    if not plan and not unregistered:
        render.line(_NOTHING)
    if os.path.isdir(f"{repository.root}/{FOLDER}"):
        render.line(f"kept     {FOLDER}")
    if os.path.isdir(repository.shared_state):
        render.line(f"kept     {repository.shared_state}, this machine's records; delete it to remove them too")
    return 0


def _forget(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass
