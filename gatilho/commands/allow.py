"""`gatilho allow`: a person on this machine lets the command of a row be run, exactly as it is written now."""

import argparse
import os
import sys

from gatilho import render
from gatilho.conditions import allowed
from gatilho.console import lookup, options, terminal_guard
from gatilho.errors import ConflictError, ExitStatus, GatilhoError, NeedsPerson
from gatilho.git.root import Repository
from gatilho.index.index import open_index


def main(argv: list[str]) -> int:
    """Show the commands of a row, ask, and remember the answer outside of every repository."""
    given = _parser().parse_args(argv)
    repository = options.repository_of(given.root)
    terminal_guard.require_own_terminal(f"gatilho allow {given.id}", os.environ)
    row = lookup.row_called(open_index(repository), given.id).row
    texts = [one.argument for one in row.conditions if one.kind == "passes"]
    if not texts:
        raise GatilhoError(f"{row.id} names no command under `paid when` ({row.place}): there is nothing to allow.")
    if given.withdraw:
        return _withdraw(repository, texts)
    new = [text for text in texts if not allowed.is_allowed(repository, text)]
    if not new:
        render.line(f"{row.id}: allowed already.")
        return ExitStatus.FINE
    for text in new:
        render.line(f"{row.place}  {_spelled_out(text)}")
        if not text.isascii():
            render.line(f"It holds more than ASCII, and may not be what it looks like: {_beyond_ascii(text)}.")
    if not (given.yes or _agrees(row.id)):
        render.line("Nothing was allowed.")
        return ExitStatus.PROBLEMS
    for text in new:
        allowed.allow(repository, text)
    render.line(f"{row.id}: allowed in this repository, on this machine, as long as the text stays as it is.")
    return ExitStatus.FINE


def _parser() -> argparse.ArgumentParser:
    parser = options.parser(
        "allow",
        "Let the commands under `paid when` of a row be run on this machine, exactly as they are written now.\n"
        "They run when a turn closes that wrote what the row looks at, and in `gatilho settle`.\n"
        "Whoever may change what they run (`pytest x.py` runs x.py) may run code here with your rights.",
        "gatilho allow D-7f3k",
    )
    parser.add_argument("id", metavar="ID", help="the row's id")
    parser.add_argument("--yes", action="store_true", help="do not ask; for scripts of a person's own")
    parser.add_argument("--withdraw", action="store_true", help="take back what was allowed")
    return parser


def _spelled_out(text: str) -> str:
    """The text with an escape for whatever a terminal does not show: nothing that is allowed may hide."""
    return "".join(letter if letter.isprintable() else _escape(letter) for letter in text)


def _beyond_ascii(text: str) -> str:
    """The characters that resemble others, or nothing, with their code points."""
    found = dict.fromkeys(letter for letter in text if not letter.isascii())
    return ", ".join(f"{letter if letter.isprintable() else ''} U+{ord(letter):04X}".strip() for letter in found)


def _escape(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def _agrees(row_id: str) -> bool:
    if not sys.stdin.isatty():
        raise NeedsPerson(
            f"nothing was allowed: nobody can be asked here. `gatilho allow {row_id} --yes` does not ask."
        )
    try:
        return input("May this be run here? [y/N] ").strip().lower() in ("y", "yes", "s", "sim")
    except EOFError:
        return False


def _withdraw(repository: Repository, texts: list[str]) -> int:
    try:
        taken = [text for text in texts if allowed.withdraw(repository, text)]
    except OSError as error:
        raise ConflictError(f"the allowance cannot be taken back: {error.strerror or error}.") from error
    render.line("Taken back: it runs no more." if taken else "It was not allowed.")
    return ExitStatus.FINE
