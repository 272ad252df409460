"""Which files make up the stores of a working tree: the repository's own, the person's, and the configured ones.

The repository's own store is the folder below its root and one below each folder with rows of its own, its nested
stores: one label, so that ids, review and history are those of one store, and as many ledgers as folders.
"""

import time

from gatilho import bounded, outside
from gatilho import system as os
from gatilho.bounded import is_there
from gatilho.index.signature import personal_folder
from gatilho.model import STORE, Value, subtree_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER = STORE
PERSONAL = "personal"
# Before the name of a pack, in the label of its store.
PACK = "pack "
# Nested stores that are read at all.
MOST_NESTED = 1_000
# More than any store has, and few enough for a hook to look through: names, folders in folders, seconds.
MOST_ENTRIES = 20_000
_MOST_FOLDERS = 1_000
_DEEPEST = 12
_LONGEST_WALK = 2.0
# What decides whether the hooks run, besides the configuration: looked at on every call, and where it is there.
ALWAYS_REGISTERED = ("scripts/gatilho.py", ".claude/settings.json", ".claude/settings.local.json")
# A test compares both with the records of the hosts.
REGISTRATIONS = (
    ".amp/plugins/", ".amp/plugins/gatilho.js", ".cline/hooks/",
    ".clinerules/hooks/", ".codex/hooks.json", ".codex/config.toml", ".github/hooks/gatilho.json", ".github/hooks/",
    ".github/copilot/settings.json", ".github/copilot/settings.local.json", ".cursor/hooks.json", ".factory/hooks.json",
    ".factory/settings.json", ".gemini/settings.json", ".kiro/hooks/gatilho.json", ".kiro/hooks/", ".opencode/plugins/",
    ".opencode/plugins/gatilho.js",
    ".opencode/plugin/", "opencode.json", "opencode.jsonc", ".qwen/settings.json", ".windsurf/hooks.json",
)  # fmt: skip


class Store(Value):
    """A folder of tables. label: "" for the repository's own, else what distinguish it. base: its git tree."""

    label: str
    base: str
    folder: str

    @property
    def subtree(self) -> str:
        """Return the folder that a nested store is about, with a slash at the end; "" for any other store."""
        return "" if self.label else subtree_of(self.shown(f"{self.folder}/"))

    @property
    def ledger(self) -> str:
        return self.folder + "/ledger"

    def overlaps(self, other: "Store") -> bool:
        """Return whether one of the two folders lies within the other, or both are one."""
        one, two = (store.folder.rstrip("/") + "/" for store in (self, other))
        return one.startswith(two) or two.startswith(one)

    def shown(self, path: str) -> str:
        """Return the name by which messages call one of its files: of the own store's, relative to the root."""
        return path[len(self.base) + 1 :] if self.label == "" and path.startswith(self.base + "/") else path


def own_stores(root: str, nested: "Iterable[str]" = ()) -> list[Store]:
    """Return the repository's own store, folder by folder. nested: the folders that have one, ending in a slash."""
    return [Store("", root, f"{root}/{subtree}{FOLDER}") for subtree in ("", *nested)]


def stores_of(root: str, further: "tuple[str, ...] | list[str]" = (), nested: "Iterable[str]" = ()) -> list[Store]:
    """Return the stores of a working tree, its own first. `further`: folders as the configuration names them.

    A further store is a checkout with a `docs/gatilhos` of its own, or a folder of tables. One that lies within another
    or around it is left out, for its rows would speak twice, and so is one that a person has to allow first.
    """
    return [
        store for store in named_stores(root, further, nested) if not store.label or not is_barred_store(root, store)
    ]


def is_barred_store(root: str, store: Store) -> bool:
    """Return whether a person has to allow a store first: it lies outside the repository, and is not the person's."""
    return store.label != PERSONAL and outside.is_barred(root, store.folder)


def named_stores(root: str, further: "tuple[str, ...] | list[str]" = (), nested: "Iterable[str]" = ()) -> list[Store]:
    """Return the same with those that no person has allowed."""
    found = own_stores(root)
    personal = personal_folder()
    if personal:
        found.append(Store(PERSONAL, personal, personal))
    for name in further:
        store = _further_store(root, name)
        if not any(store.overlaps(other) for other in found):
            found.append(store)
    # What the configuration names speaks as it says, also where it would be found by itself.
    return found[:1] + [one for one in own_stores(root, nested)[1:] if not any(map(one.overlaps, found))] + found[1:]


def _further_store(root: str, name: str) -> Store:
    from os.path import expanduser, isdir, join, normpath

    base = normpath(join(root, expanduser(name)))
    inner = f"{base}/{FOLDER}"
    return Store(name, base, inner if isdir(inner) else base)


def pack_stores(state: str, packs: "Iterable[tuple[str, str, str]]") -> list[Store]:
    """Return the copies of packs below the state folder that all working trees share, there or not."""
    folders = ((name, f"{state}/packs/{name}/{rev}") for name, _, rev in packs)
    return [Store(PACK + name, folder, folder) for name, folder in folders]


def documents_of(store: Store) -> list[str]:
    """Return the Markdown files of a store that may hold tables: absolute, sorted."""
    return walk(store)[0]


def documents_by_name(stores: "Iterable[Store]") -> dict[str, str]:
    """Return the paths of the files of stores that may hold tables, by the names that people see."""
    return {store.shown(path): path for store in stores for path in documents_of(store)}


def walk(store: Store) -> tuple[list[str], list[str], list[str]]:
    """Return the same, the folders they were found in, and what was left out of them as sentences."""
    if store.label == "" and outside.is_barred(store.base, store.folder):
        return [], [store.folder], []
    found = _Walk(store)
    found.run()
    return sorted(found.documents), sorted(found.folders) or [store.folder], found.left_out


class _Walk:
    """One walk over the folders of a store, nearest first, so that what the bounds cut is what lies deepest."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.documents: list[str] = []
        self.folders: list[str] = []
        self.left_out: list[str] = []
        self._entries = 0
        self._deadline = time.monotonic() + _LONGEST_WALK
        self._real = outside.real_path(store.folder) + "/"
        self._inside = [self._real, outside.real_path(store.base) + "/"]

    def run(self) -> None:
        waiting = [self.store.folder]
        for depth in range(_DEEPEST + 1):
            below: list[str] = []
            for folder in waiting:
                if len(self.folders) >= _MOST_FOLDERS or not self._list(folder, below):
                    return self._cut()
            waiting = sorted(below)
            if waiting and depth == _DEEPEST:
                return self._cut()
        return None

    def _list(self, folder: str, below: list[str]) -> bool:
        """Add what a folder holds; False where it is too much."""
        try:
            listing = os.scandir(folder)
        except OSError as error:
            if bounded.is_of_machine(error):
                raise  # else its rows would be gone until it changes
            return True
        self.folders.append(folder)
        with listing as entries:
            try:
                for entry in entries:
                    self._entries += 1
                    if self._entries > MOST_ENTRIES or time.monotonic() > self._deadline:
                        return False
                    self._add(folder, entry, below)
            except OSError as error:  # as below /proc, where a folder's process may have ended
                if bounded.is_of_machine(error):
                    raise
                return True
        return True

    def _add(self, folder: str, entry: "os.DirEntry[str]", below: list[str]) -> None:
        path = f"{folder}/{entry.name}"
        try:
            is_folder = entry.is_dir(follow_symlinks=False)
        except OSError:
            is_folder = False
        if is_folder:
            if path != self.store.ledger:
                below.append(path)
        elif may_hold_tables(entry.name):
            real = outside.real_path(path) if entry.is_symlink() else ""
            if real.startswith(self._real) and may_hold_tables(real.rsplit("/", 1)[-1]) and is_there(real):
                return  # the file itself is read, and its rows would speak twice
            leads = f"{self.store.shown(path)} is a link that leads out of the store:"
            if real and not real.startswith(tuple(self._inside)):
                self.left_out.append(f"{leads} it is not read")
                return
            if real and not real.startswith(self._real):
                self.left_out.append(f"{leads} its rows speak, and nothing is written to it")
            self.documents.append(path)

    def _cut(self) -> None:
        bounds = f"{MOST_ENTRIES:,} files, {_MOST_FOLDERS:,} folders, {_DEEPEST} levels or {_LONGEST_WALK:g} seconds"
        shown = self.store.label or self.store.shown(self.store.folder)
        self.left_out.append(f"the store {shown} has more than {bounds}: what is further down is not read")


def may_hold_tables(name: str) -> bool:
    """Return whether a file of that name below the store's folder, its ledger included, is read for tables."""
    # A line feed in a name would break the stamp; git quotes such names, and no editor makes them by mistake.
    return name.endswith(".md") and name.lower() != "readme.md" and "\n" not in name


def name_in_store(name: str) -> str:
    """Return the name of a file from its store's folder on, "" where a name relative to the root names none in one.

    The store may be a nested one; `sources` of the configuration name files so.
    """
    return name[len(subtree_of(name)) :].removeprefix(FOLDER + "/") if f"/{FOLDER}/" in f"/{name}" else ""


def is_below_store(name: str) -> bool:
    """Return whether a name relative to the root names a store's folder, or what lies in it."""
    return name[:1] != "/" and f"/{FOLDER}/" in f"/{name}/"


def is_store_file(name: str) -> bool:
    """Return whether a name relative to the root names a table or a ledger file."""
    rest = name_in_store(name)
    if not rest or is_ledger_file(name):
        return bool(rest)
    return not rest.startswith("ledger/") and may_hold_tables(rest.rsplit("/", 1)[-1])


def is_ledger_file(name: str) -> bool:
    """Return whether a name relative to the root names a ledger file."""
    rest = name_in_store(name).removeprefix("ledger/")
    return rest != name_in_store(name) and "/" not in rest and may_hold_tables(rest)


def ledger_files(store: Store) -> list[str]:
    """Return the names of a store's ledger files, sorted; none where a link leads out of what a person allowed."""
    if store.label == "" and outside.is_barred(store.base, store.ledger):
        return []
    return sorted(filter(may_hold_tables, bounded.folder_names(store.ledger)))
