"""`gatilho packs` (Setting up): fetch rows of other repositories at a pinned commit, move the pin, take a row over."""

import argparse
import os
import sys
from collections.abc import Iterable

from gatilho import bounded, dates, files, render
from gatilho.compare.cell_facts import uncounted
from gatilho.compare.row_changes import compare
from gatilho.compare.snapshot import Snapshot
from gatilho.config import FILE, PYPROJECT
from gatilho.console import command_options, comparison_view, lookup, terminal_guard
from gatilho.console.row_view import Page
from gatilho.document.draft import Draft, mint
from gatilho.document.rows import read_rows
from gatilho.errors import ExitStatus, GatilhoError, UsageError
from gatilho.index.index import Index, IndexedRow, open_index
from gatilho.lifecycle.transitions import why_no_id
from gatilho.model import Row
from gatilho.packs import copies, pins
from gatilho.plain import clean, counted
from gatilho.setup import file_changes
from gatilho.store import placement
from gatilho.tables import PACK, pack_stores
from gatilho.workspace.row_examples import example_spans
from gatilho.workspace.sources import Sources
from gatilho.writing import form, proposal

# The columns of a row that many tables do without.
_FURTHER = ("kind", "key", "ask after", "holds while", "examples", "violated when")


def main(argv: list[str]) -> int:
    """List the packs, or do what is asked with them."""
    given = _parser().parse_args(argv)
    repository = command_options.repository_of(given.root)
    if given.action:
        terminal_guard.require(f"gatilho packs {given.action}", of_row=False)
    with open_index(repository) as index:
        if given.action == "take":
            return _take(index, given)
        if given.action == "update":
            return _update(index, given)
        return _list(index)


def _parser() -> argparse.ArgumentParser:
    parser = command_options.parser(
        "packs",
        "List the packs of the configuration. `update` fetches them, shows what changed in their rows and moves the\n"
        "pins after a yes; `take` makes a row of a pack one of this repository, with its condition.",
        "gatilho packs",
        "gatilho packs update house-rules",
        "gatilho packs update --pinned",
        "gatilho packs take D-7f3k",
    )
    parser.add_argument("action", nargs="?", choices=("update", "take"), help="what to do (default: list them)")
    parser.add_argument("names", nargs="*", metavar="NAME", help="packs to update (default: all), or the row's ID")
    parser.add_argument("--pinned", action="store_true", help="with update: only fetch what is pinned, move nothing")
    parser.add_argument("--yes", action="store_true", help="with update: move the pins without asking")
    parser.add_argument("--file", metavar="FILE", default="", help="with take: the table's file below docs/gatilhos")
    return parser


def _list(index: Index) -> int:
    packs = index.config.packs
    if not packs:
        lookup.refuse_broken_configuration(index)
        render.line(f"No packs. Name one in {FILE}: [packs.NAME] with `git` and `rev`.")
    for (name, git, rev), store in zip(packs, pack_stores(index.repository.shared_state, packs)):
        count = sum(found.row.store == store.label for found in index.rows())
        there = counted(count, "row") if os.path.isdir(store.folder) else "not fetched"
        render.line(f"{name}  {rev[:10]}  {there}  {git}")
    return ExitStatus.FINE


def _update(index: Index, given: argparse.Namespace) -> int:
    if not index.config.packs and not given.names:
        return _list(index)
    known = {name: (git, rev) for name, git, rev in index.config.packs}
    for name in given.names:
        if name not in known:
            raise UsageError(f"there is no pack {name}. The configuration names {', '.join(known) or 'no packs'}.")
    waiting = False
    for name in given.names or known:
        git, rev = known[name]
        if sys.stderr.isatty():
            render.line(f"fetching {name}", sys.stderr)  # a line that does not move, for ssh may ask something here
        copies.fetch_pack(index.repository, name, git, rev)
        newest = rev if given.pinned else copies.fetch_pack(index.repository, name, git, copies.NEWEST)
        if newest == rev:
            render.line(f"{name}  {rev[:10]}  {'fetched' if given.pinned else 'is the newest'}")
        else:
            waiting = not _move(index, name, rev, newest, given.yes) or waiting
    index.renew()
    return ExitStatus.NEEDS_A_PERSON if waiting else ExitStatus.FINE


def _move(index: Index, name: str, old: str, new: str, is_agreed: bool) -> bool:
    """Show what another commit of a pack changes, and pin it where a person agrees."""
    sides = [Snapshot(copies.pack_files(index.repository, name, rev)) for rev in (old, new)]
    # Files that a trigger matches in the pack's own repository say nothing here.
    compared = compare(sides[0], sides[1], uncounted, uncounted, dates.today())
    comparison_view.print_comparison(Page(), compared, f"{name}  {old[:10]} .. {new[:10]}", [])
    if not is_agreed and not (sys.stdin.isatty() and form.agrees("Move the pin?")):
        render.line(f"The pin stays: `gatilho packs update {name} --yes` moves it.")
        return False
    root = index.repository.root
    file = FILE if os.path.exists(f"{root}/{FILE}") else PYPROJECT
    data = bounded.read(f"{root}/{file}")
    files.replace_bytes(f"{root}/{file}", data, pins.with_pin(data, name, old, new, file == FILE))
    render.line(f"{file}  {name} pinned to {new[:10]}")
    return True


def _take(index: Index, given: argparse.Namespace) -> int:
    if len(given.names) != 1:
        raise UsageError("packs take: name one row, as in `gatilho packs take D-7f3k`.")
    found, row = _row_of_pack(index, given.names[0])
    taken = why_no_id(row.id) or index.entries(row.id) or any(not one.row.store for one in index.rows_with_id(row.id))
    new_id = mint(row.lifecycle, lambda one: bool(index.rows_with_id(one)), os.urandom) if taken else row.id
    draft = _draft_of(row, found, new_id)
    file = command_options.table_file(given, index.repository.root)
    try:
        place = placement.choose(index.repository.root, index.config, draft, file)
    except GatilhoError:  # no table has columns for what says more of a row
        left_out = [name for name in draft.contents if name in _FURTHER]
        draft = draft.replace(kind="", key="", ask_after="", holds_while=(), examples=(), violated_when=())
        place = placement.choose(index.repository.root, index.config, draft, file)
        render.line(f"No table here has the columns of {row.id}, so these are left out: {', '.join(left_out)}.")
    if place.data is None:
        place = placement.new_place(place.name, draft)
    made = proposal.propose(index.repository.root, place, draft)
    problems = proposal.find_problems(index, made)
    render.print_problems(problems)
    if any(one.severity == "error" for one in problems):
        raise GatilhoError("nothing was written: correct the row by hand, with `gatilho add`.")
    render.print_diff(file_changes.diff_of_changes([made.change]))
    proposal.write_proposals(index, [made.change])
    render.line(f"{made.row.place}  {made.row.id} taken over")
    return ExitStatus.FINE


def _draft_of(row: Row, found: IndexedRow, new_id: str) -> Draft:
    """Return a row of a pack as one of ours, without its counts, its dates, and what acts on a terminal."""

    def spans(values: Iterable[object]) -> tuple[str, ...]:
        return tuple(clean(str(value)) for value in values)

    return Draft(
        lifecycle=row.lifecycle, triggers=spans(row.triggers), note=clean(row.note), conditions=spans(row.conditions),
        kind=row.kind, key=row.key, ask_after="" if row.ask_after is None else str(row.ask_after),
        holds_while=spans(row.holds_while), examples=spans(example_spans(Sources(), found)),
        violated_when=spans(row.violated_when), id=new_id,
    )  # fmt: skip


def _row_of_pack(index: Index, typed: str) -> tuple[IndexedRow, Row]:
    """Return a row of a pack, and as its own repository has it: the index knows it without what would pay it."""
    found = [one for one in lookup.rows_called(index, typed) if one.row.store.startswith(PACK)]
    if len(found) != 1:
        many = "several packs have" if found else "no pack has"
        raise UsageError(f"packs take {typed}: {many} a row of that id.")
    rows, _ = read_rows(bounded.read(found[0].path), found[0].row.file)
    return found[0], next(row for row in rows if row.line == found[0].row.line)
