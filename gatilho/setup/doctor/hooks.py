"""The hosts' settings: which of them call us, whether they do so once and rightly, and whether the command answers."""

import json
import os
from functools import partial
from typing import Any

from gatilho import bounded
from gatilho.configfile import load
from gatilho.errors import GatilhoError
from gatilho.git.root import Repository
from gatilho.hosts import GROUPS, Host
from gatilho.hosts.event import TURN_CLOSE
from gatilho.model import Value
from gatilho.setup import file_changes, host_files, install, jsontext, registration
from gatilho.setup.doctor.finding import NOTE, OK, WRONG, Finding
from gatilho.setup.doctor.probe import NOTE as PROBE_NOTE
from gatilho.setup.doctor.probe import HookRun, probing
from gatilho.setup.file_changes import FileChange
from gatilho.setup.registration import registrable

PART = "hooks"
# The setting by which a person switches off all hooks of Claude Code.
_SWITCH = "disableAllHooks"


class Registered(Value):
    """A settings file that calls us. data: its bytes; commands: ours, by event, as often as they are there."""

    host: Host
    file: str
    private: bool
    data: bytes
    commands: dict[str, list[str]]
    matchers: set[str]

    @property
    def command(self) -> str:
        """Return the command that most events call."""
        called = [command for commands in self.commands.values() for command in commands]
        return max(sorted(set(called)), key=called.count)


def find_registered(repository: Repository) -> tuple[list[Registered], list[Finding]]:
    """Return the settings files that call us, and what is wrong with settings that cannot be read."""
    found, findings = [], []
    seconds = load(repository.root)[0].conditions.timeout
    for host in (registration.allowing(one, seconds) for one in registrable().values()):
        for file, private in ((host.settings.shared, False), (host.settings.private, True)):
            if not file or host.settings.shape != GROUPS:
                continue
            try:
                data = file_changes.read_planned_file(repository.root, file) or b""
                text = host_files.settings_text(data, file)
                if text.strip() and registration.is_registered(text, file):
                    found.append(Registered(host, file, private, data, *_ours(text, file)))
            except GatilhoError as fault:
                findings.append(Finding(PART, WRONG, str(fault)))
    return found, findings


def inspect(repository: Repository, found: list[Registered]) -> list[Finding]:
    """Return what there is to say of the settings files that call us, and of the calls."""
    findings = []
    if os.environ.get("GATILHO") == "off":
        findings.append(Finding(PART, NOTE, "GATILHO=off is set here: hooks in this environment are silent"))
    others = _in_other_forms(repository.root)
    findings += others
    if not found and others:
        return findings
    if not found:
        return [*findings, Finding(PART, WRONG, "no settings of any host call gatilho here", "run `gatilho init`")]
    findings += _switched_off(repository.root, found)
    for one in found:
        complaints = _complaints(one)
        text = f"{one.file} calls gatilho on {len(one.commands)} events"
        findings += [_wrong(repository, one, complaint) for complaint in complaints] or [Finding(PART, OK, text)]
    for host in {one.host.name: one.host for one in found}.values():
        both = [one.file for one in found if one.host.name == host.name]
        if len(both) > 1:
            text = f"{' and '.join(both)} both call gatilho: each event starts two processes"
            findings.append(Finding(PART, WRONG, text, f"keep one of the two, e.g. empty `hooks` in {both[-1]}"))
    return findings + _below_root(repository.root, found) + _answers(repository, found)


def _below_root(root: str, found: list[Registered]) -> list[Finding]:
    """Return that a session which starts here, in a subfolder, would run no hooks."""
    here, root = os.path.realpath(os.getcwd()), os.path.realpath(root)
    if not here.startswith(f"{root}/"):
        return []
    hosts = list({one.host.name: one.host for one in found}.values())
    return [Finding(PART, NOTE, notice) for notice in install.root_notice(hosts)]


def _in_other_forms(root: str) -> list[Finding]:
    """Return which files call us that are no groups in JSON: their commands are not tried."""
    findings = []
    for host in registrable().values():
        try:
            in_groups = host.settings.shape == GROUPS and os.path.exists(f"{root}/{host.settings.shared}")
            if not in_groups and host_files.registers(root, host, host.settings.shared):
                findings.append(Finding(PART, OK, f"{host.title} calls gatilho by {host.settings.shared}"))
        except GatilhoError as fault:
            findings.append(Finding(PART, WRONG, str(fault)))
    return findings


def _switched_off(root: str, found: list[Registered]) -> list[Finding]:
    """Return what keeps the host from calling any hook; of several that speak of it the most private holds."""
    if all(one.host.name != "claude" for one in found):
        return []
    host = registrable()["claude"]
    own = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~/.claude")
    for path in (f"{root}/{host.settings.private}", f"{root}/{host.settings.shared}", f"{own}/settings.json"):
        says = _setting(path, _SWITCH)
        if says is not None:
            shown = path.removeprefix(f"{root}/")
            text = f"`{_SWITCH}` in {shown} keeps Claude Code from calling any hook"
            return [Finding(PART, WRONG, text, f"take it out of {shown}")] if says is True else []
    return []


def _setting(path: str, name: str) -> Any:
    """Return a setting at the top of a file, None where it is not there.

    Unreadable files have a finding of their own.
    """
    try:
        settings = jsontext.data_of(bounded.read(path).decode("utf-8-sig"))
    except (OSError, ValueError):
        return None
    return settings.get(name) if isinstance(settings, dict) else None


def _complaints(one: Registered) -> list[str]:
    """Return what in a settings file is not as `init` would write it."""
    found = []
    missing = [event for event in one.host.limits if event not in one.commands]
    twice = [event for event, commands in one.commands.items() if len(commands) > 1]
    if missing:
        found.append(f"it does not call gatilho on {', '.join(missing)}")
    if twice:
        found.append(f"it calls gatilho twice on {', '.join(twice)}")
    if "" in one.matchers:
        found.append('a call of gatilho has `"matcher": ""`, which some clients read as no tool at all')
    close = one.host.event_of(TURN_CLOSE)
    needed, limit = one.host.limits[close], _time_limit(one, close)
    if limit is not None and limit < needed:
        found.append(
            f"the host ends the hook of a turn's end after {limit:g} s, but with this `[conditions] timeout` the hook "
            f"may need {needed} s, and what a host ends is lost (too short a time limit)"
        )
    if not found and _mended(one).changes:
        found.append("it calls gatilho in an older way, or with too short a time limit")
    return found


def _time_limit(one: Registered, event: str) -> float | None:
    """Return the shortest time limit, in seconds, that the settings give our handlers of an event; None for none."""
    limits = [
        entry["timeout"]
        for group in jsontext.data_of(host_files.settings_text(one.data, one.file)).get("hooks", {}).get(event, ())
        for entry in (group.get("hooks", ()) if isinstance(group, dict) else ())
        if _is_ours(entry, one.file) and isinstance(entry.get("timeout"), int | float)
    ]
    return min(limits, default=None)


def _mended(one: Registered) -> FileChange:
    """Return the settings file as `init` would leave it."""
    text = host_files.settings_text(one.data, one.file)
    command = one.command if one.private else registration.shared_command(one.host)
    return FileChange(
        one.file,
        one.data,
        host_files.settings_bytes(registration.register_hooks(text, one.file, one.host, command), one.data),
    )


def _wrong(repository: Repository, one: Registered, complaint: str) -> Finding:
    flag = " --local" if one.private else ""
    remedy = f"run `gatilho init --host {one.host.name}{flag}`"
    return Finding(PART, WRONG, f"{one.file}: {complaint}", remedy, partial(_mend, repository, one))


def _mend(repository: Repository, one: Registered) -> None:
    """Write the settings as `init` would; from the bytes that are there now, for an earlier fix may have been here."""
    data = file_changes.read_planned_file(repository.root, one.file) or b""
    text = host_files.settings_text(data, one.file)
    file_changes.make(repository.root, [_mended(one.replace(data=data, commands=_ours(text, one.file)[0]))])


def _answers(repository: Repository, found: list[Registered]) -> list[Finding]:
    """Run each registered command, as its host does, in a repository that is thrown away."""
    findings = []
    with probing(repository.root) as place:
        for command, one in {one.command: one for one in found}.items():
            call = place.call(command, one.host.name, "probe.txt")
            if PROBE_NOTE in call.said:
                findings.append(Finding(PART, OK, f"the command of {one.file} answers"))
            else:
                findings.append(_silent(one, call))
    return findings


def _silent(one: Registered, call: HookRun) -> Finding:
    said = " ".join((call.errors or _for_person(call.said)).split())[-300:]
    why = f"status {call.status}" + (f": {said}" if said else ", and nothing was said")
    text = f"the command of {one.file} does not answer ({why}): {one.command}"
    notices = [] if one.private else install.python_notice()
    remedy = "; ".join(notices) or "run that command by hand; `gatilho init` writes the dispatcher and settings again"
    return Finding(PART, WRONG, text, remedy)


def _for_person(answer: str) -> str:
    """Return the message for the person in an answer; else all of it."""
    try:
        return str(json.loads(answer)["systemMessage"])
    except (ValueError, TypeError, KeyError):
        return answer


def _ours(text: str, file: str) -> tuple[dict[str, list[str]], set[str]]:
    """Return gatilho's commands in a settings text by event, and the matchers of their groups."""
    commands: dict[str, list[str]] = {}
    matchers: set[str] = set()
    for event, groups in jsontext.data_of(text).get("hooks", {}).items():
        for group in groups:
            for entry in group.get("hooks", ()) if isinstance(group, dict) else ():
                if _is_ours(entry, file):
                    words = [entry["command"], *map(str, entry.get("args", ()))]
                    commands.setdefault(event, []).append(" ".join(words))
                    if "matcher" in group:
                        matchers.add(group["matcher"])
    return commands, matchers


def _is_ours(entry: Any, file: str) -> bool:
    """Return whether a handler calls us, by the form of the registration."""
    return registration.is_registered(json.dumps({"hooks": {"Stop": [{"hooks": [entry]}]}}), file)
