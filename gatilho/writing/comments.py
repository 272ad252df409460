"""Debts from TODO and FIXME comments: each is paid when that very comment is gone and its file is still there."""

import re
from collections.abc import Iterator

from gatilho import bounded
from gatilho.document.draft import Draft
from gatilho.git.blame import blamed
from gatilho.model import Value
from gatilho.writing.found import Found, condition_path, literal, note_of, path_trigger

_MARKED = re.compile(
    r"(?P<lead>^\s*\*+\s+|#+[ \t]*|//+!?[ \t]*|/\*+[ \t]*|<!--[ \t]*|(?<![\w-])--[ \t]+|^\s*[;%]+[ \t]*)"
    r"(?P<text>@?(?:TODO|FIXME)\b(?!-\w)[^\n]*)"
)
# A name, not a version such as `py313`.
_OWNER = re.compile(r"^@?(?:TODO|FIXME)\(@?([A-Za-z][\w-]*[A-Za-z_])\)")
_WORDS = re.compile(r"^@?(?:TODO|FIXME)(?:\([^)]*\))?[\s:.,!-]*")
# What comments say to other tools.
_TO_TOOLS = re.compile(r"^(?:@|:|-|(?:eslint|biome|prettier|stylelint|noqa|pylint|mypy|ruff|type:|fmt:|pragma)\b)")
_CLOSING = re.compile(r"\s*(?:\*+/\}?|-->|#\}|%>)\s*$")
_HASH_IS_NO_COMMENT = (".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc", ".html", ".css", ".json")
# Bytes of a file, and characters of a line: larger ones are generated.
_LARGEST, _LONGEST_LINE = 1_000_000, 500
# Lines after the first one that go on with the sentence.
_MORE_LINES = 3
_SECONDS = 30


class Comment(Value):
    """A comment that owes something: its line (from 1), its text on that line, and the whole sentence."""

    line: int
    text: str
    sentence: str

    @property
    def owner(self) -> str:
        """Return whom the comment names, "" where it names no one."""
        named = _OWNER.match(self.text)
        return named[1] if named else ""


def find_comments(name: str, text: str) -> list[Comment]:
    """Return the comments of a file that say what is to be done; bare marks say nothing and are left out."""
    lines = text.replace("\r\n", "\n").split("\n")
    found = []
    for number, line in enumerate(lines):
        if len(line) > _LONGEST_LINE or ("TODO" not in line and "FIXME" not in line):
            continue
        marked = _MARKED.search(line)
        if marked is None or (marked["lead"].startswith("#") and name.lower().endswith(_HASH_IS_NO_COMMENT)):
            continue
        first = _CLOSING.sub("", marked["text"]).rstrip()
        if not _WORDS.sub("", first).strip():
            continue
        more = "" if _CLOSING.search(line) else _going_on(lines[number + 1 :], marked["lead"].strip())
        found.append(Comment(number + 1, first, f"{first} {more}".strip()))
    return found


def _going_on(lines: list[str], lead: str) -> str:
    """Return the rest of a sentence on the comment lines that follow."""
    said = []
    for line in lines[:_MORE_LINES]:
        body = line.strip()
        mark = "*" if lead.startswith(("/*", "*")) else lead
        text = _CLOSING.sub("", body.removeprefix(mark)).strip()
        is_marked = "TODO" in text or "FIXME" in text
        if not body.startswith(mark) or not text or is_marked or _TO_TOOLS.match(text):
            break
        said.append(text)
        if _CLOSING.search(body) or text.endswith("."):
            break
    return " ".join(said)


def import_comments(root: str, names: list[str]) -> Iterator[Found]:
    """Yield a debt for each comment in the tracked files of those names; owner and day are git's."""
    for name in names:
        data = bounded.read_quietly(f"{root}/{name}")
        if len(data) > _LARGEST or (b"TODO" not in data and b"FIXME" not in data) or b"\0" in data[:8000]:
            continue
        comments = find_comments(name, data.decode("utf-8", "replace"))
        unique = {comment.text: comment for comment in reversed(comments)}
        known = blamed(root, name, [comment.line for comment in unique.values()], _SECONDS)
        for comment in sorted(unique.values(), key=lambda one: one.line):
            yield _as_debt(name, comment, *known.get(comment.line, ("", "")))


def _as_debt(name: str, comment: Comment, author: str, day: str) -> Found:
    words = _WORDS.sub("", comment.sentence)
    mark = "FIXME" if "FIXME" in comment.text[:7] else "TODO"
    note = note_of(f"{name} has a {mark}: {words}")
    draft = Draft(
        lifecycle="debt", triggers=(path_trigger(name),), note=note, owner=comment.owner or author, added=day,
        conditions=(f"lacks {condition_path(name)} {literal(comment.text)}",),
    )  # fmt: skip
    return Found(draft, f"{name}:{comment.line}", state="owed")
