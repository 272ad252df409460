"""Files that are ours whole: the module of a host that starts no command, and scripts named after events."""

import json
import os
import re

from gatilho import bounded
from gatilho.errors import GatilhoError
from gatilho.hosts import Host
from gatilho.setup.dispatcher import package_folder
from gatilho.setup.registration import is_ours

_MARK = "// gatilho's module"
# A module of a person's own that starts us by a list of words.
_WORDS = re.compile(r"""["'`]gatilho(?:\.exe)?["'`]\s*,\s*\[\s*["'`]hook["'`]""")
_HEAD = "#!/bin/sh\n# gatilho's hook: `gatilho uninstall` removes it.\n"


def module_text(text: str, file: str, host: Host, command: str) -> str:
    """Return the module of a host for a command; a person's own that calls us stays.

    Raises GatilhoError where another's is in its place.
    """
    if text.strip() and not is_our_module(text):
        if module_calls_us(text):
            return text
        raise GatilhoError(f"{file} is there and is not gatilho's; nothing was written. Move it away and try again.")
    text = bounded.read(os.path.join(package_folder(), "starter", f"{host.name}.js")).decode("utf-8")
    return text.replace('"COMMAND"', json.dumps(command))


def script_text(text: str, file: str, host: Host, command: str) -> str:
    """Return the script of one event for a command; a person's own that calls us stays.

    Raises GatilhoError where another's is in its place.
    """
    if text.strip() and not is_our_script(text):
        if script_calls_us(text):
            return text
        raise GatilhoError(
            f"{file} is there and is not gatilho's; nothing was written. Move it away, or hand its input to "
            f"`gatilho hook --host {host.name}` in it, and try again."
        )
    return f"{_HEAD}{command}\n"


def is_our_module(text: str) -> bool:
    """Return whether the text is a module of ours."""
    return text.startswith(_MARK)


def module_calls_us(text: str) -> bool:
    """Return whether a module calls us, ours or a person's own."""
    return is_our_module(text) or _WORDS.search(text) is not None or _has_call(text, "//")


def is_our_script(text: str) -> bool:
    """Return whether the text is a script of ours."""
    return text.startswith(_HEAD)


def script_calls_us(text: str) -> bool:
    """Return whether a line of a script calls us."""
    return _has_call(text, "#")


def _has_call(text: str, comment: str) -> bool:
    return any(is_ours({"command": line}) for line in text.splitlines() if not line.lstrip().startswith(comment))
