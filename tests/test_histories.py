"""Random histories with real git and the real dispatcher against an exact model: what is counted is what truly rode.

The model is kept by git itself. Each ride commits a file of its own below `truth/` beside the table, so merges,
squashes, rebases, picks, reverts and drops of commits carry the truth exactly as they carry rows and ledger files.
"""

import itertools
import os
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from builders import BACKLOG, HEADER, PATIENCE, Repo
from git_objects import ObjectStore
from merging import ROWS, register

from gatilho import hook
from gatilho.cli import main
from gatilho.ledger import compaction
from gatilho.ledger import lines as ledger
from gatilho.ledger.lines import Entry
from gatilho.setup import driver
from gatilho.tables import Store
from gatilho.wire import encode

LEDGER = "docs/gatilhos/ledger"
OTHER = "docs/gatilhos/other.md"
BRANCHES = ("main", "b", "c")
BEGIN = 2  # an imported table: rides that no ledger has
STEPS = 14
MODES = ("driver", "resolve", "ledger")
COMMON = ("ride", "ride", "ride", "ride", "again", "merge", "merge", "squash", "rebase", "fold", "compact", "reword",
          "move", "column", "format")  # fmt: skip
# A count that a table shows without its ledger becomes a base. No revert takes a ride out of a base, and a pick carries
# it along: see docs/design.md. So each history has the one or the other.
KINDS = {"reverts": (*COMMON, "pick", "revert", "revert", "drop"), "late": (*COMMON, "late", "late", "arrive")}


def _table(*lines: str) -> str:
    return HEADER + "".join(line + "\n" for line in lines)


def _row(row_id: str) -> str:
    return f"| {row_id} | debt | `path: ^src/{row_id}$` | a note | | {BEGIN} | owed |"


@pytest.fixture(scope="session")
def templates(tmp_path_factory: pytest.TempPathFactory, machine: Path) -> dict[str, Path]:
    """For each mode a repository with three debts and three branches, to be copied."""
    return {mode: _template(tmp_path_factory.mktemp("template") / mode, mode) for mode in MODES}


def _template(root: Path, mode: str) -> Path:
    repo = Repo(root)
    repo.write(BACKLOG, _table(*map(_row, ROWS)))
    repo.write(OTHER, "# Others\n\n" + _table(_row("D-9")))
    repo.write("gatilho.toml", ('rides_in = "ledger"\n' if mode == "ledger" else "") + "ask_after = 99\n")
    if mode == "driver":  # commands register it wherever the attributes name it
        repo.write(".gitattributes", driver.LINE + b"\n")
        register(root)
    repo.commit()
    for name in BRANCHES[1:]:
        repo.git("branch", name)
    return root


class Ride(NamedTuple):
    """A ride that was committed with its ledger file, and its cell before and after that commit."""

    commit: str
    name: str
    row_id: str
    before: int
    after: int

    @property
    def lifted(self) -> bool:
        """Whether the commit also raised a cell that was too low."""
        return self.after > self.before + 1


class History:
    """One repository under random steps."""

    def __init__(self, root: Path, mode: str, chance: random.Random) -> None:
        self.repo = Repo.__new__(Repo)
        self.repo.root = root
        self.objects = ObjectStore(root)
        self.mode = mode
        self.chance = chance
        self.here = "main"
        self.numbers = itertools.count()
        self.sessions: dict[str, list[str]] = {row_id: [] for row_id in ROWS}
        self.rides: list[Ride] = []
        self.aside: dict[str, tuple[str, bytes]] = {}  # ledger files that were not committed, by their truth file
        self.packed: set[str] = set()
        self.reverted: set[str] = set()
        self.folded: set[str] = set()
        self.with_column = False
        self.done: list[str] = []

    def git(self, *arguments: str) -> bool:
        """Whether git did it; it may only fail over a conflict."""
        done = subprocess.run(
            ["git", "-c", "core.editor=true", *arguments], cwd=self.repo.root, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=PATIENCE, text=True,
        )  # fmt: skip
        said = done.stdout + done.stderr
        assert done.returncode == 0 or "onflict" in said or "CONFLICT" in said, (arguments, said, self.done)
        return done.returncode == 0

    def commit(self, message: str) -> None:
        self.objects.commit(self.here, message)

    def switch(self, name: str) -> None:
        if name != self.here:
            self.objects.switch(self.here, name)
            self.here = name

    def step(self, what: str) -> None:
        self.switch(self.chance.choice(BRANCHES))
        there = self.chance.choice([name for name in BRANCHES if name != self.here])
        row_id = self.chance.choice(ROWS)
        self.done.append(f"{what} {self.here} {there} {row_id}")
        getattr(self, f"_{what}")(there, row_id)
        self.check()

    # Rides.

    def _ride(self, there: str, row_id: str) -> None:
        self.ride(row_id, f"session {next(self.numbers)}")

    def _again(self, there: str, row_id: str) -> None:
        """The same session rides in another clone, which remembers nothing of the first time but its ledger file."""
        left_out = {truth.partition(" ")[2] for truth in self.aside}
        known = [session for session in self.sessions[row_id] if session not in left_out]
        if known:
            self._forget()
            self.ride(row_id, self.chance.choice(known))

    def _forget(self) -> None:
        for path in self.repo.root.glob(".git/gatilho/sessions.db*"):
            path.unlink()

    def _late(self, there: str, row_id: str) -> None:
        self.ride(row_id, f"session {next(self.numbers)}", with_ledger=False)

    def ride(self, row_id: str, session: str, with_ledger: bool = True) -> None:
        path = self.repo.path(f"src/{row_id}")
        common = {"session_id": session, "cwd": str(self.repo.root), "permission_mode": "acceptEdits"}
        tool = {"tool_name": "Write", "tool_input": {"file_path": path, "content": "x"}, "tool_response": {}}
        before = set(os.listdir(self.repo.path(LEDGER))) if os.path.isdir(self.repo.path(LEDGER)) else set()
        cell = self.cell(row_id)
        call = {"hook_event_name": "PostToolUse", "tool_use_id": f"t{next(self.numbers)}", **tool}
        for event in (call, {"hook_event_name": "Stop", "stop_hook_active": False}):
            hook.respond(encode({**common, **event}).encode(), "claude")
        new = sorted(set(os.listdir(self.repo.path(LEDGER))) - before) if os.path.isdir(self.repo.path(LEDGER)) else []
        self.sessions[row_id].append(session)
        if not new:
            self.commit("Nothing rode")  # a lagging cell may have been raised
            return
        truth = f"truth/{row_id}/{next(self.numbers)} {session}"
        self.repo.write(truth, "".join(self.chance.choices("0123456789abcdef\n", k=300)))
        name = f"{LEDGER}/{new[0]}"
        if not with_ledger:
            self.aside[truth] = (name, self.repo.read_bytes(name))
            (self.repo.root / name).unlink()
        self.commit(f"{row_id} rides")
        if with_ledger:
            self.rides.append(Ride(self._tip(self.here), name, row_id, cell, self.cell(row_id)))

    def _arrive(self, there: str, row_id: str) -> None:
        here = [truth for truth in self.aside if (self.repo.root / truth).exists()]
        if here:
            self.arrive(self.chance.choice(here))

    def arrive(self, truth: str) -> None:
        name, data = self.aside[truth]
        self.repo.write(name, data)
        self.commit("A ledger file that was left out")

    # Git.

    def _is_ambiguous(self, there: str, replayed: bool = False) -> bool:
        """Whether a cell may come out wrong, because a ride of its row was taken back: see docs/design.md."""
        bases = self.objects.merge_bases(self._tip(self.here), self._tip(there))
        base = bases[0] if len(bases) == 1 else self.repo.git("merge-base", "HEAD", there).strip()
        was, one, other = (self._rides_in(commit) for commit in (base, self._tip(self.here), self._tip(there)))
        return any(
            self._is_row_ambiguous(row_id, base, *(_of_row(row_id, rides) for rides in (was, one, other)), replayed)
            for row_id in ROWS
        )

    def _is_row_ambiguous(
        self, row_id: str, base: str, was: set[str], one: set[str], other: set[str], replayed: bool
    ) -> bool:
        if was - one and was - other:
            return True  # the same ride twice, or two rides that make two equal lines
        on_both = (_sessions(one) & _sessions(other)) - _sessions(was)
        if replayed:
            known = [ride for ride in self.rides if ride.row_id == row_id]
            return any(ride.name in self.reverted for ride in known) and bool(
                on_both or was - other or any(ride.lifted for ride in known)
            )
        gone = was - (one & other)
        return bool(gone and (on_both or self._lagged(row_id, base, len(_sessions(was)))))

    def _lagged(self, row_id: str, commit: str, rides: int) -> bool:
        tables = "".join(self.objects.read(commit, file) for file in (BACKLOG, OTHER))
        line = next(line for line in tables.splitlines() if _is_row(line, row_id))
        return self.mode != "ledger" and int(line.split("|")[6]) < rides + BEGIN

    def _rides_in(self, commit: str) -> set[str]:
        return {name for name in self.objects.files(commit) if name.startswith("truth/")}

    def _tip(self, branch: str) -> str:
        return self.objects.tip(branch)

    def _merge(self, there: str, row_id: str) -> None:
        if self._is_ambiguous(there):
            return
        here, other = self._tip(self.here), self._tip(there)
        if other in self.objects.ancestors(here):
            return
        if here in self.objects.ancestors(other):
            self.objects.forward(self.here, there)
        elif not self.git("merge", "--quiet", "--no-edit", there):
            self.settle()
            self.git("commit", "--no-edit", "--quiet")
        self.tidy()

    def _squash(self, there: str, row_id: str) -> None:
        if self._is_ambiguous(there):
            return
        if not self.git("merge", "--squash", "--quiet", there):
            self.settle()
        self.commit(f"Squash {there}")
        self.tidy()

    def _rebase(self, there: str, row_id: str) -> None:
        if self._is_ambiguous(there, replayed=True):
            return
        self._through(self.git("rebase", "--quiet", "--empty=drop", there), "rebase")

    def _pick(self, there: str, row_id: str) -> None:
        commits = [
            ride.commit
            for ride in self.rides
            if not (self.repo.root / ride.name).exists()
            and ride.name not in self.packed | self.reverted
            and not ride.lifted
        ]
        if commits:
            done = self.git("cherry-pick", "--keep-redundant-commits", self.chance.choice(commits))
            self._through(done, "cherry-pick")

    def _through(self, done: bool, command: str) -> None:
        while not done:
            self.settle()
            if command == "rebase" or self.repo.git("status", "--porcelain").strip():
                done = self.git(command, "--continue")
            else:
                done = self.git(command, "--skip")
        self.tidy()

    def _mine(self, commits: frozenset[str]) -> list[Ride]:
        """Whole rides of these commits whose ledger files are here, and that a revert can take out of the cell."""
        return [
            ride
            for ride in self.rides
            if ride.commit in commits
            and (self.repo.root / ride.name).exists()
            and ride.name not in self.folded
            and (self.mode == "ledger" or self._is_revertible(ride))
        ]

    def _is_revertible(self, ride: Ride) -> bool:
        """Not where the cell says what it said before the ride, nor a row's last one where the cell is too low."""
        cell = self.cell(ride.row_id)
        folder = self.repo.root / "truth" / ride.row_id
        is_last = folder.is_dir() and len(os.listdir(folder)) == 1
        return cell != ride.before and not (is_last and (ride.lifted or cell < self.in_force(ride.row_id)))

    def _revert(self, there: str, row_id: str) -> None:
        mine = self._mine(self.objects.ancestors(self._tip(self.here)))
        if mine:
            ride = self.chance.choice(mine)
            self.reverted.add(ride.name)
            self._through(self.git("revert", "--no-edit", ride.commit), "revert")

    def _drop(self, there: str, row_id: str) -> None:
        """A ride taken out of the branch by a rebase."""
        commits = self.objects.ancestors(self._tip(self.here))
        if any(len(self.objects.parents(commit)) > 1 for commit in commits):
            return
        mine = self._mine(commits)
        if mine:
            ride = self.chance.choice(mine)
            self.reverted.add(ride.name)
            onto = ("--onto", f"{ride.commit}~1", ride.commit)
            self._through(self.git("rebase", "--quiet", "--empty=drop", *onto), "rebase")

    # The store.

    def _fold(self, there: str, row_id: str) -> None:
        """In ledger mode no ride that is taken back anywhere is folded: its cell stays."""
        if self.mode == "ledger":
            here = {f"{LEDGER}/{path.name}" for path in self.repo.root.glob(f"{LEDGER}/*.md")}
            if here & self.reverted:
                return
            self.folded |= here
        assert main(["fold", "--root", str(self.repo.root)]) == 0
        self.commit("Fold")

    def _compact(self, there: str, row_id: str) -> None:
        """Pack what no branch ever reverts: a revert does not reach into a pack."""
        self.switch("main")
        names = set(self.repo.root.glob(f"{LEDGER}/*.md"))
        if any(str(name.relative_to(self.repo.root)) in self.reverted for name in names):
            return
        store = Store("", str(self.repo.root), self.repo.path("docs/gatilhos"))
        for pack in compaction.plan_packs(store, "9999-12-31")[0]:
            self.packed |= {f"{LEDGER}/{name}" for name in pack.originals}
            compaction.write_pack(store, pack)
        self.rides = [ride for ride in self.rides if ride.name not in self.packed]
        self.commit("Pack")

    def rewrite(self, file: str, change: Callable[[list[str]], list[str]]) -> None:
        self.repo.write(file, "".join(line + "\n" for line in change(self.repo.read(file).splitlines())))
        self.commit("Edit a table")

    def _reword(self, there: str, row_id: str) -> None:
        def change(lines: list[str]) -> list[str]:
            word = f"note {next(self.numbers)}"
            return [line.replace("a note", word, 1) if f"| {row_id} |" in line else line for line in lines]

        self.rewrite(self.file_of(row_id), change)

    def _move(self, there: str, row_id: str) -> None:
        if row_id != "D-2" or self.file_of(row_id) == OTHER or "owner" in self.repo.read(BACKLOG):
            return
        lines = self.repo.read(BACKLOG).splitlines()
        moved = [line for line in lines if _is_row(line, row_id)]
        self.repo.write(OTHER, self.repo.read(OTHER) + moved[0] + "\n")
        self.rewrite(BACKLOG, lambda lines: [line for line in lines if not _is_row(line, row_id)])

    def _column(self, there: str, row_id: str) -> None:
        if not self.with_column:
            self.with_column = True
            words = itertools.chain((" owner |", " --- |"), itertools.repeat(" Ana |"))
            self.rewrite(BACKLOG, lambda lines: [line + next(words) for line in lines])

    def _format(self, there: str, row_id: str) -> None:
        """What a formatter does: all cells of a column as wide as the widest."""

        def change(lines: list[str]) -> list[str]:
            cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
            widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
            return ["| " + " | ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)) + " |" for line in cells]

        self.rewrite(BACKLOG, change)

    def file_of(self, row_id: str) -> str:
        return OTHER if any(_is_row(line, row_id) for line in self.repo.read(OTHER).splitlines()) else BACKLOG

    # People.

    def settle(self) -> None:
        """What a person does about a conflict: `resolve`, then our side of what two people wrote differently."""
        main(["resolve", "--root", str(self.repo.root)])
        for file in (BACKLOG, OTHER):
            text = self.repo.read(file)
            if "<<<<<<< " in text:
                self.repo.write(file, _ours(text))
        self.drop_doubles()
        self.git("add", "--all")

    def drop_doubles(self) -> bool:
        """A row that moved here and rode there is in both files: it stays where it moved to."""
        text = self.repo.read(BACKLOG)
        moved = [line for line in self.repo.read(OTHER).splitlines() if line.startswith("| D-2")]
        if not moved or not any(_is_row(line, "D-2") for line in text.splitlines()):
            return False
        self.repo.write(BACKLOG, "".join(f"{line}\n" for line in text.splitlines() if not _is_row(line, "D-2")))
        return True

    def tidy(self) -> None:
        if self.drop_doubles():
            self.commit("One row in one place")

    # The model.

    def truth(self, row_id: str) -> tuple[int, int]:
        """How many rides there are, and how many of them have no ledger file here."""
        folder = self.repo.root / "truth" / row_id
        names = sorted(folder.iterdir()) if folder.is_dir() else []
        missing = 0
        for path in names:
            name, _ = self.aside.get(str(path.relative_to(self.repo.root)), ("", b""))
            missing += bool(name) and not (self.repo.root / name).exists() and name not in self.packed
        return len({path.name.partition(" ")[2] for path in names}) + BEGIN, missing

    def check(self) -> None:
        entries = self.entries()
        for row_id in ROWS:
            true, missing = self.truth(row_id)
            cell = self.cell(row_id)
            found = self.in_force(row_id, entries)
            assert cell <= true, (row_id, cell, true, self.done)
            assert true - missing <= found <= true, (row_id, found, true, missing, self.done)

    def entries(self) -> dict[str, list[Entry]]:
        return ledger.by_row(ledger.read_folder(self.repo.path(LEDGER))[0])

    def in_force(self, row_id: str, entries: dict[str, list[Entry]] | None = None) -> int:
        found = (self.entries() if entries is None else entries).get(row_id, [])
        return ledger.tally_of(found, self.cell(row_id)).count

    def cell(self, row_id: str) -> int:
        return int(next(line for line in self.lines() if _is_row(line, row_id)).split("|")[6])

    def lines(self) -> list[str]:
        """The lines of both tables, the one first to which rows move."""
        return (self.repo.read(OTHER) + self.repo.read(BACKLOG)).splitlines()


def _sessions(rides: set[str]) -> set[str]:
    return {name.partition(" ")[2] for name in rides}


def _of_row(row_id: str, rides: set[str]) -> set[str]:
    return {name for name in rides if name.startswith(f"truth/{row_id}/")}


def _is_row(line: str, row_id: str) -> bool:
    return line.startswith(f"| {row_id} ")


def _ours(text: str) -> str:
    kept: list[str] = []
    take = True
    for line in text.splitlines():
        if line.startswith(("=======", "||||||| ")):
            take = False
        elif line.startswith((">>>>>>> ", "<<<<<<< ")):
            take = True
        elif take:
            kept.append(line)
    return "".join(line + "\n" for line in kept)


def play(root: Path, templates: dict[str, Path], mode: str, seed: int) -> None:
    """One history from its seed; at its end all is merged, all that was left out arrives, and the count is exact."""
    shutil.copytree(templates[mode], root)
    chance = random.Random(f"{mode} {seed}")
    history = History(root, mode, chance)
    steps = KINDS[("reverts", "late")[seed % 2]]
    for _ in range(STEPS):
        history.step(chance.choice(steps))
    history.switch("main")
    for name in BRANCHES[1:]:
        history._merge(name, "")
        history.check()
    for truth in list(history.aside):
        if (root / truth).exists() and history.aside[truth][0] not in history.packed:
            history.arrive(truth)
    for row_id in ROWS:
        assert history.in_force(row_id) == history.truth(row_id)[0], (row_id, history.done)
    history._fold("", "")
    history.check()
    shutil.rmtree(root)


FEW = {"driver": 4, "resolve": 6, "ledger": 6}
PARTS = 4
# In each mode; `.ci/run` plays 167, before a release more are played (500); the seeds are the same.
MANY = int(os.environ.get("GATILHO_HISTORIES", "20"))


@pytest.mark.parametrize("mode", MODES)
def test_the_count_is_what_truly_rode(tmp_path: Path, templates: dict[str, Path], mode: str) -> None:
    for seed in range(FEW[mode]):
        play(tmp_path / f"{seed}", templates, mode, seed)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("part", range(PARTS))
def test_the_count_is_what_truly_rode_in_many_histories(
    tmp_path: Path, templates: dict[str, Path], mode: str, part: int
) -> None:
    for seed in range(100 + part * MANY // PARTS, 100 + (part + 1) * MANY // PARTS):
        play(tmp_path / f"{seed}", templates, mode, seed)
