"""The flat file that shows, without a database, that no row can be concerned by a path or a command.

Layout: one line `gatilho-signature VERSION CHECKSUM LENGTH LENGTH`, then the stamp and the files that rows name, a
line each (as many bytes as the line says), then one bitmap for paths and one for commands. A bitmap has one bit for
each trigram that some row is filed under: three bytes of text, each reduced to one of 64 classes (letters without
case, digits, the marks of paths, and 23 shared by all else), so 2^18 bits are exact for ordinary paths, and 32 KiB
are read in no time. A bit too many costs a look into the index; a bit too few would lose a warning, and none is: the
bits come from the same reduction that the question goes through.
"""

from gatilho import bounded
from gatilho import system as os
from gatilho.value import Value
from gatilho.wire import checksum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

VERSION = "3"
FILE = "/signature"
BITMAP = (1 << 18) // 8
_MAGIC = b"gatilho-signature "
_MARKS = b"/._- "
# A text of more bytes says the same three letters more than once.
_LONG = 512


def _classes() -> bytes:
    """Return the class (0..63) of each byte."""
    table = bytearray((bytes(range(41, 64)) * 12)[:256])
    table[97:123] = table[65:91] = bytes(range(26))
    table[48:58] = bytes(range(26, 36))
    for number, mark in enumerate(_MARKS):
        table[mark] = 36 + number
    return bytes(table)


CLASSES = _classes()


def grams(text: str, most: int = 0) -> set[int]:
    """Return the numbers (0 .. 2^18 - 1) of the trigrams in a text; `most` (0: all) that lie evenly in it."""
    reduced = text.encode("utf-8", "surrogatepass").translate(CLASSES)
    step = len(reduced) // most + 1 if most else 1
    return {a << 12 | b << 6 | c for a, b, c in zip(reduced[::step], reduced[1::step], reduced[2::step])}


def bitmap_of(numbers: "set[int] | list[int]") -> bytes:
    """Return the bitmap with those trigrams' bits set."""
    bits = bytearray(BITMAP)
    for number in numbers:
        bits[number >> 3] |= 1 << (number & 7)
    return bytes(bits)


def everything() -> bytes:
    """Return the bitmap where a row has no needle of three bytes: every text may concern it."""
    return b"\xff" * BITMAP


def may_concern(bitmap: "bytes | memoryview", text: str) -> bool:
    """Return whether a row filed in the bitmap can match the text."""
    reduced = text.encode("utf-8", "surrogatepass").translate(CLASSES)
    threes = zip(reduced, reduced[1:], reduced[2:])
    for a, b, c in set(threes) if len(reduced) > _LONG else threes:
        number = a << 12 | b << 6 | c
        if bitmap[number >> 3] >> (number & 7) & 1:
            return True
    # A text of fewer than three bytes has no trigram, yet a row without a needle may match it.
    return len(reduced) < 3 and bitmap == everything()


# Before the part of a stamp that one nested store has; the folder that it is about comes next.
_NESTED = "\n@ "


class Signature(Value):
    """What the file says: its stamp's text, the two bitmaps, and the files that rows name in full, from the root on."""

    stamp: str
    paths: "bytes | memoryview"
    commands: "bytes | memoryview"
    anchors: tuple[str, ...] = ()


def stamp_of(names: list[str], where: str, nested: "dict[str, list[str]] | None" = None) -> str:
    """Return a stamp that is the same while nothing which the index was made from has changed since.

    One line for each file and folder (absolute names, also of such as are absent): when its content and its directory
    entry changed, in nanoseconds, its size, its inode. A restored modification time still moves the change time; a
    replaced file has another inode. `where`: what `whereabouts` says. nested: the names of nested stores, which an
    event that touches nothing below their folder need not look at.
    """
    own = where + "".join(map(_line, names))
    return own + "".join(stamp_of(below, f"{_NESTED}{subtree}") for subtree, below in (nested or {}).items())


def _line(name: str) -> str:
    try:
        found = os.stat(name)
    except (OSError, ValueError):
        return f"\n- {name}"
    return f"\n{found.st_mtime_ns} {found.st_ctime_ns} {found.st_size} {found.st_ino} {name}"


def names_changed_since(stamp: str) -> list[str]:
    """Return the names of the files and folders in a stamp that are not as they were, those of nested stores too."""
    return [name for part in stamp.split(_NESTED) for name, was in _stamped(part) if _line(name) != was]


def still_true(
    stamp: str, where: str, except_for: str = "", subtrees: "Iterable[str]" = (), alone: bool = False
) -> bool:
    """Return whether all that a stamp was made from is as it was; except_for: the end of what may have changed.

    subtrees: the folders with nested stores that are in sight, and must be known. alone: the others are not looked at.
    """
    own, *nested = stamp.split(_NESTED)
    known = {part.partition("\n")[0]: part for part in nested}
    if own.partition("\n")[0] != where or not all(subtree in known for subtree in subtrees):
        return False
    parts = [own, *(known[subtree] for subtree in (subtrees if alone else known))]
    return all(_is_as_it_was(*one, except_for) for part in parts for one in _stamped(part))


def nested_as_they_were(stamp: str) -> dict[str, list[str]]:
    """Return the names in the parts of a stamp that nested stores have and that are as they were, by their folders."""
    parts = {part.partition("\n")[0]: _stamped(part) for part in stamp.split(_NESTED)[1:]}
    return {
        subtree: [name for name, _ in stamped]
        for subtree, stamped in parts.items()
        if all(_is_as_it_was(name, line, "") for name, line in stamped)
    }


def has_store_below(stamp: str, name: str) -> bool:
    """Return whether a name relative to the root names a folder with a nested store in it."""
    return _NESTED in stamp and f"{_NESTED}{name.removesuffix('/docs')}/" in stamp


def _stamped(part: str) -> "list[tuple[str, str]]":
    """Return the names in a stamp, or in a part of it, each with its line."""
    # A name may have blanks, so only the four numbers in front of it are cut off. One with a line ending in it cannot
    # be read back: what is taken for its name is not there, and such a stamp counts as old.
    lines = part.split("\n")[1:]
    return [(line[2:] if line.startswith("- ") else line.split(" ", 4)[-1], f"\n{line}") for line in lines]


def _is_as_it_was(name: str, line: str, except_for: str) -> bool:
    return _line(name) == line or bool(except_for and name.endswith(except_for))


def whereabouts(root: str) -> str:
    """Return the working tree that an index is of, and where the person's own tables would be."""
    return f"{root} {personal_folder()}"


def personal_folder() -> str:
    """Return where the person's own tables are, "" where there is no home."""
    return _folder_of_person("XDG_CONFIG_HOME", ".config")


def state_folder() -> str:
    """Return where permissions are kept, and what belongs to no repository; "" where there is no home."""
    return _folder_of_person("XDG_STATE_HOME", ".local/state")


def _folder_of_person(name: str, usual: str) -> str:
    home = variable("HOME") or variable("USERPROFILE")
    folder = variable(name) or (f"{home}/{usual}" if home else "")
    return f"{folder}/gatilho" if folder else ""


def variable(name: str) -> str:
    """Return a variable of the environment, "" where it is not set; `posix.environ` holds bytes, `os.environ` text."""
    environ: dict[object, bytes | str] = os.environ  # type: ignore[assignment]
    found = environ.get(name.encode()) or environ.get(name) or ""
    return found.decode("utf-8", "surrogateescape") if isinstance(found, bytes) else found


def load_signature(folder: str) -> Signature | None:
    """Return the signature in a state folder; None where there is none, or one that is not whole and ours."""
    try:
        return parse_signature(bounded.read(folder + FILE))
    except OSError:
        return None


def parse_signature(data: bytes) -> Signature | None:
    """Return the signature in the bytes of its file, None unless they are whole, unchanged and of this version."""
    if not data.startswith(_MAGIC):
        return None
    end = data.find(b"\n")
    words = data[len(_MAGIC) : end].split()
    if len(words) != 4 or words[0] != VERSION.encode() or not (words[2].isdigit() and words[3].isdigit()):
        return None
    body = memoryview(data)[end + 1 :]  # not copied: its pages would take longer to get than to read
    named = int(words[2])
    length = named + int(words[3])
    if len(body) != length + 2 * BITMAP or words[1] != checksum(body).encode():
        return None
    bits = length + BITMAP
    stamp, anchors = (str(part, "utf-8", "surrogateescape") for part in (body[:named], body[named:length]))
    return Signature(stamp, body[length:bits], body[bits:], tuple(anchors.split("\n")) if anchors else ())


def signature_bytes(signature: Signature) -> bytes:
    """Return the bytes of the file."""
    stamp = signature.stamp.encode("utf-8", "surrogateescape")
    anchors = "\n".join(signature.anchors).encode("utf-8", "surrogateescape")
    body = stamp + anchors + signature.paths + signature.commands
    return _MAGIC + f"{VERSION} {checksum(body)} {len(stamp)} {len(anchors)}\n".encode() + body
