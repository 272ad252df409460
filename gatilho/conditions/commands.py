"""Runs the commands of `passes`: a text that a person allowed, once, within limits, and without a trace of it left."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from gatilho.conditions import allowed, lastrun, sandbox, supervisor, trackedfiles
from gatilho.conditions.files import Outcome
from gatilho.config import Conditions
from gatilho.git.root import Repository
from gatilho.model import Value

NOT_ALLOWED = "its command is not allowed on this machine"
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
_SHORTEST = 1.0
# How the overlay's folders are called, and after how many seconds nobody uses one any more.
_SCRATCH = "gatilho-run-"
_LEFT_BEHIND = 6 * 3600


class Ran(Value):
    """How a command ended. status: of its exit, None where it did not exit by itself. fault: why that decides nothing.

    seconds: how long it took. output: the end of what it wrote. kind: of its sandbox.
    """

    status: int | None
    seconds: float
    fault: str
    output: bytes
    kind: str

    @property
    def outcome(self) -> Outcome:
        """What it means for a condition; a fault pays nothing, and is no sign that something is owed either."""
        if self.fault:
            return Outcome(False, reason=self.fault, undecided=True)
        said = f"exit status {self.status} after {self.seconds:.1f} s"
        return Outcome(True, evidence=said) if self.status == 0 else Outcome(False, reason=said)


class Commands:
    """The commands of one turn close, or of one `settle`: each text is run at most once, all within one budget.

    seconds: the budget, None for none. outcomes: by text. unrun: texts for which no time was left. missing: why there
    is no sandbox, "" where there is one or nothing was run.
    """

    def __init__(self, repository: Repository, config: Conditions, seconds: float | None) -> None:
        self.repository = repository
        self.config = config
        self.outcomes: dict[str, Outcome] = {}
        self.unrun: list[str] = []
        self.missing = ""
        self._deadline = None if seconds is None else time.monotonic() + seconds

    def look(self, text: str) -> Outcome | None:
        """What the command comes to; None where no time is left for it."""
        if text not in self.outcomes and text not in self.unrun:
            outcome = self._outcome(text)
            if outcome is None:
                self.unrun.append(text)
            else:
                self.outcomes[text] = outcome
        return self.outcomes.get(text)

    def _outcome(self, text: str) -> Outcome | None:
        if not allowed.is_allowed(self.repository, text):
            return Outcome(False, reason=NOT_ALLOWED, undecided=True)
        left = self.config.timeout if self._deadline is None else self._deadline - time.monotonic()
        if left < _SHORTEST:
            return None
        limit = min(left, self.config.timeout)
        ran = run(text, self.repository, limit, self.config.sandbox == "required", self._note_missing)
        if limit < self.config.timeout and ran.fault == _too_late(limit):
            return None  # the budget ended it, not its own limit
        lastrun.keep(self.repository, text, ran.outcome, ran.kind, ran.output)
        return ran.outcome

    def _note_missing(self, reason: str) -> None:
        self.missing = reason


def run(
    text: str,
    repository: Repository,
    seconds: float,
    sandboxed_only: bool,
    note_missing: "Callable[[str], None] | None" = None,
) -> Ran:
    """Run a command in a shell at the root of the repository for at most that long; no process of it is left behind."""
    if os.name != "posix":
        return Ran(None, 0.0, "commands are not run on this system", b"", sandbox.NONE)
    environ = environment(os.environ)
    scratch = _scratch(repository.root)
    try:
        box = sandbox.find(repository, scratch, environ)
        if box.kind == sandbox.NONE and sandboxed_only:
            return Ran(None, 0.0, f"it may run in a sandbox only, and {box.reason}", b"", box.kind)
        if box.kind == sandbox.NONE and note_missing is not None:
            note_missing(box.reason)
        before = None if box.keeps_tree else trackedfiles.look(repository.root)
        argv = sandbox.wrap(box.kind, ["/bin/sh", "-c", text], repository, scratch, environ)
        ran = _supervised(argv, repository.root, seconds, environ, box.kind)
        changed = _changed(box.kind, repository.root, scratch, before)
    finally:
        _discard(scratch)
    if changed and not ran.fault:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        return ran.replace(fault=f"it changed {changed[0]}{more}")
    return ran


def environment(given: "os._Environ[str] | dict[str, str]") -> dict[str, str]:
    """What a command is given of the surroundings."""
    kept = {name: value for name, value in given.items() if name in _PASSED_ON or name.startswith("LC_")}
    return {"PATH": os.defpath, "TERM": "dumb", "PYTHONDONTWRITEBYTECODE": "1", **kept}


def _supervised(argv: list[str], root: str, seconds: float, environ: dict[str, str], kind: str) -> Ran:
    mark = os.urandom(8).hex()
    command = [sys.executable or "python3", "-I", "-S", supervisor.__file__, f"{seconds:.3f}", mark, str(os.getpid())]
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
        if not fault and number > 128 and number - 128 in set(_signals()):
            fault = f"signal {number - 128} ended it"
        return Ran(number, took, fault and f"{fault} (exit status {number})", output, kind)
    faults = {
        "signal": f"signal {number} ended it",
        "late": _too_late(seconds),
        "loud": f"it wrote more than {supervisor.MOST // 1_000_000} MB",
        "missing": f"it could not be started: {output.decode('utf-8', 'replace')}",
    }
    return Ran(None, took, faults.get(ended, ended), output, kind)


def _too_late(seconds: float) -> str:
    return f"it did not end within {seconds:.0f} s"


def _signals() -> list[int]:
    from signal import Signals

    return [int(one) for one in Signals]


def _changed(kind: str, root: str, scratch: str, before: "trackedfiles.Look | None") -> list[str]:
    if before is not None:
        return trackedfiles.changes(before, trackedfiles.look(root))
    return [] if kind == sandbox.READ_ONLY else trackedfiles.changes_in(sandbox.written(scratch), root)


def _scratch(root: str) -> str:
    """A new folder for the overlay, outside of the repository, where the system takes it."""
    base = tempfile.gettempdir()
    inside = os.path.realpath(base).startswith(os.path.realpath(root) + "/")
    base = "/var/tmp" if inside and os.path.isdir("/var/tmp") else base
    _sweep(base)
    return tempfile.mkdtemp(prefix=_SCRATCH, dir=base)


def _sweep(base: str) -> None:
    """Remove the folders of hooks that were killed over their command."""
    oldest = time.time() - _LEFT_BEHIND
    try:
        for entry in os.scandir(base):
            if entry.name.startswith(_SCRATCH) and entry.is_dir(follow_symlinks=False):
                found = entry.stat(follow_symlinks=False)
                if found.st_uid == os.getuid() and found.st_mtime < oldest:
                    _discard(entry.path)
    except OSError:
        pass


def _discard(scratch: str) -> None:
    """Remove the folder; the kernel leaves a folder in it that not even its owner may read."""
    for folder, subfolders, _ in os.walk(scratch):
        for name in subfolders:
            if not os.path.islink(f"{folder}/{name}"):
                try:
                    os.chmod(f"{folder}/{name}", 0o700)
                except OSError:
                    pass
    shutil.rmtree(scratch, ignore_errors=True)
