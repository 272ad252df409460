"""The demonstration: it plays to its end, shows what it promises, leaves nothing behind, and fails when a step fails."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from builders import CHECKOUT

STORY = CHECKOUT / "scripts" / "story"
PATIENCE = 300


def play(story: Path, folder: Path, *command: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run the story with its temporary folder below `folder`."""
    folder.mkdir()
    return subprocess.run(
        list(command) or [sys.executable, str(story)],
        env={**os.environ, "PYTHONPATH": str(CHECKOUT), "TMPDIR": str(folder), **env},
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
    )


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """What the script printed, started as a person starts it, and the folder that was its temporary one.

    Its environment is made to look set up, so that nothing is installed.
    """
    base = tmp_path_factory.mktemp("demo")
    venv = base / "venv"
    (venv / "bin").mkdir(parents=True)
    python = venv / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    stamp = subprocess.run(["sh", "-c", "cksum pyproject.toml; pwd"], cwd=CHECKOUT, capture_output=True, check=True)
    (venv / "gatilho.stamp").write_bytes(stamp.stdout)
    # What a host sets for its hooks must not reach the story.
    strange = {"GATILHO": "off", "CLAUDE_PROJECT_DIR": str(base), "NO_COLOR": "1"}
    done = play(STORY, base / "tmp", str(CHECKOUT / "scripts" / "demo"), GATILHO_VENV=str(venv), **strange)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    assert done.stderr == ""
    return done.stdout, base / "tmp"


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("tests/test_retry.py is flaky until it uses the frozen_clock fixture. [D-7f3k;", id="a note"),
        pytest.param("D-7f3k was touched and left unpaid: 1 ride now", id="the first ride"),
        pytest.param("D-7f3k was touched and left unpaid: 2 rides now", id="the second ride"),
        pytest.param("D-7f3k was touched and left unpaid: 3 rides now", id="the third ride"),
        pytest.param("host asks     Owed and due in docs/gatilhos", id="the question"),
        pytest.param("+| ~~D-7f3k~~ | debt |", id="the payment in the table"),
        pytest.param(r"`contains tests/test_retry.py \bfrozen_clock\b: tests/test_retry.py:6`", id="its evidence"),
        pytest.param("D-7f3k is owed again: the pattern is not in tests/test_retry.py", id="the payment taken back"),
        pytest.param("host refuses  Owed and due in docs/gatilhos", id="the refusal where nobody can be asked"),
        pytest.param("50 sessions read it, 0 were asked", id="a rule that never asks"),
        pytest.param("All of it happened as told", id="the end"),
    ],
)
def test_the_demonstration_shows(played: tuple[str, Path], text: str) -> None:
    assert text in played[0]


@pytest.mark.slow
def test_it_leaves_nothing_behind_and_is_plain_in_a_pipe(played: tuple[str, Path]) -> None:
    text, folder = played
    assert list(folder.iterdir()) == []
    assert "\x1b" not in text


def test_a_step_that_does_not_happen_as_told_ends_the_story_with_a_failure(tmp_path: Path) -> None:
    story = tmp_path / "story"
    shutil.copytree(STORY, story, ignore=shutil.ignore_patterns("__pycache__"))
    acts = story / "__main__.py"
    told, other = '"uses the frozen_clock fixture" in note.agent', '"something else" in note.agent'
    assert told in acts.read_text(encoding="utf-8")
    acts.write_text(acts.read_text(encoding="utf-8").replace(told, other), encoding="utf-8")
    done = play(story, tmp_path / "tmp")
    assert done.returncode == 1
    assert "this did not happen as told: the note is in context" in done.stderr
    assert list((tmp_path / "tmp").iterdir()) == []


def test_an_unknown_option_is_a_usage_error(tmp_path: Path) -> None:
    assert play(STORY, tmp_path / "tmp", sys.executable, str(STORY), "--faster").returncode == 2
