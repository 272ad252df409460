"""What happened to a row between two sides: rides, payments, endings, each with what the ledger says of it."""

from collections.abc import Iterator
from shlex import quote

from gatilho.compare.facts import COMMAND, Aside, Fact, Quote, Words, quoted
from gatilho.ledger.lines import STATE_EVENTS, Entry, Tally, moment
from gatilho.ledger.tally import base_of_set
from gatilho.lifecycle.transitions import state_of, unrecorded
from gatilho.model import Row, Value
from gatilho.plain import counted

_MOST_SESSIONS = 5
_SHORT = 10
_KINDS = {
    "paid": "paid", "reinstated": "back", "regressed": "regressed", "waived": "waived", "superseded": "ended",
    "revoked": "ended", "expired": "ended",
}  # fmt: skip
_SAID = {"reinstated": "in force again", "regressed": "owed again"}
_BY_HAND = "by hand, with no entry in the ledger"


class Version(Value):
    """A row on one side, with what its ledger and its cell come to there."""

    row: Row
    tally: Tally


def life_facts(before: Version, after: Version, new: list[Entry], reverted: list[Entry]) -> Iterator[Fact]:
    """Yield rides and states, in the order in which they happened.

    new: the row's entries that the earlier side lacks. reverted: its entries in ledger files that the later side lacks
    as a whole, as after a `git revert`.
    """
    yield from ride_facts(before, after, new, reverted)
    yield from _state_facts(before, after, new)
    for entry in new:
        if entry.event in ("passed anyway", "allowed"):
            yield _passed(entry)


def ride_facts(before: Version, after: Version, new: list[Entry], reverted: list[Entry]) -> Iterator[Fact]:
    """Yield what became of the count in force, and of the cell where that alone fell."""
    old, now = before.tally.count, after.tally.count
    corrections = [entry for entry in new if entry.event == "set"]
    if corrections:
        latest = max(corrections, key=lambda entry: moment(entry.when))
        steps = [str(entry.rides) for entry in sorted(corrections, key=lambda entry: moment(entry.when))]
        detour = f"{', then to '.join(steps[:-1])} and back to " if len(steps) > 1 and latest.rides == old else ""
        words = (f"rides set from {old} to {detour}{latest.rides}", *said(latest))
        yield Fact("set", words, before=str(old), after=str(latest.rides), event=latest.as_tuple())
        if now != latest.rides:
            yield _grown(latest.rides or 0, now, before, after, new)
    elif taken := _taken_back(before, after, reverted):
        yield taken
    elif now > old:
        yield _grown(old, now, before, after, new)
    elif now < old or cell_fell(before.row, after.row):
        yield _fallen(before, after)
    if after.row.rides is None and before.row.rides is not None:
        yield Fact("cell", (f"rides: {before.row.rides} -> no number, so it never escalates",), own_severity="warning")


def said(entry: Entry) -> Words:
    """Return what follows an entry's event: its evidence, and who recorded it, when that is known."""
    words: list[str | Quote | Aside] = [": ", Quote(entry.evidence)] if entry.evidence else []
    return (*words, *who(entry))


def who(entry: Entry) -> Words:
    """Return in brackets: by whom, in which session, at which commit; a comment says by whom."""
    known = by_whom(entry.by)
    parts: list[str | Quote | Aside] = [*known]
    for word, text in (("session ", entry.session), ("at ", entry.commit[:_SHORT])):
        if text:
            parts += [", " if parts else "", word, Quote(text)]
    return (Aside((" (", *parts, ")"), (" (", *known, ")") if known else ()),) if parts else ()


def by_whom(by: str) -> Words:
    """Return who did it, as the ledger has it (`program claude`), in words; () where it does not say."""
    who, _, host = by.partition(" ")
    known = {"person": ("a person", "the owner"), "program": ("gatilho", "gatilho"), "agent": ("an agent", "the agent")}
    if who not in known:
        return ("by ", Quote(by)) if by else ()
    return (f"by {known[who][1]}, in ", Quote(host)) if host else (f"by {known[who][0]}",)


def _grown(old: int, now: int, before: Version, after: Version, new: list[Entry]) -> Fact:
    sessions = after.tally.charges - before.tally.charges
    charges: dict[str, Entry] = {}
    for entry in sorted(new, key=lambda one: moment(one.when)):
        if entry.event == "charged" and entry.session in sessions:
            charges.setdefault(entry.session, entry)
    # A rule's rides have no lines in the ledger, so none is missed.
    unexplained = now - old - len(charges) if after.row.is_debt else 0
    words: list[str | Quote | Aside] = [f"rides {old} -> {now}"]
    if charges:
        words += [": ", *_charges(list(charges.values()))]
    if unexplained > 0:
        some = f"{unexplained} of them " if charges else ""
        words.append(f"{'; ' if charges else ', '}{some}{_BY_HAND}")
    if after.row.rides is not None and after.row.rides != now:
        words.append(f" (the cell says {after.row.rides})")
    return Fact("rides", tuple(words), by_hand=unexplained > 0, before=str(old), after=str(now))


def _charges(charges: list[Entry]) -> Words:
    """Return which sessions wrote what, those that wrote the same file together."""
    shown: dict[str, list[Quote]] = {}
    for entry in charges[:_MOST_SESSIONS]:
        shown.setdefault(entry.evidence, []).append(Quote(entry.session or "unknown"))
    words: list[str | Quote | Aside] = []
    for evidence, sessions in shown.items():
        one = len(sessions) == 1
        named = [part for session in sessions for part in (", ", session)][1:]
        brief = "a session" if one else f"{len(sessions)} sessions"
        words += [", " if words else "", Aside(("session " if one else "sessions ", *named), (brief,))]
        words += [" wrote ", Quote(evidence)] if evidence else []
    more = len(charges) - _MOST_SESSIONS
    return (*words, f" and {more} more") if more > 0 else tuple(words)


def cell_fell(before: Row, after: Row) -> bool:
    return before.rides is not None and after.rides is not None and after.rides < before.rides


def _charges_lost(after: Version, reverted: list[Entry]) -> list[Entry]:
    """Return the charges of sessions that the ledger has no more."""
    charges = {entry.session: entry for entry in reverted if entry.event == "charged"}
    return [entry for session, entry in charges.items() if session not in after.tally.sessions]


def still_counted(before: Version, after: Version, reverted: list[Entry]) -> Iterator[Fact]:
    """Yield that the cell counts rides whose ledger files a revert took: nothing lowers a cell but a `set`.

    With rides in the ledger alone that is so after a `fold`; else where a cell fell by fewer than were taken.
    """
    count, lost = after.tally.count, _charges_lost(after, reverted)
    left = before.tally.count - len(lost) + len(after.tally.charges - before.tally.charges)
    lower = max(after.tally.ledger_count, left)
    if not lost or count <= lower or not after.row.is_debt:
        return
    words: list[str | Quote | Aside] = [f"{len(lost)} {'ride was' if len(lost) == 1 else 'rides were'} reverted: "]
    words += [*_charges(lost), f"; the cell still says {count}"]
    remedy = ("to lower the count too, run ", Quote(f"gatilho set {quote(after.row.id)} {lower} --why TEXT", COMMAND))
    yield Fact("still counted", tuple(words), remedy, before=str(count), after=str(count))


def _taken_back(before: Version, after: Version, reverted: list[Entry]) -> Fact | None:
    """Return what a revert did to a count: it takes rides back, no more than those whose ledger files went with it, or
    a `set`, and then the count may rise as well.
    """
    old, now = before.tally.count, after.tally.count
    charges = _charges_lost(after, reverted)
    sets = [entry for entry in reverted if entry.event == "set"]
    cell_fell = (before.row.rides or 0) - (after.row.rides or 0)
    if after.row.rides is None or not (old > now or cell_fell > 0 or (sets and cell_fell)):
        return None
    # Count and cell may fall by different numbers; the files that went have to explain the larger fall. A `set`
    # explains one down to what the rest of the ledger counts, or to the cell that it was written on.
    explained = sets and (now >= old or after.tally.ledger_count or now >= _before(sets))
    if not explained and max(old - now, cell_fell) > len(charges):
        return None
    words: list[str | Quote | Aside] = [f"rides {old} -> {now}"]
    for part in (
        *((f"set to {entry.rides}", *said(entry)) for entry in sets),
        *([_charges(charges)] if charges else []),
    ):
        words += [", taken back: " if len(words) == 1 else "; ", *part]
    return Fact("taken back", tuple(words), before=str(old), after=str(now))


def _before(sets: list[Entry]) -> int:
    """Return the count before the first of these."""
    return base_of_set(min(sets, key=lambda entry: moment(entry.when)))


def _fallen(before: Version, after: Version) -> Fact:
    """Return a count or a cell that fell without a `set`; a rule's is a metric, which no one has to account for."""
    old, now = before.tally.count, after.tally.count
    cell = after.row.rides
    if not after.row.is_debt:
        return Fact("rides", (f"rides {before.row.rides} -> {cell}",), before=str(before.row.rides), after=str(cell))
    if now < old:
        text = f"rides {old} -> {now}, and no `set` in the ledger gives a reason"
        back = f"put {old} back"
    else:
        text = f"the rides cell went from {before.row.rides} to {cell}, and no `set` in the ledger gives a reason"
        text += f": {counted(now, 'ride')} in force" if cell != now else ""
        back = f"put {before.row.rides} back"
    command = Quote(f"gatilho set {quote(after.row.id)} {cell or 0} --why TEXT", COMMAND)
    remedy = (f"{back}, or record the lower count: ", command)
    return Fact("fell", (text,), remedy, by_hand=True, before=str(old), after=str(now))


def _state_facts(before: Version, after: Version, new: list[Entry]) -> Iterator[Fact]:
    events = sorted((entry for entry in new if entry.event in STATE_EVENTS), key=lambda entry: moment(entry.when))
    for entry in events:
        yield _event_fact(entry)
    was, now = state_of(before.row), state_of(after.row)
    if was == now:
        if before.row.state_text != after.row.state_text and not events:
            old, new_text = before.row.state_text, after.row.state_text
            words = ("state: ", quoted(old), " -> ", quoted(new_text))
            yield Fact("cell", words, before=old, after=new_text)
        return
    if {was, now} == {"owed", "rule"}:
        return  # only the lifecycle changed
    if unrecorded(after.row, after.tally):
        yield _by_hand(was, now, after.row)
    # The line is known from before, and only now the cell follows it.
    elif not events and after.tally.state is not None:
        yield _event_fact(after.tally.state)
    elif not events:
        yield Fact("back", (f"{was} -> {now}",), by_hand=True, before=was, after=now)


def _event_fact(entry: Entry) -> Fact:
    words = (_SAID.get(entry.event, entry.event), *said(entry))
    return Fact(_KINDS[entry.event], words, event=entry.as_tuple())


def _by_hand(was: str, now: str, row: Row) -> Fact:
    if now == "paid":
        return Fact("paid by hand", (f"struck {_BY_HAND}",), by_hand=True, before=was, after=now)
    if now in ("owed", "rule"):
        return Fact("back", (f"{was} -> {now} {_BY_HAND}",), by_hand=True, before=was, after=now)
    kind = "waived" if now == "waived" else "ended"
    text: Words = (" (", Quote(row.state_text), ")") if row.state_text not in ("", now) else ()
    return Fact(kind, (f"{now} {_BY_HAND}", *text), by_hand=True, before=was, after=now)


def _passed(entry: Entry) -> Fact:
    allowed = entry.event == "allowed"
    what = "a write was allowed" if allowed else "a write went through although it was asked about or denied"
    return Fact("passed", (what, *said(entry)), event=entry.as_tuple(), own_severity="note" if allowed else "")
