"""The modules for OpenCode and Amp, loaded by Node, with their handlers called as each host calls them."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from builders import Repo, row, run_cli

from gatilho.hosts import host_named

OPENCODE = """
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

AMP = """
import register from "MODULE"
const on = {}, shown = [], found = {}
register({
  on: (event, handler) => { on[event] = handler },
  system: { workspaceRoot: "file://" + process.cwd() },
  helpers: { filePathFromURI: (uri) => uri.slice(7) },
})
const ctx = { ui: { notify: (text) => shown.push(text), confirm: ({ message }) => { found.asked = message; return YES } } }
const thread = { id: "T-1" }
const path = process.cwd() + "/src/a.py"
await on["session.start"]({ thread }, ctx)
const begun = await on["agent.start"]({ thread, id: "m-1", message: "go" }, ctx)
found.prompt = begun?.message.content ?? ""
const read = { thread, toolUseID: "c-1", tool: "Read", input: { path }, status: "done", output: "text" }
found.after = (await on["tool.result"](read, ctx))?.output ?? "text"
const write = { thread, toolUseID: "c-2", tool: "create_file", input: { path, content: "x" } }
const decided = await on["tool.call"](write, ctx)
found.action = decided.action
if (decided.message) found.denied = decided.message
await on["agent.end"]({ thread, id: "m-1", status: "done", messages: [] }, ctx)
console.log(JSON.stringify(found))
"""


def play(repo: Repo, folder: Path, file: str, calls: str) -> dict[str, str]:
    """What the handlers did: the prompt with what was added, the output of a read, the refusal of a write."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node here, which loads the module")
    shutil.copy(repo.root / file, folder / "module.mjs")
    (folder / "calls.mjs").write_text(calls.replace("MODULE", (folder / "module.mjs").as_uri()))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [node, str(folder / "calls.mjs")],
        cwd=repo.root, env={**os.environ, "PATH": path}, capture_output=True, encoding="utf-8", timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


def install(repo: Repo, host: str) -> str:
    """Register with a host in a repository with a due debt; the module's file."""
    assert run_cli("init", "--host", host, cwd=repo.root).status == 0
    repo.write("src/a.py", "sleep(30)\n")
    repo.table(row("D-7f3k", r"path: ^src/a\.py$", "It sleeps.", paid_when=r"contains src/a.py \bbackoff\b", rides=3))
    return host_named(host).settings.shared


def test_on_opencode_rows_reach_the_agent_and_a_due_debt_stops_the_write(repo: Repo, tmp_path: Path) -> None:
    found = play(repo, tmp_path, install(repo, "opencode"), OPENCODE)
    assert found["prompt"].startswith("go\n\nNotes kept in docs/gatilhos: 1 row in force")
    assert found["after"].startswith("text\nNotes kept in docs/gatilhos for src/a.py:\n- It sleeps. [D-7f3k")
    assert "D-7f3k" in found["denied"]


@pytest.mark.parametrize("agrees", [True, False], ids=["yes", "no"])
def test_on_amp_rows_reach_the_agent_and_a_person_is_asked_of_a_due_debt(
    repo: Repo, tmp_path: Path, agrees: bool
) -> None:
    found = play(repo, tmp_path, install(repo, "amp"), AMP.replace("YES", "true" if agrees else "false"))
    assert found["prompt"].startswith("Notes kept in docs/gatilhos: 1 row in force")
    assert found["after"].startswith("text\nNotes kept in docs/gatilhos for src/a.py:\n- It sleeps. [D-7f3k")
    assert "D-7f3k" in found["asked"]
    assert (found["action"], "denied" in found) == (("allow", False) if agrees else ("reject-and-continue", True))


@pytest.mark.parametrize(
    ("host", "calls", "left"),
    [
        ("opencode", OPENCODE, {"prompt": "go", "after": "text"}),
        ("amp", AMP.replace("YES", "false"), {"prompt": "", "after": "text", "action": "allow"}),
    ],
)
def test_where_the_hook_cannot_run_every_tool_does(
    repo: Repo, tmp_path: Path, host: str, calls: str, left: dict[str, str]
) -> None:
    file = install(repo, host)
    (repo.root / "scripts/gatilho.py").unlink()
    assert play(repo, tmp_path, file, calls) == left
