"""Fetches packs into the git directory. Only a person's command calls this: nothing else here uses the network.

The address and the contents come from many hands: no transport that starts a program is allowed, no credentials are
given away, and only regular tables below the store's folder are copied.
"""

import os
import shutil

from gatilho import files
from gatilho.errors import GatilhoError, UsageError
from gatilho.git import query
from gatilho.git.root import Repository
from gatilho.tables import FOLDER, PACK, Store, documents_of, is_ledger_file, is_store_file

NEWEST = "HEAD"
_PATIENCE = 180  # seconds for one fetch
_MOST_FILES = 1_000
_REGULAR = ("100644", "100755")


def fetch_pack(repository: Repository, name: str, address: str, wanted: str) -> str:
    """Load a commit of a pack and copy its tables; return its full id. wanted: an id, or NEWEST.

    Raises UsageError for an address that is not fetched from, and GatilhoError where git fails.
    """
    url, transport = _source_of(repository.root, name, address)
    objects = f"{repository.shared_state}/packs/{name}.git"
    if not os.path.isdir(objects):
        os.makedirs(os.path.dirname(objects), exist_ok=True)
        _git(name, repository.root, "init", "--quiet", "--bare", objects)
    checked = (("transfer.fsckObjects", "true"),)
    _git(
        name, objects, "fetch", "--quiet", "--no-tags", "--depth=1", "--", url, wanted,
        transport=transport, settings=checked,
    )  # fmt: skip
    commit = _git(name, objects, "rev-parse", "--verify", "FETCH_HEAD^{commit}").decode("ascii").strip()
    if wanted not in (NEWEST, commit):
        raise GatilhoError(f"pack {name}: git answered with {commit} when asked for {wanted}; nothing was written.")
    _copy(objects, name, commit, f"{repository.shared_state}/packs/{name}/{commit}")
    return commit


def _source_of(root: str, name: str, address: str) -> tuple[str, str]:
    """Return what git fetches from, and the one protocol that it may use."""
    if address.startswith("https://"):
        return address, "https"
    full = os.path.normpath(os.path.join(root, os.path.expanduser(address)))
    if ":" not in address and not address.startswith("-") and os.path.isdir(full):
        return f"file://{os.path.abspath(full)}", "file"
    raise UsageError(
        f"pack {name}: {address} is neither an `https://` address nor a folder here. Packs are fetched without "
        "starting another program such as ssh."
    )


def _git(
    name: str, folder: str, *arguments: str, transport: str = "none", settings: tuple[tuple[str, str], ...] = ()
) -> bytes:
    done = query.run(folder, *arguments, seconds=_PATIENCE, transport=transport, settings=settings)
    if done.status:
        said = done.said.strip().splitlines()
        raise GatilhoError(f"pack {name}: git {arguments[0]} failed: {said[-1] if said else 'it does not say why'}.")
    return done.out


def _copy(objects: str, name: str, commit: str, folder: str) -> None:
    """Write the tables of a commit into a folder of their own, all of them or none."""
    if os.path.isdir(folder):
        return
    partial = f"{folder}.{os.getpid()}"
    shutil.rmtree(partial, ignore_errors=True)
    os.makedirs(partial)
    listed = _git(name, objects, "ls-tree", "-r", "-z", "--full-tree", commit, "--", FOLDER + "/").split(b"\0")
    for mode, blob, path in [entry for one in listed if one and (entry := _entry(one))][:_MOST_FILES]:
        if mode in _REGULAR and is_store_file(path) and not is_ledger_file(path):
            target = f"{partial}/{path.removeprefix(FOLDER + '/')}"
            os.makedirs(os.path.dirname(target), exist_ok=True)
            files.create(target, _git(name, objects, "cat-file", "blob", blob))
    os.rename(partial, folder)


def _entry(line: bytes) -> tuple[str, str, str] | None:
    """Return mode, blob and path of a listed file, None for a path that could lead anywhere else."""
    facts, _, raw = line.partition(b"\t")
    mode, _, blob = facts.decode("ascii").split(" ")
    path = query.decoded(raw)
    return None if {"", ".", ".."} & set(path.split("/")) or "\\" in path else (mode, blob, path)


def pack_files(repository: Repository, name: str, rev: str) -> dict[str, bytes]:
    """Return the tables of a fetched pack by the names that they have in its own repository."""
    folder = f"{repository.shared_state}/packs/{name}/{rev}"
    paths = documents_of(Store(PACK + name, folder, folder))[0]
    return {f"{FOLDER}{path.removeprefix(folder)}": files.read_bytes(path) for path in paths}
