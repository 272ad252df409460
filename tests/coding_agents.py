"""The coding agents besides Claude Code, each run without a terminal against a stub model, in a home of its own."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from builders import CHECKOUT
from stub_model import StubModel, call, patch, say

INSIDE = "look at the test for me"
PATIENCE = 300  # seconds until a client counts as hung

Step = list[dict[str, Any]]


class Client(NamedTuple):
    """How one client is started, and what its tools are called.

    host: its name in the program's records. package: for npm, of the version that is tested. home: writes what the
    person's own folder holds before the first start, trust in the repository included. environment: for a model's
    address. command: for a prompt, of a new session or of the last one. read, edit, shell: the steps of the model that
    read a file, change a text in it, and run a command. delegate: those that give a task to a subagent and wait for it.
    report: the last step of a subagent. inside: what only the conversation of a subagent holds.
    repeats: how many requests repeat the last result of a tool, for the summary of a compaction.
    """

    host: str
    package: str
    program: str
    home: Callable[[Path, Path, str], None]
    environment: Callable[[str], dict[str, str]]
    command: Callable[[str, bool], list[str]]
    read: Callable[[str], Step]
    edit: Callable[[str, str, str], Step]
    shell: Callable[[str], Step]
    delegate: tuple[Step, ...]
    report: Step = say("seen")
    inside: str = INSIDE
    no_compaction: str = ""
    repeats: int = 0

    @property
    def folder(self) -> Path:
        """Where .ci/run installs it."""
        return CHECKOUT / ".cache" / self.host / "node_modules" / ".bin"

    @property
    def path(self) -> Path | None:
        """The program: the one that .ci/run installs, else the one on PATH, else None."""
        if (self.folder / self.program).exists():
            return self.folder / self.program
        on_path = shutil.which(self.program)
        return Path(on_path) if on_path else None

    @property
    def absent(self) -> str:
        return f"no {self.program} here; to install it for the tests only: npm install --prefix .cache/{self.host} {self.package}"


class Agent:
    """A client in one repository; `model` is what answers it."""

    def __init__(self, client: Client, root: Path, home: Path, model: StubModel) -> None:
        self.client = client
        self.root = root
        self.home = home
        self.model = model
        home.mkdir(parents=True, exist_ok=True)
        client.home(home, root, model.url)

    def run(
        self,
        *steps: Step,
        prompt: str = "go on",
        resume: bool = False,
        folder: str = ".",
        inside: tuple[Step, ...] = (),
        tokens: tuple[int, ...] = (10,),
    ) -> str:
        """Run one turn of a new session, or of the last one, in which the model takes these steps; what was printed.

        inside: the steps of a subagent. tokens: how long the conversation is said to be
        by each answer, the last one again and again.
        """
        self.model.script(*steps)
        self.model.script_inside(self.client.inside, *inside)
        self.model.tokens = list(tokens)
        assert self.client.path
        done = subprocess.run(
            [str(self.client.path), *self.client.command(prompt, resume)],
            cwd=self.root / folder,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE,
        )
        printed = done.stdout.decode() + done.stderr.decode()
        assert done.returncode == 0, printed
        return printed

    def environment(self) -> dict[str, str]:
        """Nothing of the surroundings but what the tests set for git, and the interpreter that has the package."""
        kept = {name: value for name, value in os.environ.items() if name.startswith("GIT_") or name == "LC_ALL"}
        path = [str(self.client.folder), str(Path(sys.executable).parent), os.environ["PATH"]]
        return {
            **kept,
            "PATH": os.pathsep.join(path),
            "HOME": str(self.home),
            **self.client.environment(self.model.url),
        }


def write(home: Path, name: str, text: str) -> None:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


# Codex


def _codex_home(home: Path, root: Path, url: str) -> None:
    provider = f'name = "stub"\nbase_url = "{url}/v1"\nwire_api = "responses"\nenv_key = "STUB_KEY"\n'
    write(
        home,
        ".codex/config.toml",
        'model = "gpt-5.5"\nmodel_provider = "stub"\nmodel_auto_compact_token_limit = 50000\n'
        "features.multi_agent_v2 = true\n"
        f'[model_providers.stub]\n{provider}[projects."{root}"]\ntrust_level = "trusted"\n',
    )


def _codex_command(prompt: str, resume: bool) -> list[str]:
    options = ["--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox"]
    return ["exec", *options, *(["resume", "--last"] if resume else []), prompt]


CODEX = Client(
    host="codex",
    package="@openai/codex@0.171.0",
    program="codex",
    home=_codex_home,
    environment=lambda url: {"STUB_KEY": "stub"},
    command=_codex_command,
    read=lambda path: call("exec_command", cmd=f"cat {path}"),
    edit=lambda path, old, new: patch(f"*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{new}\n*** End Patch\n"),
    shell=lambda command: call("exec_command", cmd=command),
    # The task itself comes encrypted.
    delegate=(
        call("spawn_agent", "collaboration", task_name="look", message=INSIDE),
        call("wait_agent", "collaboration", timeout_ms=PATIENCE * 500),
    ),
    inside="Task name: /root/look",
)

# Gemini CLI

GEMINI_SETTINGS = {"security": {"auth": {"selectedType": "gemini-api-key"}}}


def _gemini_home(home: Path, root: Path, url: str) -> None:
    write(home, ".gemini/settings.json", json.dumps(GEMINI_SETTINGS))
    write(home, ".gemini/trustedFolders.json", json.dumps({str(root.parent): "TRUST_FOLDER"}))


GEMINI = Client(
    host="gemini",
    package="@google/gemini-cli@0.61.0",
    program="gemini",
    home=_gemini_home,
    environment=lambda url: {"GEMINI_API_KEY": "stub", "GOOGLE_GEMINI_BASE_URL": url},
    command=lambda prompt, resume: [
        "-m", "gemini-2.5-pro", "--approval-mode", "yolo", *(["--resume", "latest"] if resume else []), "-p", prompt,
    ],
    read=lambda path: call("read_file", file_path=path),
    edit=lambda path, old, new: call("replace", file_path=path, instruction="go on", old_string=old, new_string=new),
    shell=lambda command: call("run_shell_command", command=command, description="go on"),
    delegate=(call("invoke_agent", agent_name="generalist", prompt=INSIDE),),
    report=call("complete_task", result={"response": "seen"}),
    no_compaction="no event reports one: PreCompress comes before every request, and a note is said once in a session",
)  # fmt: skip

# Copilot CLI

COPILOT = Client(
    host="copilot",
    package="@github/copilot@1.0.102",
    program="copilot",
    home=lambda home, root, url: write(
        home, ".copilot/config.json", json.dumps({"trustedFolders": [str(root.parent)]})
    ),
    environment=lambda url: {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": url,
        "COPILOT_PROVIDER_TYPE": "anthropic",
        "COPILOT_PROVIDER_API_KEY": "stub",
        "COPILOT_MODEL": "claude-sonnet-4",
        "COPILOT_AUTO_UPDATE": "false",
    },
    command=lambda prompt, resume: [
        *(["--continue"] if resume else []), "-p", prompt, "--allow-all-tools", "--allow-all-paths",
    ],
    read=lambda path: call("view", path=path),
    edit=lambda path, old, new: call("edit", path=path, old_str=old, new_str=new),
    shell=lambda command: call("bash", command=command, description="go on"),
    delegate=(
        call("task", name="look", description="look", prompt=INSIDE, agent_type="general-purpose", mode="sync"),
    ),
    no_compaction="no session start follows one, and its event takes no answer: a note is said once in a session",
)  # fmt: skip

# OpenCode


def _opencode_environment(url: str) -> dict[str, str]:
    provider = {
        "npm": "@ai-sdk/anthropic",
        "options": {"baseURL": f"{url}/v1", "apiKey": "stub"},
        "models": {"m": {"limit": {"context": 100_000, "output": 8_000}}},
    }
    settings = {"provider": {"stub": provider}, "model": "stub/m", "small_model": "stub/m"}
    return {
        "OPENCODE_CONFIG_CONTENT": json.dumps(settings),
        # At each start it installs a package for its modules' types; from nowhere, so that no network is waited for.
        "npm_config_registry": "http://127.0.0.1:9",
        "npm_config_fetch_retries": "0",
        **{f"OPENCODE_DISABLE_{what}": "1" for what in ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD")},
    }


OPENCODE = Client(
    host="opencode",
    package="opencode-ai@1.18.33",
    program="opencode",
    home=lambda home, root, url: None,
    environment=_opencode_environment,
    command=lambda prompt, resume: ["run", *(["--continue"] if resume else []), prompt],
    read=lambda path: call("read", filePath=path),
    edit=lambda path, old, new: call("edit", filePath=path, oldString=old, newString=new),
    shell=lambda command: call("bash", command=command, description="go on"),
    delegate=(call("task", description="look", prompt=INSIDE, subagent_type="general"),),
)

# Qwen Code

QWEN_SETTINGS = {
    "security": {"auth": {"selectedType": "anthropic"}},
    "privacy": {"usageStatisticsEnabled": False},
    "model": {"generationConfig": {"contextWindowSize": 125_000}},
}

QWEN = Client(
    host="qwen",
    package="@qwen-code/qwen-code@0.24.4",
    program="qwen",
    home=lambda home, root, url: write(home, ".qwen/settings.json", json.dumps(QWEN_SETTINGS)),
    environment=lambda url: {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "stub", "ANTHROPIC_MODEL": "m"},
    command=lambda prompt, resume: [
        "--auth-type", "anthropic", "-m", "m", "--approval-mode", "yolo",
        *(["--continue"] if resume else []), "-p", prompt,
    ],
    read=lambda path: call("read_file", file_path=path),
    edit=lambda path, old, new: call("edit", file_path=path, old_string=old, new_string=new),
    shell=lambda command: call("run_shell_command", command=command, description="go on", is_background=False),
    delegate=(
        call(
            "agent", description="look", prompt=INSIDE, subagent_type="general-purpose", run_in_background=False,
        ),
    ),
    repeats=1,
)  # fmt: skip

CLIENTS = {client.host: client for client in (CODEX, GEMINI, COPILOT, OPENCODE, QWEN)}
