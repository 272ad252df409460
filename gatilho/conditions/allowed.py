"""What a person on this machine allowed to be run: the hash of each exact command, kept outside every repository."""

import os
from hashlib import sha256

from gatilho import dates, files
from gatilho.errors import UsageError
from gatilho.git.root import Repository


def is_allowed(repository: Repository, text: str) -> bool:
    """Whether a person allowed exactly this text in this repository (all its working trees)."""
    path = _path(repository, text)
    return path is not None and os.path.isfile(path)


def allow(repository: Repository, text: str) -> None:
    """Remember that a person allowed the text; raises UsageError where it cannot be kept, or not outside of here."""
    path = _path(repository, text)
    if path is None:
        raise UsageError(
            f"{_folder()} lies in the repository itself, so a commit could bring an allowance with it. "
            "Set XDG_STATE_HOME to a folder outside of it."
        )
    said = f"{dates.utc_time()}\n{repository.common_dir}\n{text}\n".encode("utf-8", "surrogateescape")
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        if not os.path.isfile(path):
            files.create(path, said)
    except OSError as error:
        raise UsageError(
            f"nothing was allowed: {_folder()} cannot be written ({error.strerror or error}). "
            "Set XDG_STATE_HOME to a folder that can, here and where the hooks run."
        ) from error


def withdraw(repository: Repository, text: str) -> bool:
    """Forget an allowance; whether there was one."""
    path = _path(repository, text)
    try:
        os.unlink(path or "")
    except FileNotFoundError:
        return False
    return True


def _path(repository: Repository, text: str) -> str | None:
    """The file whose being there allows the text; None where the person's folder lies in the working tree.

    The repository is part of the hash: `pytest x.py` allowed in one says nothing about another's `x.py`.
    """
    folder = _folder()
    if os.path.realpath(folder).startswith(os.path.realpath(repository.root).rstrip("/") + "/"):
        return None
    said = os.path.realpath(repository.common_dir) + "\0" + text
    return f"{folder}/{sha256(said.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _folder() -> str:
    from platformdirs import user_state_dir

    return os.path.join(user_state_dir("gatilho", appauthor=False), "allowed")
