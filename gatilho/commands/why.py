"""`gatilho why` (Reading): show which rows match a path, a command or a prompt."""

import argparse
import os
from shlex import quote
from typing import Any

from gatilho import render
from gatilho.conditions import account
from gatilho.console import command_options, row_view
from gatilho.console.explain import Explanation, Hit, Silent, Speaking, explain
from gatilho.console.row_view import Page
from gatilho.errors import UsageError
from gatilho.git.around import Surroundings
from gatilho.git.root import Repository, find_repository
from gatilho.index.index import open_index
from gatilho.ladder.decide import is_due
from gatilho.ladder.matching import Subject, command_subjects, names_of_folder, path_subjects, prompt_subjects
from gatilho.ladder.messages import scope_of
from gatilho.model import Row, Touch
from gatilho.plain import counted, shortened
from gatilho.triggers.touches import touches_of_command
from gatilho.workspace.row_examples import examples_of
from gatilho.workspace.workspace import Workspace

_LONGEST_NAME = 100
_PARTICIPLES = {"read": "read", "write": "written"}


def main(argv: list[str]) -> int:
    """Print what the hook would say."""
    parser = _parser()
    given = parser.parse_args(argv)
    if not (given.paths or given.command or given.prompt):
        parser.error("name a PATH, or give --command TEXT or --prompt TEXT")
    repository = command_options.repository_of(given.root)
    subjects = _subjects(given, repository)
    with open_index(repository) as index:
        _show(Workspace(index), given, subjects)
    return 0


def _show(workspace: Workspace, given: argparse.Namespace, subjects: list[Subject]) -> None:
    row_view.report_left_out(workspace.index)
    explanation = explain(workspace, subjects)
    if given.json:
        render.print_json(_as_json(explanation, subjects, workspace))
    else:
        _print(explanation, _about(given, subjects), workspace)
        folder = next((path for path in given.paths if os.path.isdir(os.path.join(given.root, path))), "")
        if folder and explanation.others and not explanation.speaking:
            render.line(f"{folder} is a folder: `gatilho list --path {quote(folder)}` lists the rows about its files.")


def _parser() -> argparse.ArgumentParser:
    parser = command_options.parser(
        "why",
        "Show which rows the hook would say when a path is read or written, a command is run or a prompt is given,\n"
        "in which order and by which trigger. What a session has already read does not matter here.",
        "gatilho why src/a.py",
        "gatilho why --command 'git push --force'",
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="a file that a tool reads or writes; need not exist")
    parser.add_argument("--command", metavar="TEXT", help="a shell command that a tool runs")
    parser.add_argument("--prompt", metavar="TEXT", help="the text of a prompt")
    command_options.add_json(parser)
    return parser


def _subjects(given: argparse.Namespace, repository: Repository) -> list[Subject]:
    """Return what the hook would match, in the same form."""
    folder = command_options.folder_of(given.root)
    touches = [touch for path in given.paths for touch in _touches(path, folder, repository)]
    subjects = path_subjects(touches, repository.root)
    if given.command:
        effects = touches_of_command(given.command, folder, Surroundings())
        subjects += path_subjects(effects.touches, repository.root)
        subjects += command_subjects(effects.line, effects.commands, effects.folders, folder, repository.root)
    return subjects + prompt_subjects(given.prompt or "", names_of_folder(folder, repository.root))


def _touches(path: str, folder: str, repository: Repository) -> list[Touch]:
    """Return a read and a write of the path; raises UsageError where it belongs to another repository."""
    full = os.path.normpath(os.path.join(folder, path)).replace("\\", "/")
    home = find_repository(full)
    if home is None:
        raise UsageError(f"{path} is in no git repository, so no row speaks about it.")
    if home.root != repository.root:
        raise UsageError(f"{path} is in another repository: gatilho why --root {home.root} {full}")
    return [Touch("read", full), Touch("write", full)]


def _about(given: argparse.Namespace, subjects: list[Subject]) -> str:
    # Any word of a command may name a file; those that are there do, and those that it writes.
    touched = [one for one in subjects if one.field == "path" and (one.kind == "write" or os.path.lexists(one.path))]
    names = list(dict.fromkeys(subject.text for subject in touched))
    parts = [", ".join(names)] if names else []
    parts += [f"the command `{given.command}`"] if given.command else []
    parts += ["the prompt"] if given.prompt else []
    return shortened(" and ".join(parts) or "a path that no row can see", 300)


def _print(explanation: Explanation, about: str, workspace: Workspace) -> None:
    page = Page()
    if explanation.speaking:
        page.title(f"Would speak about {about}, in this order:")
        for number, one in enumerate(explanation.speaking, 1):
            _print_speaking(page, number, one, workspace)
    elif explanation.others and not explanation.silent:
        none = f"None of the {explanation.others} rows matches"
        page.title(f"{'The only row does not match' if explanation.others == 1 else none} {about}.")
        return
    else:
        page.title(f"No row would speak about {about}." if explanation.silent else row_view.no_rows(workspace.root))
    if explanation.silent:
        page.gap()
        page.title("Matched but silent:")
        for silent in explanation.silent:
            page.line(f"{silent.row.id}  {silent.reason}  ({silent.row.place})", 4)
    if explanation.others:
        page.gap()
        some = "1 more row does" if explanation.others == 1 else f"{explanation.others} more rows do"
        page.line(f"{some} not match.")


def _print_speaking(page: Page, number: int, one: Speaking, workspace: Workspace) -> None:
    match = one.match
    row = match.row
    is_asked = is_due(match, workspace.index.config, workspace.today)
    due = ", due: a write stops until the owner decides" if is_asked else ""
    store = f", {scope_of(row)} store" if row.scope else ""
    page.line(f"{number:>3} {row.id}  {row.lifecycle}, {counted(match.count, 'ride')}{due}  ({row.place}{store})")
    page.line(row.note, 4)
    for hit in one.hits:
        page.line(f"by {_hit_in_words(hit)}", 4)
    examples = _examples(workspace, row)
    if examples:
        page.line(f"examples: {', '.join(f'`{example}`' for example in examples)}", 4)
    for line in account.of_row(workspace.repository, row):
        page.line(line, 4)


def _examples(workspace: Workspace, row: Row) -> list[str]:
    """Return the examples of a row as they are written."""
    found = next(one for one in workspace.rows if one.row.place == row.place)
    return [example.span for example in examples_of(workspace.sources, found)[0]]


def _hit_in_words(hit: Hit) -> str:
    names = [shortened(name, _LONGEST_NAME) for name in hit.names if name]
    matched = f", which matches {', '.join(names)}" if names else ""
    touch = hit.touches[0] if len(hit.touches) == 1 else ""
    # A `path:` trigger matches any touch, but a command may only write the file.
    when = "only when" if hit.trigger.kind in _PARTICIPLES else "as"
    return f"`{hit.trigger}`{matched}" + (f", {when} it is {_PARTICIPLES[touch]}" if touch else "")


def _as_json(explanation: Explanation, subjects: list[Subject], workspace: Workspace) -> dict[str, Any]:
    about = [{"field": field, "text": text} for field, text in dict.fromkeys((s.field, s.text) for s in subjects)]
    return {
        "about": about,
        "speaking": [_speaking_as_json(one, workspace) for one in explanation.speaking],
        "silent": [_silent_as_json(one) for one in explanation.silent],
        "others": explanation.others,
    }


def _speaking_as_json(one: Speaking, workspace: Workspace) -> dict[str, Any]:
    hits = [
        {
            "kind": hit.trigger.kind,
            "pattern": hit.trigger.pattern,
            "names": list(hit.names),
            "touches": list(hit.touches),
        }
        for hit in one.hits
    ]
    said = account.of_row(workspace.repository, one.match.row)
    return {
        "row": row_view.row_as_json(one.match, workspace.index, workspace.today, workspace.sources),
        "matched": hits,
        "examples": _examples(workspace, one.match.row),
        "commands": said,
    }


def _silent_as_json(one: Silent) -> dict[str, Any]:
    row = one.row
    return {"id": row.id, "reason": one.reason, "store": row.scope, "file": row.file, "line": row.line}
