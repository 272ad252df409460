"""Runs one command to its end and leaves no process of it running; started by `commands` as a process of its own.

On its own, so that it can become the parent of all that the command orphans, and end them even if the hook is killed.
Nothing of the package is imported: it runs under `-I -S`.
"""

import os
import signal
import subprocess
import sys
import time
from select import select

# In the environment of the command and of all that it starts: what left the family is found by it.
MARK = "GATILHO_RUN"
# Bytes of output that are kept, its end; a command that writes more than the limit is ended.
KEPT = 16_000
MOST = 50_000_000
# Bytes that its file keeps of a command that wrote too much.
LOGGED_OF_LOUD = 1_000_000
# Seconds between a polite end and a forced one, and for ending what goes on starting others.
_GRACE = 0.3
_HUNT = 3.0
_PAUSE = 0.02
# Numbers of prctl(2).
_SET_PDEATHSIG, _SET_CHILD_SUBREAPER = 1, 36


def main(argv: list[str]) -> int:
    """Run `argv[4:]` for at most `argv[0]` seconds; argv[1] is the mark, argv[2] the process that waits for us.

    Writes one line (how it ended, its number, the seconds it took) and after it the end of its output; all of its
    output goes into the file argv[3], where that can be written.
    """
    seconds, mark, parent, log = float(argv[0]), argv[1], int(argv[2]), argv[3]
    signal.signal(signal.SIGTERM, _leave)
    _tie_to_parent()
    if os.getppid() != parent:
        return 1
    run = _Run(argv[4:], seconds, _open_log(log))
    try:
        ended = run.to_the_end()
    finally:
        end_all(mark, family=True)
    sys.stdout.buffer.write(f"{ended} {run.seconds:.3f}\n".encode("utf-8", "replace") + run.output)
    sys.stdout.buffer.flush()
    return 0


class _Run:
    """The command while it runs: how long, and the end of what it wrote."""

    def __init__(self, argv: list[str], seconds: float, log: int) -> None:
        self.argv = argv
        self.limit = seconds
        self._log = log
        self.seconds = 0.0
        self.output = b""
        self._written = 0

    def to_the_end(self) -> str:
        """Run it: "exit N", "signal N", "late 0", "loud 0" or "missing 0"."""
        started = time.monotonic()
        try:
            child = subprocess.Popen(
                self.argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            self.output = str(error).encode("utf-8", "replace")
            return "missing 0"
        assert child.stdout is not None
        pipe = child.stdout.fileno()
        os.set_blocking(pipe, False)
        try:
            ended = self._watch(child, pipe, started + self.limit)
            self.seconds = time.monotonic() - started
            if ended:
                _end_politely(child)
            self._read(pipe)
            if ended == "loud" and self._log >= 0:
                os.ftruncate(self._log, LOGGED_OF_LOUD)
        finally:
            child.poll()
            _signal_group(child, signal.SIGKILL)
        if ended:
            return f"{ended} 0"
        code = child.returncode
        return f"exit {code}" if code >= 0 else f"signal {-code}"

    def _watch(self, child: "subprocess.Popen[bytes]", pipe: int, deadline: float) -> str:
        """Wait for the command itself, not for what holds its output open; "" or why it has to be ended."""
        waiting: list[int] = [pipe]
        while child.poll() is None:
            left = deadline - time.monotonic()
            if left <= 0:
                return "late"
            if self._written > MOST:
                return "loud"
            readable = select(waiting, [], [], min(left, _PAUSE))[0]
            if readable and not self._read(pipe):
                waiting = []
            elif not waiting:
                time.sleep(min(left, _PAUSE))
        return ""

    def _read(self, pipe: int) -> bool:
        """Take what is there, at most a megabyte; False at the end of the output."""
        for _ in range(16):
            try:
                piece = os.read(pipe, 65_536)
            except BlockingIOError:
                return True
            if not piece:
                return False
            self._written += len(piece)
            self.output = (self.output + piece)[-KEPT:]
            self._write_log(piece)
        return True

    def _write_log(self, piece: bytes) -> None:
        try:
            while piece and self._log >= 0:
                piece = piece[os.write(self._log, piece) :]
        except OSError:
            self._log = -1  # a full disk: the end of the output is known all the same


def _open_log(path: str) -> int:
    """Open the file for the whole output, -1 where it cannot be written."""
    try:
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o600)
    except OSError:
        return -1


def end_all(mark: str, family: bool) -> bool:
    """End every process that bears the mark, and with `family` all that descend from this one; whether none is left."""
    deadline = time.monotonic() + _HUNT
    while True:
        found = _left_over(f"{MARK}={mark}".encode(), family)
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        if family:
            _reap()
        if not found:
            return True
        if time.monotonic() > deadline:
            return False
        time.sleep(_PAUSE / 2)


def _left_over(mark: bytes, family: bool) -> list[int]:
    """Return the living processes of the command; none where there is no /proc, for its group is ended anyway."""
    parents: dict[int, int] = {}
    marked = []
    try:
        names = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []
    own = os.getpid()
    for pid in names:
        state, parents[pid] = _stat(pid)
        if pid != own and state not in ("Z", "X", "") and mark in _said_of(pid, "environ").split(b"\0"):
            marked.append(pid)
    found = set(marked)
    if family:
        found |= {pid for pid in names if pid != own and _descends(pid, own, parents) and _stat(pid)[0] not in "ZX"}
    return sorted(found)


def _descends(pid: int, ancestor: int, parents: dict[int, int]) -> bool:
    for _ in range(len(parents)):
        pid = parents.get(pid, 0)
        if pid == ancestor:
            return True
        if pid <= 1:
            return False
    return False


def _stat(pid: int) -> tuple[str, int]:
    """Return the state letter of a process and its parent; ("X", 0) where it is gone."""
    fields = _said_of(pid, "stat").rpartition(b")")[2].split()
    return (fields[0].decode(), int(fields[1])) if len(fields) > 1 else ("X", 0)


def _said_of(pid: int, file: str) -> bytes:
    """Return what the kernel says of a process; b"" where it is gone, or another user's."""
    try:
        with open(f"/proc/{pid}/{file}", "rb") as opened:
            return opened.read()
    except OSError:
        return b""


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except OSError:
        pass


def _end_politely(child: "subprocess.Popen[bytes]") -> None:
    """Ask the command's group to end, then force it."""
    for wanted in (signal.SIGTERM, signal.SIGKILL):
        _signal_group(child, wanted)
        try:
            child.wait(_GRACE)
            return
        except subprocess.TimeoutExpired:
            continue


def _signal_group(child: "subprocess.Popen[bytes]", wanted: signal.Signals) -> None:
    try:
        os.killpg(child.pid, wanted)
    except OSError:
        pass  # no one is left in it


def _tie_to_parent() -> None:
    """Adopt the orphans of the command, and get a signal when the waiting process dies (Linux only)."""
    if not sys.platform.startswith("linux"):
        return
    try:
        import ctypes

        libc = ctypes.CDLL(None)
        libc.prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        libc.prctl(_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    except (ImportError, OSError, AttributeError):
        pass  # the mark finds what it can


def _leave(number: int, frame: object) -> None:
    raise SystemExit(1)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
