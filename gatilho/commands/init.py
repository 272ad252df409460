"""`gatilho init` (Setting up): create the tables and the dispatcher, register the hooks."""

import argparse
import os
import shlex
import sys

from gatilho import render
from gatilho.config import Config
from gatilho.configfile import load
from gatilho.console import command_options, terminal_guard
from gatilho.errors import ExitStatus, UsageError
from gatilho.hosts import Host, catalog
from gatilho.nearest import suggestion
from gatilho.setup import dispatcher, driver, file_changes, install, team
from gatilho.setup.detection import detect_hosts
from gatilho.setup.file_changes import FileChange
from gatilho.setup.registration import FILE_OF_ANOTHER, allowing, registrable
from gatilho.writing.form import agrees


def main(argv: list[str]) -> int:
    """Set the repository up, or the person's own settings."""
    parser = _parser()
    given = parser.parse_args(argv)
    if given.team and (given.local or given.user):
        raise UsageError("--team writes files for everyone, --local and --user none: choose one of them.")
    if given.host and given.detect:
        raise UsageError("--host names the agents, --detect looks for them: choose one of them.")
    looks = given.detect or (not given.host and not given.local and _a_person_is_there())
    root = "" if given.user else command_options.repository_of(given.root, learn=False).root
    hosts = _detected(root, given) if looks else _named(given.host or ["claude"], parser)
    given.shown = looks
    if given.user:
        return _for_the_person(hosts, given)
    for host in hosts:
        if given.local and not host.settings.private:
            parser.error(f"{host.title} reads no private settings in a repository: use --user, or leave --local out")
    return _in_repository(hosts, given)


def _named(names: list[str], parser: argparse.ArgumentParser) -> list[Host]:
    """Return the hosts of these names that can be registered with; leave with status 2 for any other name."""
    known = registrable()
    for name in names:
        title = next((host.title for host in catalog.hosts() if host.name == name), "")
        if name in FILE_OF_ANOTHER:
            other = FILE_OF_ANOTHER[name]
            parser.error(f"{title} reads the file that {known[other].title} reads: use `--host {other}`")
        if not title:
            meant = suggestion(name, known, f"Known here: {', '.join(sorted(known))}.", "`{}`")
            parser.error(f"no host is called `{name}`. {meant}")
    return [known[name] for name in dict.fromkeys(names)]


def _detected(root: str, given: argparse.Namespace) -> list[Host]:
    """Print which hosts were found, and return those that can be registered with; Claude Code where there is none."""
    known = registrable()
    found = detect_hosts(root)
    registered = [known[FILE_OF_ANOTHER.get(one.host.name, one.host.name)] for one in found]
    once = {host.name: host for host in registered}.values()
    hosts = [host for host in once if host.settings.private or not given.local]
    if found:
        render.line("Found here:")
        width = max(len(one.host.title) for one in found)
        for one, host in zip(found, registered, strict=True):
            other = "" if one.host is host else f"  (reads the file of {host.title})"
            render.line(f"  {one.host.title:<{width}}  {', '.join(one.signs)}{other}")
    if not hosts:
        render.line("No coding agent was found that `init` can register with; this is for Claude Code.")
    return hosts or [known["claude"]]


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
    if not _agreed(hosts, plan, given):
        return ExitStatus.NEEDS_A_PERSON
    file_changes.make(home, plan)
    for one in plan:
        render.line(f"{one.verb}  ~/{one.name}")
    for notice in install.unread_notices(home, [(host, install.user_file(home, host)) for host in hosts]):
        render.line(f"note: ~/{notice}")
    _print_steps(hosts)
    return 0


def _in_repository(hosts: list[Host], given: argparse.Namespace) -> int:
    repository = command_options.repository_of(given.root, learn=False)
    config, _ = load(repository.root)
    hosts = [allowing(host, config.conditions.timeout) for host in hosts]
    suggested = not given.local and team.wants_team(repository, config.rides_in, config.rule_rides)
    as_team = given.team or (suggested and not given.dry_run and _says_yes(team.SUGGESTION, "Set it up for a team?"))
    planned = install.plan_install(repository, hosts, given.local) + (team.plan_team(repository) if as_team else [])
    plan = [one for one in planned if one.changes]
    install.refuse_left_out(repository.root, plan)
    registers = driver.registered(repository.root) != driver.command()
    if not plan and not registers:
        render.line("Already set up.")
    if given.dry_run:
        if registers:
            full = f"git config {driver.KEY} {shlex.quote(driver.command())}"
            render.line(full if given.verbose else "would be registered  the merge driver, in git's configuration")
        command_options.print_plan(plan, given.verbose)
        return 0
    if plan or registers:
        terminal_guard.require("gatilho init", of_row=False)
        if not _agreed(hosts, plan, given):
            return ExitStatus.NEEDS_A_PERSON
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


def _agreed(hosts: list[Host], plan: list[FileChange], given: argparse.Namespace) -> bool:
    """Return whether what was detected may be written: a person says so, or `--yes`; what was named needs no yes."""
    if not given.shown or given.yes:
        return True
    command_options.print_plan(plan, given.verbose)
    titles = ", ".join(host.title for host in hosts)
    if _a_person_is_there():
        if _says_yes("", f"Register with {titles}?"):
            return True
        render.line("Nothing was written. `gatilho init --host NAME` registers with those that you name.")
        return False
    names = " ".join(host.name for host in hosts)
    render.line(
        "Nothing was written: no person can be asked here. Use `gatilho init --detect --yes`, "
        f"or `gatilho init --host NAME` (found: {names})."
    )
    return False


def _a_person_is_there() -> bool:
    """Return whether a person can be asked: a terminal on both sides, and not an agent's shell."""
    return sys.stdin.isatty() and sys.stdout.isatty() and not terminal_guard.shell_of_agent()


def _says_yes(reason: str, question: str) -> bool:
    """Return whether a person at a terminal says yes; no one else is asked."""
    if not _a_person_is_there():
        return False
    if reason:
        render.line(f"{reason[:1].upper()}{reason[1:]}.")
    return agrees(question)


def _parser() -> argparse.ArgumentParser:
    parser = command_options.parser(
        "init",
        "Create docs/gatilhos and the dispatcher, and register the hooks. Run it again at any time: what is there\n"
        "stays, an older dispatcher or registration is brought up to date.",
        "gatilho init --dry-run",
        "gatilho init --detect --dry-run     # which agents are here, and what it would write",
        "gatilho init --host claude codex gemini",
        "gatilho init --team      # for a repository of several people",
        "gatilho init --local     # for this machine alone, nothing for the repository",
        "gatilho init --user      # once for you, for every repository and every folder in it",
    )
    names = sorted(registrable())
    parser.add_argument(
        "--host", action="extend", nargs="+", metavar="NAME",
        help=f"the coding agents to register with: {', '.join(names)} (default: claude; on a terminal, --detect)",
    )  # fmt: skip
    parser.add_argument(
        "--detect", action="store_true",
        help="register with the agents that are installed here or used in the repository, after a yes",
    )  # fmt: skip
    parser.add_argument("--yes", action="store_true", help="with --detect, do not ask")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--local", action="store_true", help="register in the private settings with this interpreter")
    where.add_argument("--user", action="store_true", help="register in your own settings, for every repository")
    parser.add_argument(
        "--team", action="store_true",
        help="for several people: hooks write the ledger only, and a workflow brings the counts into the tables",
    )  # fmt: skip
    command_options.add_dry_run(parser)
    return parser
