"""Run all benchmarks and show them as one table: `python -m benchmarks [--docs]`."""

import argparse
import os
import platform
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from benchmarks import page
from benchmarks.cases import BARE, CHECKOUT, Bench, Bound
from benchmarks.timing import Timing, run_all, spread


def main() -> int:
    """Measure and print; 1 when a bound is not kept."""
    arguments = _arguments()
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 110)
    with tempfile.TemporaryDirectory() as folder, Progress(console=console, transient=True) as progress:
        bench = Bench(Path(folder))
        task = progress.add_task("Measuring", total=arguments.rounds + 1 + arguments.rounds // 4 + 1)
        quick = run_all(bench.quick(), arguments.rounds, lambda _: progress.advance(task))
        slow = run_all(bench.slow(), max(3, arguments.rounds // 4), lambda _: progress.advance(task))
    slow.pop(BARE)
    timings = {**quick, **slow}
    console.print(_table(timings, bench.bounds))
    if arguments.docs:
        page.write(_record(timings, bench.bounds, arguments.rounds), CHECKOUT)
    return 0 if all(_kept(timings[name], bound, timings) for name, bound in bench.bounds.items()) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20, help="runs of each quick case (20)")
    parser.add_argument(
        "--docs", action="store_true", help="write the results into docs/speed.md, its chart and the README"
    )
    return parser.parse_args()


def _kept(timing: Timing, bound: Bound, timings: dict[str, Timing]) -> bool:
    if bound.ratio is not None and bound.than:
        return spread(timing.seconds).median <= bound.ratio * spread(timings[bound.than].seconds).median
    if bound.ratio is not None:
        return spread(timing.ratios).median <= bound.ratio
    start = spread(timings[bound.than].seconds).median if bound.than else 0.0
    return bound.seconds is None or spread(timing.seconds).median - start <= bound.seconds


def _table(timings: dict[str, Timing], bounds: dict[str, Bound]) -> Table:
    table = Table(title="Whole processes, beside the bare interpreter in the same round")
    for title in ("case", "× bare, median", "min – max", "ms, median", "MiB", "bound"):
        table.add_column(title, justify="left" if title == "case" else "right")
    for name, timing in timings.items():
        bound = bounds.get(name, Bound())
        ratio, seconds = spread(timing.ratios), spread(timing.seconds)
        kept = _kept(timing, bound, timings)
        table.add_row(
            Text(name),
            f"{ratio.median:.2f}",
            f"{ratio.least:.2f} – {ratio.most:.2f}",
            f"{seconds.median * 1000:.1f}",
            f"{timing.memory:.0f}",
            Text(_bound(bound), style="" if kept else "bold red"),
        )
    return table


def _bound(bound: Bound) -> str:
    if bound.ratio is not None and bound.than:
        return f"≤ {bound.ratio:g} × {bound.than}"
    if bound.ratio is not None:
        return f"≤ {bound.ratio:g} ×"
    if bound.seconds is not None and bound.than:
        return f"≤ {bound.seconds:g} s more than {bound.than}"
    return f"≤ {bound.seconds:g} s" if bound.seconds is not None else ""


def _record(timings: dict[str, Timing], bounds: dict[str, Bound], rounds: int) -> dict[str, Any]:
    cases = [
        {
            "name": name,
            "ratio": spread(timing.ratios)._asdict(),
            "seconds": spread(timing.seconds)._asdict(),
            "memory": timing.memory,
            "bound": _bound(bounds.get(name, Bound())),
            "limit": None if bounds.get(name, Bound()).than else bounds.get(name, Bound()).ratio,
        }
        for name, timing in timings.items()
    ]
    machine = f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}"
    date = time.strftime("%Y-%m-%d")
    return {"date": date, "python": platform.python_version(), "rounds": rounds, "machine": machine, "cases": cases}


if __name__ == "__main__":
    sys.exit(main())
