"""The ledger's files: entries as lines of a table that is written once and never changed."""

from gatilho.dates import is_time
from gatilho.ledger.tally import STATE_EVENTS, Standing, by_row, fold, just_after, moment
from gatilho.model import Place, Problem, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "EVENTS", "HEADER", "STATE_EVENTS", "Entry", "Standing", "as_read", "by_row", "file_name", "fold", "just_after",
    "moment", "read", "read_folder", "render", "session_hash",
]  # fmt: skip

HEADER = ("when (UTC)", "id", "event", "rides", "base", "session", "commit", "by", "evidence")
EVENTS = (
    "charged", "paid", "reinstated", "regressed", "asked", "allowed", "passed anyway", "waived", "superseded",
    "revoked", "expired", "renamed", "corrected", "set",
)  # fmt: skip
_NUMBERS = (3, 4)
_DELIMITER = ("---", "---", "---", "---:", "---:", "---", "---", "---", "---")
_LONGEST_TEXT = 400
_LONGEST_NUMBER = 18
# Besides letters and digits these marks mean themselves in Markdown; a text with others goes into a code span.
_PLAIN_MARKS = frozenset(" -+.,:;/()=%'\"!?#…–—_")
_UNSEEN = frozenset("\u200e\u200f\u061c\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")


class Entry(Value):
    """One line of the ledger. rides: the count after the event; base: the part of it that no charge explains.

    when: UTC, as `2026-11-29 21:32:05.123`; people may leave the fraction out. Of a `renamed`, id is the old name and
    evidence the new one. rides and base are None where they do not apply or are no numbers.
    """

    when: str
    id: str
    event: str
    rides: int | None = None
    base: int | None = None
    session: str = ""
    commit: str = ""
    by: str = ""
    evidence: str = ""


def file_name(now: str, random_bytes: bytes) -> str:
    """The name of a new ledger file: the day of `now` and 8 hex digits of the random bytes."""
    return f"{now[:10]}-{random_bytes[:4].hex()}.md"


def session_hash(session_id: str, generation: int = 0) -> str:
    """What the ledger calls a session: 8 hex digits of the SHA-256 of its id; a resumed one has a higher generation."""
    try:
        from _sha256 import sha256  # type: ignore[import-not-found]  # a fifth of what hashlib costs
    except ImportError:
        from hashlib import sha256
    text = f"{session_id}#{generation}" if generation else session_id
    digest: str = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return digest[:8]


def render(entries: "Iterable[Entry]") -> bytes:
    """The bytes of a ledger file that holds the entries, in their order."""
    lines = [HEADER, _DELIMITER, *(_cells(entry) for entry in entries)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines).encode("utf-8", "replace")


def read(data: bytes, file: str) -> tuple[list[Entry], list[Problem]]:
    """The entries in the bytes of a ledger file, and what in it cannot be read; `file` names it in the problems."""
    entries: list[Entry] = []
    problems: list[Problem] = []
    inside = False
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").splitlines(), 1):
        if b"|" not in line:
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
    """All entries in a ledger folder; none where there is no folder."""
    import os

    from gatilho import files

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
                found, wrong = read(files.read(path), path)
            except OSError as error:
                found, wrong = [], [_problem(path, 1, b"", f"the file cannot be read: {error.strerror}")]
            entries += found
            problems += wrong
    return entries, problems


def _cells(entry: Entry) -> list[str]:
    return ["" if value is None else _escape(str(value)) for value in entry.as_tuple()]


def _escape(text: str) -> str:
    """One cell: a single line without control characters, which Markdown shows as it is."""
    text = "".join(map(_visible, text)).strip()
    if len(text) > _LONGEST_TEXT:
        text = text[: _LONGEST_TEXT - 1] + "…"
    if not _means_itself(text):
        text = _code(text)
    return text.replace("|", "\\|")


def as_read(text: str) -> str:
    """The text as it will be read back from a cell."""
    return _uncode(_escape(text).replace("\\|", "|"))


def _means_itself(text: str) -> bool:
    """Whether Markdown shows the text as it is; an underscore does that only inside a word."""
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
    """The text of a cell that is one code span; any other text as it is."""
    inner = text.strip("`")
    fence = (len(text) - len(inner)) // 2
    if not fence or not (text.startswith("`" * fence) and text.endswith("`" * fence)):
        return text
    inner = text[fence:-fence]
    return inner[1:-1] if inner.startswith(" `") or inner.endswith("` ") else inner


def _split(line: bytes) -> list[str]:
    """The cells of a line as texts; a pipe behind a backslash is part of its cell and loses that backslash."""
    text = line.decode("utf-8", "replace").strip().removeprefix("|").replace("\\|", "\0").removesuffix("|")
    return [cell.strip(" \t").replace("\0", "|") for cell in text.split("|")]


def _is_delimiter(cells: list[str]) -> bool:
    return all(cell and not cell.strip(":-") for cell in cells)


def _entry(cells: list[str]) -> tuple[Entry | None, list[str]]:
    """The entry in the cells of a line, None where it says too little to count, and what is wrong with it."""
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
    """The count that a cell says; one longer than any machine has counted to is none."""
    return int(text) if text.isdecimal() and len(text) <= _LONGEST_NUMBER else None


def _problem(file: str, line: int, text: bytes, message: str) -> Problem:
    return Problem(
        code="GT901",
        severity="error",
        place=Place(file, line),
        message=message,
        remedy="Ledger files are written once and never changed: restore this one from git.",
        text=text.decode("utf-8", "replace"),
    )
