"""Stores outside the repository: read and written only after a person allowed the folder on this machine.

A permission is a file in the person's own state folder, named by the repository and the folder. A configuration, or a
symbolic link in the place of the tables, comes with a clone; a permission never does.
"""

from gatilho import bounded
from gatilho import system as os
from gatilho.git.root import repository_at
from gatilho.index.signature import state_folder
from gatilho.triggers.paths import resolved

_FILE_KIND, _REGULAR = 0o170000, 0o100000


def real_path(path: str) -> str:
    """Return a path with its symbolic links resolved, as far as it exists."""
    if path[:1] == "/":
        return resolved(path) or path
    from os.path import realpath  # of Windows, or relative to the folder of the process

    return realpath(path)


def is_outside(root: str, folder: str) -> bool:
    """Return whether a file or folder lies outside of the working tree, symbolic links followed."""
    return not (real_path(folder) + "/").startswith(real_path(root).rstrip("/") + "/")


def is_barred(root: str, folder: str) -> bool:
    """Return whether a folder lies outside and no person allowed it."""
    return is_outside(root, folder) and not _is_file(mark_of(root, folder))


def mark_of(root: str, folder: str) -> str:
    """Return the file whose being there allows the folder as a store of the repository; "" where none would count."""
    from hashlib import sha256

    state = state_folder()
    found = repository_at(root)
    if not state or found is None or not is_outside(root, state):
        return ""
    common = real_path(found.common_dir)
    try:
        inode = os.stat(common).st_ino  # another clone that is put in this one's place has another
    except OSError:
        return ""
    said = f"{common}\0{inode}\0store\0{real_path(folder)}".encode("utf-8", "surrogatepass")
    return f"{state}/allowed/{sha256(said).hexdigest()}"


def allow(root: str, folder: str) -> None:
    """Remember that a person allowed the folder; raises UsageError where that cannot be kept."""
    from os import makedirs

    from gatilho import files
    from gatilho.errors import UsageError

    path = mark_of(root, folder)
    if not path:
        raise UsageError("nothing was allowed: set XDG_STATE_HOME to a folder outside of the repository.")
    try:
        makedirs(path.rpartition("/")[0], mode=0o700, exist_ok=True)
        if not _is_file(path):
            files.create(path, f"store {real_path(folder)}\n".encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise UsageError(f"nothing was allowed: {path} cannot be written ({error.strerror or error}).") from error


def withdraw_store(root: str, folder: str) -> bool:
    """Forget a permission; whether there was one. Raises OSError where it cannot be removed."""
    path = mark_of(root, folder)
    if not _is_file(path):
        return False
    os.unlink(path)
    return True


def allowed_stores(root: str) -> list[str]:
    """Return the folders outside that a person allowed for the repository, in alphabetical order."""
    folder = f"{state_folder()}/allowed"
    found = []
    for name in bounded.folder_names(folder):
        said = bounded.read_quietly(f"{folder}/{name}").decode("utf-8", "surrogateescape")
        allowed_folder = said.removeprefix("store ").rstrip("\n")
        if allowed_folder != said.rstrip("\n") and mark_of(root, allowed_folder) == f"{folder}/{name}":
            found.append(allowed_folder)
    return sorted(found)


def _is_file(path: str) -> bool:
    try:
        return os.stat(path).st_mode & _FILE_KIND == _REGULAR
    except OSError as error:
        if bounded.is_of_machine(error):
            raise
        return False
    except ValueError:
        return False
