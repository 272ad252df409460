"""`gatilho corrections` (Reading): show which facts were corrected how often, and what that costs."""

import argparse
from typing import Any

from gatilho import render
from gatilho.config import Corrections
from gatilho.console import command_options
from gatilho.errors import UsageError
from gatilho.index.index import Index, open_index
from gatilho.ledger.tally import Entry
from gatilho.memory import corrections, facts
from gatilho.model import Value

_TOUCHES = 10


def main(argv: list[str]) -> int:
    """Print the corrections by key, and what corrections cost compared with one approved edit."""
    given = _parser().parse_args(argv)
    with open_index(command_options.repository_of(given.root)) as index:
        counted = _counted(index, given.key)
        settings = index.config.corrections
        if given.json:
            render.print_json(_as_json(counted, settings, given.touches))
        else:
            _print(counted, settings, given.touches)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = command_options.parser(
        "corrections",
        "Show in how many sessions each fact was corrected since its last approved edit, and what corrections cost:\n"
        "each touch without the loop, against corrections up to the threshold and one approval.",
        "gatilho corrections ORM",
    )
    parser.add_argument("key", metavar="KEY", nargs="?", default="", help="only this key")
    touches = command_options.number_of("touches", 1000)
    parser.add_argument("--touches", metavar="N", type=touches, default=_TOUCHES, help=f"rows of costs ({_TOUCHES})")
    command_options.add_json(parser)
    return parser


class _Counted(Value):
    """A key with its sessions since the last approved edit, the day of the last correction, and what was said last."""

    key: str
    sessions: int
    last: str
    value: str


def _counted(index: Index, key: str) -> list[_Counted]:
    by_key: dict[str, list[Entry]] = {}
    for entry in index.corrections():
        if not key or corrections.same_key(entry.id, key):
            by_key.setdefault(entry.id.casefold(), []).append(entry)
    if key and not by_key:
        raise UsageError(f"corrections: no correction of {key} is recorded. `gatilho corrections` lists all keys.")
    said = {name.casefold(): value for name, value in facts.remembered(index.repository).items()}
    return [
        _Counted(group[-1].id, len(corrections.sessions_of(group)), group[-1].when[:10], said.get(name, ""))
        for name, group in sorted(by_key.items())
    ]


def _print(counted: list[_Counted], settings: Corrections, touches: int) -> None:
    if counted:
        of_enough = [f" of {settings.threshold}" if one.sessions <= settings.threshold else "" for one in counted]
        rows = [[one.key, f"{one.sessions}{of}", one.last, one.value] for one, of in zip(counted, of_enough)]
        render.print_table(["key", "sessions", "last", "said last"], rows)
    else:
        render.line("No corrections yet. `gatilho remember 'KEY: VALUE' --session ID` counts one.")
    render.line(
        f"\nWhat one fact costs, at {settings.correction_seconds} s for a correction and {settings.approval_seconds} s "
        f"for an approval, threshold {settings.threshold}:"
    )
    walked = corrections.walk_costs(touches, settings)
    cells = [[str(one.number), f"{one.without} s", f"{one.with_loop} s", f"{one.saved} s"] for one in walked]
    render.print_table(["touch", "without", "with", "saved"], cells, right=["touch", "without", "with", "saved"])
    ahead = corrections.ahead_from(settings)
    if ahead:
        render.line(f"Ahead from touch {ahead}.")


def _as_json(counted: list[_Counted], settings: Corrections, touches: int) -> dict[str, Any]:
    return {
        "corrections": [one.as_dict() for one in counted],
        "settings": settings.as_dict(),
        "costs": [
            {"touch": one.number, "without": one.without, "with": one.with_loop, "saved": one.saved}
            for one in corrections.walk_costs(touches, settings)
        ],
        "ahead_from": corrections.ahead_from(settings),
    }
