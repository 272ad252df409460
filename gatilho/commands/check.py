"""`gatilho check` (Reading): find problems in the tables, the ledger and the configuration."""

import argparse
import os
from functools import partial

from gatilho import dates, render
from gatilho.checks import registry
from gatilho.compare import output
from gatilho.compare.branch import Branch, lost_ledgers, read_branch
from gatilho.compare.output import count_by_severity
from gatilho.console import command_options
from gatilho.console.runner import print_in_form
from gatilho.document import rows
from gatilho.errors import ExitStatus, UsageError
from gatilho.index.index import open_index
from gatilho.model import Problem
from gatilho.plain import counted
from gatilho.repair import writing
from gatilho.repair.writing import FixedFile
from gatilho.setup import file_changes
from gatilho.store import folding
from gatilho.store.change import Status
from gatilho.workspace.workspace import Workspace

LAGGING = "GT903"
FORMATS = ("text", "json", "sarif", "github", "codeclimate")
TITLES = {**rows.CODES, **{kind.code: kind.title for kind in registry.KINDS}, **output.TITLES}
# Where in its row a problem of a branch is shown.
_CELLS = {
    "GT701": "rides",
    "GT703": "id",
    "GT733": "paid when",
    "GT734": "trigger",
    "GT735": "trigger",
    "GT737": "state",
}


def main(argv: list[str]) -> int:
    """Print the problems; 1 when there are errors or warnings among them."""
    given = _parser().parse_args(argv)
    repository = command_options.repository_of(given.root)
    wanted = [_name_of(path, given.root, repository.root) for path in given.paths]
    branch = read_branch(repository, given.since, dates.today()) if given.since is not None else None
    new_ids = branch.new_ids if branch else None
    if given.dry_run and not given.fix:
        raise UsageError("check --dry-run shows what --fix would write: add --fix.")
    fixed: list[FixedFile] = []
    with open_index(repository) as index:
        if given.fix:
            fixed = _fix(Workspace(index, new_ids), wanted, given)
            index.renew()
        return _check(Workspace(index, new_ids), branch, wanted, given, fixed)


def _fix(workspace: Workspace, wanted: list[str], given: argparse.Namespace) -> list[FixedFile]:
    """Write the safe fixes, or show them (--dry-run), and return them."""
    with render.waiting("checking"):
        problems = [one for one in registry.find_problems(workspace) if _is_wanted(one.place.file, wanted)]
    planned = writing.plan(workspace, problems)
    as_text = given.format == "text" and not given.json
    if given.dry_run:
        if as_text:
            render.print_diff(
                file_changes.diff_of_changes(file_changes.FileChange(one.shown, one.old, one.new) for one in planned)
            )
    else:
        writing.write_fixes(workspace, planned)
    would = "would fix" if given.dry_run else "fixed"
    for one in planned if as_text else ():
        for fix in one.fixes:
            render.line(f"{one.shown}:{fix.line}  {would} {fix.code} {fix.row}: {fix.done}")
    if any(problem.code == LAGGING for problem in problems):
        _raise_cells(workspace, wanted, given.dry_run, as_text)
    return planned


def _raise_cells(workspace: Workspace, wanted: list[str], dry_run: bool, as_text: bool) -> None:
    """Raise the cells of the named files that are below the count in force, as `fold` does."""
    index, named = workspace.index, partial(_is_wanted, wanted=wanted)
    if dry_run:
        changes = folding.lagging(index, named)
    else:
        results = folding.raise_cells(index, named)[1]
        changes = [result.change for result in results if result.status == Status.WRITTEN]
    for change in changes if as_text else ():
        row, would = change.row, "would fix" if dry_run else "fixed"
        raised = f"raised rides from {row.rides} to {folding.raised_to(index, change)}"
        render.line(f"{row.place}  {would} {LAGGING} {row.id}: {raised}")


def _check(
    workspace: Workspace, branch: "Branch | None", wanted: list[str], given: argparse.Namespace, fixed: list[FixedFile]
) -> int:
    with render.waiting("checking"):
        compared = branch.problems if branch else lost_ledgers(workspace.repository, workspace.today)
        every = [*registry.find_problems(workspace), *(_pointed(one, workspace) for one in compared)]
    found = sorted((one for one in every if _is_wanted(one.place.file, wanted)), key=registry.place_of)
    counts = count_by_severity(found)
    if given.json or given.format == "json":
        problems = [render.problem_as_json(problem) for problem in found]
        found_as_json = {"problems": problems, "counts": counts, "rows": len(workspace.rows)}
        fixes = [{"file": one.shown, **fix.as_dict()} for one in fixed for fix in one.fixes]
        render.print_json({**found_as_json, **({"fixes": fixes} if given.fix else {})})
    elif given.format != "text":
        print_in_form(given.format, found, TITLES)
    else:
        render.print_problems(found)
        base = f" Compared with {branch.base}." if branch else ""
        render.line(_summary(counts, len(workspace.rows), bool(wanted)) + base)
    return ExitStatus.PROBLEMS if counts["error"] or counts["warning"] else ExitStatus.FINE


def _parser() -> argparse.ArgumentParser:
    parser = command_options.parser(
        "check",
        "Check the tables, the ledger and the configuration. Exits 1 for errors and warnings, not for notes.",
        "gatilho check",
        "gatilho check docs/gatilhos/backlog.md --format json",
        "gatilho check --since origin/main --format github",
        "gatilho check --fix --dry-run",
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="only problems in these files or folders")
    parser.add_argument(
        "--since",
        metavar="BASE",
        help="also check what changed since the branch left BASE: lowered counts, owed rows that are "
        "gone, conditions of new rows that hold already",
    )
    parser.add_argument(
        "--fix", action="store_true", help="first fix what is safe to fix: how rows are written, never what they say"
    )
    parser.add_argument("--dry-run", action="store_true", help="with --fix: show the diff, write nothing")
    parser.add_argument("--format", choices=FORMATS, default="text", help="how to print them (default: text)")
    command_options.add_json(parser)
    return parser


def _name_of(path: str, start: str, root: str) -> str:
    """Return the path as problems name it, relative to the repository if inside; raises UsageError for no file."""
    full = os.path.abspath(os.path.join(start, path))
    if not os.path.lexists(full):
        raise UsageError(f"{path}: there is no such file or folder.")
    full = full.replace("\\", "/")
    if (root + "/").startswith(full.rstrip("/") + "/"):
        return ""
    return full.removeprefix(root + "/")


def _pointed(problem: Problem, workspace: Workspace) -> Problem:
    """Return a problem of a branch with the cell that it is about, where the row is still there."""
    for found in workspace.own_rows if problem.code in _CELLS else ():
        if (found.row.file, found.row.line) == (problem.place.file, problem.place.line):
            marked = workspace.sources.underlined(found, _CELLS[problem.code])
            return problem.replace(place=marked.place, text=marked.text, width=marked.width)
    return problem


def _is_wanted(file: str, wanted: list[str]) -> bool:
    return not wanted or any(name in ("", file) or file.startswith(name + "/") for name in wanted)


def _summary(counts: dict[str, int], rows: int, in_part: bool) -> str:
    parts = [counted(count, word) for word, count in counts.items() if count]
    checked = counted(rows, "row")
    if parts:
        return f"{', '.join(parts)} in {checked}."
    return "No problems there." if in_part else f"No problems in {checked}."
