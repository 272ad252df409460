"""The module for OpenCode, loaded by Node, with its handlers called as OpenCode calls them."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from builders import Repo, row, run_cli

CALLS = """
import { Gatilho } from "MODULE"
const hooks = await Gatilho({ directory: process.cwd(), worktree: process.cwd() })
const call = { sessionID: "s-1", callID: "c-1", tool: "read" }
const found = {}
await hooks.event({ event: { type: "session.created", properties: { info: { id: "s-1" } } } })
const message = { message: { id: "m-1" }, parts: [{ type: "text", text: "go" }] }
await hooks["chat.message"]({ sessionID: "s-1" }, message)
found.prompt = message.parts[0].text
const result = { output: "text" }
await hooks["tool.execute.after"]({ ...call, args: { filePath: process.cwd() + "/src/a.py" } }, result)
found.after = result.output
try {
  const write = { ...call, tool: "write", callID: "c-2" }
  await hooks["tool.execute.before"](write, { args: { filePath: process.cwd() + "/src/a.py", content: "x" } })
} catch (fault) { found.denied = fault.message }
await hooks.event({ event: { type: "session.idle", properties: { sessionID: "s-1" } } })
console.log(JSON.stringify(found))
"""


def play(repo: Repo, folder: Path) -> dict[str, str]:
    """What the handlers did: the prompt with what was added, the output of a read, the refusal of a write."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node here, which loads the module")
    shutil.copy(repo.root / ".opencode/plugins/gatilho.js", folder / "module.mjs")
    (folder / "calls.mjs").write_text(CALLS.replace("MODULE", (folder / "module.mjs").as_uri()))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [node, str(folder / "calls.mjs")],
        cwd=repo.root, env={**os.environ, "PATH": path}, capture_output=True, encoding="utf-8", timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


def test_rows_reach_the_agent_and_a_due_debt_stops_the_write(repo: Repo, tmp_path: Path) -> None:
    assert run_cli("init", "--host", "opencode", cwd=repo.root).status == 0
    repo.write("src/a.py", "sleep(30)\n")
    repo.table(row("D-7f3k", r"path: ^src/a\.py$", "It sleeps.", paid_when=r"contains src/a.py \bbackoff\b", rides=3))
    found = play(repo, tmp_path)
    assert found["prompt"].startswith("go\n\nNotes kept in docs/gatilhos: 1 row in force")
    assert found["after"].startswith("text\nNotes kept in docs/gatilhos for src/a.py:\n- It sleeps. [D-7f3k")
    assert "D-7f3k" in found["denied"]


def test_where_the_hook_cannot_run_every_tool_does(repo: Repo, tmp_path: Path) -> None:
    assert run_cli("init", "--host", "opencode", cwd=repo.root).status == 0
    (repo.root / "scripts/gatilho.py").unlink()
    assert play(repo, tmp_path) == {"prompt": "go", "after": "text"}
