"""What a repository has that rows can be made of, and the proposals that its store does not have yet."""

import fnmatch
from collections.abc import Iterable, Iterator, Sequence

from gatilho import bounded
from gatilho.checks.resemblance import INSTRUCTIONS
from gatilho.document.columns import NAMES
from gatilho.document.document import Document
from gatilho.document.draft import ID_PREFIXES, Draft, digest_letters
from gatilho.document.edit import escape_cell
from gatilho.document.rows import iter_rows
from gatilho.document.table import cell_text
from gatilho.document.table import code_spans as spans_in
from gatilho.errors import GatilhoError
from gatilho.model import Row
from gatilho.secret_shapes import find_secrets
from gatilho.tables import is_below_store
from gatilho.writing.comments import import_comments
from gatilho.writing.found import Found
from gatilho.writing.instructions import import_hookify, import_instructions, import_rules_file

SOURCES = {
    "todo": "TODO and FIXME comments of the tracked files",
    "agents": "list items of AGENTS.md and CLAUDE.md that name files",
    "rules": "`.claude/rules/*.md` with `paths`",
    "cursor": "`.cursor/rules/*.mdc` with `globs`",
    "hookify": "`.claude/hookify.*.md`",
    "all": "all of these",
}
_PATTERNS = {
    "rules": (".claude/rules/*.md",),
    "cursor": (".cursor/rules/*.mdc", ".cursor/rules/*.md"),
    "hookify": (".claude/hookify.*.md", "hookify.*.local.md"),
}
_HEADER = ("id", "lifecycle", "trigger", "note", "paid when", "rides", "state", "kind", "owner", "added")


def source_of(name: str) -> str:
    """Return which source a file belongs to by its name, "" where only its contents can say."""
    if name.rpartition("/")[2] in INSTRUCTIONS:
        return "agents"
    for source, patterns in _PATTERNS.items():
        if any(fnmatch.fnmatch(f"/{name}", f"*/{pattern}") for pattern in patterns):
            return source
    return ""


def find_proposals(
    root: str, wanted: str, known: list[str], with_start: bool, chosen: list[str] | None = None
) -> Iterator[Found]:
    """Yield the rows that a source proposes; wanted: of SOURCES, or "" for whatever the given files are.

    known: the names of all tracked files; chosen: those that are looked at, where not all are.
    """
    tracked = frozenset(name for full in known for name in (full, *_folders(full)))
    names = known if chosen is None else chosen
    for name in names:
        source = source_of(name)
        if source and wanted in (source, "all", ""):
            yield from _of_file(root, name, source, tracked, with_start)
    if wanted in ("todo", "all", ""):
        yield from import_comments(root, [name for name in names if not is_below_store(name)])


def import_table(root: str, name: str) -> list[Found]:
    """Return the rows of tables in a file outside the store, such as hipocampo's, with their counts and states."""
    document = Document(bounded.read(f"{root}/{name}" if not name.startswith("/") else name))
    found = []
    for read in iter_rows(document, name):
        if read.row is None:
            continue
        cells = {
            column: cell_text(read.raw[start:end])
            for column, (start, end) in document.cells(read.row.line, read.header_line).items()
        }
        found.append(_of_row(read.row, cells))
    return found


def _of_row(row: Row, cells: dict[str, str]) -> Found:
    def spans(column: str) -> tuple[str, ...]:
        return tuple(spans_in(cells.get(column, "")))

    draft = Draft(
        lifecycle=row.lifecycle, triggers=tuple(map(str, row.triggers)), note=row.note, kind=row.kind, key=row.key,
        owner=row.owner, added=row.added, expires=row.expires, not_before=row.not_before, id=row.id,
        ask_after="" if row.ask_after is None else str(row.ask_after),
        conditions=spans("paid when"), holds_while=spans("holds while"), examples=spans("examples"),
        violated_when=spans("violated when"),
    )  # fmt: skip
    state = row.state_text or ("owed" if row.is_debt else "rule")
    return Found(draft, row.place, str(row.rides or 0), "paid" if row.struck and row.is_debt else state, row.struck)


def without_secrets(found: Iterable[Found]) -> tuple[list[Found], list[tuple[str, str]]]:
    """Return the proposals that hold no secret, and of the others (source, kind of the secret)."""
    safe, secrets = [], []
    for one in found:
        draft = one.draft
        texts = (draft.note, draft.key, draft.owner, one.state, one.source, *draft.triggers, *draft.conditions)
        # Triggers and conditions quote a text as a pattern does, with backslashes in it.
        kinds = [secret.kind for text in texts for secret in find_secrets(text) + find_secrets(text.replace("\\", ""))]
        if kinds:
            secrets.append((one.source, kinds[0]))
        else:
            safe.append(one)
    return safe, secrets


def new_ones(found: Iterable[Found], known: Iterable[Row]) -> list[Found]:
    """Return the proposals that no known row stands for, each with an id.

    A row stands for one if it has the id that the proposal has in every run, or the same triggers and note.
    """
    ids: set[str] = set()
    texts: set[tuple[tuple[str, ...], str]] = set()
    for row in known:
        ids.add(row.id)
        texts.add((tuple(map(str, row.triggers)), row.note))
    fresh: list[Found] = []
    given: set[str] = set()
    for one in found:
        draft = one.draft
        said = (draft.triggers, draft.note)
        name = draft.id or _id_of(draft, given)
        if name in ids or said in texts or (draft.id and name in given):
            continue
        texts.add(said)
        given.add(name)
        fresh.append(one.replace(draft=draft.replace(id=name)))
    return fresh


def _id_of(draft: Draft, given: set[str]) -> str:
    """Return the id that follows from what a proposal is about: a comment's condition, else triggers and note."""
    about = "\0".join((*draft.conditions, *draft.triggers) if draft.conditions else (*draft.triggers, draft.note))
    letters = 4
    while True:
        name = f"{ID_PREFIXES[draft.lifecycle]}-{digest_letters(about, letters)}"
        if name not in given:
            return name
        letters += 1


def as_document(proposals: list[Found]) -> bytes:
    """Return the proposals as a table that can be reviewed and put into the store as it is."""
    filled = {name for one in proposals for name in one.draft.contents}
    header = (*_HEADER, *(name for name in NAMES if name in filled and name not in _HEADER), "source")
    lines = [
        "# Proposed rows",
        "",
        "Delete what is not worth a row, and remove what you keep from where it came from. The column `source` may go.",
        "",
        f"| {' | '.join(header)} |",
        f"| {' | '.join('---:' if name == 'rides' else '---' for name in header)} |",
        *(_line(one, header) for one in proposals),
    ]
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")


def _line(one: Found, header: Sequence[str]) -> str:
    draft = one.draft
    cells = {
        **draft.contents,
        "id": f"~~{draft.id}~~" if one.struck else draft.id,
        "lifecycle": draft.lifecycle,
        **{name: escape_cell(getattr(one, name)) for name in ("rides", "state", "source")},
    }
    return "|" + "|".join(f" {cells[name]} " if cells.get(name) else " " for name in header) + "|"


def _of_file(root: str, name: str, source: str, tracked: frozenset[str], with_start: bool) -> Iterator[Found]:
    try:
        text = bounded.read(f"{root}/{name}").decode("utf-8", "replace")
    except OSError as error:
        raise GatilhoError(f"{name} cannot be read: {error.strerror or error}.") from error
    if source == "agents":
        yield from import_instructions(name, text, tracked, with_start)
    else:
        yield from (import_hookify if source == "hookify" else import_rules_file)(name, text)


def _folders(name: str) -> list[str]:
    parts = name.split("/")[:-1]
    return ["/".join(parts[: number + 1]) + "/" for number in range(len(parts))]
