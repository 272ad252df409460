"""`gatilho doctor`: whether all that is set up here really works, and, where it can, mends what does not."""

from typing import Any

from gatilho import render
from gatilho.commands import options
from gatilho.config import load
from gatilho.doctor import hooks, interpreter, machine, merges, package, stores
from gatilho.doctor.finding import NOTE, OK, WRONG, Finding
from gatilho.errors import ExitStatus, GatilhoError
from gatilho.store.root import Repository


def main(argv: list[str]) -> int:
    """Look at every part; 1 while something is wrong."""
    parser = options.parser(
        "doctor",
        "Look at the hooks, the interpreter, the package, the tables and their index, the merge driver and the\n"
        "sandbox by trying them. Nothing is written without --fix. Exits 1 while something is wrong.",
        "gatilho doctor",
        "gatilho doctor --fix",
    )
    parser.add_argument("--fix", action="store_true", help="mend what can be mended without harm")
    options.add_json(parser)
    given = parser.parse_args(argv)
    repository = options.repository_of(given.root, learn=False)
    findings = examine(repository)
    mended = _mend(findings) if given.fix else []
    if mended:
        findings = examine(repository)
    if given.json:
        render.as_json({"findings": [_as_json(one) for one in findings], "mended": [one.text for one in mended]})
    else:
        _tell(findings, mended)
    return ExitStatus.PROBLEMS if any(one.status == WRONG for one in findings) else ExitStatus.FINE


def examine(repository: Repository) -> list[Finding]:
    """Everything that there is to find."""
    config, problems = load(repository.root)
    wrong = [Finding("configuration", WRONG, f"{one.place}: {one.message}", one.remedy) for one in problems]
    found, findings = hooks.find(repository)
    return [
        *wrong,
        *findings,
        *hooks.look(repository, found),
        *package.look(repository, found),
        *interpreter.look(repository, found),
        *stores.look(repository),
        *merges.look(repository),
        *machine.look(repository, config),
    ]


def _mend(findings: list[Finding]) -> list[Finding]:
    """Mend what can be mended; the findings that were."""
    mended = []
    for one in findings:
        if one.mend is not None:
            try:
                one.mend()
            except GatilhoError as fault:
                render.error(f"{one.text}: {fault}")
            else:
                mended.append(one)
    return mended


def _tell(findings: list[Finding], mended: list[Finding]) -> None:
    width = max(len(one.part) for one in findings)
    for one in mended:
        render.line(f"mended  {one.part:<{width}}  {one.text}")
    for one in sorted(findings, key=lambda one: (OK, NOTE, WRONG).index(one.status)):
        render.line(f"{one.status:<6}  {one.part:<{width}}  {one.text}")
        if one.remedy:
            render.line(f"{'':<6}  {'':<{width}}  -> {one.remedy}")


def _as_json(one: Finding) -> dict[str, Any]:
    can_mend = one.mend is not None
    return {"part": one.part, "status": one.status, "text": one.text, "remedy": one.remedy, "can_mend": can_mend}
