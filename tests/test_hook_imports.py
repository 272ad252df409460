"""What a hook loads, on each of its paths: a module more is paid for by every tool call of every session."""

import json
import os
import py_compile
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from builders import BACKLOG, CHECKOUT, Repo, row
from claude_session import Session

from gatilho import hook
from gatilho.index.refresh import TICK

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
    "gatilho", "gatilho.bounded", "gatilho.fast_path", "gatilho.hook", "gatilho.value",
    "gatilho.hosts", "gatilho.hosts.claude", "gatilho.hosts.event", "gatilho.hosts.tools", "gatilho.wire",
    "gatilho.git", "gatilho.git.root", "gatilho.index", "gatilho.index.signature",
    "gatilho.triggers", "gatilho.triggers.paths",
}  # fmt: skip
# Further ones where a row matches by plain text and there is nothing to say before the call.
MATCHED = QUIET | {
    "gatilho.event_places",
    "gatilho.config", "gatilho.dates", "gatilho.model",
    "gatilho.ladder", "gatilho.ladder.decide", "gatilho.ladder.events", "gatilho.ladder.matching",
    "gatilho.ladder.reporting", "gatilho.ladder.tool_call", "gatilho.ladder.event_context", "gatilho.ladder.session",
    "gatilho.ladder.sessions", "gatilho.ladder.tool_events",
    "gatilho.index.database", "gatilho.index.freshness", "gatilho.index.index", "gatilho.index.packing",
    "gatilho.triggers.budget", "gatilho.triggers.literals",
}  # fmt: skip
# And where its note is said after the call.
LITERAL = MATCHED | {
    "gatilho.ladder.delivery", "gatilho.ladder.messages", "gatilho.plain", "gatilho.secret_shapes", "gatilho.git.state", "gatilho.store", "gatilho.store.head",
}  # fmt: skip
# Of the standard library: what is built in or compiled.
STANDARD_QUIET = {"gc", "posix", "_imp", "_json"}
STANDARD_LITERAL = STANDARD_QUIET | {"_functools", "_sqlite3", "time"}
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
    repo.table(row("D-lit", "^src/a\\.py$", "look at a"), row("D-reg", "^lib/\\w+_b\\.py$", "look at b"),
               row("D-glob", "glob: web/**/*.ts", "look at the page"))  # fmt: skip
    for name in ("src/a.py", "src/c.py", "lib/x_b.py", "web/x/y.ts"):
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
    # No call can date back when a file was changed in its folder: a tick of that clock has to pass.
    time.sleep(2 * TICK / 1e9)


def touch(session: Session, name: str) -> dict[str, Any]:
    return session.post("Edit", file_path=session.repo.path(name), old_string="", new_string="x")


def _own(modules: set[str]) -> set[str]:
    return {name for name in modules if name.split(".")[0] == "gatilho"}


def test_a_call_that_matches_no_row_loads_the_fast_path_alone(session: Session) -> None:
    answer, loaded = probe(touch(session, "src/c.py"))
    assert answer is None
    assert _own(loaded) == QUIET
    assert loaded - _own(loaded) <= STANDARD_QUIET


def test_a_plain_command_loads_what_reads_it_and_what_looks_at_the_files_that_rows_name(session: Session) -> None:
    for heard in (False, True):
        if heard:
            probe(touch(session, "src/a.py"))
        answer, loaded = probe(session.post("Bash", command="ls -la src"))
        assert answer is None
        assert _own(loaded) == QUIET | {"gatilho.shell", "gatilho.shell.plain_command", "gatilho.index.watched"}
        assert loaded - _own(loaded) <= STANDARD_QUIET


def test_a_row_that_speaks_by_plain_text_loads_no_engine(session: Session) -> None:
    answer, loaded = probe(touch(session, "src/a.py"))
    assert answer is not None
    assert "look at a" in json.dumps(answer)
    assert _own(loaded) - LITERAL == set()
    assert loaded - _own(loaded) - STANDARD_LITERAL == set()


def test_before_a_call_a_match_loads_nothing_that_speaks(session: Session) -> None:
    event = session.pre("Edit", file_path=session.repo.path("src/a.py"), old_string="", new_string="x")
    answer, loaded = probe(event)
    assert answer is None
    assert _own(loaded) - MATCHED == set()
    assert loaded - _own(loaded) - STANDARD_LITERAL == set()


def test_a_glob_of_stars_and_text_loads_one_small_module_more(session: Session) -> None:
    answer, loaded = probe(touch(session, "web/x/y.ts"))
    assert "look at the page" in json.dumps(answer)
    assert _own(loaded) - LITERAL == {"gatilho.triggers.plain_globs"}
    assert loaded - _own(loaded) - STANDARD_LITERAL == set()


def test_a_row_that_needs_the_engine_loads_it_and_nothing_of_the_rest(session: Session) -> None:
    answer, loaded = probe(touch(session, "lib/x_b.py"))
    assert "look at b" in json.dumps(answer)
    assert "regex" in loaded
    assert _own(loaded) - LITERAL == {"gatilho.triggers.patterns"}
    assert not loaded & {"re", "string", "threading", "locale", "site", "enum", "collections"}
    assert not loaded & {"mistune", "rich", "git", "pathspec", "sqlite3", "subprocess"}


def _change_tables(repo: Repo, *further: str) -> None:
    """Change prose and rows, so that the whole document is read again."""
    repo.table(row("D-lit", "^src/a\\.py$", "look at a"), *further, commit=False)
    text = repo.read(BACKLOG)
    repo.write(BACKLOG, "Some prose about these rows.\n\n" + text)
    _age(repo)


def test_changed_tables_are_taken_in_without_the_ladder_and_without_a_regular_expression(session: Session) -> None:
    _change_tables(session.repo, row("D-new", "^src/d\\.py$", "look at d"))
    answer, loaded = probe(touch(session, "src/c.py"))
    assert answer is None
    assert {"gatilho.document.rows", "gatilho.document.blocks"} <= loaded
    assert not any(name.startswith("gatilho.ladder") for name in loaded)
    assert not loaded & (
        NEVER | {"os", "zlib", "gatilho.dates", "gatilho.files", "gatilho.git.query", "gatilho.triggers.patterns"}
    )
    assert _own(probe(touch(session, "src/c.py"))[1]) == QUIET


def test_a_row_of_changed_tables_speaks_at_once(session: Session) -> None:
    _change_tables(session.repo, row("D-new", "^src/c\\.py$", "look at c"))
    assert "look at c" in json.dumps(probe(touch(session, "src/c.py"))[0])


def test_a_problem_in_changed_tables_is_told_on_a_call_that_no_row_matches(session: Session) -> None:
    _change_tables(session.repo, "| | rule | `path: ^x` | a note | | 0 | rule |")
    assert "has no id" in json.dumps(probe(touch(session, "src/c.py"))[0])


def test_a_session_that_starts_loads_nothing_that_hears_answers_closes_turns_or_looks_at_tools(
    session: Session,
) -> None:
    answer, loaded = probe(Session(session.repo).session_start())
    assert "3 rows in force" in json.dumps(answer)
    assert not loaded & {"gatilho.ladder.answers", "gatilho.ladder.closing", "gatilho.ladder.tool_events", *NEVER}


@pytest.mark.parametrize("name", ["src/c.py", "src/a.py"], ids=["quiet", "literal"])
def test_what_is_slow_to_load_stays_out(session: Session, name: str) -> None:
    assert not probe(touch(session, name))[1] & NEVER


def test_the_event_after_a_ride_costs_what_any_event_costs(session: Session) -> None:
    probe(touch(session, "src/a.py"))
    closed, _ = probe(session.stop())
    assert "1 ride now" in json.dumps(closed)
    other = Session(session.repo)
    answer, loaded = probe(touch(other, "src/c.py"))
    assert answer is None
    assert _own(loaded) == QUIET
    answer, loaded = probe(touch(other, "src/a.py"))
    assert "look at a" in json.dumps(answer)
    assert "not committed yet" not in json.dumps(answer)
    assert not loaded & {"subprocess", "tomllib", "pathspec", "gatilho.index.refresh"}


def test_git_is_asked_without_what_takes_longer_than_its_answer(session: Session) -> None:
    session.repo.commit("Move HEAD")
    loaded = probe(touch(session, "src/a.py"))[1]
    assert "select" in loaded  # git was asked
    assert not loaded & {"subprocess", "re", "enum", "site"}


def test_the_json_package_stands_in_where_the_scanner_is_missing(session: Session) -> None:
    said, _ = probe(touch(session, "src/a.py"))
    other = Session(session.repo)
    stood_in, loaded = probe(touch(other, "src/a.py"), WITHOUT_SCANNER)
    assert "json" in loaded
    assert stood_in == said


def compiled(folder: Path, name: str, text: str, how: str = "TIMESTAMP") -> Path:
    """Write a module of a package and what Python keeps of it, compiled."""
    source = folder / f"{name}.py"
    source.parent.mkdir(exist_ok=True)
    source.write_text(text)
    py_compile.compile(str(source), doraise=True, invalidation_mode=py_compile.PycInvalidationMode[how])
    return source


def found(folder: Path, name: str) -> Any:
    """What the hook's own finder says of a module in the folder of our package."""
    return hook._Compiled.find_spec(f"gatilho.{name}", [str(folder)])


def test_our_modules_are_found_compiled_as_python_finds_them(tmp_path: Path) -> None:
    source = compiled(tmp_path, "one", "def where(): return __file__")
    spec = found(tmp_path, "one")
    assert (spec.origin, spec.parent, spec.submodule_search_locations) == (str(source), "gatilho", None)
    assert spec.loader_state.co_filename == str(source)
    assert py_compile.importlib._bootstrap_external._get_cached(spec.origin) == spec.cached  # type: ignore[attr-defined]
    compiled(tmp_path, "room/__init__", "")
    assert found(tmp_path, "room").submodule_search_locations == [str(tmp_path / "room")]


@pytest.mark.parametrize(
    "case", ["changed", "of another size", "checked by its hash", "not compiled", "cut short", "missing"]
)
def test_what_is_compiled_otherwise_is_left_to_python(tmp_path: Path, case: str) -> None:
    source = compiled(tmp_path, "one", "A = 1", "CHECKED_HASH" if "hash" in case else "TIMESTAMP")
    kept = next(tmp_path.glob("__pycache__/*"))
    if case == "changed":
        os.utime(source, (1, 1))
    elif case == "of another size":
        stamp = source.stat()
        source.write_text("A = 10")
        os.utime(source, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    elif case == "cut short":
        kept.write_bytes(kept.read_bytes()[:12])
    elif "hash" not in case:
        (kept if case == "not compiled" else source).unlink()
    assert found(tmp_path, "one") is None
    assert hook._Compiled.find_spec("other.one", [str(tmp_path)]) is None
