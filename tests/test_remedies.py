"""Every command that a message names as a remedy exists, takes its options, and runs."""

import ast
import re
import shlex
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from builders import Repo, row

from gatilho import cli
from gatilho.command_list import list_commands
from gatilho.console import command_options

ROOT = Path(__file__).parents[1]
NAMES = [name for _, name, _ in list_commands()]
# What replaces the words in capitals of the texts.
PLACES = {
    "TEXT": "x", "YYYY-MM-DD": "2126-12-24", "DATE": "2126-12-24", "ID": "D-1", "N": "1", "BASE": "HEAD",
    "COMMAND": "list", "DIR": ".", "NAME": "claude", "D-7f3k": "D-1", "R-p04x": "R-1", "R-k2m8": "R-1",
}  # fmt: skip
# Named, but not run by the test, and why.
NOT_RUN = {
    "hook": "reads an event",
    "uninstall": "removes what the other commands need",
    "resolve": "needs a file with conflict markers; its own tests have them",
    "packs": "needs a repository to take rows from; its own tests have one",
    "help": "prints the help of another command",
}


def _as_text(node: ast.AST) -> str:
    """The text of a string, with a row's id in the place of each value: `gatilho show {row.id}` names a row."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(_as_text(part) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        return _VALUES.get(ast.unparse(node.value), "D-1")
    return ""


_VALUES = {
    "verb": "pay", "extra": "lsp", "name": "D-1", "code": "GT101",
    "shell_word(newest.row.id)": "R-1", "shell_word(second.row.id)": "R-1", "close": "list", "row.rides": "1", "cell or 0": "1", "flag": "", "folder": ".",
    "one.host.name": "claude", "host.name": "claude", "home.root": ".", "full": "README.md", "date": "2126-12-24", "answer.until": "2126-12-24",
}  # fmt: skip


def _strings(node: ast.AST, lines: set[int]) -> Iterator[str]:
    """The texts of the strings below a node on these lines; of the parts of an f-string only the f-strings again."""
    if isinstance(node, ast.stmt | ast.expr) and lines.isdisjoint(range(node.lineno, (node.end_lineno or 0) + 1)):
        return
    if isinstance(node, ast.JoinedStr):
        yield from (_as_text(part) for part in ast.walk(node) if isinstance(part, ast.JoinedStr))
    elif isinstance(node, ast.Constant):
        yield _as_text(node)
    else:
        for part in ast.iter_child_nodes(node):
            yield from _strings(part, lines)


# A command in backquotes, in one literal or in two that follow each other.
_NAMES_ONE = re.compile(r"`[\s\"'f]*gatilho ")


def _remedies() -> list[tuple[str, str]]:
    found = {}
    for path in sorted((ROOT / "gatilho").rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        lines = {source.count("\n", 0, named.start()) + 1 for named in _NAMES_ONE.finditer(source)}
        if not lines:
            continue
        for text in _strings(ast.parse(source), lines):
            for command in re.findall(r"`gatilho ([^`{}]+)`", text):
                found.setdefault(command.strip(), path.relative_to(ROOT).as_posix())
    return sorted(found.items())


def _words(command: str) -> list[str]:
    return [PLACES.get(word, word) for word in shlex.split(command)]


def test_the_parser_of_the_command_takes_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The real parser reads the words; a command that gets as far as its repository has a valid command line."""
    parsed = []
    original = command_options._Parser.parse_args

    def parse_args(self: command_options._Parser, args: list[str] | None = None, namespace: object = None) -> object:
        given = original(self, args, namespace)
        parsed.append(given)
        raise SystemExit(0)

    monkeypatch.setattr(command_options._Parser, "parse_args", parse_args)
    remedies = _remedies()
    assert len(remedies) > 20
    assert {"check", "init", "allow D-1", "pay D-1 --why TEXT"} <= {command for command, _ in remedies}
    for command, file in remedies:
        first, *rest = _words(command)
        if first.startswith("-") or first == "help":
            assert cli.main([first, *rest]) == 0, f"{file}: `gatilho {command}`"
            continue
        assert first in NAMES, f"{file}: no command {first}"
        if first == "hook":  # it answers 0 to whatever a host calls it with
            assert rest in ([], ["--host", "claude"], ["--record"], ["--record", "FILE"])
            continue
        parsed.clear()
        with pytest.raises(SystemExit) as leaving:
            import_module(f"gatilho.commands.{first.replace('-', '_')}").main(rest)
        # A name alone (`gatilho pay`) names the command, not a whole line.
        assert parsed or not rest, f"{file}: `gatilho {command}`: {capsys.readouterr().err}"
        assert leaving.value.code in (0, 2), f"{file}: `gatilho {command}`"


def test_a_remedy_with_its_words_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))  # `init --user` writes there
    for number, (command, file) in enumerate(_remedies()):
        words = _words(command)
        if " " not in command or words[0] in NOT_RUN or words[0].startswith("-"):
            continue
        repo = Repo(tmp_path / f"{number}" / "repo")
        repo.table(
            row("D-1", r"path: ^README\.md$", paid_when="passes true", rides=3),
            row("R-1", r"path: ^README\.md$", lifecycle="rule"),
        )
        monkeypatch.chdir(repo.root)
        capsys.readouterr()
        assert cli.main(words) in (0, 1, 3), f"{file}: `gatilho {command}`: {capsys.readouterr().err}"
