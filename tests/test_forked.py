"""What lets hooks and commands of tests follow each other in one process: none leaves a thing behind in a module."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from builders import BACKLOG, Repo, row
from claude_session import Session
from fork_server import KEPT, caches_of_package, forget

from gatilho import hook, wire
from gatilho.cli import main


def _held() -> Iterator[tuple[str, str]]:
    """What modules of the package and their classes hold, but for what they define: by name, and as it is now."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] != "gatilho":
            continue
        classes = [one for one in vars(module).values() if isinstance(one, type) and one.__module__ == name]
        for owner in (module, *classes):
            for key, value in list(vars(owner).items()):
                if hasattr(value, "cache_info"):
                    yield f"{name}.{key}", str(value.cache_info().currsize)
                elif not key.startswith("__") and not callable(value) and (name, key) not in KEPT:
                    yield f"{name}.{owner.__name__}.{key}", repr(value)


def _play(root: Path, word: str) -> None:
    """A session in which a row speaks, rides, is asked about and paid; its own words are everywhere."""
    repo = Repo(root)
    repo.write(f"{word}.py", f"{word}()\n")
    repo.table(
        row("D-1", f"path: ^{word}\\.py$", f"note {word}", paid_when=f"lacks {word}.py {word}", rides=3),
        row("R-1", [f"cmd: ^{word}", f"glob: {word}*", "start"], f"rule {word}", lifecycle="rule"),
    )
    repo.write("gatilho.toml", f'[hosts.{word}]\ntitle = "{word}"\n')
    session, path = Session(repo), repo.path(f"{word}.py")
    os.chdir(root)
    said = []
    for event in (
        session.session_start(), session.prompt(f"ok {word}"), session.pre("Write", file_path=path, content=word),
        session.post("Write", file_path=path, content=word), session.post("Bash", command=f"{word} {word}.py > x"),
        session.stop(), session.prompt("ok D-1"), session.pre("Write", file_path=path, content=""), session.stop(),
    ):  # fmt: skip
        said.append(hook.respond(wire.encode(event).encode(), "claude")[0])
    repo.write(f"{word}.py", "")
    said.append(hook.respond(wire.encode(session.post("Write", file_path=path, content="")).encode(), "claude")[0])
    said.append(hook.respond(b"{}", word)[0])
    assert f"note {word}" in "".join(said)
    assert f"rule {word}" in "".join(said)
    assert repo.ledger("asked")
    assert repo.ledger("paid")


def _command(root: Path, word: str) -> None:
    """Commands of all kinds about a row that rides, is due, paid and taken back; its own words are everywhere."""
    repo = Repo(root)
    repo.write(f"{word}.py", f"{word}()\n")
    condition = f"lacks {word}.py {word}.+"
    repo.table(row("D-1", f"path: ^{word}\\.py$", f"note {word}", paid_when=condition, rides=3, state=f"owed {word}"))
    repo.write("gatilho.toml", f'[hosts.{word}]\ntitle = "{word}"\n')
    rule = ("--lifecycle", "rule", "--trigger", f"cmd: ^{word}.+", "--note", f"rule {word}", "--anyway")
    for words in (
        (), ("list",), ("list", "--json"), ("add", *rule), ("check",), ("check", "--since", "HEAD"), ("diff",),
        ("show", "D-1"), ("why", f"{word}.py"), ("set", "D-1", "2", "--why", word), ("pay", "D-1", "--why", word),
        ("reinstate", "D-1", "--why", word), ("settle",), ("log", "D-1"), ("health",), ("backtest",), ("doctor",),
        ("report",), ("explain", "GT101"), ("export",), (word,), ("list", f"--{word}"),
    ):  # fmt: skip
        os.chdir(root)
        main(list(words))
    assert "| 2 |" in repo.read(BACKLOG)


def test_a_command_leaves_nothing_in_a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _command(tmp_path / "first", "alpha")
    forget(caches_of_package())
    before = dict(_held())
    _command(tmp_path / "second", "omega")
    forget(caches_of_package())
    assert {name: text for name, text in _held() if before.get(name) != text} == {}


def test_a_hook_leaves_nothing_in_a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _play(tmp_path / "first", "alpha")  # what is imported at its first use
    before = dict(_held())
    _play(tmp_path / "second", "omega")
    assert {name: text for name, text in _held() if before.get(name) != text} == {}
    forget()
