"""Timing whole processes: every case in turn, round after round, so that a drifting machine drifts for all."""

import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class Case(NamedTuple):
    """A command with what it reads on standard input; `before` runs ahead of each round, unmeasured."""

    name: str
    command: list[str]
    stdin: Path | None = None
    before: Callable[[], object] | None = None
    environment: dict[str, str] | None = None


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
            seconds, memory = run(case)
            base = base or seconds
            if number:  # the first round warms the caches
                found = timings[case.name]
                found.seconds.append(seconds)
                found.ratios.append(seconds / base)
                timings[case.name] = found._replace(memory=max(found.memory, memory))
        progress(number)
    return timings


def run(case: Case) -> tuple[float, float]:
    """Run the case once: wall seconds, and peak memory in MiB as the operating system accounts it."""
    stdin = os.open(case.stdin or os.devnull, os.O_RDONLY)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    actions = [(os.POSIX_SPAWN_DUP2, stdin, 0), (os.POSIX_SPAWN_DUP2, nowhere, 1), (os.POSIX_SPAWN_DUP2, nowhere, 2)]
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": "/nonexistent", **(case.environment or {})}
    start = time.perf_counter()
    process = os.posix_spawn(case.command[0], case.command, environment, file_actions=actions)
    _, status, usage = os.wait4(process, 0)
    seconds = time.perf_counter() - start
    os.close(stdin)
    os.close(nowhere)
    if status:
        raise SystemExit(f"benchmarks: {case.name} exited {os.waitstatus_to_exitcode(status)}")
    return seconds, usage.ru_maxrss / 1024
