"""Timing whole processes: every case in turn, round after round, so that a drifting machine drifts for all."""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class Case(NamedTuple):
    """A command with what it reads on standard input; `before` runs ahead of each round, unmeasured; home: `HOME`."""

    name: str
    command: list[str]
    stdin: Path | None = None
    before: Callable[[], object] | None = None
    home: str = "/nonexistent"


class Timing(NamedTuple):
    """One case's runs: wall seconds, the ratio to the first case in the same round, and the peak memory in MiB."""

    seconds: list[float]
    ratios: list[float]
    memory: float


class Spread(NamedTuple):
    """Minimum, median and maximum."""

    least: float
    median: float
    most: float


def spread(values: list[float]) -> Spread:
    """How a list of measurements lies."""
    return Spread(min(values), statistics.median(values), max(values))


def run_all(cases: list[Case], rounds: int, progress: Callable[[int], object]) -> dict[str, Timing]:
    """Run every case `rounds` times after one warm-up; the first case is what the others are compared with."""
    timings = {case.name: Timing([], [], 0.0) for case in cases}
    for number in range(rounds + 1):
        base = 0.0
        for case in cases:
            if case.before:
                case.before()
            seconds = run(case)
            base = base or seconds
            if number:  # the first round warms the caches
                timings[case.name].seconds.append(seconds)
                timings[case.name].ratios.append(seconds / base)
        progress(number)
    return {case.name: timings[case.name]._replace(memory=_memory(case)) for case in cases}


def _memory(case: Case) -> float:
    if case.before:
        case.before()
    return peak_memory(case)


def run(case: Case) -> float:
    """Run the case once: wall seconds from before its start until it was waited for."""
    start = time.perf_counter()
    status = _spawn(case.command, case)
    seconds = time.perf_counter() - start
    if status:
        raise SystemExit(f"benchmarks: {case.name} exited {os.waitstatus_to_exitcode(status)}")
    return seconds


def peak_memory(case: Case) -> float:
    """The peak memory of one run in MiB, as the operating system accounts it.

    A small process starts the case: a child begins with its parent's peak, and this one's is large.
    """
    with tempfile.NamedTemporaryFile() as result:
        _spawn([sys.executable, "-I", "-S", "-c", _MEASURE, result.name, *case.command], case)
        return int(result.read()) / 1024


_MEASURE = """
import posix, sys
process = posix.posix_spawn(sys.argv[2], sys.argv[2:], posix.environ)
with open(sys.argv[1], "w") as file:
    file.write(str(posix.wait4(process, 0)[2].ru_maxrss))
"""


def _spawn(command: list[str], case: Case) -> int:
    """Start the command with the case's input and no output, and wait: its wait status."""
    stdin = os.open(case.stdin or os.devnull, os.O_RDONLY)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    actions = [(os.POSIX_SPAWN_DUP2, stdin, 0), (os.POSIX_SPAWN_DUP2, nowhere, 1), (os.POSIX_SPAWN_DUP2, nowhere, 2)]
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": case.home}
    process = os.posix_spawn(command[0], command, environment, file_actions=actions)
    _, status = os.waitpid(process, 0)
    os.close(stdin)
    os.close(nowhere)
    return status
