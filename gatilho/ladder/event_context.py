"""What stands around one event in one repository: its index, its sessions, the time, the files."""

import os
import time

from gatilho import dates
from gatilho.git import state as git_state
from gatilho.git.root import Repository
from gatilho.hosts.event import Event
from gatilho.index.database import OperationalError
from gatilho.index.index import Index, IndexedRow, open_index
from gatilho.ladder import sessions
from gatilho.ladder.decide import Match
from gatilho.ladder.matching import SEARCH_SECONDS
from gatilho.ledger.lines import session_hash
from gatilho.tables import PERSONAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatilho.conditions.files import Outcome, Tree
    from gatilho.hosts.event import Adapter
    from gatilho.ladder.session import RowKey, Session
    from gatilho.ledger.lines import Entry


def session_id_of(event: Event, root: str) -> str:
    """The session's id; where the host names none, the working tree and the day stand for it."""
    return event.session or f"{root} {dates.today()}"


class Scene:
    """One repository as an event finds it. Used in a `with` block, which is one transaction of the sessions."""

    def __init__(self, event: Event, adapter: "Adapter", repository: Repository) -> None:
        from gatilho.triggers.patterns import Budget

        self.event = event
        self.adapter = adapter
        self.repository = repository
        self.clock = time.time()
        self.today = dates.today(self.clock)
        self.now = dates.utc_moment(self.clock)
        self.budget = Budget(SEARCH_SECONDS)
        self.db = sessions.open_sessions(repository)
        self.person: list[str] = []
        self.session_id = session_id_of(event, repository.root)
        self.has_queued = False
        self.index: Index
        self.session: Session
        # What commands came to, by their text, and the debts whose turn closed before theirs was run.
        self.commands: dict[str, Outcome] = {}
        self.awaiting: list[Match] = []
        self._tree: Tree | None = None

    def __enter__(self) -> "Scene":
        # Tables are read before the sessions are held, which everybody needs; then what was written in between.
        self.index = open_index(self.repository)
        self.db = sessions.begin(self.db)
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
        self.db.execute("ROLLBACK" if kind else "COMMIT")

    @property
    def tree(self) -> "Tree":
        """The files of the repository, as conditions look at them."""
        if self._tree is None:
            from gatilho.conditions.files import Tree

            self._tree = Tree(self.repository.root)
        return self._tree

    @property
    def by(self) -> str:
        """Who acts when the program does."""
        return f"program {self.event.host}"

    @property
    def answer_budget(self) -> int:
        """Characters of one answer."""
        return self.config.budget or self.adapter.BUDGET

    def session_hash(self, session: "Session | None" = None) -> str:
        """The session as the ledger names it: 8 hexadecimal digits."""
        session = session or self.session
        return session_hash(session.id, session.generation)

    def head(self) -> str:
        """The commit that HEAD names."""
        return git_state.head(self.repository.git_dir, self.repository.common_dir)

    def git_is_busy(self) -> str:
        """What git is in the middle of, "" when nothing."""
        return git_state.busy(self.repository.git_dir, os.environ)

    def entries_now(self, row_id: str, store: str) -> "list[Entry]":
        """The row's entries in the ledger as it is at this moment."""
        self.index.renew()
        return self.index.entries(row_id, store)

    def is_committed(self, match: Match) -> bool:
        """Whether HEAD has the row; rows of stores outside the repository count as committed."""
        if match.row.store:
            return True
        from gatilho.store.head import is_committed, uncommitted

        return is_committed(uncommitted(self.index, match.file_number), match.row.id)

    def has_committed_conditions(self, match: Match) -> bool:
        """Whether HEAD has the row with the conditions that it has now; no person's own table is in any HEAD."""
        if match.row.store:
            return match.row.store != PERSONAL
        from gatilho.store.head import has_conditions

        return has_conditions(self.index, match.file_number, match.row)

    def match_of(self, key: "RowKey") -> Match | None:
        """The row that a session remembers by (store, id), as it stands now; None when it is gone."""
        store, row_id = key
        for found in self.index.rows_with_id(row_id):
            if found.row.store == store:
                return self.match(found)
        return None

    def match(self, found: IndexedRow) -> Match:
        """A row that nothing touched, with its count in force."""
        count = self.index.standing(found.row).count
        return Match(found.row, count, path=found.path, header=found.header, file_number=found.file_number)

    def tell_person_once(self, what: str, text: str) -> None:
        """A line for the person, at most once a session; more often only while a stuck process holds the sessions."""
        try:
            is_first = self.session.tell_once(what)
        except OperationalError:
            is_first = True
        if is_first:
            self.person.append(text)
