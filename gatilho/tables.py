"""Which files make up the stores of a working tree: the repository's own, the person's, and the configured ones."""

import os

from gatilho.index.signature import personal_folder
from gatilho.model import Value

FOLDER = "docs/gatilhos"
PERSONAL = "personal"


class Store(Value):
    """A folder of tables. label: "" for the repository's own, else what tells it apart. base: its git tree."""

    label: str
    base: str
    folder: str

    @property
    def ledger(self) -> str:
        return self.folder + "/ledger"

    def overlaps(self, other: "Store") -> bool:
        """Whether one of the two folders lies within the other, or both are one."""
        one, two = (store.folder.rstrip("/") + "/" for store in (self, other))
        return one.startswith(two) or two.startswith(one)

    def shown(self, path: str) -> str:
        """The name by which messages call one of its files: relative to the repository for the repository's own."""
        return path[len(self.base) + 1 :] if self.label == "" and path.startswith(self.base + "/") else path


def stores_of(root: str, further: "tuple[str, ...] | list[str]" = ()) -> list[Store]:
    """The stores that speak in a working tree, its own first. `further`: folders as the configuration names them.

    A further store is a checkout with a `docs/gatilhos` of its own, or a folder of tables. One that lies within another
    or around it is left out, for its rows would speak twice.
    """
    found = [Store("", root, f"{root}/{FOLDER}")]
    personal = personal_folder()
    if personal:
        found.append(Store(PERSONAL, personal, personal))
    for name in further:
        base = os.path.normpath(os.path.join(root, os.path.expanduser(name)))
        inner = f"{base}/{FOLDER}"
        store = Store(name, base, inner if os.path.isdir(inner) else base)
        if not any(store.overlaps(other) for other in found):
            found.append(store)
    return found


def documents_of(store: Store) -> tuple[list[str], list[str]]:
    """The Markdown files of a store that may hold tables, and the folders they were found in; absolute, sorted."""
    documents: list[str] = []
    folders: list[str] = []
    for folder, subfolders, names in os.walk(store.folder):
        if folder == store.folder and "ledger" in subfolders:
            subfolders.remove("ledger")
        subfolders.sort()
        folders.append(folder)
        documents += [f"{folder}/{name}" for name in sorted(names) if may_hold_tables(name)]
    return documents, folders or [store.folder]


def may_hold_tables(name: str) -> bool:
    """Whether a file of that name below the store's folder, its ledger included, is read for tables."""
    # A line feed in a name would break the stamp; git quotes such names, and no editor makes them by mistake.
    return name.endswith(".md") and name.lower() != "readme.md" and "\n" not in name


def is_store_file(name: str) -> bool:
    """Whether a name relative to the root is that of a table or of a ledger file."""
    folder, _, rest = name.partition(FOLDER + "/")
    if folder or not rest:
        return False
    if is_ledger_file(name):
        return True
    return not rest.startswith("ledger/") and may_hold_tables(rest.rsplit("/", 1)[-1])


def is_ledger_file(name: str) -> bool:
    """Whether a name relative to the root is that of a ledger file."""
    rest = name.removeprefix(f"{FOLDER}/ledger/")
    return rest != name and "/" not in rest and may_hold_tables(rest)


def ledger_files(store: Store) -> list[str]:
    """The names of a store's ledger files, sorted."""
    try:
        return sorted(filter(may_hold_tables, os.listdir(store.ledger)))
    except OSError:
        return []
