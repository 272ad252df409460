"""The hosts' settings: which of them call us, whether they do so once and rightly, and whether the command answers."""

import json
import os
import re
import shlex
from collections.abc import Iterator
from functools import partial

from gatilho.git.root import Repository
from gatilho.hosts import Host
from gatilho.hosts.event import TURN_CLOSE
from gatilho.plain import counted
from gatilho.setup import file_changes, host_files, install, registration
from gatilho.setup.doctor.finding import NOTE, OK, WRONG, Finding
from gatilho.setup.doctor.probe import NOTE as PROBE_NOTE
from gatilho.setup.doctor.probe import HookRun, probing
from gatilho.setup.doctor.registrations import (
    PART,
    PLUGIN,
    PRIVATE,
    PROJECT,
    USER,
    Registered,
    find_registered,
    time_limit,
)
from gatilho.setup.doctor.trust import json_in, trust_findings, value_below
from gatilho.setup.file_changes import FileChange

__all__ = ["PART", "find_registered", "inspect"]
# The setting by which a person switches off all hooks of a host, and its value.
_SWITCHES = {
    "claude": ("disableAllHooks", True),
    "gemini": ("hooksConfig.enabled", False),
    "qwen": ("disableAllHooks", True),
}
# The setting that names single hooks which do not run.
_LISTS = {"gemini": "hooksConfig.disabled"}


def inspect(repository: Repository, found: list[Registered], faults: bool = False) -> list[Finding]:
    """Return what there is to say of the settings files that call us, and of the calls. faults: some were not read."""
    findings = []
    if os.environ.get("GATILHO") == "off":
        findings.append(Finding(PART, NOTE, "GATILHO=off is set here: hooks in this environment are silent"))
    if not found:
        remedy = "correct the file that cannot be read, then run `gatilho init`" if faults else "run `gatilho init`"
        return [*findings, Finding(PART, WRONG, "no settings of any host call gatilho here", remedy)]
    findings += _switched_off(repository.root, found)
    for one in found:
        complaints = _complaints(one)
        count = len(one.commands)
        text = f"{one.file} calls gatilho on {counted(count, 'event')}"
        unread = [
            Finding(PART, WRONG, what.replace(one.name, one.file, 1), remedy)
            for what, remedy in host_files.what_is_unread(one.root, one.host, one.name)
        ]
        findings += [*unread, *(_wrong(one, complaint) for complaint in complaints)] or [Finding(PART, OK, text)]
    findings += _several(found)
    findings += trust_findings(repository.root, found)
    return findings + _below_root(repository.root, found) + _answers(repository, found)


def _hosts_of(found: list[Registered]) -> list[Host]:
    return list({one.host.name: one.host for one in found}.values())


def _several(found: list[Registered]) -> list[Finding]:
    """Return that a host starts us more than once for each event: by two files of the project, or by a person's own."""
    findings = []
    for host in _hosts_of(found):
        files = [one for one in found if one.host.name == host.name]
        both = [one.file for one in files if one.origin in (PROJECT, PRIVATE)]
        if len(both) > 1:
            text = f"{' and '.join(both)} both call gatilho: each event starts two processes"
            findings.append(Finding(PART, WRONG, text, f"keep one of the two, e.g. empty `hooks` in {both[-1]}"))
        elif len(files) > 1:
            names = " and ".join(one.file for one in files)
            text = f"{names} call gatilho: {host.title} may start {len(files)} processes for an event, answered once"
            findings.append(Finding(PART, NOTE, text))
    return findings


def _below_root(root: str, found: list[Registered]) -> list[Finding]:
    """Return that a session which starts here, in a subfolder, would run no hooks."""
    here, root = os.path.realpath(os.getcwd()), os.path.realpath(root)
    if not here.startswith(f"{root}/"):
        return []
    return [Finding(PART, NOTE, notice) for notice in install.root_notice(_hosts_of(found))]


def _switched_off(root: str, found: list[Registered]) -> Iterator[Finding]:
    """Yield what a person switched off: all hooks of a host, where the most private of its files holds, or ours."""
    for host in _hosts_of([one for one in found if one.host.name in _SWITCHES]):
        switch, off = _SWITCHES[host.name]
        for path, shown in _settings_of(host, root):
            says = value_below(json_in(path), *switch.split("."))
            if says is off:
                text = f"`{switch}` in {shown} keeps {host.title} from calling any hook"
                yield Finding(PART, WRONG, text, f"take it out of {shown}")
            if says is not None:
                break
    for one in found:
        events = [handler.event for handler in one.handlers if handler.off]
        if events:
            text = f"{one.file} has `enabled: false` for the calls of gatilho on {', '.join(events)}"
            yield Finding(PART, WRONG, text, f"set it to true in {one.file}")
        if one.host.name in _LISTS:
            yield from _listed_as_off(one, root)


def _listed_as_off(one: Registered, root: str) -> Iterator[Finding]:
    """Yield in which file a list names our hooks, by their name or else their command, as those that do not run."""
    names = {str(handler.entry.get("name") or handler.command) for handler in one.handlers}
    for path, shown in _settings_of(one.host, root):
        listed = value_below(json_in(path), *_LISTS[one.host.name].split("."))
        for name in sorted(names & {str(name) for name in listed}) if isinstance(listed, list) else ():
            text = f"`{_LISTS[one.host.name]}` in {shown} keeps {one.host.title} from calling `{name}` of {one.file}"
            yield Finding(PART, WRONG, text, f"take it out of that list in {shown}")


def _settings_of(host: Host, root: str) -> list[tuple[str, str]]:
    """Return the paths of a host's settings files, the most private of the repository first, and as they are shown."""
    home = os.path.expanduser("~")
    names = [f"{root}/{name}" for name in (host.settings.private, host.settings.shared) if name]
    paths = [*names, f"{home}/{install.user_file(home, host)}"]
    return [(path, os.path.normpath(path).removeprefix(f"{root}/")) for path in paths]


def _complaints(one: Registered) -> list[str]:
    """Return what in a file is not as `init` would write it; what a plugin brings is the plugin's own."""
    if one.origin == PLUGIN:
        return []
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
    needed, limit = one.host.limits.get(close, 0), time_limit(one, close)
    if limit is not None and limit < needed:
        found.append(
            f"the host ends the hook of a turn's end after {limit:g} s, but with this `[conditions] timeout` the hook "
            f"may need {needed} s, and what a host ends is lost (too short a time limit)"
        )
    if not found and any(change.changes for change in _fixed(one)):
        found.append("it calls gatilho in an older way, or with too short a time limit")
    return found


def _fixed(one: Registered) -> list[FileChange]:
    """Return the files as `init` would leave it."""
    command = _private_line(one) if one.private else registration.shared_command(one.host)
    return host_files.plan_registration(one.root, one.host, one.name, command)


def _private_line(one: Registered) -> str:
    """Return the line for this machine that starts what the registered one starts, in today's form."""
    try:
        words = shlex.split(one.command)
        at = words.index("-I")
        return registration.private_command(one.host, words[at - 1], words[at + 2])
    except (ValueError, IndexError):  # a line of the person's own
        return re.sub(r"(--host )[\w-]+", rf"\g<1>{one.host.name}", one.command)


def _wrong(one: Registered, complaint: str) -> Finding:
    return Finding(PART, WRONG, f"{one.file}: {complaint}", f"run `{_init_line(one)}`", partial(_fix, one))


def _init_line(one: Registered) -> str:
    """Return the command that writes a file as it should be."""
    flag = {PRIVATE: " --local", USER: " --user"}.get(one.origin, "")
    return f"gatilho init{flag} --host {one.host.name}"


def _fix(one: Registered) -> None:
    """Write the file as `init` would; from the bytes that are there now, for an earlier fix may have been here."""
    file_changes.make(one.root, _fixed(one))


def _answers(repository: Repository, found: list[Registered]) -> list[Finding]:
    """Run each registered command, as its host does, in a repository that is thrown away, and measure it."""
    findings = []
    with probing(repository.root) as place:
        for command, one in {one.command: one for one in found}.items():
            call = place.call(command, one.host.name, "probe.txt")
            if PROBE_NOTE in call.said + call.errors:
                # Measured on a call of the kind that nearly all are: one that no row matches.
                took = place.call(command, one.host.name, "elsewhere.txt").seconds
                text = f"the command of {one.file} answers (one that matches no row takes {took * 1000:.0f} ms)"
                findings.append(Finding(PART, OK, text))
            else:
                findings.append(_silent(one, call))
    return findings


def _silent(one: Registered, call: HookRun) -> Finding:
    said = " ".join((call.errors or _for_person(call.said)).split())[-300:]
    why = f"status {call.status}" + (f": {said}" if said else ", and nothing was said")
    text = f"the command of {one.file} does not answer ({why}): {one.command}"
    notices = [] if one.private else install.python_notice()
    again = "" if one.origin == PLUGIN else f"; `{_init_line(one)}` writes it again"
    remedy = "; ".join(notices) or f"run that command by hand{again}"
    return Finding(PART, WRONG, text, remedy)


def _for_person(answer: str) -> str:
    """Return the message for the person in an answer; else all of it."""
    try:
        return str(json.loads(answer)["systemMessage"])
    except (ValueError, TypeError, KeyError):
        return answer
