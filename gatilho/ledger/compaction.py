"""Packs the ledger files of finished months into one file each, named by its content; the fold stays what it was."""

import os
from hashlib import sha256

from gatilho import files
from gatilho.ledger import lines as ledger
from gatilho.model import Place, Problem, Value
from gatilho.tables import Store, ledger_files


class Pack(Value):
    """The files of one month, and the one that takes their place: its name and its bytes."""

    month: str
    originals: tuple[str, ...]
    name: str
    data: bytes


def plan(store: Store, today: str) -> tuple[list[Pack], list[Problem]]:
    """What may be packed: the months before that of `today` (ISO); a file that cannot be read whole stays as it is."""
    by_month: dict[str, list[str]] = {}
    for name in ledger_files(store):
        month = name[:7]
        if _is_month(month) and month < today[:7]:
            by_month.setdefault(month, []).append(name)
    packs: list[Pack] = []
    problems: list[Problem] = []
    for month, names in sorted(by_month.items()):
        pack, wrong = _pack(store, month, names)
        problems += wrong
        if pack is not None:
            packs.append(pack)
    return packs, problems


def write(store: Store, pack: Pack) -> None:
    """Write the pack, remove what it holds; raises OSError. Killed in between, both are there, which folds the same."""
    path = f"{store.ledger}/{pack.name}"
    try:
        files.create(path, pack.data)
    except FileExistsError:
        if files.read(path) != pack.data:
            raise
    for name in pack.originals:
        os.unlink(f"{store.ledger}/{name}")


def _pack(store: Store, month: str, names: list[str]) -> tuple[Pack | None, list[Problem]]:
    """The pack of a month, None where there is nothing to gain; equal lines are kept once, for they count once."""
    entries: dict[ledger.Entry, None] = {}
    problems: list[Problem] = []
    originals = []
    for name in names:
        found, wrong = _read_whole(f"{store.ledger}/{name}", store.shown(f"{store.ledger}/{name}"))
        problems += wrong
        if not wrong:
            originals.append(name)
            entries.update(dict.fromkeys(found))
    if len(originals) < 2:
        return None, problems
    data = ledger.render(sorted(entries, key=lambda entry: (ledger.moment(entry.when), entry.id, repr(entry))))
    name = f"{month}-{sha256(data).hexdigest()[:16]}.md"
    return Pack(month, tuple(one for one in originals if one != name), name, data), problems


def _read_whole(path: str, shown: str) -> tuple[list[ledger.Entry], list[Problem]]:
    """The entries of a file, and what keeps it from being packed: what cannot be read, or would be lost."""
    try:
        data = files.read(path)
    except OSError as error:
        return [], [_staying(shown, 1, f"the file cannot be read: {error.strerror or error}")]
    entries, problems = ledger.read(data, shown)
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").splitlines(), 1):
        if line.strip() and b"|" not in line and not problems:
            problems.append(_staying(shown, number, "there is text besides the table"))
    return entries, problems


def _staying(shown: str, line: int, message: str) -> Problem:
    return Problem("GT901", "error", Place(shown, line), message, "Make it a readable file of one table.")


def _is_month(text: str) -> bool:
    return len(text) == 7 and text[4] == "-" and text.replace("-", "").isdigit()
