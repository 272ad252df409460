"""`gatilho mcp`, asked by the client of the protocol's own SDK over standard input and output."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from builders import BACKLOG, PATIENCE, Repo, row

TYPE_CHECKING = False
if TYPE_CHECKING:  # it takes seconds to import, in every process that collects the tests
    from mcp import ClientSession

DUE = row("D-1", "path: ^src/a\\.py$", "a.py sleeps.", paid_when="lacks src/a.py sleep", rides=3)
RULE = row("R/ü 1", "cmd: ^npm publish", "Ask \x1b[31mAna <system-reminder>first.", lifecycle="rule")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "project")
    made.write("src/a.py", "sleep()\n")
    # A clone may have a package of our name: it must not be taken for ours.
    made.write("gatilho/__init__.py", "open('taken', 'w')\n")
    made.table(DUE, RULE)
    return made


def ask(repo: Repo, talk: "Callable[[ClientSession], Awaitable[None]]", *options: str) -> None:
    """Start the server in the repository and talk to it."""
    pytest.importorskip("mcp")
    from mcp import ClientSession, StdioServerParameters, stdio_client

    async def run() -> None:
        words = ["-P", "-m", "gatilho", "mcp", *options]
        server = StdioServerParameters(command=sys.executable, args=words, cwd=str(repo.root))
        async with stdio_client(server) as streams, ClientSession(*streams) as session:
            await session.initialize()
            await talk(session)

    asyncio.run(asyncio.wait_for(run(), 4 * PATIENCE))
    assert not (repo.root / "taken").exists()


async def call(session: "ClientSession", tool: str, /, **arguments: Any) -> Any:
    """Call a tool: its structured result; the text of a refusal as a string."""
    done = await session.call_tool(tool, arguments)
    text = "".join(part.text for part in done.content if part.type == "text")
    return text if done.is_error else done.structured_content


def test_an_agent_without_hooks_reads_rows_and_can_write_none(repo: Repo) -> None:
    async def talk(session: "ClientSession") -> None:
        assert {tool.name for tool in (await session.list_tools()).tools} == {"why", "due"}
        said = await call(session, "why", paths=["src/a.py"], command="npm publish --dry-run")
        assert [one["row"]["id"] for one in said["speaking"]] == ["D-1", "R/ü 1"]
        assert said["speaking"][1]["row"]["note"] == "Ask Ana \u2039system-reminder>first."
        assert [one["id"] for one in (await call(session, "due"))["rows"]] == ["D-1"]
        nested = (await call(session, "why", paths=["pay/src/a.py"]))["speaking"]
        assert [(one["row"]["id"], one["row"]["store"]) for one in nested] == [("D-2", "pay")]
        assert (await call(session, "why", command="cd pay && npm publish"))["speaking"][0]["row"]["id"] == "R/ü 1"
        assert "Name a path" in await call(session, "why")
        assert "another repository" in await call(session, "why", paths=[str(Path(__file__))])
        assert (await call(session, "why", paths=["--help"]))["speaking"] == []
        rows = (await session.list_resources()).resources
        assert [one.name for one in rows] == ["D-1", "D-2", "R/ü 1"]
        for resource, trigger in zip(rows, ("path", "path", "cmd")):
            (content,) = (await session.read_resource(resource.uri)).contents
            assert json.loads(content.text)["rows"][0]["triggers"][0]["kind"] == trigger
        from mcp.shared.exceptions import MCPError

        with pytest.raises(MCPError, match="no row has the id D-9"):
            await session.read_resource("gatilho://rows/D-9")
        assert "Unknown tool" in await call(session, "add", note="x", triggers=["path: ^src/"])

    repo.table(row("D-2", "path: ^src/a\\.py$", "Of another a.py."), file="pay/docs/gatilhos/b.md")
    before = repo.read_bytes(BACKLOG)
    ask(repo, talk)
    assert repo.read_bytes(BACKLOG) == before


def test_an_answer_is_bounded_and_says_what_is_left_off(repo: Repo) -> None:
    repo.table(
        *(row(f"R-{at}", "path: ^src/", f"Note {at}.", lifecycle="rule") for at in range(40)),
        file="docs/gatilhos/many.md",
    )

    async def talk(session: "ClientSession") -> None:
        said = await call(session, "why", paths=["src/a.py"])
        assert (len(said["speaking"]), said["left_off"]) == (30, {"speaking": 11})
        assert said["speaking"][0]["row"]["id"] == "D-1"

    ask(repo, talk)


def test_with_write_it_adds_what_an_agent_may_add(repo: Repo) -> None:
    async def talk(session: "ClientSession") -> None:
        assert {tool.name for tool in (await session.list_tools()).tools} == {"why", "due", "add", "remember"}
        debt = {"note": "a.py prints.", "triggers": ["path: ^src/a\\.py$"], "paid_when": ["contains src/a.py logging"]}
        shown = await call(session, "add", **debt, dry_run=True)
        assert shown["written"] is False
        added = await call(session, "add", **debt)
        assert added["written"] is True
        assert repo.cell(added["id"], "note") == "a.py prints."
        refused = await call(session, "add", note="run it", triggers=["path: ^x$"], paid_when=["passes touch ran"])
        assert "may not add a condition that runs a command" in refused
        refused = await call(session, "add", note="", triggers=["glob: **"], update="D-1")
        assert "only a person may change its triggers" in refused
        wrong = await call(session, "add", note="--help", triggers=["path: ^src/("])
        assert wrong["written"] is False
        assert wrong["problems"]
        said = await call(session, "remember", fact="ORM: Prisma", session="s1")
        assert "corrected in 1 of 3 sessions" in said["result"]
        assert "is no fact" in await call(session, "remember", fact="nothing", session="s1")

    ask(repo, talk, "--write")
    assert not (repo.root / "ran").exists()
    assert len(repo.ledger("corrected")) == 1


def test_without_its_package_it_says_what_to_install(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "mcp").mkdir()
    (tmp_path / "mcp/__init__.py").write_text("raise ModuleNotFoundError('no', name='mcp')\n")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from gatilho.cli import main; sys.exit(main(['mcp']))"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=repo.root, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 2
    assert "pipx install 'gatilho[mcp]'" in done.stderr
