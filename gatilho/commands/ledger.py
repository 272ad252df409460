"""`gatilho ledger` (Reviewing): pack finished months of the ledger."""

import os

from gatilho import dates, files, render
from gatilho.console import command_options, terminal_guard
from gatilho.errors import ConflictError, UsageError
from gatilho.git import state as git_state
from gatilho.git.branches import current_branch, default_branch
from gatilho.index.index import Index, open_index
from gatilho.ledger import compaction
from gatilho.store.command_context import PATIENCE
from gatilho.tables import Store


def main(argv: list[str]) -> int:
    """Run the one thing that can be done to a ledger."""
    parser = command_options.parser(
        "ledger",
        "Pack the ledger files of finished months into one file each. All counts stay the same.\n"
        "Only on the default branch: other branches still bring the single files along.",
        "gatilho ledger compact",
    )
    parser.add_argument("what", choices=("compact",), metavar="compact", help="compact: pack finished months")
    parser.add_argument("--dry-run", action="store_true", help="show what would be packed and write nothing")
    given = parser.parse_args(argv)
    if not given.dry_run:
        terminal_guard.require("gatilho ledger compact", of_row=False)
    with open_index(command_options.repository_of(given.root)) as index:
        _demand_default_branch(index)
        with files.Lock(f"{index.repository.shared_state}/lock", PATIENCE):
            return _compact(index, given.dry_run)


def _compact(index: Index, dry_run: bool) -> int:
    packed, wrong = 0, 0
    for store in index.own_stores:
        packs, problems = compaction.plan_packs(store, dates.utc_day())
        packed, wrong = packed + len(packs), wrong + len(problems)
        for problem in problems:
            render.line(f"{problem.place}: {problem.message}; the file stays as it is")
        for pack in packs:
            _pack(store, pack, dry_run)
    if packed and not dry_run:
        render.line("Commit the new files together with the removal of those that they took up.")
    if not packed:
        render.line("Nothing to pack: no finished month has more than one file.")
    return int(bool(wrong))


def _pack(store: Store, pack: compaction.Pack, dry_run: bool) -> None:
    if not dry_run:
        compaction.write_pack(store, pack)
    verb = "would become" if dry_run else "became"
    what = f"{len(pack.originals)} files {verb}" if pack.originals else "the same files, first,"
    render.line(f"{pack.month}: {what} {store.shown(f'{store.ledger}/{pack.name}')}")


def _demand_default_branch(index: Index) -> None:
    """Raise UsageError on any other branch, ConflictError while git is in the middle of something."""
    repository = index.repository
    busy = git_state.busy(repository.git_dir, os.environ)
    if busy:
        raise ConflictError(f"git is in the middle of {busy}: nothing was packed. Finish it first.")
    here, default = current_branch(repository), default_branch(repository)
    if not git_state.head_commit(repository):
        raise UsageError("there is no commit yet, so there is nothing to pack.")
    if not default:
        raise UsageError(
            "the default branch is unknown: `git remote set-head origin --auto` asks the remote, "
            "`git config init.defaultBranch NAME` sets it for a repository without one."
        )
    if here != default:
        where = f"the branch {here}" if here else "a detached HEAD"
        raise UsageError(f"the ledger is packed on {default} only, and this is {where}. Nothing was packed.")
