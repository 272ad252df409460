"""A changed table, met on the fast path: the index takes it in, and says whether a row may match at all."""

from gatilho.git.root import Repository
from gatilho.index import database
from gatilho.index.freshness import Sight, meta
from gatilho.index.index import open_index
from gatilho.index.refresh import bitmaps_of
from gatilho.index.signature import Signature


def renewed(repository: Repository, nested: "list[str]") -> Signature | None:
    """Return the signature of the index as it is after all changes were taken in; it need not be the one on disk.

    nested: the folders with nested stores that are in sight.

    None where there is more to do than to match: tables have a problem to report, or the index cannot be used.
    """
    try:
        with open_index(repository, sight=Sight(nested, alone=True, patient=True)) as index:
            if index.connection.execute("SELECT 1 FROM problem WHERE severity = 'error' LIMIT 1").fetchone():
                return None
            return Signature(meta(index.connection, "stamp"), *bitmaps_of(index.connection))
    except (OSError, database.DatabaseError):
        return None
