"""`gatilho export` (Reading): write rows, events and figures for queries over many repositories."""

import argparse
import os
import sys
from functools import partial

from gatilho import files, render
from gatilho.console import command_options, row_view
from gatilho.errors import UsageError
from gatilho.index.index import open_index
from gatilho.report.gathering import Report, gather_report
from gatilho.report.lives import Kept
from gatilho.report.parquet import parquet_bytes
from gatilho.report.records import as_json_lines, records
from gatilho.workspace.workspace import Workspace

_JSONL, _PARQUET = "jsonl", "parquet"


def main(argv: list[str]) -> int:
    """Write the records to standard output or into a file."""
    given = _parser().parse_args(argv)
    form = given.format or (_PARQUET if (given.output or "").endswith(".parquet") else _JSONL)
    path = _new_file(given.output)
    if form == _PARQUET and not path:
        raise UsageError("Parquet is no text: name a file, as in `gatilho export -o rows.parquet`.")
    report = _gather(given)
    if form == _PARQUET:
        files.write_bytes(path, parquet_bytes(records(report)))
    elif path:
        files.write_bytes(path, "".join(as_json_lines(records(report))).encode())
    else:
        sys.stdout.writelines(as_json_lines(records(report)))
    return 0


def _gather(given: argparse.Namespace) -> Report:
    repository = command_options.repository_of(given.root)
    with open_index(repository) as index, Kept(index) as kept, render.waiting("reading rows") as say:
        workspace = Workspace(index)
        in_words = partial(row_view.state_in_words, index=index, day=workspace.today)
        return gather_report(workspace, kept, in_words, given.since, given.repository, say)


def _parser() -> argparse.ArgumentParser:
    parser = command_options.parser(
        "export",
        "Write what the store holds as records of one form: each row, each event of the ledger and of git's history,\n"
        "and each figure, with the repository and the commit. A query over many repositories reads the files of all.",
        "gatilho export > shop.jsonl",
        "gatilho export --repository ana/shop -o shop.parquet",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="a new file, or an older export (default: standard output)"
    )
    parser.add_argument(
        "--format", choices=(_JSONL, _PARQUET), help="JSON Lines or Parquet (default: by the name of the file)"
    )
    parser.add_argument(
        "--repository", metavar="NAME", help="what to call the repository (default: by its remote, else its folder)"
    )
    parser.add_argument("--since", metavar="WHEN", help="of figures, count events from then on")
    return parser


def _new_file(output: str | None) -> str:
    """Return the absolute path to write to, "" for standard output; raises UsageError where something else is there."""
    if output in (None, "-"):
        return ""
    path = os.path.abspath(str(output))
    own = (b'{"schema_version": ', b"PAR1")
    command_options.refuse_others(path, "export", lambda data: data.startswith(own) or not data)
    return path
