"""`gatilho` alone: what is due, what changed since the last commit, what is wrong."""

import os
from collections.abc import Iterator

from gatilho import dispatcher
from gatilho.checks import registry
from gatilho.checks.scope import Scope
from gatilho.commands import absence, rowview
from gatilho.commands.page import Page
from gatilho.ladder.decide import Match, in_order, is_due, is_past
from gatilho.ladder.lifecycle import state_of
from gatilho.ladder.speech import due_line
from gatilho.model import Row
from gatilho.store.head import blob_at_head
from gatilho.store.index import IndexedRow, open_index
from gatilho.store.root import find_repository
from gatilho.store.tables import FOLDER, is_ledger_file, is_store_file

_MOST = 5
# A larger store is looked through for what shows at once; all checks of 10,000 rows take seconds.
_CHECKED_WHOLE = 2000
_HELP = "`gatilho --help` lists the commands."


def main(argv: list[str]) -> int:
    """Print the briefing that a person would want; outside of any repository, the help."""
    repository = find_repository(os.getcwd().replace("\\", "/"))
    if repository is None:
        from gatilho.cli import help_text

        print(help_text(), end="")
        return 0
    dispatcher.introduce(repository)
    scope = Scope(open_index(repository))
    matches = [rowview.match_of(scope.index, found) for found in _not_ended(scope)]
    page = Page()
    page.title(_headline(matches, scope))
    if scope.rows:
        _section(page, "Due", _due(matches, scope), "Nothing is due.")
        _section(page, "Changed since the last commit", list(changes(scope)), "No row changed since the last commit.")
    _section(page, "Wrong", _wrong(scope), "Nothing is wrong.")
    page.gap()
    page.line(_HELP)
    return 0


def _not_ended(scope: Scope) -> list[IndexedRow]:
    """The rows in force but for those past their own date."""
    return [found for found in scope.rows_in_force if not is_past(found.row, scope.today)]


def changes(scope: Scope) -> Iterator[str]:
    """What is different in the rows of the repository's own store from those of HEAD, a line for each row."""
    old: dict[str, Row] = {}
    new = {found.row.id: found.row for found in scope.own_rows}
    for name in sorted({found.row.file for found in scope.own_rows} | set(_names_at_head(scope))):
        old.update((row.id, row) for row in _rows_at_head(scope, name))
    for row_id, row in new.items():
        before = old.get(row_id)
        if before is None:
            yield f"{row_id}  new ({row.place})"
        elif words := list(_differences(before, row)):
            yield f"{row_id}  {', '.join(words)} ({row.place})"
    for row_id, row in old.items():
        if row_id not in new:
            state = "in force" if state_of(row) == "rule" else state_of(row)
            yield f"{row_id}  removed while {state} (was in {row.file})"


def _names_at_head(scope: Scope) -> list[str]:
    """The store's tracked tables, those that are gone from the tree included."""
    from gatilho.checks.tracked import tracked_names

    return [name for name in tracked_names(scope.root) if is_store_file(name) and not is_ledger_file(name)]


def _rows_at_head(scope: Scope, name: str) -> list[Row]:
    from gatilho.store.rows import read_rows

    data = blob_at_head(scope.root, name)
    lifecycle = scope.index.config.sources.get(name.removeprefix(FOLDER + "/"), "rule")
    return read_rows(data, name, lifecycle)[0] if data else []


def _differences(before: Row, after: Row) -> Iterator[str]:
    if before.rides != after.rides:
        yield f"rides {_number(before)} -> {_number(after)}"
    if state_of(before) != state_of(after):
        yield f"{state_of(before)} -> {state_of(after)}"
    for name, word in (("triggers", "trigger"), ("conditions", "condition"), ("note", "note")):
        if getattr(before, name) != getattr(after, name):
            yield f"{word} changed"


def _number(row: Row) -> str:
    return "no number" if row.rides is None else str(row.rides)


def _headline(matches: list[Match], scope: Scope) -> str:
    if not scope.rows:
        return absence.outside(scope.root) or (
            "There are no rows here yet. `gatilho init` writes the first tables and registers the hooks."
        )
    debts = sum(match.row.is_debt for match in matches)
    rules = len(matches) - debts
    return f"{_count(debts, 'debt')} owed, {_count(rules, 'rule')} in force."


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _due(matches: list[Match], scope: Scope) -> list[str]:
    due = [match for match in matches if is_due(match, scope.index.config, scope.today)]
    return [due_line(match) for match in in_order(due, scope.index.config, scope.today)]


def _wrong(scope: Scope) -> list[str]:
    families = tuple(registry.FAMILIES) if len(scope.rows) <= _CHECKED_WHOLE else registry.QUICK
    problems = registry.find_problems(scope, families)
    return [f"{problem.place}: {problem.message}" for problem in problems if problem.severity != "note"]


def _section(page: Page, title: str, lines: list[str], nothing: str) -> None:
    page.gap()
    if not lines:
        page.line(nothing)
        return
    page.title(title)
    for line in lines[:_MOST]:
        page.line(line, 2)
    if len(lines) > _MOST:
        command = {"Due": "gatilho list --due", "Wrong": "gatilho check"}.get(title, "git diff docs/gatilhos")
        page.line(f"and {len(lines) - _MOST} more: {command}", 2)
