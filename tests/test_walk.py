"""Any walk of all events and of edits by hand: the count, the table, and what takes each event back."""

import shutil
from pathlib import Path

import pytest
from builders import BACKLOG, HEADER, Repo, row
from hypothesis import given, settings
from hypothesis import strategies as st
from reversals import reversal

from gatilho.document import rows
from gatilho.document.document import Document
from gatilho.git.root import find_repository
from gatilho.index.index import open_index
from gatilho.ledger import compaction
from gatilho.ledger import lines as ledger
from gatilho.lifecycle.transitions import state_of
from gatilho.model import Row
from gatilho.store import record
from gatilho.store.change import CHARGE, FOLD, Change, Context, Result, Status
from gatilho.tables import stores_of

NOW = "2026-11-29 12:00:00"
UNTIL = "2026-12-24"
# What may be done from where, and where it leads, in plain words; everything else is refused or there already.
DEBT = {
    "pay": ({"owed", "waived"}, "paid"),
    "regress": ({"paid"}, "owed"),
    "reinstate": ({"paid", "waived", "superseded", "revoked", "expired"}, "owed"),
    "waive": ({"owed"}, "waived"),
    "supersede": ({"owed", "waived"}, "superseded"),
    "revoke": ({"owed", "waived"}, "revoked"),
    "expire": ({"owed", "waived"}, "expired"),
}
RULE = {
    "pay": (set(), ""),
    "regress": (set(), ""),
    "reinstate": ({"struck", "superseded", "revoked", "expired"}, "rule"),
    "waive": (set(), ""),
    "supersede": ({"rule", "struck"}, "superseded"),
    "revoke": ({"rule", "struck"}, "revoked"),
    "expire": ({"rule"}, "expired"),
}
PROGRAM = ("regress", "expire")

steps = st.lists(
    st.one_of(
        st.tuples(st.just("charge"), st.sampled_from(["0000000a", "0000000b", "0000000c", "0000000d"])),
        st.tuples(st.sampled_from([*DEBT, "fold", "asked", "compact", "strike", "unstrike"]), st.none()),
        st.tuples(st.sampled_from(["set", "count"]), st.integers(min_value=0, max_value=9)),
        st.tuples(st.just("rename"), st.sampled_from(["D-2", "D-3", "D-4"])),
        st.tuples(st.just("word"), st.sampled_from(["owed", "rule", "revoked", f"waived until {UNTIL}", ""])),
    ),
    max_size=14,
)  # fmt: skip


class Model:
    """What must be true, without a ledger: the last recorded count or a higher cell, a strike, a word, a name."""

    def __init__(self, is_debt: bool, cell: int) -> None:
        self.is_debt = is_debt
        self.floor = 0
        self.told = False  # by a `set`, and nothing since
        self.cell = cell
        self.sessions: set[str] = set()
        self.struck = False
        self.word = "owed" if is_debt else "rule"
        self.id = "D-1"

    @property
    def count(self) -> int:
        return max(self.floor, self.cell)

    @property
    def state(self) -> str:
        ended = self.word if self.word in ("superseded", "revoked", "expired") else ""
        if self.struck:
            return "paid" if self.is_debt else ended or "struck"
        return ended or (("waived" if self.word == "waived" else "owed") if self.is_debt else "rule")

    def charge(self, session: str) -> None:
        if self.state not in ("owed", "waived", "rule"):
            return
        if not self.is_debt:
            self.cell = self.count + 1
        else:
            if session not in self.sessions:
                self.sessions.add(session)
                self.floor = self.count + 1
                self.told = False
            self.cell = self.count

    def change(self, name: str) -> bool:
        """Make a transition; whether it may be made."""
        before, after = (DEBT if self.is_debt else RULE)[name]
        if self.state not in before:
            return False
        if name == "pay":
            self.struck = True
        elif name in ("reinstate", "regress"):
            self.struck = False
        self.word = after
        return True

    def set(self, number: int) -> bool:
        """Whether there was anything to record: only a `set` that says so already leaves nothing to say."""
        moved = not self.told or (number, number) != (self.cell, self.floor)
        self.floor = self.cell = number
        self.told = True
        return moved


class Store:
    """A real store of one row."""

    def __init__(self, root: Path, is_debt: bool, rides: int) -> None:
        self.root = root
        self.table = root / BACKLOG
        (root / ".git").mkdir(exist_ok=True)
        (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        (root / ".git" / "objects").mkdir(exist_ok=True)
        (root / ".git" / "refs").mkdir(exist_ok=True)
        self.table.parent.mkdir(parents=True, exist_ok=True)
        line = row("D-1", "path: x", lifecycle="debt" if is_debt else "rule", rides=rides)
        self.table.write_text(HEADER + line + "\n| R-9 | rule | `path: y` | another | | 0 | rule |\n")

    def row(self) -> tuple[Row, int]:
        return next(
            (read.row, read.header_line)
            for read in rows.iter_rows(Document(self.table.read_bytes()), BACKLOG)
            if read.row
        )

    def do(self, action: str, **fields: object) -> Result:
        found, header = self.row()
        by = "program claude" if action in (*PROGRAM, CHARGE, FOLD) else "person"
        values = {"evidence": "because", **fields}
        if action == "waive":
            values.setdefault("until", UNTIL)
        change = Change(found, action, header, **values)  # type: ignore[arg-type]
        context = Context(NOW, "", "c" * 40, by, str(self.root / ".git/gatilho/lock"))
        return record.record_changes(str(self.root), [change], context)[0]

    def edit(self, old: str, new: str) -> None:
        text = self.table.read_text()
        assert text.count(old) >= 1, (old, text)
        self.table.write_text(text.replace(old, new, 1))

    def cells(self) -> list[str]:
        return self.table.read_text().splitlines()[2].split(" | ")

    def count(self) -> int:
        """The count in force by the ledger's files."""
        found, _ = self.row()
        entries, problems = ledger.read_folder(str(self.root / "docs/gatilhos/ledger"))
        assert problems == []
        return ledger.tally_of(ledger.by_row(entries).get(found.id, []), found.rides).count


@settings(max_examples=60)
@given(steps, st.integers(min_value=0, max_value=4), st.booleans())
def test_any_walk(
    tmp_path_factory: pytest.TempPathFactory, walk: list[tuple[str, object]], start: int, is_debt: bool
) -> None:
    store = Store(tmp_path_factory.mktemp("walk"), is_debt, start)
    model = Model(is_debt, start)
    for name, value in walk:
        before = store.table.read_bytes()
        old, _ = store.row()
        count = model.count
        _step(store, model, name, value)
        found, _ = store.row()
        assert (found.id, found.struck, found.rides, state_of(found)) == (
            model.id,
            model.struck,
            model.cell,
            model.state,
        )
        assert store.count() == model.count
        assert len(store.table.read_bytes().splitlines()) == 4
        assert b"| R-9 | rule | `path: y` | another | | 0 | rule |" in store.table.read_bytes()
        if name in (*DEBT, "set", "rename") and store.table.read_bytes() != before:
            _take_back(store, tmp_path_factory.mktemp("reverse"), name, old, before, count)
    _index_agrees(store, model)


def _step(store: Store, model: Model, name: str, value: object) -> None:
    """One step in the store and in the model."""
    word = store.row()[0].state_text
    if name == "charge":
        store.do(CHARGE, session=value)
        model.charge(str(value))
    elif name == "fold":
        store.do(FOLD)
        model.cell = model.count
    elif name == "asked":
        store.do("asked")
    elif name == "compact":
        for pack in compaction.plan_packs(stores_of(str(store.root))[0], "2027-01-01")[0]:
            compaction.write_pack(stores_of(str(store.root))[0], pack)
    elif name == "set":
        done = store.do("set", number=value)
        assert done.is_well
        assert (done.status != Status.NOTHING) is model.set(int(str(value)))
    elif name == "rename":
        assert store.do("rename", new_id=value).is_well
        model.id = str(value)
    elif name in DEBT:
        done = store.do(name)
        assert (done.status == Status.WRITTEN) is model.change(name), done
    else:
        _by_hand(store, model, name, value, word)


def _by_hand(store: Store, model: Model, name: str, value: object, word: str) -> None:
    """What a person does in the table."""
    if name == "strike" and not model.struck:
        store.edit(f"| {model.id} |", f"| ~~{model.id}~~ |")
        model.struck = True
    elif name == "unstrike" and model.struck:
        store.edit(f"| ~~{model.id}~~ |", f"| {model.id} |")
        model.struck = False
    elif name == "count":
        store.edit(f"| {model.cell} | {word} |", f"| {value} | {word} |")
        model.cell = int(str(value))
    elif name == "word":
        store.edit(f"| {model.cell} | {word} |", f"| {model.cell} | {value} |")
        model.word = (str(value).split() or [""])[0]


def _take_back(store: Store, root: Path, name: str, old: Row, before: bytes, count: int) -> None:
    """Make the reverse of the last event in a copy of the store."""
    shutil.copytree(store.root, root, dirs_exist_ok=True)
    copy = Store.__new__(Store)
    copy.root, copy.table = root, root / BACKLOG
    action, fields = reversal(name, old)
    done = copy.do(action, **fields)
    if done.status == Status.REFUSED and action == "pay":  # a rule that was struck has no transition that strikes it
        assert not old.is_debt
        return
    found, _ = copy.row()
    if name == "set":
        assert found.rides == old.rides
    elif name == "rename":
        assert copy.table.read_bytes() == before
    elif name in ("reinstate", "regress"):
        assert state_of(found) == ("revoked" if state_of(old) == "struck" else state_of(old))
    else:
        assert found.in_force
        if old.state_text == ("owed" if old.is_debt else "rule") and not old.struck:
            assert copy.table.read_bytes() == before
    if name != "set":
        assert copy.count() == count


def _index_agrees(store: Store, model: Model) -> None:
    """The hook's index counts as the files do, under every name."""
    repository = find_repository(str(store.root))
    assert repository is not None
    with open_index(repository) as index:
        (found,) = index.rows_with_id(model.id)
        assert index.tally(found.row).count == model.count
        in_index = sorted(map(repr, index.entries(model.id)))
    entries, _ = ledger.read_folder(str(store.root / "docs/gatilhos/ledger"))
    assert in_index == sorted(map(repr, ledger.by_row(entries).get(model.id, [])))


def test_a_payment_under_an_old_name_is_looked_at_again(repo: Repo) -> None:
    from gatilho.ladder.decide import paid_by_program

    store = Store(repo.root, True, 2)
    found, header = store.row()
    context = Context(NOW, "", "c" * 40, "program claude", str(repo.root / ".git/gatilho/lock"))
    record.record_changes(str(repo.root), [Change(found, "pay", header, evidence="exists x: x")], context)
    store.do("rename", new_id="D-2")
    repository = find_repository(str(repo.root))
    assert repository is not None
    with open_index(repository) as index:
        assert [one.row.id for one in paid_by_program(index, "2026-11-01")] == ["D-2"]
        assert paid_by_program(index, "2026-12-01") == []
