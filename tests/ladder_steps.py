"""A session played step by step through the real dispatcher, one process for each event, and a clock to turn back."""

import os
from pathlib import Path

from builders import Answer, Repo, database, run_hook
from claude_session import Session

NOTE = "The retry test is flaky until it uses the frozen_clock fixture."
ANCHOR = "tests/test_retry.py"
TRIGGER = r"path: ^tests/test_retry\.py$"
CONDITION = rf"contains {ANCHOR} \bfrozen_clock\b"
FLAKY = "def test_retry():\n    assert retry() == 1\n"
PAID = "def test_retry(frozen_clock):\n    assert retry() == 1\n"
HOUR = 3600


class Play:
    """One agent's view of a session; the tool calls really happen, unless the hook stops them."""

    def __init__(self, repo: Repo, session: Session | None = None, env: dict[str, str] | None = None) -> None:
        self.repo = repo
        self.session = session or Session(repo)
        self.env = env or {}

    def agent(self, agent_id: str) -> "Play":
        """The same session as a subagent sees it."""
        return Play(self.repo, self.session.agent(agent_id), self.env)

    def start(self, source: str = "startup") -> Answer:
        return self._run(self.session.session_start(source))

    def prompt(self, text: str = "please go on", **fields: object) -> Answer:
        return self._run({**self.session.prompt(text), **fields})

    def read(self, name: str = ANCHOR) -> Answer:
        """What is said after a file was read."""
        return self._run(self.session.post("Read", file_path=self._path(name)))

    def before_write(self, name: str = ANCHOR, content: str = "x\n") -> Answer:
        """What is said before a write that then does not happen."""
        return self._run(self.session.pre("Write", file_path=self._path(name), content=content))

    def wrote(self, name: str = ANCHOR, content: str = "") -> Answer:
        """Write a file, its content or one more line: what is said afterwards. Nothing is asked before."""
        path = Path(self._path(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content or (path.read_text() if path.exists() else "") + "# more\n"
        path.write_text(text)
        return self._run(self.session.post("Write", file_path=str(path), content=text))

    def write(self, name: str, content: str) -> tuple[Answer, Answer | None]:
        """A whole write: what is said before it, and after it where it was not stopped."""
        before = self._run(self.session.pre("Write", file_path=self._path(name), content=content))
        if before.decision:
            return before, None
        self.repo.write(name, content)
        return before, self._run(self.session.post("Write", file_path=self._path(name), content=content))

    def allowed_write(self, name: str, content: str) -> Answer:
        """A write that happens whatever the hook answers: what is said afterwards."""
        self._run(self.session.pre("Write", file_path=self._path(name), content=content))
        self.repo.write(name, content)
        return self._run(self.session.post("Write", file_path=self._path(name), content=content))

    def bash(self, command: str, happens: "object" = None, failed: bool = False) -> tuple[Answer, Answer | None]:
        """A command: what is said before and after it; it really runs, or `happens()` stands for it."""
        before = self._run(self.session.pre("Bash", command=command))
        if before.decision:
            return before, None
        if callable(happens):
            happens()
        else:
            failed = bool(os.system(f"cd '{self.session.cwd}' && ({command}) >/dev/null 2>&1"))
        event = self.session.failed if failed else self.session.post
        return before, self._run(event("Bash", command=command))

    def stop(self) -> Answer:
        return self._run(self.session.stop())

    def end(self) -> Answer:
        return self._run(self.session.session_end())

    def turn(self) -> None:
        """One more turn that writes the anchor, as short as it can be."""
        self.wrote()
        self.stop()

    def _path(self, name: str) -> str:
        return name if name.startswith("/") else self.repo.path(name)

    def _run(self, event: dict[str, object]) -> Answer:
        return run_hook(event, env=self.env)


def state_of(repo: Repo) -> Path:
    """The folder in the git directory that gatilho keeps its state in."""
    return Path(repo.git("rev-parse", "--path-format=absolute", "--git-common-dir").strip()) / "gatilho"


def settle(repo: Repo) -> None:
    """Let later hooks write what waits, as it is when several end at once on a machine that has much to do."""
    for _ in range(20):
        if not (state_of(repo) / "waiting").exists():
            return
        run_hook(Session(repo).session_start())
    raise AssertionError("something goes on waiting")


def fall_silent(repo: Repo, session: Session, seconds: float) -> None:
    """Turn the clock of a session back, as if it had done nothing for so long."""
    state = state_of(repo)
    with database(state / "sessions.db") as connection:
        connection.execute("UPDATE session SET seen = seen - ? WHERE id = ?", (seconds, session.id))
    for mark in (state / "live").glob("*"):
        found = mark.stat()
        os.utime(mark, (found.st_atime - seconds, found.st_mtime - seconds))


def log_of(repo: Repo) -> str:
    """What stands in the log in the git directory."""
    path = state_of(repo) / "log"
    return path.read_text() if path.exists() else ""
