"""Ledgers: files that cannot be read, lines about rows that are gone, counts that a table lags."""

from collections.abc import Iterator
from shlex import quote

from gatilho import bounded
from gatilho.document.table import MARKERS
from gatilho.ledger import lines as ledger
from gatilho.ledger.lines import Entry
from gatilho.model import Problem, ProblemKind
from gatilho.plain import counted, shell_word
from gatilho.tables import Store, ledger_files
from gatilho.workspace.tracked import names_left_out
from gatilho.workspace.workspace import Workspace, problem_of_file

UNREADABLE = ProblemKind("GT901", "error", "a line of the ledger cannot be read")
ORPHAN = ProblemKind("GT902", "warning", "the ledger has lines about an id that no row has")
BEHIND = ProblemKind("GT903", "note", "the count in a cell is below the ledger's")
KINDS = (UNREADABLE, ORPHAN, BEHIND)


def find_problems(workspace: Workspace) -> Iterator[Problem]:
    """Yield what is wrong in the ledgers of all stores, and between them and the tables."""
    for store in workspace.stores:
        entries: list[Entry] = []
        first_seen: dict[str, str] = {}
        for name in ledger_files(store):
            found, wrong = _read(store, name)
            yield from wrong
            entries += found
            for entry in found:
                first_seen.setdefault(entry.id, store.shown(f"{store.ledger}/{name}"))
        yield from _orphans(workspace, store, entries, first_seen)
    yield from _behind(workspace)


def _read(store: Store, name: str) -> tuple[list[Entry], list[Problem]]:
    path = f"{store.ledger}/{name}"
    shown = store.shown(path)
    try:
        data = bounded.read(path)
        entries, problems = ledger.parse_ledger(data, shown)
        return entries, [*problems, *_markers(data, shown)]
    except OSError as error:
        message = f"the file cannot be read: {error.strerror or error}"
        return [], [problem_of_file(UNREADABLE, shown, message, "make it readable, or restore it from git")]


def _markers(data: bytes, shown: str) -> Iterator[Problem]:
    line = next((number for number, text in enumerate(data.splitlines(), 1) if text.startswith(MARKERS)), 0)
    if line:
        message = "the file holds conflict markers; the lines of both sides are counted"
        remedy = f"run `gatilho resolve {shell_word(shown)}`, it keeps both sides"
        yield problem_of_file(UNREADABLE, shown, message, remedy, line)


def _orphans(workspace: Workspace, store: Store, entries: list[Entry], first_seen: dict[str, str]) -> Iterator[Problem]:
    """Yield a problem for each id of a row that is gone under all its names; keys of corrections are not ids."""
    known = {found.row.id for found in workspace.rows if found.row.store == store.label}
    groups = ledger.by_row(entry for entry in entries if entry.event != "corrected")
    told: set[int] = set()
    for row_id, group in groups.items():
        names = {entry.id for entry in group} | {entry.evidence for entry in group if entry.event == "renamed"}
        if names & known or id(group) in told:
            continue
        if not told and not store.label and names_left_out(workspace.root, workspace.tagged_in_stores):
            return  # the rows may be there
        told.add(id(group))
        message = f"no row has the id {row_id}, of which the ledger has {counted(len(group), 'line')}"
        where = f"git log -S{quote(row_id)} -- {quote(store.shown(store.folder))}"
        remedy = f"put the row back (`{where}` finds it) and end it by its state"
        file = first_seen.get(row_id) or first_seen[group[0].id]
        yield problem_of_file(ORPHAN, file, message, remedy, row=row_id)


def _behind(workspace: Workspace) -> Iterator[Problem]:
    """Yield a problem for each cell below the count in force: git merged two equal bumps, or the cell was lowered."""
    for found in workspace.rows:
        row = found.row
        if row.rides is None or row.shared:
            continue
        count = workspace.index.tally(row).ledger_count
        if row.rides < count and "rides" in workspace.sources.document(found.path).columns(found.header):
            message = f"the cell says {row.rides}, the ledger {count}: {counted(count, 'ride')} in force"
            remedy = (
                f"if a merge caused this, do nothing; `gatilho fold` updates the cell. To lower the count, run "
                f"`gatilho set {shell_word(row.id)} {row.rides} --why TEXT`"
            )
            yield workspace.problem(BEHIND, found, "rides", message, remedy)
