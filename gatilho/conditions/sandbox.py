"""Where a command may write and whom it may reach: nothing that stays and nobody, where bubblewrap is there and works.

The repository lies under an overlay that is thrown away: by bubblewrap itself from version 0.11 on, else by a mount in
a namespace around it; where neither can be had, the tree is only readable.
"""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence

from gatilho.git.root import Repository
from gatilho.model import Value

NONE, READ_ONLY, MOUNTED, OVERLAY = "none", "read-only", "mounted overlay", "overlay"
# Emptied for the command, for other programs listen there on sockets; what the command needs below is put back.
_HIDDEN = ("/tmp", "/run")
# Seconds for a trial; it takes some 20 ms.
_PATIENCE = 10
# Marks that part the options of a mount.
_PARTS = frozenset(":,\\")
_MOUNT = (
    'while [ "$1" != -- ]; do mount -t overlay overlay -o "$1" "$2" || exit 1; shift 2; done; shift; cd / && exec "$@"'
)


class Sandbox(Value):
    """What commands run in. kind: one of the words above; reason: why none or no overlay, else ""."""

    kind: str
    reason: str = ""

    @property
    def keeps_tree(self) -> bool:
        """Whether what a command writes into the repository is thrown away, or cannot be written at all."""
        return self.kind != NONE


def find(repository: Repository, scratch: str, environ: Mapping[str, str]) -> Sandbox:
    """The best that works here, found by trying; scratch: an empty folder outside the repository."""
    if not sys.platform.startswith("linux"):
        return Sandbox(NONE, "there is bubblewrap for Linux only")
    program = _program("bwrap", environ)
    if not program:
        return Sandbox(NONE, "bubblewrap (bwrap) is not installed")
    for number in range(len(_overlaid(OVERLAY, repository, scratch, environ))):
        os.makedirs(_upper(scratch, number), exist_ok=True)
        os.makedirs(_work(scratch, number), exist_ok=True)
    reason = ""
    for kind in (OVERLAY, MOUNTED, READ_ONLY):
        works, said = _try(kind, repository, scratch, environ)
        if works:
            return Sandbox(kind, f"no overlay can be mounted here: {reason}" if kind == READ_ONLY else "")
        reason = said
    return Sandbox(NONE, f"bubblewrap does not work here: {reason}")


def wrap(
    kind: str, command: Sequence[str], repository: Repository, scratch: str, environ: Mapping[str, str]
) -> list[str]:
    """The command line that runs a command at the root of the repository in a sandbox of that kind."""
    if kind == NONE:
        return list(command)
    root = repository.root
    identity = ["--uid", str(os.getuid()), "--gid", str(os.getgid())]
    argv = [
        "bwrap", "--unshare-all", "--unshare-user", *identity, "--cap-drop", "ALL",
        "--die-with-parent", "--new-session",
        "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", *_emptied(repository, environ),
    ]  # fmt: skip
    mounts: list[str] = []
    for number, folder in enumerate(_overlaid(kind, repository, scratch, environ)):
        upper, work = _upper(scratch, number), _work(scratch, number)
        if kind == OVERLAY:
            argv += ["--overlay-src", folder, "--overlay", upper, work, folder]
        else:
            argv += ["--bind" if kind == MOUNTED else "--ro-bind", folder, folder]
        mounts += [f"lowerdir={folder},upperdir={upper},workdir={work},userxattr", folder]
    argv += ["--setenv", "TMPDIR", "/tmp", "--chdir", root, "--", *command]
    if kind != MOUNTED:
        return argv
    return ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", _MOUNT, "sh", *mounts, "--", *argv]


def written(scratch: str) -> str:
    """The folder that holds what the command wrote into the repository, under the same names."""
    return _upper(scratch, 0)


def _upper(scratch: str, number: int) -> str:
    return f"{scratch}/{number}/upper"


def _work(scratch: str, number: int) -> str:
    return f"{scratch}/{number}/work"


def _overlaid(kind: str, repository: Repository, scratch: str, environ: Mapping[str, str]) -> list[str]:
    """The folders that may be written to in vain: the repository, and the caches without which builds do not begin."""
    root = repository.root
    cache = environ.get("XDG_CACHE_HOME") or f"{environ.get('HOME', '')}/.cache"
    apart = not any(
        f"{one}/".startswith(f"{other}/") for one, other in ((cache, root), (root, cache), (scratch, cache))
    )
    mountable = kind == OVERLAY or not _PARTS & set(cache)
    if kind == READ_ONLY or not (apart and mountable and os.path.isdir(cache) and not os.path.islink(cache)):
        return [root]
    return [root, cache]


def _try(kind: str, repository: Repository, scratch: str, environ: Mapping[str, str]) -> tuple[bool, str]:
    if kind == MOUNTED and _PARTS & set(repository.root + scratch):
        return False, "the path of the repository holds a mark that parts the options of a mount"
    try:
        done = subprocess.run(
            wrap(kind, ["true"], repository, scratch, environ),
            env=dict(environ), stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return False, str(error)
    said = done.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
    return done.returncode == 0, said or f"exit status {done.returncode}"


def _emptied(repository: Repository, environ: Mapping[str, str]) -> list[str]:
    """Empty folders in the place of those where sockets are, with what the command needs from there."""
    needed = [*environ.get("PATH", "").split(":"), environ.get("VIRTUAL_ENV", ""), sys.prefix, sys.base_prefix]
    needed += [repository.git_dir, repository.common_dir]
    argv: list[str] = []
    for folder in _HIDDEN:
        if os.path.islink(folder) or not os.path.isdir(folder):
            continue
        argv += ["--tmpfs", folder]
        tops = {path[len(folder) + 1 :].split("/")[0] for path in needed if path.startswith(folder + "/")}
        for top in sorted(filter(None, tops)):
            if os.path.isdir(f"{folder}/{top}"):
                argv += ["--ro-bind", f"{folder}/{top}", f"{folder}/{top}"]
    return argv


def _program(name: str, environ: Mapping[str, str]) -> str:
    from shutil import which

    return which(name, path=environ.get("PATH")) or ""
