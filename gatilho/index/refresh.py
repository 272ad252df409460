"""Reads again what changed since the index was made: by stamp and, where a stamp can lie, by content."""

import time

from gatilho import bounded, half_saved, outside
from gatilho import system as os
from gatilho.bounded import is_there, remove_quietly
from gatilho.config import FILE, PYPROJECT
from gatilho.git.root import Repository
from gatilho.index import database, signature
from gatilho.index.filing import add_problems, drop_keys, file_rows, make_keys
from gatilho.index.freshness import NESTED, config_of, kept_nested, meta
from gatilho.index.packing import NO_NEEDLE
from gatilho.index.patching import patch_rows
from gatilho.model import NOT_ALLOWED, Place, Problem, Value
from gatilho.tables import (
    ALWAYS_REGISTERED,
    FOLDER,
    MOST_NESTED,
    PERSONAL,
    REGISTRATIONS,
    Store,
    is_barred_store,
    may_hold_tables,
    named_stores,
    own_stores,
    pack_stores,
    walk,
)  # fmt: skip
from gatilho.wire import checksum, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gatilho.config import Config
    from gatilho.index.freshness import Sight

# A file written twice within one tick of the file system's clock can have one stamp with two contents. Clocks of Linux
# tick every 1 to 10 ms; where times come in whole seconds the file system keeps no finer ones.
TICK = 30_000_000
_COARSE_TICK = 2_000_000_000
# In the place of a checksum: no line of the file is known any more.
_READ_AGAIN = ""
TOO_MUCH = "GT007"


def _set_meta(connection: database.Connection, key: str, value: str) -> None:
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


def _text_of(config: "Config") -> str:
    """Return the configuration as one line (`freshness.config_of` reads it)."""
    values = [value.as_tuple() if isinstance(value, Value) else value for value in config.as_tuple()]
    return encode(values)


# A file with as many lines, and more than all others have, is worth dropping the keys for.
_MANY_LINES = 1000
# Characters of names of ledger files that are kept apart from those of all others.
_MOST_APART = 20_000
# Rows whose tallies are forgotten one by one.
_MOST_ROWS = 200
# Files that are looked at before and after every command: a tenth of a millisecond.
_MOST_ANCHORS = 64
_MOST_FOLDERS = 16
# Most stores have no mark, and are not searched for one.
_MARK_TRIGGERS = (b"mark:", b"Mark:", b"MARK:")


class Refresh:
    """One pass over all stores, inside a transaction."""

    def __init__(
        self, connection: database.Connection, repository: Repository, where: str, now: int, sight: "Sight"
    ) -> None:
        self.connection = connection
        self.repository = repository
        self.where = where
        self.now = now
        self.sight = sight
        self.by_subtree: dict[str, list[str]] = {}  # what the index is made from, of each nested store
        self.keeps_config = False
        self.unsure = False
        self.may_have_marks = False

    def run(self) -> None:
        names = [f"{self.repository.root}/gatilho.toml", f"{self.repository.root}/pyproject.toml"]
        config = self._configure(names)
        known = self._known_files()
        as_they_were = self._nested_as_they_were()
        self.connection.execute("DELETE FROM problem WHERE file = 0 AND code IN (?, ?)", (NOT_ALLOWED, TOO_MUCH))
        nested = self._nested()
        for subtree in (one for one in nested if one in as_they_were):
            self.by_subtree[subtree] = as_they_were[subtree]
            for path in as_they_were[subtree]:
                known.pop(path, None)
        for store in self._allowed(config, names, [one for one in nested if one not in as_they_were]):
            self._take_in(store, config, known, self.by_subtree.get(store.subtree, names))
        for store in pack_stores(self.repository.shared_state, config.packs):
            documents, folders, _ = walk(store)
            names += [*folders, *documents]
            for path in documents:
                self._document(store, path, "rule", known.pop(path, None))
        for path in known:
            self._forget(known[path][0])
        # They change no row; that they changed at all is what is asked, after a command.
        names += [f"{self.repository.root}/{name.rstrip('/')}" for name in ALWAYS_REGISTERED]
        names += filter(is_there, (f"{self.repository.root}/{name.rstrip('/')}" for name in REGISTRATIONS))
        names.append(f"{self.repository.shared_state}/package")
        if self.may_have_marks or meta(self.connection, "marks"):
            from gatilho.index.marks import file_marks

            file_marks(self.connection, self.repository.root)
        self._finish(names)

    def _take_in(
        self, store: Store, config: "Config", known: "dict[str, tuple[int, str, str, int]]", names: list[str]
    ) -> None:
        """Take in a store's tables and ledger. known: files that were taken in before; names: what it is made from."""
        documents, folders, left_out = walk(store)
        # An editor that saves by moving the old file away leaves a moment without one: its rows must not vanish. Where
        # a new one came, it was renamed: kept as well, the rows would share their ids with those of the new one.
        renamed = any(path not in known for path in documents)
        missing = [path for path in known if path not in documents and path.startswith(store.folder + "/")]
        documents += filter(half_saved.is_back, missing)
        for path in filter(half_saved.may_come_back, missing if self.sight.patient and not renamed else ()):
            self._keep(known.pop(path)[0])
        add_problems(self.connection, 0, [_left_out(store, text) for text in left_out])
        # Stamps of folders are taken before they are listed: what comes in meanwhile is seen the next time.
        names += [*folders, store.ledger, *documents]
        for path in documents:
            lifecycle = config.sources.get(path[len(store.folder) + 1 :], "rule")
            self._document(store, path, lifecycle, known.pop(path, None))
        self._ledger(store)

    def _nested_as_they_were(self) -> dict[str, list[str]]:
        """Return what nested stores were made from of which nothing changed, by their folders: they are not read again.

        None of those of which something was left out.
        """
        if not self.keeps_config or meta(self.connection, "unsure"):
            return {}
        query = "SELECT DISTINCT shown FROM problem WHERE file = 0 AND code = ?"
        cut = {database.text_of_value(shown) for (shown,) in self.connection.execute(query, (TOO_MUCH,)).fetchall()}
        found = signature.nested_as_they_were(meta(self.connection, "stamp"))
        return {subtree: names for subtree, names in found.items() if f"{subtree}{FOLDER}" not in cut}

    def _nested(self) -> list[str]:
        """Return the folders with nested stores that are read, as known by now; what is in sight becomes known.

        One that is no store, as git ignores it, is kept as such: no event asks about it a second time.
        """
        root = self.repository.root
        known = kept_nested(self.connection)
        now = self.sight.known_after(root, known)
        for gone in (subtree for subtree in known if not now.get(subtree)):
            self._ledger(own_stores(root, [gone])[1], ())
        if now != known:
            _set_meta(self.connection, NESTED, encode(now))
        self.by_subtree = {subtree: [f"{root}/{subtree}{FOLDER}"] for subtree in now}
        found = [subtree for subtree, is_store in now.items() if is_store]
        found.sort(key=lambda subtree: self.sight.is_all or subtree not in self.sight.subtrees)
        if len(found) > MOST_NESTED:
            text = (
                f"more than {MOST_NESTED:,} folders have stores of their own: {found[MOST_NESTED]}{FOLDER} is not read"
            )
            add_problems(self.connection, 0, [_left_out(own_stores(root)[0], text)])
        return found[:MOST_NESTED]

    def _allowed(self, config: "Config", names: list[str], nested: list[str]) -> list[Store]:
        """Return the stores that may be read; a permission given later is a change of what the index is made from.

        nested: the folders with nested stores that are to be read.
        """
        root = self.repository.root
        found = []
        for store in named_stores(root, config.stores, nested):
            if store.label != PERSONAL and outside.is_outside(root, store.folder):
                names.append(outside.mark_of(root, store.folder) or store.folder)
            if is_barred_store(root, store):
                if is_there(f"{store.folder}/"):
                    add_problems(self.connection, 0, [_not_allowed(root, store)])
            else:
                found.append(store)
        return found

    def _configure(self, names: list[str]) -> "Config":
        """Return the configuration in force, read again only where one of its files changed."""
        stamp = signature.stamp_of(names, "")
        self._note_time(names)
        stored = meta(self.connection, "config")
        if stored and stamp == meta(self.connection, "config_stamp") and not meta(self.connection, "unsure"):
            self.keeps_config = True
            return config_of(stored)
        from gatilho.configfile import load  # reads TOML, with regular expressions

        config, problems = load(self.repository.root)
        text = _text_of(config)
        if stored and text != stored:
            # Defaults of files may have changed, and with them rows whose lines did not.
            self.connection.execute("UPDATE file SET stamp = '', checksum = ?", (_READ_AGAIN,))
        self.connection.execute("DELETE FROM problem WHERE file = 0")
        add_problems(self.connection, 0, problems)
        _set_meta(self.connection, "config", text)
        _set_meta(self.connection, "config_stamp", stamp)
        return config

    def _known_files(self) -> dict[str, tuple[int, str, str, int]]:
        found = self.connection.execute("SELECT path, number, stamp, checksum, unsure FROM file")
        return {
            database.text_of_value(path): (number, database.text_of_value(stamp), *rest)
            for path, number, stamp, *rest in found
        }

    def _document(self, store: Store, path: str, lifecycle: str, known: "tuple[int, str, str, int] | None") -> None:
        stamp = signature.stamp_of([path], "")
        unsure = self._note_time([path])
        if known and known[1] == stamp and not known[3]:
            return
        lines = self._lines_of(known)
        try:
            data, problem = _read(path, lines)
        except OSError as error:  # of the machine
            if known:
                self._keep(known[0])
                return
            unsure = self.unsure = True
            data, problem = b"", str(error)
        if known and self.sight.patient and not problem and half_saved.is_cut(path, data, lines):
            self._keep(known[0])
            return
        digest = checksum(data)
        self.may_have_marks = self.may_have_marks or any(word in data for word in _MARK_TRIGGERS)
        if known and not problem and known[2] != _READ_AGAIN and self._is_taken_in(known, digest, data, lifecycle):
            self.connection.execute(
                "UPDATE file SET stamp = ?, unsure = ?, checksum = ? WHERE number = ?",
                (stamp, unsure, digest, known[0]),
            )
            return
        if known:
            self._forget(known[0])
        shown = store.shown(path)
        number = self.connection.execute(
            "INSERT INTO file(store, shown, path, stamp, checksum, unsure) VALUES (?, ?, ?, ?, ?, ?)",
            (store.label, shown, path, stamp, digest, unsure),
        ).lastrowid
        assert number is not None
        if problem:
            self.connection.execute("UPDATE file SET checksum = ? WHERE number = ?", (_READ_AGAIN, number))
            add_problems(self.connection, number, [_unreadable(shown, problem)])
        else:
            add_problems(
                self.connection, number, file_rows(self.connection, number, data, shown, lifecycle, store.label)
            )

    def _keep(self, number: int) -> None:
        """Leave the rows of a file as they were read last, until the next event looks again."""
        self.unsure = True
        self.connection.execute("UPDATE file SET stamp = '', unsure = 1 WHERE number = ?", (number,))

    def _lines_of(self, known: "tuple[int, str, str, int] | None") -> int:
        """Return how many whole lines the file had when it was read last."""
        if not known:
            return 0
        found = self.connection.execute("SELECT lines FROM file WHERE number = ?", (known[0],)).fetchone()
        return max(0, (found[0] or 0) - 1)

    def _is_taken_in(self, known: tuple[int, str, str, int], digest: str, data: bytes, lifecycle: str) -> bool:
        return known[2] == digest or patch_rows(self.connection, known[0], data, lifecycle)

    def _forget(self, number: int) -> None:
        of_all = "(SELECT sum(lines) FROM file)"
        query = f"SELECT 1 FROM file WHERE number = ? AND lines > {_MANY_LINES} AND lines > {of_all} / 2"
        if self.connection.execute(query, (number,)).fetchone():
            drop_keys(self.connection)
        for statement in (
            "DELETE FROM trigger WHERE row IN (SELECT number FROM row WHERE file = ?)",
            "DELETE FROM row WHERE file = ?",
            "DELETE FROM problem WHERE file = ?",
            "DELETE FROM file WHERE number = ?",
        ):
            self.connection.execute(statement, (number,))

    def _ledger(self, store: Store, listed: "Iterable[str] | None" = None) -> None:
        """Take in the ledger files that are new, drop those that are gone: none is ever changed.

        The names are kept as two texts, for ten thousand records would take longer to read than all else, and the
        text of all of them longer to write than the few that are new.
        """
        self._note_time([store.ledger])
        keys = f"ledger {store.label}{store.subtree}", f"ledger, new {store.label}{store.subtree}"
        before, newer = (meta(self.connection, key) for key in keys)
        known = set(f"{before}/{newer}".split("/")) - {""}
        names = set(bounded.folder_names(store.ledger) if listed is None else listed)
        new = names - known
        # Where as many known names are there as before none has gone, and two large sets need not be compared.
        gone = known - names if len(names) - len(new) < len(known) else set()
        # Asked before and after: the file that goes or comes may be the one with the rename.
        had_renames = self._has_renames(store)
        rows = [row for name in gone for row in self._drop_ledger_file(store, name)]
        added = []
        for name in sorted(new):
            found = self._add_ledger_file(store, name)
            if found is not None:
                added.append(name)
                rows += found
        if not added and not gone:
            return
        self._forget_tallies(store, set(rows), had_renames or self._has_renames(store))
        together = "/".join(filter(None, (newer, *added)))
        if gone or len(together) > _MOST_APART:
            _set_meta(self.connection, keys[0], "/".join((*(known - gone), *added)))
            together = ""
        _set_meta(self.connection, keys[1], together)

    def _has_renames(self, store: Store) -> bool:
        query = "SELECT 1 FROM entry WHERE event = 'renamed' AND store = ? LIMIT 1"
        return self.connection.execute(query, (store.label,)).fetchone() is not None

    def _forget_tallies(self, store: Store, rows: set[str], have_more_names: bool) -> None:
        """Forget what the entries of those rows came to; of all rows where some have more than one name."""
        if have_more_names or len(rows) > _MOST_ROWS:
            self.connection.execute("DELETE FROM tally WHERE store = ?", (store.label,))
            return
        for row in rows:
            self.connection.execute("DELETE FROM tally WHERE store = ? AND row = ?", (store.label, row))

    def _drop_ledger_file(self, store: Store, name: str) -> list[str]:
        """Forget the lines of a file; return the rows that they are about."""
        rows = []
        query = "SELECT number FROM ledger_file WHERE store = ? AND name = ?"
        for (number,) in self.connection.execute(
            query, (store.label, store.shown(f"{store.ledger}/{name}"))
        ).fetchall():
            found = self.connection.execute("SELECT row FROM entry WHERE ledger_file = ?", (number,)).fetchall()
            rows += [database.text_of_value(row) for (row,) in found]
            self.connection.execute("DELETE FROM entry WHERE ledger_file = ?", (number,))
            self.connection.execute("DELETE FROM ledger_file WHERE number = ?", (number,))
        return rows

    def _add_ledger_file(self, store: Store, name: str) -> list[str] | None:
        """Add the lines of a file; return the rows that they are about, None where it cannot be read now."""
        if not may_hold_tables(name):
            return []
        from gatilho.ledger import lines as ledger

        try:
            data, problem = _read(f"{store.ledger}/{name}")
        except OSError:  # the next event tries again
            self.unsure = True
            return None
        if problem:
            return None
        number = self.connection.execute(
            "INSERT INTO ledger_file(store, name) VALUES (?, ?)", (store.label, store.shown(f"{store.ledger}/{name}"))
        ).lastrowid
        entries, _ = ledger.parse_ledger(data, name)
        self.connection.executemany(
            "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (number, store.label, e.id, e.when, e.event, _digits(e.rides), _digits(e.base), e.session, e.commit,
                 e.by, e.evidence) for e in entries
            ],
        )  # fmt: skip
        return [e.id for e in entries]

    def _note_time(self, paths: list[str]) -> bool:
        """Return whether one of the files changed so recently that its stamp may stand for two contents."""
        recent = False
        for path in paths:
            try:
                found = os.stat(path)
            except OSError:
                continue
            newest = max(found.st_mtime_ns, found.st_ctime_ns)
            tick = TICK if newest % 1_000_000_000 else _COARSE_TICK
            recent = recent or newest > self.now - tick
        self.unsure = self.unsure or recent
        return recent

    def _finish(self, names: list[str]) -> None:
        # Once more: what was written while the tables were read is newer than `now`.
        self._note_time([*names, *(name for below in self.by_subtree.values() for name in below)])
        stamp = signature.stamp_of(names, self.where, self.by_subtree)
        make_keys(self.connection)
        _set_meta(self.connection, "stamp", stamp)
        _set_meta(self.connection, "unsure", "1" if self.unsure else "")
        # A stamp that fits two contents may not let the fast path end early.
        if self.unsure:
            remove_quietly(self.repository.own_state + signature.FILE)
        else:
            self._write_signature(stamp)

    def _write_signature(self, stamp: str) -> None:
        data = signature.signature_bytes(
            signature.Signature(stamp, *bitmaps_of(self.connection), anchors_of(self.connection))
        )
        _replace(self.repository.own_state + signature.FILE, data)


def bitmaps_of(connection: database.Connection) -> tuple[bytes, bytes]:
    """Return what the signature says of the triggers: those of paths, and those of commands."""
    paths, commands = (_bitmap_of(connection, field) for field in (0, 1))
    return paths, commands


def anchors_of(connection: database.Connection) -> tuple[str, ...]:
    """Return the files that rows name in full, and the folders (with a slash at the end) that they name the files of.

    As many as can be looked at around every command.
    """
    found = connection.execute(
        "SELECT DISTINCT plain, needle, subtree FROM trigger WHERE field = 0 AND folded = 0 AND kind != 'read' AND "
        "(plain = 'is' OR (plain LIKE 'glob:%/%' AND plain NOT LIKE '%*%' AND plain NOT LIKE '%?%')) LIMIT ?",
        (_MOST_ANCHORS,),
    )
    names = (below + (needle if plain == "is" else plain[len("glob:") :].lstrip("/")) for plain, needle, below in found)
    begun = connection.execute(
        "SELECT DISTINCT plain, needle, subtree FROM trigger WHERE field = 0 AND folded = 0 AND kind != 'read' AND "
        "((plain = 'starts' AND needle LIKE '%/%') OR plain LIKE 'glob:%/%*%') LIMIT ?",
        (_MOST_FOLDERS,),
    )
    folders = [
        below + _folder_of(needle if plain == "starts" else plain[len("glob:") :]) for plain, needle, below in begun
    ]
    return tuple(dict.fromkeys(name for name in (*names, *folders) if name and "\n" not in name))


def _folder_of(beginning: str) -> str:
    """Return the folder that all matches lie in, "" for the root of the repository."""
    literal = beginning.lstrip("/")
    for mark in "*?[":
        literal = literal.partition(mark)[0]
    return literal[: literal.rfind("/") + 1]


def _bitmap_of(connection: database.Connection, field: int) -> bytes:
    found = connection.execute("SELECT DISTINCT gram FROM trigger WHERE field = ?", (field,))
    numbers = [record[0] for record in found]
    return signature.everything() if NO_NEEDLE in numbers else signature.bitmap_of(numbers)


def _read(path: str, lines: int = 0) -> tuple[bytes, str]:
    """Return the bytes of a regular file, and "" or why they cannot be had; lines: how many it had.

    Raises OSError where the machine refuses to read it.
    """
    try:
        data = half_saved.read_saved_bytes(path, lines)
        is_wide = data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data[:4]
        return (b"", "it is UTF-16, not UTF-8") if is_wide else (data, "")
    except OSError as error:
        if bounded.is_of_machine(error):
            raise
        return b"", error.strerror or str(error)


def _unreadable(shown: str, reason: str) -> Problem:
    message = f"the file cannot be read: {reason}"
    return Problem(
        "GT100", "error", Place(shown, 1), message, "make it a readable file in UTF-8; until then its rows do not speak"
    )


def _not_allowed(root: str, store: Store) -> Problem:
    name = store.label or FOLDER
    file = FILE if is_there(f"{root}/{FILE}") else PYPROJECT
    message = f"the store {name} lies outside the repository, and its rows do not speak before you allow it here"
    remedy = f"run `gatilho allow --store {_quoted(name)}` in your own terminal"
    return Problem(NOT_ALLOWED, "warning", Place(file if store.label else FOLDER, 1), message, remedy)


def _left_out(store: Store, text: str) -> Problem:
    place = Place(store.label or store.shown(store.folder), 1)
    return Problem(TOO_MUCH, "error", place, text, "keep the tables alone in that folder")


def _quoted(name: str) -> str:
    from shlex import quote

    return quote(name)


def _digits(number: int | None) -> str | None:
    return None if number is None else str(number)


def _replace(path: str, data: bytes) -> None:
    """Put a cache file in place at once; a folder that cannot be written is done without."""
    temporary = f"{path}.{os.getpid()}.{time.monotonic_ns()}"
    try:
        with open(temporary, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError:
        remove_quietly(temporary)
