"""The transitions of a row, as one table: from, to, who may, what it needs, which event, and what takes it back.

Pure: a plan says which cells of a row change, and writes nothing.
"""

from gatilho.dates import is_date
from gatilho.lifecycle.state_cell import (
    TOLD_BY_THE_CELL,
    by_successor,
    restate,
    split_state,
    successor_of,
    waived_until,
)
from gatilho.model import Row, Value
from gatilho.plain import with_article

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.ledger.lines import Tally

CHANGE, NOTHING, REFUSED = "change", "nothing", "refused"
# Characters; the ledger cuts longer cells off, and with them what a row was called.
_LONGEST_ID = 100


class Transition(Value):
    """One line of the table.

    before: the states that it leaves (see `state_of`), after: the state it reaches ("" for the one it had, "in force"
    for owed or rule, as the lifecycle is). who: of person, agent and program. needs: of evidence, number, new id.
    reverse: the transitions that take it back; a reinstated row ends again in the way that it had ended.
    """

    name: str
    before: tuple[str, ...]
    after: str
    who: tuple[str, ...]
    needs: tuple[str, ...]
    event: str
    reverse: tuple[str, ...]


_ENDS = ("paid", "struck", "superseded", "revoked", "expired")
_OPEN = ("owed", "waived")
_IN_FORCE = (*_OPEN, "rule")
# A strike takes a rule out of service without saying why; these two still may say it.
_UNEXPLAINED = (*_IN_FORCE, "struck")
_ALL = (*_IN_FORCE, *_ENDS)
_ENDINGS = ("pay", "waive", "supersede", "revoke", "expire")
_BY_PROGRAM = ("person", "program")
# An agent waives only where the configuration lets it (`unattended = "record"`); whoever calls looks at that first.
_BY_AGENT = ("person", "agent")
_EVIDENCE = ("evidence",)
_BACK = ("reinstate",)

TRANSITIONS: dict[str, Transition] = {
    line.name: line
    for line in (
        # No agent pays: a program looked, or a person answers for it.
        Transition("pay", _OPEN, "paid", _BY_PROGRAM, _EVIDENCE, "paid", _BACK),
        Transition("reinstate", (*_ENDS, "waived"), "in force", ("person",), _EVIDENCE, "reinstated", _ENDINGS),
        Transition("regress", ("paid",), "in force", ("program",), _EVIDENCE, "regressed", ("pay",)),
        Transition("waive", _OPEN, "waived", _BY_AGENT, _EVIDENCE, "waived", _BACK),
        # Its successor is the reason, and a row that is out of date may have none.
        Transition("supersede", _UNEXPLAINED, "superseded", ("person",), (), "superseded", _BACK),
        Transition("revoke", _UNEXPLAINED, "revoked", ("person",), _EVIDENCE, "revoked", _BACK),
        Transition("expire", _IN_FORCE, "expired", _BY_PROGRAM, (), "expired", _BACK),
        # A count and a name can be wrong in any state, and neither says anything about the state.
        Transition("set", _ALL, "", ("person",), ("number", "evidence"), "set", ("set",)),
        Transition("rename", _ALL, "", ("person",), ("new id",), "renamed", ("rename",)),
    )
}


class Plan(Value):
    """What a transition would do to a row. verdict: CHANGE, NOTHING (it is so already) or REFUSED, with the reason.

    struck, state, rides, id: what the cells should say, None where they stay.
    """

    verdict: str
    reason: str = ""
    event: str = ""
    struck: bool | None = None
    state: str | None = None
    rides: int | None = None
    id: str | None = None


class Request(Value):
    """What somebody asks for besides the name of the transition. by: `person`, `agent` or `program`, then the host.

    evidence: what makes a condition hold, or a person's why. until, today: ISO dates. number: for `set`. new_id: for
    `rename`. successor: for `supersede`.
    """

    by: str
    evidence: str = ""
    today: str = ""
    until: str = ""
    successor: str = ""
    number: int | None = None
    new_id: str = ""


def state_of(row: Row) -> str:
    """Return what a row is now: owed, waived, paid, rule, struck (a rule), superseded, revoked or expired.

    The strike decides, except a rule, which is never paid: there a word that says how it ended says more.
    """
    if row.struck and row.is_debt:
        return "paid"
    if row.state in ("superseded", "revoked", "expired"):
        return row.state
    if row.struck:
        return "struck"
    if not row.is_debt:
        return "rule"
    return "waived" if row.state == "waived" else "owed"


def plan_transition(name: str, row: Row, request: Request, count: int | None = None) -> Plan:
    """Return what the transition of that name does to the row; count: the rides in force, which `set` compares with."""
    line = TRANSITIONS[name]
    state = state_of(row)
    # Before anything is refused: a command that is typed twice, or a second hook, did nothing wrong.
    if _is_so(name, row, state, request, count):
        return Plan(NOTHING, _already(name, row, state))
    reason = _refusal(line, row, state, request)
    if reason:
        return Plan(REFUSED, reason)
    if name == "set":
        return Plan(CHANGE, event=line.event, rides=request.number)
    if name == "rename":
        return Plan(CHANGE, event=line.event, id=request.new_id)
    after = ("owed" if row.is_debt else "rule") if line.after == "in force" else line.after
    struck = {"pay": True, "reinstate": False, "regress": False}.get(name)
    text = restate(row.state_text, after, _tail(name, request))
    return Plan(
        CHANGE,
        event=line.event,
        struck=None if struck == row.struck else struck,
        state=None if text == row.state_text else text,
    )


def needs_state_column(name: str) -> bool:
    """Return whether only the state cell shows the transition."""
    return TRANSITIONS[name].after in TOLD_BY_THE_CELL


def unrecorded(row: Row, tally: "Tally") -> str:
    """Return the event that a person made by editing the table and that the ledger does not have, or ""."""
    state = state_of(row)
    recorded = tally.state_event
    # A row in force says nothing of how it came to be; only an ending in the ledger shows that it was taken back.
    if state in ("owed", "rule"):
        return "reinstated" if recorded not in ("", "reinstated", "regressed") else ""
    # A rule that is struck without a reason names no successor, so it is taken for wrong.
    event = "revoked" if state == "struck" else state
    return "" if recorded == event else event


def is_waived(row: Row, today: str) -> bool:
    """Return whether the row's waiver silences the ask today: until its date, or without an end where it names none.

    A date that cannot be read silences nothing.
    """
    if state_of(row) != "waived":
        return False
    until = waived_until(row.state_text)
    if until:
        return today < until
    return split_state(row.state_text)[2].split()[:1] != ["until"]


def _is_so(name: str, row: Row, state: str, request: Request, count: int | None) -> bool:
    """Return whether the row is already what the transition would make of it."""
    if name in ("reinstate", "regress"):
        return state in ("owed", "rule")
    # The cell alone does not decide: where the ledger has more, lowering that is what `set` is for.
    if name == "set":
        return request.number is not None and request.number == row.rides and count in (None, request.number)
    if name == "rename":
        return request.new_id == row.id
    if name == "waive" and state == "waived":
        return waived_until(row.state_text) == request.until
    if name == "supersede" and state == "superseded":
        return request.successor in ("", successor_of(row.state_text))
    return state == TRANSITIONS[name].after


def _already(name: str, row: Row, state: str) -> str:
    if name in ("set", "rename"):
        return f"{row.id} already has that {'count' if name == 'set' else 'name'}."
    words = {"owed": "is owed", "rule": "is in force", "paid": "is paid"}.get(state, f"is {row.state_text or state}")
    word, kept, _ = split_state(row.state_text)
    if state in ("superseded", "revoked", "expired") and is_date(kept.strip()[:10]):
        words = f"was {word} on {kept.strip()}"
    return f"{row.id} {words} already."


def _refusal(line: Transition, row: Row, state: str, request: Request) -> str:
    """Return why the transition is not allowed, and what to do instead; "" where it is."""
    who = request.by.split(" ")[0]
    if who not in line.who:
        allowed = " or ".join(map(with_article, line.who))
        return f"{line.name} {row.id}: only {allowed} may do this, not {with_article(who or 'unknown author')}."
    if state not in line.before:
        return _wrong_state(line.name, row, state)
    if "number" in line.needs and (request.number is None or request.number < 0):
        return f"{line.name} {row.id}: give the number of rides, 0 or more."
    if "evidence" in line.needs and not request.evidence.strip():
        return f"{line.name} {row.id}: say why (--why TEXT)."
    if line.name == "rename":
        fault = why_no_id(request.new_id)
        return f"rename {row.id}: {fault}." if fault else ""
    return _wrong_date(row, request) if line.name == "waive" else ""


def _wrong_state(name: str, row: Row, state: str) -> str:
    if not row.is_debt and name in ("pay", "regress"):
        return f"{row.id} is a rule, and a rule is never paid: supersede or revoke it."
    if not row.is_debt and name == "waive":
        return f"{row.id} is a rule, and a rule never stops a write: there is nothing to waive."
    if name == "expire" and state == "struck":
        return f"{row.id} is already struck and out of service: revoke or supersede it."
    if name == "regress":
        return f"{row.id} is not paid but {state}: there is no payment to take back."
    return f"{row.id} is {state}: reinstate it first."


def why_no_id(name: str) -> str:
    """Return why a text cannot be an id: commands name it, and its cell must read as written, struck and not."""
    if 0 < len(name) <= _LONGEST_ID and all(letter.isalnum() or letter == "-" for letter in name) and name[0] != "-":
        return ""
    allowed = f"use letters, digits and hyphens, {_LONGEST_ID} at most, and no hyphen first"
    return f"{name!r} cannot be an id; {allowed}"


def _wrong_date(row: Row, request: Request) -> str:
    if not request.until or (is_date(request.until) and request.until > request.today):
        return ""
    if not is_date(request.until):
        return f"waive {row.id}: {request.until!r} is not a date; write it as 2026-12-24."
    return f"waive {row.id}: {request.until} is not a day after today."


def _tail(name: str, request: Request) -> str:
    """Return what is after the state word.

    What any machine may notice has nothing, so that branches write the same.
    """
    if name == "supersede":
        return f" {request.today}{by_successor(request.successor)}" if request.successor else f" {request.today}"
    if name == "waive":
        return f" until {request.until}" if request.until else f" {request.today}"
    return f" {request.today}" if name == "revoke" else ""
