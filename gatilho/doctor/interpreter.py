"""What a hook call costs, against an interpreter that does nothing, and what eats the time."""

import glob
import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable

from gatilho.doctor.finding import NOTE, OK, Finding
from gatilho.doctor.hooks import Registered
from gatilho.doctor.probe import probe
from gatilho.store.root import Repository

PART = "speed"
_RUNS = 9
_PATIENCE = 30
# A quiet call takes 1.5 times a bare interpreter at most; a shell and a busy machine are allowed for on top.
_SLOW = 2.5
# A detour through a shim, or what `site` loads, is worth a word from here on.
_DETOUR = 1.5


def look(repository: Repository, found: list[Registered]) -> list[Finding]:
    """What the first registered command costs when no row is concerned."""
    if not found:
        return []
    command = found[0].command
    named = _interpreter_in(command)
    real = _real(named)
    if not real:
        return [Finding(PART, NOTE, f"`{named}` of {found[0].file} cannot be started, so nothing was measured")]
    with probe(repository.root) as place:
        place.call(command, found[0].host.name, "probe.txt")  # makes the index
        bare = _best(lambda: _run([real, "-I", "-S", "-c", "pass"]))
        hook = _best(lambda: place.call(command, found[0].host.name, "elsewhere.txt"))
    ratio = hook / bare
    measured = f"{hook * 1000:.0f} ms, {ratio:.1f} times the bare interpreter's {bare * 1000:.0f} ms"
    text = f"a hook that concerns no row takes {measured} ({real})"
    return [Finding(PART, OK if ratio <= _SLOW else NOTE, text), *_causes(command, named, real, bare)]


def _causes(command: str, named: str, real: str, bare: float) -> list[Finding]:
    """What eats the time: a shim in front of the interpreter, `site`, files that `site` runs."""
    findings = []
    shim = _best(lambda: _run([named, "-I", "-S", "-c", "pass"]))
    if shim > bare * _DETOUR:
        path = shutil.which(named) or named
        kind = "a version manager's shim" if _is_script(path) else "a detour"
        text = f"`{named}` is {kind} ({path}): it adds {(shim - bare) * 1000:.0f} ms to each call"
        remedy = f"put {os.path.dirname(real)} first on the PATH of the host, or use `gatilho init --local`"
        findings.append(Finding(PART, NOTE, text, remedy))
    with_site = _best(lambda: _run([real, "-I", "-c", "pass"]))
    if with_site > bare * _DETOUR:
        findings.append(_site(command, real, with_site - bare))
    return findings


def _site(command: str, real: str, seconds: float) -> Finding:
    files = _running_pth_files(real)
    names = f": {', '.join(files)} run code at each start" if files else ""
    text = f"`site` of {real} adds {seconds * 1000:.0f} ms{names}"
    if "-S" in shlex.split(command.replace("|| exit 0", ""), posix=True):
        return Finding(PART, NOTE, f"{text}; only hooks in which a row speaks through a library pay it")
    return Finding(PART, NOTE, text, "start the hook with `-I -S`, as `gatilho init` registers it")


def _running_pth_files(real: str) -> list[str]:
    """The `.pth` files of an interpreter with lines that are run."""
    folders = _said([real, "-I", "-c", "import site; print(*site.getsitepackages(), sep='\\n')"]).split("\n")
    found = []
    for path in sorted(path for folder in folders if folder for path in glob.glob(f"{glob.escape(folder)}/*.pth")):
        with open(path, "rb") as stream:
            if any(line.startswith((b"import ", b"import\t")) for line in stream):
                found.append(path)
    return found


def _interpreter_in(command: str) -> str:
    """The first word of a command."""
    try:
        return shlex.split(command)[0]
    except (ValueError, IndexError):
        return command.split(" ")[0].strip('"')


def _real(named: str) -> str:
    """The interpreter that a name leads to, "" where it cannot be started or is none."""
    path = _said([named, "-I", "-S", "-c", "import sys; print(sys.executable)"]).strip()
    return path if os.path.isfile(path) else ""


def _is_script(path: str) -> bool:
    try:
        with open(path, "rb") as stream:
            return stream.read(2) == b"#!"
    except OSError:
        return False


def _best(call: Callable[[], object]) -> float:
    """The shortest of several calls, in seconds: what else the machine does only ever adds."""
    times = []
    for _ in range(_RUNS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def _run(command: list[str]) -> None:
    try:
        subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE)
    except (OSError, subprocess.SubprocessError):
        pass


def _said(command: list[str]) -> str:
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""
