"""What a cell can say next: words of triggers and conditions, names of files, values of columns."""

import os

from gatilho.document.cells import PREFIXES
from gatilho.document.columns import Columns
from gatilho.document.document import Document
from gatilho.document.draft import ID_PREFIXES, in_words_of_table, mint
from gatilho.document.edit import escape_cell
from gatilho.editor.cell_position import CellPosition, cell_at, table_at
from gatilho.model import Value
from gatilho.verbs import all_verbs, find_verb
from gatilho.workspace.reach import PATH_KINDS
from gatilho.workspace.renames import escaped
from gatilho.workspace.workspace import Workspace

_MOST_NAMES = 100
_WHAT_IT_MATCHES = {
    "path": "a regular expression for paths", "glob": "a glob for paths, as in .gitignore",
    "write": "a path that is written", "read": "a path that is read", "cmd": "the text of a shell command",
    "prompt": "the text of a prompt", "start": "the start of a session",
    "mark": "a file with `gatilho: ID` in a comment",
}  # fmt: skip
_EXAMPLES = {"yes": "a path or `cmd …` for which the row speaks", "no": "one for which it does not"}
_STATES = {"debt": ("owed", "waived until {day}"), "rule": ("rule",)}
_ENDINGS = ("superseded {day}", "revoked {day}")


class Completion(Value):
    """A text from start (a character of the line) to the cursor, which is put before its last `caret` characters."""

    text: str
    start: int
    detail: str = ""
    caret: int = 0


def completions_at(
    workspace: Workspace, document: Document, line: int, character: int, subtree: str = ""
) -> list[Completion]:
    """Return what can follow at a line (from 1) and a character (from 0). subtree: a nested store's folder."""
    at, table = cell_at(document, line, character), table_at(document, line)
    if at is None or table is None:
        return []
    names = [name[len(subtree) :] for name in workspace.reach.names if name.startswith(subtree)]
    if at.column == "trigger":
        return _of_trigger(names, at)
    if at.column == "examples":
        return _of_examples(names, at)
    if at.column in ("paid when", "holds while", "violated when"):
        return _of_condition(names, at)
    return _of_words(workspace, at, table.columns, line, document)


def _of_trigger(known: list[str], at: CellPosition) -> list[Completion]:
    span = at.span
    if span is None:
        return [_in_code(at, _begun(kind), _WHAT_IT_MATCHES[kind]) for kind in (*PREFIXES, "start")]
    kind, colon, rest = span.partition(":")
    if not colon:
        start = _start_of(at, span)
        return [Completion(_begun(one), start, _WHAT_IT_MATCHES[one]) for one in (*PREFIXES, "start")]
    if kind.strip().lower() not in PATH_KINDS:
        return []
    typed = rest.lstrip()
    spell = str if kind.strip().lower() == "glob" else _anchored
    names = _names(known, typed.replace("\\", "").lstrip("^/").rstrip("$"))
    return [Completion(escape_cell(spell(name)), _start_of(at, typed)) for name in names]


def _of_examples(known: list[str], at: CellPosition) -> list[Completion]:
    span = at.span
    if span is None:
        return [_in_code(at, f"{word}: ", detail) for word, detail in _EXAMPLES.items()]
    typed = span.partition(":")[2].lstrip()
    return [Completion(escape_cell(name), _start_of(at, typed)) for name in _names(known, typed)] if ":" in span else []


def _begun(kind: str) -> str:
    return kind if kind == "start" else f"{kind}: "


def _anchored(name: str) -> str:
    return f"^{escaped(name)}$"


def _of_condition(known: list[str], at: CellPosition) -> list[Completion]:
    verbs = [verb for verb in all_verbs() if at.column == "paid when" or not verb.runs_command]
    span = at.span
    if span is None:
        return [_in_code(at, f"{verb.word} ", verb.form) for verb in verbs]
    word, blank, typed = span.lstrip().partition(" ")
    if not blank:
        return [Completion(f"{verb.word} ", _start_of(at, word), verb.form) for verb in verbs]
    verb = find_verb(word.lower())
    if verb is None or verb.operands[0] != "PATH" or " " in typed.lstrip():
        return []
    names = [name for name in _names(known, typed.lstrip()) if not set(name) & set("'\"\\*?[{")]
    quoted = (f"'{name}'" if " " in name else name for name in names)
    return [Completion(escape_cell(name), _start_of(at, typed.lstrip())) for name in quoted]


def _names(known: list[str], typed: str) -> list[str]:
    """Return the names of tracked files that hold what is typed; none that a code span could not hold."""
    wanted = typed.casefold()
    found = (name for name in known if wanted in name.casefold() and name.isprintable() and "`" not in name)
    return [name for name, _ in zip(found, range(_MOST_NAMES))]


def _of_words(
    workspace: Workspace, at: CellPosition, columns: Columns, line: int, document: Document
) -> list[Completion]:
    """Return the values that a column can have."""
    day, rows = workspace.today, workspace.own_rows
    words: dict[str, str] = {}
    if at.column == "id" and not at.cell.strip():
        taken = {found.row.id for found in workspace.rows}
        words = {mint(name, taken.__contains__, os.urandom): f"a {name}" for name in ID_PREFIXES}
    elif at.column == "lifecycle":
        words = {in_words_of_table(name, "lifecycle", columns.written): "" for name in ("debt", "rule")}
    elif at.column == "state":
        of_line = [one for one in rows if one.row.line == line]
        row = next((one.row for one in of_line if workspace.sources.document(one.path) is document), None)
        states = _STATES[row.lifecycle] if row else (*_STATES["debt"], *_STATES["rule"])
        words = {word.format(day=day): "" for word in (*states, *_ENDINGS)}
    elif at.column == "kind":
        words = dict.fromkeys(workspace.index.config.kinds, "")
    elif at.column in ("owner", "key"):
        words = dict.fromkeys(sorted({getattr(one.row, at.column) for one in rows} - {""}), "")
    elif at.column in ("added", "expires", "not before"):
        words = {day: "today"}
    return [Completion(escape_cell(word), at.start, detail) for word, detail in words.items()]


def _in_code(at: CellPosition, text: str, detail: str) -> Completion:
    """Return a text in a code span of its own, with the cursor at the end of the text."""
    word = at.before.rpartition(" ")[2]
    return Completion(f"`{text}`", _start_of(at, word), detail, caret=1)


def _start_of(at: CellPosition, typed: str) -> int:
    return at.start + len(at.before) - len(typed)
