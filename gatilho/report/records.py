"""What a store holds as flat records, for a query over many repositories. All have the same fields, so that files of
different repositories, and of both forms, go into one table.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from gatilho.render import SCHEMA_VERSION, masked_value
from gatilho.report.gathering import Report
from gatilho.report.summary import LifeEvent, ReportRow

# Name and kind of each field, in order; a field that does not apply to a record is null.
FIELDS = {
    "schema_version": "integer", "record": "text", "repository": "text", "commit": "text",
    "id": "text", "lifecycle": "text", "state": "text", "due": "boolean", "rides": "integer", "asked_at": "integer",
    "note": "text", "triggers": "texts", "paid_when": "texts", "kind": "text", "key": "text", "owner": "text",
    "added": "text", "expires": "text", "first_day": "text", "last_ride": "text", "file": "text", "line": "integer",
    "columns": "text", "happened": "text", "event": "text", "session": "text", "who": "text", "evidence": "text",
    "name": "text", "value": "number", "unit": "text",
}  # fmt: skip
ROW, EVENT, FIGURE = "row", "event", "figure"


def records(report: Report) -> Iterator[dict[str, Any]]:
    """Yield the rows of the tables, the events of all rows, and the figures."""
    common = {
        "schema_version": SCHEMA_VERSION, "repository": report.heading.repository, "commit": report.heading.commit,
    }  # fmt: skip
    for found in _own_fields(report):
        yield masked_value({name: {**common, **found}.get(name) for name in FIELDS})


def _own_fields(report: Report) -> Iterator[dict[str, Any]]:
    rows = report.summary.rows
    yield from (_row(one) for one in rows if one.here)
    yield from (_event(one, event) for one in rows for event in one.events)
    yield from _figures(report)


def _row(one: ReportRow) -> dict[str, Any]:
    row = one.row
    return {
        "record": ROW, "id": row.id, "lifecycle": row.lifecycle, "state": one.state, "due": one.due, "rides": one.rides,
        "asked_at": one.asked_at if row.is_debt else None, "note": row.note,
        "triggers": [str(trigger) for trigger in row.triggers], "paid_when": [one.text for one in row.conditions],
        "kind": row.kind or None, "key": row.key or None, "owner": row.owner or None, "added": row.added or None,
        "expires": row.expires or None, "first_day": one.first_day or None, "last_ride": one.last_ride or None,
        "file": row.file, "line": row.line, "columns": json.dumps(dict(one.own)) if one.own else None,
    }  # fmt: skip


def _event(one: ReportRow, event: LifeEvent) -> dict[str, Any]:
    return {
        "record": EVENT, "id": one.id, "happened": event.time or None, "event": event.kind, "rides": event.rides,
        "state": event.state or None, "session": event.session or None, "who": event.by or event.author or None,
        "evidence": event.evidence or None, "note": event.says,
    }  # fmt: skip


def _figures(report: Report) -> Iterator[dict[str, Any]]:
    for one in report.summary.totals:
        yield {"record": FIGURE, "name": one.name, "value": float(one.count)}
    for chart in report.summary.charts:
        for each in chart.bins:
            yield {"record": FIGURE, "name": each.name, "value": float(each.count), "unit": chart.unit}
    for section in (*report.health, *report.behaviour):
        for figure in section.figures:
            value = float(figure.value)
            yield {"record": FIGURE, "name": f"health-{figure.name}", "value": value, "unit": figure.unit or None}


def as_json_lines(found: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield each record as a line of JSON in ASCII."""
    for one in found:
        yield json.dumps(one) + "\n"
