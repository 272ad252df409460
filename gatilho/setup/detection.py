"""Which hosts are here: installed on this machine, or used in the repository already."""

import os
import shutil

from gatilho.hosts import Host, catalog
from gatilho.model import Value


class Detected(Value):
    """A host that was found, and what shows it, for people."""

    host: Host
    signs: tuple[str, ...]


def detect_hosts(root: str) -> list[Detected]:
    """Return the hosts that are found; root: of the repository, "" to look at the machine alone."""
    found = [Detected(host, _signs_of(host, root)) for host in catalog.hosts()]
    return [one for one in found if one.signs]


def _signs_of(host: Host, root: str) -> tuple[str, ...]:
    files = (*host.traces, host.settings.shared, host.settings.private) if root else ()
    there = [name for name in dict.fromkeys(files) if name and os.path.exists(f"{root}/{name}")]
    # A file in a folder that is named already shows nothing more.
    own = [name for name in there if not any(name != above and name.startswith(above) for above in there)]
    started = f"the program `{host.program}`"
    return (*([started] if host.program and shutil.which(host.program) else []), *own)
