"""The server of the Language Server Protocol; the only user of pygls.

All looks at a repository happen in one thread, one after the other: whoever types waits for none of them. What rows
say goes out as plain text, so that an editor follows no link and fetches no picture of theirs.
"""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import PositionCodec, TextDocument

from gatilho import __version__
from gatilho.console.row_sheet import RowSheet
from gatilho.document.document import Document
from gatilho.editor.completions import Completion, completions_at
from gatilho.editor.row_links import files_at, notes_in, row_at
from gatilho.editor.typed_tables import (
    CheckedTable,
    GitFacts,
    TypedWorkspace,
    checked_table,
    equal_ends,
    problems_in,
    problems_since,
)
from gatilho.git.root import Repository, find_repository
from gatilho.index.index import open_index
from gatilho.model import Problem, Value, subtree_of
from gatilho.plain import clean, counted
from gatilho.repair import writing
from gatilho.repair.fixes import FIXABLE
from gatilho.tables import is_ledger_file, is_store_file

_T = TypeVar("_T")
# Seconds without a key after which what was typed is checked: what changed, and later the whole of a large store.
_PAUSE = 0.15
_LONG_PAUSE = 1.0
_LARGE = 200  # rows
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}
_FIX_ALL = "source.fixAll.gatilho"


class _Opened(Value):
    """A document that an editor holds: its address, where it is, its bytes, and its version in the editor."""

    uri: str
    path: str
    data: bytes
    version: int | None
    repository: Repository

    @property
    def is_table(self) -> bool:
        name = self.path[len(self.repository.root) + 1 :]
        return is_store_file(name) and not is_ledger_file(name)

    def characters(self, number: int) -> str:
        """Return a line, from 1, as text."""
        return Document(self.data).line(number).decode("utf-8", "replace")


class _Server(LanguageServer):
    """The server with what is waiting to be checked."""

    def __init__(self) -> None:
        # A change as a range would count lines by Python's rules, which end them at more characters than editors do.
        super().__init__("gatilho", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full)
        self._worker = ThreadPoolExecutor(max_workers=1)
        self._waiting: dict[str, asyncio.Task[None]] = {}
        self._checked: dict[str, CheckedTable] = {}
        self._git: dict[str, GitFacts] = {}

    @property
    def codec(self) -> PositionCodec:
        return self.workspace.position_codec

    def opened(self, uri: str) -> _Opened | None:
        """Return what the editor holds under an address, None where it is in no repository."""
        path = (to_fs_path(uri) or "").replace("\\", "/")
        repository = find_repository(path) if path else None
        if repository is None or not path.startswith(repository.root + "/"):
            return None
        document: TextDocument = self.workspace.get_text_document(uri)
        return _Opened(uri, path, document.source.encode("utf-8", "replace"), document.version, repository)

    def opened_table(self, uri: str) -> _Opened | None:
        """Return the table that the editor holds under an address, None where it holds no table there."""
        found = self.opened(uri)
        return found if found is not None and found.is_table else None

    def tables(self, repository: Repository) -> list[_Opened]:
        """Return the tables of a repository that are open."""
        # Its own address, for the keys are unquoted, and an editor knows a document only by what it called it.
        found = [self.opened(one.uri) for one in list(self.workspace.text_documents.values())]
        return [one for one in found if one is not None and one.is_table and one.repository == repository]

    async def look(self, repository: Repository, seen: "Callable[[TypedWorkspace], _T]") -> _T:
        """Return what a look at a repository finds, its open tables taken as they are typed."""
        texts = {one.path: one.data for one in self.tables(repository)}

        def run() -> _T:
            with open_index(repository) as index:
                workspace = TypedWorkspace(index, texts)
                if repository.root in self._git:
                    workspace.take(self._git[repository.root])
                found = seen(workspace)
                self._git[repository.root] = workspace.git_facts
                return found

        return await asyncio.get_running_loop().run_in_executor(self._worker, run)

    def check_soon(self, uri: str) -> None:
        """Look at the open tables of a document's repository once the typing pauses."""
        found = self.opened(uri)
        if found is None:
            return
        # One check for the whole repository: an edit of one table may be a problem of another, as a shared id is.
        root = found.repository.root
        if root in self._waiting:
            self._waiting[root].cancel()
        self._waiting[root] = asyncio.get_running_loop().create_task(self._check(found.repository))

    def forget(self, uri: str) -> None:
        """Forget what was found in a document that is closed."""
        self._checked.pop(uri, None)

    async def _check(self, repository: Repository) -> None:
        await asyncio.sleep(_PAUSE)
        tables = self.tables(repository)
        before = {one.uri: self._checked[one.uri] for one in tables if one.uri in self._checked}
        try:
            if len(before) == len(tables) and sum(len(one.rows) for one in before.values()) > _LARGE:
                self._publish(tables, await self.look(repository, lambda workspace: _since(workspace, tables, before)))
                await asyncio.sleep(_LONG_PAUSE)
            checked = await self.look(repository, lambda workspace: self._check_completely(workspace, tables))
        # No one awaits this task, so what it raises would be lost.
        except Exception as fault:
            said = f"gatilho could not check the tables: {type(fault).__name__}: {fault}"
            self.window_log_message(types.LogMessageParams(types.MessageType.Error, clean(said)))
            return
        self._publish(tables, {uri: one.problems for uri, one in checked.items()})

    def _check_completely(self, workspace: TypedWorkspace, tables: list[_Opened]) -> dict[str, CheckedTable]:
        """Return what a complete check finds, and keep it, even if a key has ended the waiting for it."""
        found = {one.uri: checked_table(workspace, one.path, one.data) for one in tables}
        self._checked.update(found)
        return found

    def _publish(self, tables: list[_Opened], found: "Mapping[str, Sequence[Problem]]") -> None:
        for one in tables:
            shown = [self.diagnostic(problem) for problem in found[one.uri]]
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(one.uri, shown, one.version))

    def diagnostic(self, problem: Problem) -> types.Diagnostic:
        """Return a problem as editors show it."""
        start = problem.place.column - 1
        return types.Diagnostic(
            range=self.span(problem.text, problem.place.line, start, start + problem.width),
            message=clean(f"{problem.message}\n{problem.remedy}".strip()),
            severity=_SEVERITIES[problem.severity],
            code=problem.code,
            source="gatilho",
        )

    def span(self, text: str, line: int, start: int, end: int) -> types.Range:
        """Return a part of a line (from 1) by its characters, in the units that the editor counts."""
        first, last = (self.codec.client_num_units(text[:at]) for at in (start, end))
        return types.Range(types.Position(line - 1, first), types.Position(line - 1, max(first, last)))

    def character(self, text: str, position: types.Position) -> int:
        """Return the character of a line of text at which a position of the editor is."""
        return int(self.codec.position_from_client_units([text], types.Position(0, position.character)).character)

    def refuses_snippets(self) -> bool:
        """Return whether the editor takes no text that says where the cursor goes."""
        capable = self.client_capabilities.text_document
        item = capable.completion.completion_item if capable and capable.completion else None
        return not (item and item.snippet_support)


def _since(
    workspace: TypedWorkspace, tables: list[_Opened], before: Mapping[str, CheckedTable]
) -> dict[str, list[Problem]]:
    return {one.uri: problems_since(workspace, one.path, one.data, before[one.uri]) for one in tables}


server = _Server()


@server.feature(types.TEXT_DOCUMENT_DID_OPEN)
@server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
@server.feature(types.TEXT_DOCUMENT_DID_SAVE)
async def _changed(
    ls: _Server,
    params: types.DidOpenTextDocumentParams | types.DidChangeTextDocumentParams | types.DidSaveTextDocumentParams,
) -> None:
    ls.check_soon(params.text_document.uri)


@server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
async def _closed(ls: _Server, params: types.DidCloseTextDocumentParams) -> None:
    ls.forget(params.text_document.uri)
    # An editor keeps what it was sent of a closed document until an empty list comes.
    ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(params.text_document.uri, []))
    ls.check_soon(params.text_document.uri)


@server.feature(types.TEXT_DOCUMENT_HOVER)
async def _hover(ls: _Server, params: types.HoverParams) -> types.Hover | None:
    found, number = ls.opened(params.text_document.uri), params.position.line + 1
    if found is None:
        return None
    if found.is_table:
        text = await ls.look(found.repository, lambda workspace: _sheet(workspace, found.path, number))
    else:
        notes = await ls.look(found.repository, lambda workspace: notes_in(workspace, found.path, found.data))
        text = "\n\n".join(note.text for note in notes if note.line == number)
    if not text:
        return None
    line = found.characters(number)
    return types.Hover(
        types.MarkupContent(types.MarkupKind.PlainText, clean(text)), ls.span(line, number, 0, len(line))
    )


def _sheet(workspace: TypedWorkspace, path: str, line: int) -> str:
    """Return everything about the row in a line of a table, "" where it has none."""
    found = row_at(workspace, path, line)
    if found is None:
        return ""
    sheet = RowSheet(workspace, found)
    parts = [f"{sheet.title}\n{sheet.place}\n{sheet.row.note}"]
    parts += ["\n".join([title, *(f"  {line}" for line in lines)]) for title, lines in sheet.sections()]
    return "\n\n".join(parts)


@server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["`", ":", " ", "/", "|"]))
async def _completion(ls: _Server, params: types.CompletionParams) -> types.CompletionList | None:
    found, number = ls.opened_table(params.text_document.uri), params.position.line + 1
    if found is None:
        return None
    line = found.characters(number)
    end = ls.character(line, params.position)
    subtree = subtree_of(found.path[len(found.repository.root) + 1 :])
    offered = await ls.look(
        found.repository,
        lambda workspace: completions_at(workspace, workspace.sources.document(found.path), number, end, subtree),
    )
    items = [_item(ls, one, ls.span(line, number, one.start, end)) for one in offered]
    return types.CompletionList(is_incomplete=True, items=items)


def _item(ls: _Server, one: Completion, place: types.Range) -> types.CompletionItem:
    text, form = one.text, types.InsertTextFormat.PlainText
    if one.caret and not ls.refuses_snippets():
        text, form = f"{text[: -one.caret]}$0{text[-one.caret :]}", types.InsertTextFormat.Snippet
    return types.CompletionItem(
        label=clean(one.text),
        kind=types.CompletionItemKind.Value,
        detail=one.detail or None,
        filter_text=one.text,
        insert_text_format=form,
        text_edit=types.TextEdit(place, text),
    )


@server.feature(types.TEXT_DOCUMENT_DEFINITION)
async def _definition(ls: _Server, params: types.DefinitionParams) -> list[types.Location]:
    found, number = ls.opened_table(params.text_document.uri), params.position.line + 1
    if found is None:
        return []
    at = ls.character(found.characters(number), params.position)
    files = await ls.look(found.repository, lambda workspace: files_at(workspace, found.path, number, at))
    places = [(from_fs_path(os.path.join(found.repository.root, one.name)), one.line) for one in files]
    return [types.Location(uri, ls.span("", line, 0, 0)) for uri, line in places if uri]


@server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
async def _inlay_hints(ls: _Server, params: types.InlayHintParams) -> list[types.InlayHint]:
    found = ls.opened(params.text_document.uri)
    if found is None or found.is_table:
        return []
    notes = await ls.look(found.repository, lambda workspace: notes_in(workspace, found.path, found.data))
    hints = []
    for note in notes:
        text = found.characters(note.line)
        place = ls.span(text, note.line, len(text), len(text)).start
        if params.range.start.line <= place.line <= params.range.end.line:
            hints.append(types.InlayHint(place, clean(note.short), tooltip=clean(note.text), padding_left=True))
    return hints


@server.feature(
    types.TEXT_DOCUMENT_CODE_ACTION,
    types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix, _FIX_ALL]),
)
async def _code_actions(ls: _Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    found = ls.opened_table(params.text_document.uri)
    if found is None:
        return []
    first, last = params.range.start.line + 1, params.range.end.line + 1
    planned = await ls.look(found.repository, lambda workspace: _fixes(workspace, found.path, first, last))
    return [
        types.CodeAction(
            title=title,
            kind=types.CodeActionKind.QuickFix if problem else _FIX_ALL,
            diagnostics=[ls.diagnostic(problem)] if problem else None,
            edit=types.WorkspaceEdit(
                document_changes=[
                    types.TextDocumentEdit(
                        types.OptionalVersionedTextDocumentIdentifier(found.uri, found.version),
                        [_edit(ls, found.data, new)],
                    )
                ]
            ),
        )
        for title, problem, new in planned
    ]


def _fixes(workspace: TypedWorkspace, path: str, first: int, last: int) -> list[tuple[str, Problem | None, bytes]]:
    """Return a title, the problem and the new bytes for each safe fix in these lines, and for all of the document."""
    problems = [one for one in problems_in(workspace, path) if one.code in FIXABLE]
    found: list[tuple[str, Problem | None, bytes]] = []
    for problem in problems:
        planned = writing.plan(workspace, [problem]) if first <= problem.place.line <= last else []
        done = "; ".join(dict.fromkeys(fix.done for one in planned for fix in one.fixes))
        found += [(clean(f"Fix {problem.code}: {done}"), problem, one.new) for one in planned]
    for one in writing.plan(workspace, problems):
        number = len(one.fixes)
        found.append((f"Fix {counted(number, 'problem')} of this table", None, one.new))
    return found


def _edit(ls: _Server, old: bytes, new: bytes) -> types.TextEdit:
    """Return the one edit that makes the lines of one text those of the other, equal lines around it left alone."""
    # As bytes, whose lines end at CR and LF alone as in editors; text has more line ends in Python.
    before, after = old.splitlines(True), new.splitlines(True)
    start, end = equal_ends(before, after)
    last = len(before) - end
    position = types.Position(last, 0)
    # No line begins after a last line without an end: the edit ends within that line.
    if last and last == len(before) and not before[-1].endswith((b"\n", b"\r")):
        position = types.Position(last - 1, ls.codec.client_num_units(before[-1].decode("utf-8", "replace")))
    text = b"".join(after[start : len(after) - end]).decode("utf-8", "replace")
    return types.TextEdit(types.Range(types.Position(start, 0), position), text)


def serve() -> None:
    """Answer an editor over standard input and output until it ends."""
    server.start_io()
