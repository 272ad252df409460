"""Every registration that the hosts find here: of the project, of the person, of a plugin, in whatever form it has."""

import glob
import json
import os
import re
import tomllib
from collections.abc import Iterator
from typing import Any

from gatilho import bounded
from gatilho.config import Config
from gatilho.configfile import load
from gatilho.errors import GatilhoError
from gatilho.git.root import Repository
from gatilho.hosts import FLAT_BY_SHELL, GROUPS, LISTED, MODULE, SCRIPTS, Host, Settings
from gatilho.model import Value
from gatilho.setup import file_changes, hook_list, host_files, install, jsontext, module, registration
from gatilho.setup.doctor.finding import WRONG, Finding
from gatilho.setup.registration import registrable

PART = "hooks"
PROJECT, PRIVATE, USER, PLUGIN = "project", "private", "user", "plugin"
# Below the home, where hosts keep plugins and extensions that are installed.
_PLUGINS = {
    "claude": (".claude/plugins/cache/*/*/*/hooks/hooks.json",),
    "codex": (".codex/plugins/cache/*/*/*/hooks/hooks.json", ".codex/plugins/cache/*/*/hooks/hooks.json"),
    "copilot": (".copilot/installed-plugins/*/*/hooks/hooks.json",),
    "cursor": (".cursor/plugins/local/*/hooks/hooks.json",),
    "gemini": (".gemini/extensions/*/hooks/hooks.json",),
    "qwen": (".qwen/extensions/*/hooks/hooks.json",),
}
_COMMAND_OF_MODULE = re.compile(r'^const COMMAND = (".*")', re.MULTILINE)


class Handler(Value):
    """One call of ours in a file: its event, its place there (Codex binds trust to it), and the handler as data."""

    event: str
    group: int
    place: int
    entry: "dict[str, Any]"

    @property
    def command(self) -> str:
        line = self.entry.get("command") or self.entry.get("bash")
        return " ".join([str(line), *map(str, self.entry.get("args", ()))])

    @property
    def off(self) -> bool:
        """Return whether a person switched this one off in its own file."""
        return self.entry.get("enabled") is False


class Registered(Value):
    """A file that calls us. origin: whose it is. root: what its name is relative to."""

    host: Host
    origin: str
    root: str
    name: str
    handlers: tuple[Handler, ...]
    matchers: frozenset[str]

    @property
    def file(self) -> str:
        """Return the name for people."""
        if self.origin in (PROJECT, PRIVATE):
            return self.name
        full = os.path.normpath(f"{self.root}/{self.name}").replace("\\", "/")
        home = os.path.expanduser("~").replace("\\", "/")
        return "~" + full.removeprefix(home) if full.startswith(f"{home}/") else full

    @property
    def private(self) -> bool:
        """Return whether it is for this machine alone."""
        return self.origin != PROJECT

    @property
    def commands(self) -> dict[str, list[str]]:
        """Return our commands by event, as often as they are there."""
        found: dict[str, list[str]] = {}
        for one in self.handlers:
            found.setdefault(one.event, []).append(one.command)
        return found

    @property
    def command(self) -> str:
        """Return the command that most events call."""
        called = [one.command for one in self.handlers]
        # Sorted first: where two are called equally often, the answer is the same each time.
        return max(sorted(set(called)), key=called.count)


def find_registered(repository: Repository) -> tuple[list[Registered], list[Finding]]:
    """Return the files that call us, those of the project first, and what is wrong with files that cannot be read."""
    found: list[Registered] = []
    findings: list[Finding] = []
    for host, origin, root, name in _places(repository.root):
        try:
            name = host_files.name_in_use(root, name)
            one = _registered(host, origin, root, name)
        except GatilhoError as fault:
            findings.append(Finding(PART, WRONG, str(fault)))
            continue
        if one is not None:
            found.append(one)
    return found, findings


def _places(root: str) -> Iterator[tuple[Host, str, str, str]]:
    """Yield each file that a host may read: the host, whose it is, and its name relative to a folder."""
    seconds, usual = load(root)[0].conditions.timeout, Config().conditions.timeout
    home = os.path.expanduser("~").replace("\\", "/")
    for host in registrable().values():
        for origin, name in ((PROJECT, host.settings.shared), (PRIVATE, host.settings.private)):
            if name:
                yield registration.allowing(host, seconds), origin, root, name
    for host in registrable().values():
        yield registration.allowing(host, usual), USER, home, install.user_file(home, host)
        for pattern in _PLUGINS.get(host.name, ()):
            for path in sorted(glob.glob(f"{glob.escape(home)}/{pattern}")):
                yield host, PLUGIN, home, os.path.relpath(path, home).replace("\\", "/")


def _registered(host: Host, origin: str, root: str, name: str) -> Registered | None:
    if host.settings.shape == SCRIPTS:
        handlers = list(_scripts(host, root, name))
        return Registered(host, origin, root, name, tuple(handlers), frozenset()) if handlers else None
    try:
        data = bounded.read(f"{root}/{name}")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise GatilhoError(f"{name} cannot be read ({error.strerror or error}).") from error
    plain = (
        host.replace(settings=Settings(shape=GROUPS)) if origin == PLUGIN and host.settings.shape == MODULE else host
    )
    text = host_files.settings_text(data, name)
    if not text.strip() or not host_files.calls_us(text, name, plain):
        return None
    handlers, matchers = _handlers_in(text, name, host)
    return Registered(host, origin, root, name, tuple(handlers), frozenset(matchers)) if handlers else None


def _scripts(host: Host, root: str, folder: str) -> Iterator[Handler]:
    """Yield our call in each script of a folder, as it can be made from the root."""
    for event, name in zip(host.limits, host_files.hook_files_of(root, host, folder), strict=True):
        text = host_files.settings_text(file_changes.read_planned_file(root, name) or b"", name)
        if module.script_calls_us(text):
            script = f"{root}/{name}"
            above = re.sub(r'(["$`\\])', r"\\\1", os.path.dirname(script))
            line = text.rstrip().rpartition("\n")[2].replace('$(dirname "$0")', above)
            yield Handler(event, 0, 0, {"command": line if module.is_our_script(text) else f'"{script}"'})


def _handlers_in(text: str, name: str, host: Host) -> tuple[list[Handler], set[str]]:
    """Return our handlers, and the matchers of their groups."""
    if host.settings.shape == MODULE and not name.endswith(".json"):
        found = _COMMAND_OF_MODULE.search(text)
        # In a person's own module the command may be put together: what it comes to is tried.
        entry = {"command": json.loads(found[1]) if found else f"gatilho hook --host {host.name}"}
        return [Handler(event, 0, 0, entry) for event in host.events if event in text], set()
    if host.settings.shape == LISTED:
        listed = hook_list.hooks_in_list(text, name)
        return [Handler(event, 0, at, entry) for at, (event, entry) in enumerate(listed)], set()
    settings = tomllib.loads(text) if name.endswith(".toml") else jsontext.data_of(text)
    handlers, matchers = [], set()
    for event, groups in settings.get("hooks", {}).items():
        for at, group in enumerate(groups if isinstance(groups, list) else ()):
            nested = group.get("hooks") if isinstance(group, dict) else None
            for place, entry in enumerate(nested if isinstance(nested, list) else [group]):
                if registration.is_ours(entry):
                    handlers.append(Handler(event, at, place, entry))
                    if nested is not None and "matcher" in group:
                        matchers.add(str(group["matcher"]))
    return handlers, matchers


def time_limit(one: Registered, event: str) -> float | None:
    """Return the shortest time limit, in seconds, that a file gives our handlers of an event; None for none."""
    key = "timeoutSec" if one.host.settings.shape == FLAT_BY_SHELL else "timeout"
    limits = [
        handler.entry[key] * one.host.settings.unit
        for handler in one.handlers
        if handler.event == event and isinstance(handler.entry.get(key), int | float)
    ]
    return min(limits, default=None)
