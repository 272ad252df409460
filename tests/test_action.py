"""The GitHub Action: its steps run as the runner runs them, against a stand-in for GitHub on this machine."""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import cmarkgfm
import pytest
from builders import BACKLOG, CHECKOUT, PATIENCE, Repo, row, write_program

from gatilho.ledger.lines import Entry, ledger_bytes

ACTION = (CHECKOUT / "action.yml").read_text(encoding="utf-8")
BOT = "github-actions[bot]"
FELL = "::error file=docs/gatilhos/backlog.md,line=3,col=60,endColumn=61,title=gatilho GT701::D-1: rides 2 -> 1"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins for programs are shell scripts")


class Step:
    """One step of the action, read with no more of YAML than action.yml uses."""

    def __init__(self, text: str) -> None:
        self.id = re.findall(r"- id: (.*)", text)[0]
        self.run = re.findall(r"^      run: '(.*)'$", text, re.MULTILINE)[0]
        self.condition = "".join(re.findall(r"^      if: \$\{\{ (.*) \}\}$", text, re.MULTILINE))
        self.env = dict(re.findall(r"^        (\w+): \$\{\{ (.*) \}\}$", text, re.MULTILINE))
        self.shell = re.findall(r"^      shell: (.*)$", text, re.MULTILINE)[0]


STEPS = [Step(text) for text in re.split(r"\n(?=    - id: )", ACTION.partition("using: composite\n  steps:\n")[2])]
DEFAULTS = dict(re.findall(r"^  ([\w-]+):\n    description: .*\n    default: \"(.*)\"", ACTION, re.MULTILINE))


class Hub(ThreadingHTTPServer):
    """What of GitHub's interface the action asks for: the comments of one pull request."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.comments: list[dict[str, Any]] = []
        self.asked: list[tuple[str, str, str]] = []
        self.refuses = 0

    def add(self, body: str, login: str = BOT) -> None:
        self.comments.append({"id": len(self.comments) + 1, "body": body, "user": {"login": login}})


class _Answers(BaseHTTPRequestHandler):
    server: Hub

    def do_GET(self) -> None:
        page = int(re.findall(r"[?&]page=(\d+)", self.path)[0])
        self._answer(200, self.server.comments[(page - 1) * 100 : page * 100])

    def do_POST(self) -> None:
        if not self.server.refuses:
            self.server.add(self._content()["body"])
        self._answer(201, {})

    def do_PATCH(self) -> None:
        number = int(self.path.rpartition("/")[2])
        self.server.comments[number - 1]["body"] = self._content()["body"]
        self._answer(200, {})

    def _content(self) -> Any:
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

    def _answer(self, status: int, value: Any) -> None:
        self.server.asked.append((self.command, self.path, self.headers["Authorization"]))
        data = json.dumps(value).encode()
        self.send_response(self.server.refuses or status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def hub() -> Iterator[Hub]:
    server = Hub()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


class Runner:
    """Runs the steps as GitHub's runner does: one bash for each, outputs and the summary in files."""

    def __init__(self, folder: Path, repo: Repo, hub: Hub, event: dict[str, Any]) -> None:
        self.folder = folder
        self.repo = repo
        self.hub = hub
        self.contexts = {"inputs": {**DEFAULTS, "token": "s3cret"}, "github": {"event": event}, "steps": {}}
        self.said = ""
        self.summary = ""
        self._install()

    def _install(self) -> None:
        """In place of the first step: programs that start from this checkout."""
        programs = self.folder / "gatilho" / "bin"
        programs.mkdir(parents=True)
        (programs / "python").symlink_to(sys.executable)
        write_program(programs / "gatilho")

    def start_interpreters(self) -> None:
        """Let `gatilho` be what pip writes: an interpreter that is started in the checkout."""
        start = f"import sys; sys.path.insert(0, {str(CHECKOUT)!r}); from gatilho.cli import main; sys.exit(main())"
        program = self.folder / "gatilho/bin/gatilho"
        program.write_text(f'#!/bin/sh\nexec \'{sys.executable}\' -I -c "{start}" "$@"\n')

    def run(self) -> int:
        """Run all steps but the installation; the first status that is not 0."""
        for step in STEPS[1:]:
            if not step.condition or self._holds(step.condition):
                status = self.run_step(step)
                if status:
                    return status
        return 0

    def run_step(self, step: Step) -> int:
        script = self.folder / "script.sh"
        script.write_text(step.run + "\n")
        files = {name: self.folder / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for path in files.values():
            path.write_text("")
        env = {
            **os.environ,
            **{name: str(path) for name, path in files.items()},
            "GITHUB_ACTION_PATH": str(CHECKOUT),
            "GITHUB_API_URL": f"http://127.0.0.1:{self.hub.server_port}",
            "GITHUB_REPOSITORY": "ana/project",
            "RUNNER_TEMP": str(self.folder),
            **{name: self._value(expression) for name, expression in step.env.items()},
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
            cwd=self.repo.root, env=env, capture_output=True, timeout=PATIENCE,
        )  # fmt: skip
        self.said += done.stdout.decode() + done.stderr.decode()
        lines = files["GITHUB_OUTPUT"].read_text().splitlines()
        self.contexts["steps"][step.id] = {"outputs": dict(line.split("=", 1) for line in lines)}
        self.summary += files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
        return done.returncode

    def _value(self, expression: str) -> str:
        found: Any = self.contexts
        for part in expression.split("."):
            found = found.get(part, {})
        return str(found) if found != {} else ""

    def _holds(self, condition: str) -> bool:
        first, second = condition.split(" && ")
        name, _, text = first.partition(" == ")
        return f"'{self._value(name)}'" == text and bool(self._value(second))


@pytest.fixture
def pull(repo: Repo) -> Repo:
    """A branch `topic` that lowers a count, on a main that went on since."""
    repo.write("src/a.py", "x\n")
    repo.table(row("D-1", "path: ^src/a", rides=2), row("D-2", "path: ^src/a", "second"))
    repo.git("switch", "--quiet", "--create", "topic")
    repo.table(row("D-1", "path: ^src/a", rides=1), row("D-2", "path: ^src/a", "second"))
    repo.git("switch", "--quiet", "main")
    repo.table(row("D-1", "path: ^src/a", rides=2), row("D-2", "path: ^src/a", "reworded on main"))
    return repo


def event(repo: Repo, base: str = "main~1", head: str = "topic") -> dict[str, Any]:
    ids = [repo.git("rev-parse", name).strip() for name in (base, head)]
    return {"pull_request": {"number": 7, "base": {"sha": ids[0]}, "head": {"sha": ids[1]}}}


def merged(repo: Repo) -> Repo:
    """What actions/checkout leaves of the pull request: the trial merge, without any history."""
    repo.git("switch", "--quiet", "--detach", "main")
    repo.git("merge", "--quiet", "--no-ff", "topic", "-m", "Merge topic into main", check=False)
    repo.table(row("D-1", "path: ^src/a", rides=1), row("D-2", "path: ^src/a", "reworded on main"), commit=False)
    repo.git("add", "--all")
    repo.git("commit", "--quiet", "--message", "Merge topic into main", check=False)
    repo.git("branch", "--force", "trial")
    repo.git("config", "uploadpack.allowAnySHA1InWant", "true")
    clone = Repo.__new__(Repo)
    clone.root = repo.root.parent / "workspace"
    repo.git("clone", "--quiet", "--depth", "1", "--branch", "trial", f"file://{repo.root}", str(clone.root))
    clone.git("checkout", "--quiet", "--detach")
    return clone


def test_pull_request_with_a_problem(pull: Repo, hub: Hub, tmp_path: Path) -> None:
    given = event(pull)
    workspace = merged(pull)
    runner = Runner(tmp_path / "runner", workspace, hub, given)
    assert runner.run() == 1
    assert FELL.rpartition("line=")[0] in runner.said
    assert "GT701::D-1: rides 2 -> 1" in runner.said
    commit = workspace.git("rev-parse", "HEAD").strip()
    place = f"https://github.com/ana/project/blob/{commit}/docs/gatilhos/backlog.md?plain=1#L3"
    assert f"**`D-1`** in [`docs/gatilhos/backlog.md:3`]({place}): 1 of 3 rides" in runner.summary
    assert "`gatilho check` found problems" in runner.summary
    assert "D-2" not in runner.summary, "main's own changes are none of the pull request's"
    assert [comment["body"] for comment in hub.comments] == [runner.summary]
    assert {token for _, _, token in hub.asked} == {"Bearer s3cret"}
    assert workspace.git("status", "--porcelain") == ""


def test_a_ride_and_a_payment_are_shown_with_note_link_and_what_comes(repo: Repo, hub: Hub, tmp_path: Path) -> None:
    repo.write("src/a.py", "x\n")
    paid_when = "contains src/a.py frozen"
    repo.table(
        row("D-1", "path: ^src/a", "use **the** fixture @ana", rides=1), row("D-2", "path: b", paid_when=paid_when)
    )
    repo.git("switch", "--quiet", "--create", "topic")
    charged = Entry("2026-11-29 10:00:00", "D-1", "charged", 2, 1, "8f3a21c0", "abcdef0123456", "agent", "src/a.py")
    repo.write("docs/gatilhos/ledger/2026-11-29-0badcafe.md", ledger_bytes([charged]))
    repo.write("src/a.py", "frozen\n")
    repo.table(
        row("D-1", "path: ^src/a", "use **the** fixture @ana", rides=2), row("D-2", "path: b", paid_when=paid_when)
    )
    given = event(repo, "main")
    repo.git("switch", "--quiet", "--detach", "main")
    repo.git("merge", "--quiet", "--no-ff", "topic", "-m", "Merge topic into main")
    runner = Runner(tmp_path / "runner", repo, hub, given)
    assert runner.run() == 0, runner.said
    body = hub.comments[0]["body"]
    own = repo.git("rev-parse", "topic").strip()
    link = f"https://github.com/ana/project/blob/{own}/docs/gatilhos/backlog.md?plain=1#L3"
    assert f"- **`D-1`** in [`docs/gatilhos/backlog.md:3`]({link}): 2 of 3 rides: the next session is asked\n" in body
    assert "  > use <strong>the</strong> fixture \\@\u200bana\n" in body
    assert "  - rides 1 -> 2: a session wrote `src/a.py`\n  - paid when: a person strikes its id" in body
    assert "8f3a21c0" not in body
    assert "abcdef" not in body
    first, second = body.index("What this change does to debts"), body.index("Also changed")
    assert first < body.index("this change pays `D-2`: `contains src/a.py frozen` holds (`src/a.py:1`)") < second
    shown = cmarkgfm.github_flavored_markdown_to_html(body)
    assert f'<a href="{link}"><code>docs/gatilhos/backlog.md:3</code></a>' in shown
    assert "<blockquote>\n<p>use " in shown


def test_one_comment_is_kept(pull: Repo, hub: Hub, tmp_path: Path) -> None:
    given = event(pull)
    workspace = merged(pull)
    for number in range(150):
        hub.add(f"talk {number}", "bo")
    hub.add("<!-- gatilho diff -->\nby somebody else", "eve")
    hub.add("<!-- gatilho diff -->\nwhat was so yesterday")
    Runner(tmp_path / "one", workspace, hub, given).run()
    assert len(hub.comments) == 152
    assert hub.comments[150]["body"].endswith("by somebody else")
    assert "D-1" in hub.comments[151]["body"]
    hub.asked.clear()
    Runner(tmp_path / "two", workspace, hub, given).run()
    assert {method for method, _, _ in hub.asked} == {"GET"}


def test_nothing_to_say_is_no_comment(repo: Repo, hub: Hub, tmp_path: Path) -> None:
    repo.write("src/a.py", "x\n")
    repo.table(row("D-1", "path: ^src/a"))
    repo.git("switch", "--quiet", "--create", "topic")
    repo.write("src/b.py", "x\n")
    repo.commit()
    runner = Runner(tmp_path / "one", repo, hub, event(repo, "main"))
    assert runner.run() == 0
    assert hub.comments == []
    hub.add("<!-- gatilho diff -->\n- what was so yesterday")
    Runner(tmp_path / "two", repo, hub, event(repo, "main")).run()
    assert "No row changed." in hub.comments[0]["body"]


REFUSALS = {
    "the token of a fork": (403, "::notice title=gatilho::No comment: the token may not write one here (HTTP 403)."),
    "a fault": (500, "::warning title=gatilho::No comment: GitHub answered HTTP 500."),
    "another address": (302, "::warning title=gatilho::No comment: GitHub answered HTTP 302."),
}


def test_comment_that_cannot_be_written(pull: Repo, hub: Hub, tmp_path: Path) -> None:
    pull.git("switch", "--quiet", "topic")
    before = pull.read_bytes(BACKLOG)
    runner = Runner(tmp_path / "runner", pull, hub, event(pull))
    hub.refuses = 403
    assert runner.run() == 1
    assert "D-1" in runner.summary
    (comment,) = [step for step in STEPS if step.id == "comment"]
    for status, said in REFUSALS.values():
        hub.refuses = status
        assert runner.run_step(comment) == 0
        assert said in runner.said
    assert pull.read_bytes(BACKLOG) == before
    assert pull.changed() == []


EVENTS = {
    "a pull request whose head is checked out": (lambda repo: event(repo), True),
    "a merge group": (lambda repo: {"merge_group": {"base_sha": repo.git("rev-parse", "topic~1").strip()}}, False),
    "a push": (lambda repo: {"before": repo.git("rev-parse", "topic~1").strip()}, False),
    "the first push of a branch": (lambda repo: {"before": "0" * 40}, False),
    "a run by hand": (lambda repo: {}, False),
}


@pytest.mark.parametrize("case", EVENTS, ids=list(EVENTS))
def test_event(pull: Repo, hub: Hub, tmp_path: Path, case: str) -> None:
    made, comments = EVENTS[case]
    pull.git("switch", "--quiet", "--detach", "topic")
    runner = Runner(tmp_path / "runner", pull, hub, made(pull))
    assert runner.run() == 1
    assert "GT701::D-1: rides 2 -> 1" in runner.said
    assert bool(hub.comments) is comments


def test_base_that_is_given_and_fetched(pull: Repo, hub: Hub, tmp_path: Path) -> None:
    given = event(pull)
    pull.git("branch", "release", "topic~1")
    runner = Runner(tmp_path / "runner", merged(pull), hub, given)
    runner.contexts["inputs"]["base"] = "release"
    assert runner.run() == 1
    assert "D-2" in runner.summary
    assert pull.git("rev-parse", "release").strip()[:10] in runner.summary


@pytest.mark.parametrize(
    "base", ["--output=x", "no-such-branch", "main\nstatus=0"], ids=["an option", "no branch", "two lines"]
)
def test_base_that_is_none(pull: Repo, hub: Hub, tmp_path: Path, base: str) -> None:
    runner = Runner(tmp_path / "runner", pull, hub, event(pull))
    runner.contexts["inputs"]["base"] = base
    assert runner.run() == 2
    assert "::error title=gatilho::The base is" in runner.said
    assert hub.asked == []


def test_nothing_of_the_checkout_is_run(pull: Repo, hub: Hub, tmp_path: Path) -> None:
    pull.git("switch", "--quiet", "topic")
    trap = f"open({str(tmp_path / 'sprung')!r}, 'w')\n"
    for name in (
        "json.py",
        "gatilho/__init__.py",
        "git/__init__.py",
        "sitecustomize.py",
        "usercustomize.py",
        "re.py",
        "venv.py",
    ):
        pull.write(name, trap)
    pull.write(".gitattributes", "*.md diff=trap filter=trap\n")
    pull.table(
        row("D-1", "path: ^src/a", rides=1, paid_when=f"passes touch {tmp_path / 'sprung'}"),
        row("D-2", "path: ^src/a", "second"),
    )
    runner = Runner(tmp_path / "runner", pull, hub, event(pull))
    runner.start_interpreters()
    runner.run()
    assert not (tmp_path / "sprung").exists()
    assert hub.comments


def test_hostile_texts_give_no_command_and_call_nobody(pull: Repo, hub: Hub, tmp_path: Path) -> None:
    pull.git("switch", "--quiet", "topic")
    note = "$(touch x) `touch x` ::set-output name=a::b @team <script>"
    pull.table(row("D-1;$(touch x)", "path: ^src/a", note), file="docs/gatilhos/$(touch x);é.md")
    Runner(tmp_path / "runner", pull, hub, event(pull)).run()
    runner_lines = hub.comments[0]["body"].splitlines()
    assert not any(line.lstrip().startswith("::") for line in runner_lines)
    assert "@team" not in hub.comments[0]["body"].replace("`", "")
    assert not (pull.root / "x").exists()


def test_no_text_of_an_event_stands_in_a_script() -> None:
    assert [step.id for step in STEPS] == ["install", "base", "check", "diff", "comment", "verdict"]
    for step in STEPS:
        assert step.run == f'"$GITHUB_ACTION_PATH/scripts/action" {step.id}'
        assert step.shell == "bash"
