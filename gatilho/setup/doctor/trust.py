"""Whether a host trusts what is registered with it, where it can be asked or says so in a file of its own."""

import json
import os
import re
import shutil
import tomllib
from collections.abc import Iterator
from typing import Any

from gatilho import bounded
from gatilho.setup import jsontext
from gatilho.setup.doctor.finding import NOTE, OK, WRONG, Finding
from gatilho.setup.doctor.probe import ask_server
from gatilho.setup.doctor.registrations import PART, PRIVATE, PROJECT, Registered

_TRUSTED = "trusted"
_ASKED = (
    {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "gatilho", "version": "1"}}},
    {"method": "initialized"},
)


def trust_findings(root: str, found: list[Registered]) -> Iterator[Finding]:
    """Yield what each host says of its trust in the hooks of this repository; nothing where it says nothing."""
    by_host: dict[str, list[Registered]] = {}
    for one in found:
        by_host.setdefault(one.host.name, []).append(one)
    for name, files in by_host.items():
        in_project = any(one.origin in (PROJECT, PRIVATE) for one in files)
        if name == "codex":
            yield from _of_codex(root, files, in_project)
        elif in_project and name in _FOLDERS:
            says = _FOLDERS[name](root)
            if says is True:
                yield Finding(PART, OK, f"{files[0].host.title} trusts this folder")
            elif says is False:
                text = f"{files[0].host.title} does not trust this folder yet, and runs no hooks of it until it does"
                text += "; `claude -p` does not ask, and runs them" if name == "claude" else ""
                yield Finding(PART, NOTE, text, f"in {files[0].host.title}: {files[0].host.step}")


def _of_codex(root: str, files: list[Registered], in_project: bool) -> Iterator[Finding]:
    config = _codex_config()
    if value_below(config, "features", "hooks") is False:
        text = "`hooks = false` in Codex' `[features]` keeps it from calling any hook"
        yield Finding(PART, WRONG, text, "take it out of its config.toml")
    if in_project and config is not None:
        level = value_below(config, "projects", os.path.realpath(root)) or value_below(config, "projects", root)
        if value_below(level, "trust_level") != _TRUSTED:
            yield Finding(PART, NOTE, "Codex does not trust this project, and runs none of its hooks",
                          "start `codex` here and trust the project")  # fmt: skip
    asked = _asked_codex(root)
    for one in files:
        path = os.path.realpath(f"{one.root}/{one.name}").replace("\\", "/")
        states = [_state(asked, config, path, handler.event, handler.group, handler.place) for handler in one.handlers]
        off = sum(state is False for state in states)
        if off:
            text = f"Codex runs {len(states) - off} of the {len(states)} hooks of {one.file}: the others await review"
            yield Finding(PART, NOTE, text, "start `codex`, and look them through with `/hooks`")
        elif states and all(states):
            by = "has reviewed" if asked is None else "trusts"
            yield Finding(PART, OK, f"Codex {by} the {len(states)} hooks of {one.file}")


def _state(
    asked: dict[str, str] | None, config: dict[str, Any] | None, path: str, event: str, group: int, place: int
) -> bool | None:
    """Return whether Codex runs a hook, None where nothing is known: as it says, else as it has noted."""
    noted = value_below(config, "hooks", "state")
    known = asked if asked is not None else noted if isinstance(noted, dict) else {} if config is not None else None
    if known is None:
        return None
    for key, value in known.items():
        # A key is `FILE:EVENT:GROUP:PLACE`; the path goes first, for it may hold colons itself.
        file, _, rest = key.rpartition(path)
        named = re.fullmatch(r":([\w-]+):(\d+):(\d+)", rest) if not file else None
        if named and _plain(named[1]) == _plain(event) and (int(named[2]), int(named[3])) == (group, place):
            return value == _TRUSTED if isinstance(value, str) else True
    return False


def _plain(event: str) -> str:
    return re.sub(r"[^a-z]", "", event.lower())


def _asked_codex(root: str) -> dict[str, str] | None:
    """Return what Codex says of each hook by its key, None where it cannot be asked."""
    if not shutil.which("codex"):
        return None
    answer = codex_says({"id": 2, "method": "hooks/list", "params": {"cwds": [root]}}, root)
    found: dict[str, str] = {}
    _collect(answer, found)
    return None if answer is None else found


def codex_says(question: dict[str, Any], root: str) -> Any:
    """Return the result that Codex' server gives for a question, None where there is none in time."""
    data = b"".join(json.dumps(line).encode() + b"\n" for line in (*_ASKED, question))
    said = ask_server(["codex", "app-server"], data, lambda line: _answer(line, question), root)
    return said.get("result") if said else None


def _answer(line: bytes, question: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to a question in a line of the server, empty where it is another."""
    try:
        said = json.loads(line)
    except ValueError:
        return {}
    return said if isinstance(said, dict) and said.get("id") == question["id"] else {}


def _collect(value: Any, found: dict[str, str]) -> None:
    """Note the trust of each hook in an answer, wherever it is in it."""
    if isinstance(value, dict):
        if isinstance(value.get("key"), str) and "trustStatus" in value:
            found[value["key"]] = str(value["trustStatus"]) if value.get("enabled", True) else "disabled"
        for one in value.values():
            _collect(one, found)
    for one in value if isinstance(value, list) else ():
        _collect(one, found)


def _codex_config() -> dict[str, Any] | None:
    folder = os.environ.get("CODEX_HOME") or os.path.expanduser("~/.codex")
    try:
        return tomllib.loads(bounded.read(f"{folder}/config.toml").decode("utf-8-sig"))
    except (OSError, ValueError):
        return None


def _claude(root: str) -> bool | None:
    """Return whether the dialog was answered; `-p` asks for nothing."""
    folder = os.environ.get("CLAUDE_CONFIG_DIR")
    known = json_in(f"{folder}/.claude.json" if folder else "~/.claude.json")
    projects = value_below(known, "projects")
    if not isinstance(projects, dict):
        return None
    return any(value_below(projects, above, "hasTrustDialogAccepted") is True for above in _above(root))


def _gemini(root: str) -> bool | None:
    if value_below(json_in("~/.gemini/settings.json"), "security", "folderTrust", "enabled") is False:
        return True
    return _in_list(root, json_in("~/.gemini/trustedFolders.json"))


def _qwen(root: str) -> bool | None:
    if value_below(json_in("~/.qwen/settings.json"), "security", "folderTrust", "enabled") is not True:
        return None
    return _in_list(root, json_in("~/.qwen/trustedFolders.json") or {})


def _copilot(root: str) -> bool | None:
    folders = value_below(json_in("~/.copilot/config.json"), "trustedFolders")
    return not {*folders}.isdisjoint(_above(root)) if isinstance(folders, list) else None


def _in_list(root: str, known: Any) -> bool | None:
    """Return what a list of folders says of this one, the nearest entry first."""
    if not isinstance(known, dict):
        return None
    for above in _above(root):
        if above in known:
            # `TRUST_FOLDER`, `TRUST_PARENT` or `DO_NOT_TRUST`.
            return "TRUST" in str(known[above]) and "NOT" not in str(known[above])
    return False


def _above(root: str) -> list[str]:
    """Return the folder and those above it, as they are named and as they really are."""
    found = []
    for folder in dict.fromkeys((root, os.path.realpath(root))):
        while folder and folder != os.path.dirname(folder):
            found.append(folder)
            folder = os.path.dirname(folder)
    return found


def value_below(value: Any, *keys: str) -> Any:
    """Return the value under these keys, each in the object of the one before; None where there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def json_in(path: str) -> Any:
    """Return the JSON in a file; None where it cannot be read, for which there is a finding of its own."""
    try:
        return jsontext.data_of(bounded.read(os.path.expanduser(path)).decode("utf-8-sig"))
    except (OSError, ValueError):
        return None


_FOLDERS = {"claude": _claude, "gemini": _gemini, "qwen": _qwen, "copilot": _copilot}
