"""Claude Code as tests play it: its events, and whole turns in which the tool calls really happen."""

import copy
import itertools
import subprocess
import uuid
from typing import Any, NamedTuple

from builders import Answer, Repo, run_hook


class Session:
    """A Claude Code session: builds its events, with the ids that tie together a turn and the two ends of a call."""

    def __init__(self, repo: Repo, session_id: str = "", *, mode: str = "acceptEdits", cwd: str = "") -> None:
        self.repo = repo
        self.id = session_id or str(uuid.uuid4())
        self.mode = mode
        self.cwd = cwd or str(repo.root)
        self.prompt_id = ""
        self.agent_id = ""
        self.agent_type = ""
        self._calls = itertools.count(1)
        self._open: list[tuple[str, dict[str, Any], str]] = []

    def agent(self, agent_id: str, agent_type: str = "general-purpose") -> "Session":
        """The same session as one of its subagents sees it: same ids of session and turn, an agent id of its own."""
        other = copy.copy(self)
        other.agent_id = agent_id
        other.agent_type = agent_type
        other._open = []
        return other

    def session_start(self, source: str = "startup") -> dict[str, Any]:
        """source: startup, resume, clear or compact."""
        return self._event("SessionStart", source=source)

    def prompt(self, text: str = "please go on") -> dict[str, Any]:
        """A prompt of the person, which begins a turn."""
        self.prompt_id = str(uuid.uuid4())
        return self._event("UserPromptSubmit", permission_mode=self.mode, prompt=text)

    def pre(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Before a tool call."""
        call_id = f"toolu_{self.id[:8]}{self.agent_id}_{next(self._calls)}"
        self._open.append((tool, arguments, call_id))
        return self._call("PreToolUse", tool, arguments, call_id)

    def post(self, tool: str, response: object = None, **arguments: object) -> dict[str, Any]:
        """After a tool call; its id is that of the oldest open `pre` with the same tool and input, else a new one."""
        call_id = self._take(tool, arguments)
        answered = {} if response is None else response
        return self._call("PostToolUse", tool, arguments, call_id, tool_response=answered, duration_ms=3)

    def failed(self, tool: str, error: str = "Exit code 1", **arguments: object) -> dict[str, Any]:
        """After a tool call that failed; paired like `post`."""
        call_id = self._take(tool, arguments)
        return self._call("PostToolUseFailure", tool, arguments, call_id, error=error, is_interrupt=False)

    def stop(self, active: bool = False) -> dict[str, Any]:
        """The turn's close."""
        return self._event(
            "Stop", permission_mode=self.mode, stop_hook_active=active, last_assistant_message="done",
            background_tasks=[], session_crons=[],
        )  # fmt: skip

    def subagent_stop(self) -> dict[str, Any]:
        """The end of a subagent; `agent` gives the session that it belongs to."""
        return self._event("SubagentStop", permission_mode=self.mode, stop_hook_active=False)

    def pre_compact(self, trigger: str = "auto") -> dict[str, Any]:
        return self._event("PreCompact", trigger=trigger, custom_instructions=None)

    def session_end(self, reason: str = "other") -> dict[str, Any]:
        return self._event("SessionEnd", reason=reason)

    def _take(self, tool: str, arguments: dict[str, Any]) -> str:
        for index, (name, given, call_id) in enumerate(self._open):
            if (name, given) == (tool, arguments):
                del self._open[index]
                return call_id
        return f"toolu_{self.id[:8]}{self.agent_id}_{next(self._calls)}"

    def _call(self, name: str, tool: str, arguments: dict[str, Any], call_id: str, **fields: object) -> dict[str, Any]:
        return self._event(
            name, permission_mode=self.mode, tool_name=tool, tool_input=arguments, tool_use_id=call_id, **fields
        )

    def _event(self, name: str, **fields: object) -> dict[str, Any]:
        event: dict[str, Any] = {
            "session_id": self.id,
            "transcript_path": f"/home/u/.claude/projects/p/{self.id}.jsonl",
            "cwd": self.cwd,
        }
        if self.prompt_id:
            event["prompt_id"] = self.prompt_id
        if self.agent_id:
            event.update(agent_id=self.agent_id, agent_type=self.agent_type)
        return {**event, "hook_event_name": name, **fields}


class Action(NamedTuple):
    """One tool call of a turn; paths are relative to the repository."""

    tool: str
    arguments: dict[str, str]


def read(path: str) -> Action:
    return Action("Read", {"file_path": path})


def edit(path: str, old: str, new: str) -> Action:
    return Action("Edit", {"file_path": path, "old_string": old, "new_string": new})


def write(path: str, content: str) -> Action:
    return Action("Write", {"file_path": path, "content": content})


def bash(command: str) -> Action:
    return Action("Bash", {"command": command})


class Turn(NamedTuple):
    """The answers of one turn, in the order of its events, and the actions that were stopped."""

    answers: list[Answer]
    stopped: list[Action]

    @property
    def context(self) -> str:
        """All that the agent read from the hooks in the turn."""
        return "\n".join(answer.context for answer in self.answers if answer.context)

    @property
    def person(self) -> str:
        """All that the person was told in the turn."""
        return "\n".join(answer.person for answer in self.answers if answer.person)

    @property
    def reason(self) -> str:
        """All reasons that were given with a decision."""
        return "\n".join(answer.reason for answer in self.answers if answer.reason)


def turn(
    repo: Repo,
    *actions: Action,
    session: Session | None = None,
    text: str = "please go on",
    stop: bool = True,
    env: dict[str, str] | None = None,
) -> Turn:
    """Play a whole turn through the dispatcher: prompt, each action before and after it really happens, close.

    A new session, with its start, unless one is given. An action that the hook asks about or denies does not happen,
    as in a client that can ask nobody. stop=False leaves the turn open.
    """
    answers: list[Answer] = []
    stopped: list[Action] = []
    if session is None:
        session = Session(repo)
        answers.append(run_hook(session.session_start(), env=env))
    answers.append(run_hook(session.prompt(text), env=env))
    for action in actions:
        arguments = dict(action.arguments)
        if "file_path" in arguments:
            arguments["file_path"] = repo.path(arguments["file_path"])
        before = run_hook(session.pre(action.tool, **arguments), env=env)
        answers.append(before)
        if before.decision in ("ask", "deny"):
            stopped.append(action)
            continue
        fault = _happen(repo, action)
        after = session.failed(action.tool, fault, **arguments) if fault else session.post(action.tool, **arguments)
        answers.append(run_hook(after, env=env))
    if stop:
        answers.append(run_hook(session.stop(), env=env))
    return Turn(answers, stopped)


def _happen(repo: Repo, action: Action) -> str:
    """Carry an action out on the real files: "" or what went wrong."""
    given = action.arguments
    if action.tool == "Edit":
        before = repo.read(given["file_path"])
        assert given["old_string"] in before, f"{given['old_string']!r} is not in {given['file_path']}"
        repo.write(given["file_path"], before.replace(given["old_string"], given["new_string"], 1))
    elif action.tool == "Write":
        repo.write(given["file_path"], given["content"])
    elif action.tool == "Bash":
        done = subprocess.run(
            ["sh", "-c", given["command"]], cwd=repo.root, stdin=subprocess.DEVNULL, capture_output=True
        )
        return f"Exit code {done.returncode}" if done.returncode else ""
    return ""
