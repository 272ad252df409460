"""A row that an import proposes, and the texts that rows are made of. Pure."""

import re

from gatilho.checks.notes import LONGEST_NOTE
from gatilho.document.draft import Draft, without_escaped_pipes
from gatilho.model import Value
from gatilho.workspace.renames import escaped

_ITEM = re.compile(r"^(?P<lead>\s{0,3})(?:[-*+]|\d+[.)])\s+(?P<text>\S.*)$")
_FENCE = re.compile(r"^\s*(```|~~~)")
_HIDDEN = re.compile(r"<!--.*?-->", re.DOTALL)
_SPAN = re.compile(r"`([^`\n]+)`")


class Found(Value):
    """A proposed row. source: `file:line` of what it comes from. rides, state, struck: of a row of another table."""

    draft: Draft
    source: str
    rides: str = "0"
    state: str = ""
    struck: bool = False


def literal(text: str) -> str:
    """Return a regular expression that matches exactly this text; a pipe goes into brackets, which tables keep."""
    return escaped(text).replace("\\|", "[|]")


def path_trigger(path: str) -> str:
    """Return the trigger of one file, or of all files below a folder whose path ends in `/`."""
    return f"path: ^{literal(path)}{'' if path.endswith('/') else '$'}"


def condition_path(path: str) -> str:
    """Return a path as a condition names it."""
    if not set(path) & set(" \t'\"\\*?["):
        return path
    if not set(path) & set("'*?["):
        return f"'{path}'"
    return "".join(f"\\{letter}" if letter in " \t'\"\\*?[" else letter for letter in path)


def note_of(text: str) -> str:
    """Return a text as a note: one line, cut at a word where it is too long."""
    line = " ".join(_HIDDEN.sub(" ", text).split())
    if len(line) <= LONGEST_NOTE:
        return line
    return line[: LONGEST_NOTE - 1].rpartition(" ")[0] + "…"


def glob_triggers(globs: list[str]) -> tuple[str, ...]:
    """Return globs of another tool as triggers: alternatives in braces one by one, without a leading `./`."""
    plain = [one.removeprefix("./") for glob in globs for one in _alternatives(glob.replace("\\", "/"))]
    return tuple(f"glob: {one}" for one in dict.fromkeys(plain) if one)


def _alternatives(glob: str) -> list[str]:
    start = glob.find("{")
    end = glob.find("}", start)
    if start < 0 or end < 0:
        return [glob]
    return [
        found
        for part in glob[start + 1 : end].split(",")
        for found in _alternatives(glob[:start] + part.strip() + glob[end + 1 :])
    ]


def regex_trigger(kind: str, pattern: str) -> str:
    """Return a trigger with another tool's pattern."""
    return f"{kind}: {without_escaped_pipes(pattern)}"


def items_of(text: str, first_line: int = 1) -> list[tuple[int, str]]:
    """Return the list items at the top level of a Markdown text with their lines; nested ones belong to their item."""
    found: list[tuple[int, str]] = []
    in_fence = is_open = False
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), first_line):
        if _FENCE.match(line):
            in_fence, is_open = not in_fence, False
            continue
        item = None if in_fence else _ITEM.match(line)
        if item and (len(item["lead"]) < 2 or not is_open):
            found.append((number, item["text"].strip()))
            is_open = True
        elif in_fence or not line.strip() or line.startswith("#"):
            is_open = False
        elif is_open:
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
    return found


def spans_of(text: str) -> list[str]:
    """Return what a text has in backticks."""
    return [one.strip() for one in _SPAN.findall(text)]
