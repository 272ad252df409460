"""Writes down what a host sends, for `gatilho replay` and for a host not known here: a line of JSON for each event.

What could be private is cut before it is written, and each field keeps its name and its type: contents of files,
answers of tools, long texts, secrets by the name of their field or by their shape.
"""

import json
import os
import re

from gatilho import files, wire
from gatilho.git.root import find_repository
from gatilho.hosts.event import data_in
from gatilho.secret_shapes import masked

# Fields that hold what is in files, or what a tool or the model said.
_CONTENTS = re.compile(
    r"content|old_?s|new_?s|body|output|stdout|stderr|last_?assistant|summary|diff|original|replacement|instruction|"
    r"response|code$|text$|^source$|^data$|^value$|^error$|^edits$|message",
    re.IGNORECASE,
)
# Below these everything is an answer or as private as one, except names of files.
_ANSWERS = re.compile(r"(tool_?)?(response|result)|llmcontent|headers?|env|environment|variables", re.IGNORECASE)
_SECRETS = re.compile(
    r"token|secret|passw|passphrase|pwd|(api|private|access|ssh|signing|encryption)_?key|auth$|authorization|bearer|"
    r"cookie|credential|email",
    re.IGNORECASE,
)
_COMMANDS = re.compile(r"^(cmd|command|command_?line|commands|script)$", re.IGNORECASE)
_PROMPTS = re.compile(r"prompt$", re.IGNORECASE)
_PATHS = re.compile(r"path|file$|filename|^cwd$|director|^uri$", re.IGNORECASE)
_PATCH = re.compile(r"^\*\*\* Begin Patch.*?(?:^\*\*\* End Patch|\Z)", re.DOTALL | re.MULTILINE)
# A longer text, or one of several lines, is taken for a content whatever its field is called.
_LONGEST = 300
_HEREDOC = re.compile(r"(<<-?[ \t]*(['\"]?)(\w+)\2[^\n]*\n)(.*?)(\n[ \t]*\3[ \t]*(?:\n|\Z))", re.DOTALL)
_QUOTED = r"""(?:'[^']*'|"(?:[^"\\]|\\.)*")"""
# What a command writes by its text: here-strings, what is printed into a file, programs of one line.
_WRITTEN = re.compile(
    rf"(<<<[ \t]*)(?:{_QUOTED}|[^\s|;&<>]+)"
    rf"|(\b(?:echo|printf)\b(?:[ \t]+-\w+)*[ \t]+)(?:{_QUOTED}|[^|;&>\n'\"])+?"
    r"(?=[ \t]*(?:>|\|[ \t]*(?:sudo[ \t]+)?tee\b))"
    rf"|(\b(?:python[\d.]*|node|deno|ruby|perl|php)\b[^|;&\n]*?[ \t]-\w*[cer][ \t]+){_QUOTED}"
    rf"|(\bsed\b(?:[ \t]+-[\w.-]+)*[ \t]+){_QUOTED}"
)
# The name or option before a secret, or what a person says of one, and then the secret.
_ASSIGNED = re.compile(
    r"(?i)((?:[\w-]*(?:token|secret|passw|passphrase|credential|authorization|auth)[\w-]*|\w*(?:key|pwd|pass))"
    r"(?:[\"']?[ \t]*[=:][ \t]*|[ \t]+is[ \t]+)(?:(?:bearer|basic|token)[ \t]+)?"
    r"|--[\w-]*(?:password|token|secret|key|user)[= ]"
    r"|\bcurl\b[^|;&\n]*?[ \t]-u[ \t]*|\bmysql\w*\b[^|;&\n]*?[ \t]-p)"
    rf"(?:{_QUOTED}|[^\s\"'|;&<>]+)"
)
# One word in a command, however it is quoted: brackets would be redirections, and stars name files.
_CUT_WORD = "CUT"
_STARS = re.compile(r"\*{8,}")


def capture_event(path: str, data: bytes, host: str) -> None:
    """Write one event to the end of the file at path. host: as the command names it, "" where it names none."""
    try:
        payload = cut_payload(wire.decode(data))
    except ValueError:
        payload = _cut(data.decode("utf-8", "replace"))
    repository = find_repository(os.getcwd().replace("\\", "/"))
    line = {"host": host, "root": repository.root if repository is not None else "", "payload": payload}
    files.append_bytes(path, json.dumps(line).encode() + b"\n", 0o600)


def cut_payload(value: object, key: str = "", answered: bool = False) -> object:
    """Return a value of a payload without what could be private; key: the field that holds it."""
    if isinstance(value, dict):
        return {
            name: cut_payload(one, str(name), answered or _ANSWERS.fullmatch(str(name)) is not None)
            for name, one in value.items()
        }
    if isinstance(value, list):
        return [cut_payload(one, key, answered) for one in value]
    return _cut_text(value, key, answered) if isinstance(value, str) else value


def _cut_text(text: str, key: str, answered: bool) -> str:
    if not text:
        return text
    if _SECRETS.search(key):
        return _cut(text)
    if _PATCH.match(text.lstrip()):
        return _cut_patch(text)
    if text[:1] == "{" and (whole := _object_in(text)) is not None:
        return json.dumps(cut_payload(whole, key, answered))
    if _COMMANDS.search(key) and not answered:
        return _cut_command(text)
    if _PATHS.search(key) and "\n" not in text:
        return masked(text)
    if key == "source" and len(text.split()) == 1:  # how a session began
        return masked(text)
    if answered or (_CONTENTS.search(key) and not _PROMPTS.search(key)):
        return _cut(text)
    if _PROMPTS.search(key):
        return _without_secrets(text[:_LONGEST])
    return _cut(text) if len(text) > _LONGEST or "\n" in text.rstrip("\n") else _without_secrets(text)


def _cut_command(text: str) -> str:
    text = _HEREDOC.sub(lambda found: found[1] + ("<cut>" if not _PATCH.match(found[4]) else found[4]) + found[5], text)
    text = _cut_patch(text)
    text = _WRITTEN.sub(lambda found: f"{''.join(filter(None, found.groups()))}'<cut>'", text)
    return _without_secrets(text)


def _without_secrets(text: str) -> str:
    return _STARS.sub(_CUT_WORD, _ASSIGNED.sub(rf"\1{_CUT_WORD}", masked(text)))


def _cut_patch(text: str) -> str:
    """Return the text with the lines of the patch in it cut, except those that name files."""
    return _PATCH.sub(lambda found: "\n".join(_cut_patch_line(line) for line in found[0].split("\n")), text)


def _cut_patch_line(line: str) -> str:
    if line.startswith("@@"):
        return "@@"
    return line if line.startswith("***") or not line else f"{line[0]}<cut>"


def _object_in(text: str) -> dict[str, object] | None:
    """Return the JSON object that a text holds, None for none: one host sends arguments so."""
    found = data_in(text)
    return found if isinstance(found, dict) else None


def _cut(text: str) -> str:
    lines = text.count("\n") + 1
    return f"<cut: {len(text)} characters{f', {lines} lines' if lines > 1 else ''}>"
