"""What tests build with: a real repository and its table, the dispatcher's process, the command line's process."""

import datetime
import hashlib
import json
import os
import re
import shlex
import sqlite3
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from forked import CLIENT, ForkServer, can_fork

CHECKOUT = Path(__file__).resolve().parent.parent
DISPATCHER = CHECKOUT / "scripts" / "gatilho.py"
BACKLOG = "docs/gatilhos/backlog.md"
HEADER = (
    "| id | lifecycle | trigger | note | paid when | rides | state |\n| --- | --- | --- | --- | --- | ---: | --- |\n"
)
_HOOK = ForkServer("-I", "-S", dispatcher=str(DISPATCHER), here=True)
_HOOKS = ForkServer("-I", "-S", dispatcher=str(DISPATCHER))  # several at once
_COMMAND = ForkServer(here=True)
_COMMANDS = ForkServer()  # several at once, and those that another program starts
PATIENCE = 60  # seconds until a process counts as hung; nothing here measures speed


class Repo:
    """A real git repository in a temporary directory, on branch main, with one commit."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        if any(root.iterdir()):
            self._begin()
            return
        surroundings = tuple(sorted(item for item in os.environ.items() if item[0].startswith(("GIT_", "HOME"))))
        if surroundings not in _BEGUN:
            self._begin()
            _BEGUN[surroundings] = _contents(root)
            return
        for name, content in _BEGUN[surroundings].items():
            if content is None:
                (root / name).mkdir()
            else:
                (root / name).write_bytes(content)
        self._know_files()

    def _begin(self) -> None:
        self.git("init", "--quiet")
        self.write("README.md", "# A project\n")
        self.commit("Begin")

    def _know_files(self) -> None:
        """Write into the index of a new repository what its one file is now, as git does that looks at it again."""
        index, found = self.root / ".git/index", (self.root / "README.md").stat()
        content = index.read_bytes()
        assert content[:12] == b"DIRC\0\0\0\2\0\0\0\1", "an index of the second version with one entry"
        times = (part for time in (found.st_ctime_ns, found.st_mtime_ns) for part in divmod(time, 10**9))
        mode = int.from_bytes(content[36:40])
        numbers = (*times, found.st_dev, found.st_ino, mode, found.st_uid, found.st_gid, found.st_size)
        content = content[:12] + struct.pack(">10I", *(number & 0xFFFFFFFF for number in numbers)) + content[52:-20]
        index.write_bytes(content + hashlib.sha1(content).digest())

    def path(self, name: str) -> str:
        """The absolute path of a file of the repository, as hosts spell it."""
        return str(self.root / name)

    def write(self, name: str, content: str | bytes) -> Path:
        """Write a file, with its parents; text is UTF-8 and its line endings are kept as they are."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def read(self, name: str) -> str:
        """The text of a file, its line endings as they stand in it."""
        return self.read_bytes(name).decode()

    def read_bytes(self, name: str) -> bytes:
        return (self.root / name).read_bytes()

    def git(self, *arguments: str, check: bool = True) -> str:
        """Run git in the repository: what it printed. Fails the test when git fails, unless check is False."""
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE
        )
        if check and done.returncode:
            raise AssertionError(f"git {' '.join(arguments)}: {done.stderr.decode(errors='replace')}")
        return done.stdout.decode()

    def commit(self, message: str = "Go on") -> str:
        """Commit everything that is in the tree: the id of the commit."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self._head() or self.git("rev-parse", "HEAD").strip()

    def _head(self) -> str:
        """The commit that is checked out, where a plain file says so: it spares a process."""
        try:
            head = (self.root / ".git/HEAD").read_text().strip()
            return (self.root / ".git" / head[5:]).read_text().strip() if head.startswith("ref: ") else head
        except OSError:
            return ""

    def table(self, *rows: str, file: str = BACKLOG, header: str = HEADER, commit: bool = True) -> Path:
        """Write a table of these lines (see `row`), and commit it unless told otherwise."""
        path = self.write(file, header + "".join(line + "\n" for line in rows))
        if commit:
            self.commit("Write the table")
        return path

    def cell(self, row_id: str, column: str, file: str = BACKLOG) -> str:
        """The text of one cell as it stands in the file; the row is found by its id, struck or not."""
        for cells in _rows(self.read(file)):
            if cells["id"].strip("~*` ") == row_id:
                return cells[column]
        raise AssertionError(f"no row {row_id} in {file}")

    def rides(self, row_id: str, file: str = BACKLOG) -> int:
        """The number in the rides cell."""
        return int(self.cell(row_id, "rides", file))

    def ledger(self, event: str = "") -> list[dict[str, str]]:
        """The ledger's lines, oldest file first, each as column name to text; of one event only, if it is named."""
        lines: list[dict[str, str]] = []
        for path in sorted(self.root.glob("docs/gatilhos/ledger/*.md")):
            lines.extend(_rows(path.read_text(encoding="utf-8")))
        return [line for line in lines if not event or line["event"] == event]

    def changed(self) -> list[str]:
        """The files that differ from HEAD or are new, by name."""
        return sorted(
            line[3:] for line in self.git("status", "--porcelain", "--untracked-files=all").splitlines() if line
        )


# The files of a new repository by the environment that git makes it in: to write them takes a third of making them.
_BEGUN: dict[tuple[tuple[str, str], ...], dict[str, bytes | None]] = {}


def _contents(root: Path) -> dict[str, bytes | None]:
    """Every file of a folder by its name, and None for every folder, each after the folder that holds it."""
    return {
        str(path.relative_to(root)): None if path.is_dir() else path.read_bytes() for path in sorted(root.rglob("*"))
    }


def day(ahead: int = 0) -> str:
    """The day that lies so many days ahead, or behind us; asked for in a test, for midnight may pass before it runs."""
    return (datetime.date.today() + datetime.timedelta(ahead)).isoformat()


def row(
    row_id: str,
    trigger: str | list[str],
    note: str = "a note",
    *,
    lifecycle: str = "debt",
    paid_when: str | list[str] = "",
    rides: int | str = 0,
    state: str | None = None,
) -> str:
    """One line of a table; triggers and conditions are put into code spans, their pipes escaped."""
    standing = ("owed" if lifecycle == "debt" else "rule") if state is None else state
    cells = [row_id, lifecycle, _spans(trigger), note, _spans(paid_when), str(rides), standing]
    return "| " + " | ".join(cells) + " |"


def _spans(texts: str | list[str]) -> str:
    listed = [texts] if isinstance(texts, str) else texts
    return " ".join("`" + text.replace("|", "\\|") + "`" for text in listed if text)


def _rows(text: str) -> list[dict[str, str]]:
    """The rows of plain tables whose lines begin and end with a pipe; shares no code with the program on purpose."""
    found: list[dict[str, str]] = []
    header: list[str] = []
    for line in re.split(r"\r\n|\n|\r", text):
        if not line.startswith("|"):
            header = []
            continue
        cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]
        if not header:
            header = [cell.lower() for cell in cells]
        elif not re.fullmatch(r":?-+:?", cells[0]):
            found.append(dict(zip(header, cells, strict=False)))
    return found


@contextmanager
def database(path: Path) -> Iterator[sqlite3.Connection]:
    """An SQLite file, opened for one transaction."""
    connection = sqlite3.connect(path)
    try:
        with connection:
            yield connection
    finally:
        connection.close()


class Answer(NamedTuple):
    """What a hook process left behind: its exit status, its answer (None where it said nothing) and standard error."""

    status: int
    answer: dict[str, Any] | None
    stderr: str

    @property
    def context(self) -> str:
        """What the agent reads beside the tool's result or the prompt."""
        return str(self._specific.get("additionalContext", ""))

    @property
    def decision(self) -> str:
        """The permission decision: "", "ask" or "deny"."""
        return str(self._specific.get("permissionDecision", ""))

    @property
    def reason(self) -> str:
        """The reason given with the decision."""
        return str(self._specific.get("permissionDecisionReason", ""))

    @property
    def person(self) -> str:
        """What is said to the person."""
        return str((self.answer or {}).get("systemMessage", ""))

    @property
    def _specific(self) -> dict[str, Any]:
        return dict((self.answer or {}).get("hookSpecificOutput", {}))


def run_hook(
    event: dict[str, Any] | bytes,
    *,
    host: str = "claude",
    env: dict[str, str] | None = None,
    cwd: Path | None = None,
    dispatcher: Path = DISPATCHER,
) -> Answer:
    """Run the dispatcher with one event in another process, as a host does; hold its answer to what hosts demand.

    event: a dictionary, or the raw bytes of standard input. env: what to set beside the environment of the tests.
    cwd: where the process starts; the event's own cwd unless given.
    """
    words = [str(dispatcher), *(["--host", host] if host else [])]
    environment = {**os.environ, **(env or {})}
    data = event if isinstance(event, bytes) else json.dumps(event).encode()
    start = str(cwd or _start_of(event) or os.getcwd())
    if dispatcher == DISPATCHER and can_fork(environment):
        server = _HOOK if _alone() else _HOOKS
        done = server.run(words, cwd=start, env=environment, data=data, timeout=PATIENCE)
    else:
        command = [sys.executable, "-I", "-S", *words]
        done = subprocess.run(
            command, cwd=start, env=environment, input=data, capture_output=True, timeout=PATIENCE
        )  # fmt: skip
    return _checked(done.returncode, done.stdout, done.stderr)


def _alone() -> bool:
    """Return whether nothing else is run meanwhile, so that a run may take place in the process that serves it."""
    return threading.current_thread() is threading.main_thread()


def run_hooks(events: list[dict[str, Any] | bytes], **options: Any) -> list[Answer]:
    """Start one dispatcher process for each event, all at the same moment; the answers in the order of the events."""
    with ThreadPoolExecutor(len(events)) as pool:
        return list(pool.map(lambda event: run_hook(event, **options), events))


def _start_of(event: dict[str, Any] | bytes) -> str | None:
    cwd = event.get("cwd") if isinstance(event, dict) else None
    return cwd if isinstance(cwd, str) and os.path.isdir(cwd) else None


def _checked(status: int, stdout: bytes, stderr: bytes) -> Answer:
    """Assert what holds for every hook run: exit 0, nothing or exactly one JSON object in UTF-8, no traceback."""
    said = stderr.decode(errors="replace")
    assert status == 0, f"the hook exited {status}: {said}"
    text = stdout.decode("utf-8")
    assert "Traceback" not in said + text, said + text
    answer = json.loads(text) if text else None
    assert answer is None or isinstance(answer, dict), text
    return Answer(status, answer, said)


class Output(NamedTuple):
    """What a run of the command line left behind."""

    status: int
    stdout: str
    stderr: str


def run_cli(*arguments: str, cwd: Path, env: dict[str, str] | None = None, stdin: str | None = None) -> Output:
    """Run the command line in a process of its own, without a terminal."""
    environment = {**os.environ, **(env or {})}
    data = (stdin or "").encode()
    if can_fork(environment):
        words = [str(CHECKOUT / "gatilho" / "__main__.py"), *arguments]
        environment.setdefault("PYTHONPATH", str(CHECKOUT))
        done = (_COMMAND if _alone() else _COMMANDS).run(
            words, cwd=str(cwd), env=environment, data=data, timeout=PATIENCE
        )
    else:
        command = [sys.executable, "-m", "gatilho", *arguments]
        environment.setdefault("PYTHONPATH", str(CHECKOUT))
        done = subprocess.run(
            command, cwd=cwd, env=environment, input=data, capture_output=True, timeout=PATIENCE
        )  # fmt: skip
    return Output(done.returncode, done.stdout.decode(), done.stderr.decode())


def program_line(env: dict[str, str] | None = None) -> str:
    """The start of a line of a shell that runs the command line, for programs that start it themselves."""
    if can_fork({**os.environ, **(env or {})}):
        words = [sys.executable, "-I", "-S", str(CLIENT), _COMMANDS.path(), "gatilho"]
    else:
        words = ["env", f"PYTHONPATH={CHECKOUT}", sys.executable, "-m", "gatilho"]
    return shlex.join(words)


def write_program(path: Path) -> None:
    """Write a program that runs the command line, for a PATH."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\nexec {program_line()} "$@"\n')
    path.chmod(0o755)
