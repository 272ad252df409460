"""Finds the row that a person means by an id typed on the command line."""

from shlex import quote

from gatilho.config import FILE, PYPROJECT
from gatilho.errors import GatilhoError, UsageError
from gatilho.index.index import Index, IndexedRow
from gatilho.nearest import suggestion
from gatilho.plain import clean_line, counted
from gatilho.tables import PACK
from gatilho.workspace.tracked import ALL_STORES, store_left_out


def rows_called(index: Index, typed: str) -> list[IndexedRow]:
    """Return the rows with that id in all stores, own store first; raises UsageError where there is none.

    Blanks around an id do not count, no-break spaces included, nor what has no width: no one sees or types them.
    """
    wanted = clean_line(typed).strip()
    ids = dict.fromkeys((wanted, *index.ids_seen_as(wanted)))
    found = [row for row_id in ids for row in index.rows_with_id(row_id)]
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


def refuse_broken_configuration(index: Index) -> None:
    """Raise UsageError where a default is in force in place of what the configuration says."""
    wrong = next((problem for problem in index.problems() if problem.place.file in (FILE, PYPROJECT)), None)
    if wrong is not None:
        raise UsageError(f"{wrong.place}: {wrong.message}. {wrong.remedy} Nothing was written.")


def _unknown(index: Index, wanted: str) -> str:
    lines = len(index.entries(wanted))
    renamed = next((name for name in index.names_of(wanted)[1:] if index.rows_with_id(name)), "")
    if renamed:
        return f"no row has the id {wanted} any more: it was renamed, and is {renamed} now."
    if lines:
        known = counted(lines, "line")
        return (
            f"no row has the id {wanted} any more; the ledger has {known} about it. "
            f"`git log -S{quote(wanted)} -- '{ALL_STORES}'` shows where it went."
        )
    others = store_left_out(index.repository.root) or "`gatilho list --all` shows them all."
    meant = suggestion(wanted, index.all_ids(), others)
    return f"no row has the id {wanted or repr(wanted)}. {meant}"
