"""The hosts' settings: which of them call us, whether they do so once and rightly, and whether the command answers."""

import json
import os
from functools import partial
from typing import Any

from gatilho.commands import init, planned
from gatilho.commands.planned import Planned
from gatilho.config import load
from gatilho.doctor.finding import NOTE, OK, WRONG, Finding
from gatilho.doctor.probe import NOTE as PROBE_NOTE
from gatilho.doctor.probe import Call, probe
from gatilho.errors import GatilhoError
from gatilho.git.root import Repository
from gatilho.hosts import registration
from gatilho.hosts.registration import HOSTS, Host
from gatilho.model import Value

PART = "hooks"
# The setting by which a person switches off all hooks of Claude Code.
_SWITCH = "disableAllHooks"


class Registered(Value):
    """A settings file that calls us. data: its bytes; commands: ours, by event, as often as they stand there."""

    host: Host
    file: str
    private: bool
    data: bytes
    commands: dict[str, list[str]]
    matchers: set[str]

    @property
    def command(self) -> str:
        """The command that most events call."""
        called = [command for commands in self.commands.values() for command in commands]
        return max(sorted(set(called)), key=called.count)


def find(repository: Repository) -> tuple[list[Registered], list[Finding]]:
    """The settings files that call us, and what is wrong with settings that cannot be read."""
    found, findings = [], []
    seconds = load(repository.root)[0].conditions.timeout
    for host in (one.allowing(seconds) for one in HOSTS.values()):
        for file, private in ((host.shared_file, False), (host.private_file, True)):
            try:
                data = planned.read(repository.root, file) or b""
                text = init.settings_text(data, file)
                if text.strip() and registration.is_registered(text, file):
                    found.append(Registered(host, file, private, data, *_ours(text, file)))
            except GatilhoError as fault:
                findings.append(Finding(PART, WRONG, str(fault)))
    return found, findings


def look(repository: Repository, found: list[Registered]) -> list[Finding]:
    """What there is to say of the settings files that call us, and of the calls."""
    findings = []
    if os.environ.get("GATILHO") == "off":
        findings.append(Finding(PART, NOTE, "GATILHO=off is set here: hooks of this environment say nothing"))
    if not found:
        hosts = ", ".join(sorted(HOSTS))
        return [*findings, Finding(PART, WRONG, f"no settings of {hosts} call gatilho here", "run `gatilho init`")]
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
    return findings + _answers(repository, found)


def _switched_off(root: str, found: list[Registered]) -> list[Finding]:
    """What keeps the host from calling any hook; of several that speak of it the most private holds."""
    if all(one.host.name != "claude" for one in found):
        return []
    host = HOSTS["claude"]
    own = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~/.claude")
    for path in (f"{root}/{host.private_file}", f"{root}/{host.shared_file}", f"{own}/settings.json"):
        says = _setting(path, _SWITCH)
        if says is not None:
            shown = path.removeprefix(f"{root}/")
            text = f"`{_SWITCH}` in {shown} keeps Claude Code from calling any hook"
            return [Finding(PART, WRONG, text, f"take it out of {shown}")] if says is True else []
    return []


def _setting(path: str, name: str) -> Any:
    """A setting at the top of a file, None where it is not there; files that cannot be read are told of elsewhere."""
    try:
        with open(path, encoding="utf-8-sig") as stream:
            settings = json.load(stream)
    except (OSError, ValueError):
        return None
    return settings.get(name) if isinstance(settings, dict) else None


def _complaints(one: Registered) -> list[str]:
    """What in a settings file is not as `init` would write it."""
    found = []
    missing = [event for event in one.host.timeouts if event not in one.commands]
    twice = [event for event, commands in one.commands.items() if len(commands) > 1]
    if missing:
        found.append(f"it does not call gatilho on {', '.join(missing)}")
    if twice:
        found.append(f"it calls gatilho twice on {', '.join(twice)}")
    if "" in one.matchers:
        found.append('`"matcher": ""` stands at a call of gatilho: some clients take it for no tool at all')
    needed, limit = one.host.timeouts["Stop"], _time_limit(one, "Stop")
    if limit is not None and limit < needed:
        found.append(
            f"it ends the hook of a turn's end after {limit:g} s, and with `[conditions] timeout` as it is set that "
            f"hook may need {needed} s: what a host ends is lost (too short a time limit)"
        )
    if not found and _mended(one).changes:
        found.append("it calls gatilho in an older way, or with too short a time limit")
    return found


def _time_limit(one: Registered, event: str) -> float | None:
    """The shortest time limit, in seconds, that the settings give our handlers of an event; None for none."""
    limits = [
        entry["timeout"]
        for group in json.loads(init.settings_text(one.data, one.file)).get("hooks", {}).get(event, ())
        for entry in (group.get("hooks", ()) if isinstance(group, dict) else ())
        if _is_ours(entry, one.file) and isinstance(entry.get("timeout"), int | float)
    ]
    return min(limits, default=None)


def _mended(one: Registered) -> Planned:
    """The settings file as `init` would leave it."""
    text = init.settings_text(one.data, one.file)
    command = one.command if one.private else registration.shared_command(one.host)
    return Planned(
        one.file, one.data, init.settings_bytes(registration.register(text, one.file, one.host, command), one.data)
    )


def _wrong(repository: Repository, one: Registered, complaint: str) -> Finding:
    flag = " --local" if one.private else ""
    remedy = f"run `gatilho init --host {one.host.name}{flag}`"
    return Finding(PART, WRONG, f"{one.file}: {complaint}", remedy, partial(_mend, repository, one))


def _mend(repository: Repository, one: Registered) -> None:
    """Write the settings as `init` would; from the bytes that are there now, for an earlier mend may have been here."""
    data = planned.read(repository.root, one.file) or b""
    text = init.settings_text(data, one.file)
    planned.make(repository.root, [_mended(one.replace(data=data, commands=_ours(text, one.file)[0]))])


def _answers(repository: Repository, found: list[Registered]) -> list[Finding]:
    """Call each registered command, as its host does, in a repository that is thrown away."""
    findings = []
    with probe(repository.root) as place:
        for command, one in {one.command: one for one in found}.items():
            call = place.call(command, one.host.name, "probe.txt")
            if PROBE_NOTE in call.said:
                findings.append(Finding(PART, OK, f"the command of {one.file} answers"))
            else:
                findings.append(_silent(one, call))
    return findings


def _silent(one: Registered, call: Call) -> Finding:
    said = " ".join((call.errors or _for_person(call.said)).split())[-300:]
    why = f"status {call.status}" + (f": {said}" if said else ", and nothing was said")
    text = f"the command of {one.file} does not answer ({why}): {one.command}"
    notices = [] if one.private else init.python_notice()
    remedy = "; ".join(notices) or "run that command by hand; `gatilho init` writes dispatcher and settings again"
    return Finding(PART, WRONG, text, remedy)


def _for_person(answer: str) -> str:
    """What an answer tells the person, where it is one; else all of it."""
    try:
        return str(json.loads(answer)["systemMessage"])
    except (ValueError, TypeError, KeyError):
        return answer


def _ours(text: str, file: str) -> tuple[dict[str, list[str]], set[str]]:
    """Our commands in a settings text by event, and the matchers of their groups."""
    commands: dict[str, list[str]] = {}
    matchers: set[str] = set()
    for event, groups in json.loads(text).get("hooks", {}).items():
        for group in groups:
            for entry in group.get("hooks", ()) if isinstance(group, dict) else ():
                if _is_ours(entry, file):
                    words = [entry["command"], *map(str, entry.get("args", ()))]
                    commands.setdefault(event, []).append(" ".join(words))
                    if "matcher" in group:
                        matchers.add(group["matcher"])
    return commands, matchers


def _is_ours(entry: Any, file: str) -> bool:
    """Whether a handler calls us, as the registration tells it."""
    return registration.is_registered(json.dumps({"hooks": {"Stop": [{"hooks": [entry]}]}}), file)
