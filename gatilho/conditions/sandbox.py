"""Where a command of a condition may write and whom it may reach, where bubblewrap is there and works.

The repository and the person's home lie under overlays that are thrown away: made by bubblewrap itself from version
0.11 on, else mounted in a namespace around it; where neither works they are read-only. Without bubblewrap, `unshare`
takes the network and the other processes away, and no more than that.
"""

import os
import stat
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

from gatilho.conditions.not_found import CALLED
from gatilho.git.root import Repository
from gatilho.model import Value

NONE, UNSHARED, READ_ONLY, MOUNTED, OVERLAY = "none", "unshare", "read-only", "mounted overlay", "overlay"
# The layers that an overlay can have, best first: with less of them fewer honest commands work.
_LAYERS = (("home", "tree", "cache"), ("home", "tree"), ("tree", "cache"), ("tree",))
# The programs of the sandbox come from here alone: a committed `bin/bwrap` on the PATH would run outside of it.
_SYSTEM = (
    "/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/sbin", "/run/current-system/sw/bin", "/run/wrappers/bin",
)  # fmt: skip
# Emptied for the command, for other programs listen there on sockets; what the command needs below is put back.
_HIDDEN = ("/tmp", "/var/tmp", "/run")
# What a process of root's could write to in a /proc of its own, and would change the machine by.
_KERNEL = ("sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "mtrr")
# Folders of tools in a cache that is not the command's own: programs are run from there, so they are put back.
_TOOLS_IN_CACHE = ("pypoetry/virtualenvs", "pre-commit", "ms-playwright")
# Seconds for a trial; it takes some 20 ms.
_PATIENCE = 10
# Marks that part the options of a mount.
_PARTS = frozenset(":,\\")
# $1: the program `mount`; then pairs of options and the place; then `--` and what is run.
_MOUNT = (
    'mount=$1; shift; while [ "$1" != -- ]; do "$mount" -t overlay overlay -o "$1" "$2" || exit 1; shift 2; done; '
    'shift; cd / && exec "$@"'
)
# Bounds of the search for FIFOs and sockets in folders that cannot be overlaid: seconds, entries, depth.
_SEARCH_SECONDS, _SEARCHED, _DEPTH = 0.2, 20_000, 4


class Sandbox(Value):
    """What commands run in. kind: one of the words above; reason: why none or nothing better, else "".

    layers: the overlays that work here, of `home`, `tree` (the repository) and `cache`.
    """

    kind: str
    reason: str = ""
    layers: tuple[str, ...] = ()

    @property
    def is_bubblewrap(self) -> bool:
        """Return whether what a command writes into the repository is thrown away, or not written at all."""
        return self.kind not in (NONE, UNSHARED)

    @property
    def has_network(self) -> bool:
        """Return whether a command can reach the network."""
        return self.kind == NONE


class Folders(Value):
    """The folders of one run, by their real paths: mounts do not follow links.

    scratch: an empty folder outside the repository. kept: the folder of the private cache that lasts, "" for one that
    is thrown away. home and cache: "" where there is none.
    """

    root: str
    git_dirs: tuple[str, ...]
    home: str
    cache: str
    scratch: str
    kept: str = ""

    def target(self, layer: str) -> str:
        """Return the folder that a layer covers."""
        return {"tree": self.root, "home": self.home, "cache": self.cache}[layer]

    def upper(self, layer: str) -> str:
        """Return the folder that takes what is written into a layer."""
        return f"{self.kept}/upper" if layer == "cache" and self.kept else f"{self.scratch}/{layer}/upper"

    def work(self, layer: str) -> str:
        """Return the folder that the kernel wants beside it."""
        return f"{self.kept}/work" if layer == "cache" and self.kept else f"{self.scratch}/{layer}/work"

    @property
    def notes(self) -> str:
        """Return the folder with what the command's own shell notes."""
        return f"{self.scratch}/notes"

    def merged(self, layer: str) -> str:
        """Return where a layer is mounted before bubblewrap binds it."""
        return f"{self.scratch}/{layer}/merged"

    def can_overlay(self, layers: tuple[str, ...], kind: str) -> bool:
        """Return whether these layers make sense here; only the options of a mount know marks that part them."""
        paths = [path for one in layers for path in (self.target(one), self.upper(one))]
        if not all(self.target(one) for one in layers):
            return False
        if "cache" in layers and (_is_below(self.root, self.cache) or _is_below(self.upper("cache"), self.cache)):
            return False
        return kind != MOUNTED or not any(_PARTS & set(path) for path in paths)

    def make(self) -> None:
        """Make the folders of all layers."""
        for layer in ("tree", "home", "cache"):
            for folder in (self.upper(layer), self.work(layer), self.merged(layer)):
                os.makedirs(folder, mode=0o700, exist_ok=True)


def folders_of(repository: Repository, scratch: str, environ: Mapping[str, str], kept: str = "") -> Folders:
    """Return the folders of a run in a repository, with those of the person that the environment names."""
    root, scratch = os.path.realpath(repository.root), os.path.realpath(scratch)
    git_dirs = tuple(os.path.realpath(one) for one in (repository.git_dir, repository.common_dir))
    home = environ.get("HOME", "")
    cache = environ.get("XDG_CACHE_HOME") or (f"{home}/.cache" if home else "")
    home, cache = _mountable(home, root, scratch), _mountable(cache, root, scratch)
    return Folders(root, git_dirs, home, cache, scratch, os.path.realpath(kept) if kept else "")


def _mountable(folder: str, root: str, scratch: str) -> str:
    """Return the real path of a folder that something can be mounted on beside the repository, else ""."""
    real = os.path.realpath(folder) if folder.startswith("/") else ""
    if not os.path.isdir(real) or real == "/" or _is_below(real, root) or _is_below(scratch, real):
        return ""
    return real


def choose_sandbox(folders: Folders, environ: Mapping[str, str]) -> Sandbox:
    """Find the best sandbox that works here, by trying."""
    if not sys.platform.startswith("linux"):
        return Sandbox(NONE, "there is bubblewrap for Linux only")
    if not _program("bwrap", folders, environ):
        return _without_bubblewrap("bubblewrap (bwrap) is not installed", folders, environ)
    folders.make()
    reason = ""
    for kind in (OVERLAY, MOUNTED):
        for layers in _LAYERS:
            if not folders.can_overlay(layers, kind):
                continue
            works, said = _try(Sandbox(kind, "", layers), folders, environ)
            if works:
                return Sandbox(kind, "", layers)
            reason = said
            if "nknown option" in said:
                break
    if not reason:
        reason = "the path of the repository holds a mark that parts the options of a mount"
    works, said = _try(Sandbox(READ_ONLY), folders, environ)
    if works:
        return Sandbox(READ_ONLY, f"no overlay can be mounted here: {reason}")
    return _without_bubblewrap(f"bubblewrap does not work here: {said}", folders, environ)


def _without_bubblewrap(reason: str, folders: Folders, environ: Mapping[str, str]) -> Sandbox:
    if _program("unshare", folders, environ) and _try(Sandbox(UNSHARED), folders, environ)[0]:
        return Sandbox(UNSHARED, reason)
    return Sandbox(NONE, reason)


def wrap(box: Sandbox, command: Sequence[str], folders: Folders, environ: Mapping[str, str]) -> list[str]:
    """Return the command line that runs a command at the root of the repository in that sandbox."""
    if box.kind == NONE:
        return list(command)
    if box.kind == UNSHARED:
        namespaces = ["--user", "--map-current-user", "--net", "--ipc", "--uts", "--pid", "--fork", "--mount-proc"]
        return [_program("unshare", folders, environ), *namespaces, "--kill-child=SIGKILL", "--", *command]
    identity = ["--uid", str(os.getuid()), "--gid", str(os.getgid())]
    argv = [
        _program("bwrap", folders, environ), "--unshare-all", "--unshare-user", *identity, "--cap-drop", "ALL",
        "--die-with-parent", "--new-session",
        "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", *_kernel_read_only(),
        *_emptied(folders, environ), *_layered(box, folders), *_covered(box, folders), *_noting(folders),
        "--setenv", "TMPDIR", "/tmp", "--chdir", folders.root, "--", *command,
    ]  # fmt: skip
    if box.kind != MOUNTED:
        return argv
    mounts: list[str] = []
    for layer in box.layers:
        upper, work = folders.upper(layer), folders.work(layer)
        options = f"lowerdir={folders.target(layer)},upperdir={upper},workdir={work},userxattr"
        mounts += [options, folders.merged(layer)]
    unshare, mount = _program("unshare", folders, environ), _program("mount", folders, environ)
    return [unshare, "--user", "--map-root-user", "--mount", "/bin/sh", "-c", _MOUNT, "sh", mount, *mounts, "--", *argv]


def _noting(folders: Folders) -> list[str]:
    """Return options that show the notes of the command's shell, of which it may write one file."""
    called = f"{folders.notes}/{CALLED}"
    return ["--ro-bind", folders.notes, folders.notes, "--bind", called, called] if os.path.exists(called) else []


def _layered(box: Sandbox, folders: Folders) -> list[str]:
    """Return what lies over the home, the repository and the cache, in this order: the later is in the earlier."""
    argv: list[str] = []
    for layer in ("home", "tree", "cache"):
        target = folders.target(layer)
        if layer in box.layers and box.kind == OVERLAY:
            argv += ["--overlay-src", target, "--overlay", folders.upper(layer), folders.work(layer), target]
        elif layer in box.layers:
            argv += ["--bind", folders.merged(layer), target]
        elif layer == "tree":
            argv += ["--ro-bind", target, target]
        elif layer == "cache" and target and not _is_below(folders.root, target):
            argv += ["--bind", folders.upper(layer), target]
            for name in _TOOLS_IN_CACHE:
                if os.path.isdir(f"{target}/{name}"):
                    argv += ["--ro-bind", f"{target}/{name}", f"{target}/{name}"]
    return argv


def _try(box: Sandbox, folders: Folders, environ: Mapping[str, str]) -> tuple[bool, str]:
    tried: list[str] = []
    for _ in range(2):
        argv = wrap(box, ["/bin/sh", "-c", "exit 0"], folders, environ)
        if argv == tried:  # else a socket that was to be covered vanished in between
            break
        try:
            done = subprocess.run(
                argv,
                env=dict(environ), stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE, check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            return False, str(error)
        if not done.returncode:
            break
        tried = argv
    said = done.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
    return done.returncode == 0, said or f"exit status {done.returncode}"


def _kernel_read_only() -> list[str]:
    """Return options that keep settings of the kernel from a command of root's, whose rights would reach them."""
    found = [f"/proc/{name}" for name in _KERNEL if os.path.exists(f"/proc/{name}")]
    return [word for path in found for word in ("--ro-bind", path, path)]


def _emptied(folders: Folders, environ: Mapping[str, str]) -> list[str]:
    """Return options that hide folders with sockets, except what the command needs from there."""
    needed = [*environ.get("PATH", "").split(":"), environ.get("VIRTUAL_ENV", ""), sys.prefix, sys.base_prefix]
    needed += [*folders.git_dirs, folders.home, folders.cache]
    argv: list[str] = []
    for folder in _HIDDEN:
        if os.path.islink(folder) or not os.path.isdir(folder):
            continue
        argv += ["--tmpfs", folder]
        # Sorted, so that a folder comes before what lies in it.
        for path in sorted({os.path.realpath(one) for one in needed if one.startswith("/")}):
            if path.startswith(folder + "/") and os.path.isdir(path):
                argv += ["--ro-bind", path, path]
    return argv


def _covered(box: Sandbox, folders: Folders) -> list[str]:
    """Return options that cover sockets and FIFOs that can be reached over a read-only mount.

    An overlay needs no such cover: a file of that kind has no other end there.
    """
    overlaid = [folders.target(one) for one in box.layers]
    found = set(_listening())
    for folder in (folders.home, folders.root):
        if folder and folder not in overlaid:
            found |= set(_special_files(folder))
    visible = [path for path in found if not any(_is_below(path, one) for one in (*overlaid, *_HIDDEN))]
    shown = [*folders.git_dirs, folders.home, folders.root]
    visible += [path for path in found if any(_is_below(path, one) for one in shown if one not in ("", *overlaid))]
    paths = sorted({path for path in visible if not any(_is_below(path, one) for one in overlaid)})
    return [word for path in paths for word in ("--ro-bind", "/dev/null", path)]


def _listening() -> list[str]:
    """Find the sockets in the file system that some process of this network namespace is bound to."""
    try:
        with open("/proc/net/unix", encoding="utf-8", errors="surrogateescape") as file:
            named = {line.rstrip("\n").split(" ", 7)[-1].strip() for line in file}
    except OSError:
        return []
    real = {os.path.realpath(name) for name in named if name.startswith("/")}
    return [path for path in real if _is_special(path)]


def _special_files(folder: str) -> list[str]:
    """Find the sockets and FIFOs in a folder, as far as they are within the bounds."""
    found: list[str] = []
    deadline, left = time.monotonic() + _SEARCH_SECONDS, _SEARCHED
    level = [folder]
    for _ in range(_DEPTH):
        below: list[str] = []
        for one in level:
            try:
                with os.scandir(one) as listing:
                    entries = list(listing)
            except OSError:
                continue
            left -= len(entries)
            if left < 0 or time.monotonic() > deadline:
                return found
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    below.append(entry.path)
                elif not entry.is_file(follow_symlinks=False) and not entry.is_symlink() and _is_special(entry.path):
                    found.append(entry.path)
        level = below
    return found


def _is_special(path: str) -> bool:
    try:
        mode = os.lstat(path).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISSOCK(mode) or stat.S_ISFIFO(mode)


def _is_below(path: str, folder: str) -> bool:
    return f"{path}/".startswith(f"{folder}/")


def _program(name: str, folders: Folders, environ: Mapping[str, str]) -> str:
    """Find a program in a system folder that is on the PATH, "" where there is none outside the repository."""
    for folder in environ.get("PATH", "").split(":"):
        path = f"{folder.rstrip('/')}/{name}"
        if (
            folder.rstrip("/") in _SYSTEM
            and os.access(path, os.X_OK)
            and not _is_below(os.path.realpath(path), folders.root)
        ):
            return path
    return ""
