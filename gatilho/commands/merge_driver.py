"""`gatilho merge-driver` (Reviewing): merge one file of tables, as git calls it."""

import gc
import sys

from gatilho import bounded, files
from gatilho.configfile import load
from gatilho.console import command_options
from gatilho.merge import merging
from gatilho.merge.text import Style, merge_text
from gatilho.setup import driver
from gatilho.tables import name_in_store


def main(argv: list[str]) -> int:
    """Merge the three files that git names, and write the result into ours: 0, or 3 where conflicts are left."""
    parser = command_options.parser(
        "merge-driver",
        "Merge one file of tables by rows and cells. Git calls this; `gatilho init` registers it.\n"
        "The result is written to OURS; exit status 3 means that it holds conflicts.",
        "gatilho merge-driver base.md ours.md theirs.md docs/gatilhos/backlog.md",
    )
    for name, says in (("BASE", "the file before both changes"), ("OURS", "our side, which gets the result"),
                       ("THEIRS", "their side"), ("PATH", "the file's name in the repository")):  # fmt: skip
        parser.add_argument(name.lower(), metavar=name, help=says)
    parser.add_argument("--marker-size", type=int, default=7, metavar="N", help="letters of a marker (default: 7)")
    given = parser.parse_args(argv)
    root = command_options.folder_of(given.root)
    gc.disable()  # large tables are many small objects, none of which is garbage before the end
    base, ours, theirs = (bounded.read(path) for path in (given.base, given.ours, given.theirs))
    style = Style(driver.conflict_style(root), given.marker_size)
    result = _merge((base, ours, theirs), style, root, given.path)
    # In one step: were half of it written, git's merge of the text would take that half for our side.
    files.replace_bytes(given.ours, ours, result.data)
    if result.doubt:
        _say(f"gatilho: {given.path} is merged as text: {result.doubt}.")
    return driver.CONFLICT if result.conflicts else 0


def lifecycle_of(root: str, path: str) -> str:
    """Return what the configuration says of a file's rows whose table has no column for their lifecycle."""
    return load(root)[0].sources.get(name_in_store(path), "rule")


def _merge(sides: tuple[bytes, bytes, bytes], style: Style, root: str, path: str) -> merging.MergedDocument:
    """Return the merge by rows; where a fault of ours prevents it, git's merge of the text, so no line is lost."""
    try:
        return merging.merge(*sides, merging.Options(style, lifecycle_of(root, path)))
    except Exception as fault:
        data, conflicts = merge_text(*sides, style)
        return merging.MergedDocument(data, conflicts, f"this is a bug in gatilho ({type(fault).__name__}: {fault})")


def _say(text: str) -> None:
    try:
        print(text, file=sys.stderr)
    except OSError:
        pass  # the merge is done; a status that says otherwise would have git merge once more
