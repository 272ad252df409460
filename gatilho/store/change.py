"""What is asked to be recorded, in what surroundings, and what became of it."""

from gatilho.model import Row, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gatilho.ledger.lines import Entry
    from gatilho.tables import Store

CHARGE, FOLD, PROGRESS = "charge", "fold", "progress"
# Below the git directory's `gatilho` folder.
LOCAL_RIDES = "/rule-rides"
NOTES = ("asked", "allowed", "passed anyway", "corrected", "violated")


class Status:
    """What became of a change. The first three are well; the next five may go well later; the rest may not."""

    WRITTEN, RECORDED, NOTHING = "written", "recorded", "nothing"
    BUSY, LOCKED, MARKERS, MOVED, READ_ONLY = "busy", "locked", "conflict markers", "moved", "read-only"
    GONE, SHARED, REFUSED, OUTSIDE, BROKEN = "gone", "shared", "refused", "outside", "broken"


_WELL = (Status.WRITTEN, Status.RECORDED, Status.NOTHING)
_LATER = (Status.BUSY, Status.LOCKED, Status.MARKERS, Status.MOVED, Status.READ_ONLY)


class Change(Value):
    """One thing to record.

    action: CHARGE, FOLD (raise the cell to the count in force), PROGRESS (lower what is left in the state cell), a
    transition's name, or a note.
    row, header_line: the row as it was known and where its table began (0: unknown), as hints. session, by: those of
    the context unless given. when: of a note, its own time. number: of a FOLD, rides that were counted elsewhere, of a
    PROGRESS what is left; else, as the other fields, of `transitions.Request`.
    """

    row: Row
    action: str
    header_line: int = 0
    evidence: str = ""
    session: str = ""
    by: str = ""
    until: str = ""
    successor: str = ""
    number: int | None = None
    new_id: str = ""
    when: str = ""
    unrecorded: bool = False


class Context(Value):
    """What all changes of one write have in common.

    now: UTC, as `2026-11-29 21:32:05.123`. today: the day on the person's clock (default: the day of `now`), by which
    rows are waived, superseded and revoked. session: its hash. commit: HEAD. by: who and on which host, such as
    `program claude`. lock: the lock file. git_dir: to ask whether git is in the middle of something ("" for no git).
    entries_of(id, store): the row's entries in the ledger; called under the lock, it must know every ledger file there
    is by then. None: the ledger folder is read. stores: where writing is allowed, the repository's own by default.
    local: the file that counts the rides of rules on this machine ("": they ride in their table or ledger).
    wait: seconds for the lock. whole_document: check the result by parsing all of it (commands), not the edited lines
    alone (hooks).
    """

    now: str
    session: str
    commit: str
    by: str
    lock: str
    git_dir: str = ""
    entries_of: "Callable[[str, str], list[Entry]] | None" = None
    stores: "Sequence[Store]" = ()
    rides_in: str = "table"
    wait: float = 1.5
    whole_document: bool = False
    local: str = ""
    today: str = ""


class Result(Value):
    """What became of one change: its status, the reason in words, the counts in force, the file and the ledger file.

    A ledger file with a status that is not well: the line is safe, the table lags until the next write.
    """

    change: Change
    status: str
    reason: str = ""
    old_count: int | None = None
    new_count: int | None = None
    file: str = ""
    ledger_file: str = ""

    @property
    def is_well(self) -> bool:
        """Return whether the store now says what was asked for."""
        return self.status in _WELL

    @property
    def may_wait(self) -> bool:
        """Return whether the same change may succeed later, unlike one whose row is gone or that is not allowed."""
        return self.status in _LATER
