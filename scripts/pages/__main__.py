"""Writes the generated parts of the documentation: each stands between two comments that name it."""

import contextlib
import difflib
import importlib
import io
import os
import sys
from pathlib import Path

from gatilho import cli, configfile
from gatilho.checks import registry
from gatilho.compare import facts
from gatilho.hosts import asking
from gatilho.store import rows
from gatilho.store.complaints import Line

ROOT = Path(__file__).resolve().parent.parent.parent
# What the readers of files and of the configuration find; no check of its own has them.
_OTHERS = (
    ("GT100", "error", "a file of the store cannot be read"),
    (configfile.SYNTAX, "error", "the configuration is no TOML or cannot be read"),
    (configfile.UNKNOWN_KEY, "error", "the configuration has an unknown key"),
    (configfile.WRONG_VALUE, "error", "a value of the configuration does not fit its key"),
    (configfile.TWO_FILES, "error", "two files configure gatilho: gatilho.toml holds"),
    (configfile.HALF_A_KIND, "error", "a kind has a half-life or a time to live, but not both"),
)

# Those whose events are read, in the order in which the documents speak of them.
_HOSTS = ("claude", "codex", "gemini", "cursor")


def pages() -> dict[str, str]:
    """What the documents should say, by name."""
    return {
        "README.md": _with_part("README.md", "commands", _commands_table()),
        "docs/format.md": _with_part("docs/format.md", "problems", _problems_table()),
        "docs/hooks.md": _with_part("docs/hooks.md", "asking", _asking_table()),
        "docs/commands.md": _with_part("docs/commands.md", "help", _help_of_all()),
    }


def _with_part(name: str, part: str, text: str) -> str:
    """The document with the named part written anew."""
    begin, end = f"<!-- {part}: written by scripts/docs -->\n", f"<!-- end of {part} -->\n"
    before, found, rest = (ROOT / name).read_text(encoding="utf-8").partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        sys.exit(f"scripts/docs: {name} has no part between `{begin.strip()}` and `{end.strip()}`")
    return f"{before}{begin}\n{text}\n{end}{after}"


def _commands_table() -> str:
    lines = [f"| `gatilho {name}` | {_escaped(summary)} |" for _, name, summary in cli.COMMANDS]
    return "\n".join(["| command | what it does |", "| --- | --- |", *lines]) + "\n"


def _help_of_all() -> str:
    parts, group = [], ""
    for named, name, summary in cli.COMMANDS:
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
    for host in _HOSTS:
        modes = asking.TABLE.get(host, {})
        fates = {mode: fate for mode, fate in modes.items() if mode not in ("", asking.ANY)}
        fates["any" if len(modes) == 1 else "any other"] = asking.fate(host, "no such mode")
        for mode, fate in fates.items():
            named = mode if mode.startswith("any") else f"`{mode}`"
            answer = "`ask`" if fate == asking.A_PERSON_DECIDES else "`deny`"
            lines.append(f"| {host} | {named} | {fate} | {answer} |")
    return "\n".join(lines) + "\n"


def _severity(code: str) -> str:
    """How severe the reader of rows takes a problem of that code."""
    line = Line(b"", "", 1)
    line.complain(code, "", "")
    return line.problems[0].severity


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


def main(arguments: list[str]) -> int:
    """Write the documents, or print how they differ."""
    os.environ["COLUMNS"] = "100"  # for argparse
    stale = False
    for name, text in pages().items():
        old = (ROOT / name).read_text(encoding="utf-8")
        if old == text:
            continue
        stale = True
        if arguments == ["--check"]:
            sys.stdout.writelines(
                difflib.unified_diff(old.splitlines(True), text.splitlines(True), name, f"{name} by scripts/docs")
            )
        else:
            (ROOT / name).write_text(text, encoding="utf-8", newline="\n")
            print(f"wrote {name}")
    return 1 if stale and arguments == ["--check"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
