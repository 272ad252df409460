"""Our module for a host that starts no command: it hands each event over, and acts on the answer."""

import json
import os

from gatilho.errors import GatilhoError
from gatilho.files import read_bytes
from gatilho.hosts import Host
from gatilho.setup.dispatcher import package_folder

_MARK = "// gatilho's module"


def module_text(text: str, file: str, host: Host, command: str) -> str:
    """Return the module of a host for a command; raises GatilhoError where another's file is in its place."""
    if text.strip() and not is_our_module(text):
        raise GatilhoError(f"{file} is there and is not gatilho's; nothing was written. Move it away and try again.")
    text = read_bytes(os.path.join(package_folder(), "starter", f"{host.name}.js")).decode("utf-8")
    return text.replace('"COMMAND"', json.dumps(command))


def is_our_module(text: str) -> bool:
    """Return whether the text is a module of ours."""
    return text.startswith(_MARK)
