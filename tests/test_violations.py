"""Rules that are checked: who broke one, how often it was heeded, and the check that may take its place."""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable

import pytest
from builders import BACKLOG, Output, Repo
from ladder_steps import Play

Run = Callable[..., Output]
HEADER = "| id | lifecycle | trigger | note | rides | state | violated when |\n| --- | --- | --- | --- | ---: | --- | --- |\n"
SLEEP = r"`contains src/**/*.py \btime\.sleep\(`"
NOTE = "Wait with the clock, not with sleep."
BROKEN = "import time\ntime.sleep(3)\n"


def table(repo: Repo, condition: str = SLEEP, rides: int = 0, note: str = NOTE, file: str = BACKLOG) -> None:
    line = f"| R-1 | rule | `glob: src/**/*.py` | {note} | {rides} | rule | {condition} |"
    repo.table(line, header=HEADER, file=file)


def session(repo: Repo, content: str, name: str = "src/a.py") -> Play:
    play = Play(repo)
    play.read(name)
    play.write(name, content)
    play.stop()
    return play


def test_a_session_that_breaks_a_rule_is_counted_once_and_one_that_heeds_it_is_not(repo: Repo, run_cli: Run) -> None:
    repo.write("src/a.py", "x = 1\n")
    table(repo)
    session(repo, "x = 2\n")
    assert repo.ledger("violated") == []
    play = session(repo, BROKEN)
    play.prompt()
    play.write("src/a.py", BROKEN + "x = 3\n")
    play.stop()
    (line,) = repo.ledger("violated")
    assert (line["id"], line["by"]) == ("R-1", "program claude")
    assert line["evidence"] == r"`contains src/**/*.py \btime\.sleep\(: src/a.py:2`"
    assert repo.rides("R-1") == 2
    assert "rule, heeded 1 of 2" in run_cli("list").stdout
    (shown,) = json.loads(run_cli("list", "--json").stdout)["rows"]
    assert (shown["rides"], shown["violated"], shown["violated_when"]) == (2, 1, [SLEEP.strip("`")])
    assert "Violated when" in run_cli("show", "R-1").stdout


def test_what_was_broken_before_is_not_the_sessions_doing(repo: Repo) -> None:
    repo.write("src/a.py", BROKEN)
    table(repo)
    session(repo, BROKEN + "x = 1\n")
    assert repo.ledger("violated") == []
    assert repo.rides("R-1") == 1


def test_a_violation_that_the_turn_committed_is_one(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write("src/a.py", "x = 1\n")
    table(repo)
    play = Play(repo)
    play.read("src/a.py")
    play.write("src/a.py", BROKEN)
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2099-01-01T00:00:00+00:00")  # later than the session's first event
    repo.commit()
    play.stop()
    assert len(repo.ledger("violated")) == 1


@pytest.mark.parametrize(
    ("pattern", "name"),
    [(r"\btime\.sleep\(", "time.sleep"), (r"^import pickle\b", "pickle"), (r"os\.system", "os.system")],
)
def test_ruff_forbids_a_name(repo: Repo, run_cli: Run, pattern: str, name: str) -> None:
    repo.write("pyproject.toml", '[project]\nname = "x"\n')
    table(repo, f"`contains src/**/*.py {pattern}`")
    done = run_cli("promote", "R-1", "--to", "ruff")
    assert done.status == 0, done.stderr
    assert "(TID251) in every Python file" in done.stderr
    subprocess.run(["git", "apply"], cwd=repo.root, input=done.stdout, text=True, check=True)
    banned = tomllib.loads(repo.read("pyproject.toml"))["tool"]["ruff"]["lint"]["flake8-tidy-imports"]["banned-api"]
    assert banned == {name: {"msg": NOTE}}


@pytest.mark.parametrize(
    ("file", "old"),
    [
        ("pyproject.toml", ""),
        ("pyproject.toml", '[tool.ruff.lint]  # ours\nselect = ["E"]\n'),
        ("pyproject.toml", '[tool.ruff.lint]\nignore = []\nextend-select = [\n  "E",\n]\n\n[tool.x]\n'),
        (
            "pyproject.toml",
            '[tool.ruff.lint]\r\n[tool.ruff.lint.flake8-tidy-imports.banned-api]\r\n"a.b".msg = "c"\r\n',
        ),
        ("ruff.toml", "line-length = 100"),
    ],
)
def test_ruff_itself_finds_what_the_patch_forbids(repo: Repo, run_cli: Run, file: str, old: str) -> None:
    if old:
        repo.write(file, old)
    repo.write("src/a.py", "import time\n\nprint(1)\ntime.sleep(1)\n")
    for pattern in (r"\btime\.sleep\(", r"\bprint\("):
        table(repo, f"`contains src/**/*.py {pattern}`", note='Wait, "🙂".')
        done = run_cli("promote", "R-1", "--to", "ruff")
        assert done.status == 0, done.stderr
        subprocess.run(["git", "apply", "-"], cwd=repo.root, input=done.stdout.encode(), check=True)
    ruff = [sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format", "concise", "."]
    said = subprocess.run(ruff, cwd=repo.root, capture_output=True, text=True).stdout
    assert "src/a.py:3:1: T201" in said, said
    assert 'src/a.py:4:1: TID251 `time.sleep` is banned: Wait, "🙂".' in said
    before, after = (tomllib.loads(text) for text in (old, repo.read(file)))
    assert before.keys() <= after.keys()


@pytest.mark.parametrize("file", [BACKLOG, f"services/pay/{BACKLOG}"], ids=["root", "nested"])
def test_a_check_does_not_find_its_own_text(repo: Repo, run_cli: Run, file: str) -> None:
    table(repo, "`contains ** sleeeep`", file=file)
    for target in ("pre-commit", "github"):
        done = run_cli("promote", "R-1", "--to", target)
        subprocess.run(["git", "apply"], cwd=repo.root, input=done.stdout, text=True, check=True)
    (left_out,) = re.findall("exclude: '(.+)'", repo.read(".pre-commit-config.yaml"))
    assert re.search(left_out, file)
    repo.git("add", "--all")
    step = repo.read(".github/workflows/rule-r-1.yml").partition("run: |\n")[2].strip()
    (repo.root / ".pre-commit-config.yaml").unlink()
    repo.git("add", "--all")
    assert subprocess.run(["sh", "-c", step], cwd=repo.root).returncode == 0


@pytest.mark.parametrize("old", ["", "repos:\n  - repo: local\n    hooks:\n      - id: x\n"])
def test_pre_commit_searches_the_files(repo: Repo, run_cli: Run, old: str) -> None:
    if old:
        repo.write(".pre-commit-config.yaml", old)
    table(repo)
    done = run_cli("promote", "R-1", "--to", "pre-commit")
    assert done.status == 0, done.stderr
    subprocess.run(["git", "apply"], cwd=repo.root, input=done.stdout, text=True, check=True)
    written = repo.read(".pre-commit-config.yaml")
    assert written.startswith(old or "repos:\n  - repo: local\n")
    assert "        entry: '\\btime\\.sleep\\('\n" in written
    assert "        files: '^src(?:/.+)?/" in written


def test_a_workflow_for_github_finds_what_the_rule_forbids(repo: Repo, run_cli: Run) -> None:
    repo.write("src/deep/a.py", BROKEN)
    table(repo)
    done = run_cli("promote", "R-1", "--to", "github", "--json")
    shown = json.loads(done.stdout)
    subprocess.run(["git", "apply"], cwd=repo.root, input=shown["patch"], text=True, check=True)
    step = repo.read(".github/workflows/rule-r-1.yml").partition("run: |\n")[2].strip()
    ran = subprocess.run(["sh", "-c", step], cwd=repo.root, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (1, "src/deep/a.py:2:time.sleep(3)\n")
    repo.write("src/deep/a.py", "x = 1\n")
    assert subprocess.run(["sh", "-c", step], cwd=repo.root).returncode == 0


@pytest.mark.parametrize(
    ("condition", "target", "said"),
    [
        ("`missing a.py`", "github", "one condition `contains PATH REGEX`"),
        ("", "ruff", "one condition `contains PATH REGEX`"),
        ("`contains src/*.py a|b`".replace("|", "\\|"), "ruff", "ruff can forbid a name of Python"),
        ("`contains src/*.py \\bhelper\\(`", "ruff", "ruff can forbid a name of Python"),
        ("`contains src/*.ts console\\.log`", "ruff", "ruff can forbid a name of Python"),
        ("`contains src/*.py \\p{Lu}x`", "pre-commit", "searches with Python's `re`"),
        ("`contains src/*.py ${{ github.event }}`", "github", "as an expression"),
    ],
)
def test_what_cannot_be_generated_is_refused(repo: Repo, run_cli: Run, condition: str, target: str, said: str) -> None:
    table(repo, condition)
    done = run_cli("promote", "R-1", "--to", target)
    assert (done.status, said in done.stderr) == (2, True), done.stderr
    assert repo.read(BACKLOG).count("\n") == 3
