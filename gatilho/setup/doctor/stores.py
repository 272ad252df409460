"""The tables, the ledger and the index that is made from them."""

import os
from functools import partial
from tempfile import TemporaryDirectory

from gatilho import bounded
from gatilho.checks import ledgers, surroundings, uncommitted
from gatilho.config import FILE, PYPROJECT
from gatilho.git.root import Repository
from gatilho.index import database, signature
from gatilho.index.index import Index, open_index
from gatilho.model import NOT_ALLOWED
from gatilho.plain import counted
from gatilho.setup import team
from gatilho.setup.doctor.finding import NOTE, OK, WRONG, Finding
from gatilho.store import folding, local_rides
from gatilho.tables import pack_stores
from gatilho.workspace.tracked import store_left_out
from gatilho.workspace.workspace import Workspace

PART = "tables"


def inspect(repository: Repository) -> list[Finding]:
    """Return whether the index says what the files say, and the tables say what the ledger says."""
    with open_index(repository) as index:
        return [*_tables(index), *_packs(index), _index(index), *_ledger(index), *_local(index), *_team(index)]


def _team(index: Index) -> list[Finding]:
    wanted = index.size() and team.wants_team(index.repository, index.config.rides_in, index.config.rule_rides)
    return [Finding(PART, NOTE, team.SUGGESTION)] if wanted else []


def _tables(index: Index) -> list[Finding]:
    root = index.repository.root
    errors = sum(one.severity == "error" and one.place.file not in (FILE, PYPROJECT) for one in index.problems())
    if errors:
        text = f"{counted(errors, 'row')} cannot be read as meant"
        return [Finding(PART, WRONG, text, "run `gatilho check`")]
    if not (os.path.isdir(f"{root}/docs/gatilhos") or index.nested):
        outside = store_left_out(root)
        remedy = "" if outside else "run `gatilho init`"
        return [Finding(PART, NOTE, outside or "docs/gatilhos is not here", remedy)]
    size = index.size()
    silent = [one for one in index.problems() if one.code == NOT_ALLOWED]
    hidden = [
        Finding(PART, NOTE, f"{one.place.file}: {one.message}", one.remedy)
        for one in [*silent, *surroundings.ignored_tables(Workspace(index))]
    ]
    return [Finding(PART, OK, f"{counted(size, 'row')} can be read"), *hidden]


def _packs(index: Index) -> list[Finding]:
    stores = pack_stores(index.repository.shared_state, index.config.packs)
    missing = [store.label for store in stores if not os.path.isdir(store.folder)]
    said = f"{', '.join(missing)}: not fetched at the pinned commit"
    return [Finding(PART, WRONG, said, "run `gatilho packs update --pinned`")] if missing else []


def _index(index: Index) -> Finding:
    """Compare the index with one that is made anew beside it."""
    repository = index.repository
    with (
        TemporaryDirectory(prefix="gatilho-doctor-") as folder,
        open_index(Repository(repository.root, folder, repository.common_dir)) as fresh,
    ):
        same = [found.row for found in fresh.rows()] == [found.row for found in index.rows()]
    if same:
        return Finding(PART, OK, "the index agrees with the files")
    text = f"the index in {repository.own_state} differs from the files: a bug in gatilho, please report it"
    return Finding(PART, WRONG, text, "delete index.db in that folder", partial(_discard, repository))


def _discard(repository: Repository) -> None:
    """Remove the index, so that the next to need it makes it anew."""
    bounded.remove_quietly(repository.own_state + signature.FILE)
    database.discard(repository.own_state + "/index.db")


def _ledger(index: Index) -> list[Finding]:
    workspace = Workspace(index)
    found = [*uncommitted.find_problems(workspace), *ledgers.find_problems(workspace)]
    behind = [problem for problem in found if problem.code == ledgers.BEHIND.code]
    others = [problem for problem in found if problem.code != ledgers.BEHIND.code]
    findings = [Finding(PART, WRONG, f"{one.place}: {one.message}", one.remedy) for one in others[:5]]
    if len(others) > 5:
        findings.append(Finding(PART, WRONG, f"{len(others) - 5} more problems with the ledger", "run `gatilho check`"))
    if behind:
        which = ", ".join(problem.row for problem in behind[:5]) + (", …" if len(behind) > 5 else "")
        text = f"cells are below the count of the ledger, which is in force ({which})"
        findings.append(Finding(PART, NOTE, text, "`gatilho fold` raises them", partial(_fold, index.repository)))
    return findings or [Finding(PART, OK, "the tables agree with the ledger")]


def _fold(repository: Repository) -> None:
    with open_index(repository) as index:
        folding.raise_cells(index)


def _local(index: Index) -> list[Finding]:
    waiting = sum(local_rides.pending(index.repository.shared_state).values())
    if not waiting:
        return []
    text = f"{waiting} rides of rules are counted on this machine only"
    return [Finding(PART, NOTE, text, "`gatilho fold` brings them into the tables")]
