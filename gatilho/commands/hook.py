"""`gatilho hook` (For hosts): answer one hook event on standard input."""

import os
import sys


def main(argv: list[str]) -> int:
    """Answer one hook event on standard input."""
    if "-h" in argv or "--help" in argv:
        return _help()
    if os.environ.get("GATILHO") == "off":  # as the dispatcher does, for registrations that call the command
        sys.stdin.buffer.read()  # a host whose write fails shows an error
        return 0
    from gatilho import hook

    hook.look_from(argv)
    return hook.main(argv)


def _help() -> int:
    from gatilho.console import command_options

    parser = command_options.parser(
        "hook",
        "Read a coding agent's hook event on standard input and print the answer, if any; exits 0 whatever happens.",
        "gatilho hook --host claude < event.json",
        "gatilho hook --record events.jsonl < event.json",
    )
    parser.add_argument("--host", metavar="NAME", help="the calling host (default: read from the event)")
    parser.add_argument(
        "--record", metavar="FILE", help="append the event to FILE, contents and secrets cut, for `gatilho replay`"
    )
    parser.print_help(sys.stdout)
    return 0
