"""What the story is played with: a git repository, the installed dispatcher as a process, sessions of an agent."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

BACKLOG = "docs/gatilhos/backlog.md"
RULES = "docs/gatilhos/rules.md"
_FOREIGN = ("AI_AGENT", "CLAUDE", "CODEX_", "COPILOT_", "CURSOR_", "GATILHO", "GEMINI_", "GIT_", "QWEN_", "XDG_")
_PATIENCE = 60  # seconds until a process counts as hung


class NotAsTold(Exception):
    """Something did not happen as the story says."""


def expect(holds: object, what: str) -> None:
    """Raise NotAsTold unless it holds."""
    if not holds:
        raise NotAsTold(what)


class Project:
    """A small repository in a folder of its own, with a home of its own, so that nothing of this machine takes part."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "shop"
        self.root.mkdir()
        home = folder / "home"
        home.mkdir()
        foreign = [name for name in os.environ if name.startswith(_FOREIGN)]
        self._environment = {name: value for name, value in os.environ.items() if name not in foreign}
        self._environment.update(HOME=str(home), USERPROFILE=str(home), GIT_CONFIG_NOSYSTEM="1", COLUMNS="110")
        (home / ".gitconfig").write_text("[user]\n\tname = A Person\n\temail = person@example.com\n", encoding="utf-8")
        self.git("init", "--quiet", "--initial-branch=main")

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")

    def read(self, name: str) -> str:
        return (self.root / name).read_text(encoding="utf-8")

    def append(self, name: str, line: str) -> None:
        """Add a line to a table at the end of a file, as a person does in an editor."""
        self.write(name, self.read(name) + line + "\n")

    def row(self, name: str, row_id: str) -> dict[str, str]:
        """The cells of a row by column, as they are in the file; the header is the line above the dashes."""
        lines = [line for line in self.read(name).split("\n") if line.startswith("|")]
        for number, line in enumerate(lines):
            if row_id in line.split("|")[1] and "---" not in line and number:
                start = max(n for n, above in enumerate(lines[:number]) if above.startswith("| ---"))
                return dict(zip(_cells(lines[start - 1]), _cells(line), strict=True))
        raise NotAsTold(f"{name} has no row {row_id}")

    def commit(self, message: str) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)

    def diff(self, *names: str) -> list[str]:
        """The changed lines of these files since the last commit, with `-` and `+` in front."""
        lines = self.git("diff", "--no-color", "--unified=0", "--", *names).split("\n")
        return [line for line in lines if line[:1] in ("+", "-") and line[:3] not in ("+++", "---")]

    def new_ledger_lines(self) -> list[str]:
        """Return the rows of the ledger's files that are not committed yet."""
        names = self.git("ls-files", "--others", "--exclude-standard", "docs/gatilhos/ledger").split()
        return [line for name in names for line in self.read(name).split("\n")[2:] if line.startswith("|")]

    def git(self, *arguments: str) -> str:
        return self._run(["git", *arguments])

    def gatilho(self, *arguments: str) -> str:
        """Run the command line."""
        return self._run([sys.executable, "-m", "gatilho", *arguments])

    def dispatch(self, event: dict[str, Any]) -> dict[str, Any]:
        """Start the dispatcher that `init` put there with one event, as a host does: its answer, {} for silence."""
        command = [sys.executable, "-I", "-S", "scripts/gatilho.py", "--host", "claude"]
        out = self._run(command, json.dumps(event))
        return dict(json.loads(out)) if out else {}

    def _run(self, command: list[str], given: str = "") -> str:
        done = subprocess.run(
            command, cwd=self.root, env=self._environment, input=given.encode(), capture_output=True, timeout=_PATIENCE
        )
        said = done.stderr.decode(errors="replace")
        expect(not done.returncode, f"{' '.join(command)} exits {done.returncode}: {said}")
        return done.stdout.decode()


class Answer:
    """What the dispatcher said on one event."""

    def __init__(self, said: dict[str, Any]) -> None:
        specific = said.get("hookSpecificOutput", {})
        self.agent: str = specific.get("additionalContext", "")
        self.person: str = said.get("systemMessage", "")
        self.decision: str = specific.get("permissionDecision", "")
        self.reason: str = specific.get("permissionDecisionReason", "")

    @property
    def silent(self) -> bool:
        return not (self.agent or self.person or self.decision)


class Session:
    """A session of an agent in the project; its tool calls really happen, unless they are stopped."""

    def __init__(self, project: Project, number: int, mode: str = "acceptEdits") -> None:
        self.project = project
        self.id = f"session-{number}"
        self.mode = mode
        self._calls = 0

    def start(self) -> Answer:
        return self._event("SessionStart", source="startup")

    def prompt(self, text: str) -> Answer:
        return self._event("UserPromptSubmit", prompt=text)

    def read(self, name: str) -> Answer:
        """The agent reads a file: the answer after it."""
        return self._call("Read", {"file_path": str(self.project.root / name)}, lambda: None)[1]

    def edit(self, name: str, old: str, new: str) -> tuple[Answer, Answer | None]:
        """The agent edits a file: the answers before and after; None after an edit that was stopped."""
        expect(old in self.project.read(name), f"{name} holds {old!r}")
        given = {"file_path": str(self.project.root / name), "old_string": old, "new_string": new}
        before, after = self._call(
            "Edit", given, lambda: self.project.write(name, self.project.read(name).replace(old, new, 1))
        )
        return before, None if before.decision else after

    def close_turn(self) -> Answer:
        return self._event("Stop", stop_hook_active=False)

    def _call(self, tool: str, given: dict[str, str], work: Callable[[], None]) -> tuple[Answer, Answer]:
        self._calls += 1
        call = {"tool_name": tool, "tool_input": given, "tool_use_id": f"{self.id}-call-{self._calls}"}
        before = self._event("PreToolUse", **call)
        if before.decision:
            return before, Answer({})
        work()
        return before, self._event("PostToolUse", **call, tool_response={})

    def _event(self, name: str, **fields: Any) -> Answer:
        event = {
            "session_id": self.id, "cwd": str(self.project.root), "permission_mode": self.mode, "hook_event_name": name,
        }  # fmt: skip
        return Answer(self.project.dispatch({**event, **fields}))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.replace("\\|", "\0").strip().strip("|").split("|")]
