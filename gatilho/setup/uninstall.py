"""What `uninstall` takes out of a repository, planned before anything is written."""

import os

from gatilho.git.root import Repository
from gatilho.setup import dispatcher, driver, file_changes, host_files
from gatilho.setup.file_changes import FileChange
from gatilho.setup.install import exclude_line, private_attributes, private_exclude, user_file
from gatilho.setup.registration import registrable


def plan_uninstall(repository: Repository) -> list[FileChange]:
    """Return what `uninstall` would write."""
    root = repository.root
    names = [(host, name) for host in registrable().values() for name in (host.settings.shared, host.settings.private)]
    attributes = (driver.ATTRIBUTES, private_attributes(repository))
    return [
        *(change for host, name in names if name for change in host_files.plan_removal(root, host, name)),
        _dispatcher(root),
        *(_attributes(root, name) for name in attributes),
        _exclude(repository),
    ]


def plan_uninstall_user(home: str) -> list[FileChange]:
    """Return what `uninstall --user` would write below the person's home."""
    hosts = registrable().values()
    return [change for host in hosts for change in host_files.plan_removal(home, host, user_file(home, host))]


def _exclude(repository: Repository) -> FileChange:
    name = private_exclude(repository)
    old = new = file_changes.read_planned_file(repository.root, name)
    for host in registrable().values():
        if host.settings.private:
            new = driver.without_line(new, exclude_line(host))
    return FileChange(name, old, new)


def _attributes(root: str, name: str) -> FileChange:
    old = file_changes.read_planned_file(root, name)
    return FileChange(name, old, driver.without_line(old))


def _dispatcher(root: str) -> FileChange:
    old = file_changes.read_planned_file(root, dispatcher.PATH)
    ours = old is not None and dispatcher.version_of(old) > 0
    # In gatilho's own checkout the file is the source, not a copy of it.
    source = os.path.realpath(dispatcher.installed()) == os.path.realpath(f"{root}/{dispatcher.PATH}")
    return FileChange(dispatcher.PATH, old, None if ours and not source else old)
