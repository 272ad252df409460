"""`gatilho log` (Reviewing): show the life of a row, or what happened since a day."""

import argparse
import sys
import time
from collections.abc import Iterator
from typing import Any

from gatilho import dates, render
from gatilho.compare.facts import in_plain_text
from gatilho.compare.git_log import read_log
from gatilho.compare.history import Chains, Happening, LifeStep, chart, history, steps_of
from gatilho.compare.revisions import COMMIT, Revisions, Side
from gatilho.compare.since import commit_meant, time_meant
from gatilho.compare.snapshot import Snapshot
from gatilho.compare.table_lines import TableLines
from gatilho.console import command_options, row_view
from gatilho.console.row_view import Page
from gatilho.errors import UsageError
from gatilho.index.index import Index, open_index
from gatilho.ledger.lines import Entry, moment
from gatilho.nearest import suggestion
from gatilho.plain import counted, shell_word
from gatilho.workspace.tracked import store_left_out

_SHORT = 10
_WAITING = "reading the history of docs/gatilhos"


def main(argv: list[str]) -> int:
    """Print the events, oldest first."""
    given = _parser().parse_args(argv)
    if not given.id and not given.since:
        raise UsageError("name a row, as in `gatilho log D-7f3k`, or a time: `gatilho log --since '2 weeks ago'`.")
    with open_index(command_options.repository_of(given.root)) as index:
        return _log(index, given)


def _log(index: Index, given: argparse.Namespace) -> int:
    with Revisions(index.repository) as opened, render.waiting(_WAITING):
        after = commit_meant(opened, given.since)
        since = 0 if after else time_meant(opened, given.since)
        names = frozenset(index.names_of(given.id.strip())) if given.id else frozenset()
        found = _history(opened, index, names, since, after)
        shallow = bool(opened.boundaries())
    if names and not found and not given.since:
        raise UsageError(_unknown(index, given.id))
    if given.json:
        render.print_json({"events": [_as_json(one) for one in found], "shallow": shallow})
    else:
        _print(index, given, names, found, shallow)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = command_options.parser(
        "log",
        "Show the life of one row: who wrote it, each ride with its session and the file that caused it, payments with "
        "their\nevidence, from git's history and the ledger. Or, with --since alone, what happened to all rows.",
        "gatilho log D-7f3k",
        "gatilho log --since '2 weeks ago'",
    )
    parser.add_argument("id", nargs="?", metavar="ID", help="the row's id, also of one that is gone")
    parser.add_argument(
        "--since",
        metavar="WHEN",
        help="only what came later: a date, words such as '2 weeks ago', or a revision, itself left out",
    )
    command_options.add_json(parser)
    return parser


def _history(opened: Revisions, index: Index, names: frozenset[str], since: int, after: str = "") -> list[Happening]:
    """Return the events since that time, or those that the commit `after` does not have."""
    ids = sorted(names) if names else _ids_since(index, since)
    entries = [entry for entry in _entries(index, ids) if entry.event != "corrected"]
    chains = Chains(entries)
    steps: list[LifeStep] = []
    if opened.find("HEAD"):
        for anywhere in (False, True) if names else (False,):
            log = read_log(opened, sorted(names), since, after, anywhere=anywhere)
            steps = list(steps_of(log, TableLines(opened, index.config), names or None, chains))
            if steps:
                break
    found = history(steps, entries, opened.boundaries(), chains)
    if after:
        known = set(Snapshot(opened.store_files(Side(COMMIT, after))).entries)
        return [one for one in found if one.entry is None or one.entry not in known]
    return [one for one in found if one.when >= since]


def _entries(index: Index, ids: list[str]) -> Iterator[Entry]:
    """Yield the entries of the rows with those ids, each once, under whatever name the row had."""
    told: set[str] = set()
    for row_id in ids:
        if row_id not in told:
            told.update(index.names_of(row_id))
            yield from index.entries(row_id)


def _ids_since(index: Index, since: int) -> list[str]:
    day = dates.utc_day(since)
    query = "SELECT DISTINCT row FROM entry WHERE store = '' AND occurred >= ? ORDER BY row"
    return [record[0] for record in index.connection.execute(query, (day,))]


def _unknown(index: Index, row_id: str) -> str:
    elsewhere = [found.row for found in index.rows_with_id(row_id.strip())]
    show = f"`gatilho show {shell_word(row_id)}` shows"
    if elsewhere and elsewhere[0].store:
        return f"{row_id} is in {elsewhere[0].file}, not in this repository: {show} its ledger."
    if elsewhere:
        return f"{row_id} is not committed yet and the ledger has nothing about it: {show} it."
    known = [found.row.id for found in index.rows() if not found.row.store]
    meant = suggestion(row_id, known, "`gatilho list --all` shows all rows.")
    return f"no row has or had the id {row_id}. {meant}"


def _print(
    index: Index, given: argparse.Namespace, names: frozenset[str], found: list[Happening], shallow: bool
) -> None:
    page = Page()
    if names:
        _print_rows(page, index, names, given.id)
    else:
        page.title(f"Since {given.since}: {counted(len(found), 'event')} (times are UTC)")
    for one in found:
        row = "" if len(names) == 1 else f"{one.row}  "
        page.line(f"{_when(one)}  {row}{_said(one)}")
    if shallow:
        page.line("This clone is shallow and has no older history. `git fetch --unshallow` fetches it.")
    width = page.out.width if page.out.is_terminal else 100
    known = [(one.when, one.rides) for one in found if not one.at_least]
    bars = chart(known, int(time.time()), min(width, 110), getattr(sys.stdout, "encoding", None) or "ascii")
    if bars:
        page.gap()
        for line in bars:
            page.line(line)


def _print_rows(page: Page, index: Index, names: frozenset[str], typed: str) -> None:
    rows = [found for name in sorted(names) for found in index.rows_with_id(name) if not found.row.store]
    if not rows:
        outside = store_left_out(index.repository.root)
        page.title(f"{typed}  {'no row that can be read' if outside else 'no row any more'}")
        if outside:
            page.line(outside)
    for found in rows:
        match = row_view.match_of(index, found)
        rides = counted(match.count, "ride")
        state = row_view.state_in_words(match, index, dates.today()).removeprefix("rule, ")
        parts = dict.fromkeys((match.row.lifecycle, state, rides))
        page.title(f"{match.row.id}  {', '.join(parts)}")
        page.line(match.row.place)
        page.line(match.row.note, 2)
    page.line("Times are UTC.")
    page.gap()


def _when(one: Happening) -> str:
    text = time.strftime("%Y-%m-%d %H:%M", time.gmtime(one.when)) if one.when else "at no known time"
    return f"{'at least since ' if one.at_least else ''}{text}"


def _said(one: Happening) -> str:
    commit = one.commit
    words = in_plain_text(one.words)
    return f"{words.removesuffix('.')}, in {commit.id[:_SHORT]} by {commit.author}" if commit else words


def _as_json(one: Happening) -> dict[str, Any]:
    commit, entry = one.commit, one.entry
    return {
        "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(one.when)) if one.when else None,
        "at_least": one.at_least,
        "row": one.row,
        "kind": one.kind,
        "message": in_plain_text(one.words),
        "rides": one.rides,
        "commit": commit and {"id": commit.id, "author": commit.author, "subject": commit.subject},
        "entry": entry and {**entry.as_dict(), "when": moment(entry.when)},
    }
