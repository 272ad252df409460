"""Which payments are looked at again: those that the program made lately and that are since."""

from gatilho.index.index import Index, IndexedRow


def paid_by_program(index: Index, since: str) -> list[IndexedRow]:
    """Return the debts that the program paid on that day (ISO) or later, and that no one touched since."""
    found = []
    for store, row_id in index.rows_with_event("paid", since):
        for one in index.rows_with_id(row_id):
            row = one.row
            if row.store != store or row.shared or not (row.is_debt and row.struck):
                continue
            last = index.tally(row).state
            if last is not None and last.event == "paid" and last.by.startswith("program"):
                found.append(one)
    return found
