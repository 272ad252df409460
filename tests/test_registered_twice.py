"""An event that arrives more than once, by the project's file, the person's, and that of another host: answered once."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from builders import Repo, row, run_cli
from ladder_steps import settle

from gatilho import hook
from gatilho.hosts import host_named
from gatilho.hosts.event import AFTER, BEFORE, SESSION_START, TURN_CLOSE
from gatilho.ladder import event_context
from gatilho.setup import registration
from gatilho.setup.dispatcher import installed

PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
# What each host sends beside the event, and the other host whose file it reads.
HOSTS = {
    "claude": ({"permission_mode": "default", "transcript_path": "/t"}, ""),
    "codex": ({"permission_mode": "default", "turn_id": "t-1", "model": "m"}, ""),
    "copilot": ({"timestamp": "2026-11-29T21:32:05Z"}, "claude"),
    "gemini": ({"timestamp": "2026-11-29T21:32:05Z", "transcript_path": "/t"}, ""),
    "qwen": ({"timestamp": "2026-11-29T21:32:05Z", "permission_mode": "default", "transcript_path": "/t"}, ""),
}


def commands_of(name: str) -> list[str]:
    """The lines that a host finds: of the project, the person, a plugin, and of a host whose file it reads, too."""
    host, other = host_named(name), HOSTS[name][1]
    lines = [registration.shared_command(host), registration.private_command(host, sys.executable, installed())]
    lines.append(registration.with_exit(host, "gatilho hook"))
    return [*lines, registration.shared_command(host_named(other))] if other else lines


def deliver(repo: Repo, name: str, event: dict[str, Any]) -> list[dict[str, Any]]:
    """Send one event to all commands at once, as hosts do; the answers that say something."""
    data = json.dumps({**event, "session_id": "s-1", "cwd": str(repo.root), **HOSTS[name][0]}).encode()
    running = [
        subprocess.Popen(
            ["sh", "-c", command], cwd=repo.root, env={**os.environ, "PATH": PATH},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for command in commands_of(name)
    ]  # fmt: skip
    for process in running:
        assert process.stdin
        process.stdin.write(data)
        process.stdin.close()
        process.stdin = None
    ended = [process.communicate(timeout=120) for process in running]
    assert [errors for _, errors in ended if errors] == []
    return [json.loads(said) for said, _ in ended if said.strip()]


def test_copies_of_a_start_are_answered_once_whichever_is_first(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process that began later may answer first, and the clock may have begun another ten seconds between them."""
    repo.table(row("R-1", "start", "Be kind."))
    event = {"hook_event_name": "SessionStart", "session_id": "s-1", "cwd": str(repo.root), "source": "startup"}
    said = []
    for clock in (1_796_000_010.1, 1_796_000_009.9):
        monkeypatch.setattr(event_context, "time", SimpleNamespace(time=lambda clock=clock: clock))
        said.append(hook.respond(json.dumps(event).encode(), "claude")[0])
    assert ["Be kind." in text for text in said] == [True, False]


@pytest.mark.parametrize("name", sorted(HOSTS))
def test_an_event_that_arrives_by_every_registration_is_answered_once(repo: Repo, name: str) -> None:
    assert run_cli("init", "--host", "claude", cwd=repo.root).status == 0
    repo.write("src/a.py", "sleep(30)\n")
    repo.table(row("D-7f3k", r"path: ^src/a\.py$", "It sleeps.", paid_when=r"contains src/a.py \bbackoff\b", rides=2))
    host = host_named(name)
    before, after, close = (host.event_of(kind) for kind in (BEFORE, AFTER, TURN_CLOSE))
    tool = "apply_patch" if name == "codex" else "Write" if name in ("claude", "copilot") else "write_file"
    content: dict[str, Any] = {"file_path": repo.path("src/a.py"), "content": "sleep(60)\n"}
    if name == "codex":
        content = {"command": "*** Begin Patch\n*** Update File: src/a.py\n@@\n-sleep(30)\n+sleep(60)\n*** End Patch"}
    call = {"tool_name": tool, "tool_use_id": "c-1", "tool_input": content}

    def events(kind: str, **fields: Any) -> list[dict[str, Any]]:
        return deliver(repo, name, {"hook_event_name": kind, **fields})

    assert len(events(host.event_of(SESSION_START), source="startup")) == 1
    assert events(before, **call) == []
    repo.write("src/a.py", "sleep(60)\n")
    (said,) = events(after, **call, tool_response={})
    # Where a client reads the text in one of two places, both have the same one.
    texts = {said.get("additionalContext"), said.get("hookSpecificOutput", {}).get("additionalContext")} - {None}
    assert [text.count("It sleeps.") for text in texts] == [1]
    events(close)
    settle(repo)
    assert repo.rides("D-7f3k") == 3
    assert len(repo.ledger("charged")) == 1

    again = {**call, "tool_use_id": "c-2"}
    decisions = events(before, **again)
    assert decisions
    assert all("D-7f3k" in json.dumps(said) for said in decisions)
    events(close)
    settle(repo)
    assert len(repo.ledger("asked")) == 1
