"""The ledger's files: entries as lines of a table that is written once and never changed.

Git takes two files for one that was renamed when they share half of their bytes, counted in pieces of 64 bytes that
begin anew with each line. Reverts, picks and packing would then conflict inside files that never change. So each file
ends in a comment of text that no other file has, long enough to outweigh all that another may share with it.
"""

import sys
from codecs import BOM_UTF8

from gatilho import bounded
from gatilho.dates import is_time
from gatilho.ledger.tally import STATE_EVENTS, Entry, Tally, by_row, just_after, moment, tally_of
from gatilho.model import Place, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "EVENTS", "HEADER", "STATE_EVENTS", "Entry", "Tally", "as_read", "by_row", "file_name", "tally_of", "just_after",
    "moment", "parse_ledger", "read_folder", "ledger_bytes", "session_hash",
]  # fmt: skip

HEADER = ("when (UTC)", "id", "event", "rides", "base", "session", "commit", "by", "evidence")
EVENTS = (
    "charged", "paid", "reinstated", "regressed", "asked", "allowed", "passed anyway", "waived", "superseded",
    "revoked", "expired", "renamed", "corrected", "set", "violated",
)  # fmt: skip
_NUMBERS = (3, 4)
_HEAD = f"| {' | '.join(HEADER)} |\n|---|---|---|--:|--:|---|---|---|---|\n"
# The piece of a line that git compares as a whole.
_PIECE = 64
# Git keeps pieces by a hash of 17 bits, so some are equal by chance: this much more of a file is its own.
_MARGIN = 1.1
_LEAD = "<!-- so that git takes no two ledger files for one: "
_LONGEST_TEXT = 400
# As in a table, and one more: a ride on the longest number there.
_LONGEST_NUMBER = 1001
# Besides letters and digits these marks mean themselves in Markdown; a text with others goes into a code span.
_PLAIN_MARKS = frozenset(" -+.,:;/()=%'\"!?#…–—_")
_UNSEEN = frozenset("\u200e\u200f\u061c\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")


def file_name(now: str, random_bytes: bytes) -> str:
    """Return the name of a new ledger file: the day of `now` and 8 hex digits of the random bytes."""
    return f"{now[:10]}-{random_bytes[:4].hex()}.md"


def session_hash(session_id: str, generation: int = 0) -> str:
    """Return what the ledger calls a session: 8 hex digits of its id's SHA-256; resumed, of a higher generation."""
    text = f"{session_id}#{generation}" if generation else session_id
    return _digest(text.encode("utf-8", "surrogatepass"))[:8]


def ledger_bytes(entries: "Iterable[Entry]", shift: int = 0) -> bytes:
    """Return the bytes of a ledger file that holds the entries, in their order.

    shift: blanks before the first cell, by which a pack has no piece of a line in common with what it packs.
    """
    lines = []
    alike = len(_HEAD)
    for entry in entries:
        line = f"|{' ' * shift} {' | '.join(_cells(entry))} |\n".encode("utf-8", "replace")
        own = _PIECE if _is_unique(entry, line[:_PIECE]) else 0
        alike += int((len(line) - own) * _MARGIN) - own
        lines.append(line)
    table = _HEAD.encode() + b"".join(lines)
    return table + _own_text(table, alike)


def shift_of(data: bytes) -> int:
    """Return the number of blanks before the first cell of a file's lines, beyond the usual one."""
    last = next((line for line in reversed(data.splitlines()) if line.startswith(b"|")), b"")
    return max(len(last) - len(last[1:].lstrip(b" ")) - 2, 0)


def _is_unique(entry: Entry, piece: bytes) -> bool:
    """Return whether a line's first piece is in no other file: it has a time to the millisecond, or its session."""
    return len(entry.when) > len("2026-11-29 12:00:00") or (bool(entry.session) and entry.session.encode() in piece)


def _own_text(table: bytes, alike: int) -> bytes:
    """Return a comment that only the file of this table has; alike: bytes that it must outweigh."""
    text = ""
    while len(text) < alike:
        text += _digest(b"%d " % len(text) + table)
    return f"\n{_LEAD}{text[: max(alike, _PIECE)]} -->\n".encode()


def _digest(data: bytes) -> str:
    """Return the SHA-256 of the data, as 64 hexadecimal digits."""
    # A fifth of what hashlib costs. By version, for a hook's search for a module that is not there loads `site`.
    try:
        if sys.version_info >= (3, 12):
            from _sha2 import sha256
        else:
            from _sha256 import sha256  # type: ignore[import-not-found]
    except ImportError:
        from hashlib import sha256
    digest: str = sha256(data).hexdigest()
    return digest


def parse_ledger(data: bytes, file: str) -> tuple[list[Entry], list[Problem]]:
    """Return the entries in a ledger file's bytes, and what cannot be read. file: its name in the problems."""
    entries: list[Entry] = []
    problems: list[Problem] = []
    inside = False
    for number, line in enumerate(data.removeprefix(BOM_UTF8).splitlines(), 1):
        if b"|" not in line:  # the comment at the end, too
            inside = inside and line.startswith((b"<<<<<<< ", b"=======", b">>>>>>> "))
            continue
        cells = _split(line)
        if tuple(cells) == HEADER:
            inside = True
        elif inside and not _is_delimiter(cells):
            entry, wrong = _entry(cells)
            entries += [entry] if entry else []
            problems += [_problem(file, number, line, message) for message in wrong]
    if not entries and not problems and data.strip():
        problems.append(_problem(file, 1, b"", "no ledger table was found in this file"))
    return entries, problems


def read_folder(folder: str) -> tuple[list[Entry], list[Problem]]:
    """Return all entries in a ledger folder; none where there is no folder."""
    import os

    entries: list[Entry] = []
    problems: list[Problem] = []
    try:
        names = sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        names = []
    for name in names:
        if name.endswith(".md") and name != "README.md":
            path = f"{folder}/{name}"
            try:
                found, wrong = parse_ledger(bounded.read(path), path)
            except OSError as error:
                found, wrong = [], [_problem(path, 1, b"", f"the file cannot be read: {error.strerror}")]
            entries += found
            problems += wrong
    return entries, problems


def _cells(entry: Entry) -> list[str]:
    return ["" if value is None else _escape(str(value)) for value in entry.as_tuple()]


def _escape(text: str) -> str:
    """Return one cell: a single line without control characters, which Markdown shows as it is."""
    text = "".join(map(_visible, text)).strip()
    if len(text) > _LONGEST_TEXT:
        text = text[: _LONGEST_TEXT - 1] + "…"
    if not _means_itself(text):
        text = _code(text)
    return text.replace("|", "\\|")


def as_read(text: str) -> str:
    """Return the text as it will be read back from a cell."""
    return _uncode(_escape(text).replace("\\|", "|"))


def _means_itself(text: str) -> bool:
    """Return whether Markdown shows the text as it is; an underscore does that only inside a word."""
    parts = text.split("_")
    inside_words = all(left[-1:].isalnum() and right[:1].isalnum() for left, right in zip(parts, parts[1:]))  # noqa: RUF007
    return inside_words and all(letter.isalnum() or letter in _PLAIN_MARKS for letter in text)


def _visible(letter: str) -> str:
    return " " if letter < " " or "\x7f" <= letter <= "\x9f" or letter in _UNSEEN else letter


def _code(text: str) -> str:
    fence = "`"
    while fence in text:
        fence += "`"
    blank = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{blank}{text}{blank}{fence}"


def _uncode(text: str) -> str:
    """Return the text of a cell that is one code span; any other text as it is."""
    inner = text.strip("`")
    fence = (len(text) - len(inner)) // 2
    if not fence or not (text.startswith("`" * fence) and text.endswith("`" * fence)):
        return text
    inner = text[fence:-fence]
    return inner[1:-1] if inner.startswith(" `") or inner.endswith("` ") else inner


def _split(line: bytes) -> list[str]:
    """Return the cells of a line as texts; a pipe after a backslash is part of its cell and loses that backslash."""
    text = line.decode("utf-8", "replace").strip().removeprefix("|").replace("\\|", "\0").removesuffix("|")
    return [cell.strip(" \t").replace("\0", "|") for cell in text.split("|")]


def _is_delimiter(cells: list[str]) -> bool:
    return all(cell and not cell.strip(":-") for cell in cells)


def _entry(cells: list[str]) -> tuple[Entry | None, list[str]]:
    """Return the entry in the cells of a line, None where it says too little to count, and what is wrong with it."""
    values = [_uncode(cell) for cell in (cells + [""] * len(HEADER))[: len(HEADER)]]
    if not values[1] or values[2] not in EVENTS:
        return None, [f"a ledger line needs an id and a known event, not {values[1]!r} and {values[2]!r}"]
    rides, base = (_number(values[number]) for number in _NUMBERS)
    wrong = [
        f"{HEADER[number]} is {values[number][:20]!r}, not a number"
        for number, value in zip(_NUMBERS, (rides, base))
        if value is None and values[number]
    ]
    when = values[0]
    if when and not is_time(moment(when)):  # it would be compared with times, and a `set` end what it should not
        when = ""
        wrong.append(f"{HEADER[0]} is {values[0][:20]!r}, not a time such as 2026-11-29 21:32:05")
    return Entry(when, values[1], values[2], rides, base, *values[5:]), wrong


def _number(text: str) -> int | None:
    """Return the count that a cell says; None for one longer than any machine has counted to."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER else None


def _problem(file: str, line: int, text: bytes, message: str) -> Problem:
    return Problem(
        code="GT901",
        severity="error",
        place=Place(file, line),
        message=message,
        remedy="Ledger files are written once and never changed: restore this one from git.",
        text=text.decode("utf-8", "replace"),
    )


def is_comment(line: bytes) -> bool:
    """Return whether a line is the comment that `render` writes, with any text."""
    return line.startswith(b"<!--") and line.rstrip().endswith(b"-->")
