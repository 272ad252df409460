"""The health of a store as figures: each with the rows it is made of, and where it is a sign of something, with the
threshold, the rows beyond it and the one-line edit that each of them asks for. Pure.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from statistics import median
from typing import Any

from gatilho.dates import days_between
from gatilho.ledger.tally import Entry, moment
from gatilho.memory.metrics import Behaviour, FirstEdit
from gatilho.memory.similarity import NEAR_DUPLICATE
from gatilho.model import Row, Value
from gatilho.plain import counted, shell_word

RowKey = tuple[str, str]

# A rule that this share of the sessions heard belongs with what always loads.
MOST_SESSIONS = 0.6
# Sessions before a share, or a silence, says anything.
FEWEST_SESSIONS = 10
SESSIONS_OF_SILENCE = 30
# Sessions that left what a rule asks for undone, before it should become a check.
OFTEN_VIOLATED = 3
# Ended rows for each row in force.
MOST_ARCHIVED = 2.0
# Days: a debt that is owed for longer, and the limits of the ages that are counted.
OLD_DEBT = 180
AGES = (30, 90, 180, 365)
# Sessions that asked what a row had answered to another one within 30 days.
OFTEN_REPEATED = 3


class HealthRow(Value):
    """A row as health looks at it. state: in one word. rides: in force. over: why it is over, "" if it is not.

    dead, broad: what is wrong with its triggers and what to do, as (message, remedy), each "" for nothing. entries: of
    the ledger, under all its names.
    """

    row: Row
    state: str
    rides: int
    due: bool = False
    over: str = ""
    dead: tuple[str, str] = ("", "")
    broad: tuple[str, str] = ("", "")
    entries: tuple[Entry, ...] = ()

    @property
    def id(self) -> str:
        return self.row.id

    @property
    def key(self) -> RowKey:
        return (self.row.store, self.row.id)


class Advice(Value):
    """A row, or a group of them, beyond a threshold: its figures in words, and the edit in one line."""

    rows: tuple[HealthRow, ...]
    says: str
    edit: str


class Figure(Value):
    """One number. rows: that it is made of. command: lists them. threshold: in words, "" where none is set.

    alarm: a finding here makes `gatilho health` exit with 1.
    """

    name: str
    title: str
    value: float
    rows: Sequence[HealthRow] = ()
    command: str = ""
    threshold: str = ""
    findings: tuple[Advice, ...] = ()
    unit: str = ""
    alarm: bool = False


class Section(Value):
    """Figures that belong together."""

    name: str
    title: str
    figures: tuple[Figure, ...]


class Health(Value):
    """What health is computed from. contradictions, duplicates: groups of its rows, with a score for the latter."""

    rows: Sequence[HealthRow]
    today: str
    ask_after: int
    contradictions: Sequence[Sequence[HealthRow]]
    duplicates: Sequence[tuple[Sequence[HealthRow], int]]
    behaviour: Behaviour


def health_sections(health: Health, names: Collection[str] = ()) -> list[Section]:
    """Return the figures of tables, ledger and what sessions heard. names: of the sections wanted; all without any."""
    sections: tuple[tuple[str, str, Callable[[Health], Iterable[Figure]]], ...] = (
        ("totals", "Rows", _totals),
        ("memory", "What the rows say", _memory),
        ("ages", "Ages of the rows in force", lambda health: _ages(health, "age", _in_force(health))),
        ("triggers", "Triggers", _triggers),
        ("rules", "Rules by what sessions heard", _rules),
        ("debts", "Debts", _debts),
        ("debt-ages", "Debts by age", lambda health: _ages(health, "debt-age", _owed(health))),
        ("payments", "Payments", _payments),
    )
    return [
        Section(name, title, tuple(figures(health))) for name, title, figures in sections if not names or name in names
    ]


def behaviour_sections(health: Health) -> list[Section]:
    """Return the figures of what sessions did."""
    return [
        Section("warnings", "Warnings", tuple(_warnings(health))),
        Section("questions", "Questions", tuple(_questions(health))),
        Section("first-edit", "Before the first edit", tuple(_first_edits(health.behaviour.first_edits))),
    ]


def is_alarming(sections: Iterable[Section]) -> bool:
    """Return whether a figure is one over which the command exits with 1."""
    return any(figure.alarm and figure.findings for section in sections for figure in section.figures)


def _figure(name: str, title: str, rows: Sequence[HealthRow], value: float | None = None, **more: Any) -> Figure:
    number = len(rows) if value is None else value
    return Figure(name, title, number, rows, **{"command": f"gatilho health --rows {name}", **more})


def _signs(
    name: str, title: str, rows: Sequence[HealthRow], threshold: str, says: "Callable[[HealthRow], str]",
    edit: "Callable[[HealthRow], str]", **more: Any,
) -> Figure:  # fmt: skip
    """Return the figure of rows that are beyond a threshold, each with its own advice."""
    return _figure(name, title, rows, threshold=threshold, findings=_advice(rows, says, edit), **more)


def _advice(
    rows: Iterable[HealthRow], says: "Callable[[HealthRow], str]", edit: "Callable[[HealthRow], str]"
) -> tuple[Advice, ...]:
    return tuple(Advice((one,), says(one), edit(one)) for one in rows)


def _in_force(health: Health) -> list[HealthRow]:
    return [one for one in health.rows if one.row.in_force]


def _owed(health: Health) -> list[HealthRow]:
    return [one for one in health.rows if one.row.owed]


def _totals(health: Health) -> Iterable[Figure]:
    yield _figure("all", "all rows", health.rows, command="gatilho list --all")
    yield from _by(health.rows, "lifecycle", lambda one: one.row.lifecycle)
    yield from _by(health.rows, "state", lambda one: one.state)
    yield from _by(health.rows, "kind", lambda one: one.row.kind or "none")
    yield from _by(health.rows, "scope", lambda one: one.row.scope or "repository")


def _by(rows: Iterable[HealthRow], name: str, of: "Callable[[HealthRow], str]") -> Iterable[Figure]:
    groups: dict[str, list[HealthRow]] = {}
    for one in rows:
        groups.setdefault(of(one), []).append(one)
    for value in sorted(groups, key=lambda value: (-len(groups[value]), value)):
        command = f"gatilho list --all --{name} {shell_word(value)}"
        yield _figure(f"{name}-{value}", f"{name} {value}", groups[value], command=command)


def _memory(health: Health) -> Iterable[Figure]:
    yield _grouped(
        "contradictions", "contradictions: one key, different notes", health.contradictions, "one or more",
        lambda number, group: f"key {group[0].row.key}: {_ids(group)}", alarm=True,
    )  # fmt: skip
    yield _grouped(
        "duplicates", "groups of rows that say nearly the same", [group for group, _ in health.duplicates],
        f"a score of {NEAR_DUPLICATE}", lambda number, group: f"score {health.duplicates[number][1]}: {_ids(group)}",
    )  # fmt: skip
    ended = [one for one in health.rows if not one.row.in_force]
    active = len(health.rows) - len(ended)
    ratio = round(len(ended) / active, 2) if active else float(len(ended))
    moved = Advice(tuple(ended), f"{len(ended)} ended, {active} in force",
                    "move ended rows into a file of their own, such as docs/gatilhos/ended.md")  # fmt: skip
    yield _figure(
        "archived", "ended rows for each row in force", ended, ratio, threshold=f"over {MOST_ARCHIVED:g}",
        findings=(moved,) if ratio > MOST_ARCHIVED else (),
    )  # fmt: skip
    yield _signs(
        "expired", "rows in force that are past their time", [one for one in health.rows if one.over],
        "their date, or their kind's time to live", lambda one: f"{one.id}: {one.over}", lambda one: "gatilho expire",
    )  # fmt: skip


def _grouped(
    name: str, title: str, groups: "Sequence[Sequence[HealthRow]]", threshold: str,
    says: "Callable[[int, Sequence[HealthRow]], str]", alarm: bool = False,
) -> Figure:  # fmt: skip
    by_age = (sorted(group, key=lambda one: one.row.added) for group in groups)  # the oldest is replaced by the newest
    pairs = (f"{shell_word(group[0].id)} {shell_word(group[-1].id)}" for group in by_age)
    found = tuple(
        Advice(tuple(group), says(number, group), f"gatilho supersede {pair}")
        for number, (group, pair) in enumerate(zip(groups, pairs))
    )
    rows = [one for group in groups for one in group]
    return _figure(name, title, rows, len(groups), threshold=threshold, findings=found, alarm=alarm)


def _ids(rows: "Iterable[HealthRow]") -> str:
    return ", ".join(one.id for one in rows)


def _ages(health: Health, name: str, rows: Iterable[HealthRow]) -> Iterable[Figure]:
    ages = [(one, _days_between(one.row.added, health.today)) for one in rows]
    least = -1
    for most in (*AGES, None):
        fits = [one for one, age in ages if age is not None and max(age, 0) > least and (most is None or age <= most)]
        title = f"more than {least} days" if most is None else f"{least + 1} to {most} days"
        yield _figure(f"{name}-{'more' if most is None else most}", title, fits)
        least = least if most is None else most
    yield _figure(f"{name}-unknown", "no date", [one for one, age in ages if age is None])


_days_between = lru_cache(1 << 12)(days_between)  # many rows were added on one day


def _triggers(health: Health) -> Iterable[Figure]:
    yield _signs(
        "dead-triggers", "rows with a trigger that matches no tracked file",
        [one for one in health.rows if one.dead[0]], "one or more", lambda one: one.dead[0], lambda one: one.dead[1],
    )  # fmt: skip
    yield _signs(
        "broad-triggers", "rows with a trigger that matches too much", [one for one in health.rows if one.broad[0]],
        "a quarter of 20 files or more", lambda one: one.broad[0], lambda one: one.broad[1],
    )  # fmt: skip


def _rules(health: Health) -> Iterable[Figure]:
    total = health.behaviour.sessions
    fires, ignored = dict(health.behaviour.fires), dict(health.behaviour.ignored)
    rules = [one for one in _in_force(health) if not one.row.is_debt]
    enough = total >= FEWEST_SESSIONS
    most = MOST_SESSIONS * total
    yield _signs(
        "rules-always", "rules that most sessions hear",
        [one for one in rules if enough and fires.get(one.key, 0) >= most and not _at_start(one.row)],
        f"{MOST_SESSIONS:.0%} of {FEWEST_SESSIONS} sessions or more",
        lambda one: f"{one.id} was heard in {fires[one.key]} of {total} sessions",
        lambda one: f"give {one.id} the trigger `start`, or move its note into AGENTS.md and revoke the row",
    )  # fmt: skip
    silent = total >= SESSIONS_OF_SILENCE
    yield _signs(
        "rules-never", "rules that no session heard",
        [one for one in rules if silent and not fires.get(one.key) and not one.rides],
        f"{SESSIONS_OF_SILENCE} sessions or more",
        lambda one: f"{one.id} was heard in none of {total} sessions, and has no rides",
        lambda one: f"correct its trigger, or gatilho revoke {shell_word(one.id)} --why 'never heard'",
    )  # fmt: skip
    yield _signs(
        "rules-violated", "rules that keep being violated",
        [one for one in rules if ignored and ignored.get(one.key, 0) >= OFTEN_VIOLATED],
        f"{OFTEN_VIOLATED} sessions or more",
        lambda one: f"{one.id} was heard and violated in {ignored[one.key]} sessions", _check_instead,
    )  # fmt: skip


def _at_start(row: Row) -> bool:
    return any(trigger.kind == "start" for trigger in row.triggers)


def _debts(health: Health) -> Iterable[Figure]:
    owed = _owed(health)
    due = [one for one in owed if one.due]
    yield _figure("due", "due: the next write is asked about", due, command="gatilho list --due")
    for rides in range(health.ask_after):
        yield _figure(f"rides-{rides}", counted(rides, "ride"), [one for one in owed if one.rides == rides])
    most = [one for one in owed if one.rides >= health.ask_after]
    yield _figure("rides-more", f"{counted(health.ask_after, 'ride')} or more", most)
    yield _signs(
        "old-debts", f"owed for more than {OLD_DEBT} days",
        [one for one in owed if (days_between(one.row.added, health.today) or 0) > OLD_DEBT], f"{OLD_DEBT} days",
        lambda one: f"{one.id} is owed since {one.row.added}, {counted(one.rides, 'ride')}",
        lambda one: f"pay it, or gatilho revoke {shell_word(one.id)} --why TEXT",
    )  # fmt: skip


def _payments(health: Health) -> Iterable[Figure]:
    paid = [one for one in health.rows if one.row.is_debt and one.state == "paid"]
    yield _figure("paid", "paid", paid, command="gatilho list --paid")
    yield _signs(
        "regressed", "paid, then owed again",
        [one for one in health.rows if any(entry.event == "regressed" for entry in one.entries)], "one or more",
        lambda one: f"{one.id} was owed again {_times(one)}, and is {one.state} now",
        lambda one: f"look at its condition: gatilho log {shell_word(one.id)}",
    )  # fmt: skip
    times = [(one, days) for one in paid if (days := days_to_payment(one.entries)) is not None]
    middle = round(median(days for _, days in times), 1) if times else 0.0
    rows = [one for one, _ in times]
    yield _figure("time-to-payment", "from the first ride to the payment, median", rows, middle, unit="days")


def _check_instead(one: HealthRow) -> str:
    """Say how a rule becomes a check; the program writes the patch where it knows how the rule is broken."""
    name = shell_word(one.row.id)
    if one.row.violated_when:
        return f"make a check of it: gatilho promote {name} --to pre-commit"
    return f"make a check of it, in a linter or a test; until then: gatilho show {name}"


def _times(one: HealthRow) -> str:
    count = len({entry.when for entry in one.entries if entry.event == "regressed"})
    return "once" if count == 1 else f"{count} times"


def days_to_payment(entries: Iterable[Entry]) -> int | None:
    """Return the days from the first ride to the last payment; None where one of them is not in the ledger."""
    entries = list(entries)
    first = min((moment(one.when) for one in entries if one.event == "charged"), default="")
    last = max((moment(one.when) for one in entries if one.event == "paid"), default="")
    days = days_between(first[:10], last[:10]) if first and last else None
    return days if days is None else max(days, 0)


def _warnings(health: Health) -> Iterable[Figure]:
    heeded, ignored = dict(health.behaviour.heeded), dict(health.behaviour.ignored)
    yield _sessions_of("heeded", "warnings heeded: written, and the condition true at the turn's close", heeded, health)
    yield _sessions_of("ignored", "warnings ignored: written, and the condition false", ignored, health)
    pitfalls = [one for one in health.rows if ignored.get(one.key, 0) > 1 and one.row.kind == "pitfall"]
    yield _signs(
        "pitfalls", "violations of a pitfall after the first", pitfalls, "two sessions",
        lambda one: f"{one.id} was violated in {ignored[one.key]} sessions",
        lambda one: 'make a check of it, or say it before the write: warn = "before" in gatilho.toml',
        value=sum(ignored[key] - 1 for key in {one.key for one in pitfalls}),
    )  # fmt: skip


def _questions(health: Health) -> Iterable[Figure]:
    yield _sessions_of("answered", "prompts that a row answered", dict(health.behaviour.answered), health)
    repeated = dict(health.behaviour.repeated)
    often = _advice(
        [one for one in health.rows if repeated.get(one.key, 0) >= OFTEN_REPEATED],
        lambda one: f"{one.id} answered the same again in {repeated[one.key]} sessions",
        lambda one: f"give {one.id} the trigger `start`, or write its note into AGENTS.md",
    )
    yield _sessions_of(
        "repeated", "asked again within 30 days", repeated, health, threshold=f"{OFTEN_REPEATED} sessions",
        findings=often,
    )  # fmt: skip


def _sessions_of(name: str, title: str, counts: "dict[RowKey, int]", health: Health, **more: Any) -> Figure:
    """Return a figure of sessions, the row of most first; rows that are gone count in it and are not listed."""
    rows = [one for one in health.rows if one.key in counts] if counts else []
    rows.sort(key=lambda one: -counts[one.key])
    return _figure(name, title, rows, sum(counts.values()), **more)


def _first_edits(found: Sequence[FirstEdit]) -> Iterable[Figure]:
    calls = [one.calls for one in found]
    characters = [one.characters for one in found]
    yield Figure("first-edit-sessions", "sessions with an edit whose transcript was read", len(found))
    yield Figure("first-edit-calls", "tool calls before the first edit, median", median(calls) if calls else 0)
    yield Figure("first-edit-characters", "characters before it, median", median(characters) if characters else 0)
