"""`gatilho health` (Reading): show totals, ages, triggers, rules, debts and behaviour, with what each asks for."""

import argparse
from collections.abc import Sequence
from typing import Any

from gatilho import render
from gatilho.console import command_options, row_table, row_view
from gatilho.console.row_view import Page
from gatilho.errors import UsageError
from gatilho.index.index import open_index
from gatilho.ladder.decide import in_order
from gatilho.memory.health import (
    Advice,
    Figure,
    Health,
    HealthRow,
    Section,
    behaviour_sections,
    health_sections,
    is_alarming,
)
from gatilho.nearest import suggestion
from gatilho.plain import counted
from gatilho.render import width_of
from gatilho.report.health_inputs import all_sections, gather_health
from gatilho.workspace.workspace import Workspace

# Findings of one figure that are printed; `--json` has all of them.
_MOST_FINDINGS = 5
_MOST_NAMED = 100


def main(argv: list[str]) -> int:
    """Print the figures; the status is 1 where rows contradict each other."""
    given = _parser().parse_args(argv)
    with open_index(command_options.repository_of(given.root)) as index:
        workspace = Workspace(index)
        with render.waiting("comparing rows"):
            health = gather_health(workspace)
        if given.rows:
            _print_rows(workspace, _called(given.rows, all_sections(health)), given.json)
            return 0
        sections = behaviour_sections(health) if given.behaviour else health_sections(health)
        if given.json:
            render.print_json(_as_json(health, sections))
        else:
            _print(health, sections, given.behaviour, workspace.root)
    return int(is_alarming(sections))


def _parser() -> argparse.ArgumentParser:
    parser = command_options.parser(
        "health",
        "Show the figures of the store: what it holds, what is out of date, which triggers and rules do not do what\n"
        "they are for, and how debts are paid. Each has the command that lists its rows, and each row beyond a\n"
        "threshold the edit that it asks for. Exit status 1 where rows contradict each other.",
        "gatilho health",
        "gatilho health --rows old-debts",
        "gatilho health --behaviour --json",
    )
    parser.add_argument(
        "--behaviour", action="store_true",
        help="what sessions on this machine did: warnings heeded and ignored, repeated questions, the first edit",
    )  # fmt: skip
    parser.add_argument("--rows", metavar="FIGURE", help="list the rows of one figure, by its name")
    command_options.add_json(parser)
    return parser


def _called(name: str, sections: Sequence[Section]) -> Figure:
    figures = {figure.name: figure for section in sections for figure in section.figures}
    if name not in figures:
        meant = suggestion(name, figures, "`gatilho health --json` names them.")
        raise UsageError(f"--rows {name}: there is no such figure. {meant}")
    return figures[name]


def _print_rows(workspace: Workspace, figure: Figure, as_json: bool) -> None:
    wanted = {one.row.place for one in figure.rows}
    found = row_view.counted_rows(workspace.index, (one for one in workspace.rows if one.row.place in wanted))
    shown = in_order(found, workspace.index.config, workspace.today)
    if as_json:
        rows = [row_view.row_as_json(match, workspace.index, workspace.today, workspace.sources) for match in shown]
        render.print_json({"figure": figure.name, "rows": rows})
    elif shown:
        row_table.print_rows(shown, workspace.index, workspace.today)
    else:
        render.line(f"No rows: {figure.title}.")


def _print(health: Health, sections: Sequence[Section], behaviour: bool, root: str) -> None:
    page = Page()
    if not health.rows:
        page.line(row_view.no_rows(root))
    elif behaviour:
        page.title(_sessions_in_words(health))
    for number, section in enumerate(sections):
        figures = [one for one in section.figures if one.value or one.threshold]
        if figures:
            if number or behaviour:
                page.gap()
            page.title(section.title)
            _print_figures(page, figures)


def _sessions_in_words(health: Health) -> str:
    count, since = health.behaviour.sessions, health.behaviour.since
    if not count:
        return "No session was seen on this machine yet."
    return f"{counted(count, 'session')} on this machine since {since}."


def _print_figures(page: Page, figures: Sequence[Figure]) -> None:
    shown = [(figure, _number(figure)) for figure in figures]
    widest = max(width_of(number) for _, number in shown)
    for figure, number in shown:
        command = f"  {figure.command}" if figure.command and figure.rows else ""
        threshold = f" (threshold: {figure.threshold})" if figure.threshold else ""
        page.line(f"{' ' * (widest - width_of(number))}{number}  {figure.title}{threshold}{command}", 2)
        for finding in figure.findings[:_MOST_FINDINGS]:
            page.line(f"{_shortened(finding)} → {finding.edit}", widest + 4)
        more = len(figure.findings) - _MOST_FINDINGS
        if more > 0:
            page.line(f"and {more} more: {figure.command}", widest + 4)


def _shortened(finding: Advice) -> str:
    return finding.says if len(finding.rows) <= _MOST_NAMED else f"{len(finding.rows)} rows: {finding.says[:200]}…"


def _number(figure: Figure) -> str:
    value = f"{figure.value:,.0f}" if float(figure.value).is_integer() else f"{figure.value:,}"
    return f"{value} {figure.unit}".strip()


def _as_json(health: Health, sections: Sequence[Section]) -> dict[str, Any]:
    behaviour = health.behaviour
    return {
        "rows": len(health.rows),
        "sessions": {"count": behaviour.sessions, "since": behaviour.since},
        "sections": [
            {
                "name": section.name,
                "title": section.title,
                "figures": [_figure_as_json(figure) for figure in section.figures],
            }
            for section in sections
        ],
        "over_time": {
            "warnings": [
                {"week": week, "heeded": heeded, "ignored": ignored} for week, heeded, ignored in behaviour.weeks
            ],
            "first_edits": [one.as_dict() for one in behaviour.first_edits],
        },
    }


def _figure_as_json(figure: Figure) -> dict[str, Any]:
    return {
        **figure.as_dict(),
        "rows": _rows_as_json(figure.rows),
        "findings": [{**finding.as_dict(), "rows": _rows_as_json(finding.rows)} for finding in figure.findings],
    }


def _rows_as_json(rows: Sequence[HealthRow]) -> list[dict[str, str]]:
    return [{"store": one.row.store, "id": one.id} for one in rows]
