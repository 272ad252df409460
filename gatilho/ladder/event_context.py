"""What is around one event in one repository: its index, its sessions, the time, the files."""

import time

from gatilho import dates
from gatilho.bounded import is_there
from gatilho.git.root import Repository
from gatilho.hosts import Host
from gatilho.hosts.event import AFTER, BEFORE, Event
from gatilho.index import database
from gatilho.index.database import Connection, OperationalError
from gatilho.index.freshness import Sight
from gatilho.index.index import IndexedRow, open_index
from gatilho.ladder import sessions
from gatilho.ladder.decide import Match, key_of
from gatilho.ladder.matching import SEARCH_SECONDS
from gatilho.ladder.session import RowKey, Session
from gatilho.model import Row
from gatilho.triggers.budget import Budget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gatilho.conditions.file_conditions import Outcome, Tree
    from gatilho.ladder.tool_call import RepositoryCall
    from gatilho.ledger.lines import Entry
    from gatilho.memory.corrections import CorrectedFact


# Characters of one text for the agent, whatever the settings say: of more, hosts pass on the beginning alone.
MOST_CHARACTERS = 9_500


def session_id_of(event: Event, root: str) -> str:
    """Return the session's id; where the host names none, the working tree and the day stand for it."""
    return event.session or f"{root} {dates.today()}"


class EventContext:
    """One repository as an event finds it. Used in a `with` block, which is one transaction of the sessions.

    Whoever made it closes it, as `UntilClosed` does. runs_command: it is before or after a command, which may be what
    changes a table.
    """

    def __init__(
        self,
        event: Event,
        adapter: Host,
        repository: Repository,
        witness: "Callable[[Connection], None] | None" = None,
        nested: "Iterable[str]" = (),
        runs_command: bool = False,
    ) -> None:
        """Open both databases. nested: the folders with nested stores that the event is seen to be below."""
        self.event = event
        self.adapter = adapter
        self.repository = repository
        self.nested = tuple(nested)
        self.folders: tuple[str, ...] = ()  # of the event, by their names in the repository
        self.clock = time.time()
        self.today = dates.today(self.clock)
        self.now = dates.utc_moment(self.clock)
        self.budget = Budget(SEARCH_SECONDS)
        # To a tool that runs no command it does not matter what changed in other nested stores.
        alone = event.kind in (BEFORE, AFTER) and not runs_command
        self.index = open_index(repository, witness, Sight(nested, alone=alone, patient=not runs_command))
        self.db = sessions.open_in(repository.shared_state)
        self._is_entered = False
        self.is_kept = False  # whether the event waits in a file, for the next one to take it in
        self.person: list[str] = []
        self.approved: list[CorrectedFact] = []  # corrected facts whose edits the owner said yes to
        self.session_id = session_id_of(event, repository.root)
        self.has_queued = False
        self.session: Session
        # What commands came to, by their text, and the debts whose turn closed before theirs was run.
        self.commands: dict[str, Outcome] = {}
        self.awaiting: list[Match] = []
        self._tree: Tree | None = None
        self._waiting: Callable[[Row], int] | None = None
        self._overlays: dict[RepositoryCall, dict[str, bytes | None] | None] = {}

    def __enter__(self) -> "EventContext":
        # Tables are read before the sessions are held, which everybody needs; then what was written in between.
        if self._is_entered:
            self.index.renew()
        self._is_entered = True
        self.db = sessions.begin(self.db)
        if self.db.path == database.MEMORY:
            self._forgets()
        self.index.renew()
        self.config = self.index.config
        state = self.repository.shared_state
        last_sign = sessions.last_sign_of(state, self.event.session)
        self.session = sessions.enter(
            self.db, self.session_id, self.event.host, self.repository.root, self.clock, last_sign
        )
        sessions.renew_sign(state, self.event.session)
        return self

    def __exit__(self, kind: object, fault: object, trace: object) -> None:
        if kind and not self.db.in_transaction:
            return  # SQLite took it back itself
        self.db.execute("ROLLBACK" if kind else "COMMIT")

    def _forgets(self) -> None:
        """Keep the event for the next one to take in; where even that fails, report so once a session."""
        from gatilho import fault as faults
        from gatilho.ladder import later

        fault = self.db.fault or "the database is held by another process"
        if self.is_kept or later.keep(self.repository, self.event):
            self.is_kept = True
            if not self.db.fault:
                return
        if faults.is_first(self.repository, self.event.session):
            folder = self.repository.shared_state
            is_held = database.is_held(self.db.fault)
            what = (
                "has to be let go by the process that holds it"
                if is_held
                else "has to be writable, and its disk not full"
            )
            self.person.append(
                f"what this session read, wrote and was asked cannot be remembered ({fault}): {folder} {what}. "
                "Notes repeat and no ride is counted until then."
            )

    def close(self) -> None:
        """Close both databases."""
        self.index.close()
        self.db.close()

    @property
    def tree(self) -> "Tree":
        """Return the files of the repository, as conditions look at them."""
        if self._tree is None:
            from gatilho.conditions.file_conditions import Tree

            self._tree = Tree(self.repository.root)
        return self._tree

    def outcome_of(self, row: Row, tree: "Tree | None" = None) -> "Outcome":
        """Return what the conditions of a row come to in a tree (the files as they are, unless another is given)."""
        from gatilho.conditions.file_conditions import evaluate_all

        return evaluate_all(row.conditions, tree or self.tree, self.budget, self.commands)

    def overlay(self, reading: "RepositoryCall") -> "dict[str, bytes | None] | None":
        """Return the files as this very call will leave them, None where the payload does not show it.

        The guard and each question ask for it: the call is followed once.
        """
        if reading not in self._overlays:
            self._overlays[reading] = self._followed(reading)
        return self._overlays[reading]

    def _followed(self, reading: "RepositoryCall") -> "dict[str, bytes | None] | None":
        from gatilho.conditions.outcome import overlay_of
        from gatilho.conditions.shell_outcome import overlay_of_command

        root = self.repository.root
        if reading.command and reading.shell == "sh":
            found = overlay_of_command(reading.command, reading.cwd or root, root)
            if found is not None:
                return found
        return overlay_of(self.event.tool, self.event.input, self.event.cwd or root, root)

    def tree_after(self, reading: "RepositoryCall") -> "Tree | None":
        """Return the files of the repository as this very call will leave them, None where that is not shown."""
        from gatilho.conditions.file_conditions import Tree

        overlay = self.overlay(reading)
        return Tree(self.repository.root, overlay) if overlay is not None else None

    @property
    def by(self) -> str:
        """Return who acts when the program does."""
        return f"program {self.event.host}"

    @property
    def answer_budget(self) -> int:
        """Return how many characters one answer may have."""
        return min(self.config.budget or self.adapter.budget, MOST_CHARACTERS)

    def session_hash(self, session: Session | None = None) -> str:
        """Return the session as the ledger names it: 8 hexadecimal digits."""
        from gatilho.ledger.lines import session_hash

        session = session or self.session
        return session_hash(session.id, session.generation)

    def head(self) -> str:
        """Return the commit that HEAD names."""
        from gatilho.git import state as git_state

        return git_state.head_commit(self.repository)

    def git_is_busy(self) -> str:
        """Return what git is in the middle of, "" when nothing."""
        import os

        from gatilho.git import state as git_state

        return git_state.busy(self.repository.git_dir, os.environ)

    def has_waiting(self) -> bool:
        """Return whether something waits to be written in the working tree."""
        return self.has_queued or is_there(self.repository.waiting_mark)

    def entries_now(self, row_id: str, store: str) -> "list[Entry]":
        """Return the row's entries in the ledger as it is at this moment."""
        self.index.renew(whole=True)
        return self.index.entries(row_id, store)

    def is_committed(self, match: Match) -> bool:
        """Return whether HEAD has the row; rows of stores outside the repository count as committed."""
        if match.row.store:
            return True
        from gatilho.store.head import is_committed, uncommitted

        return is_committed(uncommitted(self.index, match.file_number), match.row.id)

    def has_conditions_from_the_start(self, match: Match) -> bool:
        """Return whether HEAD has the row with the conditions that it has now, and they never replaced others.

        No person's own table is in any HEAD.
        """
        if match.row.store:
            from gatilho.tables import PERSONAL

            return match.row.store != PERSONAL
        from gatilho.store.head import condition_changed, has_conditions

        is_known = has_conditions(self.index, match.file_number, match.row)
        return is_known and not condition_changed(self.index, match.row)

    def match_of(self, key: RowKey) -> Match | None:
        """Return the row that a session remembers by (store, id), as it is now; None when it is gone."""
        store, row_id = key
        for found in self.index.rows_with_id(row_id):
            if found.row.store == store:
                return self.match(found)
        for found in self.index.rows_with_id(row_id.rpartition(" at ")[0]):
            if key_of(found.row) == key:
                return self.match(found)
        return None

    def match(self, found: IndexedRow) -> Match:
        """Return a row that nothing touched, with its count in force."""
        count = self.index.count(found.row)
        match = Match(found.row, count, path=found.path, header=found.header, file_number=found.file_number)
        return self.with_waiting(match)

    def with_waiting(self, match: Match) -> Match:
        """Return a match whose count has a rule's rides that wait on this machine, too: they are in force."""
        if match.row.is_debt or self.config.rule_rides != "local":
            return match
        if self._waiting is None:
            from gatilho.store.local_rides import waiting_rides

            self._waiting = waiting_rides(self.repository.shared_state)
        return match.replace(count=match.count + self._waiting(match.row))

    def tell_person_once(self, what: str, text: str) -> None:
        """Add a line for the person once a session; more often only while a stuck process holds the sessions."""
        try:
            is_first = self.session.tell_once(what)
        except OperationalError:
            is_first = True
        if is_first:
            self.person.append(text)


class UntilClosed:
    """A block that has an event's context and closes it, whatever happens; not a transaction."""

    def __init__(self, context: EventContext) -> None:
        self._context = context

    def __enter__(self) -> EventContext:
        return self._context

    def __exit__(self, *_: object) -> None:
        self._context.close()
