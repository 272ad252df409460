"""The commands that there are: each module of `gatilho/commands` whose first line says which, and what it does.

Read from the files, so that help imports no command, and a new command is one file.
"""

import os

from gatilho import bounded

# In the order of the help; a group that is not among these comes last.
GROUPS = ("Setting up", "Reading", "Writing", "Settling", "Reviewing", "For hosts")
_FOLDER = os.path.join(os.path.dirname(__file__), "commands")
_MARK = '"""`gatilho '
_FIRST_LINE = 512
_found: list[tuple[str, str, str]] = []


def list_commands() -> list[tuple[str, str, str]]:
    """Return the group, the name and the summary of each command, in the order of the help."""
    if not _found:
        read = [_read(name) for name in sorted(os.listdir(_FOLDER)) if name.endswith(".py")]
        _found.extend(sorted((one for one in read if one), key=lambda one: _rank(one[0])))
    return _found


def help_text() -> str:
    """Return what `gatilho --help` prints."""
    width = max(len(name) for _, name, _ in list_commands())
    lines = [
        "usage: gatilho COMMAND [OPTION]...",
        "",
        "Rules and debts for coding agents, kept in Markdown tables in git.",
    ]
    group = ""
    for named, name, summary in list_commands():
        if named != group:
            lines += ["", f"{named}:"]
            group = named
        lines.append(f"  {name:<{width}}  {summary}")
    return "\n".join(
        [*lines, "", "`gatilho help COMMAND` explains a command; `gatilho --version` prints the version.", ""]
    )


def _read(name: str) -> tuple[str, str, str] | None:
    """Read a first line such as `gatilho list` (Reading): list the rows; None for a module that is not a command."""
    line = bounded.head(os.path.join(_FOLDER, name), _FIRST_LINE).split(b"\n", 1)[0].decode("utf-8", "replace").rstrip()
    called, closed, rest = line.removeprefix(_MARK).partition("` (")
    group, colon, summary = rest.partition("): ")
    if not (line.startswith(_MARK) and closed and colon):
        return None
    return group, called, summary.removesuffix('"""').removesuffix(".")


def _rank(group: str) -> int:
    return GROUPS.index(group) if group in GROUPS else len(GROUPS)
