"""Our hooks in a settings file that is TOML: one block between two comments, put at the end."""

import json
import re
import tomllib

from gatilho.errors import DocumentError
from gatilho.hosts import Host
from gatilho.setup import registration

_FIRST = "# gatilho: `gatilho uninstall` removes all down to the line that ends this."
_LAST = "# gatilho: end."
# Which hooks a person trusts is kept beside them, in the settings of that person alone.
_TRUST = "state"
_BLOCK = re.compile(rf"(?:\r?\n)?^{re.escape(_FIRST)}$.*?^{re.escape(_LAST)}(?:\r?\n|\Z)", re.MULTILINE | re.DOTALL)


def has_hooks(text: str, file: str) -> bool:
    """Return whether hooks are registered in the file, ours or others; raises DocumentError where it is not TOML."""
    hooks = _parsed(text, file).get("hooks")
    return isinstance(hooks, dict) and any(key != _TRUST for key in hooks)


def has_block(text: str) -> bool:
    """Return whether our block is there."""
    return _BLOCK.search(text) is not None


def append_block(text: str, file: str, host: Host, command: str) -> str:
    """Return the settings with our block at the end, or in its place where it is there and of an older form.

    Raises DocumentError where the file is not TOML, or has its hooks in a form that takes no more tables.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    block = newline.join([_FIRST, *_lines(host, command), _LAST])
    found = _BLOCK.search(text)
    if found:
        new = text[: found.start()] + found[0].replace(found[0].strip("\r\n"), block) + text[found.end() :]
    else:
        # The blank line, and the line end that the text may lack, go with the block.
        new = text + newline + block + (newline if text.endswith("\n") else "")
    _parsed(new, file)
    return new


def remove_block(text: str, file: str) -> str:
    """Return the settings without our block, "" where nothing else is left."""
    left = _BLOCK.sub("", text)
    _parsed(left, file)
    return left if left.strip() else ""


def _lines(host: Host, command: str) -> list[str]:
    lines = []
    for event in host.limits:
        lines += [f"[[hooks.{event}]]", f"[[hooks.{event}.hooks]]"]
        # A JSON string of ASCII is a TOML string.
        lines += [f"{key} = {json.dumps(value)}" for key, value in registration.handler(host, event, command).items()]
    return lines


def _parsed(text: str, file: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DocumentError(
            f"{file}: this is not TOML, or its hooks are in a form that takes no more ({error}); nothing was written. "
            "Correct it and try again."
        ) from None
