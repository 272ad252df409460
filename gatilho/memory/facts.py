"""The edit that a corrected fact asks for: which rows and lines say otherwise, and what a person's yes writes.

The ledger knows a fact by its key alone; the value that was said last is in the git directory.
"""

import os

from gatilho import bounded, files
from gatilho.dates import days_before
from gatilho.document.document import Document
from gatilho.document.draft import Draft, mint
from gatilho.errors import GatilhoError
from gatilho.git import query
from gatilho.git.blame import blamed
from gatilho.git.root import Repository
from gatilho.index.index import Index, IndexedRow
from gatilho.memory import corrections
from gatilho.memory.corrections import APPLIED, CorrectedFact
from gatilho.model import Row, Value
from gatilho.store import insertion, placement, record
from gatilho.store.change import Change, Context, Result
from gatilho.wire import decode, encode

# Files whose lines every session reads, in the order in which they are looked through.
_INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md")
# Where facts are kept when no table has a column for their keys.
FILE = "docs/gatilhos/facts.md"
_STATE = "/corrections"
# Characters: a larger file of instructions is not searched.
_LARGEST = 1_000_000
_WEEK = 7


class Said(Value):
    """Where something is said of a key today: its place, the text, and since when ("" where that is not known)."""

    place: str
    text: str
    since: str

    def in_words(self) -> str:
        return f"{self.text} ({self.since or 'no date'}, {self.place})"


class Edit(Value):
    """What a person's yes would write.

    said: what contradicts the fact today. changes: of files, as `insertion.write` takes them. ends: ids of rows that
    are superseded. successor: the id of the row that replaces them, "" where a line does.
    """

    fact: CorrectedFact
    said: tuple[Said, ...]
    changes: tuple[tuple[str, bytes | None, bytes], ...]
    ends: tuple[str, ...]
    successor: str
    place: str

    def in_words(self) -> str:
        """Return the edit as one sentence."""
        before = " and ".join(one.in_words() for one in self.said)
        if before:
            return f"replace {before} by {self.fact} (today)"
        return f"add {self.fact} to {self.place}"


def propose_edit(index: Index, fact: CorrectedFact, count: int, today: str) -> tuple[list[str], Edit | None]:
    """Return what a person reads of a fact that was corrected in `count` sessions, and the edit if it is time for one.

    What is proposed counts as a proposal of this week. Raises GatilhoError and OSError where no edit can be planned.
    """
    settings = index.config.corrections
    said = [f"{fact.key}: corrected in {corrections.sessions_in_words(count, settings.threshold)}."]
    edit = plan_edit(index, fact, today)
    if isinstance(edit, str):
        return [*said, edit], None
    said += [f"Contradiction: {one.in_words()} is what agents read; {fact} (today) is newer." for one in edit.said]
    if count < settings.threshold:
        return said, None
    if not _note_proposal(index.repository, fact.key, today, settings.proposals_per_week):
        most = f"this week had {settings.proposals_per_week} proposals ([corrections] proposals_per_week)."
        return [*said, f"No edit is proposed: {most}"], None
    return [*said, f"Proposed: {edit.in_words()}."], edit


def plan_edit(index: Index, fact: CorrectedFact, today: str) -> Edit | str:
    """Return the edit that makes the tables and the instructions say the fact, or why there is none to make."""
    root = index.repository.root
    rows = rows_about(index, fact.key)
    stale = [one for one in rows if one.row.note not in (str(fact), fact.value)]
    said = [Said(one.row.place, one.row.note, one.row.added) for one in stale]
    changes: list[tuple[str, bytes | None, bytes]] = []
    is_said = len(stale) < len(rows)
    for name, data, line in _lines_about(root, fact.key):
        if line.value == fact.value:
            is_said = True
            continue
        _, day = blamed(root, name, [line.number]).get(line.number, ("", ""))
        said.append(Said(f"{name}:{line.number}", f"{fact.key}: {line.value}", day))
        changes.append((name, data, _with_line(data, line, fact.value)))
    if is_said and not said:
        return f"{fact.key} says so already, so there is nothing to change."
    ends, successor, place = _plan_rows(index, fact, stale, said, changes, today)
    return Edit(fact, tuple(said), tuple(changes), ends, successor, place)


def _plan_rows(
    index: Index, fact: CorrectedFact, stale: list[IndexedRow], said: list[Said],
    changes: list[tuple[str, bytes | None, bytes]], today: str,
) -> tuple[tuple[str, ...], str, str]:  # fmt: skip
    """Add the tables' changes: a new row after those that it replaces, or one that keeps what a line said."""
    root = index.repository.root
    if stale:
        newest = max(stale, key=lambda one: (one.row.added, one.row.line))
        draft = _like(newest.row, fact, today).replace(id=_new_id(index, newest.row.lifecycle))
        where = _table_of(newest)
        changes.append((where.name, where.data, where.with_row(draft)))
        return tuple(one.row.id for one in stale), draft.id, where.name
    old = said[0] if said else None
    draft = Draft(
        triggers=("start",), note=old.text if old else str(fact), key=fact.key, added=old.since if old else today,
        id=_new_id(index, "rule"),
    )  # fmt: skip
    where = _table_for(root, index, draft)
    if "added" not in where.columns:
        draft = draft.replace(added="")
    changes.append((where.name, where.data, where.with_row(draft)))
    return ((draft.id,), "", where.name) if old else ((), draft.id, where.name)


def rows_about(index: Index, key: str) -> list[IndexedRow]:
    """Return the rows in force of the repository's own store that have the key."""
    return [one for one in index.rows_with_key() if not one.row.store and corrections.same_key(one.row.key, key)]


def apply_correction(index: Index, edit: Edit, context: Context, by: str) -> list[Result]:
    """Write an edit that a person approved: the files, then what it supersedes, with the line that ends the count."""
    insertion.write_insertion(index.repository, edit.changes, context.wait)
    index.renew()
    why = f"by {edit.successor}" if edit.successor else "by a line of the instructions"
    changes = [
        Change(found.row, "supersede", found.header, evidence=why, by=by, successor=edit.successor)
        for name in edit.ends
        for found in index.rows_with_id(name)
        if not found.row.store
    ]
    changes.append(Change(Row(edit.fact.key), "corrected", evidence=f"{APPLIED} in {edit.place}", by=by))
    results = record.record_changes(index.repository.root, changes, context)
    forget(index.repository, edit.fact.key)
    index.renew()
    return results


def sessions_that_corrected(index: Index, key: str) -> list[str]:
    """Return the sessions that corrected a key since the last approved edit, by their hashes."""
    return corrections.sessions_of(one for one in index.corrections() if corrections.same_key(one.id, key))


class _State(Value):
    """What the git directory keeps: the value that was said last of each key, and `DAY KEY` of each proposal."""

    values: dict[str, str]
    proposed: tuple[str, ...]

    def without(self, key: str) -> dict[str, str]:
        """Return the values of all other keys."""
        return {name: value for name, value in self.values.items() if not corrections.same_key(name, key)}


def remembered(repository: Repository) -> dict[str, str]:
    """Return the values that were said last, by the keys as they were written."""
    return _read_state(repository).values


def remember_fact(repository: Repository, fact: CorrectedFact) -> None:
    """Keep the value that was said last of a key."""
    state = _read_state(repository)
    _write_state(repository, state.replace(values={**state.without(fact.key), fact.key: fact.value}))


def forget(repository: Repository, key: str) -> None:
    """Drop the value of a key that has become an edit."""
    state = _read_state(repository)
    _write_state(repository, state.replace(values=state.without(key)))


def _note_proposal(repository: Repository, key: str, today: str, most: int) -> bool:
    """Remember that the key is proposed today, and drop what is over a week old; False where the week has `most`."""
    state, since = _read_state(repository), days_before(_WEEK)
    if not corrections.proposals_left(state.proposed, key, since, most):
        return False
    kept = [one for one in state.proposed if one[:10] > since and not corrections.same_key(one[11:], key)]
    _write_state(repository, state.replace(proposed=(*kept, f"{today} {key}")))
    return True


def _read_state(repository: Repository) -> _State:
    try:
        said = decode(bounded.read(repository.shared_state + _STATE))
    except (OSError, ValueError):
        said = None
    values = said.get("values") if isinstance(said, dict) else None
    proposed = said.get("proposed") if isinstance(said, dict) else None
    return _State(
        {str(key): str(value) for key, value in values.items()} if isinstance(values, dict) else {},
        tuple(map(str, proposed)) if isinstance(proposed, list) else (),
    )


def _write_state(repository: Repository, state: _State) -> None:
    """Replace the file; where that cannot be done, only the value and the cap of the week are lost."""
    path = repository.shared_state + _STATE
    data = encode({"values": state.values, "proposed": list(state.proposed)}).encode()
    try:
        os.makedirs(repository.shared_state, exist_ok=True)
        files.write_bytes(path, data)
    except (OSError, GatilhoError):
        pass


def _lines_about(root: str, key: str) -> "list[tuple[str, bytes, corrections.ProposedLine]]":
    """Return the lines of the instructions that state a value of the key; a linked file counts once."""
    found = []
    seen: set[str] = set()
    for name in _INSTRUCTIONS:
        path = os.path.realpath(f"{root}/{name}")
        if path in seen:
            continue
        seen.add(path)
        data = bounded.read_quietly(path)
        line = corrections.find_line(query.decoded(data), key) if len(data) <= _LARGEST else None
        if line is not None:
            found.append((name, data, line))
    return found


def _with_line(data: bytes, line: "corrections.ProposedLine", value: str) -> bytes:
    lines = query.decoded(data).split("\n")
    ending = "\r" if lines[line.number - 1].endswith("\r") else ""
    lines[line.number - 1] = line.with_value(value) + ending
    return "\n".join(lines).encode("utf-8", "surrogateescape")


def _like(row: Row, fact: CorrectedFact, today: str) -> Draft:
    """Return a new row with the triggers of the old one."""
    return Draft(
        lifecycle=row.lifecycle, triggers=tuple(map(str, row.triggers)), note=str(fact),
        conditions=tuple(map(str, row.conditions)), kind=row.kind, key=row.key, owner=row.owner, added=today,
        holds_while=tuple(map(str, row.holds_while)),
        violated_when=tuple(map(str, row.violated_when)),
    )  # fmt: skip


def _table_of(found: IndexedRow) -> placement.InsertionPlace:
    """Return the table that holds a row; raises GatilhoError where it has no column to say that the row ended."""
    data = bounded.read(found.path)
    placement.refuse_markers(data, found.row.file)
    span = Document(data).table_of(found.row.line)
    if span is None or "state" not in span.columns:
        raise GatilhoError(f"{found.row.place}: the table has no column `state` to supersede {found.row.id} in.")
    return placement.InsertionPlace(found.row.file, data, span.header_line, span.last_line, span.columns)


def _table_for(root: str, index: Index, draft: Draft) -> placement.InsertionPlace:
    try:
        place = placement.choose(root, index.config, draft)
        if "state" in place.columns:
            return place
    except GatilhoError:
        pass  # no table has a column for keys
    if os.path.lexists(f"{root}/{FILE}"):
        return placement.choose(root, index.config, draft, FILE)
    return placement.new_place(FILE, draft)


def _new_id(index: Index, lifecycle: str) -> str:
    return mint(lifecycle, lambda name: bool(index.ids_in_any_case(name) or index.entries(name)), os.urandom)
