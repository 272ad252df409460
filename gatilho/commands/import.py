"""`gatilho import` (Writing): propose rows from comments, instructions and rules that a repository has."""

import argparse
import os

from gatilho import bounded, files, render
from gatilho.console import command_options
from gatilho.document.rows import read_rows
from gatilho.errors import ExitStatus, GatilhoError, UsageError
from gatilho.git.root import Repository
from gatilho.index.index import open_index
from gatilho.model import Row
from gatilho.plain import counted, first_of
from gatilho.workspace.tracked import tracked_names
from gatilho.writing import sources
from gatilho.writing.found import Found

_NAMED = 5


def main(argv: list[str]) -> int:
    """Print what could become rows, as a table to review."""
    given = _parser().parse_args(argv)
    repository = command_options.repository_of(given.root)
    with open_index(repository) as index:
        known = [found.row for found in index.rows()]
    out = os.path.abspath(os.path.join(given.root, given.output)) if given.output else ""
    with render.waiting("Reading the repository"):
        found = _proposals(repository, given)
    found, secrets = sources.without_secrets(found)
    fresh = sources.new_ones(found, [*known, *_rows_in(out)])
    if secrets and not given.json:
        render.error(_left_out(secrets))
    if given.json:
        left_out = [{"source": source, "secret": kind} for source, kind in secrets]
        said = {"proposals": [_as_json(one) for one in fresh], "known": len(found) - len(fresh), "left_out": left_out}
        render.print_json(said)
    elif not fresh:
        render.line(
            f"Nothing new: {len(found)} of {len(found)} proposals are rows already." if found else "Nothing found."
        )
    elif out:
        _write(out, given.output, fresh)
    else:
        render.verbatim(sources.as_document(fresh).decode().rstrip("\n"))
    return ExitStatus.FINE


def _parser() -> argparse.ArgumentParser:
    named = "; ".join(f"{name}: {what}" for name, what in sources.SOURCES.items())
    parser = command_options.parser(
        "import",
        "Propose rows from what the repository has, as a table to review. Nothing that exists is overwritten, and\n"
        "what is in the tables already is not proposed again.",
        "gatilho import todo",
        "gatilho import .cursor/rules -o docs/gatilhos/imported.md",
        "gatilho import ../old/docs/gatilhos/backlog.md",
    )
    parser.add_argument(
        "source", metavar="SOURCE", help=f"{named}; or a file or folder of one of these kinds, or a table"
    )
    parser.add_argument("-o", "--output", metavar="FILE", default="", help="write the table into a new file")
    parser.add_argument("--start", action="store_true",
                        help="also list items that name no file, said at the start of a session")  # fmt: skip
    command_options.add_json(parser)
    return parser


def _proposals(repository: Repository, given: argparse.Namespace) -> list[Found]:
    names = tracked_names(repository.root)
    if given.source in sources.SOURCES:
        return list(sources.find_proposals(repository.root, given.source, names, given.start))
    full = os.path.abspath(os.path.join(given.root, given.source))
    if not os.path.exists(full):
        known = ", ".join(sources.SOURCES)
        raise UsageError(f"import {given.source}: there is no such file or folder, and it is not one of {known}.")
    path = os.path.relpath(full, repository.root).replace("\\", "/")
    if os.path.isfile(full) and full.endswith(".md") and not sources.source_of(path):
        return sources.import_table(repository.root, full if path.startswith("..") else path)
    if path.startswith(".."):
        raise UsageError(f"import {given.source}: only a table may be outside of the repository.")
    below = "" if path == "." else path
    chosen = [name for name in names if not below or name == below or name.startswith(f"{below}/")]
    chosen = chosen or ([below] if os.path.isfile(full) else [])
    return list(sources.find_proposals(repository.root, "", names, given.start, chosen))


def _left_out(secrets: list[tuple[str, str]]) -> str:
    """Say which proposals seem to hold a secret: where, and of which kind, never its text."""
    named = first_of([f"{source} ({kind})" for source, kind in secrets], _NAMED)
    return (
        f"Left out {len(secrets)} that seem to hold a secret: {named}. Take each secret out of its file, and "
        "replace it where it is in use: whoever can read the repository can use it."
    )


def _rows_in(path: str) -> list[Row]:
    """Return the rows in the file that would be written, where it is there already."""
    return read_rows(bounded.read_quietly(path), path)[0] if path else []


def _write(path: str, shown: str, fresh: list[Found]) -> None:
    count = counted(len(fresh), "row")
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        files.create(path, sources.as_document(fresh))
    except FileExistsError:
        raise GatilhoError(
            f"{shown} exists and is not overwritten; {count} would be new in it. Name another file."
        ) from None
    except OSError as error:
        raise GatilhoError(f"{shown} cannot be written: {error.strerror or error}.") from error
    render.line(f"{shown}  {count} proposed; review it, then commit it")


def _as_json(one: Found) -> dict[str, object]:
    draft = one.draft
    return {
        "id": draft.id, "lifecycle": draft.lifecycle, "triggers": list(draft.triggers), "note": draft.note,
        "paid_when": list(draft.conditions), "owner": draft.owner, "added": draft.added, "source": one.source,
    }  # fmt: skip
