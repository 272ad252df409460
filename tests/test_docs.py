"""The documents say what the program does: their examples are run, their lists are complete, their links lead somewhere."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from builders import BACKLOG, CHECKOUT, HEADER, Repo, run_hook
from claude_session import Session
from documents import HOME, Piece, commands, matches, pieces, run_command

from gatilho import command_list, config, configfile, verbs
from gatilho.checks import registry
from gatilho.document.cells import PREFIXES
from gatilho.document.columns import NAMES, canonical
from gatilho.document.rows import CODES, read_rows
from gatilho.hosts import catalog, host_named
from gatilho.ledger.lines import EVENTS
from gatilho.lifecycle.states import STATES
from gatilho.lifecycle.transitions import TRANSITIONS
from gatilho.model import Problem
from gatilho.setup.dispatcher import write_note

pytestmark = pytest.mark.once

DOCUMENTS = sorted(
    [
        *(CHECKOUT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
        *CHECKOUT.glob("docs/*.md"),
        *CHECKOUT.glob("examples/*.md"),
    ]
)
FORMAT = CHECKOUT / "docs/format.md"
HOOKS = CHECKOUT / "docs/hooks.md"


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def name_of(path: Path) -> str:
    return path.relative_to(CHECKOUT).as_posix()


def of_purpose(purpose: str) -> list[object]:
    """The blocks of that purpose in all documents, as parameters."""
    return [
        pytest.param(piece, id=f"{name_of(path)}:{piece.line}")
        for path in DOCUMENTS
        for piece in pieces(path)
        if piece.purpose == purpose
    ]


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_the_examples_of_a_document_print_what_it_shows(path: Path, tmp_path: Path) -> None:
    """Play the blocks of the document in order, in a repository that lasts until the document wants a new one."""
    number, repo, answer = 0, Repo(tmp_path / "0" / "shop"), ""
    for piece in pieces(path):
        where = f"{name_of(path)}:{piece.line}"
        if (piece.purpose, piece.argument) == ("directive", "new repository"):
            number += 1
            repo = Repo(tmp_path / str(number) / "shop")
        elif (piece.purpose, piece.argument) == ("directive", "commit"):
            repo.commit()
        elif piece.purpose == "file":
            repo.write(piece.argument, piece.body)
        elif piece.purpose == "event":
            answer = _answer(repo, piece.body, piece.argument)
        elif piece.purpose == "answer":
            shown = json.loads(piece.body) if piece.body.strip() else None
            assert shown == (json.loads(answer) if answer else None), f"{where}: the hook answers {answer}"
        elif piece.purpose == "run":
            for command, shown in commands(piece.body):
                printed = run_command(repo, command, tmp_path / "bin")
                assert matches(shown, printed), f"{where}: {command} prints\n{printed}\nnot\n{shown}"
        else:
            assert piece.purpose in (
                "",
                "before",
                "after",
                "bad",
                "good",
                "said",
                "register",
                "recipe",
                "install",
                "register-by-hand",
            ), f"{where}: what is {piece.purpose}?"


def _answer(repo: Repo, event: str, host: str) -> str:
    """What the hook prints on an event that a document shows; an event of another host names it."""
    said = run_hook(event.replace(HOME, str(repo.root)).encode(), host=host or "claude", cwd=repo.root)
    return json.dumps(said.answer).replace(str(repo.root), HOME) if said.answer else ""


def _problems_in(table: str, repo: Repo, rows: bool = True) -> list[Problem]:
    from gatilho.git.root import find_repository
    from gatilho.index.index import open_index
    from gatilho.workspace.workspace import Workspace

    has_header = "---" in table or not rows
    repo.write(BACKLOG, table if has_header else HEADER + table)
    found = find_repository(str(repo.root))
    assert found is not None
    with open_index(found) as index:
        return registry.find_problems(Workspace(index))


@pytest.mark.parametrize("piece", of_purpose("before"))
def test_a_table_of_before_has_the_problem_that_its_rule_is_about(piece: Piece, repo: Repo) -> None:
    assert piece.argument in {problem.code for problem in _problems_in(piece.body, repo)}


@pytest.mark.parametrize("piece", of_purpose("after"))
def test_a_table_of_after_has_none(piece: Piece, repo: Repo) -> None:
    found = _problems_in(piece.body, repo)
    assert [f"{problem.code} {problem.message}" for problem in found if problem.severity != "note"] == []
    assert read_rows(repo.read_bytes(BACKLOG), BACKLOG)[0]


# What the generated parts hold, and what a reader looks up.


def test_the_generated_parts_are_as_the_program_has_them() -> None:
    done = subprocess.run(
        [sys.executable, str(CHECKOUT / "scripts" / "pages"), "--check"],
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        cwd=CHECKOUT,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert done.returncode == 0, f"run scripts/docs\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("name", [name for _, name, _ in command_list.list_commands()])
def test_every_command_is_in_the_readme_and_in_the_reference_with_its_help_and_an_example(name: str) -> None:
    assert re.search(rf"^\| `gatilho {name}` \| \w", text_of(CHECKOUT / "README.md"), re.M)
    told = text_of(CHECKOUT / "docs/commands.md").partition(f"### gatilho {name}\n")[2].partition("\n##")[0]
    assert re.search(rf"\nexamples?:\n  gatilho {name}\b", told)


def test_every_problem_code_is_in_the_format() -> None:
    text = text_of(FORMAT)
    codes = sorted({*CODES, *(kind.code for kind in registry.KINDS)})
    assert [code for code in codes if f"\n| {code} | " not in text] == []


def test_every_word_of_the_tables_and_the_ledger_is_in_the_format() -> None:
    text = text_of(FORMAT)
    words = [
        *(f"| `{name}` |" for name in (*NAMES, *TRANSITIONS)),
        *(f"`{prefix}: " for prefix in PREFIXES),
        *(f"`{word}`" for word in ("start", *(verb.form for verb in verbs.all_verbs()), *STATES, *EVENTS)),
    ]
    assert [word for word in words if word not in text] == []


def test_every_other_word_for_a_column_is_read_as_that_column() -> None:
    rows = re.findall(
        r"^\| `([a-z ]+)` \| (`[^|]*[^|\s]|) ?\|", text_of(FORMAT).partition("### The delimiter")[0], re.M
    )
    assert [name for name, _ in rows] == list(NAMES)
    for name, others in rows:
        assert [canonical(other.strip(" `")) for other in others.split(",") if other] == [name] * (
            others.count(",") + bool(others)
        )


def test_the_configuration_shown_is_the_default_one(tmp_path: Path) -> None:
    shown = next(piece.body for piece in pieces(FORMAT) if "ask_after" in piece.body)
    (tmp_path / config.FILE).write_text(shown, encoding="utf-8")
    read, problems = configfile.load(str(tmp_path))
    assert problems == []
    assert read == config.Config()
    table = tomllib.loads(shown)
    sections = {name: getattr(config.Config(), name) for name in ("conditions", "corrections")}
    assert {*table} == {*config.Config.__fields__} - {"sources", "kinds", "tools", "hosts", "packs"}
    assert {name: {*table[name]} for name in sections} == {name: {*one.__fields__} for name, one in sections.items()}


@pytest.mark.parametrize("kind", config.KINDS)
def test_every_kind_is_in_the_format_with_its_days(kind: str) -> None:
    days = " | ".join("–" if day is None else str(day) for day in config.KINDS[kind])
    assert f"| `{kind}` | {days} |" in text_of(FORMAT)


@pytest.mark.parametrize("name", catalog.host_names())
def test_every_event_of_a_host_is_in_the_hooks_with_its_budget(name: str) -> None:
    host = host_named(name)
    missing = [event for event in (*host.events, *host.context) if f"`{event}`" not in text_of(HOOKS)]
    assert missing == []
    assert f"{host.budget:,}" in text_of(HOOKS)


def test_every_dependency_has_its_reason_in_the_design() -> None:
    wanted = tomllib.loads(text_of(CHECKOUT / "pyproject.toml"))["project"]["dependencies"]
    reasons = {name.lower() for name in re.findall(r"^\| (\w+) \|", text_of(CHECKOUT / "docs/design.md"), re.M)}
    assert {re.split(r"[<>=!~ \[]", one)[0] for one in wanted} <= reasons


# The README tells a story; its texts are those of the program.


def test_the_texts_in_the_readme_are_what_the_program_says(repo: Repo, tmp_path: Path) -> None:
    texts = [piece for piece in pieces(CHECKOUT / "README.md") if piece.purpose == "said"]
    assert len(texts) >= 4
    said = _plain(_climb_the_ladder(repo))
    for piece in texts:
        for part in re.split(r"\n| … ", piece.body.strip()):
            assert _plain(part) in said, f"README.md:{piece.line}: nobody says {part}"


def _plain(text: str) -> str:
    """One line, whatever the lines: documents wrap, and one table begins in another line than the next."""
    return " ".join(re.sub(r"backlog\.md:\d+", "backlog.md:3", text).split())


def _climb_the_ladder(repo: Repo) -> str:
    """Play the README's debt from the first note to the payment and back: all that agent and person read, all diffs."""
    anchor = "tests/test_retry.py"
    table = next(p for p in pieces(CHECKOUT / "README.md") if p.argument == BACKLOG)
    repo.write(BACKLOG, table.body)
    repo.write(anchor, "def test_retry(): ...\n# 0\n")
    repo.commit()
    said: list[str] = []

    def hook(event: dict[str, object]) -> str:
        answer = run_hook(event)
        said.extend([answer.context, answer.person, answer.reason])
        return answer.decision

    def session(number: int, old: str, new: str) -> None:
        one = Session(repo, f"{number}-session")
        path = repo.path(anchor)
        hook(one.session_start())
        hook(one.post("Read", file_path=path))
        edit = {"file_path": path, "old_string": old, "new_string": new}
        if not hook(one.pre("Edit", **edit)):
            repo.write(anchor, repo.read(anchor).replace(old, new))
            hook(one.post("Edit", **edit))
        hook(one.stop())
        said.append(repo.git("diff", "--", BACKLOG))
        said.extend("| " + " | ".join(line.values()) + " |" for line in repo.ledger())
        repo.commit()

    for number in range(4):
        session(number, f"# {number}", f"# {number + 1}")
    session(4, "def test_retry():", "def test_retry(frozen_clock):")
    repo.write(anchor, "def test_retry(): ...\n")
    session(5, "...", "pass")
    return "\n".join(said)


def test_the_readme_is_short() -> None:
    """But for what is written by the program: a line for each command, and the speed."""
    written = re.sub(
        r"<!-- (commands|agents|speed):.*?<!-- end of \1 -->", "", text_of(CHECKOUT / "README.md"), flags=re.S
    )
    assert len(written.splitlines()) <= 140


@pytest.mark.parametrize("piece", of_purpose("register"))
def test_what_is_registered_by_hand_calls_us_on_every_event(piece: Piece, repo: Repo) -> None:
    """The settings that the page shows for a host, and one start of a session through them."""
    hooks = json.loads(piece.body)["hooks"]
    host = host_named(piece.argument)
    assert {host.events[event] for event in hooks} == {*host.events.values()}
    [command] = {
        entry["command"] for groups in hooks.values() for group in groups for entry in group.get("hooks", [group])
    }
    repo.write(BACKLOG, HEADER + "| R-1 | rule | `path: ^src/` | a note | | 0 | rule |\n")
    repo.write("scripts/gatilho.py", text_of(CHECKOUT / "scripts/gatilho.py"))
    write_note(f"{repo.root}/.git/gatilho")
    root = str(repo.root)
    event = {"hook_event_name": next(iter(hooks)), "session_id": "s-1", "conversation_id": "s-1", "cwd": root}
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=root,
        env={**os.environ, "PYTHONPATH": "", "GEMINI_PROJECT_DIR": root},
        input=json.dumps({**event, "workspace_roots": [root]}),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "in force" in done.stdout


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_every_link_leads_somewhere(path: Path) -> None:
    """Links to files of the project and to their headings; those to other places are not looked at."""
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```", "", text_of(path), flags=re.M | re.S)):
        if "://" in target:
            continue
        name, _, heading = target.partition("#")
        file = (path.parent / name) if name else path
        if not file.exists() or (heading and heading not in _headings(file)):
            broken.append(target)
    assert broken == []


def _headings(path: Path) -> set[str]:
    """The headings of a document as GitHub makes links of them."""
    found = re.findall(r"^#+ (.*)$", text_of(path), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}
