"""What the index and the fast path answer is what every pattern tried on every text would answer."""

import os
import random
import re
import time
from pathlib import Path

import pytest
import regex
from builders import BACKLOG, HEADER, Repo, row
from hypothesis import given, settings
from hypothesis import strategies as st

from gatilho.fast_path import no_row_matches, read_call
from gatilho.git.root import find_repository
from gatilho.hosts.claude import HOST as CLAUDE
from gatilho.hosts.event import Event
from gatilho.index.index import open_index
from gatilho.ladder.matching import command_subjects, find_matches, path_subjects
from gatilho.shell.outputs import PROJECT_VARIABLES
from gatilho.shell.plain_command import plain_words
from gatilho.triggers import paths
from gatilho.triggers.globs import glob_to_regex
from gatilho.triggers.patterns import Budget
from gatilho.triggers.touches import touches_of_command

SETTLED = 1_000_000_000

WORDS = ["src", "lib", "api", "a.py", "schema.py", "test_retry.py", "Makefile", "é.txt", "deep", "x"]
NAMES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map("/".join)
PATTERNS = st.one_of(
    NAMES.map(lambda name: f"^{regex.escape(name)}$"),
    NAMES.map(regex.escape),
    st.sampled_from(
        [r"\.py$", r"^src/", r"(?i)^SRC/.*\.PY$", r"^(src|lib)/", r"[^/]+$", r"^.$", r"^\w+$", "x", r"api/(?!a)", r"^(a|", r"s(?:rc|chema)", r"é"]
    ),
)  # fmt: skip
TRIGGERS = st.one_of(
    PATTERNS.map(lambda pattern: f"path: {pattern}"),
    PATTERNS.map(lambda pattern: f"write: {pattern}"),
    PATTERNS.map(lambda pattern: f"read: {pattern}"),
    st.sampled_from(["glob: *.py", "glob: src/**", "glob: /lib/*.py", "glob: deep/"]),
    st.sampled_from([r"cmd: ^make\b", r"cmd: \bgit push\b", "cmd: (?i)RETRY", "cmd: src/a", r"cmd: ^\S+$"]),
)
COMMANDS = st.lists(
    st.one_of(
        st.sampled_from(
            ["make", "cat src/a.py", "git push", "echo 'git push'", "cd src && cat a.py", "rm -r lib", "true"]
        ),
        NAMES.map(lambda name: f"head -5 {name} 2>&1"),
        NAMES.map(lambda name: f"grep --file={name} x"),
        NAMES.map(lambda name: f"sed -i s/x/y/ '{name}'"),
    ),
    min_size=1,
    max_size=3,
).map(" && ".join)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository with folders in it, whose table is written anew for each example."""
    repo = Repo(tmp_path_factory.mktemp("repo") / "r")
    for name in ("src/a.py", "lib/api/x", "deep/schema.py", "src/deep/x"):
        repo.write(name, "x\n")
    return repo


def settle(repo: Repo, triggers: list[str]) -> None:
    """Write the rows into a table that was left alone long enough for the signature to be trusted."""
    lines = [row(f"R-{number}", trigger, lifecycle="rule") for number, trigger in enumerate(triggers)]
    os.utime(repo.write(BACKLOG, HEADER + "\n".join(lines) + "\n"), (SETTLED, SETTLED))
    repository = find_repository(str(repo.root))
    assert repository is not None
    signature = Path(repository.own_state) / "signature"
    signature.unlink(missing_ok=True)
    while not signature.exists():
        open_index(repository).close()
        time.sleep(0.01)


def expected(triggers: list[str], names: list[tuple[str, str]], commands: list[str]) -> set[str]:
    """The rows that speak when each pattern is simply searched in each text."""
    found = set()
    for number, trigger in enumerate(triggers):
        kind, _, pattern = trigger.partition(": ")
        texts = (
            commands
            if kind == "cmd"
            else [name for touch, name in names if kind not in ("read", "write") or kind == touch]
        )
        try:
            compiled = regex.compile(glob_to_regex(pattern) if kind == "glob" else pattern)
        except regex.error:
            continue
        if any(compiled.search(text) for text in texts):
            found.add(f"R-{number}")
    return found


def spoken(repo: Repo, touches: list[object], command: str, simple: tuple[str, ...]) -> set[str]:
    """The rows that the index and the matching find."""
    repository = find_repository(str(repo.root))
    assert repository is not None
    subjects = path_subjects(touches, str(repo.root))  # type: ignore[arg-type]
    if command:
        subjects += command_subjects(command, simple)
    with open_index(repository) as index:
        return {match.row.id for match in find_matches(index, subjects, Budget(5.0))}


def names_of(repo: Repo, touches: list[object]) -> list[tuple[str, str]]:
    root = str(repo.root)
    return [(touch.kind, name) for touch in touches for name in paths.names_in(touch.path, root)]  # type: ignore[attr-defined]


def is_quiet(event: Event) -> bool:
    return no_row_matches(event, read_call(event))


def event_of(repo: Repo, tool: str, arguments: dict[str, str]) -> Event:
    return CLAUDE.read(
        {
            "session_id": "s",
            "cwd": str(repo.root),
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": arguments,
        }
    )


@settings(max_examples=80)
@given(st.lists(TRIGGERS, min_size=1, max_size=8), NAMES, st.sampled_from(["read", "write"]))
def test_a_path_finds_the_rows_that_a_plain_search_finds(
    place: Repo, triggers: list[str], name: str, kind: str
) -> None:
    from gatilho.model import Touch

    settle(place, triggers)
    touches: list[object] = [Touch(kind, place.path(name))]
    wanted = expected(triggers, names_of(place, touches), [])
    assert spoken(place, touches, "", ()) == wanted
    tool = {"read": "Read", "write": "Write"}[kind]
    if wanted:
        assert not is_quiet(event_of(place, tool, {"file_path": place.path(name)}))


@settings(max_examples=80)
@given(st.lists(TRIGGERS, min_size=1, max_size=8), COMMANDS)
def test_a_command_finds_the_rows_that_a_plain_search_finds(place: Repo, triggers: list[str], command: str) -> None:
    settle(place, triggers)
    effects = touches_of_command(command, str(place.root))
    simple, touches = effects.commands, effects.touches
    wanted = expected(triggers, names_of(place, list(touches)), [effects.line, *simple])
    assert spoken(place, list(touches), effects.line, simple) == wanted
    if wanted:
        assert not is_quiet(event_of(place, "Bash", {"command": command}))


def test_what_no_pattern_can_match_is_quiet(place: Repo) -> None:
    settle(place, [r"path: ^src/a\.py$", r"cmd: \bgit push\b", "glob: lib/**/*.rs"])
    assert is_quiet(event_of(place, "Read", {"file_path": place.path("docs/other.txt")}))
    assert is_quiet(event_of(place, "Bash", {"command": "make test 2>&1 | tail -5"}))
    assert is_quiet(event_of(place, "Bash", {"command": "echo 'x y' > docs/other.txt"}))


def test_a_plain_command_is_never_read_for_less_than_the_reader_of_shell_finds() -> None:
    chance = random.Random(7)
    pieces = ["ls", "cat", "make", "grep", "python", "head", "-n5", "-fsrc/b.py", "--file=src/a.py", "src/a.py", "a=b", "../x", "x:y", "@v", "2>&1", "2>/dev/null", "|", "&&", ";", "||", "/tmp/z", "-Ilib", ".", "git log", "git show", "git commit -m", "git", "HEAD:src/a.py", "uv run", "cp", "'src/a b.py'", '"don\'t > src/a.py"', "'a; rm src/a.py'", "-C", "--format='%h src/a.py'", '--output="src/a.py"', "-e", "'(a|b)*'", "echo", "awk", "x'y'", "''", "-c", "'print(1)'", "wc", "xargs", "sh", "find", "sed", "-n", "-i", "-exec", "python3 -c", "node -e", "-name '*.py'", '"$A"', "$B", '"$X/src/a.py"', '"${C}x src/b.py"', "'$a/src/b'", '"$PWD"', "$1/x"]  # fmt: skip
    plain = quoted = varied = 0
    for _ in range(8000):
        moved = chance.choice(["", "", "cd src && ", "cd ../x; ", "cd /r/s | "])
        command = moved + " ".join(chance.choices(pieces, k=chance.randrange(1, 9)))
        words = plain_words(command)
        if words is None:
            continue
        plain += 1
        quoted += "'" in command or '"' in command
        varied += "$" in command
        effects = touches_of_command(command, "/r/sub")
        simple, touches = effects.commands, effects.touches
        named = {path for word in words if (path := paths.absolute(word, "/r/sub"))}
        assert {touch.path for touch in touches} <= named, command
        whole = f"{command}\n{' '.join(words)}"
        # A pair of quotes is in the place of what no shell runs.
        assert all(piece in whole for text in (effects.line, *simple) for piece in re.split("''|\"\"", text)), command
    assert plain > 1000
    assert quoted > 300
    assert varied > 100


@pytest.mark.parametrize(
    "command",
    ["uv run git checkout main -- .", "npx cp -rT x docs", "git -C docs restore .", "git checkout main", "find . -delete",
     "sed -i 's/x/y/' src/a.py", "cd a && cd b", "cd - && ls x", "cd && ls 'x'", "npx 'rm' x",
     "awk 'BEGIN { system(\"x\") }'", "uv run 'gati'lho pay", "python3 -m g\"at\"ilho", "cat 'a' > b", "echo \"$(rm x)\"",
     'echo "`rm x`"', "echo 'a", "grep x'y' src/a.py", "git -c alias.x='!rm src/a.py' log", "echo 'x' | xargs rm",
     "$A x", '"$A" x', "git $A", 'cat "$PWD/x"', "cat ${A:-src/a.py}", 'cat "${A[0]}"', "cat $(ls)", 'A=x; cat "$A"',
     "cat $CLAUDE_PROJECT_DIR/x", "cat ~+/$HOME", "ruff format src", "ruff check --fix", "uv run black src", "cargo fmt",
     "npx prettier@3 --write src", "python3 -m isort .", "python3 -m tarfile -e x.tar ."],
)  # fmt: skip
def test_what_may_run_another_program_is_read(command: str) -> None:
    assert plain_words(command) is None


def test_a_variable_in_which_a_host_names_a_folder_is_read() -> None:
    assert [name for name in PROJECT_VARIABLES if plain_words(f'cat "${name}/x"') is not None] == []


def test_of_a_command_that_writes_a_file_the_file_is_what_was_written(place: Repo) -> None:
    settle(place, [r"path: ^src/a\.py$` `cmd: ^sed"])
    effects = touches_of_command("sed -i s/a/b/ src/a.py", str(place.root))
    subjects = path_subjects(effects.touches, str(place.root)) + command_subjects(effects.line, effects.commands)
    repository = find_repository(str(place.root))
    assert repository is not None
    with open_index(repository) as index:
        assert [match.written for match in find_matches(index, subjects, Budget(5.0))] == ["src/a.py"]
