"""What rows would have done in the last commits, kept between reports: only rows that a new commit concerns are tried
again, and those that the time of one run was too short for.
"""

import time
from collections.abc import Callable
from typing import Any

from gatilho.backtest.replayed import COMMITS, Figures, courses_of, figures_of
from gatilho.backtest.verdicts import concerned_by
from gatilho.conditions.listed_tree import LINK
from gatilho.git.state import head_commit
from gatilho.model import Row, Value
from gatilho.report.lives import Kept
from gatilho.workspace.past import Past, load_past
from gatilho.workspace.workspace import Workspace

# Seconds of one run, and rows between two looks at the clock.
PATIENCE = 3.0
_AT_ONCE = 250
# Changed files of one commit that are kept; where a commit with more leaves the window, all rows are tried again.
_MOST_NAMES = 200
_Record = tuple[Any, ...]  # all fields of a row's figures but the first


class Pasts(Value):
    """What rows would have done: figures by the places of rows. untried: how many rows the time was too short for."""

    figures: dict[str, Figures]
    untried: int


def gather_pasts(
    workspace: Workspace,
    kept: Kept,
    contents: dict[str, str],
    say: Callable[[str], None] = lambda _: None,
    patience: float = PATIENCE,
) -> Pasts:
    """Return what the last commits say of the own store's rows in force. contents: their `content_stamps`."""
    rows: dict[str, Row] = {}
    keys: dict[str, str] = {}  # by place
    for (place, content), found in zip(contents.items(), workspace.own_rows):
        if found.row.in_force:
            keys[place] = content
            rows[content] = found.row
    commits, known = _known(workspace, kept, rows, say, patience)
    # Most rows share their figures with many others.
    figures = {record: Figures(commits, *record) for record in set(known.values())}
    return Pasts({place: figures[known[key]] for place, key in keys.items() if key in known}, len(rows) - len(known))


def _known(
    workspace: Workspace, kept: Kept, rows: dict[str, Row], say: Callable[[str], None], patience: float
) -> tuple[int, dict[str, _Record]]:
    """Return the number of commits and what they say of rows, each by its key; nothing where git takes too long."""
    head = head_commit(workspace.repository)
    ask_after = workspace.index.config.ask_after
    old = kept.recall("past", str(ask_after)) or {"head": "", "commits": [], "rows": {}, "figures": []}
    records = [(*numbers, tuple(map(tuple, paid)), further) for *numbers, paid, further in old["figures"]]
    known: dict[str, _Record] = {key: records[old["rows"][key]] for key in rows if key in old["rows"]}
    if old["head"] == head and len(known) == len(rows):
        return len(old["commits"]), known
    until = time.monotonic() + patience
    past = load_past(workspace.repository, COMMITS, seconds=patience) if head else None
    if past is None:
        return 0, {}
    if old["head"] != head:
        known = _still_true(workspace, known, rows, old["commits"], past)
    missing = [key for key in rows if key not in known]
    for start in range(0, len(missing), _AT_ONCE):
        if past.reach.is_spent or (start and time.monotonic() > until):
            break
        say(f"trying rows on the last commits: {start:,} of {len(missing):,}")
        part = missing[start : start + _AT_ONCE]
        courses = courses_of(workspace.repository, past, [rows[key] for key in part], ask_after)
        known.update((key, figures_of(course, past).as_tuple()[1:]) for key, course in zip(part, courses))
    commits = [[one.id, _names(past, number)] for number, one in enumerate(past.commits)]
    numbers: dict[_Record, int] = {}
    by_row = {key: numbers.setdefault(record, len(numbers)) for key, record in known.items()}
    kept.remember("past", {"head": head, "commits": commits, "rows": by_row, "figures": list(numbers)}, str(ask_after))
    return len(commits), known


def _names(past: Past, number: int) -> list[str] | None:
    return list(past.names_in(number)) if len(past.commits[number].changes) <= _MOST_NAMES else None


def _still_true(
    workspace: Workspace,
    known: dict[str, _Record],
    rows: dict[str, Row],
    old: list[tuple[str, list[str] | None]],
    past: Past,
) -> dict[str, _Record]:
    """Return what is known of the rows that no commit concerns which is new or has left the window."""
    new = [one.id for one in past.commits]
    stay = new.index(old[-1][0]) + 1 if old and old[-1][0] in new else 0
    left = old[: len(old) - stay]
    if not stay or [one for one, _ in old[len(left) :]] != new[:stay]:
        return {}
    names = {name for number in range(stay, len(past.commits)) for name in past.names_in(number)}
    for _, changed in left:
        if changed is None:
            return {}
        names.update(changed)
    matching = {one.row for one in workspace.index.candidates("path", sorted(names))}
    concerned = {found.row.place for _, found in workspace.index.numbered_rows(sorted(matching))}
    concerns = concerned_by(names, links=any(mode == LINK for mode, _ in past.now.values()))

    def is_concerned(row: Row) -> bool:
        # Which files hold a mark only their text can say.
        touched = row.place in concerned or any(one.kind == "mark" for one in row.triggers)
        return touched or any(map(concerns, row.conditions))

    return {key: record for key, record in known.items() if not is_concerned(rows[key])}
