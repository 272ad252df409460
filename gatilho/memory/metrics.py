"""Figures about behaviour: which rows sessions heard, which warnings they heeded, what they did before an edit. Pure.

A session is known by its hash, a row by its store and id; no text of a prompt, a command or a file is in any of it.
"""

from gatilho.dates import days_between
from gatilho.value import Value
from gatilho.wire import decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    RowKey = tuple[str, str]

# What an outcome is about, and what came of it.
WARNING, PROMPTED = "warning", "prompt"
HEEDED, IGNORED, ANSWERED = "heeded", "ignored", "answered"
# Days within which the same question counts as repeated.
REPEATED_WITHIN = 30
# Tool calls that edit, in transcripts of hosts whose records are not at hand.
_EDITING = frozenset(
    (
        "edit", "write", "multiedit", "notebookedit", "apply_patch", "applypatch", "create", "str_replace",
        "str_replace_based_edit_tool", "edit_file", "create_file", "write_file", "replace", "patch",
    )
)  # fmt: skip
_CALLS = ("tool_use", "function_call", "custom_tool_call", "local_shell_call")


class RowOutcome(Value):
    """What came of a row in a session. about: WARNING or PROMPTED. result: HEEDED, IGNORED or ANSWERED."""

    store: str
    row: str
    about: str
    result: str
    day: str

    @property
    def key(self) -> "RowKey":
        return (self.store, self.row)


class SessionRecord(Value):
    """One session: its hash, host, first day (ISO), the rows that it heard, their outcomes, and its transcript's path.

    What it did before its first edit is read from the transcript, where one is there.
    """

    session: str
    host: str
    day: str
    heard: "tuple[RowKey, ...]" = ()
    outcomes: tuple[RowOutcome, ...] = ()
    transcript: str = ""


class FirstEdit(Value):
    """What a session did before its first edit: tool calls, and characters of its messages. day: of the session."""

    session: str
    day: str
    calls: int
    characters: int


class Behaviour(Value):
    """The figures of all sessions that are known on this machine. Each pair is (row, sessions), the most first.

    fires: sessions that heard a row. ignored, heeded: sessions that wrote a row's anchor after its warning, with its
    conditions false or true at the turn's close. answered: prompts' rows; repeated: the sessions after the first that
    asked within 30 days. first_edits: by day. weeks: (week's first day, heeded, ignored) of the outcomes, oldest first.
    """

    sessions: int
    since: str
    fires: "tuple[tuple[RowKey, int], ...]"
    heeded: "tuple[tuple[RowKey, int], ...]"
    ignored: "tuple[tuple[RowKey, int], ...]"
    answered: "tuple[tuple[RowKey, int], ...]"
    repeated: "tuple[tuple[RowKey, int], ...]"
    first_edits: tuple[FirstEdit, ...]
    weeks: tuple[tuple[str, int, int], ...]


def session_line(record: SessionRecord) -> str:
    """Return a session as one line of JSON."""
    outcomes = [list(one.as_tuple()) for one in record.outcomes]
    heard = [list(key) for key in record.heard]
    return encode({**record.as_dict(), "heard": heard, "outcomes": outcomes})


def read_session(line: bytes) -> SessionRecord | None:
    """Return the session in a line; None where it is no such line."""
    try:
        said: Any = decode(line)
        heard = tuple((str(store), str(row)) for store, row in said["heard"])
        outcomes = tuple(RowOutcome(*map(str, one)) for one in said["outcomes"])
        session, host, day, transcript = (str(said[name]) for name in ("session", "host", "day", "transcript"))
        return SessionRecord(session, host, day, heard, outcomes, transcript)
    except (ValueError, KeyError, TypeError):
        return None


def first_edit_line(found: FirstEdit) -> str:
    """Return what a session did before its first edit as one line of JSON."""
    return encode(found.as_dict())


def read_first_edit(line: bytes) -> FirstEdit | None:
    """Return what `first_edit_line` wrote; None where it is no such line."""
    try:
        said: Any = decode(line)
        return FirstEdit(str(said["session"]), str(said["day"]), int(said["calls"]), int(said["characters"]))
    except (ValueError, KeyError, TypeError):
        return None


def before_first_edit(transcript: "Iterable[bytes]") -> tuple[int, int] | None:
    """Return the tool calls and the characters before the first edit; None where nothing was edited.

    transcript: its lines, each one JSON object, as Claude Code and Codex write them.
    """
    calls = characters = 0
    for line in transcript:
        try:
            message = decode(line)
        except ValueError:
            continue
        for part in _parts(message):
            if part.get("type") in _CALLS:
                if _is_edit(part):
                    return calls, characters
                calls += 1
            characters += _characters(part)
    return None


def _parts(message: object) -> "list[dict[str, object]]":
    """Return the parts of one message: texts, calls of tools, and their results."""
    if not isinstance(message, dict):
        return []
    # The one is of Claude Code, the other of Codex.
    inner = message.get("message") or message.get("payload")
    if not isinstance(inner, dict):
        return []
    content = inner.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if isinstance(content, list):
        return [part for part in content if isinstance(part, dict)]
    return [inner]


def _is_edit(part: "dict[str, object]") -> bool:
    name = str(part.get("name") or "").casefold()
    given = part.get("arguments") or part.get("input")
    return name in _EDITING or (isinstance(given, str) and "*** Begin Patch" in given)


def _characters(value: object) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(map(_characters, value.values()))
    return sum(map(_characters, value)) if isinstance(value, list) else 0


def behaviour_of(records: "Iterable[SessionRecord]", first_edits: "Iterable[FirstEdit]" = ()) -> Behaviour:
    """Return the figures of sessions; one that comes twice counts once, as it was last."""
    sessions = list({record.session: record for record in records}.values())
    outcomes = [outcome for record in sessions for outcome in record.outcomes]
    return Behaviour(
        sessions=len(sessions),
        since=min((record.day for record in sessions), default=""),
        fires=_counted(key for record in sessions for key in dict.fromkeys(record.heard)),
        heeded=_counted(one.key for one in outcomes if one.result == HEEDED),
        ignored=_counted(one.key for one in outcomes if one.result == IGNORED),
        answered=_counted(one.key for one in outcomes if one.result == ANSWERED),
        repeated=_counted(_repeated([one for one in outcomes if one.result == ANSWERED])),
        first_edits=tuple(sorted(first_edits, key=lambda one: (one.day, one.session))),
        weeks=_weeks(outcomes),
    )


def _counted(keys: "Iterable[RowKey]") -> "tuple[tuple[RowKey, int], ...]":
    counts: dict[RowKey, int] = {}
    for key in keys:
        counts[key] = counts.get(key, 0) + 1
    return tuple(sorted(counts.items(), key=lambda one: (-one[1], one[0])))


def _repeated(answered: "Sequence[RowOutcome]") -> "list[RowKey]":
    """Return the rows of each answer that came within 30 days of another session's."""
    found = []
    last: dict[RowKey, str] = {}
    for one in sorted(answered, key=lambda one: one.day):
        days = days_between(last[one.key], one.day) if one.key in last else None
        if days is not None and days <= REPEATED_WITHIN:
            found.append(one.key)
        last[one.key] = one.day
    return found


def _weeks(outcomes: "Iterable[RowOutcome]") -> tuple[tuple[str, int, int], ...]:
    """Return how many warnings were heeded and ignored in each week; a week is seven days from 1970-01-05 on."""
    from gatilho.dates import utc_day

    weeks: dict[int, list[int]] = {}
    for one in outcomes:
        days = days_between("1970-01-05", one.day)
        if days is not None and one.about == WARNING:
            week = weeks.setdefault(days // 7, [0, 0])
            week[one.result == IGNORED] += 1
    # 1970-01-05, a Monday, is four days after the epoch.
    return tuple((utc_day((number * 7 + 4) * 86400), *weeks[number]) for number in sorted(weeks))  # type: ignore[misc]
