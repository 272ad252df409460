"""What `uninstall` takes out of a repository, planned before anything is written."""

import os

from gatilho.git.root import Repository
from gatilho.setup import dispatcher, driver, file_changes, registration
from gatilho.setup.file_changes import FileChange
from gatilho.setup.install import private_attributes, settings_bytes, settings_text
from gatilho.setup.registration import registrable


def plan_uninstall(repository: Repository) -> list[FileChange]:
    """Return what `uninstall` would write."""
    root = repository.root
    names = dict.fromkeys(
        name for host in registrable().values() for name in (host.settings.shared, host.settings.private)
    )
    attributes = (driver.ATTRIBUTES, private_attributes(repository))
    return [
        *(_settings(root, name) for name in names),
        _dispatcher(root),
        *(_attributes(root, name) for name in attributes),
    ]


def _attributes(root: str, name: str) -> FileChange:
    old = file_changes.read_planned_file(root, name)
    return FileChange(name, old, driver.without_line(old))


def _settings(root: str, name: str) -> FileChange:
    """Return the settings without our hooks; no file at all where it held nothing else."""
    old = file_changes.read_planned_file(root, name)
    text = settings_text(old or b"", name)
    if old is None or not text.strip():
        return FileChange(name, old, old)
    left = registration.unregister_hooks(text, name)
    return FileChange(name, old, settings_bytes(left, old) if left else None)


def _dispatcher(root: str) -> FileChange:
    old = file_changes.read_planned_file(root, dispatcher.PATH)
    ours = old is not None and dispatcher.version_of(old) > 0
    # In gatilho's own checkout the file is the source, not a copy of it.
    source = os.path.realpath(dispatcher.installed()) == os.path.realpath(f"{root}/{dispatcher.PATH}")
    return FileChange(dispatcher.PATH, old, None if ours and not source else old)
