"""`gatilho replay` (For hosts): run recorded events, and show what the hooks would say."""

import json
import sys
from typing import Any

from gatilho import render
from gatilho.console import command_options, terminal_guard
from gatilho.setup.rehearsal import Replayed, recorded_events, replay_events

# What is in an answer for the host alone.
_FOR_HOSTS = ("hookEventName",)


def main(argv: list[str]) -> int:
    """Run the events of a file through the installed dispatcher, in their order."""
    parser = command_options.parser(
        "replay",
        "Run events that `gatilho hook --record FILE` wrote, or bare payloads of a host, through the installed\n"
        "dispatcher, and show what it would say. It works on a copy of the repository: nothing is written.",
        "gatilho replay events.jsonl",
        "gatilho replay --write events.jsonl    # in the repository itself: rides and payments are written",
    )
    parser.add_argument("file", metavar="FILE", help="the events: JSON, one a line")
    parser.add_argument("--write", action="store_true", help="let the hooks write what the events lead to")
    command_options.add_json(parser)
    given = parser.parse_args(argv)
    repository = command_options.repository_of(given.root, learn=given.write)
    events = recorded_events(given.file)
    if given.write:
        terminal_guard.require("gatilho replay --write")
    replayed = replay_events(repository, events, given.write)
    if given.json:
        render.print_json({"events": [_as_json(one) for one in replayed]})
        return 0
    for one in replayed:
        _print(one)
    return 0


def _print(one: Replayed) -> None:
    asked = f"  {one.tool}" if one.tool else ""
    render.line(f"{one.event.line}  {one.name or 'an event that gatilho has no part in'}{asked}")
    for label, text in _texts_in(_answer_of(one)):
        for i, line in enumerate(text.split("\n")):
            render.line(f"   {(label if not i else ''):<24}  {line}")
    if one.errors:
        render.line(f"   {'status ' + str(one.status):<24}  {one.errors}")
    elif not one.said:
        render.line("   nothing is said")
    sys.stdout.flush()


def _texts_in(answer: Any, label: str = "") -> list[tuple[str, str]]:
    """Return the texts of an answer, each with the name of its field; one that is said twice, once."""
    if isinstance(answer, dict):
        found = [pair for key, one in answer.items() if key not in _FOR_HOSTS for pair in _texts_in(one, str(key))]
        return list({text: (key, text) for key, text in reversed(found)}.values())[::-1]
    return [(label, str(answer))] if answer not in ("", None) else []


def _answer_of(one: Replayed) -> Any:
    try:
        return json.loads(one.said) if one.said else ""
    except ValueError:
        return one.said


def _as_json(one: Replayed) -> dict[str, Any]:
    return {
        "line": one.event.line, "host": one.event.host, "event": one.name, "tool": one.tool,
        "answer": _answer_of(one) or None, "status": one.status, "errors": one.errors,
    }  # fmt: skip
