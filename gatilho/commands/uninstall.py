"""`gatilho uninstall` (Setting up): remove everything that init added, except the tables."""

import argparse
import os

from gatilho import bounded, render
from gatilho.config import FILE as CONFIGURATION
from gatilho.console import command_options, terminal_guard
from gatilho.git.root import Repository
from gatilho.setup import driver, file_changes, install, team
from gatilho.setup.file_changes import FileChange
from gatilho.tables import FOLDER

_NOTHING = "Nothing to remove."


def main(argv: list[str]) -> int:
    """Take the hooks, the dispatcher and the note of the package's place out of the repository."""
    given = _parser().parse_args(argv)
    if given.user:
        return _for_the_person(given.dry_run, given.verbose)
    repository = command_options.repository_of(given.root, learn=False)
    plan = [one for one in install.plan_uninstall(repository) if one.changes]
    if given.dry_run:
        has_driver = bool(driver.registered(repository.root, "--local"))
        if has_driver:
            full = f"git config --local --remove-section merge.{driver.NAME}"
            render.line(full if given.verbose else "would be removed  the merge driver, from git's configuration")
        elif not plan:
            render.line(_NOTHING)
        command_options.print_plan(plan, given.verbose)
        return 0
    terminal_guard.require("gatilho uninstall", of_row=False)
    _remove_from(repository, plan)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = command_options.parser(
        "uninstall",
        f"Remove the hooks from the hosts' settings, and the dispatcher. The tables below {FOLDER} stay, and so do the"
        " configuration and the workflow of `init --team`.",
        "gatilho uninstall --dry-run",
        "gatilho uninstall --user     # what `init --user` wrote",
    )
    parser.add_argument("--user", action="store_true", help="remove the hooks from your own settings instead")
    command_options.add_dry_run(parser)
    return parser


def _remove_from(repository: Repository, plan: list[FileChange]) -> None:
    """Make the changes, forget the package and the driver, and say what went and what stayed."""
    file_changes.make(repository.root, plan)
    bounded.remove_quietly(repository.shared_state + "/package")
    unregistered = driver.unregister_driver(repository.root)
    for one in plan:
        render.line(f"{one.verb}  {one.name}")
    if unregistered:
        render.line("removed  the merge driver, from git's configuration of this clone")
    if not plan and not unregistered:
        render.line(_NOTHING)
    for name in (FOLDER, CONFIGURATION, team.WORKFLOW):
        if os.path.lexists(f"{repository.root}/{name}"):
            render.line(f"kept     {name}")
    if os.path.isdir(repository.shared_state):
        render.line(f"kept     {repository.shared_state}, this machine's records; delete it to remove them too")


def _for_the_person(dry_run: bool, verbose: bool) -> int:
    home = os.path.expanduser("~")
    plan = [one for one in install.plan_uninstall_user(home) if one.changes]
    if not plan:
        render.line(_NOTHING)
    elif dry_run:
        command_options.print_plan(plan, verbose)
    else:
        file_changes.make(home, plan)
        for one in plan:
            render.line(f"{one.verb}  ~/{one.name}")
    return 0
