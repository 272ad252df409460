"""`gatilho resolve` (Reviewing): merge the sides of conflict markers, by rows and cells."""

import argparse
import os
from collections.abc import Iterable
from typing import Any

from gatilho import bounded, files, render, tables
from gatilho.commands.merge_driver import lifecycle_of
from gatilho.console import command_options
from gatilho.document.rows import read_rows
from gatilho.errors import DocumentError, ExitStatus, GatilhoError, UsageError
from gatilho.git import query
from gatilho.git.nested import listed_stores
from gatilho.git.root import Repository
from gatilho.merge import markers
from gatilho.merge.resolve import Resolved, Whole, follow_moved, join_doubled, resolve_conflicts, resolve_ledger
from gatilho.merge.text import Style
from gatilho.setup import driver
from gatilho.store.command_context import PATIENCE


def main(argv: list[str]) -> int:
    """Resolve what rows and cells decide; 1 while conflicts are left."""
    given = _parser().parse_args(argv)
    repository = command_options.repository_of(given.root)
    style = Style(driver.conflict_style(repository.root))
    names = [_name_of(path, given.root, repository) for path in given.paths] or _conflicted(repository)
    with files.Lock(f"{repository.shared_state}/lock", PATIENCE):
        done = [(name, _resolve_file(repository, name, style, given.dry_run)) for name in names]
        doubled = _join_doubled(repository, given.dry_run) if not given.paths else []
    if given.json:
        render.print_json({"files": [_as_json(name, one) for name, one in done]})
    else:
        _tell(done, doubled, given.dry_run)
    return ExitStatus.PROBLEMS if any(one.conflicts for _, one in done) else ExitStatus.FINE


def _parser() -> argparse.ArgumentParser:
    parser = command_options.parser(
        "resolve",
        "Resolve conflict markers in files, by rows and cells. What two people wrote differently\n"
        "stays a conflict, on that row alone. A ledger file keeps the lines of both sides. Without PATH:\n"
        "every file of docs/gatilhos that holds markers.",
        "gatilho resolve",
        "gatilho resolve docs/gatilhos/backlog.md --dry-run",
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="the files to resolve")
    parser.add_argument("--dry-run", action="store_true", help="print what would change, write nothing")
    command_options.add_json(parser)
    return parser


def _name_of(path: str, start: str, repository: Repository) -> str:
    """Return the file relative to the repository; raises UsageError where it is not one of its files."""
    full = os.path.realpath(os.path.join(start, path)).replace("\\", "/")
    root = os.path.realpath(repository.root).replace("\\", "/")
    if not os.path.isfile(full) or not full.startswith(root + "/"):
        raise UsageError(f"{path}: there is no such file in {repository.root}.")
    return full[len(root) + 1 :]


def _conflicted(repository: Repository) -> list[str]:
    """Return the files of the repository's own store that hold markers."""
    found = []
    for store in listed_stores(repository.root):
        paths = [*tables.documents_of(store), *(f"{store.ledger}/{name}" for name in tables.ledger_files(store))]
        found += [store.shown(path) for path in paths if _has_markers(path)]
    return found


def _has_markers(path: str) -> bool:
    return markers.has_markers(bounded.read_quietly(path))  # `gatilho check` reports one that cannot be read


def _resolve_file(repository: Repository, name: str, style: Style, dry_run: bool) -> Resolved:
    path = f"{repository.root}/{name}"
    try:
        data = bounded.read(path)
        if not markers.has_markers(data):
            return Resolved(data, 0, "it holds no conflict markers")
        found = _resolved(repository, name, data, style)
        if found.conflicts and not found.reason and not tables.is_ledger_file(name):
            found = _follow_moved(repository, name, found, dry_run)
        if found.data != data and not dry_run:
            files.replace_bytes(path, data, found.data)
    except DocumentError as error:
        return Resolved(b"", 1, str(error).rstrip("."))
    except OSError as error:
        raise GatilhoError(f"{name} cannot be read or written ({error.strerror or error}).") from error
    return found


def _follow_moved(repository: Repository, name: str, found: Resolved, dry_run: bool) -> Resolved:
    """Do to rows that one side moved to another file of the store what the other side did to them here."""
    paths = tables.documents_by_name(listed_stores(repository.root))
    others = {one: bounded.read(path) for one, path in paths.items() if one != name and not _has_markers(path)}
    base, _ = _sides(repository, name)
    data, changed = follow_moved(found.data, base, others, lifecycle_of(repository.root, name))
    for one, text in changed.items():
        if not dry_run:
            files.replace_bytes(paths[one], others[one], text)
    left = len(markers.split_sides(data).hunks)
    return found.replace(data=data, conflicts=left, moved_to=tuple(changed))


def _resolved(repository: Repository, name: str, data: bytes, style: Style) -> Resolved:
    if tables.is_ledger_file(name):
        return resolve_ledger(data)
    base, whole = _sides(repository, name)
    return resolve_conflicts(data, base, style, lifecycle_of(repository.root, name), whole)


def _sides(repository: Repository, name: str) -> tuple[bytes | None, Whole | None]:
    """Return the file before both sides and as each has it, which git keeps while a merge waits to be finished."""
    base, ours, theirs = (_blob(repository, f":{stage}:{name}") for stage in (1, 2, 3))
    whole = Whole(ours, theirs) if ours is not None and theirs is not None else None
    if base is None and whole is not None:
        return b"", whole  # both sides added it
    return base, whole


def _blob(repository: Repository, name: str) -> bytes | None:
    return query.ask(repository.root, "cat-file", "blob", name, seconds=30)


def _join_doubled(repository: Repository, dry_run: bool) -> list[str]:
    """Make one of each row that a merge of the text doubled; returns what was done, a line for each row."""
    paths = tables.documents_by_name(listed_stores(repository.root))
    paths = {name: path for name, path in paths.items() if os.path.isfile(path)}
    data = {name: bounded.read(path) for name, path in paths.items() if not _has_markers(path)}
    if not join_doubled(data, set())[1]:
        return []
    changed, ids = join_doubled(data, _old_places(repository, data))
    for name, text in changed.items():
        if not dry_run:
            files.replace_bytes(paths[name], data[name], text)
    verb = "would be" if dry_run else "is"
    return [f"{row_id} was in two places and {verb} in one now, with the larger count." for row_id in ids]


def _old_places(repository: Repository, names: Iterable[str]) -> set[tuple[str, str]]:
    """Return where rows were before both sides of the merge that is under way, or of the last one."""
    for sides in (("HEAD", "MERGE_HEAD"), ("HEAD^1", "HEAD^2")):
        base = query.ask_text(repository.root, "merge-base", *sides, seconds=30)
        if base:
            commit = base.split()[0]
            blobs = {name: _blob(repository, f"{commit}:{name}") for name in names}
            return {(name, row.id) for name, blob in blobs.items() if blob for row in read_rows(blob, name)[0]}
    return set()


def _tell(done: list[tuple[str, Resolved]], doubled: list[str], dry_run: bool) -> None:
    for name, one in done:
        if one.reason:
            render.line(f"{name}: nothing was changed: {one.reason}.")
        elif one.conflicts:
            left = "1 conflict is" if one.conflicts == 1 else f"{one.conflicts} conflicts are"
            render.line(f"{name}: {left} left; choose between the lines and remove the markers.")
        else:
            render.line(f"{name}: {'would be resolved' if dry_run else f'resolved; `git add {name}` says so to git'}.")
        for other in one.moved_to:
            render.line(f"{name}: a row moved to {other}, so its change was made there; `git add {other}` too.")
        for row_id in one.one_sided:
            render.line(f"{name}: {row_id} is on one side only and was kept; remove it if the other side removed it.")
    for text in doubled:
        render.line(text)
    if not done and not doubled:
        render.line("No file of docs/gatilhos holds conflict markers.")


def _as_json(name: str, one: Resolved) -> dict[str, Any]:
    return {"file": name, "conflicts": one.conflicts, "reason": one.reason, "one_sided": list(one.one_sided)}
