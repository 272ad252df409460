"""Writes whole files of a working tree that were planned: tables with a new row, and lines of instructions."""

import os
from collections.abc import Sequence

from gatilho import files
from gatilho.errors import ConflictError, GatilhoError
from gatilho.git import state as git_state
from gatilho.git.root import Repository
from gatilho.model import subtree_of
from gatilho.tables import FOLDER, is_below_store


def write_insertion(repository: Repository, edits: Sequence[tuple[str, bytes | None, bytes]], wait: float) -> None:
    """Write files: each its name relative to the root, its bytes as they were read (None: not there), the new ones.

    wait: seconds for the lock of all writers. Raises ConflictError where git or another process is in the way.
    """
    for name, _, _ in edits:
        _refuse_outside(repository.root, name)
    with lock_of_writers(repository, wait):
        for name, old, new in edits:
            try:
                _write_one(f"{repository.root}/{name}", old, new)
            except OSError as error:
                raise GatilhoError(f"{name} cannot be written: {error.strerror or error}.") from error


def lock_of_writers(repository: Repository, wait: float) -> files.Lock:
    """Return the lock that all writers take; raises ConflictError while git is in the middle of something."""
    busy = git_state.busy(repository.git_dir, os.environ)
    if busy:
        raise ConflictError(f"Git is in the middle of {busy}: nothing was written. Finish or abort it, then try again.")
    return files.Lock(f"{repository.shared_state}/lock", wait)


def _refuse_outside(root: str, name: str) -> None:
    """Raise GatilhoError for a file that leads out of the store, or out of the repository."""
    within = f"{root}/{subtree_of(name)}{FOLDER}" if is_below_store(name) else root
    folder = os.path.realpath(within)
    if not os.path.realpath(f"{root}/{name}").startswith(folder + os.sep):
        raise GatilhoError(
            f"{name} leads out of {'the store' if within != root else 'the repository'}: nothing was written."
        )


def _write_one(path: str, old: bytes | None, new: bytes) -> None:
    if old is None:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        files.create(path, new)
    else:
        files.replace_bytes(path, old, new)
