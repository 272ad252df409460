"""What a person on this machine allowed to be run: each exact command, kept outside every repository.

A permission is a file that holds what it permits and for which repository, under a seal made with a key of this
machine. The repository is named by its place and by an id that its git directory keeps, so another one at its place, or
a folder whose `.git` names the git directory of a trusted one, does not inherit it.
"""

import json
import os
from hashlib import sha256

from gatilho import bounded, dates, files
from gatilho.errors import UsageError
from gatilho.git.root import Repository, first_line
from gatilho.model import Value

# In the git directory but not in our folder there, which may be deleted at any time.
ID_FILE = "gatilho-id"
_SEALED = ("text", "repository", "row", "when")


class Permission(Value):
    """A command that is allowed in a repository. row: the id of the row for which it was; when: UTC."""

    text: str
    row: str
    when: str


def is_allowed(repository: Repository, text: str) -> bool:
    """Return whether a person allowed exactly this text in this repository (all its working trees)."""
    folder, name = _folder_outside(repository), _identity(repository)
    return bool(folder and name) and _read(_path(folder, name, text), name) is not None


def allow_command(repository: Repository, text: str, row: str = "") -> None:
    """Remember that a person allowed the text; raises UsageError where it cannot be kept, or not outside of here."""
    folder = _folder_outside(repository)
    if not folder:
        raise UsageError(
            f"{_folder()} lies in the repository itself, so a commit could bring an allowance with it. "
            "Set XDG_STATE_HOME to a folder outside of it."
        )
    if is_allowed(repository, text):
        return
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        name = _identity(repository, make=True)
        path = _path(folder, name, text)
        said = {"text": text, "repository": name, "row": row, "when": dates.utc_time()}
        said["seal"] = _seal(said, _key(make=True))
        if os.path.lexists(path):
            os.unlink(path)  # of an older form, or not written by us: it permits nothing
        files.create(path, json.dumps(said, indent=1).encode() + b"\n")
    except OSError as error:
        raise UsageError(
            f"nothing was allowed: {error.filename or folder} cannot be written ({error.strerror or error}). "
            "Set XDG_STATE_HOME to a folder that can, here and where the hooks run."
        ) from error


def all_of(repository: Repository) -> list[Permission]:
    """Return what is allowed in this repository, oldest first."""
    folder, name = _folder_outside(repository), _identity(repository)
    found = []
    for file in bounded.folder_names(folder) if folder and name else ():
        permission = _read(f"{folder}/{file}", name)
        if permission is not None:
            found.append(permission)
    return sorted(found, key=lambda one: (one.when, one.text))


def withdraw(repository: Repository, text: str) -> bool:
    """Take a permission back; return whether there was one."""
    folder, name = _folder_outside(repository), _identity(repository)
    was_allowed = is_allowed(repository, text)
    if was_allowed:
        os.unlink(_path(folder, name, text))
    return was_allowed


def keeps(path: str) -> bool:
    """Return whether an absolute path is, or lies in, the folder of what people on this machine decided."""
    # One folder above the permissions, where the key lies with which they are sealed.
    own = os.path.realpath(os.path.dirname(_folder()))
    return f"{os.path.realpath(path)}/".startswith(f"{own}/")


def _read(path: str, name: str) -> Permission | None:
    """Return the permission in a file, None where it is not one for that repository, or its seal does not fit."""
    from hmac import compare_digest

    try:
        said = json.loads(bounded.read(path))
        fits = said["repository"] == name and compare_digest(said["seal"], _seal(said, _key()))
        # A caller asks by the file's name: without this a sealed file, copied to another name, allows another command.
        named = path.rsplit("/", 1)[-1] == _file_name(name, said["text"])
        return Permission(said["text"], said["row"], said["when"]) if fits and named else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _seal(said: "dict[str, str]", key: bytes) -> str:
    from hmac import new

    if not key:
        raise OSError(2, "the key of this machine is missing", _key_file())
    text = json.dumps([said[name] for name in _SEALED])
    return new(key, text.encode(), "sha256").hexdigest()


def _key(make: bool = False) -> bytes:
    """Return the secret of this machine; b"" where there is none yet and none is to be made."""
    path = _key_file()
    try:
        return bounded.read(path)
    except FileNotFoundError:
        if not make:
            return b""
    try:
        files.create(path, os.urandom(32).hex().encode())
        os.chmod(path, 0o600)
    except FileExistsError:
        pass  # another command was quicker
    return bounded.read(path)


def _identity(repository: Repository, make: bool = False) -> str:
    """Return what names a repository: its git directory, the id in it, and the working tree unless it is its own.

    "" where there is no id yet and none is to be made: nothing was ever allowed there.
    """
    common = os.path.realpath(repository.common_dir)
    known = first_line(f"{common}/{ID_FILE}")
    if not known and make:
        known = os.urandom(16).hex()
        files.create(f"{common}/{ID_FILE}", f"{known}\n".encode())
    return "\0".join((common, known, _foreign_tree(repository, common))) if known else ""


def _foreign_tree(repository: Repository, common: str) -> str:
    """Return the working tree, unless the git directory says itself that it is one of its own: then "".

    Whoever unpacks an archive can write a `.git` file, but not into the git directory that it names.
    """
    root, own = os.path.realpath(repository.root), os.path.realpath(repository.git_dir)
    if own == common and common == f"{root}/.git":
        return ""
    is_linked = os.path.dirname(own) == f"{common}/worktrees"
    if is_linked and os.path.realpath(first_line(f"{own}/gitdir")) == f"{root}/.git":
        return ""
    return root


def _path(folder: str, name: str, text: str) -> str:
    return f"{folder}/{_file_name(name, text)}"


def _file_name(name: str, text: str) -> str:
    return sha256(f"{name}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()


def _folder_outside(repository: Repository) -> str:
    """Return the folder of permissions, "" where it lies in the working tree: a commit could bring one along."""
    folder = _folder()
    root = os.path.realpath(repository.root).rstrip("/")
    return "" if os.path.realpath(folder).startswith(root + "/") else folder


def _folder() -> str:
    from platformdirs import user_state_dir

    return os.path.join(user_state_dir("gatilho", appauthor=False), "allowed")


def _key_file() -> str:
    return os.path.join(os.path.dirname(_folder()), "key")
