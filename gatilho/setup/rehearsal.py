"""Recorded events, run through the installed dispatcher: on a copy of the repository, unless they may write."""

import json
import os
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any

from gatilho import bounded, files
from gatilho.errors import UsageError
from gatilho.git import query
from gatilho.git.root import Repository
from gatilho.hook import caller_of
from gatilho.model import Value
from gatilho.setup import dispatcher
from gatilho.setup.doctor.probe import run_shell, without_git

_LARGEST = 1 << 26
_PATIENCE = 60
# What would lead a hook to another repository, to what a person decided, or to silence.
_LEFT_OUT = ("GATILHO", "CLAUDE_PROJECT_DIR", "FACTORY_PROJECT_DIR")


class Recorded(Value):
    """One recorded event. line: where it is in the file; host: as the command named it; root: the repository's."""

    line: int
    host: str
    root: str
    payload: dict[str, Any]


class Replayed(Value):
    """What came of an event: what the hook printed, its status, what it said on standard error."""

    event: Recorded
    name: str
    tool: str
    said: str
    status: int
    errors: str


def recorded_events(path: str) -> list[Recorded]:
    """Return the events in a file: as `gatilho hook --record` writes them, or bare payloads, one a line or one in all.

    Raises UsageError where a line is neither.
    """
    try:
        data = bounded.read(path, _LARGEST)
        # A shell of Windows writes what is sent to a file as UTF-16.
        text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    try:
        whole = json.loads(text)
        return [_recorded(path, 1, one) for one in (whole if isinstance(whole, list) else [whole])]
    except ValueError:
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        return [_recorded(path, number, _parsed(path, number, line)) for number, line in lines]


def replay_events(repository: Repository, events: list[Recorded], writes: bool) -> Iterator[Replayed]:
    """Yield what comes of each event. writes: in the repository itself, where rides and payments are written."""
    if writes:
        for event in events:
            yield _replayed(event, repository.root, _environment(None))
        return
    with _copied(repository.root) as (root, environment):
        for event in events:
            yield _replayed(event, root, environment, repository.root)


def _parsed(path: str, number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        raise UsageError(f"{path}:{number}: this is not JSON ({error}).") from None


def _recorded(path: str, number: int, found: Any) -> Recorded:
    if isinstance(found, dict) and {"host", "root", "payload"} <= set(found):
        host, root, found = str(found["host"]), str(found["root"]), found["payload"]
        if not isinstance(found, dict):  # recorded although it could not be read
            found = {}
    else:
        host, root = "", ""
    if not isinstance(found, dict):
        raise UsageError(f"{path}:{number}: this is no event. Record events with `gatilho hook --record FILE`.")
    return Recorded(number, host, root, found)


def _replayed(event: Recorded, root: str, environment: dict[str, str], shown_root: str = "") -> Replayed:
    payload = _moved(event.payload, event.root or shown_root or root, root)
    words = [sys.executable, "-I", "-S", dispatcher.installed(), *(["--host", event.host] if event.host else [])]
    done = run_shell(shlex.join(words), json.dumps(payload).encode(), root, environment)
    here = os.getcwd()
    try:
        os.chdir(root)  # a host that is described is found by the folder
        read = caller_of(payload, event.host).read(payload)
    finally:
        os.chdir(here)
    said = done.said.strip().replace(root, shown_root) if shown_root else done.said.strip()
    return Replayed(event, read.name, read.tool, said, done.status, done.errors.strip())


def _moved(value: Any, old: str, new: str) -> Any:
    """Return a payload in which the names of files below one root lead into another."""
    if isinstance(value, dict):
        return {key: _moved(one, old, new) for key, one in value.items()}
    if isinstance(value, list):
        return [_moved(one, old, new) for one in value]
    if not isinstance(value, str) or not old.strip("/"):
        return value
    # Not in the name of a folder beside it that begins so.
    return re.sub(rf"{re.escape(old)}(?![\w.-])", lambda _: new, value)


def _environment(state: str | None) -> dict[str, str]:
    kept = {name: value for name, value in without_git(os.environ).items() if name not in _LEFT_OUT}
    return {**kept, **({"XDG_STATE_HOME": f"{state}/state", "XDG_CONFIG_HOME": f"{state}/config"} if state else {})}


@contextmanager
def _copied(root: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Return a copy of the working tree with the repository's history, and the environment of its hooks.

    No file is checked out by git, so no filter of a configuration runs. The person's own tables stay out of it.
    """
    with TemporaryDirectory(prefix="gatilho-replay-") as folder:
        folder = os.path.realpath(folder).replace("\\", "/")
        copy = f"{folder}/{os.path.basename(root)}"
        environ = without_git(os.environ)
        query.run(folder, "clone", "--quiet", "--shared", "--no-checkout", "--template=", root, copy,
                  seconds=_PATIENCE, environ=environ, transport="file")  # fmt: skip
        if not os.path.isdir(f"{copy}/.git"):
            raise UsageError("git cannot copy the repository, so nothing was replayed. Run `git fsck`.")
        query.run(copy, "read-tree", "HEAD", seconds=_PATIENCE, environ=environ)
        names = query.ask_names_of_tree(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard") or []
        for name in names:
            _copy_file(f"{root}/{name}", f"{copy}/{name}")
        yield copy, _environment(folder)


def _copy_file(source: str, target: str) -> None:
    os.makedirs(os.path.dirname(target), exist_ok=True)
    try:
        if os.path.islink(source):
            os.symlink(os.readlink(source), target)
        else:
            files.create(target, bounded.read(source, _LARGEST))
    except OSError:
        pass  # a file that was removed, a submodule, or one that is too large for any row
