"""Repositories with many rows, made for one run and thrown away."""

import itertools
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from gatilho.ledger import lines as ledger
from gatilho.ledger.lines import Entry

_arrivals = itertools.count(1)

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


def make_nested(root: Path, count: int) -> Path:
    """A repository with 100 rows at its root and as many nested stores of one row, all known to its index."""
    make(root, 100)
    for number in range(count):
        letters = chr(ord("a") + number // 26) + chr(ord("a") + number % 26)
        folder = root / f"services/{letters}/docs/gatilhos"
        folder.mkdir(parents=True)
        (folder / "notes.md").write_text(HEADER + line(number + 100))
    subprocess.run(["git", "add", "--all"], cwd=root, check=True)
    command = [sys.executable, "-m", "gatilho", "list", "--root", str(root)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return root


_WHO = ("-c", "user.name=A Person", "-c", "user.email=person@example.com", "-c", "commit.gpgSign=false")


def make_history(root: Path, rows: int, commits: int) -> Path:
    """A repository with that many rows in 100 files, and as many commits, each with a ride of another row."""
    root.mkdir(parents=True)
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main"], cwd=root, check=True)
    each = rows // 100
    tables = [[line(index).rstrip("\n") for index in range(file * each, (file + 1) * each)] for file in range(100)]
    importing = subprocess.Popen(["git", "fast-import", "--quiet"], cwd=root, stdin=subprocess.PIPE)
    assert importing.stdin is not None
    for number in range(commits):
        file, at = divmod(number * 7919 % rows, each)
        if number:
            start, rides, end = tables[file][at].rsplit(" | ", 2)
            tables[file][at] = f"{start} | {int(rides) + 1} | {end}"
        stamp = 1_700_000_000 + number * 3000
        importing.stdin.write(b"commit refs/heads/main\ncommitter A <a@example.com> %d +0000\ndata 2\ngo\n" % stamp)
        for one in (file,) if number else range(100):
            data = (HEADER + "\n".join(tables[one]) + "\n").encode()
            importing.stdin.write(b"M 100644 inline docs/gatilhos/notes_%03d.md\ndata %d\n" % (one, len(data)) + data)
    importing.stdin.close()
    importing.wait()
    subprocess.run(["git", "reset", "--quiet", "--hard"], cwd=root, check=True)
    return root


def ride_and_commit(root: Path) -> None:
    """Raise one count by hand and commit it."""
    path = root / "docs/gatilhos/notes_005.md"
    lines = path.read_text().split("\n")
    start, rides, end = lines[9].rsplit(" | ", 2)
    lines[9] = f"{start} | {int(rides) + 1} | {end}"
    path.write_text("\n".join(lines))
    subprocess.run(["git", *_WHO, "commit", "--quiet", "--all", "--message", "Ride"], cwd=root, check=True)


def line(index: int) -> str:
    """One row, as people write them: a path of its own, a sentence, a condition."""
    lifecycle, state = ("debt", "owed") if index % 3 == 1 else ("rule", "rule")
    path = f"pkg{index % 997:03}/module_{index:06}.py"
    trigger = f"path: ^{path}$".replace(".py", r"\.py")
    condition = f"`contains {path} \\bfrozen_clock\\b`" if lifecycle == "debt" else ""
    return (
        f"| N-{index:06} | {lifecycle} | `{trigger}` | Note {index}: it matters here. | {condition} | 0 | {state} |\n"
    )


def make_judged(root: Path, debts: int) -> Path:
    """A repository with that many debts about files that are there; the last commit changes a tenth of the files."""
    form = "| J-{0} | debt | `path: ^src/{0}\\.py$` | It sleeps. | `lacks src/{0}.py \\bsleep\\b` | 0 | owed |\n"
    lines = tuple(form.format(number) for number in range(debts))
    (root / "src").mkdir(parents=True)
    for number in range(500):
        (root / "src" / f"{number}.py").write_text("x = 1\n" * 200 + "sleep(1)\n")
    make(root, 0, further=lines)
    for number in range(0, 500, 10):
        (root / "src" / f"{number}.py").write_text("x = 2\n" * 200)
    subprocess.run(["git", *_WHO, "commit", "--quiet", "--all", "--message", "Change"], cwd=root, check=True)
    return root


KINDS = ("pitfall", "convention", "decision", "directive", "state", "")
KINDS_HEADER = HEADER.replace(" state |\n", " state | kind | added |\n").replace(" --- |\n", " --- | --- | --- |\n")


def line_with_kind(index: int) -> str:
    """The same with one of the kinds that a briefing asks for, and some rides, so that many debts are due."""
    rides = f"| {index % 5} | owed |" if index % 3 == 1 else "| 0 | rule |"
    plain = line(index).replace("| 0 | owed |", rides).rstrip("\n")
    return f"{plain} {KINDS[index % len(KINDS)]} | 2026-11-{index % 28 + 1:02} |\n"


def make_with_kinds(root: Path, rows: int) -> Path:
    """A repository with rows of the kinds that a briefing is made of."""
    made = make(root, 0)
    path = root / "docs" / "gatilhos" / "notes_000.md"
    path.write_text(KINDS_HEADER + "".join(map(line_with_kind, range(rows))))
    subprocess.run(["git", *_WHO, "commit", "--quiet", "--all", "--message", "Rows"], cwd=root, check=True)
    return made


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


def write_ledger(root: Path, count: int, row: str = "", first: int = 0) -> None:
    """Write `count` ledger files, each with a ride of `row` or of another in turn; the first ones committed."""
    folder = root / "docs" / "gatilhos" / "ledger"
    folder.mkdir(exist_ok=True)
    for number in range(first, first + count):
        session = f"{number:08x}"
        name = row or f"N-{number % 100:06}"
        entry = Entry("2026-05-01 12:00:00.123", name, "charged", 1, 0, session, "c" * 40, "program claude", "a.py")
        (folder / f"2026-05-01-{session}.md").write_bytes(ledger.ledger_bytes([entry]))
    if count and not first:
        for command in (["add", "--all"], ["commit", "--quiet", "--message", "Rides"]):
            subprocess.run(["git", *_WHO, *command], cwd=root, check=True)


def arrive(root: Path) -> None:
    """Let one more ledger file arrive, as a pull brings it."""
    write_ledger(root, 1, first=1_000_000 + next(_arrivals))
    time.sleep(0.05)  # a stamp as young as that could lie, and the next event would look again


def remember(root: Path, count: int) -> None:
    """Write what `count` sessions leave in the git directory: rows of the database, and marks."""
    from gatilho.git.root import find_repository, live_mark
    from gatilho.ladder import sessions

    repository = find_repository(str(root))
    assert repository is not None
    sessions.open_in(repository.shared_state).close()
    live = Path(repository.shared_state) / "live"
    live.mkdir(exist_ok=True)
    with sqlite3.connect(repository.shared_state + "/sessions.db") as database:
        for number in range(count):
            name = f"{number:08}"
            values = (f"{name}#0", name, 0, "claude", time.time(), time.time())
            database.execute("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, 1, '', '')", values)
            database.execute("INSERT INTO delivered VALUES (?, '', '', 'N-000007', 0)", (f"{name}#0",))
            database.execute("INSERT INTO charged VALUES (?, '', 'N-000007')", (f"{name}#0",))
            Path(live_mark(repository.shared_state, name)).touch()
    database.close()


def sides(folder: Path) -> tuple[list[str], bytes]:
    """The names of base, ours and theirs of 10,000 rows with 200 counts raised on each side, and the bytes of ours."""
    folder.mkdir()
    rows = [line(index) for index in range(10_000)]
    texts = {"base": rows, "ours": _raised(rows, 0), "theirs": _raised(rows, 25)}
    for name, lines in texts.items():
        (folder / name).write_text(HEADER + "".join(lines))
    return [str(folder / name) for name in texts], (folder / "ours").read_bytes()


def _raised(rows: list[str], first: int) -> list[str]:
    return [row.replace("| 0 |", "| 1 |") if number % 50 == first else row for number, row in enumerate(rows)]


def make_past(root: Path, commits: int, files: int, rows: int) -> Path:
    """Make a repository with a past: each commit writes five of its files; half of the rows look at one file."""
    root.mkdir(parents=True)
    subprocess.run(["git", "init", "--quiet"], cwd=root, check=True)
    script = b"".join(_commit_script(number, files) for number in range(commits))
    subprocess.run(["git", "fast-import", "--quiet"], cwd=root, input=script, check=True)
    subprocess.run(["git", "reset", "--quiet", "--hard", "refs/heads/past"], cwd=root, check=True)
    folder = root / "docs" / "gatilhos"
    folder.mkdir(parents=True)
    (folder / "notes.md").write_text(HEADER + "".join(_past_row(number, files) for number in range(rows)))
    return root


def _commit_script(number: int, files: int) -> bytes:
    names = range(files) if number == 0 else [(number * 7 + step * 131) % files for step in range(5)]
    stamp = 1_700_000_000 + number * 3600
    head = f"commit refs/heads/past\ncommitter A Person <person@example.com> {stamp} +0000\ndata 0\n"
    parts = [head.encode()]
    for name in names:
        body = f"# version {number}\n".encode() + b"def function(value):\n    return value + 1\n" * 60
        body += b"frozen_clock\n" * (name % 5 == 0 and number > 500)
        path = f"pkg{name % 40:03}/part{name % 3}/module_{name:06}.py"
        parts.append(f"M 100644 inline {path}\ndata {len(body)}\n".encode() + body + b"\n")
    return b"".join(parts)


def _past_row(number: int, files: int) -> str:
    name = (number * 37) % files
    path = f"pkg{name % 40:03}/part{name % 3}/module_{name:06}.py"
    if number % 2:
        trigger, condition = f"path: ^{path}$".replace(".py", r"\.py"), f"contains {path} frozen_clock"
    else:
        trigger = f"glob: pkg{number % 40:03}/**/*.py"
        condition = f"lacks pkg{number % 40:03}/**/*.py version {number}$"
    return f"| P-{number} | debt | `{trigger}` | Note {number}. | `{condition}` | 0 | owed |\n"
