"""The one door to git: each of its processes is started here, and GitPython is used here alone.

What a repository configures is data from many hands: no program that it names is run (file system monitors, filters,
text conversion, external diffs, pagers, signature checks, hooks, askers of passwords), no network is asked, not even
for an object that a partial clone lacks, and none of git's optional locks is taken. Where git fails, or is missing,
there is no answer. Packs alone are fetched, by a person's command, in a folder whose configuration is ours.
"""

import os
import time

from gatilho.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import git

# The empty list of credential helpers is how git resets it.
_SETTINGS = (
    ("core.fsmonitor", "false"), ("core.hooksPath", "/dev/null"), ("core.pager", "cat"), ("core.askPass", ""),
    ("credential.helper", ""), ("log.showSignature", "false"), ("core.quotePath", "false"),
    ("diff.ignoreSubmodules", "all"),
)  # fmt: skip
# The two that git has run for a mere look, once more, for a git older than 2.31 reads no setting from the environment.
_OPTIONS = ("--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
# GIT_NO_LAZY_FETCH is new; where git does not know it yet, no transport at all is allowed, which stops the fetch too.
_VARIABLES = {
    "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_PAGER": "cat",
    "GIT_ASKPASS": "", "SSH_ASKPASS": "", "GIT_SSH_COMMAND": "false",
}  # fmt: skip
_NO_TRANSPORT = "none"
# What asks for passwords, and ssh: a person's own configuration may name these for a command that fetches.
_ASKERS = ("core.askPass", "credential.helper", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_SSH_COMMAND")
_DIFFS = ("diff", "diff-tree", "diff-index", "diff-files", "log", "show")
_PLAIN_DIFF = ("--no-ext-diff", "--no-textconv")
_READ_ATTRIBUTES = ("diff", "diff-files", "diff-index", "log", "show", "grep", "check-attr")  # not between trees
NOT_RUN = -1
_HEX_OF_SHA1 = 40  # GitPython's streams know no other hash
_SILENCE = 60  # seconds that one waits for an object, or for more of what git prints while it works
_NOT_ENDED = "git did not end within {:g} seconds"
_TOO_LONG = f"git said nothing for {_SILENCE} seconds"
_SOONER_ONE_BY_ONE = 8  # blobs that processes of their own read before GitPython is loaded
# Folders in which git did not end within `_LONG` seconds, as over a FIFO in the place of a file that git reads: it
# is asked no more until that moment, for every further question would wait as long.
_HANGING: dict[str, float] = {}
_LONG = 10
_LEFT_ALONE = 60
_IGNORED_BY_PYTHON = (13, 25)  # SIGPIPE and SIGXFSZ, which a program may count on


class Done(Value):
    """How a command of git ended. status: below 0 where there is no git, or it took too long. said: its errors."""

    status: int
    out: bytes
    said: str


def run(
    root: str,
    *arguments: str,
    seconds: float = 10,
    given: bytes = b"",
    environ: "Mapping[str, str] | None" = None,
    settings: "Sequence[tuple[str, str]]" = (),
    transport: str = _NO_TRANSPORT,
    with_askers: bool = False,
) -> Done:
    """Run a command of git in the folder and return how it ended.

    given: its standard input. environ: the environment that ours is added to, the own one unless given. settings:
    further ones, by key. transport: the protocols that it may use. with_askers: it may start ssh and what asks for
    passwords, as configured.
    """
    if root in _HANGING and time.monotonic() < _HANGING[root]:
        return Done(NOT_RUN, b"", "git does not answer here")
    around = environment(environ, settings, transport, with_askers)
    start = _start if environ is None and not given and hasattr(os, "posix_spawnp") else _start_by_subprocess
    try:
        status, out, said = start(_command(root, arguments), around, given, seconds)
    except TimeoutError as error:
        if seconds >= _LONG:
            _HANGING[root] = time.monotonic() + _LEFT_ALONE
        return Done(NOT_RUN, b"", str(error))
    except (OSError, ValueError) as error:
        return Done(NOT_RUN, b"", str(error))
    return Done(status, out, said.decode("utf-8", "replace"))


def _start(command: list[str], around: dict[str, str], given: bytes, seconds: float) -> tuple[int, bytes, bytes]:
    """Return how a command ended and what it said; without `subprocess`, which takes a hook longer to import than git
    takes to answer. Raises TimeoutError, and OSError where there is no such program.
    """
    until = time.monotonic() + seconds
    ends = [os.pipe(), os.pipe()]
    process = 0
    try:
        actions = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)]
        actions += [(os.POSIX_SPAWN_DUP2, end, number) for number, (_, end) in enumerate(ends, 1)]  # type: ignore[misc]
        process = os.posix_spawnp(command[0], command, around, file_actions=actions, setsigdef=_IGNORED_BY_PYTHON)
        for at, (begin, end) in enumerate(ends):
            ends[at] = (begin, -1)
            os.close(end)
        out, errors = _said([begin for begin, _ in ends], until, seconds)
        status = _exit_status(process, until)
        process = 0
        return status, out, errors
    finally:
        for end in (one for pair in ends for one in pair if one >= 0):
            os.close(end)
        if process:
            _kill(process)


def _said(ends: list[int], until: float, seconds: float) -> list[bytes]:
    """Return all that comes out of pipes until they are closed; raises TimeoutError after that moment."""
    import select

    waiting = select.poll()
    for end in ends:
        waiting.register(end, select.POLLIN)
    said: dict[int, list[bytes]] = {end: [] for end in ends}
    is_open = set(ends)
    while is_open:
        left = until - time.monotonic()  # of one that never stops talking, something is always ready
        ready = waiting.poll(left * 1000) if left > 0 else []
        if not ready:
            raise TimeoutError(_NOT_ENDED.format(seconds))
        for end, _ in ready:
            said[end].append(os.read(end, 1 << 16))
            if not said[end][-1]:
                waiting.unregister(end)
                is_open.discard(end)
    return [b"".join(said[end]) for end in ends]


def _exit_status(process: int, until: float) -> int:
    """Wait until that moment for a process which has nothing more to say."""
    try:
        while True:
            ended, status = os.waitpid(process, os.WNOHANG)
            if ended:
                return os.waitstatus_to_exitcode(status)
            if time.monotonic() > until:
                raise TimeoutError("git said all and did not end")
            time.sleep(0.0005)
    except ChildProcessError:
        return 0  # whoever started us lets the system forget what children end with


def _kill(process: int) -> None:
    try:
        os.kill(process, 9)
        os.waitpid(process, 0)
    except (ProcessLookupError, ChildProcessError):
        pass  # as above: it has ended, and the system forgot it


def _start_by_subprocess(
    command: list[str], around: dict[str, str], given: bytes, seconds: float
) -> tuple[int, bytes, bytes]:
    import subprocess

    stdin = None if given else subprocess.DEVNULL
    try:
        done = subprocess.run(
            command, input=given or None, stdin=stdin, env=around, capture_output=True, timeout=seconds, check=False
        )
    except subprocess.SubprocessError:
        raise TimeoutError(_NOT_ENDED.format(seconds)) from None
    return done.returncode, done.stdout, done.stderr


def ask(
    root: str, *arguments: str, seconds: float = 10, given: bytes = b"", environ: "Mapping[str, str] | None" = None
) -> bytes | None:
    """Return what git prints for a command in the working tree at root; None where it fails or takes longer."""
    done = run(root, *arguments, seconds=seconds, given=given, environ=environ)
    return done.out if done.status == 0 else None


def ask_text(root: str, *arguments: str, seconds: float = 10) -> str:
    """Return the same as text without blanks around it; "" where git fails."""
    return (ask(root, *arguments, seconds=seconds) or b"").decode("utf-8", "replace").strip()


def ask_of_tree(root: str, *arguments: str, seconds: float = 10) -> bytes | None:
    """Return the same for a command that compares the contents of the working tree: the filters are switched off."""
    named = ask(root, "config", "-z", "--name-only", "--get-regexp", r"^filter\.", seconds=seconds) or b""
    filters = {key.rpartition(".")[0] for key in decoded(named).split("\0") if key.count(".") > 1}
    off = [(f"{one}.{key}", "") for one in sorted(filters) for key in ("clean", "smudge", "process")]
    off += [(f"{one}.required", "false") for one in sorted(filters)]
    done = run(root, *arguments, seconds=seconds, settings=off)
    return done.out if done.status == 0 else None


def ask_names(root: str, *arguments: str, seconds: float = 10, given: bytes = b"") -> list[str] | None:
    """Return the texts that git prints with a NUL after each (`-z`), such as names; None where it cannot."""
    return _split(ask(root, *arguments, seconds=seconds, given=given))


def ask_names_of_tree(root: str, *arguments: str, seconds: float = 10) -> list[str] | None:
    """Return the same for a command that compares the contents of the working tree."""
    return _split(ask_of_tree(root, *arguments, seconds=seconds))


def stream(root: str, *arguments: str, environ: "Mapping[str, str] | None" = None) -> "Iterator[bytes]":
    """Yield what git prints, as chunks while it works; raises OSError where it fails, with what git says."""
    import subprocess

    process = subprocess.Popen(
        _command(root, arguments), env=environment(environ), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    with process:
        assert process.stdout is not None
        assert process.stderr is not None
        limit = _Limit(process.kill)
        try:
            while chunk := limit.wait_for(process.stdout.read1, 1 << 16):  # type: ignore[attr-defined]
                yield chunk
        except GeneratorExit:
            process.kill()
            raise
        finally:
            limit.end()
        said = process.stderr.read().decode("utf-8", "replace").strip()
    if process.returncode:
        raise OSError(said or "it does not say why")


class _Limit:
    """Kills a process that is silent for too long: its output is read by what knows no limit."""

    def __init__(self, kill: "Callable[[], object]") -> None:
        import threading

        self._kill = kill
        self._since = 0.0
        self._is_over = False
        self._ended = threading.Event()
        # One thread for all reads: thousands of objects are read, and to start one for each takes longer than they do.
        threading.Thread(target=self._watch, daemon=True).start()

    def wait_for(self, read: "Callable[..., bytes]", *given: object) -> bytes:
        """Return what is read; raises TimeoutError where the process had to be killed."""
        self._since = time.monotonic()
        try:
            return read(*given)
        finally:
            self._since = 0.0
            if self._is_over:
                raise TimeoutError(_TOO_LONG)

    def end(self) -> None:
        """Stop watching."""
        self._ended.set()

    def _watch(self) -> None:
        while not self._ended.wait(_SILENCE / 60):
            if self._since and time.monotonic() - self._since > _SILENCE:
                self._is_over = True
                self._kill()  # and again after a while: it may not have been started yet


class Objects:
    """The objects of a repository, read through one process for all; close it."""

    def __init__(self, root: str, environ: "Mapping[str, str]") -> None:
        """Start nothing yet."""
        self._root = root
        self._environ = environ
        self._count = 0
        self._git: git.Git | None = None
        self._limit: _Limit | None = None

    def read(self, blob: str) -> bytes:
        """Return the bytes of a blob by its id; raises ValueError where git cannot."""
        self._count += 1
        if len(blob) == _HEX_OF_SHA1 and self._count > _SOONER_ONE_BY_ONE:
            loaded, limit = self._loaded()
            try:
                return limit.wait_for(lambda: loaded.stream_object_data(blob)[3].read())
            except TimeoutError as error:
                raise ValueError(str(error)) from None
        done = run(self._root, "cat-file", "blob", blob, seconds=_SILENCE, environ=self._environ)
        if done.status:
            raise ValueError(f"git cat-file: {done.said.strip()}")
        return done.out

    def _loaded(self) -> "tuple[git.Git, _Limit]":
        if self._git is None or self._limit is None:
            import git  # 92 ms

            self._git = git.Git(self._root)
            self._git.update_environment(**environment(self._environ))
            self._limit = _Limit(self._kill)
        return self._git, self._limit

    def close(self) -> None:
        """End the process."""
        if self._limit is not None:
            self._limit.end()
        if self._git is not None:
            self._git.clear_cache()

    def _kill(self) -> None:
        if self._git is not None and self._git.cat_file_all:
            self._git.cat_file_all.proc.kill()


def environment(
    environ: "Mapping[str, str] | None" = None,
    settings: "Sequence[tuple[str, str]]" = (),
    transport: str = _NO_TRANSPORT,
    with_askers: bool = False,
) -> dict[str, str]:
    """Return the environment of a process of git's, with the settings that keep it from running others.

    They go through the environment because the name of a filter may hold any character.
    """
    kept = _ASKERS if with_askers else ()
    ours = {name: value for name, value in _VARIABLES.items() if name not in kept}
    around = {**(os.environ if environ is None else environ), **ours, "GIT_ALLOW_PROTOCOL": transport}
    around.pop("GIT_EXTERNAL_DIFF", None)
    counted = around.get("GIT_CONFIG_COUNT", "")
    number = int(counted) if counted.isdigit() else 0  # those of the person stay, such as a safe.directory
    for key, value in (*(one for one in _SETTINGS if one[0] not in kept), *settings):
        around[f"GIT_CONFIG_KEY_{number}"], around[f"GIT_CONFIG_VALUE_{number}"] = key, value
        number += 1
    around["GIT_CONFIG_COUNT"] = str(number)
    return around


def decoded(name: bytes) -> str:
    """Return a name as the operating system's functions take it."""
    return name.decode("utf-8", "surrogateescape")


def _split(said: bytes | None) -> list[str] | None:
    return None if said is None else [decoded(name) for name in said.split(b"\0") if name]


def _attributes_without_end(root: str) -> str:
    """Return the file of attributes, which git reads before it compares, that is a pipe or a device; "" for none."""
    import stat

    for name in (".gitattributes", ".git/info/attributes"):
        try:
            found, null = os.stat(f"{root}/{name}"), os.stat(os.devnull)
        except OSError:
            continue
        # The null device ends at once: a link to it switches attributes off.
        if stat.S_ISFIFO(found.st_mode) or (stat.S_ISCHR(found.st_mode) and not os.path.samestat(found, null)):
            return f"{root}/{name}"
    return ""


def _command(root: str, arguments: "Sequence[str]") -> list[str]:
    """Return the command line: options before the subcommand come first among the arguments, with `=` in each.

    Raises OSError where the command would wait for a pipe in the place of a file.
    """
    at = next((at for at, word in enumerate(arguments) if not word.startswith("-")), len(arguments) - 1)
    plain = _PLAIN_DIFF if arguments[at] in _DIFFS else ()
    reads = arguments[at] in _READ_ATTRIBUTES and "--cached" not in arguments
    pipe = _attributes_without_end(root) if reads else ""
    if pipe:
        raise OSError(f"{pipe} is no regular file, and git waits for it: remove it")
    return ["git", "--no-optional-locks", *_OPTIONS, "-C", root, *arguments[: at + 1], *plain, *arguments[at + 1 :]]
