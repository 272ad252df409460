"""The template for GitLab, and the note on a merge request, kept by the code that keeps GitHub's comment."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from builders import CHECKOUT, PATIENCE, Repo, row, run_cli

TEMPLATE = CHECKOUT / "templates/gatilho.gitlab-ci.yml"
NOTES = "/api/v4/projects/7/merge_requests/12/notes"


class Lab(ThreadingHTTPServer):
    """What of GitLab's interface is asked for: the notes of one merge request, and whose token it is."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.notes: list[dict[str, Any]] = []
        self.asked: list[tuple[str, str]] = []

    def add(self, body: str, author: str = "project_7_bot") -> None:
        self.notes.append({"id": len(self.notes) + 1, "body": body, "author": {"username": author}, "system": False})


class _Answers(BaseHTTPRequestHandler):
    server: Lab

    def do_GET(self) -> None:
        if self.path == "/api/v4/user":
            self._answer({"username": "project_7_bot"})
            return
        page = int(re.findall(r"[?&]page=(\d+)", self.path)[0])
        self._answer(self.server.notes[(page - 1) * 100 : page * 100])

    def do_POST(self) -> None:
        self.server.add(self._body())
        self._answer({}, 201)

    def do_PUT(self) -> None:
        self.server.notes[int(self.path.rpartition("/")[2]) - 1]["body"] = self._body()
        self._answer({})

    def _body(self) -> str:
        return str(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"])

    def _answer(self, value: Any, status: int = 200) -> None:
        self.server.asked.append((self.command, self.path.partition("?")[0]))
        is_known = self.headers["PRIVATE-TOKEN"] == "secret"
        data = json.dumps(value if is_known else {}).encode()
        self.send_response(status if is_known else 401)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def lab() -> Iterator[Lab]:
    with _serving(Lab()) as found:
        yield found


@contextmanager
def _serving(lab: Lab) -> Iterator[Lab]:
    thread = Thread(target=lab.serve_forever)
    thread.start()
    try:
        yield lab
    finally:
        lab.shutdown()
        thread.join()
        lab.server_close()


def keep_note(lab: Lab, file: Path, token: str = "secret") -> subprocess.CompletedProcess[str]:
    """Run the script as the job of the template does."""
    around = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "CI_"))}
    around |= {
        "CI_API_V4_URL": f"http://127.0.0.1:{lab.server_port}/api/v4",
        "CI_PROJECT_ID": "7",
        "CI_MERGE_REQUEST_IID": "12",
        "GATILHO_TOKEN": token,
    }
    script = [sys.executable, "-I", str(CHECKOUT / "scripts/comment.py"), str(file)]
    return subprocess.run(script, env=around, capture_output=True, text=True, timeout=PATIENCE)


def test_the_template_is_as_gitlab_publishes() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.gitlab-ci", str(TEMPLATE)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_commands_of_the_template_write_a_note_and_a_report(repo: Repo, lab: Lab, tmp_path: Path) -> None:
    repo.table()
    base = repo.git("rev-parse", "HEAD").strip()
    repo.table(
        row("D-1", "path: ^README\\.md$", "see !12 and /close it, not `a!12`", paid_when="contains README.md zebra")
    )
    written = TEMPLATE.read_text()
    assert '--format markdown\n      --links "$CI_PROJECT_URL/-/blob/$CI_COMMIT_SHA"' in written
    links = f"https://gitlab.example.com/a/b/-/blob/{base}"
    note = tmp_path / "note.md"
    note.write_text(
        run_cli("diff", f"{base}..HEAD", "--format", "markdown", "--links", links, cwd=repo.root).stdout,
        encoding="utf-8",
    )
    lab.add(note.read_text(encoding="utf-8"), author="somebody")
    lab.notes.append({"id": 2, "body": note.read_text(encoding="utf-8"), "author": None, "system": True})
    assert keep_note(lab, note).stdout == "Wrote the comment.\n"
    body = lab.notes[2]["body"]
    assert "D-1" in body
    assert "see \\!\u200b12 and" in body  # and not an entity after a backslash, which is shown as it is written
    assert "`a!12`" in body  # code is no reference
    assert not re.search(r"^\s*/", body, re.MULTILINE)
    assert keep_note(lab, note).stdout == "The comment is already up to date.\n"
    note.write_text(note.read_text(encoding="utf-8") + "\n/merge\n", encoding="utf-8")
    assert keep_note(lab, note).stdout == "Changed the comment.\n"
    assert lab.notes[2]["body"].endswith("\n\\/merge\n")
    assert lab.asked[-1] == ("PUT", f"{NOTES}/3")
    report = json.loads(run_cli("check", "--since", base, "--format", "codeclimate", cwd=repo.root).stdout)
    assert isinstance(report, list)


def test_a_token_that_may_not_write_fails_no_job(lab: Lab, tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("<!-- gatilho -->\n- D-1\n")
    done = keep_note(lab, note, token="wrong")
    assert done.returncode == 0
    assert done.stdout == "gatilho: notice: No comment: the token may not write one here (HTTP 401).\n"
