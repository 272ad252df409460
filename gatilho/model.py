"""The values that the whole program speaks in: rows, their triggers and conditions, problems, touches."""

from gatilho.triggers.paths import Touch
from gatilho.value import Value

__all__ = ["Condition", "Place", "Problem", "ProblemKind", "Row", "Touch", "Trigger", "Value"]

# The folder of a store, below the root of the repository or below the folder that a nested store is about.
STORE = "docs/gatilhos"
# The code of the problem that a store waits for a person; the hook reports it, too.
NOT_ALLOWED = "GT006"


def subtree_of(file: str) -> str:
    """Return the folder that a store is about, "" for the repository's own; file: one in it, from the root on."""
    if file.startswith(f"{STORE}/"):
        return ""
    folder, found, _ = f"/{file}".partition(f"/{STORE}/")
    is_from_the_root = found and file[:1] != "/" and file[1:2] != ":"
    return folder[1:] + "/" if is_from_the_root and folder else ""


class Place(Value):
    """Where something is: a file, its line and its column (both from 1, columns in characters)."""

    file: str
    line: int
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class ProblemKind(Value):
    """A kind of problem: its stable code, its severity ("error", "warning" or "note") and what it is, in words."""

    code: str
    severity: str
    title: str


class Respelling(Value):
    """Text in a code span of one column of a row, and what is meant by it: each new text gets a span of its own."""

    column: str
    old: str
    new: tuple[str, ...]


class Problem(Value):
    """Something wrong in a document or a configuration: data to be collected and shown, never raised.

    code: stable, e.g. "GT101". severity: "error", "warning" or "note". width: how many characters the caret underlines.
    text: the line as it is ("" where there is none). row: the id of the row it costs or concerns ("" for none).
    respelling: what a fix may write without a person, None where a person has to decide.
    """

    code: str
    severity: str
    place: Place
    message: str
    remedy: str = ""
    text: str = ""
    width: int = 1
    row: str = ""
    respelling: Respelling | None = None


class Trigger(Value):
    """What makes a row speak. kind: path, glob, write, read, cmd, prompt or start; pattern: what is after it.

    subtree: the folder that it is about, with a slash at the end, where its row is in a nested store: the pattern sees
    paths as from there. "" for the whole repository.
    """

    kind: str
    pattern: str
    subtree: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.pattern}" if self.pattern else self.kind


class Condition(Value):
    """What a program can check. kind: its verb (see `gatilho.verbs`). argument: a path, glob or command.

    pattern: what comes after the path, a regular expression for most verbs. text: all of it as it is written.
    subtree: of a row in a nested store; a path in `argument` begins with it, and a command enters it first.
    """

    kind: str
    argument: str
    pattern: str = ""
    text: str = ""
    subtree: str = ""

    def __str__(self) -> str:
        return self.text


class Row(Value):
    """One line of a table, as it is understood.

    lifecycle: "rule" or "debt". rides: the cell's number, or None where it is no number (such a row never escalates).
    state: the known first word of the cell in English ("owed", "paid", "rule", "superseded", "revoked", "expired",
    "waived"), "" where it is empty or unknown; state_text: the whole cell. Dates are ISO text, "" where there is none.
    store: the label of the store it came from ("" is the repository's own). file: relative to the repository for its
    own store, else absolute; line: from 1. shared: another row in that store has the same id.
    """

    id: str
    lifecycle: str = "rule"
    triggers: tuple[Trigger, ...] = ()
    note: str = ""
    conditions: tuple[Condition, ...] = ()
    rides: int | None = 0
    state: str = ""
    state_text: str = ""
    struck: bool = False
    kind: str = ""
    key: str = ""
    owner: str = ""
    added: str = ""
    expires: str = ""
    not_before: str = ""
    ask_after: int | None = None
    holds_while: tuple[Condition, ...] = ()
    violated_when: tuple[Condition, ...] = ()
    store: str = ""
    file: str = ""
    line: int = 0
    shared: bool = False

    @property
    def place(self) -> str:
        """Return where the row is, as `file:line`."""
        return f"{self.file}:{self.line}"

    @property
    def subtree(self) -> str:
        """Return the folder that the row is about, with a slash at the end: "" where that is all of the repository."""
        return "" if self.store else subtree_of(self.file)

    @property
    def scope(self) -> str:
        """Return the store by the name that people see: its label, or the folder that a nested one is about."""
        return self.store or self.subtree.rstrip("/")

    def asked_from(self, usual: int) -> int:
        """Return the rides from which on a write is asked about; usual: where the row names no number of its own."""
        return usual if self.ask_after is None else self.ask_after

    @property
    def conditions_by_column(self) -> "dict[str, tuple[Condition, ...]]":
        """Return what the columns of conditions say."""
        return {"paid when": self.conditions, "holds while": self.holds_while, "violated when": self.violated_when}

    @property
    def is_debt(self) -> bool:
        return self.lifecycle == "debt"

    @property
    def owed(self) -> bool:
        """Return a debt that is neither struck nor ended by its state: what the ladder charges and asks about."""
        return self.is_debt and self.in_force

    @property
    def in_force(self) -> bool:
        """Return whether the row is neither struck nor superseded, revoked or expired, so that it is delivered."""
        return not self.struck and self.state not in ("superseded", "revoked", "expired")
