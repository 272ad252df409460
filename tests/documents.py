"""Documents as tests read them: their fenced blocks and directives in order, and the runs that their blocks describe.

The words behind a fence's language say what a block is for: `run` (commands with their output), `file=PATH` (a file of
the repository), `event` and `answer` (what a hook reads and prints), `before=CODE` and `after` (a table that has that
problem, and one that has none), `said` (a text that the program says), `recipe=PROGRAM` (a
command of a condition), `install=HOST` (what a person types to install the plugin), `register-by-hand=HOST` (what a person types instead of
`gatilho init --host`). Comments `<!-- test: new repository -->` and
`<!-- test: commit -->` act between blocks.
"""

import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from builders import PATIENCE, Repo, write_program

_PIECE = re.compile(
    r"^(?P<indent> *)(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)\n(?P<body>.*?)^(?P=indent)(?P=fence) *$"
    r"|^<!-- test: (?P<directive>[^\n]*?) -->$",
    re.MULTILINE | re.DOTALL,
)
HOME = "/home/ana/shop"  # how documents call the repository


class Piece(NamedTuple):
    """A fenced block, or a directive (then `purpose` is "directive"). argument: what stands behind `=`."""

    purpose: str
    argument: str
    body: str
    line: int


def pieces(path: Path) -> list[Piece]:
    """The blocks and directives of a document, in order; a block of no purpose has the purpose ""."""
    text = path.read_text(encoding="utf-8")
    found = []
    for match in _PIECE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        if match["directive"]:
            found.append(Piece("directive", match["directive"], "", line))
            continue
        words = match["info"].split()
        purpose, _, argument = (words[1] if len(words) > 1 else "").partition("=")
        found.append(Piece(purpose, argument, match["body"], line))
    return found


def commands(body: str) -> list[tuple[str, str]]:
    """The commands of a block (each behind `$ `) and the output that follows each."""
    found: list[tuple[str, list[str]]] = []
    for line in body.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append((line[2:].rstrip("\n"), []))
        elif found:
            found[-1][1].append(line)
    return [(command, "".join(output)) for command, output in found]


def run_command(repo: Repo, command: str, tools: Path) -> str:
    """Run a command as a person does in the repository's root: all that it prints."""
    shim = tools / "gatilho"
    if not shim.exists():
        write_program(shim)
    env = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=repo.root,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=PATIENCE,
    )
    return done.stdout.decode().replace(str(repo.root), HOME)


_VARIES = (
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?"), "WHEN"),
    (re.compile(r"\b[0-9a-f]{40}\b|\b(?=[0-9a-f]*\d)[0-9a-f]{8}(?:[0-9a-f]{2})?\b"), "HEX"),
    (re.compile(r"\d{4}-\d\d-\d\d-HEX"), "DAY-HEX"),
)


def steady(text: str) -> str:
    """The text without what differs from run to run: times, ids of commits and sessions."""
    for pattern, name in _VARIES:
        text = pattern.sub(name, text)
    return "\n".join(line.rstrip() for line in text.rstrip().split("\n"))


def matches(shown: str, printed: str) -> bool:
    """Whether a document shows what was printed; a line `...` in it stands for any lines."""
    parts = [re.escape(part) for part in re.split(r"^\.\.\.$", steady(shown), flags=re.MULTILINE)]
    return re.fullmatch(r"[^\0]*?".join(parts), steady(printed)) is not None
