"""What a hook call costs, against an interpreter that does nothing, and what eats the time."""

import glob
import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping

from gatilho import bounded
from gatilho.git.root import Repository
from gatilho.setup.doctor.finding import NOTE, OK, Finding
from gatilho.setup.doctor.probe import probing
from gatilho.setup.doctor.registrations import Registered

PART = "speed"
_RUNS = 7
_PATIENCE = 30
# A quiet call takes 1.5 times a bare interpreter at most; a shell and a busy machine are allowed for on top.
_SLOW = 2.5
# A detour through a shim, or what `site` loads, is reported from here on.
_DETOUR = 1.5


def inspect(repository: Repository, found: list[Registered]) -> list[Finding]:
    """Return what the first registered command costs when no row matches."""
    if not found:
        return []
    command = found[0].command
    named = _interpreter_in(command)
    real = _real(named)
    if not real:
        return [Finding(PART, NOTE, f"`{named}` of {found[0].file} cannot be started, so nothing was measured")]
    with probing(repository.root) as place:
        place.call(command, found[0].host.name, "probe.txt")  # makes the index
        quiet = {"hook": lambda: place.call(command, found[0].host.name, "elsewhere.txt")}
        took = _medians({**quiet, **_calls(named, real)})
    ratio = took["hook"] / took["bare"]
    bare = f"the bare interpreter's {took['bare'] * 1000:.0f} ms"
    measured = f"{took['hook'] * 1000:.0f} ms, {ratio:.1f} times {bare}"
    text = f"a hook that matches no row takes {measured} ({real})"
    return [Finding(PART, OK if ratio <= _SLOW else NOTE, text), *_causes(command, named, real, took)]


def _calls(named: str, real: str) -> dict[str, Callable[[], object]]:
    """Return what is measured besides the hook: the interpreter alone, with `site`, and by a name that leads to it."""
    calls: dict[str, Callable[[], object]] = {
        "bare": lambda: _said([real, "-I", "-S", "-c", "pass"]),
        "site": lambda: _said([real, "-I", "-c", "pass"]),
    }
    if os.path.abspath(shutil.which(named) or named) != os.path.abspath(real):
        calls["shim"] = lambda: _said([named, "-I", "-S", "-c", "pass"])
    return calls


def _causes(command: str, named: str, real: str, took: dict[str, float]) -> list[Finding]:
    """Return what eats the time: a shim in front of the interpreter, `site`, files that `site` runs.

    Took: seconds by call.
    """
    findings = []
    bare = took["bare"]
    shim = took.get("shim", bare)
    if shim > bare * _DETOUR:
        path = shutil.which(named) or named
        kind = "a version manager's shim" if _is_script(path) else "a detour"
        text = f"`{named}` is {kind} ({path}): it adds {(shim - bare) * 1000:.0f} ms to each call"
        remedy = f"put {os.path.dirname(real)} first on the PATH of the host, or use `gatilho init --local`"
        findings.append(Finding(PART, NOTE, text, remedy))
    if took["site"] > bare * _DETOUR:
        findings.append(_site(command, real, took["site"] - bare))
    return findings


def _site(command: str, real: str, seconds: float) -> Finding:
    files = _running_pth_files(real)
    names = f": code in {', '.join(files)} runs at each start" if files else ""
    text = f"`site` of {real} adds {seconds * 1000:.0f} ms{names}"
    if " -S " in command:
        return Finding(PART, NOTE, f"{text}; only hooks in which a row speaks through a library pay it")
    return Finding(PART, NOTE, text, "start the hook with `-I -S`, as `gatilho init` registers it")


def _running_pth_files(real: str) -> list[str]:
    """Return the `.pth` files of an interpreter with lines that are run."""
    folders = _said([real, "-I", "-c", "import site; print(*site.getsitepackages(), sep='\\n')"]).split("\n")
    found = []
    for path in sorted(path for folder in folders if folder for path in glob.glob(f"{glob.escape(folder)}/*.pth")):
        lines = bounded.read(path).splitlines() if os.path.isfile(path) else []
        if any(line.startswith((b"import ", b"import\t")) for line in lines):
            found.append(path)
    return found


def _interpreter_in(command: str) -> str:
    """Return the word before the interpreter's own options, else the first word of a command."""
    try:
        words = shlex.split(command.partition(" -I ")[0])
        return words[-1 if " -I " in command else 0]
    except (ValueError, IndexError):
        return command.split(" ")[0].strip('"')


def _real(named: str) -> str:
    """Return the interpreter that a name leads to, "" where it cannot be started or is no interpreter."""
    path = _said([named, "-I", "-S", "-c", "import sys; print(sys.executable)"]).strip()
    return path if os.path.isfile(path) else ""


def _is_script(path: str) -> bool:
    try:
        return bounded.head(path, 2) == b"#!"
    except OSError:
        return False


def _medians(
    calls: Mapping[str, Callable[[], object]], now: Callable[[], float] = time.perf_counter
) -> dict[str, float]:
    """Return the median of several runs of each call, in seconds.

    Taken in turns, so that a busy moment meets all of them.
    """
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(_RUNS):
        for name, call in calls.items():
            start = now()
            call()
            times[name].append(now() - start)
    return {name: sorted(taken)[_RUNS // 2] for name, taken in times.items()}


def _said(command: list[str]) -> str:
    """Return what a command prints, "" where it fails."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""
