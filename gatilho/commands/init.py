"""`gatilho init` (Setting up): create the tables and the dispatcher, register the hooks."""

import argparse
import os
import shlex
import sys

from gatilho import render
from gatilho.config import Config
from gatilho.configfile import load
from gatilho.console import command_options, terminal_guard
from gatilho.errors import UsageError
from gatilho.hosts import Host
from gatilho.setup import dispatcher, driver, file_changes, install, team
from gatilho.setup.registration import allowing, registrable


def main(argv: list[str]) -> int:
    """Set the repository up, or the person's own settings."""
    parser = _parser()
    given = parser.parse_args(argv)
    known = registrable()
    hosts = [known[name] for name in dict.fromkeys(given.host or ["claude"])]
    if given.team and (given.local or given.user):
        raise UsageError("--team writes files for everyone, --local and --user none: choose one of them.")
    if given.user:
        return _for_the_person(hosts, given)
    for host in hosts:
        if given.local and not host.settings.private:
            parser.error(f"{host.title} reads no private settings in a repository: use --user, or leave --local out")
    return _in_repository(hosts, given)


def _for_the_person(hosts: list[Host], given: argparse.Namespace) -> int:
    home = os.path.expanduser("~")
    hosts = [allowing(host, Config().conditions.timeout) for host in hosts]
    plan = [one for one in install.plan_user(home, hosts) if one.changes]
    if not plan:
        render.line("Already set up.")
        return 0
    if given.dry_run:
        command_options.print_plan(plan, given.verbose)
        return 0
    file_changes.make(home, plan)
    for one in plan:
        render.line(f"{one.verb}  ~/{one.name}")
    _print_steps(hosts)
    return 0


def _in_repository(hosts: list[Host], given: argparse.Namespace) -> int:
    repository = command_options.repository_of(given.root, learn=False)
    config, _ = load(repository.root)
    hosts = [allowing(host, config.conditions.timeout) for host in hosts]
    suggested = not given.local and team.wants_team(repository, config.rides_in, config.rule_rides)
    as_team = given.team or (suggested and not given.dry_run and _says_yes())
    planned = install.plan_install(repository, hosts, given.local) + (team.plan_team(repository) if as_team else [])
    plan = [one for one in planned if one.changes]
    install.refuse_left_out(repository.root, plan)
    registers = driver.registered(repository.root) != driver.command()
    if not plan and not registers:
        render.line("Already set up.")
    if given.dry_run:
        if registers:
            render.line(f"git config {driver.KEY} {shlex.quote(driver.command())}")
        command_options.print_plan(plan, given.verbose)
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
    if plan:
        _print_steps(hosts)
    return 0


def _print_steps(hosts: list[Host]) -> None:
    for host in hosts:
        render.line(f"next, in {host.title}: {host.step}")


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
        "gatilho init --host claude codex gemini",
        "gatilho init --team      # for a repository of several people",
        "gatilho init --local     # for this machine alone, nothing for the repository",
        "gatilho init --user      # once for you, for every repository and every folder in it",
    )
    names = sorted(registrable())
    parser.add_argument(
        "--host", action="extend", nargs="+", choices=names, metavar="NAME",
        help=f"the coding agents to register with: {', '.join(names)} (default: claude)",
    )  # fmt: skip
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--local", action="store_true", help="register in the private settings with this interpreter")
    where.add_argument("--user", action="store_true", help="register in your own settings, for every repository")
    parser.add_argument(
        "--team", action="store_true",
        help="for several people: hooks write the ledger only, and a workflow brings the counts into the tables",
    )  # fmt: skip
    command_options.add_dry_run(parser)
    return parser
