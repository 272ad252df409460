"""`gatilho doctor` (Setting up): check what is set up on this machine, and fix what is safe to fix."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gatilho import render
from gatilho.configfile import load
from gatilho.console import command_options, terminal_guard
from gatilho.errors import ExitStatus, GatilhoError
from gatilho.git.root import Repository
from gatilho.setup.doctor import hooks, interpreter, machine, merges, package, stores
from gatilho.setup.doctor.finding import WRONG, Finding

_WIDTH = max(len(one.PART) for one in (hooks, package, stores, merges, machine, interpreter))


def main(argv: list[str]) -> int:
    """Look at every part; 1 while something is wrong."""
    parser = command_options.parser(
        "doctor",
        "Test the hooks, the interpreter, the package, the tables and their index, the merge driver and the\n"
        "sandbox by using them. Nothing is written without --fix. Exits 1 while there are problems.",
        "gatilho doctor",
        "gatilho doctor --fix",
    )
    parser.add_argument("--fix", action="store_true", help="fix what is safe to fix")
    command_options.add_json(parser)
    given = parser.parse_args(argv)
    repository = command_options.repository_of(given.root, learn=False)
    if given.fix:
        terminal_guard.require("gatilho doctor --fix", of_row=False)
    with _tidy_when_ended():
        fixed = _fix(_examined(repository)) if given.fix else []
        if given.json:
            findings = _examined(repository)
            texts = [one.text for one in _gone(fixed, findings)]
            render.print_json({"findings": [_as_json(one) for one in findings], "fixed": texts})
        else:
            findings = _tell(examine(repository), fixed)
    return ExitStatus.PROBLEMS if any(one.status == WRONG for one in findings) else ExitStatus.FINE


def examine(repository: Repository) -> Iterator[Finding]:
    """Yield everything that there is to find, each part as soon as it is known."""
    config, problems = load(repository.root)
    for one in problems:
        yield Finding("configuration", WRONG, f"{one.place}: {one.message}", one.remedy)
    found, findings = hooks.find_registered(repository)
    yield from findings
    yield from hooks.inspect(repository, found, bool(findings))
    yield from package.inspect(repository, found)
    yield from stores.inspect(repository)
    yield from merges.inspect(repository)
    yield from machine.inspect(repository, config)
    yield from interpreter.inspect(repository, found)


def _examined(repository: Repository) -> list[Finding]:
    with render.waiting("trying what is set up here"):
        return list(examine(repository))


@contextmanager
def _tidy_when_ended() -> Iterator[None]:
    """Let a terminal that is closed, or a plain kill, end the command by the way on which its folders are removed."""

    def leave(number: int, _frame: object) -> None:
        sys.exit(128 + number)

    before = {}
    for name in ("SIGHUP", "SIGTERM"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            before[number] = signal.signal(number, leave)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _fix(findings: list[Finding]) -> list[Finding]:
    """Fix what can be fixed; the findings that may be fixed now."""
    fixed = []
    for one in findings:
        if one.fix is not None:
            try:
                one.fix()
            except GatilhoError as fault:
                render.error(f"{one.text}: {fault}")
            else:
                fixed.append(one)
    return fixed


def _gone(fixed: list[Finding], findings: list[Finding]) -> list[Finding]:
    """Return what is not found any more: a folder that cannot be written stops a fix in silence."""
    left = {one.text for one in findings}
    return [one for one in fixed if one.text not in left]


def _tell(findings: Iterator[Finding], fixed: list[Finding]) -> list[Finding]:
    """Print each finding when it comes, then what was fixed: all of them."""
    told = []
    for one in findings:
        told.append(one)
        render.line(f"{one.status:<6}  {one.part:<{_WIDTH}}  {one.text}")
        if one.remedy:
            render.line(f"{'':<6}  {'':<{_WIDTH}}  -> {one.remedy}")
        sys.stdout.flush()
    for one in _gone(fixed, told):
        render.line(f"fixed   {one.part:<{_WIDTH}}  {one.text}")
    wrong = sum(one.status == WRONG for one in told)
    render.line(f"\n{wrong or 'No'} {'problem' if wrong == 1 else 'problems'}.")
    return told


def _as_json(one: Finding) -> dict[str, Any]:
    can_fix = one.fix is not None
    return {"part": one.part, "status": one.status, "text": one.text, "remedy": one.remedy, "can_fix": can_fix}
