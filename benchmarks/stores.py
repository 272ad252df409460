"""Repositories with many rows, made for one run and thrown away."""

import subprocess
from pathlib import Path

HEADER = (
    "# Notes\n\n| id | lifecycle | trigger | note | paid when | rides | state |\n"
    "| --- | --- | --- | --- | --- | ---: | --- |\n"
)


def make(root: Path, rows: int, files: int = 1, further: tuple[str, ...] = ()) -> Path:
    """A repository with that many rows in that many files, a third of them debts; `further`: more lines."""
    folder = root / "docs" / "gatilhos"
    folder.mkdir(parents=True)
    (root / "pkg007").mkdir()
    (root / "pkg007" / "module_000007.py").write_text("x = 1\n")
    (root / "README.md").write_text("# A project\n")
    each = rows // files
    for number in range(files):
        lines = [line(index) for index in range(number * each, (number + 1) * each)]
        if number == 0:
            lines += further
        (folder / f"notes_{number:03}.md").write_text(HEADER + "".join(lines))
    for command in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "Begin"]):
        subprocess.run(["git", *_WHO, *command], cwd=root, check=True)
    return root


_WHO = ("-c", "user.name=A Person", "-c", "user.email=person@example.com", "-c", "commit.gpgSign=false")


def line(index: int) -> str:
    """One row, as people write them: a path of its own, a sentence, a condition."""
    lifecycle, state = ("debt", "owed") if index % 3 == 1 else ("rule", "rule")
    path = f"pkg{index % 997:03}/module_{index:06}.py"
    trigger = f"path: ^{path}$".replace(".py", r"\.py")
    condition = f"`contains {path} \\bfrozen_clock\\b`" if lifecycle == "debt" else ""
    return (
        f"| N-{index:06} | {lifecycle} | `{trigger}` | Note {index}: it matters here. | {condition} | 0 | {state} |\n"
    )


def engine_row() -> str:
    """A row whose pattern needs the engine, but has a needle."""
    return "| E-1 | rule | `path: ^gen/(api\\|rpc)_v[0-9]+\\.py$` | Generated: edit the template. | | 0 | rule |\n"


def glob_row() -> str:
    """A row with a glob of stars and text."""
    return "| G-1 | rule | `glob: web/**/*.ts` | The page is drawn by the server. | | 0 | rule |\n"


def command_row(command: str) -> str:
    """A debt about the file that the benchmarks edit, which a command would pay."""
    trigger = r"path: ^pkg007/module_000007\.py$"
    return f"| D-1 | debt | `{trigger}` | It waits for a command. | `passes {command}` | 0 | owed |\n"


def rows_without_needle(count: int) -> tuple[str, ...]:
    """Rows whose patterns promise no text at all: each is looked at for every path."""
    lines = []
    for index in range(count):
        pattern = f"^[{chr(97 + index % 20)}-z]{{{index % 5 + 3}}}[0-9]{{{index % 7 + 1}}}$"
        lines.append(f"| X-{index} | rule | `path: {pattern}` | No. | | 0 | rule |\n")
    return tuple(lines)
