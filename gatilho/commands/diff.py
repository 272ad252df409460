"""`gatilho diff` (Reviewing): show what changed in rows between revisions, the index, the working tree."""

import argparse
import re
from typing import Any

from gatilho import dates, render
from gatilho.compare import revisions
from gatilho.compare.facts import Fact, in_plain_text
from gatilho.compare.judge import Judge
from gatilho.compare.markdown import markdown
from gatilho.compare.output import TITLES, count_by_severity, findings
from gatilho.compare.revisions import Revisions, Side
from gatilho.compare.row_changes import Comparison, RowChange, compare
from gatilho.compare.snapshot import Snapshot
from gatilho.console import command_options, comparison_view
from gatilho.console.row_view import Page
from gatilho.console.runner import print_in_form
from gatilho.errors import UsageError
from gatilho.ledger.lines import Entry
from gatilho.model import Row, Trigger
from gatilho.plain import counted
from gatilho.store import local_rides
from gatilho.workspace.reach import PATH_KINDS, Reach

FORMATS = ("text", "markdown", "json", "sarif", "github", "codeclimate")
_ADDRESS = re.compile(r"https?://[^\s<>()\[\]\"'`\\]+")
_TREE = Side(revisions.TREE, name="working tree")
_INDEX = Side(revisions.INDEX, name="index")


def main(argv: list[str]) -> int:
    """Print what changed; 0 whatever it is, for `check --since` is what judges."""
    given = _parser().parse_args(argv)
    with Revisions(command_options.repository_of(given.root)) as opened:
        before, after = _sides(opened, given)
        compared = _compare(opened, before, after)
        form = "json" if given.json else given.format
        if form == "text":
            hints = _hints(opened, given, before, after)
            comparison_view.print_comparison(Page(), compared, f"{before} .. {after}", hints)
        elif form == "markdown":
            text = markdown(compared, str(before), str(after), links=_links(given.links))
            render.print_markdown(text.removesuffix("\n"))
        elif form == "json":
            render.print_json(_as_json(compared, before, after))
        else:
            print_in_form(form, findings(compared), TITLES)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = command_options.parser(
        "diff",
        "Show what changed in rows, not lines. Without BASE from HEAD to the working tree; BASE alone to the working "
        "tree,\nBASE..HEAD between two revisions, BASE...HEAD from where they parted. Exits 0 whatever changed: "
        "`gatilho check\n--since BASE` judges.",
        "gatilho diff",
        "gatilho diff origin/main...HEAD --format markdown",
    )
    parser.add_argument("range", nargs="?", metavar="BASE[..HEAD]", help="what to compare (default: HEAD)")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--staged", "--cached", action="store_true", help="look at the index, not at the working tree")
    which.add_argument("--unstaged", action="store_true", help="from the index to the working tree")
    parser.add_argument("--format", choices=FORMATS, default="text", help="how to print it (default: text)")
    parser.add_argument(
        "--links", metavar="URL", default="",
        help="where the files of the later side can be read, to which Markdown links rows: "
        "https://github.com/OWNER/NAME/blob/COMMIT",
    )  # fmt: skip
    command_options.add_json(parser)
    return parser


def _links(address: str) -> str:
    """Return the address; raises UsageError where no link may have it."""
    if address and not _ADDRESS.fullmatch(address):
        raise UsageError(f"--links {address}: give an address such as https://github.com/OWNER/NAME/blob/COMMIT.")
    return address


def _sides(opened: Revisions, given: argparse.Namespace) -> tuple[Side, Side]:
    text = given.range
    if text is None or ".." not in text:
        if given.unstaged:
            if text is not None:
                raise UsageError("--unstaged compares the index with the working tree: leave out the revision.")
            return _INDEX, _TREE
        return opened.side(text or "HEAD"), _INDEX if given.staged else _TREE
    if given.staged or given.unstaged:
        raise UsageError(f"{text} names both sides already: leave out --staged and --unstaged.")
    dots = "..." if "..." in text else ".."
    base, _, head = text.partition(dots)
    before, after = opened.side(base or "HEAD"), opened.side(head or "HEAD")
    return (_parting(opened, before, after) if dots == "..." else before), after


def _parting(opened: Revisions, before: Side, after: Side) -> Side:
    """Return where two revisions parted; raises UsageError where that is not known."""
    base = opened.merge_base(before.commit, after.commit)
    if base:
        return before if base == before.commit else Side(revisions.COMMIT, base, f"{before.name}...{after.name}")
    why = "the clone is shallow: `git fetch --unshallow`" if opened.boundaries() else "compare them with two dots"
    raise UsageError(f"{before.name} and {after.name} have no common commit here; {why}.")


def _compare(opened: Revisions, before: Side, after: Side) -> Comparison:
    snapshots = [Snapshot(opened.store_files(side)) for side in (before, after)]
    judge = Judge(opened, before, after)
    return compare(snapshots[0], snapshots[1], _Count(opened, before), _Count(opened, after), dates.today(), judge)


class _Count:
    """How many tracked files of one side some triggers match; the files are listed when that is first asked."""

    def __init__(self, opened: Revisions, side: Side) -> None:
        self._opened = opened
        self._side = side
        self._reach: Reach | None = None

    def __call__(self, triggers: tuple[Trigger, ...]) -> int | None:
        about_paths = [trigger for trigger in triggers if trigger.kind in PATH_KINDS]
        if not about_paths:
            return None
        if self._reach is None:
            self._reach = Reach(list(self._opened.listing(self._side)))
        if not self._reach.names:
            return None
        return len({name for trigger in about_paths for name in self._reach.matches(trigger)})


def _hints(opened: Revisions, given: argparse.Namespace, before: Side, after: Side) -> list[str]:
    """Return what a reader of the text should know about the two sides."""
    hints = [
        f"In {side}, docs/gatilhos is a submodule: its rows are its own, run `gatilho diff` there."
        for side in (before, after)
        if opened.is_submodule(side)
    ]
    if before.commit and "..." not in (given.range or ""):
        head = after.commit or opened.find("HEAD")
        missing = opened.count_missing(before.commit, head) if head else 0
        if missing:
            hints.append(
                f"{before.name} has {counted(missing, 'commit')} that the other side lacks, so its changes are shown "
                f"backwards: `{before.name}...` compares from where they parted."
            )
    waiting = sum(local_rides.seen(opened.repository.shared_state).values())
    if waiting:
        hints.append(
            f"{counted(waiting, 'ride')} of rules counted on this machine only, not in what follows: `gatilho fold` "
            "brings them into the tables."
        )
    return hints


def _as_json(compared: Comparison, before: Side, after: Side) -> dict[str, Any]:
    return {
        "before": _side_as_json(before),
        "after": _side_as_json(after),
        "rows": [_row_as_json(change) for change in compared.rows],
        "files": [{"file": one.file, "rows": list(one.rows), **_fact_as_json(one.fact)} for one in compared.files],
        "counts": count_by_severity(compared.facts),
    }


def _side_as_json(side: Side) -> dict[str, str]:
    return {"kind": side.kind, "name": side.name, "commit": side.commit}


def _row_as_json(change: RowChange) -> dict[str, Any]:
    row: Row = change.row
    how = "added" if change.before is None else "removed" if change.after is None else "changed"
    return {
        "id": row.id,
        "change": how,
        "lifecycle": row.lifecycle,
        "file": row.file,
        "line": row.line,
        "rides": change.rides,
        "facts": [_fact_as_json(fact) for fact in change.facts],
    }


def _fact_as_json(fact: Fact) -> dict[str, Any]:
    return {
        "kind": fact.kind,
        "code": fact.code,
        "severity": fact.severity,
        "message": in_plain_text(fact.words),
        "remedy": in_plain_text(fact.remedy),
        "by_hand": fact.by_hand,
        "before": fact.before,
        "after": fact.after,
        "event": dict(zip(Entry.__fields__, fact.event)) or None,
    }
