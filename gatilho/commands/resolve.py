"""`gatilho resolve`: merges the sides of files that hold conflict markers, by rows and cells."""

import argparse
import os
from typing import Any

from gatilho import files, render, tables
from gatilho.commands.merge_driver import lifecycle_of
from gatilho.console import options
from gatilho.errors import DocumentError, ExitStatus, GatilhoError, UsageError
from gatilho.git import query
from gatilho.git.root import Repository
from gatilho.merge import markers
from gatilho.merge.resolve import Resolved, Whole, resolve
from gatilho.merge.text import Style
from gatilho.review import driver

# Seconds that a person's command waits for hooks that are writing.
_PATIENCE = 10.0


def main(argv: list[str]) -> int:
    """Resolve what rows and cells can tell; 1 while conflicts are left."""
    given = _parser().parse_args(argv)
    repository = options.repository_of(given.root)
    style = Style(driver.conflict_style(repository.root))
    names = [_name_of(path, given.root, repository) for path in given.paths] or _conflicted(repository)
    done = []
    with files.lock(f"{repository.shared_state}/lock", _PATIENCE):
        for name in names:
            done.append((name, _resolve_file(repository, name, style, given.dry_run)))
    if given.json:
        render.as_json({"files": [_as_json(name, one) for name, one in done]})
    else:
        _tell(done, given.dry_run)
    return ExitStatus.PROBLEMS if any(one.conflicts for _, one in done) else ExitStatus.FINE


def _parser() -> argparse.ArgumentParser:
    parser = options.parser(
        "resolve",
        "Merge the sides of files that hold conflict markers, by rows and cells. What two people wrote differently\n"
        "stays a conflict, on that row alone. Without PATH: every file of docs/gatilhos that holds markers.",
        "gatilho resolve",
        "gatilho resolve docs/gatilhos/backlog.md --dry-run",
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="the files to resolve")
    parser.add_argument("--dry-run", action="store_true", help="say what would become of them, write nothing")
    options.add_json(parser)
    return parser


def _name_of(path: str, start: str, repository: Repository) -> str:
    """The file relative to the repository; raises UsageError where it is none of its files."""
    full = os.path.realpath(os.path.join(start, path)).replace("\\", "/")
    root = os.path.realpath(repository.root).replace("\\", "/")
    if not os.path.isfile(full) or not full.startswith(root + "/"):
        raise UsageError(f"{path}: there is no such file in {repository.root}.")
    return full[len(root) + 1 :]


def _conflicted(repository: Repository) -> list[str]:
    """The files of the repository's own store that hold markers."""
    store = tables.stores_of(repository.root)[0]
    return [store.shown(path) for path in tables.documents_of(store)[0] if _has_markers(path)]


def _has_markers(path: str) -> bool:
    try:
        return markers.has_markers(files.read(path))
    except OSError:
        return False  # `gatilho check` tells of it


def _resolve_file(repository: Repository, name: str, style: Style, dry_run: bool) -> Resolved:
    path = f"{repository.root}/{name}"
    try:
        data = files.read(path)
        base, whole = _sides(repository, name)
        found = resolve(data, base, style, lifecycle_of(repository.root, name), whole)
        if found.data != data and not dry_run:
            files.replace(path, data, found.data)
    except DocumentError as error:
        return Resolved(b"", 1, str(error).rstrip("."))
    except OSError as error:
        raise GatilhoError(f"{name} cannot be read or written ({error.strerror or error}).") from error
    return found


def _sides(repository: Repository, name: str) -> tuple[bytes | None, Whole | None]:
    """The file before both sides and as each has it, which git keeps while a merge waits to be finished."""
    base, ours, theirs = (
        query.ask(repository.root, "cat-file", "blob", f":{stage}:{name}", seconds=30) for stage in (1, 2, 3)
    )
    whole = Whole(ours, theirs) if ours is not None and theirs is not None else None
    if base is None and whole is not None:
        return b"", whole  # both sides added it
    return (None if base is None or markers.has_markers(base) else base), whole


def _tell(done: list[tuple[str, Resolved]], dry_run: bool) -> None:
    for name, one in done:
        if one.reason:
            render.line(f"{name}: nothing was changed: {one.reason}.")
        elif one.conflicts:
            left = "1 conflict is" if one.conflicts == 1 else f"{one.conflicts} conflicts are"
            render.line(f"{name}: {left} left; decide between the lines and take the markers out.")
        else:
            render.line(f"{name}: {'would be resolved' if dry_run else f'resolved; `git add {name}` says so to git'}.")
        for row_id in one.one_sided:
            render.line(f"{name}: {row_id} stands on one side only and was kept; take it out if the other removed it.")
    if not done:
        render.line("No file of docs/gatilhos holds conflict markers.")


def _as_json(name: str, one: Resolved) -> dict[str, Any]:
    return {"file": name, "conflicts": one.conflicts, "reason": one.reason, "one_sided": list(one.one_sided)}
