"""`gatilho` alone: what is due, what changed since the last commit, what is wrong."""

from collections.abc import Iterator

from gatilho.checks import registry
from gatilho.command_list import help_text
from gatilho.compare.cell_facts import uncounted
from gatilho.compare.facts import in_plain_text
from gatilho.compare.revisions import TREE, Revisions, Side
from gatilho.compare.row_changes import compare
from gatilho.compare.snapshot import Snapshot
from gatilho.console import command_options, row_view
from gatilho.console.row_view import Page
from gatilho.errors import GatilhoError
from gatilho.git.root import find_repository
from gatilho.index.index import open_index
from gatilho.ladder.decide import Match, in_order, is_due, is_past
from gatilho.ladder.messages import due_line
from gatilho.plain import counted
from gatilho.setup import dispatcher, driver
from gatilho.workspace.workspace import Workspace

_MOST = 5
# A larger store is looked through for what shows at once; all checks of 10,000 rows take seconds.
_CHECKED_WHOLE = 2000
_HELP = "`gatilho --help` lists the commands."
_CHANGED = "Changed since the last commit"
# What shows the whole of a section.
_COMMANDS = {
    "Due": "gatilho list --due", "Next": "gatilho list", _CHANGED: "gatilho diff", "Problems": "gatilho check",
}  # fmt: skip


def main(argv: list[str]) -> int:
    """Print the briefing that a person would want; outside of any repository, the help."""
    parser = command_options.parser("", "Show what is due, what changed, and problems.", "gatilho")
    repository = find_repository(command_options.folder_of(parser.parse_args(argv).root))
    if repository is None:
        print(help_text(), end="")
        return 0
    dispatcher.introduce(repository)
    driver.introduce_driver(repository)
    with open_index(repository) as index:
        _show(Workspace(index))
    return 0


def _show(workspace: Workspace) -> None:
    in_force = [found for found in workspace.rows_in_force if not is_past(found.row, workspace.today)]
    matches = row_view.counted_rows(workspace.index, in_force)
    page = Page()
    page.title(_headline(matches, workspace))
    if workspace.rows:
        _section(page, "Due", _due(matches, workspace), "Nothing is due.")
        coming = _coming(matches, workspace)
        if coming:
            _section(page, "Next", coming, "")
        _section(page, _CHANGED, _changed(workspace), "No row changed since the last commit.")
    wrong = _wrong(workspace)
    if workspace.rows or wrong:
        _section(page, "Problems", wrong, "No problems.")
    page.gap()
    page.line(_HELP)


def _changed(workspace: Workspace) -> list[str]:
    """Return the changes, or why they cannot be found: all else works without git."""
    try:
        return list(changed_rows(workspace))
    except GatilhoError as fault:
        return [str(fault)]


def changed_rows(workspace: Workspace) -> Iterator[str]:
    """Yield a line, of facts as in `diff`, for each row of the repository's own store that HEAD has otherwise."""
    with Revisions(workspace.repository) as opened:
        sides = opened.side("HEAD"), Side(TREE, name="working tree")
        before, after = (Snapshot(opened.store_files(side)) for side in sides)
    compared = compare(before, after, uncounted, uncounted, workspace.today)
    for change in compared.rows:
        told = [in_plain_text(fact.words) for fact in change.facts if fact.kind != "due"]  # what is due is above
        if told:
            where = change.row.place if change.after else f"was in {change.row.file}"
            yield f"{change.row.id}  {told[0] if change.is_new else ', '.join(told)} ({where})"
    yield from (in_plain_text(one.fact.words) for one in compared.files if one.fact.kind != "moved")


def _headline(matches: list[Match], workspace: Workspace) -> str:
    if not workspace.rows:
        return row_view.no_rows(workspace.root)
    debts = sum(match.row.is_debt for match in matches)
    rules = len(matches) - debts
    return f"{counted(debts, 'debt')} owed, {counted(rules, 'rule')} in force."


def _due(matches: list[Match], workspace: Workspace) -> list[str]:
    config, today = workspace.index.config, workspace.today
    due = [match for match in matches if is_due(match, config, today)]
    return [f"{_bar(match, workspace)}{due_line(match)}" for match in in_order(due, config, today)]


def _coming(matches: list[Match], workspace: Workspace) -> list[str]:
    """Return the debts that have rides and are not due, the most ridden first."""
    config, today = workspace.index.config, workspace.today
    ridden = [one for one in matches if one.row.owed and one.count and not is_due(one, config, today)]
    return [
        f"{_bar(one, workspace)}{one.row.id}  {counted(one.count, 'ride')}: {one.row.note} ({one.row.place})"
        for one in in_order(ridden, config, today)
    ]


def _bar(match: Match, workspace: Workspace) -> str:
    bar = row_view.rides_as_bar(match, workspace.index)
    return f"{bar} " if bar else ""


def _wrong(workspace: Workspace) -> list[str]:
    families = tuple(registry.FAMILIES) if len(workspace.rows) <= _CHECKED_WHOLE else registry.QUICK
    problems = sorted(registry.find_problems(workspace, families), key=lambda one: one.severity != "error")
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
        page.line(f"and {len(lines) - _MOST} more: {_COMMANDS[title]}", 2)
    elif title == "Problems":
        page.line("`gatilho check` explains what to do.", 2)
