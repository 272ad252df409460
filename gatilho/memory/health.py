"""The health of a store as figures: each with the rows it is made of, and where it is a sign of something, with the
threshold, the rows beyond it and the one-line edit that each of them asks for. Pure.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from statistics import median

from gatilho.dates import days_between
from gatilho.ledger.tally import Entry, moment
from gatilho.memory.metrics import Behaviour, FirstEdit
from gatilho.memory.similarity import NEAR_DUPLICATE
from gatilho.model import Row, Value
from gatilho.plain import counted

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
    """A row as health looks at it. state: in one word. count: rides in force. over: why it is over, "" if it is not.

    entries: of the ledger, under all its names. silent, broad: what is wrong with its triggers and what to do, as
    (message, remedy), each "" for nothing.
    """

    row: Row
    state: str
    count: int
    due: bool = False
    over: str = ""
    entries: tuple[Entry, ...] = ()
    dead: tuple[str, str] = ("", "")
    broad: tuple[str, str] = ("", "")

    @property
    def key(self) -> RowKey:
        return (self.row.store, self.row.id)


class Advice(Value):
    """A row, or a group of them, beyond a threshold: its figures in words, and the edit in one line."""

    rows: tuple[RowKey, ...]
    says: str
    edit: str


class Figure(Value):
    """One number. rows: that it is made of. command: lists them. threshold: in words, "" where none is set.

    alarm: a finding here makes `gatilho health` exit with 1.
    """

    name: str
    title: str
    value: float
    rows: tuple[RowKey, ...] = ()
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
    """What health is computed from. contradictions, duplicates: groups of keys, with a score for the latter."""

    rows: tuple[HealthRow, ...]
    today: str
    ask_after: int
    contradictions: tuple[tuple[RowKey, ...], ...]
    duplicates: tuple[tuple[tuple[RowKey, ...], int], ...]
    behaviour: Behaviour


def health_sections(health: Health, names: Collection[str] = ()) -> list[Section]:
    """Return the figures of the tables and their ledger, and those of rules by what sessions heard.

    names: of the sections that are wanted; all without any.
    """
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


def _figure(name: str, title: str, rows: "Iterable[HealthRow]", **more: object) -> Figure:
    keys = tuple(one.key for one in rows)
    made = Figure(name, title, len(keys), keys, f"gatilho health --rows {name}")
    return made.replace(**more)


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
        command = f"gatilho list --all --{name} {_word(value)}"
        yield _figure(f"{name}-{value}", f"{name} {value}", groups[value], command=command)


def _word(value: str) -> str:
    """Return a value as one word of a shell."""
    plain = value.replace("-", "").replace("_", "").replace(".", "").replace("/", "")
    return value if plain.isalnum() and plain.isascii() else "'" + value.replace("'", "'\\''") + "'"


def _memory(health: Health) -> Iterable[Figure]:
    by_key = {one.key: one for one in health.rows}
    yield _grouped(
        "contradictions", "contradictions: one key, different notes", health.contradictions, by_key,
        "one or more", lambda group: f"key {by_key[group[0]].row.key}: {_ids(group)}",
        lambda group: f"gatilho supersede {_word(group[0][1])} {_word(group[1][1])}", alarm=True,
    )  # fmt: skip
    scores = dict(health.duplicates)
    yield _grouped(
        "duplicates", "groups of rows that say nearly the same", [group for group, _ in health.duplicates], by_key,
        f"a score of {NEAR_DUPLICATE}", lambda group: f"{_ids(group)}, score {scores[group]}",
        lambda group: f"gatilho supersede {_word(group[0][1])} {_word(group[1][1])}",
    )  # fmt: skip
    ended = [one for one in health.rows if not one.row.in_force]
    active = len(health.rows) - len(ended)
    ratio = round(len(ended) / active, 2) if active else float(len(ended))
    beyond = ratio > MOST_ARCHIVED
    moved = Advice(tuple(one.key for one in ended), f"{len(ended)} ended, {active} in force",
                    "move ended rows into a file of their own, such as docs/gatilhos/ended.md")  # fmt: skip
    yield _figure(
        "archived", "ended rows for each row in force", ended, value=ratio, threshold=f"over {MOST_ARCHIVED:g}",
        findings=(moved,) if beyond else (),
    )  # fmt: skip
    over = [one for one in health.rows if one.over]
    yield _figure(
        "expired", "rows in force that are past their time", over, threshold="their date, or their kind's time to live",
        findings=tuple(Advice((one.key,), f"{one.row.id}: {one.over}", "gatilho expire") for one in over),
    )  # fmt: skip


def _grouped(
    name: str, title: str, groups: "Sequence[tuple[RowKey, ...]]", by_key: "dict[RowKey, HealthRow]", threshold: str,
    says: "Callable[[tuple[RowKey, ...]], str]", edit: "Callable[[tuple[RowKey, ...]], str]", alarm: bool = False,
) -> Figure:  # fmt: skip
    found = tuple(Advice(group, says(group), edit(group)) for group in groups)
    rows = [by_key[key] for group in groups for key in group if key in by_key]
    return _figure(name, title, rows, value=len(groups), threshold=threshold, findings=found, alarm=alarm)


def _ids(keys: "Iterable[RowKey]") -> str:
    return ", ".join(row_id for _, row_id in keys)


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
    dead = [one for one in health.rows if one.dead[0]]
    yield _figure(
        "dead-triggers", "rows with a trigger that matches no tracked file", dead, threshold="one or more",
        findings=tuple(Advice((one.key,), *one.dead) for one in dead),
    )  # fmt: skip
    broad = [one for one in health.rows if one.broad[0]]
    yield _figure(
        "broad-triggers", "rows with a trigger that matches too much", broad, threshold="a quarter of 20 files or more",
        findings=tuple(Advice((one.key,), *one.broad) for one in broad),
    )  # fmt: skip


def _rules(health: Health) -> Iterable[Figure]:
    total = health.behaviour.sessions
    fires, ignored = dict(health.behaviour.fires), dict(health.behaviour.ignored)
    rules = [one for one in _in_force(health) if not one.row.is_debt]
    often = [
        one for one in rules
        if total >= FEWEST_SESSIONS and fires.get(one.key, 0) >= MOST_SESSIONS * total and not _at_start(one.row)
    ]  # fmt: skip
    yield _figure(
        "rules-always", "rules that most sessions hear", often,
        threshold=f"{MOST_SESSIONS:.0%} of {FEWEST_SESSIONS} sessions or more",
        findings=tuple(
            Advice((one.key,), f"{one.row.id} was heard in {fires[one.key]} of {total} sessions",
                    f"give {one.row.id} the trigger `start`, or move its note into AGENTS.md and revoke the row")
            for one in often
        ),
    )  # fmt: skip
    never = [one for one in rules if total >= SESSIONS_OF_SILENCE and not fires.get(one.key) and not one.count]
    yield _figure(
        "rules-never", "rules that no session heard", never, threshold=f"{SESSIONS_OF_SILENCE} sessions or more",
        findings=tuple(
            Advice((one.key,), f"{one.row.id} was heard in none of {total} sessions, and has no rides",
                    f"correct its trigger, or gatilho revoke {_word(one.row.id)} --why 'never heard'")
            for one in never
        ),
    )  # fmt: skip
    violated = [one for one in rules if ignored.get(one.key, 0) >= OFTEN_VIOLATED]
    yield _figure(
        "rules-violated", "rules that keep being violated", violated, threshold=f"{OFTEN_VIOLATED} sessions or more",
        findings=tuple(
            Advice((one.key,), f"{one.row.id} was heard and violated in {ignored[one.key]} sessions",
                    _check_instead(one))
            for one in violated
        ),
    )  # fmt: skip


def _at_start(row: Row) -> bool:
    return any(trigger.kind == "start" for trigger in row.triggers)


def _debts(health: Health) -> Iterable[Figure]:
    owed = _owed(health)
    due = [one for one in owed if one.due]
    yield _figure("due", "due: the next write is asked about", due, command="gatilho list --due")
    for rides in range(health.ask_after):
        yield _figure(f"rides-{rides}", counted(rides, "ride"), [one for one in owed if one.count == rides])
    most = [one for one in owed if one.count >= health.ask_after]
    yield _figure("rides-more", f"{counted(health.ask_after, 'ride')} or more", most)
    old = [one for one in owed if (days_between(one.row.added, health.today) or 0) > OLD_DEBT]
    yield _figure(
        "old-debts", f"owed for more than {OLD_DEBT} days", old, threshold=f"{OLD_DEBT} days",
        findings=tuple(
            Advice((one.key,), f"{one.row.id} is owed since {one.row.added}, {counted(one.count, 'ride')}",
                    f"pay it, or gatilho revoke {_word(one.row.id)} --why TEXT")
            for one in old
        ),
    )  # fmt: skip


def _payments(health: Health) -> Iterable[Figure]:
    paid = [one for one in health.rows if one.row.is_debt and one.state == "paid"]
    yield _figure("paid", "paid", paid, command="gatilho list --paid")
    again = [one for one in health.rows if any(entry.event == "regressed" for entry in one.entries)]
    yield _figure(
        "regressed", "paid, then owed again", again, threshold="one or more",
        findings=tuple(
            Advice((one.key,), f"{one.row.id} was owed again {_times(one)}, and is {one.state} now",
                    f"look at its condition: gatilho log {_word(one.row.id)}")
            for one in again
        ),
    )  # fmt: skip
    times = [(one, days) for one in paid if (days := days_to_payment(one.entries)) is not None]
    middle = round(median(days for _, days in times), 1) if times else 0.0
    yield _figure(
        "time-to-payment", "from the first ride to the payment, median", [one for one, _ in times], value=middle,
        unit="days",
    )  # fmt: skip


def _check_instead(one: HealthRow) -> str:
    """Say how a rule becomes a check; the program writes the patch where it knows how the rule is broken."""
    name = _word(one.row.id)
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
    by_key = {one.key: one for one in health.rows}
    heeded, ignored = dict(health.behaviour.heeded), dict(health.behaviour.ignored)
    yield _sessions_of("heeded", "warnings heeded: written, and the condition true at the turn's close", heeded, by_key)
    yield _sessions_of("ignored", "warnings ignored: written, and the condition false", ignored, by_key)
    pitfalls = {key: count for key, count in ignored.items() if key in by_key and by_key[key].row.kind == "pitfall"}
    repeated = {key: count for key, count in pitfalls.items() if count > 1}
    figure = _sessions_of("pitfalls", "violations of a pitfall after the first", repeated, by_key)
    yield figure.replace(
        value=sum(repeated.values()) - len(repeated), threshold="two sessions",
        findings=tuple(
            Advice((key,), f"{key[1]} was violated in {count} sessions",
                    'make a check of it, or say it before the write: warn = "before" in gatilho.toml')
            for key, count in repeated.items()
        ),
    )  # fmt: skip


def _questions(health: Health) -> Iterable[Figure]:
    by_key = {one.key: one for one in health.rows}
    yield _sessions_of("answered", "prompts that a row answered", dict(health.behaviour.answered), by_key)
    repeated = dict(health.behaviour.repeated)
    often = {key: count for key, count in repeated.items() if count >= OFTEN_REPEATED}
    yield _sessions_of("repeated", "asked again within 30 days", repeated, by_key).replace(
        threshold=f"{OFTEN_REPEATED} sessions",
        findings=tuple(
            Advice((key,), f"{key[1]} answered the same again in {count} sessions",
                    f"give {key[1]} the trigger `start`, or write its note into AGENTS.md")
            for key, count in often.items()
        ),
    )  # fmt: skip


def _sessions_of(name: str, title: str, counts: "dict[RowKey, int]", by_key: "dict[RowKey, HealthRow]") -> Figure:
    """Return a figure of sessions; rows that are gone count in it and are not listed."""
    rows = [by_key[key] for key in counts if key in by_key]
    return _figure(name, title, rows, value=sum(counts.values()))


def _first_edits(found: Sequence[FirstEdit]) -> Iterable[Figure]:
    calls = [one.calls for one in found]
    characters = [one.characters for one in found]
    yield Figure("first-edit-sessions", "sessions with an edit whose transcript was read", len(found))
    yield Figure("first-edit-calls", "tool calls before the first edit, median", median(calls) if calls else 0)
    yield Figure("first-edit-characters", "characters before it, median", median(characters) if characters else 0)
