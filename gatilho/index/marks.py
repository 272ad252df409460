"""Marks in code: `gatilho: D-7f3k` in a comment, found by git's own search in the tracked files."""

from gatilho.git import query
from gatilho.index import database, signature
from gatilho.index.freshness import meta
from gatilho.index.packing import FIELDS, NO_NEEDLE, triggers_in
from gatilho.model import subtree_of
from gatilho.tables import FOLDER
from gatilho.wire import encode

KEY = "marks"
_WORD = "gatilho:"
# What begins a comment in some language, after code or at the start of a line, and what may follow it at once: `/**`,
# `//!`, `--[[`.
_OPENERS = ("#", "//", "/*", "--", ";", "%", "<!--", "{-", "(*", "@*")
_DECORATION = frozenset("*!:|=[#/;%-")
# The same at the start of a line alone: elsewhere these are other things. A star begins the inner lines of one in C.
_OPENERS_OF_LINES = ("*", "!", "'", '"', '"""', "..", '.\\"', "rem", "@rem", "dnl")
_QUOTES = "\"'`"
_LONGEST_PREFIX = 2  # of a string, such as `rb'`; after a longer word it is an apostrophe
_SEARCH = (
    "grep", "-z", "-I", "-F", "--full-name", "--no-color", "--no-line-number", "--no-column", "--no-recurse-submodules",
    "-e", f"{_WORD} ", "--", ".", f":(exclude,glob)**/{FOLDER}/**",
)  # fmt: skip
_SECONDS = 5


def marks_in(root: str) -> dict[str, list[str]]:
    """Return the tracked files that hold each mark, sorted; nothing where git cannot search."""
    done = query.run(root, *_SEARCH, seconds=_SECONDS)
    found: dict[str, set[str]] = {}
    for line in done.out.split(b"\n") if done.status == 0 else ():
        name, _, text = line.partition(b"\0")
        for mark in _marks_of(text.decode("utf-8", "replace")):
            found.setdefault(mark, set()).add(query.decoded(name))
    return {mark: sorted(names) for mark, names in sorted(found.items())}


def marks_of_file(data: bytes) -> set[str]:
    """Return the marks in the bytes of a file."""
    if f"{_WORD} ".encode() not in data or b"\0" in data:  # git searches no binary file either
        return set()
    return {mark for line in data.decode("utf-8", "replace").split("\n") if _WORD in line for mark in _marks_of(line)}


def find_mark(data: bytes, mark: str) -> tuple[int, str]:
    """Return the number of the first line that holds the mark, and the line; line 1 where none of them does."""
    lines = data.decode("utf-8", "replace").split("\n")
    found = ((number, line) for number, line in enumerate(lines, 1) if mark in line and mark in _marks_of(line))
    return next(found, (1, ""))


def _marks_of(line: str) -> list[str]:
    """Return the marks in a line: the word after each `gatilho:` with which a comment begins, or that follows one."""
    found: list[str] = []
    before, *rest = line.split(_WORD)
    follows = False
    for text in rest:
        mark = _word_at_start(text) if text[:1] in (" ", "\t") else ""
        is_mark = bool(mark) and (follows or _begins_comment(before, text))
        found += [mark] if is_mark else []
        follows = is_mark and not text.strip().removeprefix(mark).strip(" \t,;")
        before += _WORD + text
    return found


def _begins_comment(before: str, rest: str) -> bool:
    """Return whether a comment begins at the end of a text, outside what is quoted. rest: of the line."""
    opener = before.strip().lower()
    if before[-1:].isspace() and opener in _OPENERS_OF_LINES:
        return opener not in _QUOTES or opener not in rest  # at the start of a line it may open a string as well
    before = before.rstrip()
    for opener in _OPENERS:
        at = before.rfind(opener)
        if at >= 0 and _DECORATION.issuperset(before[at + len(opener) :]):
            return not _is_quoted(before[:at], rest)
    return False


def _is_quoted(code: str, rest: str) -> bool:
    """Return whether a string is open at the end of some code. rest: of the line, which closes it."""
    quote, word = "", 0
    for letter in code.replace("\\\\", "").replace("\\'", "").replace('\\"', ""):
        if letter == quote:
            quote = ""
        elif not quote and letter in _QUOTES and (letter != "'" or word <= _LONGEST_PREFIX):
            quote = letter
        word = word + 1 if letter.isalnum() else 0
    return quote in ('"', "`") or (quote == "'" and "'" in rest)  # else it is a lifetime, or a quote of Lisp


def _word_at_start(text: str) -> str:
    text = text.lstrip(" \t")
    inner = (at for at, letter in enumerate(text) if not (letter.isalnum() or letter in "-_"))
    end = next((at for at in inner if text[at] not in ".:" or not text[at + 1 : at + 2].isalnum()), len(text))
    return text[:end].rstrip("-_")


def file_marks(connection: database.Connection, root: str) -> None:
    """File the rows with a trigger `mark:` under the names of the files that hold their marks."""
    connection.execute("DELETE FROM trigger WHERE kind = 'mark'")
    wanted = _rows_with_marks(connection)
    found = marks_in(root) if wanted else {}
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (KEY, encode(found) if wanted else ""))
    from gatilho.triggers.paths import normalise

    for number, mark, subtree in wanted:
        for name in (normalise(name) for name in found.get(mark, ()) if name.startswith(subtree)):
            gram = min(signature.grams(name), default=NO_NEEDLE)
            connection.execute(
                "INSERT INTO trigger VALUES (?, ?, ?, ?, ?, ?, ?, ?, '')",
                (number, FIELDS["mark"], gram, "mark", name, name, "is", 0),
            )


def have_changed(connection: database.Connection, root: str) -> bool:
    """Return whether marks came, went or moved since the index was made; False where no row waits for one."""
    kept = meta(connection, KEY)
    return bool(kept) and kept != encode(marks_in(root))


def _rows_with_marks(connection: database.Connection) -> list[tuple[int, str, str]]:
    """Return the number of each such row, its mark, and the folder that its store is about."""
    query_of_rows = (
        "SELECT row.number, triggers, shown FROM row JOIN file ON row.file = file.number WHERE triggers LIKE '%mark:%' "
        "AND struck = 0 AND state NOT IN ('superseded', 'revoked', 'expired') AND row.store = ''"
    )
    rows = connection.execute(query_of_rows).fetchall()
    return [
        (number, trigger.pattern.strip(), subtree_of(database.text_of_value(shown)))
        for number, triggers, shown in rows
        for trigger in triggers_in(database.text_of_value(triggers))
        if trigger.kind == "mark"
    ]
