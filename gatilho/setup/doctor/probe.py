"""A throw-away repository with one row, and the registered command called in it as a host calls it."""

import json
import os
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any

from gatilho.git import query
from gatilho.hosts import WRITES, host_named
from gatilho.hosts.event import AFTER, BEFORE
from gatilho.model import Value

NOTE = "The doctor of gatilho asks whether the hooks answer."
# The pattern is one that needs `regex`, so that a hook which cannot load it does not pass for sound.
# It is due as well, for a host that takes no notes takes a refusal.
_ROW = (
    "| id | lifecycle | trigger | note | rides |\n| --- | --- | --- | --- | --- |\n"
    f"| D-doctor | debt | `path: ^prob[e]\\.txt$` | {NOTE} | 3 |\n"
)
_PATIENCE = 30


class HookRun(Value):
    """How a call of the command ended. status: of the process; said: standard output; errors: standard error. seconds:
    how long it took.
    """

    status: int
    said: str
    errors: str
    seconds: float = 0


class Probe(Value):
    """The throw-away repository; root: of the repository whose hooks are called."""

    folder: str
    root: str

    def call(self, command: str, host: str, name: str) -> HookRun:
        """Run the command with an event after a write of the file of that name."""
        # A variable of the shell alone: were it exported, the hook would take the event for one of that repository.
        line = f"CLAUDE_PROJECT_DIR={shlex.quote(self.root)}\n{command}"
        return run_shell(line, self.event(host, name), self.root, self.environment())

    def event(self, host: str, name: str) -> bytes:
        """Return an event after, or else before, a write of the file of that name, as the host sends it."""
        record = host_named(host)
        carries = record.event_of(AFTER) in record.context
        event, tool = record.event_of(AFTER if carries else BEFORE), record.tool_that(WRITES) or "Write"
        path = f"{self.folder}/{name}"
        payload = (record.send or _usual)(
            event,
            tool,
            self.folder,
            f"doctor-{os.urandom(4).hex()}",
            {"file_path": path, "filePath": path, "content": ""},
        )
        return json.dumps(payload).encode()

    def environment(self) -> dict[str, str]:
        """Return the environment of a hook; the person's own tables stay out of it."""
        kept = without_git(os.environ)
        for name in ("GATILHO", "CLAUDE_PROJECT_DIR"):
            kept.pop(name, None)
        return {**kept, "XDG_CONFIG_HOME": f"{self.folder}/config"}


def _usual(event: str, tool: str, folder: str, session: str, given: dict[str, str]) -> dict[str, Any]:
    """Return the payload of an event, as most hosts send it (see `Host.send`)."""
    return {
        "hook_event_name": event,
        "transcript_path": "",
        "session_id": session,
        "cwd": folder,
        "workspace_roots": [folder],
        "tool_name": tool,
        "tool_use_id": f"doctor-{os.urandom(4).hex()}",
        "tool_input": given,
        "tool_response": {},
    }


@contextmanager
def probing(root: str) -> Iterator[Probe]:
    """Return a throw-away repository that is removed again."""
    with TemporaryDirectory(prefix="gatilho-doctor-") as folder:
        folder = os.path.realpath(folder).replace("\\", "/")
        query.run(folder, "init", "--quiet", "--template=", seconds=_PATIENCE, environ=without_git(os.environ))
        os.makedirs(f"{folder}/docs/gatilhos")
        with open(f"{folder}/docs/gatilhos/probe.md", "w", encoding="utf-8", newline="\n") as stream:
            stream.write(_ROW)
        yield Probe(folder, root)


def run_shell(command: str, data: bytes, folder: str, environment: dict[str, str]) -> HookRun:
    """Run a command line in a shell; a call that lasts too long or cannot be started has the status -1."""
    start = time.perf_counter()
    try:
        done = subprocess.run(
            command, shell=True, cwd=folder, env=environment, input=data, capture_output=True, timeout=_PATIENCE
        )
    except (OSError, subprocess.SubprocessError) as fault:
        return HookRun(-1, "", str(fault))
    took = time.perf_counter() - start
    said, errors = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    return HookRun(done.returncode, said, errors, took)


def ask_server(words: list[str], data: bytes, read: Callable[[bytes], Any], folder: str) -> Any:
    """Return what a server answers: of its lines the first of which `read` makes something; None where none comes.

    It answers while its input is open, so that is closed once the answer has come.
    """
    try:
        server = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  cwd=folder, env=without_git(os.environ), start_new_session=True)  # fmt: skip
    except OSError:
        return None
    limit = threading.Timer(_PATIENCE, _end, (server,))
    limit.start()
    try:
        assert server.stdin
        assert server.stdout
        server.stdin.write(data)
        server.stdin.flush()
        return next((found for line in server.stdout if (found := read(line))), None)
    except OSError:
        return None
    finally:
        server.communicate()
        limit.cancel()


def _end(server: "subprocess.Popen[bytes]") -> None:
    """End the server with what it started: its program may be the child of a script, and hold the pipe."""
    if hasattr(os, "killpg"):
        os.killpg(server.pid, signal.SIGKILL)
    else:
        server.kill()


def without_git(environ: "os._Environ[str]") -> dict[str, str]:
    """Return the environment without what ties git to one repository, as its own hooks have it."""
    return {name: value for name, value in environ.items() if not name.startswith("GIT_") or name in _KEPT}


_KEPT = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM", "GIT_EXEC_PATH", "GIT_ALLOW_PROTOCOL")
