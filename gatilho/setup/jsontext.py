"""Edits JSON as text: a value is put in or taken out by a splice, and all that was written around it stays.

Comments of JavaScript and a comma after the last entry are allowed, as some hosts allow them; they stay, too.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from gatilho.errors import DocumentError
from gatilho.model import Value

_BLANK = re.compile(r"[ \t\r\n]*")
# A text comes first: what looks like a comment in it belongs to it.
_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\r\n]*|/\*.*?\*/', re.DOTALL)
# A comma after the last entry; what is no value before a comma comes first, for that comma is wrong everywhere.
_LAST_COMMA = re.compile(r'"(?:[^"\\\n]|\\.)*"|[\[{,:][ \t\r\n]*,|,(?=[ \t\r\n]*[\]}])')
# A comment after a value on its own line, which is about that value.
_REMARK = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/[ \t]*(?=[\r\n]))")
# After the opening of what was empty before a value was put in: taken out again, it is left empty and not removed.
_WAS_EMPTY = " "


class Node(Value):
    """A value in the text: its span, and what it holds when it is an object or an array.

    depth: how many objects and arrays are around it. children: (key, start of the whole entry, node) in order; the key
    is "" in an array.
    """

    start: int
    end: int
    opening: str
    depth: int
    children: "tuple[tuple[str, int, Node], ...]"

    def get(self, key: str) -> "Node | None":
        """Return the value of a key; of two equal keys the last, as `json` has it. None where there is none."""
        return next((node for name, _, node in reversed(self.children) if name == key), None)

    def index_of(self, node: "Node") -> int:
        """Return the place among the children."""
        return next(i for i, (_, _, child) in enumerate(self.children) if child.start == node.start)


def without_comments(text: str) -> str:
    """Return the text with blanks in the place of each comment: whatever else is in it stays where it is."""
    return _COMMENT.sub(lambda found: found[0] if found[0][0] == '"' else _blanked(found[0]), text)


def _blanked(comment: str) -> str:
    return re.sub(r"[^\r\n]", " ", comment)


def data_of(text: str) -> Any:
    """Return what a text means, comments left out; raises ValueError where it is not JSON."""
    return json.loads(_strict(text))


def value_of(text: str, node: Node) -> Any:
    """Return what a value in a text means."""
    return data_of(text[node.start : node.end])


def first_comment(text: str) -> int:
    """Return where the first comment begins, -1 where there is none."""
    return next((found.start() for found in _COMMENT.finditer(text) if found[0][0] != '"'), -1)


def first_last_comma(text: str) -> int:
    """Return the place of the first comma after a last entry, -1 where there is none."""
    return next((found.start() for found in _LAST_COMMA.finditer(without_comments(text)) if found[0] == ","), -1)


def _strict(text: str) -> str:
    """Return the text with blanks in the place of comments and of commas after a last entry."""
    return _LAST_COMMA.sub(lambda found: " " if found[0] == "," else found[0], without_comments(text))


def parse_json(text: str, file: str) -> Node:
    """Return the outermost value; raises DocumentError with file, line and column where the text is not JSON."""
    bare = _strict(text)
    try:
        json.loads(bare)
    except json.JSONDecodeError as error:
        where = f"{file}:{error.lineno}:{error.colno}"
        message = f"{where}: this is not JSON ({error.msg}); nothing was written. Correct it and try again."
        raise DocumentError(message) from None
    return _value(bare, _blank(bare, 0), 0)


def insert(text: str, parent: Node, key: str, value: Any) -> str:
    """Return the text with the value as the last entry of an object (under the key) or of an array."""
    last = parent.children[-1][2].end if parent.children else 0
    comma = _comma_after(text, last)
    # A comma after the last entry is its writer's style, so the new last entry has one, too.
    at, before, after = (last, ",", "") if comma < 0 else (comma + 1, "", ",")
    if parent.children and "\n" not in text[parent.start : parent.end]:
        return f"{text[:at]}{before} {_entry(key, _compact(value))}{after}{text[at:]}"
    lines = _entry(key, json.dumps(value, indent=_unit(text), ensure_ascii=False)).split("\n")
    newline = "\r\n" if "\r\n" in text else "\n"
    indent = _indent(text, parent)
    entry = newline + newline.join(indent + line for line in lines)
    if parent.children:
        end = _after_remark(text, at)
        return text[:at] + before + text[at:end] + entry + after + text[end:]
    inside = text[parent.start + 1 : parent.end - 1]
    closing = newline + _unit(text) * parent.depth
    return text[: parent.start + 1] + _WAS_EMPTY + inside + entry + closing + text[parent.end - 1 :]


def remove(text: str, parent: Node, child: Node) -> str:
    """Return the text without one entry of the object or array."""
    at = parent.index_of(child)
    if len(parent.children) == 1:
        inside = _before(text, parent) if was_empty(text, parent) else ""
        return text[: parent.start + 1] + inside + text[parent.end - 1 :]
    bare, start = without_comments(text), parent.children[at][1]
    if not at:
        own = _after_remark(text, bare.index(",", child.end) + 1)
        following = parent.children[1][1]
        return text[:start] + text[next(_comments(text, own, following), (following, 0))[0] :]
    end = parent.children[at - 1][2].end
    comma = bare.index(",", end)
    kept = max((last for _, last in _comments(text, comma + 1, start)), default=comma + 1)
    following = _comma_after(text, child.end)
    if following >= 0:
        return text[:kept] + text[following + 1 :]
    return text[:end] + text[end:comma] + text[comma + 1 : kept] + text[child.end :]


def was_empty(text: str, parent: Node) -> bool:
    """Return whether an object or array was there, and empty, before its first entry was put in."""
    return bool(parent.children) and "\n" in _gap(text, parent) and _gap(text, parent).startswith(_WAS_EMPTY)


def _gap(text: str, parent: Node) -> str:
    return text[parent.start + 1 : parent.children[0][1]]


def _before(text: str, parent: Node) -> str:
    """Return what was inside before the only entry was put in."""
    return re.sub(r"\r?\n[ \t]*\Z", "", _gap(text, parent).removeprefix(_WAS_EMPTY))


def _comma_after(text: str, at: int) -> int:
    """Return the place of the comma after a value that ends there, -1 where there is none."""
    bare = without_comments(text)
    here = _blank(bare, at)
    return here if bare[here : here + 1] == "," else -1


def _after_remark(text: str, at: int) -> int:
    found = _REMARK.match(text, at)
    return found.end() if found else at


def _comments(text: str, at: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where each comment between two places begins and ends."""
    return (found.span() for found in _COMMENT.finditer(text, at, end))


def replace_value(text: str, node: Node, value: Any) -> str:
    """Return the text with another value in the place of one, indented as its line is."""
    line = text[text.rfind("\n", 0, node.start) + 1 : node.start]
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    newline = "\r\n" if "\r\n" in text else "\n"
    multiline = "\n" in text[node.start : node.end]
    new = json.dumps(value, indent=_unit(text), ensure_ascii=False) if multiline else _compact(value)
    return text[: node.start] + (newline + indent).join(new.split("\n")) + text[node.end :]


def _value(text: str, at: int, depth: int) -> Node:
    opening = text[at]
    if opening not in "{[":
        return Node(at, json.JSONDecoder().raw_decode(text, at)[1], "", depth, ())
    children: list[tuple[str, int, Node]] = []
    here = _blank(text, at + 1)
    while text[here] not in "}]":
        start, key = here, ""
        if opening == "{":
            key, here = json.JSONDecoder().raw_decode(text, here)
            here = _blank(text, _blank(text, here) + 1)
        node = _value(text, here, depth + 1)
        children.append((key, start, node))
        here = _blank(text, node.end)
        if text[here] == ",":
            here = _blank(text, here + 1)
    return Node(at, here + 1, opening, depth, tuple(children))


def _blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    assert found
    return found.end()


def _entry(key: str, value: str) -> str:
    return f"{json.dumps(key, ensure_ascii=False)}: {value}" if key else value


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _unit(text: str) -> str:
    """Return what the file indents by: the blanks before its first indented line, two blanks where none is."""
    found = re.search(r"\n([ \t]+)\S", without_comments(text))
    return found[1] if found else "  "


def _indent(text: str, parent: Node) -> str:
    """Return the blanks before an entry of the parent: those of its last one, else one step more than its own."""
    if parent.children:
        start = parent.children[-1][1]
        line = text[text.rfind("\n", 0, start) + 1 : start]
        if not line.strip(" \t"):
            return line
    return _unit(text) * (parent.depth + 1)
