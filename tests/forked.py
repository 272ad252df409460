"""Runs of the hook and of the command line in a process that has imported the package, or its children (`fork_server`)."""

import atexit
import json
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path

SERVER = Path(__file__).resolve().parent / "fork_server.py"
CLIENT = SERVER.with_name("fork_client.py")
# What an interpreter reads when it starts: where a test sets one of them, it starts an interpreter.
_AT_THE_START = ("LANG", "LC_", "LD_", "MALLOC_", "PYTHON")
_CHUNK = 1 << 16
# Read now: the tests take what is named so out of their environment.
_NEVER = bool(os.environ.get("GATILHO_TESTS_START_INTERPRETERS"))


def can_fork(env: dict[str, str]) -> bool:
    """Return whether a child can stand for an interpreter that is started in this environment."""
    if not hasattr(os, "fork") or _NEVER:
        return False
    return _read_at_the_start(env) == _read_at_the_start(os.environ)


def _read_at_the_start(env: Mapping[str, str]) -> dict[str, str]:
    return {name: env[name] for name in env if name.startswith(_AT_THE_START)}


class ForkServer:
    """The process that forks, started at the first run; it ends with this process."""

    def __init__(self, *flags: str, dispatcher: str = "", here: bool = False) -> None:
        self._flags = flags
        self._words = [dispatcher, *(["here"] if here else [])]
        self._path = ""
        self._starting = threading.Lock()

    def run(
        self, argv: list[str], *, cwd: str, env: dict[str, str], data: bytes, timeout: float
    ) -> subprocess.CompletedProcess[bytes]:
        """Run the program with these arguments (the first is its own name) and wait for it, as `subprocess.run`."""
        path = self.path()
        pipes = [os.pipe() for _ in range(3)]
        (stdin, written), (read_out, stdout), (read_err, stderr) = pipes
        with socket.socket(socket.AF_UNIX) as connection:
            try:
                connection.connect(path)
                request = json.dumps({"argv": argv, "cwd": cwd, "env": env}).encode() + b"\n"
                sent = socket.send_fds(connection, [request[:_CHUNK]], [stdin, stdout, stderr])
                if sent < len(request):  # else the run may have ended by now, and no one reads
                    connection.sendall(request[sent:])
            finally:
                for handle in (stdin, stdout, stderr):
                    os.close(handle)
            said, out, err = _exchange(connection, written, read_out, read_err, data, timeout)
        _child, status = said.split()
        return subprocess.CompletedProcess(argv, int(status), out, err)

    def path(self) -> str:
        """The socket on which it listens."""
        with self._starting:
            if not self._path or self.process.poll() is not None:  # a run that hung took its process along
                self._path = self._start()
            return self._path

    def _start(self) -> str:
        folder = tempfile.mkdtemp(prefix="fork-")
        path = os.path.join(folder, "socket")
        process = subprocess.Popen(
            [sys.executable, *self._flags, str(SERVER), path, *self._words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd="/",
        )  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"

        def end() -> None:
            process.communicate()
            shutil.rmtree(folder, ignore_errors=True)

        self.process = process
        atexit.register(end)
        return path


def _exchange(
    connection: socket.socket, stdin: int, stdout: int, stderr: int, data: bytes, timeout: float
) -> tuple[bytes, bytes, bytes]:
    """Write standard input while both outputs and the connection are read to their ends; what was read of each."""
    deadline = time.monotonic() + timeout
    handle = connection.fileno()
    collected: dict[int, bytes] = {handle: b"", stdout: b"", stderr: b""}
    os.set_blocking(stdin, False)
    with selectors.DefaultSelector() as selector:
        for source in collected:
            selector.register(source, selectors.EVENT_READ)
        selector.register(stdin, selectors.EVENT_WRITE)
        while selector.get_map():
            ready = selector.select(max(deadline - time.monotonic(), 0))
            if not ready and time.monotonic() >= deadline:
                _give_up(selector, collected, handle, stdin)
                raise subprocess.TimeoutExpired("a forked run", timeout, collected[stdout], collected[stderr])
            for key, _ in ready:
                if key.fd == stdin:
                    data = _write(stdin, data)
                    ended = not data
                else:
                    piece = os.read(key.fd, _CHUNK)
                    collected[key.fd] += piece
                    ended = not piece
                if ended:
                    selector.unregister(key.fd)
                    if key.fd != handle:
                        os.close(key.fd)
    return collected[handle], collected[stdout], collected[stderr]


def _write(stdin: int, data: bytes) -> bytes:
    try:
        return data[os.write(stdin, data) :] if data else b""
    except BrokenPipeError:
        return b""  # the program reads no more


def _give_up(selector: selectors.BaseSelector, collected: dict[int, bytes], handle: int, stdin: int) -> None:
    if collected[handle].count(b"\n") == 1:
        os.kill(int(collected[handle]), signal.SIGKILL)
    for source in list(selector.get_map()):
        if source != handle:
            os.close(source)
