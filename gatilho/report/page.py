"""One HTML file that has it all: the figures, and a page of its own for each figure's rows and for each row's life.

Nothing is loaded and nothing is sent. Which page is shown is decided by the address alone, so no script is needed; the
script sorts, filters, and moves the focus.
"""

import base64
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache, partial
from html import escape
from itertools import groupby
from typing import Any

from gatilho import bounded
from gatilho.memory.health import Figure, Section
from gatilho.model import Condition, Trigger
from gatilho.note_html import note_to_html
from gatilho.plain import shortened
from gatilho.render import clean_output_line
from gatilho.report.charts import chart_html
from gatilho.report.gathering import Heading, Report
from gatilho.report.summary import Bin, Chart, LifeEvent, Payment, ReportRow

# By this a file is known as a report, which another one may replace.
OPENING = '<!doctype html>\n<html lang="en" data-gatilho="report">\n'
_FOLDER = os.path.dirname(__file__)
_MOST_DOTS = 5
_MOST_FINDINGS = 5
_MOST_DUE = 5
_MOST_SHOWN = 100  # as in the script
_LONGEST_NOTE = 160
_SHORT = 10
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")


# Returns the pieces that were made of a row when its facts were the same, else what the function returns.
KeepFragments = Callable[[str, object, Callable[[], Sequence[str]]], Sequence[str]]


def report_page(report: Report, keep: KeepFragments = lambda row, facts, make: make()) -> str:
    """Return the whole file."""
    return "".join(_Page(report, keep).parts())


class _Page:
    def __init__(self, report: Report, keep: KeepFragments) -> None:
        self._keep = keep
        self.heading = report.heading
        self.summary = report.summary
        self.health = report.health
        self.behaviour = report.behaviour
        self.anchors = _anchors(self.summary.rows)

    def parts(self) -> Iterator[str]:
        style, script = _asset("page.css"), _asset("page.js")
        title = f"Rules and debts of {_text(self.heading.repository)}"
        policy = (
            f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:; "
            "base-uri 'none'; form-action 'none'"
        )
        yield (
            f'{OPENING}<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="referrer" content="no-referrer">\n<link rel="icon" href="data:,">\n'
            f"<title>{title}</title>\n<style>{style}</style>\n<script>{script}</script>\n</head>\n<body>\n"
            '<a class="skip" href="#overview">Skip to the figures</a>\n<main>\n<div id="overview">\n'
        )
        yield self._head(title)
        yield self._totals()
        yield self._due()
        yield self._charts()
        yield self._debts()
        yield self._payments()
        yield self._regressions()
        yield self._rules()
        yield _health_section("health", "Health", self.health, self)
        yield _health_section("behaviour", "Behaviour of sessions on this machine", self.behaviour, self)
        yield "</div>\n"
        for number, group in self._lists:
            yield self._rows_page(number, group)
        for row in self.summary.rows:
            yield self._fragments[id(row)][2]
        yield "</main>\n</body>\n</html>\n"

    def _head(self, title: str) -> str:
        heading, summary = self.heading, self.summary
        said = [f"{heading.when[:16]} UTC"]
        said += [f"at commit <code>{escape(heading.commit[:_SHORT])}</code>"] if heading.commit else []
        said += [f"events since {summary.since}"] if summary.since else []
        missing = "".join(f'<p class="soft">{one}</p>\n' for one in what_is_missing(heading))
        named = [("debts", "Debts"), ("payments", "Payments"), ("regressions", "Owed again"), ("rules", "Rules")]
        named += [("health", "Health")] if self.health else []
        named += [("behaviour", "Behaviour")] if self.behaviour else []
        links = "".join(f'<li><a href="#{name}">{word}</a></li>' for name, word in named)
        return (
            f'<header>\n<h1>{title}</h1>\n<p class="soft">{", ".join(said)}</p>\n{missing}'
            f'<nav aria-label="Sections"><ul>{links}</ul></nav>\n</header>\n'
        )

    def _totals(self) -> str:
        tiles = "".join(
            f'<li><a href="#{self.targets[one.name]}"{_class("alarm", one.name == "due" and one.count > 0)}>'
            f"<b>{one.count:,}</b> {one.label}</a></li>"
            for one in self.summary.totals
        )
        return f'<h2 class="unseen">Figures</h2><ul class="totals">{tiles}</ul>\n'

    def _due(self) -> str:
        due = [one for one in self.summary.debts if one.due]
        if not due:
            return ""
        items = "".join(
            f'<li><a href="#{self.anchors[id(one)]}">{_text(one.id)}</a> {_note_html(one.row.note)} '
            f'<span class="rides">{_rides(one)} {"ride" if one.rides == 1 else "rides"}</span></li>'
            for one in due[:_MOST_DUE]
        )
        more = len(due) - _MOST_DUE
        link = f'<p><a href="#{self.targets["due"]}">and {more:,} more</a></p>' if more > 0 else ""
        title = "The next write is asked about"
        return f'<section class="chart due-now"><h3>{title}</h3><ul class="rows due">{items}</ul>{link}</section>\n'

    def _charts(self) -> str:
        shown = [one for one in self.summary.charts if one.bins and any(each.count for each in one.bins)]
        return f'<div class="charts">{"".join(_chart(one, self) for one in shown)}</div>\n'

    def _bins(self) -> Iterator[tuple[str, Bin, str]]:
        """Yield each figure that has rows: its title, itself, and what it counts."""
        for one in self.summary.totals:
            yield one.label.capitalize(), one, ""
        for chart in self.summary.charts:
            for one in chart.bins:
                if one.count:
                    yield f"{chart.title}: {one.label}", one, chart.unit
        for section in (*self.health, *self.behaviour):
            for figure in section.figures:
                if figure.rows:
                    rows: Sequence[Any] = figure.rows  # all are rows of this report
                    yield figure.title, Bin(_health_name(figure), figure.title, len(rows), rows), ""

    def _debts(self) -> str:
        today = self.summary.today
        lines = [
            f"<tr{_class('due', one.due)}>{self._name(one)}"
            f'<td data-label="Rides" data-key="{one.rides}" class="number">{_rides(one)}</td>'
            f'{_number("Age in days", one.age(today))}<td data-label="State" class="state">{_state(one)}</td>'
            f'<td data-label="Owner">{_text(one.row.owner)}</td><td data-label="Kind">{_text(one.row.kind)}</td></tr>'
            for one in self.summary.debts
        ]
        heads = ("Id", "Debt", "#Rides", "#Age in days", "State", "Owner", "Kind")
        return _table("debts", "Open debts", "Those that are due first, then by rides and age.", heads, lines)

    def _payments(self) -> str:
        lines = [
            f'<tr>{self._name(one.row)}<td data-label="Paid" class="day">{one.event.day}</td>'
            f'<td data-label="Evidence" class="evidence">{_evidence(one)}</td>{_number("Days open", one.days_open)}'
            f"{_number('Days since first ride', one.days_ridden)}"
            f'<td data-label="Taken back" class="day">{one.undone}</td></tr>'
            for one in self.summary.payments
        ]
        heads = ("Id", "Debt", "Paid", "Evidence", "#Days open", "#Days since first ride", "Taken back")
        days = self.summary.median_days
        says = (
            "" if days is None else f"Half of them within {days:g} {'day' if days == 1 else 'days'} of the first ride."
        )
        return _table("payments", "Payments", says, heads, lines)

    def _regressions(self) -> str:
        lines = [
            f'<tr>{self._name(one.row)}<td data-label="Paid" class="day">{one.paid}</td>'
            f'<td data-label="Owed again" class="day">{one.event.day}</td>'
            f'<td data-label="Why">{_text(one.event.evidence)}</td><td data-label="Now">{_state(one.row)}</td></tr>'
            for one in self.summary.regressions
        ]
        heads = ("Id", "Debt", "Paid", "Owed again", "Why", "Now")
        return _table("regressions", "Owed again", "Payments that a later change undid.", heads, lines)

    def _rules(self) -> str:
        lines = [
            f"<tr>{self._name(one.row)}{_number('Rides', one.rides)}"
            f'{_number("Last 30 days", one.recent)}<td data-label="Last ride" class="day">{one.last}</td>'
            f'<td data-label="Kind">{_text(one.row.row.kind)}</td></tr>'
            for one in self.summary.rules
        ]
        heads = ("Id", "Rule", "#Rides", "#Last 30 days", "Last ride", "Kind")
        return _table("rules", "Rules by how often they fire", "", heads, lines)

    def _name(self, row: ReportRow) -> str:
        return self._fragments[id(row)][0]

    @cached_property
    def _fragments(self) -> dict[int, Sequence[str]]:
        """Return of each row its first two cells, its item in a list, and its page."""
        return {
            id(one): self._keep(self.anchors[id(one)], _facts(one), partial(self._made_of, one))
            for one in self.summary.rows
        }

    def _made_of(self, row: ReportRow) -> tuple[str, str, str]:
        link = f'<a href="#{self.anchors[id(row)]}">{_text(row.id)}</a>'
        note = f'<td class="note">{_note_html(row.row.note)}</td>'
        return (
            f'<th scope="row">{link}</th>{note}',
            f"<li>{link} {escape(_short(row.row.note))}</li>",
            self._row_page(row),
        )

    @cached_property
    def _lists(self) -> list[tuple[str, list[tuple[str, Bin]]]]:
        """Return the figures with their titles, those together whose number and rows are the same.

        Of 10,000 rows a list of all is a megabyte, and there are many figures with the same rows.
        """
        found: dict[object, tuple[str, list[tuple[str, Bin]]]] = {}
        for title, one, unit in self._bins():
            number = _rows_in_words(len(one.rows))
            number = f"{one.count:,} {unit} of {number}" if unit else number
            key = (number, frozenset(map(id, one.rows)) or one.name)
            found.setdefault(key, (number, []))[1].append((title, one))
        return list(found.values())

    @cached_property
    def targets(self) -> dict[str, str]:
        """Return the anchor of the page with the rows of each figure, by the figure's name."""
        return {one.name: f"rows-{group[0][1].name}" for _, group in self._lists for _, one in group}

    def _rows_page(self, number: str, group: list[tuple[str, Bin]]) -> str:
        (title, one), *others = group
        same = f'<p class="soft">The same rows: {_text("; ".join(title for title, _ in others))}.</p>' if others else ""
        fragments = self._fragments
        rows = "".join([fragments[id(row)][1] for row in one.rows])
        rows = f'<ul class="rows">{rows}</ul>' if rows else ""
        return _own_page(self.targets[one.name], _text(title), f'<p class="soft">{number}</p>{same}{rows}')

    def _row_page(self, one: ReportRow) -> str:
        row = one.row
        cells = (
            ("Kind", row.kind), ("Key", row.key), ("Owner", row.owner), ("Added", row.added),
            ("Expires", row.expires), ("Not before", row.not_before), *one.own,
        )  # fmt: skip
        facts = [
            ("State", _state(one)),
            ("Rides", _rides(one) if one.asked_at and row.is_debt else str(one.rides)),
            ("Speaks on", _codes(row.triggers)),
            *((column.capitalize(), _codes(found)) for column, found in row.conditions_by_column.items()),
            *((title, _text(text)) for title, text in cells),
            ("In the past", _text(one.past.in_words()) if one.past else ""),
            ("Place", f"<code>{_text(row.place)}</code>" if one.here else ""),
        ]
        shown = "".join(f"<dt>{_text(title)}</dt><dd>{text}</dd>" for title, text in facts if text)
        life = '<p class="soft">Nothing happened to it yet.</p>'
        if one.events:
            items = "".join(f"<li>{_event(event)}</li>" for event in one.events)
            life = f'<h2>Its life</h2><ol class="life">{items}</ol>'
        kind = ("Debt" if row.is_debt else "Rule") if one.here else "Row"
        note = f'<p class="note">{_note_html(row.note)}</p>' if row.note else ""
        return _own_page(self.anchors[id(one)], f"{kind} {_text(row.id)}", f"{note}<dl>{shown}</dl>{life}")


def what_is_missing(heading: Heading) -> list[str]:
    """Say what the time of one run was too short for."""
    said = ["Git has older history that was not read yet: the next report goes on with it."] if heading.unread else []
    if heading.untried:
        said.append(
            f"{_rows_in_words(heading.untried)} not tried on the last commits yet: the next report goes on with it."
        )
    return said


def _anchors(rows: Sequence[ReportRow]) -> dict[int, str]:
    """Return the anchor of each row: its id, so that a link to it stays the same, with a number where it is shared."""
    found: dict[int, str] = {}
    taken: set[str] = set()
    for row in rows:
        slug = base = _slug(f"row-{row.id}")
        number = 1
        while slug in taken:
            number += 1
            slug = f"{base}_{number}"
        taken.add(slug)
        found[id(row)] = slug
    return found


def _slug(text: str) -> str:
    if _PLAIN.issuperset(text):
        return text
    return "".join(sign if sign in _PLAIN else f"_{ord(sign):x}_" for sign in text)


def _health_name(figure: Figure) -> str:
    return _slug(f"health-{figure.name}")


def _class(name: str, applies: bool) -> str:
    return f' class="{name}"' if applies else ""


def _own_page(anchor: str, title: str, inner: str) -> str:
    return (
        f'<section class="page" id="{anchor}" aria-labelledby="{anchor}-title">'
        f'<p class="back"><a href="#">All figures</a></p><h1 id="{anchor}-title" tabindex="-1">{title}</h1>{inner}'
        "</section>\n"
    )


def _chart(chart: Chart, made: _Page) -> str:
    wide = chart.name == "rides-over-time"
    kind = "chart wide" if wide else "chart"
    drawn = chart_html(chart, lambda one: made.targets[one.name])
    return f'<section class="{kind}"><h3>{chart.title}</h3>{drawn}</section>'


def _table(name: str, title: str, says: str, heads: Sequence[str], lines: Sequence[str]) -> str:
    """Return a section with a table; a head that begins with # is of numbers."""
    head = f'<section aria-labelledby="{name}"><h2 id="{name}">{title}</h2>'
    if not lines:
        return f'{head}<p class="soft">None.</p></section>\n'
    cells = "".join(
        f'<th scope="col" class="number">{one[1:]}</th>' if one.startswith("#") else f'<th scope="col">{one}</th>'
        for one in heads
    )
    sortable = escape(title.lower())
    # Where the script runs, these are only laid out when they are asked for: thousands of them take seconds.
    body = f"<tbody>{''.join(lines[:_MOST_SHOWN])}</tbody>"
    if len(lines) > _MOST_SHOWN:
        body += f'<tbody class="rest">{"".join(lines[_MOST_SHOWN:])}</tbody>'
    return (
        f'{head}<p class="soft">{_rows_in_words(len(lines))}. {says}</p>'
        f'<div class="scroll" role="region" aria-label="{escape(title)}: table" tabindex="0">'
        f'<table data-sortable="{sortable}"><thead><tr>{cells}</tr></thead>{body}</table></div></section>\n'
    )


def _health_section(name: str, title: str, sections: Sequence[Section], made: _Page) -> str:
    if not sections:
        return ""
    cards = "".join(
        f"<section><h3>{escape(one.title)}</h3><ul>{''.join(_figure(figure, made) for figure in shown)}</ul></section>"
        for one in sections
        if (shown := [figure for figure in one.figures if figure.value or figure.threshold])
    )
    return (
        f'<section aria-labelledby="{name}"><h2 id="{name}">{title}</h2><div class="health">{cards}</div></section>\n'
    )


def _figure(figure: Figure, made: _Page) -> str:
    number = f"{figure.value:,.0f}" if float(figure.value).is_integer() else f"{figure.value:,}"
    title = _text(figure.title)
    if figure.rows:
        title = f'<a href="#{made.targets[_health_name(figure)]}">{title}</a>'
    found = "".join(
        f"<small>{'<br>'.join(escape(_short(one.says)) for one in advice)}<br><code>{_text(edit)}</code></small>"
        for edit, advice in groupby(figure.findings[:_MOST_FINDINGS], lambda one: one.edit)
    )
    unit = f"{escape(figure.unit)} " if figure.unit else ""
    return f"<li><b{_class('sign', bool(figure.findings))}>{number}</b><span>{unit}{title}{found}</span></li>"


@lru_cache(1 << 16)
def _text(text: str) -> str:
    return escape(clean_output_line(text))


@lru_cache(1 << 16)
def _note_html(note: str) -> str:
    return note_to_html(clean_output_line(note))


def _facts(row: ReportRow) -> object:
    """Return all that the fragments of a row are made of, as plain values, of which a text is quickly made."""
    past = row.past and row.past.as_tuple()
    return (
        row.stamp,
        row.id,
        row.row.file,
        row.row.line,
        row.says,
        row.rides,
        row.asked_at,
        row.due,
        row.here,
        row.own,
        past,
    )


def _short(note: str) -> str:
    return shortened(clean_output_line(note), _LONGEST_NOTE)


def _number(label: str, value: int | None) -> str:
    shown, key = ("", "") if value is None else (f"{value:,}", str(value))
    return f'<td data-label="{label}" data-key="{key}" class="number">{shown}</td>'


def _state(row: ReportRow) -> str:
    return f'<span class="due-word">{_text(row.says)}</span>' if row.due else _text(row.says)


def _dots(row: ReportRow) -> str:
    """Return the rides as dots, filled ones first, where there are few enough to be seen as a number."""
    if not 0 < row.asked_at <= _MOST_DOTS:
        return ""
    filled = min(row.rides, row.asked_at)
    dots = "●" * filled + "○" * (row.asked_at - filled)
    return f'<span class="dots" aria-hidden="true">{dots}</span>'


def _rides(row: ReportRow) -> str:
    return f"{_dots(row)} {row.rides}{'' if row.rides >= row.asked_at else f' of {row.asked_at}'}"


def _rows_in_words(count: int) -> str:
    return f"{count:,} {'row' if count == 1 else 'rows'}"


def _codes(spans: Iterable[Trigger | Condition]) -> str:
    return "".join(f"<code>{_text(str(one))}</code>" for one in spans)


def _evidence(payment: Payment) -> str:
    event = payment.event
    return _text(event.says if payment.by_hand else event.evidence or "none recorded")


def _event(event: LifeEvent) -> str:
    when = f'<time datetime="{event.time}Z">{event.time}</time>' if event.when else "at no known time "
    early = "at least since " if event.at_least else ""
    brought = f", in <code>{escape(event.commit)}</code> by {_text(event.author)}" if event.commit else ""
    return f"{early}{when}{_text(event.says).removesuffix('.')}{brought}"


def _asset(name: str) -> str:
    return bounded.read(f"{_FOLDER}/{name}").decode("utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
