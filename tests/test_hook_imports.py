"""What a hook loads, on each of its paths: a module more is paid for by every tool call of every session."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from builders import CHECKOUT, Repo, row
from claude_session import Session

# Runs the hook as the dispatcher does, and tells on standard error which modules were loaded by then.
PROBE = """\
import sys
sys.path.append({checkout!r})
from gatilho.hook import main
main(["--host", "claude"])
sys.stderr.write("\\n".join(sys.modules))
"""
WITHOUT_SCANNER = "import sys\nsys.modules['_json'] = None\n"

# Own modules that every tool call loads.
QUIET = {
    "gatilho", "gatilho.hook", "gatilho.quiet", "gatilho.value",
    "gatilho.hosts", "gatilho.hosts.claude", "gatilho.hosts.event", "gatilho.hosts.tools", "gatilho.hosts.wire",
    "gatilho.store", "gatilho.git.root", "gatilho.index.signature",
    "gatilho.triggers", "gatilho.triggers.paths",
}  # fmt: skip
# Further ones where a row speaks by plain text.
LITERAL = QUIET | {
    "gatilho.config", "gatilho.dates", "gatilho.errors", "gatilho.model", "gatilho.plain",
    "gatilho.ladder", "gatilho.ladder.asking", "gatilho.ladder.decide", "gatilho.ladder.delivery",
    "gatilho.ladder.events", "gatilho.ladder.guard", "gatilho.ladder.matching", "gatilho.ladder.news",
    "gatilho.ladder.payments", "gatilho.ladder.tool_call", "gatilho.ladder.recording", "gatilho.ladder.event_context",
    "gatilho.ladder.session", "gatilho.ladder.sessions", "gatilho.ladder.speech", "gatilho.ladder.tool_events",
    "gatilho.store.cells", "gatilho.store.change", "gatilho.index.database", "gatilho.files",
    "gatilho.index.freshness", "gatilho.git.state", "gatilho.store.head", "gatilho.index.index",
    "gatilho.ledger.lines", "gatilho.store.log", "gatilho.index.packing", "gatilho.ledger.tally",
    "gatilho.store.table", "gatilho.tables",
    "gatilho.triggers.literals", "gatilho.triggers.patterns",
}  # fmt: skip
# Of the standard library: what is built in or compiled, and `os` with its own where a database is opened.
STANDARD_QUIET = {"gc", "posix", "_imp", "_json"}
STANDARD_LITERAL = STANDARD_QUIET | {
    "os", "stat", "_stat", "abc", "_abc", "_collections_abc", "os.path", "posixpath", "genericpath", "_functools",
    "_sqlite3", "_sha256", "_sha2", "time", "fcntl",
}  # fmt: skip
NEVER = {"json", "re", "sqlite3", "dataclasses", "typing", "subprocess", "mistune", "rich", "git"}


def probe(event: dict[str, Any], before: str = "") -> tuple[dict[str, Any] | None, set[str]]:
    """The answer to an event, and the modules that were loaded for it over those of a bare interpreter."""
    code = before + PROBE.format(checkout=str(CHECKOUT))
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code],
        input=json.dumps(event).encode(), cwd=event["cwd"], env=os.environ.copy(), capture_output=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0
    return json.loads(done.stdout) if done.stdout else None, set(done.stderr.decode().split("\n")) - _bare()


def _bare() -> set[str]:
    command = [sys.executable, "-I", "-S", "-c", "import sys; print(*sys.modules)"]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


@pytest.fixture
def session(repo: Repo) -> Session:
    """A session in a repository with a literal row and one that needs the engine.

    An earlier session has had the index made, and git asked once which rows HEAD has.
    """
    repo.table(row("D-lit", "^src/a\\.py$", "look at a"), row("D-reg", "^lib/\\w+_b\\.py$", "look at b"))
    for name in ("src/a.py", "src/c.py", "lib/x_b.py"):
        repo.write(name, "")
    repo.commit()
    _age(repo)
    earlier = Session(repo)
    probe(earlier.session_start())
    probe(touch(earlier, "src/a.py"))
    assert (repo.root / ".git/gatilho/signature").exists()
    return Session(repo)


def _age(repo: Repo) -> None:
    """Date the tables back: while a file is new the index does not trust its stamp, and says so on every call."""
    for path in (repo.root / "docs/gatilhos", *(repo.root / "docs/gatilhos").rglob("*")):
        os.utime(path, (1_700_000_000, 1_700_000_000))


def touch(session: Session, name: str) -> dict[str, Any]:
    return session.post("Edit", file_path=session.repo.path(name), old_string="", new_string="x")


def _own(modules: set[str]) -> set[str]:
    return {name for name in modules if name.split(".")[0] == "gatilho"}


def test_a_call_that_concerns_no_row_loads_the_quiet_path_alone(session: Session) -> None:
    answer, loaded = probe(touch(session, "src/c.py"))
    assert answer is None
    assert _own(loaded) == QUIET
    assert loaded - _own(loaded) <= STANDARD_QUIET


def test_a_plain_command_loads_one_module_more(session: Session) -> None:
    answer, loaded = probe(session.post("Bash", command="ls -la src"))
    assert answer is None
    assert _own(loaded) == QUIET | {"gatilho.shell.plain_command"}
    assert loaded - _own(loaded) <= STANDARD_QUIET


def test_a_row_that_speaks_by_plain_text_loads_no_engine(session: Session) -> None:
    answer, loaded = probe(touch(session, "src/a.py"))
    assert answer is not None
    assert "look at a" in json.dumps(answer)
    assert _own(loaded) - LITERAL == set()
    assert loaded - _own(loaded) - STANDARD_LITERAL == set()


def test_a_row_that_needs_the_engine_loads_it_and_nothing_of_the_rest(session: Session) -> None:
    answer, loaded = probe(touch(session, "lib/x_b.py"))
    assert "look at b" in json.dumps(answer)
    assert "regex" in loaded
    assert _own(loaded) - LITERAL == set()
    assert not loaded & {"mistune", "rich", "git", "pathspec", "sqlite3", "subprocess"}


@pytest.mark.parametrize("name", ["src/c.py", "src/a.py"], ids=["quiet", "literal"])
def test_what_is_slow_to_load_stays_out(session: Session, name: str) -> None:
    assert not probe(touch(session, name))[1] & NEVER


def test_a_standard_module_of_another_platform_starts_no_search_for_packages(session: Session) -> None:
    """`subprocess` looks for Windows' own modules first; `site` would take longer than git, which is asked here."""
    session.repo.commit("Move HEAD")
    loaded = probe(touch(session, "src/a.py"))[1]
    assert "subprocess" in loaded
    assert "site" not in loaded


def test_the_json_package_stands_in_where_the_scanner_is_missing(session: Session) -> None:
    said, _ = probe(touch(session, "src/a.py"))
    other = Session(session.repo)
    stood_in, loaded = probe(touch(other, "src/a.py"), WITHOUT_SCANNER)
    assert "json" in loaded
    assert stood_in == said
