"""`gatilho allow` (Settling): allow a row's command to run on this machine."""

import argparse
import os
import shlex
import sys

from gatilho import outside, render
from gatilho.conditions import allowed
from gatilho.configfile import load
from gatilho.console import lookup, options, terminal_guard
from gatilho.errors import ConflictError, ExitStatus, GatilhoError, NeedsPerson, UsageError
from gatilho.git.root import Repository
from gatilho.index.index import open_index
from gatilho.tables import FOLDER, Store, named_stores
from gatilho.verbs import commands_in


def main(argv: list[str]) -> int:
    """Show the commands of a row, ask, and remember the answer outside of every repository."""
    given = _parser().parse_args(argv)
    if bool(given.id) == bool(given.store):
        raise UsageError("name a row, as in `gatilho allow D-7f3k`, or a store with `--store PATH`.")
    repository = options.repository_of(given.root)
    if given.store:
        return _allow_store(repository, given)
    terminal_guard.require_own_terminal(f"gatilho allow {given.id}", os.environ)
    with open_index(repository) as index:
        row = lookup.row_called(index, given.id).row
    texts = commands_in(row.conditions)
    if not texts:
        raise GatilhoError(f"{row.id} names no command under `paid when` ({row.place}): there is nothing to allow.")
    if given.withdraw:
        return _withdraw(repository, texts)
    new = [text for text in texts if not allowed.is_allowed(repository, text)]
    if not new:
        render.line(f"{row.id}: already allowed.")
        return ExitStatus.FINE
    for text in new:
        render.line(f"{row.place}  {_spelled_out(text)}")
        if not text.isascii():
            render.line(f"It has characters outside ASCII and may not be what it looks like: {_beyond_ascii(text)}.")
    if not (given.yes or _agrees(row.id)):
        render.line("Nothing was allowed.")
        return ExitStatus.PROBLEMS
    for text in new:
        allowed.allow(repository, text)
    render.line(f"{row.id}: allowed in this repository, on this machine, as long as the text stays as it is.")
    return ExitStatus.FINE


def _allow_store(repository: Repository, given: argparse.Namespace) -> int:
    """Let the rows of a store outside the repository speak here, and its rides be written there."""
    words = f"--store {shlex.quote(given.store)}"
    terminal_guard.require_own_terminal(f"gatilho allow {words}", os.environ)
    config = load(repository.root)[0]
    store = next((one for one in named_stores(repository.root, config.stores) if given.store in _names_of(one)), None)
    if store is None:
        raise GatilhoError(f"`stores` of the configuration does not name {given.store}: there is nothing to allow.")
    if not outside.is_outside(repository.root, store.folder):
        raise GatilhoError(f"{given.store} lies in the repository: its rows speak without a permission.")
    if given.withdraw:
        taken = outside.withdraw(repository.root, store.folder)
        render.line("Taken back: it is no longer read." if taken else "It was not allowed.")
        return ExitStatus.FINE
    if outside.is_barred(repository.root, store.folder):
        render.line(f"The notes in {_spelled_out(os.path.realpath(store.folder))} would reach agents that work here,")
        render.line("and rides would be written there.")
        if not (given.yes or _agrees(words)):
            render.line("Nothing was allowed.")
            return ExitStatus.PROBLEMS
        outside.allow(repository.root, store.folder)
    render.line(f"{given.store}: allowed for this repository, on this machine.")
    return ExitStatus.FINE


def _names_of(store: Store) -> tuple[str, ...]:
    return (store.label,) if store.label else (FOLDER, store.folder)


def _parser() -> argparse.ArgumentParser:
    parser = options.parser(
        "allow",
        "Allow the commands under `paid when` of a row to run on this machine, exactly as they are written now.\n"
        "They run at the end of a turn that changed the row's files, and in `gatilho settle`.\n"
        "Whoever may change what they run (`pytest x.py` runs x.py) may run code here with your rights.",
        "gatilho allow D-7f3k",
        "gatilho allow --store ../team",
    )
    parser.add_argument("id", metavar="ID", nargs="?", help="the row's id")
    parser.add_argument("--store", metavar="PATH", help="allow a store outside the repository, as `stores` names it")
    parser.add_argument("--yes", action="store_true", help="do not ask; for a person's own scripts")
    parser.add_argument("--withdraw", action="store_true", help="take back what was allowed")
    return parser


def _spelled_out(text: str) -> str:
    """Return the text with an escape for whatever a terminal does not show: nothing that is allowed may hide."""
    return "".join(letter if letter.isprintable() else _escape(letter) for letter in text)


def _beyond_ascii(text: str) -> str:
    """Return the characters that resemble others, or nothing, with their code points."""
    found = dict.fromkeys(letter for letter in text if not letter.isascii())
    return ", ".join(f"{letter if letter.isprintable() else ''} U+{ord(letter):04X}".strip() for letter in found)


def _escape(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def _agrees(row_id: str) -> bool:
    if not sys.stdin.isatty():
        raise NeedsPerson(
            f"Not allowed: no terminal to ask on. Run `gatilho allow {row_id} --yes` to allow it without a question."
        )
    try:
        return input("Allow this to run here? [y/N] ").strip().lower() in ("y", "yes", "s", "sim")
    except EOFError:
        return False


def _withdraw(repository: Repository, texts: list[str]) -> int:
    try:
        taken = [text for text in texts if allowed.withdraw(repository, text)]
    except OSError as error:
        raise ConflictError(f"the allowance cannot be taken back: {error.strerror or error}.") from error
    render.line("Taken back: it no longer runs." if taken else "It was not allowed.")
    return ExitStatus.FINE
