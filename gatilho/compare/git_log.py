"""The lines of tables that commits changed, read from one `git log` over the store without a process per commit."""

import re
from collections.abc import Iterable, Iterator

from gatilho.compare.revisions import Revisions
from gatilho.model import Value
from gatilho.tables import FOLDER

_MARK = b"\0\0gatilho\0"
_FIELDS = "%x00%x00gatilho%x00%H%x00%P%x00%aN%x00%at%x00%s%x00"
# Both sides of a merge, although they may have written the same cell: each has rides of its own. Merges as --cc: only
# what they changed by themselves. Whatever a configuration says of diffs is overruled.
_ARGUMENTS = (
    f"--format={_FIELDS}", "--encoding=UTF-8", "--no-show-signature", "--no-notes", "--no-color", "--no-ext-diff",
    "--no-textconv", "--no-renames", "--no-relative", "--text", "--full-index", "--cc", "--patch", "--unified=0",
    "--inter-hunk-context=0", "--full-history", "--src-prefix=a/", "--dst-prefix=b/",
)  # fmt: skip
_HUNK = re.compile(rb"@@+ ((?:-\d+(?:,\d+)? )+)\+(\d+)(?:,\d+)? @@+")
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
_ESCAPED = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}


class Commit(Value):
    """A commit. when: of its author, in seconds since 1970."""

    id: str
    parents: tuple[str, ...]
    author: str
    when: int
    subject: str


class FileDiff:
    """The lines of one file that a commit changed.

    old_name, new_name: "" where there is none. old_blob, new_blob: their ids, of a merge its first parent's.
    removed, added: (number, bytes) of whole lines, without their line feeds; of a merge what no parent has.
    whole: they are all that is different, as in no merge.
    """

    def __init__(self) -> None:
        self.old_name = ""
        self.new_name = ""
        self.old_blob = ""
        self.new_blob = ""
        self.removed: list[tuple[int, bytes]] = []
        self.added: list[tuple[int, bytes]] = []
        self.whole = True


def read_log(
    opened: Revisions,
    words: Iterable[str] = (),
    since: int = 0,
    after: str = "",
    head: str = "HEAD",
    skip: int = 0,
    anywhere: bool = False,
) -> Iterator[tuple[Commit, list[FileDiff]]]:
    """Return the commits that changed a line of a table, newest first, with what they changed.

    words: only commits with one of these texts in a changed line. since: only those made after (seconds since 1970).
    after: only those that this commit does not have. head: the newest one. skip: how many of the newest to leave out.
    anywhere: in nested stores too where there is none today.
    """
    arguments = [*_ARGUMENTS, f"--skip={skip}"]
    any_of = "|".join(_escaped(word) for word in words)
    if any_of:
        arguments.append(f"-G{any_of}")
    if since:
        arguments.append(f"--since=@{since}")
    # The folder of a nested store may have had another name.
    any_folder = "**/" if opened.nested or anywhere else ""
    left_out = [f":(exclude,glob){any_folder}{FOLDER}/ledger/**", ":(exclude,glob)**/node_modules/**"]
    paths = [f":(glob){any_folder}{FOLDER}/**", *left_out]
    return _parse(_lines(opened.log([*arguments, f"{after}..{head}" if after else head], paths)))


def _escaped(word: str) -> str:
    """Return the word as a POSIX extended regular expression."""
    return "".join(letter if letter.isalnum() or ord(letter) > 127 else f"[{letter}]" if letter != "^" else r"\^"
                   for letter in word)  # fmt: skip


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines
    if rest:
        yield rest


def _parse(lines: Iterable[bytes]) -> Iterator[tuple[Commit, list[FileDiff]]]:
    commit: Commit | None = None
    diffs: list[FileDiff] = []
    hunk: _Hunk | None = None
    for line in lines:
        if line.startswith(_MARK):
            if commit is not None:
                yield commit, diffs
            commit, diffs, hunk = _commit(line), [], None
        elif line.startswith(b"diff "):
            diffs.append(FileDiff())
            hunk = None
        elif line.startswith(b"@@") and diffs:
            hunk = _Hunk(line, diffs[-1])
        elif hunk is not None:
            hunk.take(line)
        elif diffs:
            _header(line, diffs[-1])
    if commit is not None:
        yield commit, diffs


def _commit(line: bytes) -> Commit:
    fields = line.removeprefix(_MARK).decode("utf-8", "replace").split("\0")
    id, parents, author, when, subject = fields[:5]
    return Commit(id, tuple(parents.split()), author, int(when or 0), subject)


def _header(line: bytes, diff: FileDiff) -> None:
    if line.startswith(b"index "):
        blobs = line.split(b" ")[1].decode("ascii", "replace")
        old, _, diff.new_blob = blobs.partition("..")
        diff.old_blob = old.split(",")[0]
        diff.whole = "," not in old
    elif line.startswith(b"--- "):
        diff.old_name = _name(line[4:])
    elif line.startswith(b"+++ "):
        diff.new_name = _name(line[4:])


def _name(text: bytes) -> str:
    """Return a file's name after `a/` or `b/`; quoted where it holds a control character, a quote or a backslash."""
    text = text.removesuffix(b"\t")
    if text.startswith(b'"'):
        text = _ESCAPE.sub(_unescaped, text[1:-1])
    return "" if text == b"/dev/null" else text[2:].decode("utf-8", "surrogateescape")


def _unescaped(found: "re.Match[bytes]") -> bytes:
    sign = found[1]
    return bytes([int(sign, 8) & 0xFF]) if sign.isdigit() else _ESCAPED.get(sign, sign)


class _Hunk:
    """Counts lines through one hunk; one of a merge has a column of signs for each parent."""

    def __init__(self, header: bytes, diff: FileDiff) -> None:
        found = _HUNK.match(header)
        olds = found[1].split() if found else [b"-0"]
        self.diff = diff
        self.columns = len(olds)
        self.old = int(olds[0][1:].split(b",")[0])
        self.new = int(found[2]) if found else 0

    def take(self, line: bytes) -> None:
        signs, text = line[: self.columns], line[self.columns :]
        if b"\\" in signs:
            return  # "No newline at end of file"
        if b"-" in signs:
            self.diff.removed.append((self.old, text))
        elif signs.strip(b" ") == b"+" * self.columns:
            self.diff.added.append((self.new, text))
        if signs[:1] != b"+":
            self.old += 1
        if b"-" not in signs:
            self.new += 1
