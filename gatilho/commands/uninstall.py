"""`gatilho uninstall`: takes out what `init` put in; the tables and the ledger stay."""

import os

from gatilho import dispatcher, render
from gatilho.commands import planned
from gatilho.commands.init import private_attributes, settings_bytes, settings_text
from gatilho.commands.planned import Planned
from gatilho.console import options
from gatilho.git.root import Repository
from gatilho.hosts import registration
from gatilho.hosts.registration import HOSTS
from gatilho.review import driver
from gatilho.tables import FOLDER

_NOTHING = "There is nothing to take out."


def main(argv: list[str]) -> int:
    """Take the hooks, the dispatcher and the note of the package's place out of the repository."""
    parser = options.parser(
        "uninstall",
        f"Take the hooks out of the hosts' settings and remove the dispatcher. The tables below {FOLDER} stay.",
        "gatilho uninstall --dry-run",
    )
    parser.add_argument("--dry-run", action="store_true", help="print what would change, write nothing")
    given = parser.parse_args(argv)
    repository = options.repository_of(given.root, learn=False)
    plan = [one for one in plan_of(repository) if one.changes]
    if given.dry_run:
        if not plan and not driver.registered(repository.root):
            render.line(_NOTHING)
        render.diff(planned.diff(plan))
        return 0
    planned.make(repository.root, plan)
    _forget(repository.shared_state + "/package")
    unregistered = driver.unregister(repository.root)
    for one in plan:
        render.line(f"{one.verb}  {one.name}")
    if unregistered:
        render.line("removed  the merge driver, from git's configuration of this clone")
    if not plan and not unregistered:
        render.line(_NOTHING)
    if os.path.isdir(f"{repository.root}/{FOLDER}"):
        render.line(f"kept     {FOLDER}")
    if os.path.isdir(repository.shared_state):
        render.line(f"kept     {repository.shared_state}, what this machine remembers; remove it to have that gone too")
    return 0


def plan_of(repository: Repository) -> list[Planned]:
    """What `uninstall` would write."""
    root = repository.root
    names = dict.fromkeys(name for host in HOSTS.values() for name in (host.shared_file, host.private_file))
    attributes = (driver.ATTRIBUTES, private_attributes(repository))
    return [
        *(_settings(root, name) for name in names),
        _dispatcher(root),
        *(_attributes(root, name) for name in attributes),
    ]


def _attributes(root: str, name: str) -> Planned:
    old = planned.read(root, name)
    return Planned(name, old, driver.without_line(old))


def _settings(root: str, name: str) -> Planned:
    """The settings without our hooks; no file at all where it held nothing else."""
    old = planned.read(root, name)
    text = settings_text(old or b"", name)
    if old is None or not text.strip():
        return Planned(name, old, old)
    left = registration.unregister(text, name)
    return Planned(name, old, settings_bytes(left, old) if left else None)


def _dispatcher(root: str) -> Planned:
    old = planned.read(root, dispatcher.PATH)
    ours = old is not None and dispatcher.version_of(old) > 0
    # In gatilho's own checkout the file is the source, not a copy of it.
    source = os.path.realpath(dispatcher.installed()) == os.path.realpath(f"{root}/{dispatcher.PATH}")
    return Planned(dispatcher.PATH, old, None if ours and not source else old)


def _forget(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass
