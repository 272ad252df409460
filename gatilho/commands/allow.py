"""`gatilho allow` (Settling): allow a row's command to run on this machine."""

import argparse
import os
import shlex
import sys

from gatilho import outside, render
from gatilho.conditions import allowed
from gatilho.conditions.commands import find_sandbox
from gatilho.conditions.runnable import why_impossible
from gatilho.conditions.trial import Trial
from gatilho.configfile import load
from gatilho.console import command_options, lookup, terminal_guard
from gatilho.errors import ConflictError, ExitStatus, GatilhoError, NeedsPerson, UsageError
from gatilho.git.root import Repository
from gatilho.index.index import open_index
from gatilho.model import Row
from gatilho.plain import shell_word
from gatilho.tables import FOLDER, Store, named_stores
from gatilho.verbs import commands_in
from gatilho.writing.form import agrees


def main(argv: list[str]) -> int:
    """Show the commands of a row, ask, and remember the answer outside of every repository."""
    given = _parsed(argv)
    repository = command_options.repository_of(given.root)
    if given.store:
        return _allow_store(repository, given)
    if given.list:
        return _list(repository, given.json)
    terminal_guard.require_own_terminal(_as_typed(given))
    return _withdraw(repository, given) if given.withdraw else _allow_row(repository, given)


def _allow_row(repository: Repository, given: argparse.Namespace) -> int:
    with open_index(repository) as index:
        row = lookup.row_called(index, given.id).row
    texts = commands_in(row.conditions)
    if not texts:
        raise GatilhoError(f"{row.id} names no command under `paid when` ({row.place}): there is nothing to allow.")
    if given.try_once:
        return _try(repository, row, texts, given.yes)
    for text in texts:
        if impossible := why_impossible(text):
            raise GatilhoError(f"{row.place}  {_spelled_out(text[:200])} is never run: {impossible}.")
    new = [text for text in texts if not allowed.is_allowed(repository, text)]
    if not new:
        render.line(f"{row.id}: already allowed.")
        return ExitStatus.FINE
    _show(row, new)
    if not (given.yes or _agrees("Allow this to run here?", f"gatilho allow {shell_word(row.id)} --yes")):
        render.line("Nothing was allowed.")
        return ExitStatus.PROBLEMS
    for text in new:
        allowed.allow_command(repository, text, row.id.strip())
    render.line(f"{row.id}: allowed in this repository, on this machine, as long as the text stays as it is.")
    return ExitStatus.FINE


def _allow_store(repository: Repository, given: argparse.Namespace) -> int:
    """Let the rows of a store outside the repository speak here, and its rides be written there."""
    words = f"--store {shlex.quote(given.store)}"
    terminal_guard.require_own_terminal(f"gatilho allow {words}")
    config = load(repository.root)[0]
    store = next((one for one in named_stores(repository.root, config.stores) if given.store in _names_of(one)), None)
    if given.withdraw:  # also of one that is named no more
        folder = os.path.join(repository.root, given.store) if store is None else store.folder
        taken = outside.withdraw_store(repository.root, folder)
        render.line("Taken back: it is no longer read." if taken else "It was not allowed.")
        return ExitStatus.FINE
    if store is None:
        raise GatilhoError(f"`stores` of the configuration does not name {given.store}: there is nothing to allow.")
    if not outside.is_outside(repository.root, store.folder):
        raise GatilhoError(f"{given.store} lies in the repository: its rows speak without a permission.")
    if outside.is_barred(repository.root, store.folder):
        render.line(f"The notes in {_spelled_out(os.path.realpath(store.folder))} would reach agents that work here,")
        render.line("and rides would be written there.")
        if not (given.yes or _agrees("Allow this store here?", f"gatilho allow {words} --yes")):
            render.line("Nothing was allowed.")
            return ExitStatus.PROBLEMS
        outside.allow(repository.root, store.folder)
    render.line(f"{given.store}: allowed for this repository, on this machine.")
    return ExitStatus.FINE


def _names_of(store: Store) -> tuple[str, ...]:
    return (store.label,) if store.label else (FOLDER, store.folder)


def _parsed(argv: list[str]) -> argparse.Namespace:
    parser = command_options.parser(
        "allow",
        "Allow the commands under `paid when` of a row to run on this machine, exactly as they are written now.\n"
        "They run at the end of a turn that changed the row's files, and in `gatilho settle`.\n"
        "Whoever may change what they run (`pytest x.py` runs x.py) may run code here with your rights.",
        "gatilho allow D-7f3k",
        "gatilho allow --try D-7f3k",
        "gatilho allow --list",
        "gatilho allow --store ../team",
        "gatilho allow --withdraw D-7f3k",
    )
    parser.add_argument("id", metavar="ID", nargs="?", default="", help="the row's id")
    parser.add_argument(
        "--store", metavar="PATH", default="", help="allow a store outside the repository, as `stores` names it"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask; for a person's own scripts")
    parser.add_argument(
        "--try", dest="try_once", action="store_true", help="run it once as a turn's end would, and show everything"
    )
    parser.add_argument("--list", action="store_true", help="show what is allowed in this repository")
    parser.add_argument(
        "--withdraw", action="store_true", help="take back what was allowed for a row, older texts of it included"
    )
    parser.add_argument("--text", metavar="TEXT", default="", help="with --withdraw: the command that --list shows")
    parser.add_argument("--all", action="store_true", help="with --withdraw: everything in this repository")
    command_options.add_json(parser)
    given = parser.parse_args(argv)
    named = sum(map(bool, (given.id, given.text, given.all, given.store)))
    if (given.text or given.all) and not given.withdraw:
        parser.error("--text and --all belong to --withdraw")
    if not given.list and named != 1:
        with_withdraw = "name one: ID, or with --withdraw --text TEXT or --all"
        parser.error(with_withdraw if given.withdraw else "name a row: ID, or --store PATH")
    return given


def _as_typed(given: argparse.Namespace) -> str:
    """Return the command as its owner would type it."""
    words = ["gatilho allow", *(["--try"] if given.try_once else []), *(["--withdraw"] if given.withdraw else [])]
    words += ["--text", shlex.quote(given.text)] if given.text else ["--all"] if given.all else []
    return " ".join([*words, *([given.id] if given.id else [])])


def _list(repository: Repository, as_json: bool) -> int:
    """Show what is allowed, and which rows name it now."""
    permissions, stores = allowed.all_of(repository), outside.allowed_stores(repository.root)
    rows: dict[str, list[str]] = {}
    with open_index(repository) as index:
        for found in index.owed():
            for text in commands_in(found.row.conditions):
                rows.setdefault(text, []).append(found.row.id.strip())
    if as_json:
        found_as_json = [{**one.as_dict(), "owed_rows": rows.get(one.text, [])} for one in permissions]
        render.print_json({"permissions": found_as_json, "stores": stores})
        return ExitStatus.FINE
    for permission in permissions:
        named = ", ".join(rows.get(permission.text, ())) or "no owed row names it now"
        render.line(f"{permission.when}  {permission.row or '-'}  {_spelled_out(permission.text)}  ({named})")
    for store in stores:
        render.line(f"store {_spelled_out(store)}  (`gatilho allow --withdraw --store {shlex.quote(store)}`)")
    if not permissions:
        render.line("No command is allowed in this repository on this machine.")
    return ExitStatus.FINE


def _show(row: Row, texts: list[str]) -> None:
    for text in texts:
        render.line(f"{row.place}  {_spelled_out(text)}")
        if not text.isascii():
            render.line(f"It has characters outside ASCII and may not be what it looks like: {_beyond_ascii(text)}.")


def _spelled_out(text: str) -> str:
    """Return the text with an escape for whatever a terminal does not show: nothing that is allowed may hide."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in text)


def _beyond_ascii(text: str) -> str:
    """Return the characters that resemble others, or nothing, with their code points."""
    found = dict.fromkeys(letter for letter in text if not letter.isascii())
    return ", ".join(f"{letter if letter.isprintable() else ''} U+{ord(letter):04X}".strip() for letter in found)


def _agrees(question: str, without_asking: str) -> bool:
    if not sys.stdin.isatty():
        raise NeedsPerson(f"Not allowed: no terminal to ask on. Run `{without_asking}` to do it without a question.")
    return agrees(question)


def _try(repository: Repository, row: Row, texts: list[str], yes: bool) -> int:
    """Run the commands once, allowed or not; a person sees them first."""
    _show(row, texts)
    if not all(allowed.is_allowed(repository, text) for text in texts) and not (
        yes or _agrees("Run this once?", f"gatilho allow --try {row.id} --yes")
    ):
        render.line("Nothing was run.")
        return ExitStatus.PROBLEMS
    passed = [_run_once(repository, text) for text in texts]
    return ExitStatus.FINE if all(passed) else ExitStatus.PROBLEMS


def _run_once(repository: Repository, text: str) -> bool:
    prepared = Trial(repository, text, load(repository.root)[0].conditions, find_sandbox(repository))
    for line in prepared.surroundings():
        render.line(f"    {line}")
    sys.stdout.flush()
    with render.waiting(f"running {text}"):
        passed, lines = prepared.run()
    for line in lines:
        render.line(f"    {line}")
    return passed


def _withdraw(repository: Repository, given: argparse.Namespace) -> int:
    permissions = allowed.all_of(repository)
    if given.all:
        texts = [one.text for one in permissions]
    elif given.text:
        texts = [one.text for one in permissions if given.text in (one.text, _spelled_out(one.text))]
    else:
        named = set(_commands_now(repository, given.id))
        texts = [one.text for one in permissions if one.row == given.id.strip() or one.text in named]
    try:
        taken = [text for text in texts if allowed.withdraw(repository, text)]
    except OSError as error:
        raise ConflictError(f"the permission cannot be taken back: {error.strerror or error}.") from error
    for text in taken:
        render.line(f"Taken back: {_spelled_out(text)}")
    if not taken:
        render.line("It was not allowed. `gatilho allow --list` shows what is.")
    return ExitStatus.FINE


def _commands_now(repository: Repository, row_id: str) -> list[str]:
    """Return the commands of the row, none where it is gone: what was allowed for it can be taken back all the same."""
    with open_index(repository) as index:
        try:
            return [text for found in lookup.rows_called(index, row_id) for text in commands_in(found.row.conditions)]
        except UsageError:
            return []
