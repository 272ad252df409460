"""Runs the commands of `passes`: a text that a person allowed, once, within limits, and without a trace of it left."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from signal import Signals

from gatilho import files
from gatilho.conditions import allowed, lastrun, sandbox, supervisor, trackedfiles
from gatilho.conditions.not_found import Absent
from gatilho.conditions.runnable import why_impossible
from gatilho.config import Conditions
from gatilho.git.root import Repository
from gatilho.model import Value
from gatilho.plain import first_of
from gatilho.verbs import Outcome

NOT_ALLOWED = "its command is not allowed on this machine"
# Without a network, tools that would wait and try again are asked to fail at once.
_OFFLINE = {
    "npm_config_offline": "true", "npm_config_fetch_retries": "0", "npm_config_update_notifier": "false",
    "YARN_ENABLE_NETWORK": "0", "PIP_NO_INDEX": "1", "PIP_RETRIES": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "UV_OFFLINE": "1", "CARGO_NET_OFFLINE": "true", "GOPROXY": "off", "GOTOOLCHAIN": "local", "BUNDLE_RETRY": "0",
    "HF_HUB_OFFLINE": "1", "GIT_TERMINAL_PROMPT": "0",
}  # fmt: skip
# What programs write when they find no network: of the C library, npm, cargo, curl, and their like.
_WANTS_NETWORK = (
    b"Network is unreachable", b"Temporary failure in name resolution", b"Could not resolve", b"EAI_AGAIN",
    b"ENOTFOUND", b"ENOTCACHED", b"ENETUNREACH", b"failed to lookup address", b"Name or service not known",
    b"No address associated", b"module lookup disabled by GOPROXY=off",
)  # fmt: skip
# Of the surroundings a command gets what programs need to be found and to speak a language, and no secret.
_PASSED_ON = (
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "VIRTUAL_ENV", "CONDA_PREFIX",
    "PYENV_ROOT", "PYENV_VERSION", "PYTHONPATH", "NVM_DIR", "NVM_BIN", "NODE_PATH", "GOPATH", "GOROOT", "CARGO_HOME",
    "RUSTUP_HOME", "JAVA_HOME", "DOTNET_ROOT", "GEM_HOME", "GEM_PATH", "BUNDLE_PATH", "XDG_CACHE_HOME",
    "NIX_PROFILES", "SSL_CERT_FILE",
)  # fmt: skip
_SEARCHED_BY_SHELL = {126: "the shell could not run its program", 127: "the shell did not find its program"}
# Seconds beyond the limit until the process that watches the command counts as lost; and less is no time to start.
_SPARE = 10
_SHORTEST = 0.5
# Seconds that starting and ending a command may take besides.
_BESIDES = 0.4
# Names of discarded files that are shown.
_NAMED = 10
# How the overlay's folders are called, and after how many seconds no one uses one any more.
_SCRATCH = "gatilho-run-"
_LEFT_BEHIND = 6 * 3600


class Ran(Value):
    """How a command ended. status: of its exit, None where it did not exit by itself. fault: why that decides nothing.

    seconds: how long it took. output: the end of what it wrote. kind: of its sandbox. late: ended by its time limit.
    discarded: names of some files that it wrote into the repository and that were thrown away.
    """

    status: int | None
    seconds: float
    fault: str
    output: bytes
    kind: str
    late: bool = False
    discarded: tuple[str, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """Return what it means for a condition; a fault pays nothing, and is no sign that something is owed either."""
        if self.fault:
            return Outcome(False, reason=self.fault + self._hint, undecided=True)
        said = f"exit status {self.status} after {self.seconds:.1f} s"
        return Outcome(True, evidence=said) if self.status == 0 else Outcome(False, reason=said + self._hint)

    @property
    def _hint(self) -> str:
        """Return what the sandbox does not give, where the output shows that it was wanted."""
        if self.kind != sandbox.NONE and any(mark in self.output for mark in _WANTS_NETWORK):
            return "; it asked for the network, which the sandbox does not give"
        if self.kind == sandbox.READ_ONLY and b"Read-only file system" in self.output:
            return "; it wrote to a folder that is read-only in this sandbox"
        return ""


class Commands:
    """The commands of one turn close, or of one `settle`: each text is run at most once, all within one budget.

    seconds: the budget, None for none. barred: why no command may run at all, "" where they may. outcomes: by text.
    ran: how each ended that was started. unrun: texts for which no time was left. missing: why there is no sandbox, or
    a weaker one; "" where there is one or nothing was run. on_start: called with each text before it is run.
    """

    def __init__(self, repository: Repository, config: Conditions, seconds: float | None, barred: str = "") -> None:
        self.repository = repository
        self.config = config
        self.barred = barred
        self.outcomes: dict[str, Outcome] = {}
        self.ran: dict[str, Ran] = {}
        self.unrun: list[str] = []
        self.missing = ""
        self.on_start: Callable[[str], None] | None = None
        self._deadline = None if seconds is None else time.monotonic() + seconds
        self._box: sandbox.Sandbox | None = None

    def look_at(self, rows: "Sequence[Sequence[str]]") -> None:
        """Run the commands of rows, of each in order until one does not pass, each with a fair share of the time.

        What was not reached the last time goes first, and may take its whole limit; then what was quick before.
        """
        history = {text: lastrun.run_history(self.repository, text) for row in rows for text in row}
        while texts := self._next_of(rows):
            text = min(texts, key=lambda one: history[one].rank)
            first = not self.ran and history[text].is_waiting
            self.look(text, 1 if first else len(texts))

    def look(self, text: str, shares: int = 1) -> Outcome | None:
        """Evaluate one command; None where no time is left for it. shares: commands that the time left is for."""
        if text not in self.outcomes and text not in self.unrun:
            outcome = self._outcome(text, shares)
            if outcome is None:
                self.unrun.append(text)
                lastrun.keep_waiting(self.repository, text, text in self.ran)
            else:
                self.outcomes[text] = outcome
        return self.outcomes.get(text)

    @property
    def weakness(self) -> str:
        """Describe a sandbox that is missing or weaker, to a person."""
        if self._box is not None and self._box.kind == sandbox.UNSHARED:
            what = "commands of conditions have no network here, but they can write wherever you can"
        else:
            what = "commands of conditions run without a sandbox here"
        return (
            f"{what}: {self.missing}. Install bubblewrap to protect your files; "
            '`[conditions] sandbox = "required"` in gatilho.toml refuses to run them without it.'
        )

    def _next_of(self, rows: "Sequence[Sequence[str]]") -> list[str]:
        """Return the commands that rows wait for: of each the first without an outcome, if all before it passed."""
        found: dict[str, None] = {}
        for row in rows:
            for text in row:
                if text in self.unrun or (text in self.outcomes and not self.outcomes[text].holds):
                    break
                if text not in self.outcomes:
                    found[text] = None
                    break
        return list(found)

    def _outcome(self, text: str, shares: int) -> Outcome | None:
        # What can never be run comes first: no `gatilho allow` helps there.
        refusal = why_impossible(text) or (self.barred if allowed.is_allowed(self.repository, text) else NOT_ALLOWED)
        if refusal:
            return Outcome(False, reason=refusal, undecided=True)
        left = self.config.timeout if self._deadline is None else self._deadline - time.monotonic()
        if left < _SHORTEST:
            return None
        share = left if shares == 1 else max(left / shares - _BESIDES, _SHORTEST)
        limit = min(self.config.timeout, left, share)
        if self.on_start is not None:
            self.on_start(text)
        if self._box is None:
            self._box = find_sandbox(self.repository)
        ran = self.ran[text] = run_command(text, self.repository, limit, self.config.sandbox == "required", self._box)
        if not self._box.is_bubblewrap and ran.status is not None:
            self.missing = self._box.reason
        was_cut = ran.late and limit < self.config.timeout
        outcome = ran.outcome
        if was_cut:
            reason = f"it was stopped after {_seconds(limit)}, its share of the time at a turn's end"
            outcome = Outcome(False, reason=reason, undecided=True)
        lastrun.keep_run(self.repository, text, outcome, ran.kind, ran.seconds, ran.output)
        return None if was_cut else outcome


def find_sandbox(repository: Repository) -> sandbox.Sandbox:
    """Find the sandbox that the commands of this repository get here, as a turn's close finds it."""
    environ = command_environment()
    scratch = _scratch(repository.root)
    try:
        return sandbox.choose_sandbox(_folders(repository, scratch, environ, _kept(repository)), environ)
    except OSError as error:
        return sandbox.Sandbox(sandbox.NONE, f"the sandbox could not be set up: {error.strerror or error}")
    finally:
        _discard(scratch)


def run_command(
    text: str, repository: Repository, seconds: float, sandboxed_only: bool, box: "sandbox.Sandbox | None" = None
) -> Ran:
    """Run a command in a shell at the root of the repository for at most that long; no process of it is left over.

    box: the sandbox, found first unless given. Whatever goes wrong with one command is a fault of that command.
    """
    if os.name != "posix":
        return Ran(None, 0.0, "commands are not run on this system", b"", sandbox.NONE)
    box = box or find_sandbox(repository)
    if sandboxed_only and not box.is_bubblewrap:
        return Ran(None, 0.0, f"it may run in a sandbox only, and {box.reason}", b"", box.kind)
    try:
        with _cache_lock(repository) as kept:
            return _run(text, repository, seconds, box, kept)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return Ran(None, 0.0, f"it could not be started: {error}", b"", box.kind)


def _run(text: str, repository: Repository, seconds: float, box: sandbox.Sandbox, kept: str) -> Ran:
    environ = command_environment(offline=not box.has_network)
    scratch = _scratch(repository.root)
    try:
        folders = _folders(repository, scratch, environ, kept)
        folders.make()
        before = None if box.is_bubblewrap else trackedfiles.snapshot(folders.root)
        absent = Absent(text, folders.notes, environ)
        ran = _started(absent, repository, text, seconds, box, folders, environ)
        changed = _changed(box, folders, before)
        discarded = _names_below(folders.upper("tree")) if box.is_bubblewrap else ()
        fault = ran.fault or _missing(absent, ran, folders)
    finally:
        _discard(scratch)
    if changed and not fault:
        fault = f"it changed {first_of(changed, 1)}"
    return ran.replace(fault=fault, discarded=discarded)


def _missing(absent: Absent, ran: Ran, folders: sandbox.Folders) -> str:
    """Return why a status decides nothing: a program was not there. A made one is in the overlay."""
    name = absent.missing(ran.output)
    if not name and ran.status == 0:
        name = absent.missing_file((folders.root, folders.upper("tree")))
    return name and f"the shell did not find `{name}`"


def _started(
    absent: Absent, repository: Repository, text: str, seconds: float, box: sandbox.Sandbox,
    folders: sandbox.Folders, environ: dict[str, str],
) -> Ran:  # fmt: skip
    """Run the command, and once more where its sandbox failed before it began, as over a socket that vanished."""
    log = lastrun.log_path(repository, text)
    for _ in range(2):
        argv = sandbox.wrap(box, absent.starting(), folders, environ)
        ran = _supervised(argv, folders.root, seconds, environ, box.kind, log)
        if ran.status is None or absent.has_begun:
            return ran
    said = ran.output.decode("utf-8", "replace").strip().split("\n")[-1]
    return ran.replace(status=None, fault=f"its sandbox could not be set up: {said or f'exit status {ran.status}'}")


def _folders(repository: Repository, scratch: str, environ: dict[str, str], kept: str) -> sandbox.Folders:
    """Return the folders of one run; the person's folder of caches is made, for something is mounted on it."""
    if "XDG_CACHE_HOME" not in environ and os.path.isdir(environ.get("HOME", "")):
        try:
            os.makedirs(f"{environ['HOME']}/.cache", mode=0o700, exist_ok=True)
        except OSError:
            pass  # a home that is read-only has no caches
    return sandbox.folders_of(repository, scratch, environ, kept)


@contextmanager
def _cache_lock(repository: Repository) -> "Iterator[str]":
    """Yield the folder of the repository's own cache, held; "" while it is in use, or where it cannot be made."""
    kept = _kept(repository)
    lock = files.held_lock(f"{repository.shared_state}/command-cache.lock", 0) if kept else None
    try:
        yield kept if lock is not None else ""
    finally:
        if lock is not None:
            _open_to_owner(f"{kept}/work")
            lock.release()


def _kept(repository: Repository) -> str:
    """Make the folder of the cache that lasts, one for all working trees; "" where it cannot be made."""
    folder = f"{repository.shared_state}/command-cache"
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError:
        return ""
    return folder


def command_environment(offline: bool = False) -> dict[str, str]:
    """Return what a command is given of the surroundings; offline: with what asks tools to wait for no network."""
    kept = {name: value for name, value in os.environ.items() if name in _PASSED_ON or name.startswith("LC_")}
    # A command that starts a coding agent, or a hook, must not begin the ladder anew.
    own = {"PATH": os.defpath, "TERM": "dumb", "PYTHONDONTWRITEBYTECODE": "1", "GATILHO": "off"}
    return {**own, **kept, **(_OFFLINE if offline else {})}


def _supervised(argv: list[str], root: str, seconds: float, environ: dict[str, str], kind: str, log: str) -> Ran:
    mark = os.urandom(8).hex()
    watch = [f"{seconds:.3f}", mark, str(os.getpid()), log]
    command = [sys.executable or "python3", "-I", "-S", supervisor.__file__, *watch]
    watcher = subprocess.Popen(
        [*command, *argv],
        cwd=root,
        env={**environ, supervisor.MARK: mark},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        report = watcher.communicate(timeout=seconds + _SPARE)[0]
    except subprocess.TimeoutExpired:
        report = b""
    finally:
        if watcher.poll() is None:
            watcher.terminate()  # it ends the command and all that is left of it
            try:
                watcher.wait(_SPARE)
            except subprocess.TimeoutExpired:
                watcher.kill()
                watcher.wait()
        if watcher.returncode:
            supervisor.end_all(mark, family=False)
    return _read(report, seconds, kind)


def _read(report: bytes, seconds: float, kind: str) -> Ran:
    line, _, output = report.partition(b"\n")
    words = line.decode("ascii", "replace").split()
    if len(words) != 3:
        return Ran(None, 0.0, "the process that watched it was lost", b"", kind)
    ended, number, took = words[0], int(words[1]), float(words[2])
    if ended == "exit":
        fault = _SEARCHED_BY_SHELL.get(number, "")
        if not fault and number > 128 and number - 128 in set(Signals):
            fault = f"signal {number - 128} ended it"
        return Ran(number, took, fault and f"{fault} (exit status {number})", output, kind)
    faults = {
        "signal": f"signal {number} ended it",
        "late": f"it did not end within {_seconds(seconds)}",
        "loud": f"it wrote more than {supervisor.MOST // 1_000_000} MB",
        "missing": f"it could not be started: {output.decode('utf-8', 'replace')}",
    }
    return Ran(None, took, faults.get(ended, ended), output, kind, late=ended == "late")


def _seconds(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds >= 0.95 else f"{seconds:.1f} s"


def _changed(box: sandbox.Sandbox, folders: sandbox.Folders, before: "trackedfiles.TrackedFiles | None") -> list[str]:
    if before is not None:
        return trackedfiles.changed_names(before, trackedfiles.snapshot(folders.root))
    return [] if box.kind == sandbox.READ_ONLY else trackedfiles.changes_in(folders.upper("tree"), folders.root)


def _names_below(folder: str) -> tuple[str, ...]:
    """Return the first names of files in a folder, without git's own."""
    found: list[str] = []
    for path, subfolders, names in os.walk(folder):
        if path == folder and ".git" in subfolders:
            subfolders.remove(".git")
        found += [os.path.join(path, name)[len(folder) + 1 :] for name in names]
        if len(found) >= _NAMED:
            break
    return tuple(sorted(found)[:_NAMED])


def _scratch(root: str) -> str:
    """Make a folder for the overlays, which none of them may cover: outside of repository and, if possible, home."""
    bases = [tempfile.gettempdir(), "/tmp", "/var/tmp"]
    covered = [os.path.realpath(root), os.path.realpath(os.environ.get("HOME") or root)]
    outside = [one for one in bases if not _lies_in(one, covered)]
    base = next((one for one in outside if os.access(one, os.W_OK)), "")
    base = base or next((one for one in bases if not _lies_in(one, covered[:1])), bases[0])
    _sweep(base)
    return tempfile.mkdtemp(prefix=_SCRATCH, dir=base)


def _lies_in(path: str, folders: list[str]) -> bool:
    return any(f"{os.path.realpath(path)}/".startswith(f"{folder}/") for folder in folders)


def _sweep(base: str) -> None:
    """Remove the folders of hooks that were killed over their command."""
    oldest = time.time() - _LEFT_BEHIND
    try:
        with os.scandir(base) as entries:
            for entry in entries:
                if entry.name.startswith(_SCRATCH) and entry.is_dir(follow_symlinks=False):
                    found = entry.stat(follow_symlinks=False)
                    if found.st_uid == os.getuid() and found.st_mtime < oldest:
                        _discard(entry.path)
    except OSError:
        pass


def _discard(scratch: str) -> None:
    """Remove the folder; the kernel leaves a folder in it that not even its owner may read."""
    _open_to_owner(scratch)
    shutil.rmtree(scratch, ignore_errors=True)


def _open_to_owner(top: str) -> None:
    """Let the owner into all folders below."""
    for folder, subfolders, _ in os.walk(top):
        for name in subfolders:
            if not os.path.islink(f"{folder}/{name}"):
                try:
                    os.chmod(f"{folder}/{name}", 0o700)
                except OSError:
                    pass
