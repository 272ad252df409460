"""`gatilho lsp`, asked over its pipes as an editor asks, and in a real editor without a screen."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import BACKLOG, HEADER, PATIENCE, Repo, row
from editor_client import Editor
from processes import repository_of

from gatilho.editor.typed_tables import TypedWorkspace, checked_table, problems_in, problems_since
from gatilho.index.index import open_index

DEBT = row("D-1", "path: ^src/a\\.py$", "a.py sleeps.", paid_when="lacks src/a.py sleep")
SNIPPETS = {"textDocument": {"completion": {"completionItem": {"snippetSupport": True}}}}


@pytest.fixture(scope="module")
def editor() -> Iterator[Editor]:
    """One server for all tests, each of which opens files of a repository of its own."""
    pytest.importorskip("pygls")
    opened = Editor(**SNIPPETS)
    yield opened
    assert opened.close() == 0


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "project")
    made.write("src/a.py", "import time\n\ntime.sleep(1)\n")
    made.write("src/b.py", "")
    made.table(DEBT)
    return made


def codes(found: list[dict[str, Any]]) -> list[str]:
    return sorted(one["code"] for one in found)


def columns(line: str) -> list[int]:
    """Where the cells of a line of a table begin."""
    return [at + 2 for at, letter in enumerate(line) if letter == "|"]


def test_what_is_typed_is_checked_and_not_what_is_saved(editor: Editor, repo: Repo) -> None:
    uri = editor.open(repo.root / BACKLOG)
    assert editor.diagnostics(uri) == []
    line = row("D-😀", "paht: ^src/", "x", paid_when="lacks src/a.py sleep", rides="many")
    found = editor.type(uri, HEADER + DEBT + "\n" + line + "\n")
    assert {"GT107", "GT113"} <= set(codes(found))
    (wrong,) = (one for one in found if one["code"] == "GT107")
    start = len(line[: line.index("many")].encode("utf-16-le")) // 2
    assert wrong["range"] == {"start": {"line": 3, "character": start}, "end": {"line": 3, "character": start + 4}}
    assert wrong["severity"] == 1
    assert wrong["source"] == "gatilho"
    assert repo.read(BACKLOG) == HEADER + DEBT + "\n"
    assert editor.type(uri, HEADER + DEBT + "\n") == []


def test_ids_are_compared_over_all_tables_as_they_are_typed(editor: Editor, repo: Repo) -> None:
    other = repo.table(row("D-2", "path: ^src/b\\.py$", "b.py is empty."), file="docs/gatilhos/more é%20😀.md")
    first, second = editor.open(repo.root / BACKLOG), editor.open(other)
    assert codes(editor.diagnostics(second)) == []
    found = editor.type(second, HEADER + row("D-1", "path: ^src/b\\.py$", "b.py is empty.") + "\n")
    assert "GT201" in codes(found)
    assert first != second


def test_a_condition_that_holds_already_is_said_while_it_is_typed(editor: Editor, repo: Repo) -> None:
    uri = editor.open(repo.root / BACKLOG)
    editor.diagnostics(uri)
    line = row("D-9", "path: ^src/b\\.py$", "b.py is empty.", paid_when="exists src/b.py")
    said = [one["message"] for one in editor.type(uri, HEADER + DEBT + "\n" + line + "\n")]
    assert any("already" in text for text in said), said


def test_what_changed_is_shown_at_once_as_a_complete_check_shows_it(repo: Repo) -> None:
    lines = [row(f"D-{at}", f"path: ^gone/{at}\\.py$", f"Note {at}.", paid_when="lacks src/b.py x") for at in range(8)]
    repo.table(*lines)
    path, header = str(repo.root / BACKLOG), HEADER.splitlines()
    bad = row("D-2", "path: ^nowhere$", "Note.", paid_when="exists src/a.py", rides="many")
    texts = [
        [*header, *lines], [*header, *lines[:4], bad, *lines[4:]], [*header, *lines[5:]], [*header, "", *lines],
        [*header, *lines[:6], lines[6].replace("gone", "(")], ["| a | b |", *header[1:], *lines], [], [*header, *lines, *lines],
        [header[0].replace("paid when", "holds while"), *header[1:], *lines],
    ]  # fmt: skip

    def look(data: bytes, seen: Callable[[TypedWorkspace], Any]) -> Any:
        with open_index(repository_of(repo)) as index:
            return seen(TypedWorkspace(index, {path: data}))

    for end in (b"\n", b"\r\n"):
        old, *others = (b"".join(line.encode() + end for line in text) for text in texts)
        before = look(old, lambda workspace, old=old: checked_table(workspace, path, old))
        for new in others:
            quick = look(new, lambda workspace, new=new, before=before: problems_since(workspace, path, new, before))
            whole = look(new, lambda workspace: problems_in(workspace, path))
            assert [(one.place, one.code) for one in quick] == [(one.place, one.code) for one in whole], new


def test_a_fix_is_an_edit_of_the_editors_text(editor: Editor, repo: Repo) -> None:
    uri = editor.open(repo.root / BACKLOG, HEADER + "| D-1 | debt | ^src/a\\.py$ | a.py sleeps. |\n")
    editor.diagnostics(uri)
    place = {"start": {"line": 2, "character": 5}, "end": {"line": 2, "character": 5}}
    document = {"uri": uri}
    actions = editor.request("textDocument/codeAction", textDocument=document, range=place, context={"diagnostics": []})
    assert {one["kind"] for one in actions} == {"quickfix", "source.fixAll.gatilho"}
    (whole,) = (one for one in actions if one["kind"] == "source.fixAll.gatilho")
    (change,) = whole["edit"]["documentChanges"]
    (edit,) = change["edits"]
    assert edit["range"] == {"start": {"line": 2, "character": 0}, "end": {"line": 3, "character": 0}}
    assert edit["newText"] == "| D-1 | debt | `^src/a\\.py$` | a.py sleeps. | | | |\n"
    assert change["textDocument"] == {"uri": uri, "version": 1}
    assert repo.read(BACKLOG) == HEADER + DEBT + "\n"


def test_a_row_says_what_it_matches_whether_it_is_paid_and_its_life(editor: Editor, repo: Repo) -> None:
    uri = editor.open(repo.root / BACKLOG)
    found = editor.at("hover", uri, 2, 10)
    text = found["contents"]["value"]
    assert found["contents"]["kind"] == "plaintext"
    assert text.startswith("D-1  debt, owed\ndocs/gatilhos/backlog.md:3\na.py sleeps.\n")
    assert "path: ^src/a\\.py$  (matches 1 tracked file: src/a.py)" in text
    assert "does not hold (the pattern is at src/a.py:3)" in text
    assert editor.at("hover", uri, 0, 3) is None


def test_an_unsaved_row_has_a_hover_of_its_own(editor: Editor, repo: Repo) -> None:
    uri = editor.open(
        repo.root / BACKLOG, HEADER + "\n".join((DEBT, row("R-2", "glob: src/*", "new", lifecycle="rule")))
    )
    text = editor.at("hover", uri, 3, 3)["contents"]["value"]
    assert "R-2  rule, in force\ndocs/gatilhos/backlog.md:4, not committed yet" in text
    assert "matches 2 tracked files: src/a.py, …" in text


def test_no_command_of_a_row_runs(editor: Editor, repo: Repo) -> None:
    line = row("D-3", "path: ^src/b\\.py$", "x", paid_when="passes touch ran")
    uri = editor.open(repo.root / BACKLOG, HEADER + DEBT + "\n" + line + "\n")
    editor.diagnostics(uri)
    assert "not allowed on this machine" in editor.at("hover", uri, 3, 3)["contents"]["value"]
    assert not (repo.root / "ran").exists()


def test_a_trigger_is_completed_word_by_word(editor: Editor, repo: Repo) -> None:
    begun = "| D-5 | debt | "
    uri = editor.open(repo.root / BACKLOG, HEADER + begun)
    outside = editor.at("completion", uri, 2, len(begun))["items"]
    assert "`glob: $0`" in [one["textEdit"]["newText"] for one in outside]
    for typed, wanted in (
        ("`", "glob: "), ("`gl", "glob: "), ("`path: a.p", "^src/a\\.py$"), ("`glob: sr", "src/b.py"),
    ):  # fmt: skip
        editor.type(uri, HEADER + begun + typed)
        items = editor.at("completion", uri, 2, len(begun + typed))["items"]
        assert wanted in [one["textEdit"]["newText"] for one in items], typed
    start = next(one for one in items if one["label"] == "src/b.py")["textEdit"]["range"]["start"]["character"]
    assert start == len(begun + "`glob: ")


def test_conditions_and_columns_are_completed(editor: Editor, repo: Repo) -> None:
    uri = editor.open(repo.root / BACKLOG)
    editor.diagnostics(uri)
    begun = "| D-5 | debt | `path: ^src/b` | x | "
    for before, wanted in (
        ("| ", "D-"),
        ("| D-5 | ", "debt"),
        (begun, "`lacks $0`"),
        (begun + "`con", "contains "),
        (begun + "`contains b", "src/b.py"),
        (begun + "`exists src/b.py` | 0 | ", "owed"),
    ):
        editor.type(uri, HEADER + DEBT + "\n" + before)
        items = editor.at("completion", uri, 3, len(before))["items"]
        assert [one for one in items if one["textEdit"]["newText"].startswith(wanted)], before
    assert editor.at("completion", uri, 0, 3)["items"] == []


def test_a_trigger_and_a_condition_lead_to_their_files(editor: Editor, repo: Repo) -> None:
    uri = editor.open(repo.root / BACKLOG)
    trigger, _, condition = columns(DEBT)[2:5]
    (file,) = editor.at("definition", uri, 2, trigger + 9)
    assert file["uri"] == (repo.root / "src/a.py").as_uri()
    (line,) = editor.at("definition", uri, 2, condition + 3)
    assert (line["uri"], line["range"]["start"]["line"]) == (file["uri"], 2)


def test_code_says_which_rows_speak_about_it(editor: Editor, repo: Repo) -> None:
    repo.table(DEBT, row("R-1", "glob: src/**", "Keep it small.", lifecycle="rule"))
    uri = editor.open(repo.root / "src/a.py")
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
    hints = editor.request("textDocument/inlayHint", textDocument={"uri": uri}, range=whole)
    assert [(one["position"]["line"], one["label"]) for one in hints] == [
        (2, "D-1: a.py sleeps."),
        (0, "R-1: Keep it small."),
    ]
    assert hints[0]["position"]["character"] == len("time.sleep(1)")
    assert editor.at("hover", uri, 2, 0)["contents"]["value"].startswith(
        "D-1 (owed, 0 rides): a.py sleeps.\nPaid when "
    )
    assert editor.at("hover", uri, 1, 0) is None


def test_a_file_outside_of_any_repository_is_left_alone(editor: Editor, tmp_path: Path) -> None:
    lonely = tmp_path / "notes.md"
    lonely.write_text(HEADER + "| D-1 |\n")
    uri = editor.open(lonely)
    assert editor.at("hover", uri, 2, 2) is None


def test_without_its_package_it_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "pygls").mkdir()
    (tmp_path / "pygls/__init__.py").write_text("raise ModuleNotFoundError('no', name='pygls')\n")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from gatilho.cli import main; sys.exit(main(['lsp']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 2
    assert done.stderr == (
        "gatilho: `gatilho lsp` needs the package pygls. "
        "Install it with gatilho, for example `pipx install 'gatilho[lsp]'`.\n"
    )


# What a person does in the editor: open the table, read what is wrong, fix it, ask for a row, save.
_IN_NEOVIM = """
local server = vim.lsp.start_client({ name = "gatilho", cmd = vim.split(os.getenv("SERVER"), "\\n"), root_dir = vim.fn.getcwd() })
vim.cmd("edit docs/gatilhos/backlog.md")
vim.lsp.buf_attach_client(0, server)
local client = vim.lsp.get_client_by_id(server)
local function await(what, done)
  if not vim.wait(%d, done, 50) then
    io.stderr:write("waited in vain for " .. what)
    vim.cmd("cquit 1")
  end
end
await("problems", function() return #vim.diagnostic.get(0) > 0 end)
for _, one in ipairs(vim.diagnostic.get(0)) do print(one.lnum .. " " .. one.code) end
local place = { start = { line = 2, character = 0 }, ["end"] = { line = 2, character = 0 } }
local document = vim.lsp.util.make_text_document_params(0)
local actions
client.request("textDocument/codeAction", { textDocument = document, range = place, context = { diagnostics = {} } },
  function(_, result) actions = result end, 0)
await("fixes", function() return actions ~= nil end)
vim.lsp.util.apply_workspace_edit(actions[#actions].edit, client.offset_encoding)
await("no problems", function() return #vim.diagnostic.get(0) == 0 end)
local hover
client.request("textDocument/hover", { textDocument = document, position = { line = 2, character = 4 } },
  function(_, result) hover = result.contents.value end, 0)
await("the row", function() return hover ~= nil end)
print((hover:gsub("\\n.*", "")))
vim.cmd("write")
vim.cmd("qall!")
"""


@pytest.mark.client
def test_a_real_editor_shows_fixes_and_saves(repo: Repo, tmp_path: Path) -> None:
    pytest.importorskip("pygls")
    program = shutil.which("nvim")
    if program is None:
        pytest.skip("neovim is not installed (`apt-get install neovim`)")
    repo.table(DEBT.replace("`path: ^src/a\\.py$`", "^src/a\\.py$"))
    script = tmp_path / "session.lua"
    script.write_text(_IN_NEOVIM % (PATIENCE * 1000))
    server = "\n".join([sys.executable, "-m", "gatilho", "lsp"])
    done = subprocess.run(
        [program, "--headless", "--clean", "-n", "-c", f"luafile {script}"],
        cwd=repo.root, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=4 * PATIENCE,
        env={**os.environ, "SERVER": server},
    )  # fmt: skip
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "2 GT112" in said
    assert "D-1  debt, owed" in said
    assert repo.read(BACKLOG) == HEADER + DEBT.replace("`path: ^src/a\\.py$`", "`^src/a\\.py$`") + "\n"


def test_a_nested_table_sees_paths_from_its_folder_also_once_that_is_renamed(editor: Editor, repo: Repo) -> None:
    line = row("D-5", "path: ^src/c\\.py$", "c.py sleeps.", paid_when="lacks src/c.py sleep")
    repo.write("pay/src/c.py", "import time\n\nsleep()\n")
    repo.table(line, file="pay/docs/gatilhos/b.md")
    for folder in ("pay", "payments"):
        if folder == "payments":
            repo.git("mv", "pay", "payments")
        uri = editor.open(repo.root / folder / "docs/gatilhos/b.md")
        assert editor.diagnostics(uri) == []
        wrong = row("D-1", "path: ^src/a\\.py$", "No a.py is here.", paid_when="lacks src/c.py sleep")
        assert codes(editor.type(uri, HEADER + line + "\n" + wrong + "\n")) == ["GT201", "GT224"]
        assert editor.type(uri, HEADER + line + "\n") == []
        text = editor.at("hover", uri, 2, 5)["contents"]["value"]
        assert f"{folder}/src/c.py" in text
        for column in (line.index("src"), line.rindex("src")):
            (found,) = editor.at("definition", uri, 2, column + 2)
            assert found["uri"] == (repo.root / folder / "src/c.py").as_uri()
        typed = "| D-6 | debt | `path: src"
        editor.type(uri, HEADER + line + "\n" + typed)
        offered = editor.at("completion", uri, 3, len(typed))["items"]
        assert [one["label"] for one in offered] == ["^src/c\\.py$"]
        code = editor.open(repo.root / folder / "src/c.py")
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
        (hint,) = editor.request("textDocument/inlayHint", textDocument={"uri": code}, range=whole)
        assert (hint["position"]["line"], hint["label"]) == (2, "D-5: c.py sleeps.")
        editor.notify("textDocument/didClose", textDocument={"uri": uri})
