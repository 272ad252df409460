"""The hook: one event on standard input, at most one answer on standard output, exit 0 whatever happens.

Most events concern no row. For these nothing is imported but what this module and `quiet` name.
"""

import gc
import sys

try:
    import posix as os
except ImportError:  # Windows
    import os  # type: ignore[no-redef]

from gatilho.hosts import wire
from gatilho.hosts.event import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.hosts.event import Adapter

# Read at once: an event is a few kilobytes, now and then some megabytes.
_CHUNK = 1 << 20


def main(argv: list[str] | None = None) -> int:
    """Answer the event on standard input; always 0, for no fault of ours may stop the agent."""
    gc.disable()  # a process this short leaves nothing that is worth collecting
    sys.meta_path.append(_SiteOnDemand)  # type: ignore[arg-type]
    data, host = b"", ""
    try:
        data = _standard_input()
        host = _host_named(argv if argv is not None else sys.argv[1:])
        out = respond(data, host)
    except Exception as fault:
        from gatilho import fault as faults

        out = faults.answer(fault, data, host)
    if out:
        _print(out)
    return 0


def respond(data: bytes, host: str = "") -> str:
    """Return the answer to the bytes of an event, "" for silence.

    A line on standard error where they are no JSON object.
    """
    if not data.strip():
        return ""
    try:
        payload = wire.decode(data)
    except ValueError as error:
        if host != "gemini":  # which would show it to the person, on every call
            _complain(f"the event on standard input cannot be read and was let pass: {error}")
        return ""
    if not isinstance(payload, dict):
        return ""
    adapter = adapter_of(host or _detected(payload))
    event = adapter.read(payload)
    if not event.kind or _quiet(event):
        return ""
    from gatilho.ladder import events

    answer = adapter.answer(event, events.handle(event, adapter))
    return wire.encode(answer) if answer else ""


def adapter_of(host: str) -> "Adapter":
    """Return the module that speaks with the host; Claude Code's for a name that is not known."""
    if host == "codex":
        from gatilho.hosts import codex as adapter
    elif host == "gemini":
        from gatilho.hosts import gemini as adapter  # type: ignore[no-redef]
    elif host == "cursor":
        from gatilho.hosts import cursor as adapter  # type: ignore[no-redef]
    else:
        from gatilho.hosts import claude as adapter  # type: ignore[no-redef]
    return adapter


def _quiet(event: Event) -> bool:
    from gatilho import quiet

    return quiet.nobody_is_concerned(event)


def _detected(payload: dict[str, object]) -> str:
    from gatilho.hosts.detect import host_of

    return host_of(payload)


def _host_named(argv: list[str]) -> str:
    for i, word in enumerate(argv):
        if word == "--host" and i + 1 < len(argv):
            return argv[i + 1]
        if word.startswith("--host="):
            return word[7:]
    return ""


def _standard_input() -> bytes:
    """Return all of it, also when no one cares: a host that writes into a closed pipe fails."""
    pieces = []
    while piece := os.read(0, _CHUNK):
        pieces.append(piece)
    return b"".join(pieces)


def _print(text: str) -> None:
    data = text.encode("ascii") + b"\n"
    try:
        while data:
            data = data[os.write(1, data) :]
    except OSError:
        pass  # no one reads the answer any more


def _complain(text: str) -> None:
    try:
        os.write(2, f"gatilho: {text}\n".encode("ascii", "backslashreplace"))
    except OSError:
        pass


class _SiteOnDemand:
    """Finds third-party packages under `-S`: the first import that fails without them runs `site.main()`.

    A standard module that is not there belongs to another platform.
    """

    @classmethod
    def find_spec(cls, name: str, path: object = None, target: object = None) -> object:
        if path is not None or name in sys.stdlib_module_names or name.split(".")[0] == "gatilho":
            return None
        if not sys.flags.no_site:
            return None
        if cls in sys.meta_path:  # type: ignore[comparison-overlap]
            sys.meta_path.remove(cls)  # type: ignore[arg-type]
            import site

            site.main()
            from importlib.machinery import PathFinder

            return PathFinder.find_spec(name)
        return None
