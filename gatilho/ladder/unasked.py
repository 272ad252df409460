"""What a shell command did to tables, ledger, configuration and registration without a question: seen, and reported.

A command can always run a script. The index is brought up to date before each command, so what it finds changed after
one was changed meanwhile.
"""

from gatilho import bounded
from gatilho.git.root import Repository
from gatilho.index import database, freshness, signature
from gatilho.index.index import rows_in
from gatilho.index.packing import conditions_text
from gatilho.ladder.decide import owners_changes, paired
from gatilho.ladder.event_context import EventContext
from gatilho.model import Row
from gatilho.plain import first_of
from gatilho.store.change import Change
from gatilho.tables import Store, is_below_store, ledger_files, own_stores

_ENTERED = (
    "SELECT DISTINCT row FROM entry JOIN ledger_file ON ledger_file = number "
    "WHERE name = ? AND entry.store = '' AND event = 'charged'"
)
# The program's own events: a state that they explain was changed by a hook.
_OURS = ("program",)
_MEANWHILE = "changed while a command of the agent ran, without a question"
# How git's log of HEAD calls moves that make no commit of the agent's own.
_GOING = ("checkout:", "pull", "merge ")
_A_COMMAND_LASTS = 600  # seconds, hardly longer


class Witness:
    """What the index knew before it took in what a command may have changed. Called with its database."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self.changed: list[str] = []
        self.rows: list[Row] = []
        self.config = ""
        self.ledger: set[str] = set()
        self.entered: dict[str, list[str]] = {}

    def __call__(self, connection: database.Connection) -> None:
        stamp = freshness.meta(connection, "stamp")
        if not stamp or "\n" in self.repository.root:  # the names in such a stamp cannot be read back
            return
        self.changed = signature.names_changed_since(stamp)
        if not self.changed:
            return
        self.config = freshness.meta(connection, "config")
        found = connection.execute("SELECT name FROM ledger_file WHERE store = ''").fetchall()
        self.ledger = {database.text_of_value(name) for (name,) in found}
        nested = [subtree for subtree, is_store in freshness.kept_nested(connection).items() if is_store]
        for name in self.ledger - _ledger_now(own_stores(self.repository.root, nested)):
            rows = connection.execute(_ENTERED, (name,)).fetchall()
            self.entered[name] = [str(row) for (row,) in rows]
        tables = [name for name in self.changed if name.endswith(".md")]
        if tables:
            for number, path in connection.execute("SELECT number, path FROM file WHERE store = ''").fetchall():
                if database.text_of_value(path) in tables:
                    self.rows += [found.row for found in rows_in(connection, "WHERE file = ?", (number,))]


def report(context: EventContext, witness: Witness) -> None:
    """Report what changed to the person in one line, and enter the rows into the ledger as changed by the agent.

    What a person said yes to before, what git brought, and what another hook wrote is left out.
    """
    if context.session.was_person_told(guarded_call(context.event.call)):
        return
    _report_typed(context)
    if not witness.changed:
        return
    root = context.repository.root
    rows = [] if not witness.rows else _changed_rows(context, witness)
    files = [name.removeprefix(root + "/") for name in witness.changed if not name.endswith((".md", "/ledger"))]
    files = [name for name in files if not is_below_store(name) and not _is_same_configuration(context, witness, name)]
    gone = sorted(witness.entered.keys() - _taken_by_git(context, [*witness.entered])) if witness.entered else []
    files += gone
    tables = {row.file for row, _ in rows}
    if not rows and not files:
        return
    by_git = _brought_by_git(context, sorted({*tables, *files}))
    # What falls along with ledger files that went out of the branch is no one's pull; a revert takes a ride back.
    dropped = [] if _last_move(context).startswith("revert") else gone
    rows = [(row, text) for row, text in rows if row.file not in by_git or (dropped and text.startswith("rides"))]
    lost = {row_id for name in dropped for row_id in witness.entered[name]} - {row.id for row, _ in rows}
    for row_id in sorted(lost):
        for found in context.index.rows_with_id(row_id)[:1]:
            _enter(context, found.row, "its ride was taken out of the ledger")
    files = [name for name in files if name not in by_git]
    for row, text in rows:
        _enter(context, row, text)
    said = [f"{row.id} ({text}, {row.place})" for row, text in rows] + files
    if said:
        context.person.append(f"{_MEANWHILE}: {first_of(said, 5)}")


def tables_written(context: EventContext, witness: Witness) -> list[str]:
    """Return the tables that changed while a command ran, those left out that git brought; names in the repository."""
    root = context.repository.root
    names = [name.removeprefix(root + "/") for name in witness.changed if name.endswith(".md")]
    tables = list(filter(is_below_store, names))
    return sorted({*tables} - _brought_by_git(context, tables)) if tables else []


def _report_typed(context: EventContext) -> None:
    """Report what was changed on the command line while the command ran; without a terminal no person did it."""
    from gatilho.store import typed

    said = []
    for row_id, what, has_terminal in typed.take_typed(context.repository):
        said.append(f"{row_id} ({what}, on the command line)")
        for found in [] if has_terminal else context.index.rows_with_id(row_id)[:1]:
            _enter(context, found.row, f"{what}, on the command line")
    if said:
        context.person.append(f"{_MEANWHILE}: {', '.join(said[:5])}")


def guarded_call(call: str) -> str:
    """Return what a session remembers a call by that the owner was asked about because of the guard."""
    return f"guarded {call}"


def _changed_rows(context: EventContext, witness: Witness) -> list[tuple[Row, str]]:
    """Return the rows that changed past the ladder, as they are (as they were, where gone), and what became of each."""
    rows = []
    for row, now in paired(witness.rows, [found.row for found in context.index.rows() if not found.row.store]):
        text = "removed" if now is None else _in_words(row, now)
        if text and not (now and _is_explained(context, row, now)):
            rows.append((now or row, text))
    return rows


def _in_words(row: Row, now: Row) -> str:
    """Return the gravest change of a row that only its owner may make, "" for none.

    A changed condition is named in any case: it is not believed before it was seen to fail.
    """
    words = {
        "strike": "struck" if now.struck else "strike taken off",
        "state": f"state {row.state_text or 'empty'} -> {now.state_text or 'empty'}",
        "rides": f"rides {row.rides} -> {'no number' if now.rides is None else now.rides}",
        "lifecycle": f"{row.lifecycle} -> {now.lifecycle}",
        "trigger": "trigger changed",
        "condition": "condition changed",
        "times": "changed when it is asked about",
    }
    changes = owners_changes(row, now)
    return ", ".join(words[what] for what in changes if what in (changes[0], "condition"))


def _is_explained(context: EventContext, row: Row, now: Row) -> bool:
    """Return whether the last entry of the ledger that changes a state is a hook's own, and says what the row says."""
    if (row.struck, row.state_text) == (now.struck, now.state_text):
        return False
    from gatilho.lifecycle.transitions import unrecorded

    tally = context.index.tally(now)
    return tally.state is not None and tally.state.by.startswith(_OURS) and not unrecorded(now, tally)


def _is_same_configuration(context: EventContext, witness: Witness, name: str) -> bool:
    """Return whether a file that changed says what it said to the configuration: other tools write into it as well."""
    return name in ("pyproject.toml", "gatilho.toml") and witness.config == context.index.config_text()


def _ledger_now(stores: list[Store]) -> set[str]:
    return {store.shown(f"{store.ledger}/{name}") for store in stores for name in ledger_files(store)}


def _taken_by_git(context: EventContext, names: list[str]) -> set[str]:
    """Return those of the files that went because HEAD went elsewhere, while no commit was lost that had them."""
    from gatilho.git.query import ask_names, ask_text
    from gatilho.index import watched

    moves = watched.head_moves(context.repository, watched.stamps_before(context.repository, context.event))
    if not moves or not all(what.startswith(_GOING) for *_, what in moves):
        return set()
    root, before = context.repository.root, moves[0][0]
    if not ask_text(root, "for-each-ref", "--count=1", "--contains", before):  # as after `git pull --rebase`
        before = ask_text(root, "merge-base", before, "HEAD")
    removed = "diff-tree", "-r", "--name-only", "-z", "--diff-filter=D", before, "HEAD", "--"
    return set((before and ask_names(root, *removed, *names)) or ())


def _brought_by_git(context: EventContext, names: list[str]) -> set[str]:
    """Return the files that are as HEAD has them, and that HEAD's move while the command ran brought, not a commit.

    Where the command was not seen to begin, a last move within the last minutes is taken for its own.
    """
    from gatilho.git.query import ask_names, ask_names_of_tree
    from gatilho.index import watched

    noted = watched.stamps_before(context.repository, context.event)
    moves = watched.head_moves(context.repository, noted)
    if not noted and _moved_just_now(context):
        old, new, *_ = [*_reflog(context).split(" ", 2), "", ""]
        moves = [(old, new, _last_move(context))]
    if not moves or _is_commit(moves[-1]):
        return set()
    root = context.repository.root
    inside = [name for name in names if not name.startswith("/")]

    def between(old: str, new: str) -> set[str]:
        sides = [old, new] if old.strip("0") else ["--root", "--no-commit-id", new]
        return set(ask_names(root, "diff-tree", "-r", "--name-only", "-z", *sides, "--", *inside) or ())

    changed = ask_names_of_tree(root, "diff", "--name-only", "-z", "HEAD", "--", *inside)
    own = [name for move in moves if _is_commit(move) for name in between(*move[:2])]
    return set() if changed is None else between(moves[0][0], moves[-1][1]).difference(changed, own)


def _is_commit(move: tuple[str, str, str]) -> bool:
    # After a pull or checkout, files equal HEAD by git's doing; after a commit, by the agent's own.
    return move[2].startswith(("commit:", "commit (amend)", "commit (initial)"))


def _last_move(context: EventContext) -> str:
    """Return how HEAD moved last, in the words of git's log of it."""
    return _reflog(context).rpartition("\t")[2]


def _moved_just_now(context: EventContext) -> bool:
    """Return whether HEAD moved within the last minutes, as it does when a command pulls or merges."""
    import os

    try:
        return abs(context.clock - os.stat(context.repository.git_dir + "/logs/HEAD").st_mtime) < _A_COMMAND_LASTS
    except OSError:
        return False


def _reflog(context: EventContext) -> str:
    try:
        data = bounded.tail(context.repository.git_dir + "/logs/HEAD", 2000)
        return data.decode("utf-8", "replace").rstrip("\n").rpartition("\n")[2]
    except OSError:
        return ""


def _enter(context: EventContext, row: Row, text: str) -> None:
    """Queue the ledger's line, and believe no condition that came this way before it was seen to fail."""
    from gatilho.ladder import recording, sessions

    if text.endswith("condition changed"):
        sessions.note_condition(context.db, sessions.DOUBTED, ("", row.id), conditions_text(row.conditions))
    evidence = f"by a command, without a question: {text}"
    by = f"agent {context.event.host}"
    restated = text.startswith(("struck", "strike", "state"))
    change = Change(row, "passed anyway", evidence=evidence, by=by, when=context.now, unrecorded=restated)
    recording.queue(context, change)
