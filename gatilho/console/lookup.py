"""Finds the row that a person means by an id typed on the command line."""

from gatilho.errors import GatilhoError, UsageError
from gatilho.index.index import Index, IndexedRow
from gatilho.nearest import nearest
from gatilho.plain import counted
from gatilho.tables import PACK


def rows_called(index: Index, typed: str) -> list[IndexedRow]:
    """Return the rows with that id in all stores, own store first; raises UsageError where there is none.

    Blanks around an id do not count, no-break spaces included: no one sees them, no one types them.
    """
    wanted = typed.strip()
    ids = _ids(index, wanted)
    found = [row for row_id in ids if row_id.strip() == wanted for row in index.rows_with_id(row_id)]
    if not wanted or not found:
        raise UsageError(_unknown(index, wanted))
    return sorted(found, key=lambda one: (one.row.store, one.row.file, one.row.line))


def row_called(index: Index, typed: str) -> IndexedRow:
    """Return the one row with that id; raises GatilhoError where several bear it.

    Rows of packs do not count where there is another: no command changes them.
    """
    every = rows_called(index, typed)
    found = [one for one in every if not one.row.store.startswith(PACK)] or every
    if len(found) == 1:
        return found[0]
    places = " and ".join(one.row.place for one in found)
    raise GatilhoError(f"{len(found)} rows have the id {typed.strip()}, so nothing was written: {places}. "
                       "Give one of them another id first.")  # fmt: skip


def _ids(index: Index, part: str) -> list[str]:
    """Return the different ids that hold a text."""
    query = "SELECT DISTINCT id FROM row WHERE instr(id, ?) > 0 ORDER BY id"
    return [record[0] for record in index.connection.execute(query, (part,))]


def _unknown(index: Index, wanted: str) -> str:
    lines = len(index.entries(wanted))
    renamed = next((name for name in index.names_of(wanted)[1:] if index.rows_with_id(name)), "")
    if renamed:
        return f"no row has the id {wanted} any more: it was renamed, and is {renamed} now."
    if lines:
        known = counted(lines, "line")
        return (
            f"no row has the id {wanted} any more; the ledger has {known} about it. "
            f"`git log -S'{wanted}' -- docs/gatilhos` shows where it went."
        )
    close = nearest(wanted, _ids(index, "")) if wanted else ""
    meant = f"Did you mean {close}?" if close else "`gatilho list --all` shows them all."
    return f"no row has the id {wanted!r}. {meant}" if not wanted else f"no row has the id {wanted}. {meant}"
