"""The server of the Model Context Protocol; the only user of its SDK.

Each tool is one call of the command line, as from an agent's shell, so that what is refused to an agent there is
refused here. What rows say is cleaned before the agent reads it.
"""

import asyncio
import json
import os
import subprocess
import sys
from typing import Any
from urllib.parse import quote

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from mcp.server.mcpserver.resources import ResourceSecurity
from mcp.types import Resource, ToolAnnotations

from gatilho import __version__
from gatilho.errors import ExitStatus
from gatilho.plain import for_agent

_INSTRUCTIONS = (
    "Rules and debts of this repository. Before you read or change a file, run a command or begin a task, ask `why` "
    "about it, and heed the notes. A debt is paid by making its condition true; only a person can settle it otherwise."
)
_ROW = "gatilho://rows/"
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
# Seconds for one call; the largest stores answer in a few.
_PATIENCE = 120
# What one answer holds: the rows come in their order, those that matter most first.
_MOST_ROWS = 30
_MOST_RESOURCES = 500


class _CommandLine:
    """The command line, called as an agent calls it in a shell."""

    def __init__(self, root: str) -> None:
        self._root = root

    def run(self, command: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run a command; raises ToolError for what no answer can be read from."""
        # No module of the repository may be taken for one of ours, whatever folder the server was started in.
        words = [sys.executable, "-P", "-m", "gatilho", command, f"--root={self._root}", *arguments]
        try:
            return subprocess.run(
                words, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace",
                timeout=_PATIENCE, env={**os.environ, "AI_AGENT": "1", "PYTHONIOENCODING": "utf-8"},
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise ToolError(f"The command {command} took longer than {_PATIENCE} seconds.") from None
        except ValueError as fault:  # a NUL, which no argument of a process can hold
            raise ToolError(str(fault)) from None

    def json(self, command: str, *arguments: str) -> dict[str, Any]:
        """Return what a command prints with `--json`, cleaned; raises ToolError with its message where it refuses."""
        done = self.run(command, "--json", *arguments)
        if not done.stdout.strip():
            raise ToolError(_refusal(done))
        found: dict[str, Any] = _cleaned(json.loads(done.stdout))
        return found


def _refusal(done: "subprocess.CompletedProcess[str]") -> str:
    return for_agent(done.stderr.strip().removeprefix("gatilho: ")) or "The command failed and gave no reason."


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return for_agent(value)
    if isinstance(value, list):
        return [_cleaned(one) for one in value]
    if isinstance(value, dict):
        return {for_agent(name): _cleaned(one) for name, one in value.items()}
    return value


def _bounded(found: dict[str, Any]) -> dict[str, Any]:
    """Return an answer with the first rows of each list, and how many are left off."""
    left_off = {name: len(rows) - _MOST_ROWS for name, rows in found.items() if isinstance(rows, list)}
    left_off = {name: number for name, number in left_off.items() if number > 0}
    return {
        **found,
        **{name: found[name][:_MOST_ROWS] for name in left_off},
        **({"left_off": left_off} if left_off else {}),
    }


class _Server(MCPServer[Any]):
    """A server whose resources are the rows in force at the moment."""

    def __init__(self, command_line: _CommandLine) -> None:
        super().__init__("gatilho", version=__version__, instructions=_INSTRUCTIONS, log_level="ERROR")
        self._command_line = command_line

    async def list_resources(self) -> list[Resource]:
        """Return the first rows in force, due debts first; any other is read by its id."""
        return [
            Resource(
                uri=_ROW + quote(row["id"], safe=""),
                name=row["id"],
                description=row["note"],
                mime_type="application/json",
            )
            for row in (await asyncio.to_thread(self._command_line.json, "list"))["rows"][:_MOST_RESOURCES]
        ]


def server_of(root: str, may_write: bool) -> MCPServer[Any]:
    """Return the server of one repository, with the tools that write only where they are wanted."""
    command_line = _CommandLine(root)
    server = _Server(command_line)
    _add_reading(server, command_line)
    if may_write:
        _add_adding(server, command_line)
        _add_remembering(server, command_line)
    return server


def _add_reading(server: MCPServer[Any], command_line: _CommandLine) -> None:
    @server.tool(annotations=_READS)
    def why(paths: list[str] | None = None, command: str = "", prompt: str = "") -> dict[str, Any]:
        """Show which rules and debts speak when these paths are read or written, the command runs or the prompt is
        given. Paths are relative to the root of the repository; they need not exist.
        """
        if not (paths or command or prompt):
            raise ToolError("Name a path, a command or a prompt.")
        asked = [f"--command={command}"] if command else []
        asked += [f"--prompt={prompt}"] if prompt else []
        return _bounded(command_line.json("why", *asked, "--", *(paths or [])))

    @server.tool(annotations=_READS)
    def due() -> dict[str, Any]:
        """List the debts that are due: pay them, or ask the owner, before you write to their files."""
        return _bounded(command_line.json("list", "--due"))

    @server.resource(
        _ROW + "{id}", mime_type="application/json", security=ResourceSecurity(exempt_params=frozenset({"id"}))
    )
    def row(id: str) -> str:
        """Return one row: its note, triggers, conditions and whether they hold now, its rides and its life."""
        try:
            return json.dumps(command_line.json("show", "--", id), ensure_ascii=False)
        except ToolError as fault:
            raise ResourceNotFoundError(str(fault)) from None


def _add_adding(server: MCPServer[Any], command_line: _CommandLine) -> None:
    @server.tool(annotations=_WRITES)
    def add(
        note: str,
        triggers: list[str],
        paid_when: list[str] | None = None,
        lifecycle: str = "",
        kind: str = "none",
        key: str = "",
        update: str = "",
        examples: list[str] | None = None,
        dry_run: bool = False,
    ) -> dict[str, Any]:
        """Add a rule, or a debt with the conditions that pay it. The row is checked first; where `written` is false,
        `problems` and `relatives` say why.

        Args:
            note: one sentence that an agent reads when the row speaks.
            triggers: what makes it speak, such as `path: ^src/a\\.py$`, `glob: docs/**`, `cmd: \\bnpm publish\\b`.
            paid_when: what pays a debt, such as `lacks src/a.py time\\.sleep`; files only.
            lifecycle: "rule" or "debt"; a debt where there is a condition.
            kind: a kind of the configuration, or "none".
            key: what a rule is about; two rows with one key contradict each other.
            update: the id of a row to change instead.
            examples: what the triggers match and what not, such as `yes: src/a.py`, `no: docs/a.md`.
            dry_run: show what would be written.
        """
        given = [f"--note={note}", f"--kind={kind}", f"--key={key}", f"--update={update}"]
        given += [f"--trigger={one}" for one in triggers]
        given += [f"--paid-when={one}" for one in paid_when or ()]
        given += [f"--example={one}" for one in examples or ()]
        given += [f"--lifecycle={lifecycle}"] if lifecycle else []
        return command_line.json("add", *given, *(["--dry-run"] if dry_run else []))


def _add_remembering(server: MCPServer[Any], command_line: _CommandLine) -> None:
    @server.tool(annotations=_WRITES)
    def remember(fact: str, session: str) -> str:
        """Count a correction that the user made, as `KEY: VALUE`, once for each session. After corrections in several
        sessions it shows the edit that makes them unnecessary, which a person applies.
        """
        done = command_line.run("remember", f"--session={session}", "--", fact)
        if done.returncode not in (ExitStatus.FINE, ExitStatus.NEEDS_A_PERSON) or not done.stdout.strip():
            raise ToolError(_refusal(done))
        return for_agent(done.stdout.strip())


def serve_agent(root: str, may_write: bool) -> None:
    """Answer an agent over standard input and output until it ends."""
    server_of(root, may_write).run("stdio")
