"""Which files make up the stores of a working tree: the repository's own, the person's, and the configured ones."""

import os

from gatilho.index.signature import personal_folder
from gatilho.model import Value

FOLDER = "docs/gatilhos"
PERSONAL = "personal"
# What decides whether the hooks run, besides the configuration: looked at on every call, and where it is there.
ALWAYS_REGISTERED = ("scripts/gatilho.py", ".claude/settings.json", ".claude/settings.local.json")
# A test compares both with the records of the hosts.
REGISTRATIONS = (
    ".amp/plugins/", ".cline/hooks/",
    ".clinerules/hooks/", ".codex/hooks.json", ".codex/config.toml", ".github/hooks/gatilho.json", ".github/hooks/",
    ".github/copilot/settings.json", ".github/copilot/settings.local.json", ".cursor/hooks.json", ".factory/hooks.json",
    ".factory/settings.json", ".gemini/settings.json", ".kiro/hooks/gatilho.json", ".kiro/hooks/", ".opencode/plugins/",
    ".opencode/plugin/", "opencode.json", "opencode.jsonc", ".qwen/settings.json", ".windsurf/hooks.json",
)  # fmt: skip


class Store(Value):
    """A folder of tables. label: "" for the repository's own, else what distinguish it. base: its git tree."""

    label: str
    base: str
    folder: str

    @property
    def ledger(self) -> str:
        return self.folder + "/ledger"

    def overlaps(self, other: "Store") -> bool:
        """Return whether one of the two folders lies within the other, or both are one."""
        one, two = (store.folder.rstrip("/") + "/" for store in (self, other))
        return one.startswith(two) or two.startswith(one)

    def shown(self, path: str) -> str:
        """Return the name by which messages call one of its files:
        relative to the repository for the repository's own.
        """
        return path[len(self.base) + 1 :] if self.label == "" and path.startswith(self.base + "/") else path


def stores_of(root: str, further: "tuple[str, ...] | list[str]" = ()) -> list[Store]:
    """Return the stores of a working tree, its own first. `further`: folders as the configuration names them.

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
    """Return the Markdown files of a store that may hold tables, and the folders they were found in.

    Absolute, sorted.
    """
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
    """Return whether a file of that name below the store's folder, its ledger included, is read for tables."""
    # A line feed in a name would break the stamp; git quotes such names, and no editor makes them by mistake.
    return name.endswith(".md") and name.lower() != "readme.md" and "\n" not in name


def is_store_file(name: str) -> bool:
    """Return whether a name relative to the root names a table or a ledger file."""
    folder, _, rest = name.partition(FOLDER + "/")
    if folder or not rest:
        return False
    if is_ledger_file(name):
        return True
    return not rest.startswith("ledger/") and may_hold_tables(rest.rsplit("/", 1)[-1])


def is_ledger_file(name: str) -> bool:
    """Return whether a name relative to the root names a ledger file."""
    rest = name.removeprefix(f"{FOLDER}/ledger/")
    return rest != name and "/" not in rest and may_hold_tables(rest)


def ledger_files(store: Store) -> list[str]:
    """Return the names of a store's ledger files, sorted."""
    try:
        return sorted(filter(may_hold_tables, os.listdir(store.ledger)))
    except OSError:
        return []
