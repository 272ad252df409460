"""`gatilho report` (Reading): write one page with all figures, charts, and the life of each row."""

import argparse
import os
import sys
from functools import partial
from pathlib import Path

from gatilho import files, render
from gatilho.console import command_options, row_view
from gatilho.index.index import open_index
from gatilho.report.gathering import Report, gather_report, report_as_json
from gatilho.report.lives import Kept
from gatilho.report.page import OPENING, report_page, what_is_missing
from gatilho.workspace.workspace import Workspace


def main(argv: list[str]) -> int:
    """Write the page, or print its figures."""
    given = _parser().parse_args(argv)
    repository = command_options.repository_of(given.root)
    path = os.path.abspath(given.output) if given.output else f"{repository.own_state}/report.html"
    if not given.json and given.output != "-":
        _refuse_others(path)
    with open_index(repository) as index, Kept(index) as kept, render.waiting("reading rows") as say:
        workspace = Workspace(index)
        in_words = partial(row_view.state_in_words, index=index, day=workspace.today)
        report = gather_report(workspace, kept, in_words, given.since, say=say)
        text = "" if given.json else report_page(report, kept.fragments)
    if given.json:
        render.print_json(report_as_json(report))
    elif given.output == "-":
        sys.stdout.write(text)
    else:
        _refuse_others(path)  # once more: making a page takes seconds
        files.write_bytes(path, text.encode("utf-8", "replace"))
        _say_where(path, report, given)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = command_options.parser(
        "report",
        "Write one HTML file that needs nothing else: debts by rides and age, rides over time from git's history,\n"
        "payments with their evidence, rules by how often they fire, health, and the life of each row.",
        "gatilho report --open",
        "gatilho report -o report.html --since '3 months ago'",
        "gatilho report --json",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="where to write it, - for standard output (default: in the git directory)",
    )
    parser.add_argument("--open", action="store_true", help="show it in the browser")
    parser.add_argument(
        "--since", metavar="WHEN", help="count events from then on: a date, words such as '2 weeks ago', or a revision"
    )
    command_options.add_json(parser)
    return parser


def _refuse_others(path: str) -> None:
    """Raise UsageError where a page cannot be written: only an older report is replaced."""
    if os.path.basename(os.path.dirname(path)) == "gatilho":
        os.makedirs(os.path.dirname(path), exist_ok=True)
    command_options.refuse_others(path, "report", lambda data: data.startswith(OPENING.encode()))


def _say_where(path: str, report: Report, given: argparse.Namespace) -> None:
    render.line(f"Wrote {path}")
    for one in what_is_missing(report.heading):
        render.line(one)
    if given.open:
        _show(path)


def _show(path: str) -> None:
    import webbrowser  # 14 ms

    if not webbrowser.open(Path(path).as_uri()):
        render.line("No browser could be started: open the file in one.")
