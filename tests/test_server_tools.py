"""Tools of MCP servers: their own name says what they do, their values which files, the configuration has the last word."""

import json
from typing import Any

import pytest
from builders import Repo, row, run_hook
from claude_session import Session

from gatilho.configfile import load
from gatilho.hosts.mcp import own_name, server_call_of, words_of

NOTE = "look at the fixture first"


@pytest.fixture
def due(repo: Repo) -> Repo:
    """A repository with a due debt on a file, and another file beside it."""
    repo.write("src/a.py", "a = 1\n")
    repo.write("docs/b.md", "b\n")
    repo.table(row("D-1", r"path: ^src/a\.py$", NOTE, rides=3), row("D-2", r"path: ^src/new\.py$", NOTE, rides=3))
    repo.commit()
    return repo


def decision(due: Repo, tool: str, **arguments: object) -> str:
    return run_hook(Session(due).pre(tool, **arguments)).decision


@pytest.mark.parametrize(
    ("tool", "own"),
    [
        ("mcp__editor__read_file", "read_file"),
        ("mcp__plugin_team_files__write_file", "write_file"),
        ("mcp_files_write_file", "write_file"),
        ("MCP:write_file", "write_file"),
        ("@files/write_file", "write_file"),
        ("github-mcp-server-get_file", "get_file"),
    ],
)
def test_the_name_of_the_server_is_left_out(tool: str, own: str) -> None:
    assert own_name(tool) == own


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("create_or_update_file", ["create", "or", "update", "file"]),
        ("replaceSymbolBody", ["replace", "symbol", "body"]),
        ("move-file", ["move", "file"]),
        ("list_moved_files", ["list", "moved", "files"]),
        ("", []),
    ],
)
def test_a_name_is_read_by_whole_words(name: str, words: list[str]) -> None:
    assert words_of(name) == words


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("mcp__serena__replace_symbol_body", {"relative_path": "src/a.py", "name_path": "f", "body": "pass"}),
        ("mcp__filesystem__move_file", {"source": "docs/b.md", "destination": "src/a.py"}),
        ("mcp__filesystem__move_file", {"source": "src/a.py", "destination": "src/c.py"}),
        ("mcp__filesystem__copy_file", {"source": "docs/b.md", "destination": "src/a.py"}),
        ("mcp__filesystem__write_file", {"path": "src/new.py", "content": "x"}),
        ("mcp__fs__deleteFiles", {"files": ["docs/b.md", "src/a.py"]}),
        ("mcp__fs__edit_many", {"edits": [{"file": "src/a.py", "text": "x"}]}),
        ("mcp__fs__find_and_replace", {"where": "src/a.py", "find": "a", "replace": "b"}),
        ("mcp__fs__create", {"uri": "file://{root}/src/a.py"}),
        ("mcp__fs__overwrite", {"target": "{root}/src/a.py"}),
        ("mcp__fs__apply_diff", {"diff": "--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-x\n+y\n"}),
        ("mcp__git__git_checkout", {"repo_path": "{root}", "files": ["src/a.py"]}),
        ("mcp__fs__text_editor", {"command": "create", "path": "src/a.py", "file_text": "x"}),
        ("mcp__git__stage_and_save", {"repo": "{root}", "file": "src/a.py"}),
    ],
    ids=lambda value: value.rpartition("__")[2] if isinstance(value, str) else ", ".join(value),
)
def test_a_tool_that_writes_is_asked_about(due: Repo, tool: str, arguments: dict[str, Any]) -> None:
    given = json.loads(json.dumps(arguments).replace("{root}", str(due.root)))
    assert decision(due, tool, **given) == "ask"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("mcp__editor__read_file", {"path": "src/a.py"}),
        ("mcp__writer__get_file", {"path": "src/a.py"}),
        ("mcp__fs__get_edit_history", {"path": "src/a.py"}),
        ("mcp__fs__list_moved_files", {"path": "src/a.py"}),
        ("mcp__filesystem__copy_file", {"source": "src/a.py", "destination": "docs/c.py"}),
        ("mcp__fs__search", {"pattern": "new", "path": "src/a.py"}),
        ("mcp__fs__write_file", {"path": "docs/b.md", "content": "src/new.py"}),
        ("mcp__fs__write_file", {"path": "no-such-folder/src/a.py", "content": "x"}),
        ("mcp__fs__write_file", {"path": "/elsewhere/src/a.py", "content": "x"}),
        ("mcp__github__create_or_update_file", {"owner": "ana", "repo": "elsewhere", "path": "src/a.py"}),
        ("mcp__github__push_files", {"owner": "ana", "repo": "shop", "files": [{"path": "src/a.py", "content": "x"}]}),
        ("mcp__gitlab__create_or_update_file", {"project_id": "ana/shop", "file_path": "src/a.py"}),
        ("mcp__azure__create_file", {"organization": "ana", "repositoryId": "shop", "path": "src/a.py"}),
        ("mcp__azure__push_files", {"project": "ana", "repository-name": "shop", "path": "src/a.py"}),
        ("mcp__hub__update_file", {"repoFullName": "ana/shop", "path": "src/a.py"}),
        ("mcp__forge__write_file", {"repo": "ana/elsewhere", "path": "src/a.py"}),
        ("mcp__fs__write_file", {"path": 7, "content": None}),
    ],
    ids=lambda value: value.rpartition("__")[2] if isinstance(value, str) else ", ".join(value),
)
def test_any_other_call_passes(due: Repo, tool: str, arguments: dict[str, Any]) -> None:
    assert decision(due, tool, **arguments) == ""


def test_what_another_repository_holds_gets_no_ride(due: Repo) -> None:
    session = Session(due)
    call = {"owner": "ana", "repo": "elsewhere", "path": "src/a.py", "content": "x"}
    assert run_hook(session.post("mcp__github__create_or_update_file", **call)).answer is None
    run_hook(session.stop())
    assert due.rides("D-1") == 3


def test_a_read_says_the_note(due: Repo) -> None:
    assert NOTE in run_hook(Session(due).post("mcp__editor__read_file", path="src/a.py")).context


def test_what_code_in_a_language_that_cannot_be_read_names_is_read(due: Repo) -> None:
    session, code = Session(due), "x <- file('src/a.py')"
    assert run_hook(session.pre("mcp__code__run_code", language="R", code=code)).decision == ""
    assert NOTE in run_hook(session.post("mcp__code__run_code", language="R", code=code)).context


def test_a_path_is_relative_to_the_folder_or_to_the_root(due: Repo) -> None:
    session = Session(due, cwd=due.path("docs"))
    assert run_hook(session.pre("mcp__fs__write_file", path="../src/a.py")).decision == "ask"
    assert run_hook(session.pre("mcp__fs__write_file", path="src/a.py")).decision == "ask"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("mcp__shell__execute", {"command": "sed -i s/1/2/ src/a.py"}),
        ("mcp__shell__exec", {"argv": ["sed", "-i", "s/1/2/", "src/a.py"]}),
        ("mcp__terminal__run_command", {"command": "sed -i s/1/2/ a.py", "cwd": "src"}),
        ("mcp__shell__run", {"command": "sed", "args": ["-i", "s/1/2/", "src/a.py"]}),
        ("shell", {"command": ["bash", "-lc", "true # 1\nrm src/a.py"]}),
        ("shell", {"command": ["apply_patch", "*** Begin Patch\n*** Delete File: src/a.py\n*** End Patch"]}),
        ("apply_patch", {"command": ["apply_patch", "*** Begin Patch\n*** Delete File: src/a.py\n*** End Patch"]}),
        ("mcp__files__apply_patch", {"patch": "--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-1\n+2\n"}),
        ("mcp__desktop__start_process", {"command": "rm src/a.py"}),
        ("mcp__jobs__execute", {"commands": ["cd src", "rm a.py"]}),
        ("mcp__code__execute_python", {"code": "open('src/a.py', 'w').write(\"it's\")"}),
        ("mcp__code__run_code", {"language": "JavaScript", "code": "fs.writeFileSync('src/a.py', '')"}),
        ("mcp__code__run_code", {"language": "bash", "code": "cd src\nrm a.py"}),
    ],
    ids=[
        "command",
        "argv",
        "folder",
        "words",
        "script in words",
        "patch in words",
        "patch in a list",
        "patch",
        "process",
        "list",
        "Python",
        "language",
        "script",
    ],
)
def test_a_tool_that_runs_commands_is_read_as_a_shell(due: Repo, tool: str, arguments: dict[str, Any]) -> None:
    assert decision(due, tool, **arguments) == "ask"


class TestTheConfiguration:
    def test_it_decides_first(self, due: Repo) -> None:
        due.write(
            "gatilho.toml",
            '[tools.mcp__a__read_file]\ndoes = "writes"\n[tools."mcp__a__write_file"]\ndoes = "ignore"\n'
            '[tools.mcp__a__peek]\ndoes = "writes"\npaths = ["where"]\n[tools.mcp__a__go]\ndoes = "runs"\n'
            '[tools.mcp__a__save]\ndoes = "reads"\n[tools.Scribble]\ndoes = "writes"\n',
        )
        assert decision(due, "mcp__a__read_file", path="src/a.py") == "ask"
        assert decision(due, "mcp__a__write_file", path="src/a.py") == ""
        assert decision(due, "mcp__a__peek", where="src/a.py") == "ask"
        assert decision(due, "mcp__a__peek", path="src/a.py") == ""
        assert decision(due, "mcp__a__go", command="rm src/a.py") == "ask"
        assert decision(due, "mcp__a__save", path="src/a.py") == ""
        assert decision(due, "Scribble", path="src/a.py") == "ask"

    def test_it_names_another_repositorys_tool_all_the_same(self, due: Repo) -> None:
        due.write("gatilho.toml", '[tools.mcp__a__put]\ndoes = "writes"\npaths = ["path"]\n')
        assert decision(due, "mcp__a__put", owner="ana", repo="shop", path="src/a.py") == "ask"

    def test_pyproject_has_it_too(self, due: Repo) -> None:
        due.write("pyproject.toml", '[tool.gatilho.tools.mcp__a__peek]\ndoes = "writes"\n')
        assert decision(due, "mcp__a__peek", path="src/a.py") == "ask"

    def test_tools_that_a_host_lists_are_not_for_it(self, due: Repo) -> None:
        due.write("gatilho.toml", '[tools.Edit]\ndoes = "ignore"\n')
        assert decision(due, "Edit", file_path=due.path("src/a.py"), old_string="1", new_string="2") == "ask"

    @pytest.mark.parametrize(
        ("text", "code", "said"),
        [
            ('[tools.x]\ndoes = "write"\n', "GT003", "`tools.x.does` must be"),
            ('[tools.x]\npaths = ["p"]\n', "GT003", "has no `does`"),
            ('[tools.x]\ndoes = "writes"\npath = ["p"]\n', "GT002", "unknown key `tools.x.path`"),
            ('[tools.x]\ndoes = "writes"\npaths = "p"\n', "GT003", "`tools.x.paths` must be"),
            ("tools = 3\n", "GT003", "`tools` must be"),
        ],
        ids=["verb", "no verb", "key", "paths", "no table"],
    )
    def test_what_does_not_fit_is_named(self, repo: Repo, text: str, code: str, said: str) -> None:
        repo.write("gatilho.toml", text)
        config, problems = load(str(repo.root))
        assert config.tools == {}
        assert [problem.code for problem in problems] == [code]
        assert said in problems[0].message


def test_a_tool_for_many_things_looks_where_it_is_asked_to(due: Repo) -> None:
    path = due.path("src/a.py")
    assert not decision(due, "mcp__editor__str_replace_editor", command="view", path=path)
    assert decision(due, "mcp__editor__str_replace_editor", command="str_replace", path=path, oldStr="a", newStr="b")


def test_the_words_of_a_command_are_one_command(due: Repo) -> None:
    assert decision(due, "mcp__shell__run", command=["sed", "-i", "s/a/b/", "src/a.py"])
    assert not decision(due, "mcp__shell__run", command=["cat", "src/a.py"])
    assert decision(due, "mcp__shell__run", command=["cd src", "sed -i s/a/b/ a.py"])


def test_a_text_that_is_put_in_names_no_new_file(due: Repo) -> None:
    found = server_call_of(
        "mcp__ide__replace_text", {"path": "docs/b.md", "oldText": "b", "newName": "c"}, str(due.root), "", None
    )
    assert found.paths == (("write", due.path("docs/b.md")),)
