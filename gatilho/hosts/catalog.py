"""All records at once, found by the files in this package: for commands, and for what no tool call waits for."""

import os

from gatilho.hosts import Host, host_named


def host_names() -> list[str]:
    """Return the names of all hosts, Claude Code's first."""
    folder = os.path.dirname(os.path.abspath(__file__))
    modules = sorted(file[:-3] for file in os.listdir(folder) if file.endswith(".py"))
    found = [name for name in modules if name.isidentifier() and host_named(name).name == name]
    return sorted(found, key=lambda name: name != "claude")


def hosts() -> list[Host]:
    """Return the records of all hosts."""
    return [host_named(name) for name in host_names()]


def guarded_files() -> tuple[str, ...]:
    """Return the files that decide whether hooks run, of all hosts; one that ends with a slash is all below it."""
    return tuple(dict.fromkeys(file for host in hosts() for file in host.settings.guarded_files))


def recognised(payload: dict[str, object]) -> str:
    """Return the host whose record says that only its payloads have these keys, "" where none does."""
    return next((host.name for host in hosts() if host.signs and all(key in payload for key in host.signs)), "")
