"""What is measured: the rows of the table in `docs/speed.md`, each with the bound that it must keep."""

import itertools
import json
import os
import shutil
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks import stores
from benchmarks.timing import Case, run

CHECKOUT = Path(__file__).resolve().parent.parent
HOOK = [sys.executable, "-I", "-S", str(CHECKOUT / "scripts" / "gatilho.py"), "--host", "claude"]
NAIVE = [sys.executable, str(CHECKOUT / "benchmarks" / "naive.py")]
BARE = "bare interpreter"
SIZES = (100, 10_000, 100_000)
LITERAL = "pkg007/module_000007.py"
# The clock of a file system ticks every few milliseconds: a table is trusted when it is older than that.
SETTLED = 0.05
LEDGER_FILES = 10_000
SESSIONS = 2_000
DEBTS = 500
# With as many rides a write is asked about.
ASK_AFTER = 3


class Bound(NamedTuple):
    """What a case must keep: at most `ratio` times the bare interpreter, or the case `than`; or `seconds`, which
    with `than` are those that it takes more.

    None where it is only shown.
    """

    ratio: float | None = None
    seconds: float | None = None
    than: str = ""


class Bench:
    """The repositories, events and cases of one run, in a temporary folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bounds: dict[str, Bound] = {}
        self._numbers = itertools.count(1)
        self._repositories: dict[str, Path] = {}

    def quick(self) -> list[Case]:
        """The cases that are over in milliseconds: the calls that happen all day."""
        cases = [Case(BARE, [sys.executable, "-I", "-S", "-c", "pass"])]
        for size in SIZES:
            root = self.repository(size)
            cases.append(self.hook(f"no match, {size:,} rows", self.read(root, "README.md"), Bound(1.25)))
        root = self.repository(10_000)
        clone = self.repository(100, below="gatilho")
        cases += [
            self.hook("no match, a clone below gatilho/", self.read(clone, "README.md"), Bound(1.25)),
            self.hook("no match, a command", self.bash(root, "make test 2>&1 | tail -5"), Bound(1.3)),
            self.hook("no match, a quoted command", self.bash(root, "git commit -m 'a \"b\" c'"), Bound(1.6)),
            self.hook("no match, a command of 10,000 characters", self.bash(root, "echo 'x y' ; " * 770), Bound(3.0)),
            self.hook("a command that matches", self.bash(root, f"sed -i s/1/2/ {LITERAL}", "s-spoken"), Bound(2.6)),
            self.hook("no match, a command after a row spoke", self.bash(root, "make test", "s-spoken"), Bound(1.5)),
        ]
        for size in SIZES:
            root = self.repository(size)
            cases.append(self.hook(f"literal hit, {size:,} rows", self.edit(root), Bound(2.2)))
        nested = stores.make_nested(self.folder / "nested", 100)
        below = self.read(nested, "services/ah/README.md")
        cases.append(self.hook("no match, 100 nested stores", below, Bound(1.25)))
        small = self.repository(10)
        changed = self.read(small, "README.md")
        cases.append(self.hook("10 rows of one table changed", changed, Bound(2.5), lambda: _change(small, 10)))
        root = self.repository(100)
        cases += [
            self.hook("glob hit, 100 rows", self.read(root, "web/deep/a.ts"), Bound(2.5)),
            self.hook("engine hit, 100 rows", self.read(root, "gen/api_v2.py"), Bound(3.6)),
            self.hook("200 rows without a needle", self.read(self.repository(100, 200), "README.md"), Bound(8.0)),
            self.after_ride(self.repository(100, below="ridden"), "README.md", "no match", Bound(1.3)),
            self.after_ride(self.repository(100, below="ridden"), LITERAL, "literal hit", Bound(2.5)),
            Case("naive, 100 rows", NAIVE, self.event(self.read(root, "README.md"))),
        ]
        return cases

    def slow(self) -> list[Case]:
        """The cases that happen once in a while, in seconds."""
        thousand, ten, hundred = (self.repository(size) for size in (1000, 10_000, 100_000))
        rewritten = self.repository(10_000, below="rewritten")  # each change of it has to change all rows
        return [
            Case(BARE, [sys.executable, "-I", "-S", "-c", "pass"]),
            self.hook(
                "index made anew, 10,000 rows in one file",
                self.read(ten, "README.md"),
                Bound(seconds=1.0),
                lambda: _forget(ten),
            ),
            self.hook(
                "1,000 rows of one table changed",
                self.read(thousand, "README.md"),
                Bound(),
                lambda: _change(thousand, 1000),
            ),
            self.hook(
                "10,000 rows of one table changed",
                self.read(rewritten, "README.md"),
                Bound(seconds=1.0),
                lambda: _change(rewritten, 10_000),
            ),
            self.hook(
                "one row changed, 10,000 rows in one file",
                self.read(ten, "README.md"),
                Bound(seconds=1.0),
                lambda: _change(ten, 1),
            ),
            self.hook(
                "one file of 100 changed, 100,000 rows",
                self.read(hundred, "README.md"),
                Bound(seconds=0.3),
                lambda: _add(hundred),
            ),
            self.charge(self.repository(10_000, below="charged")),
            self.command(),
            self.briefing(),
            *self.ledgers(),
            *self.sessions(),
            *self.merges(),
            *self.judgements(),
            self.past(),
            *self.reports(),
            self.hook("an event of 10 MB", self.read(self.repository(100), "README.md", 10_000_000), Bound()),
            Case("naive, 10,000 rows", NAIVE, self.event(self.read(ten, "README.md"))),
        ]

    def briefing(self) -> Case:
        """The start of a session where every row is of a kind that the briefing asks for, and 1,300 debts are due."""
        root = stores.make_with_kinds(self.folder / "briefing", 10_000)
        start = self.call(root, "SessionStart", session="briefed", source="startup")
        return self.hook("a session starts, 10,000 rows", start, Bound(8.0))

    def ledgers(self) -> list[Case]:
        """What many ledger files cost: the first event after one more arrived, and a session's start."""
        cases: list[Case] = []
        for event, ratio in (("one ledger file arrived", 1.5), ("a session starts", 3.0)):
            for count in (0, LEDGER_FILES):
                root = self.folder / f"ledger-{count}"
                if not root.exists():
                    stores.write_ledger(stores.make(root, 100), count)
                arrives = event.startswith("one")
                start = self.call(root, "SessionStart", session="late", source="startup")
                wanted = self.read(root, "README.md") if arrives else start
                than = f"{event}, no ledger files" if count else ""
                name = f"{event}, {count:,} ledger files" if count else f"{event}, no ledger files"
                before = partial(stores.arrive, root) if arrives else None
                cases.append(self.hook(name, wanted, Bound(ratio if count else None, than=than), before))
        return cases

    def sessions(self) -> list[Case]:
        """The question about a debt that few sessions rode, and that 2,000 did which left their traces."""
        cases: list[Case] = []
        few = f"a question, {ASK_AFTER} sessions before"
        for count in (ASK_AFTER, SESSIONS):
            root = stores.make(self.folder / f"sessions-{count}", 100)
            stores.write_ledger(root, count, row="N-000007")
            stores.remember(root, count)
            bound = Bound(1.2, than=few) if count == SESSIONS else Bound()
            cases.append(self.hook(f"a question, {count:,} sessions before", self.edit(root), bound))
        return cases

    def merges(self) -> list[Case]:
        """The merge driver against git's own merge of the text, 10,000 rows with 200 counts raised on each side."""
        folder = self.folder / "merge"
        names, ours = stores.sides(folder)
        driver = [sys.executable, "-I", "-m", "gatilho", "merge-driver", *names, "docs/gatilhos/backlog.md"]
        text = [shutil.which("git") or "git", "merge-file", "-q", names[1], names[0], names[2]]

        def restore() -> None:
            Path(names[1]).write_bytes(ours)

        empty = self.folder / "nothing"
        empty.write_bytes(b"")
        self.bounds["merge driver, 10,000 rows"] = Bound(10.0, than="git merge-file, 10,000 rows")
        return [
            Case("git merge-file, 10,000 rows", text, empty, restore),
            Case("merge driver, 10,000 rows", driver, empty, restore),
        ]

    def judgements(self) -> list[Case]:
        """What a pull request takes to be judged, without debts and with 500 whose conditions look at files."""
        cases: list[Case] = []
        empty = self.folder / "nothing"
        empty.write_bytes(b"")
        for count in (0, DEBTS):
            root = stores.make_judged(self.folder / f"judged-{count}", count)
            for command in (["check", "--since", "HEAD~1"], ["diff", "HEAD~1"]):
                few = f"{command[0]} of a change, no debts"
                name = few.replace("no debts", f"{count} debts") if count else few
                self.bounds[name] = Bound(seconds=2.0, than=few) if count else Bound()
                whole = [sys.executable, "-I", "-m", "gatilho", *command, "--root", str(root)]
                cases.append(Case(name, whole, empty, home=str(self.folder)))
        return cases

    def past(self) -> Case:
        """Two hundred rows played against the last 1,000 commits of 2,000 files."""
        name = "backtest, 200 rows, 1,000 commits"
        self.bounds[name] = Bound(seconds=15.0)
        root = stores.make_past(self.folder / "past", 1000, 2000, 200)
        empty = self.folder / "no-input"
        empty.write_bytes(b"")
        command = [
            sys.executable,
            "-I",
            "-m",
            "gatilho",
            "backtest",
            "--commits",
            "1000",
            "--root",
            str(root),
            "--json",
        ]
        return Case(name, command, empty)

    def reports(self) -> list[Case]:
        """What a report takes that reads all of a history, and one after a single commit more."""
        root = stores.make_history(self.folder / "history", 10_000, 10_000)
        empty = self.folder / "nothing"
        empty.write_bytes(b"")
        whole = [sys.executable, "-I", "-m", "gatilho", "report", "--root", str(root)]
        kept = root / ".git/gatilho/report.db"
        first, again = "report, 10,000 rows and 10,000 commits", "report after one more commit"
        self.bounds |= {first: Bound(seconds=20.0), again: Bound(seconds=2.0)}
        return [
            Case(first, whole, empty, lambda: kept.unlink(missing_ok=True), home=str(self.folder)),
            Case(again, whole, empty, lambda: stores.ride_and_commit(root), home=str(self.folder)),
        ]

    def repository(self, rows: int, without_needle: int = 0, below: str = "") -> Path:
        """The repository of that size in a folder `below`, made when it is first asked for."""
        name = f"{below}/{rows}-{without_needle}".strip("/")
        if name not in self._repositories:
            further = (stores.engine_row(), stores.glob_row(), *stores.rows_without_needle(without_needle))
            root = stores.make(self.folder / name, rows, files=100 if rows >= 100_000 else 1, further=further)
            self._repositories[name] = root
        return self._repositories[name]

    def hook(self, name: str, event: dict[str, object], bound: Bound, before=None) -> Case:  # type: ignore[no-untyped-def]
        """A hook process that gets the event."""
        self.bounds[name] = bound
        return Case(name, HOOK, self.event(event), before)

    def charge(self, root: Path) -> Case:
        """The close of a turn that gives a debt its ride; the turn itself is played before, unmeasured."""
        name = "a charge, 10,000 rows in one file"
        self.bounds[name] = Bound(seconds=0.3)
        path = self.folder / "stop.json"
        return Case(name, HOOK, path, lambda: path.write_text(json.dumps(self._play_turn(root))))

    def _play_turn(self, root: Path) -> dict[str, object]:
        """Play a turn of a new session that writes the file one row is about: the event that closes it."""
        session = f"charge-{next(self._numbers)}"
        run(Case("turn", HOOK, self.event(self.edit(root, session, "PostToolUse"))))
        return self.call(root, "Stop", session=session, stop_hook_active=False)

    def after_ride(self, root: Path, name: str, what: str, bound: Bound) -> Case:
        """The first event after the close of a turn that gave a debt its ride."""

        def play() -> None:
            run(Case("close", HOOK, self.event(self._play_turn(root))))

        return self.hook(f"{what}, the event after a ride", self.read(root, name), bound, play)

    def command(self) -> Case:
        """The close of a turn that runs a command of one second: at most half as long again as the command alone."""
        name = "a condition's command of 1 s"
        self.bounds[name] = Bound(seconds=1.5)
        root, home, path = self.folder / "command", str(self.folder / "home"), self.folder / "stop-command.json"
        Path(home).mkdir()
        stores.make(root, 0, further=(stores.command_row("sleep 1; exit 1"),))
        allow = [sys.executable, "-m", "gatilho", "allow", "D-1", "--yes", "--root", str(root)]
        surroundings = {"PATH": os.environ["PATH"], "HOME": home}
        subprocess.run(allow, cwd=CHECKOUT, env=surroundings, check=True, capture_output=True)

        def play() -> None:
            from benchmarks.timing import run

            session = f"command-{next(self._numbers)}"
            run(Case("turn", HOOK, self.event(self.edit(root, session, "PostToolUse")), home=home))
            path.write_text(json.dumps(self.call(root, "Stop", session=session, stop_hook_active=False)))

        return Case(name, HOOK, path, play, home)

    def read(self, root: Path, name: str, padding: int = 0) -> dict[str, object]:
        """The event after a file was read, with `padding` characters of content in it."""
        response = {"file": {"content": "x" * padding}}
        return self.call(root, "PostToolUse", "Read", {"file_path": f"{root}/{name}"}, tool_response=response)

    def edit(self, root: Path, session: str = "s1", event: str = "PreToolUse") -> dict[str, object]:
        """The event before or after an edit of the file that one row is about."""
        edit = {"file_path": f"{root}/{LITERAL}", "old_string": "1", "new_string": "2"}
        return self.call(root, event, "Edit", edit, session=session)

    def bash(self, root: Path, command: str, session: str = "s-shell") -> dict[str, object]:
        """The event before a shell command, of a session in which no row has spoken."""
        return self.call(root, "PreToolUse", "Bash", {"command": command}, session=session)

    def call(
        self, root: Path, name: str, tool: str = "", tool_input: object = None, session: str = "s1", **fields: object
    ) -> dict[str, object]:
        """An event of Claude Code."""
        event: dict[str, object] = {
            "session_id": session,
            "cwd": str(root),
            "permission_mode": "default",
            "hook_event_name": name,
        }
        if tool:
            event.update(tool_name=tool, tool_input=tool_input, tool_use_id=f"call-{session}-{next(self._numbers)}")
        return {**event, **fields}

    def event(self, event: dict[str, object]) -> Path:
        """The event as a file, to be read from standard input."""
        path = self.folder / f"event-{next(self._numbers)}.json"
        path.write_text(json.dumps(event))
        return path


def _forget(root: Path) -> None:
    shutil.rmtree(root / ".git" / "gatilho", ignore_errors=True)


def _change(root: Path, rows: int) -> None:
    """Other words in that many rows, as a person edits them."""
    path = root / "docs" / "gatilhos" / "notes_000.md"
    text = path.read_text()
    old, new = ("matters here", "matters now") if "matters here" in text else ("matters now", "matters here")
    path.write_text(text.replace(old, new, rows))
    time.sleep(SETTLED)


def _add(root: Path) -> None:
    """One more row at the end of one of the hundred files, or one less."""
    path = root / "docs" / "gatilhos" / "notes_050.md"
    more = stores.line(999_999)
    text = path.read_text()
    path.write_text(text.removesuffix(more) if text.endswith(more) else text + more)
