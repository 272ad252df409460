"""What a branch did to the rows since it parted from another revision, and what of it has to be accounted for."""

import os

from gatilho.compare.cell_facts import uncounted
from gatilho.compare.facts import JUDGED
from gatilho.compare.judge import Judge
from gatilho.compare.output import findings
from gatilho.compare.revisions import COMMIT, TREE, Revisions, Side
from gatilho.compare.row_changes import Comparison, compare
from gatilho.compare.snapshot import Snapshot
from gatilho.git import query
from gatilho.git import state as git_state
from gatilho.git.root import Repository
from gatilho.model import Problem, Value
from gatilho.tables import is_ledger_file

# Falls, rows that are gone and ids that come back need a reason, as does a condition or a trigger that was bent; what a
# change of files does to debts is named. Everything else a branch may do.
_NAMED = (*JUDGED, "fell", "removed owed", "old id", "ledger lost", "still counted", "unreadable")


class Branch(Value):
    """The working tree against where its branch parted. base: what it was compared with."""

    base: Side
    comparison: Comparison

    @property
    def new_ids(self) -> frozenset[str]:
        """Return the ids of the rows that the branch adds."""
        return frozenset(change.row.id for change in self.comparison.rows if change.is_new)

    @property
    def problems(self) -> list[Problem]:
        """Return what no one accounted for, and what the change of files does to debts."""
        return findings(self.comparison, _NAMED)


def lost_ledgers(repository: Repository, today: str) -> list[Problem]:
    """Return what the working tree lost of the ledger that HEAD has, other than by a revert or a packing."""
    names = query.ask_names(repository.root, "ls-tree", "-r", "-z", "--name-only", "--full-tree", "HEAD") or []
    gone = any(is_ledger_file(name) and not os.path.lexists(f"{repository.root}/{name}") for name in names)
    # In a hook of git's nothing but a merge or a revert under way excuses it: before a commit it is found best.
    if not gone or git_state.busy(repository.git_dir, {}):
        return []
    return findings(read_branch(repository, "HEAD", today).comparison, ("ledger lost",))


def read_branch(repository: Repository, name: str, today: str) -> Branch:
    """Compare the working tree with the commit where it parted from that revision.

    In a shallow clone, where that commit is not known, with the revision itself. Raises UsageError where there is no
    such revision.
    """
    with Revisions(repository) as opened:
        base = opened.side(name)
        head = opened.find("HEAD")
        parted = opened.merge_base(base.commit, head) if base.commit and head else ""
        if parted and parted != base.commit:
            base = Side(COMMIT, parted, f"{name}...HEAD")
        sides = [Snapshot(opened.store_files(side)) for side in (base, Side(TREE))]
        judge = Judge(opened, base, Side(TREE))
        return Branch(base, compare(sides[0], sides[1], uncounted, uncounted, today, judge))
