"""Writes the generated parts of the documentation: each is between two comments that name it."""

import contextlib
import difflib
import importlib
import io
import os
import sys
from pathlib import Path

import plugins
from review import pictures as review_pictures
from rooms import picture as rooms_picture

from gatilho import configfile
from gatilho.checks import registry
from gatilho.command_list import list_commands
from gatilho.compare import facts
from gatilho.document import rows
from gatilho.document.problems import LineProblems
from gatilho.hosts import (
    A_PERSON_DECIDES,
    ANY,
    FLAT,
    FLAT_BY_SHELL,
    GROUPS,
    LISTED,
    MODULE,
    SCRIPTS,
    Host,
    catalog,
    host_named,
)
from gatilho.hosts.event import AFTER, BEFORE, COMPACTION, PROMPT, SESSION_END, SESSION_START, TURN_CLOSE
from gatilho.setup import registration
from gatilho.setup.registration import FILE_OF_ANOTHER

ROOT = Path(__file__).resolve().parent.parent.parent
# What the readers of files and of the configuration find; no check of its own has them.
_OTHERS = (
    ("GT100", "error", "a file of the store cannot be read"),
    (configfile.SYNTAX, "error", "the configuration is not TOML or cannot be read"),
    (configfile.UNKNOWN_KEY, "error", "the configuration has an unknown key"),
    (configfile.WRONG_VALUE, "error", "a value of the configuration does not fit its key"),
    (configfile.TWO_FILES, "error", "two files configure gatilho: gatilho.toml holds"),
    (configfile.HALF_A_KIND, "error", "a kind has a half-life or a time to live, but not both"),
    ("GT006", "warning", "a store outside the repository is not allowed on this machine"),
    ("GT007", "error", "a store leads out of its folder, or is too large to look through"),
)

TOML_BESIDE = ".codex/config.toml"
_FORMS = {
    GROUPS: "groups",
    FLAT: "flat",
    FLAT_BY_SHELL: "flat, a line for each shell",
    LISTED: "one list",
    MODULE: "a module",
    SCRIPTS: "a script for each event",
}
# The kinds of events in the order of a session, as the documents call them.
_KINDS = (SESSION_START, PROMPT, BEFORE, AFTER, TURN_CLOSE, COMPACTION, SESSION_END)


def pages() -> dict[str, str]:
    """What the documents should say, by name."""
    return {
        "README.md": _with_parts("README.md", {"commands": _commands_table(), "agents": _agents_table()}),
        "docs/format.md": _with_part("docs/format.md", "problems", _problems_table()),
        "docs/hooks.md": _with_parts(
            "docs/hooks.md",
            {"asking": _asking_table(), "hosts": _hosts_table(), "events": _events_table(), "files": _files_table()},
        ),
        "docs/rooms.svg": rooms_picture(),
        "SECURITY.md": _with_part("SECURITY.md", "tricks", _tricks()),
        **review_pictures(),
        **plugins.files(_skills()),
        "docs/commands.md": _with_part("docs/commands.md", "help", _help_of_all()),
    }


def _with_part(name: str, part: str, text: str) -> str:
    """The document with the named part written anew."""
    return _with_parts(name, {part: text})


def _with_parts(name: str, parts: dict[str, str]) -> str:
    """The document with each of the named parts written anew."""
    document = (ROOT / name).read_text(encoding="utf-8")
    for part, text in parts.items():
        begin, end = f"<!-- {part}: written by scripts/docs -->\n", f"<!-- end of {part} -->\n"
        before, found, rest = document.partition(begin)
        _, closed, after = rest.partition(end)
        if not (found and closed):
            sys.exit(f"scripts/docs: {name} has no part between `{begin.strip()}` and `{end.strip()}`")
        document = f"{before}{begin}\n{text}\n{end}{after}"
    return document


def _commands_table() -> str:
    lines = [f"| `gatilho {name}` | {_escaped(summary)} |" for _, name, summary in list_commands()]
    return "\n".join(["| command | what it does |", "| --- | --- |", *lines]) + "\n"


def _help_of_all() -> str:
    parts, group = [], ""
    for named, name, summary in list_commands():
        if named != group:
            parts.append(f"## {named}\n")
            group = named
        parts.append(
            f"### gatilho {name}\n\n{summary[0].upper()}{summary[1:]}.\n\n```text\n{_help(name).rstrip()}\n```\n"
        )
    return "\n".join(parts)


def _help(name: str) -> str:
    out = io.StringIO()
    module = importlib.import_module(f"gatilho.commands.{name.replace('-', '_')}")
    with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        module.main(["--help"])
    return out.getvalue()


def _problems_table() -> str:
    found = [(kind.code, kind.severity, kind.title) for kind in registry.KINDS]
    found += [(kind.code, kind.severity, kind.title) for kind in facts.KINDS.values()]
    found += [(code, _severity(code), title) for code, title in rows.CODES.items()]
    lines = ["| code | severity | means |", "| --- | --- | --- |"]
    lines += [f"| {code} | {severity} | {_escaped(title)} |" for code, severity, title in sorted({*found, *_OTHERS})]
    return "\n".join(lines) + "\n"


def _asking_table() -> str:
    lines = ["| host | permission mode | what becomes of an ask | so the answer is |", "| --- | --- | --- | --- |"]
    for host in catalog.hosts():
        outcomes = {mode: outcome for mode, outcome in host.asks.items() if mode not in ("", ANY)}
        outcomes["any" if len(host.asks) == 1 else "any other"] = host.ask_outcome("", "no such mode")
        for mode, outcome in outcomes.items():
            named = mode if mode.startswith("any") else f"`{mode}`"
            answer = "`ask`" if outcome == A_PERSON_DECIDES else "`deny`"
            lines.append(f"| {host.title} | {named} | {outcome} | {answer} |")
    return "\n".join(lines) + "\n"


def _agents_table() -> str:
    """What to type for each host, and what is left to a person afterwards."""
    lines = ["| agent | type | then |", "| --- | --- | --- |"]
    for host in catalog.hosts():
        if host.step:
            lines.append(f"| {host.title} | `gatilho init --host {host.name}` | {host.step} |")
        else:
            other = host_named(FILE_OF_ANOTHER[host.name])
            lines.append(f"| {host.title} | `gatilho init --host {other.name}` | it reads the file of {other.title} |")
    return "\n".join(lines) + "\n"


def _files_table() -> str:
    """Where each host is registered with, in which form, and whether that holds in a subfolder."""
    lines = ["| host | file in the repository | for a person | form | hooks of a project in a subfolder |",
             "| --- | --- | --- | --- | --- |"]  # fmt: skip
    for host in registration.registrable().values():
        own = f", with `--local` `{host.settings.private}`" if host.settings.private else ""
        other = f"; `{TOML_BESIDE}` where that has hooks already" if host.name == "codex" else ""
        form = _FORMS[host.settings.shape] + (" with matchers" if host.matches else "")
        unit = ", limits in milliseconds" if host.settings.unit < 1 else ""
        root = "do not run" if host.only_in_root else "run" if host.version else "not tried"
        files = f"`{host.settings.shared}`{own}{other} | `~/{host.settings.user}`"
        lines.append(f"| {host.title} | {files} | {form}{unit} | {root} |")
    return "\n".join(lines) + "\n"


def _hosts_table() -> str:
    """What each host can do, from its record; "no" is what its protocol has no way for."""
    titles = ("host", "briefing", "note with the prompt", "note before a tool", "note after a tool",
              "note after a failed tool", "ask", "refuse", "turn close", "compaction", "line for the person",
              "characters", "known from")  # fmt: skip
    lines = ["| " + " | ".join(titles) + " |", "| --- " * len(titles) + "|"]
    lines += ["| " + " | ".join(_abilities(host)) + " |" for host in catalog.hosts()]
    return "\n".join(lines) + "\n"


def _abilities(host: Host) -> list[str]:
    carried = {kind for name, kind in host.events.items() if name in host.context}
    asks = [outcome == A_PERSON_DECIDES for outcome in host.asks.values()]
    failures = "yes" if host.failed_context else "no"
    return [
        f"{host.title} (`{host.name}`)",
        *("yes" if kind in carried else "no" for kind in (SESSION_START, PROMPT, BEFORE, AFTER)),
        failures,
        "yes" if all(asks) else "in part" if any(asks) else "no",
        "by exit status" if host.by_status else "yes",
        "yes" if TURN_CLOSE in host.events.values() else "no",
        "yes" if COMPACTION in host.events.values() or host.restarts else "no",
        "yes" if host.tells_person else "no",
        f"{host.budget:,}",
        f"version {host.version}" if host.version else "its documents",
    ]


def _events_table() -> str:
    lines = ["| host | " + " | ".join(_KINDS) + " |", "| --- " * (len(_KINDS) + 1) + "|"]
    for host in catalog.hosts():
        named = [", ".join(f"`{name}`" for name, found in host.events.items() if found == kind) for kind in _KINDS]
        lines.append(f"| {host.title} | " + " | ".join(names or "–" for names in named) + " |")
    return "\n".join(lines) + "\n"


def _skills() -> dict[str, str]:
    return {name: (ROOT / f"plugin/skills/{name}/SKILL.md").read_text(encoding="utf-8") for name in plugins.SKILLS}


def _tricks() -> str:
    """The ways around the ask that were tried; the tests run each of them."""
    sys.path.insert(0, str(ROOT / "tests"))
    return str(importlib.import_module("tricks").rendered())


def _severity(code: str) -> str:
    """How severe the reader of rows takes a problem of that code."""
    line = LineProblems(b"", "", 1)
    line.add_problem(code, "", "")
    return line.problems[0].severity


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


def main(arguments: list[str]) -> int:
    """Write the documents, or print how they differ."""
    os.environ["COLUMNS"] = "100"  # for argparse
    stale = False
    for name, text in pages().items():
        old = (ROOT / name).read_text(encoding="utf-8") if (ROOT / name).exists() else ""
        if old == text:
            continue
        stale = True
        if arguments == ["--check"]:
            sys.stdout.writelines(
                difflib.unified_diff(old.splitlines(True), text.splitlines(True), name, f"{name} by scripts/docs")
            )
        else:
            (ROOT / name).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / name).write_text(text, encoding="utf-8", newline="\n")
            print(f"wrote {name}")
    return 1 if stale and arguments == ["--check"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
