"""The surroundings of what a command records: the time, the commit, who asks, and how long it waits for the lock."""

from gatilho import dates
from gatilho.git import state as git_state
from gatilho.index.index import Index
from gatilho.ledger.lines import Entry
from gatilho.store.change import Context

# Seconds that a person's command waits for hooks that are writing.
PATIENCE = 10.0


def context(index: Index, by: str) -> Context:
    """Return the surroundings of a command; by: `person`, `program`, or `agent` and its host."""
    repository = index.repository

    def entries_now(row_id: str, store: str) -> list[Entry]:
        index.renew()
        return index.entries(row_id, store)

    return Context(
        now=dates.utc_moment(),
        session="",
        commit=git_state.head_commit(repository),
        by=by,
        lock=f"{repository.shared_state}/lock",
        git_dir=repository.git_dir,
        entries_of=entries_now,
        stores=index.stores,
        rides_in=index.config.rides_in,
        wait=PATIENCE,
        whole_document=True,
        today=dates.today(),
    )
