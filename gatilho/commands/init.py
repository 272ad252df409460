"""`gatilho init` (Setting up): create the tables and the dispatcher, register the hooks."""

import argparse
import os
import shlex
import sys

from gatilho import render
from gatilho.configfile import load
from gatilho.console import command_options, terminal_guard
from gatilho.errors import UsageError
from gatilho.setup import dispatcher, driver, file_changes, install, team
from gatilho.setup.registration import allowing, registrable


def main(argv: list[str]) -> int:
    """Set the repository up."""
    given = _parser().parse_args(argv)
    if given.team and given.local:
        raise UsageError("--team writes files for everyone, --local none: choose one of the two.")
    repository = command_options.repository_of(given.root, learn=False)
    config, _ = load(repository.root)
    known = registrable()
    hosts = [allowing(known[name], config.conditions.timeout) for name in dict.fromkeys(given.host or ["claude"])]
    suggested = not given.local and team.wants_team(repository, config.rides_in, config.rule_rides)
    as_team = given.team or (suggested and not given.dry_run and _says_yes())
    planned = install.plan_install(repository, hosts, given.local) + (team.plan_team(repository) if as_team else [])
    plan = [one for one in planned if one.changes]
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
    if plan or registers:
        terminal_guard.require("gatilho init", os.environ, sys.stdin.isatty(), settles=False)
    file_changes.make(repository.root, plan)
    dispatcher.write_note(repository.shared_state)
    if registers:
        driver.register_driver(repository.root)
    for one in plan:
        render.line(f"{one.verb}  {one.name}")
    if registers:
        render.line("registered  the merge driver, in git's configuration of this clone")
    if any(one.name == team.WORKFLOW for one in plan):
        render.line(f"note: {team.WORKFLOW} names the action as OWNER/gatilho@COMMIT: write where you take it from.")
    if suggested and not as_team:
        render.line(f"note: {team.SUGGESTION}.")
    for notice in install.notices(repository, hosts, given.local):
        render.line(f"note: {notice}")
    return 0


def _says_yes() -> bool:
    """Return whether a person at a terminal wants the settings of a team; no one else is asked."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or terminal_guard.agents_shell(os.environ):
        return False
    render.line(f"{team.SUGGESTION[:1].upper()}{team.SUGGESTION[1:]}.")
    try:
        return input("Set it up for a team? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def _parser() -> argparse.ArgumentParser:
    parser = command_options.parser(
        "init",
        "Create docs/gatilhos and the dispatcher, and register the hooks. Run it again at any time: what is there\n"
        "stays, an older dispatcher or registration is brought up to date.",
        "gatilho init --dry-run",
        "gatilho init --team      # for a repository of several people",
        "gatilho init --local     # for this machine alone, nothing for the repository",
    )
    parser.add_argument(
        "--host", action="append", choices=sorted(registrable()), metavar="NAME",
        help=f"the coding agent to register with, repeatable: {', '.join(sorted(registrable()))} (default: claude)",
    )  # fmt: skip
    parser.add_argument("--local", action="store_true", help="register in the private settings with this interpreter")
    parser.add_argument(
        "--team", action="store_true",
        help="for several people: hooks write the ledger only, and a workflow brings the counts into the tables",
    )  # fmt: skip
    parser.add_argument("--dry-run", action="store_true", help="print what would change, write nothing")
    return parser
