"""A command on a terminal of its own, with a person who types."""

import os
import pty
import subprocess
import sys
from pathlib import Path

from builders import CHECKOUT, PATIENCE, Output


def run_on_screen(*arguments: str, cwd: Path, typed: str, env: dict[str, str]) -> Output:
    """Run the command line on a terminal that takes its output, too; what was typed is in it."""
    child, terminal = pty.fork()
    if not child:
        os.chdir(cwd)
        os.execve(sys.executable, [sys.executable, "-m", "gatilho", *arguments], {"PYTHONPATH": str(CHECKOUT), **env})
    os.write(terminal, typed.encode())
    said = b""
    try:
        while piece := os.read(terminal, 1 << 16):
            said += piece
    except OSError:  # Linux says so when the program ends
        pass
    os.close(terminal)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return Output(status, said.decode().replace("\r\n", "\n"), "")


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


def run_in_terminal(*arguments: str, cwd: Path, typed: str, env: dict[str, str] | None = None) -> tuple[int, str]:
    """Run the command line where all streams are one terminal: its exit status and what the terminal shows."""
    keyboard, program = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "gatilho", *arguments], cwd=cwd, stdin=program, stdout=program, stderr=program,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT), **(env or {})},
    ) as process:  # fmt: skip
        os.close(program)
        os.write(keyboard, typed.encode())
        shown = b""
        try:
            while piece := os.read(keyboard, 4096):
                shown += piece
        except OSError:
            pass  # the program closed the terminal
        process.wait(PATIENCE)
    os.close(keyboard)
    return process.returncode, shown.decode()
