"""A process that has imported the package once and forks a child for each run of the hook or the command line.

A child is a process of its own with its own folder, environment and pipes, as when an interpreter is started for it;
only the start of the interpreter and the imports are spared, which take most of the time of a run. What is about
these (the dispatcher, the imports of the hook, kills, locales) starts an interpreter.

    python [-I -S] fork_server.py SOCKET DISPATCHER [here]    the dispatcher is run, or the command line where it is ""

With `here` nothing is forked: the runs follow each other in this process. To fork takes three times as long as a hook
works, and as long as most commands do. A run leaves nothing in the modules that the next one could take up but KEPT
(tests/test_forked.py).
"""

import gc
import json
import os
import select
import signal
import socket
import sys
import time
from types import CodeType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# The rooms that an event may come through. A fork takes longer the more is loaded.
_OF_EVENTS = tuple(
    f"gatilho.{room}."
    for room in ("conditions", "document", "git", "hosts", "index", "ladder", "shell", "store", "triggers", "verbs")
)
# Start once, import what is large, and would make each fork of the command line twice as long.
_SERVERS = ("gatilho.agents.tool_server", "gatilho.editor.language_server")
CHECKOUT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# What a run does leave there, to be emptied after it: hosts that a configuration describes, files that were opened, and
# what patterns come to.
KEPT = (
    ("gatilho.hosts", "DESCRIBED"),
    ("gatilho.index.database", "_last_opened"),
    ("gatilho.conditions.search", "_ANALYSES"),
    ("gatilho.triggers.patterns", "_COMPILED"),
)


def forget(caches: "Iterable[Callable[..., object]]" = ()) -> None:
    """Empty what runs leave, these caches of functions included."""
    for module, name in KEPT:
        getattr(sys.modules[module], name).clear()
    for cache in caches:
        cache.cache_clear()  # type: ignore[attr-defined]


def caches_of_package() -> "list[Callable[..., object]]":
    """Return the functions of the package that remember what they answered."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("gatilho.")]
    return [one for module in modules for one in list(vars(module).values()) if hasattr(one, "cache_clear")]


class _End(BaseException):
    """The end of a run in this process."""


def serve_here(path: str, dispatcher: str) -> None:
    """Run the program for one connection after the other; send our process id and its status."""
    program = _preload(dispatcher)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(128)
    control, nowhere, me, leave = os.dup(0), os.open(os.devnull, os.O_RDWR), os.getpid(), os._exit

    def end(status: int) -> None:
        if os.getpid() != me:
            leave(status)
        raise _End(status)

    os._exit = __import__(os.name)._exit = end  # type: ignore[assignment]
    caches = [] if dispatcher else caches_of_package()  # a hook has none
    gc.collect()
    gc.freeze()
    print("ready", flush=True)
    while True:
        ready, _, _ = select.select([listener, control], [], [])
        if control in ready:
            leave(0)
        connection, _ = listener.accept()
        with connection:
            request, handles = _receive(connection)
            connection.sendall(b"%d\n" % me)
            status = _run_here(request, handles, program)
            forget(caches)
            for handle in range(3):
                os.dup2(nowhere, handle)
            connection.sendall(b"%d\n" % status)
        gc.collect(1)


def _run_here(request: dict[str, object], handles: list[int], program: CodeType | None) -> int:
    path, finders = list(sys.path), list(sys.meta_path)
    try:
        _prepare(request, handles)
        return _run(program)
    except (_End, SystemExit) as end:
        return end.args[0] if end.args and isinstance(end.args[0], int) else 0
    except BaseException:
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        sys.path[:], sys.meta_path[:] = path, finders


def serve(path: str, dispatcher: str) -> None:
    """Fork a child for each connection until standard input is closed; send its process id and its status."""
    program = _preload(dispatcher)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(128)
    woken, wake = os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(wake)
    running: dict[int, socket.socket] = {}
    gc.collect()
    gc.freeze()  # so that no collection in a child copies the pages of what is loaded
    print("ready", flush=True)
    while True:
        ready, _, _ = select.select([listener, woken, 0], [], [])
        if 0 in ready:
            return
        if woken in ready:
            os.read(woken, 1 << 16)
        if listener in ready:
            connection, _ = listener.accept()
            request, handles = _receive(connection)
            child = os.fork()
            if not child:
                _become(request, handles, program)
            for handle in handles:
                os.close(handle)
            connection.sendall(b"%d\n" % child)
            running[child] = connection
        _report_ended(running)


def _report_ended(running: dict[int, socket.socket]) -> None:
    while running:
        child, status = os.waitpid(-1, os.WNOHANG)
        if not child:
            return
        with running.pop(child) as connection:
            try:
                connection.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))
            except OSError:
                pass  # the test gave up


def _receive(connection: socket.socket) -> tuple[dict[str, object], list[int]]:
    data, handles, _, _ = socket.recv_fds(connection, 1 << 16, 3)
    while not data.endswith(b"\n"):
        data += connection.recv(1 << 16)
    return json.loads(data), handles


def _preload(dispatcher: str) -> CodeType | None:
    """Import the package as the program does, and leave the paths as they were."""
    path, finders = list(sys.path), list(sys.meta_path)
    sys.path.insert(0, CHECKOUT)
    from importlib import import_module

    if dispatcher:
        from gatilho import hook
        from gatilho.ladder import events  # noqa: F401
        from gatilho.triggers import patterns

        sys.meta_path.append(hook._SiteOnDemand)  # type: ignore[arg-type]
        patterns._engine()
    else:
        for package in ("git", "mistune", "pathspec", "platformdirs", "rapidfuzz.fuzz", "rapidfuzz.process",
                        "regex", "rich.console", "rich.table", "rich.markdown", "rich.text"):  # fmt: skip
            import_module(package)
    for name in _own_modules():
        if not dispatcher or name.startswith(_OF_EVENTS):
            try:
                import_module(name)
            except ImportError:
                pass  # of another platform
    sys.path[:], sys.meta_path[:] = path, finders
    if not dispatcher:
        return None
    with open(dispatcher, encoding="utf-8") as file:
        return compile(file.read(), dispatcher, "exec")


def _own_modules() -> list[str]:
    names = []
    for folder, folders, files in os.walk(os.path.join(CHECKOUT, "gatilho")):
        folders.sort()
        room = os.path.relpath(folder, CHECKOUT).replace(os.sep, ".")
        names += [f"{room}.{file[:-3]}" for file in sorted(files) if file.endswith(".py") and file[0] != "_"]
    return [name for name in names if name not in _SERVERS]


def _become(request: dict[str, object], handles: list[int], program: CodeType | None) -> None:
    """Turn this child into the run that was asked for; it ends here."""
    status = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _prepare(request, handles)
        os.closerange(3, 256)
        status = _run(program)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(status)


def _prepare(request: dict[str, object], handles: list[int]) -> None:
    for number, handle in enumerate(handles):
        os.dup2(handle, number)
        os.close(handle)  # a program that is started holds no other end of a pipe open
    _reopen()
    os.chdir(str(request["cwd"]))
    os.environ.clear()
    os.environ.update(request["env"])  # type: ignore[call-overload]
    time.tzset()
    sys.argv = list(request["argv"])  # type: ignore[call-overload]


def _reopen() -> None:
    """Give this child streams of its own: those of the server know whether *its* files could be sought in."""
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = open(  # type: ignore[misc]
        1, "w", encoding="utf-8", errors="surrogateescape", closefd=False
    )
    sys.stderr = sys.__stderr__ = open(  # type: ignore[misc]
        2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False
    )


def _run(program: CodeType | None) -> int:
    if program is None:
        sys.path[0] = os.getcwd()
        sys.path.insert(1, CHECKOUT)
        from gatilho.cli import main

        return main()
    exec(program, {"__name__": "__main__", "__file__": sys.argv[0]})
    return 0


if __name__ == "__main__":
    (serve_here if sys.argv[3:] else serve)(sys.argv[1], sys.argv[2])
