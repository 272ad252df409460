"""`gatilho explain` (Reading): explain the code of a problem, with an example."""

import argparse

from gatilho import explanations, render
from gatilho.console import command_options
from gatilho.errors import ExitStatus, UsageError
from gatilho.memory.similarity import one_letter_off
from gatilho.nearest import nearest

_CODE = "    "


def main(argv: list[str]) -> int:
    """Print the section of a code, or the list of all codes."""
    given = _parser().parse_args(argv)
    code = given.code.upper()
    if not code:
        _list_codes(given.json)
        return ExitStatus.FINE
    text = explanations.section(code)
    if not text:
        close = one_letter_off(code, explanations.sections()) or nearest(code, explanations.sections())
        meant = f"Did you mean {close}?" if close else "`gatilho explain` lists them all."
        raise UsageError(f"explain {given.code}: there is no such code. {meant}")
    if given.json:
        render.print_json({"code": code, "text": text, "link": explanations.link(code)})
    else:
        for line in _plain(text).rstrip().split("\n"):
            (render.verbatim if line.startswith(_CODE) else render.line)(line)
    return ExitStatus.FINE


def _list_codes(as_json: bool) -> None:
    titles = {one: _plain(explanations.section(one)).split("\n")[2] for one in explanations.sections()}
    if as_json:
        codes = [{"code": one, "title": title, "link": explanations.link(one)} for one, title in titles.items()]
        render.print_json({"codes": codes})
        return
    for one, title in titles.items():
        render.line(f"{one}  {title}")


def _parser() -> argparse.ArgumentParser:
    parser = command_options.parser(
        "explain",
        "Explain a code that `gatilho check` or `gatilho diff` prints: what it means, a bad and a good row.",
        "gatilho explain GT231",
        "gatilho explain",
    )
    parser.add_argument("code", metavar="CODE", nargs="?", default="", help="such as GT231; all codes without one")
    command_options.add_json(parser)
    return parser


def _plain(text: str) -> str:
    """Return a section as a terminal shows it: no marks of headings and emphasis, code four blanks in."""
    lines, in_code = [], False
    for line in text.split("\n"):
        if line.startswith("```"):
            in_code = not in_code
        elif in_code:
            lines.append(_CODE + line if line else "")
        else:
            lines.append(line.removeprefix("## ").replace("*", ""))
    return "\n".join(lines)
