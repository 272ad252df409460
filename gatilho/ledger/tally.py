"""The fold: what a row's entries in the ledger and the number in its cell come to.

A charge is the pair of a row and a session and counts once however often it arrives, so entries may come in any order,
twice, or spread over other files, and fold to the same. Only a `set` looks at times: it ends what came before it.
"""

from gatilho.model import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gatilho.ledger.lines import Entry

# The events after which a row is something else than before; the others count, ask or note.
STATE_EVENTS = ("paid", "reinstated", "regressed", "waived", "superseded", "revoked", "expired")


class Standing(Value):
    """What a row's entries and its cell come to.

    count: the rides in force. ledger_count: the fold alone, base + len(charges). charges: the sessions whose charge
    counts now; sessions: all that ever charged the row. state: the event that changed the row's state last (None where
    none did), paid: the latest payment, set: the `set` in force, latest: the time of the last entry of any kind.
    """

    count: int
    ledger_count: int
    base: int
    charges: frozenset[str]
    sessions: frozenset[str]
    state: "Entry | None"
    paid: "Entry | None"
    set: "Entry | None"
    latest: str

    @property
    def state_event(self) -> str:
        """The name of the event that changed the row's state last, "" where none did."""
        return self.state.event if self.state else ""

    @property
    def unexplained(self) -> int:
        """The part of the count in force that no charge explains."""
        return self.count - len(self.charges)

    def charged(self, session: str) -> bool:
        """Whether that session has charged the row already."""
        return session in self.sessions

    def next_charge(self, cell: int | None) -> tuple[int, int]:
        """The base and the rides of one more charge; what the cell has more than the ledger becomes base."""
        base = max(self.base, (cell or 0) - len(self.charges))
        return base, base + len(self.charges) + 1


def fold(entries: "Iterable[Entry]", cell: int | None = None) -> Standing:
    """What the entries of one row, in any order, and the number in its cell (None: no number) come to."""
    entries = list(entries)
    the_set = _last(entry for entry in entries if entry.event == "set" and entry.rides is not None)
    since = moment(the_set.when) if the_set else ""
    base = (the_set.rides or 0) if the_set else 0
    first: dict[str, str] = {}
    for entry in entries:
        if entry.event == "charged":
            when = moment(entry.when)
            first[entry.session] = min(when, first.get(entry.session, when))
            if the_set is None or when > since:
                base = max(base, entry.base or 0)
    charges = frozenset(session for session, when in first.items() if the_set is None or when > since)
    return Standing(
        count=max(base + len(charges), cell or 0),
        ledger_count=base + len(charges),
        base=base,
        charges=charges,
        sessions=frozenset(first),
        state=_last(entry for entry in entries if entry.event in STATE_EVENTS),
        paid=_last(entry for entry in entries if entry.event == "paid"),
        set=the_set,
        latest=max((moment(entry.when) for entry in entries), default=""),
    )


def by_row(entries: "Iterable[Entry]") -> "dict[str, list[Entry]]":
    """The entries of each row under every name that it ever had: a rename takes the ledger along."""
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
    for name in names[old]:
        groups[name] = joined
        names[name] = names[old]


def moment(when: str) -> str:
    """A time as it is compared: the `T` and the `Z` of ISO 8601 are optional in a ledger that people may edit."""
    return when.replace("T", " ").removesuffix("Z")


def just_after(when: str) -> str:
    """The shortest time text after that one: seconds are too coarse, and clocks too uneven, to keep an order."""
    whole, _, fraction = moment(when).partition(".")
    if fraction.strip("9"):
        return f"{whole}.{int(fraction) + 1:0{len(fraction)}d}"
    return f"{whole}.{fraction}001"


def _last(entries: "Iterable[Entry]") -> "Entry | None":
    """The latest entry; of several at one time the one with most rides, and then any fixed one."""
    return max(entries, key=lambda entry: (moment(entry.when), entry.rides or 0, repr(entry)), default=None)
