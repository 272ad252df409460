"""The figures of a report, each with the rows that it is made of. Pure."""

from collections.abc import Callable, Iterable, Sequence
from datetime import date, timedelta
from functools import lru_cache
from statistics import median

from gatilho.backtest.replayed import Figures
from gatilho.dates import days_between, is_date, utc_day, utc_time
from gatilho.memory.health import HealthRow
from gatilho.model import Value

_DAYS_OF_MONTH = 30
_EPOCH = date(1970, 1, 1).toordinal()
_AGES = ((7, "under a week"), (30, "under a month"), (90, "under 3 months"), (180, "under 6 months"),
         (365, "under a year"))  # fmt: skip
_SPANS = ((1, "under a day"), (7, "under a week"), (30, "under a month"), (90, "under 3 months"), (365, "under a year"))
_MOST_RIDES = 10  # more are one bar


@lru_cache(1 << 16)
def _day(number: int) -> str:
    return utc_day(number * 86_400)


_days_between = lru_cache(1 << 12)(days_between)


class LifeEvent(Value):
    """One event in the life of a row.

    when: seconds since 1970, 0 where unknown. kind: an event of the ledger, or "written", "removed", "edited", "rides"
    or "fold". says: in words. rides: how many it added. commit: the first digits of the one that brought it into git,
    "" where none did. at_least: older than git knows. state: what the row became by hand.
    """

    when: int
    row: str
    kind: str
    says: str
    rides: int = 0
    commit: str = ""
    author: str = ""
    at_least: bool = False
    state: str = ""
    session: str = ""
    by: str = ""
    evidence: str = ""

    @property
    def day(self) -> str:
        """Return its day in UTC, "" where that is unknown."""
        return _day(self.when // 86_400) if self.when else ""

    @property
    def time(self) -> str:
        """Return its minute in UTC, "" where that is unknown."""
        return utc_time(self.when)[:16] if self.when else ""

    @property
    def pays(self) -> bool:
        return self.kind == "paid" or self.state == "paid"

    @property
    def takes_back(self) -> bool:
        """Return whether a payment is over with it."""
        return self.kind in ("regressed", "reinstated") or self.state == "owed"


class ReportRow(HealthRow):
    """A row as a report shows it: as health judges it, and more.

    says: its state in words. asked_at: the rides from which on it is asked about. here: whether a table has it still.
    own: its cells in columns of people's own. past: what it would have done in the last commits, None where that was
    not tried. stamp: a text that is another one once the row says something else or has other events.
    """

    says: str = ""
    asked_at: int = 0
    here: bool = True
    events: tuple[LifeEvent, ...] = ()
    own: tuple[tuple[str, str], ...] = ()
    past: Figures | None = None
    stamp: str = ""

    @property
    def first_day(self) -> str:
        """Return the day from which on the row is known, "" where none is known."""
        added = [self.row.added] if is_date(self.row.added) else []
        return min([*added, *[one.day for one in self.events if one.when][:1]], default="")

    @property
    def first_ride(self) -> str:
        return next((one.day for one in self.events if one.rides and one.when), "")

    @property
    def last_ride(self) -> str:
        return next((one.day for one in reversed(self.events) if one.rides and one.when), "")

    def age(self, today: str) -> int | None:
        """Return its days, None where its first one is not known."""
        return _days_between(self.first_day, today)


class Bin(Value):
    """One bar of a chart, or one number: how much, and the rows that it is made of."""

    name: str
    label: str
    count: int
    rows: Sequence[ReportRow]


class Chart(Value):
    """Bars that belong together. unit: what they count. over_time: whether each is a time, in order."""

    name: str
    title: str
    unit: str
    bins: tuple[Bin, ...]
    over_time: bool = False


class Payment(Value):
    """One payment. undone: the day on which it was taken back, "" while it holds; by_hand: the ledger lacks it.

    days_open: since the row was written; days_ridden: since its first ride. None where a day is not known.
    """

    row: ReportRow
    event: LifeEvent
    days_open: int | None
    days_ridden: int | None
    undone: str = ""

    @property
    def by_hand(self) -> bool:
        return self.event.kind != "paid"


class Regression(Value):
    """A payment that was taken back: its event, and the day of the payment, "" where none is known."""

    row: ReportRow
    event: LifeEvent
    paid: str


class RuleFires(Value):
    """A rule and how often it fired: rides in force, those since a day, and the day of the last one."""

    row: ReportRow
    rides: int
    recent: int
    last: str


class Summary(Value):
    """All figures of a report. since: the day (ISO) from which on events count, "" for all."""

    today: str
    since: str
    rows: tuple[ReportRow, ...]
    totals: tuple[Bin, ...]
    charts: tuple[Chart, ...]
    debts: tuple[ReportRow, ...]
    payments: tuple[Payment, ...]
    regressions: tuple[Regression, ...]
    rules: tuple[RuleFires, ...]

    @property
    def median_days(self) -> float | None:
        """Return the median of the days from first ride to payment, None where no payment has one."""
        known = [one.days_ridden for one in self.payments if one.days_ridden is not None]
        return median(known) if known else None


def summarise(rows: Sequence[ReportRow], today: str, since: int = 0) -> Summary:
    """Return the figures of rows on a day (ISO); since: of events only those after that time (seconds since 1970)."""
    debts = [one for one in rows if one.here and one.row.owed]
    debts.sort(key=lambda one: (not one.due, -one.rides, -(one.age(today) or 0), one.id))
    ridden, payments, regressions = _events_since(rows, since)
    recent = max(since, _seconds(today) - _DAYS_OF_MONTH * 86_400)
    lately = [(event, one) for event, one in ridden if event.when >= recent]
    rules = _rule_fires(rows, lately)
    return Summary(
        today,
        utc_day(since) if since else "",
        tuple(rows),
        _totals(debts, payments, regressions, rules, lately),
        (
            _over_time("rides-over-time", "Rides over time", "rides", ridden, today),
            _by_rides(debts),
            _by_limits(
                "debts-by-age", "Open debts by age", "debts", _AGES, ((one.age(today), one) for one in debts),
            ),
            _over_time(
                "payments-over-time", "Payments over time", "payments",
                [(one.event.replace(rides=1), one.row) for one in payments], today,
            ),
            _by_limits(
                "time-to-payment", "From the first ride to the payment", "payments", _SPANS,
                ((one.days_ridden, one.row) for one in payments if one.days_ridden is not None),
            ),
        ),
        tuple(debts),
        tuple(payments),
        tuple(regressions),
        tuple(rules),
    )  # fmt: skip


def _events_since(
    rows: Sequence[ReportRow], since: int
) -> tuple[list[tuple[LifeEvent, ReportRow]], list[Payment], list[Regression]]:
    """Return the events with rides, and the payments and what undid them, latest first; since: as for `summarise`."""
    ridden: list[tuple[LifeEvent, ReportRow]] = []
    payments: list[Payment] = []
    regressions: list[Regression] = []
    for one in rows:
        for at, event in enumerate(one.events):
            if event.when < since:
                continue
            if event.rides and event.when:
                ridden.append((event, one))
            if event.pays:
                payments.append(_payment(one, at))
            elif event.kind == "regressed":
                paid = next((before.day for before in reversed(one.events[:at]) if before.pays), "")
                regressions.append(Regression(one, event, paid))
    payments.sort(key=lambda one: -one.event.when)
    regressions.sort(key=lambda one: -one.event.when)
    return ridden, payments, regressions


def _rule_fires(rows: Sequence[ReportRow], lately: list[tuple[LifeEvent, ReportRow]]) -> list[RuleFires]:
    """Return the rules in force, those with most rides first. lately: the events with rides of the last month."""
    fires: dict[int, int] = {}
    for event, one in lately:
        fires[id(one)] = fires.get(id(one), 0) + event.rides
    rules = [
        RuleFires(one, one.rides, fires.get(id(one), 0), one.last_ride)
        for one in rows
        if one.here and not one.row.is_debt and one.row.in_force
    ]
    return sorted(rules, key=lambda one: (-one.rides, one.row.id))


def _date(days: int) -> date:
    """Return the date of a day by its number since 1970."""
    return date.fromordinal(_EPOCH + days)


def _seconds(day: str) -> int:
    return (date.fromisoformat(day).toordinal() - _EPOCH) * 86_400


def _payment(row: ReportRow, at: int) -> Payment:
    """Return the payment that the event of that number is."""
    event = row.events[at]
    undone = next((later.day for later in row.events[at + 1 :] if later.takes_back), "")
    first_ride = row.first_ride if row.first_ride <= event.day else ""
    return Payment(row, event, days_between(row.first_day, event.day), days_between(first_ride, event.day), undone)


def _totals(
    debts: Sequence[ReportRow], payments: Sequence[Payment], regressions: Sequence[Regression],
    rules: Sequence[RuleFires], lately: Sequence[tuple[LifeEvent, ReportRow]],
) -> tuple[Bin, ...]:  # fmt: skip
    due = tuple(one for one in debts if one.due)
    return (
        Bin("due", "debts due", len(due), due),
        Bin("open", "open debts", len(debts), tuple(debts)),
        Bin("paid", "payments", len(payments), _each_once(one.row for one in payments)),
        Bin("regressed", "owed again", len(regressions), _each_once(one.row for one in regressions)),
        Bin("rules", "rules in force", len(rules), tuple(one.row for one in rules)),
        Bin(
            "recent-rides",
            "rides in 30 days",
            sum(one.rides for one, _ in lately),
            _each_once(row for _, row in lately),
        ),
    )


def _each_once(rows: Iterable[ReportRow]) -> tuple[ReportRow, ...]:
    return tuple({id(one): one for one in rows}.values())


def _by_rides(debts: Sequence[ReportRow]) -> Chart:
    most = max((one.rides for one in debts), default=0)
    bins = []
    for number in range(min(most, _MOST_RIDES) + 1):
        last = number == _MOST_RIDES and most > _MOST_RIDES
        found = tuple(one for one in debts if (one.rides >= number if last else one.rides == number))
        bins.append(Bin(f"debts-by-rides-{number}", f"{number}{' or more' if last else ''}", len(found), found))
    return Chart("debts-by-rides", "Open debts by rides", "debts", tuple(bins))


def _by_limits(
    name: str, title: str, unit: str, limits: Sequence[tuple[int, str]], pairs: Iterable[tuple[int | None, ReportRow]]
) -> Chart:
    """Return a chart of rows by the first limit that is above their days; the last bin is of unknown days, if any."""
    labels = [*(label for _, label in limits), "a year or more", "age not known"]
    found: list[list[ReportRow]] = [[] for _ in labels]
    for days, row in pairs:
        at = len(limits) + 1 if days is None else next((at for at, (most, _) in enumerate(limits) if days < most), -2)
        found[at].append(row)
    shown = found if found[-1] else found[:-1]
    bins = [
        Bin(f"{name}-{at}", label, len(rows), _each_once(rows)) for at, (label, rows) in enumerate(zip(labels, shown))
    ]
    return Chart(name, title, unit, tuple(bins))


class _Columns(Value):
    """The columns of a chart over time. most: the days that they are for. begin: returns the first day of a day's
    column; next_after: as many days later another one has begun. label: of the column that begins on a day.
    """

    most: int
    begin: Callable[[date], date]
    next_after: int
    label: Callable[[date], str]


# Few enough to be seen as bars: days, weeks, months, else years.
_CALENDAR = (
    _Columns(45, lambda day: day, 1, date.isoformat),
    _Columns(60 * 7, lambda day: day - timedelta(day.weekday()), 7, lambda day: f"week of {day.isoformat()}"),
    _Columns(60 * 31, lambda day: day.replace(day=1), 32, lambda day: f"{day:%B %Y}"),
    _Columns(date.max.toordinal(), lambda day: day.replace(month=1, day=1), 366, lambda day: str(day.year)),
)


def _over_time(name: str, title: str, unit: str, events: Sequence[tuple[LifeEvent, ReportRow]], today: str) -> Chart:
    """Return a chart from the first event to today, by days, weeks, months or years; event.rides is what it counts."""
    if not events:
        return Chart(name, title, unit, (), True)
    by_day: dict[int, list[tuple[LifeEvent, ReportRow]]] = {}
    for event, row in events:
        by_day.setdefault(event.when // 86_400, []).append((event, row))
    first = _date(min(by_day))
    last = max(date.fromisoformat(today), _date(max(by_day)))
    columns = next(one for one in _CALENDAR if (last - first).days <= one.most)
    found: dict[date, tuple[list[int], list[ReportRow]]] = {}
    at = columns.begin(first)
    while at <= last:
        found[at] = ([0], [])
        at = columns.begin(at + timedelta(columns.next_after))
    for number in sorted(by_day):
        counts, rows = found[columns.begin(_date(number))]
        counts[0] += sum(event.rides for event, _ in by_day[number])
        rows += [row for _, row in by_day[number]]
    bins = [
        Bin(f"{name}-{start.isoformat()}", columns.label(start), counts[0], _each_once(rows))
        for start, (counts, rows) in found.items()
    ]
    return Chart(name, title, unit, tuple(bins), True)
