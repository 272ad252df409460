"""`gatilho init`: the tables, the dispatcher and the hosts' hooks, once; what is there already stays as it is."""

import argparse
import os
import shlex
import sys

from gatilho import dispatcher, render
from gatilho.commands import planned
from gatilho.commands.planned import Planned
from gatilho.config import load
from gatilho.console import options
from gatilho.errors import GatilhoError
from gatilho.git.root import Repository
from gatilho.hosts import registration
from gatilho.hosts.registration import HOSTS, Host
from gatilho.review import driver
from gatilho.tables import FOLDER
from gatilho.workspace.tracked import names_left_out, store_left_out

_STARTER = ("README.md", "backlog.md", "rules.md")
_BOM = b"\xef\xbb\xbf"


def main(argv: list[str]) -> int:
    """Set the repository up."""
    given = _parser().parse_args(argv)
    repository = options.repository_of(given.root, learn=False)
    config, _ = load(repository.root)
    hosts = [HOSTS[name].allowing(config.conditions.timeout) for name in dict.fromkeys(given.host or ["claude"])]
    plan = [one for one in plan_of(repository, hosts, given.local) if one.changes]
    _refuse_left_out(repository.root, plan)
    registers = driver.registered(repository.root) != driver.command()
    if not plan and not registers:
        render.line("Everything is there already.")
    elif given.dry_run:
        if registers:
            render.line(f"git config {driver.KEY} {shlex.quote(driver.command())}")
        render.diff(planned.diff(plan))
    if given.dry_run:
        return 0
    planned.make(repository.root, plan)
    dispatcher.write_note(repository.shared_state)
    if registers:
        driver.register(repository.root)
    for one in plan:
        render.line(f"{one.verb}  {one.name}")
    if registers:
        render.line("registered  the merge driver, in git's configuration of this clone")
    for notice in _notices(repository, hosts, given.local):
        render.line(f"note: {notice}")
    return 0


def plan_of(repository: Repository, hosts: list[Host], local: bool) -> list[Planned]:
    """What `init` would write, the files that stay as they are included."""
    root = repository.root
    if local:
        command = _private_command
        settings = [_settings(root, host, host.private_file, command(host)) for host in hosts]
        return [*settings, _attributes(root, private_attributes(repository))]
    settings = [_settings(root, host, host.shared_file, registration.shared_command(host)) for host in hosts]
    return [*_tables(root), _dispatcher(root), *settings, _attributes(root, driver.ATTRIBUTES)]


def _refuse_left_out(root: str, plan: list[Planned]) -> None:
    """Raise GatilhoError where a file of the plan is not here because a sparse checkout left it, or its store, out."""
    created = [one.name for one in plan if one.old is None]
    for folder in dict.fromkeys(os.path.dirname(name) for name in created):
        left_out = names_left_out(root, folder) if folder else []
        if (folder == FOLDER and left_out) or set(left_out) & set(created):
            raise GatilhoError(
                f"{left_out[0]} is outside the sparse checkout; nothing was written. Run `git sparse-checkout add "
                f"{folder}` first, or `gatilho init --local`, which needs no file in the repository."
            )


def private_attributes(repository: Repository) -> str:
    """The attributes of this clone alone, relative to the working tree as plans name files."""
    return os.path.relpath(f"{repository.common_dir}/info/attributes", repository.root).replace("\\", "/")


def _attributes(root: str, name: str) -> Planned:
    old = planned.read(root, name)
    return Planned(name, old, driver.with_line(old))


def settings_text(data: bytes, file: str) -> str:
    """The text of a settings file without its byte order mark; raises GatilhoError where it is not UTF-8."""
    try:
        return data.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise GatilhoError(f"{file}:{line}: this is not UTF-8; nothing was written. Save it as UTF-8.") from None


def settings_bytes(text: str, old: bytes | None) -> bytes:
    """The text as bytes, with the byte order mark that the file had."""
    return (_BOM if (old or b"").startswith(_BOM) else b"") + text.encode("utf-8", "surrogatepass")


def _parser() -> argparse.ArgumentParser:
    parser = options.parser(
        "init",
        "Create docs/gatilhos and the dispatcher, and register the hooks. Run it again at any time: what is there\n"
        "stays, an older dispatcher or registration is brought up to date.",
        "gatilho init --dry-run",
        "gatilho init --local     # for this machine alone, nothing for the repository",
    )
    parser.add_argument(
        "--host", action="append", choices=sorted(HOSTS), metavar="NAME",
        help=f"the coding agent to register with, repeatable: {', '.join(sorted(HOSTS))} (default: claude)",
    )  # fmt: skip
    parser.add_argument("--local", action="store_true", help="register in the private settings with this interpreter")
    parser.add_argument("--dry-run", action="store_true", help="print what would change, write nothing")
    return parser


def _tables(root: str) -> list[Planned]:
    """The starter files, where the store holds no file of its own yet."""
    folder = f"{root}/{FOLDER}"
    if any(name.endswith(".md") for _, _, names in os.walk(folder) for name in names):
        return []
    starter = os.path.join(dispatcher.package_folder(), "starter")
    return [Planned(f"{FOLDER}/{name}", None, planned.read(starter, name)) for name in _STARTER]


def _dispatcher(root: str) -> Planned:
    old = planned.read(root, dispatcher.PATH)
    if old is not None and not dispatcher.version_of(old):
        raise GatilhoError(
            f"{dispatcher.PATH} is there and is not gatilho's dispatcher; nothing was written. Move it away, "
            "or run `gatilho init --local`, which needs no file in the repository."
        )
    new = dispatcher.text()
    newer = old is not None and dispatcher.version_of(old) > dispatcher.version_of(new)
    if old is not None and (newer or old.replace(b"\r\n", b"\n") == new):
        return Planned(dispatcher.PATH, old, old)
    return Planned(dispatcher.PATH, old, new)


def _settings(root: str, host: Host, name: str, command: str) -> Planned:
    old = planned.read(root, name)
    text = registration.register(settings_text(old or b"", name), name, host, command)
    return Planned(name, old, settings_bytes(text, old))


def _private_command(host: Host) -> str:
    return registration.private_command(host, sys.executable, dispatcher.installed())


def _notices(repository: Repository, hosts: list[Host], local: bool) -> list[str]:
    """What the person should know of, though nothing is wrong with what was written."""
    if not local:
        return [*_twice(repository, hosts, "private_file"), *python_notice()]
    found = _twice(repository, hosts, "shared_file")
    for host in hosts:
        if not _is_ignored(repository.root, host.private_file):
            found.append(f"{host.private_file} names paths of this machine: add it to .gitignore, which lacks it.")
    if not os.path.isdir(f"{repository.root}/{FOLDER}"):
        yet = f"there are no tables yet: write {FOLDER}/backlog.md, or run `gatilho init` without --local."
        found.append(store_left_out(repository.root) or yet)
    return found


def _twice(repository: Repository, hosts: list[Host], other: str) -> list[str]:
    found = []
    for host in hosts:
        name = getattr(host, other)
        data = planned.read(repository.root, name)
        if data and registration.is_registered(settings_text(data, name), name):
            found.append(f"{name} registers the hooks too, so each event starts two processes: keep one of the two.")
    return found


def _is_ignored(root: str, name: str) -> bool:
    import subprocess

    command = ["git", "-C", root, "check-ignore", "--quiet", name]
    try:
        return subprocess.run(command, capture_output=True, timeout=10).returncode != 1
    except (OSError, subprocess.SubprocessError):
        return True


def python_notice() -> list[str]:
    """Whether the `python3` that the shared command starts can load what is installed for this interpreter."""
    import subprocess

    code = "import sys; print(*sys.version_info[:2])"
    try:
        done = subprocess.run(["python3", "-I", "-S", "-c", code], capture_output=True, text=True, timeout=10)
        version = ".".join(done.stdout.split())
    except (OSError, subprocess.SubprocessError):
        version = ""
    own = ".".join(map(str, sys.version_info[:2]))
    if version == own:
        return []
    found = f"is {version}" if version else "cannot be started"
    return [
        f"the hooks call `python3`, which {found} here, and gatilho is installed for {own}: "
        "install it for that one too, or use `gatilho init --local`."
    ]
