"""From a row to the files that it is about, and from a file to the rows that speak about it."""

from typing import TypeVar

from gatilho.conditions.file_conditions import View
from gatilho.conditions.search import line_of_match
from gatilho.conditions.tree import Unreadable
from gatilho.console import row_view
from gatilho.console.explain import Speaking, explain
from gatilho.document.condition_grammar import in_words
from gatilho.document.edit import escape_cell
from gatilho.editor.cell_position import CellPosition, cell_at
from gatilho.index.index import IndexedRow
from gatilho.ladder.matching import path_subjects
from gatilho.model import Condition, Touch, Trigger, Value
from gatilho.plain import counted, shortened
from gatilho.verbs import verb_of
from gatilho.workspace.reach import PATH_KINDS
from gatilho.workspace.workspace import Workspace

_T = TypeVar("_T")
_MOST_FILES = 100
_LONGEST_NOTE = 80


class MatchedFile(Value):
    """A file by its name in the repository, and a line of it, from 1."""

    name: str
    line: int = 1


class CodeNote(Value):
    """A row that speaks about a file: the line that it is about, from 1, its note in short, and all of it."""

    line: int
    short: str
    text: str


def row_at(workspace: Workspace, path: str, line: int) -> IndexedRow | None:
    """Return the row in a line of a table, from 1."""
    return next((one for one in workspace.rows if (one.path, one.row.line) == (path, line)), None)


def files_at(workspace: Workspace, path: str, line: int, character: int) -> list[MatchedFile]:
    """Return the files that the trigger or the condition below the cursor names; elsewhere in a row, its triggers'."""
    found, at = row_at(workspace, path, line), cell_at(workspace.sources.document(path), line, character)
    if found is None or at is None or found.row.store:
        return []
    row = found.row
    cells = row.conditions_by_column
    if at.column in cells:
        chosen = _below_cursor(at, {one.text: one for one in cells[at.column]})
        return [file for one in chosen for file in _files_of(workspace, one)]
    triggers = {one.pattern: one for one in row.triggers if one.kind in (*PATH_KINDS, "mark")}
    chosen_triggers = _below_cursor(at, triggers) if at.column == "trigger" else list(triggers.values())
    names = dict.fromkeys(name for one in chosen_triggers for name in _names_of(workspace, one))
    return [MatchedFile(name) for name in names][:_MOST_FILES]


def _names_of(workspace: Workspace, trigger: Trigger) -> list[str]:
    if trigger.kind == "mark":
        return workspace.marks.get(trigger.pattern.strip(), [])
    return workspace.reach.matches(trigger, _MOST_FILES)


def _below_cursor(at: CellPosition, texts: dict[str, _T]) -> list[_T]:
    """Return what the text below the cursor means, everything in the cell where the cursor is in no such text."""
    for text, meant in texts.items():
        # As the cell has it: a pipe of the pattern is escaped there.
        start = at.cell.find(escape_cell(text))
        if 0 <= start <= len(at.before) <= start + len(escape_cell(text)):
            return [meant]
    return list(texts.values())


def _files_of(workspace: Workspace, condition: Condition) -> list[MatchedFile]:
    if not verb_of(condition).takes_path:
        return []
    lookup = View(workspace.tree, workspace.budget, {}).find(condition.argument)
    found = []
    for spot in [one for one in lookup.spots if one.is_file][:_MOST_FILES]:
        try:
            line = _line_in(workspace, condition, workspace.tree.read(spot))
        except Unreadable:
            line = 0
        found.append(MatchedFile(spot.real, line or 1))
    return found


def _line_in(workspace: Workspace, condition: Condition, data: bytes) -> int:
    """Return the first line in which the condition's pattern is found, 0 for none."""
    if not verb_of(condition).takes_regex:
        return 0
    return line_of_match(condition.pattern, data, workspace.budget)


def notes_in(workspace: Workspace, path: str, data: bytes) -> list[CodeNote]:
    """Return the rows that speak when a file is read or written, each at the line that its conditions look for.

    data: the file's bytes as the editor has them. A row whose conditions are about no line of it is at the first.
    """
    touches = [Touch(kind, path) for kind in ("read", "write")]
    subjects = path_subjects(touches, workspace.root)
    names = {subject.text for subject in subjects}
    return [_note(workspace, one, names, data) for one in explain(workspace, subjects).speaking]


def _note(workspace: Workspace, speaking: Speaking, names: set[str], data: bytes) -> CodeNote:
    row = speaking.match.row
    line = next((at for one in row.conditions if one.argument in names and (at := _safe_line(workspace, one, data))), 1)
    state = row_view.state_in_words(speaking.match, workspace.index, workspace.today)
    rides = f", {counted(speaking.match.count, 'ride')}" if row.is_debt else ""
    text = [f"{row.id} ({state}{rides}): {row.note}"]
    text += [f"Paid when {in_words(one)}." for one in row.conditions]
    return CodeNote(line, f"{row.id}: {shortened(row.note, _LONGEST_NOTE)}", "\n".join([*text, row.place]))


def _safe_line(workspace: Workspace, condition: Condition, data: bytes) -> int:
    try:
        return _line_in(workspace, condition, data)
    except Unreadable:
        return 0
