"""The hook: one event on standard input, at most one answer on standard output, exit 0 whatever happens.

Most events match no row. For these nothing is imported but what this module and `fast_path` name.
"""

import gc
import marshal
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER

from gatilho import system as os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from gatilho.hosts import Host
    from gatilho.hosts.event import Event, Reply

# Bytes of a compiled module: ours have half as many, and for more the memory would be mapped anew.
_LONGEST = 96 << 10
# How one begins that was compiled by its source's time and size, which follow as words of 32 bits.
_BY_TIME, _WORD = MAGIC_NUMBER + bytes(4), 0xFFFFFFFF
# Read at once: an event is a few kilobytes, now and then some megabytes.
_CHUNK = 1 << 20
# Errors of a disk: it fails, it is full, the person's share of it is used up.
_OF_DISK = (5, 28, 122)


def main(argv: list[str] | None = None) -> int:
    """Answer the event on standard input.

    Returns 0, for no fault of ours may stop the agent; 2 only where a host takes a refusal in no other way.
    """
    gc.disable()  # a process this short leaves nothing that is worth collecting
    sys.meta_path[:] = [_Compiled, *sys.meta_path, _SiteOnDemand]  # type: ignore[list-item]
    data, host = b"", ""
    refused = False
    try:
        data = _standard_input()
        given = argv if argv is not None else sys.argv[1:]
        host = _option(given, "--host")
        if file := _option(given, "--record"):
            _record(file, data, host)
        out, refused = respond(data, host)
    except Exception as fault:
        out = _answer_to(fault, data, host)
    if out:
        _print(out, 2 if refused else 1)
    return 2 if refused else 0


def _answer_to(fault: Exception, data: bytes, host: str) -> str:
    try:
        from gatilho import fault as faults

        return faults.answer(fault, data, lambda payload: caller_of(payload, host))
    except Exception:
        _leave_unread()
        return ""


def _leave_unread() -> None:
    """Leave a mark in the state folder, so that the person hears of this event at the next.

    The dispatcher leaves the same where it cannot load us.
    """
    try:
        folder = os.getcwd().replace("\\", "/")
        try:
            from gatilho.git.root import find_repository, leave_unread

            if found := find_repository(folder):
                leave_unread(found.shared_state, found.own_state)
                return
        except Exception:
            pass  # no file can be opened, by which one finds where a linked working tree has its state
        while folder and not os.access(f"{folder}/.git/gatilho", os.F_OK):
            folder = folder.rpartition("/")[0]
        os.symlink(".", f"{folder}/.git/gatilho/unread")
        os.symlink(".", f"{folder}/.git/gatilho/waiting")
    except OSError:
        pass  # it is there, or nothing at all can be left


def respond(data: bytes, host: str = "") -> tuple[str, bool]:
    """Return the answer to the bytes of an event, "" for silence, and whether it refuses the tool by the exit status.

    Where the bytes are not a JSON object, a line on standard error says so.
    """
    if not data.strip():
        return "", False
    from gatilho import wire
    from gatilho.hosts import host_named
    from gatilho.hosts.event import BEFORE, SESSION_START

    try:
        payload = wire.decode(data)
    except ValueError as error:
        if not (host and host_named(host).quiet_errors):  # which would show it to the person, on every call
            _complain(f"the event on standard input cannot be read and was let pass: {error}")
        return "", False
    if not isinstance(payload, dict):
        return "", False
    caller = caller_of(payload, host)
    event = caller.read(payload)
    if host and host != caller.name and event.kind in ("", SESSION_START):
        _complain_of_host(host, caller)
    if not event.kind:
        return "", False
    from gatilho import fast_path

    call = fast_path.read_call(event)
    if fast_path.no_row_matches(event, call):
        return "", False
    from gatilho.ladder import events

    reply = events.handle_event(event, caller, call)
    return _text_of(caller, event, reply), caller.by_status and event.kind == BEFORE and bool(reply.decision)


def caller_of(payload: dict[str, object], named: str) -> "Host":
    """Return the record of the host that sent a payload to a command which names a host, or none ("").

    VS Code runs what is registered for Claude Code and for Copilot, and takes neither's answers on every event.
    """
    from gatilho.hosts import host_named

    host = host_named(named or _detected(payload))
    if named and host.name != named:
        from gatilho.described_host import register_described

        if described := register_described(named):
            return described
        host = host_named(_detected(payload))
    return host_named("vscode") if "hookEventName" in payload else host


def _complain_of_host(name: str, read_as: "Host") -> None:
    """Say that no host is called so, where none is."""
    from gatilho.hosts import host_named

    if host_named(name).name == name or read_as.quiet_errors:
        return
    from gatilho.hosts import catalog
    from gatilho.nearest import suggestion

    otherwise = f"Describe it in gatilho.toml as `[hosts.{name}]`."
    meant = suggestion(name, catalog.host_names(), otherwise, "`--host {}`")
    _complain(f"no host is called `{name}`, here or in the gatilho.toml of this folder's repository. {meant}")


def _text_of(host: "Host", event: "Event", reply: "Reply") -> str:
    from gatilho import wire

    answer = host.answer(event, reply)
    return answer if isinstance(answer, str) else wire.encode(answer) if answer else ""


def _detected(payload: dict[str, object]) -> str:
    from gatilho.hosts.detect import host_of

    return host_of(payload)


def _option(argv: list[str], name: str) -> str:
    for i, word in enumerate(argv):
        if word == name and i + 1 < len(argv):
            return argv[i + 1]
        if word.startswith(name + "="):
            return word[len(name) + 1 :]
    return ""


def look_from(argv: list[str]) -> None:
    """Go to the folder that `--root` names, from where an event that names none is looked at."""
    folder = _option(argv, "--root")
    try:
        if folder:
            os.chdir(folder)
    except OSError as error:
        _complain(f"--root {folder} was ignored: {error.strerror}")


def _record(file: str, data: bytes, host: str) -> None:
    """Add the event to a file; a file that cannot be written stops no answer."""
    from gatilho.capture import capture_event

    try:
        capture_event(file, data, host)
    except OSError as error:
        _complain(f"{file} cannot be written ({error.strerror})")


def _standard_input() -> bytes:
    """Return all of it, also when no one cares: a host that writes into a closed pipe fails.

    A host may keep it open after the event, so one whole object is all of it, too.
    """
    from gatilho import wire

    data = os.read(0, _CHUNK)
    while data and not wire.is_whole(data) and (piece := os.read(0, _CHUNK)):
        data += piece
    return data


def _print(text: str, stream: int) -> None:
    data = text.encode("utf-8", "backslashreplace") + b"\n"
    try:
        while data:
            data = data[os.write(stream, data) :]
    except OSError as error:
        if error.errno in _OF_DISK:
            _leave_unread()  # else no one reads the answer any more


def _complain(text: str) -> None:
    try:
        os.write(2, f"gatilho: {text}\n".encode("ascii", "backslashreplace"))
    except OSError:
        pass


class _Compiled:
    """Finds our own modules by what Python keeps of them, compiled: the usual finders take three times as long.

    What is not as usual is left to these: nothing is kept, it is kept elsewhere, the source was changed since.
    """

    @classmethod
    def find_spec(cls, name: str, path: "list[str] | None" = None, target: object = None) -> ModuleSpec | None:
        if path is None or not name.startswith("gatilho."):
            return None
        at = f"{path[0]}/{name.rpartition('.')[2]}"
        try:
            return cls._spec(name, *at.rsplit("/", 1)) or cls._spec(name, at, "__init__")
        except OSError:
            return None

    @classmethod
    def _spec(cls, name: str, folder: str, file: str) -> ModuleSpec | None:
        source, kept = f"{folder}/{file}.py", f"{folder}/__pycache__/{file}.{sys.implementation.cache_tag}.pyc"
        try:
            found = os.stat(source)
        except OSError:
            return None
        handle = os.open(kept, os.O_RDONLY)
        data = os.read(handle, _LONGEST)
        os.close(handle)
        stamp = (int(found.st_mtime) & _WORD | (found.st_size & _WORD) << 32).to_bytes(8, "little")
        if data[:16] != _BY_TIME + stamp or len(data) == _LONGEST:
            return None
        code = marshal.loads(memoryview(data)[16:])
        spec = ModuleSpec(name, cls, origin=source, loader_state=code, is_package=file == "__init__")  # type: ignore[arg-type]
        spec.has_location, spec.cached = True, kept
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(folder)
        return spec

    @staticmethod
    def create_module(spec: ModuleSpec) -> None:
        """Leave it to the import system to make the module."""

    @staticmethod
    def exec_module(module: "ModuleType") -> None:
        exec(module.__spec__.loader_state, module.__dict__)  # type: ignore[union-attr]


def _beside_interpreter() -> list[str]:
    """Return where packages are in an environment made for the interpreter that runs."""
    folder = sys.executable.replace("\\", "/").rpartition("/")[0]
    above = folder.rpartition("/")[0]
    major, minor = sys.version_info[:2]
    places = [f"{above}/lib/python{major}.{minor}/site-packages", f"{above}/Lib/site-packages"]
    return [place for place in places if os.access(f"{above}/pyvenv.cfg", os.R_OK) and os.access(place, os.R_OK)]


def _found(name: str, other_than: object) -> object:
    finders = [finder for finder in sys.meta_path if finder is not other_than]
    return next((spec for finder in finders if (spec := finder.find_spec(name, None))), None)


class _SiteOnDemand:
    """Finds third-party packages under `-S`: beside the interpreter, else where `site.main()` makes them be found.

    `site` takes as long as our own modules together. A standard module that is not there belongs to another platform.
    """

    @classmethod
    def find_spec(cls, name: str, path: object = None, target: object = None) -> object:
        if path is not None or name in sys.stdlib_module_names or name.split(".")[0] == "gatilho":
            return None
        if not sys.flags.no_site:
            return None
        if (beside := _beside_interpreter()) and beside[0] not in sys.path:
            sys.path += beside
            if found := _found(name, cls):
                return found
        if cls in sys.meta_path:  # type: ignore[comparison-overlap]
            sys.meta_path.remove(cls)  # type: ignore[arg-type]
            import site

            site.main()
            return _found(name, cls)
        return None
