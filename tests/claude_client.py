"""The real Claude Code, run without a terminal against a stub model, in a home of its own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from builders import CHECKOUT
from stub_model import StubModel

INSTALLED = CHECKOUT / ".cache" / "claude-code" / "node_modules" / ".bin" / "claude"
ABSENT = (
    "no Claude Code here: neither in $GATILHO_CLAUDE nor on PATH; to install it for the tests only: "
    "npm install --prefix .cache/claude-code @anthropic-ai/claude-code"
)
PATIENCE = 300  # seconds until the client counts as hung


def find() -> Path | None:
    """The client: what $GATILHO_CLAUDE names, else the one that .ci/run installs, else the one on PATH, else None."""
    named = os.environ.get("GATILHO_CLAUDE", "")
    if named:
        return Path(named)
    if INSTALLED.exists():
        return INSTALLED
    on_path = shutil.which("claude")
    return Path(on_path) if on_path else None


class HookRun(NamedTuple):
    """One run of a hook, as the client reports it. name: the event, with the tool or the source behind a colon."""

    name: str
    status: int
    stdout: str
    stderr: str


class Reply(NamedTuple):
    """What one run of the client left behind. denied: the tool calls that it did not let happen."""

    status: int
    session_id: str
    result: str
    denied: list[dict[str, Any]]
    hooks: list[HookRun]
    stderr: str

    @property
    def person(self) -> str:
        """All that the hooks said to the person."""
        answers = [json.loads(run.stdout) for run in self.hooks if run.stdout.strip().startswith("{")]
        return "\n".join(answer["systemMessage"] for answer in answers if "systemMessage" in answer)


class ClaudeCode:
    """The client in one repository; `model` is what answers it."""

    def __init__(self, program: Path, root: Path, home: Path, model: StubModel) -> None:
        self.program = program
        self.root = root
        self.home = home
        self.model = model
        home.mkdir(parents=True, exist_ok=True)

    def run(self, prompt: str, *steps: list[dict[str, Any]], resume: str = "", mode: str = "acceptEdits") -> Reply:
        """Run one turn of a new session, or of the session `resume`, in which the model takes these steps."""
        self.model.script(*steps)
        command = [str(self.program), "-p", prompt, "--permission-mode", mode, "--allowedTools", "Bash"]
        command += ["--output-format", "stream-json", "--verbose", "--include-hook-events"]
        command += ["--resume", resume] if resume else []
        done = subprocess.run(
            command,
            cwd=self.root,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE,
        )
        return _reply(done)

    def environment(self) -> dict[str, str]:
        """Nothing of the surroundings but what the tests set for git, and the interpreter that has the package."""
        kept = {name: value for name, value in os.environ.items() if name.startswith("GIT_") or name == "LC_ALL"}
        return {
            **kept,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.home),
            "ANTHROPIC_BASE_URL": self.model.url,
            "ANTHROPIC_API_KEY": "stub",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
        }


def _reply(done: subprocess.CompletedProcess[bytes]) -> Reply:
    messages = [json.loads(line) for line in done.stdout.decode().split("\n") if line.strip()]
    results = [message for message in messages if message["type"] == "result"]
    assert results, f"the client gave no result: {done.stdout.decode()} {done.stderr.decode()}"
    hooks = [
        HookRun(message["hook_name"], message["exit_code"], message["stdout"], message["stderr"])
        for message in messages
        if message.get("subtype") == "hook_response"
    ]
    return Reply(
        done.returncode,
        results[-1]["session_id"],
        results[-1].get("result", ""),
        results[-1].get("permission_denials", []),
        hooks,
        done.stderr.decode(),
    )
