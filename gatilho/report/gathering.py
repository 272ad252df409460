"""A report of one working tree: its rows with their lives, their figures, and what health says."""

import time
from collections.abc import Callable
from typing import Any

from gatilho import dates
from gatilho.backtest.replayed import Figures
from gatilho.compare.revisions import Revisions
from gatilho.compare.since import commit_meant, time_meant
from gatilho.git import query
from gatilho.git.state import head_commit
from gatilho.ladder.decide import Match
from gatilho.memory.health import Section, behaviour_sections, health_sections
from gatilho.model import Row, Value
from gatilho.report.health_inputs import (
    NO_PROBLEMS,
    by_place,
    find_trigger_problems,
    gather_behaviour,
    health_of,
    judged,
)
from gatilho.report.lives import Kept, Lives, content_stamps
from gatilho.report.pasts import Pasts, gather_pasts
from gatilho.report.summary import LifeEvent, ReportRow, Summary, summarise
from gatilho.store import local_rides
from gatilho.workspace.workspace import Workspace

# The sections of health that say what the charts do not.
_SHOWN = ("totals", "memory", "ages", "triggers", "rules")


class Heading(Value):
    """What a report is of. repository: its name; commit: the full id of HEAD, "" before the first one.

    when: in UTC, to the second. unread: git has older history that was not read yet. untried: rows that were not tried
    on the last commits yet.
    """

    repository: str
    commit: str
    when: str
    unread: bool = False
    untried: int = 0


class Report(Value):
    """A report. health, behaviour: the figures of `gatilho health` that are not in the summary."""

    heading: Heading
    summary: Summary
    health: tuple[Section, ...]
    behaviour: tuple[Section, ...]


def gather_report(
    workspace: Workspace,
    kept: Kept,
    in_words: "Callable[[Match], str]",
    since: str | None = None,
    repository: str | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Report:
    """Return the report of a working tree's own store: a person's other rows are not for everyone to see.

    in_words: returns a row's state for people. since: as people write it. say: called with what is being done.
    """
    with Revisions(workspace.repository) as opened:
        say("reading git's history")
        after = commit_meant(opened, since)
        seconds = opened.time_of(after) if after else time_meant(opened, since)
        lives = kept.lives(opened, lambda count: say(f"reading git's history: {count:,} commits"))
    contents = content_stamps(workspace.own_rows)
    pasts = gather_pasts(workspace, kept, contents, say)
    say("computing figures")
    rows = _rows_in_tables(workspace, kept, contents, lives, pasts, in_words)
    gone = [_gone_row(name, *lives.of(name)) for name in lives.without(one.id for one in rows)]
    behaviour = gather_behaviour(workspace, only_own=True)
    health = health_of(
        workspace, rows, behaviour,
        lambda name, of, compute: kept.keep(name, [contents[one.row.place] for one in of], compute),
    )  # fmt: skip
    commit = head_commit(workspace.repository)
    say("writing the page")
    return Report(
        Heading(
            repository or repository_name(workspace.root), commit, dates.utc_time(time.time()),
            lives.unread, pasts.untried,
        ),
        summarise([*rows, *gone], workspace.today, seconds),
        tuple(health_sections(health, _SHOWN)),
        tuple(behaviour_sections(health)) if health.behaviour.sessions else (),
    )  # fmt: skip


def _rows_in_tables(
    workspace: Workspace,
    kept: Kept,
    contents: dict[str, str],
    lives: Lives,
    pasts: Pasts,
    in_words: "Callable[[Match], str]",
) -> list[ReportRow]:
    """Return the rows of the own store."""
    stamp = contents, workspace.reach.names
    wrong = by_place(kept.keep("triggers", stamp, lambda: find_trigger_problems(workspace)))
    waiting = local_rides.waiting_rides(workspace.repository.shared_state)
    own_cells, ask_after = workspace.sources.own_cells, workspace.index.config.ask_after
    rows = []
    for (place, content), found in zip(contents.items(), workspace.own_rows):
        row = found.row
        here = waiting(row)
        match = Match(row, lives.count(row) + here)
        events, life = lives.of(row.id)
        own = tuple(own_cells(found.path, row.line, found.header).items())
        rows.append(
            ReportRow(
                *judged(workspace, match, wrong.get(place, NO_PROBLEMS)), (), in_words(match),
                row.asked_from(ask_after), True, events, own,
                pasts.figures.get(place), f"{content} {life} {here}",
            )
        )  # fmt: skip
    return rows


def _gone_row(name: str, events: tuple[LifeEvent, ...], stamp: str) -> ReportRow:
    row = Row(events[-1].row if events else name, lifecycle="debt")
    rides = sum(one.rides for one in events)
    return ReportRow(row, "gone", rides, says="in no table any more", here=False, events=events, stamp=stamp)


def repository_name(root: str) -> str:
    """Return the name of a repository: the path of its remote `origin`, else the name of its folder."""
    url = query.ask_text(root, "config", "--get", "remote.origin.url")
    path = url.partition("://")[2].partition("/")[2] if "://" in url else url.rpartition(":")[2] if ":" in url else ""
    name = path.strip("/").removesuffix(".git")
    return name or root.rstrip("/").rpartition("/")[2] or root


def report_as_json(report: Report) -> dict[str, Any]:
    """Return the same figures as the page has, as JSON; rows are named by their ids."""
    summary = report.summary
    return {
        "report": {**report.heading.as_dict(), "today": summary.today, "since": summary.since or None},
        "totals": [_bin(one) for one in summary.totals],
        "charts": [
            {"name": one.name, "title": one.title, "unit": one.unit, "bins": [_bin(each) for each in one.bins]}
            for one in summary.charts
        ],
        "debts": [
            {
                "id": one.id, "rides": one.rides, "asked_at": one.asked_at, "due": one.due,
                "age_days": one.age(summary.today),
            }
            for one in summary.debts
        ],
        "payments": [
            {
                "id": one.row.id, "when": one.event.time, "evidence": one.event.evidence, "by": one.event.by,
                "by_hand": one.by_hand, "days_open": one.days_open, "days_from_first_ride": one.days_ridden,
                "taken_back": one.undone or None,
            }
            for one in summary.payments
        ],
        "median_days_from_first_ride": summary.median_days,
        "regressions": [
            {"id": one.row.id, "when": one.event.time, "paid": one.paid or None, "evidence": one.event.evidence}
            for one in summary.regressions
        ],
        "rules": [
            {"id": one.row.id, "rides": one.rides, "recent": one.recent, "last_ride": one.last or None}
            for one in summary.rules
        ],
        "health": [_section(one) for one in report.health],
        "behaviour": [_section(one) for one in report.behaviour],
        "rows": [_row(one) for one in summary.rows],
    }  # fmt: skip


def _bin(one: Any) -> dict[str, Any]:
    return {"name": one.name, "label": one.label, "count": one.count, "rows": [row.id for row in one.rows]}


def _section(one: Section) -> dict[str, Any]:
    figures = [
        {
            "name": figure.name, "title": figure.title, "value": figure.value, "unit": figure.unit,
            "threshold": figure.threshold, "rows": [row.id for row in figure.rows],
            "findings": [{"says": found.says, "edit": found.edit} for found in figure.findings],
        }
        for figure in one.figures
    ]  # fmt: skip
    return {"name": one.name, "title": one.title, "figures": figures}


def _row(one: ReportRow) -> dict[str, Any]:
    row = one.row
    return {
        "id": row.id, "lifecycle": row.lifecycle if one.here else None, "state": one.state, "rides": one.rides,
        "due": one.due, "note": row.note, "kind": row.kind, "owner": row.owner, "file": row.file, "line": row.line,
        "first_day": one.first_day or None, "last_ride": one.last_ride or None, "columns": dict(one.own),
        "past": _past(one.past),
        "life": [
            {"when": event.time or None, "event": event.kind, "message": event.says, "rides": event.rides,
             "commit": event.commit or None}
            for event in one.events
        ],
    }  # fmt: skip


def _past(figures: Figures | None) -> dict[str, Any] | None:
    if figures is None:
        return None
    payments = [{"commit": at, "until": until or None} for at, until in figures.paid]
    return {
        "summary": figures.in_words(), "commits": figures.commits, "spoke": figures.spoke, "asked": figures.asked,
        "asked_since": figures.asked_since or None, "rides": figures.rides, "payments": payments,
    }  # fmt: skip
