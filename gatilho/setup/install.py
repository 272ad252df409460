"""What `init` writes and `uninstall` takes out, planned before anything is written, and what a person should know."""

import os
import sys

from gatilho.errors import GatilhoError
from gatilho.git import query
from gatilho.git.root import Repository
from gatilho.hosts import Host
from gatilho.setup import dispatcher, driver, file_changes, host_files, registration
from gatilho.setup.file_changes import FileChange
from gatilho.tables import FOLDER
from gatilho.workspace.tracked import names_left_out, store_left_out, tagged_names

_STARTER = ("README.md", "backlog.md", "rules.md")
# Where hosts keep their files instead, when a person says so in the environment.
_OTHER_HOMES = {".claude/": "CLAUDE_CONFIG_DIR", ".codex/": "CODEX_HOME"}


def plan_install(repository: Repository, hosts: list[Host], local: bool) -> list[FileChange]:
    """Return what `init` would write, the files that stay as they are included."""
    root = repository.root
    if local:
        command = _private_command
        files = _planned(root, [(host, host.settings.private, command(host)) for host in hosts])
        attributes = file_changes.edited(root, private_file(repository, "attributes"), driver.with_line, [driver.LINE])
        return [*files, attributes, _exclude(repository, hosts)]
    settings = _planned(root, [(host, host.settings.shared, registration.shared_command(host)) for host in hosts])
    attributes = file_changes.edited(root, driver.ATTRIBUTES, driver.with_line, [driver.LINE])
    return [*_tables(root), _dispatcher(root), *settings, attributes]


def plan_user(home: str, hosts: list[Host]) -> list[FileChange]:
    """Return what `init --user` would write below the person's home, with absolute paths in each command."""
    return _planned(home, [(host, user_file(home, host), _private_command(host)) for host in hosts])


def plan_uninstall(repository: Repository) -> list[FileChange]:
    """Return what `uninstall` would write."""
    root, hosts = repository.root, list(registration.registrable().values())
    names = [(host, name) for host in hosts for name in (host.settings.shared, host.settings.private) if name]
    excluded = [_exclude_line(host) for host in hosts if host.settings.private]
    return [
        *(change for host, name in names for change in host_files.plan_removal(root, host, name)),
        _without_dispatcher(root),
        file_changes.edited(root, driver.ATTRIBUTES, driver.without_line, [driver.LINE]),
        file_changes.edited(root, private_file(repository, "attributes"), driver.without_line, [driver.LINE]),
        file_changes.edited(root, private_file(repository, "exclude"), driver.without_line, excluded),
    ]


def plan_uninstall_user(home: str) -> list[FileChange]:
    """Return what `uninstall --user` would write below the person's home."""
    hosts = registration.registrable().values()
    return [change for host in hosts for change in host_files.plan_removal(home, host, user_file(home, host))]


def _planned(root: str, registrations: list[tuple[Host, str, str]]) -> list[FileChange]:
    return [change for one in registrations for change in host_files.plan_registration(root, *one)]


def user_file(home: str, host: Host) -> str:
    """Return the file that registers hooks for a person, relative to the home."""
    name = host.settings.user
    for folder, variable in _OTHER_HOMES.items():
        if name.startswith(folder) and os.environ.get(variable):
            return os.path.relpath(f"{os.environ[variable]}/{name.removeprefix(folder)}", home).replace("\\", "/")
    return name


def refuse_left_out(root: str, plan: list[FileChange]) -> None:
    """Raise GatilhoError where a file of the plan is not here because a sparse checkout left it, or its store, out."""
    created = [one.name for one in plan if one.old is None]
    folders = {folder for name in created if (folder := os.path.dirname(name))}
    for name in names_left_out(root, tagged_names(root, *folders)) if folders else ():
        folder = FOLDER if name.startswith(f"{FOLDER}/") else os.path.dirname(name)
        if folder == FOLDER or name in created:
            raise GatilhoError(
                f"{name} is outside the sparse checkout; nothing was written. Run `git sparse-checkout add "
                f"{folder}` first, or `gatilho init --local`, which needs no file in the repository."
            )


def private_file(repository: Repository, name: str) -> str:
    """Return git's `attributes` or `exclude` of this clone alone, relative to the working tree as plans name files."""
    return os.path.relpath(f"{repository.common_dir}/info/{name}", repository.root).replace("\\", "/")


def _exclude_line(host: Host) -> bytes:
    """Return the line by which git ignores a host's private settings."""
    return b"/" + host.settings.private.encode()


def _exclude(repository: Repository, hosts: list[Host]) -> FileChange:
    root = repository.root
    wanted = [_exclude_line(host) for host in hosts if not _is_ignored(root, host.settings.private)]
    return file_changes.edited(root, private_file(repository, "exclude"), driver.with_line, wanted)


def _tables(root: str) -> list[FileChange]:
    """Return the starter files, where the store holds no file of its own yet."""
    folder = f"{root}/{FOLDER}"
    if any(name.endswith(".md") for _, _, names in os.walk(folder) for name in names):
        return []
    starter = os.path.join(dispatcher.package_folder(), "starter")
    return [FileChange(f"{FOLDER}/{name}", None, file_changes.read_planned_file(starter, name)) for name in _STARTER]


def _dispatcher(root: str) -> FileChange:
    old = file_changes.read_planned_file(root, dispatcher.PATH)
    if old is not None and not dispatcher.version_of(old):
        raise GatilhoError(
            f"{dispatcher.PATH} is there and is not gatilho's dispatcher; nothing was written. Move it away, "
            "or run `gatilho init --local`, which needs no file in the repository."
        )
    new = dispatcher.dispatcher_text()
    # A newer gatilho wrote it, on another machine perhaps: this one must not take that back.
    newer = old is not None and dispatcher.version_of(old) > dispatcher.version_of(new)
    if old is not None and (newer or old.replace(b"\r\n", b"\n") == new):
        return FileChange(dispatcher.PATH, old, old)
    return FileChange(dispatcher.PATH, old, new)


def _without_dispatcher(root: str) -> FileChange:
    old = file_changes.read_planned_file(root, dispatcher.PATH)
    ours = old is not None and dispatcher.version_of(old) > 0
    # In gatilho's own checkout the file is the source, not a copy of it.
    source = os.path.realpath(dispatcher.installed()) == os.path.realpath(f"{root}/{dispatcher.PATH}")
    return FileChange(dispatcher.PATH, old, None if ours and not source else old)


def _private_command(host: Host) -> str:
    return registration.private_command(host, sys.executable, dispatcher.installed())


def notices(repository: Repository, hosts: list[Host], local: bool) -> list[str]:
    """Return what the person should know of, though nothing is wrong with what was written."""
    names = [(host, host.settings.private if local else host.settings.shared) for host in hosts]
    unread = unread_notices(repository.root, names)
    if not local:
        return [*unread, *_twice(repository, hosts, "private"), *python_notice()]
    found = [*unread, *_twice(repository, hosts, "shared")]
    if not os.path.isdir(f"{repository.root}/{FOLDER}"):
        yet = f"there are no tables yet: write {FOLDER}/backlog.md, or run `gatilho init` without --local."
        found.append(store_left_out(repository.root) or yet)
    return found


def unread_notices(root: str, names: list[tuple[Host, str]]) -> list[str]:
    """Return which of these files, each named with its host, the host does not read because of what is in it."""
    found = [one for host, name in names for one in host_files.what_is_unread(root, host, name)]
    return [f"{what}: {remedy}." for what, remedy in found]


def _twice(repository: Repository, hosts: list[Host], other: str) -> list[str]:
    found = []
    for host in hosts:
        name = getattr(host.settings, other)
        if name and host_files.registers(repository.root, host, name):
            found.append(f"{name} registers the hooks too, so each event starts two processes: keep one of the two.")
    return found


def _is_ignored(root: str, name: str) -> bool:
    # 1 is "not ignored"; where git fails (128), no line is written.
    return query.run(root, "check-ignore", "--quiet", name).status != 1


def root_notice(hosts: list[Host]) -> list[str]:
    """Return which hosts run no hooks of a project in a subfolder, those left out that the person registered with."""
    home = os.path.expanduser("~")
    titles = [
        host.title
        for host in hosts
        if host.only_in_root and not host_files.registers(home, host, user_file(home, host))
    ]
    if not titles:
        return []
    return [
        f"{', '.join(titles)}: a session that starts in a subfolder runs no hooks of the project: start it in the "
        "repository's root, or register once for every folder with `gatilho init --user`."
    ]


def python_notice() -> list[str]:
    """Return whether the `python3` that the shared command starts can load what is installed for this interpreter."""
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
