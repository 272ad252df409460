"""Fixes planned for the files of the stores, and written under the lock of the repository."""

import os
from collections.abc import Iterable

from gatilho import files
from gatilho.model import Problem, Value
from gatilho.repair.fixes import FIXABLE, Fix, fix_document
from gatilho.store.command_context import PATIENCE
from gatilho.store.insertion import lock_of_writers
from gatilho.workspace.workspace import Workspace


class FixedFile(Value):
    """A file that fixes change: its path, how messages call it, its bytes before and after, and the fixes."""

    path: str
    shown: str
    old: bytes
    new: bytes
    fixes: tuple[Fix, ...]


def plan(workspace: Workspace, problems: Iterable[Problem]) -> list[FixedFile]:
    """Return the files that fixes change, in order; nothing is written. A file with conflict markers is left alone."""
    paths = {found.row.file: found.path for found in workspace.rows}
    by_file: dict[str, list[Problem]] = {}
    for problem in problems:
        if problem.code in FIXABLE:
            by_file.setdefault(problem.place.file, []).append(problem)
    planned = []
    for shown, found in sorted(by_file.items()):
        path = paths.get(shown) or f"{workspace.root}/{shown}"
        document = workspace.sources.document(path)
        if document.has_markers or not _is_inside(workspace, path):
            continue
        new, fixes = fix_document(document.data, found)
        if fixes:
            planned.append(FixedFile(path, shown, document.data, new, tuple(fixes)))
    return planned


def write_fixes(workspace: Workspace, planned: Iterable[FixedFile]) -> None:
    """Write what is planned; raises ConflictError where git is busy, or a file changed meanwhile, and OSError."""
    with lock_of_writers(workspace.repository, PATIENCE):
        for one in planned:
            files.replace_bytes(one.path, one.old, one.new)


def _is_inside(workspace: Workspace, path: str) -> bool:
    real = os.path.realpath(path)
    return any(real.startswith(os.path.realpath(store.folder) + os.sep) for store in workspace.stores)
