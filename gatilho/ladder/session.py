"""One session: what it read, wrote, was charged for and asked about, as rows of the sessions' database."""

from gatilho.index import database
from gatilho.model import Value

# Seconds within which a call that is repeated under another session arrives there.
_REPEATED_WITHIN = 5
RowKey = tuple[str, str]  # (label of the store, id)


class Asked(Value):
    """A question about a row: the decision ("ask", "deny", "pass"), the mode, and the answer ("" until given)."""

    store: str
    row: str
    question: str
    decision: str
    mode: str
    answer: str

    @property
    def key(self) -> RowKey:
        return (self.store, self.row)


class Session:
    """One session as one working tree sees it, within a transaction of the caller's.

    What was said and charged counts for the session; what was written and is to be recorded belongs to a working tree,
    whose tables get it. seen: when its last event was handled here, in seconds. origin: the state folder of another
    place where it began, "" for none.
    """

    def __init__(
        self,
        connection: database.Connection,
        key: str,
        session_id: str,
        generation: int,
        turn: int,
        seen: float,
        worktree: str,
        origin: str = "",
    ) -> None:
        self._db = connection
        self.key = key
        self.id = session_id
        self.generation = generation
        self.turn = turn
        self.seen = seen
        self.worktree = worktree
        self.origin = origin

    def started(self) -> float:
        """Return when its first event was handled here, in seconds since 1970."""
        found = self._db.execute("SELECT started FROM session WHERE key = ?", (self.key,)).fetchone()
        return float(found[0]) if found else self.seen

    # What the agent has read.

    def was_told(self, agent: str) -> set[RowKey]:
        """Return the rows that this agent need not hear again."""
        query = "SELECT store, row FROM delivered WHERE session = ? AND agent = ? AND armed = 0"
        return set(self._db.execute(query, (self.key, agent)).fetchall())

    def was_delivered(self) -> set[RowKey]:
        """Return the rows that were delivered to any agent of the session, whether or not they may be said again."""
        return set(self._db.execute("SELECT store, row FROM delivered WHERE session = ?", (self.key,)).fetchall())

    def deliver(self, agent: str, row: RowKey) -> None:
        """Note that the row reached the agent."""
        values = (self.key, agent, *row)
        self._db.execute("INSERT OR REPLACE INTO delivered VALUES (?, ?, ?, ?, 0)", values)
        self._db.execute("DELETE FROM held WHERE session = ? AND agent = ? AND store = ? AND row = ?", values)

    def speaks_for(self, row: RowKey, path: str) -> None:
        """Note a path through which a delivered row spoke: it is compared around shell commands."""
        self._db.execute("INSERT OR IGNORE INTO spoken_for VALUES (?, ?, ?, ?)", (self.key, *row, path))

    def spoken_paths(self) -> list[tuple[str, str, str]]:
        """Return (store, row, path) of what delivered rows spoke for."""
        found = self._db.execute("SELECT store, row, path FROM spoken_for WHERE session = ?", (self.key,))
        return [(store, row, database.text_of_value(path)) for store, row, path in found]

    def rearm(self, agent: str) -> None:
        """Forget what this agent has read: its context was compacted."""
        self._db.execute("UPDATE delivered SET armed = 1 WHERE session = ? AND agent = ?", (self.key, agent))
        self._db.execute("DELETE FROM held WHERE session = ? AND agent = ?", (self.key, agent))

    def hold(self, agent: str, row: RowKey) -> None:
        """Keep a row that the budget cut for the next turn."""
        values = (self.key, agent, *row, self.turn)
        self._db.execute("INSERT OR REPLACE INTO held VALUES (?, ?, ?, ?, ?)", values)

    def held_now(self, agent: str) -> set[RowKey]:
        """Return the rows that the budget cut in this turn."""
        query = "SELECT store, row FROM held WHERE session = ? AND agent = ? AND turn = ?"
        return set(self._db.execute(query, (self.key, agent, self.turn)).fetchall())

    def was_person_told(self, what: str) -> bool:
        """Return whether `what` was said in the session."""
        query = "SELECT 1 FROM told WHERE session = ? AND what = ?"
        return self._db.execute(query, (self.key, what)).fetchone() is not None

    def tell_once(self, what: str) -> bool:
        """Return whether this is the first time in the session that `what` is said."""
        return bool(self._db.execute("INSERT OR IGNORE INTO told VALUES (?, ?)", (self.key, what)).rowcount == 1)

    def owe_briefing(self, agent: str, restarted: bool) -> None:
        """Note that the agent has not read the briefing; restarted: the short one, after a compaction."""
        self.tell_once(f"briefing owed {restarted:d} {agent}")

    def take_briefing(self, agent: str) -> bool | None:
        """Return whether the short briefing is owed, None where neither is; forgotten by this."""
        query = "DELETE FROM told WHERE session = ? AND what = ?"
        owed = [
            restarted
            for restarted in (False, True)
            if self._db.execute(query, (self.key, f"briefing owed {restarted:d} {agent}")).rowcount
        ]
        return owed[0] if owed else None

    # What figures about behaviour are made of; nothing of the ladder reads it.

    def note_outcome(self, row: RowKey, about: str, result: str, day: str) -> None:
        """Note what came of a row in the session, instead of what was noted before."""
        self._db.execute(
            "INSERT OR REPLACE INTO outcome VALUES (?, ?, ?, ?, ?, ?)", (self.key, *row, about, result, day)
        )

    def note_transcript(self, path: str) -> None:
        """Note where the host keeps the session; the file is read by people's commands only."""
        self._db.execute("INSERT OR REPLACE INTO transcript VALUES (?, ?)", (self.key, path))

    # What it wrote and was charged for.

    def write(self, row: RowKey, what: str) -> None:
        """Note a write of the row's anchor (a path, or "a command") in this turn; it opens a closed turn again."""
        values = (self.key, self.worktree, *row, what)
        self._db.execute("INSERT OR IGNORE INTO written VALUES (?, ?, ?, ?, ?)", values)

    def written(self) -> dict[RowKey, str]:
        """Return the rows whose anchor was written and not yet settled, each with the first thing written."""
        found: dict[RowKey, str] = {}
        query = "SELECT store, row, what FROM written WHERE session = ? AND worktree = ? ORDER BY rowid"
        for store, row, what in self._db.execute(query, (self.key, self.worktree)):
            found.setdefault((store, row), database.text_of_value(what))
        return found

    def charged(self) -> set[RowKey]:
        """Return the rows that this session gave a ride."""
        return set(self._db.execute("SELECT store, row FROM charged WHERE session = ?", (self.key,)).fetchall())

    def charge(self, row: RowKey) -> None:
        """Note that the row has its ride of this session."""
        self._db.execute("INSERT OR IGNORE INTO charged VALUES (?, ?, ?)", (self.key, *row))

    def forget_written(self, awaiting: set[RowKey]) -> None:
        """Forget what was written: the turn is closed, except the rows that await a command."""
        query = "DELETE FROM written WHERE session = ? AND worktree = ? AND store = ? AND row = ?"
        for row in set(self.written()) - awaiting:
            self._db.execute(query, (self.key, self.worktree, *row))

    def pay(self, row: RowKey) -> None:
        """Note a payment of this turn, to be looked at once more when the turn closes."""
        values = (self.key, self.worktree, *row, self.turn)
        self._db.execute("INSERT OR REPLACE INTO paid VALUES (?, ?, ?, ?, ?)", values)

    def paid_this_turn(self) -> set[RowKey]:
        """Return the rows whose payment the program recorded in this turn."""
        query = "SELECT store, row FROM paid WHERE session = ? AND worktree = ? AND turn = ?"
        return set(self._db.execute(query, (self.key, self.worktree, self.turn)).fetchall())

    def is_new_call(self, call: str, said: str = "") -> bool:
        """Return whether a tool call is seen writing for the first time, or again in the session that saw it first.

        A host that repeats one under another session does so at once, with the same input (said): some model servers
        number the calls of every session from 0.
        """
        if not call:
            return True
        others = "SELECT 1 FROM call WHERE id = ? AND session != ? AND input = ? AND abs(seen - ?) < ?"
        if self._db.execute(others, (call, self.key, said, self.seen, _REPEATED_WITHIN)).fetchone():
            return False
        self._db.execute("INSERT OR IGNORE INTO call VALUES (?, ?, ?, ?)", (call, self.key, said, self.seen))
        return True

    # What the owner was asked.

    def ask(self, row: RowKey, question: str, decision: str, mode: str) -> bool:
        """Note a question about a row; whether it is the session's first about it."""
        known = "SELECT 1 FROM asked WHERE session = ? AND store = ? AND row = ?"
        first = not self._db.execute(known, (self.key, *row)).fetchone()
        values = (self.key, *row, question, decision, mode)
        self._db.execute("INSERT OR IGNORE INTO asked VALUES (?, ?, ?, ?, ?, ?, '')", values)
        return first

    def asked(self) -> list[Asked]:
        """Return the questions of the session."""
        query = "SELECT store, row, question, decision, mode, answer FROM asked WHERE session = ? ORDER BY rowid"
        return [Asked(*record) for record in self._db.execute(query, (self.key,))]

    def answered(self) -> set[RowKey]:
        """Return the rows that the owner let pass for this session."""
        query = "SELECT store, row FROM asked WHERE session = ? AND answer = 'yes'"
        return set(self._db.execute(query, (self.key,)).fetchall())

    def answer(self, row: RowKey, question: str, answer: str) -> None:
        """Note what became of a question about a row: "yes", or "happened" in spite of a denial."""
        query = "UPDATE asked SET answer = ? WHERE session = ? AND store = ? AND row = ? AND question = ?"
        self._db.execute(query, (answer, self.key, *row, question))

    # Lines that the ledger gets when the turn closes.

    def add_line(self, row: RowKey, event: str, occurred: str, evidence: str) -> None:
        """Keep a line ("asked", "allowed", ...) until the turn's ledger file is written."""
        values = (self.key, self.worktree, *row, event, occurred, evidence)
        self._db.execute("INSERT INTO pending_line VALUES (?, ?, ?, ?, ?, ?, ?)", values)

    def take_lines(self) -> list[tuple[str, str, str, str, str]]:
        """Return the kept lines as (store, row, event, occurred, evidence); forgotten by this."""
        of_this = (self.key, self.worktree)
        query = (
            "SELECT store, row, event, occurred, evidence FROM pending_line WHERE session = ? AND worktree = ? "
            "ORDER BY rowid"
        )
        found = self._db.execute(query, of_this).fetchall()
        self._db.execute("DELETE FROM pending_line WHERE session = ? AND worktree = ?", of_this)
        return [(*known, database.text_of_value(evidence)) for *known, evidence in found]

    # Other repositories.

    def began_in(self, folder: str) -> None:
        """Note the state folder of the place where the session began, which may be another repository's."""
        self._db.execute("UPDATE session SET origin = ? WHERE key = ?", (folder, self.key))

    def note_elsewhere(self, root: str) -> None:
        """Note that the session touched another repository, whose turn is closed with this one's."""
        self._db.execute("INSERT OR IGNORE INTO elsewhere VALUES (?, ?)", (self.key, root))

    def next_turn(self, turn_id: str) -> None:
        """Open a new turn."""
        self.turn += 1
        self._db.execute("UPDATE session SET turn = ?, turn_id = ? WHERE key = ?", (self.turn, turn_id, self.key))
