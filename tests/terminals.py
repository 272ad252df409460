"""A command on a terminal of its own, with a person who types."""

import os
import pty
import subprocess
import sys
from pathlib import Path

from builders import CHECKOUT, PATIENCE, Output


def run_on_terminal(*arguments: str, cwd: Path, typed: str, env: dict[str, str] | None = None) -> Output:
    """Run the command line where standard input is a terminal on which these lines are typed; then the input ends."""
    keyboard, program = pty.openpty()
    os.write(keyboard, typed.encode() + b"\x04")
    try:
        done = subprocess.run(
            [sys.executable, "-m", "gatilho", *arguments],
            cwd=cwd,
            env={**os.environ, "PYTHONPATH": str(CHECKOUT), **(env or {})},
            stdin=program,
            capture_output=True,
            timeout=PATIENCE,
        )
    finally:
        os.close(keyboard)
        os.close(program)
    return Output(done.returncode, done.stdout.decode(), done.stderr.decode())
