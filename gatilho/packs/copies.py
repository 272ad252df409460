"""Fetches packs into the git directory. Only a person's command calls this: nothing else here uses the network.

The address and the contents come from many hands: it names a server or a folder and no program, and only regular
tables below the store's folder are copied. Which ssh and which helper for passwords are used is up to the person's own
configuration; the repository's is never read.
"""

import os
import re
import shutil

from gatilho import bounded, files
from gatilho.errors import GatilhoError, UsageError
from gatilho.git import query
from gatilho.git.root import Repository
from gatilho.tables import FOLDER, PACK, Store, documents_of, is_ledger_file, is_store_file

NEWEST = "HEAD"
_PATIENCE = 180  # seconds for one fetch
_WHOLE = 0x7FFFFFFF  # the depth that git takes for the whole history
_MOST_FILES = 1_000
_MOST_BYTES = 64 << 20
_REGULAR = ("100644", "100755")
# A name that begins with a dash would be an option of ssh. A person may have git use ssh in the place of https.
_SERVER = re.compile(
    r"(https://|ssh://(\w[\w.-]*@)?)[A-Za-z0-9][A-Za-z0-9.-]*(:\d+)?/[^\s-]\S*|\w[\w.-]*@\w[\w.-]*:[^\s:-]\S*", re.A
)
_SERVERS = "https:ssh"
_OF_ANOTHER = (
    "GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
)  # fmt: skip


def fetch_pack(repository: Repository, name: str, address: str, wanted: str) -> str:
    """Load a commit of a pack and copy its tables; return its full id. wanted: an id, or NEWEST.

    Raises UsageError for an address that is not fetched from, and GatilhoError where git fails.
    """
    url, transports = _source_of(repository.root, name, address)
    if os.path.isdir(f"{repository.shared_state}/packs/{name}/{wanted}"):
        return wanted  # a commit never changes, and its repository may not have it any more
    objects = f"{repository.shared_state}/packs/{name}.git"
    os.makedirs(objects, exist_ok=True)
    if os.path.lexists(f"{objects}/config"):
        os.remove(f"{objects}/config")  # whoever wrote more into it than git does now
    _git(name, objects, "init", "--quiet", "--bare", "--template=")
    _fetch(name, objects, url, wanted, transports)
    what = wanted if wanted != NEWEST else "FETCH_HEAD"
    commit = _git(name, objects, "rev-parse", "--verify", f"{what}^{{commit}}").decode("ascii").strip()
    if wanted not in (NEWEST, commit):
        raise GatilhoError(f"pack {name}: git answered with {commit} when asked for {wanted}; nothing was written.")
    _copy(objects, name, commit, f"{repository.shared_state}/packs/{name}/{commit}")
    return commit


def _source_of(root: str, name: str, address: str) -> tuple[str, str]:
    """Return what git fetches from, and the protocols that it may use."""
    if _SERVER.fullmatch(address):
        return address, _SERVERS
    full = os.path.normpath(os.path.join(root, os.path.expanduser(address)))
    if ":" not in address and not address.startswith("-") and os.path.isdir(full):
        return f"file://{os.path.abspath(full)}", "file"
    raise UsageError(
        f"pack {name}: {address} is neither a folder here nor the address of a server. Write it as "
        "`https://HOST/PATH`, `ssh://USER@HOST/PATH` or `USER@HOST:PATH`."
    )


def _fetch(name: str, objects: str, url: str, wanted: str, transports: str) -> None:
    def fetch(depth: int, *what: str) -> None:
        _git(
            name, objects, "fetch", "--quiet", "--no-tags", f"--depth={depth}", "--", url, *what,
            transport=transports, settings=(("transfer.fsckObjects", "true"),),
        )  # fmt: skip

    try:
        fetch(1, wanted)
    except GatilhoError as error:
        # Over ssh many a server knows only git's first protocol, which hands out what a branch or a tag names.
        if "unadvertised object" not in str(error):
            raise
        fetch(_WHOLE, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
        if query.run(objects, f"--git-dir={objects}", "cat-file", "-e", wanted).status:
            raise GatilhoError(f"pack {name}: no branch or tag of its repository has {wanted}.") from None


def _git(
    name: str, folder: str, *arguments: str, transport: str = "none", settings: tuple[tuple[str, str], ...] = ()
) -> bytes:
    # Named, for inside an alias or a hook of git's the environment names another repository.
    done = query.run(
        folder, f"--git-dir={folder}", *arguments, seconds=_PATIENCE, transport=transport, settings=settings,
        environ={name: value for name, value in os.environ.items() if name not in _OF_ANOTHER} | {"LC_ALL": "C"},
        with_askers=True,
    )  # fmt: skip
    if done.status:
        said = done.said.strip().partition("\n\n")[0].splitlines()[-2:]  # after a blank line comes advice for any case
        why = "; ".join(line.strip().rstrip(".") for line in said) or "it does not say why"
        raise GatilhoError(f"pack {name}: git {arguments[0]} failed: {why}.")
    return done.out


def _copy(objects: str, name: str, commit: str, folder: str) -> None:
    """Write the tables of a commit into a folder of their own, all of them or none."""
    if os.path.isdir(folder):
        return
    listed = _git(name, objects, "ls-tree", "-r", "-l", "-z", "--full-tree", commit, "--", FOLDER + "/").split(b"\0")
    tables = [entry for one in listed if one and (entry := _table(one))]
    if len(tables) > _MOST_FILES or sum(size for size, _, _ in tables) > _MOST_BYTES:
        most = f"{_MOST_FILES:,} tables or {_MOST_BYTES >> 20} MiB"
        raise GatilhoError(f"pack {name}: commit {commit} has more than {most}; nothing was copied.")
    partial = f"{folder}.{os.getpid()}"
    shutil.rmtree(partial, ignore_errors=True)
    os.makedirs(partial)
    for _, blob, path in tables:
        target = f"{partial}/{path.removeprefix(FOLDER + '/')}"
        os.makedirs(os.path.dirname(target), exist_ok=True)
        files.create(target, _git(name, objects, "cat-file", "blob", blob))
    os.rename(partial, folder)


def _table(line: bytes) -> tuple[int, str, str] | None:
    """Return size, blob and path of a listed table, None for any other file and a path that could lead elsewhere."""
    facts, _, raw = line.partition(b"\t")
    mode, _, blob, size = facts.decode("ascii").split()
    path = query.decoded(raw)
    is_table = mode in _REGULAR and is_store_file(path) and not is_ledger_file(path)
    return None if not is_table or {"", ".", ".."} & set(path.split("/")) or "\\" in path else (int(size), blob, path)


def pack_files(repository: Repository, name: str, rev: str) -> dict[str, bytes]:
    """Return the tables of a fetched pack by the names that they have in its own repository."""
    folder = f"{repository.shared_state}/packs/{name}/{rev}"
    paths = documents_of(Store(PACK + name, folder, folder))
    return {f"{FOLDER}{path.removeprefix(folder)}": bounded.read(path) for path in paths}
