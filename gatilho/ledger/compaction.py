"""Packs the ledger files of finished months into one file each, named by its content; the fold stays what it was."""

import os
from codecs import BOM_UTF8
from hashlib import sha256

from gatilho import bounded, files
from gatilho.ledger import lines as ledger
from gatilho.model import Place, Problem, Value
from gatilho.tables import Store, ledger_files

# In larger files too many pieces would be equal by chance where git compares them (see `ledger`).
MOST_LINES = 1000


class Pack(Value):
    """The files of one month, and one that takes their place: its name and its bytes.

    originals: what is removed; of several packs that take their place the last one has them all.
    """

    month: str
    originals: tuple[str, ...]
    name: str
    data: bytes


def plan_packs(store: Store, today: str) -> tuple[list[Pack], list[Problem]]:
    """Return what may be packed: the months before `today` (ISO), in files that can be read whole."""
    by_month: dict[str, list[str]] = {}
    for name in ledger_files(store):
        month = name[:7]
        if _is_month(month) and month < today[:7]:
            by_month.setdefault(month, []).append(name)
    packs: list[Pack] = []
    problems: list[Problem] = []
    for month, names in sorted(by_month.items()):
        found, wrong = _pack(store, month, names)
        packs += found
        problems += wrong
    return packs, problems


def write_pack(store: Store, pack: Pack) -> None:
    """Write the pack, remove what it holds; raises OSError. Killed in between, both are there, which folds the same."""
    path = f"{store.ledger}/{pack.name}"
    try:
        files.create(path, pack.data)
    except FileExistsError:
        if bounded.read(path) != pack.data:
            raise
    for name in pack.originals:
        os.unlink(f"{store.ledger}/{name}")


def _pack(store: Store, month: str, names: list[str]) -> tuple[list[Pack], list[Problem]]:
    """Return the packs of a month, none where there is nothing to gain; equal lines are kept once, for they count once.

    A full pack stays as it is. What comes later is packed with the last one, which is not full.
    """
    entries: dict[ledger.Entry, None] = {}
    problems: list[Problem] = []
    originals: list[str] = []
    shift = 0
    whole: dict[str, list[ledger.Entry]] = {}
    for name in names:
        found, shifted, wrong = _read_whole(f"{store.ledger}/{name}", store.shown(f"{store.ledger}/{name}"))
        problems += wrong
        if wrong or (shifted and len(found) >= MOST_LINES):
            continue
        originals.append(name)
        entries.update(dict.fromkeys(found))
        shift = max(shift, shifted)
        if shifted:
            whole[name] = found
    if len(originals) < 2:
        return [], problems
    lines = sorted(entries, key=lambda entry: (ledger.moment(entry.when), entry.id, repr(entry)))
    for name, found in whole.items():
        if found == lines:  # the others are in it already
            rest = tuple(one for one in originals if one != name)
            return [Pack(month, rest, name, bounded.read(f"{store.ledger}/{name}"))], problems
    parts = [lines[start : start + MOST_LINES] for start in range(0, len(lines), MOST_LINES)]
    # Other blanks than in any original: git takes a pack whose lines are the same for a renamed file.
    packs = [_packed(month, part, shift + 1) for part in parts]
    return [*packs[:-1], packs[-1].replace(originals=tuple(originals))], problems


def _packed(month: str, lines: list[ledger.Entry], shift: int) -> Pack:
    data = ledger.ledger_bytes(lines, shift)
    return Pack(month, (), f"{month}-{sha256(data).hexdigest()[:16]}.md", data)


def _read_whole(path: str, shown: str) -> tuple[list[ledger.Entry], int, list[Problem]]:
    """Return the entries of a file, its shift, and what keeps it from being packed: what cannot be read, or is lost."""
    try:
        data = bounded.read(path)
    except OSError as error:
        return [], 0, [_staying(shown, 1, f"the file cannot be read: {error.strerror or error}")]
    entries, problems = ledger.parse_ledger(data, shown)
    for number, line in enumerate(data.removeprefix(BOM_UTF8).splitlines(), 1):
        if line.strip() and b"|" not in line and not ledger.is_comment(line) and not problems:
            problems.append(_staying(shown, number, "there is text besides the table"))
    return entries, ledger.shift_of(data), problems


def _staying(shown: str, line: int, message: str) -> Problem:
    return Problem("GT901", "error", Place(shown, line), message, "Make it a readable file of one table.")


def _is_month(text: str) -> bool:
    return len(text) == 7 and text[4] == "-" and text.replace("-", "").isdigit()
