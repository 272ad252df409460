"""`gatilho init` (Setting up): create the tables and the dispatcher, register the hooks."""

import argparse
import shlex

from gatilho import render
from gatilho.configfile import load
from gatilho.console import command_options
from gatilho.setup import dispatcher, driver, file_changes, install
from gatilho.setup.registration import allowing, registrable


def main(argv: list[str]) -> int:
    """Set the repository up."""
    given = _parser().parse_args(argv)
    repository = command_options.repository_of(given.root, learn=False)
    config, _ = load(repository.root)
    known = registrable()
    hosts = [allowing(known[name], config.conditions.timeout) for name in dict.fromkeys(given.host or ["claude"])]
    plan = [one for one in install.plan_install(repository, hosts, given.local) if one.changes]
    install.refuse_left_out(repository.root, plan)
    registers = driver.registered(repository.root) != driver.command()
    if not plan and not registers:
        render.line("Already set up.")
    elif given.dry_run:
        if registers:
            render.line(f"git config {driver.KEY} {shlex.quote(driver.command())}")
        render.print_diff(file_changes.diff_of_changes(plan))
    if given.dry_run:
        return 0
    file_changes.make(repository.root, plan)
    dispatcher.write_note(repository.shared_state)
    if registers:
        driver.register_driver(repository.root)
    for one in plan:
        render.line(f"{one.verb}  {one.name}")
    if registers:
        render.line("registered  the merge driver, in git's configuration of this clone")
    for notice in install.notices(repository, hosts, given.local):
        render.line(f"note: {notice}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = command_options.parser(
        "init",
        "Create docs/gatilhos and the dispatcher, and register the hooks. Run it again at any time: what is there\n"
        "stays, an older dispatcher or registration is brought up to date.",
        "gatilho init --dry-run",
        "gatilho init --local     # for this machine alone, nothing for the repository",
    )
    parser.add_argument(
        "--host", action="append", choices=sorted(registrable()), metavar="NAME",
        help=f"the coding agent to register with, repeatable: {', '.join(sorted(registrable()))} (default: claude)",
    )  # fmt: skip
    parser.add_argument("--local", action="store_true", help="register in the private settings with this interpreter")
    parser.add_argument("--dry-run", action="store_true", help="print what would change, write nothing")
    return parser
