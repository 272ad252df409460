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


SHOWN = (
    "tests/test_retry.py is flaky until it uses the frozen_clock fixture. [D-7f3k;",
    "D-7f3k was touched and left unpaid: 1 ride now",
    "D-7f3k was touched and left unpaid: 2 rides now",
    "D-7f3k was touched and left unpaid: 3 rides now",
    "host asks     Owed and due in docs/gatilhos",
    "+| ~~D-7f3k~~ | debt |",
    r"`contains tests/test_retry.py \bfrozen_clock\b: tests/test_retry.py:6`",
    "D-7f3k is owed again: the pattern is not in tests/test_retry.py",
    "host refuses  Owed and due in docs/gatilhos",  # where nobody can be asked
    "50 sessions read it, 0 were asked",
    "All of it happened as shown",
)


@pytest.mark.slow
def test_the_demonstration_shows_the_whole_story_and_leaves_nothing_behind(tmp_path: Path) -> None:
    """The script is started as a person starts it; its environment looks set up, so that nothing is installed."""
    venv = tmp_path / "venv"
    (venv / "bin").mkdir(parents=True)
    python = venv / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    stamp = subprocess.run(["sh", "-c", "cksum pyproject.toml; pwd"], cwd=CHECKOUT, capture_output=True, check=True)
    (venv / "gatilho.stamp").write_bytes(stamp.stdout)
    # What a host sets for its hooks must not reach the story.
    strange = {"GATILHO": "off", "CLAUDE_PROJECT_DIR": str(tmp_path), "NO_COLOR": "1"}
    done = play(STORY, tmp_path / "tmp", str(CHECKOUT / "scripts" / "demo"), GATILHO_VENV=str(venv), **strange)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    assert done.stderr == ""
    assert [text for text in SHOWN if text not in done.stdout] == []
    assert list((tmp_path / "tmp").iterdir()) == []
    assert "\x1b" not in done.stdout, "it is plain in a pipe"


def test_a_step_that_does_not_happen_as_told_ends_the_story_with_a_failure(tmp_path: Path) -> None:
    story = tmp_path / "story"
    shutil.copytree(STORY, story, ignore=shutil.ignore_patterns("__pycache__"))
    acts = story / "__main__.py"
    told, other = '"uses the frozen_clock fixture" in note.agent', '"something else" in note.agent'
    assert told in acts.read_text(encoding="utf-8")
    acts.write_text(acts.read_text(encoding="utf-8").replace(told, other), encoding="utf-8")
    done = play(story, tmp_path / "tmp")
    assert done.returncode == 1
    assert "this did not happen: the note is in context" in done.stderr
    assert list((tmp_path / "tmp").iterdir()) == []


def test_an_unknown_option_is_a_usage_error(tmp_path: Path) -> None:
    assert play(STORY, tmp_path / "tmp", sys.executable, str(STORY), "--faster").returncode == 2
