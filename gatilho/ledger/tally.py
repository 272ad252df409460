"""The count of a row: what its entries in the ledger and the number in its cell come to.

A charge is the pair of a row and a session and counts once however often it arrives, so entries may come in any order,
twice, or spread over other files, and come to the same. Only a `set` looks at times: it ends what came before it.

A base is what a cell showed beyond the ledger of its moment. The charges that the cell had counted may reach the ledger
later, because their files were committed late. A base covers them: those that had brought the row to no more than it.
"""

from gatilho.model import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# The events after which a row is something else than before; the others count, ask or note.
STATE_EVENTS = ("paid", "reinstated", "regressed", "waived", "superseded", "revoked", "expired")


class Entry(Value):
    """One line of the ledger. rides: the count after the event; base: the part of it that no charge explains.

    when: UTC, as `2026-11-29 21:32:05.123`; people may leave the fraction out. Of a `renamed`, id is the old name and
    evidence the new one. rides and base are None where they do not apply or are no numbers.
    """

    when: str
    id: str
    event: str
    rides: int | None = None
    base: int | None = None
    session: str = ""
    commit: str = ""
    by: str = ""
    evidence: str = ""


class Tally(Value):
    """What a row's entries and its cell come to.

    count: the rides in force. ledger_count: the ledger's alone. base: the one that gives it, the smallest of several;
    of a `set` in force its own.
    charges: the sessions whose charge counts after the `set` in force, covered or not; sessions: all that ever charged
    the row. reached: for each of the charges the base from which on it is covered, in order. state: the event that
    changed the row's state last (None where none did), paid: the latest payment, set: the `set` in force, latest: the
    time of the last entry of any kind.
    """

    count: int
    ledger_count: int
    base: int
    charges: frozenset[str]
    sessions: frozenset[str]
    reached: tuple[int, ...]
    state: "Entry | None"
    paid: "Entry | None"
    set: "Entry | None"
    latest: str

    @property
    def state_event(self) -> str:
        """Return the name of the event that changed the row's state last, "" where none did."""
        return self.state.event if self.state else ""

    def charged(self, session: str) -> bool:
        """Return whether that session has charged the row already."""
        return session in self.sessions

    def base_of_next(self, cell: int | None) -> int:
        """Return the base of the next entry: the cell where it is above the ledger's count, else the base of that."""
        return cell if cell is not None and cell > self.ledger_count else self.base

    def next_charge(self, cell: int | None) -> tuple[int, int]:
        """Return the base and the rides of one more charge."""
        base = self.base_of_next(cell)
        if self.set is not None or base == self.base:
            return base, max(self.ledger_count, cell or 0) + 1
        return base, base + _uncovered(self.reached, base) + 1


def tally_of(entries: "Iterable[Entry]", cell: int | None = None) -> Tally:
    """Count the entries of one row, in any order, and the number in its cell (None: no number)."""
    entries = list(entries)
    the_set = _last(entry for entry in entries if entry.event == "set" and entry.rides is not None)
    since = moment(the_set.when) if the_set else ""
    first: dict[str, str] = {}
    reached: dict[str, int] = {}
    # 0: the charges alone, for a row whose cell never showed more than they explain.
    bases = {0}
    for entry in entries:
        if entry.event == "charged":
            when = moment(entry.when)
            first[entry.session] = min(when, first.get(entry.session, when))
            # No charge is covered by its own base, which is the part of the count that no charge explains.
            covered_from = max(entry.rides or 0, (entry.base or 0) + 1)
            # Of two entries of one charge the one that is covered sooner counts: rather one ride too few than too many.
            reached[entry.session] = min(covered_from, reached.get(entry.session, covered_from))
            bases.add(entry.base or 0)
    charges = frozenset(session for session, when in first.items() if the_set is None or when > since)
    levels = tuple(sorted(reached[session] for session in charges))
    base, ledger_count = _highest(bases, levels)
    if the_set is not None:
        # A later charge goes by what was before the `set`: neither its revert nor a pick brings the number along.
        base = base_of_set(the_set)
        ledger_count = (the_set.rides or 0) + len(charges)
    return Tally(
        count=max(ledger_count, cell or 0),
        ledger_count=ledger_count,
        base=base,
        charges=charges,
        sessions=frozenset(first),
        reached=levels,
        state=_last(entry for entry in entries if entry.event in STATE_EVENTS),
        paid=_last(entry for entry in entries if entry.event == "paid"),
        set=the_set,
        latest=max((moment(entry.when) for entry in entries), default=""),
    )


def base_of_set(entry: Entry) -> int:
    """Return the count that a `set` was written on; older ledgers have the new count in its place."""
    return (entry.rides if entry.base is None else entry.base) or 0


def _highest(bases: set[int], levels: tuple[int, ...]) -> tuple[int, int]:
    """Return the base that gives the largest count, the smallest of several, and that count."""
    best = most = covered = 0
    for base in sorted(bases):
        while covered < len(levels) and levels[covered] <= base:
            covered += 1
        count = base + len(levels) - covered
        if count > most:
            best, most = base, count
    return best, most


def _uncovered(levels: tuple[int, ...], base: int) -> int:
    """Return how many charges the base does not cover."""
    return sum(level > base for level in levels)


def by_row(entries: "Iterable[Entry]") -> "dict[str, list[Entry]]":
    """Return the entries of each row under every name that it ever had: a rename takes the ledger along."""
    entries = list(entries)
    groups: dict[str, list[Entry]] = {}
    names: dict[str, list[str]] = {}
    for entry in entries:
        groups.setdefault(entry.id, []).append(entry)
        names.setdefault(entry.id, [entry.id])
    for entry in entries:
        if entry.event == "renamed" and entry.evidence:
            _join(groups, names, entry.id, entry.evidence)
    return groups


def _join(groups: "dict[str, list[Entry]]", names: dict[str, list[str]], old: str, new: str) -> None:
    joined, added = groups[old], groups.get(new, [])
    if joined is added:
        return
    joined.extend(added)
    names[old].extend(names.get(new, [new]))
    # All names share one list, so that a later rename of any of them takes everything along.
    for name in names[old]:
        groups[name] = joined
        names[name] = names[old]


def moment(when: str) -> str:
    """Return a time as it is compared, without the `T` and the `Z` of ISO 8601 that people may write."""
    return when.replace("T", " ").removesuffix("Z")


def just_after(when: str) -> str:
    """Return the shortest time text after that one: seconds are too coarse, and clocks too uneven, to keep an order."""
    whole, _, fraction = moment(when).partition(".")
    if fraction.strip("9"):
        return f"{whole}.{int(fraction) + 1:0{len(fraction)}d}"
    # No fraction, or nothing but nines, has no successor of that length; three more digits sort after it as text.
    return f"{whole}.{fraction}001"


def _last(entries: "Iterable[Entry]") -> "Entry | None":
    """Return the latest entry; of several at one time the one with most rides, and then any fixed one."""
    return max(entries, key=lambda entry: (moment(entry.when), entry.rides or 0, repr(entry)), default=None)
